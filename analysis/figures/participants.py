"""Participants' accuracy and uncertainty: a violin for each study, every participant a dot (the paper's Figure 7)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from analysis import words
from analysis.choice.studies import StudyResult
from analysis.figures import canvas
from analysis.figures.dots import MOST_DOTS, beside, outline, thinned
from analysis.figures.figure import AnyFigure, Figure, NoFigure, numbers_of
from analysis.reported import Comparison
from analysis.stats.comparisons import MannWhitney
from analysis.stats.description import Description
from analysis.stats.intervals import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Sheet

NAME, TITLE = "participants", "Accuracy and uncertainty of participants"
MOST_STUDIES = 8
_MOST_BESIDE = 3
_WIDE = 0.62
# Of a violin, as shares of its room, and at most so many inches.
_HALF, _ASIDE, _WIDEST = 0.34, 0.06, 0.36
_HIGH, _LEFT, _RIGHT, _BELOW, _ABOVE = 2.45, 0.42, 0.08, 0.52, 0.3
_HEAD = (
    "study",
    "measure",
    "participants",
    "mean",
    "95% interval",
    "SD (n-1)",
    "lowest",
    "median",
    "highest",
)
CHANCE = 0.5


@dataclass(frozen=True, slots=True)
class _Violin:
    study: str
    values: Floats
    described: Description


@dataclass(frozen=True, slots=True)
class _Panel:
    """One measure on its scale; `ends` says what its two ends mean."""

    measure: str
    about: str
    low: float
    high: float
    ends: tuple[str, str]
    violins: tuple[_Violin, ...]


def participants_figure(studies: Sequence[StudyResult], comparisons: Sequence[Comparison] = ()) -> AnyFigure:
    """Draw each participant's accuracy and mean uncertainty, by study; `comparisons` go into the sentence.

    One dot is one participant; participants are independent. Beyond 300 participants of a study, 300 are drawn, evenly
    chosen by rank; beyond eight studies, the first eight."""
    panels = [panel for panel in _panels(studies[:MOST_STUDIES]) if panel.violins]
    if not panels:
        return NoFigure(
            NAME, TITLE, "No participant has an accuracy or an uncertainty: there is nothing to draw."
        )
    rows = 1 if len(studies) <= _MOST_BESIDE and len(panels) == 2 else len(panels)
    height = _HIGH * rows
    alt = _alt(panels)
    svg, png = canvas.drawn(height, lambda sheet: _paint(sheet, panels, rows), TITLE, alt)
    return Figure(
        name=NAME,
        title=TITLE,
        sentence=" ".join(_sentences(panels, studies, comparisons)),
        alt=alt,
        numbers=numbers_of(_HEAD, [row for panel in panels for row in _rows(panel)], n_names=2),
        size=(canvas.WIDTH, height),
        svg=svg,
        png=png,
        reading=" ".join(_reading(panels, studies)) + canvas.missing_note(one.study for one in studies),
    )


def _panels(studies: Sequence[StudyResult]) -> Iterator[_Panel]:
    accuracies = _violins((one.study, one.participants["accuracy"], one.accuracy) for one in studies)
    yield _Panel("accuracy", "share of right choices", 0.0, 1.0, ("", ""), accuracies)
    uncertainties = _violins((one.study, one.participants["uncertainty"], one.uncertainty) for one in studies)
    highest = max([5.0, *(float(np.ceil(one.values.max())) for one in uncertainties)])
    ends = ("certain", "uncertain")
    yield _Panel("uncertainty", "mean of the scale points", 1.0, highest, ends, uncertainties)


def _violins(given: Iterator[tuple[str, object, Description]]) -> tuple[_Violin, ...]:
    violins = []
    for study, values, described in given:
        numbers = np.asarray(values, dtype=float)
        numbers = np.sort(numbers[~np.isnan(numbers)])
        if len(numbers):
            violins.append(_Violin(study, numbers, described))
    return tuple(violins)


def _paint(sheet: "Sheet", panels: Sequence[_Panel], rows: int) -> None:
    columns = len(panels) // rows
    width = canvas.WIDTH / columns
    for number, panel in enumerate(panels):
        row, column = divmod(number, columns)
        bottom = (rows - 1 - row) * _HIGH + _BELOW
        axes = canvas.axes_at(
            sheet, column * width + _LEFT, bottom, width - _LEFT - _RIGHT, _HIGH - _BELOW - _ABOVE
        )
        _scale(axes, panel, width - _LEFT - _RIGHT)
        for place, violin in enumerate(panel.violins):
            _violin(axes, panel, violin, place, (width - _LEFT - _RIGHT) / len(panel.violins))


def _scale(axes: "Axes", panel: _Panel, width: float) -> None:
    n = len(panel.violins)
    margin = (panel.high - panel.low) * 0.04
    axes.set_xlim(-0.5, n - 0.5)
    axes.set_ylim(panel.low - margin, panel.high + margin)
    names = [canvas.fitted(violin.study, width / n * 0.95, canvas.SMALL) for violin in panel.violins]
    means = [words.number(violin.described.mean) for violin in panel.violins]
    before = "mean " if width / n > _WIDE else ""
    counts = [f"{before}{mean}\nn = {len(v.values):,}" for mean, v in zip(means, panel.violins, strict=True)]
    axes.set_xticks(range(n), [f"{name}\n{count}" for name, count in zip(names, counts, strict=True)])
    axes.tick_params(axis="x", length=0)
    if panel.measure == "accuracy":
        axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "0.25", "0.5", "0.75", "1"])
        axes.axhline(CHANCE, color=canvas.MUTED, linewidth=0.9, linestyle=(0, (4, 3)), zorder=0)
        if n <= _MOST_BESIDE:
            axes.text(
                n - 0.5,
                CHANCE - 0.015,
                "chance",
                ha="right",
                va="top",
                fontsize=canvas.SMALL,
                color=canvas.MUTED,
            )
    else:
        step = max(1, round((panel.high - panel.low) / 5))
        axes.set_yticks(np.arange(panel.low, panel.high + 0.5, step))
    axes.set_title(
        _heading(panel), fontsize=canvas.FONT, loc="left", x=-_LEFT / width + 0.03, color=canvas.INK
    )


def _heading(panel: _Panel) -> str:
    if panel.measure == "accuracy":
        return "Accuracy"
    return f"Uncertainty (1 certain, {panel.high:g} uncertain)"


def _violin(axes: "Axes", panel: _Panel, violin: _Violin, place: int, room: float) -> None:
    from matplotlib.patches import Polygon

    colour = canvas.COLOURS[place % len(canvas.COLOURS)]
    middle, half = place - _ASIDE, min(_HALF, _WIDEST / room)
    if shape := outline(violin.values, panel.low, panel.high):
        places, heights = shape
        across = np.concatenate([middle - half * heights, middle + half * heights[::-1]])
        corners = np.column_stack([across, np.concatenate([places, places[::-1]])])
        # As artists: the scale is set, and `fill` would look at every side of the shape for its extent.
        axes.add_artist(Polygon(corners, facecolor=colour, alpha=0.2, linewidth=0, zorder=1))
        axes.add_artist(Polygon(corners, facecolor="none", edgecolor=colour, linewidth=1.0, zorder=2))
    drawn = thinned(violin.values)
    axes.plot(
        middle + half * beside(drawn, panel.low, panel.high, 0.075 / (half * room)),
        drawn,
        linestyle="",
        marker=canvas.MARKERS[place % len(canvas.MARKERS)],
        markersize=3.6 if len(drawn) <= 100 else 2.4,
        markerfacecolor=colour,
        markeredgecolor="white",
        markeredgewidth=0.4,
        zorder=3,
    )
    _mean(axes, violin, place + half + _ASIDE)


def _mean(axes: "Axes", violin: _Violin, place: float) -> None:
    """Draw the mean next to the shape, so that it hides no participant."""
    mean, interval = violin.described.mean, violin.described.interval
    if mean is None:
        return
    if interval.low is not None and interval.high is not None:
        axes.plot([place, place], [interval.low, interval.high], color=canvas.INK, linewidth=1.6, zorder=5)
    axes.plot(
        [place],
        [mean],
        linestyle="",
        marker="D",
        markersize=5,
        markerfacecolor="white",
        markeredgecolor=canvas.INK,
        zorder=6,
    )


def _sentences(
    panels: Sequence[_Panel], studies: Sequence[StudyResult], comparisons: Sequence[Comparison]
) -> Iterator[str]:
    for panel in panels:
        means = words.listed(
            [
                words.described(one.described) + (f" in {one.study}" if len(studies) > 1 else "")
                for one in panel.violins
            ]
        )
        scale = (
            ""
            if panel.measure == "accuracy"
            else f", from 1 extremely certain to {panel.high:g} extremely uncertain"
        )
        ending = "; chance is 0.5" if panel.measure == "accuracy" else ""
        yield words.sentence(f"mean {panel.measure}{scale}{',' if scale else ''} was {means}{ending}")
        yield from (
            _compared(one) for one in comparisons if one.measure == panel.measure and _is_defined(one)
        )
    if not any(panel.measure == "accuracy" for panel in panels):
        yield "There is no accuracy: no pair with a right member was answered."


def _reading(panels: Sequence[_Panel], studies: Sequence[StudyResult]) -> Iterator[str]:
    yield (
        "Each dot is one participant, the shape shows where values are common, and the white diamond is the mean with "
        "its interval."
    )
    if any(len(violin.values) > MOST_DOTS for panel in panels for violin in panel.violins):
        yield (
            f"At most {MOST_DOTS} participants of a study are drawn, chosen evenly by rank; means and shapes are of "
            "all."
        )
    if len(studies) > MOST_STUDIES:
        yield f"The first {MOST_STUDIES} of {len(studies)} studies are drawn."


def _is_defined(one: Comparison) -> bool:
    if one.compared_as == "paired":
        return one.paired is not None and one.paired.shift.value is not None
    return one.test.effect is not None


def _compared(comparison: Comparison) -> str:
    test: MannWhitney = comparison.test
    first, second = comparison.studies
    if comparison.compared_as == "paired" and comparison.paired:
        paired, shift = comparison.paired, comparison.paired.shift
        limits = "" if shift.low is None else f", 95% interval {shift.low:.2f} to {shift.high:.2f}"
        return (
            f"Of {paired.n} participants in both, {paired.n_higher} have a higher {comparison.measure} in {first} and "
            f"{paired.n_lower} in {second} (shift {words.number(shift.value)}{limits})."
        )
    interval = test.effect_interval
    limits = (
        f"{words.level(interval)} interval {words.interval(interval)}; " if interval.low is not None else ""
    )
    return (
        f"The probability that a participant of {first} has a higher {comparison.measure} than one of {second} is "
        f"{words.number(test.effect)} ({limits}ties count half)."
    )


def _rows(panel: _Panel) -> Iterator[tuple[str, ...]]:
    for one in panel.violins:
        described = one.described
        yield (
            one.study,
            panel.measure,
            str(described.n),
            words.number(described.mean, 3),
            words.interval(described.interval, 3),
            words.number(described.sd_ddof1, 3),
            f"{one.values[0]:.3f}",
            f"{float(np.median(one.values)):.3f}",
            f"{one.values[-1]:.3f}",
        )


def _alt(panels: Sequence[_Panel]) -> str:
    parts = [
        f"{panel.measure} of {len(one.values)} participants of {one.study}, from {one.values[0]:.2f} to "
        f"{one.values[-1]:.2f}"
        for panel in panels
        for one in panel.violins
    ]
    return f"Violins with one dot for each participant: {'; '.join(parts)}."
