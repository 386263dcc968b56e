"""The heads of replies that are written at once are those that uvicorn writes."""

import re
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from app.core.connections import BoundedConnection
from tests.serving.services import PATIENCE_S, listening

pytestmark = pytest.mark.slow

Headers = list[tuple[bytes, bytes]]
LENGTH = (b"content-length", b"2")
# By the path that is asked for: the status, the headers, and the parts of the body.
REPLIES: dict[str, tuple[int, Headers, list[bytes]]] = {
    "/page": (200, [(b"content-type", b"text/html; charset=utf-8"), LENGTH], [b"ok"]),
    "/parts": (200, [LENGTH], [b"o", b"k"]),
    "/elsewhere": (303, [(b"location", b"/p/abc?lang=de"), (b"content-length", b"0")], [b""]),
    "/cookies": (200, [(b"set-cookie", b"a=1"), (b"set-cookie", b"b=2"), LENGTH], [b"ok"]),
    "/twice": (200, [(b"vary", b"accept"), (b"vary", b"cookie"), LENGTH], [b"ok"]),
    "/upper": (200, [(b"X-Upper", b"Yes"), LENGTH], [b"ok"]),
    "/unknown-length": (200, [(b"content-type", b"text/plain")], [b"o", b"k"]),
    "/close": (200, [(b"connection", b"close"), LENGTH], [b"ok"]),
    "/nothing": (204, [], [b""]),
    "/split": (200, [(b"x-bad", b"a\r\nset-cookie: b=1"), LENGTH], [b"ok"]),
    "/split-elsewhere": (303, [(b"location", b"/a\r\nb: c"), (b"content-length", b"0")], [b""]),
    "/no-name": (200, [(b"x bad", b"a"), LENGTH], [b"ok"]),
    "/longer": (200, [LENGTH], [b"too long"]),
}
REQUESTS = [
    f"{method} {path} HTTP/{version}"
    for path in REPLIES
    for method, version in (("GET", "1.1"), ("HEAD", "1.1"), ("GET", "1.0"))
]


async def replying(scope: Any, _receive: Any, send: Any) -> None:
    status, headers, parts = REPLIES[scope["path"]]
    await send({"type": "http.response.start", "status": status, "headers": [*headers]})
    for at, part in enumerate(parts, start=1):
        await send({"type": "http.response.body", "body": part, "more_body": at < len(parts)})


@contextmanager
def served(protocol: type[HttpToolsProtocol]) -> Iterator[int]:
    config = uvicorn.Config(
        replying,
        port=0,
        http=protocol,
        ws="none",
        lifespan="off",
        log_level="critical",
        date_header=False,
        access_log=False,  # as it is served; with it, uvicorn writes all heads
    )
    yield from listening(config)


def reply(port: int, request: str) -> tuple[bytes, list[bytes], bytes]:
    """The status line, the headers in any order, and the body of a reply."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as connection:
        connection.sendall(f"{request}\r\nHost: test\r\nConnection: close\r\n\r\n".encode())
        came = b"".join(iter(lambda: connection.recv(65_536), b""))
    head, _, body = came.partition(b"\r\n\r\n")
    status, *headers = head.split(b"\r\n")
    return status, sorted(headers), body


def kept(port: int, request: str) -> bytes:
    """All bytes that come on one connection for this request twice and one that closes it."""
    asked = (
        f"{request}\r\nHost: test\r\n\r\n" * 2
        + "GET /page HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as connection:
        connection.sendall(asked.encode())
        came = b"".join(iter(lambda: connection.recv(65_536), b""))
    return re.sub(rb"\r\n(location: [^\r]*)\r\n(.*?)\r\n\r\n", rb"\r\n\2\r\n\1\r\n\r\n", came)


def test_heads_are_those_of_uvicorn() -> None:
    with ExitStack() as stack:
        ours, theirs = (stack.enter_context(served(each)) for each in (BoundedConnection, HttpToolsProtocol))
        for request in REQUESTS:
            assert reply(ours, request) == reply(theirs, request), request
            assert kept(ours, request) == kept(theirs, request), request
