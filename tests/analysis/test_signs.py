"""Numbers that may be negative: what is rounded to 0 has no sign, wherever a difference is written."""

import re
from pathlib import Path

import pytest

import analysis
import app
from analysis import terminal, words
from analysis.findings.reading import signed_points
from analysis.findings.words import exact, limits, percent
from analysis.signs import signed
from analysis.stats.intervals import Interval

_OWN_SIGN = re.compile(r":\+[z,]?[.d]")


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (0.0, 2, "0.00"),
        (-0.0, 2, "0.00"),
        (0.004, 2, "0.00"),
        (-0.004, 2, "0.00"),
        (0.006, 2, "+0.01"),
        (-0.006, 2, "-0.01"),
        (0.0, 0, "0"),
        (-0.3, 0, "0"),
        (12.3, 0, "+12"),
    ],
)
def test_a_difference_of_nothing_has_no_sign(value: float, digits: int, text: str) -> None:
    assert signed(value, digits) == text


def test_no_number_is_written_as_minus_nothing() -> None:
    assert words.number(-0.001) == terminal.number(-0.001, 2) == exact(-0.001) == "0.00"
    interval = Interval(-0.002, 0.5, 0.95, "t", 0, 1, None)
    assert words.estimate(-0.001, interval, "3 people") == "0.00 (95% interval 0.00 to 0.50; 3 people)"
    assert (percent(-0.0), limits(-0.001, 0.5), signed_points(-0.001)) == ("0%", "0 to 50", "0")


def test_signs_are_written_in_one_place() -> None:
    folders = [Path(module.__file__).parent for module in (analysis, app) if module.__file__]
    files = [file for folder in folders for file in folder.rglob("*.py") if file.name != "signs.py"]
    assert len(files) > 500
    assert [file for file in files if _OWN_SIGN.search(file.read_text())] == []
