"""The truth of pairs: how many have one, and what follows where the true source, or a stimulus's own, is corrected."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.tasks.pair.design import Member
from app.tasks.pair.pairs import PairSpec, condition_by_source, truth_by_source
from app.tasks.pair.rows import BadRow, Row, read_rows, rows_as_csv
from app.tasks.pair.terms import DesignPair
from app.trials.design import Kind
from app.trials.stimuli import NO_SOURCE, Sources


@dataclass(frozen=True, slots=True)
class TruthView:
    """The truth of a study's main pairs. `source` is empty if no source is the true one.

    `is_missing`: no pair has a truth, and it was not stated that there is none.
    """

    source: str
    n_pairs: int
    n_with: int

    @property
    def is_missing(self) -> bool:
        return bool(self.source) and not self.n_with

    @property
    def says(self) -> str:
        """The truth in a sentence or two."""
        if not self.source:
            known = f", but {self.n_with} of {self.n_pairs} pairs name their own truth" if self.n_with else ""
            return f"No source is the true one: no answer is right or wrong{known}."
        if not self.n_pairs:
            return f"The true source is {self.source}. There are no main pairs yet."
        if self.is_missing:
            return (
                f"No pair has a truth: the true source is {self.source}, and no pair shows it beside another source. "
                "Without a truth no answer is right or wrong, and there is no accuracy."
            )
        without = self.n_pairs - self.n_with
        rest = f"; {without} {'has' if without == 1 else 'have'} none" if without else ""
        return f"The true source is {self.source}: {self.n_with} of {self.n_pairs} main pairs have a truth{rest}."


def truth_view(true_source: str, pairs: Sequence[PairSpec] | Sequence[DesignPair]) -> TruthView:
    main = [pair for pair in pairs if pair.kind is Kind.MAIN]
    source = "" if true_source == NO_SOURCE else true_source
    return TruthView(source, len(main), sum(pair.truth is not None for pair in main))


def turned(
    pair: DesignPair, sources: tuple[str, str], old: str, new: str, keeps_condition: bool = False
) -> DesignPair:
    """The pair with other sources or another true source; values not derived from the sources are kept."""
    condition, truth = pair.condition, pair.truth
    if condition == condition_by_source(pair.source_a, pair.source_b, old) and not keeps_condition:
        condition = condition_by_source(*sources, new)
    if truth == truth_by_source(pair.source_a, pair.source_b, old):
        truth = truth_by_source(*sources, new)
    changes = {"source_a": sources[0], "source_b": sources[1], "condition": condition, "truth": truth}
    return pair.model_copy(update=changes)


def with_rows(keys: dict[str, Any], change: Callable[[Row], Row]) -> dict[str, Any]:
    """A block's keys with each row of its pairs changed."""
    text = keys.get("pairs")
    try:
        rows = read_rows(text) if isinstance(text, str) and text.strip() else []
    except BadRow:
        return keys
    changed = [change(row) for row in rows]
    return keys if changed == rows else {**keys, "pairs": rows_as_csv(changed)}


def followed(row: Row, change: Sources) -> Row:
    """The row without a condition and truth that are written out but say no more than the sources did."""
    before, after, old, new = change.before, change.after, change.old, change.new
    if row.a not in before or row.b not in before or row.a not in after or row.b not in after:
        return row
    was, now = ((facts[row.a].source, facts[row.b].source) for facts in (before, after))
    condition, truth = row.condition, row.truth
    if condition == condition_by_source(*was, old):
        condition = condition_by_source(*now, new)
    if truth and truth == truth_by_source(*was, old):
        truth = truth_by_source(*now, new) or ""
    return replace(row, condition=condition, truth=Member(truth).value if truth else "")


def of_sources(pair: DesignPair, sources: Mapping[str, str], true_source: str) -> DesignPair:
    """The pair with other sources of its stimuli, by name."""
    now = sources.get(pair.a, pair.source_a), sources.get(pair.b, pair.source_b)
    return turned(pair, now, true_source, true_source) if now != (pair.source_a, pair.source_b) else pair
