"""Programs on seats of live matches: the decisions they get, and the moves that they post.

A decision is a row, as for language models; a program fetches the oldest open one of all its seats.
"""

import asyncio
import math
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict
from datetime import datetime
from fractions import Fraction
from typing import Any

from sqlalchemy import Row, bindparam, insert, select, update
from sqlmodel import Session, SQLModel

from app.core import dependencies
from app.core.database import Database
from app.core.errors import Conflict
from app.tasks.game.agents.outside import PullAgent
from app.tasks.game.base import Act, View
from app.tasks.game.files import agent_id
from app.tasks.game.fold import decision_table, match_table, seat_table, state_of
from app.tasks.game.games import GAMES
from app.tasks.game.live import HOLD_MATCH, Live
from app.tasks.game.moves import LARGEST, IllegalMove
from app.tasks.game.outside.prompts import checked, form, json_schema, presets, situation
from app.tasks.game.outside.pull import MOST_INVALID, Decision, Ended, Posted, SeatState
from app.tasks.game.seated import legal_for
from app.tasks.game.sweep import design_at
from app.tasks.game.tables import DecisionStatus, Exchange, MatchStatus
from app.trials.news import Listener, changed, hears_all, number_of
from app.trials.sessions import Sessions

HEARD_S, ELSEWHERE_S = 5.0, 1.0
"""How often a waiting program is looked after, and how often where commits of other processes are not heard of."""
MOST_RECENT = 64
_PLACE = re.compile(r"([0-9]{1,9})\.([0-9]{1,2})")
_NOTHING_WAITS = "nothing waits for this move; fetch what is to be decided now"
_d, _m, _s = decision_table.c, match_table.c, seat_table.c
_exchange = SQLModel.metadata.tables[str(Exchange.__tablename__)]
_OPEN = (
    select(decision_table)
    .where(_d.program == bindparam("program"), _d.status != DecisionStatus.MADE)
    .order_by(_d.id)
    .limit(1)
)
_MATCH = select(match_table).where(_m.id == bindparam("match_id"))
_RECENT = (
    select(_d.match_id)
    .where(_d.program == bindparam("program"))
    .group_by(_d.match_id)
    .order_by(_d.match_id.desc())
    .limit(MOST_RECENT)
)
_ENDED = (
    select(match_table)
    .where(_m.id.in_(_RECENT.scalar_subquery()), _m.status != MatchStatus.RUNNING)
    .order_by(_m.ended_at.desc(), _m.id.desc())
    .limit(1)
)
_SAT = (
    select(_s.seat, _s.payoff)
    .where(_s.match_id == bindparam("match_id"), _s.agent == bindparam("agent"))
    .order_by(_s.seat)
    .limit(1)
)
_ONE = select(decision_table).where(
    _d.match_id == bindparam("match_id"),
    _d.seat == bindparam("seat"),
    _d.phase_id == bindparam("phase_id"),
    _d.program == bindparam("program"),
)
_SET = update(decision_table).where(_d.id == bindparam("decision_id"))


async def fetch(
    database: Database,
    sessions: Sessions,
    program: str,
    after: int,
    wait: float,
    is_gone: Callable[[], Awaitable[bool]],
) -> SeatState | None:
    """A program's state once its `seq` differs from `after`; None if that does not happen within `wait` seconds."""
    loop = asyncio.get_running_loop()
    end = loop.time() + wait
    with Listener(number_of(program)) as listener:
        while True:
            state = await database.peek(state_for, sessions, program, await dependencies.now())
            left = end - loop.time()
            if state.seq != after:
                return state
            if left <= 0 or await is_gone():
                return None
            await listener.wait(min(left, HEARD_S if hears_all(database) else ELSEWHERE_S))


def state_for(session: Session, sessions: Sessions, program: str, now: datetime) -> SeatState:
    """The oldest decision that waits for a program, and the last of its matches that ended."""
    connection = session.connection()
    row = connection.execute(_OPEN, {"program": program}).first()
    open_ = None if row is None else _decision(session, sessions, row, now)
    over = connection.execute(_ENDED, {"program": program}).first()
    ended = None if over is None else _ended(session, over, program)
    about = open_ or ended
    seq = f"{row.id if open_ and row else 0} {over.id if over else 0}"
    game = str(about[0].game) if about else ""
    return SeatState(
        # Never below 0, so that -1 differs from all, and exact as a number of JSON.
        seq=abs(number_of(seq)) if about else 0,
        game=game,
        seat=int(about[1].view["viewer"]) if about else 0,
        rules=presets().rules[game] if game else "",
        decision=open_[1] if open_ else None,
        ended=ended[1] if ended else None,
    )


