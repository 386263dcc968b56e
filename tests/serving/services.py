"""A served data folder in a process of its own, and plain sockets to it."""

import asyncio
import os
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import uvicorn

from tests.program import Program, Running

PATIENCE_S = 600.0  # workers are nice, and the machine may be busy
NO_WORKER = (
    "import contextlib, app.serving\napp.serving.background_worker = lambda _: contextlib.nullcontext()\n"
)


@dataclass(frozen=True, slots=True)
class Service:
    process: Running
    port: int

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_S)


@contextmanager
def serving(
    program: Program, data: Path, *words: str, before: str = "", works: bool = False, **more: str
) -> Iterator[Service]:
    """`likely-human serve` over a folder until the block ends; `before` is Python that its process runs first.

    Without the process beside it that works on jobs, whose imports take longer than most tests, unless it `works`.
    """
    if "DATABASE_URL" not in more:
        program.begin(data)
    environment = {**os.environ, "LIKELY_HUMAN_DATA": str(data), **more}
    words = ("serve", "--port", "0", *words)
    before = before if works else f"{NO_WORKER}{before}"
    running = program.start(*words, cwd=data.parent, environment=environment, before=before)
    with running.stdout as said:
        try:
            yield Service(running, port_said(said))
        finally:
            running.kill()
            said.read()  # until it is gone


def port_said(stdout: IO[str] | None) -> int:
    """The port of the service, once it says that it serves."""
    assert stdout
    line = next(line for line in stdout if "participants" in line)
    found = re.search(r":(\d+)/s/", line)
    assert found
    return int(found[1])


def reply_of(connection: socket.socket) -> bytes:
    """All that comes until the other side closes, however it does."""
    parts = []
    try:
        while part := connection.recv(65_536):
            parts.append(part)
    except ConnectionError:
        pass
    return b"".join(parts)


def status_of(reply: bytes) -> int:
    return int(reply[9:12]) if reply else 0


def ask(connection: socket.socket, path: str, *headers: str) -> tuple[int, bytes]:
    """A request on a connection that is kept open: status and body of its reply."""
    lines = [f"GET {path} HTTP/1.1", "Host: test", *headers, "", ""]
    connection.sendall("\r\n".join(lines).encode())
    with connection.makefile("rb") as file:
        status = int(file.readline().split()[1])
        length = 0
        while line := file.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        return status, file.read(length)


def listening(config: uvicorn.Config) -> Iterator[int]:
    """The port of a server in a thread of this process, which ends when the generator goes on."""
    server = uvicorn.Server(config)
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        bound.listen(100)
        thread = threading.Thread(target=asyncio.run, args=(server.serve([bound]),))
        thread.start()
        yield bound.getsockname()[1]
        server.should_exit = server.force_exit = True
        thread.join()
