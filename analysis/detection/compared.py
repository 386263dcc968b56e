"""Conditions compared by participants' corrected d' and criterion: how far apart they are has no interval."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from analysis.choice.conditions import ConditionComparison, ConditionsCompared, Measured, compare_values
from analysis.stats.comparisons import MannWhitney
from analysis.stats.intervals import no_interval
from analysis.stats.shift import HodgesLehmann

_CORRECTED: Final = ("d_prime", "criterion")
PULLED_DIFFERENCE: Final = (
    "the correction for few trials pulls each participant's value towards 0, and so the difference: in simulations its "
    "interval held the truth in as few as 74 of 100 cases"
)
"""Why there is none; the simulation is the rows `yes-no-two-*` of `bench/calibration.md`."""


def compare_sensitivity(
    conditions: Iterable[str], measures: Iterable[Measured], *, seed: int, resamples: int
) -> ConditionsCompared:
    """Compares as `compare_values` does, without an interval of corrected values; tests are of their order."""
    found = compare_values(list(conditions), measures, seed=seed, resamples=resamples)
    return replace(found, comparisons=tuple(map(_without_interval, found.comparisons)))


def _without_interval(one: ConditionComparison) -> ConditionComparison:
    if one.measure not in _CORRECTED:
        return one
    paired, independent = one.paired, one.independent
    if paired is not None:
        mean = paired.difference
        none = no_interval(PULLED_DIFFERENCE, mean.interval.seed, 0, mean.interval.method)
        paired = replace(
            paired,
            shift=_pulled(paired.shift),
            difference=replace(mean, interval=none if mean.n else mean.interval),
        )
    if independent is not None:
        independent = without_shift_limits(independent)
    return replace(one, paired=paired, independent=independent)


def without_shift_limits(test: MannWhitney) -> MannWhitney:
    """The same test of corrected values, without the interval of their shift."""
    return replace(test, shift=_pulled(test.shift))


def _pulled(shift: HodgesLehmann) -> HodgesLehmann:
    return shift if shift.reason else replace(shift, low=None, high=None, reason=PULLED_DIFFERENCE)
