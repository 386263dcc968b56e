"""Exported tables of one study as exclusion rules see them, so that verdicts can be computed again from the files."""

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from analysis.data.text_files import open_csv, refusal
from analysis.errors import ReadError, SchemaError, shown
from analysis.files.faults import TableFault
from analysis.quality.records import Row, SessionRecord, session_records

# The columns by which a table is told; each has a row for sessions, trials, questions, walks or events.
_TABLES: Mapping[str, frozenset[str]] = {
    "participants": frozenset({"session", "status", "trials_planned"}),
    "responses": frozenset({"session", "pair", "choice"}),
    "ratings": frozenset({"session", "item", "question"}),
    "walks": frozenset({"session", "course", "path_m"}),
    "moves": frozenset({"session", "match", "seq"}),
}
_INTEGERS = (
    "version",
    "visit",
    "rt_ms",
    "opened_ms",
    "hidden_ms",
    "stalls",
    "width_px",
    "comprehension_tries",
    "comprehension_failed",
    "attention_questions",
    "attention_questions_failed",
)
_NUMBERS = ("duration_s", "uncertainty", "certainty", "value", "scale_low", "scale_high")
_BOOLEANS = {"true": True, "false": False}
# Exports put a ' before cells that a spreadsheet would run.
_DEFUSED = re.compile(r"'+[=+\-@\t\r\n＝＋－＠]")


def read_sessions(paths: Sequence[Path]) -> tuple[list[SessionRecord], list[Row]]:
    """The sessions in exported files (CSV or JSON lines), which may be in folders, and the rows of `participants`.

    Raises ReadError where there are no participants, or a table comes twice.
    """
    tables: dict[str, list[Row]] = {}
    for path in (each for given in paths for each in _files(given)):
        name, rows = _read(path)
        if name in tables:
            raise ReadError(
                str(path), f"there is another table of {name} among the files; allowed: one study's"
            )
        if name is not None:
            tables[name] = rows
    if "participants" not in tables:
        where = ", ".join(map(str, paths))
        raise ReadError(where, "no table of participants; allowed: export it with --what participants")
    return session_records(**tables), tables["participants"]


def _files(path: Path) -> Sequence[Path]:
    if not path.is_dir():
        return [path]
    return sorted(each for each in path.rglob("*") if each.suffix in (".csv", ".jsonl") and each.is_file())


def _read(path: Path) -> tuple[str | None, list[Row]]:
    """The table that a file is, and its rows; none of a table that no rule looks at."""
    if path.suffix.lower() == ".jsonl":
        rows = list(_of_json(path))
        return (_named(rows[0].keys()), rows) if rows else (None, [])
    table = open_csv(path)
    name = _named(table.header)
    if name is None:
        return None, []
    found = table.rows()
    try:
        next(found)
        return name, [
            {
                column: _typed(str(path), number, column, cell)
                for column, cell in zip(table.header, row.cells, strict=True)
            }
            for number, row in enumerate(found, start=2)
            if len(row.cells) == len(table.header)
        ]
    except TableFault as fault:
        raise refusal(path, fault) from fault


def _named(columns: Collection[str]) -> str | None:
    return next((name for name, has in _TABLES.items() if has <= set(columns)), None)


def _of_json(path: Path) -> Iterator[Row]:
    with path.open(encoding="utf-8-sig") as file:
        for number, line in enumerate(file, start=1):
            try:
                row = json.loads(line)
            except ValueError as error:
                raise ReadError(str(path), f"row {number}: not JSON ({error})") from error
            if isinstance(row, dict):
                yield row


def _typed(origin: str, number: int, name: str, cell: str) -> Any:
    if cell == "":
        return None
    of: Callable[[str], float] | None = int if name in _INTEGERS else float if name in _NUMBERS else None
    if of is None:
        return _BOOLEANS.get(cell, cell[1:] if _DEFUSED.match(cell) else cell)
    try:
        return of(cell)
    except ValueError as error:
        raise SchemaError(
            origin, number, name, f"{shown(cell)} is not allowed", "a number, or empty"
        ) from error
