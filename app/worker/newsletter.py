"""News of studies by email: the worker looks every few minutes, and asks for a mail to each user who wants it."""

import logging
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlmodel import Session, col, select

from app.accounts.audit import SERVICE
from app.accounts.profile import News, who_wants
from app.accounts.tables import AuditEntry, User
from app.core.database import Database
from app.jobs.mails import Mail, ask_mail, newest_mails
from app.monitor.notices import notices_of
from app.monitor.tally import tally_of
from app.studies.tables import StudyShare
from app.trials.tables import Mode, State, Study

EVERY_S = 300.0
CLOSED_WITHIN = timedelta(days=1)
LOOK_EVERY = timedelta(days=1)
_log = logging.getLogger("likely-human.worker")


@dataclass(frozen=True, slots=True)
class Due:
    """A mail that is due."""

    mail: Mail
    user_id: int
    study_id: int
    more: Mapping[str, Any]


def watch(database: Database, stop: threading.Event) -> None:
    """Look for news until `stop`."""
    while not stop.is_set():
        try:
            tell_news(database, datetime.now(UTC))
        except Exception:  # the database may be away for a while
            _log.exception("news could not be looked for; it is tried again")
        stop.wait(EVERY_S)


def tell_news(database: Database, now: datetime) -> int:
    """Ask for the mails that are due; returns how many."""
    with database.reading() as session:
        due = [*_closed(session, now), *_to_look_at(session, now)]
    if due:
        with database.transaction() as session:
            for one in due:
                ask_mail(session, one.mail, one.user_id, now, study_id=one.study_id, more=one.more)
    return len(due)


def _closed(session: Session, now: datetime) -> Sequence[Due]:
    """Studies that the service closed within a day, mailed once."""
    wanted = who_wants(session, News.TARGET)
    entries = select(AuditEntry).where(
        AuditEntry.action == "study.state",
        AuditEntry.actor == SERVICE.name,
        col(AuditEntry.at) > now - CLOSED_WITHIN,
    )
    due = []
    for entry in session.exec(entries).all() if wanted else ():
        study = session.exec(select(Study).where(Study.slug == entry.study)).first()
        if study is None or (entry.after or {}).get("state") != State.CLOSED:
            continue
        mailed = {job.params["user"] for job in newest_mails(session, study.id or 0, Mail.TARGET)
                if job.params.get("entry") == entry.id}  # fmt: skip
        more = {
            "slug": study.slug,
            "entry": entry.id,
            "because": entry.after.get("because", "it is complete"),
        }
        due += [
            Due(Mail.TARGET, user, study.id or 0, more)
            for user in _who_see(session, wanted, study.id or 0)
            if user not in mailed
        ]
    return due


def _to_look_at(session: Session, now: datetime) -> Sequence[Due]:
    """Live studies with more to look at than their last mail said, at most once a day."""
    wanted = who_wants(session, News.LOOK)
    studies = select(Study).where(Study.state == State.LIVE, col(Study.archived_at).is_(None))
    due = []
    for study in session.exec(studies).all() if wanted else ():
        study_id = study.id or 0
        n_flagged, n_notices = n_flagged_sessions(session, study_id), len(notices_of(session, study_id, now))
        if not n_flagged + n_notices:
            continue
        more = {"slug": study.slug, "n": n_flagged + n_notices, "things": _in_words(n_flagged, n_notices)}
        last = {job.params["user"]: job for job in reversed(newest_mails(session, study_id, Mail.LOOK))}
        due += [
            Due(Mail.LOOK, user, study_id, more)
            for user in _who_see(session, wanted, study_id)
            if user not in last
            or (last[user].asked_at <= now - LOOK_EVERY and last[user].params["n"] < n_flagged + n_notices)
        ]
    return due


def n_flagged_sessions(session: Session, study_id: int) -> int:
    """The number of live sessions with a flag."""
    tally = tally_of(session, study_id)
    with tally.lock:
        tally.refresh(session, None)
        return sum(len(group.flagged) for key, group in tally.groups.items() if Mode.LIVE in key)


def _in_words(n_flagged: int, n_notices: int) -> str:
    """`2 sessions with a flag and 1 notice are`."""
    parts = [
        f"{n} {one if n == 1 else many}"
        for n, one, many in (
            (n_flagged, "session with a flag", "sessions with a flag"),
            (n_notices, "notice", "notices"),
        )
        if n
    ]
    return f"{' and '.join(parts)} {'is' if n_flagged + n_notices == 1 else 'are'}"


def _who_see(session: Session, wanted: Sequence[int], study_id: int) -> Sequence[int]:
    """Ids of the users who see a study."""
    shared = set(session.exec(select(StudyShare.user_id).where(StudyShare.study_id == study_id)))
    users = session.exec(select(User).where(col(User.id).in_(wanted)).order_by(col(User.id)))
    return [user.id or 0 for user in users if user.role == "owner" or user.id in shared]
