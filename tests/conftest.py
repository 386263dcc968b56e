"""Fixtures that several test packages share: databases, a clip library, the service.

A fixture imports what it makes: a test of a formula starts without the service, PostgreSQL's driver, PyAV or JAX.
"""

from __future__ import annotations

import atexit
import fcntl
import gc
import os
import pickle
import re
import secrets
import shutil
import sys
from collections.abc import Generator, Iterator, Sequence
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import pytest
from hypothesis.internal.conjecture import providers
from xdist.scheduler import LoadFileScheduling

from tests.program import Program
from tests.rewriting import rewrite_share

if TYPE_CHECKING:
    import psycopg
    from sqlalchemy import URL
    from starlette.testclient import TestClient
    from xdist.remote import Producer
    from xdist.scheduler.protocol import Scheduling

    from app.core.database import Database
    from app.core.settings import Settings
    from app.library.clips.imported import ImportedClip
    from app.library.clips.store import ClipStore
    from tests.kept import Kept
    from tests.postgres import PostgresDatabases

# A test never fails on a clock, and a change never fails by an example that it had no part in: the same examples each
# time, a quarter as many as usual. New ones are looked for with --hypothesis-profile=explore.
hypothesis.settings.register_profile("same", deadline=None, derandomize=True, max_examples=25)
hypothesis.settings.register_profile("all", deadline=None, derandomize=True, max_examples=100)
hypothesis.settings.register_profile("explore", deadline=None)
hypothesis.settings.load_profile("same")
# Hypothesis would take examples from the constants of every module of ours that happens to be loaded: others in each
# process, and read from 100,000 lines at its first use.
providers.is_local_module_file = lambda path: False  # type: ignore[assignment, attr-defined]
# Texts are as wide as a terminal; xdist gives its processes one of 80.
os.environ["COLUMNS"] = "100"
MAKE_VIDEOS = {"library", "filled", "full_folder", "made", "stimuli"}
IS_SLOW = re.compile(r"^pytestmark = .*\bpytest\.mark\.slow\b", re.MULTILINE)
LONG = {
    "test_upgrade",
    "test_migrations",
    "test_processes",
    "test_cli",
    "test_walk_clues",
    "test_report",
    "test_package",
}
COLLECTING = (20_000, 20, 50)
# Where the first is imported, the second does so that all tests of a process gain.
QUICKER = (
    ("sqlalchemy", "statements", "compile_once"),
    ("app.core.templating", "templates", "compile_once"),
    ("app.accounts.passwords", "quick_passwords", "hash_quickly"),
    ("starlette.testclient", "whole_replies", "reply_whole"),
)
BROWSER = "tests/browser/"
BESIDE = (
    "tests/browser/test_whole_human_test.py",
)  # draws, encodes and learns; its browser has ten seconds of it
DATABASES = {"any_database", "both_databases"}
POSTGRES = os.environ.get("LIKELY_HUMAN_TEST_POSTGRES", "postgresql://postgres@127.0.0.1:5432/postgres")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--exhaustive",
        action="store_true",
        help="run what is left to `make test-all`: each size and scheme, both databases, simulations, full grids",
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("exhaustive") and not config.getoption("hypothesis_profile", None):
        hypothesis.settings.load_profile("all")
    if cache := getattr(config, "cache", None):
        # JAX compiles the same steps for each judge that is trained, and in each run anew: two thirds of training.
        os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(cache.mkdir("jax")))
        os.environ |= {"JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0"}
        os.environ.setdefault("COMPILED_TEMPLATES", str(cache.mkdir("templates")))
    if worker := getattr(config, "workerinput", None):
        rewrite_share(config, int(worker["workerid"].removeprefix("gw")), worker["workercount"])
        # To end a gigabyte of objects one by one takes seconds, and the first process waits.
        atexit.register(os._exit, 0)


