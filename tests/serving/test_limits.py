"""Limits of one person, one network or one session: others are served meanwhile."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest
import uvicorn

from app.core import connections
from app.core.at_once import OF_SESSION, AtOnce
from app.core.connections import BoundedConnection
from app.core.migrating import open_database
from app.core.settings import Settings
from app.sessions.polling import MOST_WAITING
from bench.client import Address
from bench.strain import WAITS, match_of, open_waiting, streams
from tests.program import Program
from tests.serving.services import PATIENCE_S, Service, ask, listening, reply_of, serving, status_of
from tests.serving.test_connections import Seen, connect

pytestmark = pytest.mark.slow
ELSEWHERE = "X-Forwarded-For: 203.0.113.77"


@pytest.fixture(scope="module")
def service(program: Program, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A match that waits for nobody but its person, with descriptors for 60 connections."""
    data = program.begin(tmp_path_factory.mktemp("limits") / "data")
    database = open_database(Settings.model_validate({"LIKELY_HUMAN_DATA": str(data)}))
    open_waiting(database)
    database.close()
    before = "import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (184, 184))\n"
    with serving(program, data, before=before) as service:
        yield service


def test_streams_of_one_session_leave_room_for_everybody(service: Service) -> None:
    """More of them than there may be connections: two of the session's stay, and others are served."""
    path = asyncio.run(match_of(Address("127.0.0.1", service.port)))
    held = []
    for _ in range(90):
        held.append(service.connect())
        held[-1].sendall(streams(path))
    for _ in range(5):
        with service.connect() as other:
            assert ask(other, f"/s/{WAITS}/full", ELSEWHERE)[0] == 200
    open_now = [each for each in held if goes_on(each)]
    assert len(open_now) == MOST_WAITING
    for connection in held:
        connection.close()


def goes_on(connection: socket.socket) -> bool:
    """True if a stream sends more than its beginning: a sign of life, and no end."""
    connection.settimeout(PATIENCE_S)
    came = b""
    while b"still here" not in came:
        try:
            part = connection.recv(65_536)
        except ConnectionError:
            return False
        if not part or b"retry: 5000" in came + part:
            return False
        came += part
    return True


def test_a_stream_where_nothing_changes_ends_and_the_next_goes_on_from_there(
    program: Program, tmp_path: Path
) -> None:
    data = program.begin(tmp_path / "data")
    database = open_database(Settings.model_validate({"LIKELY_HUMAN_DATA": str(data)}))
    open_waiting(database)
    database.close()
    before = "from app.sessions import polling\npolling.IDLE_STREAM_S = polling.PRESENT_S = 0.5\n"
    with serving(program, data, before=before) as service:
        path = asyncio.run(match_of(Address("127.0.0.1", service.port)))
        for _ in range(2):
            with service.connect() as connection:
                head = streams(path).replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
                connection.sendall(head)
                came = reply_of(connection)
            assert status_of(came) == 200
            assert came.endswith(b"0\r\n\r\n"), "it ended whole"


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "most_connections", lambda: 8)
    monkeypatch.setattr(connections, "LONG_S", 0.0)


def served(seen: Seen, **more: object) -> Iterator[int]:
    config = uvicorn.Config(
        seen,
        port=0,
        ws="none",
        lifespan="off",
        log_level="error",
        timeout_keep_alive=600,
        **{"http": BoundedConnection, **more},  # type: ignore[arg-type]
    )
    yield from listening(config)


@pytest.fixture
def port(small: None) -> Iterator[int]:
    yield from served(Seen())


@pytest.fixture
def bounded(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Five connections of one network, which no web server is believed about."""
    monkeypatch.setattr(connections, "LONG_S", 0.0)
    yield from served(Seen(), http=partial(BoundedConnection, of_network=5), forwarded_allow_ips="192.0.2.1")


def test_replies_that_nobody_takes_give_way_to_new_requests(port: int) -> None:
    held = []
    for _ in range(20):
        held.append(connect(port))
        held[-1].sendall(b"GET /large HTTP/1.1\r\nHost: t\r\n\r\n" * 3)
        held[-1].recv(1_000)  # it is being answered
    for _ in range(3):
        with connect(port) as other:
            assert ask(other, "/") == (200, b"kk")
    for connection in held:
        connection.close()


def test_a_network_has_so_many_connections_and_its_own_give_way(bounded: int) -> None:
    with ExitStack() as stack:
        held = []
        for _ in range(9):
            held.append(stack.enter_context(connect(bounded)))
            assert ask(held[-1], "/") == (200, b"kk")
        for connection in held[:4]:
            assert reply_of(connection) == b"", "the longest idle have given way"
        for connection in held[4:]:
            assert ask(connection, "/") == (200, b"kk")


def test_what_is_answered_when_several_were_sent_at_once_hears_that_nobody_is_there(port: int) -> None:
    """uvicorn tells the last of them alone."""
    seen: list[str] = []
    gone = threading.Event()

    async def app(scope, receive, send) -> None:  # type: ignore[no-untyped-def]
        seen.append(scope["path"])
        while (await receive())["type"] != "http.disconnect":
            pass
        gone.set()

    for at in served(app):  # type: ignore[arg-type]
        with connect(at) as connection:
            connection.sendall(
                b"GET /first HTTP/1.1\r\nHost: t\r\n\r\nGET /second HTTP/1.1\r\nHost: t\r\n\r\n"
            )
            while not seen:
                pass
        assert gone.wait(PATIENCE_S)
        assert seen == ["/first"]


def test_requests_of_one_session_and_of_one_network_are_bounded_and_others_are_not() -> None:
    go_on = asyncio.Event()
    statuses: list[int] = []

    async def app(scope, receive, send) -> None:  # type: ignore[no-untyped-def]
        await go_on.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})

    at_once = AtOnce(app, of_network=20)

    async def asked(path: str, host: str) -> None:
        async def send(message) -> None:  # type: ignore[no-untyped-def]
            if message["type"] == "http.response.start":
                statuses.append(message["status"])

        async def receive() -> dict[str, str]:
            return {"type": "http.disconnect"}

        scope = {"type": "http", "path": path, "client": (host, 1), "method": "GET"}
        await at_once(scope, receive, send)

    async def all_of_it() -> None:
        async with asyncio.TaskGroup() as group:
            for n in range(OF_SESSION + 3):
                group.create_task(asked(f"/p/one/clips/{n}-a.mp4", "192.0.2.1"))
            await asyncio.sleep(0)
            assert statuses == [429] * 3
            for _ in range(10):
                group.create_task(asked("/s/study", "192.0.2.1"))
            await asyncio.sleep(0)
            assert statuses == [429] * 9, "twenty of the network are under way"
            group.create_task(asked("/p/two", "192.0.2.2"))
            await asyncio.sleep(0)
            assert statuses == [429] * 9, "another session of another network waits for its answer"
            go_on.set()
        assert statuses.count(200) == OF_SESSION + 4 + 1
        await asked("/p/one", "192.0.2.1")
        assert statuses[-1] == 200, "what is over counts no more"

    asyncio.run(all_of_it())
