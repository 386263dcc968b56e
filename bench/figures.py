"""Numbers of several runs made into one."""

import math
from collections.abc import Sequence
from dataclasses import fields
from statistics import median
from typing import TypeVar

R = TypeVar("R")


def percentile(values: Sequence[float], fraction: float) -> float:
    """The smallest value that at least `fraction` of them do not exceed."""
    return sorted(values)[max(math.ceil(fraction * len(values)), 1) - 1]


def median_of(runs: Sequence[R]) -> R:
    """A run whose every number is the median over `runs`, dataclasses of numbers alone."""
    names = [field.name for field in fields(runs[0])]  # type: ignore[arg-type]
    return type(runs[0])(**{name: median(getattr(run, name) for run in runs) for name in names})
