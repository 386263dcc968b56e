"""Ratings: how every item was scored by each criterion, and the criterion's mean."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from analysis import words
from analysis.figures import canvas
from analysis.figures.dots import MOST_DOTS, beside, thinned
from analysis.figures.figure import AnyFigure, Figure, NoFigure, numbers_of
from analysis.ratings.scores import CriterionResult, RatingAnalysis
from analysis.stats.intervals import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAME, TITLE = "scores", "Scores by criterion"
MOST_CRITERIA = 20
_ROW, _BELOW, _ABOVE, _RIGHT, _WIDEST = 0.46, 0.4, 0.06, 0.62, 1.25
_HEAD = ("criterion", "scores", "items", "raters", "mean", "95% interval", "SD (n-1)", "lowest", "highest")


@dataclass(frozen=True, slots=True)
class _Line:
    result: CriterionResult
    items: Floats


def scores_figure(analysis: RatingAnalysis) -> AnyFigure:
    """Draw the mean score of each item by each criterion, and the mean of all scores with its interval.

    One dot is one item. Beyond 300 items 300 are drawn, chosen evenly by rank; beyond 20 criteria the first 20."""
    lines = [_Line(one, _items(analysis, one)) for one in analysis.criteria if one.mean is not None]
    if analysis.agreement_level == "nominal":
        return NoFigure(NAME, TITLE, "The scores are names of classes, which have no mean to draw.")
    if not lines:
        return NoFigure(NAME, TITLE, "No criterion has a score that counts: there is nothing to draw.")
    drawn = lines[:MOST_CRITERIA]
    height = _ROW * len(drawn) + _BELOW + _ABOVE
    low, high = _scale(analysis, drawn)
    alt = _alt(drawn)
    svg, png = canvas.drawn(
        height, lambda sheet: _paint(canvas.axes_at(sheet, *_place(drawn)), drawn, low, high), TITLE, alt
    )
    return Figure(
        name=NAME,
        title=TITLE,
        sentence=" ".join(_sentences(lines)),
        alt=alt,
        numbers=numbers_of(_HEAD, [_row(line.result) for line in lines]),
        size=(canvas.WIDTH, height),
        svg=svg,
        png=png,
        reading=" ".join(_reading(lines)) + canvas.missing_note(line.result.criterion for line in drawn),
    )


def _items(analysis: RatingAnalysis, one: CriterionResult) -> Floats:
    means = analysis.items.loc[analysis.items["criterion"] == one.criterion, "mean"].to_numpy(dtype=float)
    return np.sort(means[~np.isnan(means)])


def _scale(analysis: RatingAnalysis, lines: Sequence[_Line]) -> tuple[float, float]:
    """The scale that was given, or the scores that were; wider where some are outside of it."""
    low = min(line.items[0] for line in lines)
    high = max(line.items[-1] for line in lines)
    if analysis.scale:
        low, high = min(low, analysis.scale[0]), max(high, analysis.scale[1])
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _place(lines: Sequence[_Line]) -> tuple[float, float, float, float]:
    widest = max(canvas.width_of(canvas.legible(line.result.criterion), canvas.SMALL) for line in lines)
    left = min(_WIDEST, max(0.4, widest + 0.2))
    return left, _BELOW, canvas.WIDTH - left - _RIGHT, _ROW * len(lines)


def _paint(axes: "Axes", lines: Sequence[_Line], low: float, high: float) -> None:
    margin = (high - low) * 0.03
    axes.set_xlim(low - margin, high + margin)
    axes.set_ylim(len(lines), 0)
    axes.spines["left"].set_visible(False)
    left = _place(lines)[0]
    names = [canvas.fitted(line.result.criterion, left - 0.15, canvas.SMALL) for line in lines]
    axes.set_yticks([number + 0.5 for number in range(len(lines))], names)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel("score", fontsize=canvas.SMALL, labelpad=1)
    for number, line in enumerate(lines):
        shown = thinned(line.items)
        axes.plot(
            shown,
            number + 0.36 + 0.3 * beside(shown, low, high, 0.33),
            linestyle="",
            marker="o",
            markersize=3.0 if len(shown) <= 100 else 2.0,
            markerfacecolor=canvas.COLOURS[0],
            markeredgewidth=0,
            alpha=0.7,
            zorder=2,
        )
        _mean(axes, line.result, number + 0.82)


def _mean(axes: "Axes", one: CriterionResult, middle: float) -> None:
    low, high = one.interval.low, one.interval.high
    if low is not None and high is not None:
        axes.plot([low, high], [middle, middle], color=canvas.INK, linewidth=1.6, zorder=4)
    axes.plot(
        np.array([one.mean], dtype=float),
        [middle],
        linestyle="",
        marker="D",
        markersize=5,
        markerfacecolor="white",
        markeredgecolor=canvas.INK,
        zorder=5,
    )
    axes.annotate(
        f"{words.number(one.mean)}\nn = {one.n:,}",
        (1, middle - 0.32),
        xycoords=("axes fraction", "data"),
        xytext=(4, 0),
        textcoords="offset points",
        va="center",
        fontsize=canvas.SMALL,
    )


def _sentences(lines: Sequence[_Line]) -> Iterator[str]:
    parts = [
        f"{words.estimate(line.result.mean, line.result.interval, words.count(line.result.n, 'score'))} by "
        f"{line.result.criterion}"
        for line in lines[:MOST_CRITERIA]
    ]
    yield words.sentence(f"the mean score was {words.listed(parts)}")


def _reading(lines: Sequence[_Line]) -> Iterator[str]:
    yield "Each dot is the mean score of one item; the white diamond is the mean of all scores with its interval."
    if any(len(line.items) > MOST_DOTS for line in lines):
        yield f"At most {MOST_DOTS} items of a criterion are drawn, chosen evenly by rank; the means are of all."
    if len(lines) > MOST_CRITERIA:
        yield f"The first {MOST_CRITERIA} of {len(lines)} criteria are drawn."


def _row(one: CriterionResult) -> tuple[str, ...]:
    counts = str(one.n), str(one.n_items), str(one.n_raters)
    ends = ("none" if end is None else f"{end:g}" for end in (one.minimum, one.maximum))
    numbers = words.number(one.mean, 3), words.interval(one.interval, 3), words.number(one.sd_ddof1, 3)
    return one.criterion, *counts, *numbers, *ends


def _alt(lines: Sequence[_Line]) -> str:
    parts = [
        f"{line.result.criterion}, {len(line.items)} items from {line.items[0]:.2f} to {line.items[-1]:.2f}, mean "
        f"{words.number(line.result.mean)}"
        for line in lines
    ]
    return f"A row of dots for each criterion, one for each item: {'; '.join(parts)}."
