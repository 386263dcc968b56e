"""Bias: towards a side, by the place in the session, and learning on the way."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from analysis.choice.cell_tables import CellTable, Part, cell_table
from analysis.choice.chance import ChanceTest, against_chance
from analysis.data.codes import Counts, Groups, Mask, codes_of
from analysis.data.columns import ORDER_NOT_RECORDED
from analysis.data.outcomes import names_a_member
from analysis.options import LEVEL, RESAMPLES
from analysis.results import Result
from analysis.stats.cells import (
    People,
    describe_people,
    one_run_each,
    people_of,
    pooled_share,
    ratio,
    within,
)
from analysis.stats.description import Description
from analysis.stats.estimates import Estimate
from analysis.stats.intervals import Floats
from analysis.stats.student import Scale

# Positions are squared and summed: up to here the sums stay exact, below 2**53.
_FURTHEST = 1_000_000

NO_ANSWER = "no trial was answered"
NO_SIDES = "no answer says which member was on the left"
NO_TRUTH = "no answer has a truth"
NO_ORDER = "the file does not say in which order the answers were given"
NO_SPREAD = f"no participant has answers with a truth at two positions, up to {_FURTHEST:,} apart"


@dataclass(frozen=True, slots=True)
class SideBias(Result):
    """Side bias: choices of the left, over `n_answers` answers with known sides.

    `left` describes the participants' shares of left choices, `left_against_half` tests them against one half,
    `left_pooled` is the share over all answers. If truths are not as often left as right (`n_truth_left` of `n_truth`),
    correct answers alone move these shares; `effect` is unaffected: each participant's accuracy when the truth was left
    (`accuracy_left`) minus that when it was right. Above 0 the left is favoured; an effect of 2 d is a share of left
    choices of 0.5 + d with truths balanced.
    """

    n_answers: int
    n_without_side: int
    """Answers whose sides are not known."""
    left: Description
    left_against_half: ChanceTest
    left_pooled: Estimate
    n_truth: int
    n_truth_left: int
    accuracy_left: Description
    accuracy_right: Description
    effect: Description
    effect_against_zero: ChanceTest
    reason: str | None


@dataclass(frozen=True, slots=True, eq=False)
class OrderEffect(Result):
    """Accuracy and left choices by position in the session.

    `positions` has one row per position: `position`, then `n_accuracy`, `accuracy`, `accuracy_low`,
    `accuracy_high` (answers with a truth) and `n_left`, `left`, `left_low`, `left_high` (answers whose sides are
    known). Means are over participants."""

    interval_method: str
    level: float
    seed: int
    resamples: int
    positions: pd.DataFrame
    reason: str | None


@dataclass(frozen=True, slots=True)
class Learning(Result):
    """Each participant's least-squares slope of correct (1) or wrong (0) on the position, averaged.

    `slope` is the change in the probability of a right answer from one position to the next, positive where people
    get better; positions are compared within a session. Participants without one are `n_missing`."""

    slope: Description
    slope_against_zero: ChanceTest
    reason: str | None


@dataclass(frozen=True, slots=True, eq=False)
class Bias(Result):
    """Side, order and learning overall, and `participants`: one row per participant who answered.

    Its columns: `study`, `participant`, `n_left` of `n_sides` choices were of the left, `left` = their share;
    `n_truth_left`, `accuracy_left`, `n_truth_right`, `accuracy_right`, `effect`; `slope`. A number that is not
    defined for a participant is missing there."""

    side: SideBias
    order: OrderEffect
    learning: Learning
    participants: pd.DataFrame


def bias(rows: pd.DataFrame, *, seed: int = 1, resamples: int = RESAMPLES) -> Bias:
    """Measure side bias, effects of the order, and learning.

    One row is one answer to one main trial; blanks and ties do not count. People are independent, trials of one
    are not: every number is one per participant, described over participants, with a percentile bootstrap over them
    [ET93]_ and Wilcoxon's signed-rank test [Wil45]_. These tests are not corrected for each other.

    Parameters
    ----------
    rows
        Checked responses, already selected. A row without `left` counts in no number about sides.
    seed, resamples
        Of the bootstrap intervals; 0 resamples gives none.

    Returns
    -------
    Bias
        By position, intervals are Wilson's [Wil27]_ if each participant has a position once; if one has it twice, a
        bootstrap over participants, or Student's t for more than 200 positions or 20,000 participants.
    """
    trials = _Trials(rows)
    table = trials.people.table()
    side = _side(trials, table, seed, resamples)
    learning = _learning(trials, table, seed, resamples)
    answered = Groups(trials.people.groups.codes, trials.people.n).counts(trials.answered) > 0
    order = _order(trials, seed, resamples)
    if not _is_ordered(rows):
        # As nobody knows the order, neither has numbers; who answered has no slope.
        table["slope"] = np.nan
        learning = Learning(
            describe_people(table["slope"].to_numpy(), seed=seed, resamples=resamples),
            against_chance(table["slope"], chance=0.0),
            NO_ORDER,
        )
        order = replace(order, positions=order.positions[:0], reason=NO_ORDER)
    return Bias(side, order, learning, table[answered].reset_index(drop=True))


def _is_ordered(rows: pd.DataFrame) -> bool:
    """True if positions are those of the answers: not if any is a row's place in an external file."""
    if "flags" not in rows:
        return True
    return not rows["flags"].astype("str").str.contains(ORDER_NOT_RECORDED, regex=False).any()


