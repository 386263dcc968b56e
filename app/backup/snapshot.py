"""A snapshot of the database as one file, with checksums by which a restored copy is verified."""

import hashlib
import json
import sqlite3
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, MetaData, create_engine, inspect, select, text
from sqlalchemy.exc import DBAPIError

from app.core.errors import StudyError
from app.core.settings import environment_with

ROWS_AT_ONCE = 1_000


def taken(url: URL, out: Path) -> Mapping[str, str]:
    """Write the database into a file, other writers going on meanwhile; returns what its tables hold (`tables_of`)."""
    if url.get_backend_name() == "sqlite":
        return _sqlite_taken(Path(url.database or ""), out)
    # READ COMMITTED would take a new snapshot for each statement, and count another moment than is dumped.
    engine = create_engine(url, isolation_level="REPEATABLE READ")
    try:
        with engine.connect() as connection:
            # What is dumped and what is counted are of one and the same moment.
            moment = connection.scalar(text("SELECT pg_export_snapshot()"))
            _run("pg_dump", "--format=custom", f"--snapshot={moment}", f"--file={out}", address=url)
            return tables_of(connection)
    except DBAPIError as error:
        raise StudyError(f"cannot read the database {url.render_as_string()}: {_line(error.orig)}") from None
    finally:
        engine.dispose()


def put_back(url: URL, copy: Path) -> Mapping[str, str]:
    """Load a file into an empty database; returns the checksums of its tables."""
    if url.get_backend_name() == "sqlite":
        path = Path(url.database or "")
        with closing(sqlite3.connect(copy)) as source, closing(sqlite3.connect(path)) as target:
            source.backup(target)
    else:
        _run("pg_restore", "--exit-on-error", "--no-owner", str(copy), address=url)
    engine = create_engine(url)
    try:
        with engine.connect() as connection:
            return tables_of(connection)
    finally:
        engine.dispose()


def is_empty(url: URL) -> bool:
    """True if the database has no tables. Raises StudyError if it cannot be reached."""
    if url.get_backend_name() == "sqlite":
        return not Path(url.database or "").exists()
    engine = create_engine(url)
    try:
        with engine.connect() as connection:
            return not inspect(connection).get_table_names()
    except DBAPIError as error:
        raise StudyError(f"cannot use the database {url.render_as_string()}: {_line(error.orig)}") from None
    finally:
        engine.dispose()


def tables_of(connection: Connection) -> Mapping[str, str]:
    """Rows and SHA-256 of the content, per table."""
    known = MetaData()
    known.reflect(connection)
    found: dict[str, str] = {}
    for table in known.sorted_tables:
        digest, n = hashlib.sha256(), 0
        # SQL promises no order, and the hash depends on it.
        rows = select(table).order_by(*(table.primary_key.columns or table.columns))
        for row in connection.execution_options(yield_per=ROWS_AT_ONCE).execute(rows):
            digest.update(json.dumps(list(row), default=_as_text).encode() + b"\n")
            n += 1
        found[table.name] = f"{n} rows, {digest.hexdigest()}"
    return found


def _as_text(value: Any) -> str:
    return value.hex() if isinstance(value, bytes) else str(value)


def _sqlite_taken(path: Path, out: Path) -> Mapping[str, str]:
    """Copy by SQLite's online backup: one consistent read that does not block writers."""
    try:
        with (
            closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=60)) as source,
            closing(sqlite3.connect(out)) as target,
        ):
            source.backup(target)
    except sqlite3.Error as error:
        raise StudyError(f"cannot copy the database {path}: {error}") from None
    with _copy(out) as connection:
        return tables_of(connection)


@contextmanager
def _copy(path: Path) -> Iterator[Connection]:
    """A read-only connection to a copy that nobody writes, opened as immutable so that no extra file is made."""
    uri = f"{path.absolute().as_uri()}?immutable=1"
    engine = create_engine("sqlite://", creator=lambda: sqlite3.connect(uri, uri=True))
    try:
        with engine.connect() as connection:
            yield connection
    finally:
        engine.dispose()


def _address(url: URL) -> str:
    """The URL for PostgreSQL's programs, without the password, which must not be a process argument."""
    # `url.set(password=None)` would leave it as it is.
    plain = URL.create("postgresql", url.username, None, url.host, url.port, url.database, url.query)
    return plain.difference_update_query(["password"]).render_as_string(hide_password=False)


def _run(program: str, *words: str, address: URL) -> None:
    command = [program, f"--dbname={_address(address)}", *words]
    password = address.password or address.query.get("password")
    secret = {"PGPASSWORD": str(password)} if password else {}
    try:
        done = subprocess.run(  # noqa: S603  (PostgreSQL's own programs)
            command, env=environment_with(**secret), capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        raise StudyError(
            f"{program} is not installed here; it comes with PostgreSQL's client (apt-get install postgresql-client)"
        ) from None
    if done.returncode:
        raise StudyError(f"{program}: {_line(done.stderr)}")


def _line(error: object) -> str:
    return " ".join(str(error).split())
