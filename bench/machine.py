"""The machine the numbers were measured on."""

import os
import platform
import sqlite3
import statistics
import time
from dataclasses import dataclass
from pathlib import Path

from bench.servers import WORK

_SYNCS = 50


@dataclass(frozen=True, slots=True)
class Machine:
    """The machine. `load` is that of the minute before: well above 0, something else was running. `sync_ms` is one 4 kB
    fsync.
    """

    cores: int
    processor: str
    memory_gib: float
    system: str
    python: str
    sqlite: str
    load: float
    sync_ms: float


def this_machine() -> Machine:
    memory_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return Machine(
        cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        processor=_processor(),
        memory_gib=round(memory_bytes / 2**30, 1),
        system=f"{platform.system()} {platform.release()}",
        python=platform.python_version(),
        sqlite=sqlite3.sqlite_version,
        load=round(os.getloadavg()[0], 2),
        sync_ms=round(_sync_ms(), 3),
    )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _sync_ms() -> float:
    """The time the disk takes to store 4 kB durably: the lower bound of a commit that shares its fsync with no
    other.
    """
    WORK.mkdir(exist_ok=True)
    path, took_ms = WORK / "sync-probe", []
    with path.open("wb") as file:
        for _ in range(_SYNCS):
            started_s = time.perf_counter()
            file.write(bytes(4096))
            file.flush()
            os.fsync(file.fileno())
            took_ms.append(1000 * (time.perf_counter() - started_s))
    path.unlink()
    return statistics.median(took_ms)
