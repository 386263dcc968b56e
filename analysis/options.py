"""A caller's options, as types and as lists."""

from collections.abc import Sequence
from typing import Literal, TypeVar

from analysis.errors import AnalysisError

Mode = Literal["live", "simulated", "pilot", "preview"]
Blank = Literal["missing", "wrong"]
Ties = Literal["keep", "random"]
Alternative = Literal["two-sided", "greater", "less"]

BLANKS: tuple[Blank, ...] = ("missing", "wrong")
TIES: tuple[Ties, ...] = ("keep", "random")
ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")

RESAMPLES = 10_000
LEVEL = 0.95

Choice = TypeVar("Choice", bound=str)
# Of measurement, as Krippendorff's alpha takes scores.
Level = Literal["nominal", "ordinal", "interval"]
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval")


def chosen(option: str, value: str, allowed: Sequence[Choice]) -> Choice:
    """`value` as one of `allowed`, or an error that lists them."""
    for choice in allowed:
        if choice == value:
            return choice
    raise AnalysisError(f"{option} {value!r} is not allowed; allowed: {', '.join(allowed)}")
