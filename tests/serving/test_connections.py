"""Limits of one connection and of all, over real sockets: what is too much is refused, what goes on goes on."""

import resource
import socket
import threading
import time
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any

import pytest
import uvicorn

from app.core import connections
from app.core.connections import BoundedConnection
from tests.program import Program
from tests.serving.services import PATIENCE_S, Service, ask, listening, reply_of, serving, status_of

pytestmark = pytest.mark.slow

MOST_SENT = 16_000_000  # the limit and what the system's own buffers take; without a limit, all 120 MB go


@pytest.fixture(scope="module")
def service(program: Program, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """With descriptors for 28 connections, none of which times out."""
    before = "import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (120, 120))\n"
    before += (
        "from app.core import connections\nconnections.HEADERS_CHECKS = connections.BODY_CHECKS = 10**9\n"
    )
    with serving(program, tmp_path_factory.mktemp("limits") / "data", before=before) as service:
        yield service


def send_until_refused(connection: socket.socket, first: bytes, piece: bytes, most: int) -> int:
    """The number of bytes the other side read before it closed."""
    sent = 0
    try:
        connection.sendall(first)
        while sent < most:
            connection.sendall(piece)
            sent += len(piece)
    except ConnectionError:
        pass
    return sent


HEAD = b"GET /healthz HTTP/1.1\r\nHost: test\r\n"


@pytest.mark.parametrize(
    ("first", "piece"),
    [
        (HEAD + b"X-Long: ", b"a" * 65_536),
        (HEAD, b"X-Small: a\r\n" * 5_000),
        (b"GET /", b"a" * 65_536),
        (b"", b"\r\n" * 32_768),
        (b"POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n1;", b"a" * 65_536),
        (b"POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-Last: ", b"a" * 65_536),
        (b"POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", b"X-Last: a\r\n" * 5_000),
        (HEAD, b"\r\n" + HEAD * 1_000),
    ],
    ids=[
        "one header",
        "many headers",
        "address",
        "empty lines",
        "chunk extension",
        "one trailer",
        "trailers",
        "pipelined",
    ],
)
def test_bytes_that_are_no_body_are_bounded(service: Service, first: bytes, piece: bytes) -> None:
    with service.connect() as connection:
        assert send_until_refused(connection, first, piece, 120_000_000) < MOST_SENT
    with service.connect() as other:
        assert ask(other, "/healthz") == (200, b"ok")


@pytest.mark.parametrize(
    ("request_bytes", "status", "words"),
    [
        (HEAD + b"X-Long: " + b"a" * 70_000, 431, b"64 kB"),
        (HEAD + b"Cookie: a=" + b"b" * 70_000, 431, b"64 kB"),
        (HEAD + b"X-Small: a\r\n" * 201, 431, b"200"),
        (b"GET /healthz?" + b"a" * 17_000 + b" HTTP/1.1\r\n\r\n", 414, b"16 kB"),
        (b"GET /healthz?" + b"a&" * 8_500 + b" HTTP/1.1\r\n\r\n", 414, b"16 kB"),
        (b"This is not HTTP\r\n\r\n", 400, b"no HTTP"),
    ],
    ids=["header", "cookie", "headers", "address", "parameters", "junk"],
)
def test_requests_over_a_limit_are_refused_in_words(
    service: Service, request_bytes: bytes, status: int, words: bytes
) -> None:
    with service.connect() as connection:
        connection.sendall(request_bytes)
        reply = reply_of(connection)
    assert status_of(reply) == status
    assert words in reply
    assert b"content-security-policy: default-src 'none'" in reply


def test_what_is_much_but_allowed_is_answered(service: Service) -> None:
    headers = [*(f"X-{n}: {'a' * 300}" for n in range(190)), "Cookie: " + "a=b; " * 500]
    with service.connect() as connection:
        for _ in range(3):  # the count begins anew with each request of a connection
            assert ask(connection, f"/healthz?{'a=b&' * 4_000}", *headers) == (200, b"ok")


def test_half_sent_requests_leave_room_for_others(service: Service) -> None:
    """None of them times out: the longest waiting give way."""
    held = []
    for number in range(150):
        held.append(service.connect())
        held[-1].sendall(b"" if number % 3 else b"GET / HTTP/1.1\r\nHost:")
    for _ in range(5):
        with service.connect() as connection:
            assert ask(connection, "/healthz") == (200, b"ok")
    for connection in held:
        connection.close()


def test_where_all_are_at_work_the_newest_is_told_to_wait(service: Service) -> None:
    posting = b"POST /admin/login HTTP/1.1\r\nHost: t\r\nContent-Length: 100000\r\nExpect: 100-continue\r\n"
    posting += b"Content-Type: application/x-www-form-urlencoded\r\n\r\ncsrf="
    held, status = [], 100
    while status == 100:  # who is told to go on is being worked for
        held.append(service.connect())
        held[-1].sendall(posting)
        reply = held[-1].recv(10_000)
        status = status_of(reply)
    assert (status, len(held)) == (503, 29)
    assert b"try again" in reply + reply_of(held[-1])
    for connection in held:
        connection.close()
    while status != 200:
        with service.connect() as connection:
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n")
            status = status_of(reply_of(connection))


# From here on the server is in this process: its app says what reached it, and its limits are a test's own.

App = Callable[..., Any]


class Seen:
    """Requests that reached the app."""

    def __init__(self) -> None:
        self.cookies: list[bytes] = []
        self.bodies: list[int] = []
        self.lost = threading.Event()

    async def __call__(self, scope: MutableMapping[str, Any], receive: App, send: App) -> None:
        if scope["type"] != "http":
            return
        self.cookies += [value for name, value in scope["headers"] if name == b"cookie"]
        length, more = 0, True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                self.lost.set()
                return
            length, more = length + len(message.get("body", b"")), message.get("more_body", False)
        self.bodies.append(length)
        size = 200_000_000 if scope["path"] == "/large" else 2
        headers = [(b"content-length", b"%d" % size)]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        for start in range(0, size, 1_000_000):
            part = b"k" * min(1_000_000, size - start)
            await send({"type": "http.response.body", "body": part, "more_body": start + len(part) < size})


@contextmanager
def echoing(seen: Seen) -> Iterator[int]:
    config = uvicorn.Config(
        seen, port=0, http=BoundedConnection, ws="none", lifespan="off", log_level="error"
    )
    yield from listening(config)


@pytest.fixture
def seen() -> Seen:
    return Seen()


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "CHECK_S", 0.1)
    monkeypatch.setattr(connections, "BODY_CHECKS", 40)


