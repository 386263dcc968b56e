"""A pair as a session sees it: sides, members, and the meaning of a choice. Pure: no database, no web, no clock."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, Self, assert_never

from app.questions.sides import TIE, Pressed, Side
from app.trials.design import Kind


class Member(StrEnum):
    """The member of a pair: the slots of a pair."""

    A = "a"
    B = "b"

    @property
    def other(self) -> "Member":
        return Member.B if self is Member.A else Member.A


Order = Literal["random", "fixed", "blocked"]
Sides = Literal["balanced", "random", "fixed"]


@dataclass(frozen=True, slots=True)
class PairToPlan:
    """The facts about a pair that planning needs.

    `anchor` is the member whose side is balanced: the true one, or `a` if no member is true.
    """

    id: int
    condition: str
    kind: Kind
    anchor: Member


@dataclass(frozen=True, slots=True)
class PairPlan:
    """A session's plan for a pair: the member on the left. Stored as the plan of a trial."""

    left: Member

    @classmethod
    def of(cls, stored: Mapping[str, str]) -> Self:
        """Parse a trial's stored plan. Raises ValueError for the plan of another task."""
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
    """The member on `side`, given the member on the left."""
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


def chosen_by(pressed: str, left: Member) -> Member | Literal["tie"]:
    """The member chosen by an answer, given the member on the left."""
    return TIE if pressed == TIE else member_at(Side(pressed), left)


def pressed_for(choice: str, left: Member) -> Pressed:
    """The side pressed for a choice of `a`, `b` or `tie`, given the member on the left."""
    return TIE if choice == TIE else side_of(Member(choice), left)
