"""The library as a table to be edited elsewhere and handed back: what would change, what cannot, all or nothing."""

import codecs
import csv
import hashlib
import io
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlmodel import Session, select

from app.accounts.audit import record
from app.accounts.logins import Who
from app.core.database import Database
from app.core.errors import Conflict, StudyError
from app.core.spreadsheet import NotCsv, csv_rows, defused, is_separated_otherwise, restored
from app.library.catalog import natural
from app.library.clips.errors import shown
from app.library.contents import is_kept
from app.library.editing import facts_of, refuse_source_change
from app.library.names import checked_attributes, checked_key, checked_source
from app.library.tables import Stimulus
from app.library.uses import version_uses
from app.studies.seeing import seen_by
from app.studies.truth import CorrectedDrafts, correct_sources, drafts_with_sources

FIRST = ("name", "source")
LARGEST_BYTES = 6_000_000
MOST_FAULTS = 200


class BadSheet(StudyError):
    """A table that cannot be taken; `plan` has every fault with its row and column."""

    status_code = 422

    def __init__(self, plan: "Plan") -> None:
        more = f" (and {len(plan.faults) - 1} more)" if len(plan.faults) > 1 else ""
        super().__init__(f"{plan.faults[0]}{more}. Nothing was changed.")
        self.plan = plan


@dataclass(frozen=True, slots=True)
class SheetFault:
    """One thing wrong; rows count as a spreadsheet does, the header being row 1."""

    row: int | None
    column: str
    message: str

    def __str__(self) -> str:
        place = ", ".join(
            filter(
                None, (f"row {self.row}" if self.row else "", f"column {self.column}" if self.column else "")
            )
        )
        return f"{place}: {self.message}" if place else self.message


@dataclass(frozen=True, slots=True)
class Change:
    """One cell that differs. An attribute that is not there is empty."""

    name: str
    column: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What a table handed back comes to; `digest` stands for exactly these changes."""

    changes: tuple[Change, ...]
    faults: tuple[SheetFault, ...]
    n_rows: int

    @property
    def sources(self) -> Mapping[str, str]:
        """The new sources, by the clips' names."""
        return {change.name: change.after for change in self.changes if change.column == "source"}

    @property
    def digest(self) -> str:
        cells = [[c.name, c.column, c.before, c.after] for c in self.changes]
        return hashlib.sha256(json.dumps(cells).encode()).hexdigest()


def sheet(session: Session, who: Who) -> str:
    """Every stimulus that the user sees with its source and attributes as CSV, by name."""
    rows = sorted(_rows(session, who).values(), key=lambda row: natural(row.name))
    keys = list(dict.fromkeys(key for row in rows for key in row.attributes))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow([*FIRST, *map(defused, keys)])
    writer.writerows(
        [row.name, row.source, *(defused(row.attributes.get(key, "")) for key in keys)] for row in rows
    )
    return text.getvalue()


def note_sheet(session: Session, who: Who, now: datetime) -> None:
    """Put into the audit log that somebody took the table out."""
    record(session, who.actor, "stimuli.export", now=now, subject="stimuli.csv")


def text_of(files: Sequence[bytes]) -> str:
    """The one table among the files of a form. Raises StudyError."""
    if len(files) != 1:
        raise StudyError("Choose the CSV file that you have edited.")
    if files[0].startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise StudyError("The file is UTF-16; save it as CSV in UTF-8.")
    try:
        return files[0].decode("utf-8-sig")
    except UnicodeDecodeError:
        raise StudyError("The file is not UTF-8 text; save it as CSV in UTF-8.") from None


@dataclass(frozen=True, slots=True)
class Table:
    """A table that was handed back: its header and rows, or what keeps it from being read."""

    header: Sequence[str]
    lines: Sequence[tuple[int, Sequence[str]]]
    faults: Sequence[SheetFault] = ()


def read_table(text: str) -> Table:
    """Read the CSV of a table."""
    try:
        header, lines = _parsed(text)
    except _Unreadable as error:
        return Table((), (), (SheetFault(error.row, "", str(error)),))
    return Table(header, lines, tuple(_header_faults(header)))


def plan_sheet(session: Session, who: Who, text: str) -> Plan:
    """Compare a table with the library. Rows and columns that were left out stay as they are."""
    return plan_table(session, who, read_table(text))


def plan_table(session: Session, who: Who, table: Table) -> Plan:
    """As `plan_sheet`, of a table that was read."""
    header, lines, faults = table.header, table.lines, list(table.faults)
    if faults:
        return Plan((), tuple(faults[:MOST_FAULTS]), 0)
    rows, changes = _rows(session, who), []
    for number, cells in lines:
        row = rows.get(cells[0])
        fault = _row_fault(number, header, cells, row)
        if fault is not None:
            faults.append(fault)
        elif row is not None:
            changes += list(_changes(number, row, dict(zip(header, cells, strict=True)), faults))
    faults += _repeated(lines)
    faults += _fixed_sources(session, who, changes, {cells[0]: number for number, cells in lines})
    faults.sort(key=lambda fault: fault.row or 0)
    return Plan(tuple(changes), tuple(faults[:MOST_FAULTS]), len(lines))


