"""The lines of docs/elsewhere.md for a notebook, run as they stand there; tables and mappings in memory."""

import ast
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from analysis import AnalysisError, read_mapped, read_ratings
from tests.analysis.tables import write_csv

DOCS = (Path(__file__).parents[2] / "docs" / "elsewhere.md").read_text(encoding="utf-8")
LINES = re.findall(r"```python\n(.*?)```", DOCS, re.DOTALL)
MAPPING: dict[str, Any] = {
    "kind": "2afc",
    "columns": {"participant": "who", "pair": "item", "choice": "pick", "certainty": "sure"},
    "values": {"choice": {1: "a", 2: "b"}},
}
TABLE = pd.DataFrame(
    {"who": [7, 7, 8], "item": ["x", "y", "x"], "pick": [1, 2, None], "sure": [0.5, np.nan, 1]}
)


def test_the_three_lines_of_the_docs_print_the_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert [len(ast.parse(lines).body) for lines in LINES] == [3, 5]
    rows = [{"worker": f"w{n}", "item": f"i{n % 2}", "answer": "a", "right": "ab"[n % 2]} for n in range(4)]
    write_csv(tmp_path / "answers.csv", rows)
    mapping = "kind: 2afc\ncolumns: {participant: worker, pair: item, choice: answer, truth: right}\n"
    (tmp_path / "map.yaml").write_text(mapping)
    monkeypatch.chdir(tmp_path)
    found: dict[str, Any] = {}
    exec(LINES[0], found)
    assert "4 of 4 participants and 4 of 4 answers count" in capsys.readouterr().out
    assert found["result"].to_dict()["studies"][0]["accuracy"]["mean"] == 0.5


def test_the_docs_lines_for_a_table_in_memory_print_the_ratings(capsys: pytest.CaptureFixture[str]) -> None:
    exec(LINES[1], {})
    assert re.search(r"score\s+4\s+3\.00", capsys.readouterr().out)


def test_a_table_in_memory_is_what_its_file_is(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    TABLE.to_parquet(path)
    # Whatever the rows are called.
    pd.testing.assert_frame_equal(read_mapped(TABLE.set_axis([5, 5, 2]), MAPPING), read_mapped(path, MAPPING))
    wide = pd.DataFrame({"item": ["x"], "votes": [np.array(["a", "b"])], "who": [["w1", "w2"]]})
    mapping = {
        "kind": "2afc",
        "columns": {"pair": "item"},
        "wide": {"lists": {"choice": "votes", "participant": "who"}},
    }
    assert read_mapped(wide, mapping)["choice"].tolist() == ["a", "b"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"kind": "3afc"}, "the mapping: line 1, kind: '3afc' is not allowed"),
        (
            {"columns": {"participant": "whom"}},
            "the mapping: line 3, columns.participant: table has no column 'whom'",
        ),
        (
            {"columns": {"participant": object()}},
            "the mapping: allowed: texts, numbers, lists and dicts of these",
        ),
        ({"values": {"choice": {1: "a"}}}, "table: row 2, column pick (our choice): '2' is not allowed"),
    ],
)
def test_faults_in_memory_name_the_row_or_the_line(change: dict[str, Any], said: str) -> None:
    columns = {**MAPPING["columns"], **change.get("columns", {})}
    with pytest.raises(AnalysisError) as caught:
        read_mapped(TABLE, {**MAPPING, **change, "columns": columns})
    assert str(caught.value).startswith(said)
    with pytest.raises(AnalysisError, match="this maps 2AFC answers"):
        read_ratings(TABLE, MAPPING)
