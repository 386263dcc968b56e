"""The library as a table to be edited elsewhere and handed back: what would change, what cannot, all or nothing."""

import csv
import hashlib
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlmodel import Session, select

from app.accounts.audit import record
from app.accounts.logins import Who
from app.catalog.editing import facts_of, refuse_source_change
from app.catalog.search import CatalogFilter, fits, natural
from app.catalog.uses import version_uses
from app.core.database import Database
from app.core.errors import Conflict, StudyError
from app.core.problems import Problem, shown
from app.core.spreadsheet import CsvTable, TableRow, defused, restored
from app.core.spreadsheet import text_of as decoded
from app.library.contents import is_kept
from app.library.names import checked_attributes, checked_key, checked_source
from app.library.tables import Stimulus
from app.studies.seeing import changed_by, seen_by
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
class Change:
    """One cell that differs. An attribute that is not there is empty."""

    name: str
    column: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Plan:
    """The changes in a returned table; `digest` identifies exactly these changes."""

    changes: tuple[Change, ...]
    faults: tuple[Problem, ...]
    n_rows: int

    @property
    def sources(self) -> Mapping[str, str]:
        """The new sources, by the clips' names."""
        return {change.name: change.after for change in self.changes if change.column == "source"}

    @property
    def digest(self) -> str:
        cells = [[c.name, c.column, c.before, c.after] for c in self.changes]
        return hashlib.sha256(json.dumps(cells).encode()).hexdigest()


def sheet(session: Session, who: Who, wanted: CatalogFilter | None = None) -> str:
    """Every stimulus that the user sees, or of these that they want, with source and attributes as CSV, by name."""
    rows = _rows(session, who, wanted).values()
    return sheet_of([(row.name, row.source, row.attributes) for row in rows])


def sheet_of(rows: Sequence[tuple[str, str, Mapping[str, str]]]) -> str:
    """Names, sources and attributes as the CSV that is handed back, by name."""
    rows = sorted(rows, key=lambda row: natural(row[0]))
    keys = list(dict.fromkeys(key for *_, attributes in rows for key in attributes))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow([*FIRST, *map(defused, keys)])
    writer.writerows(
        [name, source, *(defused(attributes.get(key, "")) for key in keys)]
        for name, source, attributes in rows
    )
    return text.getvalue()


def note_sheet(session: Session, who: Who, now: datetime) -> None:
    """Record in the audit log that the table was exported."""
    record(session, who.actor, "stimuli.export", now=now, subject="stimuli.csv")


def text_of(files: Sequence[bytes]) -> str:
    """The text of the single file that a form brought. Raises StudyError for none and for several."""
    if len(files) != 1:
        raise StudyError("Choose the CSV file that you have edited.")
    return decoded(files[0])


@dataclass(frozen=True, slots=True)
class Table:
    """A table that was handed back: its header and rows, or what keeps it from being read."""

    header: Sequence[str]
    rows: Sequence[TableRow]
    faults: Sequence[Problem] = ()


def read_table(text: str) -> Table:
    """Read the CSV of a table."""
    if len(text) > LARGEST_BYTES:
        message = f"The table is larger than {LARGEST_BYTES // 10**6} MB"
        return Table((), (), (Problem("", 0, message, "export it again, in parts"),))
    faults: list[Problem] = []
    table = CsvTable(
        text, cell=lambda cell: restored(cell.strip().replace("\r\n", "\n")), refuse=faults.append
    )
    rows = list(table)
    if not faults and not table.header:
        faults.append(Problem("", 0, "The table is empty; it begins with the columns name and source"))
    return Table(table.header, rows, (*_header_faults(table), *faults))


def plan_sheet(session: Session, who: Who, text: str) -> Plan:
    """Compare a table with the library. Rows and columns that were left out stay as they are."""
    return plan_table(session, who, read_table(text))


