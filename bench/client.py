"""One browser's connection over raw streams: it shares the machine with the server, so it must cost little."""

import asyncio
import re
from dataclasses import dataclass
from typing import Self

_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_CHUNKED = re.compile(rb"\r\ntransfer-encoding: *chunked", re.IGNORECASE)
_LOCATION = re.compile(rb"\r\nlocation: *([^\r]+)", re.IGNORECASE)
REDIRECTS = (302, 303, 307)

# What a browser sends with every request for a page.
_HEADERS = (
    "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/140.0.0.0 Safari/537.36\r\n"
    "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n"
    "Accept-Language: en-GB,en;q=0.9\r\n"
    "Accept-Encoding: gzip, deflate, br\r\n"
    "Sec-Fetch-Dest: document\r\n"
    "Sec-Fetch-Mode: navigate\r\n"
    "Sec-Fetch-Site: same-origin\r\n"
    "Upgrade-Insecure-Requests: 1\r\n"
)
_FORM = "Content-Type: application/x-www-form-urlencoded\r\n"


class Broken(Exception):
    """The benchmark cannot go on, or its measurement is invalid."""


@dataclass(frozen=True, slots=True)
class Address:
    host: str
    port: int


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole reply. `location` is empty except for a redirect; `path` is the requested path."""

    path: str
    status: int
    location: str
    body: bytes


class Connection:
    """A keep-alive connection to one server."""

    def __init__(
        self, address: Address, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, more: str = ""
    ) -> None:
        self._common = f"Host: {address.host}:{address.port}\r\n{_HEADERS}{more}"
        self._reader, self._writer = reader, writer

    @classmethod
    async def to(cls, address: Address, more: str = "") -> Self:
        """A new connection; `more` are header lines that are sent with every request."""
        try:
            return cls(address, *await asyncio.open_connection(address.host, address.port), more)
        except OSError as error:
            raise Broken(f"no connection to {address}: {error}") from None

    async def get(self, path: str) -> Reply:
        return await self._ask("GET", path, f"{self._common}\r\n".encode())

    async def post(self, path: str, body: bytes) -> Reply:
        head = f"{self._common}{_FORM}Content-Length: {len(body)}\r\n\r\n"
        return await self._ask("POST", path, head.encode() + body)

    async def follow(self, reply: Reply) -> Reply:
        """Go where a reply leads, to the page at its end."""
        while reply.status in REDIRECTS:
            reply = await self.get(reply.location)
        if reply.status != 200:
            raise Broken(f"GET {reply.path} answered {reply.status}: {reply.body[-300:]!r}")
        return reply

    async def close(self) -> None:
        self._writer.close()
        await self._writer.wait_closed()

    def drop(self) -> None:
        """Hang up at once."""
        self._writer.transport.abort()

    async def _ask(self, method: str, path: str, rest: bytes) -> Reply:
        self._writer.write(f"{method} {path} HTTP/1.1\r\n".encode() + rest)
        try:
            head = await self._reader.readuntil(b"\r\n\r\n")
            body = await self._body(head, f"{method} {path}")
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            raise Broken(f"{method} {path}: the server hung up ({error})") from None
        location = _LOCATION.search(head)
        return Reply(path, int(head[9:12]), location[1].decode() if location else "", body)

    async def _body(self, head: bytes, request: str) -> bytes:
        if length := _LENGTH.search(head):
            return await self._reader.readexactly(int(length[1]))
        if not _CHUNKED.search(head):
            raise Broken(f"{request}: the reply does not say how long it is: {head!r}")
        parts = []
        while size := int(await self._reader.readuntil(b"\r\n"), 16):
            parts.append((await self._reader.readexactly(size + 2))[:-2])
        await self._reader.readexactly(2)
        return b"".join(parts)
