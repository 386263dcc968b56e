"""The protocol of a task: sessions, pages and exports know no task by its name."""

import random
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Protocol

from sqlmodel import Session

from app.core.database import Database
from app.core.settings import Settings
from app.trials.answered import AnsweredTrial, TrialView
from app.trials.answers import Answers
from app.trials.design import BlockPart, Planned
from app.trials.ending import BlockEnd
from app.trials.headline import Answered, Headline, Worth
from app.trials.here import TrialSeen, Where
from app.trials.loads import LEFT_AFTER
from app.trials.pages import Page
from app.trials.places import Place
from app.trials.runs import BlockRun, Run
from app.trials.sessions import Sessions

if TYPE_CHECKING:
    import httpx2


@dataclass(frozen=True, slots=True)
class Start:
    """A new session: the next of its version, mode and arm, whose row is locked during planning.

    `mirror` has the units of this block in the previous session, in order, with that session's plan for each, if this
    session is the second of its counterbalanced session pair; else None. `ordinal` is its number in its arm, from 1.
    Who was not seen for `idle` has left.
    """

    session: Session
    version_id: int
    mode: str
    now: datetime
    rng: random.Random
    mirror: Mapping[int, Mapping[str, Any]] | None
    ordinal: int = 1
    arm: str = "main"
    idle: timedelta = LEFT_AFTER


@dataclass(frozen=True, slots=True)
class AnswerParts:
    """The parts of an answer to store: typed values, columns of the response, rows of evidence by slot."""

    answers: Answers
    values: Mapping[str, Any]
    evidence: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Feedback:
    """Feedback on the answer to a practice trial: right or not, None where that is not known; `why` is Markdown.

    `parts` has each question that has a right answer with whether it was given, where there are several.
    """

    is_right: bool | None = None
    why: str = ""
    parts: tuple[tuple[str, bool], ...] = ()


class Task(Protocol):
    """One kind of task."""

    def shares_page(self, design: Any) -> bool:
        """True if the page of a trial of this block is the same for every session at that position."""
        return False

    def shown_alike(self, trial: TrialSeen) -> Hashable:
        """The part of a page that differs at its position: equal for equal pages, so that
        each is made once. None where it is a session's own."""
        return None

    def plan(self, block: BlockRun, start: Start) -> Sequence[Planned]:
        """The trials of a session that begins, in order, those for practice first; none where the block is full."""

    def page(self, block: BlockRun, place: Place, frame: Mapping[str, Any]) -> Page:
        """The page of the trial at a place; `frame` has what every page has."""

    def read(
        self, session: Session, where: Where, block: BlockRun, form: Mapping[str, str], now: datetime
    ) -> AnswerParts | None:
        """The answer to the current trial; None where the form was taken and the page stays.

        Raises InvalidAnswer with every error.
        """

    def seen(self, session: Session, where: Where, trial: TrialSeen) -> Any:
        """Session-specific data for the page: `TrialSeen.own`; None if the page is shared."""
        return None

    def slot_at(self, plan: Mapping[str, Any], place: str) -> str | None:
        """The slot of the stimulus at a place of a trial's page, for its clips; None where there is no such place."""
        return None

    def ended(self, session: Session, where: Where, part: BlockPart) -> BlockEnd:
        """The outcome of a block's trials, for a session that has reached its last page."""
        return BlockEnd(part.n)

    def feedback(self, block: BlockRun, answered: Mapping[str, Any]) -> Feedback:
        """Feedback after a practice trial: `answered` has its `unit`, `plan`, `side` and `answers`."""
        return Feedback()

    def worth(self, answered: Answered, headline: Headline) -> Iterator[Worth]:
        """The worth of each answer in a number of the study; none where it is not of this task."""
        yield from ()

    def forget(self, session: Session, run: Run, session_id: int, now: datetime) -> None:
        """Delete the task's own rows for a session whose answers are deleted."""
        return None

    def answered(self, trial: AnsweredTrial) -> TrialView:
        """An answered trial as the experimenter sees it."""
        return trial.view()


@dataclass(frozen=True, slots=True)
class Shown:
    """A page as its template was given it, and where its session stands."""

    where: Where
    page: Page


class Simulating(Protocol):
    """A simulated participant on task pages that need more than filling in a form. A task with such pages provides it
    as `Simulated` in `simulated.py` of its folder.
    """

    def __init__(self, database: Database, rng: random.Random) -> None: ...

    def is_mine(self, page: Page) -> bool:
        """True for such a page."""

    async def answer(self, client: "httpx2.AsyncClient", shown: Shown) -> "httpx2.Response":
        """The page that follows. Raises StudyError where none does."""


class LiveTask(Task, Protocol):
    """A task whose page changes while it is open, because of other players and of time."""

    def is_due(self, where: Where, now: datetime) -> bool:
        """True if something must be written before the page is shown."""

    def settle(self, session: Session, where: Where, block: BlockRun, now: datetime) -> None:
        """Write what is due; the session is locked."""

    def note_present(
        self, session: Session, where: Where, block: BlockRun, now: datetime, *, polls: bool
    ) -> None:
        """Record a heartbeat; `polls`: from a browser that keeps polling, whose silence is meaningful."""

    def present(self, session: Session, version_ids: Collection[int]) -> frozenset[int]:
        """Sessions of these versions that are on such a page and have not left it, however long it has been theirs."""

    def version(self, page: Page) -> str:
        """A version of the page's visible content: unchanged as long as its viewer sees the same."""

    def news(self, page: Page) -> Mapping[str, Any]:
        """The reply to a poll if the content has changed."""

    async def sweep(self, database: Database, settings: Settings, sessions: Sessions, now: datetime) -> None:
        """Write everything due on pages that nobody is viewing."""

    async def end(self, database: Database) -> None:
        """Cancel work that a sweep has begun and not finished."""
