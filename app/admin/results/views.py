"""The data of the results page: from SQL and background computations."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar
from urllib.parse import urlencode

from sqlmodel import Session

from app.admin.access import Shell
from app.admin.p_values import p_cell
from app.admin.pages import AdminPage
from app.admin.results.charts import People, Plot, Row, Tick, people, plots, rows, ticks
from app.catalog.catalog import natural
from app.core.spreadsheet import csv_text
from app.jobs.queue import JobView
from app.library.media import poster_path
from app.library.places import results_folder
from app.outputs.results import (
    Asked,
    Standing,
    asked_for,
    comparable,
    modes_of,
)
from app.outputs.results import standing as standing_of
from app.reports.results.view import FORMAT, Cell, Column, Figure, Mark, Numbers, ResultsView, from_json
from app.studies.access import StudyHere
from app.studies.blinding import Opening, is_blinded, may_look, openings
from app.trials.tables import Mode


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
    plots: Sequence[Plot]
    ticks: Sequence[Tick]
    people: People | None
    table: Table
    csv: str
    n_more: int = 0


_ITEMS = {"ratings": "Ratings", "classes": "Classes", "yes-no": "Yes / no judgements", "measures": "Play"}


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
        """The sections of items, one for each block and kind, with their titles."""
        sections = dict.fromkeys(one.figure.section for one in self.drawn.values())
        found = [(name, *name.partition(":")[::2]) for name in sections if ":" in name]
        kinds = [kind for _, kind, _ in found]
        return [
            (name, f"{_ITEMS[kind]}: {block}" if kinds.count(kind) > 1 else _ITEMS[kind])
            for name, kind, block in found
        ]


MOST_PAIRS, MOST_ROWS = 24, 200
SORTS: Mapping[str, tuple[str, Callable[[Mark], tuple[object, ...]]]] = {
    "votes": ("By votes", lambda mark: (-(mark.value or 0.0), natural(mark.name))),
    "condition": ("By condition", lambda mark: (mark.group, -(mark.value or 0.0), natural(mark.name))),
    "name": ("By name", lambda mark: (natural(mark.name),)),
}
_MODES = {Mode.LIVE: "Live", Mode.PILOT: "Pilot", Mode.SIMULATED: "Simulated"}


@dataclass(frozen=True, slots=True)
class Wish:
    """The parameters of the address; empty means the default."""

    mode: str = ""
    against: str = ""
    pairs: str = ""
    every: str = ""


def results_page(
    session: Session, shell: Shell, study: StudyHere, data_dir: Path, wish: Wish, error: str = ""
) -> ResultsPage:
    """The results page. Raises BadView and NotFound for an invalid address."""
    asked = asked_for(session, shell.who, study, wish.mode, wish.against)
    is_closed = not all(
        may_look(session, shell.who, one, asked.mode) for one in (study, asked.against) if one is not None
    )
    here = f"/admin/studies/{study.slug}/results"
    counts = dict(modes_of(session, study))
    there = None if is_closed else standing_of(session, study, asked)
    view = kept_view(data_dir, there) if there else None
    drawn = dict(_drawn(view, here, asked, wish)) if view else {}
    return ResultsPage(
        shell=shell,
        error=error,
        slug=study.slug,
        mode=asked.mode,
        modes=[
            Link(_address(here, mode=mode), f"{_MODES[mode]} ({n:,})", mode is asked.mode)
            for mode, n in counts.items()
        ],
        n_answers=counts[asked.mode],
        is_closed=is_closed,
        is_blinded=is_blinded(study, asked.mode),
        openings=openings(session, study),
        view=view,
        drawn=drawn,
        under_way=there.under_way if there else None,
        failed=there.failed if there else None,
        is_current=bool(there and there.is_current),
        sorts=_sorts(here, asked, wish),
        every_pair=_every(view, here, asked, wish),
        others=[] if is_closed else comparable(session, shell.who, study, asked.mode),
        against=asked.against.slug if asked.against else "",
        posters=_posters(view, data_dir),
    )


def kept_view(data_dir: Path, there: Standing) -> ResultsView | None:
    """The results stored by the worker; None if they are gone or of another release."""
    return view_of(data_dir, there.shown) if there.shown else None


def view_of(data_dir: Path, job: JobView) -> ResultsView | None:
    try:
        view = from_json((results_folder(data_dir, job.id) / "view.json").read_bytes())
    except (OSError, ValueError):
        return None
    return view if view.format == FORMAT else None


def figure_csv(figure: Figure) -> str:
    """The numbers of a figure, unrounded, as the page's table has them rounded."""
    head = [column.name for column in figure.numbers.columns]
    return csv_text(
        head, [["" if cell is None else str(cell) for cell in row] for row in figure.numbers.rows]
    )


