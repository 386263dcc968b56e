"""Arrivals and completions over time, in steps that fit one chart."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from app.monitor.snapshots import TimePoint
from app.monitor.tally import Ended, SessionRow
from app.trials.tables import Status

_STEPS_OF_TIME = [
    timedelta(minutes=10),
    timedelta(hours=1),
    timedelta(hours=6),
    timedelta(days=1),
    timedelta(weeks=1),
]
_MOST_POINTS = 60


def timeline_of(
    still: Sequence[SessionRow], ended: Mapping[int, Ended], until: datetime | None
) -> tuple[timedelta, Sequence[TimePoint]]:
    """The length of a step, and the counts of each from the first arrival to the last event or `until`.

    Of who has not consented no time is known, so they are not in it.
    """
    came = sum(
        (of.arrived for of in ended.values()),
        Counter(row.arrived for row in still if row.status != Status.ARRIVED),
    )
    went = sum((of.completed for of in ended.values()), Counter[str]())
    arrived = {_time(text): n for text, n in came.items()}
    # Of answers that were collected elsewhere nobody knows when they ended.
    completed = {_time(text): n for text, n in went.items() if text}
    if not arrived:
        return _STEPS_OF_TIME[0], ()
    first, last = min(arrived), max([*arrived, *completed, *([until] if until else [])])
    step = next((s for s in _STEPS_OF_TIME if (last - first) / s < _MOST_POINTS), timedelta(days=30))
    start = _floor(first, step)
    n = int((last - start) / step) + 1
    points = [[0, 0] for _ in range(n)]
    for which, events in enumerate((arrived, completed)):
        for at, count in events.items():
            points[int((at - start) / step)][which] += count
    return step, [TimePoint(start + step * place, *counts) for place, counts in enumerate(points)]


def _time(text: str) -> datetime:
    return datetime.fromisoformat(f"{text}0+00:00")


def _floor(at: datetime, step: timedelta) -> datetime:
    midnight = datetime(1970, 1, 5, tzinfo=UTC)  # a Monday
    return midnight + step * ((at - midnight) // step)
