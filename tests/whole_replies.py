"""Requests of Starlette's test client for one change of threads each.

Its transport goes to the service's thread and back eight times for a request, so that a reply can be read while it
comes: that takes twice as long as the service does for a short reply, and no test here reads one so.
"""

from collections.abc import Sequence
from urllib.parse import unquote

import anyio
from anyio.lowlevel import checkpoint
from httpx2 import ByteStream, Request, Response
from starlette.testclient import _TestClientTransport as Transport
from starlette.types import Message, Scope

PORTS = {"http": 80, "https": 443}

Reply = tuple[int, Sequence[tuple[bytes, bytes]], bytes]


def reply_whole() -> None:
    """From now on every test client of this process waits for the whole reply where the service makes it."""
    Transport.handle_request = _handle_request  # type: ignore[method-assign]


def _handle_request(self: Transport, request: Request) -> Response:
    url = request.url
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": request.method,
        "path": unquote(url.path),
        "raw_path": url.raw_path.partition(b"?")[0],
        "root_path": self.root_path,
        "scheme": url.scheme,
        "query_string": url.query,
        "headers": [(name.lower(), value) for name, value in request.headers.raw],
        "client": self.client,
        "server": [url.host, url.port or PORTS[url.scheme]],
        "extensions": {},
        "state": self.app_state.copy(),
    }
    with self.portal_factory() as portal:
        status, headers, body = portal.call(_reply, self, scope, request.read())
    return Response(
        status, headers=headers, stream=ByteStream(b"" if request.method == "HEAD" else body), request=request
    )


async def _reply(transport: Transport, scope: Scope, sent: bytes) -> Reply:
    """The whole reply, once the service has returned, which is after its tasks in the background."""
    given: list[Message] = [{"type": "http.request", "body": sent}]
    started: list[Message] = []
    parts: list[bytes] = []
    is_whole = anyio.Event()

    async def receive() -> Message:
        if given:
            return given.pop()
        await is_whole.wait()
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            assert not started, "the reply began twice"
            started.append(message)
            return
        assert started, "a body came before its reply began"
        assert not is_whole.is_set(), "a body came after the end of its reply"
        parts.append(bytes(message.get("body", b"")))
        if not message.get("more_body", False):
            is_whole.set()

    try:
        await transport.app(scope, receive, send)
        await checkpoint()  # what the service writes without waiting, it writes in the loop's next turn
    except Exception:
        if transport.raise_server_exceptions:
            raise
    if not started:
        assert not transport.raise_server_exceptions, "there was no reply"
        return 500, [], b""
    return started[0]["status"], started[0].get("headers", []), b"".join(parts)
