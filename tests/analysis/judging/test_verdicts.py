"""Files and tables of verdicts: what is taken, and what is refused with its place."""

import json
from pathlib import Path

import pandas as pd
import pytest

from analysis.errors import ReadError, SchemaError
from analysis.judging import VERDICT_COLUMNS, check_verdicts, read_pairs, read_verdicts


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_a_score_within_0_and_1_is_a_probability_and_gives_the_choice() -> None:
    table = check_verdicts(pd.DataFrame({"judge": "j", "pair": ["p", "q", "r"], "score": [0.7, 0.5, 0.2]}))
    assert table["choice"].tolist() == ["a", "tie", "b"]
    assert table["probability"].all()


def test_scores_are_support_for_a_where_one_lies_outside_0_and_1() -> None:
    table = check_verdicts(pd.DataFrame({"judge": "j", "pair": ["p", "q", "r"], "score": [0.7, 0, -1.2]}))
    assert table["choice"].tolist() == ["a", "tie", "b"]
    assert not table["probability"].any()


def test_small_differences_are_support_where_the_scale_says_so() -> None:
    columns = {"judge": "j", "pair": ["p", "q"], "choice": ["a", "a"], "score": [0.2, 0.1]}
    assert not check_verdicts(pd.DataFrame({**columns, "scale": "support"}))["probability"].any()
    with pytest.raises(SchemaError, match=r"contradicts the score 0\.2"):
        check_verdicts(pd.DataFrame({**columns, "scale": "probability"}))
    with pytest.raises(SchemaError, match="two scales"):
        check_verdicts(pd.DataFrame({**columns, "scale": ["support", "probability"]}))
    with pytest.raises(SchemaError, match=r"'2\.0' is no probability"):
        check_verdicts(pd.DataFrame({**columns, "score": [2, 0.1], "scale": "probability"}))


def test_each_judge_s_scores_are_read_for_themselves() -> None:
    table = check_verdicts(pd.DataFrame({"judge": ["j", "k"], "pair": ["p", "p"], "score": [0.2, 4]}))
    assert table["probability"].tolist() == [True, False]
    assert table["choice"].tolist() == ["b", "a"]


def test_a_row_without_choice_and_score_is_an_abstention_and_stays() -> None:
    table = check_verdicts(pd.DataFrame({"judge": "j", "pair": ["p", "q"], "choice": ["a", ""]}))
    assert len(table) == 2
    assert table["choice"].isna().tolist() == [False, True]


def test_at_the_middle_any_choice_may_stand() -> None:
    frame = pd.DataFrame({"judge": "j", "pair": ["p", "q"], "choice": ["a", "tie"], "score": [0.5, 0.5]})
    assert check_verdicts(frame)["choice"].tolist() == ["a", "tie"]


def test_checking_again_changes_nothing() -> None:
    once = check_verdicts(pd.DataFrame({"judge": ["j", "j"], "pair": ["p", "q"], "score": [3.0, None]}))
    pd.testing.assert_frame_equal(check_verdicts(once), once)


