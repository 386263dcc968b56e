"""Certainty: whether people who were more certain were right more often, and each person when more certain."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.cells import People, describe_people, people_of, pooled_share, ratio, within
from analysis.chance import ChanceTest, against_chance
from analysis.codes import Counts
from analysis.description import Description
from analysis.estimates import Estimate
from analysis.intervals import Floats
from analysis.options import RESAMPLES
from analysis.outcomes import names_a_member
from analysis.results import Result
from analysis.type2 import auroc2, gamma, pooled_interval

ALL_RIGHT = "all answers are right: certainty has nothing to tell apart"
ALL_WRONG = "all answers are wrong: certainty has nothing to tell apart"
CONSTANT = "the same uncertainty throughout"

_NONE = "no answer has a choice, a truth and an uncertainty"


@dataclass(frozen=True, slots=True)
class Level(Result):
    """The answers of one uncertainty. `accuracy` describes the participants who used it, each by the share of right
    answers at this level; `pooled` is the share over all these answers."""

    uncertainty: int
    n_answers: int
    n_participants: int
    n_correct: int
    accuracy: Description
    pooled: Estimate


@dataclass(frozen=True, slots=True, eq=False)
class Certainty(Result):
    """The confidence-accuracy curve and the type-2 ROC.

    `n_answers` have a choice, a truth and an uncertainty; `n_without_uncertainty` have the first two alone. `auroc`
    and `gamma` describe the participants in whom they are defined; `n_all_right`, `n_all_wrong` and `n_constant` have
    none, and each one's `reason` stands in `participants`. `auroc_against_half` tests `auroc` against 0.5.
    `auroc_pooled` is over all answers thrown together, over `n` answers: it mixes how certain people are with what
    their certainty tells."""

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


def certainty(rows: pd.DataFrame, *, seed: int = 1, resamples: int = RESAMPLES) -> Certainty:
    """Relate certainty to accuracy.

    One row is one answer to one main trial; those with a choice, a truth and an uncertainty count. People are
    independent, the answers of one are not.

    Parameters
    ----------
    rows
        Checked responses, already selected. `uncertainty` 1 is extremely certain.
    seed, resamples
        Of the bootstrap intervals; 0 resamples gives none.

    Returns
    -------
    Certainty
        The curve has one point per uncertainty given. Other people use each level, so the curve shows between-person
        differences, too; `auroc` does not: it is the area under each participant's own type-2 ROC curve [FL14]_
        (0.5: certainty tells nothing, 1: every right answer is more certain than every wrong one), averaged over
        participants, with a bootstrap over them [ET93]_. A participant whose answers are all right, all wrong or all
        equally certain has none. `gamma` is Goodman and Kruskal's [Nel84]_. The interval of `auroc_pooled` takes
        participants as clusters [Obu97]_.
    """
    people = people_of(rows)
    right, wrong, points, without = _counts(rows, people)
    answered = np.flatnonzero((right + wrong).any(axis=1))
    right, wrong = right[answered], wrong[answered]
    table = people.table().iloc[answered].reset_index(drop=True)
    n = right.sum(axis=1) + wrong.sum(axis=1)
    areas, reasons = _areas(right, wrong)
    gammas = np.where(reasons == 0, gamma(right, wrong), np.nan)
    table["n_answers"], table["n_correct"] = n, right.sum(axis=1)
    table["n_levels"] = ((right + wrong) > 0).sum(axis=1)
    table["auroc"], table["gamma"] = areas, gammas
    table["reason"] = np.array([None, ALL_RIGHT, ALL_WRONG, CONSTANT], dtype=object)[reasons]
    return Certainty(
        n_answers=int(n.sum()),
        n_participants=len(table),
        n_without_uncertainty=without,
        levels=tuple(
            _level(point, right[:, place], wrong[:, place], seed, resamples)
            for place, point in enumerate(points)
        ),
        auroc=describe_people(areas, seed=seed, resamples=resamples),
        auroc_against_half=against_chance(areas),
        n_all_right=int((reasons == 1).sum()),
        n_all_wrong=int((reasons == 2).sum()),
        n_constant=int((reasons == 3).sum()),
        auroc_pooled=_pooled(right, wrong, seed),
        gamma=describe_people(gammas, seed=seed, resamples=resamples),
        participants=table,
        reason=None if len(table) else _NONE,
    )


def _counts(rows: pd.DataFrame, people: People) -> tuple[Counts, Counts, list[int], int]:
    """Right and wrong answers per person (rows) and uncertainty given (columns, ascending); answers without one."""
    choice, truth = (rows[name].cat.codes.to_numpy() for name in ("choice", "truth"))
    uncertainty = rows["uncertainty"].to_numpy(dtype=np.int8, na_value=0)
    judged = names_a_member(choice) & (truth >= 0)
    n_points = int(uncertainty.max(initial=0)) + 1
    # Right answers are even, wrong ones odd; uncertainties are from 1.
    kind = 2 * uncertainty + (choice != truth)
    kind[~judged | (uncertainty == 0)] = -1
    crossed = within(people.groups.codes, people.n, kind, 2 * n_points)
    counts = crossed.counts().reshape(people.n, 2 * n_points)
    points = np.flatnonzero(counts.sum(axis=0).reshape(-1, 2).any(axis=1))
    without = int((judged & (uncertainty == 0)).sum())
    return counts[:, 2 * points], counts[:, 2 * points + 1], points.tolist(), without


def _areas(right: Counts, wrong: Counts) -> tuple[Floats, Counts]:
    """Each person's area, and 0 or the number of the reason why there is none."""
    levels = ((right + wrong) > 0).sum(axis=1)
    reasons = np.select([wrong.sum(axis=1) == 0, right.sum(axis=1) == 0, levels == 1], [1, 2, 3], 0)
    return np.where(reasons == 0, auroc2(right, wrong), np.nan), reasons


def _level(point: int, right: Counts, wrong: Counts, seed: int, resamples: int) -> Level:
    n = right + wrong
    users = n > 0
    return Level(
        uncertainty=point,
        n_answers=int(n.sum()),
        n_participants=int(users.sum()),
        n_correct=int(right.sum()),
        accuracy=describe_people(ratio(right, n)[users], seed=seed, resamples=resamples),
        pooled=pooled_share(right, n, seed=seed, resamples=resamples, reason=_NONE),
    )


def _pooled(right: Counts, wrong: Counts, seed: int) -> Estimate:
    n_right, n_wrong = int(right.sum()), int(wrong.sum())
    interval = pooled_interval(right, wrong, seed=seed)
    if not n_right or not n_wrong:
        reason = ALL_RIGHT if n_right else ALL_WRONG if n_wrong else _NONE
        return Estimate(None, n_right + n_wrong, interval, reason)
    area = auroc2(right.sum(axis=0, keepdims=True), wrong.sum(axis=0, keepdims=True))
    return Estimate(float(area[0]), n_right + n_wrong, interval, None)
