"""Precision targets: participants' means so far, and whether their interval is as narrow as the study wants it."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import bindparam, select
from sqlmodel import Session, SQLModel

from analysis.precision import Width, is_narrow, looks_at, width_of
from app.sessions.runs import run_of
from app.studies.file.stopping import DesignStopWhen
from app.tasks.running import task_named
from app.trials.headline import Answered
from app.trials.tables import StudyVersion

_version = SQLModel.metadata.tables[str(StudyVersion.__tablename__)]
_VERSIONS = select(_version.c.id, _version.c.sha256).where(_version.c.study_id == bindparam("study_id"))


@dataclass(frozen=True, slots=True)
class Shares:
    """The mean of each participant who finished and has such answers, in the order in which they finished, and when.

    Means are shares of the way from the lowest to the highest that an answer can be; `answers` are those of a
    participant, on average.
    """

    values: Sequence[float]
    ended: Sequence[datetime]
    answers: float

    def width(self, n: int | None = None) -> Width:
        """The width over the first `n` participants, or all."""
        return width_of(self.values[:n], self.answers)


def shares_of(session: Session, study_id: int, stop: DesignStopWhen) -> Shares:
    """Means of finished live participants over the answers that each task has in the study's number."""
    connection = session.connection()
    runs = {
        version_id: run_of(session, version_id, sha256)
        for version_id, sha256 in connection.execute(_VERSIONS, {"study_id": study_id}).all()
    }
    blocks = {version_id: [block.design for block in run.blocks] for version_id, run in runs.items()}
    sources = {version_id: run.design.true_source for version_id, run in runs.items()}
    answered = Answered(connection, study_id, blocks, sources)
    given: defaultdict[tuple[datetime, int], list[float]] = defaultdict(list)
    for task in sorted({block.task for each in blocks.values() for block in each}):
        for one in task_named(task).worth(answered, stop.headline):
            given[one.ended, one.session].append(one.value)
    people = sorted(given)
    n = sum(map(len, given.values()))
    return Shares(
        [sum(given[one]) / len(given[one]) for one in people],
        [ended for ended, _ in people],
        n / len(people) if people else 0.0,
    )


def is_precise(session: Session, study_id: int, stop: DesignStopWhen) -> Width | None:
    """The width at which the study stops, as a part of the way; None while it goes on."""
    shares = shares_of(session, study_id, stop)
    width = shares.width()
    if not looks_at(width.n) or not is_narrow(width, stop.part, stop.at_least):
        return None
    return width
