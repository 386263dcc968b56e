"""Numbers as the results page says them: whole percent, intervals as "66% to 75%", counts with their noun."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from analysis.stats.description import Description
from analysis.stats.estimates import Estimate
from analysis.stats.evidence import Evidence, with_test
from analysis.stats.intervals import Interval
from analysis.stats.p_values import p_words
from analysis.words import count, listed, sentence

__all__ = [
    "between",
    "count",
    "exact",
    "first_few",
    "limits",
    "listed",
    "people",
    "percent",
    "points",
    "sentence",
    "test_beside",
    "why_missing",
]

NONE = "–"


@dataclass(frozen=True, slots=True)
class Noun:
    """A kind of stimulus as named in sentences."""

    one: str
    many: str


CLIP = Noun("clip", "clips")
NOUNS = {one.one: one for one in (CLIP, Noun("record", "records"), Noun("text", "texts"))}
ITEM = Noun("item", "items")
"""Of answers from elsewhere, of which it is not known, and of a study that shows several kinds."""
_MOST_NAMED = 4


def percent(value: float | None) -> str:
    """Whole percent; one decimal below 1%, so that something is not called nothing."""
    if value is None:
        return NONE
    if 0 < abs(value) < 0.01:
        return f"{100 * value:z.1f}%"
    return f"{100 * value:z.0f}%"


def points(value: float) -> str:
    """A difference of two shares."""
    return count(round(100 * abs(value)), "point")


def limits(low: float | None, high: float | None) -> str:
    """``66 to 75``, next to a number in percent."""
    return "" if low is None or high is None else f"{100 * low:z.0f} to {100 * high:z.0f}"


def test_beside(found: Evidence, p: float | None) -> str:
    """``, p = .125 over people``, if p and not the interval leaves the verdict open."""
    return "" if with_test(found, p) == found else f", {p_words(p)} over people"


def between(one: Interval) -> str:
    """``95% interval 66% to 75%``, or why there is none."""
    if one.low is None or one.high is None:
        return f"no interval: {one.reason}"
    return f"{100 * one.level:g}% interval {percent(one.low)} to {percent(one.high)}"


def why_missing(named: Iterable[tuple[str, Interval]]) -> str:
    """Sentences that say why intervals are missing, with a space before them; empty where all are there."""
    found: dict[str, list[str]] = {}
    for name, one in named:
        if one.reason:
            found.setdefault(one.reason, []).append(name)
    return "".join(f" No interval of {first_few(names)}: {reason}." for reason, names in found.items())


def exact(value: float | None) -> str:
    """Statistics such as an AUC."""
    return NONE if value is None else f"{value:z.2f}"


def people(n: int) -> str:
    return f"{n:,} person" if n == 1 else f"{n:,} people"


def first_few(names: Sequence[str]) -> str:
    """All names, or the first few and how many more there are."""
    if len(names) <= _MOST_NAMED + 1:
        return listed(list(names))
    return f"{', '.join(names[:_MOST_NAMED])} and {len(names) - _MOST_NAMED} more"


def ends_of(one: Description | Estimate) -> tuple[float | None, float | None]:
    return one.interval.low, one.interval.high
