"""`likely-human judge validate` as someone types it."""

import json
import shutil
from pathlib import Path

import pandas as pd
import pytest
import typer
from typer.testing import CliRunner, Result

from analysis.errors import AnalysisError
from analysis.judging import validate_judges
from app.cli.importing import import_hntt
from app.cli.judging import validate
from app.core.errors import StudyError
from tests.analysis.judging.cases import hntt
from tests.analysis.tables import HNTT

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("few_splits")]

app = typer.Typer()
app.command()(validate)


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIKELY_HUMAN_DATA", str(tmp_path / "data"))


@pytest.fixture
def responses(tmp_path: Path) -> list[Path]:
    """Both published studies, each an exported file."""
    table = hntt()
    paths = []
    for study in ("hntt-1", "hntt-2"):
        paths.append(tmp_path / f"{study}.csv")
        table[table["study"] == study].to_csv(paths[-1], index=False)
    return paths


@pytest.fixture
def verdicts(tmp_path: Path) -> Path:
    """Two judges of clips: one likes b, one runs twice."""
    table = hntt()
    clips = sorted(set(table["stimulus_a"].astype(str)) | set(table["stimulus_b"].astype(str)))
    rows = [{"judge": "b", "run": "", "stimulus": clip, "score": float(clip.endswith("b"))} for clip in clips]
    rows += [
        {"judge": "two", "run": run, "stimulus": clip, "score": hash_of(clip) * (run + 1) % 11}
        for run in (1, 2)
        for clip in clips
    ]
    pd.DataFrame(rows).to_csv(tmp_path / "verdicts.csv", index=False)
    return tmp_path / "verdicts.csv"


def hash_of(text: str) -> int:
    return sum(map(ord, text))


def run(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def test_the_command_prints_the_documented_json(responses: list[Path], verdicts: Path) -> None:
    done = run(*responses, verdicts, "--json", "--resamples", 50, "--seed", 3, "--epsilon", 0.2)
    assert done.exit_code == 0, done.output
    expected = validate_judges(
        hntt(), pd.read_csv(verdicts, dtype=str), resamples=50, seed=3, epsilon=0.2
    ).to_dict()
    assert json.loads(done.stdout) == json.loads(json.dumps(expected))
    assert [judge["judge"] for judge in expected["judges"]] == ["b", "two"]


def test_a_study_in_the_database_gives_the_numbers_of_its_exported_file(
    responses: list[Path], verdicts: Path, migrated_sqlite: Path, tmp_path: Path
) -> None:
    (tmp_path / "data").mkdir()
    shutil.copy(migrated_sqlite, tmp_path / "data" / "likely-human.sqlite3")
    importing = typer.Typer()
    importing.command()(import_hntt)
    assert CliRunner().invoke(importing, [str(HNTT)]).exit_code == 0
    options = (verdicts, "--json", "--resamples", 0)
    stored, exported = run("hntt-1", *options), run(responses[0], *options)
    assert stored.exit_code == 0, stored.output
    assert json.loads(stored.stdout) == json.loads(exported.stdout)


def test_it_prints_tables_without_json(responses: list[Path], verdicts: Path, tmp_path: Path) -> None:
    done = run(responses[0], verdicts, "--resamples", 20)
    assert done.exit_code == 0, done.output
    assert not (tmp_path / "data").exists(), "numbers of files need no database"
    assert "Judge two" in done.stdout
    assert "Pairs with a right member: 6 of 6 judged" in done.stdout


def test_pairs_without_votes_are_taken_from_a_file(responses: list[Path], tmp_path: Path) -> None:
    pairs = tmp_path / "more.csv"
    pairs.write_text(
        "study,pair,condition,stimulus_a,stimulus_b,source_a,source_b,truth\n"
        "hntt-1,new1,hybrid-symbolic,x,y,symbolic,hybrid,\nhntt-1,new2,hybrid-symbolic,v,w,symbolic,hybrid,\n"
    )
    verdicts = tmp_path / "v.csv"
    verdicts.write_text("judge,pair,choice\nj,q7,a\nj,q8,b\nj,q9,b\nj,new1,b\nj,new2,a\nj,new3,a\n")
    done = run(responses[0], verdicts, "--pairs", pairs, "--json", "--resamples", 0)
    assert done.exit_code == 0, done.output
    judge = json.loads(done.stdout)["judges"][0]
    (found,) = [one for one in judge["prediction_powered"] if one["condition"] == "hybrid-symbolic"]
    assert (found["n_labelled"], found["n_unlabelled"]) == (3, 2)
    assert found["value"] is not None
    assert judge["runs"][0]["unknown"] == ["new3"]


def test_faults_are_refused_and_wrong_usage_is_status_2(responses: list[Path], tmp_path: Path) -> None:
    bad = tmp_path / "bad.csv"
    bad.write_text("judge,pair,choice,score\nj,q1,left,\nj,q2,a,0.1\n")
    done = run(responses[0], bad)
    assert isinstance(done.exception, StudyError)
    assert "bad.csv: Row 2: the choice is 'left'." in str(done.exception)
    assert "Row 3: the choice and the score disagree." in str(done.exception)
    told = tmp_path / "spreadsheet.csv"
    told.write_bytes("judge;pair;score\r\nj;q1;0,25\r\nj;q2;0,75\r\n".encode("utf-8-sig"))
    done = run(responses[0], told, "--resamples", 0)
    assert done.exit_code == 0, done.output
    assert "Decimal commas in score were read as points." in done.stderr
    assert isinstance(run(responses[0], tmp_path / "no.csv").exception, AnalysisError)
    assert run(responses[0]).exit_code == 2
    assert run(responses[0], bad, "--epsilon", 2).exit_code == 2


def test_verdicts_that_match_no_pair_are_refused(responses: list[Path], tmp_path: Path) -> None:
    path = tmp_path / "foreign.csv"
    path.write_text("judge,study,pair,choice\nj,hntt-9,q1,a\n")
    done = run(responses[0], path, "--resamples", 0)
    assert isinstance(done.exception, StudyError)
    assert "no verdict is of a main pair" in str(done.exception)
