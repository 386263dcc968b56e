"""Language models on seats of live matches: their decisions are requested outside the service's requests and writes.

A decision is a row. A process claims it for a while, calls the model's server in a separate thread, and writes the
result; if the process ends in between, the call is lost, and another process asks again.
"""

import asyncio
import logging
import random
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, TypeVar

from sqlalchemy import bindparam, func, insert, or_, select, update
from sqlmodel import Session, SQLModel

from app.core import dependencies
from app.core.chat import Chat, Spending
from app.core.database import Database
from app.core.errors import StudyError
from app.core.settings import Settings
from app.tasks.game.agents.outside import ModelAgent
from app.tasks.game.base import Act, Budget, NoMove, View
from app.tasks.game.files import agent_id
from app.tasks.game.fold import decision_table, match_table
from app.tasks.game.live import DROPOUT, HOLD_MATCH, Live
from app.tasks.game.moves import MoveSchema
from app.tasks.game.outside.model import ModelPlayer
from app.tasks.game.outside.opened import server_of, with_name
from app.tasks.game.seated import legal_for
from app.tasks.game.sweep import design_at
from app.tasks.game.tables import DecisionStatus, Exchange
from app.trials.sessions import Sessions

AT_ONCE = 8
"""Decisions that one process asks for at the same time."""
SLACK = timedelta(seconds=10)
_PROMPT_TOKENS = 4_000
T = TypeVar("T")
_log = logging.getLogger("likely-human")
_d, _m = decision_table.c, match_table.c
_exchange = SQLModel.metadata.tables[str(Exchange.__tablename__)]
_FREE = or_(
    _d.status == DecisionStatus.OPEN,
    (_d.status == DecisionStatus.ASKED) & (_d.asked_until < bindparam("now")),
)
_OPEN = select(_d.id, _d.match_id).where(_FREE, _d.program.is_(None)).order_by(_d.id).limit(bindparam("most"))
_ONE = select(decision_table).where(_d.id == bindparam("decision_id"))
_SPENT = (
    select(func.coalesce(func.sum(_d.calls), 0), func.coalesce(func.sum(_d.tokens), 0))
    .join(match_table, _m.id == _d.match_id)
    .where(_m.version_id == bindparam("version_id"), _m.block == bindparam("block"), _d.program.is_(None))
)
_SET = update(decision_table).where(_d.id == bindparam("decision_id"))


@dataclass(frozen=True, slots=True)
class Asking:
    """A decision claimed by this process: the model's view, and the limits of the call."""

    id: int
    match_id: int
    game: str
    agent: ModelAgent
    view: View
    legal: MoveSchema
    seconds: float
    calls: int
    tokens: int


@dataclass(slots=True)
class AgentDecision:
    """The result: a move, or in `auto` the reason for none; every exchange, and its cost."""

    act: Act | None = None
    auto: str = ""
    lines: list[Mapping[str, Any]] = field(default_factory=list)
    calls: int = 0
    tokens: int = 0


_asked: dict[int, set[asyncio.Task[None]]] = {}


async def ask_open(database: Database, settings: Settings, sessions: Sessions, now: datetime) -> None:
    """Begin to ask for open decisions, as many as this process asks for at once; none is waited for."""
    tasks = _asked.setdefault(id(database), set())
    free = AT_ONCE - len(tasks)
    if free <= 0:
        return
    for decision_id, match_id in await database.peek(find_open, now, free):
        task = asyncio.create_task(_ask(database, settings, sessions, decision_id, match_id, now))
        # The event loop holds tasks weakly: one that nobody else holds may be collected halfway.
        tasks.add(task)
        task.add_done_callback(tasks.discard)


async def all_asked(database: Database) -> None:
    """Wait until every decision requested by this process is made."""
    await asyncio.gather(*_asked.get(id(database), ()))


async def give_up(database: Database) -> None:
    """Wait for nothing any more: another process, or the next start, asks again."""
    tasks = _asked.pop(id(database), set())
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def _ask(
    database: Database, settings: Settings, sessions: Sessions, decision_id: int, match_id: int, now: datetime
) -> None:
    try:
        asking = await database.write(take, sessions, decision_id, match_id, now)
        if asking is not None:
            made = await _in_thread(lambda: answered(asking, settings))
            await database.write(put, sessions, asking, made, await dependencies.now())
    except Exception:
        _log.exception("a language model's decision could not be written; it is asked for again")


