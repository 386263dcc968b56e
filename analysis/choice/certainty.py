"""Certainty: whether people who were more certain were right more often, and each person when more certain."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd
from scipy import sparse

from analysis.choice.chance import ChanceTest, against_chance
from analysis.data.codes import Counts, Mask
from analysis.data.outcomes import names_a_member
from analysis.options import RESAMPLES
from analysis.results import Result
from analysis.stats.cells import People, describe_people, people_of, pooled_share, ratio, within
from analysis.stats.description import Description
from analysis.stats.estimates import Estimate
from analysis.stats.intervals import Floats
from analysis.stats.type2 import PerPerson, auroc2, gamma, pooled_interval

ALL_RIGHT = "all answers are right: certainty has nothing to tell apart"
ALL_WRONG = "all answers are wrong: certainty has nothing to tell apart"
CONSTANT = "the same uncertainty throughout"
CONSTANT_CERTAINTY = "the same certainty throughout"

_NONE = "no answer has a choice, a truth and an uncertainty"
# A scale of more points than a likert question may have is shown in fifths.
MOST_LEVELS, N_BINS = 11, 5

Scale = Literal["uncertainty", "certainty"]


@dataclass(frozen=True, slots=True)
class Level(Result):
    """The answers of one uncertainty, or of the certainties from `certainty_low` to `certainty_high`, whose mean is
    `certainty`. `accuracy` describes the participants who used it, each by the share of right answers at this level;
    `pooled` is the share over all these answers."""

    uncertainty: int | None
    """The uncertainty, 1 (extremely certain) and up; null where answers have a certainty."""
    n_answers: int
    n_participants: int
    n_correct: int
    accuracy: Description
    pooled: Estimate
    certainty: float | None = None
    """Mean of the certainties."""
    certainty_low: float | None = None
    certainty_high: float | None = None

    @property
    def name(self) -> str:
        """The level as its scale calls it: `3`, or `61 to 80`."""
        if self.certainty_low is None or self.certainty_high is None:
            return str(self.uncertainty)
        low, high = (f"{end:.4g}" for end in (self.certainty_low, self.certainty_high))
        return low if low == high else f"{low} to {high}"


@dataclass(frozen=True, slots=True, eq=False)
class Certainty(Result):
    """The confidence-accuracy curve and the type-2 ROC.

    `n_answers` have a choice, a truth and an uncertainty; `n_without_uncertainty` only the first two. `auroc` and
    `gamma` describe the participants for whom they are defined; `n_all_right`, `n_all_wrong` and `n_constant` have
    none, each with its `reason` in `participants`. `auroc_against_half` tests `auroc` against 0.5. `auroc_pooled` is
    over all answers pooled, over `n` answers: it mixes how certain people are with what their certainty tells. `scale`
    names the column used, `n_values` the number of its different values in these answers; if `binned`, `levels` are
    fifths of the answers, while the areas are of the values. `mean` describes the participants' mean certainty.
    """

    n_answers: int
    n_participants: int
    n_without_uncertainty: int
    levels: tuple[Level, ...]
    auroc: Description
    auroc_against_half: ChanceTest
    n_all_right: int
    n_all_wrong: int
    n_constant: int
    auroc_pooled: Estimate
    gamma: Description
    participants: pd.DataFrame
    reason: str | None
    scale: Scale = "uncertainty"
    n_values: int = 0
    binned: bool = False
    mean: Description | None = None


def certainty(rows: pd.DataFrame, *, seed: int = 1, resamples: int = RESAMPLES) -> Certainty:
    """Relate certainty to accuracy.

    One row is one answer to one main trial; those with a choice, a truth and a certainty or uncertainty count. People
    are independent, the answers of one are not.

    Parameters
    ----------
    rows
        Checked responses, already selected. `certainty` is used where any answer has one (more is more certain, on
        whatever scale), else `uncertainty` (1 is extremely certain).
    seed, resamples
        Of the bootstrap intervals; 0 resamples gives none.

    Returns
    -------
    Certainty
        The curve has one point per uncertainty given, or, for more than 11 different certainties, one for each fifth
        of the answers by certainty, in which equal certainties stay together. Other people use each level, so the
        curve shows between-person differences, too; `auroc` does not: it is the area under each participant's own
        type-2 ROC curve [FL14]_ of the values as given (0.5: certainty tells nothing, 1: every right answer is more
        certain than every wrong one), averaged over participants, with a bootstrap over them [ET93]_. A participant
        whose answers are all right, all wrong or all equally certain has none. `gamma` is Goodman and Kruskal's
        [Nel84]_. The interval of `auroc_pooled` takes participants as clusters [Obu97]_.
    """
    people = people_of(rows)
    by_certainty = "certainty" in rows and bool((rows["certainty"].notna() & _is_judged(rows)).any())
    found = (_by_certainty if by_certainty else _by_uncertainty)(rows, people)
    right, wrong = found.right, found.wrong
    table = people.table().iloc[found.people].reset_index(drop=True)
    table["n_answers"], table["n_correct"] = (right + wrong).sum(axis=1), right.sum(axis=1)
    table["n_levels"] = ((found.own_right + found.own_wrong) > 0).sum(axis=1)
    areas, reasons = _areas(found.own_right, found.own_wrong)
    gammas = np.where(reasons == 0, gamma(found.own_right, found.own_wrong), np.nan)
    table["auroc"], table["gamma"] = areas, gammas
    constant = CONSTANT_CERTAINTY if by_certainty else CONSTANT
    table["reason"] = np.array([None, ALL_RIGHT, ALL_WRONG, constant], dtype=object)[reasons]
    return Certainty(
        n_answers=int(table["n_answers"].sum()),
        n_participants=len(table),
        n_without_uncertainty=found.n_without,
        levels=tuple(_levels(found, seed, resamples)),
        auroc=describe_people(areas, scale="share", seed=seed, resamples=resamples),
        auroc_against_half=against_chance(areas),
        n_all_right=int((reasons == 1).sum()),
        n_all_wrong=int((reasons == 2).sum()),
        n_constant=int((reasons == 3).sum()),
        auroc_pooled=_pooled(right, wrong, seed),
        gamma=describe_people(gammas, scale="correlation", seed=seed, resamples=resamples),
        participants=table,
        reason=None if len(table) else _NONE,
        scale="certainty" if by_certainty else "uncertainty",
        n_values=len(found.values),
        binned=found.n_bins < len(found.values),
        mean=_mean(found, seed, resamples) if by_certainty else None,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Counted:
    """The counted answers: one row per person with any, one column per value from most to least certain.

    `own_right` and `own_wrong` have each person's own values in that order, which is all that an area needs: for a
    thousand people with a hundred answers each, all different, no table has a hundred thousand columns. `bin_of` is the
    point of the curve that each value belongs to.
    """

    people: Counts
    values: Floats
    right: PerPerson
    wrong: PerPerson
    own_right: Counts
    own_wrong: Counts
    bin_of: Counts
    n_without: int

    @property
    def n_bins(self) -> int:
        return int(self.bin_of.max(initial=-1)) + 1


def _is_judged(rows: pd.DataFrame) -> Mask:
    choice, truth = (rows[name].cat.codes.to_numpy() for name in ("choice", "truth"))
    judged: Mask = names_a_member(choice) & (truth >= 0)
    return judged


def _is_wrong(rows: pd.DataFrame) -> Mask:
    choice, truth = (rows[name].cat.codes.to_numpy() for name in ("choice", "truth"))
    wrong: Mask = choice != truth
    return wrong


def _by_uncertainty(rows: pd.DataFrame, people: People) -> _Counted:
    judged = _is_judged(rows)
    uncertainty = rows["uncertainty"].to_numpy(dtype=np.int8, na_value=0)
    n_points = int(uncertainty.max(initial=0)) + 1
    # Right answers are even, wrong ones odd; uncertainties are from 1.
    kind = 2 * uncertainty + _is_wrong(rows)
    kind[~judged | (uncertainty == 0)] = -1
    crossed = within(people.groups.codes, people.n, kind, 2 * n_points)
    counts = crossed.counts().reshape(people.n, 2 * n_points)
    points = np.flatnonzero(counts.sum(axis=0).reshape(-1, 2).any(axis=1))
    answered = np.flatnonzero(counts.any(axis=1))
    right, wrong = (counts[answered][:, 2 * points + odd] for odd in (0, 1))
    without = int((judged & (uncertainty == 0)).sum())
    places = np.arange(len(points))
    return _Counted(answered, points.astype(float), right, wrong, right, wrong, places, without)


def _by_certainty(rows: pd.DataFrame, people: People) -> _Counted:
    judged, certainty = _is_judged(rows), rows["certainty"].array
    kept = np.flatnonzero(judged & (certainty.codes >= 0))
    # Negated, so that values run from the most certain down.
    used, value = np.unique(-certainty.codes[kept].astype(np.int64), return_inverse=True)
    answered, person = np.unique(people.groups.codes[kept], return_inverse=True)
    is_wrong = _is_wrong(rows)[kept]
    shape = len(answered), len(used)

    def counted(which: Mask, column: Counts, width: int) -> sparse.csr_array:
        ones = np.ones(int(which.sum()), dtype=np.int64)
        return sparse.coo_array((ones, (person[which], column[which])), shape=(shape[0], width)).tocsr()

    rank = _ranks_within(person, value)
    n_ranks = int(rank.max(initial=0)) + 1
    own_right, own_wrong = (counted(which, rank, n_ranks).toarray() for which in (~is_wrong, is_wrong))
    right, wrong = (counted(which, value, shape[1]) for which in (~is_wrong, is_wrong))
    values = certainty.categories.to_numpy(dtype=float)[-used]
    bin_of = _bins(np.bincount(value, minlength=len(used)))
    n_without = int(judged.sum()) - len(kept)
    return _Counted(answered, values, right, wrong, own_right, own_wrong, bin_of, n_without)


def _ranks_within(person: Counts, value: Counts) -> Counts:
    """The place of each value among its person's different ones."""
    order = np.lexsort((value, person))
    ordered_person, ordered_value = person[order], value[order]
    is_first = np.diff(ordered_person, prepend=-1) != 0
    steps = np.cumsum(is_first | (np.diff(ordered_value, prepend=-1) != 0))
    ranks = np.empty(len(value), dtype=np.int64)
    ranks[order] = steps - steps[is_first][np.cumsum(is_first) - 1]
    return ranks


