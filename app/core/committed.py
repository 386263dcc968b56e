"""Actions run after a commit and dropped on rollback: nobody is notified of what may still be lost."""

from collections.abc import Callable

from sqlalchemy import event
from sqlmodel import Session

_KEY = "committed"


def once_committed(session: Session, do: Callable[[], None]) -> None:
    """Call `do` after the commit of the write that `session` belongs to, in the writer's thread. It must not fail."""
    session.info.setdefault(_KEY, []).append(do)


@event.listens_for(Session, "after_commit")
def call_committed(session: Session) -> None:
    """Do what waits for the commit, where SQLAlchemy was not asked to commit."""
    for do in session.info.pop(_KEY, ()):
        do()


@event.listens_for(Session, "after_rollback")
def _rolled_back(session: Session) -> None:
    session.info.pop(_KEY, None)
