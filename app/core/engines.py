"""Connections to SQLite and PostgreSQL: how each is opened, its limits, and its liveness check."""

import time
from typing import Any

from sqlalchemy import URL, Engine, create_engine, event
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import DisconnectionError
from sqlalchemy.pool import ConnectionPoolEntry

LOCK_WAIT_S = 15.0  # how long a write waits while another process holds SQLite's lock
# Of each process with PostgreSQL: connections to read by, which stay open, and more for a while when all are in use.
KEPT_CONNECTIONS, MORE_CONNECTIONS = 8, 7
IDLE_S = 2.0
_USED = "likely-human.used"


def make_engine(
    url: URL,
    *,
    writing: bool,
    checkpointing: bool = False,
    enforcing: bool = True,
    lock_wait_s: float = LOCK_WAIT_S,
) -> Engine:
    """An engine for `url`; `enforcing` foreign keys always, but while tables are rebuilt.

    On SQLite only a `checkpointing` connection moves the log into the database: releases before 3.51.3 can corrupt
    it when two connections write and checkpoint at once, so the service's writer alone does (a process that is
    alone with the database does it on closing).
    """
    if url.get_backend_name() != "sqlite":
        engine = create_engine(url, pool_pre_ping=True) if writing else _reading_over_network(url)
        event.listen(engine, "connect", _uncompiled)
        return engine
    # Requests of the loop and of its threads share the pool; each session uses its connection alone.
    engine = create_engine(url, connect_args={"check_same_thread": False})

    @event.listens_for(engine, "connect")
    def prepare(connection: DBAPIConnection, _record: object) -> None:
        connection.isolation_level = None  # we say BEGIN ourselves, below
        cursor = connection.cursor()
        cursor.execute(f"PRAGMA busy_timeout = {round(lock_wait_s * 1000)}")
        cursor.execute("PRAGMA journal_mode = WAL")
        # An acknowledged answer survives a power cut. Measured as fast as NORMAL here: Python is the bound.
        cursor.execute("PRAGMA synchronous = FULL")
        if enforcing:
            cursor.execute("PRAGMA foreign_keys = ON")
        if not checkpointing:
            # Two connections that write and checkpoint at once can corrupt the log before SQLite 3.51.3.
            cursor.execute("PRAGMA wal_autocheckpoint = 0")
        if writing:
            # What is deleted is overwritten in the file, not only marked as free: erasing is to erase.
            cursor.execute("PRAGMA secure_delete = ON")
        else:
            cursor.execute("PRAGMA query_only = ON")
        cursor.close()
        connection.create_function("lowered", 1, _lowered, deterministic=True)

    @event.listens_for(engine, "begin")
    def begin(connection: Any) -> None:
        # A reader that turns writer fails at once where another wrote meanwhile (SQLITE_BUSY, whatever the timeout);
        # IMMEDIATE takes the lock first, where waiting is possible.
        if connection.get_execution_options().get("isolation_level") == "AUTOCOMMIT":
            return
        if connection.connection.dbapi_connection.in_transaction:  # begun for a group of writes (`Database`)
            return
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")

    return engine


def _lowered(text: str | None) -> str | None:
    """A text in lower case, of every alphabet, for `json_sql.lowered`."""
    return text.lower() if text is not None else None


def _uncompiled(connection: DBAPIConnection, _record: object) -> None:
    """Let the server run statements as they are: of what it takes for long it compiles them first, each time anew, and
    that took half of the 90 ms in which 10,000 sessions' units are counted. Said once here and not as an option of the
    connection, which poolers in between refuse."""
    cursor = connection.cursor()
    cursor.execute("SET jit = off")
    cursor.close()
    connection.commit()


def _reading_over_network(url: URL) -> Engine:
    """A connection that has been idle is asked whether it is alive before it is used; each time would be a round trip
    of every read, which is done again instead where the server was restarted meanwhile."""
    engine = create_engine(url, pool_size=KEPT_CONNECTIONS, max_overflow=MORE_CONNECTIONS)

    @event.listens_for(engine, "checkin")
    def note(_connection: DBAPIConnection | None, record: ConnectionPoolEntry) -> None:
        record.info[_USED] = time.monotonic()

    @event.listens_for(engine, "checkout")
    def look(connection: DBAPIConnection, record: ConnectionPoolEntry, _proxy: object) -> None:
        used = record.info.get(_USED)
        if used is None or time.monotonic() - used < IDLE_S:
            return
        try:
            engine.dialect.do_ping(connection)
        except engine.dialect.dbapi.Error as error:  # type: ignore[union-attr]
            raise DisconnectionError from error

    return engine
