"""Charts of the results page as numbers for an SVG, which the template draws with attributes alone.

There is no viewBox: x is in percent and y in pixels, so that text keeps its size from a phone to paper. Colours and
lines are classes of the style sheet, which follows light, dark and print.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from analysis.findings.model import Band, Dot, Figure, Mark, Panel

LEFT, RIGHT = 2.0, 98.0  # where a scale begins and ends, in percent
# In pixels: a viewBox would scale letters below what a phone can show (docs/decisions/0012).
_DOT, _STEP, _TOP, _FLOOR = 5.2, 12.6, 14.0, 158.0
_HIGH, _LOW = 16.0, 116.0  # where a share of 1 and of 0 lies in a panel
_DENSE = 11  # dots on each other that there is room for


@dataclass(frozen=True, slots=True)
class Tick:
    at: str
    label: str
    anchor: str


@dataclass(frozen=True, slots=True)
class Row:
    """A mark in percent of its drawing; empty where there is no number. `label` says it in words."""

    mark: Mark
    at: str
    low: str
    high: str
    band_at: str
    band_low: str
    band_wide: str
    label: str


@dataclass(frozen=True, slots=True)
class People:
    """A dot for each person above a line; the mean below it."""

    dots: Sequence[tuple[str, str]]
    radius: float
    mean: Row
    label: str


@dataclass(frozen=True, slots=True)
class Point:
    """A mark of a panel: x in percent, y in pixels; `low` and `high` of each are empty without an interval. Its name
    stands `below` it by so many pixels, above it where that is negative."""

    name: str
    x: str
    x_low: str
    x_high: str
    y: str
    y_low: str
    y_high: str
    anchor: str
    below: int


@dataclass(frozen=True, slots=True)
class Plot:
    """A panel in its places; `ends` are the numbers at the ends of what lies across."""

    title: str
    points: Sequence[Point]
    ends: tuple[str, str]
    label: str


def at(value: float | None, low: float = 0.0, high: float = 1.0) -> str:
    """The position of a value in percent; values beyond the scale are placed at its end."""
    if value is None:
        return ""
    share = min(1.0, max(0.0, (value - low) / (high - low)))
    return f"{LEFT + (RIGHT - LEFT) * share:.2f}%"


def ticks(figure: Figure) -> Sequence[Tick]:
    """The ends of the scale, and chance between them."""
    first, last = figure.ends
    middle = []
    if figure.chance is not None:
        label = figure.even or f"{100 * figure.chance:.0f}%"
        middle = [Tick(at(figure.chance, *figure.scale), label, "m")]
    return [Tick(at(0.0), first, ""), *middle, Tick(at(1.0), last, "e")]


def rows(figure: Figure, marks: Sequence[Mark] | None = None) -> Sequence[Row]:
    return [row_of(mark, figure.scale) for mark in (figure.marks if marks is None else marks)]


def row_of(mark: Mark, scale: tuple[float, float] = (0.0, 1.0)) -> Row:
    band = mark.band or Band(None, None, None)
    wide = ""
    if band.low is not None and band.high is not None:
        wide = f"{(band.high - band.low) / (scale[1] - scale[0]) * (RIGHT - LEFT):.2f}%"
    return Row(
        mark=mark,
        at=at(mark.value, *scale),
        low=at(mark.low, *scale) if mark.high is not None else "",
        high=at(mark.high, *scale) if mark.low is not None else "",
        band_at=at(band.value, *scale),
        band_low=at(band.low, *scale) if wide else "",
        band_wide=wide,
        label=_label(mark),
    )


def people(figure: Figure) -> People | None:
    """Stacks of dots that stay in their room: many people are drawn closer and smaller."""
    if not figure.dots:
        return None
    highest = 1 + max(dot.level for dot in figure.dots)
    step = _STEP if highest <= _DENSE else (_FLOOR - _TOP) / highest
    radius = max(1.2, min(_DOT, step * _DOT / _STEP))
    mean = row_of(figure.marks[0])
    n = len(figure.numbers.rows)
    return People(
        dots=[_dot(dot, step, radius) for dot in figure.dots],
        radius=round(radius, 1),
        mean=mean,
        label=f"Dot plot: accuracy of {n:,} {'person' if n == 1 else 'people'}. {mean.label}. Chance is 50%.",
    )


def plots(figure: Figure) -> Sequence[Plot]:
    return [_plot(panel) for panel in figure.panels]


def _plot(panel: Panel) -> Plot:
    found = [value for one in panel.across for value in (one.value, one.low, one.high) if value is not None]
    low, high = min(0.0, *found), max(found)
    high = high if high > low else low + 1.0
    # Names of neighbours stand in turn above and below their marks.
    from_left = sorted(zip(panel.marks, panel.across, strict=True), key=lambda pair: pair[1].value or 0.0)
    points = [
        _point(mark, one, low, high, below=20 if place % 2 else -8)
        for place, (mark, one) in enumerate(from_left)
    ]
    said = [
        f"{mark.name} {one.value:.3g}, {mark.says}"
        for mark, one in zip(panel.marks, panel.across, strict=True)
    ]
    label = f"{panel.title}: distance to people and share taken for a person. {'; '.join(said)}"
    return Plot(panel.title, points, (f"{low:.3g}", f"{high:.3g}"), label)


def _point(mark: Mark, across: Band, low: float, high: float, *, below: int) -> Point:
    def x(value: float | None) -> str:
        return at(value, low, high)

    assert across.value is not None
    return Point(
        name=mark.name,
        x=x(across.value),
        x_low=x(across.low) if across.high is not None else "",
        x_high=x(across.high) if across.low is not None else "",
        y=_up(mark.value),
        y_low=_up(mark.low) if mark.high is not None else "",
        y_high=_up(mark.high) if mark.low is not None else "",
        anchor="e" if across.value - low > 0.6 * (high - low) else "",
        below=below,
    )


def _up(share: float | None) -> str:
    return "" if share is None else f"{_LOW - (_LOW - _HIGH) * share:.1f}"


def _dot(dot: Dot, step: float, radius: float) -> tuple[str, str]:
    return at(dot.value), f"{_FLOOR - radius - 3.8 - dot.level * step:.1f}"


def _label(mark: Mark) -> str:
    if mark.spoken:
        return mark.spoken
    if mark.clips is not None:
        return f"{mark.name}: {mark.beside} votes for {mark.clips[0].stimulus or 'the clip on the left'}"
    if mark.low is None or mark.high is None:
        return f"{mark.name}: {mark.says}, {mark.beside}"
    return f"{mark.name}: {mark.says}, interval {100 * mark.low:.0f} to {100 * mark.high:.0f}"
