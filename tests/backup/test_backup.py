"""A backup made while answers are written holds one moment whole, and a damaged one is never put back."""

import hashlib
import os
import shutil
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import URL, Connection, make_url
from sqlmodel import col, func, select

from app.accounts.tables import AuditEntry
from app.backup import snapshot
from app.backup.making import backups, content_path, forget, make_backup
from app.backup.restoring import check, chosen, restore
from app.core.database import Database
from app.core.errors import StudyError
from app.core.settings import Settings
from tests.conftest import POSTGRES, postgres_or_skip
from tests.program import Program

pytestmark = [pytest.mark.slow, pytest.mark.both_databases]
NOW = datetime(2026, 3, 1, tzinfo=UTC)


def quietly(_done: int, _total: int, _item: str) -> None:
    """No bar."""


def settings_of(data: Path, url: URL | str) -> Settings:
    if isinstance(url, URL):
        url = url.render_as_string(hide_password=False)
    return Settings.model_validate({"LIKELY_HUMAN_DATA": str(data), "DATABASE_URL": url})


@pytest.fixture
def here(database_url: URL, tmp_path: Path) -> Settings:
    """A service's place: a database, a secret, a clip and a model."""
    data = tmp_path / "data"
    (data / "clips" / "ab").mkdir(parents=True, mode=0o700)
    (data / "clips" / "ab" / "abc.mp4").write_bytes(os.urandom(300_000))
    (data / "models").mkdir()
    (data / "models" / "weights.safetensors").write_bytes(b"weights")
    found = settings_of(data, database_url)
    assert found.secret
    return found


@pytest.fixture
def elsewhere(here: Settings, tmp_path: Path) -> Iterator[Settings]:
    """An empty place of the same kind."""
    if here.database_url.get_backend_name() == "sqlite":
        yield settings_of(tmp_path / "back", f"sqlite:///{tmp_path / 'back.sqlite3'}")
        return
    name = f"{here.database_url.database}_back"
    with postgres_or_skip() as server:
        server.execute(f"CREATE DATABASE {name}")
        yield settings_of(tmp_path / "back", make_url(POSTGRES).set(database=name))
        server.execute(f"DROP DATABASE {name} WITH (FORCE)")


def write(database: Database, n: int) -> None:
    """One committed write of two rows, which belong together."""
    with database.transaction() as session:
        for half in ("a", "b"):
            session.add(AuditEntry(at=NOW, actor="test", action="test", subject=f"{n} {half}"))


