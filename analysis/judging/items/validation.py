"""Judges of items held against people: ratings and values in, how far to trust each judge out."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from analysis.data.rating_table import Ratings
from analysis.errors import AnalysisError
from analysis.judging.alternative import EPSILON, FEWEST, AlternativeTest, Duels, Q, tested
from analysis.judging.items import classes, numbers
from analysis.judging.items.table import ItemCounts, Items, Said, collect_items, said_of
from analysis.judging.items.verdicts import check_item_verdicts
from analysis.judging.measures import OVER_PERSON, Spread, interval_of, with_spread_of
from analysis.judging.pairs import Bools
from analysis.judging.scores import Evaluated, Quantity, divided, evaluate, mean_of
from analysis.options import LEVEL, RESAMPLES, Level
from analysis.results import Result
from analysis.stats.estimates import Estimate
from analysis.stats.intervals import NOT_ASKED, no_interval
from analysis.stats.student import Scale
from analysis.stats.threads import one_thread

FORMAT = "likely-human item judges 1"
OVER_ITEMS = "percentile bootstrap over items"

# Up to so many items correlations are jackknifed.
_FEW = 100

# Those of correlations beyond: below, they have their own jackknife.
SCALES: Mapping[str, Scale] = {
    classes.ACCURACY: "share",
    **dict.fromkeys((classes.KAPPA, numbers.SPEARMAN, numbers.PEARSON, numbers.ICC), "correlation"),
}

_NOBODY = "no rater rated an item that others rated and the judge judged"
_TOO_FEW = "no rater has {} items that others rated and the judge judged"


@dataclass(frozen=True, slots=True)
class ItemSettings(Result):
    """The requested settings; `judges_of` is the kind of the ratings: ``classes`` or ``ratings``."""

    judges_of: str
    agreement_level: Level
    seed: int
    resamples: int
    level: float
    epsilon: float
    q: float
    min_instances: int


@dataclass(frozen=True, slots=True)
class ItemMeasure(Result):
    """One number of a judge, with the `ceiling`: the same number for one person against the others.

    `over_person`, for accuracy and Spearman's correlation, is the judge's number minus one person's, both against the
    same others; None for the other numbers.
    """

    value: Estimate
    ceiling: Estimate
    over_person: Estimate | None = None


@dataclass(frozen=True, slots=True)
class ItemJudge(Result):
    """One run of one judge by one criterion.

    `measures` are, of classes, ``accuracy`` and ``kappa``, of ratings ``spearman``, ``pearson``, ``kendall``
    and ``icc``. `confusion` counts the items of each plurality (rows) that the judge gave each class (columns), both in
    the order of `classes`; empty for ratings. `on_scale`: whether the judge's numbers are on people's scale."""

    judge: str
    run: str
    counts: ItemCounts
    measures: Mapping[str, ItemMeasure]
    classes: tuple[str, ...]
    confusion: tuple[tuple[int, ...], ...]
    on_scale: bool | None
    alternative_annotator: AlternativeTest


@dataclass(frozen=True, slots=True)
class ItemGroup(Result):
    """The judges by one criterion, and the people they are compared with.

    Of `n_items` items with a rating, `n_items_one_rater` have one rater only, and `n_tied` have no class that more
    raters named than any other (None for ratings); `n_left_out` ratings do not count.
    """

    criterion: str
    n_items: int
    n_items_one_rater: int
    n_tied: int | None
    n_raters: int
    n_ratings: int
    n_left_out: int
    judges: tuple[ItemJudge, ...]


@dataclass(frozen=True, slots=True)
class ItemValidation(Result):
    """All judges of a file against the people of a table of ratings; `to_dict()` is the documented JSON."""

    settings: ItemSettings
    criteria: tuple[ItemGroup, ...]

    def to_dict(self) -> dict[str, Any]:
        """A dict of plain values with stable keys: never NaN, but null with a reason."""
        return {"format": FORMAT, **Result.to_dict(self)}


@one_thread
def validate_items(
    ratings: Ratings,
    verdicts: pd.DataFrame,
    *,
    seed: int = 1,
    resamples: int = RESAMPLES,
    epsilon: float = EPSILON,
    q: float = Q,
    min_instances: int = FEWEST,
    origin: str = "verdicts",
) -> ItemValidation:
    """Hold judges of items against people who rated the same items.

    One row of the ratings is one rater's score of one item by one criterion. Of nominal ratings (`level: nominal`) the
    scores are classes, of others numbers. The unit is the item: every item counts the same, and items are resampled.

    Parameters
    ----------
    ratings
        As `read_ratings` or `check_ratings` returns them.
    verdicts
        See `check_item_verdicts`. Verdicts on items without ratings are counted, not used.
    seed, resamples
        Of every bootstrap and draw; 0 resamples gives no bootstrap interval.
    epsilon, q, min_instances
        Of the alternative annotator test [CRD25]_: of classes by accuracy, of ratings by negative RMSE.
    origin
        What an error calls the table of verdicts.

    Raises
    ------
    SchemaError
        If a table breaks its contract.
    AnalysisError
        If there is no verdict, or none of an item that was rated.
    """
    if "row" not in verdicts:
        verdicts = check_item_verdicts(verdicts, origin)
    if verdicts.empty:
        raise AnalysisError(f"{origin}: there are no verdicts")
    nominal = ratings.level == "nominal"
    settings = ItemSettings(
        "classes" if nominal else "ratings", ratings.level, seed, resamples, LEVEL, epsilon, q, min_instances
    )
    found = tuple(_group(items, verdicts, settings, origin) for items in collect_items(ratings, verdicts))
    if not any(judge.counts.n_judged or judge.counts.n_abstained for one in found for judge in one.judges):
        raise AnalysisError(
            f"{origin}: no verdict is of an item that was rated; compare the names in the columns item and criterion "
            "with those of the ratings"
        )
    return ItemValidation(settings, found)


def _group(items: Items, verdicts: pd.DataFrame, settings: ItemSettings, origin: str) -> ItemGroup:
    n = items.n
    ceilings: dict[bytes, Mapping[str, Estimate]] = {}
    tied = None
    if settings.judges_of == "classes":
        tied = int(((classes.plurality(classes.counts_of(items)) < 0) & (n > 0)).sum())
    return ItemGroup(
        criterion=items.criterion,
        n_items=int((n > 0).sum()),
        n_items_one_rater=int((n == 1).sum()),
        n_tied=tied,
        n_raters=items.n_raters,
        n_ratings=len(items.item),
        n_left_out=items.n_left_out,
        judges=tuple(_judge(items, said, settings, ceilings) for said in said_of(items, verdicts, origin)),
    )


def _judge(
    items: Items, said: Said, settings: ItemSettings, ceilings: dict[bytes, Mapping[str, Estimate]]
) -> ItemJudge:
    used = ~np.isnan(said.value)
    # Judges of the same items have the same ceiling: it is computed once.
    key = used.tobytes()
    of_classes = settings.judges_of == "classes"
    if key not in ceilings:
        ceilings[key] = _ceiling(items.of(used), settings)
    values = _values(items, said, settings)
    over = _over_person(items, said, values, settings)
    table = classes.confusion(items, said.value).tolist() if of_classes else []
    return ItemJudge(
        judge=said.judge,
        run=said.run,
        counts=said.counts,
        measures={name: ItemMeasure(values[name], ceilings[key][name], over.get(name)) for name in values},
        classes=items.classes,
        confusion=tuple(tuple(row) for row in table),
        on_scale=None if of_classes else said.on_scale,
        alternative_annotator=_alternative(items, said, used, settings),
    )


def _values(items: Items, said: Said, settings: ItemSettings) -> Mapping[str, Estimate]:
    if settings.judges_of == "classes":
        return _estimates(classes.judge_quantities(items, said.value), len(items), settings)
    mean = numbers.means_of(items)
    quantities = numbers.quantities(said.value, mean, on_scale=said.on_scale)
    found = _correlations(quantities, ~np.isnan(said.value) & ~np.isnan(mean), settings)
    found |= {numbers.KENDALL: numbers.kendall([(said.value, mean)], settings.seed)}
    return {name: found[name] for name in numbers.MEASURES}


def _ceiling(items: Items, settings: ItemSettings) -> Mapping[str, Estimate]:
    """One person against the others, on the items that the judge judged."""
    if settings.judges_of == "classes":
        return _estimates(classes.person_quantities(items), len(items), settings)
    draws = numbers.drawn_people(items, settings.seed)
    found = _correlations(numbers.person_quantities(draws), items.n > 1, settings)
    return found | {numbers.KENDALL: numbers.kendall(draws, settings.seed)}


def _over_person(
    items: Items, said: Said, values: Mapping[str, Estimate], settings: ItemSettings
) -> Mapping[str, Estimate]:
    """The judge's main number minus one person's, on the items that the judge judged."""
    of = items.of(~np.isnan(said.value))
    if settings.judges_of == "classes":
        name, quantity = classes.ACCURACY, classes.over_person(of, said.value)
    else:
        name, draws = numbers.SPEARMAN, numbers.drawn_people(of, settings.seed)
        quantity = numbers.over_person(said.value, draws)
    over = _estimates({OVER_PERSON: quantity}, len(items), settings)[OVER_PERSON]
    return {name: with_spread_of(values[name], over)}


def _estimates(
    quantities: Mapping[str, Quantity], n_items: int, settings: ItemSettings
) -> dict[str, Estimate]:
    found = evaluate(quantities, n_items, seed=settings.seed, resamples=settings.resamples)
    return {name: _estimate(name, one, found[name], settings) for name, one in quantities.items()}


def _correlations(
    quantities: Mapping[str, Quantity], counted: Bools, settings: ItemSettings
) -> dict[str, Estimate]:
    """Like `_estimates`; with few items the interval is the jackknife's, as a bootstrap's is too narrow there."""
    few = 0 < int(counted.sum()) <= _FEW
    found = _estimates(quantities, len(counted), replace(settings, resamples=0) if few else settings)
    if not few:
        return found
    without = np.ones((len(counted), len(counted))) - np.eye(len(counted))
    for name, one in found.items():
        if one.value is not None:
            drawn = (quantities[name].point or quantities[name].statistic)(without[counted])
            found[name] = replace(one, interval=numbers.jackknifed(one.value, drawn, settings.seed))
    return found


def _estimate(name: str, quantity: Quantity, found: Evaluated, settings: ItemSettings) -> Estimate:
    seed, resamples, value = settings.seed, settings.resamples, found.point
    if quantity.reason is not None or np.isnan(value):
        why = quantity.reason or "the number is not defined"
        return Estimate(None, quantity.n, no_interval(why, seed, resamples, OVER_ITEMS), why)
    interval = interval_of(
        value,
        quantity.n,
        Spread(found.draws, found.without),
        OVER_ITEMS,
        SCALES.get(name, "any"),
        seed,
        resamples,
        is_accuracy=name == classes.ACCURACY,
    )
    if interval.reason not in (None, NOT_ASKED):
        interval = replace(interval, reason=str(interval.reason).replace("pairs", "items"))
    return Estimate(value, quantity.n, interval, None)


def _alternative(items: Items, said: Said, used: Bools, settings: ItemSettings) -> AlternativeTest:
    """The alternative annotator test, by accuracy or by negative root mean square error."""
    of_classes = settings.judges_of == "classes"
    outcome = (classes if of_classes else numbers).outcomes(items, said.value)
    nobody = _NOBODY
    if not of_classes and not said.on_scale:
        outcome, nobody = np.full(len(outcome), np.nan), numbers.OWN_SCALE
    known = ~np.isnan(outcome)
    n_raters = int(items.rater.max(initial=-1)) + 1
    duels = Duels(
        *(np.bincount(items.rater[outcome == sign], minlength=n_raters) for sign in (-1.0, 0.0, 1.0))
    )
    size = np.bincount(items.item[known], minlength=len(items)).astype(float)
    mean = divided(np.bincount(items.item[known], outcome[known], minlength=len(items)).astype(float), size)
    difference = _estimates({"d": mean_of(mean, nobody)}, len(items), settings)["d"]
    return tested(
        duels,
        int((size > 0).sum()),
        difference,
        nobody=nobody,
        too_few=_TOO_FEW.format(settings.min_instances),
        run=said.run,
        epsilon=settings.epsilon,
        q=settings.q,
        min_instances=settings.min_instances,
    )
