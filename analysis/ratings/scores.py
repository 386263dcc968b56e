"""Ratings analysed: the scores of each criterion, of each item and rater, and how far raters agree."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from analysis.data.codes import Counts, Mask, codes_of, groups_of
from analysis.data.ordering import natural_ranks
from analysis.data.rating_table import OF_ITEM, OutOfRange, Ratings, check_ratings
from analysis.natural import natural
from analysis.options import LEVEL, RESAMPLES, Level
from analysis.ratings.groups import (
    GroupComparison,
    GroupScores,
    Quartiles,
    ScoreCount,
    corrected,
    group_comparisons,
    group_scores,
    quartiles_of,
    score_counts,
)
from analysis.ratings.interval import mean_interval
from analysis.ratings.paired import PairedScores, criteria_compared, matched_groups_compared
from analysis.ratings.rows import odd_scores, per_each, with_plurality, with_severity
from analysis.results import Result, table_rows
from analysis.stats.agreement.oneway import icc_oneway
from analysis.stats.agreement.pairwise import RaterPairs, rater_pairs
from analysis.stats.agreement.ratings import RatingAgreement, agreement_of_ratings
from analysis.stats.agreement.words import ITEMS, undefined
from analysis.stats.description import describe
from analysis.stats.estimates import Estimate
from analysis.stats.intervals import Floats, Interval, no_interval

FORMAT = "likely-human ratings 1"

CLASSES = "the scores are names of classes, which have no mean"

# A longer scale is no scale of steps.
_MOST_STEPS = 100
_LONGEST_LABEL = 48


@dataclass(frozen=True, slots=True)
class ClassCount(Result):
    """The number of counted scores of this class, and their `share`."""

    name: str
    """The class."""
    n: int
    share: float


@dataclass(frozen=True, slots=True)
class CriterionResult(Result):
    """The scores of one criterion; `n` of the `n_ratings` count.

    The others are `n_missing` (empty), `n_not_numbers` and, where they are dropped, `n_out_of_range`. `mean` and the
    SDs are over scores; `interval` is for other items and raters. `n_items` and `n_raters` have a score that counts.
    Scores that are nominal are names of `classes` and have no mean; without a scale every text is one.
    `rater_pairs` compares two raters at a time, `icc_oneway` needs no rater to have scored everything. `counts` are of
    each score, `groups` of each group of items, where items have groups. `scale` has the lowest and the highest score
    that may be given, `asked` the text of the question, where these are known."""

    criterion: str
    n_ratings: int
    n: int
    n_missing: int
    n_not_numbers: int
    n_out_of_range: int
    n_items: int
    n_raters: int
    mean: float | None
    sd_ddof0: float | None
    sd_ddof1: float | None
    minimum: float | None
    """The lowest score given."""
    maximum: float | None
    """The highest score given."""
    interval: Interval
    reason: str | None
    agreement: RatingAgreement
    classes: tuple[ClassCount, ...]
    rater_pairs: RaterPairs
    icc_oneway: Estimate
    quartiles: Quartiles | None
    counts: tuple[ScoreCount, ...]
    groups: tuple[GroupScores, ...]
    group_comparisons: tuple[GroupComparison, ...]
    scale: tuple[float, float] | None
    asked: str | None


@dataclass(frozen=True, slots=True, eq=False)
class RatingAnalysis(Result):
    """All numbers of a table of ratings.

    `items` and `raters` have one row per criterion and item or rater that was to be scored: `n`, `mean`, `sd_ddof1`;
    `raters` also `severity`, by which `severities` has their scores above those of the same items by all.
    Of nominal scores `items` has the `plurality`: the class that most raters gave the item, ``tie`` where two did,
    and `n_plurality`, how many.
    `odd` lists the scores that are no numbers or out of range: `row`, `item`, `rater`, `criterion`, `score` as typed,
    `why`.
    `criteria_compared` are criteria of the same scale over the items scored by both, `matched_groups` groups of items
    over the matched sets that have an item of both: `PairedScores`, each kind corrected by itself."""

    scale: tuple[float, float] | None
    out_of_range: OutOfRange
    agreement_level: Level
    seed: int
    resamples: int
    level: float
    criteria: tuple[CriterionResult, ...]
    items: pd.DataFrame
    raters: pd.DataFrame
    odd: pd.DataFrame
    criteria_compared: tuple[PairedScores, ...]
    matched_groups: tuple[PairedScores, ...]

    @property
    def labels(self) -> dict[str, str]:
        """A label for each criterion: its question if that is short and unique, else its id.

        A question with a mark at its end is quoted, as it may be used within a sentence.
        """
        texts = Counter(one.asked for one in self.criteria)
        return {one.criterion: _label(one, texts) for one in self.criteria}

    def labelled(self) -> "RatingAnalysis":
        """The same with criteria under their `labels`, to be shown."""
        labels = self.labels

        def renamed(table: pd.DataFrame) -> pd.DataFrame:
            return table.assign(criterion=table["criterion"].astype("str").map(labels))

        return replace(
            self,
            criteria=tuple(replace(one, criterion=labels[one.criterion]) for one in self.criteria),
            items=renamed(self.items),
            raters=renamed(self.raters),
            odd=renamed(self.odd),
            criteria_compared=tuple(one.labelled(labels) for one in self.criteria_compared),
            matched_groups=tuple(one.labelled(labels) for one in self.matched_groups),
        )

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON (docs/analysis.md)."""
        settings = {
            "scale": None if self.scale is None else list(self.scale),
            "out_of_range": self.out_of_range,
            "agreement_level": self.agreement_level,
            "seed": self.seed,
            "resamples": self.resamples,
            "level": self.level,
        }
        return {
            "format": FORMAT,
            "settings": settings,
            "criteria": [one.to_dict() for one in self.criteria],
            "items": table_rows(self.items),
            "raters": table_rows(self.raters),
            "odd": table_rows(self.odd),
            "criteria_compared": [one.to_dict() for one in self.criteria_compared],
            "matched_groups": [one.to_dict() for one in self.matched_groups],
        }


