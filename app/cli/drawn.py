"""Figures that a command has drawn, as files."""

from pathlib import Path
from typing import TYPE_CHECKING

from app.cli.console import out

if TYPE_CHECKING:
    from collections.abc import Sequence

    from analysis.figures import AnyFigure


def write_figures(folder: Path, figures: "Sequence[AnyFigure]", *, quiet: bool = False) -> None:
    """Write each figure as NAME.svg, NAME.png and NAME.csv, or print why there is none. Raises StudyError."""
    from analysis.figures import NoFigure
    from app.core.errors import StudyError
    from app.core.spreadsheet import csv_text

    try:
        folder.mkdir(parents=True, exist_ok=True)
        for one in figures:
            if isinstance(one, NoFigure):
                if not quiet:
                    out.print(f"{one.title}: no figure. {one.reason}", markup=False)
                continue
            (folder / f"{one.name}.svg").write_text(one.svg, encoding="utf-8")
            (folder / f"{one.name}.png").write_bytes(one.png)
            text = csv_text(one.numbers.head, one.numbers.rows)
            (folder / f"{one.name}.csv").write_text(text, encoding="utf-8")
            if not quiet:
                out.print(f"{folder / one.name}.svg: {one.sentence}", markup=False)
    except OSError as error:
        raise StudyError(f"cannot write {folder}: {error.strerror}") from None
