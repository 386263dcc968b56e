"""What the results page is given."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from app.admin.pages import AdminPage
from app.admin.results.charts import People, Row, Tick
from app.jobs.queue import JobView
from app.reports.results.view import Figure, ResultsView
from app.studies.blinding import Opening


@dataclass(frozen=True, slots=True)
class Link:
    """One of several views of the page."""

    address: str
    label: str
    is_here: bool


@dataclass(frozen=True, slots=True)
class Table:
    """A figure's numbers as text; the first column names the row, `is_number` says which stand right."""

    caption: str
    head: Sequence[str]
    is_number: Sequence[bool]
    rows: Sequence[Sequence[str]]
    n_more: int


@dataclass(frozen=True, slots=True)
class Drawn:
    """A figure with its places on the page; `csv` is the address of its numbers."""

    figure: Figure
    rows: Sequence[Row]
    ticks: Sequence[Tick]
    people: People | None
    table: Table
    csv: str
    n_more: int = 0


_ITEMS = {"ratings": "Ratings", "classes": "Classes", "yes-no": "Yes / no judgements"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultsPage(AdminPage):
    """`view` is None while nothing is computed; `is_closed` while this user has not opened a running study.

    `posters` are the clips that there is a picture of."""

    template: ClassVar[str] = "results.html"
    tab: ClassVar[str] = "results"
    slug: str
    mode: str
    modes: Sequence[Link]
    n_answers: int
    is_closed: bool
    is_blinded: bool
    openings: Sequence[Opening]
    view: ResultsView | None = None
    drawn: Mapping[str, Drawn]
    under_way: JobView | None = None
    failed: JobView | None = None
    is_current: bool = True
    sorts: Sequence[Link] = ()
    every_pair: str = ""
    others: Sequence[str] = ()
    against: str = ""
    posters: frozenset[str] = frozenset()

    def figures(self, section: str) -> Sequence[Drawn]:
        return [one for one in self.drawn.values() if one.figure.section == section]

    @property
    def rated(self) -> Sequence[tuple[str, str]]:
        """The sections of items, one for each block and what it has, with their titles."""
        sections = dict.fromkeys(one.figure.section for one in self.drawn.values())
        found = [(name, *name.partition(":")[::2]) for name in sections if ":" in name]
        kinds = [kind for _, kind, _ in found]
        return [
            (name, f"{_ITEMS[kind]}: {block}" if kinds.count(kind) > 1 else _ITEMS[kind])
            for name, kind, block in found
        ]
