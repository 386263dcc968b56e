"""Deletion of rows in tasks' own tables, with a version's sessions."""

from collections.abc import Callable
from typing import Final

from sqlmodel import Session

from app.tasks.game.tables import forget_matches
from app.tasks.walk.tables import forget_walks
from app.trials.tables import Mode

# A task with tables of its own has a line here.
_FORGET: Final[dict[str, Callable[[Session, int, Mode], None]]] = {
    "game": forget_matches,
    "walk": forget_walks,
}


def forget_rows(session: Session, version_id: int, mode: Mode) -> None:
    """Delete the tasks' own rows for all sessions of a version and mode."""
    for forget in _FORGET.values():
        forget(session, version_id, mode)
