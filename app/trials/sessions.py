"""Functions that tasks need from sessions, a higher layer: passed to a task's sweep, and to its routes as
`SessionsDep`.
"""

from typing import Annotated, Protocol, cast

from fastapi import Depends, Request
from sqlmodel import Session

from app.trials.here import Where
from app.trials.runs import Run


class Sessions(Protocol):
    """Sessions as tasks see them; `app.sessions.where` has them."""

    def locate(self, session: Session, token: str) -> Where:
        """The state of a token's session. Raises NotFound."""

    def hold(self, session: Session, token: str) -> None:
        """Lock the session of a token until the commit."""

    def run(self, session: Session, version_id: int, arm: str) -> Run:
        """The blocks of a version in an arm."""


def _sessions(request: Request) -> Sessions:
    return cast(Sessions, request.app.state.sessions)


SessionsDep = Annotated[Sessions, Depends(_sessions)]
