"""Servers as processes of their own, ended with the block that started them."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from bench.client import Address, Broken

HERE = Path(__file__).parent
WORK = HERE / ".work"
BIN = Path(sys.executable).parent

_SETTINGS = ("DATABASE_URL", "PORT", "LIKELY_HUMAN_", "OTREE_", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE")
_START_S = 180  # on a machine with other work
_STOP_S = 15


def free_address() -> Address:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return Address("127.0.0.1", probe.getsockname()[1])


def environment(**changes: str) -> dict[str, str]:
    """This process's environment without what would set up a server otherwise than its defaults."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(_SETTINGS)}
    return kept | changes


def run(command: Sequence[str | Path], env: Mapping[str, str], cwd: Path | None = None) -> None:
    """Run a command to its end. Raises Broken with its last line of output."""
    done = subprocess.run(command, env=env, cwd=cwd, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise Broken(
            f"{' '.join(map(str, command))}: exit status {done.returncode}: {said[-1] if said else ''}"
        )


@contextmanager
def serving(
    command: Sequence[str | Path], address: Address, env: Mapping[str, str], cwd: Path = HERE.parent
) -> Iterator[int]:
    """Run a server until the block ends; gives its process id once it takes connections. Its log stays if it fails."""
    WORK.mkdir(exist_ok=True)
    log = WORK / f"server-{address.port}.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            command,
            env=env,
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            start_new_session=True,
        )
    try:
        _await_start(process, address, log)
        yield process.pid
        if process.poll() is not None:
            raise Broken(f"the server ended by itself: {_tail(log)}")
    finally:
        _end(process)
    log.unlink()


def _await_start(process: subprocess.Popen[bytes], address: Address, log: Path) -> None:
    deadline = time.monotonic() + _START_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise Broken(f"the server did not start: {_tail(log)}")
        try:
            socket.create_connection((address.host, address.port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise Broken(f"the server took no connection within {_START_S} s: {_tail(log)}")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the process and its children: they are one process group."""
    for sign in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, sign)
            process.wait(_STOP_S)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            continue


def _tail(log: Path) -> str:
    return " / ".join(log.read_text(errors="replace").strip().splitlines()[-3:])
