"""A new session's trials into SQL: takes the next ordinal, which decides whose mirror it is."""

import random

from sqlmodel import Session

from app.sessions import queries
from app.sessions.assignment import plan_session
from app.sessions.design import PairPlan, Side
from app.sessions.runs import Run


def plan_trials(
    session: Session, version_id: int, mode: str, session_id: int, run: Run, rng: random.Random
) -> dict[str, int]:
    """Store the trials of a session that begins; returns its ordinal and seed."""
    connection = session.connection()
    connection.execute(queries.HOLD_VERSION, {"version_id": version_id})
    last = connection.execute(queries.LAST_ORDINAL, {"version_id": version_id, "mode": mode}).scalar_one()
    ordinal, seed = (last or 0) + 1, rng.getrandbits(31)
    mirror_of = None
    if ordinal % 2 == 0:
        before = {"version_id": version_id, "mode": mode, "ordinal": ordinal - 1}
        plans = connection.execute(queries.PLANS_OF, before)
        mirror_of = {unit_id: PairPlan.of(plan).left for unit_id, plan in plans}
    trials = plan_session(
        run.pairs,
        order=run.design.trials.order,
        sides=run.design.trials.sides,
        rng=random.Random(seed),
        mirror_of=mirror_of,
    )
    rows = [
        {
            "session_id": session_id,
            "position": t.position,
            "unit_id": t.pair_id,
            "plan": PairPlan(t.left).stored(),
            "sent": {side.value: [] for side in Side},
        }
        for t in trials
    ]
    connection.execute(queries.ADD_TRIALS, rows)
    return {"ordinal": ordinal, "seed": seed}