async def take_table(database: Database, who: Who, text: str, digest: str | None, now: datetime) -> Plan:
    """As `apply_sheet`, with the table and the drafts read beforehand."""

    def read(session: Session) -> tuple[Table, CorrectedDrafts]:
        table = read_table(text)
        return table, drafts_with_sources(session, plan_table(session, who, table).sources)

    def make(session: Session, seen: tuple[Table, CorrectedDrafts]) -> Plan:
        return _make(session, who, seen[0], digest, now, seen[1])

    return await database.prepare_and_write(read, make)


def apply_sheet(session: Session, who: Who, text: str, digest: str | None, now: datetime) -> Plan:
    """Make all the changes of a table, or none. `digest` is that of the plan that was looked at, None for unseen.

    Raises BadSheet, or Conflict where the library has changed since the plan was made.
    """
    return _make(session, who, read_table(text), digest, now)


def _make(
    session: Session,
    who: Who,
    table: Table,
    digest: str | None,
    now: datetime,
    drafts: CorrectedDrafts | None = None,
) -> Plan:
    plan = plan_table(session, who, table)
    if plan.faults:
        raise BadSheet(plan)
    if digest is not None and digest != plan.digest:
        raise Conflict("The clips have changed since you looked at these changes; look at them again.")
    correct_sources(session, who, plan.sources, now, drafts)
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    rows = _rows(session, who)
    by_clip: dict[str, list[Change]] = {}
    for change in plan.changes:
        by_clip.setdefault(change.name, []).append(change)
    for name, changes in by_clip.items():
        row = rows[name]
        before[name] = facts_of(row)
        _apply(row, changes)
        after[name] = facts_of(row)
        session.add(row)
    if after:
        record(
            session,
            who.actor,
            "stimuli.edit",
            now=now,
            subject=f"{len(after)} clips",
            before=before,
            after=after,
        )
    return plan


class _Unreadable(Exception):
    def __init__(self, message: str, row: int | None = None) -> None:
        super().__init__(message)
        self.row = row


def _parsed(text: str) -> tuple[list[str], list[tuple[int, list[str]]]]:
    if len(text) > LARGEST_BYTES:
        raise _Unreadable(f"The table is larger than {LARGEST_BYTES // 10**6} MB.")
    try:
        lines = [
            (row.row, [restored(cell.replace("\r\n", "\n")) for cell in row.cells]) for row in csv_rows(text)
        ]
    except NotCsv as fault:
        raise _Unreadable(f"This is not CSV ({fault}); check the quotes from here on", fault.row) from None
    if not lines:
        raise _Unreadable("The table is empty; it begins with the columns name and source")
    return lines[0][1], lines[1:]


def _header_faults(header: Sequence[str]) -> Iterator[SheetFault]:
    if is_separated_otherwise(header):
        yield SheetFault(1, "", "the columns are not separated by commas")
        return
    if not header or header[0] != "name":
        yield SheetFault(1, "name", "the first column has to be name: it says which clip a row is about")
    for key, times in Counter(header).items():
        if times > 1:
            yield SheetFault(1, key or "(no name)", f"this column stands there {times} times")
        elif key not in FIRST:
            try:
                checked_key(key)
            except StudyError as error:
                yield SheetFault(1, key[:100] or "(no name)", str(error))


def _row_fault(
    number: int, header: Sequence[str], cells: Sequence[str], row: Stimulus | None
) -> SheetFault | None:
    if len(cells) != len(header):
        return SheetFault(
            number, "", f"has {len(cells)} cells, the header {len(header)}; quote cells that hold commas"
        )
    if row is None:
        return SheetFault(number, "name", f"there is no clip, record or text called {shown(cells[0])}")
    return None


def _changes(
    number: int, row: Stimulus, cells: Mapping[str, str], faults: list[SheetFault]
) -> Iterator[Change]:
    for column, value in cells.items():
        before = row.source if column == "source" else row.attributes.get(column, "")
        if column == "name" or value == before.replace("\r\n", "\n"):
            continue
        try:
            if column == "source":
                checked_source(value)
            else:
                checked_attributes({column: value}, row.attributes)
        except StudyError as error:
            faults.append(SheetFault(number, column, str(error).rstrip(".")))
        yield Change(row.name, column, before, value)


def _repeated(lines: Sequence[tuple[int, Sequence[str]]]) -> Iterator[SheetFault]:
    first: dict[str, int] = {}
    for number, cells in lines:
        if first.setdefault(cells[0], number) != number:
            yield SheetFault(number, "name", f"{shown(cells[0])} stands in row {first[cells[0]]} already")


def _fixed_sources(
    session: Session, who: Who, changes: Sequence[Change], row_of: Mapping[str, int]
) -> Iterator[SheetFault]:
    names = [change.name for change in changes if change.column == "source"]
    for name, uses in (version_uses(session, names) if names else {}).items():
        try:
            refuse_source_change(session, who, name, uses)
        except StudyError as error:
            yield SheetFault(row_of.get(name), "source", str(error).rstrip("."))


def _apply(row: Stimulus, changes: Sequence[Change]) -> None:
    attributes = dict(row.attributes)
    for change in changes:
        if change.column == "source":
            row.source = change.after
        else:
            attributes[change.column] = change.after
    row.attributes = checked_attributes(attributes, row.attributes)


def _rows(session: Session, who: Who) -> dict[str, Stimulus]:
    rows = session.exec(select(Stimulus).where(is_kept(), seen_by(who)))
    return {row.name: row for row in rows}