async def _in_thread(do: Callable[[], T]) -> T:
    """Run a function in a daemon thread, which does not keep the process from ending."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def settle(set_it: Callable[[Any], None], value: object) -> None:
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(lambda: None if future.done() else set_it(value))

    def run() -> None:
        try:
            settle(future.set_result, do())
        except Exception as error:
            settle(future.set_exception, error)

    # Not asyncio.to_thread: a process that ends waits for those threads, and a model may take minutes.
    threading.Thread(target=run, name="language-model", daemon=True).start()
    return await future


def find_open(session: Session, now: datetime, most: int) -> Sequence[tuple[int, int]]:
    """Decisions that nobody is asking for, oldest first: their ids and those of their matches."""
    found = session.connection().execute(_OPEN, {"now": now, "most": most})
    return [(row.id, row.match_id) for row in found]


def take(
    session: Session, sessions: Sessions, decision_id: int, match_id: int, now: datetime
) -> Asking | None:
    """Claim a decision for as long as it may last; None if another process has, or it is no longer needed."""
    connection = session.connection()
    match = connection.execute(HOLD_MATCH, {"match_id": match_id}).one()
    row = connection.execute(_ONE, {"decision_id": decision_id}).one()
    if row.status == DecisionStatus.MADE or (row.asked_until is not None and row.asked_until >= now):
        return None
    design = design_at(sessions, session, match.version_id, match.arm, match.block)[1]
    live = Live.hold(session, design, match_id)
    if not live.is_asked(row.seat, row.phase_id) or live.deadline_at <= now:
        _set(session, decision_id, status=DecisionStatus.MADE, auto=DROPOUT, move_at=now)
        live.advance(now)
        live.store()
        return None
    agent, models = design.fill(row.seat), design.models
    assert isinstance(agent, ModelAgent)
    assert models is not None
    of = {"version_id": match.version_id, "block": match.block}
    calls, tokens = (int(spent) for spent in connection.execute(_SPENT, of).one())
    calls = min(models.calls - calls, agent.asks * (agent.retries + 1))
    tokens = min(models.tokens - tokens, agent.asks * (agent.max_tokens + _PROMPT_TOKENS))
    if calls <= 0 or tokens <= 0:
        _put_aside(session, live, decision_id, now)
        return None
    seconds = (live.deadline_at - now).total_seconds()
    until = now + timedelta(seconds=min(seconds, agent.timeout)) + SLACK
    # What the call may cost is set aside in the row, so that several processes keep one budget (decision 0017).
    _set(session, decision_id, status=DecisionStatus.ASKED, asked_until=until, calls=calls, tokens=tokens)
    state, game = live.match.state, live.match.game
    view, legal = game.view(state, row.seat), legal_for(design, game, state, row.seat)
    return Asking(decision_id, match_id, game.name, agent, view, legal, seconds, calls, tokens)


def _put_aside(session: Session, live: Live, decision_id: int, now: datetime) -> None:
    """The budget is spent: no move, and the match goes on."""
    _set(session, decision_id, status=DecisionStatus.MADE, auto=DROPOUT, move_at=now)
    live.advance(now)
    live.store()


def answered(asking: Asking, settings: Settings) -> AgentDecision:
    """Ask the model; a server that gives nothing, or only illegal moves, costs the move."""
    made, spending = AgentDecision(), Spending(asking.calls, asking.tokens)
    try:
        agent = with_name(asking.agent, settings)
        assert isinstance(agent, ModelAgent)
        who = {"match": str(asking.match_id), "game": asking.game, "agent": agent_id(agent)}
        chat = Chat(server_of(agent, settings), spending)
        try:
            player = ModelPlayer(agent, chat, asking.game, lambda line: made.lines.append({**who, **line}))
            # Draws only how long to wait between tries.
            rng = random.Random(asking.id)
            made.act = player.act(asking.view, asking.legal, rng, Budget(asking.seconds))
        finally:
            chat.close()
    except NoMove as none:
        made.auto = none.auto
    except StudyError as error:
        made.auto = DROPOUT
        _log.warning("a language model made no move in match %s: %s", asking.match_id, error)
    made.calls, made.tokens = spending.calls, spending.tokens
    return made


def put(session: Session, sessions: Sessions, asking: Asking, made: AgentDecision, now: datetime) -> None:
    """Write what came of it; the match makes the move when a person might."""
    connection = session.connection()
    match = connection.execute(HOLD_MATCH, {"match_id": asking.match_id}).one()
    row = connection.execute(_ONE, {"decision_id": asking.id}).one()
    if row.status == DecisionStatus.MADE:
        return
    act = made.act
    _set(
        session,
        asking.id,
        status=DecisionStatus.MADE,
        move=dict(act.move) if act else None,
        message=act.message if act else "",
        reason=act.reason if act else "",
        auto=made.auto,
        move_at=now,
        calls=made.calls,
        tokens=made.tokens,
    )
    if made.lines:
        lines = [{"match_id": asking.match_id, "at": now, "line": dict(line)} for line in made.lines]
        connection.execute(insert(_exchange), lines)
    live = Live.hold(
        session, design_at(sessions, session, match.version_id, match.arm, match.block)[1], asking.match_id
    )
    live.advance(now)
    live.store()


def _set(session: Session, decision_id: int, **values: Any) -> None:
    session.connection().execute(_SET.values(**values), {"decision_id": decision_id})
