"""Participants' identifiers in a package: as recruiters gave them, or numbers in their place."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlmodel import Session, col, func, select

from analysis.columns import Column
from app.reporting.facts import COUNTED_MODES
from app.study.tables import ParticipantSession, Status, Study, StudyVersion

# What a recruiter's link said of someone, and what an experimenter wrote about them.
_HIDDEN_COLUMNS = frozenset({"recruiter", "exclusion_reason"})


@dataclass(frozen=True, slots=True)
class Pseudonyms:
    """`p-0001` and on in the order in which participants first came; None of them where `names` is None."""

    names: Mapping[str, str] | None

    def columns(self, columns: Sequence[Column]) -> tuple[Column, ...]:
        """Those that a package holds."""
        return tuple(c for c in columns if self.names is None or c.name not in _HIDDEN_COLUMNS)

    def rows(self, rows: Iterable[Mapping[Any, Any]]) -> Iterable[Mapping[Any, Any]]:
        """The rows with a pseudonym for each participant: one and the same in every table."""
        if self.names is None:
            return rows
        names = self.names
        return ({**row, "participant": names[row["participant"]]} for row in rows)


def pseudonyms_of(session: Session, slug: str) -> Pseudonyms:
    """One for everybody who began a session of a study that is no preview."""
    first = func.min(ParticipantSession.id)
    participants = session.exec(
        select(ParticipantSession.participant)
        .join(StudyVersion, col(StudyVersion.id) == ParticipantSession.version_id)
        .join(Study, col(Study.id) == StudyVersion.study_id)
        .where(
            Study.slug == slug,
            col(ParticipantSession.mode).in_(COUNTED_MODES),
            col(ParticipantSession.status).in_([Status.ACTIVE, Status.COMPLETED]),
        )
        .group_by(col(ParticipantSession.participant))
        .order_by(first)
    )
    return Pseudonyms(
        {name: f"p-{number:04d}" for number, name in enumerate(participants, 1) if name is not None}
    )
