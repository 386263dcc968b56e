"""Ranges of a file over one connection, read into one piece of memory: copying would be the bound."""

import random
import re
import socket
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from bench.client import Address, Broken

_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_HEAD_BYTES = 16 << 10
_RANGE_BYTES = (256 << 10, 1 << 20)
_WHOLE_EVERY = 4
_TIMEOUT_S = 30


@dataclass(frozen=True, slots=True)
class Fetched:
    """One reply: its bytes, and when it was asked for and there."""

    n_bytes: int
    asked_s: float
    done_s: float


class Fetcher:
    """A keep-alive connection that asks for parts of one file of `size` bytes."""

    def __init__(self, address: Address, path: str, size: int) -> None:
        self._request = (
            f"GET {path} HTTP/1.1\r\nHost: {address.host}:{address.port}\r\nAccept: */*\r\nRange: bytes="
        )
        self._memory = memoryview(bytearray(_HEAD_BYTES + size))
        self._socket = socket.create_connection((address.host, address.port), timeout=_TIMEOUT_S)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._socket.close()

    def fetch(self, start: int, stop: int) -> memoryview:
        """The bytes from `start` up to `stop`; they are there until the next call."""
        self._socket.sendall(f"{self._request}{start}-{stop - 1}\r\n\r\n".encode())
        have, body = 0, -1
        while body < 0:
            have = self._receive(have, _HEAD_BYTES)
            body = bytes(self._memory[:have]).find(b"\r\n\r\n")
        head, body = bytes(self._memory[:body]), body + 4
        length = _LENGTH.search(head)
        if head[9:12] != b"206" or not length or int(length[1]) != stop - start:
            raise Broken(f"asked for bytes {start} to {stop - 1}: {head!r}")
        end = body + stop - start
        while have < end:
            have = self._receive(have, end)
        return self._memory[body:end]

    def _receive(self, have: int, end: int) -> int:
        received = self._socket.recv_into(self._memory[have:end])
        if not received:
            raise Broken("the server hung up in the middle of a reply")
        return have + received


def part(size: int, rng: random.Random) -> tuple[int, int]:
    """The next request: one time in four the whole, else a range somewhere in it."""
    if rng.randrange(_WHOLE_EVERY) == 0:
        return 0, size
    length = min(rng.randint(*_RANGE_BYTES), size)
    start = rng.randint(0, size - length)
    return start, start + length


def fetch_at_once(
    address: Address, paths: Sequence[str], size: int, until_s: float, seed: int
) -> list[Fetched]:
    """Fetch parts over one connection per path until a moment; a thread each, waiting outside of Python."""
    fetched: list[Fetched] = []
    errors: list[Exception] = []

    def keep_fetching(number: int) -> None:
        rng = random.Random(f"{seed}/{number}")
        try:
            with Fetcher(address, paths[number], size) as fetcher:
                while (asked_s := time.perf_counter()) < until_s and not errors:
                    n_bytes = len(fetcher.fetch(*part(size, rng)))
                    fetched.append(Fetched(n_bytes, asked_s, time.perf_counter()))
        except (OSError, Broken) as error:
            errors.append(error)

    threads = [threading.Thread(target=keep_fetching, args=(number,)) for number in range(len(paths))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise Broken(f"fetching clips: {errors[0]}")
    return fetched
