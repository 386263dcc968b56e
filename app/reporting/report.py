"""A report: one folder with a page that opens anywhere, its numbers as JSON and CSV, and the methods in words."""

import json
import secrets
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from sqlmodel import Session

from analysis import Analysis, analyze
from analysis.columns import MODES
from analysis.summary import FORMAT
from app.errors import StudyError
from app.reporting.export import csv_lines
from app.reporting.facts import COUNTED_MODES, StudyFacts, study_facts
from app.reporting.frames import responses_frame
from app.reporting.reports.methods import methods_of
from app.reporting.reports.page import report_page
from app.reporting.reports.tables import HEADS, tables_of

OnProgress = Callable[[int, int, str], None]

_HERE = Path(__file__).parent
_environment = Environment(
    loader=FileSystemLoader(_HERE / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


@dataclass(frozen=True, slots=True)
class ReportInfo:
    """What a report is of; `mode` is that of the answers analysed, and `n_*` count those."""

    folder: Path
    files: tuple[str, ...]
    mode: str
    n_answers: int
    n_participants: int


def silent(_done: int, _total: int, _what: str) -> None:
    """Progress that nobody watches."""


def build_report(
    session: Session,
    slugs: str | Sequence[str],
    folder: Path,
    *,
    seed: int = 1,
    mode: str | None = None,
    made_at: datetime | None = None,
    on_progress: OnProgress = silent,
) -> ReportInfo:
    """Write the report of one study, or of several side by side, into `folder`.

    The mode is by default the first of live, simulated and pilot that has answers; previews never count. A file that
    is there already is replaced, once all files are made. Raises NotFound for an unknown study, StudyError for a mode
    that is none or a folder that cannot be written.
    """
    names = [slugs] if isinstance(slugs, str) else list(dict.fromkeys(slugs))
    steps = len(names) + 2
    studies, frames = [], {}
    for done, slug in enumerate(names):
        on_progress(done, steps, f"reading {slug}")
        studies.append(study_facts(session, slug))
        frames[slug] = responses_frame(session, slug)
    on_progress(steps - 2, steps, "computing")
    info = write_report(studies, frames, folder, seed=seed, mode=mode, made_at=made_at)
    on_progress(steps, steps, "done")
    return info


def write_report(
    studies: Sequence[StudyFacts],
    frames: Mapping[str, pd.DataFrame],
    folder: Path,
    *,
    seed: int,
    mode: str | None,
    made_at: datetime | None,
) -> ReportInfo:
    """As `build_report`, from checked responses by study."""
    if mode is not None and mode not in COUNTED_MODES:
        raise StudyError(f"mode {mode!r} cannot be reported; allowed: {', '.join(COUNTED_MODES)}")
    chosen = mode or first_mode(frames.values())
    analysis = _analysed(frames, chosen, seed)
    methods = methods_of(studies, analysis, chosen, seed)
    files = {
        f"tables/{name}.csv": "".join(csv_lines(rows, HEADS[name])) for name, rows in tables_of(analysis)
    }
    files["results.json"] = json_text(_results(analysis))
    files["methods.md"] = methods.markdown()
    files["report.css"] = (_HERE / "static" / "report.css").read_text(encoding="utf-8")
    made = f"{made_at.astimezone(UTC):%Y-%m-%d %H:%M} UTC" if made_at else ""
    page = report_page(studies, analysis, methods, mode=chosen, made=made, files=_to_read(files))
    files["report.html"] = _environment.get_template("report.html").render(page=page)
    _write(folder, files)
    selections = [result.selection for result in analysis.studies] if analysis else []
    return ReportInfo(
        folder=folder,
        files=tuple(sorted(files)),
        mode=chosen,
        n_answers=sum(one.n_used for one in selections),
        n_participants=sum(one.n_participants_used for one in selections),
    )


def first_mode(frames: Iterable[pd.DataFrame]) -> str:
    """The mode that is analysed unless one is asked for: the first that has answers, else live."""
    there = {str(mode) for frame in frames for mode in frame["mode"].unique()}
    return next((mode for mode in MODES if mode in there and mode in COUNTED_MODES), MODES[0])


def _analysed(frames: Mapping[str, pd.DataFrame], mode: str, seed: int) -> Analysis | None:
    """The analysis of the studies that have answers of the mode, or None where none has."""
    counted = {slug: frame[frame["mode"].isin(COUNTED_MODES)] for slug, frame in frames.items()}
    answered = {slug: frame for slug, frame in counted.items() if (frame["mode"] == mode).any()}
    if not answered:
        return None
    return analyze(list(answered.values()), mode=mode, seed=seed, origins=list(answered))


def _results(analysis: Analysis | None) -> dict[str, Any]:
    if analysis:
        return analysis.to_dict()
    return {
        "format": FORMAT,
        "settings": None,
        "studies": [],
        "comparisons": [],
        "labels": [],
        "reason": "there are no answers to analyse",
    }


def _to_read(files: Iterable[str]) -> list[str]:
    return sorted(name for name in files if not name.endswith(".css"))


def json_text(value: Any) -> str:
    """As this project writes JSON for people: indented, not escaped, never NaN."""
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _write(folder: Path, files: Mapping[str, str]) -> None:
    making = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}.part")
    try:
        for name, text in files.items():
            path = making / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="")
        for name in files:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            (making / name).replace(path)
    except OSError as error:
        raise StudyError(f"cannot write the report into {folder}: {error.strerror}") from None
    finally:
        shutil.rmtree(making, ignore_errors=True)