def _bins(counts: Counts) -> Counts:
    """The point of the curve for each value: its own, or the fifth of all answers that contains its middle."""
    if len(counts) <= MOST_LEVELS:
        return np.arange(len(counts))
    middle = np.cumsum(counts) - counts / 2
    fifth = np.floor(N_BINS * middle / counts.sum()).astype(np.int64)
    # A value that many chose may span a fifth, which then has no answers.
    return np.unique(fifth, return_inverse=True)[1]


def _levels(found: _Counted, seed: int, resamples: int) -> Iterator[Level]:
    is_scale = sparse.issparse(found.right)
    for place in range(found.n_bins):
        inside = np.flatnonzero(found.bin_of == place)
        right, wrong = (np.asarray(one[:, inside].sum(axis=1)) for one in (found.right, found.wrong))
        level = _level(right, wrong, seed, resamples)
        values = found.values[inside]
        if not is_scale:
            yield replace(level, uncertainty=int(values[0]))
            continue
        n = np.asarray((found.right + found.wrong)[:, inside].sum(axis=0))
        yield replace(
            level,
            certainty=float(values @ n / n.sum()),
            certainty_low=float(values.min()),
            certainty_high=float(values.max()),
        )


def _mean(found: _Counted, seed: int, resamples: int) -> Description:
    n = found.right + found.wrong
    means = ratio(n @ found.values, np.asarray(n.sum(axis=1)))
    return describe_people(means, seed=seed, resamples=resamples)


