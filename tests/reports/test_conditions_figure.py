"""The figures of the results page on conditions: what they say, where their marks lie, and what is claimed."""

import pytest

from analysis.choice.conditions import ConditionsCompared
from analysis.findings.condition_words import conditions_claims
from analysis.findings.conditions import conditions_figures
from analysis.findings.model import Figure
from app.reports.page.charts import LEFT, RIGHT, rows, ticks
from tests.analysis.test_conditions import EASY, HARD, THIRD, compared, drawn, study, trials

pytestmark = pytest.mark.slow


def two_by_two(found: ConditionsCompared) -> Figure:
    """The figure of comparisons, which the table of the mixed model follows."""
    figure, mixed = conditions_figures(found)
    assert mixed.name == "conditionsmodel"
    return figure


def test_a_difference_is_drawn_about_no_difference_and_said_in_points() -> None:
    found = compared(drawn((EASY, HARD), 40, 3))
    figure = two_by_two(found)
    test = found.comparisons[0].paired
    assert test is not None
    assert test.difference.mean is not None
    assert test.difference.interval.low is not None
    points = round(100 * test.difference.mean)
    said = f"The same 40 people are right {points} points more often with {EASY} than with {HARD} over these pairs"
    assert figure.said.startswith(said)
    assert figure.scale == (-0.25, 0.25)
    first, middle, last = ticks(figure)
    assert (first.label, middle.label, last.label) == ("-25", "0", "+25")
    assert middle.at == "50.00%"
    [row] = rows(figure)
    assert float(row.at.rstrip("%")) == pytest.approx(
        50 + (RIGHT - LEFT) * test.difference.mean / 0.5, abs=0.01
    )
    assert row.mark.says == f"+{points}"
    assert f"interval {100 * test.difference.interval.low:.0f} to" in row.label
    assert conditions_claims(found).can_say == (figure.said,)


def test_less_often_is_said_of_the_harder_one_named_first() -> None:
    figure = two_by_two(compared(drawn((HARD, EASY), 40, 3)))
    assert f"points less often with {EASY} than with {HARD}" in figure.said
    assert figure.marks[0].says.startswith("-")


def test_different_people_are_drawn_as_a_probability() -> None:
    found = compared(drawn((EASY, HARD, THIRD), 90, 4, apart=True))
    figure = two_by_two(found)
    assert (figure.name, figure.scale, len(figure.marks)) == ("conditions-apart", (0.0, 1.0), 3)
    assert "Different people answered in each condition." in figure.how
    assert "Holm's correction is over 3 comparisons of a measure." in figure.how
    assert [row.at for row in rows(figure)] == [
        f"{LEFT + (RIGHT - LEFT) * one.independent.effect:.2f}%"
        for one in found.comparisons
        if one.measure == "accuracy" and one.independent and one.independent.effect is not None
    ]


def test_what_holm_leaves_open_is_not_claimed() -> None:
    """Of three comparisons whose p is between .025 and .05 each, none is claimed, though intervals leave 0."""
    for seed in range(200):
        found = compared(drawn((EASY, HARD, THIRD), 12, seed))
        accuracy = [one for one in found.comparisons if one.measure == "accuracy"]
        tests = [one.paired for one in accuracy if one.paired]
        alone = [test.p is not None and test.p < 0.05 for test in tests]
        corrected = [one.p_holm is not None and one.p_holm < 0.05 for one in accuracy]
        if alone != corrected:
            break
    else:
        pytest.fail("no simulated case in which Holm's correction matters")
    claims = conditions_claims(found)
    assert len(claims.can_say) <= sum(corrected) < sum(alone)
    assert any("differ" in text for text in claims.not_yet)


def test_alike_conditions_are_open_with_the_reason() -> None:
    alike = study({EASY: dict.fromkeys("vwxyz", 3), HARD: dict.fromkeys("vwxyz", 3)})
    claims = conditions_claims(compared(alike))
    assert claims.can_say == ()
    [said] = claims.not_yet
    assert "every participant has the same value in both" in said
    one = compared([row for name in (EASY, HARD) for row in trials("v", name, 2)])
    assert "one participant alone" in conditions_claims(one).not_yet[0]


def test_one_condition_has_no_figure_and_too_many_have_the_reason() -> None:
    assert list(conditions_figures(compared(drawn((EASY,), 5, 1)))) == []
    many = compared(study({f"c{place}": {"v": 2, "w": 3} for place in range(12)}))
    [figure] = conditions_figures(many)
    assert (figure.drawing, figure.said) == (
        "none",
        "Conditions are not compared: there are 12 conditions, and no more than 10 are compared two by two.",
    )


def test_uncertainty_alone_is_a_table_with_the_reason() -> None:
    open_ = [row | {"truth": ""} for row in drawn((HARD,), 10, 2)]
    [figure] = conditions_figures(compared([*drawn((EASY,), 10, 2), *open_]))
    assert figure.drawing == "none"
    assert figure.said == "Accuracy is not compared: fewer than two conditions have answers with a truth."
    assert [row[2] for row in figure.numbers.rows] == ["uncertainty"]


def test_who_is_in_one_condition_alone_is_a_caution() -> None:
    found = compared(drawn((EASY, HARD), 12, 5) + trials("late", EASY, 6, 6))
    figure = two_by_two(found)
    assert figure.caution == (
        "In 2 of 2 comparisons some participants have a value in one of the conditions alone and are not in the paired "
        "test."
    )


def test_of_eight_conditions_the_ten_comparisons_farthest_apart_are_drawn_and_warnings_are_one_sentence() -> (
    None
):
    names = [f"human-agent{place}" for place in range(8)]
    rows_ = [row for place, name in enumerate(names) for row in [*drawn((name,), 6 + place % 3, place)]]
    found = compared(rows_)
    figure = two_by_two(found)
    accuracy = [one.paired for one in found.comparisons if one.measure == "accuracy" and one.paired]
    assert len(accuracy) == 28
    assert len(figure.marks) == 10
    far = sorted((abs(test.difference.mean or 0) for test in accuracy), reverse=True)[:10]
    assert sorted((abs(mark.value or 0) for mark in figure.marks), reverse=True) == far
    assert "Of 28 comparisons the 10 farthest apart are drawn; the numbers below have all." in figure.how
    assert "within each of 6 to 8 people" in figure.how
    assert len(figure.numbers.rows) == len(found.comparisons)
    n = sum(one.warning is not None for one in found.comparisons)
    assert figure.caution == (
        f"In {n} of {len(found.comparisons)} comparisons some participants have a value in one of the conditions alone "
        "and are not in the paired test."
    )