def test_a_backup_made_while_answers_are_written_is_one_moment_and_comes_back(
    here: Settings, elsewhere: Settings, database: Database, tmp_path: Path
) -> None:
    stop, written = threading.Event(), [0]

    def writing() -> None:
        while not stop.is_set():
            write(database, written[0])
            written[0] += 1

    writer = threading.Thread(target=writing)
    writer.start()
    try:
        for n in range(3):
            while written[0] < 20 * (n + 1):
                pass
            before = written[0]
            made = make_backup(here, tmp_path / "backup", NOW + timedelta(hours=n), quietly)
    finally:
        stop.set()
        writer.join()
    assert (
        made.new_bytes
        < 300_000 + sum(one.bytes for one in made.files if one.path == "secret") + made.database.bytes
    )
    done = restore(elsewhere, tmp_path / "backup", chosen(tmp_path / "backup"), quietly)
    assert done.is_same_secret
    back = Database(elsewhere.database_url)
    with back.reading() as session:
        rows = session.exec(
            select(AuditEntry.subject).where(AuditEntry.action == "test").order_by(col(AuditEntry.id))
        ).all()
        n_rows = session.exec(select(func.count(col(AuditEntry.id)))).one()
    back.close()
    numbers = sorted(int(row.partition(" ")[0]) for row in rows)
    assert numbers == [n for n in range(len(rows) // 2) for _ in range(2)], "whole writes, without a gap"
    assert before <= len(rows) // 2 <= written[0]
    assert n_rows == len(rows)
    for path in ("clips/ab/abc.mp4", "models/weights.safetensors", "secret"):
        assert (elsewhere.data / path).read_bytes() == (here.data / path).read_bytes()
        assert (elsewhere.data / path).stat().st_mode & 0o077 == 0


@pytest.mark.any_database
def test_what_is_there_already_is_not_copied_again_and_old_backups_go(
    here: Settings, database: Database, tmp_path: Path
) -> None:
    folder = tmp_path / "backup"
    first = make_backup(here, folder, NOW, quietly)
    again = make_backup(here, folder, NOW + timedelta(hours=1), quietly)
    assert first.new_bytes > 300_000
    assert again.new_bytes == 0
    (here.data / "clips" / "ab" / "abc.mp4").write_bytes(b"another")
    last = make_backup(here, folder, NOW + timedelta(hours=2), quietly)
    assert last.new_bytes == len(b"another")
    old = next(one for one in first.files if one.path.endswith("abc.mp4"))
    assert content_path(folder, old.sha256).exists()
    assert forget(folder, 1) == 2
    assert [one.name for one in backups(folder)] == [last.name]
    assert not content_path(folder, old.sha256).exists()
    check(folder, last)


@pytest.mark.any_database
def test_a_damaged_backup_is_refused_and_named_and_nothing_is_written(
    here: Settings, elsewhere: Settings, database: Database, tmp_path: Path
) -> None:
    whole = tmp_path / "whole"
    made = make_backup(here, whole, NOW, quietly)
    clip = next(one for one in made.files if one.path.endswith("abc.mp4"))

    def flipped(folder: Path) -> None:
        path = content_path(folder, clip.sha256)
        data = bytearray(path.read_bytes())
        data[1000] ^= 1
        path.write_bytes(data)

    def cut(folder: Path) -> None:
        path = content_path(folder, made.database.sha256)
        path.write_bytes(path.read_bytes()[:-1])

    def lost(folder: Path) -> None:
        content_path(folder, clip.sha256).unlink()

    def listed(folder: Path) -> None:
        path = folder / "backups" / f"{made.name}.json"
        path.write_text(path.read_text().replace("abc.mp4", "abd.mp4"))

    damages = ((flipped, "abc.mp4"), (cut, "database"), (lost, "missing"), (listed, "damaged"))
    for number, (damage, said) in enumerate(damages):
        folder = tmp_path / f"backup-{number}"
        shutil.copytree(whole, folder)
        damage(folder)
        with pytest.raises(StudyError, match=said):
            restore(elsewhere, folder, chosen(folder), quietly)
        assert not list(elsewhere.data.glob("*"))
    assert snapshot.is_empty(elsewhere.database_url)


@pytest.mark.any_database
@pytest.mark.parametrize("outside", ["../outside", "/tmp/outside", "clips/../../outside"])
def test_a_list_that_names_a_place_outside_writes_nothing_there(
    here: Settings, elsewhere: Settings, database: Database, tmp_path: Path, outside: str
) -> None:
    """A person who may write into the backup's folder may forge a list with a fitting name."""
    folder = tmp_path / "backup"
    made = make_backup(here, folder, NOW, quietly)
    path = folder / "backups" / f"{made.name}.json"
    text = path.read_text().replace("clips/ab/abc.mp4", outside)
    path.unlink()
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    path.with_name(f"{made.name.rpartition('-')[0]}-{digest}.json").write_text(text)
    with pytest.raises(StudyError, match="outside the data folder"):
        restore(elsewhere, folder, chosen(folder), quietly)
    assert not list(elsewhere.data.glob("*"))


@pytest.mark.any_database
def test_a_list_that_is_damaged_and_what_a_killed_backup_left_keep_nobody_from_the_next(
    here: Settings, database: Database, tmp_path: Path
) -> None:
    folder = tmp_path / "backup"
    first = make_backup(here, folder, NOW, quietly)
    second = make_backup(here, folder, NOW + timedelta(hours=1), quietly)
    listed = folder / "backups" / f"{second.name}.json"
    listed.write_text(listed.read_text()[:-2])
    left = [folder / ".database-0a0a0a0a", folder / "contents" / ".0a0a0a0a.part"]
    for path in left:
        path.write_bytes(b"half")
    third = make_backup(here, folder, NOW + timedelta(hours=2), quietly)
    assert third.new_bytes == 0
    assert third.files == first.files
    assert not any(path.exists() for path in left)


def test_a_password_is_no_argument_of_another_program_wherever_the_address_has_it(tmp_path: Path) -> None:
    said = tmp_path / "said"
    program = tmp_path / "program"
    program.write_text(f'#!/bin/sh\necho "$@" > {said}\necho "$PGPASSWORD" >> {said}\n')
    program.chmod(0o700)
    for address in (
        "postgresql://u:hidden@h/d",
        "postgresql+psycopg://u@h/d?password=hidden&sslmode=require",
    ):
        snapshot._run(str(program), address=make_url(address))
        arguments, password = said.read_text().splitlines()
        assert "u@h/d" in arguments
        assert "hidden" not in arguments
        assert password == "hidden"


@pytest.mark.any_database
def test_a_place_that_is_not_empty_is_left_as_it_is(
    here: Settings, database: Database, tmp_path: Path
) -> None:
    make_backup(here, tmp_path / "backup", NOW, quietly)
    with pytest.raises(StudyError, match="not empty"):
        restore(here, tmp_path / "backup", chosen(tmp_path / "backup"), quietly)
    with pytest.raises(StudyError, match="is in the data folder"):
        make_backup(here, here.data / "backup", NOW, quietly)
    with pytest.raises(StudyError, match="no backup"):
        chosen(tmp_path)


@pytest.mark.any_database
def test_a_database_restored_differently_is_reported(
    here: Settings, elsewhere: Settings, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(database, 1)
    folder = tmp_path / "backup"
    make_backup(here, folder, NOW, quietly)
    real = snapshot.tables_of

    def fewer(connection: Connection) -> object:
        connection.exec_driver_sql("DELETE FROM audit_entry WHERE subject = '1 b'")
        return real(connection)

    monkeypatch.setattr(snapshot, "tables_of", fewer)
    with pytest.raises(StudyError, match="audit_entry"):
        restore(elsewhere, folder, chosen(folder), quietly)


@pytest.mark.any_database
def test_the_commands_say_what_they_did_and_the_doctor_what_is_wrong(
    program: Program, tmp_path: Path
) -> None:
    def run(*words: str, **more: str) -> tuple[int, str]:
        environment = {**os.environ, "LIKELY_HUMAN_DATA": str(tmp_path / "data"), **more}
        done = program.run(*words, cwd=tmp_path, environment=environment)
        return done.returncode, done.stdout + done.stderr

    assert run("user", "add", "a@example.org", "--generate")[0] == 0
    status, said = run("backup", "kept", "--keep", "3")
    assert (status, "MB were new" in said) == (0, True), said
    assert run("backup", "kept", "--check")[0] == 0
    status, said = run("restore", "kept", LIKELY_HUMAN_DATA=str(tmp_path / "back"))
    assert (status, "the hash that it had when it was kept" in said) == (0, True), said
    assert "a@example.org" in run("user", "list", LIKELY_HUMAN_DATA=str(tmp_path / "back"))[1]
    status, said = run("doctor")
    assert (status, "FIX" in said) == (0, False), said
    for about, remedy, more in (
        ("proxies", "name the web server's address", {"FORWARDED_ALLOW_IPS": "*"}),
        ("proxies", "no address", {"FORWARDED_ALLOW_IPS": "proxy"}),
        ("secret", "delete it", {"LIKELY_HUMAN_SECRET": "short"}),
        ("address", "SECURE_COOKIES=true", {"LIKELY_HUMAN_ADDRESS": "https://studies.example.org"}),
        ("address", "write it as", {"LIKELY_HUMAN_ADDRESS": "studies.example.org"}),
        ("database", "start the service once", {"DATABASE_URL": f"sqlite:///{tmp_path}/none.sqlite3"}),
        ("database", "start the database", {"DATABASE_URL": "postgresql://x@127.0.0.1:1/none"}),
    ):
        status, said = run("doctor", **more)
        assert status == 1, about
        assert f"FIX  {about}" in said, said
        assert remedy in " ".join(said.split()), said
    (tmp_path / "data").chmod(0o755)
    assert "chmod" in run("doctor")[1]
