"""`python -m bench.floor`: an answer's processor time beside the least that a web framework and SQLite need for one.

The least is uvicorn and Starlette with one route: a form that is parsed and becomes a committed row, a redirect, and a
page of the same size whose showing is another committed row. It finds no session, checks nothing, and plans nothing.
"""

import argparse
import asyncio
import secrets
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import parse_qsl

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from bench.client import Reply
from bench.likely_human import LikelyHuman
from bench.paired import TASKS, ms_per_answer, served
from bench.servers import HERE, WORK, environment, free_address, serving
from bench.walks import Form

_TABLES = """
PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
CREATE TABLE IF NOT EXISTS answer (submit_id TEXT UNIQUE, form TEXT); CREATE TABLE IF NOT EXISTS shown (page TEXT);
"""
_PAGE = '<form method="post"><input type="hidden" name="submit_id" value="{}"><p>{}</p></form>'


class Rows:
    """Rows that are committed in groups: all of one turn of the event loop, as the service does."""

    def __init__(self, file: Path) -> None:
        self._database = sqlite3.connect(file, isolation_level=None)
        self._database.executescript(_TABLES)
        self._waiting: list[tuple[str, Sequence[Any], asyncio.Future[None]]] = []

    def add(self, statement: str, *values: Any) -> asyncio.Future[None]:
        loop = asyncio.get_running_loop()
        if not self._waiting:
            loop.call_soon(self._commit)
        self._waiting.append((statement, values, loop.create_future()))
        return self._waiting[-1][2]

    def _commit(self) -> None:
        group, self._waiting = self._waiting, []
        self._database.execute("BEGIN IMMEDIATE")
        for statement, values, _ in group:
            self._database.execute(statement, values)
        self._database.execute("COMMIT")
        for *_, done in group:
            done.set_result(None)


def make_app(file: Path, page_bytes: int) -> Starlette:
    """The least: `page_bytes` is the length of each page."""
    rows, filling = Rows(file), "x" * page_bytes

    async def answer(request: Request) -> Response:
        form = dict(parse_qsl((await request.body()).decode()))
        await rows.add("INSERT INTO answer VALUES (?, ?)", form["submit_id"], str(form))
        return RedirectResponse(request.url.path, 303)

    async def page(_request: Request) -> Response:
        number = f"trial-1.{secrets.token_urlsafe(12)}"
        rows.add("INSERT INTO shown VALUES (?)", number)
        return HTMLResponse(_PAGE.format(number, filling))

    return Starlette(
        routes=[Route("/p/{token}", answer, methods=["POST"]), Route("/p/{token}", page, methods=["GET"])]
    )


@dataclass(frozen=True, slots=True)
class Least(LikelyHuman):
    """The least, answered with the forms of our pages."""

    def entry(self) -> str:
        return "/p/somebody"

    def form_on(self, page: Reply) -> Form | None:
        return LikelyHuman.form_on(self, page)

    def stored(self) -> set[str]:
        with closing(sqlite3.connect(self.database)) as connection:
            return {name for (name,) in connection.execute("SELECT submit_id FROM answer")}


@contextmanager
def least(page_bytes: int) -> Iterator[Least]:
    """The least, served."""
    WORK.mkdir(exist_ok=True)
    file, address = WORK / "floor.sqlite3", free_address()
    file.unlink(missing_ok=True)
    command = [sys.executable, "-m", "bench.floor", "--serve", str(file), str(address.port), str(page_bytes)]
    with serving(command, address, environment()) as pid:
        yield Least("the least", address, pid, file, "", TASKS["pairs"][1])


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.floor", description=__doc__)
    parser.add_argument("--at-once", type=int, default=20, help="participants at once (20)")
    parser.add_argument("--seconds", type=float, default=4, help="length of a run (4)")
    parser.add_argument("--repeats", type=int, default=5, help="runs of each (5)")
    parser.add_argument("--page-bytes", type=int, default=10_000, help="length of a page (10,000)")
    parser.add_argument("--serve", nargs=3, metavar=("FILE", "PORT", "BYTES"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        file, port, page_bytes = options.serve
        uvicorn.run(
            make_app(Path(file), int(page_bytes)), port=int(port), log_level="warning", access_log=False
        )
        return
    with least(options.page_bytes) as bare, served(HERE.parent, "floor") as sites:
        both = (bare, sites["pairs"])
        for site in both:
            ms_per_answer(site, options.at_once, 6)  # the first pages are made
        turns = [
            [ms_per_answer(site, options.at_once, options.seconds) for site in both]
            for _ in range(options.repeats)
        ]
    floor, ours = (median(turn[at] for turn in turns) for at in (0, 1))
    ratios = sorted(turn[1] / turn[0] for turn in turns)
    print(
        f"{options.at_once} at once: {floor:.2f} ms an answer at least, {ours:.2f} ours; "
        f"ratio {median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f}, {len(turns)} turns)"
    )


if __name__ == "__main__":
    main()
