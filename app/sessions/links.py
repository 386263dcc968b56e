"""Signed links: for named participants, and to a session that its participant can no longer reach.

A signature proves that an experimenter made the link. It is a MAC with the service's secret; none is stored.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import dropwhile
from urllib.parse import urlencode

from itsdangerous import BadSignature, Signer, URLSafeTimedSerializer
from sqlmodel import Session

from app.accounts.audit import Actor, record
from app.core.errors import StudyError
from app.core.language import gettext as _
from app.core.language import noop
from app.sessions.exclusions import of_people
from app.studies.access import StudyHere
from app.studies.file.recruiters import heads_participants

LONGEST_NAME = 199
MOST_NAMES = 5_000
MOST_BYTES = 4 * MOST_NAMES * LONGEST_NAME
"""The size of a file of names, in bytes: four for each letter of UTF-8."""
LASTS_S = 30 * 24 * 3600
_WORD = re.compile(r"\w")
# An unfilled placeholder ({{%PROLIFIC_PID%}} of Prolific, ${e://...} of Qualtrics) is one id for everybody.
_UNFILLED = re.compile(
    r"\{.*\}|\$\{?.*|\[.*\]|<.*>|%.*%|x{3,}|.*(\{\{|\}\}|\$\{|%PROLIFIC|\[\[).*", re.IGNORECASE | re.DOTALL
)
_NOTHING = frozenset({"undefined", "null", "(null)", "none", "nil", "nan", "n/a", "empty", "unknown"})
# str.strip() alone leaves zero-width characters and the byte-order mark: to Unicode they are no white space.
_INVISIBLE = " \t\r\n\u00a0\u200b\u200c\u200d\u2060\ufeff"

PARTICIPANT_KEYS = ("participant", "PROLIFIC_PID", "workerId", "participantId", "survey_code")
"""The name under which recruiters send a participant's id: our own, Prolific, MTurk, CloudResearch, SONA."""
_KEYS = frozenset(key.casefold() for key in PARTICIPANT_KEYS)


class BadNames(StudyError):
    status_code = 422


class BadLink(StudyError):
    status_code = 403
    title = noop("This link does not fit")


@dataclass(frozen=True, slots=True)
class Link:
    """`path` begins at the service's own address."""

    participant: str
    path: str


def id_in(text: str) -> str:
    """The id that a text is, without what surrounds it; empty where it is none."""
    text = text.strip().strip(_INVISIBLE)
    return text if is_an_id(text) else ""


def is_an_id(text: str) -> bool:
    """True for a usable participant id: not empty or truncated, no unfilled placeholder of a recruiter, and no word
    such as "none", which many would share.
    """
    plain = text.casefold()
    is_nobodys = plain in _NOTHING or plain in _KEYS or _UNFILLED.fullmatch(text) or not _WORD.search(text)
    return 0 < len(text) <= LONGEST_NAME and not is_nobodys


def names_in(text: str) -> Sequence[str]:
    """One name per line, each once, below headings or without. Raises BadNames for none, too many, or one that cannot
    be an id.
    """
    names = dict.fromkeys(line.strip() for line in text.splitlines() if line.strip())
    return checked_names(list(dropwhile(heads_participants, names)))


def checked_names(names: Sequence[str]) -> Sequence[str]:
    """Raises BadNames."""
    if not names:
        raise BadNames("Write the participants' names or numbers, one per line.")
    if len(names) > MOST_NAMES:
        raise BadNames(f"{len(names)} names are too many; {MOST_NAMES} at a time are allowed.")
    for name in names:
        if not is_an_id(name) or not name.isprintable():
            raise BadNames(
                f"{name[:40]!r} cannot stand for a participant: use 1 to {LONGEST_NAME} printable characters."
            )
    return names


def participant_links(
    session: Session, by: Actor, study: StudyHere, names: Sequence[str], secret: str, now: datetime
) -> Sequence[Link]:
    """A link for each name. The audit log keeps how many were made. Raises BadNames."""
    names = checked_names(names)
    record(session, by, "study.links", now=now, study=study.slug, after={"links": len(names)})
    return [Link(name, _address(study.slug, name, secret)) for name in names]


def session_link(
    session: Session, by: Actor, study: StudyHere, session_id: int, secret: str, now: datetime
) -> str:
    """The path of a link with which a session goes on in any browser, for 30 days. Raises NotFound, Conflict."""
    of_people(session, study, session_id)
    record(session, by, "session.link", now=now, study=study.slug, subject=f"session {session_id}")
    return f"/s/{study.slug}?{urlencode({'go-on': _serializer(secret).dumps([study.slug, session_id])})}"


def is_signed(slug: str, participant: str, signature: str, secret: str) -> bool:
    return _signer(secret).verify_signature(f"{slug}\n{participant}", signature)


def session_of(slug: str, link: str, secret: str) -> int:
    """The session id in a link that continues a session. Raises BadLink."""
    try:
        for_slug, session_id = _serializer(secret).loads(link, max_age=LASTS_S)
    except (BadSignature, ValueError, TypeError):
        for_slug, session_id = "", 0
    if for_slug != slug or not isinstance(session_id, int):
        raise BadLink(_("This link is not complete, or too old. Please ask for a new one."))
    return session_id


def _address(slug: str, participant: str, secret: str) -> str:
    signature = _signer(secret).get_signature(f"{slug}\n{participant}").decode()
    return f"/s/{slug}?{urlencode({'participant': participant, 'signed': signature})}"


def _signer(secret: str) -> Signer:
    # itsdangerous signs with SHA-1 unless a digest is named.
    return Signer(secret, salt="participant", digest_method=hashlib.sha256)


def _serializer(secret: str) -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(secret, salt="session")
