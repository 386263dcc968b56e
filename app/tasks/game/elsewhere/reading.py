"""The matches in files of others: rows of tables, rows within JSON, a file a match."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from app.core.errors import StudyError
from app.core.problems import Problem, nearest
from app.core.spreadsheet import BadTable, CsvTable, text_in
from app.tasks.game.elsewhere.mapping import ANY, BadMapping, Conditions, GameMapping

LARGEST_BYTES: Final = 500_000_000
_JSON_LINES: Final = (".jsonl", ".ndjson")


@dataclass(frozen=True, slots=True)
class GivenRow:
    """A row of external data with its position; `about` holds values for the whole match outside its rows.

    `fixed`: all rows have the same columns, as in a table, so that a missing column is not an empty one.
    """

    place: str
    cells: Mapping[str, Any]
    about: Mapping[str, Any]
    fixed: bool

    def text(self, column: str) -> str:
        """A cell as its text, empty where there is none; `a.b` is b within a. Raises BadMapping for no such column."""
        found = _within(self.cells, column)
        if found is None:
            found = _within(self.about, column)
        if found is None and self.fixed and column not in self.cells:
            known = [*self.cells, *self.about]
            remedy = nearest(column, known, f"there are {', '.join(known)}")
            raise BadMapping(f"{self.place}: there is no column {column!r}; {remedy}")
        # JSON's true; str() would write it with a capital, as no table does.
        if isinstance(found, bool):
            return str(found).lower()
        return "" if found is None else str(found).strip()


@dataclass(frozen=True, slots=True)
class GivenMatch:
    """The rows of a match, in their order, under the name that it has there."""

    name: str
    rows: Sequence[GivenRow]


def matches_in(path: Path, mapping: GameMapping) -> Iterator[GivenMatch]:
    """The matches of a file, or of a folder's files, one after the other. Raises StudyError with the place."""
    for file in _files(path, mapping):
        name = file.relative_to(path).as_posix() if path.is_dir() else file.name
        groups: dict[str, list[GivenRow]] = {}
        for number, one in enumerate(_read(file, mapping), 1):
            rows = [row for row in one if is_so(row, mapping.only, mapping.empty)]
            if mapping.match:
                for row in rows:
                    groups.setdefault(_name(row, mapping.match), []).append(row)
            elif mapping.each == "file":
                groups.setdefault(name if number == 1 else f"{name}, {number}", []).extend(rows)
            else:
                for row in rows:
                    groups[f"{name}, {len(groups) + 1}"] = [row]
        yield from (GivenMatch(name, rows) for name, rows in groups.items() if rows)


def is_so(row: GivenRow, conditions: Conditions, empty: Sequence[str]) -> bool:
    """True where the cells of a row are as the conditions say."""
    return all(_is(row.text(column), wanted, empty) for column, wanted in conditions.items())


def _is(cell: str, wanted: Any, empty: Sequence[str]) -> bool:
    if wanted == ANY:
        return cell not in empty
    options = wanted if isinstance(wanted, tuple) else (wanted,)
    return cell in [str(one).lower() if isinstance(one, bool) else str(one) for one in options]


def _name(row: GivenRow, column: str) -> str:
    name = row.text(column)
    if not name:
        raise StudyError(f"{row.place}, column {column}: is empty; it says which match the row belongs to")
    return name


def _files(path: Path, mapping: GameMapping) -> list[Path]:
    if not path.is_dir():
        return [path]
    if not mapping.files:
        raise BadMapping(
            f"{path}: is a folder; say in the mapping which files it is, as in files: '**/game.csv'"
        )
    found = sorted(each for each in path.glob(mapping.files) if each.is_file())
    if not found:
        raise StudyError(f"{path}: holds no file like {mapping.files}")
    return found


def _read(path: Path, mapping: GameMapping) -> Iterator[Sequence[GivenRow]]:
    """The rows of a file; several times where it is JSON with several matches."""
    if path.suffix.lower() in (".json", *_JSON_LINES):
        yield from _of_json(path, mapping)
        return
    about = _beside(path, mapping.beside)
    table = CsvTable(text_in(path, LARGEST_BYTES), str(path))
    if not table.header:
        raise BadTable(Problem(str(path), 0, "is empty"))
    yield [GivenRow(f"{path}, row {row.row}", row.cells, about, fixed=True) for row in table]


def _of_json(path: Path, mapping: GameMapping) -> Iterator[Sequence[GivenRow]]:
    text = text_in(path, LARGEST_BYTES)
    if path.suffix.lower() in _JSON_LINES:
        lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
        given = [_json(f"{path}, line {number}", line) for number, line in lines]
    else:
        whole = _json(str(path), text)
        given = whole if isinstance(whole, list) else [whole]
    if not mapping.rows:
        about = _beside(path, mapping.beside)
        yield [
            GivenRow(f"{path}, {n}", _object(path, n, one), about, fixed=False)
            for n, one in enumerate(given, 1)
        ]
        return
    for number, one in enumerate(given, 1):
        about = _object(path, number, one)
        rows = _within(about, mapping.rows)
        if not isinstance(rows, list):
            raise StudyError(f"{path}, {number}: has no list {mapping.rows!r}, where its rows should be")
        yield [
            GivenRow(f"{path}, {number}, {mapping.rows} {n}", _object(path, n, row), about, fixed=False)
            for n, row in enumerate(rows, 1)
        ]


def _beside(path: Path, name: str) -> Mapping[str, Any]:
    if not name:
        return {}
    beside = path.with_name(name)
    return _object(beside, 1, _json(str(beside), text_in(beside, LARGEST_BYTES)))


def _json(place: str, text: str) -> Any:
    try:
        return json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise StudyError(f"{place}: is not JSON ({error})") from None


def _object(path: Path, number: int, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise StudyError(f"{path}, {number}: is no JSON object")
    return value


def _within(cells: Mapping[str, Any], name: str) -> Any:
    """A value by its name, or by names from outside to inside with dots between."""
    if name in cells:
        return cells[name]
    found: Any = cells
    for part in name.split("."):
        if isinstance(found, list) and part.isdecimal() and int(part) < len(found):
            found = found[int(part)]
        else:
            found = found.get(part) if isinstance(found, dict) else None
    return found
