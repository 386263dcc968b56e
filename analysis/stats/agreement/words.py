"""Words for units, raters and values in a reason, and conversion of a coefficient to an estimate."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from analysis.stats.agreement.resampling import CORRECTED, Coefficient, Sample
from analysis.stats.estimates import Estimate
from analysis.stats.intervals import no_interval
from analysis.stats.student import too_few


@dataclass(frozen=True, slots=True)
class Words:
    """Words for the rated units, the raters and the values."""

    units: str
    raters: str
    values: str

    @property
    def nothing_twice(self) -> str:
        """The reason for having no agreement to measure."""
        return f"none of the {self.units} has two {self.values}"

    @property
    def constant(self) -> str:
        """The reason why agreement cannot be corrected for chance."""
        return f"all {self.values} are the same: agreement beyond chance is not defined"


ITEMS = Words("items", "raters", "ratings")
PAIRS = Words("pairs", "participants", "votes")
UNCERTAINTIES = Words("pairs", "participants", "uncertainties")


def estimated(
    sample: Sample,
    coefficients: Mapping[str, Coefficient],
    n: int,
    words: Words,
    *,
    seed: int,
    resamples: int,
    reason: str | None = None,
    fewest: Mapping[str, int] = MappingProxyType({}),
) -> dict[str, Estimate]:
    """Each coefficient of the sample over its `n` units with two ratings or more, with its interval.

    `reason` says why a coefficient is undefined; by default that all ratings are the same. `fewest` names those that
    need more units than others for an interval.
    """
    if n == 0:
        return dict.fromkeys(coefficients, undefined(words.nothing_twice, words, seed, resamples))
    intervals = sample.intervals(coefficients, words.units, n, seed=seed, resamples=resamples)
    for name in fewest:
        if n < fewest[name] and intervals[name].low is not None:
            intervals[name] = no_interval(too_few(n, words.units), seed, 0, intervals[name].method)
    estimates = {}
    for name, coefficient in coefficients.items():
        value = sample.value(coefficient)
        estimates[name] = (
            undefined(reason or words.constant, words, seed, resamples, n)
            if np.isnan(value)
            else Estimate(value, n, intervals[name], None)
        )
    return estimates


def undefined(reason: str, words: Words, seed: int, resamples: int, n: int = 0) -> Estimate:
    """No number, and why."""
    method = f"{CORRECTED} over {words.units}"
    return Estimate(None, n, no_interval(reason, seed, resamples, method), reason)
