"""Processes of ours end together, however one of them ends, and the next start finds nothing in its way."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy.engine import make_url

from app.core.errors import StudyError
from app.core.migrating import open_database
from app.core.privacy import tighten
from app.core.settings import Settings
from app.jobs import queue
from app.jobs.tables import Job, JobStatus, Kind
from app.serving import _leave, bind, holding, running_address
from tests.conftest import POSTGRES, postgres_or_skip
from tests.program import Program, is_there
from tests.serving.services import PATIENCE_S, ask, port_said, serving

pytestmark = pytest.mark.slow

CODE = "from app.cli import main\nmain()"
NOW = datetime(2026, 3, 1, tzinfo=UTC)


def wait_for(condition: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, "never came true"
        time.sleep(0.02)


def children(pid: int) -> set[int]:
    """All that a process has started, and what those have."""
    found = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False)
    direct = {int(line) for line in found.stdout.split()}
    return direct.union(*(children(each) for each in direct))


def start(data: Path, *words: str, **more: str) -> subprocess.Popen[str]:
    """A service that leads a process group, as one started in a terminal does; `sh` stands for make."""
    command = ["sh", "-c", '"$@"; true', "sh", sys.executable, "-c", CODE, "serve", "--port", "0", *words]
    environment = {**os.environ, "LIKELY_HUMAN_DATA": str(data), **more}
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True
    )


@pytest.fixture(autouse=True)
def heeded() -> Iterator[None]:
    """Signals that a process ignores, as under `nohup`, are ignored by its children, too."""
    told = (signal.SIGHUP, signal.SIGINT)
    before = {each: signal.getsignal(each) for each in told}
    for each in told:
        if before[each] == signal.SIG_IGN:
            signal.signal(each, signal.SIG_DFL)
    yield
    for each in told:
        signal.signal(each, before[each])


def end_by_term(shell: int, service: int) -> None:
    os.kill(service, signal.SIGTERM)


def end_by_ctrl_c(shell: int, service: int) -> None:
    os.killpg(shell, signal.SIGINT)


# What SIGTERM does is seen below as well, without a shell.
@pytest.mark.parametrize("end", [pytest.param(end_by_term, marks=pytest.mark.exhaustive), end_by_ctrl_c])
def test_the_worker_ends_with_the_service(end: Callable[[int, int], None], tmp_path: Path) -> None:
    data = tmp_path / "data"
    first = start(data)
    try:
        port_said(first.stdout)
        wait_for(lambda: len(children(first.pid)) == 2)  # the service and its worker
        pids = children(first.pid)
        (service,) = {int(pid) for pid in _pgrep(first.pid)}
        wait_for((data / "worker.lock").exists)
        end(first.pid, service)
        wait_for(lambda: not any(map(is_there, pids)))
    finally:
        with suppress(ProcessLookupError):
            os.killpg(first.pid, signal.SIGKILL)
        first.communicate()


def test_the_next_start_takes_up_the_work_of_a_killed_one_at_once(program: Program, tmp_path: Path) -> None:
    settings = Settings(LIKELY_HUMAN_DATA=tmp_path)  # type: ignore[call-arg]
    with serving(program, tmp_path, works=True) as first:
        wait_for((tmp_path / "worker.lock").exists)
        (worker,) = children(first.process.pid)
        assert is_there(worker)
    wait_for(lambda: not is_there(worker))
    with serving(program, tmp_path, works=True):
        database = open_database(settings)
        with database.transaction() as session:
            job_id = queue.ask(session, Kind.REPORT, {"slug": "none", "mode": None, "seed": 1}, now=NOW)

        def is_taken_up() -> bool:
            with database.reading() as session:
                return session.get_one(Job, job_id).status == JobStatus.FAILED  # there is no such study

        wait_for(is_taken_up)
        database.close()


def _pgrep(pid: int) -> list[str]:
    return subprocess.run(
        ["pgrep", "-P", str(pid)], capture_output=True, text=True, check=True
    ).stdout.split()


SLOW = "import sys, time\nif 'spawn_main' in ' '.join(sys.orig_argv):\n    time.sleep(7)\n"


def test_processes_over_postgresql_are_waited_for_and_end_with_the_one_that_started_them(
    program: Program, tmp_path: Path, migrated_postgres: str
) -> None:
    """They start slowly, as on a busy machine, where importing takes longer than the 5 s after which uvicorn would kill
    them."""
    name = f"{migrated_postgres}_served"
    url = make_url(POSTGRES).set(database=name).render_as_string(hide_password=False)
    (slow := tmp_path / "slow").mkdir()
    (slow / "sitecustomize.py").write_text(SLOW)
    more = {"DATABASE_URL": url, "PYTHONPATH": str(slow)}
    with postgres_or_skip() as server:
        server.execute(f"CREATE DATABASE {name} TEMPLATE {migrated_postgres}")
        try:
            with serving(program, tmp_path / "data", "--workers", "2", works=True, **more) as service:
                with service.connect() as connection:
                    assert ask(connection, "/healthz") == (200, b"ok")
                pids = children(service.process.pid)
                assert len(pids) >= 3
                service.process.kill()
                wait_for(lambda: not any(map(is_there, pids)))
        finally:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)")


STUCK = """
import os, signal, sys, time
from app.core import parent
parent.GRACE_S = 0.1
sys.platform = {platform!r}
theirs, ours = os.pipe()
pid = os.fork()
if pid:
    os.write(1, b"%d\\n" % pid)  # in one piece, as both write to one pipe
    time.sleep(3600)
