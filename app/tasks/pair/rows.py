"""Editing a list of pairs row by row, as the CSV text that a draft holds. Pure."""

import csv
import io
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from analysis.files.faults import TableFault
from app.core.errors import StudyError, at_field
from app.core.spreadsheet import csv_rows
from app.tasks.pair.design import Member
from app.tasks.pair.pairs import COLUMNS, PairSpec, condition_by_source
from app.tasks.pair.terms import Use
from app.trials.design import Kind
from app.trials.stimuli import HUMAN, StimulusFacts

_NOT_IN_IDS = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST_STEM = 60


class BadRow(StudyError):
    """A row that cannot be taken, or a list that must be corrected as CSV before its rows can be edited."""

    status_code = 422


@dataclass(frozen=True, slots=True)
class Row:
    """One row as it is written; empty cells are filled in by the clips' sources. `line` is 0 for a new one."""

    pair: str
    a: str
    b: str
    condition: str = ""
    truth: str = ""
    kind: str = ""
    line: int = 0
    why: str = ""


def read_rows(text: str) -> list[Row]:
    """The rows of a list, even with invalid cells. Raises BadRow if the columns are not those of pairs."""
    lines = _lines(text)
    _, names = next(lines, (1, []))
    if not {"pair", "a", "b"} <= set(names) or not set(names) <= set(COLUMNS) or len(set(names)) < len(names):
        raise BadRow(
            f"The list's first row must name its columns: {','.join(COLUMNS)}. Correct it as CSV first."
        )
    return [_row(line, names, cells) for line, cells in lines]


def _row(line: int, names: Sequence[str], cells: Sequence[str]) -> Row:
    """Cells that are missing are empty, for the check to name; of too many none may be lost."""
    if len(cells) > len(names):
        raise BadRow(
            f"Row {line} has {len(cells)} cells under {len(names)} columns. Correct it as CSV first."
        )
    filled = [*cells, *[""] * (len(names) - len(cells))]
    return Row(**dict(zip(names, filled, strict=True)), line=line)


def _lines(text: str) -> Iterator[tuple[int, list[str]]]:
    try:
        for row in csv_rows(text):
            yield row.line, row.cells
    except TableFault as fault:
        raise BadRow(f"The list cannot be read as CSV: {fault}. Correct it as CSV first.") from None


def rows_as_csv(rows: Iterable[Row]) -> str:
    text = io.StringIO()
    # The csv module ends lines with CRLF unless told.
    writer = csv.writer(text, lineterminator="\n")
    rows = list(rows)
    columns = [column for column in COLUMNS if column != "why" or any(row.why for row in rows)]
    writer.writerow(columns)
    writer.writerows([getattr(row, column) for column in columns] for row in rows)
    return text.getvalue()


def rows_of(pairs: Iterable[PairSpec]) -> list[Row]:
    """Pairs as rows, with filled-in values written out."""
    return [
        Row(pair.id, pair.a, pair.b, pair.condition, pair.truth or "", pair.kind.value, why=pair.why)
        for pair in pairs
    ]


def new_row(
    rows: Sequence[Row],
    row: Row,
    stimuli: Mapping[str, StimulusFacts],
    true_source: str = HUMAN,
    elsewhere: Collection[str] = (),
) -> Row:
    """A row for two chosen clips; a missing id is generated, different from those in other blocks (`elsewhere`). Raises
    BadRow.
    """
    for member, name in (("a", row.a), ("b", row.b)):
        with at_field(member):
            if not name:
                raise BadRow(f"Choose a clip {member}.")
            if name not in stimuli:
                raise BadRow(f"There is no clip {name[:80]!r}.")
    if row.a == row.b:
        raise BadRow("Choose two different clips: a pair shows them side by side.")
    kinds = [stimuli[name].kind for name in (row.a, row.b)]
    if kinds[0] is not kinds[1]:
        raise BadRow(f"{row.a} is a {kinds[0]} and {row.b} a {kinds[1]}; a pair shows two of one kind.")
    row = _checked(row)
    sources = stimuli[row.a].source, stimuli[row.b].source
    condition = row.condition or condition_by_source(*sources, true_source)
    return replace(row, pair=row.pair or free_id(rows, condition, row.kind, elsewhere))


