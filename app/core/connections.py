"""Limits per connection: bytes of headers, time to send a request or take a reply; and on connections, in total and per
network.

uvicorn has no such limits: with httptools, headers of any length are gathered in memory, and an unfinished request
holds its descriptor for good.
"""

import asyncio
import resource
from collections import Counter
from collections.abc import Awaitable, Sequence
from enum import Enum
from functools import lru_cache, partial
from itertools import starmap
from typing import Any

from uvicorn.protocols.http.httptools_impl import (
    HEADER_RE,
    HEADER_VALUE_RE,
    STATUS_LINE,
    HttpToolsProtocol,
    RequestResponseCycle,
)

from app.core.headers import SAFETY
from app.core.networks import network_of

MOST_HEADER_BYTES = 65_536  # request line and headers; as many may frame a chunked body without a byte of it
MOST_HEADERS = 200
_TOO_MANY_HEADERS = f"There are too many headers; {MOST_HEADERS} are taken."
MOST_URL_BYTES = 16_384
MOST_PIPELINED = 4  # browsers and web servers in front send none
MOST_UNWANTED_BYTES = 32_000_000  # of a body whose reply has been sent
MOST_CONNECTIONS = 1_000  # of one process
RESERVED_DESCRIPTORS = (
    64  # the database, logs; every connection is counted twice, for the file that it may read
)
USEFUL_DESCRIPTORS = 4_096
LONG_S = 10.0  # what is under way for longer gives way to new requests where there is no room
PIECE_BYTES = 16_384

# Time is counted in checks of each connection: a service that was held up itself holds nobody to the clock.
CHECK_S = 5.0
HEADERS_CHECKS = 4  # to send them whole; an idle connection ends after it, too
BODY_CHECKS, BODY_BYTES = 6, 4_096  # of a body at least so much in so long, or all that is left
REPLY_CHECKS = 60  # without taking any of a reply that waits
CLOSE_CHECKS = 2


class Stage(Enum):
    """The state of a connection: waiting for a new request, the rest of its headers, or the rest of its body."""

    IDLE = 0
    HEADERS = 1
    BODY = 2


# As a number: for bytes in bytes Python tries a number first, and raises within.
_BACKSLASH = ord("\\")
# In Python 3.11 to look one up is slow, and a page turn did so forty times.
_IDLE, _HEADERS, _BODY = Stage


class _Refused(Exception):
    """Stops the parser when a limit is exceeded."""


