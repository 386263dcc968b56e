"""The command `likely-human` in processes of their own, without the second that each spends on imports.

Each is forked from one process that has imported everything and done nothing else. What a start imports, and the
installed program, are tested in tests/commands/test_start.py and by tests of services.
"""

import atexit
import gc
import importlib
import json
import os
import pkgutil
import subprocess
import sys
import threading
from collections.abc import Mapping
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, NoReturn

PROGRAM = Path(sys.executable).parent / "likely-human"
Done = subprocess.CompletedProcess[str]


class Program:
    """Starts the command; `close` when no more is to be started."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        code = "from tests.program import serve; serve()"
        self._server = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parent.parent,
        )

    def run(self, *words: object, cwd: Path, environment: Mapping[str, str]) -> Done:
        command = [str(PROGRAM), *map(str, words)]
        written = {name: self._folder / name for name in ("stdout", "stderr")}
        request = {"argv": command, "cwd": str(cwd), "environment": dict(environment)}
        request |= {name: str(path) for name, path in written.items()}
        assert self._server.stdin
        assert self._server.stdout
        self._server.stdin.write(json.dumps(request) + "\n")
        self._server.stdin.flush()
        status = int(self._server.stdout.readline())
        texts = {name: path.read_text(encoding="utf-8") for name, path in written.items()}
        return subprocess.CompletedProcess(command, status, **texts)

    def close(self) -> None:
        self._server.communicate(timeout=60)


def serve() -> None:
    """Start one command after another, as lines of standard input ask for it, and say how each ended."""
    gc.disable()
    for package in ("app", "analysis"):
        found = pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}.")
        for module in found:
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)
    gc.freeze()
    gc.enable()
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            become(json.loads(line))
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def become(request: Mapping[str, Any]) -> NoReturn:
    """Be the installed command, as its script would."""
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for descriptor, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(os.open(request[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), descriptor)
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["cwd"])
    sys.argv = request["argv"]
    (command,) = entry_points(group="console_scripts", name="likely-human")
    try:
        sys.exit(command.load()())
    except SystemExit as end:
        leave(end.code)


def leave(status: str | int | None) -> NoReturn:
    """As Python ends, but for taking down all modules: a tenth of a second for each command."""
    if isinstance(status, str):
        print(status, file=sys.stderr)
        status = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(status or 0)
