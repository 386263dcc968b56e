"""Comparisons in a line each: what is higher by how much, how sure that is, and how far it reaches."""

from collections.abc import Iterator

from analysis.choice.between import MixedDifference
from analysis.choice.conditions import ConditionComparison, ConditionsCompared
from analysis.findings.two_by_two import about
from analysis.reported import Comparison
from analysis.signs import signed
from analysis.stats.arms import ArmPair, MeasureByArm
from analysis.stats.comparisons import MannWhitney
from analysis.stats.mixed import ModelNumber
from analysis.stats.p_values import p_words
from analysis.stats.paired import PairedTest


def compared_line(comparison: Comparison) -> str | None:
    """Two studies in one measure; None if no one can be compared."""
    test = (comparison.compared_as == "paired" and comparison.paired) or comparison.test
    if (test.n if isinstance(test, PairedTest) else min(test.n1, test.n2)) == 0:
        return None
    of = about(comparison.measure, comparison.trials, comparison.source, comparison.against)
    beside = "" if test.alternative == "two-sided" else f", two-sided {p_words(test.p_two_sided)}"
    after = _after(comparison.p_holm_as_compared, comparison.n_family_as_compared)
    return f"{_found(comparison.studies, of, test)}{beside}{after}."


def condition_line(one: ConditionComparison) -> str | None:
    """Two conditions by what a study asks; None without a test, and of uncertainty, which has its table."""
    if one.measure == "uncertainty" or one.to_read is None:
        return None
    of = about(one.measure, None, one.source, one.against)
    return f"{_found(one.conditions, of, one.to_read)}{_after(one.p_holm, one.n_family)}."


def arms_line(one: MeasureByArm, pair: ArmPair) -> str:
    """Two arms in one measure."""
    of = f"{one.measure}, {one.of}" if one.of else one.measure
    return f"{_found(pair.arms, of, pair.test)}{_after(pair.p_holm, pair.n_family)}."


def over_other_pairs(found: ConditionsCompared) -> Iterator[str]:
    """Each condition less the first in one mixed model, the test that reaches furthest: to other people and pairs."""
    model = found.mixed
    if model is None or model.intercept is None:
        return
    first = model.conditions[0].condition
    for one in model.conditions:
        if one.log_odds is not None:
            yield (
                f"{one.condition} less {first}, right answers over other people and pairs: {_log_odds(one.log_odds)}."
            )


def mixed_line(one: MixedDifference) -> str:
    """Two studies under the mixed model."""
    first, second = one.studies
    found = one.model.difference
    if found is None:
        return f"There is no mixed model of {first} and {second}: {one.model.reason}."
    of = "right answers" if one.model.outcome == "correct" else one.model.outcome
    return f"{second} less {first}, {of} over other people and pairs: {_log_odds(found)}."


def _log_odds(found: ModelNumber) -> str:
    apart = f"{signed(found.value)} log odds ({found.low:z.2f} to {found.high:z.2f})"
    return f"{apart}, {p_words(found.p)} (mixed model)"


def _found(two: tuple[str, str], of: str, test: PairedTest | MannWhitney) -> str:
    """The direction and size, and the p value."""
    first, second = two
    if isinstance(test, PairedTest):
        who, apart = f"{first} less {second} ({test.n} people in both)", test.difference
        size = (
            None
            if apart.mean is None
            else f"{signed(apart.mean)}{_within(apart.interval.low, apart.interval.high)}"
        )
    else:
        who, ends = f"{first} against {second} ({test.n1} and {test.n2} people)", test.effect_interval
        size = (
            None
            if test.effect is None
            else f"higher in {first} with probability {test.effect:.2f}{_within(ends.low, ends.high)}"
        )
    tested = f"not tested, {test.reason}" if test.p is None else f"{p_words(test.p)}, {test.alternative}"
    return f"{who}, {of}: {size + ', ' if size else ''}{tested}"


def _within(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f" ({low:z.2f} to {high:z.2f})"


def _after(p_holm: float | None, n: int) -> str:
    return (
        f"; after Holm's correction over {n} tests {p_words(p_holm)}" if n > 1 and p_holm is not None else ""
    )
