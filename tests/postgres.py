"""PostgreSQL databases for tests: one after another, each as if it had just been made.

To make a database and to drop it takes the server a good part of a second, most of it for writing to disk; to delete
the rows that a test left takes a hundredth of that. Where a test changed the tables themselves, a new one is made.
"""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg.conninfo import make_conninfo
from psycopg.sql import SQL, Identifier

Connection = psycopg.Connection[tuple[object, ...]]

# A table made anew has another number, and so has each of its checks, indexes and triggers.
SCHEMA = """
    WITH ours AS (SELECT oid, relname, relhastriggers FROM pg_class WHERE relnamespace = 'public'::regnamespace)
    SELECT 'class', oid::text, relname::text, relhastriggers::text FROM ours
    UNION ALL SELECT 'column', attrelid::text || '.' || attnum, attname::text || ' ' || atttypid, attnotnull::text
        FROM pg_attribute JOIN ours ON ours.oid = attrelid
    UNION ALL SELECT 'check', oid::text, conname::text, convalidated::text
        FROM pg_constraint WHERE connamespace = 'public'::regnamespace
    UNION ALL SELECT 'trigger', oid::text, tgname::text, tgenabled::text FROM pg_trigger
    UNION ALL SELECT 'revision', version_num::text, '', '' FROM alembic_version
    ORDER BY 1, 2
"""
TABLES = """
    SELECT relname FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> 'alembic_version'
"""
RESTART = """
    SELECT setval(oid::regclass, 1, false) FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind = 'S'
"""
# What the migrations put in, the collection of everything that names none, is there again for the next test.
LIBRARY = """
    INSERT INTO collection (slug, title, is_open, created_at) VALUES ('library', 'Library', false, now())
"""
ALONE = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s AND pid <> pg_backend_pid()"
)


class PostgresDatabases:
    """Copies of the migrated database `template`; `server` is a connection to the server at `address`."""

    def __init__(self, server: Connection, address: str, template: str) -> None:
        self._server, self._address, self._template = server, address, template
        self._name = ""
        self._schema: list[tuple[object, ...]] = []

    @contextmanager
    def one(self) -> Iterator[str]:
        """The name of an empty migrated database, the caller's alone."""
        name, self._name = self._name or self._made(), ""
        yield name
        if self._is_emptied(name):
            self._name = name
        else:
            self._drop(name)

    def close(self) -> None:
        if self._name:
            self._drop(self._name)

    def _made(self) -> str:
        name = f"lh_test_{secrets.token_hex(6)}"
        self._server.execute(
            SQL("CREATE DATABASE {} TEMPLATE {}").format(Identifier(name), Identifier(self._template))
        )
        with self._connected(name) as connection:
            self._schema = connection.execute(SCHEMA).fetchall()
        return name

    def _is_emptied(self, name: str) -> bool:
        """True if nothing of a test is left in it; not where the tables are not those that were made."""
        with self._connected(name) as connection:
            connection.execute(ALONE, [name])
            try:
                if connection.execute(SCHEMA).fetchall() != self._schema:
                    return False
            except psycopg.errors.UndefinedTable:
                return False
            tables = [Identifier(str(table)) for (table,) in connection.execute(TABLES)]
            has_rows = SQL(", ").join(SQL("EXISTS (SELECT FROM {})").format(table) for table in tables)
            found = connection.execute(SQL("SELECT {}").format(has_rows)).fetchone() or ()
            filled = [table for table, there in zip(tables, found, strict=True) if there]
            connection.execute("SET session_replication_role = replica")  # no trigger, no order among tables
            for table in filled:
                connection.execute(SQL("DELETE FROM {}").format(table))
            connection.execute(RESTART)
            connection.execute(LIBRARY)
        return True

    def _drop(self, name: str) -> None:
        self._server.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(name)))

    def _connected(self, name: str) -> Connection:
        return psycopg.connect(make_conninfo(self._address, dbname=name), autocommit=True)
