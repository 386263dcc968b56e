"""A summary of a study's pairs: per condition the number requested and possible, and the truth's side. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.pairs.capacity import Capacity, capacities, pairable
from app.pairs.view import (
    Advice,
    Balance,
    FoundPairs,
    Stimuli,
    Usage,
    advice_on,
    balance_of,
    sides_of,
    usage_of,
)
from app.tasks.pair.design import Sides
from app.tasks.pair.pairs import shown_in
from app.trials.design import Kind
from app.trials.stimuli import true_source_of

# Six sources make 21 conditions already.
_MANY_SOURCES = 6


@dataclass(frozen=True, slots=True)
class ConditionLine:
    """One condition: pairs of each kind, and how many its two sources could make (None where it names no two)."""

    condition: str
    main: int
    practice: int
    attention: int
    possible: int | None
    truth: str
    left: str

    @property
    def n(self) -> int:
        return self.main + self.practice + self.attention

    @property
    def lacks(self) -> int:
        """The number of requested pairs beyond what clips can make."""
        return max(self.n - self.possible, 0) if self.possible is not None else 0


@dataclass(frozen=True, slots=True)
class Summary:
    """The summary shown with every way to make pairs. `match` names the attributes that clips of a drawn pair share."""

    n: int
    n_main: int
    sides: Sides
    conditions: tuple[ConditionLine, ...]
    usage: Usage
    advice: tuple[Advice, ...]
    match: tuple[str, ...]


def summary_of(found: FoundPairs, keys: Mapping[str, Any], stimuli: Stimuli) -> Summary:
    sides, match = sides_of(keys), match_of(keys)
    balance = balance_of(found.pairs, sides)
    return Summary(
        n=len(found.pairs),
        n_main=sum(line.n for line in balance if line.kind is Kind.MAIN),
        sides=sides,
        conditions=_conditions(found, keys, stimuli, balance, sides),
        usage=usage_of(found.pairs, stimuli, true_source_of(keys), keys.get("sample")),
        advice=() if found.way == "blocks" else advice_on(found.pairs, sides, shown_in(found.pairs, stimuli)),
        match=match,
    )


def match_of(keys: Mapping[str, Any]) -> tuple[str, ...]:
    """The attributes on which a draft's draw has clips agree."""
    sample = keys.get("sample")
    match = sample.get("match") if isinstance(sample, Mapping) else None
    names = [match] if isinstance(match, str) else match if isinstance(match, list) else []
    return tuple(name for name in names if isinstance(name, str) and name)


def asked_of(keys: Mapping[str, Any]) -> dict[str, tuple[int, int]]:
    """The requested draw: the numbers of main and practice pairs by condition."""
    sample = keys.get("sample")
    asked: dict[str, list[int]] = {}
    for index, key in enumerate(("conditions", "practice")):
        part = sample.get(key) if isinstance(sample, Mapping) else None
        for condition, n in part.items() if isinstance(part, Mapping) else ():
            asked.setdefault(str(condition), [0, 0])[index] = n if isinstance(n, int) else 0
    return {condition: (main, practice) for condition, (main, practice) in asked.items()}


def _conditions(
    found: FoundPairs, keys: Mapping[str, Any], stimuli: Stimuli, balance: Sequence[Balance], sides: Sides
) -> tuple[ConditionLine, ...]:
    """Conditions that have pairs or are requested, then others possible with the clips, unless they are many."""
    by_condition: dict[str, list[Balance]] = {}
    for line in balance:
        by_condition.setdefault(line.condition, []).append(line)
    asked = asked_of(keys) if found.way == "drawn" else {}
    names = list(dict.fromkeys((*asked, *by_condition)))
    possible = {
        line.condition: line for line in capacities(stimuli, keys.get("sample"), names, true_source_of(keys))
    }
    n_sources = len({clip.source for clip in pairable(stimuli, keys.get("sample")).values()})
    others = [name for name in possible if name not in names] if n_sources <= _MANY_SOURCES else []
    return tuple(
        _line(name, by_condition.get(name, ()), asked.get(name, (0, 0)), possible.get(name), sides)
        for name in (*names, *others)
    )


def _line(
    condition: str,
    lines: Sequence[Balance],
    asked: tuple[int, int],
    capacity: Capacity | None,
    sides: Sides,
) -> ConditionLine:
    n = {line.kind: line.n for line in lines}
    main = next((line for line in lines if line.kind is Kind.MAIN), None)
    return ConditionLine(
        condition=condition,
        main=n.get(Kind.MAIN, asked[0]),
        practice=n.get(Kind.PRACTICE, asked[1]),
        attention=n.get(Kind.ATTENTION, 0),
        possible=capacity.possible if capacity else None,
        truth=_truth(main) if main else "",
        left=_left(main, sides) if main else "",
    )


def _truth(line: Balance) -> str:
    """The true member in the main pairs of a condition."""
    parts = [(line.truth_a, "a"), (line.truth_b, "b"), (line.without_truth, "none")]
    given = [(n, word) for n, word in parts if n]
    return given[0][1] if len(given) == 1 else ", ".join(f"{word} in {n}" for n, word in given)


def _left(line: Balance, sides: Sides) -> str:
    """The frequency with which the balanced member is on the left, in words."""
    what = "true member" if line.without_truth < line.n else "member a"
    if sides == "random":
        return f"{what} left by a coin: about {line.n / 2:g} of {line.n}"
    if line.left_low == line.left_high:
        return f"{what} left in {line.left_low} of {line.n}, in every session"
    return f"{what} left in {line.left_low} or {line.left_high} of {line.n}, in turn"
