"""Fewer bootstrap resamples where a test compares none of their numbers: what a job computes takes a third as long. So
are pictures made as SVG alone, which lays out the same letters: their PNG is a half of drawing.
"""

import sys
from inspect import unwrap
from io import BytesIO
from typing import Any

import pytest
from PIL import Image

from analysis.judging import validate_judges
from analysis.judging.items import validate_rating_rows
from app.reports.report import write_reports
from app.worker.handlers import results

FEW = 100
_AGG = "matplotlib.backends.backend_agg"


def take_few(patch: pytest.MonkeyPatch) -> None:
    """Let the jobs of judges, reports and results draw `FEW` times, as far as nothing else is asked for."""
    patch.setattr(results, "RESAMPLES", FEW)
    for function in (validate_judges, validate_rating_rows, write_reports):
        patch.setitem(unwrap(function).__kwdefaults__, "resamples", FEW)
    # Where nothing was drawn yet, the first picture is made as usual: not every test wants to import it.
    if agg := sys.modules.get(_AGG):
        patch.setattr(agg.FigureCanvasAgg, "print_png", _blank)


def _blank(_canvas: object, file: BytesIO, **_: Any) -> None:
    """A PNG of one point."""
    Image.new("RGB", (1, 1)).save(file, "png")
