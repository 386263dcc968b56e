"""JSON files as tables: an array of objects, an object that holds one, or a folder of such files."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.errors import ReadError, shown

FILE = "file"
_ANY = "the file is an array of objects, one for each row"


def is_json(path: Path) -> bool:
    """True for a JSON file, and for a folder, which is to hold some."""
    return path.suffix.lower() == ".json" or path.is_dir()


def json_table(path: Path, rows: str | None = None) -> pd.DataFrame:
    """The rows of a JSON file, keys of nested objects joined by dots (`answer.image1`); arrays are kept.

    The rows are an array of objects: the file itself, or the one under `rows` (`data.answers`); the values around that
    array are in each of its rows. Without `rows` a file that is one object is one row. For a folder, the rows of all
    its JSON files by name. The column `file` has their names without suffix.

    Raises ReadError.
    """
    if not path.is_dir():
        return _table(path, [{FILE: path.stem, **row} for row in _rows(path, rows)])
    # By length first, so that 10 comes after 9.
    files = sorted(path.glob("*.json"), key=lambda file: (len(file.stem), file.stem))
    if not files:
        raise ReadError(str(path), "the folder has no file *.json; allowed: a folder of JSON files")
    return _table(path, [{FILE: file.stem, **row} for file in files for row in _rows(file, rows)])


def _table(path: Path, rows: list[dict[str, Any]]) -> pd.DataFrame:
    if not rows:
        raise ReadError(str(path), "the file has no rows; allowed: at least one row")
    names = list(dict.fromkeys(name for row in rows for name in row))
    return pd.DataFrame({name: pd.Series([row.get(name) for row in rows], dtype=object) for name in names})


def _rows(path: Path, rows: str | None) -> Iterator[dict[str, Any]]:
    found = _read(path)
    beside: dict[str, Any] = {}
    for key in rows.split(".") if rows else ():
        if not isinstance(found, Mapping) or key not in found:
            has = ", ".join(map(str, found)) if isinstance(found, Mapping) else _what(found)
            raise ReadError(str(path), f"there is no {shown(key)} for `rows: {rows}`; it has {has}")
        beside |= _flat({name: value for name, value in found.items() if name != key})
        found = found[key]
    if isinstance(found, Mapping) and not rows:
        found = [found]
    if not isinstance(found, list):
        raise ReadError(str(path), f"{rows or 'the file'} is {_what(found)}; allowed: an array of objects")
    for number, row in enumerate(found, start=1):
        if not isinstance(row, Mapping):
            raise ReadError(str(path), f"row {number}: {shown(row)} is no object; allowed: {_ANY}")
        yield {**beside, **_flat(row)}


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise ReadError(str(path), f"cannot be read ({error.strerror or error})") from error
    except (ValueError, RecursionError) as error:
        raise ReadError(str(path), f"not JSON in UTF-8 ({error})") from error


def _flat(row: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, Mapping) and value:
            found |= _flat(value, f"{before}{name}.")
        else:
            found[f"{before}{name}"] = value
    return found


def _what(value: object) -> str:
    return "an array" if isinstance(value, list) else f"the value {shown(value)}"
