"""A precision target as the monitor shows it: how wide the interval is by now and would be by the plan, and the day on
which the target is reached at the present pace.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import variance

from sqlmodel import Session

from analysis.precision import (
    FEWEST_TO_TELL,
    SCORES_SPREAD,
    is_narrow,
    people_needed,
    planned_variance,
    planned_width,
)
from app.sessions.precision import Shares, shares_of
from app.sessions.runs import StudyRun
from app.studies.access import StudyHere
from app.studies.file.stopping import DesignStopWhen
from app.trials.design import Kind
from app.trials.tables import Mode, State

PACE_OVER = timedelta(days=7)
_SHORTEST = timedelta(hours=1)
_MOST_POINTS = 120


@dataclass(frozen=True, slots=True)
class WidthPoint:
    """The width of the interval over the first `n` participants."""

    n: int
    width: float


@dataclass(frozen=True, slots=True)
class PrecisionView:
    """A precision target: `live` are the widths so far, `planned` those of the plan, whose target is reached with
    `planned_n`. `needed` is the number that it takes by the spread so far, `day` the day on which it is there at the
    present pace of `a_day` participants; None where they cannot be told. The value of the number is not in it. Widths
    are shares, or points of the `scale` of scores.
    """

    measure: str
    source: str | None
    scale: tuple[float, float] | None
    narrower_than: float
    at_least: int
    n: int
    width: float | None
    live: Sequence[WidthPoint]
    planned: Sequence[WidthPoint]
    expected: float
    planned_n: int | None
    needed: int | None
    a_day: float | None
    day: datetime | None
    is_reached: bool

    @property
    def unit(self) -> float:
        """A point on the page: a hundredth of a share, or a point of the scale."""
        return 0.01 if self.scale is None else 1.0

    @property
    def is_few(self) -> bool:
        return self.n < FEWEST_TO_TELL

    @property
    def rows(self) -> Sequence[tuple[int, float | None, float | None]]:
        """Both curves as a table, from five participants on: their number, the width so far, the planned one."""
        live = {point.n: point.width for point in self.live}
        planned = {point.n: point.width for point in self.planned}
        return [(n, live.get(n), planned.get(n)) for n in sorted({*live, *planned}) if n >= FEWEST_TO_TELL]


def precision_of(
    session: Session, study: StudyHere, runs: Mapping[int, StudyRun], mode: str, now: datetime
) -> PrecisionView | None:
    """The precision target of the newest version, over all live participants of the study."""
    stop = runs[max(runs)].design.stop_when if mode == Mode.LIVE and runs else None
    if stop is None:
        return None
    is_live = study.state is State.LIVE
    return precision_view(session, study.id, stop, runs[max(runs)], now, is_live=is_live)


def precision_view(
    session: Session, study_id: int, stop: DesignStopWhen, run: StudyRun, now: datetime, *, is_live: bool
) -> PrecisionView:
    shares = shares_of(session, study_id, stop)
    n, expected = len(shares.values), stop.expected_at
    span, spread = stop.span, 1.0 if stop.scale is None else SCORES_SPREAD
    answers = shares.answers if n >= FEWEST_TO_TELL else _answers_planned(run, stop)
    of_people = planned_variance(expected, answers, spread=spread)
    planned_n = people_needed(of_people, answers, stop.part, stop.at_least)
    decisive = shares.width()
    needed = None
    if n >= FEWEST_TO_TELL:
        needed = people_needed(variance(shares.values), answers, stop.part, stop.at_least)
    is_reached = is_narrow(decisive, stop.part, stop.at_least)
    a_day = _pace(shares, now) if is_live and n >= FEWEST_TO_TELL else None
    day = None
    if needed is not None and a_day and not is_reached:
        day = now + timedelta(days=max(needed - n, 1) / a_day)
    last = max(n, stop.at_least, min(planned_n or 0, 4 * max(n, stop.at_least)))
    # The same numbers for both curves, so that the table has them side by side.
    points = _points(2, round(1.1 * last))
    so_far = sorted({*(at for at in points if at <= n), *([n] if n >= 2 else [])})
    return PrecisionView(
        measure=stop.measure,
        source=stop.source,
        scale=stop.scale,
        narrower_than=stop.narrower_than,
        at_least=stop.at_least,
        n=n,
        width=None if decisive.decisive is None else span * decisive.decisive,
        live=[
            WidthPoint(at, span * width) for at in so_far if (width := shares.width(at).decisive) is not None
        ],
        planned=[
            WidthPoint(at, span * planned_width(of_people, answers, at)) for at in sorted({*points, *so_far})
        ],
        expected=stop.ends[0] + span * expected,
        planned_n=planned_n,
        needed=needed,
        a_day=a_day,
        day=day,
        is_reached=is_reached,
    )


def _answers_planned(run: StudyRun, stop: DesignStopWhen) -> float:
    """Main trials with two sides, or where this question is asked, that a participant has by the design."""
    counts = [
        block.design.n_main(sum(unit.kind is Kind.MAIN for unit in block.units))
        for block in run.blocks
        if stop.measure in block.design.means() or (block.design.sides and stop.scale is None)
    ]
    return float(sum(counts)) or 1.0


def _pace(shares: Shares, now: datetime) -> float:
    """Participants a day over the last week, or since the first finished."""
    since = max(shares.ended[0], now - PACE_OVER)
    recent = sum(at >= since for at in shares.ended)
    return recent / (max(now - since, _SHORTEST) / timedelta(days=1))


def _points(first: int, last: int) -> Sequence[int]:
    step = max(1, (last - first) // _MOST_POINTS)
    return sorted({*range(first, last + 1, step), *([last] if last >= first else [])})
