"""`python -m bench.sampled OUT WORD ...`: run `likely-human WORD ...`, sampled by its own processor time.

Each millisecond of processor time a signal notes where the main thread is. What is between two Python instructions (a
statement in SQLite, a parser in C) is counted where it was called. OUT gets, as JSON, the samples by method and part.
"""

import json
import signal
import sys
from collections import Counter
from pathlib import Path
from types import FrameType

from app.cli import main

EVERY_S = 0.001
# Where a sample belongs: the first frame, from the innermost outwards, whose file has one of these parts.
PARTS: tuple[tuple[str, str], ...] = (
    ("sqlalchemy/pool", "SQLAlchemy: connections"),
    ("sqlalchemy/orm", "SQLAlchemy: sessions"),
    ("sqlalchemy", "SQLAlchemy: statements"),
    ("sqlmodel", "SQLAlchemy: statements"),
    ("jinja2", "template"),
    ("templates/", "template"),
    ("json/", "JSON"),
    ("urllib/parse", "parsing the form"),
    ("bench/sampled", ""),
    ("uvicorn", "uvicorn"),
    ("h11", "uvicorn"),
    ("app/core/connections", "uvicorn"),
    ("fastapi/dependencies", "FastAPI: parameters"),
    ("fastapi", "FastAPI: route"),
    ("starlette/routing", "routing"),
    ("starlette/_utils", "routing"),
    ("starlette/middleware", "middleware"),
    ("starlette/_exception_handler", "middleware"),
    ("starlette/responses", "replies"),
    ("starlette/datastructures", "replies"),
    ("starlette/requests", "parsing the form"),
    ("app/core/headers", "middleware"),
    ("app/core/first_routes", "routing"),
    ("app/core/asked_language", "middleware"),
    ("app/core/at_once", "middleware"),
    ("app/core/networks", "middleware"),
    ("app/core/ending", "middleware"),
    ("app/accounts/gate", "middleware"),
    ("app/core/dependencies", "parsing the form"),
    ("app/sessions/sent", "parsing the form"),
    ("app/core/statements", "our statements, by the driver"),
    ("app/core/database", "queue of writes"),
    ("app/sessions/where", "finding the session"),
    ("app/trials/parts", "finding the session"),
    ("app/sessions/runs", "finding the session"),
    ("app/trials/", "checking the answer"),
    ("app/tasks/", "checking the answer"),
    ("app/questions/", "checking the answer"),
    ("app/sessions/views", "making the page"),
    ("app/", "our own, the rest"),
    ("asyncio", "event loop"),
)
_IN_DRIVER = {"do_execute": "SQLite: ", "do_executemany": "SQLite: ", "do_execute_no_params": "SQLite: "}


def part_of(frame: FrameType) -> str:
    """The part of the work that a stack is in."""
    at: FrameType | None = frame
    while at is not None:
        name, file = at.f_code.co_name, at.f_code.co_filename
        if name in _IN_DRIVER and "sqlalchemy" in file:
            return _IN_DRIVER[name] + named(str(at.f_locals.get("statement", "")))
        if name in ("do_commit", "do_rollback"):
            return f"SQLite: {name[3:]}"
        for path, part in PARTS:
            if path in file:
                if part:
                    return part
                break
        at = at.f_back
    return "event loop"


def named(statement: str) -> str:
    """The verb of a statement and the table that it is about."""
    words = statement.split()
    for verb in ("FROM", "INTO", "UPDATE"):
        if verb in words[:-1]:
            return f"{words[0]} {words[words.index(verb) + 1]}"
    return " ".join(words[:2])


def method_of(frame: FrameType) -> str:
    """The request's method and kind; empty for what belongs to none."""
    at: FrameType | None = frame
    while at is not None:
        if at.f_code.co_name == "run_asgi":
            scope = at.f_locals["self"].scope
            path = scope["path"]
            return scope["method"] if path.startswith("/p/") and path.count("/") == 2 else "other"
        if at.f_code.co_name in ("submit", "mark_shown"):
            return "POST" if at.f_code.co_name == "submit" else "GET"
        at = at.f_back
    return ""


def run(out: Path, words: list[str]) -> None:
    samples: Counter[str] = Counter()

    def note(_number: int, frame: FrameType | None) -> None:
        if frame is not None:
            samples[f"{method_of(frame)}|{part_of(frame)}"] += 1

    def begin(*_: object) -> None:
        """The start is over: what it took is not of the pages."""
        samples.clear()
        signal.setitimer(signal.ITIMER_PROF, EVERY_S, EVERY_S)

    signal.signal(signal.SIGPROF, note)
    signal.signal(signal.SIGUSR1, begin)
    sys.argv = ["likely-human", *words]
    try:
        main()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        out.write_text(json.dumps(samples))


if __name__ == "__main__":
    run(Path(sys.argv[1]), sys.argv[2:])
