"""What a report's page is made of, and how numbers look in it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from analysis import Interval
from analysis.figures import AnyFigure, Figure
from analysis.p_values import p_words

PIXELS = 96
NONE = "none"
NO_BREAK = "\N{NO-BREAK SPACE}"
LONGEST = 200


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
    """`text` whose numbers do not break over lines: `p = .01`, `95 %`."""
    return re.sub(
        r"([=<>]) (?=\.?\d)|(?<=\d) (?=%)", lambda match: match[0].replace(" ", NO_BREAK), _letters(text)
    )


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
    return NONE if low is None or high is None else f"{low:.{digits}f} to {high:.{digits}f}"


def p_value(value: float | None) -> str:
    return p_words(value, NONE)


def of_dict(one: Mapping[str, Any], digits: int = 3) -> str:
    """The interval of a number as it stands in the JSON."""
    return limits(one["low"], one["high"], digits)
