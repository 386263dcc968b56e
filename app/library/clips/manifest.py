"""The manifest: a list of stimulus files with their names, sources and attributes.

A CSV file with the columns `file, name, source`, then any attributes. Files are named relative to the
manifest. All problems are reported at once.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.core.problems import Problem
from app.core.spreadsheet import BadTable, CsvTable, TableRow, text_in
from app.library.clips.errors import ManifestProblems

REQUIRED = ("file", "name", "source")
POSITIONS = "positions"

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
NAME_ALLOWED = "allowed are up to 100 of A-Z a-z 0-9 . _ - and a letter or digit first"
_LARGEST_BYTES = 16_000_000


@dataclass(frozen=True, slots=True)
class ManifestRow:
    """One stimulus; `written` is its file as the manifest has it, `row` counts as a spreadsheet does."""

    row: int
    file: Path
    written: str
    name: str
    source: str
    attributes: Mapping[str, str]
    positions: Path | None


@dataclass(frozen=True, slots=True)
class Manifest:
    path: Path
    attributes: tuple[str, ...]
    rows: tuple[ManifestRow, ...]

    def problem(self, row: ManifestRow, message: str) -> Problem:
        """A problem with the file that a row names."""
        return problem_of(self.path, row.row, message, "file", row.written)


def read_manifest(path: Path) -> Manifest:
    """Read and check a manifest, the files being looked for but not into. Raises ManifestProblems."""
    problems: list[Problem] = []
    table = CsvTable(_text(path), str(path), REQUIRED, refuse=problems.append)
    problems += _column_problems(path, table)
    given = list(table)
    rows = [_row(path, each) for each in given]
    for each in given:
        problems.extend(_cell_problems(path, each))
    problems.extend(_repeated_names(path, rows))
    for row in rows:
        problems.extend(_file_problems(path, row))
    if not problems and not rows:
        problems.append(Problem(str(path), 0, "has a header and no rows", "name one file in each row"))
    if problems:
        raise ManifestProblems(problems)
    attributes = tuple(column for column in table.header if column not in REQUIRED)
    return Manifest(path, attributes, tuple(rows))


def is_simulated(attributes: Mapping[str, str]) -> bool:
    """True if a clip's attributes say that no person played it (`simulated`)."""
    return attributes.get("simulated", "").strip().lower() in ("yes", "true", "1")


def problem_of(
    path: Path, row: int | None, message: str, column: str = "", value: str | None = None
) -> Problem:
    """A problem with a row of a manifest."""
    return Problem(str(path), 0, message, row=row, column=column, value=value)


def _text(path: Path) -> str:
    try:
        text = text_in(path, _LARGEST_BYTES)
    except BadTable as error:
        raise ManifestProblems([error.problem]) from None
    if not text.replace(",", "").strip():
        message = f"is empty; its first row is {','.join(REQUIRED)} and any attributes"
        raise ManifestProblems([problem_of(path, None, message)])
    return text


def _column_problems(path: Path, table: CsvTable) -> Iterator[Problem]:
    for number, column in enumerate(table.header, 1):
        if not column:
            message = f"column {number} has no name; name it or take it out"
            yield problem_of(path, table.header_row, message)
        if len(column) > 100 or not column.isprintable():
            message = "a column's name has at most 100 characters, all of them printable"
            yield problem_of(path, table.header_row, message, column[:100])


def _row(path: Path, row: TableRow) -> ManifestRow:
    values = row.cells
    attributes = {column: value for column, value in values.items() if column not in REQUIRED}
    return ManifestRow(
        row=row.row,
        file=_beside(path, values["file"]),
        written=values["file"],
        name=values["name"],
        source=values["source"],
        attributes=attributes,
        positions=_beside(path, attributes[POSITIONS]) if attributes.get(POSITIONS) else None,
    )


def _beside(manifest: Path, written: str) -> Path:
    """The file of a manifest, of which Windows may have written the folders."""
    folder = manifest.absolute().parent
    file = folder / written
    return folder / written.replace("\\", "/") if "\\" in written and not os.path.lexists(file) else file


def _cell_problems(path: Path, row: TableRow) -> Iterator[Problem]:
    for column, value in row.cells.items():
        if column in REQUIRED and not value:
            yield problem_of(
                path, row.row, "is empty; each row has a file, a name and a source", column, value
            )
        elif column in ("name", "source") and not NAME.fullmatch(value):
            yield problem_of(path, row.row, NAME_ALLOWED, column, value)
        elif any(not char.isprintable() and char not in "\n\r\t" for char in value):
            yield problem_of(path, row.row, "holds characters that cannot be printed", column, value)


def _repeated_names(path: Path, rows: Sequence[ManifestRow]) -> Iterator[Problem]:
    first: dict[str, int] = {}
    for row in rows:
        if row.name and first.setdefault(row.name, row.row) != row.row:
            message = f"is the name of row {first[row.name]} already; every stimulus has its own"
            yield problem_of(path, row.row, message, "name", row.name)


def _file_problems(path: Path, row: ManifestRow) -> Iterator[Problem]:
    for column, file in (("file", row.file if row.written else None), (POSITIONS, row.positions)):
        if file is not None and (reason := _not_a_file(file)):
            value = row.written if column == "file" else row.attributes[column]
            message = f"{reason}; files are named relative to the manifest"
            yield problem_of(path, row.row, message, column, value)


def _not_a_file(file: Path) -> str | None:
    try:
        if file.is_dir():
            return "is a folder"
        return None if file.is_file() else "is not there" if not file.exists() else "is not a plain file"
    except (OSError, ValueError) as error:
        return f"cannot be read ({getattr(error, 'strerror', None) or error})"
