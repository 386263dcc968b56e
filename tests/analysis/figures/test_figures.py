"""All figures: the same bytes each time, plain SVG that a strict page shows, whatever the data."""

import hashlib
import os
import re
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from analysis import Analysis, analyze
from analysis.figures import Figure, canvas
from analysis.figures.figure import AnyFigure
from analysis.study_figures import figures_of
from tests.analysis.tables import answer, checked, person
from tests.computed import picture

pytestmark = pytest.mark.slow

SVG = "{http://www.w3.org/2000/svg}"
ROOT = Path(__file__).parent.parent.parent.parent
HOSTILE = "<script>alert(1)</script> $x_1$ \"&' 名前 \x1b \u202e" + "long " * 30

MAKE = """
import hashlib, sys
from analysis import analyze, hntt_responses, read_hntt
from analysis.study_figures import (figures_of)
analysis = analyze(hntt_responses(read_hntt("tests/analysis/gold/hntt_trials.csv")), resamples=200)
for figure in figures_of(analysis):
    print(figure.name, hashlib.sha256(figure.svg.encode() + figure.png).hexdigest())
import matplotlib
pyplot = sys.modules.get("matplotlib.pyplot")
print(pyplot.get_fignums() if pyplot else [], matplotlib.rcParams["svg.hashsalt"], "app" in sys.modules)
"""


@pytest.fixture(scope="module")
def figures(hntt: Analysis) -> list[AnyFigure]:
    """Figures with real pictures; other tests get one point for each."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(canvas, "picture", picture)
        return list(figures_of(hntt))


def test_an_analysis_has_them_in_the_order_of_a_report(figures: list[AnyFigure]) -> None:
    assert [figure.name for figure in figures] == [
        "flow-1", "flow-2", "participants", "preferences", "certainty", "votes-1", "votes-2"
    ]  # fmt: skip
    assert all(isinstance(figure, Figure) for figure in figures)


@pytest.mark.exhaustive
def test_another_process_makes_the_same_bytes_and_leaves_settings_as_they_were(hntt: Analysis) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", MAKE],
        capture_output=True, text=True, check=True, cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": "7"},
    )  # fmt: skip
    expected = [
        f"{figure.name} {hashlib.sha256(figure.svg.encode() + figure.png).hexdigest()}"
        for figure in figures_of(hntt)
        if isinstance(figure, Figure)
    ]
    assert done.stdout.splitlines() == [*expected, "[] None False"]


def test_a_drawing_needs_no_style_no_script_and_no_other_host(figures: list[AnyFigure]) -> None:
    for figure in figures:
        assert isinstance(figure, Figure)
        root = ElementTree.fromstring(figure.svg)
        assert not {"style", "script", "metadata", "image", "text"} & {
            e.tag.removeprefix(SVG) for e in root.iter()
        }
        assert not [
            name for element in root.iter() for name in element.attrib if name == "style" or name[:2] == "on"
        ]
        hosts = set(re.findall(r"https?://[^\"' <]+", figure.svg))
        assert hosts <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
        assert not re.search(r"<!DOCTYPE|\d{4}-\d\d-\d\d", figure.svg)
        assert (root.findtext(f"{SVG}title"), root.findtext(f"{SVG}desc")) == (figure.title, figure.alt)


def test_a_picture_is_of_its_size_in_print(figures: list[AnyFigure]) -> None:
    for figure in figures:
        assert isinstance(figure, Figure)
        assert figure.png.startswith(b"\x89PNG")
        size = struct.unpack(">II", figure.png[16:24])
        assert size == pytest.approx([side * canvas.DPI for side in figure.size], abs=1)


def test_every_figure_has_a_sentence_that_ends_and_a_whole_table(figures: list[AnyFigure]) -> None:
    for figure in figures:
        assert isinstance(figure, Figure)
        assert figure.sentence.endswith(".")
        assert figure.reading.endswith(".")
        assert "nan" not in f"{figure.sentence} {figure.alt} {figure.numbers}".lower().split()
        assert figure.numbers.rows
        assert all(len(row) == len(figure.numbers.head) for row in figure.numbers.rows)


@pytest.mark.parametrize("colour", [*canvas.COLOURS, canvas.INK, canvas.MUTED, canvas.LINE])
def test_what_is_drawn_stands_out_on_white(colour: str) -> None:
    """Source: the contrast ratio of WCAG 2, at least 3 for what is drawn (1.4.11)."""
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    luminance = sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
    assert 1.05 / (luminance + 0.05) >= 3


def strange(row: dict[str, str]) -> dict[str, str]:
    return {**row, "study": HOSTILE, "condition": HOSTILE, "pair": f"{HOSTILE}{row['pair']}"}


TABLES: dict[str, Callable[[], list[dict[str, str]]]] = {
    "one answer": lambda: [answer()],
    "only blanks": lambda: [*person("p1", "--"), *person("p2", "--")],
    "all correct": lambda: [row for n in range(5) for row in person(f"p{n}", "aaa")],
    "all tied, no uncertainty": lambda: [
        *person("p1", "ab", uncertainty=""),
        *person("p2", "ba", uncertainty=""),
    ],
    "nothing counts": lambda: [answer(kind="practice"), answer(participant="p2", excluded="rule")],
    "no truth, no source, no condition": lambda: [
        {
            **row,
            "truth": "",
            "source_a": "",
            "source_b": "",
            "condition": "",
            "stimulus_a": "",
            "stimulus_b": "",
        }
        for row in person("p1", "ab")
    ],
    "strange names": lambda: [
        *(strange(row) for row in person(f"{HOSTILE}1", "ab")),
        *(strange(row) for row in person(f"{HOSTILE}2", "ab", excluded=HOSTILE)),
        strange(answer(participant=f"{HOSTILE}1", pair="p", truth="", source_a=HOSTILE, source_b="b")),
    ],
}


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param(
            rows, id=name, marks=[] if name in ("one answer", "strange names") else pytest.mark.exhaustive
        )
        for name, rows in TABLES.items()
    ],
)
def test_degenerate_data_give_a_drawing_or_a_reason(rows: Callable[[], list[dict[str, str]]]) -> None:
    for figure in figures_of(analyze(checked(*rows()), resamples=20)):
        if isinstance(figure, Figure):
            ElementTree.fromstring(figure.svg)
            told = f"{figure.sentence} {figure.numbers}"
        else:
            told = figure.reason
            assert figure.reason.endswith(".")
        assert "nan" not in told.lower().split()


def test_letters_that_the_font_lacks_are_marked_and_told() -> None:
    rows = [answer(study="名前", participant=f"p{n}", choice="ab"[n % 2]) for n in range(4)]
    figures = [
        figure for figure in figures_of(analyze(checked(*rows), resamples=0)) if isinstance(figure, Figure)
    ]
    participants = next(figure for figure in figures if figure.name == "participants")
    assert "A □ stands for a letter" in participants.reading
    assert participants.numbers.rows[0][0] == "名前"
    assert canvas.legible("a\n名 b") == "a □ b"


def test_texts_are_shortened_in_their_middle_to_the_room_there_is() -> None:
    assert canvas.fitted("short", 2) == "short"
    short = canvas.fitted("navigation-turing-test-2024-b", 0.8)
    assert short.startswith("nav")
    assert short.endswith("-b")
    assert canvas.width_of(short) <= 0.8
    assert canvas.fitted("anything", 0.0) == "…"
    lines = canvas.wrapped("one two three four five six", 0.8)
    assert " ".join(lines) == "one two three four five six"
    assert len(lines) > 1
    assert all(canvas.width_of(line) <= 0.8 for line in lines)
