"""The data of the results page: from SQL and background computations."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import ClassVar
from urllib.parse import urlencode

from sqlmodel import Session

from analysis.findings.model import FORMAT, Figure, Findings, Mark
from analysis.natural import natural
from app.admin.access import Shell
from app.admin.pages import AdminPage
from app.jobs.queue import JobView
from app.library.media import poster_path
from app.library.places import results_folder
from app.outputs.results import (
    ResultsRequest,
    Standing,
    asked_for,
    comparable,
    is_wanted,
    modes_of,
    usual_mode,
)
from app.outputs.results import standing as standing_of
from app.outputs.shared_results import ResultsLinkView, results_links, usual_end
from app.reports.kept import from_json
from app.reports.page.drawn import Block, Drawn, ShownSection, blocks_of, drawn_of, shown_sections
from app.studies.access import StudyHere
from app.studies.blinding import Opening, is_blinded, may_look, openings
from app.trials.tables import Mode
from app.verdicts.judging import not_judged


@dataclass(frozen=True, slots=True)
class Link:
    """One of several views of the page."""

    address: str
    label: str
    is_here: bool


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the page with an address of its own; `kinds` are those of its blocks."""

    anchor: str
    label: str
    kinds: frozenset[str]

    def fits(self, block: str) -> bool:
        return block.partition(":")[0] in self.kinds


