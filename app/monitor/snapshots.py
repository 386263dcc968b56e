"""The data of the monitor: a study's numbers at one moment."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from app.core.spans import span
from app.monitor.counting import Trouble
from app.monitor.precision import PrecisionView
from app.sessions.places import Places
from app.trials.flags import Flag
from app.trials.tables import Mode, Status


@dataclass(frozen=True, slots=True)
class Choice:
    """The selection of sessions.

    `version` 0 is all of them, None the newest with sessions; `mode` None is the first of live, pilot, simulated.
    """

    version: int | None = None
    mode: Mode | None = None


STATUS_TITLES: Mapping[Status, str] = {
    Status.COMPLETED: "Completed",
    Status.UNPLAYABLE: "Could play nothing",
    Status.FAILED_CHECKS: "Failed the checks",
    Status.ACTIVE: "Under way or left",
    Status.ARRIVED: "Consent not given yet",
    Status.REFUSED: "Refused",
    Status.UNDER_AGE: "Under age",
    Status.UNSUITED: "Unsuited device",
    Status.SCREENED_OUT: "Screened out",
    Status.FULL: "Found it full",
    Status.LEFT: "Left before consent",
    Status.WITHDRAWN: "Withdrew: answers deleted",
}


@dataclass(frozen=True, slots=True)
class StatusLine:
    """Sessions of one version, mode and arm by status; `excluded` counts those excluded by hand or by a rule. `arm` is
    empty for those who left a study of several arms before they were given one.
    """

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
    full: int = 0
    unsuited: int = 0
    screened_out: int = 0

    @property
    def lost(self) -> int:
        return sum((self.stopped, self.refused, self.under_age, self.full, self.unsuited, self.screened_out))


@dataclass(frozen=True, slots=True)
class TimePoint:
    """Arrivals and completions from `begins` on, for one step of the time line."""

    begins: datetime
    arrived: int
    completed: int


@dataclass(frozen=True, slots=True)
class TrialTime:
    """Response times at one position: `median_ms` and `p90_ms` over `n` answers, by the browsers' clocks."""

    position: int
    title: str
    n: int
    median_ms: float
    p90_ms: int


@dataclass(frozen=True, slots=True)
class PairLine:
    """Votes for a pair's members, and on which side a was: of the `n` trials that were voted on, and of all planned.

    Votes are None where they are blinded (`app.studies.blinding`), sides where answers were imported that do not say
    them.
    """

    version: int
    pair: str
    condition: str
    kind: str
    truth: str
    n: int
    a: int | None
    b: int | None
    left_a: int | None
    left_b: int | None
    planned_a: int | None
    planned_b: int | None

    @property
    def share_a(self) -> float | None:
        return self.a / self.n if self.n and self.a is not None else None


@dataclass(frozen=True, slots=True)
class UnitLine:
    """A unit that is shown alone: its answers that count, and the participants it was given to.

    `given` counts sessions that are completed or active, as assignment does (`app.trials.loads`); None where the
    block has no bound. `wanted` is how many of these there are to be, None without a bound and of what is no main unit.
    """

    version: int
    block: str
    noun: str
    nouns: str
    unit: str
    condition: str
    kind: str
    answers: int
    given: int | None
    wanted: int | None

    @property
    def place(self) -> tuple[int, str]:
        """The version and block that it is of."""
        return self.version, self.block

    @property
    def is_full(self) -> bool:
        return self.given is not None and self.wanted is not None and self.given >= self.wanted


@dataclass(frozen=True, slots=True)
class FlaggedLine:
    """A session with its flags; each number counts trials."""

    session_id: int
    participant: str
    status: str
    flags: Sequence[tuple[Flag, int]]
    is_excluded: bool

    @property
    def status_words(self) -> str:
        return STATUS_TITLES[Status(self.status)].lower()


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A study as of `at`. `behind` sessions have answers not counted yet.

    `version` 0 means all. `statuses` cover every mode, everything else only `mode`; `left_pressed` of `n_votes` votes
    were for the left, None if not known for every vote. `is_blinded`: the votes on main pairs are left out.
    `shows_clips` and `shows_reading` tell whether the study shows clips, and records or texts. `notices` are messages
    for the study's owner, `places` those of the live study, `precision` is its precision target.
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
    units: Sequence[UnitLine]
    shows_clips: bool
    shows_reading: bool
    is_blinded: bool
    n_votes: int
    left_pressed: int | None
    trouble: Trouble
    n_flagged: int
    n_by_flag: Sequence[tuple[Flag, int]]
    flagged: Sequence[FlaggedLine]
    notices: Sequence[str] = ()
    places: Places | None = None
    precision: PrecisionView | None = None

    @property
    def ways(self) -> Sequence[tuple[Status, str]]:
        """Statuses with their words: the two usual ones, and of the others those that occur."""
        usual = (Status.COMPLETED, Status.ACTIVE)
        there = {status for line in self.statuses for status, n in line.by_status.items() if n}
        return [
            (status, words) for status, words in STATUS_TITLES.items() if status in usual or status in there
        ]

    @property
    def here(self) -> int:
        """Sessions under way, with a sign of life in the last half hour."""
        return sum(step.here for step in self.funnel)

    @property
    def step_s(self) -> float:
        return self.step.total_seconds()

    @property
    def step_words(self) -> str:
        return span(self.step)
