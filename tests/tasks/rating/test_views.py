"""A record laid out for its page: what its tables and charts say, and that nothing of it becomes markup."""

import re
from collections.abc import Iterator
from xml.etree import ElementTree

import pytest

from app.core.templating import STATIC, TEMPLATES, html_of
from app.library.records import Chart, Line, Player, Record, Round, Table
from app.tasks.rating.views import ChartView, RatingPage, TableView, count_parts, record_view
from tests.browser.rating_pages import FEW, auction, rating, rubric

SVG_TAGS = {"svg", "path", "circle"}
NASTY = "<script>alert('1')</script> \"quoted\" & {{ page }} <img src=x onerror=alert(1)>"


def chart(*values: float | None, unit: str = "") -> ChartView:
    [part] = record_view(
        Record(title="t", parts=(Chart(label="c", values=values, unit=unit),))
    ).overview.parts  # type: ignore[union-attr]
    assert isinstance(part, ChartView)
    return part


def test_cells_are_text_and_columns_of_numbers_are_known() -> None:
    table = Table(
        columns=("Name", "Bid", "Won", "Share", "None"),
        rows=(("Alex", 12, True, 0.1, None), ("Bob", None, False, 1234567890.0, None)),
    )
    [part] = record_view(Record(title="t", rounds=(Round(title="r", parts=(table,)),))).rounds[0].parts
    assert isinstance(part, TableView)
    assert part.rows == (("Alex", "12", "yes", "0.1", "–"), ("Bob", "–", "no", "1234567890", "–"))
    assert [column.numeric for column in part.columns] == [False, True, False, True, False]
    assert part.is_wide


def test_numbers_keep_every_digit() -> None:
    assert chart(0.1, 1e14, 123456.789, -3.0).numbers == "0.1, 100000000000000, 123456.789, -3"


def test_a_chart_runs_from_its_lowest_value_to_its_highest() -> None:
    """Three values: 2%, 50% and 98% from the left; the lowest 8 pixels above the bottom of 48, the highest 8 below
    the top."""
    drawn = chart(10, 0, 5, unit="coins")
    assert drawn.path == "M2.00 8.0h0L50.00 40.0L98.00 24.0"
    assert drawn.dots == (("2.00%", "8.0"), ("50.00%", "40.0"), ("98.00%", "24.0"))
    assert drawn.summary == "from 10 to 5 coins; lowest 0, highest 10"


@pytest.mark.parametrize(
    ("values", "path", "summary"),
    [
        ((7.0,), "M50.00 24.0h0", "7"),
        ((7.0, 7.0), "M2.00 24.0h0L98.00 24.0", "from 7 to 7"),
        ((1.0, None, 2.0), "M2.00 40.0h0M98.00 8.0h0", "from 1 to 2"),
        ((None, None), "", "no values"),
        ((None, 3.0), "M98.00 24.0h0", "3"),
    ],
)
def test_gaps_and_single_values_are_drawn_as_what_they_are(
    values: tuple[float | None, ...], path: str, summary: str
) -> None:
    drawn = chart(*values)
    assert (drawn.path, drawn.summary) == (path, summary)


def test_many_values_are_a_line_without_dots() -> None:
    assert len(chart(*map(float, range(40))).dots) == 40
    assert chart(*map(float, range(41))).dots == ()


def test_the_parts_reported_on_are_the_overview_and_the_rounds() -> None:
    line = (Line(text="x"),)
    one = Round(title="r", parts=line)
    records = [
        (Record(title="t", parts=line), 1),
        (Record(title="t", rounds=(one, one)), 2),
        (Record(title="t", players=(Player(name="A"),), rounds=(one,)), 2),
        (auction(8), 9),
    ]
    for record, n in records:
        assert count_parts(record) == n
        assert len(re.findall(r" data-part[ >]", html_of(rating(record=record)))) == n


def test_a_page_shows_exactly_one_stimulus() -> None:
    for given in (
        {},
        {"clip": "/a.mp4", "text": "<p>x</p>"},
        {"text": "x", "record": record_view(auction())},
    ):
        with pytest.raises(ValueError, match="exactly one"):
            RatingPage(study_title="", action="", submit_id="", done=0, steps=1, **given)


def test_levels_stand_beside_each_other_where_their_texts_are_short() -> None:
    page = rating(questions=rubric())
    across = {q.id: page.stands_across(q) for q in page.questions if q.type == "likert"}
    assert across.pop("identity") is False
    assert set(across.values()) == {True}
    assert (page.levels, rating(questions=FEW[1:]).levels) == (5, 0)


def test_nothing_that_a_record_says_becomes_markup() -> None:
    record = Record(
        title=NASTY,
        players=(Player(name=NASTY, about=NASTY),),
        parts=(
            Line(text=NASTY),
            Chart(label=NASTY, values=(1.0,), unit="<b>"),
            Table(columns=(NASTY,), rows=((NASTY,),)),
        ),
        rounds=(Round(title=NASTY, parts=(Line(text=NASTY),)),),
    )
    html = html_of(rating(record=record))
    assert html.count("<script") == 1  # the page's own
    assert "<img" not in html
    assert " onerror=" not in re.sub(r"&lt;img.*?&gt;", "", html)
    assert html.count("&lt;script&gt;") >= 9


def svgs(html: str) -> Iterator[ElementTree.Element]:
    for text in re.findall(r"<svg class=\"spark\".*?</details>", html, re.DOTALL):
        yield ElementTree.fromstring(text[: text.rindex("</svg>") + 6])


def test_a_chart_has_its_numbers_as_text_and_no_style_of_its_own() -> None:
    html = html_of(rating())
    drawn = list(svgs(html))
    assert len(drawn) == 2
    for svg in drawn:
        assert {element.tag for element in svg.iter()} <= SVG_TAGS
        assert not any("style" in element.attrib for element in svg.iter())
    assert drawn[1].get("aria-label") == "Health of Alex: 10, 8, –, 7, 8, –, 9, 6"
    assert "<p>10, 8, –, 7, 8, –, 9, 6</p>" in html


def test_a_name_of_a_template_or_of_a_file_stands_once() -> None:
    """They are found by name alone, in whichever folder."""
    for folders in (TEMPLATES, STATIC):
        names = [path.name for folder in folders for path in folder.iterdir()]
        assert len(names) == len(set(names))
    assert any((folder / "rating.js").is_file() for folder in STATIC)
