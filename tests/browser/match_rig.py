"""Matches under way in memory, served as the service serves them: for what their pages and scripts do in a browser.

The rules are the engine's, the pages the service's own; only seats, waiting and time are this file's.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, RedirectResponse, Response

from app.core.errors import InvalidAnswer
from app.core.headers import SafetyHeaders
from app.core.templating import STATIC, Static, render
from app.tasks.game.base import Event, View
from app.tasks.game.match import Match
from app.tasks.game.moves import MoveSchema
from app.tasks.game.pages import GamePage, playing, state_html, with_version
from app.tasks.game.parts import Clock, Entered
from app.tasks.game.posted import move_of
from app.trials.pages import MessagePage

from .game_pages import LEAVING, match_of, seat_page, step

END = MessagePage("Thank you", "That was the last match.")
LOOK_S, WAIT_S = 0.1, 5


@dataclass
class Table:
    """One match and the seats at it. `lose` counts the next replies to moves that never arrive."""

    match: Match
    posts: list[dict[str, str]] = field(default_factory=list)
    taken: set[str] = field(default_factory=set)
    over: set[int] = field(default_factory=set)
    notices: tuple[str, ...] = ()
    remaining_ms: int = 60_000
    lose: int = 0
    n_served: Any = field(default_factory=count)

    def page(self, seat: int, entered: Entered | None = None) -> GamePage:
        view, legal = self.seen(seat)
        clock = None if self.match.outcome else Clock(self.remaining_ms, 90_000, 20_000, mine=view.acting)
        number = f"trial-1.{next(self.n_served)}"
        page = seat_page(
            self.match,
            seat,
            action=f"/p/{id(self)}-{seat}",
            submit_id=number,
            clock=clock,
            notices=self.notices,
        )
        if entered:
            body = playing(self.match.game.name, view, legal, leaving=LEAVING, entered=entered)
            page = with_version(replace(page, body=body))
        return page

    def seen(self, seat: int) -> tuple[View, MoveSchema | None]:
        view = self.match.game.view(self.match.state, seat)
        return view, self.match.game.legal(self.match.state, seat) if view.acting else None

    def take(self, seat: int, form: Mapping[str, str]) -> None:
        """One form. What was taken before, or is for a phase that is over, changes nothing."""
        self.posts.append(dict(form))
        if form["submit_id"] in self.taken:
            return
        if form["do"] == "next":
            self.over.add(seat)
        view, legal = self.seen(seat)
        if form["do"] != "move" or legal is None or form["phase_id"] != view.phase_id:
            return
        act = move_of(legal, form)
        self.taken.add(form["submit_id"])
        self.match.append(Event("move", view.phase_id, seat, act.move, act.message))
        while self.match.outcome is None and self.match.game.nature(self.match.state):
            step(self.match)


class MatchRig:
    """Serves tables, and single pages by name."""

    def __init__(self) -> None:
        self.base_url = ""
        self.tables: dict[str, tuple[Table, int]] = {}
        self.pages: dict[str, GamePage] = {}
        app = FastAPI()
        app.add_middleware(SafetyHeaders)
        app.mount("/static", Static(*STATIC))
        app.get("/x/{name}")(self.show_specimen)
        app.get("/p/{token}")(self.show)
        app.post("/p/{token}")(self.receive)
        app.get("/p/{token}/state")(self.state)
        self.app = app

    def begin(self, game: str, **settings: Any) -> tuple[Table, list[str]]:
        """A match that begins, and the address of each of its seats."""
        table = Table(match_of(game, **settings))
        while table.match.game.nature(table.match.state):
            step(table.match)
        tokens = [f"{id(table)}-{role.seat}" for role in table.match.game.seats(table.match.config)]
        self.tables |= {token: (table, seat) for seat, token in enumerate(tokens, 1)}
        return table, [f"{self.base_url}/p/{token}" for token in tokens]

    async def show_specimen(self, name: str) -> Response:
        return render(self.pages[name])

    async def show(self, token: str) -> Response:
        table, seat = self.tables[token]
        return render(END if seat in table.over else table.page(seat))

    async def receive(self, request: Request, token: str) -> Response:
        table, seat = self.tables[token]
        form = {name: str(value) for name, value in (await request.form()).items()}
        scripted = "application/json" in request.headers.get("accept", "")
        try:
            table.take(seat, form)
        except InvalidAnswer as error:
            if scripted:
                return JSONResponse({"errors": error.errors}, 422)
            return render(table.page(seat, Entered(form, error.errors)), 422)
        if table.lose:  # uvicorn breaks off a body that is shorter than announced
            table.lose -= 1
            return Response(b"", headers={"Content-Length": "50"})
        here = f"/p/{token}"
        return JSONResponse({"next": here}) if scripted else RedirectResponse(here, 303)

    async def state(self, token: str, after: str = "") -> Response:
        if token not in self.tables:
            await asyncio.sleep(WAIT_S)
            return Response(status_code=204)
        table, seat = self.tables[token]
        for _ in range(int(WAIT_S / LOOK_S)):
            page = table.page(seat)
            if seat in table.over:
                return JSONResponse({"reload": True})
            if page.version != after:
                data = {"version": page.version, "remaining_ms": table.remaining_ms, "html": state_html(page)}
                return JSONResponse(data)
            await asyncio.sleep(LOOK_S)
        return Response(status_code=204)
