"""The drawing of a clue, taken apart as the XML that it is."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from analysis.clues.plot import COLOURS, MOST_DOTS, clue_svg
from analysis.clues.report import clue_report

from .clue_tables import clips, drawn

SVG = "{http://www.w3.org/2000/svg}"


def shapes(svg: str) -> list[ElementTree.Element]:
    return [path for path in ElementTree.fromstring(svg).iter(f"{SVG}path") if path.get("fill-opacity")]


def test_the_drawing_has_a_dot_for_each_clip_and_a_tick_at_each_median() -> None:
    table = clips(
        duration_s={"human": [2.0, 4.0, 6.0], "hybrid": [0.0, 10.0], "symbolic": [5.0, 5.0, 7.0, None]}
    )
    svg = clue_svg(table, "duration_s", clue_report(table, seed=1))
    rows = shapes(svg)
    assert [len(re.findall("M", row.get("d", ""))) for row in rows] == [3, 2, 3]
    assert len({row.get("d", "")[-12:] for row in rows}) == len({row.get("fill") for row in rows}) == 3
    left, right = 24, 456  # The axis runs from 0 to 10 s.
    ticks = re.findall(r'<path d="M([\d.]+) \d+v22"', svg)
    assert [float(tick) for tick in ticks] == [left + (right - left) * median / 10 for median in (4, 5, 5)]
    assert [text.text for text in ElementTree.fromstring(svg).iter(f"{SVG}text")] == [
        *("human (3)", "hybrid (2)", "symbolic (3)", "0", "2", "4", "6", "8", "10", "Duration (s)")
    ]


def test_the_drawing_tells_its_content_to_those_who_do_not_see_it() -> None:
    table = drawn(3, 8, 8)
    root = ElementTree.fromstring(clue_svg(table, "x", clue_report(table, seed=1)))
    title, description = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert root.get("role") == "img"
    assert title is not None
    assert description is not None
    assert root.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"
    assert title.text == "X by source"
    assert re.match(r"human: 8 clips, median .*AUC 0\.\d\d, 95% interval 0", description.text or "")


def test_nothing_in_a_name_becomes_markup_and_nothing_needs_a_style() -> None:
    hostile = "<script>alert(1)</script>\"&\x00\x1b'/>"
    table = drawn(3, 5, 5).rename(columns={"x": hostile})
    table["source"] = [hostile] * 5 + ["human"] * 5
    svg = clue_svg(table, hostile, clue_report(table, seed=1))
    root = ElementTree.fromstring(svg)
    assert {element.tag.removeprefix(SVG) for element in root.iter()} == {
        "svg",
        "title",
        "desc",
        "text",
        "path",
    }
    attributes = {name for element in root.iter() for name in element.attrib}
    assert not [name for name in attributes if name == "style" or name.startswith("on") or "href" in name]
    assert any(hostile.replace("\x00", "").replace("\x1b", "") in (text.text or "") for text in root.iter())


def test_many_clips_are_thinned_out_and_the_drawing_says_so() -> None:
    table = drawn(1, 900, 5)
    svg = clue_svg(table, "x", clue_report(table, seed=1))
    assert [len(re.findall("M", row.get("d", ""))) for row in shapes(svg)] == [MOST_DOTS, 5]
    assert "human: 900 clips (300 drawn)" in svg
    assert len(svg) < 30_000


@pytest.mark.parametrize("ground", ["#ffffff", "#f6f7f8", "#1d2329", "#14181c"])
@pytest.mark.parametrize("colour", COLOURS)
def test_dots_stand_out_on_light_and_dark_pages(colour: str, ground: str) -> None:
    """Source: the contrast ratio of WCAG 2, at least 3 for what is drawn (1.4.11)."""
    lighter, darker = sorted((luminance(colour), luminance(ground)), reverse=True)
    assert (lighter + 0.05) / (darker + 0.05) >= 3


def luminance(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))


def test_a_clue_that_was_not_looked_at_has_no_drawing() -> None:
    table = drawn(1, 5, 5)
    with pytest.raises(KeyError):
        clue_svg(table.assign(w=1.0), "w", clue_report(table, seed=1))