class _Trials:
    """Answers as codes: where the choice and the truth were, and whether they agree."""

    def __init__(self, rows: pd.DataFrame) -> None:
        self.people: People = people_of(rows)
        self.once = one_run_each(rows, self.people)
        choice, truth, left = (rows[name].cat.codes.to_numpy() for name in ("choice", "truth", "left"))
        self.answered: Mask = names_a_member(choice)
        self.has_side: Mask = self.answered & (left >= 0)
        self.has_truth: Mask = self.answered & (truth >= 0)
        self.chose_left: Mask = choice == left
        self.truth_left: Mask = truth == left
        self.correct: Mask = choice == truth
        self.position = rows["position"].to_numpy(dtype=np.int64)
        self.session = codes_of(rows["session"])

    def per_person(self, counted: Mask, value: Mask) -> tuple[Counts, Counts]:
        """For each person, the number of counted answers with the value, and of counted answers."""
        return self.people.groups.counts(counted & value), self.people.groups.counts(counted)


def _side(trials: _Trials, table: pd.DataFrame, seed: int, resamples: int) -> SideBias:
    n_left, n_sides = trials.per_person(trials.has_side, trials.chose_left)
    both = trials.has_side & trials.has_truth
    right_left, n_truth_left = trials.per_person(both & trials.truth_left, trials.correct)
    right_right, n_truth_right = trials.per_person(both & ~trials.truth_left, trials.correct)
    table["n_sides"], table["n_left"], table["left"] = n_sides, n_left, ratio(n_left, n_sides)
    table["n_truth_left"], table["accuracy_left"] = n_truth_left, ratio(right_left, n_truth_left)
    table["n_truth_right"], table["accuracy_right"] = n_truth_right, ratio(right_right, n_truth_right)
    # Rounded: differences that are equal as fractions are to be equal as numbers.
    table["effect"] = np.round(table["accuracy_left"] - table["accuracy_right"], 12)

    def described(name: str, scale: Scale = "share") -> Description:
        return describe_people(table[name].to_numpy(), scale=scale, seed=seed, resamples=resamples)

    reason = None if trials.has_side.any() else NO_SIDES if trials.answered.any() else NO_ANSWER
    return SideBias(
        n_answers=int(n_sides.sum()),
        n_without_side=int((trials.answered & ~trials.has_side).sum()),
        left=described("left"),
        left_against_half=against_chance(table["left"]),
        left_pooled=pooled_share(n_left, n_sides, seed=seed, reason=reason or NO_SIDES),
        n_truth=int(both.sum()),
        n_truth_left=int(n_truth_left.sum()),
        accuracy_left=described("accuracy_left"),
        accuracy_right=described("accuracy_right"),
        effect=described("effect", "correlation"),
        effect_against_zero=against_chance(table["effect"], chance=0.0),
        reason=reason,
    )


