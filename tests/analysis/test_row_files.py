"""Results of very many participants: rows as files, and a JSON that says what it leaves out."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from analysis import analyze, analyze_ratings
from analysis.__main__ import main
from analysis.reported import Analysis
from analysis.row_files import MOST_ROWS, without_many_rows, write_row_files
from app.core.spreadsheet import defused
from tests.analysis.tables import person, table, write_csv

IDS = ["p1", "=cmd|' /C calc'!A0", "-3"]
TWO = [
    *(row for who, said in zip(IDS, ["aab", "abb", "aaa"], strict=True) for row in person(who, said, study="one")),
    *(row for who, said in zip("xy", ["bbb", "abb"], strict=True) for row in person(who, said, study="two")),
]  # fmt: skip


@pytest.fixture(scope="module")
def result() -> Analysis:
    return analyze(table(*TWO), resamples=0)


def of_all(result: Analysis, *way: str) -> list[dict[str, Any]]:
    """The rows at one place of each study's JSON."""
    found = []
    for study in result.to_dict()["studies"]:
        at = study
        for step in way:
            at = at[step]
        found += [{"study": study["study"], **row} for row in at]
    return found


def without_nulls(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: value for key, value in row.items() if value is not None} for row in rows]


def read(path: Path) -> list[dict[str, Any]]:
    """The rows of a file, each without its missing cells."""
    frame = pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_csv(path, engine="pyarrow")
    return [
        {str(name): cell for name, cell in row.items() if not pd.isna(cell)}
        for row in frame.to_dict("records")
    ]


@pytest.mark.slow
def test_up_to_the_limit_the_json_is_what_it_was(result: Analysis) -> None:
    assert json.dumps(without_many_rows(result)) == json.dumps(result.to_dict())


@pytest.mark.slow
def test_above_the_limit_rows_are_null_and_the_last_key_says_so(result: Analysis) -> None:
    whole, shown = result.to_dict(), without_many_rows(result, most=2)
    *keys, last = shown
    assert keys == list(whole)
    assert last == "rows"
    assert shown["rows"]["most"] == 2
    assert "--out DIR" in shown["rows"]["get"]
    # Three people of the first study, three pairs of both; two people of the second are no more than two.
    one, two = shown["studies"]
    assert one["participants"] is None
    assert one["certainty"]["participants"] is None
    assert two["participants"] == whole["studies"][1]["participants"]
    assert shown["labels"] is None
    assert shown["rows"]["left_out"]["participants"] == 3
    assert shown["rows"]["left_out"]["dawid_skene_pairs"] == 6
    assert shown["rows"]["left_out"]["labels"] == len(whole["labels"])
    assert one["accuracy"] == whole["studies"][0]["accuracy"]
    assert shown["comparisons"] == whole["comparisons"]


@pytest.mark.slow
@pytest.mark.parametrize("table_format", ["csv", "parquet"])
def test_files_hold_the_rows_of_the_json(result: Analysis, tmp_path: Path, table_format: Any) -> None:
    summary = write_row_files(result, tmp_path / "rows", table_format)
    files = summary["rows"]["files"]
    assert sorted(path.name for path in (tmp_path / "rows").iterdir()) == sorted(
        one["file"] for one in files.values()
    )

    def rows(name: str) -> list[dict[str, Any]]:
        found = read(tmp_path / "rows" / files[name]["file"])
        assert len(found) == files[name]["n_rows"]
        return found

    people = of_all(result, "participants")
    of_json = [{**person, "participant": restored(person["participant"], table_format)} for person in people]
    for person_ in of_json:
        del person_["preferences"]
    assert rows("participants") == without_nulls(of_json)
    assert rows("dawid_skene_pairs") == without_nulls(of_all(result, "dawid_skene", "pairs"))
    assert rows("bias_order_positions") == without_nulls(of_all(result, "bias", "order", "positions"))
    assert len(rows("labels")) == len(result.labels)
    assert len(rows("accuracy_by_pair")) == 6


def restored(cell: str, table_format: str) -> str:
    """A CSV's cell as it is written; Parquet's as it is."""
    return defused(cell) if table_format == "csv" else cell


def test_every_row_is_left_to_the_files(result: Analysis, tmp_path: Path) -> None:
    summary = write_row_files(result, tmp_path / "rows")
    assert summary["labels"] is None
    assert all(study["participants"] is None for study in summary["studies"])
    assert all(one["rows"] is None for study in summary["studies"] for one in study["breakdowns"])


@pytest.mark.slow
def test_a_folder_with_files_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exported = write_csv(tmp_path / "responses.csv", TWO)
    assert main([str(exported), "--resamples", "0", "--out", str(tmp_path)]) == 1
    assert f"{tmp_path}: there are files in this folder" in capsys.readouterr().err
    assert main([str(exported), "--resamples", "0", "--out", str(exported)]) == 1
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.slow
def test_the_command_writes_files_and_prints_their_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    exported = str(write_csv(tmp_path / "responses.csv", TWO))
    out = tmp_path / "rows"
    assert main([exported, "--resamples", "0", "--json", "--out", str(out), "--tables", "parquet"]) == 0
    files = json.loads(capsys.readouterr().out)["rows"]["files"]
    assert files["participants"] == {"file": "participants.parquet", "n_rows": 5}
    assert len(pd.read_parquet(out / "participants.parquet")) == 5


def test_ratings_of_more_items_than_the_limit_leave_their_rows_out(tmp_path: Path) -> None:
    n = MOST_ROWS + 1
    scores = pd.DataFrame({"item": range(n), "rater": "r1", "score": "3"})
    result = analyze_ratings(scores, resamples=0)
    shown = without_many_rows(result)
    assert shown["items"] is None
    assert shown["rows"]["left_out"] == {"items": n}
    files = write_row_files(result, tmp_path / "rows")["rows"]["files"]
    assert files["items"] == {"file": "items.csv", "n_rows": n}
