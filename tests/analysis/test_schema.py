import numpy as np
import pandas as pd
import pytest

from analysis import RESPONSE_COLUMNS, SchemaError, check_responses
from tests.analysis.tables import COLUMNS, answer, checked, person, table


def refusal(df: pd.DataFrame) -> SchemaError:
    with pytest.raises(SchemaError) as caught:
        check_responses(df, "answers.csv")
    assert "\n" not in str(caught.value)
    return caught.value


def test_a_checked_table_has_exactly_the_columns_in_order() -> None:
    df = table(answer()).assign(extra="ignored")[["extra", *reversed(COLUMNS)]]
    assert tuple(check_responses(df).columns) == COLUMNS


@pytest.mark.parametrize("column", COLUMNS)
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
        ("choice", "C", "a, b, or empty"),
        ("choice", "left", "a, b, or empty"),
        ("choice", " a", "a, b, or empty"),
        ("left", "left", "a, b (not empty)"),
        ("truth", "human", "a, b, or empty"),
        ("mode", "test", "live, simulated, pilot, preview (not empty)"),
        ("kind", "", "main, practice, attention (not empty)"),
        ("participant", "", "any text (not empty)"),
        ("uncertainty", "12", "a whole number, 1 to 11, or empty"),
        ("uncertainty", "0", "a whole number, 1 to 11, or empty"),
        ("uncertainty", "2.5", "a whole number, 1 to 11, or empty"),
        ("uncertainty", "1_0", "a whole number, 1 to 11, or empty"),
        ("uncertainty", "nan", "a whole number, 1 to 11, or empty"),
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
