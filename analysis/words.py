"""Numbers in sentences, such as the captions of figures."""

from collections.abc import Sequence

from analysis.stats.description import Description
from analysis.stats.intervals import Interval

NONE = "none"


def number(value: float | None, digits: int = 2) -> str:
    return NONE if value is None else f"{value:z.{digits}f}"


def interval(one: Interval, digits: int = 2) -> str:
    return NONE if one.low is None or one.high is None else f"{one.low:z.{digits}f} to {one.high:z.{digits}f}"


def level(one: Interval) -> str:
    return f"{100 * one.level:g}%"


def estimate(value: float | None, one: Interval, n: str, digits: int = 2) -> str:
    """``0.84 (95% interval 0.78 to 0.89; 30 participants)``."""
    if value is None:
        return f"not known ({n})"
    limits = (
        f"no interval: {one.reason}" if one.low is None else f"{level(one)} interval {interval(one, digits)}"
    )
    return f"{value:z.{digits}f} ({limits}; {n})"


def described(one: Description, digits: int = 2) -> str:
    """A mean over participants as in `estimate`."""
    return estimate(one.mean, one.interval, count(one.n, "participant"), digits)


def count(n: int, noun: str) -> str:
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def listed(parts: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def sentence(text: str) -> str:
    """The text with a capital first letter and a full stop."""
    return f"{text[:1].upper()}{text[1:]}" + ("" if text.endswith(".") else ".")
