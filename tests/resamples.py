"""Fewer resamples and splits where a test compares none of their numbers: a job computes a third as long."""

from inspect import unwrap

import pytest

from analysis.judging import validate_judges
from analysis.judging.items import validate_rating_rows
from app.reports.report import write_reports
from app.worker.handlers import results
from tests.splits import split_less

FEW = 100


def take_few(patch: pytest.MonkeyPatch) -> None:
    """Let the jobs of judges, reports and results draw `FEW` times, as far as nothing else is asked for."""
    patch.setattr(results, "RESAMPLES", FEW)
    split_less(patch)
    for function in (validate_judges, validate_rating_rows, write_reports):
        patch.setitem(unwrap(function).__kwdefaults__, "resamples", FEW)
