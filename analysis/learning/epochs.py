"""Figure 2 of the paper: how well each copy does on clips that it never saw, after each epoch."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from analysis import words
from analysis.figures import canvas
from analysis.figures.figure import AnyFigure, Figure, NoFigure, numbers_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Sheet

NAME, TITLE = "learning", "Accuracy over epochs"
_HEIGHT, _PANEL, _LEFT, _RIGHT, _TOP, _BOTTOM = 2.6, 1.75, 0.48, 0.12, 0.12, 0.4
_COPY, _MEAN = 0.8, 1.8

Curve = Sequence[float]


def epochs_figure(copies: Sequence[Curve]) -> AnyFigure:
    """Draw the share of single clips that each copy gets right, people and agents weighted alike, on the fold that it
    never saw, after each epoch [NTT21]_, figure 2. Nothing is chosen by it: a copy is that of the last epoch."""
    curves = [curve for curve in copies if curve]
    if not curves:
        return NoFigure(NAME, TITLE, "No fold holds both people and agents: there is no curve to draw.")
    # Where copies were searched, all have as many epochs, too.
    found = np.array(curves)
    mean = found.mean(axis=0)
    alt = f"One thin line for each of {len(found)} copies, a thick one for their mean: {_losses_text(found)}."
    svg, png = canvas.drawn(_HEIGHT, lambda sheet: _paint(sheet, found), TITLE, alt)
    head = "epoch", "mean", *(f"copy {number}" for number in range(1, len(found) + 1))
    rows = [
        (str(epoch), words.number(float(mean[epoch - 1]), 3), *(words.number(float(v), 3) for v in found[:, epoch - 1]))
        for epoch in range(1, len(mean) + 1)
    ]  # fmt: skip
    return Figure(
        name=NAME,
        title=TITLE,
        sentence=f"Single clips right, on folds that a copy never saw: {_losses_text(found)}.",
        alt=alt,
        numbers=numbers_of(head, rows),
        size=(canvas.WIDTH, _HEIGHT),
        svg=svg,
        png=png,
        reading="People and agents are weighted alike; 0.5 is chance. Nothing is chosen by it.",
    )


def _losses_text(found: "np.ndarray[tuple[int, int], np.dtype[np.float64]]") -> str:
    first, last = found[:, 0], found[:, -1]
    return (
        f"{first.mean():.2f} after the first epoch, {last.mean():.2f} after epoch {found.shape[1]} "
        f"(copies {last.min():.2f} to {last.max():.2f})"
    )


def _paint(sheet: "Sheet", found: "np.ndarray[tuple[int, int], np.dtype[np.float64]]") -> None:
    n = found.shape[1]
    bottom = _HEIGHT - _TOP - _PANEL
    axes = canvas.axes_at(sheet, _LEFT, bottom, canvas.WIDTH - _LEFT - _RIGHT, _PANEL)
    at = np.arange(1, n + 1)
    axes.set_xlim(1 - 0.02 * n, n + 0.02 * n)
    axes.set_ylim(min(0.4, float(found.min()) - 0.05), 1.03)
    axes.set_xticks(np.unique(np.linspace(1, n, min(n, 6)).round().astype(int)).tolist())
    axes.set_xlabel("epoch", fontsize=canvas.SMALL, labelpad=1)
    axes.set_ylabel("single clips right", fontsize=canvas.SMALL, labelpad=2)
    axes.axhline(0.5, color=canvas.MUTED, linewidth=0.9, linestyle=(0, (4, 3)))
    marker = "o" if n == 1 else ""
    for curve in found:
        axes.plot(at, curve, color=canvas.LINE, linewidth=_COPY, marker=marker, markersize=3)
    axes.plot(at, found.mean(axis=0), color=canvas.COLOURS[0], linewidth=_MEAN, marker=marker, markersize=4)
    _key(sheet, bottom - _BOTTOM)


def _key(sheet: "Sheet", height: float) -> None:
    axes = canvas.axes_at(sheet, 0.0, 0.0, canvas.WIDTH, height)
    axes.set_xlim(0, canvas.WIDTH)
    axes.set_ylim(0, height)
    axes.axis("off")
    y = height / 2
    for x, name, colour, width, dashes in _marks():
        axes.plot([x, x + 0.3], [y, y], color=colour, linewidth=width, linestyle=dashes)
        axes.text(x + 0.38, y, name, fontsize=canvas.SMALL, va="center")


def _marks() -> Iterator[tuple[float, str, str, float, tuple[int, tuple[int, ...]]]]:
    yield 0.1, "mean", canvas.COLOURS[0], _MEAN, (0, ())
    yield 1.1, "one copy, on its own fold", canvas.LINE, _COPY, (0, ())
    yield 3.1, "chance", canvas.MUTED, 0.9, (0, (4, 3))
