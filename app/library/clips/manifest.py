"""The manifest: which files are stimuli, what they are called, where they came from, and anything else.

A CSV file in UTF-8 with the columns `file, name, source`, then any attributes. Files are named relative to
the manifest. Everything that is wrong is told in one go.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.core.spreadsheet import NotCsv, csv_rows, is_separated_otherwise
from app.library.clips.errors import ManifestProblems, Problem

REQUIRED = ("file", "name", "source")
POSITIONS = "positions"

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
NAME_ALLOWED = "allowed are up to 100 of A-Z a-z 0-9 . _ - and a letter or digit first"
_LARGEST_BYTES = 16_000_000
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


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
        return Problem(self.path, row.row, "file", row.written, message)


def read_manifest(path: Path) -> Manifest:
    """Read and check a manifest, the files being looked for but not into. Raises ManifestProblems."""
    lines = _lines(path, _text(path))
    columns = _columns(path, lines)
    problems: list[Problem] = []
    cells: list[tuple[int, dict[str, str]]] = []
    for number, line in lines[1:]:
        if len(line) != len(columns):
            message = f"has {len(line)} cells, the header {len(columns)}; quote cells that hold commas"
            problems.append(Problem(path, number, None, None, message))
        else:
            cells.append((number, dict(zip(columns, line, strict=True))))
    rows = [_row(path, number, values) for number, values in cells]
    for number, values in cells:
        problems.extend(_cell_problems(path, number, values))
    problems.extend(_repeated_names(path, rows))
    for row in rows:
        problems.extend(_file_problems(path, row))
    if not problems and not rows:
        problems.append(
            Problem(path, None, None, None, "has a header and no rows; name one file in each row")
        )
    if problems:
        raise ManifestProblems(problems)
    attributes = tuple(column for column in columns if column not in REQUIRED)
    return Manifest(path, attributes, tuple(rows))


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > _LARGEST_BYTES:
            raise _refused(path, f"is larger than {_LARGEST_BYTES // 10**6} MB; is it the manifest?")
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise _refused(path, f"cannot be read ({reason})") from None
    if not data.strip():
        raise _refused(path, f"is empty; its first row is {','.join(REQUIRED)} and any attributes")
    if data.startswith(_UTF16_MARKS):
        raise _refused(path, "is UTF-16; save it as CSV in UTF-8")
    if b"\0" in data:
        raise _refused(path, "is not text; a manifest is a CSV file in UTF-8")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise _refused(path, f"is not UTF-8 (see line {line}); save it as CSV in UTF-8") from None


def _lines(path: Path, text: str) -> list[tuple[int, list[str]]]:
    try:
        return [(row.row, row.cells) for row in csv_rows(text)]
    except NotCsv as fault:
        raise _refused(path, f"is not CSV from line {fault.line} on ({fault}); check the quotes") from None


def _columns(path: Path, lines: Sequence[tuple[int, list[str]]]) -> list[str]:
    if not lines:
        raise _refused(path, f"is empty; its first row is {','.join(REQUIRED)} and any attributes")
    number, columns = lines[0]
    problems = [
        Problem(path, number, column, None, f"is missing; needed are {', '.join(REQUIRED)}, then any others")
        for column in REQUIRED
        if column not in columns
    ]
    if problems and is_separated_otherwise(columns):
        raise ManifestProblems([Problem(path, number, None, columns[0], "separate the columns with commas")])
    for column, times in Counter(columns).items():
        if times > 1 and column:
            problems.append(
                Problem(path, number, column, None, f"stands there {times} times; name each once")
            )
        if not column:
            message = f"column {columns.index(column) + 1} has no name; name it or take it out"
            problems.append(Problem(path, number, None, None, message))
        if len(column) > 100 or not column.isprintable():
            message = "a column's name has at most 100 characters, all of them printable"
            problems.append(Problem(path, number, column[:100], None, message))
    if problems:
        raise ManifestProblems(problems)
    return columns


def _row(path: Path, number: int, values: Mapping[str, str]) -> ManifestRow:
    attributes = {column: value for column, value in values.items() if column not in REQUIRED}
    return ManifestRow(
        row=number,
        file=_beside(path, values["file"]),
        written=values["file"],
        name=values["name"],
        source=values["source"],
        attributes=attributes,
        positions=_beside(path, attributes[POSITIONS]) if attributes.get(POSITIONS) else None,
    )


def _beside(manifest: Path, written: str) -> Path:
    return manifest.absolute().parent / written


def _cell_problems(path: Path, number: int, values: Mapping[str, str]) -> Iterator[Problem]:
    for column, value in values.items():
        if column in REQUIRED and not value:
            yield Problem(path, number, column, value, "is empty; each row has a file, a name and a source")
        elif column in ("name", "source") and not NAME.fullmatch(value):
            yield Problem(path, number, column, value, NAME_ALLOWED)
        elif any(not char.isprintable() and char not in "\n\r\t" for char in value):
            yield Problem(path, number, column, value, "holds characters that cannot be printed")


def _repeated_names(path: Path, rows: Sequence[ManifestRow]) -> Iterator[Problem]:
    first: dict[str, int] = {}
    for row in rows:
        if row.name and first.setdefault(row.name, row.row) != row.row:
            message = f"is the name of row {first[row.name]} already; every stimulus has its own"
            yield Problem(path, row.row, "name", row.name, message)


def _file_problems(path: Path, row: ManifestRow) -> Iterator[Problem]:
    for column, file in (("file", row.file if row.written else None), (POSITIONS, row.positions)):
        if file is not None and (reason := _not_a_file(file)):
            value = row.written if column == "file" else row.attributes[column]
            yield Problem(path, row.row, column, value, f"{reason}; files are named relative to the manifest")


def _not_a_file(file: Path) -> str | None:
    try:
        if file.is_dir():
            return "is a folder"
        return None if file.is_file() else "is not there" if not file.exists() else "is not a plain file"
    except (OSError, ValueError) as error:
        return f"cannot be read ({getattr(error, 'strerror', None) or error})"


def _refused(path: Path, message: str) -> ManifestProblems:
    return ManifestProblems([Problem(path, None, None, None, message)])
