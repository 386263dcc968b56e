"""The doctor's findings on a full disk, a wrong clock, and jobs without a worker."""

import subprocess
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import URL
from sqlmodel import select

from app.backup.doctor import CheckResult, examined
from app.core.database import Database
from app.core.settings import Settings
from app.jobs import queue
from app.jobs.tables import Job, JobStatus, Kind
from app.worker.context import Stopping, Work
from app.worker.handlers import HANDLERS
from app.worker.worker import work

pytestmark = pytest.mark.slow
BYTES = 4_000_000


def found(settings: Settings, about: str) -> CheckResult:
    [one] = [one for one in examined(settings) if one.about == about]
    return one


@pytest.fixture
def here(database_url: URL, tmp_path: Path) -> Settings:
    """A service's place of its own."""
    url = database_url.render_as_string(hide_password=False)
    return Settings.model_validate({"LIKELY_HUMAN_DATA": str(tmp_path / "data"), "DATABASE_URL": url})


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of a few megabytes without a byte left."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={BYTES},mode=0700", "none", str(folder)]
    done = subprocess.run(mount, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no file system can be mounted here: {done.stderr.strip()}")
    (folder / "filler").write_bytes(b"\0" * BYTES)
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_is_found_and_what_cannot_be_written_there_is_no_traceback(full_disk: Path) -> None:
    here = Settings.model_validate({"LIKELY_HUMAN_DATA": str(full_disk)})
    all_of_it = {one.about: one for one in examined(here)}
    assert all_of_it["disk"].said == f"{full_disk} has 0 MB left; at least 50 are needed"
    assert "free some space" in all_of_it["disk"].remedy
    assert all_of_it["secret"].said == f"cannot use {full_disk / 'secret'}: No space left on device"
    assert "free some space" in all_of_it["secret"].remedy


@pytest.mark.parametrize(
    "database_url", [pytest.param("postgresql", marks=pytest.mark.postgres)], indirect=True
)
@pytest.mark.parametrize("off", ["1 hour", "-1 hour"])
def test_a_clock_that_differs_from_the_databases_is_found(
    database: Database, here: Settings, off: str
) -> None:
    assert found(here, "clock").is_well
    with database.transaction() as session:
        session.connection().exec_driver_sql("CREATE SCHEMA wrong")
        session.connection().exec_driver_sql(
            "CREATE FUNCTION wrong.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS "
            f"$$ SELECT pg_catalog.clock_timestamp() + interval '{off}' $$"
        )
    path = {"options": "-csearch_path=wrong,pg_catalog,public"}
    url = database.url.update_query_dict(path).render_as_string(hide_password=False)
    wrong = {"LIKELY_HUMAN_DATA": str(here.data), "DATABASE_URL": url}
    one = found(Settings.model_validate(wrong), "clock")
    with database.transaction() as session:  # other tests have this database after us
        session.connection().exec_driver_sql("DROP SCHEMA wrong CASCADE")
    assert one.said.startswith("this host and the database server differ by 3")
    assert "NTP" in one.remedy


@pytest.mark.both_databases
def test_jobs_without_a_worker_and_jobs_that_wait_behind_one_that_hangs_are_found(
    database: Database, here: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    hangs = threading.Event()

    def hang(work: Work) -> None:
        hangs.set()
        work.stop.wait()
        raise Stopping

    monkeypatch.setitem(HANDLERS, Kind.REPORT, hang)

    def ask(ago: timedelta) -> int:
        with database.transaction() as session:
            return queue.ask(session, Kind.REPORT, {}, now=datetime.now(UTC) - ago)

    assert found(here, "jobs") == CheckResult("jobs", "none waits")
    job = ask(timedelta(minutes=20))
    alone = found(here, "jobs")
    assert alone.said == "1 wait, and no worker is there"
    assert "start `likely-human serve`" in alone.remedy
    stop, its_own = threading.Event(), Database(here.database_url)
    worker = threading.Thread(target=work, args=(here, its_own, stop))
    worker.start()
    try:
        assert hangs.wait(60)
        one = found(here, "jobs")
        assert one.is_well
        assert one.said.startswith(f"none waits, under way: report {job} since ")
        ask(timedelta(minutes=16))
        behind = found(here, "jobs")
        assert behind.said.startswith(f"1 wait, under way: report {job} since ")
        assert "may be at one long job" in behind.remedy
    finally:
        stop.set()
        worker.join()
        its_own.close()
    with database.transaction() as session:  # as a worker that is killed leaves it
        for each in session.exec(select(Job)):
            each.status = JobStatus.RUNNING if each.id == job else JobStatus.CANCELLED
    gone = found(here, "jobs")
    assert gone.said.startswith(f"none waits, under way: report {job} since ")
    assert gone.said.endswith("and no worker is there")
    assert "start `likely-human serve`" in gone.remedy
