"""An answer of no difference is a vote for neither clip: in accuracy, preference and every number of single answers."""

import pytest

from analysis import analyze, render
from analysis.choice.accuracy import accuracy_per_participant
from analysis.choice.ties import tie_answers
from analysis.data.outcomes import chosen_answers, correct_answers
from analysis.data.preference import preference_per_participant
from analysis.errors import SchemaError
from analysis.results import table_rows
from tests.analysis.tables import answer, checked, person, table


def test_a_tie_is_neither_right_nor_wrong_whatever_becomes_of_blanks() -> None:
    rows = checked(*person("p1", "aab=-"))
    assert rows["correct"].tolist()[:3] == [True, True, False]
    assert rows["correct"].isna().tolist() == [False, False, False, True, True]
    assert rows["chosen_source"].isna().tolist() == [False, False, False, True, True]
    missing, wrong = (table_rows(accuracy_per_participant(rows, blank))[0] for blank in ("missing", "wrong"))
    assert (missing["accuracy"], missing["n_blank"], missing["n_tie"]) == (2 / 3, 1, 1)
    assert (wrong["accuracy"], wrong["n_accuracy"]) == (2 / 4, 4)
    assert correct_answers(rows).value.tolist() == [1, 1, 0]
    assert correct_answers(rows, "wrong").value.tolist() == [1, 1, 0, 0]


def test_a_tie_prefers_neither_source() -> None:
    cells = {"truth": "", "condition": "hybrid-symbolic", "source_a": "hybrid", "source_b": "symbolic"}
    rows = checked(*person("p1", "ab=-", **cells))
    [row] = table_rows(preference_per_participant(rows))
    assert (row["n_chosen"], row["n_preference"]) == (1, 2)
    assert chosen_answers(rows, "hybrid-symbolic", "hybrid", "symbolic").value.tolist() == [1, 0]


@pytest.mark.parametrize(("column", "cell"), [("correct", "false"), ("chosen_source", "human")])
def test_a_derived_cell_beside_a_tie_is_refused(column: str, cell: str) -> None:
    with pytest.raises(
        SchemaError, match="contradicts choice, truth and sources; allowed: empty in this row"
    ):
        checked(answer(choice="tie", **{column: cell}))


def test_blanks_and_ties_are_counted_apart_and_the_accuracy_with_half_a_point_each_stands_beside() -> None:
    """p1: 2 of 3 right, 2.5 of 4 with the tie; p2: 0 of 1, and 1 of 3; the mean is (0.625 + 0.3333) / 2."""
    rows = checked(*person("p1", "aab=-"), *person("p2", "==b"))
    found = tie_answers(rows, accuracy_per_participant(rows), resamples=0)
    assert (found.n_answers, found.n_chosen, found.n_tie, found.n_blank) == (8, 4, 3, 1)
    assert found.share == 3 / 7
    assert found.accuracy_half is not None
    assert found.accuracy_half.mean == pytest.approx((2.5 / 4 + 1 / 3) / 2)


def test_without_a_tie_there_is_a_reason() -> None:
    rows = checked(*person("p1", "ab-"))
    found = tie_answers(rows, accuracy_per_participant(rows), resamples=0)
    assert (found.n_tie, found.n_blank, found.accuracy_half) == (0, 1, None)
    assert found.reason == "no answer says that there is no difference"


def test_the_terminal_says_blanks_and_ties_apart_from_the_answers_that_name_a_clip() -> None:
    text = " ".join(
        render(analyze(table(*person("p1", "aab=-"), *person("p2", "a==-")), resamples=0)).split()
    )
    assert (
        "9 of 9 answers count: 4 name one of the two, 3 say no difference (a vote), 2 are blank (no vote)"
        in text
    )
    assert (
        "3 of 7 votes say that there is no difference (43%); 2 answers are blank, which are no votes." in text
    )


def test_nothing_is_said_where_every_answer_names_a_clip() -> None:
    text = " ".join(render(analyze(table(*person("p1", "aab")), resamples=0)).split())
    assert "3 of 3 answers count" in text
    assert "name one of the two" not in text


def test_a_study_of_ties_alone_has_labels_and_reasons_and_no_number() -> None:
    result = analyze(table(*person("p1", "=="), *person("p2", "==")), resamples=20).to_dict()
    [study] = result["studies"]
    assert study["accuracy"]["mean"] is None
    assert study["accuracy"]["reason"] == "no participant has a value"
    assert {label["majority"] for label in result["labels"]} == {"tie"}
    assert study["agreement"]["choice"]["agreement"]["value"] == 1.0
    assert study["agreement"]["choice"]["kappa"]["reason"]
    assert (study["bradley_terry"]["n_tie"], study["bradley_terry"]["n_blank"]) == (4, 0)


@pytest.mark.slow
def test_what_ties_leave_is_what_there_is_without_them() -> None:
    """Every number of right and wrong answers is the same where the ties are not asked at all."""
    with_ties = [*person("p1", "aab=a"), *person("p2", "ba==b"), *person("p3", "abab=")]
    without = [row for row in with_ties if row["choice"] != "tie"]
    one, other = (
        analyze(table(*rows), resamples=50).to_dict()["studies"][0] for rows in (with_ties, without)
    )
    for name in ("accuracy", "pooled", "certainty", "bias", "mixed", "preferences"):
        assert one[name] == other[name], name
    for name in ("strengths", "left_advantage"):
        assert one["bradley_terry"][name] == other["bradley_terry"][name]
