"""The numbers of a study under way, as programs get them."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from pydantic import BaseModel, ConfigDict

from app.trials.flags import Flag
from app.trials.tables import Mode

Flags = Sequence[tuple[Flag, int]]


class Out(BaseModel):
    model_config = ConfigDict(from_attributes=True)


class StatusOut(Out):
    version: int
    mode: str
    arm: str
    by_status: Mapping[str, int]
    excluded: int


class FunnelOut(Out):
    page: str
    reached: int
    here: int
    stopped: int
    refused: int
    under_age: int
    full: int
    unsuited: int
    screened_out: int


class PointOut(Out):
    begins: datetime
    arrived: int
    completed: int


class TimeOut(Out):
    position: int
    n: int
    median_ms: float
    p90_ms: int


class PairOut(Out):
    version: int
    pair: str
    condition: str
    kind: str
    truth: str
    a: int | None
    b: int | None
    n: int
    share_a: float | None
    left_a: int | None
    left_b: int | None
    planned_a: int | None
    planned_b: int | None


class UnitOut(Out):
    """A unit shown alone; `given` counts participants if `wanted` sets a target."""

    version: int
    block: str
    unit: str
    condition: str
    kind: str
    answers: int
    given: int | None
    wanted: int | None


class TroubleOut(Out):
    answered: int
    unplayable: int
    stalled: int
    stalls: int
    hidden: int
    not_watched: int
    not_read: int
    sped_up: int
    out_of_step: int
    dropped: int
    odd: int
    excluded: int


class MonitorOut(Out):
    """`version` 0 stands for all; `step_s` is the length of a step of the timeline in seconds.

    `is_blinded`: votes for main pairs are null, as live results are closed to you while the study runs. Sides are
    null where answers were imported that do not say them.
    """

    at: datetime
    version: int
    mode: Mode
    statuses: Sequence[StatusOut]
    funnel: Sequence[FunnelOut]
    step_s: float
    timeline: Sequence[PointOut]
    times: Sequence[TimeOut]
    pairs: Sequence[PairOut]
    units: Sequence[UnitOut]
    is_blinded: bool
    n_votes: int
    left_pressed: int | None
    trouble: TroubleOut
    n_flagged: int
    notices: list[str]
    n_by_flag: Flags