def _label(one: CriterionResult, texts: Mapping[str | None, int]) -> str:
    if not one.asked or texts[one.asked] > 1 or len(one.asked) > _LONGEST_LABEL:
        return one.criterion
    return one.asked if one.asked[-1].isalnum() else f"“{one.asked}”"


def analyze_ratings(
    ratings: Ratings | pd.DataFrame, *, seed: int = 1, resamples: int = RESAMPLES
) -> RatingAnalysis:
    """Describe the scores of each criterion and how far raters agree on them.

    One row is one rater's score of one item by one criterion. Neither the scores of one item nor those of one rater are
    independent; items and raters are. Only scores that are numbers count; every other one is counted and listed.

    Parameters
    ----------
    ratings
        Of `read_ratings` or `check_ratings`, or a table of `item`, `rater`, `score` and, if wanted, `criterion`.
    seed, resamples
        Of the bootstrap intervals; 0 resamples gives none.

    Returns
    -------
    RatingAnalysis
        Per criterion the mean over scores with both SDs, its 95% interval for other items and raters
        (`mean_interval`), and the agreement of `agreement_of_ratings`, whose bootstrap resamples items.

    Raises
    ------
    SchemaError
        If a table breaks the contract of `check_ratings`.

    Examples
    --------
    >>> table = pd.DataFrame({"item": [1, 1, 2, 2], "rater": ["x", "y"] * 2, "score": ["3", "4", "5", "2 point"]})
    >>> [one] = analyze_ratings(table, resamples=0).criteria
    >>> one.mean, one.n, one.n_not_numbers
    (4.0, 3, 1)
    """
    if isinstance(ratings, pd.DataFrame):
        ratings = check_ratings(ratings)
    ratings = in_order(ratings)
    table, scores = ratings.table, ratings.scores()
    outside = outside_scale(ratings, scores)
    counted = counted_in(ratings, scores, outside)
    means = np.full(len(scores), np.nan) if ratings.level == "nominal" else scores
    there = {str(name) for name in table["criterion"].cat.categories}
    criteria = [name for name in ratings.criteria if name in there]
    found = [_criterion(ratings, name, scores, counted, outside, seed, resamples) for name in criteria]
    families = corrected([one.group_comparisons for one in found])
    items = per_each(ratings, "item", means, counted)
    return RatingAnalysis(
        scale=ratings.scale,
        out_of_range=ratings.out_of_range,
        agreement_level=ratings.level,
        seed=seed,
        resamples=resamples,
        level=LEVEL,
        criteria=tuple(
            replace(one, group_comparisons=family) for one, family in zip(found, families, strict=True)
        ),
        items=with_plurality(items, ratings, counted),
        raters=with_severity(per_each(ratings, "rater", means, counted), ratings, means, counted),
        odd=odd_scores(ratings, scores, outside, counted),
        criteria_compared=criteria_compared(
            items, {one.criterion: one.scale for one in found}, seed=seed, resamples=resamples
        ),
        matched_groups=matched_groups_compared(
            items, _places(ratings.table), criteria, seed=seed, resamples=resamples
        ),
    )


