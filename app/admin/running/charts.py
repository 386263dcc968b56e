"""A chart as numbers for an SVG: the template draws it with attributes alone, as the pages allow no inline style."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from app.monitor.precision import PrecisionView, WidthPoint
from app.monitor.snapshots import TimePoint

WIDTH, HEIGHT = 720, 220
LEFT, RIGHT, TOP, BOTTOM = 44, 8, 12, 26
LABEL = 92  # the room that a label below takes
WIDEST = 64  # of the first steps of a study, which would fill the chart


@dataclass(frozen=True, slots=True)
class Bar:
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Tick:
    at: float
    label: str


@dataclass(frozen=True, slots=True)
class Chart:
    """Two bars for each step of time: arrivals behind, completions before them. Empty without points."""

    width: int
    height: int
    baseline: float
    arrived: Sequence[Bar] = ()
    completed: Sequence[Bar] = ()
    below: Sequence[Tick] = ()
    beside: Sequence[Tick] = ()


def time_chart(points: Sequence[TimePoint], step: timedelta) -> Chart:
    baseline = HEIGHT - BOTTOM
    if not points:
        return Chart(WIDTH, HEIGHT, baseline)
    top = nice_top(max(max(point.arrived, point.completed) for point in points))
    wide = min((WIDTH - LEFT - RIGHT) / len(points), WIDEST)
    scale = (baseline - TOP) / top

    def bar(place: int, n: int, inset: float) -> Bar:
        height = round(n * scale, 1)
        return Bar(
            round(LEFT + wide * place + wide * inset, 1),
            round(baseline - height, 1),
            round(wide * (1 - 2 * inset), 1),
            height,
        )

    every = math.ceil(LABEL / wide)
    return Chart(
        WIDTH,
        HEIGHT,
        baseline,
        arrived=[bar(place, point.arrived, 0.08) for place, point in enumerate(points)],
        completed=[bar(place, point.completed, 0.27) for place, point in enumerate(points)],
        below=[
            Tick(round(LEFT + wide * (place + 0.5), 1), moment(point.begins, step))
            for place, point in enumerate(points)
            if place % every == 0 and LEFT + wide * (place + 0.5) + LABEL / 2 <= WIDTH
        ],
        beside=[Tick(round(baseline - n * scale, 1), str(n)) for n in {0: 0, top // 2: 0, top: 0}],
    )


@dataclass(frozen=True, slots=True)
class WidthChart:
    """The width of an interval by number of participants: lines as points of an SVG, and the width that is wanted."""

    width: int
    height: int
    left: int
    right: int
    wanted: float
    live: str
    planned: str
    last: tuple[float, float] | None
    below: Sequence[Tick]
    beside: Sequence[Tick]


def width_chart(view: PrecisionView) -> WidthChart:
    baseline = HEIGHT - BOTTOM
    most = max([point.n for point in (*view.live, *view.planned)], default=2)
    # The first few people have very wide intervals, which would flatten all that follows.
    low, high = view.scale or (0.0, 1.0)
    top = min(max(3 * view.narrower_than, 0.15 * (high - low)), high - low)

    def x(n: float) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * n / most, 1)

    def y(width: float) -> float:
        return round(baseline - (baseline - TOP) * min(width, top) / top, 1)

    def line(points: Sequence[WidthPoint]) -> str:
        return " ".join(f"{x(point.n)},{y(point.width)}" for point in points if point.width <= top)

    step = max(1, nice_top(math.ceil(most / 6)))
    every = view.unit * _tick(top / view.unit)
    ended = [point for point in view.live if point.width <= top][-1:]
    return WidthChart(
        WIDTH,
        HEIGHT,
        LEFT,
        RIGHT,
        y(view.narrower_than),
        line(view.live),
        line(view.planned),
        (x(ended[0].n), y(ended[0].width)) if ended else None,
        below=[Tick(x(n), str(n)) for n in range(0, most + 1, step)],
        beside=[
            Tick(y(at * every), f"{at * every / view.unit:.6g}") for at in range(int(top / every + 1e-9) + 1)
        ],
    )


def _tick(top: float) -> float:
    """A round distance of ticks, at most five of them to the top."""
    tens = 10.0 ** math.floor(math.log10(top / 5))
    return next(tens * each for each in (1, 2, 2.5, 5, 10) if top / (tens * each) <= 5 + 1e-9)


def nice_top(most: int) -> int:
    """An even round number that is not less."""
    for digits in range(10):
        for first in (2, 4, 6, 8, 10):
            if first * 10**digits >= most:
                return int(first * 10**digits)
    return most


def moment(at: datetime, step: timedelta) -> str:
    """Short, in UTC."""
    return f"{at.day} {at:%b}" if step >= timedelta(days=1) else f"{at.day} {at:%b, %H:%M}"
