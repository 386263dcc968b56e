"""A study with its newest version and its draft, by one statement: every page of a study asks for them."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import bindparam, func, select
from sqlmodel import Session, SQLModel

from app.accounts.logins import Who
from app.accounts.tables import Role, User
from app.core.errors import NotFound
from app.core.statements import Hot
from app.studies.access import StudyHere
from app.studies.tables import Draft
from app.trials.tables import Study, StudyVersion

_study, _version, _draft, _user = (
    SQLModel.metadata.tables[str(table.__tablename__)] for table in (Study, StudyVersion, Draft, User)
)
_other = _version.alias()
_newest = (
    select(func.max(_other.c.number)).where(_other.c.study_id == bindparam("study_id")).scalar_subquery()
)
_CURRENT = Hot(
    select(
        _study.c.id,
        _study.c.slug,
        _study.c.state,
        _study.c.target,
        _version.c.id,
        _version.c.number,
        _version.c.frozen_at,
        _version.c.design,
        _version.c.written,
        _draft.c["keys"],
        _draft.c.revision,
        _draft.c.saved_at,
        _draft.c.written,
        _user.c.id,
        _user.c.email,
        _user.c.role,
    )
    .select_from(
        _study.outerjoin(_version, (_version.c.study_id == _study.c.id) & (_version.c.number == _newest))
        .outerjoin(_draft, _draft.c.study_id == _study.c.id)
        .outerjoin(_user, _user.c.id == _draft.c.saved_by)
    )
    .where(_study.c.id == bindparam("study_id"))
)


class Current(NamedTuple):
    """The row of a study.

    `number`, `frozen_at`, `design` and `file` are of its newest version, None where none is saved; `draft` and what
    follows are of its draft, None where there is none.
    """

    id: int
    slug: str
    state: str
    target: int | None
    version_id: int | None
    number: int | None
    frozen_at: datetime | None
    design: str | None
    file: str | None
    draft: dict[str, Any] | None
    revision: int
    saved_at: datetime | None
    written: Mapping[str, Any] | None
    user_id: int | None
    email: str | None
    role: str | None

    @property
    def author(self) -> Who | None:
        """The user who wrote the draft last; None without a draft, or where that is not known."""
        if self.user_id is None or self.email is None or self.role is None:
            return None
        return Who(self.user_id, self.email, Role(self.role))


def current(session: Session, study: StudyHere) -> Current:
    """Raises NotFound for a study that was just deleted."""
    session.flush()  # what was just saved counts
    row = _CURRENT.first(session, {"study_id": study.id})
    if row is None:
        raise NotFound(f"There is no study {study.slug!r} any more.")
    return Current(*row)
