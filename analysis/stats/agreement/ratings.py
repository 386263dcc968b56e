"""Agreement of ratings of any kind: who gave which value to which item."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.errors import AnalysisError, shown
from analysis.options import LEVELS, RESAMPLES, Level, chosen
from analysis.results import Result
from analysis.stats.agreement.coefficients import FEWEST_FOR_CHANCE, beside, interval, nominal, ordinal
from analysis.stats.agreement.icc import intraclass
from analysis.stats.agreement.resampling import Sample, kinds
from analysis.stats.agreement.units import Codes
from analysis.stats.agreement.words import ITEMS, Words, estimated, undefined
from analysis.stats.estimates import Estimate
from analysis.stats.intervals import Floats

_COLUMNS = ("item", "rater", "value")
_MOST_CELLS = 50_000_000
# More values than this are no names and no steps; more than the second are ranked, not compared two by two.
_MOST_VALUES = 2_000
_MOST_STEPS = 200


@dataclass(frozen=True, slots=True)
class RatingAgreement(Result):
    """Inter-rater agreement on items; 1 is always, 0 as often as by chance.

    `n_items` and `n_raters` count those with a rating; `n_items_one_rating` of the items have only one, which cannot
    agree: they are left out, and each estimate's `n` counts the other items. `agreement` is the share of agreeing pairs
    of ratings, `alpha` Krippendorff's at `level`, `kappa` Fleiss', `ac1` Gwet's. `icc_single` and `icc_average` are
    ICC(A,1) and ICC(A,k) over the complete table of `n_icc_items` and `n_icc_raters`, their intervals for other items
    and other raters.
    """

    level: Level
    """What the values are taken for."""
    n_items: int
    n_items_one_rating: int
    n_raters: int
    n_ratings: int
    """Ratings."""
    n_values: int
    agreement: Estimate
    alpha: Estimate
    kappa: Estimate
    ac1: Estimate
    icc_single: Estimate
    icc_average: Estimate
    n_icc_items: int
    n_icc_raters: int


@dataclass(frozen=True, slots=True)
class Ratings:
    """Ratings as numbers: item, rater and the place of the value in `values` (numbers, in order)."""

    item: Codes
    rater: Codes
    place: Codes
    values: Floats


def agreement_of_ratings(
    table: pd.DataFrame,
    *,
    level: str = "nominal",
    values: Sequence[object] | None = None,
    seed: int = 1,
    resamples: int = RESAMPLES,
) -> RatingAgreement:
    """Measure the agreement of raters on items.

    One row is one rating. Items are independent of each other and are what the bootstrap resamples [ZCM16]_: a rater
    drawn twice would agree with themselves. A second rating of an item by the same rater counts as one more.

    Parameters
    ----------
    table
        Columns `item`, `rater` and `value`. A row without a value is no rating.
    level
        ``nominal``: values are names. ``ordinal``: numbers or an ordered category, of which the order counts.
        ``interval``: numbers, of which the differences count.
    values
        The values that could be given, where some of them never were: AC1 depends on how many there are.
    seed, resamples
        Of the bootstrap; 0 resamples gives no intervals.

    Returns
    -------
    RatingAgreement
        Krippendorff's alpha [Kri04]_ at the level; the share of agreeing pairs, Fleiss' kappa [Fle71]_ and Gwet's AC1
        [Gwe08]_ of nominal and ordinal values, as [Gwe14]_ defines them for items with different numbers of
        ratings; and the ICC [MW96]_ of ordinal and interval values.

    Raises
    ------
    AnalysisError
        For a missing column, an empty item or rater, a value that is not a finite number where the level needs
        one, or one that is not among `values`.

    Examples
    --------
    >>> ratings = pd.DataFrame({"item": [1, 1, 2, 2], "rater": ["x", "y"] * 2, "value": ["no", "no", "yes", "no"]})
    >>> agreement_of_ratings(ratings, resamples=0).agreement.value
    0.5
    """
    level = chosen("level", level, LEVELS)
    _check(table)
    rated = table[table["value"].notna()]
    given, numbers = _values(rated["value"], level)
    n_values = len(numbers) if values is None else _n_possible(values, given, rated["value"])
    ratings = Ratings(_codes(rated["item"]), _codes(rated["rater"]), given, numbers)
    return rating_agreement(ratings, level, n_values, ITEMS, seed=seed, resamples=resamples)


def rating_agreement(
    ratings: Ratings, level: Level, n_values: int, words: Words, *, seed: int, resamples: int
) -> RatingAgreement:
    """The agreement of ratings that are numbers already."""
    per_item = np.bincount(ratings.item)
    n, alone = int((per_item > 0).sum()), int((per_item == 1).sum())
    found = _coefficients(ratings, level, n_values, n - alone, words, seed, resamples)
    nothing = undefined("names have no distance, so no variance", words, seed, resamples)
    single, average, n_icc_items, n_icc_raters = nothing, nothing, 0, 0
    if level != "nominal":
        icc = intraclass(ratings.item, ratings.rater, ratings.values[ratings.place], words, seed=seed)
        single, average, n_icc_items, n_icc_raters = icc.single, icc.average, icc.n_items, icc.n_raters
    return RatingAgreement(
        level=level,
        n_items=n,
        n_items_one_rating=alone,
        n_raters=int((np.bincount(ratings.rater) > 0).sum()),
        n_ratings=len(ratings.item),
        n_values=n_values,
        **found,
        icc_single=single,
        icc_average=average,
        n_icc_items=n_icc_items,
        n_icc_raters=n_icc_raters,
    )


def _coefficients(
    ratings: Ratings, level: Level, n_values: int, n: int, words: Words, seed: int, resamples: int
) -> dict[str, Estimate]:
    n_items = int(ratings.item.max()) + 1 if len(ratings.item) else 0
    if level == "interval":
        equal = undefined("numbers are seldom equal: it is of names or of steps", words, seed, resamples)
        parts, alpha = interval(ratings.item, ratings.values[ratings.place], n_items)
        sample = Sample(parts, np.ones(n_items, dtype=np.int64))
        found = estimated(sample, alpha, n, words, seed=seed, resamples=resamples)
        return {"agreement": equal, **found, "kappa": equal, "ac1": equal}
    if len(ratings.values) > _MOST_VALUES or n_items * len(ratings.values) > _MOST_CELLS:
        many = undefined("too many different values for names or steps", words, seed, resamples)
        found = dict.fromkeys(("agreement", "alpha", "kappa", "ac1"), many)
        return found | (_of_ranks(ratings, n_items, n, words, seed, resamples) if level == "ordinal" else {})
    width = max(1, len(ratings.values))
    cells = np.bincount(ratings.item * width + ratings.place, minlength=n_items * width).reshape(
        n_items, width
    )
    distinct, times = kinds(cells[cells.any(axis=1)])
    parts, coefficients = nominal(distinct, n_values)
    fewest = dict(FEWEST_FOR_CHANCE)
    if level == "ordinal":
        # Its alpha is of the order: the chance of each value matters less.
        del fewest["alpha"]
    steps = level == "ordinal" and len(ratings.values) <= _MOST_STEPS
    if steps:
        parts, coefficients = beside((parts, coefficients), ordinal(distinct))
    found = estimated(
        Sample(parts, times), coefficients, n, words, seed=seed, resamples=resamples, fewest=fewest
    )
    if level == "nominal" or steps:
        return found
    return found | _of_ranks(ratings, n_items, n, words, seed, resamples)


def _of_ranks(
    ratings: Ratings, n_items: int, n: int, words: Words, seed: int, resamples: int
) -> dict[str, Estimate]:
    """Alpha of the order without a table of all two values: the ratings between two values are the difference of
    their mean ranks, so it is alpha of the squared differences of these. Its bootstrap keeps the ranks."""
    pairable = np.bincount(ratings.item, minlength=n_items)[ratings.item] >= 2
    item, place = ratings.item[pairable], ratings.place[pairable]
    each = np.bincount(place, minlength=len(ratings.values))
    middle = np.cumsum(each) - each / 2
    parts, alpha = interval(item, middle[place], n_items)
    sample = Sample(parts, np.ones(n_items, dtype=np.int64))
    return estimated(sample, alpha, n, words, seed=seed, resamples=resamples)


def _check(table: pd.DataFrame) -> None:
    for name in _COLUMNS:
        if name not in table:
            raise AnalysisError(f"ratings: the column {name} is missing; needed: {', '.join(_COLUMNS)}")
    for name in ("item", "rater"):
        if table[name].isna().any():
            row = int(table[name].isna().to_numpy().argmax()) + 1
            raise AnalysisError(f"ratings: row {row}, column {name}: the cell is empty")


def _codes(cells: pd.Series) -> Codes:
    """Codes in the order of the names, independent of the row order."""
    # Values of mixed types cannot be sorted; their texts can.
    if cells.dtype == object:
        cells = cells.map(str)
    # Sorted: codes, and with them floating sums, must not depend on the order of the rows.
    return pd.factorize(cells, sort=True)[0].astype(np.int64)


def _values(cells: pd.Series, level: Level) -> tuple[Codes, Floats]:
    """The place of each value among those given, and these as numbers: an ordered category by its place, from 1."""
    if level == "nominal":
        codes = _codes(cells)
        return codes, np.arange(int(codes.max(initial=-1)) + 1, dtype=np.float64)
    if isinstance(cells.dtype, pd.CategoricalDtype) and cells.cat.ordered:
        numbers = cells.cat.codes.to_numpy().astype(np.float64) + 1
    else:
        numbers = _numbers(cells)
    distinct, places = np.unique(numbers, return_inverse=True)
    return places.astype(np.int64), distinct


def _numbers(cells: pd.Series) -> Floats:
    numbers = pd.to_numeric(cells.astype(object), errors="coerce").to_numpy(dtype=np.float64)
    bad = ~np.isfinite(numbers)
    if bad.any():
        value = shown(cells.iloc[int(bad.argmax())])
        raise AnalysisError(
            f"ratings: value {value} is not a finite number; allowed: numbers, or an ordered category"
        )
    return numbers


def _n_possible(values: Sequence[object], given: Codes, cells: pd.Series) -> int:
    unknown = [value for value in cells.unique() if value not in values]
    if unknown:
        raise AnalysisError(f"ratings: value {shown(unknown[0])} is not among those that could be given")
    return len(set(values))
