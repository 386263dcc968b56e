from typing import Any, cast

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis import RESPONSE_COLUMNS, SchemaError, check_responses
from analysis.data.columns import ANALYZED_COLUMNS, names
from analysis.data.repeats import may_repeat, text_numbers
from tests.analysis.tables import COLUMNS, answer, checked, person, table

pytestmark = pytest.mark.slow


def refusal(df: pd.DataFrame) -> SchemaError:
    with pytest.raises(SchemaError) as caught:
        check_responses(df, "answers.csv")
    assert "\n" not in str(caught.value)
    return caught.value


def test_a_checked_table_has_exactly_the_columns_in_order() -> None:
    df = table(answer()).assign(extra="ignored")[["extra", *reversed(COLUMNS)]]
    assert tuple(check_responses(df).columns) == COLUMNS


@pytest.mark.parametrize("column", [each.name for each in RESPONSE_COLUMNS if not each.optional])
def test_every_missing_column_is_named(column: str) -> None:
    error = refusal(table(answer()).drop(columns=column))
    assert (error.row, error.column) == (1, column)
    assert str(error).startswith(
        f"answers.csv: row 1, column {column}: the column is missing; allowed: study, "
    )


def test_a_column_that_stands_twice_is_refused() -> None:
    df = table(answer())
    assert refusal(pd.concat([df, df[["choice"]]], axis=1)).problem == "the column stands 2 times"


@pytest.mark.parametrize(
    ("column", "value", "allowed"),
    [
        ("choice", "C", "a, b, tie, or empty"),
        ("choice", "left", "a, b, tie, or empty"),
        ("choice", " a", "a, b, tie, or empty"),
        ("left", "left", "a, b, or empty"),
        ("truth", "human", "a, b, or empty"),
        ("mode", "test", "live, simulated, pilot, preview (not empty)"),
        ("kind", "", "main, practice, attention (not empty)"),
        ("participant", "", "any text (not empty)"),
        ("uncertainty", "12", "a whole number, 1 to 11, or empty"),
        ("uncertainty", "0", "a whole number, 1 to 11, or empty"),
        ("uncertainty", "2.5", "a whole number, 1 to 11, or empty"),
        ("uncertainty", "1_0", "a whole number, 1 to 11, or empty"),
        (
            "uncertainty",
            "nan",
            'a whole number, 1 to 11, or empty (in R, `write.csv(rows, file, na = "")` leaves empty cells empty)',
        ),
        ("version", "0", "a whole number, 1 or more (not empty)"),
        ("rt_ms", "-1", "a whole number, 0 or more, or empty"),
        ("rt_ms", "1e300", "a whole number, 0 or more, or empty"),
        ("shown_at", "yesterday", "an ISO 8601 time such as 2026-01-31T12:00:00Z, or empty"),
        ("watched_a", "often", "true, false, or empty"),
        ("correct", "yes", "true, false, or empty"),
    ],
)
def test_a_cell_that_is_not_allowed_is_named_with_its_row(column: str, value: str, allowed: str) -> None:
    error = refusal(table(answer(), answer(**{"participant": "p2", "session": "p2", column: value})))
    shown = repr(value) + " is not allowed" if value else "the cell is empty"
    assert str(error) == f"answers.csv: row 3, column {column}: {shown}; allowed: {allowed}"


def test_the_first_bad_row_is_named_and_a_long_value_is_cut() -> None:
    rows = [answer(pair="q1"), answer(pair="q2", choice="x" * 500), answer(pair="q3", choice="y")]
    error = refusal(table(*rows))
    assert error.row == 3
    assert len(str(error)) < 150


def test_a_value_with_a_newline_stays_on_one_line() -> None:
    assert "'a\\nb'" in str(refusal(table(answer(choice="a\nb"))))


@pytest.mark.parametrize("column", ["trial", "pair"])
def test_a_second_answer_to_the_same_trial_or_pair_is_refused(column: str) -> None:
    other = "pair" if column == "trial" else "trial"
    error = refusal(table(answer(), answer(participant="p2"), answer(**{column: "q1", other: "other"})))
    assert str(error) == (
        f"answers.csv: row 4, column {column}: 'q1' was already answered in row 2 (study s, session p1); "
        f"allowed: one answer for each study, session, {column}"
    )


def test_the_same_trial_in_another_session_or_study_is_no_repeat() -> None:
    assert len(checked(answer(), answer(session="other"), answer(study="t"))) == 3


