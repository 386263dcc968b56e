"""The visitor's identity on the way to the consent page: signed, in the page's address and in its form's number.

None of it is stored before the person consents. It needs no cookie and cannot be altered on the way.
"""

import base64
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from itsdangerous import BadSignature, URLSafeSerializer

from app.core.language import gettext as _
from app.sessions.identity import Person, hashed
from app.sessions.links import BadLink

LONGEST = 40_000
"""Characters of what is carried, at most: 20 parameters of an address are fewer."""


@dataclass(frozen=True, slots=True)
class Came:
    """A visitor to a study: arrival time, participant id and link parameters.

    `is_signed`: the id comes from a link that we signed. `hashed` is its keyed hash, `language` the one that the link
    names, if any.
    """

    slug: str
    at: datetime
    participant: str | None = None
    is_signed: bool = False
    recruiter: Mapping[str, str] = field(default_factory=dict)
    language: str = ""
    hashed: str = ""

    @property
    def person(self) -> Person | None:
        return Person(self.participant, self.hashed) if self.participant else None


def carried(came: Came, secret: str) -> str:
    """The text that goes along: signed, for addresses and forms."""
    parts: list[object] = [
        came.slug,
        came.at.timestamp(),
        came.participant,
        came.is_signed,
        dict(came.recruiter),
    ]
    parts += [came.language] if came.language else []
    return str(_serializer(secret).dumps(parts))


def came_by(text: str, secret: str) -> Came | None:
    """Decode a carried visitor; None if nothing was carried. Raises BadLink if the signature is not ours."""
    if not text:
        return None
    try:
        slug, at, participant, is_signed, recruiter, *language = _serializer(secret).loads(text[:LONGEST])
    except (BadSignature, ValueError, TypeError):
        raise BadLink(_("This address is not complete. Please open the link that you were given.")) from None
    own = hashed(participant, secret) if participant else ""
    spoken = language[0] if language else ""
    return Came(slug, datetime.fromtimestamp(at, UTC), participant, is_signed, recruiter, spoken, own)


def with_carried(number: str, text: str) -> str:
    """The consent form's number, with the carried visitor appended."""
    return f"{number}.{text}" if text else number


def split_number(submit_id: str) -> tuple[str, str]:
    """Split a form's number into the number as stored and the carried text."""
    page, _, rest = submit_id.partition(".")
    if page != "consent":
        return submit_id, ""
    name, _, text = rest.partition(".")
    return (f"{page}.{name}", text) if text else (submit_id, "")


def mark_of(participant: str | None, secret: str) -> str:
    """A six-character mark by which a browser tells its undecided visits apart; empty without an id."""
    if not participant:
        return ""
    digest = hmac.digest(secret.encode(), b"mark\n" + participant.encode("utf-8", "replace"), "sha256")
    return base64.urlsafe_b64encode(digest)[:6].decode()


def _serializer(secret: str) -> URLSafeSerializer:
    # The key is derived from the salt: without one for each use, a signature made for links would pass here.
    return URLSafeSerializer(secret, salt="came")