def _address(here: str, **fields: str) -> str:
    given = {name: value for name, value in fields.items() if value}
    return f"{here}?{urlencode(given)}" if given else here


def _asked(asked: Asked) -> dict[str, str]:
    return {"mode": str(asked.mode), "against": asked.against.slug if asked.against else ""}


def _sorts(here: str, asked: Asked, wish: Wish) -> Sequence[Link]:
    chosen = wish.pairs if wish.pairs in SORTS else "votes"
    return [
        Link(_address(here, **_asked(asked), pairs=name, every=wish.every) + "#pairs", label, name == chosen)
        for name, (label, _) in SORTS.items()
    ]


def _every(view: ResultsView | None, here: str, asked: Asked, wish: Wish) -> str:
    figure = view.figure("pairs") if view else None
    if figure is None or wish.every or len(figure.marks) <= MOST_PAIRS:
        return ""
    return _address(here, **_asked(asked), pairs=wish.pairs, every="1") + "#pairs"


def _drawn(view: ResultsView, here: str, asked: Asked, wish: Wish) -> Sequence[tuple[str, Drawn]]:
    return [
        (figure.name, _figure(figure, _address(f"{here}/{figure.name}.csv", **_asked(asked)), wish))
        for figure in view.figures
    ]


def _figure(figure: Figure, address: str, wish: Wish) -> Drawn:
    marks: Sequence[Mark] = figure.marks
    if figure.drawing == "pairs":
        marks = sorted(marks, key=SORTS.get(wish.pairs, SORTS["votes"])[1])
        marks = marks if wish.every else marks[:MOST_PAIRS]
    return Drawn(
        figure=figure,
        rows=rows(figure, marks),
        plots=plots(figure),
        ticks=ticks(figure),
        people=people(figure),
        table=_table(figure.numbers),
        csv=address if figure.numbers.columns else "",
        n_more=len(figure.marks) - len(marks),
    )


def _table(numbers: Numbers) -> Table:
    shown = numbers.rows[:MOST_ROWS]
    return Table(
        caption=numbers.caption,
        head=[column.title for column in numbers.columns],
        is_number=[column.unit != "text" for column in numbers.columns],
        rows=[
            [_shown(cell, column) for cell, column in zip(row, numbers.columns, strict=True)] for row in shown
        ],
        n_more=len(numbers.rows) - len(shown),
    )


def _shown(cell: Cell, column: Column) -> str:
    if cell is None or cell == "":
        return "–"
    if isinstance(cell, str):
        return cell
    match column.unit:
        case "share":
            return f"{100 * cell:.1f}%"
        case "count":
            return f"{cell:,}"
        case "p":
            return p_cell(cell)
        case _:
            return str(cell) if isinstance(cell, int) else f"{cell:.3f}"


def _clips(view: ResultsView | None) -> frozenset[str]:
    figure = view.figure("pairs") if view else None
    marks = figure.marks if figure else ()
    return frozenset(clip.sha256 for mark in marks for clip in mark.clips or () if clip.sha256)


def _posters(view: ResultsView | None, data_dir: Path) -> frozenset[str]:
    return frozenset(clip for clip in _clips(view) if _is_drawn(poster_path(data_dir, clip)))


def _is_drawn(path: Path) -> bool:
    """An empty file says that no picture can be made."""
    return path.is_file() and path.stat().st_size > 0


def lacks_posters(page: ResultsPage, data_dir: Path) -> bool:
    """True if a picture was never attempted."""
    return any(not poster_path(data_dir, clip).exists() for clip in _clips(page.view))
