"""Who comes, on the way to the consent page: signed, in the address of that page and in the number of its form.

Nothing of it is in the database until the person agrees. It needs no cookie, and nobody can change it on the way.
"""

import base64
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from itsdangerous import BadSignature, URLSafeSerializer

from app.sessions.links import BadLink

LONGEST = 40_000
"""Characters of what is carried, at most: 20 parameters of an address are fewer."""


@dataclass(frozen=True, slots=True)
class Came:
    """Somebody who has come to a study: when, with which id and parameters of their link.

    `is_signed` says that a link of ours vouches for the id.
    """

    slug: str
    at: datetime
    participant: str | None = None
    is_signed: bool = False
    recruiter: Mapping[str, str] = field(default_factory=dict)


def carried(came: Came, secret: str) -> str:
    """The text that goes along: signed, for addresses and forms."""
    parts = [came.slug, came.at.timestamp(), came.participant, came.is_signed, dict(came.recruiter)]
    return str(_serializer(secret).dumps(parts))


def came_by(text: str, secret: str) -> Came | None:
    """Reads it back; None where nothing was carried. Raises BadLink for what we have not signed."""
    if not text:
        return None
    try:
        slug, at, participant, is_signed, recruiter = _serializer(secret).loads(text[:LONGEST])
    except (BadSignature, ValueError, TypeError):
        raise BadLink("This address is not complete. Please open the link that you were given.") from None
    return Came(slug, datetime.fromtimestamp(at, UTC), participant, is_signed, recruiter)


def with_carried(number: str, text: str) -> str:
    """The number of a consent page's form, which holds what is carried."""
    return f"{number}.{text}" if text else number


def split_number(submit_id: str) -> tuple[str, str]:
    """The number of a form as it is stored, and what it carried."""
    page, _, rest = submit_id.partition(".")
    if page != "consent":
        return submit_id, ""
    name, _, text = rest.partition(".")
    return (f"{page}.{name}", text) if text else (submit_id, "")


def mark_of(participant: str | None, secret: str) -> str:
    """Six characters by which a browser tells its undecided visits apart; empty for nobody."""
    if not participant:
        return ""
    digest = hmac.digest(secret.encode(), b"mark\n" + participant.encode("utf-8", "replace"), "sha256")
    return base64.urlsafe_b64encode(digest)[:6].decode()


def _serializer(secret: str) -> URLSafeSerializer:
    return URLSafeSerializer(secret, salt="came")
