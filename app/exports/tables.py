"""The parts of an export: tables, each with columns, rows, and a description for packages.

A task has its own as `EXPORTS` in `exports.py` of its folder, and their names in its `__init__.py`, so that the serving
process knows the names without importing the code for their rows.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from sqlalchemy import Select
from sqlmodel import Session, col, func

from app.exports.columns import Column
from app.exports.rows import answered_rows
from app.trials.parts import BlockDesign
from app.trials.tables import ParticipantSession

BATCH_ROWS = 5_000
T = TypeVar("T")

Row = Mapping[Any, Any]


class Design(Protocol):
    """The part of a version's design that tasks read."""

    @property
    def blocks(self) -> Sequence[BlockDesign]: ...

    @property
    def true_source(self) -> str:
        """The source whose choice is right."""

    @property
    def may_show_play(self) -> bool:
        """True if participants agreed that their play may be shown to others."""

    def for_arm(self, arm: str) -> "Design":
        """The design of an arm, whose questions may be others; the study's own where there is no such arm."""


Designs = Mapping[int, Design]
"""A study's designs by their versions."""


class ByArm(Generic[T]):
    """Facts about the design that a session had, by version and arm, each at its first use: an arm may ask other
    questions, on other scales, than the study itself.
    """

    def __init__(self, designs: Mapping[int, Any], make: Callable[[Any], T]) -> None:
        self._designs, self._make = designs, make
        self._made: dict[tuple[int, str], T] = {}

    def of(self, row: Row) -> T | None:
        """The facts for a row with `version` and `arm`; None for a version that came after the designs were read."""
        key = row["version"], row["arm"] or ""
        if key not in self._made and key[0] in self._designs:
            self._made[key] = self._make(self._designs[key[0]].for_arm(key[1]))
        return self._made.get(key)


@dataclass(frozen=True, slots=True)
class OfStudy:
    """The study whose rows are read, with the designs of its versions."""

    slug: str
    designs: Designs

    def blocks(self, task: str) -> Mapping[tuple[int, str], BlockDesign]:
        """The blocks of a task in any version, by version and id."""
        return {
            (number, block.id): block
            for number, design in self.designs.items()
            for block in design.blocks
            if block.task == task
        }


class Rows(Protocol):
    """Reads the rows of a table: of all `modes` but previews unless some are named; sessions in the order of their
    arrival, or else in that of their seeds, which reveals nothing.
    """

    def __call__(
        self, session: Session, study: OfStudy, modes: Sequence[str] | None, *, by_arrival: bool
    ) -> Iterator[Row]: ...


@dataclass(frozen=True, slots=True)
class Reference:
    """Every non-empty value of `column` stands in the column of the same name of `table`."""

    column: str
    table: str


SESSION = Reference("session", "participants")


@dataclass(frozen=True, slots=True)
class ExportTable:
    """One table. `row_is` describes a row; `key` names the columns that together identify one, if any.

    `rows` is None for a table computed from the votes of one mode. `columns_of` gives the columns of one study, if they
    depend on it.
    """

    what: str
    columns: tuple[Column, ...]
    row_is: str
    rows: Rows | None = None
    key: tuple[str, ...] = ()
    references: tuple[Reference, ...] = ()
    columns_of: Callable[[Designs], tuple[Column, ...]] | None = None


@dataclass(frozen=True, slots=True)
class OfSessions:
    """A task's additions to each row of `participants`, at the end: its columns, and their values by row."""

    columns: tuple[Column, ...]
    values: Callable[[Session, OfStudy], Callable[[Row], Row]]


@dataclass(frozen=True, slots=True)
class Exports:
    """The exports of a task; `of_sessions` adds columns to the rows of participants, if anything."""

    tables: tuple[ExportTable, ...]
    of_sessions: OfSessions | None = None


def of_select(select: Callable[[str], Select[Any]]) -> Rows:
    """The rows of a table that is one SELECT, made from a study's name."""

    def rows(
        session: Session, study: OfStudy, modes: Sequence[str] | None, *, by_arrival: bool
    ) -> Iterator[Row]:
        return selected(session, select(study.slug), modes, by_arrival=by_arrival)

    return rows


def selected(
    session: Session, found: Select[Any], modes: Sequence[str] | None, *, by_arrival: bool
) -> Iterator[Row]:
    """The rows of one SELECT over sessions, a batch at a time."""
    if modes is not None:
        found = found.where(col(ParticipantSession.mode).in_(modes))
    if not by_arrival:
        within = found._order_by_clauses
        # Without coalesce SQLite would put sessions that have no seed first, and PostgreSQL last.
        found = found.order_by(None).order_by(func.coalesce(ParticipantSession.seed, 0), *within)
    # In batches, as the rows of a large study need not fit into memory.
    yield from (row._mapping for row in session.execute(found.execution_options(yield_per=BATCH_ROWS)))


def answered_in(
    session: Session,
    study: OfStudy,
    task: str,
    own: Sequence[Any],
    modes: Sequence[str] | None,
    *,
    by_arrival: bool,
    joined: Callable[[Select[Any]], Select[Any]] = lambda found: found,
) -> Iterator[Row]:
    """The rows of a table of a task with a row for each trial answered (`answered_rows`): those of its blocks.

    `joined` adds what `own` is read from.
    """
    blocks = study.blocks(task)
    found = joined(answered_rows(study.slug, own))
    return (
        row
        for row in selected(session, found, modes, by_arrival=by_arrival)
        if (row["version"], row["block"]) in blocks
    )