def plan_table(session: Session, who: Who, table: Table) -> Plan:
    """Like `plan_sheet`, for a parsed table."""
    faults = list(table.faults)
    if faults:
        return Plan((), tuple(faults[:MOST_FAULTS]), 0)
    rows, changes = _rows(session, who), list[Change]()
    for given in table.rows:
        row = rows.get(given.cells["name"])
        if row is None:
            message = f"there is no clip, record or text called {shown(given.cells['name'])}"
            faults.append(_fault(given.row, "name", message))
        else:
            changes += list(_changes(given.row, row, given.cells, faults))
    faults += _repeated(table.rows)
    faults += _not_theirs(session, who, changes, {each.cells["name"]: each.row for each in table.rows})
    faults += _fixed_sources(session, who, changes, {each.cells["name"]: each.row for each in table.rows})
    faults.sort(key=lambda fault: fault.row or 0)
    return Plan(tuple(changes), tuple(faults[:MOST_FAULTS]), len(table.rows))


async def take_table(database: Database, who: Who, text: str, digest: str | None, now: datetime) -> Plan:
    """Like `apply_sheet`, with the table and the drafts read beforehand."""
    return await change_table(database, who, lambda session: read_table(text), digest, now)


async def change_table(
    database: Database, who: Who, table_of: Callable[[Session], Table], digest: str | None, now: datetime
) -> Plan:
    """Like `take_table`, for a table that is made of what the library holds."""

    def read(session: Session) -> tuple[Table, CorrectedDrafts]:
        table = table_of(session)
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
        raise Conflict("The clips have changed since you saw these changes; please review them again.")
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


def _fault(row: int | None, column: str, message: str) -> Problem:
    return Problem("", 0, message, row=row, column=column)


def _header_faults(table: CsvTable) -> Iterator[Problem]:
    if table.header and table.header[0] != "name":
        yield _fault(1, "name", "the first column has to be name: it says which clip a row is about")
    for key in table.header:
        if key not in FIRST:
            try:
                checked_key(key)
            except StudyError as error:
                yield _fault(1, key[:100] or "(no name)", str(error))


def _changes(number: int, row: Stimulus, cells: Mapping[str, str], faults: list[Problem]) -> Iterator[Change]:
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
            faults.append(_fault(number, column, str(error).rstrip(".")))
        yield Change(row.name, column, before, value)


def _repeated(rows: Sequence[TableRow]) -> Iterator[Problem]:
    first: dict[str, int] = {}
    for row in rows:
        name = row.cells["name"]
        if first.setdefault(name, row.row) != row.row:
            yield _fault(row.row, "name", f"{shown(name)} stands in row {first[name]} already")


def _not_theirs(
    session: Session, who: Who, changes: Sequence[Change], row_of: Mapping[str, int]
) -> Iterator[Problem]:
    changed = {change.name: change.column for change in changes}
    mine = set(session.exec(select(Stimulus.name).where(changed_by(who)))) if changed else set()
    for name, column in changed.items():
        if name not in mine:
            message = f"{shown(name)} is in an open collection: you can use it, and an owner changes it"
            yield _fault(row_of.get(name), column, message)


def _fixed_sources(
    session: Session, who: Who, changes: Sequence[Change], row_of: Mapping[str, int]
) -> Iterator[Problem]:
    names = [change.name for change in changes if change.column == "source"]
    for name, uses in (version_uses(session, names) if names else {}).items():
        try:
            refuse_source_change(session, who, name, uses)
        except StudyError as error:
            yield _fault(row_of.get(name), "source", str(error).rstrip("."))


def _apply(row: Stimulus, changes: Sequence[Change]) -> None:
    attributes = dict(row.attributes)
    for change in changes:
        if change.column == "source":
            row.source = change.after
        else:
            attributes[change.column] = change.after
    row.attributes = checked_attributes(attributes, row.attributes)


def _rows(session: Session, who: Who, wanted: CatalogFilter | None = None) -> dict[str, Stimulus]:
    rows = session.exec(select(Stimulus).where(is_kept(), seen_by(who), fits(wanted or CatalogFilter())))
    return {row.name: row for row in rows}
