"""A plan in plain words."""

from collections.abc import Iterator, Sequence

from analysis.planning.asked import Asked, Test
from analysis.planning.plans import TestPlan
from analysis.stats.estimates import Estimate

_NAMES: dict[Test, str] = {
    "mann-whitney": "Mann-Whitney",
    "wilcoxon": "Wilcoxon signed-rank",
    "mixed": "mixed model",
}
# False alarms are worth a word where even the lower end of their interval is this many times alpha.
_NOTABLE = 1.1
_METHODS: dict[Test, str] = {
    "mann-whitney": "Mann-Whitney over the participants' shares, two-sided, normal approximation, tie- and "
    "continuity-corrected",
    "wilcoxon": "Wilcoxon signed-rank over the participants' differences, two-sided, normal approximation, tie- and "
    "continuity-corrected (Mann-Whitney is for independent groups)",
    "mixed": "the difference in a logistic mixed model with participants and pairs crossed, as the analysis fits it",
}


def name_of(test: Test) -> str:
    return _NAMES[test]


def method_of(test: Test) -> str:
    return _METHODS[test]


def sentences(asked: Asked, tests: Sequence[TestPlan]) -> Iterator[str]:
    """The answer of each test, and what to beware of."""
    for test in tests:
        yield f"{name_of(test.test)}: {_answer(asked, test)}"
    for test in tests:
        yield from _warnings(asked, test)


def _answer(asked: Asked, test: TestPlan) -> str:
    if test.power is None:
        return f"a power of {asked.power:g} is not reached: {test.reason}."
    difference = f"a difference in {asked.measure} from {asked.share_from:g} to {asked.share_to:g}"
    if asked.share_from == asked.share_to:
        difference = f"a difference in {asked.measure} that is not there"
    studies = f"{_percent(test.power.value)} of studies ({_range(test.power)})"
    if test.needed is None:
        low = asked.share_from != asked.share_to and (test.power.interval.high or 0) < asked.power
        verdict = f": less than the {_percent(asked.power)} of --power" if low else ""
        return f"with {_size(asked, test)}, {difference} is found in {studies}{verdict}."
    return f"{_size(asked, test)} find {difference} in {studies}{_left_open(test)}."


def _left_open(test: TestPlan) -> str:
    if test.needed_low == test.needed_high:
        return ""
    if test.needed_low is None:
        between = f"{test.needed_high:,} or fewer"
    elif test.needed_high is None:
        between = f"{test.needed_low:,} or more"
    else:
        between = f"{test.needed_low:,} to {test.needed_high:,}"
    return f"; Monte Carlo error leaves the {test.needed} needed at {between}"


def _size(asked: Asked, test: TestPlan) -> str:
    each = "each" if asked.design == "between" else "each in each condition"
    group = " a group" if asked.design == "between" else ""
    trials = "trial" if test.trials == 1 else "trials"
    return f"{test.participants:,} participants{group} and {test.trials} {trials} {each}"


def _percent(share: float | None) -> str:
    return f"{100 * (share or 0):.0f}%"


def _range(found: Estimate) -> str:
    low, high = found.interval.low or 0.0, found.interval.high or 0.0
    return f"95% Monte Carlo interval {100 * low:.0f} to {100 * high:.0f}%"


def _warnings(asked: Asked, test: TestPlan) -> Iterator[str]:
    name = name_of(test.test)
    alarms = test.false_alarms
    if alarms and (alarms.interval.low or 0) > _NOTABLE * asked.alpha:
        yield (
            f"Beware, {name}: where there is no difference it finds one in {_percent(alarms.value)} of studies "
            f"({_range(alarms)}), not in the {100 * asked.alpha:g}% asked for: its power is overstated. "
            f"{_why(asked, test.test)}"
        )
    if test.power and test.n_untestable > test.power.n / 100:
        yield (
            f"Beware, {name}: in {_percent(test.n_untestable / test.power.n)} of studies everybody answers alike in a "
            "condition; there is no estimate then, and nothing is found."
        )


def _why(asked: Asked, test: Test) -> str:
    if test == "mixed":
        return "The model's approximations are rough with so few answers."
    if asked.own_pairs and asked.pair_sd:
        return (
            "It takes the pairs as given: with pairs of its own in each condition it also finds that one set of pairs "
            "happens to be harder."
        )
    return "Its normal approximation is rough with so few participants."
