"""Simulated participants in matches: the game's own simulated player decides, the forms of the real pages take it."""

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx2
from sqlalchemy import select
from sqlmodel import Session, SQLModel

from app.accounts.logins import token_hash
from app.core.database import Database
from app.sessions.where import locate
from app.tasks.game.agents.registry import SIMULATED, agent_named
from app.tasks.game.base import Budget, Player, View
from app.tasks.game.fold import match_table, seat_table, state_of
from app.tasks.game.games import GAMES
from app.tasks.game.held import legal_for
from app.tasks.game.moves import MoveSchema
from app.tasks.game.pages import posted_value
from app.tasks.game.settings import GameDesign
from app.tasks.game.tables import MatchStatus
from app.trials.tables import SessionToken

_token = SQLModel.metadata.tables[str(SessionToken.__tablename__)].c
_s, _m = seat_table.c, match_table.c
_SEAT = (
    select(seat_table)
    .join(match_table, _m.id == _s.match_id)
    .join(SQLModel.metadata.tables[str(SessionToken.__tablename__)], _token.session_id == _s.session_id)
    .order_by(_s.id.desc())
    .limit(1)
)
# In this order: what a page asks for first, and never to leave.
DOING = ("answers", "move", "ready", "again", "return", "next")


@dataclass(frozen=True, slots=True)
class Turn:
    """A player's view and legal moves in a match."""

    match_id: int
    game: str
    seat: int
    view: View
    legal: MoveSchema


# Posted with every move, and taken where the study asks for reasons.
REASON = "Simulated people have no reasons."
IN_A_MATCH = "data-state "  # the part of a page that changes by itself


@dataclass(slots=True)
class Simulated:
    """One simulated participant's matches; remembers within each what its player has seen."""

    database: Database
    rng: random.Random
    _players: dict[int, Player] = field(default_factory=dict)

    def is_mine(self, html: str) -> bool:
        """True for a page of a match."""
        return IN_A_MATCH in html

    async def answer(self, client: httpx2.AsyncClient, response: httpx2.Response) -> httpx2.Response:
        """Send what the page requires, or wait for its next change."""
        address = response.url.path
        form = await self.form_for(response.text, address.rpartition("/")[2])
        if form is not None:
            return await client.post(address, data=form)
        seen = re.search(r'data-version="(\w+)"', response.text)
        await client.get(f"{address}/state", params={"after": seen[1] if seen else ""})
        return await client.get(address)

    async def form_for(self, html: str, token: str) -> Mapping[str, str] | None:
        """The form to send from a page of a match; None where there is nothing to do but to wait."""
        there = set(re.findall(r'name="do" value="([a-z]+)"', html))
        do = next((each for each in DOING if each in there), None)
        submit_id = re.search(r'name="submit_id" value="([^"]+)"', html)
        if do is None or submit_id is None:
            return None
        fields = {"submit_id": submit_id[1], "do": do}
        if do == "answers":
            return fields | await self.database.read(right_answers, token)
        if do != "move":
            return fields
        turn = await self.database.read(turn_of, token)
        return None if turn is None else {**fields, **self._move(turn)}

    def _move(self, turn: Turn) -> Mapping[str, str]:
        player = self._players.get(turn.match_id)
        if player is None:
            agent = agent_named(turn.game, SIMULATED)
            player = self._players[turn.match_id] = agent.player()
        act = player.act(turn.view, turn.legal, self.rng, Budget())
        fields = {name: posted_value(value) for name, value in act.move.items()}
        said = {"message": act.message, "reason": act.reason or REASON}
        return {**fields, "phase_id": turn.view.phase_id, **said}


def turn_of(session: Session, token: str) -> Turn | None:
    """The turn of a session in its match under way; None where it is not its turn."""
    seat = session.execute(_SEAT.where(_token.sha256 == token_hash(token))).first()
    if seat is None:
        return None
    match = session.execute(select(match_table).where(_m.id == seat.match_id)).one()
    if match.status != MatchStatus.RUNNING or seat.to_seq is not None:
        return None
    game, state = GAMES[match.game], state_of(session, match)
    view = game.view(state, seat.seat)
    if not view.acting:
        return None
    design: Any = locate(session, token).block.design
    return Turn(match.id, match.game, seat.seat, view, legal_for(design, game, state, seat.seat))


def right_answers(session: Session, token: str) -> dict[str, str]:
    """The right answers to the questions on the rules of the current block."""
    design = locate(session, token).block.design
    assert isinstance(design, GameDesign)
    return {question.id: question.answer for question in design.comprehension.questions}
