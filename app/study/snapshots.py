"""What the monitor shows: a study's numbers at one moment."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from app.study.counting import Trouble
from app.study.flags import Flag
from app.study.spans import span
from app.study.tables import Mode


@dataclass(frozen=True, slots=True)
class Choice:
    """Which sessions to look at.

    `version` 0 is all of them, None the newest with sessions; `mode` None is the first of live, pilot, simulated.
    """

    version: int | None = None
    mode: Mode | None = None


@dataclass(frozen=True, slots=True)
class StatusLine:
    """Sessions of one version, mode and arm, by how far they came; `excluded` counts those that are left out."""

    version: int
    mode: str
    arm: str
    by_status: Mapping[str, int]
    excluded: int

    @property
    def total(self) -> int:
        return sum(self.by_status.values())


@dataclass(frozen=True, slots=True)
class FunnelStep:
    """One page: how many reached it, are on it now, and ended or left there."""

    page: str
    title: str
    reached: int
    here: int
    stopped: int
    refused: int = 0
    under_age: int = 0

    @property
    def lost(self) -> int:
        return self.stopped + self.refused + self.under_age


@dataclass(frozen=True, slots=True)
class TimePoint:
    """Arrivals and completions from `begins` on, for one step of the time line."""

    begins: datetime
    arrived: int
    completed: int

    @property
    def text(self) -> str:
        return f"{self.begins:%Y-%m-%d %H:%M} UTC"


@dataclass(frozen=True, slots=True)
class TrialTime:
    """How long the trial at one position took: `median_ms` and `p90_ms` over `n` answers, by the browsers' clocks."""

    position: int
    title: str
    n: int
    median_ms: float
    p90_ms: int


@dataclass(frozen=True, slots=True)
class PairLine:
    """Votes for a pair's members, and on which side a was: of the trials that were voted on, and of all planned."""

    version: int
    pair: str
    condition: str
    kind: str
    truth: str
    a: int
    b: int
    left_a: int
    left_b: int
    planned_a: int
    planned_b: int

    @property
    def n(self) -> int:
        return self.a + self.b

    @property
    def share_a(self) -> float | None:
        return self.a / self.n if self.n else None


@dataclass(frozen=True, slots=True)
class FlaggedLine:
    """A session with what is odd about it; the number is of trials."""

    session_id: int
    participant: str
    status: str
    flags: Sequence[tuple[Flag, int]]
    is_excluded: bool


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A study as of `at`. `behind` sessions have answers that are still to be counted.

    `version` 0 stands for all. `statuses` are of every mode, all else of `mode` alone; `left_pressed` of
    `n_votes` votes went to the left.
    """

    at: datetime
    version: int
    mode: Mode
    versions: Sequence[int]
    n_by_mode: Mapping[str, int]
    behind: int
    statuses: Sequence[StatusLine]
    funnel: Sequence[FunnelStep]
    step: timedelta
    timeline: Sequence[TimePoint]
    times: Sequence[TrialTime]
    pairs: Sequence[PairLine]
    n_votes: int
    left_pressed: int
    trouble: Trouble
    n_flagged: int
    n_by_flag: Sequence[tuple[Flag, int]]
    flagged: Sequence[FlaggedLine]

    @property
    def step_s(self) -> float:
        return self.step.total_seconds()

    @property
    def step_words(self) -> str:
        return span(self.step)