def counted_in(ratings: Ratings, scores: Floats, outside: Mask) -> Mask:
    """True for the scores that count."""
    # A class may be any text; where there is a scale a number is expected.
    named = ratings.level == "nominal" and ratings.scale is None
    counted: Mask = ratings.table["score"].notna().to_numpy() if named else ~np.isnan(scores)
    return counted & ~outside if ratings.out_of_range == "drop" else counted


def numbered(rows: pd.DataFrame) -> tuple[Counts, Counts]:
    """The item and the rater of each row, numbered from 0."""
    item, rater = (
        codes_of(rows[name].cat.remove_unused_categories()).codes.astype(np.int64)
        for name in ("item", "rater")
    )
    return item, rater


def _places(table: pd.DataFrame) -> pd.DataFrame:
    """The group and match of each item that has both, as texts."""
    names = ["item", *OF_ITEM]
    return table[names].drop_duplicates("item").dropna().astype("str")


def in_order(ratings: Ratings) -> Ratings:
    """Rows in an order of their own: floating sums depend on it, and results must not."""
    key = groups_of([ratings.table[name] for name in ("criterion", "item", "rater")]).codes
    return replace(ratings, table=ratings.table.iloc[np.argsort(key)].reset_index(drop=True))


def outside_scale(ratings: Ratings, scores: Floats) -> Mask:
    """True for the scores beyond the scale of their criterion."""
    criteria = ratings.table["criterion"].cat
    scales = [ratings.scale_of(str(name)) or (-np.inf, np.inf) for name in criteria.categories]
    low, high = np.array(scales, dtype=float).reshape(-1, 2)[criteria.codes.to_numpy()].T
    outside: Mask = (scores < low) | (scores > high)
    return outside


