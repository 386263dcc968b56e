"""Links that show a study's results without a login: read only, of one mode, until they end or are taken back.

Live results stay closed while the study takes participants, to outsiders without exception: a link made before shows
them once the study is closed.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from sqlmodel import Session, col, select, update

from app.accounts.audit import record
from app.accounts.logins import Who, token_hash
from app.accounts.profile import names_of
from app.accounts.tables import User
from app.core.errors import Conflict, NotFound, StudyError
from app.outputs.results import MODES, BadView, ResultsRequest
from app.studies.access import StudyHere
from app.studies.blinding import is_blinded
from app.studies.tables import ResultsLink
from app.trials.tables import Mode, State, Study

USUAL_DAYS, MOST_DAYS, MOST, LONGEST_NAME = 30, 365, 50, 80
SEEN_EVERY = timedelta(minutes=5)
_UTC = ZoneInfo("UTC")


class LinkEnded(StudyError):
    status_code = 410
    title = "This link has ended"


class BadLink(StudyError):
    status_code = 422


@dataclass(frozen=True, slots=True)
class ResultsLinkView:
    """A link for the page of results; `opened_at` is when it was last opened."""

    id: int
    name: str
    mode: str
    by: str
    made_at: datetime
    expires_at: datetime
    opened_at: datetime | None


@dataclass(frozen=True, slots=True)
class SharedResults:
    """The results that a link shows; `is_closed` while the study runs."""

    link_id: int
    study: StudyHere
    asked: ResultsRequest
    expires_at: datetime
    is_closed: bool


def usual_end(now: datetime) -> date:
    return (now + timedelta(days=USUAL_DAYS)).date()


def checked_end(text: str, now: datetime) -> datetime:
    """The end of the day that is typed, in UTC; the usual one if none is. Raises BadLink."""
    try:
        day = date.fromisoformat(text.strip()) if text.strip() else usual_end(now)
    except ValueError:
        raise BadLink(f"{text[:40]!r} is no date; write it as {usual_end(now)}.") from None
    if not now.date() <= day <= now.date() + timedelta(days=MOST_DAYS):
        raise BadLink(f"A link ends today at the earliest, and {MOST_DAYS} days from now at the latest.")
    return datetime.combine(day, time(23, 59, 59), tzinfo=_UTC)


def share_results(
    session: Session, who: Who, study: StudyHere, mode: str, name: str, ends: datetime, now: datetime
) -> str:
    """A new link's token, to be shown this once. Raises BadView, BadLink, Conflict."""
    if mode not in MODES:
        raise BadView(f"{mode[:40]!r} is not a mode; use {', '.join(MODES)}.")
    name = " ".join(name.split())
    if not 0 < len(name) <= LONGEST_NAME or not name.isprintable():
        raise BadLink(f"Say in 1 to {LONGEST_NAME} characters whom the link is for.")
    if len(results_links(session, study, now)) >= MOST:
        raise Conflict(f"The study has {MOST} links; take one back first.")
    token = secrets.token_urlsafe(32)
    session.add(
        ResultsLink(
            study_id=study.id,
            token_sha256=token_hash(token),
            mode=mode,
            name=name,
            made_by=who.user_id,
            made_at=now,
            expires_at=ends,
        )
    )
    after = {"mode": mode, "ends": f"{ends:%Y-%m-%d}"}
    record(session, who.actor, "results.share", now=now, study=study.slug, subject=name, after=after)
    return token


def unshare_results(session: Session, who: Who, study: StudyHere, link_id: int, now: datetime) -> None:
    """Take a link back. Raises NotFound."""
    link = session.get(ResultsLink, link_id) if 0 < link_id < 2**31 else None
    if link is None or link.study_id != study.id or link.revoked_at is not None:
        raise NotFound("There is no such link.")
    link.revoked_at = now
    session.add(link)
    record(session, who.actor, "results.unshare", now=now, study=study.slug, subject=link.name)


def results_links(session: Session, study: StudyHere, now: datetime) -> Sequence[ResultsLinkView]:
    """The links that show something now, newest first."""
    found = session.execute(
        select(ResultsLink, User.email)
        .outerjoin(User, col(User.id) == ResultsLink.made_by)
        .where(
            ResultsLink.study_id == study.id,
            col(ResultsLink.revoked_at).is_(None),
            col(ResultsLink.expires_at) > now,
        )
        .order_by(col(ResultsLink.id).desc())
    ).all()
    names = names_of(session, {link.made_by for link, _ in found if link.made_by})
    return [
        ResultsLinkView(
            id=link.id or 0,
            name=link.name,
            mode=link.mode,
            by=names.get(link.made_by or 0, "") or email or "",
            made_at=link.made_at,
            expires_at=link.expires_at,
            opened_at=link.opened_at,
        )
        for link, email in found
    ]


def shared_by(session: Session, token: str, now: datetime) -> SharedResults:
    """The results that a link shows. Raises NotFound for one that is none, LinkEnded."""
    row = session.exec(
        select(ResultsLink, Study)
        .join(Study, col(Study.id) == ResultsLink.study_id)
        .where(ResultsLink.token_sha256 == token_hash(token))
    ).first()
    if row is None:
        raise NotFound("There is nothing at this address.")
    link, study = row
    if link.revoked_at is not None or now >= link.expires_at:
        raise LinkEnded("Please ask whoever gave it to you for a new one.")
    here = StudyHere(study.id or 0, study.slug, State(study.state), study.archived_at is not None)
    mode = Mode(link.mode)
    return SharedResults(
        link.id or 0, here, ResultsRequest(mode, None), link.expires_at, is_blinded(here, mode)
    )


def mark_opened(session: Session, link_id: int, now: datetime) -> None:
    """Note when a link was last opened; not by whom."""
    session.execute(update(ResultsLink).where(col(ResultsLink.id) == link_id).values(opened_at=now))
