"""Checks of pairs before launch: their number in each condition, their truth, and the sides of the screen."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Protocol

from app.core.problems import listed
from app.tasks.pair.design import Member, Sides
from app.tasks.pair.terms import Allocate, DesignPair, DesignTrials
from app.tasks.pair.truth import truth_view
from app.trials.checks import Check
from app.trials.design import Kind
from app.trials.stimuli import NO_SOURCE

FEW_PAIRS = 2


class Checkable(Protocol):
    """The parts of a block of pairs that are checked."""

    @property
    def id(self) -> str: ...
    @property
    def pairs(self) -> Sequence[DesignPair]: ...
    @property
    def main_pairs(self) -> Sequence[DesignPair]: ...
    @property
    def trials(self) -> DesignTrials: ...
    @property
    def allocate(self) -> Allocate: ...


def of_blocks(blocks: Sequence[Checkable], true_source: str) -> Iterator[Check]:
    """All checks of a study's blocks of pairs; a line of one block names it where there are several."""
    pairs = [pair for block in blocks for pair in block.pairs]
    yield conditions(pairs)
    if pairs:
        yield truth(true_source, pairs)
    names = {block.id: block.id if len(blocks) > 1 else "" for block in blocks}
    yield from (sides(block.main_pairs, block.trials.sides, names[block.id]) for block in blocks)
    drawn = [block for block in blocks if block.allocate == "informative"]
    yield from (allocation(true_source, names[block.id]) for block in drawn)


def conditions(pairs: Sequence[DesignPair]) -> Check:
    """The number of main pairs of each condition."""
    title = "Pairs"
    counts = Counter(pair.condition for pair in pairs if pair.kind is Kind.MAIN)
    if not counts:
        return Check("pairs", title, "blocker", "There is no main pair: nothing would count.", "pairs")
    words = listed([f"{n} {condition}" for condition, n in sorted(counts.items())], "and")
    few = sorted(condition for condition, n in counts.items() if n < FEW_PAIRS)
    if few:
        detail = f"Main pairs: {words}. With a single pair, the condition cannot be told from the clip."
        return Check("pairs", title, "warning", detail, "pairs")
    return Check("pairs", title, "ok", f"Main pairs: {words}.", "pairs")


def truth(true_source: str, pairs: Sequence[DesignPair]) -> Check:
    """The check of how many pairs have a right answer."""
    view = truth_view(true_source, pairs)
    return Check("truth", "Truth", "warning" if view.is_missing else "ok", view.says, "pairs#truth")


def sides(main: Sequence[DesignPair], on: Sides, block: str = "") -> Check:
    """The sides of the true members of a block's main pairs; `block` names it where there are several."""
    title = f"Sides in {block}" if block else "Sides"
    truths = {pair.truth for pair in main if pair.truth}
    match on:
        case "fixed":
            detail = "The pair's clip a is always on the left, so a habit of pressing left looks like a preference."
            if len(truths) == 1:
                side = "left" if truths == {Member.A} else "right"
                detail = f"The right answer is always on the {side}: one who notices need not watch."
            return Check("sides", title, "warning", detail, "design?at=trials.sides")
        case "random":
            detail = "Sides are drawn for each trial: they are balanced only in the long run."
            return Check("sides", title, "warning", detail, "design?at=trials.sides")
        case "balanced":
            return Check("sides", title, "ok", " ".join(_balance(main)), "design")


def allocation(true_source: str, block: str = "") -> Check:
    """The consequence of an informative choice of pairs for the other numbers; `block` as in `sides`."""
    title = f"Choice of pairs in {block}" if block else "Choice of pairs"
    detail = (
        "Pairs of sources whose order is open are shown more often than others. Read the ranking of sources"
    )
    if true_source == NO_SOURCE:
        return Check(
            "allocation",
            title,
            "ok",
            f"{detail}; shares chosen depend on who met whom.",
            "design",
        )
    detail = f"{detail}: accuracy over all pairs is of the pairs as they were shown, harder ones more often."
    return Check("allocation", title, "warning", detail, "design")


def _balance(main: Sequence[DesignPair]) -> Iterator[str]:
    yield "Each pair is shown both ways equally often, over every two sessions."
    counts = Counter(pair.condition for pair in main)
    odd = sorted(condition for condition, n in counts.items() if n % 2)
    if odd:
        yield f"Within one session {listed(odd, 'and')} cannot be split evenly: the number of pairs is odd."