PARTS = (
    Part("play", "Play", frozenset({"measures"})),
    Part("signatures", "Signatures", frozenset({"moves", "plays"})),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultsPage(AdminPage):
    """`view` is None while nothing is computed; `is_closed` while this user has not opened a running study.

    `posters` are the clips that there is a picture of. `wanted` is what is to be computed anew."""

    template: ClassVar[str] = "results.html"
    tab: ClassVar[str] = "results"
    slug: str
    mode: str
    modes: Sequence[Link]
    n_answers: int
    is_closed: bool
    is_blinded: bool
    openings: Sequence[Opening]
    view: Findings | None = None
    drawn: Mapping[str, Drawn]
    under_way: JobView | None = None
    failed: JobView | None = None
    is_current: bool = True
    wanted: ResultsRequest | None = None
    sorts: Sequence[Link] = ()
    every_pair: str = ""
    others: Sequence[str] = ()
    against: str = ""
    posters: frozenset[str] = frozenset()
    statistics: Sequence[ShownSection] = ()
    links: Sequence[ResultsLinkView] = ()
    usual_end: str = ""
    new_link: str = ""
    typed: Mapping[str, str]
    # While exclusion rules wait to be applied: how many sessions are not judged, in words.
    not_judged: str = ""

    @property
    def blocks(self) -> Sequence[Block]:
        return blocks_of(self.view, self.drawn) if self.view else ()

    @property
    def parts(self) -> Mapping[str, Part]:
        """The parts that the menu leads to, by the name of their first block, as far as the results have them."""
        names = [block.name for block in self.blocks]
        found = ((part, next(filter(part.fits, names), None)) for part in PARTS)
        return {name: part for part, name in found if name is not None}


MOST_PAIRS = 24
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
    session: Session,
    shell: Shell,
    study: StudyHere,
    data_dir: Path,
    wish: Wish,
    now: datetime,
    error: str = "",
    new_link: str = "",
    typed: Mapping[str, str] | None = None,
) -> ResultsPage:
    """The results page; `new_link` is shown this once. Raises BadView and NotFound for an invalid address."""
    answers = modes_of(session, study)
    asked = asked_for(session, shell.who, study, wish.mode or usual_mode(answers), wish.against)
    is_closed = not all(
        may_look(session, shell.who, one, asked.mode) for one in (study, asked.against) if one is not None
    )
    here = f"/admin/studies/{study.slug}/results"
    counts = dict(answers)
    there = None if is_closed else standing_of(session, study, asked)
    view = kept_view(data_dir, there) if there else None
    drawn = dict(_drawn(view, here, asked, wish)) if view else {}
    return ResultsPage(
        shell=shell,
        error=error,
        slug=study.slug,
        mode=asked.mode,
        modes=[
            Link(
                _address(here, mode=mode),
                f"{_MODES[mode]}, {n:,} answer{'' if n == 1 else 's'}",
                mode is asked.mode,
            )
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
        wanted=asked
        if there and counts[asked.mode] and is_wanted(there, now, is_kept=view is not None)
        else None,
        sorts=_sorts(here, asked, wish),
        every_pair=_every(view, here, asked, wish),
        others=[] if is_closed else comparable(session, shell.who, study, asked.mode),
        against=asked.against.slug if asked.against else "",
        posters=posters_of(view, data_dir),
        statistics=_statistics(view, here, asked),
        links=results_links(session, study, now) if shell.may_edit else (),
        usual_end=usual_end(now).isoformat(),
        new_link=new_link,
        typed=typed or {},
        not_judged="" if is_closed else not_judged(session, study.slug),
    )


def kept_view(data_dir: Path, there: Standing) -> Findings | None:
    """The results stored by the worker; None if they are gone or of another release."""
    return view_of(data_dir, there.shown) if there.shown else None


def view_of(data_dir: Path, job: JobView) -> Findings | None:
    try:
        view = from_json((results_folder(data_dir, job.id) / "view.json").read_bytes())
    except (OSError, ValueError):
        return None
    return view if view.format == FORMAT else None


def _address(here: str, **fields: str) -> str:
    given = {name: value for name, value in fields.items() if value}
    return f"{here}?{urlencode(given)}" if given else here


def _query(asked: ResultsRequest) -> dict[str, str]:
    return {"mode": str(asked.mode), "against": asked.against.slug if asked.against else ""}


def _sorts(here: str, asked: ResultsRequest, wish: Wish) -> Sequence[Link]:
    chosen = wish.pairs if wish.pairs in SORTS else "votes"
    return [
        Link(_address(here, **_query(asked), pairs=name, every=wish.every) + "#pairs", label, name == chosen)
        for name, (label, _) in SORTS.items()
    ]


def _every(view: Findings | None, here: str, asked: ResultsRequest, wish: Wish) -> str:
    figure = view.figure("pairs") if view else None
    if figure is None or wish.every or len(figure.marks) <= MOST_PAIRS:
        return ""
    return _address(here, **_query(asked), pairs=wish.pairs, every="1") + "#pairs"


def _drawn(view: Findings, here: str, asked: ResultsRequest, wish: Wish) -> Sequence[tuple[str, Drawn]]:
    return [
        (figure.name, _figure(figure, _address(f"{here}/{figure.name}.csv", **_query(asked)), wish))
        for figure in view.figures
    ]


def _statistics(view: Findings | None, here: str, asked: ResultsRequest) -> Sequence[ShownSection]:
    def address(name: str) -> str:
        return _address(f"{here}/numbers/{name}.csv", **_query(asked))

    return shown_sections(view.sections, address) if view else ()


def _figure(figure: Figure, address: str, wish: Wish) -> Drawn:
    marks: Sequence[Mark] = figure.marks
    if figure.drawing == "pairs":
        marks = sorted(marks, key=SORTS.get(wish.pairs, SORTS["votes"])[1])
        marks = marks if wish.every else marks[:MOST_PAIRS]
    return drawn_of(figure, address, marks=marks)


def _clips(view: Findings | None) -> frozenset[str]:
    figure = view.figure("pairs") if view else None
    marks = figure.marks if figure else ()
    return frozenset(clip.sha256 for mark in marks for clip in mark.clips or () if clip.sha256)


def posters_of(view: Findings | None, data_dir: Path) -> frozenset[str]:
    return frozenset(clip for clip in _clips(view) if _is_drawn(poster_path(data_dir, clip)))


def _is_drawn(path: Path) -> bool:
    """An empty file says that no picture can be made."""
    return path.is_file() and path.stat().st_size > 0


def lacks_posters(page: ResultsPage, data_dir: Path) -> bool:
    """True if a picture was never attempted."""
    return any(not poster_path(data_dir, clip).exists() for clip in _clips(page.view))
