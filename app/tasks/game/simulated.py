"""Simulated participants in matches: the game's own simulated player decides, the forms of the real pages take it."""

import random
from collections.abc import Mapping
from dataclasses import dataclass, field

import httpx2
from sqlalchemy import bindparam, select
from sqlmodel import Session

from app.core.database import Database
from app.tasks.base import Shown
from app.tasks.game.agents.registry import SIMULATED, agent_named
from app.tasks.game.base import Budget, Player, View
from app.tasks.game.fold import match_table, seat_table, state_of
from app.tasks.game.games import GAMES
from app.tasks.game.moves import MoveSchema
from app.tasks.game.pages import GamePage
from app.tasks.game.posted import posted_value
from app.tasks.game.seated import legal_for
from app.tasks.game.settings import GameDesign
from app.tasks.game.tables import MatchStatus
from app.trials.here import Where
from app.trials.pages import Page

_s, _m = seat_table.c, match_table.c
_SEAT = (
    select(seat_table)
    .join(match_table, _m.id == _s.match_id)
    .where(_s.session_id == bindparam("session_id"))
    .order_by(_s.id.desc())
    .limit(1)
)


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


@dataclass(slots=True)
class Simulated:
    """One simulated participant's matches; remembers within each what its player has seen."""

    database: Database
    rng: random.Random
    _players: dict[int, Player] = field(default_factory=dict)

    def is_mine(self, page: Page) -> bool:
        """True for a page of a match."""
        return isinstance(page, GamePage)

    async def answer(self, client: httpx2.AsyncClient, shown: Shown) -> httpx2.Response:
        """Send what the page requires, or wait for its next change."""
        page = shown.page
        assert isinstance(page, GamePage)
        form = await self.form_for(page, shown.where)
        if form is not None:
            return await client.post(page.action, data=form)
        await client.get(f"{page.action}/state", params={"after": page.version})
        return await client.get(page.action)

    async def form_for(self, page: GamePage, where: Where) -> Mapping[str, str] | None:
        """The form to send from a page of a match; None where there is nothing to do but to wait."""
        if page.asks is None:
            return None
        fields = {"submit_id": page.submit_id, "do": page.asks}
        design = where.block.design
        assert isinstance(design, GameDesign)
        if page.asks == "answers":
            return fields | {question.id: question.answer for question in design.comprehension.questions}
        if page.asks != "move":
            return fields
        turn = await self.database.read(turn_of, where.session_id, design)
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


def turn_of(session: Session, session_id: int, design: GameDesign) -> Turn | None:
    """The turn of a session in its match under way; None where it is not its turn."""
    seat = session.execute(_SEAT, {"session_id": session_id}).first()
    if seat is None:
        return None
    match = session.execute(select(match_table).where(_m.id == seat.match_id)).one()
    if match.status != MatchStatus.RUNNING or seat.to_seq is not None:
        return None
    game, state = GAMES[match.game], state_of(session, match)
    view = game.view(state, seat.seat)
    if not view.acting:
        return None
    return Turn(match.id, match.game, seat.seat, view, legal_for(design, game, state, seat.seat))