REFUSED = {
    "a choice that contradicts a probability": (
        "judge,pair,choice,score\nj,p,a,0.9\nj,q,a,0.4\n",
        "row 3, column choice: 'a' contradicts the score 0.4 (a probability that a is chosen); allowed: b in this row",
    ),
    "a choice that contradicts support": (
        "judge,pair,choice,score\nj,p,b,2\n",
        "row 2, column choice: 'b' contradicts the score 2 (support for a); allowed: a in this row, or empty",
    ),
    "a tie that its score contradicts": (
        "judge,pair,choice,score\nj,p,tie,0.6\n",
        "'tie' contradicts the score 0.6",
    ),
    "a second verdict": (
        "judge,run,pair,choice\nj,1,p,a\nj,2,p,a\nj,1,p,b\n",
        "row 4, column pair: 'p' was already judged in row 2 (judge j, run 1); allowed: one verdict",
    ),
    "a second verdict without runs": (
        "judge,pair,choice\nj,p,a\nj,p,a\n",
        "row 3, column pair: 'p' was already",
    ),
    "a second score of a clip": (
        "judge,stimulus,score\nj,s,1\nj,s,2\n",
        "row 3, column stimulus: 's' was already",
    ),
    "no judge": ("pair,choice\np,a\n", "row 1, column judge: the column is missing"),
    "an empty judge": ("judge,pair,choice\n,p,a\n", "row 2, column judge: the cell is empty"),
    "neither pair nor clip": ("judge,choice\nj,a\n", "row 1, column pair or stimulus: the column is missing"),
    "neither choice nor score": ("judge,pair\nj,p\n", "row 1, column choice or score: the column is missing"),
    "an empty pair": (
        "judge,pair,choice\nj,,a\n",
        "row 2, column pair: the cell is empty; allowed: a pair, or a stim",
    ),
    "pair and clip in one row": (
        "judge,pair,stimulus,score\nj,p,s,1\n",
        "row 2, column stimulus: 's' stands beside a pair",
    ),
    "a choice for a clip": (
        "judge,stimulus,choice,score\nj,s,a,1\n",
        "row 2, column choice: 'a' is in a row about one clip; allowed: empty, with a score",
    ),
    "a judge of pairs and clips": (
        "judge,pair,stimulus,score\nj,p,,1\nj,,s,1\n",
        "row 2, column judge: 'j' judges pairs and single clips",
    ),
    "a word for a score": ("judge,pair,score\nj,p,high\n", "row 2, column score: 'high' is not a number"),
    "infinity": ("judge,pair,score\nj,p,inf\n", "row 2, column score: 'inf' is not a number"),
    "not a number": ("judge,pair,score\nj,p,nan\n", "row 2, column score: 'nan' is not a number"),
    "another choice": (
        "judge,pair,choice\nj,p,left\n",
        "'left' is not allowed; allowed: a, b, tie, or empty",
    ),
    "bars": ("judge|pair|choice\nj|p|a\n", "(are the fields separated by commas, semicolons or tabs?)"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_faulty_file_is_refused_with_its_place(case: str, tmp_path: Path) -> None:
    text, said = REFUSED[case]
    with pytest.raises(SchemaError) as caught:
        read_verdicts(write(tmp_path / "v.csv", text))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("v.csv", "", "the file is empty"),
        ("v.csv", "judge,pair,choice\n", "the file has no rows"),
        ("v.jsonl", '{"judge": "j"', "row 1: "),
        (
            "v.jsonl",
            '{"judge":"j","pair":"p","choice":"a"}\n\n{"judge":"j","pair":"q","choice":"a"}\n',
            "row 2: the",
        ),
        ("v.parquet", "no", "not a Parquet file"),
        ("v.txt", "judge", "the suffix '.txt' is not known"),
    ],
)
def test_an_unreadable_file_is_refused(name: str, text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(ReadError, match=said.replace("(", r"\(")):
        read_verdicts(write(tmp_path / name, text))


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    for suffix in ("csv", "jsonl", "parquet"):
        with pytest.raises(ReadError, match="cannot be read"):
            read_verdicts(tmp_path / f"no.{suffix}")


def test_csv_json_lines_and_parquet_give_the_same_table(tmp_path: Path) -> None:
    rows = [
        {"judge": "ß", "run": "1", "pair": "01", "score": 0.25},
        {"judge": "ß", "run": "2", "pair": "01", "score": None},
    ]
    csv = write(tmp_path / "v.csv", "judge,run,pair,score,note\nß,1,01,0.25,x\nß,2,01,,y\n")
    lines = write(tmp_path / "v.jsonl", "\n".join(json.dumps(row) for row in rows) + "\n")
    parquet = tmp_path / "v.parquet"
    pd.DataFrame(rows).to_parquet(parquet)
    tables = [read_verdicts(path) for path in (csv, lines, parquet)]
    for table in tables[1:]:
        pd.testing.assert_frame_equal(table, tables[0])
    assert tables[0]["pair"].tolist() == ["01", "01"]


def test_a_key_that_some_lines_leave_out_is_a_missing_cell(tmp_path: Path) -> None:
    text = '{"judge":"j","pair":"p","choice":"a"}\n{"judge":"j","pair":"q","score":-3,"choice":null}\n'
    assert read_verdicts(write(tmp_path / "v.jsonl", text))["choice"].tolist() == ["a", "b"]


def test_pairs_are_read_with_the_columns_of_labels(tmp_path: Path) -> None:
    header = "study,pair,condition,kind,stimulus_a,stimulus_b,source_a,source_b,truth"
    path = write(tmp_path / "pairs.csv", f"{header}\ns,p,human-hybrid,main,x,y,human,hybrid,a\n")
    assert read_pairs(path)["truth"].tolist() == ["a"]
    with pytest.raises(SchemaError, match="row 1, column source_b: the column is missing"):
        read_pairs(
            write(tmp_path / "few.csv", "study,pair,condition,stimulus_a,stimulus_b,source_a\ns,p,c,x,y,h\n")
        )


def test_the_columns_are_those_of_the_contract() -> None:
    assert [column.name for column in VERDICT_COLUMNS] == [
        *("judge", "run", "study", "pair", "stimulus", "choice", "score", "scale")
    ]
