"""The figure of judges against people: its numbers are the validation's, and its marks stand where the numbers say."""

from collections.abc import Mapping, Sequence
from xml.etree import ElementTree

import pandas as pd
import pytest

from analysis.figures.figure import Figure, NoFigure
from analysis.judging import check_verdicts, validate_judges
from analysis.judging.figure import judges_figure
from analysis.judging.sample import IDENTITY, LABELS
from analysis.judging.validation import JudgeValidation
from tests.analysis.judging.cases import choices, votes
from tests.analysis.tables import answer, checked

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("few_splits")]

SVG = "{http://www.w3.org/2000/svg}"
HREF = "{http://www.w3.org/1999/xlink}href"
CONDITIONS = ("human-hybrid", "human-symbolic")
# Who of three people chose a, pair by pair; four pairs in each condition.
VOTES = ("aaa", "aab", "aba", "bba")


def responses(conditions: Sequence[str] = CONDITIONS, truth: str = "a") -> pd.DataFrame:
    return checked(
        *(
            answer(
                participant=f"p{person}",
                pair=f"{condition}-{number}",
                condition=condition,
                choice=vote,
                truth=truth,
            )
            for condition in conditions
            for number, votes in enumerate(VOTES)
            for person, vote in enumerate(votes)
        )
    )


def verdicts(judges: Mapping[str, str], conditions: Sequence[str] = CONDITIONS) -> pd.DataFrame:
    """Each judge's choices for the four pairs of every condition."""
    rows = [
        {"judge": judge, "pair": f"{condition}-{number}", "choice": choice if choice != "-" else None}
        for judge, choices in judges.items()
        for condition in conditions
        for number, choice in enumerate(choices)
    ]
    return pd.DataFrame(rows)


def validation(judges: Mapping[str, str], **more: object) -> JudgeValidation:
    people = responses(**more)  # type: ignore[arg-type]
    conditions = more.get("conditions", CONDITIONS)
    return validate_judges(people, verdicts(judges, conditions), resamples=50)  # type: ignore[arg-type]


def figure_of(result: JudgeValidation) -> Figure:
    drawn = judges_figure(result)
    assert isinstance(drawn, Figure)
    return drawn


def test_the_numbers_are_those_of_the_validation() -> None:
    """By hand: of the majorities a, a, a, b in each condition, `always-a` meets three of four, and the truth always."""
    result = validation({"always-a": "aaaa"})
    drawn = figure_of(result)
    by_block = {(row[0], row[2]): row for row in drawn.numbers.rows}
    for block in ("All pairs", *CONDITIONS):
        assert by_block[block, "Agrees with the majority of people"][4] == "0.750"
        assert by_block[block, "Finds the right member"][4] == "1.000"
    people = result.judges[0].groups[0].measures[LABELS].ceiling
    assert people.value is not None
    assert by_block["All pairs", "Agrees with the majority of people"][6] == f"{people.value:.3f}"
    assert "always-a agreed with the majority of people in 0.75 (95% interval " in drawn.sentence
    assert "always-a 0.75 beside one participant's" in drawn.alt


def marks(drawn: Figure) -> Sequence[tuple[str, float]]:
    """The markers that are used in the SVG, with their place from left to right."""
    root = ElementTree.fromstring(drawn.svg)
    return [(use.get(HREF, ""), float(use.get("x", "nan"))) for use in root.iter(f"{SVG}use") if use.get("x")]


def test_a_marker_stands_where_its_number_is_on_the_scale() -> None:
    """A judge's share of 0.75 is three quarters of the way between the ticks of 0 and 1, which are marks too."""
    drawn = figure_of(validation({"always-a": "aaaa"}, conditions=("human-hybrid",), truth=""))
    places = marks(drawn)
    ticks = sorted({round(x, 3) for name, x in places if sum(other == name for other, _ in places) == 5})
    assert len(ticks) == 5
    [judge] = [x for name, x in places if sum(other == name for other, _ in places) == 1 and x > ticks[0]]
    assert (judge - ticks[0]) / (ticks[-1] - ticks[0]) == pytest.approx(0.75, abs=1e-4)


def test_neither_the_order_of_rows_nor_the_name_of_a_member_changes_a_line() -> None:
    people, said = responses(), verdicts({"one": "abab", "two": "aabb"})
    drawn = figure_of(validate_judges(people, said, resamples=50))
    shuffled = people.sample(frac=1, random_state=1).reset_index(drop=True)
    again = figure_of(validate_judges(shuffled, said.sample(frac=1, random_state=2), resamples=50))
    assert again == drawn


def test_without_a_truth_there_is_one_panel() -> None:
    drawn = figure_of(validation({"always-a": "aaaa"}, truth=""))
    assert {row[2] for row in drawn.numbers.rows} == {"Agrees with the majority of people"}
    assert drawn.size[1] < figure_of(validation({"always-a": "aaaa"})).size[1]


def test_a_judge_that_judges_nothing_is_no_figure_but_a_reason() -> None:
    drawn = judges_figure(validation({"silent": "----"}))
    assert isinstance(drawn, NoFigure)
    assert "nothing to draw" in drawn.reason


def test_any_name_is_drawn_and_none_is_markup() -> None:
    names = {"<b>&amp;$x^2$": "aaaa", "裁判 🤖": "abab", "x" * 300: "bbbb"}
    drawn = figure_of(validation(names))
    root = ElementTree.fromstring(drawn.svg)
    assert root.find(f"{SVG}b") is None
    assert all(name in drawn.alt for name in names)
    assert (root.findtext(f"{SVG}title"), root.findtext(f"{SVG}desc")) == (drawn.title, drawn.alt)
    assert "style" not in drawn.svg


def test_omitted_marks_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("analysis.judging.figure.MOST_JUDGES", 2)
    monkeypatch.setattr("analysis.judging.figure.MOST_CONDITIONS", 1)
    drawn = figure_of(validation({f"judge-{number}": "aaaa" for number in range(3)}))
    assert "The first 2 of 3 judges are drawn." in drawn.sentence
    assert "The first 1 of 2 conditions are drawn." in drawn.sentence
    assert {row[1] for row in drawn.numbers.rows} == {"judge-0", "judge-1"}


def test_no_resamples_are_drawn_without_intervals() -> None:
    """Of 60 pairs: few pairs have an interval that needs no resamples."""
    people = votes({f"q{n}": "aab" for n in range(60)})
    rows = pd.DataFrame(choices({f"q{n}": "ab"[n % 2] for n in range(60)}))
    result = validate_judges(people, check_verdicts(rows), resamples=0)
    drawn = figure_of(result)
    assert {row[5] for row in drawn.numbers.rows} == {"none"}
    assert result.judges[0].groups[0].measures[IDENTITY].corrected.value == 0.5
