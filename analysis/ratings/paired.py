"""Two mean scores of the same items, matched sets, stimuli or raters compared, as pairs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import combinations
from typing import Any, Literal, TypeVar

import pandas as pd

from analysis.natural import natural
from analysis.results import Result
from analysis.stats.multiplicity import holm
from analysis.stats.paired import PairedTest, paired_test

PairedBy = Literal["item", "match", "stimulus", "rater"]
UNITS: Mapping[PairedBy, tuple[str, str]] = {
    "item": ("item", "items"),
    "match": ("matched set", "matched sets"),
    "stimulus": ("stimulus", "stimuli"),
    "rater": ("rater", "raters"),
}
SELF, OTHERS = "self", "items"
# Two at a time: ten are 45 comparisons.
_MOST = 10

AnyResult = TypeVar("AnyResult", bound=Result)


@dataclass(frozen=True, slots=True)
class PairedScores(Result):
    """Mean scores compared as pairs: `first` less `second`, one difference for each of `paired_by`.

    `paired_by` names the independent unit: ``item``, two criteria of each item; ``match``, two groups of items, of
    which each matched set has one item each; ``stimulus``, two studies; ``rater``, the score raters give themselves
    (``self``) and on average the items that they rated (``items``). `criterion` is None if `first` and `second` are
    criteria. Both means are over the `test.n` that have a value in both; `test.difference` is the mean difference with
    its interval, `test.shift` the Hodges-Lehmann estimate, `test.p` Wilcoxon's signed-rank test and `test.permutation`
    that by swapping, all two-sided. `p_holm` is corrected over `n_family` tests: those of the same kind in the
    analysis.
    """

    criterion: str | None
    first: str
    second: str
    paired_by: PairedBy
    mean_first: float | None
    """Mean score of the first."""
    mean_second: float | None
    """Mean score of the second."""
    test: PairedTest
    p_holm: float | None = None
    n_family: int = 0

    def labelled(self, labels: Mapping[str, str]) -> "PairedScores":
        """The same with criteria under other names, to be shown."""
        if self.criterion is None:
            return replace(self, first=labels[self.first], second=labels[self.second])
        return replace(self, criterion=labels.get(self.criterion, self.criterion))


def paired_scores(
    criterion: str | None,
    names: tuple[str, str],
    values: tuple[pd.Series, pd.Series],
    paired_by: PairedBy,
    *,
    seed: int,
    resamples: int,
) -> PairedScores:
    """`values` are two series of mean scores whose index are the units, each there once."""
    first, second = (one.dropna() for one in values)
    both = first.index.intersection(second.index)
    test = paired_test(first, second, seed=seed, resamples=resamples)
    return PairedScores(
        criterion=criterion,
        first=names[0],
        second=names[1],
        paired_by=paired_by,
        mean_first=_mean(first.loc[both]),
        mean_second=_mean(second.loc[both]),
        test=in_units(test, *UNITS[paired_by]),
    )


def _mean(values: pd.Series) -> float | None:
    return float(values.mean()) if len(values) else None


def in_units(result: AnyResult, one: str, several: str) -> AnyResult:
    """The result with its reasons and methods about the paired unit, instead of participants."""
    changed: dict[str, Any] = {}
    for field in fields(result):  # type: ignore[arg-type]
        value = getattr(result, field.name)
        if isinstance(value, str):
            changed[field.name] = value.replace("participants", several).replace("participant", one)
        elif isinstance(value, Result):
            changed[field.name] = in_units(value, one, several)
    return replace(result, **changed)  # type: ignore[type-var]


def as_family(comparisons: Sequence[PairedScores]) -> tuple[PairedScores, ...]:
    """The comparisons with p values corrected by Holm's method, all of them as one family."""
    ps = holm([one.test.p for one in comparisons])
    n = sum(p is not None for p in ps)
    return tuple(replace(one, p_holm=p, n_family=n) for one, p in zip(comparisons, ps, strict=True))


def criteria_compared(
    items: pd.DataFrame,
    scales: Mapping[str, tuple[float, float] | None],
    *,
    seed: int,
    resamples: int,
) -> tuple[PairedScores, ...]:
    """Every two criteria of the same known scale over the items that have a mean by both; up to ten criteria a scale.

    `items` has `criterion`, `item` and `mean`; `scales` are by criterion, in the order of results."""
    found = []
    for scale in dict.fromkeys(filter(None, scales.values())):
        criteria = [name for name, of in scales.items() if of == scale]
        if len(criteria) > _MOST:
            continue
        means = {name: _means(items, name, "item") for name in criteria}
        found += [
            paired_scores(
                None, pair, (means[pair[0]], means[pair[1]]), "item", seed=seed, resamples=resamples
            )
            for pair in combinations(criteria, 2)
        ]
    return as_family([one for one in found if one.test.n])


def matched_groups_compared(
    items: pd.DataFrame,
    places: pd.DataFrame,
    criteria: Sequence[str],
    *,
    seed: int,
    resamples: int,
) -> tuple[PairedScores, ...]:
    """Every two groups of items by each criterion over the matched sets that have an item of both; up to ten groups.

    `places` has `item`, `group` and `match`, with one item of each group in a set."""
    groups = sorted(places["group"].unique(), key=natural)
    if len(groups) > _MOST:
        return ()
    placed = items.merge(places, on="item")
    found = [
        paired_scores(
            name,
            pair,
            (_means(of_group[pair[0]], name, "match"), _means(of_group[pair[1]], name, "match")),
            "match",
            seed=seed,
            resamples=resamples,
        )
        for of_group in [{group: placed[placed["group"] == group] for group in groups}]
        for name in criteria
        for pair in combinations(groups, 2)
    ]
    return as_family([one for one in found if one.test.n])


def self_compared(
    raters: pd.DataFrame, own: pd.DataFrame, *, seed: int, resamples: int
) -> tuple[PairedScores, ...]:
    """Raters' scores of themselves by each criterion less the mean of their scores of items.

    `raters` has `criterion`, `rater` and `mean`, `own` the same of each rater's own score, once.
    """
    return as_family(
        [
            paired_scores(
                name,
                (SELF, OTHERS),
                (_means(own, name, "rater"), _means(raters, name, "rater")),
                "rater",
                seed=seed,
                resamples=resamples,
            )
            for name in own["criterion"].unique()
        ]
    )


def _means(table: pd.DataFrame, criterion: str, unit: str) -> pd.Series:
    """The means by a criterion, by unit; those of one unit averaged."""
    rows = table[(table["criterion"] == criterion) & table["mean"].notna()]
    return rows.groupby(rows[unit].astype("str"))["mean"].mean()


def smallest_p(comparisons: Sequence[PairedScores]) -> Iterator[PairedScores]:
    """The comparisons by p, those without a p last."""
    yield from sorted(comparisons, key=lambda one: 2.0 if one.test.p is None else one.test.p)
