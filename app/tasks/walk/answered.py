"""Answered walks as exclusion rules see them: without a pose, so that the serving process reads them, too."""

from typing import Any

from sqlalchemy import Select
from sqlmodel import col

from app.exports.rows import answered_rows
from app.tasks.walk.batches import walk_table
from app.trials.design import Slot
from app.trials.responses import Evidence, Response
from app.trials.tables import Trial
from stimuli import steps


def walk_times(slug: str) -> Select[Any]:
    """The answered walks of a study: flags, `hidden_ms`, and the `tick` walked to."""
    return with_walks(answered_rows(slug, [walk_table.c.tick, col(Evidence.hidden_ms).label("hidden_ms")]))


def duration_s(tick: int | None) -> float:
    """Seconds walked."""
    return round((tick or 0) / steps.TICKS_PER_S, 6)


def with_walks(found: Select[Any]) -> Select[Any]:
    """Join the walk of each trial, if one was begun, and the browser's report of it."""
    return found.outerjoin(walk_table, walk_table.c.trial_id == col(Trial.id)).outerjoin(
        Evidence, (col(Evidence.response_id) == col(Response.id)) & (col(Evidence.slot) == Slot.ITEM)
    )
