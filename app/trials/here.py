"""Where a session stands, as all that deals with its current page is told."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.core.errors import Conflict
from app.trials.design import BlockPart, PageKey, SessionPages
from app.trials.ending import FINISHED, Ending
from app.trials.runs import BlockRun, Run
from app.trials.states import State, takes_answers
from app.trials.tables import Mode, Status


class NotCurrent(Conflict):
    """The form belongs to a page that is no longer, or not yet, the person's current one. Nothing was stored.

    `at` names what the current page then says of it.
    """

    def __init__(self, message: str, at: str = "moved") -> None:
        super().__init__(message)
        self.at = at


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
    ending: Ending = FINISHED

    @property
    def page(self) -> PageKey:
        return self.pages.keys[self.step]

    @property
    def part(self) -> BlockPart:
        """The block of the current trial. Raises KeyError on a page that is none."""
        return self.pages.part_at(self.page.position)

    @property
    def block(self) -> BlockRun:
        """The block of the current trial. Raises KeyError on a page that is none."""
        return self.run.block(self.part.block)

    def is_shut_out(self, now: datetime) -> bool:
        """Whether the study has ended with this session under way. Previews and simulations do not depend on it."""
        is_open = self.status in (Status.ARRIVED, Status.ACTIVE)
        begun = self.status == Status.ACTIVE
        return (
            is_open
            and self.mode in (Mode.LIVE, Mode.PILOT)
            and not takes_answers(State(self.state), self.closes_at, now, begun=begun)
        )