@pytest.fixture(scope="session")
def exhaustive(pytestconfig: pytest.Config) -> bool:
    """True if a test with a loop over sizes, schemes or a grid runs all of it (`make test-all`)."""
    return bool(pytestconfig.getoption("exhaustive"))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Where slow tests are left out, a module that says of itself that it is slow is not imported either."""
    if "not slow" not in config.option.markexpr or collection_path.suffix != ".py":
        return None
    return True if IS_SLOW.search(collection_path.read_text(encoding="utf-8")) else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for there, module, change in QUICKER:
        if there in sys.modules:
            getattr(import_module(f"tests.{module}"), change)()
    is_exhaustive = config.getoption("exhaustive")
    if "analysis.stats.mixed" in sys.modules and not is_exhaustive:
        from tests.computed import compute_once

        compute_once()
    if hypothesis.settings.get_current_profile_name() == "same":
        from tests.examples import try_fewer

        try_fewer(items)
    dropped = [item for item in items if is_left_out(item, is_exhaustive)]
    config.hook.pytest_deselected(items=dropped)
    left_out = set(dropped)
    items[:] = sorted((item for item in items if item not in left_out), key=turn)
    for item in items:
        fixtures = set(getattr(item, "fixturenames", ()))
        if MAKE_VIDEOS & fixtures:
            item.add_marker(pytest.mark.videos)
        if "program" in fixtures:
            item.add_marker(pytest.mark.slow)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Optax brings absl, whose handler closes the stream that it was imported with, pytest's, when uvicorn sets up
    logging.

    What fixtures import is here before the first of them, as those below change the service only where it is: the first
    test of a module run alone had the time of day.
    """
    if absl := sys.modules.get("absl.logging"):
        absl.get_absl_handler().python_handler.stream = sys.__stderr__
    for fixture, module in (("client", "app.main"), ("database", "app.core.database")):
        if fixture in getattr(item, "fixturenames", ()):
            import_module(module)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What it makes stays: the garbage collector, which looked through all of it again and again, leaves it alone."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(*COLLECTING)
        gc.enable()


class OneBrowser(LoadFileScheduling):  # type: ignore[misc]
    """By file, and all files with a browser to one process: a page that waits for its turn still plays its videos."""

    def _split_scope(self, nodeid: str) -> str:
        file = super()._split_scope(nodeid)
        return BROWSER if file.startswith(BROWSER) and file not in BESIDE else file


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Scheduling | None:
    return OneBrowser(config, log) if config.getoption("dist") == "loadfile" else None


def turn(item: pytest.Item) -> int:
    """Files go to processes in this order: what takes minutes first, or one process ends long after the others."""
    if item.path.stem in {"test_whole_way", "test_engines", "test_whole_human_test"}:
        return 0
    is_long = item.path.stem in LONG
    return 1 if is_long or item.get_closest_marker("browser") else 2


def is_left_out(item: pytest.Item, is_exhaustive: bool) -> bool:
    """True if a test belongs to `make test-all` alone, or to PostgreSQL where SQLite will do.

    A test that takes `database` runs on SQLite, in `make test-all` on PostgreSQL as well. The nearest of two markers
    changes that: `any_database` leaves PostgreSQL out of `make test-all`, `both_databases` has it in `make test`, too.
    """
    if not is_exhaustive and item.get_closest_marker("exhaustive"):
        return True
    parameters = getattr(item, "callspec", None)
    if parameters is None or parameters.params.get("database_url") != "postgresql":
        return False
    nearest = next((mark for mark in item.iter_markers() if mark.name in DATABASES), None)
    return nearest.name == "any_database" if nearest else not is_exhaustive


def postgres_or_skip() -> psycopg.Connection[tuple[object, ...]]:
    import psycopg

    try:
        return psycopg.connect(POSTGRES, autocommit=True, connect_timeout=3)
    except psycopg.OperationalError as error:
        reason = str(error).splitlines()[0]
        pytest.skip(f"no PostgreSQL server at {POSTGRES} (LIKELY_HUMAN_TEST_POSTGRES): {reason}")


def migrate(url: URL, revision: str = "head") -> None:
    from app.core.engines import make_engine
    from app.core.migrating import upgrade

    engine = make_engine(url, writing=True, enforcing=False)
    with engine.begin() as connection:
        upgrade(connection, revision)
    engine.dispose()