def _criterion(
    ratings: Ratings, name: str, scores: Floats, counted: Mask, outside: Mask, seed: int, resamples: int
) -> CriterionResult:
    of_criterion = (ratings.table["criterion"] == name).to_numpy()
    used = of_criterion & counted
    rows, values = ratings.table[used], scores[used]
    is_nominal = ratings.level == "nominal"
    described = describe(values[:0] if is_nominal else values, resamples=0)
    reason = described.reason and (
        "one score: no SD with ddof 1" if len(values) else "no score is a number that counts"
    )
    items, raters = numbered(rows)
    numbers = values[:0] if is_nominal else values
    groups, scale = _groups(rows), ratings.scale_of(name)
    missing = ratings.table["score"].isna().to_numpy()
    return CriterionResult(
        criterion=name,
        n_ratings=int(of_criterion.sum()),
        n=len(values),
        n_missing=int((of_criterion & missing).sum()),
        n_not_numbers=int((of_criterion & ~missing & np.isnan(scores) & ~counted).sum()),
        n_out_of_range=int((of_criterion & outside).sum()),
        n_items=int(items.max(initial=-1)) + 1,
        n_raters=int(raters.max(initial=-1)) + 1,
        mean=described.mean,
        sd_ddof0=described.sd_ddof0,
        sd_ddof1=described.sd_ddof1,
        minimum=float(values.min()) if len(values) and not is_nominal else None,
        maximum=float(values.max()) if len(values) and not is_nominal else None,
        interval=no_interval(CLASSES, seed, resamples)
        if is_nominal
        else mean_interval(items, raters, values, seed=seed, resamples=resamples, scale=scale),
        reason=CLASSES if is_nominal and len(values) else reason,
        agreement=_agreement(ratings, name, rows, values, seed, resamples),
        classes=tuple(_classes(rows)) if is_nominal else (),
        rater_pairs=_rater_pairs(ratings, rows, values, items, raters, seed, resamples),
        icc_oneway=undefined("names have no distance, so no variance", ITEMS, seed, resamples)
        if is_nominal
        else icc_oneway(items, values, ITEMS, seed=seed, resamples=resamples),
        quartiles=quartiles_of(numbers),
        counts=score_counts(numbers),
        groups=()
        if is_nominal
        else group_scores(*groups, items, raters, values, seed=seed, resamples=resamples, scale=scale),
        group_comparisons=()
        if is_nominal
        else group_comparisons(*groups, items, values, seed=seed, resamples=resamples),
        scale=scale,
        asked=ratings.asked.get(name),
    )


def _groups(rows: pd.DataFrame) -> tuple[list[str], Counts]:
    """The groups of the items in natural order, and the number of each row's among them, -1 where it has none."""
    group = rows["group"].cat
    names = pd.Series([str(name) for name in group.categories], dtype=object)
    order = np.argsort(natural_ranks(names), kind="stable")
    place = np.append(np.argsort(order), -1)
    return [str(names.iloc[number]) for number in order], place[group.codes.to_numpy()].astype(np.int64)


def _classes(rows: pd.DataFrame) -> Iterator[ClassCount]:
    """The classes in natural order."""
    counts = rows["score"].astype("str").value_counts()
    names = counts.index.to_series().reset_index(drop=True).astype(object)
    for place in np.argsort(natural_ranks(names), kind="stable"):
        n = int(counts.iloc[place])
        yield ClassCount(str(names.iloc[place]), n, n / len(rows))


def _rater_pairs(
    ratings: Ratings,
    rows: pd.DataFrame,
    values: Floats,
    items: Counts,
    raters: Counts,
    seed: int,
    resamples: int,
) -> RaterPairs:
    given = rows["score"].astype("str").to_numpy(dtype=object) if ratings.level == "nominal" else values
    distinct, place = np.unique(given, return_inverse=True)
    numbers = np.arange(len(distinct)) if ratings.level == "nominal" else distinct
    names = [str(name) for name in rows["rater"].cat.remove_unused_categories().cat.categories]
    ranks = natural_ranks(pd.Series(names, dtype=object))
    return rater_pairs(
        items,
        ranks[raters],
        place.astype(np.int64),
        numbers.astype(np.float64),
        sorted(names, key=natural),
        ratings.level,
        seed=seed,
        resamples=resamples,
    )


def _agreement(
    ratings: Ratings, name: str, rows: pd.DataFrame, values: Floats, seed: int, resamples: int
) -> RatingAgreement:
    """The agreement, with every step of a scale of whole numbers as a possible value, if no score is off it."""
    given = rows["score"].astype("str") if ratings.level == "nominal" else values
    table = pd.DataFrame({"item": rows["item"], "rater": rows["rater"], "value": given})
    steps = None
    if ratings.level == "nominal":
        return agreement_of_ratings(table, level="nominal", seed=seed, resamples=resamples)
    scale = ratings.scale_of(name)
    if scale and all(end.is_integer() for end in scale):
        low, high = map(int, scale)
        whole = [float(step) for step in range(low, min(high, low + _MOST_STEPS) + 1)]
        steps = whole if high in whole and np.isin(values, whole).all() else None
    return agreement_of_ratings(table, level=ratings.level, values=steps, seed=seed, resamples=resamples)
