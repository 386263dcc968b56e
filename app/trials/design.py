"""The design of a session: units, blocks and pages in order. Pure: no database, no web, no clock."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Literal, Self, cast


class Slot(StrEnum):
    """A stimulus's place in its unit: `a` or `b` in a pair, `item` if it is alone."""

    A = "a"
    B = "b"
    ITEM = "item"


# The block of trials of a study that has no other.
BLOCK: Final = "trials"


class Layout(StrEnum):
    """The screen layout of a page when it was answered: parts side by side or stacked, or clips one after the other."""

    SIDE_BY_SIDE = "side-by-side"
    STACKED = "stacked"
    SEQUENTIAL = "sequential"


class Kind(StrEnum):
    MAIN = "main"
    PRACTICE = "practice"
    ATTENTION = "attention"


PageKind = Literal[
    "consent",
    "screening",
    "viewing",
    "background",
    "instructions",
    "comprehension",
    "trial",
    "feedback",
    "attention",
    "self",
    "debrief",
]
# Pages of which there are several, by number.
_NUMBERED = ("trial", "comprehension", "feedback")


@dataclass(frozen=True, slots=True)
class PageKey:
    """Key of one page of a session: `consent`, `screening`, `viewing`, `background`, `instructions`,
    `instructions-<block>` for a block's own, `comprehension-<try>`, `trial-<position>`, `feedback-<position>` after a
    practice trial, `attention-<block>-<question>` between trials, `self-<block>` for a block's questions about oneself,
    `debrief`.
    """

    kind: PageKind
    position: int = 0
    block: str = ""

    def __str__(self) -> str:
        if self.kind in _NUMBERED:
            return f"{self.kind}-{self.position}"
        number = f"-{self.position}" if self.position else ""
        return f"{self.kind}-{self.block}{number}" if self.block else self.kind

    @classmethod
    def of(cls, name: str) -> Self:
        """Parse a page name as stored in a response."""
        kind, _, rest = name.partition("-")
        if kind in _NUMBERED:
            return cls(cast(PageKind, kind), int(rest))
        if kind == "attention":
            block, _, number = rest.rpartition("-")
            return cls("attention", int(number), block)
        return cls(cast(PageKind, kind), block=rest)


@dataclass(frozen=True, slots=True)
class BlockPart:
    """One block as a session goes through it: `n` trials from position `first` on, those for practice first.

    `noun` is what its task calls a trial. `attention` has for each of its attention questions the main trial after
    which it is asked, from 1; with `feedback` a page follows each practice trial.
    """

    block: str
    task: str
    n: int
    n_practice: int
    first: int
    instructions: bool = False
    noun: str = "Pair"
    self_assessment: bool = False
    about_self_first: bool = False
    feedback: bool = False
    attention: tuple[int, ...] = ()

    @property
    def last(self) -> int:
        return self.first + self.n - 1

    def is_practice(self, position: int) -> bool:
        return position - self.first < self.n_practice

    def number(self, position: int) -> int:
        """The trial's number as participants see it: practice and other trials each count from 1."""
        place = position - self.first + 1
        return place if self.is_practice(position) else place - self.n_practice

    def total(self, position: int) -> int:
        return self.n_practice if self.is_practice(position) else self.n - self.n_practice


@dataclass(frozen=True, slots=True)
class SessionPages:
    """The pages of a session in order; its `step` counts along them."""

    keys: tuple[PageKey, ...]
    names: frozenset[str]
    parts: tuple[BlockPart, ...]
    by_position: Mapping[int, BlockPart]

    def part_at(self, position: int) -> BlockPart:
        """The block that a trial is of. Raises KeyError for a position that is none."""
        return self.by_position[position]


def pages_of(
    *,
    background: bool,
    instructions: bool,
    parts: Sequence[BlockPart],
    screening: bool = False,
    viewing: bool = False,
    tries: int = 0,
) -> SessionPages:
    """The pages of a session; `tries` is how often the questions on the instructions may be answered."""
    keys = (
        PageKey("consent"),
        *([PageKey("screening")] if screening else []),
        *([PageKey("viewing")] if viewing else []),
        *([PageKey("background")] if background else []),
        *([PageKey("instructions")] if instructions else []),
        *(PageKey("comprehension", each) for each in range(1, tries + 1)),
        *(page for part in parts for page in _pages_of_part(part)),
        PageKey("debrief"),
    )
    by_position = {position: part for part in parts for position in range(part.first, part.first + part.n)}
    return SessionPages(keys, frozenset(map(str, keys)), tuple(parts), by_position)


def _pages_of_part(part: BlockPart) -> Iterator[PageKey]:
    if part.instructions:
        yield PageKey("instructions", block=part.block)
    trials = [
        page for position in range(part.first, part.first + part.n) for page in _of_trial(part, position)
    ]
    about_self = [PageKey("self", block=part.block)] if part.self_assessment and part.n else []
    yield from (*about_self, *trials) if part.about_self_first else (*trials, *about_self)


def _of_trial(part: BlockPart, position: int) -> Iterator[PageKey]:
    """A trial's page, and what comes after it."""
    yield PageKey("trial", position)
    if part.is_practice(position):
        if part.feedback:
            yield PageKey("feedback", position)
        return
    for number, place in enumerate(part.attention, start=1):
        if place == part.number(position):
            yield PageKey("attention", number, part.block)


@dataclass(frozen=True, slots=True)
class UnitToPlan:
    """A unit of a version, as its task plans a session from it."""

    id: int
    name: str
    condition: str
    kind: Kind
    truth: str | None
    group: str | None


@dataclass(frozen=True, slots=True)
class Planned:
    """A trial of a new session: its unit, the session's plan for it, and the bytes sent so far."""

    unit_id: int
    plan: Mapping[str, Any]
    sent: Mapping[str, Any] | None = None