@pytest.fixture(scope="session")
def migrated_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated database to copy; made by the first process that asks for it."""
    from sqlalchemy import URL

    folder = tmp_path_factory.getbasetemp()
    folder = folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder
    path, unfinished = folder / "migrated.sqlite3", folder / "migrated.part"
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            unfinished.unlink(missing_ok=True)  # of a process that was ended in its midst
            migrate(URL.create("sqlite", database=str(unfinished)))
            unfinished.rename(path)
    return path


@pytest.fixture(scope="session")
def migrated_postgres() -> Iterator[str]:
    """The name of a migrated database to copy; made once for all tests of a process."""
    from sqlalchemy import make_url

    name = f"lh_template_{secrets.token_hex(6)}"
    with postgres_or_skip() as server:
        server.execute(f"CREATE DATABASE {name}")
        migrate(make_url(POSTGRES).set(drivername="postgresql+psycopg", database=name))
        yield name
        server.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(scope="session")
def postgres_databases(migrated_postgres: str) -> Iterator[PostgresDatabases]:
    from tests.postgres import PostgresDatabases

    with postgres_or_skip() as server:
        databases = PostgresDatabases(server, POSTGRES, migrated_postgres)
        yield databases
        databases.close()


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[URL]:
    """A fresh migrated database, on each backend."""
    from sqlalchemy import URL, make_url

    if request.param == "sqlite":
        path = tmp_path / "test.sqlite3"
        shutil.copy(request.getfixturevalue("migrated_sqlite"), path)
        yield URL.create("sqlite", database=str(path))
        return
    with request.getfixturevalue("postgres_databases").one() as name:
        yield make_url(POSTGRES).set(drivername="postgresql+psycopg", database=name)


@pytest.fixture
def database(database_url: URL) -> Iterator[Database]:
    from app.core.database import Database

    database = Database(database_url, checkpointing=True)
    yield database
    database.close()


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> tuple[ClipStore, Sequence[ImportedClip]]:
    """Made by the first process that asks for it; every process has a copy of its own."""
    from app.library.clips.store import ClipStore
    from tests.factories import make_library

    shared = (
        tmp_path_factory.getbasetemp().parent / "library" if "PYTEST_XDIST_WORKER" in os.environ else None
    )
    folder = tmp_path_factory.mktemp("library")
    if shared is None:
        return make_library(folder)
    with shared.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        made = shared / "clips.pickle"
        if not made.exists():
            shared.mkdir(exist_ok=True)
            made.write_bytes(pickle.dumps(make_library(shared)[1]))
    shutil.copytree(shared, folder, dirs_exist_ok=True)
    return ClipStore(folder / "store"), pickle.loads(made.read_bytes())


@pytest.fixture
def settings(database_url: URL, library: tuple[ClipStore, Sequence[ImportedClip]]) -> Settings:
    """Settings over the test's database and the shared clip store."""
    from app.core.settings import Settings

    url = database_url.render_as_string(hide_password=False)
    return Settings(LIKELY_HUMAN_DATA=library[0].root, DATABASE_URL=url, LIKELY_HUMAN_SECRET="test")  # type: ignore[call-arg]


@pytest.fixture(scope="session")
def studies() -> Kept:
    from tests.kept import Kept

    return Kept()


@pytest.fixture
def study(
    database: Database,
    library: tuple[ClipStore, Sequence[ImportedClip]],
    studies: Kept,
    tmp_path: Path,
) -> str:
    """The slug of an open study like the published one: 1 practice pair, 6 + 4 pairs."""
    from tests.factories import open_study, study_file

    def make() -> None:
        with database.transaction() as session:
            open_study(session, tmp_path, library[1])

    if database.is_local:
        studies.once(database, make)
    else:
        make()
    return str(study_file()["study"])


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory, migrated_sqlite: Path) -> Iterator[Program]:
    """The command `likely-human`, to be run in processes of its own."""
    program = Program(tmp_path_factory.mktemp("program"), migrated_sqlite)
    yield program
    program.close()


@pytest.fixture(scope="module")
def kept() -> Kept:
    """For the one fixture of a module in which people walk through its study: they do so once."""
    from tests.kept import Kept

    return Kept()


@pytest.fixture
def few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    """For modules whose jobs compute: intervals are rough, but for tests that ask for `full`."""
    from tests.resamples import take_few

    take_few(monkeypatch)


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """The service's time, where the test's module has the service."""
    dependencies = sys.modules.get("app.core.dependencies")
    if dependencies is None:
        return
    from tests.clock import Clock

    monkeypatch.setattr(dependencies, "datetime", Clock)
    monkeypatch.setattr(Clock, "at", datetime.now(UTC))


@pytest.fixture(autouse=True)
def beside_sql(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Fails a test in which a job of `Database.write` touched a file or parsed CSV or YAML."""
    if "app.core.database" not in sys.modules:
        yield []
        return
    from tests.sql_only import sql_only

    with sql_only(monkeypatch) as found:
        yield found
        assert not found, "\n".join(dict.fromkeys(found))


@pytest.fixture
def client(settings: Settings, database: Database) -> Iterator[TestClient]:
    from starlette.testclient import TestClient

    from app.main import create_app

    with TestClient(create_app(settings, database)) as client:
        yield client
