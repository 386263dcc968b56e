"""Removal of a participant's data from matches when their answers are deleted."""

from datetime import datetime

from sqlalchemy import bindparam, select
from sqlmodel import Session

from app.tasks.game.fold import match_table, seat_table
from app.tasks.game.live import Live
from app.tasks.game.looking import design_of
from app.tasks.game.tables import MatchStatus, forget_player
from app.trials.runs import Run

_RUNNING = (
    select(seat_table.c.match_id, match_table.c.block)
    .join(match_table, match_table.c.id == seat_table.c.match_id)
    .where(seat_table.c.session_id == bindparam("session_id"), match_table.c.status == MatchStatus.RUNNING)
    .distinct()
)


class Forgetting:
    """The part of a task that forgets."""

    def forget(self, session: Session, run: Run, session_id: int, now: datetime) -> None:
        """Leave the matches under way, and forget whose the seats and moves were."""
        for match_id, block in session.connection().execute(_RUNNING, {"session_id": session_id}).all():
            live = Live.hold(session, design_of(run.block(block)), match_id)
            live.leave(live.seats.mine(session_id), "withdrew", now)
            live.store()
        forget_player(session, session_id)
