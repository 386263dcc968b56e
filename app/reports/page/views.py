"""What a report's page is made of, and how numbers look in it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from analysis import Interval
from analysis.figures import AnyFigure, Figure
from analysis.stats import p_values
from analysis.stats.description import Description
from analysis.stats.estimates import Estimate

PIXELS = 96
NONE = "none"
NO_BREAK = "\N{NO-BREAK SPACE}"
LONGEST = 200

Measured = Description | Estimate


@dataclass(frozen=True, slots=True)
class TableView:
    """A table with its caption; the first `n_names` columns name the row, the others are numbers.

    `file` has all of it where the page shows less; `more` rows are not shown.
    """

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    n_names: int = 1
    file: str = ""
    more: int = 0


@dataclass(frozen=True, slots=True)
class FigureView:
    """A figure as its files `figures/NAME.svg` and `.png`, with its numbers; without a `name` there is a `reason`."""

    name: str
    title: str
    sentence: str
    reading: str = ""
    alt: str = ""
    reason: str = ""
    width: int = 0
    height: int = 0
    numbers: TableView | None = None


@dataclass(frozen=True, slots=True)
class SectionView:
    """A section: paragraphs, then figures, tables, notes, a numbered list and its own parts.

    `id` is its anchor, which parts do not have. `summary` is a list of findings; a `folded` part is opened
    by who wants it.
    """

    id: str
    title: str
    paragraphs: tuple[str, ...] = ()
    summary: tuple[str, ...] = ()
    warning: str = ""
    figures: tuple[FigureView, ...] = ()
    tables: tuple[TableView, ...] = ()
    notes: tuple[str, ...] = ()
    points: tuple[str, ...] = ()
    parts: tuple["SectionView", ...] = ()
    folded: bool = False

    def with_id(self, anchor: str) -> "SectionView":
        """The same as a section of its own."""
        return replace(self, id=anchor)


def bound(text: str) -> str:
    """`text` whose numbers do not break over lines: `p = .01`."""
    return re.sub(r"([=<>]) (?=\.?\d)", rf"\1{NO_BREAK}", _letters(text))


def _letters(text: str) -> str:
    return re.sub(r"\b([npUW]) (?=[=<>] \.?\d)", rf"\1{NO_BREAK}", text)


def figure_view(figure: AnyFigure, file: str = "") -> FigureView:
    """A figure as it stands in the page; `file` has all of its numbers."""
    if not isinstance(figure, Figure):
        return FigureView("", figure.title, "", reason=figure.reason)
    width, height = (round(side * PIXELS) for side in figure.size)
    given = figure.numbers
    numbers = TableView("", given.head, given.rows, given.n_names, file, given.n_more)
    about = figure.title, figure.sentence, figure.reading, figure.alt
    return FigureView(figure.name, *about, "", width, height, numbers)


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


def value_of(one: Measured) -> float | None:
    """The number itself: a mean over participants, or an estimate's value."""
    return one.mean if isinstance(one, Description) else one.value


def with_interval(one: Measured, digits: int = 3) -> str:
    """``0.839 (0.783 to 0.894)``."""
    value = value_of(one)
    return NONE if value is None else f"{number(value, digits)} ({interval(one.interval, digits)})"


def reasons(named: Iterable[tuple[str, Measured]]) -> Iterator[str]:
    """A sentence for each reason why numbers or their intervals are missing."""
    found: dict[str, list[str]] = {}
    for name, one in named:
        for reason in dict.fromkeys(filter(None, (one.reason, one.interval.reason))):
            found.setdefault(reason, []).append(name)
    for reason, names in found.items():
        yield f"Missing in {'; '.join(dict.fromkeys(names))}: {reason}."


def as_sentence(text: str) -> str:
    """With a capital first letter and a full stop."""
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"


def shortened(
    caption: str,
    head: Sequence[str],
    rows: Sequence[tuple[str, ...]],
    *,
    n_names: int = 1,
    file: str,
    most: int = LONGEST,
) -> TableView:
    """A table of at most `most` rows."""
    return TableView(caption, tuple(head), tuple(rows[:most]), n_names, file, max(0, len(rows) - most))
