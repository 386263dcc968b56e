"""Statements of every page turn: compiled once, and on SQLite run by the driver itself.

SQLAlchemy's way from a statement to its rows takes several times what SQLite needs to find a row by its key
(bench/profile.md). Here the text and the columns' types are SQLAlchemy's still, its way is not. PostgreSQL, over the
network, goes SQLAlchemy's way, which looks after lost connections.
"""

import json
import sqlite3
from collections import namedtuple
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from enum import Enum
from functools import partial
from operator import itemgetter
from types import NoneType
from typing import Any

from sqlalchemy import JSON, Boolean, Connection, Dialect
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session
from sqlmodel.sql.sqltypes import UTCDateTime

Values = Mapping[str, Any]
Convert = Callable[[Any], Any]
Converts = Sequence[tuple[int, Convert]]  # by place
_DRIVER = "likely-human.driver"
# Of each None and truth value that has no adapter the driver asks the object and the protocol first, and both raise.
# These two are C.
sqlite3.register_adapter(NoneType, {}.get)  # type: ignore[arg-type]
sqlite3.register_adapter(bool, int)


class Hot:
    """A statement whose bound values have names, without a list among them (`IN`) and without defaults of Python's.

    None is NULL, in a column of JSON as well.
    """

    def __init__(self, statement: Any) -> None:
        self.statement = statement
        # By the names of the values: an insert has a column for each.
        self._for_sqlite: dict[tuple[str, ...], _ForSQLite] = {}

    def all(self, session: Session, values: Values) -> Sequence[Any]:
        """All rows; columns by place and by name."""
        driver = _driver_of(session)
        if driver is None:
            return session.connection().execute(self.statement, values).all()
        found = self._for_sqlite.get(tuple(values)) or self._compiled(session, values)
        return found.all(driver, values)

    def first(self, session: Session, values: Values) -> Any:
        """The first row; None without one."""
        found = self.all(session, values)
        return found[0] if found else None

    def add(self, session: Session, values: Values) -> int:
        """The number of the row that the statement, an INSERT, adds. SQLite knows it anyway: RETURNING would take a
        quarter of the time of an insert more.
        """
        driver = _driver_of(session)
        if driver is None:
            made: Any = session.connection().execute(self.statement, values)
            return int(made.inserted_primary_key[0])
        found = self._for_sqlite.get(tuple(values)) or self._compiled(session, values)
        return found.add(driver, values)

    def run(self, session: Session, *rows: Values) -> None:
        """Run the statement, which returns nothing, for each row of values: an INSERT takes several."""
        driver = _driver_of(session)
        if driver is None:
            session.connection().execute(self.statement, rows)
        else:
            found = self._for_sqlite.get(tuple(rows[0])) or self._compiled(session, rows[0])
            found.run(driver, rows)

    def _compiled(self, session: Session, values: Values) -> "_ForSQLite":
        names = tuple(values)
        made = self._for_sqlite[names] = _ForSQLite(self.statement, session.get_bind().dialect, names)
        return made


def keep_driver(session: Session, connection: Connection) -> sqlite3.Connection | None:
    """Look once, and not at each statement, for the driver of a session that keeps its connection; returns it."""
    driver = session.info[_DRIVER] = _driver_below(connection)
    return driver


def say(driver: sqlite3.Connection, text: str) -> None:
    """Begin or end a transaction. Raises what SQLAlchemy would."""
    try:
        driver.execute(text)
    except sqlite3.Error as error:
        raise _as_sqlalchemys(error, text) from error


class _ForSQLite:
    def __init__(self, statement: Any, dialect: Dialect, names: Sequence[str]) -> None:
        compiled: Any = statement.compile(dialect=dialect, column_keys=list(names))
        assert not [*compiled.insert_prefetch, *compiled.update_prefetch], "a default of Python's"
        self._text = str(compiled)
        # Empty where VALUES is not the last of it.
        self._row = (
            self._text.rpartition(" VALUES ")[2] if self._text.endswith(")") and compiled.isinsert else ""
        )
        self._texts: dict[int, str] = {1: self._text}
        self._pick = _picker(compiled.positiontup)
        # Raises for a value that is missing and must not be, as SQLAlchemy does at each use; it would be NULL.
        params = compiled.construct_params(dict.fromkeys(names))
        self._given = {name: _plain(value) for name, value in params.items() if name not in names}
        self._bound_as = _those(_stored_as(compiled.binds[name], dialect) for name in compiled.positiontup)
        columns = list(getattr(statement, "exported_columns", ()))
        self._make = _maker([getattr(column, "name", "") for column in columns])
        self._read_as = _those(_read_as(column, dialect) for column in columns)

    def all(self, driver: sqlite3.Connection, values: Values) -> list[Any]:
        try:
            rows = driver.execute(self._text, self._in_order(values)).fetchall()
        except sqlite3.Error as error:
            raise _as_sqlalchemys(error, self._text) from error
        make, read_as = self._make, self._read_as
        return [make(_converted(row, read_as)) for row in rows] if read_as else [*map(make, rows)]

    def add(self, driver: sqlite3.Connection, values: Values) -> int:
        try:
            number = driver.execute(self._text, self._in_order(values)).lastrowid
            assert number is not None, "no INSERT"
            return number
        except sqlite3.Error as error:
            raise _as_sqlalchemys(error, self._text) from error

    def run(self, driver: sqlite3.Connection, rows: Sequence[Values]) -> None:
        try:
            if len(rows) == 1:
                driver.execute(self._text, self._in_order(rows[0]))
                return
            values = [value for row in rows for value in self._in_order(row)]
            driver.execute(self._text_of(len(rows)), values)
        except sqlite3.Error as error:
            raise _as_sqlalchemys(error, self._text) from error

    def _text_of(self, n_rows: int) -> str:
        """The statement for so many rows at once: one INSERT takes them all."""
        text = self._texts.get(n_rows)
        if text is None:
            assert self._row, "only an INSERT takes several rows"
            text = self._texts[n_rows] = self._text + f", {self._row}" * (n_rows - 1)
        return text

    def _in_order(self, values: Values) -> Sequence[Any]:
        cells = self._pick({**self._given, **values} if self._given else values)
        return _converted(cells, self._bound_as) if self._bound_as else cells


