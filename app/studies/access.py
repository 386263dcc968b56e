"""Visibility of studies (owners see all, others those shared with them), and rules for their names."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, bindparam
from sqlalchemy import select as select_columns
from sqlmodel import Session, SQLModel, col, select

from app.accounts.audit import record
from app.accounts.logins import Who
from app.accounts.tables import Role, User
from app.accounts.users import checked_email
from app.core.errors import Conflict, NotFound, StudyError
from app.core.statements import Hot
from app.studies.file.model import SLUG_PATTERN
from app.studies.tables import StudyShare
from app.trials.tables import State, Study

_SLUG = re.compile(SLUG_PATTERN)
# PostgreSQL's integer ends below it; a larger number in an address would be an error there.
_MOST_ID = 2**31
# Words that the pages need in the place of a study's name.
RESERVED = frozenset({"new"})
_study, _share = (SQLModel.metadata.tables[str(table.__tablename__)] for table in (Study, StudyShare))
# Every page of a study asks.
_NAMED = select_columns(_study.c.id, _study.c.slug, _study.c.state, _study.c.archived_at).where(
    _study.c.slug == bindparam("slug")
)
_OF_OWNERS = Hot(_NAMED)
_OF_OTHERS = Hot(
    _NAMED.where(
        _study.c.id.in_(select_columns(_share.c.study_id).where(_share.c.user_id == bindparam("user_id")))
    )
)


class BadSlug(StudyError):
    status_code = 422


@dataclass(frozen=True, slots=True)
class StudyHere:
    """The study that a page is about, and the `block` of it where its page is about one."""

    id: int
    slug: str
    state: State
    is_archived: bool = False
    block: str = ""


def study_for(session: Session, who: Who, slug: str) -> StudyHere:
    """Raises NotFound also where there is one that the user may not see."""
    study = None
    if _SLUG.fullmatch(slug):  # anything else may be what no database takes
        study = (
            _OF_OWNERS.first(session, {"slug": slug})
            if who.is_owner
            else _OF_OTHERS.first(session, {"slug": slug, "user_id": who.user_id})
        )
    if study is None:
        raise NotFound(f"There is no study {slug[:64]!r} that you can see.")
    return _here(study)


def studies_seen(session: Session, who: Who, *which: ColumnElement[bool]) -> list[StudyHere]:
    """The studies that the user sees, by name; `which` leaves out others."""
    columns = select_columns(col(Study.id), col(Study.slug), col(Study.state), col(Study.archived_at))
    seen = columns.where(*_shared_with(who), *which).order_by(col(Study.slug))
    return [_here(row) for row in session.execute(seen)]


def _here(row: Any) -> StudyHere:
    return StudyHere(row.id, row.slug, State(row.state), row.archived_at is not None)


def visible_slugs(session: Session, who: Who) -> Sequence[str]:
    return session.exec(select(Study.slug).where(*_shared_with(who)).order_by(Study.slug)).all()


def unarchived_slugs(session: Session, who: Who) -> Sequence[str]:
    """The studies that the user sees and that are not archived."""
    kept = select(Study.slug).where(col(Study.archived_at).is_(None), *_shared_with(who))
    return session.exec(kept.order_by(Study.slug)).all()


def _shared_with(who: Who) -> list[ColumnElement[bool]]:
    if who.is_owner:
        return []
    shared = select(StudyShare.study_id).where(StudyShare.user_id == who.user_id)
    return [col(Study.id).in_(shared)]


@dataclass(frozen=True, slots=True)
class SharedWith:
    """A user who sees a study without being an owner."""

    user_id: int
    email: str
    role: Role
    is_disabled: bool


def shares(session: Session, study: StudyHere) -> Sequence[SharedWith]:
    """The users a study is shared with. Owners see it anyway."""
    people = (
        select(User)
        .join(StudyShare, col(StudyShare.user_id) == User.id)
        .where(StudyShare.study_id == study.id)
        .order_by(User.email)
    )
    return [
        SharedWith(user.id or 0, user.email, Role(user.role), user.disabled_at is not None)
        for user in session.exec(people)
    ]


def share(session: Session, who: Who, study: StudyHere, email: str, now: datetime) -> None:
    """Share a study with another user, who may change it unless a viewer. Raises BadEmail, NotFound, Conflict."""
    user = session.exec(select(User).where(User.email == checked_email(email))).first()
    if user is None or user.id is None:
        raise NotFound(f"There is no user {email.strip()[:80]!r}; an owner can add them under People.")
    if user.disabled_at is not None:
        raise Conflict(f"{user.email} is switched off; an owner can switch them on under People.")
    if user.role == Role.OWNER:
        raise Conflict(f"{user.email} is an owner and sees every study already.")
    if session.get(StudyShare, (study.id, user.id)) is None:
        session.add(StudyShare(study_id=study.id, user_id=user.id))
        record(session, who.actor, "study.share", now=now, study=study.slug, subject=user.email)


def unshare(session: Session, who: Who, study: StudyHere, user_id: int, now: datetime) -> None:
    held = session.get(StudyShare, (study.id, user_id)) if 0 < user_id < _MOST_ID else None
    if held is None:
        raise NotFound("The study is not shared with them.")
    session.delete(held)
    user = session.get(User, user_id)
    record(session, who.actor, "study.unshare", now=now, study=study.slug, subject=user.email if user else "")


def checked_slug(slug: str) -> str:
    """A study's name for addresses, if it is one."""
    slug = slug.strip()
    if not re.fullmatch(SLUG_PATTERN, slug):
        raise BadSlug(
            f"{slug[:80]!r} cannot be a name in addresses: use lower-case letters, digits and -, at most 64, "
            "beginning with a letter or digit."
        )
    if slug in RESERVED:
        raise BadSlug(f"The name {slug!r} is used by these pages themselves; choose another one.")
    return slug


def taken_slugs(session: Session) -> frozenset[str]:
    """The names of all studies, including those that the user may not see."""
    return frozenset(session.exec(select(Study.slug)))
