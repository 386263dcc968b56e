"""`plan`: the power of a study, or the participants or trials that a power takes."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from scipy.special import ndtr, ndtri

from analysis.errors import AnalysisError
from analysis.planning.asked import (
    MOST_PARTICIPANTS,
    MOST_TRIALS,
    PAIR_SD,
    PARTICIPANT_SD,
    Asked,
    Design,
    Measure,
    Test,
    check,
)
from analysis.planning.plans import Plan, Point, TestPlan
from analysis.planning.search import Searched, search
from analysis.planning.simulation import DetectionCount, Progress, Size, simulate
from analysis.planning.words import method_of, sentences
from analysis.planning.world import World, world_of
from analysis.stats.threads import one_thread

FORMAT = "likely-human plan 1"


@one_thread
def plan(
    *,
    share_from: float,
    share_to: float,
    measure: Measure = "accuracy",
    design: Design = "between",
    participants: int | None = None,
    trials: int | None = None,
    pairs: int | None = None,
    own_pairs: bool | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    participant_sd: float = PARTICIPANT_SD,
    pair_sd: float = PAIR_SD,
    test: str = "both",
    simulations: int | None = None,
    seed: int = 1,
    on_progress: Progress | None = None,
) -> Plan:
    """Simulate studies and say how often a difference between two conditions is found, or what it takes to find it.

    An answer is 1 (correct, or the source preferred) with log odds condition + participant + pair, effects normal;
    `share_from` and `share_to` are the shares over all participants and pairs. Participants are independent, as are
    pairs; answers are, given both. Each participant sees `trials` different pairs in a condition, drawn at random where
    there are more. One participant's effect is the same in both conditions.

    Parameters
    ----------
    share_from, share_to
        The two accuracies or preferences, in (0, 1).
    design
        ``between``: two groups, one condition each. Mann-Whitney over the participants' shares [MW47]_.
        ``within``: one group, both conditions. Wilcoxon's signed-rank test over their differences [Wil45]_, as
        Mann-Whitney is for independent groups.
    participants, trials
        Of each group; of each participant in each condition. One of them may be None: the smallest number that
        reaches `power` is sought.
    pairs
        Of each condition; None: as many as trials.
    own_pairs
        Whether each condition has pairs of its own; None: if within.
    power, alpha
        The power sought; the two-sided level of the tests.
    participant_sd, pair_sd
        Standard deviations of the effects, in log odds.
    test
        ``mann-whitney`` (within: signed-rank), ``mixed`` or ``both``. Mixed: the difference in a logistic mixed
        model with participants and pairs crossed, as `analysis.stats.mixed` fits it.
    simulations
        Studies simulated for each number; None: 10,000, and 1,000 for the mixed model.

    Returns
    -------
    Plan
        Powers are shares of simulated studies in [0, 1] with their 95% Monte Carlo interval.

    Raises
    ------
    AnalysisError
        If an option is out of range, or no test reaches the power with 5,000 participants or with all pairs.
    """
    asked = Asked(
        measure=measure,
        design=design,
        share_from=share_from,
        share_to=share_to,
        participants=participants,
        trials=trials,
        pairs=pairs,
        own_pairs=design == "within" if own_pairs is None else own_pairs,
        power=power,
        alpha=alpha,
        participant_sd=participant_sd,
        pair_sd=pair_sd,
        test=test,
        simulations=simulations,
        seed=seed,
    )
    check(asked)
    world = world_of(asked)
    tests = tuple(_planned(asked, world, test, on_progress) for test in asked.tests)
    if all(one.reason for one in tests):
        raise AnalysisError(f"--power {power:g} is not reached: {tests[0].reason}")
    return Plan(FORMAT, asked, world.means, tests, tuple(sentences(asked, tests)))


def _planned(asked: Asked, world: World, test: Test, on_progress: Progress | None) -> TestPlan:
    simulations = asked.simulations_of(test)

    def found(size: Size, world: World = world) -> DetectionCount:
        return simulate(
            world, test, size, alpha=asked.alpha, simulations=simulations, on_progress=on_progress
        )

    empty = TestPlan(
        test=test,
        method=method_of(test),
        simulations=simulations,
        needed=asked.needed,
        participants=asked.participants,
        trials=asked.trials,
        needed_low=None,
        needed_high=None,
        power=None,
        false_alarms=None,
        n_untestable=0,
        curve=(),
        reason=None,
    )
    if asked.needed is None:
        size = _size(asked, 0)
        reached = found(size)
    else:
        ceiling = _ceiling(asked, world) if test == "mixed" else 1.0
        if ceiling < asked.power:
            return replace(empty, reason=_too_low(asked, ceiling))
        searched = search(
            lambda number: found(_size(asked, number)),
            lowest=2 if asked.needed == "participants" else 1,
            highest=_highest(asked),
            power=asked.power,
            alpha=asked.alpha,
            ceiling=ceiling,
        )
        empty = replace(empty, curve=tuple(_curve(asked, searched)))
        if searched.needed is None:
            return replace(empty, reason=_out_of_reach(asked, searched))
        size, reached = _size(asked, searched.needed), searched.points[searched.needed]
        empty = replace(empty, needed_low=searched.low, needed_high=searched.high)
    null = world_of(asked, share_to=asked.share_from)
    # Where no difference is asked for the same studies would be simulated twice.
    alarms = reached if null == world else found(size, null)
    return replace(
        empty,
        participants=size.participants,
        trials=size.trials,
        power=reached.estimate(asked.seed),
        false_alarms=alarms.estimate(asked.seed),
        n_untestable=reached.n_untestable,
    )


def _size(asked: Asked, number: int) -> Size:
    """The size of a study with `number` in place of the number to be found."""
    return Size(asked.participants or number, asked.trials or number)


def _highest(asked: Asked) -> int:
    if asked.needed == "participants":
        return MOST_PARTICIPANTS
    return min(asked.pairs or MOST_TRIALS, MOST_TRIALS)


def _curve(asked: Asked, searched: Searched) -> Iterator[Point]:
    for number in sorted(searched.points):
        size = _size(asked, number)
        yield Point(size.participants, size.trials, searched.points[number].estimate(asked.seed))


def _ceiling(asked: Asked, world: World) -> float:
    """The mixed model's power in the limit of an infinite number, from the variance that remains."""
    if asked.needed == "participants":
        n_pairs = asked.pairs or asked.trials or 1
        variance = 2 * asked.pair_sd**2 / n_pairs if asked.own_pairs else 0.0
    else:
        between = asked.design == "between"
        variance = 2 * asked.participant_sd**2 / (asked.participants or 1) if between else 0.0
    if variance == 0:
        return 1.0
    shift = abs(world.means[1] - world.means[0]) / np.sqrt(variance)
    return float(ndtr(shift - ndtri(1 - asked.alpha / 2)))


def _too_low(asked: Asked, ceiling: float) -> str:
    if asked.needed == "participants":
        n_pairs = asked.pairs or asked.trials or 1
        return (
            f"with {n_pairs} pairs of its own in each condition and --pair-sd {asked.pair_sd:g}, the mixed model's "
            f"power stays near or below {ceiling:.2f} however many participants there are; allowed: more --pairs, "
            "a larger difference"
        )
    return (
        f"with --participants {asked.participants} and --participant-sd {asked.participant_sd:g}, the mixed model's "
        f"power stays near or below {ceiling:.2f} however many trials there are; allowed: more --participants, "
        "a larger difference"
    )


def _out_of_reach(asked: Asked, searched: Searched) -> str:
    number, found = max(searched.points.items())
    most = f"{_highest(asked):,}"
    if asked.needed == "participants":
        return (
            f"it takes more than {most} participants (with {number:,} it is {found.share:.2f}); "
            "allowed: more --trials, more --pairs, a larger difference"
        )
    bound = "all --pairs" if asked.pairs is not None else f"{most} trials"
    return (
        f"with {bound} each, {asked.participants} participants give {found.share:.2f}; "
        "allowed: more --participants, a larger difference"
    )
