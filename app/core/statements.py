"""Statements of every page turn: compiled once, and on SQLite run by the driver itself.

SQLAlchemy's way from a statement to its rows takes several times what SQLite needs to find a row by its key
(bench/profile.md). Here the text and the columns' types are SQLAlchemy's still, its way is not. PostgreSQL, over the
network, goes SQLAlchemy's way, which looks after lost connections.
"""

import sqlite3
from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlalchemy import Dialect
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

Values = Mapping[str, Any]
Convert = Callable[[Any], Any]
_DRIVER = "likely-human.driver"


class Hot:
    """A statement whose bound values have names, without a list among them (`IN`) and without defaults of Python's."""

    def __init__(self, statement: Any) -> None:
        self.statement = statement
        # By the names of the values: an insert has a column for each.
        self._for_sqlite: dict[tuple[str, ...], _ForSQLite] = {}

    def all(self, session: Session, values: Values) -> Sequence[Any]:
        """All rows; columns by place and by name."""
        driver = _driver_of(session)
        if driver is None:
            return session.connection().execute(self.statement, values).all()
        return self._compiled(session, values).all(driver, values)

    def first(self, session: Session, values: Values) -> Any:
        """The first row; None without one."""
        found = self.all(session, values)
        return found[0] if found else None

    def run(self, session: Session, *rows: Values) -> None:
        """Run the statement, which returns nothing, for each row of values: an INSERT takes several."""
        driver = _driver_of(session)
        if driver is None:
            session.connection().execute(self.statement, rows)
        else:
            self._compiled(session, rows[0]).run(driver, rows)

    def _compiled(self, session: Session, values: Values) -> "_ForSQLite":
        names = tuple(values)
        found = self._for_sqlite.get(names)
        if found is None:
            found = self._for_sqlite[names] = _ForSQLite(self.statement, session.get_bind().dialect, names)
        return found


def keep_driver(session: Session) -> None:
    """Look once, and not at each statement, for the driver's connection of a session that has one transaction."""
    session.info[_DRIVER] = _driver_of(session)


class _ForSQLite:
    def __init__(self, statement: Any, dialect: Dialect, names: Sequence[str]) -> None:
        compiled: Any = statement.compile(dialect=dialect, column_keys=list(names))
        assert not [*compiled.insert_prefetch, *compiled.update_prefetch], "a default of Python's"
        self._text, self._dialect = str(compiled), dialect
        # Empty where VALUES is not the last of it.
        self._row = (
            self._text.rpartition(" VALUES ")[2] if self._text.endswith(")") and compiled.isinsert else ""
        )
        self._bound: list[tuple[str, Any, Convert | None]] = [
            (name, compiled.params[name], _impl(compiled.binds[name], dialect).bind_processor(dialect))
            for name in compiled.positiontup
        ]
        columns = list(getattr(statement, "exported_columns", ()))
        self._make = _maker([getattr(column, "name", "") for column in columns])
        converts = [_impl(column, dialect).result_processor(dialect, None) for column in columns]
        self._converted = [(at, convert) for at, convert in enumerate(converts) if convert is not None]

    def all(self, driver: sqlite3.Connection, values: Values) -> list[Any]:
        try:
            rows = driver.execute(self._text, self._in_order(values)).fetchall()
        except sqlite3.Error as error:
            raise self._as_sqlalchemys(error) from error
        return [self._make(self._read(row)) for row in rows]

    def run(self, driver: sqlite3.Connection, rows: Sequence[Values]) -> None:
        try:
            values = [value for row in rows for value in self._in_order(row)]
            driver.execute(self._text_of(len(rows)), values)
        except sqlite3.Error as error:
            raise self._as_sqlalchemys(error) from error

    def _text_of(self, n_rows: int) -> str:
        """The statement for so many rows at once: one INSERT takes them all."""
        if n_rows == 1:
            return self._text
        assert self._row, "only an INSERT takes several rows"
        return self._text + f", {self._row}" * (n_rows - 1)

    def _in_order(self, values: Values) -> list[Any]:
        return [
            values.get(name, given) if convert is None else convert(values.get(name, given))
            for name, given, convert in self._bound
        ]

    def _read(self, row: Sequence[Any]) -> Sequence[Any]:
        if not self._converted:
            return row
        cells = list(row)
        for at, convert in self._converted:
            cells[at] = convert(cells[at])
        return cells

    def _as_sqlalchemys(self, error: sqlite3.Error) -> BaseException:
        """The error as the database expects it of every statement."""
        return DBAPIError.instance(self._text, None, error, sqlite3.Error, dialect=self._dialect)


def _driver_of(session: Session) -> sqlite3.Connection | None:
    """SQLite's driver, which runs statements itself; None elsewhere, or where something listens to all statements."""
    if kept := session.info.get(_DRIVER):
        return kept  # type: ignore[no-any-return]
    connection = session.connection()
    listened: Any = connection.dispatch
    if connection.dialect.name != "sqlite" or listened.before_cursor_execute:
        return None
    return connection.connection.dbapi_connection  # type: ignore[return-value]


def _maker(names: Sequence[str]) -> Callable[[Sequence[Any]], Any]:
    """Maker of rows whose cells have names; a column without one, or with another's, has its place."""
    row: Any = namedtuple("Row", names, rename=True)  # type: ignore[misc]
    make: Callable[[Sequence[Any]], Any] = row._make
    return make


def _impl(typed: Any, dialect: Dialect) -> Any:
    return typed.type.dialect_impl(dialect)
