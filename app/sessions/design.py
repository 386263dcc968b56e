"""What is asked: sides, members and planned trials. Pure: no database, no web, no clock."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Literal, Self, assert_never, cast


class Side(StrEnum):
    """Where a participant saw a clip."""

    LEFT = "left"
    RIGHT = "right"

    @property
    def other(self) -> "Side":
        return Side.RIGHT if self is Side.LEFT else Side.LEFT


class Slot(StrEnum):
    """Where in its unit a stimulus is: `a` or `b` of a pair, `item` where it is the only one."""

    A = "a"
    B = "b"
    ITEM = "item"


# The block of trials of a study that has no other.
BLOCK: Final = "trials"


class Member(StrEnum):
    """Which clip of its pair a clip is: the slots of a pair."""

    A = "a"
    B = "b"

    @property
    def other(self) -> "Member":
        return Member.B if self is Member.A else Member.A


TIE: Final = "tie"
# What a choice presses: a side, or that there is no difference.
Pressed = Side | Literal["tie"]


class Layout(StrEnum):
    """How a pair lay on the screen when it was answered; stacked, the left clip is on top."""

    SIDE_BY_SIDE = "side-by-side"
    STACKED = "stacked"


class Kind(StrEnum):
    MAIN = "main"
    PRACTICE = "practice"
    ATTENTION = "attention"


Order = Literal["random", "fixed", "blocked"]
Sides = Literal["balanced", "random", "fixed"]


@dataclass(frozen=True, slots=True)
class PairToPlan:
    """What planning needs to know of a pair.

    `anchor` is the member whose side is balanced: the truth-bearing one, or `a` where no member is true.
    """

    id: int
    condition: str
    kind: Kind
    anchor: Member


@dataclass(frozen=True, slots=True)
class PairPlan:
    """How a session sees a pair: which member is on the left. What the plan of a trial holds."""

    left: Member

    @classmethod
    def of(cls, stored: Mapping[str, str]) -> Self:
        """As stored with the trial. Raises ValueError for a plan that is not of a pair."""
        if stored.keys() != {"left"}:
            raise ValueError(f"the plan {dict(stored)!r} is not one of a pair")
        return cls(Member(stored["left"]))

    def stored(self) -> dict[str, str]:
        return {"left": self.left.value}


@dataclass(frozen=True, slots=True)
class PlannedTrial:
    """One pair at one position (from 1, practice first) with the member shown on the left."""

    position: int
    pair_id: int
    left: Member


def member_at(side: Side, left: Member) -> Member:
    """Which member was on `side`, given the member on the left."""
    match side:
        case Side.LEFT:
            return left
        case Side.RIGHT:
            return left.other
        case _:
            assert_never(side)


def side_of(member: Member, left: Member) -> Side:
    """On which side `member` was, given the member on the left."""
    return Side.LEFT if member is left else Side.RIGHT


PageKind = Literal["consent", "background", "instructions", "trial", "self", "debrief"]


@dataclass(frozen=True, slots=True)
class PageKey:
    """Names one page of a session: `consent`, `background`, `instructions`, `instructions-<block>` where a block has
    its own, `trial-<position>`, `self-<block>` where its questions are asked about oneself, `debrief`."""

    kind: PageKind
    position: int = 0
    block: str = ""

    def __str__(self) -> str:
        if self.kind == "trial":
            return f"{self.kind}-{self.position}"
        return f"{self.kind}-{self.block}" if self.block else self.kind

    @classmethod
    def of(cls, name: str) -> Self:
        """As a response names its page."""
        kind, _, rest = name.partition("-")
        if kind == "trial":
            return cls("trial", int(rest))
        return cls(cast(PageKind, kind), block=rest)


@dataclass(frozen=True, slots=True)
class BlockPart:
    """One block as a session goes through it: `n` trials from position `first` on, those for practice first.

    `noun` is what its task calls a trial.
    """

    block: str
    task: str
    n: int
    n_practice: int
    first: int
    instructions: bool = False
    noun: str = "Pair"
    self_assessment: bool = False

    @property
    def last(self) -> int:
        return self.first + self.n - 1

    def is_practice(self, position: int) -> bool:
        return position - self.first < self.n_practice

    def number(self, position: int) -> int:
        """As participants count: practice trials and the others apart, each from 1."""
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

    def part_at(self, position: int) -> BlockPart:
        """The block that a trial is of. Raises KeyError for a position that is none."""
        for part in self.parts:
            if part.first <= position <= part.last:
                return part
        raise KeyError(position)


def pages_of(*, background: bool, instructions: bool, parts: Sequence[BlockPart]) -> SessionPages:
    keys = (
        PageKey("consent"),
        *([PageKey("background")] if background else []),
        *([PageKey("instructions")] if instructions else []),
        *(page for part in parts for page in _pages_of_part(part)),
        PageKey("debrief"),
    )
    return SessionPages(keys, frozenset(map(str, keys)), tuple(parts))


def _pages_of_part(part: BlockPart) -> Iterator[PageKey]:
    if part.instructions:
        yield PageKey("instructions", block=part.block)
    for position in range(part.first, part.first + part.n):
        yield PageKey("trial", position)
    if part.self_assessment and part.n:
        yield PageKey("self", block=part.block)


def chosen_by(pressed: Pressed, left: Member) -> Member | Literal["tie"]:
    """What an answer chose, given the member on the left."""
    return TIE if pressed == TIE else member_at(Side(pressed), left)


def pressed_for(choice: str, left: Member) -> Pressed:
    """What was pressed for a choice of `a`, `b` or `tie`, given the member on the left."""
    return TIE if choice == TIE else side_of(Member(choice), left)


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
    """A trial of a session that begins: the unit, how the session sees it, and what was sent of it so far."""

    unit_id: int
    plan: Mapping[str, Any]
    sent: Mapping[str, Any] | None = None
