"""The writer: what it says is done is on disk, and one failing job hurts nobody else."""

import asyncio
import secrets
import sqlite3
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from datetime import UTC, datetime
from functools import partial
from sqlite3 import dbapi2
from typing import Any

import pytest
from sqlalchemy import event, insert, make_url, text
from sqlalchemy.exc import IntegrityError, OperationalError
from sqlmodel import Session, SQLModel, select

from app.core.committed import once_committed
from app.core.database import PEEKING_THREADS, Database
from app.core.statements import Hot
from app.core.write_queue import MOST, MOST_AFTER, WriteQueue
from app.trials.tables import Study
from tests.conftest import POSTGRES
from tests.postgres import PostgresDatabases

pytestmark = pytest.mark.both_databases

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def add(session: Session, slug: str) -> str:
    session.add(Study(slug=slug, created_at=NOW))
    session.flush()
    return slug


def slugs(database: Database) -> set[str]:
    with database.reading() as session:
        return set(session.exec(select(Study.slug)))


def test_a_write_is_visible_once_it_returns(database: Database) -> None:
    async def go() -> set[str]:
        await database.write(add, "one")
        return await database.read(lambda session: set(session.exec(select(Study.slug))))

    assert asyncio.run(go()) == {"one"}


def test_of_many_writes_at_once_only_the_failing_ones_fail(database: Database) -> None:
    names = [f"s{n // 2 if n % 10 == 1 else n}" for n in range(100)]  # every tenth is a name that exists

    async def go() -> list[str | BaseException]:
        return await asyncio.gather(*(database.write(add, name) for name in names), return_exceptions=True)

    outcomes = asyncio.run(go())
    stored = slugs(database)
    assert {outcome for outcome in outcomes if isinstance(outcome, str)} == stored == set(names)
    failed = [outcome for outcome in outcomes if not isinstance(outcome, str)]
    assert len(failed) == len(names) - len(set(names))
    assert all(isinstance(outcome, IntegrityError) for outcome in failed)


ADD = Hot(insert(SQLModel.metadata.tables[str(Study.__tablename__)]))


def add_by_driver(session: Session, slug: str, do: Callable[[], None] = lambda: None) -> str:
    """`add` as answers are stored: no statement goes SQLAlchemy's way on SQLite."""
    once_committed(session, do)
    ADD.run(session, {"slug": slug, "state": "closed", "closing": "", "created_at": NOW})
    return slug


def test_a_group_of_either_kind_of_statements_is_stored_and_told_of_once(database: Database) -> None:
    told: list[str] = []

    async def go() -> list[str | BaseException]:
        by_driver = (
            database.write(add_by_driver, f"d{n % 9}", partial(told.append, f"d{n}")) for n in range(10)
        )
        mixed = (database.write(add, "o1"), *by_driver, database.write(add, "o2"))
        return [
            *await asyncio.gather(*mixed, return_exceptions=True),
            await database.write(add_by_driver, "alone", partial(told.append, "alone")),
        ]

    outcomes = asyncio.run(go())
    assert slugs(database) == {*(f"d{n}" for n in range(9)), "o1", "o2", "alone"}
    assert [type(each) for each in outcomes if not isinstance(each, str)] == [IntegrityError]
    assert told == [*(f"d{n}" for n in range(9)), "alone"], "the tenth has the name of the first"


