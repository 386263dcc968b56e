"""Answers that the rule `unwatched` leaves out and `--all` counts, through the command line."""

import csv
import json
import shutil
from pathlib import Path

import pytest
from sqlmodel import col, select, update
from typer.testing import CliRunner

from app.cli import app
from app.cli.console import opened
from app.trials.responses import Response
from app.trials.tables import ParticipantSession
from tests.analysis.tables import HNTT

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("few_resamples")]

LINES = HNTT.read_text(encoding="utf-8").splitlines()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, migrated_sqlite: Path) -> Path:
    """The first published study of four people, one of whom cannot have watched a clip."""
    (tmp_path / "data").mkdir()
    shutil.copy(migrated_sqlite, tmp_path / "data" / "likely-human.sqlite3")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LIKELY_HUMAN_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("DATABASE_URL", raising=False)
    kept = [line for line in LINES[1:] if int(line.split(",")[1]) <= 4]
    (tmp_path / "hntt.csv").write_text("\n".join([LINES[0], *kept]) + "\n", encoding="utf-8")
    assert CliRunner().invoke(app, ["import", "hntt", "hntt.csv"]).exit_code == 0
    with opened() as (_, database), database.transaction() as session:
        one = session.exec(select(ParticipantSession.id).order_by(col(ParticipantSession.id))).first()
        session.execute(update(Response).where(col(Response.session_id) == one).values(unwatched=True))
    return tmp_path


def said(*words: str) -> str:
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_all_counts_who_cannot_have_watched_in_every_command_that_counts(folder: Path) -> None:
    for more, people in (((), 3), (("--all",), 4)):
        [study] = json.loads(said("analyze", "hntt-1", "--json", "--resamples", "0", *more))["studies"]
        assert study["accuracy"]["n"] == people
        said("export", "hntt-1", "--what", "labels", "--out", "labels.csv", *more)
        with (folder / "labels.csv").open(encoding="utf-8", newline="") as file:
            labels = list(csv.DictReader(file))
        assert {int(row["n"]) for row in labels} == {people}
        assert f"{people} participants" in said(
            "report", "hntt-1", "--out", "made", "--resamples", "0", *more
        )
        lines = ["judge,pair,choice,score", *(f"mine,{row['pair']},a,1" for row in labels)]
        (folder / "verdicts.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        validated = said("judge", "validate", "hntt-1", "verdicts.csv", "--json", "--resamples", "0", *more)
        assert json.loads(validated)["selection"]["hntt-1"]["n_participants_used"] == people
