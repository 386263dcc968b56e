"""Numbers in cells that are words already: values with their intervals, p values, what is missing."""

from analysis.findings.tables import Number, value_of
from analysis.stats import p_values
from analysis.stats.intervals import Interval

NONE = "none"


def number(value: float | None, digits: int = 3) -> str:
    return NONE if value is None else f"{value:,.{digits}f}"


def interval(one: Interval, digits: int = 3) -> str:
    return limits(one.low, one.high, digits)


def limits(low: float | None, high: float | None, digits: int = 3) -> str:
    return NONE if low is None or high is None else f"{low:z.{digits}f} to {high:z.{digits}f}"


def p_value(value: float | None) -> str:
    return p_values.p_words(value, NONE)


def p_cell(value: float | None) -> str:
    """A p value without its letter."""
    return p_values.p_cell(value, NONE)


def with_interval(one: Number, digits: int = 3) -> str:
    """``0.839 (0.783 to 0.894)``."""
    value = value_of(one)
    return NONE if value is None else f"{number(value, digits)} ({interval(one.interval, digits)})"
