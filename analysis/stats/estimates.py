"""One number with its interval: the shape that most results share."""

from dataclasses import dataclass

from analysis.results import Result
from analysis.stats.intervals import Interval


@dataclass(frozen=True, slots=True)
class Estimate(Result):
    """A number over `n` units, which the result that holds it names; `value` None has a `reason` in words."""

    value: float | None
    n: int
    interval: Interval
    reason: str | None
