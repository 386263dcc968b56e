"""The verdicts that a new run of judges takes along, and the findings that the page of judges shows of a run."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from string import ascii_lowercase
from typing import Any

from analysis.findings.item_judge_tables import item_judges_section
from analysis.findings.item_judges import item_judges_figure
from analysis.findings.judge_tables import judges_section
from analysis.findings.judges import judges_figure
from analysis.findings.model import Figure, Findings
from analysis.judging import JudgeValidation
from analysis.judging.items import BlockValidation
from app.core.spreadsheet import CsvTable, restored
from app.judges.standing import About, JudgeHere, has_successor, judges_about, runs_with_verdicts
from app.judges.study import main_pairs
from app.library.places import judging_folder
from app.outputs.outputs import VERDICTS
from app.reports.kept import to_json
from app.studies.queries import study_named
from app.worker.context import Work

VIEW = "view.json"
SUPERSEDED = "answers were withdrawn after this run; a newer one compares its judges with those that are left"
NO_JUDGE = "no judge is left; run one, or upload verdicts"

Row = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Before:
    """Rows of verdicts that stand, and where each judge's came from."""

    rows: Sequence[Row] = ()
    origins: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def stood_before(work: Work, about: About, replaced: Collection[str]) -> Before:
    """The verdicts of all judges but the `replaced` ones and those that the run takes out.

    A run whose file is gone has none.
    """
    gone = {*replaced, *work.params.get("without", ())}
    with work.database.reading() as session:
        otherwise: About = "pairs" if main_pairs(session, work.params["slug"]) else "items"
        study_id = study_named(session, work.params["slug"]).id
        here = judges_about(runs_with_verdicts(session, study_id), about, otherwise)
    wanted: dict[int, set[str]] = {}
    for name, judge in here.items():
        if name not in gone:
            wanted.setdefault(judge.job_id, set()).add(name)
    rows: list[Row] = []
    for job_id, names in wanted.items():
        rows += _rows_of(judging_folder(work.settings.data_dir, job_id) / VERDICTS, about, names)
    found = dict.fromkeys(row["judge"] for row in rows)
    return Before(rows, {name: _origin(here[name]) for name in found})


def is_superseded(work: Work) -> bool:
    """True for a finished run whose judges a newer run holds, too."""
    with work.database.reading() as session:
        otherwise: About = "pairs" if main_pairs(session, work.params["slug"]) else "items"
        return has_successor(session, work.job, otherwise)


def _rows_of(path: Path, about: About, names: Collection[str]) -> list[Row]:
    if not path.is_file():
        return []
    table = CsvTable(path, cell=restored)
    # A run of an earlier release does not say what it is about, but its file does.
    if ("item" in table.header) is not (about == "items"):
        return []
    return [row.cells for row in table if row.cells["judge"] in names]


def _origin(judge: JudgeHere) -> Mapping[str, Any]:
    return {
        "at": judge.at.isoformat() if judge.at else None,
        "file": judge.file,
        "title": judge.title,
        "number": judge.number,
        "version": judge.version,
        "verdicts": judge.verdicts,
    }


def origin_of(work: Work, n: int, number: int | None, version: str, title: str = "") -> Mapping[str, Any]:
    """The origin of a judge's verdicts that come with this run; with a `number` the judge ran here."""
    return {
        "at": work.now().isoformat(),
        "file": "" if number is not None else work.params["file_name"],
        "title": title,
        "number": number,
        "version": version,
        "verdicts": n,
    }


def keep_view(
    work: Work, folder: Path, found: JudgeValidation | Sequence[BlockValidation], origins: Any
) -> None:
    """Write the findings of a run, as Results has them."""
    notes = notes_of(origins)
    figures: tuple[Figure, ...]
    if isinstance(found, JudgeValidation):
        mode = found.settings.mode
        figures = (judges_figure(found, notes),)
        sections = tuple(judges_section(found))
        n_people, n_answers = found.n_participants, found.n_votes
    else:
        mode = found[0].mode
        names = (f"itemjudges{letter}" for letter in ("", *ascii_lowercase[1:]))
        figures = tuple(
            item_judges_figure(name, one.block, one.validation, notes)
            for name, one in zip(names, found, strict=False)
        )
        sections = tuple(item_judges_section(one.validation) for one in found)
        n_people, n_answers = found[0].n_participants, found[0].n_rated
    view = Findings(
        study=work.params["slug"],
        mode=mode,
        made_at=work.now(),
        figures=figures,
        sections=sections,
        n_people=n_people,
        n_answers=n_answers,
        has_pairs=isinstance(found, JudgeValidation),
    )
    (folder / VIEW).write_bytes(to_json(view))


def notes_of(origins: Mapping[str, Mapping[str, Any]]) -> Mapping[str, str]:
    """A line for each judge: its title, or when its verdicts were uploaded."""
    return {name: says for name, origin in origins.items() if (says := _says(origin))}


def _says(origin: Mapping[str, Any]) -> str:
    if origin.get("file") and origin.get("at"):
        at = datetime.fromisoformat(origin["at"])
        return f"uploaded, {at.day} {at:%b %Y}"
    title = str(origin.get("title", ""))
    return f"{title[:1].lower()}{title[1:]}"