def _order(trials: _Trials, seed: int, resamples: int) -> OrderEffect:
    positions, place = _numbered(trials.position)
    once = _stand_once(trials, place, len(positions))

    def at_positions(counted: Mask, value: Mask) -> CellTable:
        return cell_table(
            [Part(np.where(counted, place, -1), value)],
            trials.people,
            n_cells=len(positions),
            once=once,
            share=True,
            seed=seed,
            resamples=resamples,
        )

    accuracy = at_positions(trials.has_truth, trials.correct)
    left = at_positions(trials.has_side, trials.chose_left)
    table = pd.DataFrame({"position": positions})
    for name, numbers in (("accuracy", accuracy.numbers), ("left", left.numbers)):
        table[f"n_{name}"], table[name] = numbers["n_trials"], numbers["mean"]
        table[f"{name}_low"], table[f"{name}_high"] = numbers["ci_low"], numbers["ci_high"]
    reason = None if trials.answered.any() else NO_ANSWER
    return OrderEffect(accuracy.interval_method, LEVEL, seed, accuracy.resamples, table, reason)


def _stand_once(trials: _Trials, place: Counts, n: int) -> bool:
    """True if each participant has each position once: not with two sessions, or rows numbered otherwise."""
    if not trials.once or n * trials.people.n > 4 * len(place) + _FURTHEST:
        return False
    each = within(place, n, trials.people.groups.codes, trials.people.n)
    return int(each.counts().max(initial=0)) <= 1


def _numbered(positions: Counts) -> tuple[Counts, Counts]:
    """The distinct positions in order, and each row's number among them."""
    lowest, highest = int(positions.min(initial=1)), int(positions.max(initial=1))
    if highest - lowest > _FURTHEST:
        return np.unique(positions, return_inverse=True)
    present = np.bincount(positions - lowest) > 0
    return np.flatnonzero(present) + lowest, (np.cumsum(present) - 1)[positions - lowest]


def _learning(trials: _Trials, table: pd.DataFrame, seed: int, resamples: int) -> Learning:
    slopes = _slopes(trials)
    table["slope"] = slopes
    test = against_chance(slopes, chance=0.0)
    reason = None
    if np.isnan(slopes).all():
        reason = NO_SPREAD if trials.has_truth.any() else NO_TRUTH
    return Learning(describe_people(slopes, seed=seed, resamples=resamples), test, reason)


def _slopes(trials: _Trials) -> Floats:
    """Least-squares slopes within each session (each has its own level), one for a person's sessions together."""
    people = trials.people
    owner = np.arange(people.n)
    runs = people.groups
    if not trials.once:
        crossed = within(runs.codes, people.n, trials.session.codes, trials.session.size)
        used, codes = np.unique(crossed.codes, return_inverse=True)
        runs, owner = Groups(codes, len(used)), used // trials.session.size
    counted = trials.has_truth
    # From the first position in use: whole numbers stay small, and their sums exact.
    x = np.where(counted, trials.position - trials.position.min(initial=0), 0)
    if x.max(initial=0) > _FURTHEST:
        return np.full(people.n, np.nan)
    n, sum_y = np.maximum(runs.counts(counted), 1), runs.counts(counted & trials.correct)
    sum_x, sum_xx, sum_xy = (runs.sums(each) for each in (x, x * x, x * trials.correct))
    above: Floats = sum_xy - sum_x * sum_y / n
    below: Floats = sum_xx - sum_x * sum_x / n
    of_person = [np.bincount(owner, weights=each, minlength=people.n) for each in (above, below)]
    # Rounded: slopes that are equal as fractions are to be equal as numbers.
    return np.round(ratio(of_person[0], np.where(of_person[1] > 1e-6, of_person[1], 0.0)), 12)
