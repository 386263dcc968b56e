"""A clue's values by source as a small drawing, for a page that allows no inline style."""

import math
import re
from collections.abc import Sequence
from html import escape

import numpy as np
import pandas as pd

from analysis.clues.report import ClueReport, ClueResult, SourceValues
from analysis.clues.table import FIXED, check_clues
from analysis.clues.words import capital, shown_value, words_for
from analysis.stats.intervals import Floats

WIDTH = 480
MOST_DOTS = 300
# Each keeps a contrast of 3 to 1 on the pages' light and dark grounds; blue, orange, green and purple as far apart
# for the colour-blind as that leaves them. Rows are named and shapes differ, so no colour alone says anything.
COLOURS = ("#3a86c8", "#c75b12", "#0f9270", "#a860c0")

_SIDE = 24
_ROW = 46
_AXIS = 44
_FONT = 13
_MOST_TICKS = 5
_GOLDEN = (math.sqrt(5) - 1) / 2
# Each begins at a dot's centre and ends anywhere: circle, square, triangle, diamond, cross.
_SHAPES = (
    "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0",
    "m-3.5-3.5h7v7h-7z",
    "m0-4.5l4.5 8h-9z",
    "m0-5l5 5l-5 5l-5-5z",
    "m-4-4l8 8m0-8l-8 8",
)
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def clue_svg(clips: pd.DataFrame, clue: str, report: ClueReport) -> str:
    """Draw one clue as an SVG: a row of dots for each source, one dot for each clip, a tick at the median.

    It is styled by presentation attributes alone, follows the text colour of the page around it, never grows beyond
    480 px, shrinks with a narrow page, and tells its content in `title` and `desc`. The dots' scatter across a row
    means nothing; it is the same for the same clips in any order. Beyond 300 clips of a source, 300 are
    drawn, evenly chosen by rank, and `desc` says so.

    Parameters
    ----------
    clips
        The table that `report` was made of, one row for each clip.
    clue
        One of the report's clues.

    Raises
    ------
    KeyError
        If the report holds no such clue.
    """
    result = report.clue(clue)
    table = check_clues(clips[[*FIXED, clue]])
    number = [each.clue for each in (*report.clues, *report.inside.clues)].index(clue)
    height = _ROW * len(result.sources) + _AXIS
    names = f"clue-{number}-title", f"clue-{number}-desc"
    ticks = _ticks(table[clue].dropna().to_numpy() * words_for(clue).scale)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="100%" height="{height}"'
        f' preserveAspectRatio="xMinYMin meet" role="img" aria-labelledby="{names[0]} {names[1]}"'
        f' font-size="{_FONT}" fill="currentColor">',
        f'<title id="{names[0]}">{_text(capital(result.label))} by source</title>',
        f'<desc id="{names[1]}">{_text(_described(result))}</desc>',
        *(_row(table, result, row, ticks) for row in range(len(result.sources))),
        _axis(result, ticks, height - _AXIS),
        "</svg>",
    ]
    return "".join(parts)


def _row(table: pd.DataFrame, result: ClueResult, row: int, ticks: Sequence[float]) -> str:
    source = result.sources[row]
    scale = words_for(result.clue).scale
    values = table.loc[table["source"] == source.source, result.clue].dropna().to_numpy() * scale
    top = _ROW * row
    name = f'<text x="{_SIDE}" y="{top + 13}">{_text(source.source)} ({source.n})</text>'
    if source.median is None:
        return name
    colour, shape = COLOURS[row % len(COLOURS)], _SHAPES[row % len(_SHAPES)]
    dots = "".join(f"M{_x(x, ticks)} {top + 30 + y:.1f}{shape}" for x, y in _scattered(values))
    tick = _x(source.median * scale, ticks)
    return (
        f'{name}<path d="{dots}" fill="{colour}" fill-opacity="0.35" stroke="{colour}" stroke-width="1.2"/>'
        f'<path d="M{tick} {top + 19}v22" stroke="currentColor" stroke-width="2.5"/>'
    )


def _axis(result: ClueResult, ticks: Sequence[float], top: int) -> str:
    # 1e-9, because log10 of a power of ten can come out a hair below it.
    decimals = max(0, -math.floor(math.log10(ticks[1] - ticks[0]) + 1e-9))
    marks = "".join(f"M{_x(tick, ticks)} {top + 4}v5" for tick in ticks)
    numbers = "".join(
        f'<text x="{_x(tick, ticks)}" y="{top + 22}" text-anchor="middle" font-size="{_FONT - 2}">'
        f"{tick:.{decimals}f}</text>"
        for tick in ticks
    )
    unit = f" ({result.unit})" if result.unit else ""
    return (
        f'<path d="M{_SIDE} {top + 4}H{WIDTH - _SIDE}{marks}" stroke="currentColor" fill="none"/>{numbers}'
        f'<text x="{WIDTH // 2}" y="{top + 38}" text-anchor="middle">{_text(capital(result.label) + unit)}</text>'
    )


def _scattered(values: Floats) -> list[tuple[float, float]]:
    """Each value with a place across the row, from -8 to 8, spread evenly."""
    if len(values) > MOST_DOTS:
        values = np.sort(values)[np.linspace(0, len(values) - 1, MOST_DOTS).round().astype(int)]
    # Multiples of the golden ratio spread evenly without a random draw: the drawing is always the same.
    return [(float(value), 16 * (number * _GOLDEN % 1) - 8) for number, value in enumerate(values)]


def _x(value: float, ticks: Sequence[float]) -> str:
    inner = WIDTH - 2 * _SIDE
    return f"{_SIDE + inner * (value - ticks[0]) / (ticks[-1] - ticks[0]):.1f}"


def _ticks(values: Floats) -> list[float]:
    """Round numbers that enclose all values."""
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
    if low == high:
        low, high = (low - abs(low) / 10, high + abs(high) / 10) if low else (0.0, 1.0)
    rough = (high - low) / _MOST_TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(count * step, 12) for count in range(first, last + 1)]


def _described(result: ClueResult) -> str:
    against = result.against_others
    sentences = [_counted(result.clue, source) for source in result.sources]
    if against.auc is not None:
        interval = against.interval
        limits = "" if interval.low is None else f", 95% interval {interval.low:.2f} to {interval.high:.2f}"
        sentences.append(f"{against.first} against all others: AUC {against.auc:.2f}{limits}")
    return ". ".join(sentences) + "."


def _counted(clue: str, source: SourceValues) -> str:
    missing = f" and {source.missing} without a value" if source.missing else ""
    if source.median is None:
        return f"{source.source}: 0 clips{missing}"
    drawn = f" ({MOST_DOTS} drawn)" if source.n > MOST_DOTS else ""
    return f"{source.source}: {source.n} clips{drawn}{missing}, median {shown_value(clue, source.median)}"


def _text(text: str) -> str:
    return escape(_NOT_XML.sub("", text))
