"""Mails in the queue, asked for in a request or by the worker, sent by the worker. A job holds no address or link."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from sqlmodel import Session, col, or_, select

from app.accounts import throttle
from app.accounts.audit import Actor, record
from app.accounts.tables import User
from app.accounts.throttle import Count
from app.core.networks import network_of
from app.jobs import queue
from app.jobs.tables import Job, JobStatus, Kind

TROUBLES_FOR = timedelta(days=14)
PER_USER, PER_NETWORK = 3, 20
MOST_RESETS, RESETS_WITHIN = 5, timedelta(hours=24)


class Mail(StrEnum):
    """The kinds of mails."""

    INVITATION = "invitation"
    RESET = "reset"
    TARGET = "target"
    LOOK = "look"


WITH_LINK = (Mail.INVITATION, Mail.RESET)


@dataclass(frozen=True, slots=True)
class MailTrouble:
    """A mail that was not sent, or not yet: it `is_given_up` or is tried again."""

    id: int
    mail: Mail
    to: str
    message: str
    asked_at: datetime
    is_given_up: bool


def ask_mail(
    session: Session,
    mail: Mail,
    user_id: int,
    now: datetime,
    *,
    study_id: int | None = None,
    more: Mapping[str, Any] | None = None,
) -> int:
    """Put a mail to a user into the queue."""
    params = {"mail": mail, "user": user_id, **(more or {})}
    return queue.ask(session, Kind.MAIL, params, now=now, study_id=study_id)


def ask_password_mail(
    session: Session, mail: Mail, user_id: int, by: Actor, now: datetime, *, keeps_others: bool = False
) -> None:
    """Ask for a mail with a link to choose a password; earlier links end, unless it `keeps_others`."""
    user = session.get_one(User, user_id)
    record(session, by, "user.mail", now=now, subject=user.email, after={"mail": mail})
    ask_mail(session, mail, user_id, now, more={"keeps_others": True} if keeps_others else None)


def counts_for_resets(email: str, address: str) -> Sequence[Count]:
    """The counters of requests for a link."""
    return [Count(f"reset {email}", PER_USER), Count(f"reset from {network_of(address)}", PER_NETWORK)]


def ask_reset(session: Session, email: str, counts: Sequence[Count], now: datetime) -> None:
    """Ask for a link without a login; for an unknown address, or after enough such mails, no mail is sent.

    Anybody can ask, so links that the user has already stay good. Raises TooManyAttempts.
    """
    throttle.begin_attempt(session, counts, now)
    user = session.exec(select(User).where(User.email == email, col(User.disabled_at).is_(None))).first()
    if user is not None and not _has_enough_mails(session, user.id or 0, now):
        by = Actor(user.id, user.email)
        ask_password_mail(session, Mail.RESET, user.id or 0, by, now, keeps_others=True)


def _has_enough_mails(session: Session, user_id: int, now: datetime) -> bool:
    """True if a mail with a link waits for this user already, or MOST_RESETS were asked for within a day."""
    of_user = select(Job).where(
        Job.kind == Kind.MAIL,
        col(Job.params)["user"].as_integer() == user_id,
        col(Job.params)["mail"].as_string().in_(WITH_LINK),
        or_(col(Job.asked_at) > now - RESETS_WITHIN, col(Job.status).in_(queue.STANDING)),
    )
    jobs = session.exec(of_user).all()
    return any(job.status in queue.STANDING for job in jobs) or len(jobs) >= MOST_RESETS


def mail_troubles(session: Session, now: datetime) -> Sequence[MailTrouble]:
    """Mails of the last two weeks that failed, or wait for another try; newest first."""
    found = (
        select(Job)
        .where(
            Job.kind == Kind.MAIL,
            col(Job.asked_at) > now - TROUBLES_FOR,
            or_(
                col(Job.status) == JobStatus.FAILED,
                (col(Job.status) == JobStatus.QUEUED) & col(Job.not_before).is_not(None),
            ),
        )
        .order_by(col(Job.id).desc())
        .limit(20)
    )
    jobs = session.exec(found).all()
    users = select(User.id, User.email).where(col(User.id).in_({job.params["user"] for job in jobs}))
    emails = dict(session.exec(users).all())
    return [
        MailTrouble(
            id=job.id or 0,
            mail=Mail(job.params["mail"]),
            to=emails.get(job.params["user"], ""),
            message=job.message,
            asked_at=job.asked_at,
            is_given_up=job.status == JobStatus.FAILED,
        )
        for job in jobs
    ]


def newest_mails(session: Session, study_id: int, mail: Mail) -> Sequence[Job]:
    """The newest mails of a kind about a study, newest first."""
    found = select(Job).where(
        Job.kind == Kind.MAIL, Job.study_id == study_id, col(Job.params)["mail"].as_string() == mail
    )
    return session.exec(found.order_by(col(Job.id).desc())).all()
