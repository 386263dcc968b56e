"""`python -m analysis` as someone types it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from analysis import analyze
from analysis.__main__ import main
from tests.analysis.tables import HNTT, hntt_rows, person, published, table, write_csv

pytestmark = pytest.mark.slow

TWO = [
    *(
        row
        for who, choices in enumerate(["aab", "abb", "aaa"])
        for row in person(f"p{who}", choices, study="one")
    ),
    *(
        row
        for who, choices in enumerate(["bbb", "abb", "aab"])
        for row in person(f"p{who}", choices, study="two")
    ),
]


@pytest.fixture
def exported(tmp_path: Path) -> str:
    return str(write_csv(tmp_path / "responses.csv", TWO))


def test_the_module_prints_the_documented_json(exported: str) -> None:
    command = [sys.executable, "-m", "analysis", exported, "--json", "--resamples", "100"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == analyze(table(*TWO), resamples=100).to_dict()


def test_it_prints_tables_without_json(exported: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([exported, "--full", "--resamples", "20"]) == 0
    printed = capsys.readouterr().out
    assert "Study one" in printed
    assert "p two-sided" in printed
    assert main([exported, "--resamples", "20"]) == 0
    assert "one (live): 3 of 3 participants and 9 of 9 answers count." in capsys.readouterr().out


def test_the_hntt_layout_gives_the_published_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--hntt", str(HNTT), "--json", "--resamples", "0"]) == 0
    assert json.loads(capsys.readouterr().out) == published(0).to_dict()


def test_every_option_reaches_the_analysis(exported: str, capsys: pytest.CaptureFixture[str]) -> None:
    options = "--mode live --blank wrong --alternative less --ties random --seed 7 --resamples 50 --independent --json"
    assert main([exported, *options.split()]) == 0
    assert json.loads(capsys.readouterr().out)["settings"] == {
        "mode": "live",
        "blank": "wrong",
        "alternative": "less",
        "ties": "random",
        "seed": 7,
        "resamples": 50,
        "level": 0.95,
        "independent": True,
    }


def test_several_files_are_several_studies(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [
        str(write_csv(tmp_path / f"{name}.csv", [row for row in TWO if row["study"] == name]))
        for name in ("two", "one")
    ]
    assert main([*paths, "--json", "--resamples", "0"]) == 0
    assert [study["study"] for study in json.loads(capsys.readouterr().out)["studies"]] == ["two", "one"]


@pytest.fixture
def bad(tmp_path: Path, exported: str) -> dict[str, list[str]]:
    rows = [dict(row) for row in TWO]
    rows[3]["choice"] = "C"
    hntt = hntt_rows()
    hntt[5]["certainty"] = "7"
    empty, wide = tmp_path / "empty.csv", tmp_path / "wide.csv"
    empty.write_bytes(b"")
    wide.write_bytes(HNTT.read_text().encode("utf-16-le"))
    return {
        "a bad cell": [str(write_csv(tmp_path / "bad.csv", rows))],
        "a bad HNTT cell": ["--hntt", str(write_csv(tmp_path / "hntt.csv", hntt))],
        "an empty file": [str(empty)],
        "UTF-16 without a mark": ["--hntt", str(wide)],
        "a missing file": [str(tmp_path / "no.csv")],
        "a folder": [str(tmp_path)],
        "the HNTT layout alone": [str(HNTT)],
        "a mode without answers": [exported, "--mode", "pilot"],
        "the same file twice": [exported, exported],
    }


@pytest.mark.parametrize(
    ("case", "said"),
    [
        ("a bad cell", "bad.csv: row 5, column choice: 'C' is not allowed; allowed: a, b, tie, or empty"),
        (
            "a bad HNTT cell",
            "hntt.csv: row 7, column certainty: '7' is not allowed; allowed: a whole number, 1 to 5",
        ),
        ("an empty file", "empty.csv: the file is empty; allowed: a header and at least one row"),
        (
            "UTF-16 without a mark",
            "wide.csv: the file holds zero bytes, so it is not UTF-8 text; allowed: UTF-8",
        ),
        ("a missing file", "no.csv: cannot be read (No such file or directory)"),
        ("a folder", "the suffix '(none)' is not known; allowed: .csv, .jsonl or .parquet"),
        ("the HNTT layout alone", "row 1, column study: the column is missing (this is the HNTT layout"),
        ("a mode without answers", "mode 'pilot' has no answers; allowed here: live"),
        ("the same file twice", "study 'one' is in "),
    ],
)
def test_bad_input_is_one_line_and_status_1(
    bad: dict[str, list[str]], case: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*bad[case], "--json"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert said in err


@pytest.mark.parametrize(
    "arguments", [[], ["x.csv", "--mode", "odd"], ["x.csv", "--seed", "-1"], ["x.csv", "--resamples", "many"]]
)
def test_wrong_usage_is_status_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "usage:" in capsys.readouterr().err


def test_a_reader_that_leaves_early_is_no_error(exported: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in `python -m analysis ... | head -1`."""
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as pipe:
        monkeypatch.setattr(sys, "stdout", pipe)
        assert main([exported, "--json", "--resamples", "0"]) == 0