@pytest.mark.parametrize(
    ("cells", "column", "right"),
    [
        ({"choice": "b", "correct": "true"}, "correct", "false"),
        ({"choice": "a", "correct": "false"}, "correct", "true"),
        ({"choice": "", "correct": "false"}, "correct", "empty"),
        ({"truth": "", "correct": "true"}, "correct", "empty"),
        ({"choice": "a", "chosen_source": "hybrid"}, "chosen_source", "human"),
        ({"choice": "", "chosen_source": "human"}, "chosen_source", "empty"),
        ({"choice": "b", "source_b": "", "chosen_source": "human"}, "chosen_source", "empty"),
    ],
)
def test_a_derived_cell_that_contradicts_its_origin_is_refused(
    cells: dict[str, str], column: str, right: str
) -> None:
    error = refusal(table(answer(pair="q0"), answer(**cells)))
    assert (error.row, error.column, error.allowed) == (3, column, f"{right} in this row, or empty")


def test_empty_derived_cells_are_filled() -> None:
    df = checked(*person("p1", "ab-"), *person("p2", "a", truth=""))
    assert df["correct"].astype(object).where(df["correct"].notna(), None).tolist() == [
        True,
        False,
        None,
        None,
    ]
    assert df["chosen_source"].astype(object).fillna("").tolist() == ["human", "hybrid", "", "human"]


def test_checking_twice_changes_nothing() -> None:
    once = checked(*person("p1", "ab-", shown_at="2026-01-31T12:00:00+01:00", rt_ms="12", correct=""))
    pd.testing.assert_frame_equal(check_responses(once), once)


def test_a_filtered_checked_table_is_judged_by_its_own_rows() -> None:
    """Categories of rows that were filtered away are no cells."""
    df = checked(*person("p1", "ab"))
    df["kind"] = df["kind"].cat.add_categories(["unknown"])
    assert len(check_responses(df[df["choice"] == "a"])) == 1


def test_typed_cells_count_like_their_texts() -> None:
    """A frame from a database or a Parquet file has numbers, truths and times, not texts."""
    text = checked(
        answer(participant="7", session="7", correct="true", rt_ms="3", shown_at="2026-01-31T12:00:00Z")
    )
    typed = table(answer()).astype(object)
    cells: dict[str, object] = {
        "version": 1.0,
        "participant": 7,
        "session": np.int64(7),
        "correct": True,
        "rt_ms": 3.0,
        "uncertainty": np.int8(2),
        "shown_at": pd.Timestamp("2026-01-31T13:00:00+01:00"),
        "stalls": None,
        "excluded": float("nan"),
    }
    for name, value in cells.items():
        typed[name] = pd.Series([value])
    pd.testing.assert_frame_equal(check_responses(typed), text)


@pytest.mark.parametrize("value", [2.5, 12.0, float("inf")])
def test_a_number_that_is_not_allowed_is_refused_in_a_typed_column_too(value: float) -> None:
    df = table(answer()).assign(uncertainty=[value])
    assert refusal(df).column == "uncertainty"


def test_identifiers_stay_text_and_may_be_any_language() -> None:
    df = checked(answer(participant="007"), answer(participant="7"), answer(participant="Zoë 参加者"))
    assert set(df["participant"]) == {"007", "7", "Zoë 参加者"}


def test_times_are_utc() -> None:
    df = checked(answer(shown_at="2026-01-31T12:00:00+02:00", answered_at="2026-01-31T10:00:01.5"))
    assert df["shown_at"].iloc[0] == pd.Timestamp("2026-01-31T10:00:00Z")
    assert df["answered_at"].iloc[0] == pd.Timestamp("2026-01-31T10:00:01.500Z")


def test_a_table_without_rows_is_a_table() -> None:
    assert tuple(check_responses(table()).columns) == COLUMNS


def test_every_column_says_what_it_means() -> None:
    for column in RESPONSE_COLUMNS:
        assert column.meaning
        assert column.allowed_text


def test_data_from_elsewhere_need_not_say_what_was_on_the_left() -> None:
    assert checked(answer(left=""))["left"].isna().all()


