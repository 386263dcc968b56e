"""Builders of tables: columns and cells from means, estimates, intervals and tests, and why numbers are missing."""

import re
from collections.abc import Iterable, Iterator, Sequence

from analysis.findings.model import Cell, Column, Measured, Numbers, Unit
from analysis.stats.description import Description
from analysis.stats.estimates import Estimate
from analysis.stats.intervals import Interval
from analysis.words import sentence

Number = Description | Estimate


def column(title: str, unit: Unit = "number", digits: int = 3) -> Column:
    """A column named in the CSV by its title: `p Holm` is `p_holm`."""
    return Column(re.sub(r"[^a-z0-9]+", "_", title.lower()).strip("_") or "of", title, unit, digits)


def names(*titles: str) -> tuple[Column, ...]:
    """Columns that name a row."""
    return tuple(column(title, "text") for title in titles)


def counts(*titles: str) -> tuple[Column, ...]:
    return tuple(column(title, "count") for title in titles)


def p_values(*titles: str) -> tuple[Column, ...]:
    return tuple(column(title, "p") for title in titles)


def words_table(
    caption: str, head: Sequence[str], rows: Iterable[Sequence[Cell]], n_names: int = 1
) -> Numbers:
    """A table whose cells are words already; those after the first `n_names` stand as numbers do."""
    columns = (column(title, "text" if at < n_names else "words") for at, title in enumerate(head))
    return Numbers(caption, tuple(columns), tuple(tuple(row) for row in rows))


def value_of(one: Number) -> float | None:
    """The number itself: a mean over participants, or an estimate's value."""
    return one.mean if isinstance(one, Description) else one.value


def measured(one: Number) -> Measured:
    """A number with its interval."""
    return Measured(value_of(one), one.interval.low, one.interval.high)


def ends(one: Interval) -> Measured:
    """An interval alone."""
    return Measured(None, one.low, one.high)


def said(one: Number, digits: int = 3) -> str:
    """``0.839 (0.783 to 0.894)`` in a sentence."""
    value = value_of(one)
    if value is None:
        return "not known"
    low, high = one.interval.low, one.interval.high
    limits = "" if low is None or high is None else f" ({low:z.{digits}f} to {high:z.{digits}f})"
    return f"{value:z.{digits}f}{limits}"


def reasons(named: Iterable[tuple[str, Number]]) -> Iterator[str]:
    """A sentence for each reason why numbers or their intervals are missing."""
    found: dict[str, list[str]] = {}
    for name, one in named:
        for reason in dict.fromkeys(filter(None, (one.reason, one.interval.reason))):
            found.setdefault(reason, []).append(name)
    for reason, of in found.items():
        yield f"Missing in {'; '.join(dict.fromkeys(of))}: {reason}."


def sentences(*texts: str | None) -> Iterator[str]:
    """Each text that is there, once, with a capital letter and a full stop."""
    yield from (sentence(text) for text in dict.fromkeys(filter(None, texts)))
