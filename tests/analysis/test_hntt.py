from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from analysis import AnalysisError, check_responses, hntt_responses, read_hntt
from tests.analysis.tables import COLUMNS, HNTT, hntt_rows, write_csv

Row = dict[str, str]


def refusal(tmp_path: Path, rows: list[Row]) -> str:
    path = write_csv(tmp_path / "hntt.csv", rows)
    with pytest.raises(AnalysisError) as caught:
        read_hntt(path)
    return str(caught.value).removeprefix(f"{path}: ")


def first(**cells: str) -> list[Row]:
    """The gold rows with cells of the first (question 1 of study 1: A hybrid, B human) replaced."""
    rows = hntt_rows()
    rows[0] |= cells
    return rows


POINTS = "a whole number, 1 to 5, or empty"
SIDE = "the side of the human by the two types"
FIRST_TYPES = "types 1 and 3, as in the question's first row"


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ({"subj_resp": "C"}, "row 2, column subj_resp: 'C' is not allowed; allowed: A, B, 0, or empty"),
        ({"certainty": "7"}, f"row 2, column certainty: '7' is not allowed; allowed: {POINTS}"),
        ({"certainty": "0"}, f"row 2, column certainty: '0' is not allowed; allowed: {POINTS}"),
        ({"vidA_type": "4"}, "row 2, column vidA_type: '4' is not allowed; allowed: 1, 2, 3 (not empty)"),
        ({"vidA_type": "1"}, "row 2, column vidB_type: '1' is not allowed; allowed: a type other than vidA_type's"),
        ({"ground": "A"}, f"row 2, column ground: 'A' is not allowed; allowed: B, {SIDE}"),
        ({"ground": "0"}, f"row 2, column ground: '0' is not allowed; allowed: B, {SIDE}"),
        ({"ground": ""}, "row 2, column ground: the cell is empty; allowed: A, B, 0 (not empty)"),
        ({"subjno": ""}, "row 2, column subjno: the cell is empty; allowed: any text (not empty)"),
        ({"studyno": "x"}, "row 2, column studyno: 'x' is not allowed; allowed: a whole number, 1 or more (not empty)"),
        ({"vidA_type": "3"}, f"row 12, column vidA_type: '2' is not allowed; allowed: {FIRST_TYPES}"),
        (
            {"question_id": "2", "vidA_type": "1", "vidB_type": "2", "ground": "A"},
            "row 3, column question_id: '2' was already answered in row 2 (studyno 1, subjno 1); "
            "allowed: one answer for each studyno, subjno, question_id",
        ),
    ],
)  # fmt: skip
def test_a_bad_row_is_one_line_with_row_column_value_and_what_is_allowed(
    tmp_path: Path, cells: Row, said: str
) -> None:
    assert refusal(tmp_path, first(**cells)) == said


def test_the_last_row_is_checked_like_the_first(tmp_path: Path) -> None:
    rows = hntt_rows()
    rows[-1]["subj_resp"] = "C"
    assert refusal(tmp_path, rows).startswith("row 601, column subj_resp: 'C'")


def test_a_truth_where_neither_is_human_is_refused(tmp_path: Path) -> None:
    rows = hntt_rows()
    rows[6]["ground"] = "A"
    assert "row 8, column ground: 'A' is not allowed; allowed: 0, the side" in refusal(tmp_path, rows)


def test_a_missing_column_is_refused(tmp_path: Path) -> None:
    rows = [{name: cell for name, cell in row.items() if name != "ground"} for row in hntt_rows()]
    assert refusal(tmp_path, rows) == (
        "row 1, column ground: the column is missing; allowed: "
        "studyno, subjno, question_id, vidA_type, vidB_type, ground, subj_resp, certainty"
    )


@pytest.fixture(scope="module")
def responses() -> pd.DataFrame:
    return hntt_responses(read_hntt(HNTT))


