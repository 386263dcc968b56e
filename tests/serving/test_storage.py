"""A disk that is full, really: what cannot be stored is said to be so, and goes well as soon as there is room."""

import os
import re
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from app.accounts.tables import Role
from app.core import database as databases
from app.core import storage
from app.core.migrating import open_database
from app.core.settings import Settings
from bench.chaos import game_study, opened
from tests.admin.persons import make_api_token, make_user
from tests.program import Program
from tests.serving.services import ask, reply_of, serving, status_of

pytestmark = pytest.mark.slow
BYTES = 6_000_000
BEFORE = "from app.core import storage\nstorage.STORED_S, storage.LEAST_FREE_BYTES = 0, 200_000\n"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own, of a few megabytes."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={BYTES},mode=0700", "none", str(folder)]
    done = subprocess.run(mount, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no file system can be mounted here: {done.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(folder: Path) -> Path:
    """Take all that is left of the space."""
    filler = folder / "filler"
    with filler.open("wb", buffering=0) as file:
        for size in (65_536, 4_096, 1):
            try:
                while file.write(b"\0" * size):
                    pass
            except OSError:
                continue
    return filler


def database_of(data: Path) -> databases.Database:
    return open_database(Settings.model_validate({"LIKELY_HUMAN_DATA": str(data)}))


def test_a_full_disk_is_503_and_over_as_soon_as_there_is_room(program: Program, small_disk: Path) -> None:
    data = program.begin(small_disk / "data")
    database = database_of(data)
    opened(database, game_study("play", 3, 2))
    database.close()
    with serving(program, data, before=BEFORE) as service:

        def said(path: str) -> tuple[int, bytes]:
            with service.connect() as connection:
                return ask(connection, path)

        assert said("/healthz") == (200, b"ok")
        assert said("/readyz") == (200, b"ok")
        filler = fill(small_disk)
        statuses = [said("/s/play")[0] for _ in range(20)]
        assert set(statuses) <= {303, 503}, statuses
        assert statuses[-1] == 503
        status, words = said("/s/play")
        assert status == 503
        assert b"in a few minutes" in words
        status, words = said("/healthz")
        assert status == 503
        assert b"full" in words
        assert said("/readyz")[0] == 503
        filler.unlink()
        assert said("/healthz") == (200, b"ok"), "nobody has written anything meanwhile"
        assert said("/readyz") == (200, b"ok")
        assert said("/s/play")[0] == 303


def test_a_service_that_starts_on_a_full_disk_says_so_in_a_line(program: Program, small_disk: Path) -> None:
    data = small_disk / "data"
    database_of(data).close()
    fill(small_disk)
    done = program.run(
        "serve", "--port", "0", cwd=small_disk, environment={**os.environ, "LIKELY_HUMAN_DATA": str(data)}
    )
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert "No space left" in done.stderr or "full" in done.stderr


def head_of(method: str, path: str, length: int, *headers: str) -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "Host: t", f"Content-Length: {length}", *headers, "", ""]
    return "\r\n".join(lines).encode()


def asked(connection: socket.socket, request: bytes) -> bytes:
    connection.sendall(request)
    return reply_of(connection)


def test_a_service_that_ends_in_an_upload_keeps_what_has_come(program: Program, tmp_path: Path) -> None:
    """Half of a file, and half of a form: both are answered with 503 at once, and the upload goes on from there."""
    data = program.begin(tmp_path / "data")
    database = database_of(data)
    with database.transaction() as session:
        token = make_api_token(session, make_user(session, Role.OWNER, "owner@example.org"))
    opened(database, game_study("play", 3, 2))
    database.close()
    bearer, half = f"Authorization: Bearer {token}", b"x" * 300_000
    with serving(program, data) as service:
        with service.connect() as connection:
            new = b'{"file_name": "a.mp4", "bytes": 1000000, "source": "human"}'
            json = "Content-Type: application/json"
            head = head_of("POST", "/api/v1/uploads", len(new), bearer, json, "Connection: close")
            reply = asked(connection, head + new)
        assert status_of(reply) == 201, reply
        upload = re.search(rb'"token":"([^"]+)"', reply)
        assert upload
        path = f"/api/v1/uploads/{upload[1].decode()}"
        with service.connect() as sending, service.connect() as form:
            expects = "Expect: 100-continue"  # who is told to go on is being waited for
            sending.sendall(head_of("PATCH", f"{path}?offset=0", 1_000_000, bearer, expects))
            form.sendall(
                head_of("POST", "/p/x", 500, "Content-Type: application/x-www-form-urlencoded", expects)
            )
            for each in (sending, form):
                assert each.recv(25).startswith(b"HTTP/1.1 100")
            sending.sendall(half)
            form.sendall(b"a=b")
            parts = data / "incoming" / "uploads"
            os.kill(service.process.pid, signal.SIGTERM)
            cut, unread = reply_of(sending), reply_of(form)
    assert status_of(cut) == 503, cut
    offset = re.search(rb'"offset":(\d+)', cut)
    assert offset
    (part,) = parts.iterdir()
    assert part.stat().st_size == int(offset[1]) > 0
    assert status_of(unread) == 503, unread
    assert b"about to stop" in unread
    with serving(program, data) as service, service.connect() as connection:
        reply = asked(connection, head_of("GET", path, 0, bearer, "Connection: close"))
        assert b'"offset":' + offset[1] in reply
        rest = b"x" * (1_000_000 - int(offset[1]))
    with serving(program, data) as service, service.connect() as connection:
        at = f"{path}?offset={offset[1].decode()}"
        reply = asked(connection, head_of("PATCH", at, len(rest), bearer, "Connection: close") + rest)
        assert status_of(reply) == 200


def test_nobody_is_sent_where_files_have_no_room(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    assert client.get("/readyz").status_code == 200
    monkeypatch.setattr(storage, "LEAST_FREE_BYTES", 10**18)
    full = client.get("/readyz")
    assert (full.status_code, "MB left; at least" in full.text) == (503, True)
    assert client.get("/healthz").status_code == 200  # answers can still be stored