def test_a_commit_that_fails_by_the_driver_is_told_and_stores_nothing(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    if database.url.get_backend_name() != "sqlite":
        pytest.skip("PostgreSQL is committed by SQLAlchemy")
    told: list[str] = []
    full = [False, True]  # at the first commit, not at the next

    class Full(sqlite3.Connection):
        def execute(self, text: str, *values: Any) -> sqlite3.Cursor:
            if text == "COMMIT" and full.pop():
                raise sqlite3.OperationalError("disk full")
            return super().execute(text, *values)

    with monkeypatch.context() as patched:
        patched.setattr(dbapi2, "connect", partial(sqlite3.connect, factory=Full))
        with pytest.raises(OperationalError, match="disk full"):
            asyncio.run(database.write(add_by_driver, "lost", partial(told.append, "lost")))
    assert (database.failure, slugs(database), told) == ("disk full", set(), [])
    assert asyncio.run(database.write(add_by_driver, "next")) == "next"
    assert (database.failure, slugs(database)) == (None, {"next"})


def test_a_failing_commit_is_told_and_stores_nothing(database: Database) -> None:
    def refuse(_connection: object) -> None:
        raise OperationalError("COMMIT", None, Exception("disk full"))

    async def go() -> None:
        await database.write(add, "lost")

    engine = database._loop_engine if database.url.get_backend_name() == "sqlite" else database._write_engine
    event.listen(engine, "commit", refuse)
    with pytest.raises(OperationalError, match="disk full"):
        asyncio.run(go())
    assert database.failure == "disk full"
    event.remove(engine, "commit", refuse)
    assert slugs(database) == set()


def test_writes_share_a_connection_until_one_fails(database: Database) -> None:
    if database.url.get_backend_name() != "sqlite":
        pytest.skip("PostgreSQL has a writer thread")
    taken: list[object] = []

    def fail(_session: Session) -> None:
        raise ValueError("nothing to add")

    async def go() -> None:
        await database.write(add, "one")
        await database.write(add, "two")
        assert len(taken) == 1
        with pytest.raises(ValueError, match="nothing to add"):
            await database.write(fail)
        await database.write(add, "three")
        assert len(taken) == 2

    event.listen(database._loop_engine, "checkout", lambda connection, *_: taken.append(connection))
    asyncio.run(go())
    assert slugs(database) == {"one", "two", "three"}


def test_a_cancelled_request_breaks_neither_the_writer_nor_its_own_write(database: Database) -> None:
    async def go() -> None:
        task = asyncio.create_task(database.write(add, "cancelled"))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await database.write(add, "next")

    asyncio.run(go())
    assert slugs(database) == {"cancelled", "next"}


def test_a_peek_sees_what_was_just_written(database: Database) -> None:
    async def go() -> list[int]:
        seen = []
        for n in range(3):
            await database.write(add, f"s{n}")
            seen.append(await database.peek(lambda session: len(session.exec(select(Study.slug)).all())))
        return seen

    assert asyncio.run(go()) == [1, 2, 3]


def test_while_another_process_holds_the_lock_pages_are_read_and_writes_wait(database: Database) -> None:
    if database.url.get_backend_name() != "sqlite":
        pytest.skip("PostgreSQL locks rows")
    beside = sqlite3.connect(str(database.url.database), isolation_level=None)
    beside.execute("BEGIN IMMEDIATE")

    async def go() -> str:
        writes = [asyncio.create_task(database.write(add, f"s{n}")) for n in range(5)]
        await asyncio.sleep(0.1)
        assert await database.peek(lambda session: list(session.exec(select(Study.slug)))) == []
        assert not any(write.done() for write in writes)
        beside.execute("COMMIT")
        await asyncio.gather(*writes)
        return await database.write(add, "after")

    assert asyncio.run(go()) == "after"
    beside.close()
    assert len(slugs(database)) == 6
    assert database.failure is None


def test_a_lock_that_comes_while_a_group_is_split_runs_nothing_twice(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One bad job splits the group; another process takes the lock when half of it is committed."""
    if database.url.get_backend_name() != "sqlite":
        pytest.skip("PostgreSQL locks rows")
    beside = sqlite3.connect(str(database.url.database), isolation_level=None)
    tries: list[int] = []

    in_loop = database._in_loop

    def lock_before_the_second() -> AbstractContextManager[Session]:
        tries.append(1)
        if len(tries) == 3:  # the group, then its first job alone, then the second
            beside.execute("BEGIN IMMEDIATE")
        return in_loop()

    def add_another(session: Session) -> None:
        add(session, secrets.token_hex(8))  # were it run twice, there would be two

    def fail(_session: Session) -> None:
        raise ValueError

    async def go() -> list[BaseException | None]:
        asyncio.get_running_loop().call_later(0.3, lambda: beside.execute("COMMIT"))
        jobs = [add_another, add_another, fail, add_another]
        return await asyncio.gather(*(database.write(job) for job in jobs), return_exceptions=True)

    monkeypatch.setattr(database, "_in_loop", lock_before_the_second)
    outcomes = asyncio.run(go())
    beside.close()
    assert [type(outcome) for outcome in outcomes] == [type(None), type(None), ValueError, type(None)]
    assert len(slugs(database)) == 3


def test_closing_finishes_what_is_queued(database: Database) -> None:
    async def go() -> None:
        for n in range(50):
            database.write_soon(add, f"s{n}")
        database.close()

    asyncio.run(go())
    assert len(slugs(database)) == 50


def test_writes_that_wait_are_behind_all_others_and_a_few_are_in_each_group() -> None:
    queue: WriteQueue[str] = WriteQueue()
    for n in range(20):
        queue.put(f"after {n}", waits=True)
    for n in range(MOST + 1):
        queue.put(f"first {n}")
    assert queue.group() == [f"first {n}" for n in range(MOST)] + [f"after {n}" for n in range(MOST_AFTER)]
    queue.put("last")
    assert queue.group() == [
        f"first {MOST}",
        "last",
        *(f"after {n}" for n in range(MOST_AFTER, 2 * MOST_AFTER)),
    ]
    queue.end()
    assert queue.group() == [f"after {n}" for n in range(2 * MOST_AFTER, 20)]
    assert queue.group() == []


def test_an_answer_is_not_held_up_by_many_who_say_that_they_are_here(database: Database) -> None:
    if database.is_local:
        pytest.skip("SQLite is written in the event loop")
    done: list[str] = []
    goes_on = threading.Event()

    async def go() -> None:
        held = asyncio.create_task(database.write(lambda session: goes_on.wait()))
        await asyncio.sleep(0)  # it has begun, or is the first of the queue
        for n in range(50):
            database.write_after(lambda session, n=n: done.append(f"here {n}"))
        answer = asyncio.create_task(database.write(lambda session: done.append("answer")))
        await asyncio.sleep(0)
        goes_on.set()
        await asyncio.gather(held, answer)
        database.close()

    asyncio.run(go())
    assert done.index("answer") <= MOST_AFTER
    assert sorted(done) == sorted(["answer", *(f"here {n}" for n in range(50))])


def test_a_server_compiles_no_statement_whatever_it_takes_it_to_cost(database: Database) -> None:
    if database.is_local:
        pytest.skip("SQLite never does")

    def told(session: Session) -> str:
        return str(session.execute(text("SHOW jit")).scalar())

    async def go() -> list[str]:
        return [await database.peek(told), await database.read(told), await database.write(told)]

    assert asyncio.run(go()) == ["off"] * 3
    with database.transaction() as session:
        assert told(session) == "off"


def test_a_transaction_that_raises_leaves_everything_as_it_was(database: Database) -> None:
    def half() -> None:
        with database.transaction() as session:
            add(session, "half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        half()
    assert slugs(database) == set()


def test_readers_cannot_write_to_sqlite(database: Database) -> None:
    if database.url.get_backend_name() != "sqlite":
        pytest.skip("SQLite's rule")
    with database.reading() as session, pytest.raises(OperationalError, match="readonly"):
        add(session, "sneaked in")


def test_sqlite_syncs_every_commit_and_minds_foreign_keys(database: Database) -> None:
    if database.url.get_backend_name() != "sqlite":
        pytest.skip("SQLite's settings")
    with database.transaction() as session:
        pragma = {
            name: session.execute(text(f"PRAGMA {name}")).scalar_one()
            for name in ("journal_mode", "synchronous", "foreign_keys", "wal_autocheckpoint")
        }
    assert pragma == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "wal_autocheckpoint": 1000}
    beside = Database(database.url)
    with beside.transaction() as session:
        assert session.execute(text("PRAGMA wal_autocheckpoint")).scalar_one() == 0
    beside.close()
    with closing(sqlite3.connect(str(database.url.database))) as disk:
        assert disk.execute("PRAGMA integrity_check").fetchone() == ("ok",)


@pytest.mark.postgres
def test_a_database_of_the_tests_is_as_new_for_the_next_one(postgres_databases: PostgresDatabases) -> None:
    """Rows and numbers of the test before are gone, and tables that it changed are not given on."""
    server = make_url(POSTGRES).set(drivername="postgresql+psycopg")

    def use(name: str, *statements: str) -> str:
        database = Database(server.set(database=name))
        with database.transaction() as session:
            assert session.exec(select(Study)).all() == []
            add(session, "first")
            assert session.exec(select(Study.id)).all() == [1]
            for statement in statements:
                session.execute(text(statement))
        database.close()
        return name

    names = []
    for statements in ((), (), ("ALTER TABLE study ADD mark int",), ("DROP TABLE alembic_version",), ()):
        with postgres_databases.one() as name:
            names.append(use(name, *statements))
    assert names[0] == names[1] == names[2]
    assert len(set(names)) == 3


@pytest.mark.parametrize("idle_s", [0.0, 3600.0], ids=["idle", "in use"])
def test_reads_go_on_when_the_server_has_ended_every_connection(
    database: Database, idle_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    if database.is_local:
        pytest.skip("SQLite has no server")
    monkeypatch.setattr("app.core.engines.IDLE_S", idle_s)
    end_all = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )

    def found(session: Session) -> list[str]:
        return list(session.exec(select(Study.slug)))

    async def go() -> list[list[str]]:
        seen = [await database.peek(found), await database.read(found)]
        await database.write(add, "one")
        await database.write(lambda session: session.execute(text(end_all)).all())
        return [*seen, await database.peek(found), await database.read(found)]

    assert asyncio.run(go()) == [[], [], ["one"], ["one"]]
    with database.reading() as session:
        assert found(session) == ["one"]


def test_a_peek_leaves_no_transaction_open(database: Database) -> None:
    if database.is_local:
        pytest.skip("SQLite has no server")
    states = text(
        "SELECT state FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() "
        "AND backend_type = 'client backend'"
    )

    async def go() -> list[str]:
        pids = await asyncio.gather(
            *(
                database.peek(lambda session: session.execute(text("SELECT pg_backend_pid()")).scalar())
                for _ in range(40)
            )
        )
        assert len(set(pids)) <= PEEKING_THREADS
        return await database.write(lambda session: [state for (state,) in session.execute(states)])

    assert set(asyncio.run(go())) == {"idle"}