def test_every_row_becomes_one_response(responses: pd.DataFrame) -> None:
    assert tuple(responses.columns) == COLUMNS
    assert len(responses) == 600
    assert responses.groupby("study", observed=True)["participant"].nunique().to_dict() == {
        "hntt-1": 30,
        "hntt-2": 30,
    }
    pd.testing.assert_frame_equal(check_responses(responses), responses)


def test_a_row_keeps_its_meaning(responses: pd.DataFrame) -> None:
    """Row 4 of the file: 1,1,3,2,1,B,A,1 - a hybrid on A, a human on B, A chosen, extremely certain."""
    row = responses.astype(object).where(responses.notna(), None).iloc[2].to_dict()
    expected = {
        "study": "hntt-1",
        "version": 1,
        "arm": "main",
        "mode": "live",
        "participant": "1",
        "session": "1",
        "position": 3,
        "trial": "q3",
        "pair": "q3",
        "condition": "human-hybrid",
        "kind": "main",
        "stimulus_a": "hntt-1-q3-a",
        "stimulus_b": "hntt-1-q3-b",
        "source_a": "hybrid",
        "source_b": "human",
        "truth": "b",
        "left": "a",
        "choice": "a",
        "chosen_source": "hybrid",
        "correct": False,
        "uncertainty": 1,
    }
    assert row == dict.fromkeys(COLUMNS) | expected


def test_the_condition_does_not_depend_on_which_video_is_a(responses: pd.DataFrame) -> None:
    conditions = (
        responses.drop_duplicates(["study", "pair"]).groupby(["study", "condition"], observed=True).size()
    )
    assert conditions.to_dict() == {
        ("hntt-1", "human-hybrid"): 6,
        ("hntt-1", "hybrid-symbolic"): 4,
        ("hntt-2", "human-symbolic"): 6,
        ("hntt-2", "hybrid-symbolic"): 4,
    }


@pytest.mark.parametrize("blank", ["0", ""])
def test_a_blank_answer_is_missing(tmp_path: Path, blank: str) -> None:
    rows = first(subj_resp=blank, certainty="")
    df = hntt_responses(read_hntt(write_csv(tmp_path / "hntt.csv", rows)))
    assert df["choice"].isna().sum() == 1
    assert df["correct"].isna().sum() == 1 + 240
    assert df["uncertainty"].isna().sum() == 1


def swapped(row: Row) -> Row:
    letters = {"A": "B", "B": "A"}
    return row | {
        "vidA_type": row["vidB_type"],
        "vidB_type": row["vidA_type"],
        "ground": letters.get(row["ground"], "0"),
        "subj_resp": letters.get(row["subj_resp"], row["subj_resp"]),
    }


def test_a_question_shown_the_other_way_round_to_some_is_still_one_pair(
    tmp_path: Path, responses: pd.DataFrame
) -> None:
    """A then says what stood left: those rows keep their members and change only `left`."""
    rows = [swapped(row) if int(row["subjno"]) % 3 == 0 else row for row in hntt_rows()]
    df = hntt_responses(read_hntt(write_csv(tmp_path / "hntt.csv", rows)))
    turned = df["participant"].astype(int) % 3 == 0
    assert set(df.loc[turned, "left"]) == {"b"}
    pd.testing.assert_frame_equal(df.drop(columns="left"), responses.drop(columns="left"))


@pytest.mark.parametrize(
    "change", [lambda row: row | {"subjno": "Zoë " + row["subjno"]}, lambda row: row | {"extra": "1"}]
)
def test_names_may_be_any_text_and_further_columns_are_ignored(
    tmp_path: Path, responses: pd.DataFrame, change: Callable[[Row], Row]
) -> None:
    df = hntt_responses(read_hntt(write_csv(tmp_path / "hntt.csv", [change(row) for row in hntt_rows()])))
    same = ["study", "pair", "choice", "correct", "uncertainty", "chosen_source"]
    pd.testing.assert_frame_equal(df[same], responses[same])
