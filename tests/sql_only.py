"""Side effects other than SQL inside `Database.write`: files touched, CSV or YAML parsed.

A write holds the event loop, or the one writer's thread, while everybody's answer waits. SQLite's own files are
opened in C and are not seen here.
"""

import csv
import os
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
import yaml

from app.core.database import Database

AUDITED = ("open", "os.", "shutil.", "tempfile.", "glob.", "pathlib.", "subprocess.")
UNAUDITED = ("stat", "lstat", "access", "statvfs")  # these raise no audit event
PARSERS = ((csv, "reader"), (csv, "writer"), (yaml, "compose"), (yaml, "load"), (yaml, "dump"))

_here = threading.local()
_found: list[str] = []


@contextmanager
def _writing(writes: bool = True) -> Iterator[None]:
    before, _here.writes = getattr(_here, "writes", False), writes
    try:
        yield
    finally:
        _here.writes = before


def _note(what: str) -> None:
    if not getattr(_here, "writes", False):
        return
    with _writing(False):  # to name the callers is to look at their files
        _note_callers(what)


def _note_callers(what: str) -> None:
    stack = traceback.StackSummary.extract(
        ((frame, line) for frame, line in traceback.walk_stack(sys._getframe(3))), lookup_lines=False
    )
    if any("importlib" in frame.filename for frame in stack):
        return  # a module loaded at its first use, once in a process
    ours = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in stack if "/app/" in frame.filename]
    _found.append(f"{what} inside Database.write, called by {' < '.join(ours[:6])}")


def _audit(event: str, args: tuple[Any, ...], audited: tuple[str, ...] = AUDITED) -> None:
    if event.startswith(audited):  # by its own name: a module's are gone when Python ends
        _note(f"{event}{args[:1]}")


sys.addaudithook(_audit)


def _seen(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    def seen(*args: Any, **kwargs: Any) -> Any:
        _note(f"{name}{args[:1]!r:.80}")
        return function(*args, **kwargs)

    return seen


@contextmanager
def sql_only(patch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Yields what jobs of `Database.write` do beside SQL in this process, one sentence for each, as it is found."""
    _found.clear()
    put = Database._put

    def put_watched(self: Database, job: Any) -> None:
        def run(session: Any) -> Any:
            with _writing():
                return job.run(session)

        put(self, replace(job, run=run))

    patch.setattr(Database, "_put", put_watched)
    for name in UNAUDITED:
        patch.setattr(os, name, _seen(getattr(os, name), f"os.{name}"))
    for module, name in PARSERS:
        patch.setattr(module, name, _seen(getattr(module, name), f"{module.__name__}.{name}"))
    yield _found
