"""Runs a notebook of docs/notebooks cell by cell, without a kernel: for the tests, and for the docs site.

What a cell prints and the value of its last line are its outputs, as in Jupyter. A cell's figure is whatever draws
itself as SVG (`_repr_svg_`).
"""

import ast
import contextlib
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

NOTEBOOKS = Path(__file__).parents[1] / "docs" / "notebooks"


class NotebookFailed(Exception):
    """A cell that raises, by its place."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell; `text` and `svg` are what came out of it when it ran."""

    kind: str
    source: str
    text: str = ""
    svg: str = ""


def cells_of(notebook: Path) -> list[Cell]:
    """The cells as they stand in the file, not run."""
    found = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return [Cell(cell["cell_type"], "".join(cell["source"])) for cell in found]


def ran(notebook: Path, folder: Path) -> Iterator[Cell]:
    """The cells with what came out of them, run in `folder`, in order, in one namespace. Raises NotebookFailed."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for number, cell in enumerate(cells_of(notebook), start=1):
        if cell.kind != "code":
            yield cell
            continue
        printed = io.StringIO()
        try:
            with contextlib.redirect_stdout(printed), contextlib.chdir(folder):
                value = _value_of(cell.source, f"{notebook.name}, cell {number}", names)
        except Exception as error:
            raise NotebookFailed(
                f"{notebook.name}, cell {number}: {type(error).__name__}: {error}"
            ) from error
        svg = value._repr_svg_() if hasattr(value, "_repr_svg_") else ""
        last = "" if value is None or svg else f"{_shown(value)}\n"
        yield Cell(cell.kind, cell.source, printed.getvalue() + last, svg)


def _shown(value: Any) -> str:
    """A table whole, as Jupyter shows it, and not cut to the width of a terminal."""
    return str(value.to_string()) if hasattr(value, "to_string") else repr(value)


def _value_of(source: str, name: str, names: dict[str, Any]) -> Any:
    tree = ast.parse(source, name)
    last = tree.body[-1] if tree.body else None
    if not isinstance(last, ast.Expr):
        exec(compile(tree, name, "exec"), names)
        return None
    exec(compile(ast.Module(tree.body[:-1], []), name, "exec"), names)
    return eval(compile(ast.Expression(last.value), name, "eval"), names)
