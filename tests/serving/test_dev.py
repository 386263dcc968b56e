"""`make dev`: the demo with simulated answers, served anew when our Python changes; nothing outlives it."""

import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from sqlmodel import func, select

from app.core import templating
from app.core.migrating import open_database
from app.core.settings import Settings
from app.core.templating import reload_templates, templates_age
from app.library.clips.imported import ImportedClip
from app.library.clips.store import ClipStore
from app.trials.tables import Mode, ParticipantSession
from tests.factories import open_study
from tests.program import is_there
from tests.serving.test_processes import children, wait_for
from tools import dev

ROOT = Path(__file__).parents[2]


@pytest.fixture
def data(tmp_path: Path, library: tuple[ClipStore, list[ImportedClip]], migrated_sqlite: Path) -> Path:
    """A folder that has a study called demo already: its clips need not be drawn."""
    store, clips = library
    folder = tmp_path / "data"
    folder.mkdir()
    shutil.copy(migrated_sqlite, folder / "likely-human.sqlite3")
    settings = Settings(LIKELY_HUMAN_DATA=folder)  # type: ignore[call-arg]
    with closing(open_database(settings)) as database, database.transaction() as session:
        open_study(session, tmp_path, clips, study="demo")
    for name in os.listdir(store.root):
        (folder / name).symlink_to(store.root / name)
    return folder


@pytest.fixture
def watched(tmp_path: Path) -> Path:
    folder = tmp_path / "code"
    folder.mkdir()
    (folder / "a.py").write_text("")
    return folder


@contextmanager
def started(data: Path, watched: Path, people: int) -> Iterator[tuple[subprocess.Popen[str], int]]:
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "tools.dev", "--port", str(port), "--people", str(people)]
    process = subprocess.Popen(
        [*command, "--watch", str(watched)],
        cwd=ROOT,
        env={**os.environ, "LIKELY_HUMAN_DATA": str(data)},
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            yield process, port
        finally:
            process.kill()


def said(process: subprocess.Popen[str], words: str) -> str:
    assert process.stdout
    return next(line for line in process.stdout if words in line)


def n_simulated(data: Path) -> int:
    settings = Settings(LIKELY_HUMAN_DATA=data)  # type: ignore[call-arg]
    with closing(open_database(settings)) as database, database.reading() as session:
        people = select(func.count()).select_from(ParticipantSession)
        return session.exec(people.where(ParticipantSession.mode == Mode.SIMULATED)).one()


@pytest.mark.exhaustive
def test_it_serves_simulates_once_starts_again_at_a_change_and_ends_with_all_of_it(
    data: Path, watched: Path
) -> None:
    with started(data, watched, people=2) as (process, port):
        assert f"127.0.0.1:{port}/s/demo" in said(process, "participants")
        assert "2 simulated participants" in said(process, "walked through demo")
        before = children(process.pid)
        assert len(before) >= 2  # the service and its worker
        (watched / "b.py").write_text("")
        assert "b.py changed" in said(process, "starting again")
        assert f"127.0.0.1:{port}/s/demo" in said(process, "participants")
        assert not any(map(is_there, before))
        wait_for((data / "worker.lock").exists)
        after = children(process.pid)
        process.send_signal(signal.SIGINT)
        rest = process.communicate()[0]
        assert process.returncode == 0, rest
        assert not any(map(is_there, after))
        assert n_simulated(data) == 2


def test_it_serves_starts_again_at_a_change_and_killed_it_leaves_no_service_behind(
    data: Path, watched: Path
) -> None:
    with started(data, watched, people=0) as (process, port):
        assert f"127.0.0.1:{port}/s/demo" in said(process, "participants")
        before = children(process.pid)
        (watched / "b.py").write_text("")
        assert "b.py changed" in said(process, "starting again")
        said(process, "participants")
        assert not any(map(is_there, before))
        wait_for(lambda: len(children(process.pid)) >= 2)
        pids = children(process.pid)
        assert len(pids) >= 2  # the service and its worker
        process.kill()
        wait_for(lambda: not any(map(is_there, pids)))


def test_a_change_is_a_file_that_was_written_added_or_removed(tmp_path: Path) -> None:
    one, two, picture = tmp_path / "one.py", tmp_path / "sub" / "two.md", tmp_path / "three.png"
    two.parent.mkdir()
    one.write_text("")
    two.write_text("")
    before = dev.stamps([tmp_path])
    os.utime(one, ns=(1, 1))
    two.unlink()
    picture.write_text("")
    assert dev.changed(before, dev.stamps([tmp_path])) == [one, two]
    assert dev.changed(before, before) == []


def test_templates_are_reloaded_only_in_development(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    environment = templating._environment.overlay(cache_size=10)
    environment.loader = type(environment.loader)(tmp_path)  # type: ignore[call-arg, misc]
    monkeypatch.setattr(templating, "_environment", environment)
    page = type("Page", (), {"template": "t.html"})()

    def written(text: str, at: int) -> str:
        (tmp_path / "t.html").write_text(text)
        os.utime(tmp_path / "t.html", (at, at))
        return templating.html_of(page)

    assert [written("one", 1), written("two", 2)] == ["one", "one"]
    assert templates_age() == 0
    reload_templates()
    assert [written("three", 3), templates_age(), written("four", 4), templates_age()] == [
        "three",
        3,
        "four",
        4,
    ]
