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
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, NoReturn, TextIO

PROGRAM = Path(sys.executable).parent / "likely-human"
LATE = (
    "alembic.command",
    "pingouin",
    "statsmodels.regression.linear_model",
    "typer.rich_utils",
)  # in functions
Done = subprocess.CompletedProcess[str]


@dataclass(frozen=True, slots=True)
class Running:
    """A command that goes on; no child of this process."""

    pid: int
    stdout: TextIO

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)


def is_there(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class Program:
    """Starts the command; `close` when no more is to be started. `migrated` is an empty database that is up to date."""

    def __init__(self, folder: Path, migrated: Path) -> None:
        self._folder, self._n_started, self._migrated = folder, 0, migrated
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
        paths = {name: str(path) for name, path in written.items()}
        status = self._ask(argv=command, cwd=str(cwd), environment=dict(environment), **paths)
        texts = {name: path.read_text(encoding="utf-8") for name, path in written.items()}
        return subprocess.CompletedProcess(command, status, **texts)

    def start(self, *words: str, cwd: Path, environment: Mapping[str, str], before: str = "") -> Running:
        """Does not wait for its end; `before` is Python that it runs first."""
        self._n_started += 1
        pipe, log = (self._folder / f"{name}-{self._n_started}" for name in ("pipe", "log"))
        os.mkfifo(pipe)
        paths = {"stdout": str(pipe), "stderr": str(log)}
        argv = [str(PROGRAM), *words]
        pid = self._ask(argv=argv, cwd=str(cwd), environment=dict(environment), before=before, **paths)
        return Running(pid, pipe.open(encoding="utf-8"))

    def begin(self, data: Path) -> Path:
        """The data folder, with the database that a first command would make in most of a second."""
        data.mkdir(exist_ok=True)
        if not (database := data / "likely-human.sqlite3").exists():
            shutil.copy(self._migrated, database)
        return data

    def _ask(self, **request: object) -> int:
        assert self._server.stdin
        assert self._server.stdout
        self._server.stdin.write(json.dumps(request) + "\n")
        self._server.stdin.flush()
        return int(self._server.stdout.readline())

    def close(self) -> None:
        self._server.communicate(timeout=60)


def serve() -> None:
    """Start one command after another, as lines of standard input ask for it: say how each ended, or which it is."""
    gc.disable()
    for package in ("app", "analysis"):
        found = pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}.")
        for module in found:
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)
    for name in LATE:
        importlib.import_module(name)
    from sqlalchemy.orm import configure_mappers

    from analysis.figures import canvas
    from app.main import _guarded, _pages
    from tests.templates import compile_once

    compile_once()
    # Each service would work out its routes anew for a second, each command on a database its tables.
    _pages()
    _guarded()
    configure_mappers()
    canvas.DPI = 30  # pictures in print are tested in tests/analysis
    gc.freeze()
    gc.enable()
    for line in sys.stdin:
        request = json.loads(line)
        child = os.fork()
        if child == 0:
            become(request)
        if "before" in request:
            print(child, flush=True)
            continue
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass


def become(request: Mapping[str, Any]) -> NoReturn:
    """Be the installed command, as its script would."""
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for descriptor, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(os.open(request[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), descriptor)
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["cwd"])
    sys.argv = request["argv"]
    exec(request.get("before", ""), {})
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