def _as_sqlalchemys(error: sqlite3.Error, text: str) -> BaseException:
    """The error as the database expects it of every statement."""
    return DBAPIError.instance(text, None, error, sqlite3.Error)


def _driver_of(session: Session) -> sqlite3.Connection | None:
    """SQLite's driver, which runs statements itself; None elsewhere, or where something listens to all statements."""
    if kept := session.info.get(_DRIVER):
        return kept  # type: ignore[no-any-return]
    return _driver_below(session.connection())


def _driver_below(connection: Connection) -> sqlite3.Connection | None:
    listened: Any = connection.dispatch
    if connection.dialect.name != "sqlite" or listened.before_cursor_execute:
        return None
    return connection.connection.dbapi_connection  # type: ignore[return-value]


def _maker(names: Sequence[str]) -> Callable[[Sequence[Any]], Any]:
    """Maker of rows whose cells have names; a column without one, or with another's, has its place."""
    row: Any = namedtuple("Row", names, rename=True)  # type: ignore[misc]
    return partial(tuple.__new__, row)  # as `_make` does, which looks at the number of cells again


def _picker(names: Sequence[str]) -> Callable[[Values], Sequence[Any]]:
    """Function that returns the values of these names, in their order."""
    if len(names) < 2:  # of one name `itemgetter` would return the value alone
        return lambda values: [values[name] for name in names]
    return itemgetter(*names)


def _plain(value: Any) -> Any:
    """A member of an enum as its value, for which the driver need not look for an adapter at each use."""
    return value.value if isinstance(value, Enum) else value


def _those(converts: Iterable[Convert | None]) -> Converts:
    return [(at, convert) for at, convert in enumerate(converts) if convert is not None]


def _converted(values: Iterable[Any], converts: Converts) -> list[Any]:
    cells = list(values)
    for at, convert in converts:
        if cells[at] is not None:  # NULL is None either way
            cells[at] = convert(cells[at])
    return cells


def _stored_as(typed: Any, dialect: Dialect) -> Convert | None:
    """The function that turns a value into one that the driver takes; None where it is one."""
    of = typed.type
    if isinstance(of, Boolean):
        return None  # to the driver it is a number
    if isinstance(of, UTCDateTime):
        return _stored_time
    if isinstance(of, JSON):
        return _stored_json
    made: Convert | None = of.dialect_impl(dialect).bind_processor(dialect)
    return made


def _read_as(typed: Any, dialect: Dialect) -> Convert | None:
    """The function that turns a value of the driver into one of the column; None where it is one."""
    if isinstance(typed.type, UTCDateTime):
        return _read_time
    if isinstance(typed.type, JSON):
        return _read_json
    made: Convert | None = typed.type.dialect_impl(dialect).result_processor(dialect, None)
    return made


def _stored_json(value: Any) -> str:
    if not value and type(value) in _EMPTY:  # as most lists and objects of an answer are
        return _EMPTY[type(value)]
    return "".join(_encoded(value, 0))


def _read_json(stored: Any) -> Any:
    # SQLite keeps a number as a number, and NULL is None.
    return _DECODER.raw_decode(stored)[0] if isinstance(stored, str) else stored


# `json.loads` is two functions of Python's around this one; a column has no space before its JSON.
_DECODER = json.JSONDecoder()
_EMPTY: Mapping[type, str] = {list: "[]", dict: "{}"}
# `json.dumps` makes this encoder, which is C, anew for each value, and takes longer to make it than to use it.
_OF_DUMPS = json.JSONEncoder()
_encoded: Callable[[Any, int], Sequence[str]] = json.encoder.c_make_encoder(  # type: ignore[attr-defined]
    None,  # does not look for a list within itself
    _OF_DUMPS.default,
    json.encoder.encode_basestring_ascii,
    _OF_DUMPS.indent,
    _OF_DUMPS.key_separator,
    _OF_DUMPS.item_separator,
    _OF_DUMPS.sort_keys,
    _OF_DUMPS.skipkeys,
    _OF_DUMPS.allow_nan,
)
# The last time that was stored, and the last that was read, with their texts: an answer stores when its page was shown,
# as it was read, and when it was given, twice. To write such a text takes Python some ten thousand instructions.
_stored: tuple[datetime | None, str] = None, ""
_read: tuple[datetime | None, str] = None, ""


# The text that SQLAlchemy writes and reads, in a third of its time.
def _stored_time(at: datetime) -> str:
    global _stored
    for known, text in (_stored, _read):
        if known is at:
            return text
    if at.tzinfo is None:
        raise ValueError(f"a time without a zone: {at}")
    utc = at if at.tzinfo is UTC else at.astimezone(UTC)
    text = utc.isoformat(" ", "microseconds")[:-6]  # without "+00:00"
    _stored = at, text
    return text


def _read_time(text: str) -> datetime:
    global _read
    known, same = _read
    if known is not None and same == text:
        return known
    at = datetime.fromisoformat(f"{text}+00:00")
    _read = at, text
    return at
