"""Where a session stands, found by its token: the server alone knows which page is current."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlmodel import Session

from app.accounts.logins import token_hash
from app.core.errors import NotFound
from app.sessions import queries
from app.sessions.design import BlockPart, PageKey, SessionPages
from app.sessions.runs import BlockRun, Run, run_of
from app.sessions.tables import Mode, Status
from app.studies.file.load import StudyDesign
from app.studies.states import takes_answers
from app.studies.tables import State
from app.tasks.registry import live_task, task_named

if TYPE_CHECKING:
    from app.tasks.base import LiveTask

TOKEN = re.compile(r"[A-Za-z0-9_-]{1,64}")
NO_SESSION = (
    "There is no session at this address. Of somebody who did not want to take part none is kept; everybody else "
    "please uses the link that they were given."
)


@dataclass(frozen=True, slots=True)
class TrialSeen:
    """What the current trial shows, where that differs by session: its unit, and the hash of what it holds.

    `next_kind` is that of the stimulus after it, None where there is none. `own` is what the task adds to it.
    """

    id: int
    unit: str
    kind: str
    n_bytes: int | None = None
    duration_s: float | None = None
    sent: Mapping[str, Any] | None = None
    stimulus_kind: str | None = None
    content: str | None = None
    next_kind: str | None = None
    own: Any = None


@dataclass(frozen=True, slots=True)
class Where:
    """Where a session stands: all that its current page is made from."""

    session_id: int
    token: str
    version_id: int
    mode: str
    status: str
    state: str
    step: int
    participant: str | None
    shown_at: datetime | None
    closes_at: datetime | None
    closing: str
    is_stored: bool
    run: Run
    pages: SessionPages
    trial: TrialSeen | None = None

    @property
    def design(self) -> StudyDesign:
        return self.run.design

    @property
    def page(self) -> PageKey:
        return self.pages.keys[self.step]

    @property
    def part(self) -> BlockPart:
        """The block of the current trial. Raises KeyError on a page that is none."""
        return self.pages.part_at(self.page.position)

    @property
    def live(self) -> "LiveTask | None":
        """The task of the current page, where that changes by itself."""
        is_trial = self.page.kind == "trial" and self.status == Status.ACTIVE
        return live_task(self.part.task) if is_trial else None

    @property
    def block(self) -> BlockRun:
        """The block of the current trial. Raises KeyError on a page that is none."""
        return self.run.block(self.part.block)

    @property
    def has_shared_page(self) -> bool:
        """Whether the current page is the same for every session that is where this one is."""
        return self.page.kind != "trial" or task_named(self.part.task).shares_page(self.block.design)

    def is_shut_out(self, now: datetime) -> bool:
        """Whether the study has ended with this session under way. Previews and simulations do not depend on it."""
        is_open = self.status in (Status.ARRIVED, Status.ACTIVE)
        begun = self.status == Status.ACTIVE
        return (
            is_open
            and self.mode in (Mode.LIVE, Mode.PILOT)
            and not takes_answers(State(self.state), self.closes_at, now, begun=begun)
        )


def locate(session: Session, token: str, submit_id: str = "") -> Where:
    """Find a session by its token; `is_stored` says whether a form numbered `submit_id` was taken. Raises NotFound."""
    if not TOKEN.fullmatch(token):
        raise NotFound(NO_SESSION)
    named = {"sha256": token_hash(token), "submit_id": submit_id}
    row = session.connection().execute(queries.LOCATE, named).first()
    if row is None:
        raise NotFound(NO_SESSION)
    (
        session_id, version_id, mode, status, step, participant, shown_at, blocks, sha256, state, closes_at, closing,
        stored_id,
    ) = row  # fmt: skip
    run = run_of(session, version_id, sha256)
    where = Where(
        session_id=session_id,
        token=token,
        version_id=version_id,
        mode=mode,
        status=status,
        state=state,
        step=step,
        participant=participant,
        shown_at=shown_at,
        closes_at=closes_at,
        closing=closing,
        is_stored=stored_id is not None,
        run=run,
        pages=run.pages_for(blocks),
    )
    return where if where.has_shared_page else replace(where, trial=_trial_seen(session, where))


def session_of(session: Session, token: str) -> int:
    """The session of a token. Raises NotFound."""
    named = {"sha256": token_hash(token)}
    found: int | None = session.connection().execute(queries.SESSION_OF, named).scalar()
    if found is None:
        raise NotFound(NO_SESSION)
    return found


def _trial_seen(session: Session, where: Where) -> TrialSeen:
    named = {"session_id": where.session_id, "position": where.page.position}
    statement = queries.UNIT_AT if where.live is None else queries.PLAY_AT
    trial = TrialSeen(*session.connection().execute(statement, named).one())
    return replace(trial, own=task_named(where.part.task).seen(session, where, trial))
