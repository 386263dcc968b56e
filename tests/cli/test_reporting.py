"""`likely-human report` as a person meets it."""

import json
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from analysis import hntt_responses, read_hntt
from tests.analysis.tables import GOLD, HNTT
from tests.program import Done, Program

Run = Callable[..., Done]


@pytest.fixture
def run(tmp_path: Path, program: Program) -> Run:
    kept = {key: os.environ[key] for key in ("PATH", "HOME", "LANG") if key in os.environ}
    environment = {**kept, "LIKELY_HUMAN_DATA": str(tmp_path / "data"), "COLUMNS": "200", "TERM": "dumb"}
    return partial(program.run, "report", cwd=tmp_path, environment=environment)


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    path = tmp_path / "answers.csv"
    hntt_responses(read_hntt(HNTT)).to_csv(path, index=False)
    return path


def test_a_file_becomes_a_report_in_place_of_an_older_one_and_no_database_is_made(
    run: Run, answers: Path, tmp_path: Path
) -> None:
    made = tmp_path / "made" / "here"
    for folder in ("figures", "tables"):
        (made / folder).mkdir(parents=True)
    ours = [made / "judges.json", made / "figures" / "judges.png", made / "tables" / "judges.csv"]
    theirs = [made / "notes.txt", made / "figures" / "notes.txt"]
    for path in (*ours, *theirs):
        path.write_text("older")
    done = run(answers.name, "--out", "made/here", "--resamples", "50")
    assert (done.returncode, done.stdout) == (
        0,
        "600 answers of 60 participants (mode live): made/here/report.html\n",
    ), done.stderr
    assert (made / "figures" / "participants.svg").is_file()
    assert "hntt-2" in (made / "report.html").read_text(encoding="utf-8")
    assert [path.exists() for path in ours] == [False, False, False]
    assert [path.read_text() for path in theirs] == ["older", "older"]
    assert not (tmp_path / "data").exists()


def test_ratings_become_a_report_by_their_mapping(run: Run, tmp_path: Path) -> None:
    mapping = GOLD / "alympics_ratings.yaml"
    items = ["judge,item,value", *(f"model,{item},{1 + item % 5}" for item in range(1, 31)), ""]
    (tmp_path / "judge.csv").write_text("\n".join(items))
    asked = "--mapping", mapping, "--out", "made", "--resamples", "50", "--verdicts", "judge.csv"
    done = run(GOLD / "alympics_ratings.csv", *asked)
    assert (done.returncode, done.stdout) == (0, "816 scores: made/report.html\n"), done.stderr
    assert "Judges against people" in (tmp_path / "made" / "report.html").read_text()
    (tmp_path / "judge.csv").write_text("judge,item,value\nmodel,elsewhere,3\n")
    refused = run(GOLD / "alympics_ratings.csv", *asked)
    assert (refused.returncode, len(refused.stderr.strip().splitlines())) == (1, 1), refused.stderr
    assert "no verdict is of an item that was rated" in refused.stderr


def test_judgements_of_single_stimuli_become_a_report_by_their_mapping(run: Run, tmp_path: Path) -> None:
    (tmp_path / "map.yaml").write_text(
        "kind: yes-no\ncolumns: {participant: who, stimulus: clip, truth: is, answer: says}\nclasses: [real, fake]\n"
    )
    rows = [f"w{who},c{clip},{('real', 'fake')[clip % 2]},real" for who in range(3) for clip in range(4)]
    (tmp_path / "judged.csv").write_text("\n".join(["who,clip,is,says", *rows, ""]))
    (tmp_path / "v.csv").write_text("judge,item,value\nm,c0,real\nm,c1,real\nm,c2,fake\nm,c3,real\n")
    words = "judged.csv", "--mapping", "map.yaml", "--verdicts", "v.csv", "--out", "made", "--resamples", "50"
    done = run(*words)
    assert (done.returncode, done.stdout) == (0, "12 answers: made/report.html\n"), done.stderr
    assert "Judges against people" in (tmp_path / "made" / "report.html").read_text()
    assert (tmp_path / "made" / "tables" / "judges.csv").is_file()
    # Three of four stimuli are called by the judge what everybody calls them.
    judges = json.loads((tmp_path / "made" / "judges.json").read_text())
    assert judges["criteria"][0]["judges"][0]["measures"]["accuracy"]["value"]["value"] == 0.75
    (tmp_path / "v.csv").write_text("judge,item,value\nm,elsewhere,real\n")
    assert "no verdict is of an item that was rated" in run(*words).stderr


def test_what_cannot_be_reported_is_one_clear_line(run: Run, answers: Path, tmp_path: Path) -> None:
    (tmp_path / "broken.csv").write_text("study,pair\ns,q1\n")
    refusals = (
        (("nowhere", "--out", "made"), "there is no study 'nowhere'"),
        (("broken.csv", "--out", "made"), "broken.csv: row 1, column "),
        (("answers.csv", "--mode", "preview", "--out", "made"), "mode 'preview' cannot be reported"),
        (("answers.csv", "--out", "answers.csv"), "cannot write the report into answers.csv: it is a file"),
        (("answers.csv", "--verdicts", "none.csv", "--out", "made"), "none.csv: cannot be read"),
    )
    for words, said in refusals:
        done = run(*words)
        lines = done.stderr.strip().splitlines()
        assert (done.returncode, len(lines)) == (1, 1), (words, done.stderr)
        assert said in lines[0]
        assert not (tmp_path / "made").exists()
    assert run("answers.csv").returncode == 2