os.close(ours)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
parent.end_with_parent(lambda: parent.read_to_end(theirs), lambda: None)
os.write(1, b"ready\\n")
while True:
    time.sleep(0.01)
"""


@pytest.mark.parametrize("platform", ["linux", "another"])
def test_a_process_that_heeds_nothing_ends_with_its_parent_too(platform: str) -> None:
    code = STUCK.format(platform=platform)
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout
        try:
            said = {parent.stdout.readline().strip() for _ in range(2)}
            (pid,) = {int(word) for word in said - {"ready"}}
        finally:
            parent.kill()  # leaving the block waits for it, whatever was said
    wait_for(lambda: not is_there(pid))


def mode_of(path: Path) -> int:
    return path.stat().st_mode & 0o7777


def test_a_data_folder_is_its_owners_alone_who_could_read_it_before_is_said_and_sigterm_ends_all(
    tmp_path: Path, migrated_sqlite: Path
) -> None:
    data, file = tmp_path / "data", tmp_path / "elsewhere.sqlite3"
    data.mkdir()
    data.chmod(0o755)
    shutil.copy(migrated_sqlite, file)
    file.chmod(0o644)
    command = [sys.executable, "-c", CODE, "serve", "--port", "0"]
    environment = {**os.environ, "LIKELY_HUMAN_DATA": str(data), "DATABASE_URL": f"sqlite:///{file}"}
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            port_said(process.stdout)
            wait_for((data / "worker.lock").exists)
            assert mode_of(data) == 0o700
            assert {mode_of(path) for path in (file, *data.rglob("*")) if path.is_file()} == {0o600}
            (worker,) = children(process.pid)
            process.terminate()
            said = process.communicate()[1]
            wait_for(lambda: not is_there(worker))
        finally:
            process.kill()  # leaving the block waits for it
    assert process.returncode in (0, -signal.SIGTERM)
    assert "Traceback" not in said
    assert f"{data} could be read by other users" in said
    assert f"{file} could be read by other users" in said
    settings = Settings(LIKELY_HUMAN_DATA=data, DATABASE_URL=f"sqlite:///{file}")  # type: ignore[call-arg]
    assert tighten(settings) == [], "nothing is said of it again"


def test_told_once_more_the_service_goes_on_ending() -> None:
    before = signal.signal(signal.SIGTERM, _leave)
    try:
        with pytest.raises(SystemExit):
            signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)


def test_a_folder_that_all_share_is_left_as_it_is(tmp_path: Path) -> None:
    tmp_path.chmod(0o1777)
    (said,) = tighten(Settings(LIKELY_HUMAN_DATA=tmp_path))  # type: ignore[call-arg]
    assert "use a folder of its own" in said
    assert mode_of(tmp_path) == 0o1777


def lock_is_a_folder(data: Path) -> Mapping[str, str]:
    (data / "likely-human.sqlite3.lock").mkdir()
    return {}


def secret_is_a_folder(data: Path) -> Mapping[str, str]:
    (data / "secret").mkdir()
    return {}


def database_is_something_else(data: Path) -> Mapping[str, str]:
    (data / "likely-human.sqlite3").write_text("No database. " * 100)
    return {}


def odd_word(data: Path) -> Mapping[str, str]:
    return {"LIKELY_HUMAN_SECURE_COOKIES": "perhaps"}


def mail_without_a_sender(data: Path) -> Mapping[str, str]:
    return {"LIKELY_HUMAN_MAIL": "smtp://mail.example.org"}


def no_mail_server(data: Path) -> Mapping[str, str]:
    return {"LIKELY_HUMAN_MAIL": "mail.example.org"}


@pytest.mark.parametrize(
    ("spoil", "part"),
    [
        (lock_is_a_folder, "likely-human.sqlite3.lock"),
        (secret_is_a_folder, "secret"),
        (database_is_something_else, "likely-human.sqlite3"),
        (odd_word, "LIKELY_HUMAN_SECURE_COOKIES"),
        (mail_without_a_sender, "LIKELY_HUMAN_MAIL_FROM"),
        (no_mail_server, "LIKELY_HUMAN_MAIL is no address"),
    ],
)
def test_what_cannot_be_served_is_one_line(
    spoil: Callable[[Path], Mapping[str, str]], part: str, program: Program, tmp_path: Path
) -> None:
    environment = {**os.environ, "LIKELY_HUMAN_DATA": str(tmp_path), **spoil(tmp_path)}
    done = program.run("serve", "--port", "0", cwd=tmp_path, environment=environment)
    assert done.returncode == 1
    (line,) = done.stderr.strip().splitlines()
    assert part in line


@pytest.mark.parametrize(
    ("url", "may_share"),
    [("postgresql://nobody@127.0.0.1/none", True), ("", False)],
    ids=["postgresql", "sqlite"],
)
def test_hosts_share_a_data_folder_over_postgresql_alone(
    url: str, may_share: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(LIKELY_HUMAN_DATA=tmp_path, DATABASE_URL=url)  # type: ignore[call-arg]
    with holding(settings, "http://one"):
        with (
            pytest.raises(StudyError, match="is served already, at http://one"),
            holding(settings, "http://again"),
        ):
            pass
        monkeypatch.setattr("socket.gethostname", lambda: "another-host")
        assert running_address(settings) == (None if may_share else "http://one")
        if may_share:
            with holding(settings, "http://other"):
                assert running_address(settings) == "http://other"


def test_a_port_is_ours_from_the_moment_it_is_taken(program: Program, tmp_path: Path) -> None:
    """Nobody takes it while the demo is made; who wants it afterwards reads one line, and what to do."""
    with bind("127.0.0.1", 0) as held:
        host, port = held.getsockname()
        with pytest.raises(StudyError, match="Address already in use; choose another with --port"):
            bind(host, port)
        for command in ("serve", "demo"):
            environment = {"LIKELY_HUMAN_DATA": str(tmp_path / "data"), "COLUMNS": "200"}
            done = program.run(command, "--port", port, cwd=tmp_path, environment=environment)
            assert done.returncode == 1
            assert done.stderr.splitlines() == [
                f"cannot listen on {host} port {port}: Address already in use; "
                "choose another with --port (or PORT)"
            ]
        assert not (tmp_path / "data" / "likely-human.db").exists(), "nothing was made in vain"
