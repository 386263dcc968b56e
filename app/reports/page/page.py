"""The report's page: findings of each study as Results shows them, with methods, references and files."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from analysis.findings.model import Findings, Numbers
from app.reports.page.drawn import Block, Drawn, ShownSection, blocks_of, drawn_of, shown_sections
from app.reports.page.methods import Methods

WARNINGS = {
    "simulated": "These numbers are of simulated participants: no person gave these answers.",
    "pilot": "These numbers are of a pilot, not of the study itself.",
    "preview": "These numbers are of previews: they do not count.",
}
EMPTY = "There are no answers yet: this report has no numbers."


@dataclass(frozen=True, slots=True)
class Part:
    """One study: its `findings`, or the `reason` why there are none."""

    title: str
    findings: Findings | None = None
    reason: str = ""
    notes: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class DrawnPart:
    """A part as the template places it; `anchor` is its id."""

    anchor: str
    title: str
    view: Findings | None
    reason: str
    notes: Sequence[str]
    drawn: Mapping[str, Drawn]
    blocks: Sequence[Block]
    statistics: Sequence[ShownSection]


@dataclass(frozen=True, slots=True)
class ReportPage:
    """The whole page; `about` stands below the title."""

    template: ClassVar[str] = "report.html"
    title: str
    about: Sequence[str]
    warning: str
    parts: Sequence[DrawnPart]
    methods: Methods
    files: Sequence[str]


def report_page(
    title: str,
    about: Sequence[str],
    warning: str,
    parts: Sequence[Part],
    methods: Methods,
    files: Sequence[str],
) -> ReportPage:
    return ReportPage(
        title=title,
        about=[line for line in about if line],
        warning=warning,
        parts=[_drawn(part, place, is_alone=len(parts) == 1) for place, part in enumerate(parts, start=1)],
        methods=methods,
        files=files,
    )


def numbers_in(parts: Sequence[Part]) -> Iterator[tuple[str, Numbers]]:
    """Every figure's numbers and every table of a statistic, by its file in the folder."""
    for place, part in enumerate(parts, start=1):
        if part.findings is None:
            continue
        for figure in part.findings.figures:
            if figure.numbers.columns:
                yield _file("figures", figure.name, place), figure.numbers
        for section in part.findings.sections:
            for at, table in enumerate(section.tables, start=1):
                yield _file("numbers", section.name if at == 1 else f"{section.name}-{at}", place), table


def _file(folder: str, name: str, place: int) -> str:
    """The second study's files begin with its place."""
    return f"{folder}/{name}.csv" if place == 1 else f"{folder}/{place}-{name}.csv"


def _drawn(part: Part, place: int, *, is_alone: bool) -> DrawnPart:
    view, ending = part.findings, "" if place == 1 else f"-{place}"
    drawn = {
        one.name: drawn_of(one, _file("figures", one.name, place), f"figure-{one.name}{ending}")
        for one in (view.figures if view else ())
    }
    return DrawnPart(
        anchor=f"study-{place}",
        title="" if is_alone else part.title,
        view=view,
        reason=part.reason,
        notes=part.notes,
        drawn=drawn,
        blocks=blocks_of(view, drawn) if view else (),
        statistics=shown_sections(view.sections, lambda name: _file("numbers", name, place)) if view else (),
    )
