"""Findings for a paper: marks of a figure as SVG and PNG by matplotlib, for statistics that have no drawing by hand."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from analysis.figures import canvas
from analysis.figures.figure import Figure as Drawing
from analysis.figures.figure import numbers_of
from analysis.findings.cells import PAGE, cell_text
from analysis.findings.model import Figure, Mark, Section

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Sheet

MOST_MARKS = 24
_ROW, _NAMES, _SAYS, _BELOW, _EDGE = 0.26, 1.3, 0.95, 0.3, 0.08
_SHAPES = {"ink": (canvas.INK, "o"), "human": (canvas.COLOURS[1], "o"), "computer": (canvas.COLOURS[0], "s")}


def paper_figures(sections: Iterable[Section]) -> Iterator[Drawing]:
    """A drawing of each figure of marks that statistics bring along."""
    for section in sections:
        yield from (_drawing(one) for one in section.figures if one.drawing == "marks" and one.marks)


def _drawing(one: Figure) -> Drawing:
    shown = one.marks[:MOST_MARKS]
    height = _BELOW + _EDGE + _ROW * len(shown)
    more = f" The first {MOST_MARKS} of {len(one.marks)} are drawn." if len(one.marks) > MOST_MARKS else ""
    alt = "; ".join(f"{mark.name}: {mark.says}, {mark.beside}" for mark in shown)
    svg, png = canvas.drawn(height, lambda sheet: _paint(sheet, one, shown), one.said, alt)
    rows = [
        tuple(cell_text(cell, column, PAGE) for cell, column in zip(row, one.numbers.columns, strict=True))
        for row in one.numbers.rows
    ]
    numbers = numbers_of([column.title for column in one.numbers.columns], rows, one.numbers.n_names)
    reading = f"{one.how}{more}{canvas.missing_note(mark.name for mark in shown)}"
    return Drawing(
        one.name, one.numbers.caption, one.said, alt, numbers, (canvas.WIDTH, height), svg, png, reading
    )


def _paint(sheet: "Sheet", one: Figure, shown: Sequence[Mark]) -> None:
    width = canvas.WIDTH - _NAMES - _SAYS
    axes = canvas.axes_at(sheet, _NAMES, _BELOW, width, _ROW * len(shown))
    axes.set_xlim(*one.scale)
    axes.set_ylim(-0.5, len(shown) - 0.5)
    names = [canvas.fitted(mark.name, _NAMES - 0.15, canvas.SMALL) for mark in reversed(shown)]
    axes.set_yticks(range(len(shown)), names)
    axes.tick_params(axis="y", length=0)
    axes.set_xticks(one.scale, one.ends)
    if one.chance is not None:
        axes.axvline(one.chance, color=canvas.MUTED, linewidth=0.9, linestyle=(0, (4, 3)), zorder=1)
    for y, mark in enumerate(reversed(shown)):
        colour, marker = _SHAPES.get(mark.shape, (canvas.COLOURS[2], "^"))
        if mark.low is not None and mark.high is not None:
            axes.plot((mark.low, mark.high), (y, y), color=colour, linewidth=1.6, zorder=2)
        if mark.value is not None:
            axes.plot(
                (mark.value,), (y,), color=colour, marker=marker, markersize=5, linestyle="None", zorder=3
            )
        says = canvas.fitted(f"{mark.says} {mark.beside}", _SAYS - 0.1, canvas.SMALL)
        axes.annotate(says, (1.02, y), xycoords=("axes fraction", "data"), va="center", fontsize=canvas.SMALL)
