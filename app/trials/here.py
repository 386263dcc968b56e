"""The state of a session as its current page is processed."""

from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Any, NamedTuple

from app.core.errors import Conflict
from app.trials.design import BlockPart, PageKey, SessionPages
from app.trials.ending import FINISHED, Ending
from app.trials.runs import BlockRun, Run
from app.trials.states import takes_answers
from app.trials.tables import Mode, Status

# In Python 3.11 to look one up is slow, and each request asks.
_ARRIVED, _ACTIVE = Status.ARRIVED, Status.ACTIVE
_OF_PEOPLE = (Mode.LIVE, Mode.PILOT)


class NotCurrent(Conflict):
    """The form belongs to a page that is not, or no longer, the current one. Nothing was stored.

    `at` is the code of the notice to show on the current page.
    """

    def __init__(self, message: str, at: str = "moved") -> None:
        super().__init__(message)
        self.at = at


class TrialSeen(NamedTuple):
    """Session-specific content of the current trial: its unit, and the hash of its content.

    `next_kind` is the kind of the next stimulus, None if there is none. `own` is added by the task.
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


class Where(NamedTuple):
    """A session's state: everything its current page is made from. A tuple is made in a third of the time that a frozen
    dataclass of so many fields takes.

    `released_at` is when its place was given back, `ends_at` when the study ends by itself; `has_target` is whether a
    target was set while it runs; `earlier` has the answers to a page that is asked again.
    """

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
    arm: str = "main"
    study_id: int = 0
    seen_at: datetime | None = None
    released_at: datetime | None = None
    ends_at: datetime | None = None
    has_target: bool = False
    trial: TrialSeen | None = None
    ending: Ending = FINISHED
    earlier: Mapping[str, Any] = MappingProxyType({})

    @property
    def page(self) -> PageKey:
        return self.pages.keys[self.step]

    @property
    def part(self) -> BlockPart:
        """The block of the current trial. Raises KeyError on a page that is none."""
        return self.pages.part_at(self.pages.keys[self.step].position)

    @property
    def block(self) -> BlockRun:
        """The block of the current trial. Raises KeyError on a page that is none."""
        return self.run.block(self.part.block)

    @property
    def has_lost_its_place(self) -> bool:
        """True if the session was idle so long that its place was given back."""
        return self.released_at is not None and self.status == _ACTIVE

    def is_shut_out(self, now: datetime) -> bool:
        """True if the study ended while this session was under way. Always False for previews and simulations."""
        begun = self.status == _ACTIVE
        if not (begun or self.status == _ARRIVED) or self.mode not in _OF_PEOPLE:
            return False
        if not begun and self.mode == Mode.LIVE and self.ends_at and now >= self.ends_at:
            return True
        return not takes_answers(self.state, self.closes_at, now, begun=begun)