def _decision(
    session: Session, sessions: Sessions, row: Row[Any], now: datetime
) -> tuple[Row[Any], Decision] | None:
    """The decision to make; None if the match has moved on."""
    match = session.connection().execute(_MATCH, {"match_id": row.match_id}).one()
    game, state = GAMES[match.game], state_of(session, match)
    view = game.view(state, row.seat)
    if view.phase_id != row.phase_id or not view.acting:
        return None
    legal = legal_for(
        design_at(sessions, session, match.version_id, match.arm, match.block)[1], game, state, row.seat
    )
    left = max(0, round((match.deadline_at - now).total_seconds() * 1000))
    text = f"{situation(view)}\n\n{form(legal)}"
    name = f"{match.id}.{row.seat}"
    return match, Decision(name, row.phase_id, left, asdict(view), json_schema(legal), text)


def _ended(session: Session, match: Row[Any], program: str) -> tuple[Row[Any], Ended]:
    agent = agent_id(PullAgent(label=program))
    sat = session.connection().execute(_SAT, {"match_id": match.id, "agent": agent}).one()
    view: View = GAMES[match.game].view(state_of(session, match), sat.seat)
    payoff = Fraction(sat.payoff)
    number = int(payoff) if payoff.denominator == 1 else float(payoff)
    return match, Ended(f"{match.id}.{sat.seat}", match.end_reason, number, asdict(view))


def take_move(session: Session, sessions: Sessions, program: str, posted: Posted, now: datetime) -> str:
    """Accept a program's move; returns the fault, empty if it was accepted.

    Raises Conflict if no decision is pending.
    """
    place = _PLACE.fullmatch(posted.match)
    if place is None:
        raise Conflict(_NOTHING_WAITS)
    connection = session.connection()
    named = {"match_id": int(place[1]), "seat": int(place[2]), "program": program}
    match = connection.execute(HOLD_MATCH, {"match_id": named["match_id"]}).first()
    row = connection.execute(_ONE, {**named, "phase_id": plain(posted.phase_id)}).first()
    if match is None or row is None:
        raise Conflict(_NOTHING_WAITS)
    # A repeated post, as when its reply was lost.
    if row.submit_id == plain(posted.submit_id):
        return ""
    live = Live.hold(
        session, design_at(sessions, session, match.version_id, match.arm, match.block)[1], match.id
    )
    is_asked = row.status != DecisionStatus.MADE and live.is_asked(row.seat, row.phase_id)
    if not is_asked or live.deadline_at <= now:
        raise Conflict(_NOTHING_WAITS)
    given = {name: plain(getattr(posted, name)) for name in ("move", "message", "reason")}
    try:
        act = checked(given, legal_for(live.design, live.match.game, live.match.state, row.seat))
        why, values = "", _made(act, plain(posted.submit_id), now)
    except IllegalMove as error:
        why, values = str(error), _refused(row.calls + 1, now)
    connection.execute(_SET.values(**values), {"decision_id": row.id})
    line = {
        **{"match": str(match.id), "game": match.game, "agent": agent_id(PullAgent(label=program))},
        **{"seat": row.seat, "phase_id": row.phase_id, "result": "invalid" if why else "taken", **given},
        **({"why": plain(why)} if why else {}),
    }
    # Also where the move is refused: the record of what a program sent is whole (decision 0017).
    connection.execute(insert(_exchange), {"match_id": match.id, "at": now, "line": line})
    changed(session, [number_of(program)])
    live.advance(now)
    live.store()
    return why


def _made(act: Act, submit_id: str, now: datetime) -> Mapping[str, Any]:
    # The match makes the move at a person's pace, so that an early post tells nobody anything.
    columns = {"move": dict(act.move), "message": act.message, "reason": act.reason}
    return {**columns, "submit_id": submit_id, "status": DecisionStatus.MADE, "auto": "", "move_at": now}


def _refused(n: int, now: datetime) -> Mapping[str, Any]:
    """The last of so many ends the turn with the default move."""
    if n < MOST_INVALID:
        return {"calls": n}
    return {"calls": n, "status": DecisionStatus.MADE, "auto": "invalid", "move_at": now}


def plain(value: Any) -> Any:
    """A value of JSON as every database stores it: no NUL, no half of a character, no number without bound."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode().replace("\x00", "�")
    if isinstance(value, Mapping):
        return {plain(name): plain(each) for name, each in value.items()}
    if isinstance(value, list):
        return [plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, int) and abs(value) > LARGEST:
        return f"a number above {LARGEST}" if value > 0 else f"a number below -{LARGEST}"
    return value
