"""A comparison of two as it is to be read: how large the difference is, and what interval and p let one say of it."""

from analysis.findings.words import exact
from analysis.signs import signed
from analysis.stats.comparisons import MannWhitney
from analysis.stats.evidence import Evidence, evidence, with_test
from analysis.stats.intervals import Interval
from analysis.stats.paired import PairedTest

Test = PairedTest | MannWhitney


def value_to_read(test: Test | None) -> tuple[float, Interval] | None:
    """The value that means no difference, and the interval; None without a number."""
    if isinstance(test, PairedTest):
        return None if test.difference.mean is None else (0.0, test.difference.interval)
    if test is None or test.effect is None:
        return None
    return 0.5, test.effect_interval


def verdict(test: Test | None, p_holm: float | None) -> Evidence:
    """By the interval, and of a difference by p after Holm's correction as well."""
    read = value_to_read(test)
    return "open" if read is None else with_test(evidence(read[1], read[0]), p_holm)


def size(test: Test) -> str:
    """The mean difference of the same people, or how often one of the first group is higher, with its interval."""
    if isinstance(test, PairedTest):
        return f"difference {signed_points(test.difference.mean)} points, {interval_words(test)}"
    return f"probability of being higher {exact(test.effect)}, {interval_words(test)}"


def interval_words(test: Test) -> str:
    """``95% interval -3 to +12``, or why there is none."""
    one = test.difference.interval if isinstance(test, PairedTest) else test.effect_interval
    return f"no interval: {one.reason}" if one.low is None else f"95% interval {limits(test)}"


def limits(test: Test) -> str:
    """Both ends: points of the same people, else probabilities."""
    if isinstance(test, PairedTest):
        return signed_limits(test.difference.interval)
    return exact_limits(test.effect_interval)


def signed_points(value: float | None) -> str:
    return "" if value is None else signed(100 * value, 0)


def signed_limits(one: Interval) -> str:
    return "no interval" if one.low is None else f"{signed_points(one.low)} to {signed_points(one.high)}"


def exact_limits(one: Interval) -> str:
    return "no interval" if one.low is None or one.high is None else f"{one.low:.2f} to {one.high:.2f}"
