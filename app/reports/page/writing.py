"""Writes a report into its folder: completely, or not at all."""

import json
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.figures import AnyFigure, Figure
from analysis.findings.model import Findings
from analysis.results import Result, table_rows
from app.core.errors import StudyError
from app.core.spreadsheet import csv_lines
from app.core.templating import html_of
from app.reports.page.drawn import csv_of
from app.reports.page.methods import Methods
from app.reports.page.page import WARNINGS, Part, ReportPage, numbers_in, report_page

Files = Mapping[str, str | bytes]
OnProgress = Callable[[int, int, str], None]

_STYLES = tuple(
    Path(__file__).parents[2] / place
    for place in ("sessions/static/look.css", "reports/static/findings.css", "reports/static/report.css")
)


@dataclass(frozen=True, slots=True)
class FileReport:
    """The report of one analysed table from a file, of which `n_counted` values count; `tables` are CSV by name.

    `judges` are held against the same people, in a file of their own."""

    title: str
    n_counted: int
    result: Result
    methods: Methods
    findings: Findings
    tables: Mapping[str, str]
    figures: tuple[AnyFigure, ...] = ()
    judges: Result | None = None


def silent(_done: int, _total: int, _what: str) -> None:
    """Progress that nobody watches."""


def write_file_report(
    make: Callable[[], FileReport], folder: Path, made_at: datetime | None, on_progress: OnProgress
) -> int:
    """Write what `make` computes into `folder`, and return how many values count.

    Raises StudyError for a folder that cannot be written."""
    require_folder(folder)
    on_progress(0, 2, "computing")
    made = make()
    on_progress(1, 2, "writing")
    files: dict[str, str | bytes] = {
        "methods.md": made.methods.markdown(),
        "results.json": json_text(made.result.to_dict()),
        **{f"tables/{name}.csv": text for name, text in made.tables.items()},
        **dict(drawings(made.figures)),
    }
    if made.judges is not None:
        files["judges.json"] = json_text(made.judges.to_dict())
    parts = [Part(made.title, made.findings)]
    files |= {name: csv_of(numbers) for name, numbers in numbers_in(parts)}
    at = made_words(made_at)
    about = f"Report by Likely Human{f', {at}' if at else ''}."
    page = report_page(
        made.title, [about], WARNINGS.get(made.findings.mode, ""), parts, made.methods, sorted(files)
    )
    write_folder(folder, with_page(files, page))
    on_progress(2, 2, "done")
    return made.n_counted


def csv_text(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table as CSV; each row has the cells of the head, in its order."""
    return "".join(csv_lines((dict(zip(head, row, strict=True)) for row in rows), head))


def csv_of_table(table: pd.DataFrame) -> str:
    """All columns of a table as CSV."""
    return "".join(csv_lines(table_rows(table), [str(name) for name in table]))


def with_page(files: Files, page: ReportPage) -> Files:
    """The files, and the page with its style."""
    return {
        **files,
        "report.css": "\n".join(path.read_text(encoding="utf-8") for path in _STYLES),
        "report.html": html_of(page),
    }


def drawings(figures: Iterable[AnyFigure]) -> Iterator[tuple[str, str | bytes]]:
    """The two files of each figure."""
    for figure in figures:
        if isinstance(figure, Figure):
            yield f"figures/{figure.name}.svg", figure.svg
            yield f"figures/{figure.name}.png", figure.png


def made_words(made_at: datetime | None) -> str:
    if made_at is None:
        return ""
    at = made_at.astimezone(UTC)
    return f"{at.day} {at:%b %Y, %H:%M} UTC"


def json_text(value: Any) -> str:
    """JSON for people in this project's format: indented, not escaped, without NaN."""
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def require_folder(folder: Path) -> None:
    """Refuse what cannot be a report's folder, before any work is done."""
    if folder.exists() and not folder.is_dir():
        raise StudyError(f"cannot write the report into {folder}: it is a file")


def write_folder(folder: Path, files: Files) -> None:
    """Write all files next to `folder`, then move each into its place; files that only an older report had are
    removed.
    """
    making = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}.part")
    try:
        for name, content in files.items():
            path = making / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        for name in files:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            (making / name).replace(path)
        for path in _left_over(folder, files):
            path.unlink()
    except OSError as error:
        raise StudyError(f"cannot write the report into {folder}: {error.strerror}") from None
    finally:
        shutil.rmtree(making, ignore_errors=True)


def _left_over(folder: Path, files: Files) -> Iterator[Path]:
    """Files that an earlier report may have written and this one has not; others in the folder are left alone."""
    for pattern in (
        "judges.json",
        "closing.json",
        "signatures.json",
        "play_signatures.json",
        "figures/*.svg",
        "figures/*.png",
        "figures/*.csv",
        "numbers/*.csv",
        "tables/*.csv",
    ):
        for path in folder.glob(pattern):
            if str(path.relative_to(folder)) not in files:
                yield path