def test_only_the_columns_that_analysis_uses_are_checked_when_asked() -> None:
    df = table(answer(rt_ms="soon"), answer(pair="q2")).drop(columns="rationale")
    typed = check_responses(df, columns=ANALYZED_COLUMNS)
    assert tuple(typed.columns) == names(ANALYZED_COLUMNS)
    assert set(COLUMNS) - set(typed.columns) >= {"trial", "rationale", "rt_ms", "shown_at", "stalls"}
    pd.testing.assert_frame_equal(typed, checked(answer(), answer(pair="q2"))[list(typed.columns)])


def test_a_trial_answered_twice_is_refused_even_where_trials_are_not_asked_for() -> None:
    df = table(answer(pair="q1", trial="t"), answer(pair="q2", trial="t"))
    with pytest.raises(SchemaError, match="'t' was already answered in row 2"):
        check_responses(df, columns=ANALYZED_COLUMNS)
    assert len(check_responses(df.drop(columns="trial"), columns=ANALYZED_COLUMNS)) == 2


def test_a_checked_table_and_the_one_it_came_from_do_not_change_each_other() -> None:
    once = checked(*person("p1", "ab"))
    twice = check_responses(once)
    assert np.shares_memory(twice["pair"].array.codes, once["pair"].array.codes), "nothing is copied"
    for column, value in (("choice", "b"), ("uncertainty", 5), ("trial", "other")):
        twice.iloc[0, twice.columns.tolist().index(column)] = value
    pd.testing.assert_frame_equal(once, checked(*person("p1", "ab")))


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["int8", "Int16", "int64", "Int64", "float64", "Float64", "object"])
def test_whole_numbers_of_any_type_are_the_same(dtype: str) -> None:
    rows = [answer(rt_ms="3"), answer(pair="q2", rt_ms="100", uncertainty="5")]
    df = table(*rows).astype({"rt_ms": "float64", "uncertainty": "float64"}).astype({"rt_ms": dtype})
    pd.testing.assert_frame_equal(check_responses(df.astype({"uncertainty": dtype})), checked(*rows))
    bad = df.assign(uncertainty=pd.Series([2, 12], dtype=cast(Any, dtype)))
    assert (refusal(bad).row, refusal(bad).column) == (3, "uncertainty")


def test_identifiers_that_are_whole_numbers_or_categories_become_texts() -> None:
    rows = [answer(participant="10", session="10", trial="7"), answer(pair="q2", participant="9", trial="8")]
    df = table(*rows).astype({"participant": "int64", "trial": "int64"}).astype({"trial": "category"})
    pd.testing.assert_frame_equal(check_responses(df), checked(*rows))


TEXTS = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=20), min_size=1, max_size=8)


@pytest.mark.slow
@settings(deadline=None, max_examples=200)
@given(TEXTS, st.integers(0, 7))
def test_two_texts_have_the_same_number_where_they_are_the_same(texts: list[str], start: int) -> None:
    found = text_numbers(pd.Series(texts, dtype="str").iloc[start:])
    assert found is not None
    kept = texts[start:]
    assert [list(found).index(number) for number in found] == [kept.index(text) for text in kept]


def test_texts_that_are_long_or_fill_several_blocks_are_numbered_too() -> None:
    many = pd.Series([f"{n}" for n in range(300_000)], dtype="str")
    found = text_numbers(many)
    assert found is not None
    assert len(np.unique(found)) == len(many)
    assert text_numbers(pd.Series(["x" * 10_000], dtype="str")) is None
    same = pd.Series(["s", "s"], dtype="category")
    assert may_repeat([same, pd.Series(["x" * 10_000] * 2, dtype="str")])
    assert not may_repeat([same, pd.Series(["x" * 10_000, "x" * 9_999 + "y"], dtype="str")])


@pytest.mark.slow
def test_a_repeat_is_found_among_many_rows() -> None:
    n = 200_000
    whole = table(answer()).iloc[np.zeros(n, dtype=int)].reset_index(drop=True)
    whole = whole.assign(trial=[f"t{i}" for i in range(n)], pair=[f"q{i % 10}" for i in range(n)])
    whole = whole.assign(session=[f"s{i // 10}" for i in range(n)])
    assert len(check_responses(whole, columns=ANALYZED_COLUMNS)) == n
    for column in ("trial", "pair"):
        cells = whole[column].tolist()
        cells[150_007] = cells[150_001]
        error = refusal(whole.assign(**{column: cells}))
        assert (error.row, error.column) == (150_009, column)
        assert "was already answered in row 150003 (study s, session s15000)" in error.problem
