"""A batch of steps for the current page: loaded with the stored state, and stored unless another came first."""

from datetime import datetime
from typing import cast

from sqlalchemy import bindparam, insert, select, update
from sqlmodel import Session

from app.tasks.walk.batches import (
    Batch,
    Moved,
    Pressed,
    WalkProgress,
    WalkState,
    here_at,
    name_of,
    steps_table,
    walk_table,
)
from app.trials.sessions import Sessions
from app.trials.tables import Status

_w, _s = walk_table.c, steps_table.c
_FROM = (
    select(_s.from_tick, _s.steps)
    .where(_s.walk_id == bindparam("walk_id"), _s.from_tick + _s.n > bindparam("from_tick"))
    .order_by(_s.from_tick)
)
_AT = update(walk_table).where(_w.id == bindparam("walk_id"), _w.tick == bindparam("at_tick"))


def stood(session: Session, sessions: Sessions, token: str, batch: Batch, now: datetime) -> WalkState:
    """The session of a batch and its walk's stored steps from the batch's first tick on. Raises Moved."""
    where = sessions.locate(session, token)
    is_walk = where.status == Status.ACTIVE and where.page.kind == "trial" and where.part.task == "walk"
    if not is_walk or where.is_shut_out(now) or batch.trial != name_of(where) or where.trial is None:
        raise Moved("This walk is not the current one any more.")
    here, stored = cast(WalkProgress, where.trial.own), tuple[tuple[int, Pressed], ...]()
    if here.walk_id is not None and batch.start < here.tick:
        named = {"walk_id": here.walk_id, "from_tick": batch.start}
        rows = session.connection().execute(_FROM, named)
        stored = tuple((tick, [(keys, turn) for keys, turn in held]) for tick, held in rows)
    return WalkState(where, here, stored)


def store(
    session: Session,
    sessions: Sessions,
    token: str,
    found: WalkState,
    there: WalkProgress,
    pressed: Pressed,
    batch: Batch,
    now: datetime,
) -> bool:
    """Store steps and the resulting state; False if another process has stored some since they were replayed."""
    connection, here = session.connection(), found.here
    # Steps are replayed before this write, which has SQL alone (decision 0001): others may be stored by now.
    sessions.hold(session, token)
    if (
        sessions.locate(session, token).page != found.where.page
        or here_at(session, found.trial_id).tick != here.tick
    ):
        return False
    state = {
        "tick": there.tick,
        "walker": list(there.walker),
        "length_um": there.length_um,
        "over": there.over,
        "over_at": now if there.over else None,
        "frames": there.frames,
        "drawn_ms": there.drawn_ms,
        "slow_ms": there.slow_ms,
        "input": there.input,
    }
    walk_id = here.walk_id
    if walk_id is None:
        first = {"trial_id": found.trial_id, "session_id": found.where.session_id, "began_at": now}
        walk_id = connection.execute(
            insert(walk_table).values(**first, **state).returning(_w.id)
        ).scalar_one()
    else:
        connection.execute(_AT.values(**state), {"walk_id": walk_id, "at_tick": here.tick})
    row = {
        "walk_id": walk_id,
        "from_tick": here.tick,
        "n": len(pressed),
        "steps": [list(step) for step in pressed],
        "frames": batch.frames,
        "drawn_ms": batch.drawn_ms,
        "input": batch.input,
        "received_at": now,
    }
    connection.execute(insert(steps_table), row)
    return True
