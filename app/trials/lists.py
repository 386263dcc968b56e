"""A block's own lists in a study file: read from CSV, and joined with the facts of the stimuli that they name."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, Self

from app.core.problems import Fault, Place, counted
from app.core.rowfiles import RowFile, RowText
from app.questions.base import finite_number
from app.trials.design import Kind
from app.trials.stimuli import StimulusFacts

# A block's keys in a draft, which may hold anything.
Keys = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Content:
    """The content of a block's lists; a task with lists has a class of its own. `ids` are those of its units; `whys`
    what a page says of them after practice.
    """

    ids: Collection[str] = ()
    whys: Mapping[str, str] = field(default_factory=dict)

    @property
    def groups(self) -> Collection[str]:
        """The conditions of its main units, and the groups of these."""
        return ()

    def saying(self, whys: Mapping[str, str]) -> Self:
        """The same content that says this after practice and nothing else: in another language."""
        return self


class Reader(Protocol):
    """A study file while it is read, as one of its blocks sees it: places are within the block.

    `stimuli` is None where they are not known, so that lists are checked by themselves alone; `taken` are the ids of
    the units of the blocks before.
    """

    @property
    def stimuli(self) -> Mapping[str, StimulusFacts] | None: ...
    @property
    def true_source(self) -> str: ...
    @property
    def taken(self) -> Collection[str]: ...

    def rows_at(self, place: Place, value: object) -> RowText | None:
        """The CSV that the value of a key stands for; None where there is none, or it was refused."""

    def refuse(self, fault: Fault) -> None:
        """Record a fault of the block."""

    def refuse_rows(self, place: Place, found: RowFile) -> None:
        """Record the problems of a list at a place."""


_CELL = re.compile(r'[^,;"\r\n]+')


def cells_in(listed: object) -> frozenset[str]:
    """The cells of a list as CSV, whatever is wrong with it; none where a key holds no text."""
    return (
        frozenset(cell.strip() for cell in _CELL.findall(listed)) if isinstance(listed, str) else frozenset()
    )


def too_many(keys: Keys, noun: str, kinds: Sequence[Kind]) -> Iterator[Fault]:
    """The fault of asking for more units for each participant than the block has."""
    wanted, there = finite_number(keys.get("per_participant")), kinds.count(Kind.MAIN)
    if wanted is not None and wanted > there:
        message = f"per_participant: {wanted:g} asked for, but the block has {counted(there, f'main {noun}')}"
        remedy = f"use {there} or less, or remove `per_participant`: then every participant gets all of them"
        yield Fault(("per_participant",), message, remedy)
