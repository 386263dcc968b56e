"""Accuracy at each uncertainty, by study."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from analysis import words
from analysis.choice.certainty import Certainty, Level
from analysis.figures import canvas
from analysis.figures.figure import AnyFigure, Figure, NoFigure, numbers_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Sheet

NAME, TITLE = "certainty", "Accuracy by certainty"
MOST_STUDIES = 6
_HIGH, _LEFT, _RIGHT, _BELOW, _ABOVE = 2.2, 0.5, 0.06, 0.66, 0.26
_HEAD = (
    "answers",
    "right",
    "share of answers",
    "participants",
    "mean",
    "95% interval",
)
CHANCE = 0.5

Named = tuple[str, Certainty]


def certainty_figure(studies: Sequence[Named]) -> AnyFigure:
    """Draw the confidence-accuracy curve of each study, given with its name.

    One point is the mean over the participants who used this uncertainty, or a certainty of this bin, each by the share
    of right answers at it, with its bootstrap interval. Beyond six studies the first six are drawn."""
    there = [(name, one) for name, one in studies if one.levels]
    if not there:
        return NoFigure(NAME, TITLE, words.sentence(f"there is no curve: {_why(studies)}"))
    drawn = there[:MOST_STUDIES]
    rows = -(-len(drawn) // 2)
    height = _HIGH * rows
    alt = _alt(drawn)
    svg, png = canvas.drawn(height, lambda sheet: _paint(sheet, drawn, rows), TITLE, alt)
    numbers = numbers_of(
        _head(drawn), [_row(name, level) for name, one in drawn for level in one.levels], n_names=2
    )
    sentence = " ".join(_sentences(there))
    reading = " ".join(_reading(there)) + canvas.missing_note(name for name, _ in drawn)
    return Figure(NAME, TITLE, sentence, alt, numbers, (canvas.WIDTH, height), svg, png, reading)


def _head(studies: Sequence[Named]) -> tuple[str, ...]:
    scales = dict.fromkeys(one.scale for _, one in studies)
    return "study", " or ".join(scales), *_HEAD


def _why(studies: Sequence[Named]) -> str:
    return next((one.reason for _, one in studies if one.reason), "no study has uncertainties")


def _paint(sheet: "Sheet", studies: Sequence[Named], rows: int) -> None:
    columns = 1 if len(studies) == 1 else 2
    width = canvas.WIDTH / columns
    highest = max(5, *(_places(one)[-1] for _, one in studies))
    for number, (name, one) in enumerate(studies):
        row, column = divmod(number, columns)
        place = column * width + _LEFT, (rows - 1 - row) * _HIGH + _BELOW
        size = width - _LEFT - _RIGHT, _HIGH - _BELOW - _ABOVE
        axes = canvas.axes_at(sheet, *place, *size)
        _scale(axes, one, highest, size[0])
        _curve(axes, one, number)
        axes.set_title(canvas.fitted(name, size[0]), fontsize=canvas.FONT, loc="left", color=canvas.INK)
        if column == 0:
            axes.set_ylabel("accuracy", fontsize=canvas.SMALL, labelpad=2)


def _places(one: Certainty) -> list[int]:
    """The position of each level from certain to uncertain: its uncertainty, or consecutive places."""
    return [level.uncertainty or place for place, level in enumerate(one.levels, start=1)]


def _scale(axes: "Axes", one: Certainty, highest: int, width: float) -> None:
    counts = {place: level.n_answers for place, level in zip(_places(one), one.levels, strict=True)}
    if one.scale == "certainty":
        highest = len(one.levels)
    axes.set_xlim(0.5, highest + 0.5)
    axes.set_ylim(0, 1.03)
    step = 1 if width / highest > 0.24 else 2
    points = range(1, highest + 1, step)
    names = {place: _bin(level) for place, level in zip(_places(one), one.levels, strict=True)}
    axes.set_xticks(
        points, [f"{names.get(point, point)}\n{_short(counts.get(point, 0))}" for point in points]
    )
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "0.25", "0.5", "0.75", "1"])
    axes.axhline(CHANCE, color=canvas.MUTED, linewidth=0.9, linestyle=(0, (4, 3)), zorder=0)
    axes.set_xlabel(
        "certain \N{RIGHTWARDS ARROW} uncertain,\nand answers of each", fontsize=canvas.SMALL, labelpad=2
    )


def _bin(level: Level) -> str:
    return level.name.replace(" to ", "\N{EN DASH}")


def _short(n: int) -> str:
    return str(n) if n < 10_000 else f"{n / 1000:.0f}k" if n < 1_000_000 else f"{n / 1e6:.1f}M"


def _curve(axes: "Axes", one: Certainty, number: int) -> None:
    colour = canvas.COLOURS[number % len(canvas.COLOURS)]
    placed = zip(_places(one), one.levels, strict=True)
    points = [(place, level.accuracy) for place, level in placed if level.accuracy.mean is not None]
    axes.plot(
        [point for point, _ in points],
        np.array([accuracy.mean for _, accuracy in points], dtype=float),
        color=colour,
        linewidth=1.2,
        marker=canvas.MARKERS[number % len(canvas.MARKERS)],
        markersize=5,
        markeredgecolor="white",
        markeredgewidth=0.5,
        zorder=3,
    )
    for point, accuracy in points:
        low, high = accuracy.interval.low, accuracy.interval.high
        if low is not None and high is not None:
            axes.plot([point, point], [low, high], color=colour, linewidth=1.2, zorder=2)


def _sentences(studies: Sequence[Named]) -> Iterator[str]:
    for name, one in studies[:MOST_STUDIES]:
        where = f" in {name}" if len(studies) > 1 else ""
        first, last = one.levels[0], one.levels[-1]
        if first is last:
            yield f"All answers{where} have the {one.scale} {first.name}."
            continue
        yield (
            f"Mean accuracy{where} was {words.described(first.accuracy)} at {one.scale} {first.name} and "
            f"{words.described(last.accuracy)} at {last.name}."
        )
        area = one.auroc
        if area.mean is None:
            yield f"Within participants it cannot be told{where}: {area.reason}."
            continue
        yield (
            f"Of a participant's right and wrong answers{where}, the right one was the more certain with probability "
            f"{words.described(area)}; 0.5 would be no relation."
        )


def _reading(studies: Sequence[Named]) -> Iterator[str]:
    is_certainty = all(one.mean is not None for _, one in studies)
    scale = "More is more certain" if is_certainty else "Uncertainty 1 is extremely certain"
    yield (
        "Each point is the mean over the participants who gave such answers, with its interval: other people gave "
        f"each, so the curve also shows how people differ. {scale}; the dashed line is chance."
    )
    if any(one.binned for _, one in studies):
        yield "A point is a quantile bin of the answers where there are many values; equal values are in one bin."
    if len(studies) > MOST_STUDIES:
        yield f"The first {MOST_STUDIES} of {len(studies)} studies are drawn."


def _row(name: str, level: Level) -> tuple[str, ...]:
    return (
        name,
        level.name,
        str(level.n_answers),
        str(level.n_correct),
        words.number(level.pooled.value, 3),
        str(level.n_participants),
        words.number(level.accuracy.mean, 3),
        words.interval(level.accuracy.interval, 3),
    )


def _alt(studies: Sequence[Named]) -> str:
    parts = [
        f"{name}: "
        + ", ".join(f"{words.number(level.accuracy.mean)} at {level.name}" for level in one.levels)
        for name, one in studies
    ]
    return f"A line for each study over the uncertainties. {'; '.join(parts)}."
