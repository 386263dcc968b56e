"""One number with its interval: the shape that most results share."""

from dataclasses import dataclass

from analysis.intervals import Interval
from analysis.results import Result


@dataclass(frozen=True, slots=True)
class Estimate(Result):
    """A number over `n` units, which the result that holds it names; `value` None has a `reason` in words."""

    value: float | None
    n: int
    interval: Interval
    reason: str | None
