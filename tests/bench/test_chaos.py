"""Ten people in two matches, and everything that goes wrong: nothing acknowledged is lost, and nothing is stuck."""

import shutil
from pathlib import Path

import pytest
from sqlalchemy import make_url

from bench.chaos import HABITS, Service, went_through
from tests.conftest import POSTGRES, postgres_or_skip

pytestmark = pytest.mark.slow
PEOPLE = 10


def assert_nothing_lost(service: Service, folder: Path) -> None:
    noted, found = went_through(service, folder, people=PEOPLE, rounds=2, offline_s=2, kills=[PEOPLE // 2])
    assert not found.wrong, "\n".join(found.wrong)
    assert found.matches >= PEOPLE // 5
    assert found.acknowledged >= PEOPLE
    gone = PEOPLE // len(HABITS)
    assert PEOPLE - gone <= len(noted.ended) <= PEOPLE, "who did not close the tab came to the last page"


@pytest.mark.exhaustive
def test_one_process_that_is_killed_and_starts_again(tmp_path: Path, migrated_sqlite: Path) -> None:
    shutil.copy(migrated_sqlite, tmp_path / "likely-human.sqlite3")
    assert_nothing_lost(Service(tmp_path), tmp_path)


@pytest.mark.exhaustive
def test_two_processes_of_which_one_is_killed(tmp_path: Path, migrated_postgres: str) -> None:
    name = f"{migrated_postgres}_chaos"
    url = make_url(POSTGRES).set(database=name).render_as_string(hide_password=False)
    with postgres_or_skip() as server:
        server.execute(f"CREATE DATABASE {name} TEMPLATE {migrated_postgres}")
        try:
            assert_nothing_lost(Service(tmp_path, url, workers=2), tmp_path)
        finally:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)")
