"""Matches and pools with due events that nobody is viewing: found by indexed times, written one by one."""

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, select, union
from sqlmodel import Session

from app.core.database import Database
from app.tasks.game.fold import match_table, seat_table
from app.tasks.game.live import Live
from app.tasks.game.matching import Pool, form_matches, waiting_table
from app.tasks.game.settings import GameDesign
from app.trials.runs import BlockRun
from app.trials.sessions import Sessions

AT_ONCE = 64
_w, _m, _s = waiting_table.c, match_table.c, seat_table.c
_DUE_MATCHES = union(
    select(_m.id).where(_m.due_at <= bindparam("now")),
    select(_s.match_id).where(_s.lapse_at <= bindparam("now")),
)
_DUE_POOLS = select(_w.version_id, _w.mode, _w.arm, _w.block).where(_w.due_at <= bindparam("now")).distinct()
_BLOCK_OF = select(_m.version_id, _m.arm, _m.block).where(_m.id == bindparam("match_id"))


@dataclass(frozen=True, slots=True)
class DueWork:
    matches: Sequence[int]
    pools: Sequence[Pool]


def find_due(session: Session, now: datetime) -> DueWork:
    """The matches and pools with due events."""
    connection = session.connection()
    matches = connection.execute(_DUE_MATCHES, {"now": now}).scalars().all()
    pools = [Pool(*row) for row in connection.execute(_DUE_POOLS, {"now": now})]
    return DueWork(matches, pools)


def settle_match(session: Session, sessions: Sessions, match_id: int, now: datetime) -> None:
    """Write what is due in a match, unless another process has."""
    version_id, arm, block = session.connection().execute(_BLOCK_OF, {"match_id": match_id}).one()
    live = Live.hold(session, design_at(sessions, session, version_id, arm, block)[1], match_id)
    live.lapse(now)
    live.advance(now)
    live.store()


def settle_pool(session: Session, sessions: Sessions, pool: Pool, now: datetime) -> None:
    """Write what is due in a pool."""
    block, design = design_at(sessions, session, pool.version_id, pool.arm, pool.block)
    form_matches(session, pool, design, block.units, now)


def design_at(
    sessions: Sessions, session: Session, version_id: int, arm: str, block_id: str
) -> tuple[BlockRun, GameDesign]:
    """A block of matches, and its design."""
    block = sessions.run(session, version_id, arm).block(block_id)
    assert isinstance(block.design, GameDesign)
    return block, block.design


async def sweep(database: Database, sessions: Sessions, now: datetime) -> None:
    """Write everything that is due, many at a time."""
    due = await database.peek(find_due, now)
    writes: list[Awaitable[Any]] = [database.write(settle_match, sessions, each, now) for each in due.matches]
    writes += [database.write(settle_pool, sessions, pool, now) for pool in due.pools]
    for at in range(0, len(writes), AT_ONCE):
        # All of them end before an error goes on: a plain gather raises the first, and the others run on unobserved.
        for done in await asyncio.gather(*writes[at : at + AT_ONCE], return_exceptions=True):
            if isinstance(done, BaseException):
                raise done
