"""Waiting pages are notified of commits of other processes, on any host, over PostgreSQL."""

import asyncio

import psycopg
import pytest
from sqlalchemy import URL

from app.core.database import Database
from app.trials.news import CHANNEL, Listener, changed, hearing, hears_all

PATIENCE_S = 60


def test_a_commit_elsewhere_wakes_and_one_of_ours_is_told_to_all(database_url: URL) -> None:
    if database_url.get_backend_name() == "sqlite":
        pytest.skip("SQLite is written by one process")
    address = database_url.set(drivername="postgresql").render_as_string(hide_password=False)
    database = Database(database_url)

    async def heard() -> None:
        with (
            Listener(7) as listener,
            Listener(8) as other,
            psycopg.connect(address, autocommit=True) as elsewhere,
        ):
            for _ in range(PATIENCE_S * 10):
                if hears_all(database):
                    break
                await asyncio.sleep(0.1)
            # It has begun to listen, and does not know what it has missed.
            assert await listener.wait(PATIENCE_S)
            assert await other.wait(PATIENCE_S)
            elsewhere.execute("SELECT pg_notify(%s, 'another:6,7')", [CHANNEL])
            assert await listener.wait(PATIENCE_S)
            elsewhere.execute(f"LISTEN {CHANNEL}")
            await database.write(lambda session: changed(session, [8, 9]))
            assert await other.wait(PATIENCE_S)
            said = [
                notice.payload.partition(":")[2]
                for notice in elsewhere.notifies(timeout=PATIENCE_S, stop_after=1)
            ]
            assert said == ["8,9"]

            def fails(session: object) -> None:
                changed(session, [10])  # type: ignore[arg-type]
                raise ValueError("of the test")

            with pytest.raises(ValueError, match="of the test"):
                await database.write(fails)
            await database.write(lambda session: changed(session, [11]))
            said = [
                notice.payload.partition(":")[2]
                for notice in elsewhere.notifies(timeout=PATIENCE_S, stop_after=1)
            ]
            assert said == ["11"], "what was rolled back is no news"

    assert not hears_all(database)
    with hearing(database):
        asyncio.run(asyncio.wait_for(heard(), 3 * PATIENCE_S))
    assert not hears_all(database)
    database.close()
