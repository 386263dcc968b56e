"""Comparisons in a line each: what is higher by how much, how sure that is, and how far it reaches."""

from collections.abc import Iterator

from analysis import Analysis, Comparison
from analysis.choice.studies import StudyResult
from analysis.signs import signed
from analysis.stats.comparisons import MannWhitney
from analysis.stats.paired import PairedTest
from analysis.text.conditions import over_other_pairs
from app.reports.page.compared import about_comparison, about_condition
from app.reports.page.views import interval, limits, number, p_value


def compared_in_short(comparison: Comparison) -> str:
    """Two studies in one measure."""
    paired = comparison.paired if comparison.compared_as == "paired" else None
    test = paired or comparison.test
    beside = "" if test.alternative == "two-sided" else f", two-sided {p_value(test.p_two_sided)}"
    found = _found(comparison.studies, about_comparison(comparison), test)
    return f"{found}{beside}{_after(comparison.p_holm_as_compared, comparison.n_family_as_compared)}."


def conditions_in_short(study: StudyResult) -> Iterator[str]:
    """What a study asks, of every two conditions with a test, in a line each."""
    for one in study.conditions.comparisons:
        test = one.to_read
        if one.measure == "uncertainty" or test is None or test.p is None:
            continue
        found = _found(one.conditions, about_condition(one), test)
        yield f"conditions {found}{_after(one.p_holm, one.n_family)}."


def further_in_short(analysis: Analysis) -> Iterator[str]:
    """Studies, or the conditions of one, under the mixed model: the test that reaches to other people and pairs."""
    for study in analysis.studies:
        yield from (f"{study.study}: {said}." for said in over_other_pairs(study.conditions))
    for one in analysis.mixed_differences:
        if found := one.model.difference:
            first, second = one.studies
            apart = f"{number(found.value, 2)} log odds ({limits(found.low, found.high, 2)})"
            yield (
                f"{second} less {first}, {one.model.outcome} over other people and pairs: {apart}, "
                f"{p_value(found.p)} (mixed model)."
            )


def _found(names: tuple[str, str], about: str, test: PairedTest | MannWhitney) -> str:
    """The direction and size, and the p value."""
    first, second = names
    if isinstance(test, PairedTest):
        who = f"{first} less {second} ({test.n} people in both)"
        apart = test.difference
        size = None if apart.mean is None else f"{signed(apart.mean)} ({interval(apart.interval, 2)})"
    else:
        who = f"{first} against {second} ({test.n1} and {test.n2} people)"
        size = f"higher in {first} with probability {number(test.effect, 2)} ({interval(test.effect_interval, 2)})"
    return f"{who}, {about}: {size + ', ' if size else ''}{p_value(test.p)}, {test.alternative}"


def _after(p_holm: float | None, n: int) -> str:
    return f"; after Holm's correction over {n} tests {p_value(p_holm)}" if n > 1 else ""
