"""The number that a study is stopped by, and the answers that count in it: a task says what each is worth in it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, bindparam, exists, not_, select
from sqlmodel import SQLModel

from app.trials.design import Kind
from app.trials.parts import BlockDesign
from app.trials.responses import Response
from app.trials.tables import (
    Exclusion,
    Mode,
    ParticipantSession,
    SessionVerdict,
    Status,
    StudyVersion,
    Trial,
    Unit,
)

Scale = tuple[float, float]
# The measures of pairs: shares of answers. Any other is a question about items.
OF_PAIRS = ("accuracy", "preference")
_tables = SQLModel.metadata.tables
_session, _version, _trial, _unit, _response, _exclusion, _verdict = (
    _tables[str(table.__tablename__)]
    for table in (ParticipantSession, StudyVersion, Trial, Unit, Response, Exclusion, SessionVerdict)
)


@dataclass(frozen=True, slots=True)
class Headline:
    """A number of a study: `scale` is that of the answers where it is their mean, None of a share; `source` is whose
    share it is, where it is anyone's.
    """

    measure: str
    source: str | None = None
    scale: Scale | None = None


@dataclass(frozen=True, slots=True)
class Worth:
    """The worth of one answer in the number, from 0 to 1: from the lowest to the highest that an answer can be."""

    session: int
    ended: datetime
    value: float


@dataclass(frozen=True, slots=True)
class Answered:
    """The versions of a study, the blocks and the true source of each, and the connection that reads their answers."""

    connection: Connection
    study_id: int
    blocks: Mapping[int, Sequence[BlockDesign]]
    true_sources: Mapping[int, str]

    def rows(self, statement: Select[Any]) -> Sequence[Any]:
        """The rows of a statement that `answers_that_count` made."""
        return self.connection.execute(statement, {"study_id": self.study_id}).all()


def answers_that_count(*columns: ColumnElement[Any], only: Sequence[ColumnElement[bool]] = ()) -> Select[Any]:
    """Main trials' answers that count, of finished live sessions that count: `id` and `ended_at` of the session,
    `version_id`, `block` and `name` of the unit, and these columns.
    """
    return (
        select(_session.c.id, _session.c.ended_at, _unit.c.version_id, _unit.c.block, _unit.c.name, *columns)
        .select_from(
            _response.join(_trial, _trial.c.id == _response.c.trial_id)
            .join(_unit, _unit.c.id == _trial.c.unit_id)
            .join(_session, _session.c.id == _trial.c.session_id)
        )
        .where(
            _session.c.version_id.in_(
                select(_version.c.id).where(_version.c.study_id == bindparam("study_id")).scalar_subquery()
            ),
            _session.c.mode == Mode.LIVE,
            _session.c.status == Status.COMPLETED,
            _session.c.released_at.is_(None),
            not_(exists().where(_exclusion.c.session_id == _session.c.id, _exclusion.c.lifted_at.is_(None))),
            not_(exists().where(_verdict.c.session_id == _session.c.id, _verdict.c.use.is_(False))),
            _unit.c.kind == Kind.MAIN,
            _response.c.unplayable.is_(False),
            _response.c.unwatched.is_not(True),
            _response.c.study_rule.is_(None),
            *only,
        )
    )