def most_connections() -> int:
    """The maximum number of connections per process: fewer than its file descriptors allow."""
    descriptors, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    # Half, as a connection may need a second descriptor for the clip that it is sent.
    return max(8, min(MOST_CONNECTIONS, (descriptors - RESERVED_DESCRIPTORS) // 2))


def raise_descriptor_limit() -> None:
    """Raise the open-file limit as far as useful and allowed; child processes inherit it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    useful = USEFUL_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(USEFUL_DESCRIPTORS, hard)
    if soft != resource.RLIM_INFINITY and soft < useful:
        resource.setrlimit(resource.RLIMIT_NOFILE, (useful, hard))


class BoundedConnection(HttpToolsProtocol):
    """uvicorn's connection with limits; what breaks one is answered with a status and closed.

    `of_network` is how many connections one network may have, 0 for any number. A web server that is believed when it
    says who asks (`FORWARDED_ALLOW_IPS`) has as many as it likes: `AtOnce` counts the requests that it hands on.
    """

    def __init__(self, *args: Any, of_network: int = 0, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.headers: list[tuple[bytes, bytes]] = []
        self._of_network = of_network
        self._working = self.loop.time()  # since when it is worked for
        self._started: RequestResponseCycle | None = (
            None  # the request that is, of several that were sent at once
        )
        self._stage = _IDLE
        self._since = self.loop.time()
        self._checks = 0  # in this stage, or since the body came on last
        self._is_escaped = False  # a backslash has come, as a cookie may have one
        self._overhead = 0  # bytes since the last one of a body, or since the last request
        self._body = 0  # bytes of it that came in those checks
        self._unwanted = 0
        self._blocked: int | None = None  # checks since the other side took any of a reply that waits
        self._closing = 0  # checks since the connection was closed with a reply still to be sent
        self._fault = (400, "This is no HTTP request.")
        self._timer: asyncio.TimerHandle | None = None

    # what the transport tells

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._timer = self.loop.call_later(CHECK_S, self._check)
        everybody = self._everybody()
        if len(everybody) > most_connections():
            self._make_room(everybody, "There are too many connections; please try again in a moment.")
        elif self._of_network and len(everybody) > self._of_network and not self._is_from_proxy:
            mine = [each for each in everybody if each._network == self._network]
            if len(mine) > self._of_network:
                words = "Your network has too many connections; please try again in a moment."
                self._make_room(mine, words)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        super().connection_lost(exc)
        # uvicorn tells the request that came last, which is another one where several were sent at once.
        if self._started is not None and not self._started.response_complete:
            self._started.disconnected = True
            self._started.message_event.set()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._started, self._working = cycle, self.loop.time()
        super()._start_asgi_task(cycle, partial(_answered, app, cycle))

    def data_received(self, data: bytes) -> None:
        if self._stage is _IDLE:
            self._enter(_HEADERS)
        # In pieces, so that headers far beyond the limit are not gathered before it is looked at.
        for start in range(0, len(data), PIECE_BYTES):
            piece = data[start : start + PIECE_BYTES]
            self._overhead += len(piece)
            self._is_escaped = self._is_escaped or _BACKSLASH in piece
            super().data_received(piece)
            if self.transport.is_closing():
                return
            if self._overhead > MOST_HEADER_BYTES:
                self._refuse(431, f"The headers are too large; {MOST_HEADER_BYTES // 1024} kB are taken.")
                return
            if self._stage is _HEADERS and len(self.headers) > MOST_HEADERS:
                self._refuse(431, _TOO_MANY_HEADERS)
                return

    def pause_writing(self) -> None:
        self._blocked = 0
        super().pause_writing()

    def resume_writing(self) -> None:
        self._blocked = None
        super().resume_writing()

    # what the parser tells

    def on_message_begin(self) -> None:
        if self._stage is not _HEADERS:
            self._enter(_HEADERS)
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        super().on_url(url)
        if len(self.url) > MOST_URL_BYTES:
            self._end_parsing(414, f"The address is too long; {MOST_URL_BYTES // 1024} kB are taken.")

    # `on_header` is uvicorn's own: a function more for each header was a twentieth of a page turn.
    def on_headers_complete(self) -> None:
        headers = self.headers
        if len(headers) > MOST_HEADERS:
            self._end_parsing(431, _TOO_MANY_HEADERS)
        if len(self.pipeline) >= MOST_PIPELINED:
            self._end_parsing(429, "Too many requests were sent before the reply to the first.")
        if self._is_escaped:
            headers[:] = [(n, _without_escapes(value) if n == b"cookie" else value) for n, value in headers]
        self._enter(_BODY)
        super().on_headers_complete()
        self.headers = []  # for trailers, which nobody reads; those of the request are in its scope

    def on_body(self, body: bytes) -> None:
        self._overhead = 0
        self._body += len(body)
        if self.cycle.response_complete:
            self._unwanted += len(body)
            if self._unwanted > MOST_UNWANTED_BYTES:
                self._end_parsing(413, "This request was answered before its body had arrived.")
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._stage, self._overhead = _IDLE, 0
        super().on_message_complete()

    def on_response_complete(self) -> None:
        if self._stage is _IDLE:
            self._enter(_IDLE)
        super().on_response_complete()

    def send_400_response(self, msg: str) -> None:
        self._refuse(*self._fault)

    # limits

    def _enter(self, stage: Stage) -> None:
        self._stage, self._since = stage, self.loop.time()
        self._checks = self._body = self._unwanted = 0

    def _end_parsing(self, status: int, words: str) -> None:
        self._fault = status, words
        # An exception in a callback is what stops httptools; uvicorn then calls `send_400_response`.
        raise _Refused

    @property
    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    @property
    def _is_waiting(self) -> bool:
        """True if no work is done for the client: it has sent no request, or only part of its headers."""
        return self._stage is not _BODY and not self._is_answering

    @property
    def _is_from_proxy(self) -> bool:
        """True if the peer is a trusted proxy."""
        # Behind a proxy all clients share its address, and one limit for all of them would refuse everybody.
        return self.client is not None and self.client[0] in getattr(self.app, "trusted_hosts", ())

    @property
    def _network(self) -> str:
        """The network that asks: of a web server that is believed, the one that its last request was for."""
        client = self.cycle.scope["client"] if self.cycle is not None else self.client
        return network_of(client[0]) if client else ""

    def _everybody(self) -> Sequence["BoundedConnection"]:
        return [each for each in self.connections if isinstance(each, BoundedConnection)]

    def _gives_way(self, now: float) -> bool:
        """True if the connection may be dropped: it is waiting, or has long been busy with a stream or a slow
        reader.
        """
        return self._is_waiting or now - self._working > LONG_S

    def _make_room(self, among: Sequence["BoundedConnection"], words: str) -> None:
        """Drop one connection when the limit is exceeded: from the network that has most, the one longest without a
        complete request, then the one longest being answered; if none can be dropped, refuse the newest.
        """
        now, held = self.loop.time(), Counter(each._network for each in among)
        found = [each for each in among if each is not self and each._gives_way(now)]
        if found:
            found.sort(key=lambda each: (-held[each._network], not each._is_waiting, each._since))
            # Not close(): that waits for the peer to take what is buffered, which is what a slow reader never does.
            found[0].transport.abort()
        else:
            self._refuse(503, words)

    def _check(self) -> None:
        self._timer = self.loop.call_later(CHECK_S, self._check)
        self._checks += 1
        if self.transport.is_closing():
            self._closing += 1
            if self._closing > CLOSE_CHECKS:
                self.transport.abort()
        elif self._is_blocked():
            self.transport.abort()
        elif self._stage is _BODY:
            self._check_body()
        elif self._checks > HEADERS_CHECKS:
            if self._stage is _HEADERS:
                self._refuse(408, f"The headers did not arrive within {CHECK_S * HEADERS_CHECKS:g} s.")
            elif not self._is_answering:
                self.transport.close()

    def _is_blocked(self) -> bool:
        if self._blocked is None:
            return False
        self._blocked += 1
        return self._blocked > REPLY_CHECKS

    def _check_body(self) -> None:
        """A body has to come on, but while we ourselves hold it back."""
        # While the application is behind, reading is paused, so no bytes can arrive and the client is not at fault.
        if self.flow.read_paused or self._body >= BODY_BYTES:
            self._checks = self._body = 0
        elif self._checks > BODY_CHECKS:
            seconds = CHECK_S * BODY_CHECKS
            self._refuse(408, f"The request stalled: fewer than {BODY_BYTES} bytes in {seconds:g} s.")

    def _refuse(self, status: int, words: str) -> None:
        """Say why, where no other reply is under way on this connection, and close it."""
        is_answered = self.cycle is not None and self.cycle.response_started
        # A second status line in the middle of a reply would be read as part of its body.
        if not is_answered if self._stage is _BODY else not self._is_answering:
            body = words.encode()
            lines = [
                *self.server_state.default_headers,
                *SAFETY,
                (b"content-type", b"text/plain; charset=utf-8"),
            ]
            # HTTP/1.1 keeps a connection unless told: the next request would be sent into a closed one.
            lines += [(b"content-length", b"%d" % len(body)), (b"connection", b"close")]
            head = b"".join(b"%s: %s\r\n" % line for line in lines)
            self.transport.write(b"%s%s\r\n%s" % (STATUS_LINE[status], head, body))
        if self.cycle is not None:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self.transport.close()


def _answered(app: Any, cycle: RequestResponseCycle, scope: Any, receive: Any, _send: Any) -> Awaitable[None]:
    """The application, which sends by `_sent`."""
    return app(scope, receive, partial(_sent, cycle))  # type: ignore[no-any-return]


def _sent(cycle: RequestResponseCycle, message: Any) -> Awaitable[None]:
    return _begin(cycle, message) if message["type"] == "http.response.start" else cycle.send(message)


async def _begin(cycle: RequestResponseCycle, message: Any) -> None:
    """Send a reply's head as uvicorn does, which looks at each character of each header of each reply.

    That was a twentieth of a page turn, while most replies have the same headers.
    """
    headers = message["headers"]
    found = dict(headers)
    length = found.get(b"content-length")
    if (
        length is None
        or len(found) < len(headers)
        or not _UNUSUAL.isdisjoint(found)
        or not cycle.keep_alive
        or cycle.access_log
        or cycle.response_started
        or cycle.disconnected
        or cycle.flow.write_paused
    ):
        await cycle.send(message)
        return
    cycle.response_started, cycle.waiting_for_100_continue = True, False
    cycle.chunked_encoding, cycle.expected_content_length = False, int(length)
    location = found.pop(b"location", None)  # which may open a session, and is not kept
    lines = [*starmap(_kept_line, cycle.default_headers), *starmap(_kept_line, found.items())]
    if location is not None:
        lines.append(_line(b"location", location))
    cycle.transport.write(b"".join([STATUS_LINE[message["status"]], *lines, b"\r\n"]))


# What uvicorn has to know of, and cookies, which are not to be kept.
_UNUSUAL = frozenset({b"connection", b"transfer-encoding", b"set-cookie"})


def _line(name: bytes, value: bytes) -> bytes:
    """A header as it is sent. Raises RuntimeError for what is none, as uvicorn does."""
    if HEADER_RE.search(name) or HEADER_VALUE_RE.search(value):
        raise RuntimeError("Invalid HTTP header.")
    return b"%s: %s\r\n" % (name.lower(), value)


_kept_line = lru_cache(maxsize=256)(_line)


def _without_escapes(cookies: bytes) -> bytes:
    """Python reads a quoted cookie in time quadratic in its backslashes, 13 s for 60 kB; no cookie of ours has one."""
    return b";".join(cookie for cookie in cookies.split(b";") if b"\\" not in cookie)