@pytest.fixture
def port(seen: Seen, quick: None) -> Iterator[int]:
    with echoing(seen) as port:
        yield port


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)


def test_a_connection_that_sends_nothing_or_half_a_request_ends(port: int) -> None:
    with connect(port) as silent, connect(port) as half, connect(port) as second:
        half.sendall(HEAD)
        assert ask(second, "/") == (200, b"kk")
        second.sendall(b"\r\n")  # after a whole one
        assert reply_of(silent) == b""
        reply = reply_of(half)
        assert status_of(reply) == 408
        assert b"did not arrive within" in reply
        assert status_of(reply_of(second)) == 408


def test_headers_that_trickle_end(port: int) -> None:
    with connect(port) as connection:
        connection.sendall(HEAD)
        assert send_until_refused(connection, b"X-Slow: ", b"", 0) == 0
        for _ in range(10_000):
            try:
                connection.sendall(b"a")
            except ConnectionError:
                break
            time.sleep(0.02)
        else:
            raise AssertionError("it was let go on")


def test_a_body_that_trickles_ends_while_one_that_comes_on_goes_on(port: int, seen: Seen) -> None:
    """Both are sent step by step; the one is closed, and the other may take as long as that and longer."""
    begin = b"PUT / HTTP/1.1\r\nHost: t\r\nContent-Length: %d\r\n\r\n"
    with connect(port) as slow, connect(port) as steady:
        slow.sendall(begin % 1_000_000)
        steady.sendall(begin % 400_000_000)
        sent, more, is_open = 0, 40, True
        while is_open or more:
            steady.sendall(b"a" * 20_000)
            sent += 20_000
            try:
                slow.sendall(b"a")
            except ConnectionError:
                is_open = False
            more -= not is_open
            time.sleep(0.02)
        assert seen.lost.wait(PATIENCE_S)
        assert sent < 400_000_000
        while sent < 400_000_000:
            part = b"a" * min(4_000_000, 400_000_000 - sent)
            steady.sendall(part)
            sent += len(part)
        assert status_of(steady.recv(1_000)) == 200
    assert seen.bodies == [400_000_000]


def test_a_reply_that_nobody_takes_ends_and_one_that_is_taken_slowly_does_not(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "REPLY_CHECKS", 20)
    with connect(port) as idle, connect(port) as slow:
        for connection in (idle, slow):
            connection.sendall(b"GET /large HTTP/1.1\r\nHost: t\r\n\r\n")
        came = 0
        for _ in range(200):
            came += len(slow.recv(500_000))
            time.sleep(0.02)
        while came < 200_000_000 and (part := slow.recv(4_000_000)):
            came += len(part)
        assert came >= 200_000_000
        assert len(reply_of(idle)) < 200_000_000


def test_cookies_that_python_reads_slowly_are_left_out(port: int, seen: Seen) -> None:
    with connect(port) as connection:
        junk = '"' + "\\" * 30_000 + '"'
        assert ask(connection, "/", f"Cookie: lh-nav=abc; x={junk}; y=2") == (200, b"kk")
    assert seen.cookies == [b"lh-nav=abc; y=2"]


def test_trailers_are_no_headers_of_a_request(port: int, seen: Seen) -> None:
    with connect(port) as connection:
        head = b"POST / HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n"
        connection.sendall(head + b"1\r\na\r\n0\r\nCookie: late=1\r\n\r\n")
        assert status_of(reply_of(connection)) == 200
    assert (seen.bodies, seen.cookies) == ([1], [])


def test_connections_are_fewer_than_descriptors(monkeypatch: pytest.MonkeyPatch) -> None:
    for descriptors, most in ((100, 18), (300, 118), (1_000_000, connections.MOST_CONNECTIONS), (20, 8)):
        monkeypatch.setattr(resource, "getrlimit", lambda _, n=descriptors: (n, n))
        assert connections.most_connections() == most
