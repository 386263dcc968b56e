"""The content of a figure, before it becomes bytes."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Sheet
from matplotlib.lines import Line2D

from analysis.figures import canvas


@contextmanager
def kept_sheets() -> Iterator[list[Sheet]]:
    """Every sheet painted in the block."""
    sheets: list[Sheet] = []
    drawn = canvas.drawn

    def keep(height: float, paint: Callable[[Sheet], None], title: str, alt: str) -> tuple[str, bytes]:
        def painted(sheet: Sheet) -> None:
            paint(sheet)
            sheets.append(sheet)

        return drawn(height, painted, title, alt)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(canvas, "drawn", keep)
        yield sheets


def marks(axes: Axes, *, minimum: int = 1) -> list[Line2D]:
    """The dots drawn, as matplotlib's lines without a line."""
    return [
        line
        for line in axes.lines
        if line.get_marker() not in ("None", None, "")
        and line.get_linestyle() == "None"
        and len(ys(line)) >= minimum
    ]


def xs(line: Line2D) -> list[float]:
    return [float(x) for x in np.asarray(line.get_xdata())]


def ys(line: Line2D) -> list[float]:
    return [float(y) for y in np.asarray(line.get_ydata())]


def texts(sheet: Sheet) -> list[str]:
    """Every text of a sheet, also those of axes."""
    return [text.get_text() for text in sheet.findobj(lambda one: hasattr(one, "get_text"))]  # type: ignore[attr-defined]
