"""Findings as a page places them: charts in percent, tables as text, sections in their order. Results and the report
are two frames around this."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from analysis.findings.cells import PAGE, cell_text, csv_head, csv_rows
from analysis.findings.model import Figure, Findings, Mark, Numbers, Section
from app.core.spreadsheet import csv_text
from app.reports.page.charts import People, Plot, Row, Tick, people, plots, rows, ticks

MOST_ROWS = 200


@dataclass(frozen=True, slots=True)
class Table:
    """Numbers as text; the first columns name the row, `is_number` says which stand right. `csv` is where all are."""

    caption: str
    head: Sequence[str]
    is_number: Sequence[bool]
    rows: Sequence[Sequence[str]]
    n_more: int
    csv: str = ""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A figure with its places on the page; `anchor` is its id, `csv` the address of its numbers."""

    figure: Figure
    rows: Sequence[Row]
    plots: Sequence[Plot]
    ticks: Sequence[Tick]
    people: People | None
    table: Table
    csv: str
    anchor: str


@dataclass(frozen=True, slots=True)
class Block:
    """Figures under one heading, with a line on how to read them."""

    name: str
    title: str
    about: str
    figures: Sequence[Drawn]


@dataclass(frozen=True, slots=True)
class ShownSection:
    """A statistic in words and tables."""

    title: str
    section: Section
    tables: Sequence[Table]


# Where a figure is said to be, and where its numbers lie.
Address = Callable[[str], str]

_TITLES = {
    "tell": "How well people tell",
    "conditions": "Conditions beside each other",
    "compared": "Beside another study",
    "pairs": "Pair by pair",
    "bias": "Bias and agreement",
    "moves": "How sources move, against people",
    "plays": "How sources play, given what they perceive, against people",
    "closing": "Distance to people, and whether people's votes agree",
}
_ITEMS = {"ratings": "Ratings", "classes": "Classes", "yes-no": "Yes / no judgements", "measures": "Play"}


def drawn_of(figure: Figure, csv: str, anchor: str = "", marks: Sequence[Mark] | None = None) -> Drawn:
    """A figure with its marks that are shown."""
    return Drawn(
        figure=figure,
        rows=rows(figure, figure.marks if marks is None else marks),
        plots=plots(figure),
        ticks=ticks(figure),
        people=people(figure),
        table=table_of(figure.numbers, csv),
        csv=csv if figure.numbers.columns else "",
        anchor=anchor or figure.name,
    )


def blocks_of(view: Findings, drawn: Mapping[str, Drawn]) -> Sequence[Block]:
    """The headings of a page that have a figure, in order; of play alone its measures come first."""
    by_name: dict[str, list[Drawn]] = {}
    for one in drawn.values():
        by_name.setdefault(one.figure.section, []).append(one)
    items = [(name, _item_title(name, by_name)) for name in by_name if ":" in name]
    known = list(_TITLES.items())
    first = known[:2] + items + known[2:] if view.is_play else known + items
    judges = "Judges and who is counted" if "judges" in drawn else "Who is counted"
    return [
        Block(name, title, view.how_moves if name in ("moves", "plays") else "", by_name[name])
        for name, title in (*first, ("judges", judges))
        if name in by_name
    ]


def _item_title(name: str, sections: Iterable[str]) -> str:
    kind, _, block = name.partition(":")
    of_kind = [one for one in sections if one.partition(":")[0] == kind]
    return f"{_ITEMS[kind]}: {block}" if len(of_kind) > 1 else _ITEMS[kind]


def shown_sections(sections: Iterable[Section], address: Address) -> Sequence[ShownSection]:
    """All numbers, statistic by statistic; `address` is where the table of a name lies as CSV."""
    return [
        ShownSection(
            section.title, section, [table_of(one, address(name)) for name, one in tables_of(section)]
        )
        for section in sections
    ]


def tables_of(section: Section) -> Sequence[tuple[str, Numbers]]:
    """The tables of a section by name: `agreement`, `agreement-2`."""
    return [
        (section.name if place == 1 else f"{section.name}-{place}", one)
        for place, one in enumerate(section.tables, start=1)
    ]


def table_of(numbers: Numbers, csv: str = "") -> Table:
    shown = numbers.rows[:MOST_ROWS]
    return Table(
        caption=numbers.caption,
        head=[column.title for column in numbers.columns],
        is_number=[column.unit != "text" for column in numbers.columns],
        rows=[
            [cell_text(cell, column, PAGE) for cell, column in zip(row, numbers.columns, strict=True)]
            for row in shown
        ],
        n_more=len(numbers.rows) - len(shown),
        csv=csv,
    )


def csv_of(numbers: Numbers) -> str:
    """Numbers unrounded, as a table on the page has them rounded."""
    return csv_text(csv_head(numbers), csv_rows(numbers))
