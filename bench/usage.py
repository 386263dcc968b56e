"""Processor use of processes during a measurement, from Linux's /proc."""

import math
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Self


@dataclass(frozen=True, slots=True)
class Cores:
    """Processor seconds per second of the server, of this process and of all others; NaN where unknown.

    If the client is near 1, it was itself the bottleneck; if the others are well above 0, the rates are unreliable.
    """

    server: float
    client: float
    others: float


@dataclass(frozen=True, slots=True)
class Usage:
    """Clocks at one moment, in seconds."""

    now: float
    server: float
    client: float
    machine: float

    @classmethod
    def of(cls, pid: int) -> Self:
        return cls(time.perf_counter(), _process_s(pid), time.process_time(), _machine_s())

    def until(self, later: Self) -> Cores:
        took_s = later.now - self.now
        server, client = (later.server - self.server) / took_s, (later.client - self.client) / took_s
        return Cores(server, client, max((later.machine - self.machine) / took_s - server - client, 0.0))


def _process_s(pid: int) -> float:
    """The processor seconds of all threads of a process so far."""
    return _ticks(f"/proc/{pid}/stat", lambda text: text.rpartition(")")[2].split()[11:13])


def family_s(pid: int) -> float:
    """The processor seconds of a process and all that it started, those that have ended included; 0 without it."""
    seconds = _ticks(f"/proc/{pid}/stat", lambda text: text.rpartition(")")[2].split()[11:15])
    children = _words(f"/proc/{pid}/task/{pid}/children")
    return (0.0 if math.isnan(seconds) else seconds) + sum(family_s(int(child)) for child in children)


def _words(path: str) -> list[str]:
    try:
        return Path(path).read_text().split()
    except OSError:
        return []


def _machine_s() -> float:
    """The processor seconds of all processes so far: user, nice and system time."""
    return _ticks("/proc/stat", lambda text: text.split()[1:4])


def _ticks(path: str, fields: Callable[[str], list[str]]) -> float:
    try:
        text = Path(path).read_text()
    except OSError:
        return math.nan
    return sum(map(int, fields(text))) / os.sysconf("SC_CLK_TCK")
