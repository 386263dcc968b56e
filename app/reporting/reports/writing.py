"""How a report gets from its contents into its folder: whole, or not at all."""

import json
import secrets
import shutil
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from analysis.figures import AnyFigure, Figure
from app.errors import StudyError
from app.reporting.reports.page import ReportPage
from app.reporting.reports.views import bound

Files = Mapping[str, str | bytes]

_HERE = Path(__file__).parent.parent
_environment = Environment(
    loader=FileSystemLoader(_HERE / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_environment.filters["bound"] = bound


def with_page(files: Files, page: ReportPage) -> Files:
    """The files, and the page with its style."""
    return {
        **files,
        "report.css": (_HERE / "static" / "report.css").read_text(encoding="utf-8"),
        "report.html": _environment.get_template("report.html").render(page=page),
    }


def drawings(figures: Iterable[AnyFigure]) -> Iterator[tuple[str, str | bytes]]:
    """The two files of each figure."""
    for figure in figures:
        if isinstance(figure, Figure):
            yield f"figures/{figure.name}.svg", figure.svg
            yield f"figures/{figure.name}.png", figure.png


def made_words(made_at: datetime | None) -> str:
    return f"{made_at.astimezone(UTC):%Y-%m-%d %H:%M} UTC" if made_at else ""


def json_text(value: Any) -> str:
    """As this project writes JSON for people: indented, not escaped, never NaN."""
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def require_folder(folder: Path) -> None:
    """Refuse what cannot be a report's folder, before any work is done."""
    if folder.exists() and not folder.is_dir():
        raise StudyError(f"cannot write the report into {folder}: it is a file")


def write_folder(folder: Path, files: Files) -> None:
    """Write all files beside `folder`, then put each into its place; what only an older report had goes."""
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
    """What a report may have written and this one has not; nothing else in the folder is touched."""
    for pattern in ("judges.json", "figures/*.svg", "figures/*.png", "tables/*.csv"):
        for path in folder.glob(pattern):
            if str(path.relative_to(folder)) not in files:
                yield path
