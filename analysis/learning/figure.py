"""The learning curve of a judge of votes: accuracy by training pairs, and by votes a pair, with people's level."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from analysis import words
from analysis.figures import canvas
from analysis.figures.figure import AnyFigure, Figure, NoFigure, numbers_of
from analysis.learning.votes import CurvePoint, Untrained, Voted

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Sheet

NAME, TITLE = "learning", "What more votes reach"
_HEIGHT, _PANEL, _LEFT, _BETWEEN, _RIGHT, _BOTTOM, _TOP = 2.9, 1.55, 0.48, 0.22, 0.1, 0.36, 0.12
_DASHES = ((0, ()), (0, (5, 2)), (0, (1, 2)))

Level = tuple[str, float]


def learning_figure(numbers: Voted) -> AnyFigure:
    """Draw held-out label accuracy against training pairs and against votes for each pair; bands hold 90% of repeats.

    Lines are one person against the others, one half of the people against the other, and the best untrained judge."""
    panels = [
        (axis, [point for point in points if point.reached.label_accuracy is not None])
        for axis, points in (
            ("pairs learnt from", numbers.by_pairs),
            ("votes for each pair", numbers.by_votes),
        )
    ]
    panels = [panel for panel in panels if panel[1]]
    if not panels:
        return NoFigure(NAME, TITLE, "Too few pairs are left to learn from fewer: there is no curve to draw.")
    levels = list(_levels(numbers))
    alt = "; ".join(
        [
            *(_points_text(axis, points) for axis, points in panels),
            *(f"{name}: {value:.2f}" for name, value in levels),
        ]
    )
    svg, png = canvas.drawn(_HEIGHT, lambda sheet: _paint(sheet, panels, levels), TITLE, alt)
    rows = [
        (axis, str(point.n), words.number(point.reached.label_accuracy, 3),
         f"{words.number(point.reached.low, 3)} to {words.number(point.reached.high, 3)}")
        for axis, points in panels
        for point in points
    ]  # fmt: skip
    rows += [(name, "", words.number(value, 3), "") for name, value in levels]
    return Figure(
        name=NAME,
        title=TITLE,
        sentence="Share of held-out majorities that are named, mean over repeats; bands are 5 to 95% of repeats.",
        alt=alt,
        numbers=numbers_of(("of", "n", "majorities named", "5 to 95% of repeats"), rows, n_names=1),
        size=(canvas.WIDTH, _HEIGHT),
        svg=svg,
        png=png,
    )


def best_untrained(found: Sequence[Untrained]) -> Untrained | None:
    known = [each for each in found if each.label_accuracy is not None]
    return max(known, key=lambda each: each.label_accuracy or 0.0, default=None)


def _levels(numbers: Voted) -> Iterator[Level]:
    if numbers.ceilings.one_person is not None:
        yield "one person", numbers.ceilings.one_person
    if numbers.ceilings.half is not None:
        yield "half of the people", numbers.ceilings.half
    best = best_untrained(numbers.untrained)
    if best is not None and best.label_accuracy is not None:
        yield f"best untrained judge ({best.name})", best.label_accuracy


def _points_text(axis: str, points: Sequence[CurvePoint]) -> str:
    return f"{axis}: " + ", ".join(f"{point.n} {point.reached.label_accuracy:.2f}" for point in points)


def _paint(
    sheet: "Sheet", panels: Sequence[tuple[str, Sequence[CurvePoint]]], levels: Sequence[Level]
) -> None:
    width = (canvas.WIDTH - _LEFT - _RIGHT - _BETWEEN * (len(panels) - 1)) / len(panels)
    bottom = _HEIGHT - _TOP - _PANEL
    values = [value for _, value in levels]
    values += [
        value for _, points in panels for p in points for value in (p.reached.low, p.reached.high) if value
    ]
    low, high = min(0.5, *values) - 0.03, min(1.0, max(values)) + 0.03
    for number, (axis, points) in enumerate(panels):
        axes = canvas.axes_at(sheet, _LEFT + number * (width + _BETWEEN), bottom, width, _PANEL)
        at = [float(point.n) for point in points]
        axes.set_xscale("log")
        axes.set_xlim(min(at) / 1.2, max(at) * 1.2)
        axes.set_ylim(low, high)
        axes.set_xticks(at, [str(point.n) for point in points])
        axes.set_xticks([], minor=True)
        axes.set_xlabel(axis, fontsize=canvas.SMALL, labelpad=1)
        if number:
            axes.set_yticklabels([])
        else:
            axes.set_ylabel("majorities named", fontsize=canvas.SMALL, labelpad=2)
        lows = [point.reached.low or 0.0 for point in points]
        highs = [point.reached.high or 0.0 for point in points]
        axes.fill_between(at, lows, highs, color=canvas.COLOURS[0], alpha=0.2, linewidth=0)
        means = [point.reached.label_accuracy or 0.0 for point in points]
        axes.plot(at, means, color=canvas.COLOURS[0], marker="o", markersize=3.5, linewidth=1.4)
        for place, (_, value) in enumerate(levels):
            axes.axhline(value, color=canvas.COLOURS[place + 1], linewidth=1.1, linestyle=_DASHES[place])
    _key(sheet, levels, bottom - _BOTTOM)


def _key(sheet: "Sheet", levels: Sequence[Level], height: float) -> None:
    axes = canvas.axes_at(sheet, 0.0, 0.0, canvas.WIDTH, height)
    axes.set_xlim(0, canvas.WIDTH)
    axes.set_ylim(0, height)
    axes.axis("off")
    names = ["judge of votes, held out; band: 5 to 95% of repeats", *(name for name, _ in levels)]
    for number, name in enumerate(names):
        y = height - 0.12 - 0.19 * number
        style = _DASHES[number - 1] if number else _DASHES[0]
        axes.plot([0.1, 0.4], [y, y], color=canvas.COLOURS[number], linewidth=1.4, linestyle=style)
        axes.text(
            0.48, y, canvas.fitted(name, canvas.WIDTH - 0.6, canvas.SMALL), fontsize=canvas.SMALL, va="center"
        )
