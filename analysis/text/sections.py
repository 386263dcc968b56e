"""Findings for a terminal: headings, sentences and tables of at most 60 rows."""

from collections.abc import Iterable, Iterator

from rich.console import RenderableType
from rich.table import Table

from analysis.findings.arms import Kind, rating_arms_section
from analysis.findings.cells import TERMINAL, cell_text
from analysis.findings.model import Cell, Column, Numbers, Section
from analysis.stats.arms import ArmsCompared
from analysis.terminal import heading, name_of, table_of

LONGEST = 60
MOST_ARM_PAIRS = 3


def render_sections(sections: Iterable[Section]) -> Iterator[RenderableType]:
    """Each section one below the other."""
    for section in sections:
        yield heading(name_of(section.title))
        yield from map(name_of, section.sentences)
        for numbers in section.tables:
            yield from _table(numbers, section.title)
        yield from map(name_of, section.notes)
        for place, point in enumerate(section.points, start=1):
            yield name_of(f"{place}. {point}")


def brief_arms(found: ArmsCompared | None, kind: Kind) -> Iterator[str]:
    """The first comparisons of the arms of items."""
    for section in rating_arms_section(found, kind):
        yield from (name_of(f"Arms {said}") for said in section.sentences[:MOST_ARM_PAIRS])
        if len(section.sentences) > MOST_ARM_PAIRS:
            more = len(section.sentences) - MOST_ARM_PAIRS
            yield f"... and {more} more comparisons of arms: --full has them all."


def _table(numbers: Numbers, title: str) -> Iterator[RenderableType]:
    if numbers.caption:
        yield ""
        yield name_of(numbers.caption)
    rows = numbers.rows[:LONGEST]
    shown = [at for at in range(len(numbers.columns)) if any(row[at] is not None for row in rows)]
    table = _of(numbers, shown)
    for row in rows:
        table.add_row(*(_cell(row[at], numbers.columns[at]) for at in shown))
    yield table
    if len(numbers.rows) > LONGEST:
        what = (numbers.caption or title).partition(" (")[0].lower()
        yield f"The first {LONGEST} of {len(numbers.rows)} {what}; --json has them all."


def _of(numbers: Numbers, shown: list[int]) -> Table:
    """The columns that have any content; those that name a row are left-aligned."""
    columns = [numbers.columns[at] for at in shown]
    left = sum(column.unit == "text" for column in columns)
    return table_of(*(name_of(column.title) for column in columns), left=left)


def _cell(cell: Cell, column: Column) -> str:
    text = name_of(cell_text(cell, column, TERMINAL))
    return "" if text == TERMINAL.none and column.unit == "text" else text