def _checked(row: Row) -> Row:
    """Raises BadRow for a truth or kind that is none, and for cells of several lines."""
    if row.truth not in ("", *Member):
        raise BadRow(f"truth: {row.truth[:40]!r} is not allowed; it is a, b or empty.")
    if row.kind not in ("", *Kind):
        raise BadRow(f"kind: {row.kind[:40]!r} is not allowed; it is {', '.join(Kind)}.")
    for cell in (row.pair, row.a, row.b, row.condition):
        if cell and not cell.isprintable():
            raise BadRow(f"{cell[:40]!r}: write it on one line.")
    return row


def free_id(rows: Sequence[Row], condition: str, kind: str = "", elsewhere: Collection[str] = ()) -> str:
    """An unused id in the form of drawn pairs, `human-hybrid-01`, unique over all blocks."""
    stem = _NOT_IN_IDS.sub("-", condition).strip("-._")[:_LONGEST_STEM] or "pair"
    letter = {Kind.PRACTICE: "p", Kind.ATTENTION: "x"}.get(Kind(kind or "main"), "")
    taken = {row.pair for row in rows}.union(elsewhere)
    number = 1
    while (name := f"{stem}-{letter}{number:02d}") in taken:
        number += 1
    return name


def edited(rows: Sequence[Row], what: str, number: int, form: Mapping[str, str] | None = None) -> list[Row]:
    """The rows after one edit of the `number`th: up, down, remove, swap or change. Raises BadRow."""
    if what not in _EDITS:
        raise BadRow(f"{what[:40]!r} is nothing that can be done to a pair.")
    if not 1 <= number <= len(rows):
        raise BadRow(f"There is no pair {number}; someone may have removed it. Reload the page.")
    return _EDITS[what](list(rows), number - 1, form or {})


def _move(rows: list[Row], index: int, to: int) -> list[Row]:
    row = rows.pop(index)
    rows.insert(min(max(to, 0), len(rows)), row)
    return rows


def _remove(rows: list[Row], index: int, _form: Mapping[str, str]) -> list[Row]:
    del rows[index]
    return rows


def _swap(rows: list[Row], index: int, _form: Mapping[str, str]) -> list[Row]:
    row = rows[index]
    turned = {"a": "b", "b": "a"}.get(row.truth, row.truth)
    rows[index] = replace(row, a=row.b, b=row.a, truth=turned)
    return rows


def _change(rows: list[Row], index: int, form: Mapping[str, str]) -> list[Row]:
    """Cells as a form sends them, and the place to which the row goes, from 1."""
    cells = {name: getattr(rows[index], name) for name in COLUMNS}
    cells |= {name: form[name].strip() for name in COLUMNS if name in form}
    rows[index] = _checked(Row(**cells, line=rows[index].line))
    place = form.get("position", "").strip()
    if not place:
        return rows
    with at_field("position"):
        if not re.fullmatch(r"[0-9]{1,6}", place) or not 1 <= int(place) <= len(rows):
            raise BadRow(f"{place[:40]!r} is not a place in the list; write 1 to {len(rows)}.")
    return _move(rows, index, int(place) - 1)


_EDITS: Mapping[str, Callable[[list[Row], int, Mapping[str, str]], list[Row]]] = {
    "up": lambda rows, index, _form: _move(rows, index, index - 1),
    "down": lambda rows, index, _form: _move(rows, index, index + 1),
    "remove": _remove,
    "swap": _swap,
    "change": _change,
}


def sample_of(
    conditions: Iterable[tuple[str, str, str]],
    match: Sequence[str],
    seed: str,
    use: Use = "even",
    pairing: str = "",
) -> dict[str, Any]:
    """The `sample` of a form's rows, each a condition with its numbers of main and of practice pairs, as typed."""
    asked: dict[str, dict[str, str]] = {"conditions": {}, "practice": {}}
    for condition, *numbers in conditions:
        for key, n in zip(asked, numbers, strict=True):
            if n.strip() not in ("", "0"):
                asked[key][condition] = n.strip()
    return {
        "match": match[0] if len(match) == 1 else list(match) or None,
        **({"pairing": pairing} if pairing else {}),
        "seed": seed.strip(),
        "use": use,
        "conditions": asked["conditions"],
        "practice": asked["practice"] or None,
    }
