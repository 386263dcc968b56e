"""The common starting point of a module's tests, made once: the rows that the first made are put into the others'
databases.

To walk through a study takes a third of a second of requests, which are tested in tests/sessions; its rows are copied
in a hundredth of that.
"""

import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from datetime import datetime

from app.core.database import Database
from tests.clock import Clock

Row = tuple[object, ...]
Tables = Mapping[str, Mapping[object, Row]]  # their rows by number


class Kept:
    """For one fixture of a module, and databases of SQLite."""

    def __init__(self) -> None:
        self._made: dict[object, tuple[Tables, Tables, datetime | None]] = {}

    def once(self, database: Database, make: Callable[[], object]) -> None:
        """Leave the database and the clock as `make` does; what it does depends on nothing but who was there before."""
        assert database.url.database
        with closing(sqlite3.connect(database.url.database)) as connection:
            there = _tables(connection)
            before = tuple((table, tuple(rows)) for table, rows in there.items())
            if before not in self._made:
                make()
                self._made[before] = there, _tables(connection), Clock.at
                return
            old, new, at = self._made[before]
            for table, rows in new.items():
                _put(connection, table, old[table], rows)
            connection.commit()
            Clock.at = max(filter(None, (Clock.at, at)), default=None)


def _tables(connection: sqlite3.Connection) -> Tables:
    names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    return {
        name: {row[0]: tuple(row) for row in connection.execute(f"SELECT rowid, * FROM {name}")}
        for (name,) in names
    }


def _put(
    connection: sqlite3.Connection, table: str, old: Mapping[object, Row], new: Mapping[object, Row]
) -> None:
    """Change what `make` changed: rows that were there as before stay this test's own."""
    changed = [row for number, row in new.items() if old.get(number) != row]
    gone = [(number,) for number in old if number not in new] + [(row[0],) for row in changed]
    connection.executemany(f"DELETE FROM {table} WHERE rowid = ?", gone)
    if changed:
        columns = [column for _, column, *_ in connection.execute(f"PRAGMA table_info({table})")]
        marks = ", ".join("?" * (len(columns) + 1))
        connection.executemany(f"INSERT INTO {table} (rowid, {', '.join(columns)}) VALUES ({marks})", changed)
