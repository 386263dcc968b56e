"""Participants' identifiers in a package: as recruiters gave them, or numbers in their place.

Without the names, a session could still be found again: by its number and its trials' in an export of the same study,
by its seed and its place in the order of arrival, and by exact times in a recruiter's records. A match could be found
by its seed and by the hashes of its states. Those go too, unless they are asked for.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from sqlmodel import Session, col, func, select

from analysis.data.columns import Column
from app.reports.kinds import COUNTED_MODES
from app.tasks.game.base import canonical_json
from app.tasks.game.match import START, keyed_hash
from app.trials.tables import BEGUN, ParticipantSession, Study, StudyVersion

# What a recruiter's link said of someone, and what an experimenter wrote about them.
_HIDDEN_COLUMNS = frozenset({"recruiter", "exclusion_reason"})
_LINKING_COLUMNS = frozenset({"seed", "ordinal"})
_RENUMBERED = ("session", "trial", "match")
_HASHED = "state_hash"


@dataclass(frozen=True, slots=True)
class Pseudonyms:
    """`p-0001` and on, in an order that tells nothing; None of them where `names` is None, which keeps all links.

    Without `keeps_links`, sessions, trials and matches are numbered anew, seeds and ordinals are left out, and of
    times the day (UTC) alone is kept.
    """

    names: Mapping[str, str] | None
    keeps_links: bool = True
    _secret: str = field(default="", compare=False, repr=False)
    _numbers: Mapping[str, dict[str, str]] = field(
        default_factory=lambda: {name: {} for name in _RENUMBERED}, compare=False
    )

    def columns(self, columns: Sequence[Column]) -> tuple[Column, ...]:
        """The columns in a package, with the changes made to them."""
        if self.names is None:
            return tuple(columns)
        kept = tuple(column for column in columns if column.name not in _HIDDEN_COLUMNS)
        if self.keeps_links:
            return kept
        return tuple(_explained(column) for column in kept if column.name not in _LINKING_COLUMNS)

    def rows(self, rows: Iterable[Mapping[Any, Any]]) -> Iterable[Mapping[Any, Any]]:
        """The rows with a pseudonym for each participant: one and the same in every table."""
        if self.names is None:
            return rows
        names = self.names
        named = (
            {**row, "participant": names[row["participant"]]} if "participant" in row else {**row}
            for row in rows
        )
        return named if self.keeps_links else map(self._unlinked, named)

    def _unlinked(self, row: dict[Any, Any]) -> Mapping[Any, Any]:
        for name, value in row.items():
            if isinstance(value, datetime):
                # Exact times would find a person again in a recruiter's records.
                row[name] = value.replace(hour=0, minute=0, second=0, microsecond=0)
        if _HASHED in row:
            self._rekey(row)
        for name, numbers in self._numbers.items():
            if row.get(name) is not None:
                row[name] = numbers.setdefault(str(row[name]), str(len(numbers) + 1))
        return row

    def _rekey(self, row: dict[Any, Any]) -> None:
        """The seed of a match goes, and its hashes are made anew by a key of the package: both are in other exports."""
        key = keyed_hash(self._secret, str(row["match"]))[:16]
        row[_HASHED] = keyed_hash(key, row[_HASHED])
        move = json.loads(row["move"]) if row["move"] else {}
        if row["kind"] == "note" and move.get("kind") == START:
            move = {name: value for name, value in move.items() if name != "seed"}
            row["move"] = canonical_json({**move, "key": key})


def _explained(column: Column) -> Column:
    if column.type == "time":
        return replace(column, meaning=f"{column.meaning}; the day alone, as exact times were left out")
    if column.name == _HASHED:
        return replace(
            column, meaning=f"{column.meaning}, made anew with the `key` of its match for this package"
        )
    if column.name in _RENUMBERED:
        return replace(column, meaning=f"{column.meaning}; numbered anew for this package")
    return column


def pseudonyms_of(session: Session, slug: str, *, keeps_links: bool = False) -> Pseudonyms:
    """One for everybody who began a session of a study that is no preview; by seeds, as these were drawn at random."""
    first = func.min(func.coalesce(ParticipantSession.seed, 0))
    participants = session.exec(
        select(ParticipantSession.participant)
        .join(StudyVersion, col(StudyVersion.id) == ParticipantSession.version_id)
        .join(Study, col(Study.id) == StudyVersion.study_id)
        .where(
            Study.slug == slug,
            col(ParticipantSession.mode).in_(COUNTED_MODES),
            col(ParticipantSession.status).in_(BEGUN),
        )
        .group_by(col(ParticipantSession.participant))
        .order_by(first, func.min(ParticipantSession.id))
    )
    return Pseudonyms(
        {name: f"p-{number:04d}" for number, name in enumerate(participants, 1) if name is not None},
        keeps_links,
        _secret_of(session, slug),
    )


def _secret_of(session: Session, slug: str) -> str:
    """A secret from the sessions' seeds, absent from packages without links: equal data give equal packages."""
    seeds = (
        select(ParticipantSession.id, ParticipantSession.seed)
        .join(StudyVersion, col(StudyVersion.id) == ParticipantSession.version_id)
        .join(Study, col(Study.id) == col(StudyVersion.study_id))
        .where(Study.slug == slug)
        .order_by(col(ParticipantSession.id))
    )
    text = repr([tuple(row) for row in session.exec(seeds)])
    return hashlib.sha256(text.encode()).hexdigest()