def _areas(right: Counts, wrong: Counts) -> tuple[Floats, Counts]:
    """Each person's area, and 0 or the number of the reason why there is none."""
    levels = ((right + wrong) > 0).sum(axis=1)
    reasons = np.select([wrong.sum(axis=1) == 0, right.sum(axis=1) == 0, levels == 1], [1, 2, 3], 0)
    return np.where(reasons == 0, auroc2(right, wrong), np.nan), reasons


def _level(right: Counts, wrong: Counts, seed: int, resamples: int) -> Level:
    n = right + wrong
    users = n > 0
    return Level(
        uncertainty=None,
        n_answers=int(n.sum()),
        n_participants=int(users.sum()),
        n_correct=int(right.sum()),
        accuracy=describe_people(ratio(right, n)[users], scale="share", seed=seed, resamples=resamples),
        pooled=pooled_share(right, n, seed=seed, reason=_NONE),
    )


def _pooled(right: PerPerson, wrong: PerPerson, seed: int) -> Estimate:
    n_right, n_wrong = int(right.sum()), int(wrong.sum())
    interval = pooled_interval(right, wrong, seed=seed)
    if not n_right or not n_wrong:
        reason = ALL_RIGHT if n_right else ALL_WRONG if n_wrong else _NONE
        return Estimate(None, n_right + n_wrong, interval, reason)
    area = auroc2(right.sum(axis=0)[None], wrong.sum(axis=0)[None])
    return Estimate(float(area[0]), n_right + n_wrong, interval, None)
