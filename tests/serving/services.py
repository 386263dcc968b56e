"""A served data folder in a process of its own, and plain sockets to it."""

import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PROGRAM = Path(sys.executable).parent / "likely-human"
PATIENCE_S = 180.0


@dataclass(frozen=True, slots=True)
class Service:
    process: subprocess.Popen[str]
    port: int

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_S)


@contextmanager
def serving(data: Path, before: str = "", *words: str, **more: str) -> Iterator[Service]:
    """`likely-human serve` over a folder until the block ends; `before` is Python that its process runs first."""
    code = f"import sys\n{before}\nfrom app.cli import main\nmain()"
    process = subprocess.Popen(
        [sys.executable, "-c", code, "serve", "--port", "0", *words],
        env={**os.environ, "LIKELY_HUMAN_DATA": str(data), **more},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield Service(process, port_said(process))
    finally:
        process.kill()
        process.communicate()


def port_said(process: subprocess.Popen[str]) -> int:
    """The port of the service, once it says that it serves."""
    assert process.stdout
    line = next(line for line in process.stdout if "participants" in line)
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
