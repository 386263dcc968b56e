"""Runs of judges beside earlier ones: what stands, what a newer one replaces, and what a job begun anew needs."""

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError
from sqlmodel import select

from app.core.database import Database
from app.core.settings import Settings
from app.jobs.tables import Job, JobStatus
from app.library.places import judging_folder, sent_verdicts
from app.trials.tables import UnitMember
from app.worker.handlers import judging
from app.worker.handlers.judging_before import stood_before
from tests.jobs import test_judging as base
from tests.jobs.test_judging import ask, done, pair_names, withdraw_one

settings, answered = base.settings, base.answered
pytestmark = [pytest.mark.any_database, pytest.mark.usefixtures("few_resamples")]


def choices(database: Database, *judges: str) -> str:
    rows = [f"{judge},{pair},a\n" for judge in judges for pair in pair_names(database)]
    return "judge,pair,choice\n" + "".join(rows)


def test_a_judge_that_fails_on_every_pair_leaves_its_earlier_verdicts(
    answered: str, database: Database, settings: Settings
) -> None:
    job = done(database, settings, ask(database, settings, judges=["motion"]))
    before = job.result["origins"]["motion"]
    with database.transaction() as session:
        for member in session.exec(select(UnitMember)):
            member.sha256 = "0" * 64
    job_id = ask(database, settings, judges=["motion"], text=choices(database, "mine"))
    job = done(database, settings, job_id)
    assert (job.status, job.message) == (JobStatus.DONE, "")
    assert (job.result["judges"], job.result["problems"]) == (["mine"], {})
    assert "is not there" in job.result["skipped"]["motion"]
    assert job.result["origins"]["motion"] == before
    rows = (judging_folder(settings.data_dir, job_id) / "verdicts.csv").read_text().splitlines()
    assert sum(row.startswith("motion,") for row in rows) == 10
    job = done(database, settings, ask(database, settings, judges=["motion"]))
    assert job.status == JobStatus.FAILED
    assert "motion did not run: " in job.message


def test_after_a_withdrawal_the_newest_run_alone_is_compared_again_and_older_ones_show_no_answers(
    answered: str, database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    older, newer = (
        done(database, settings, ask(database, settings, text=choices(database, name))).id or 0
        for name in ("one", "two")
    )
    compared: list[int] = []
    real = judging._validated

    def validated(work: Any, path: Path) -> Any:
        compared.append(work.job.id)
        return real(work, path)

    monkeypatch.setattr(judging, "_validated", validated)
    withdraw_one(database)
    job = done(database, settings, newer)
    assert (job.status, job.result["participants"], list(job.result["origins"])) == (
        JobStatus.DONE,
        2,
        ["one", "two"],
    )
    job = done(database, settings, older)
    assert compared == [newer]
    assert (job.status, job.result["participants"], job.result["files"]) == (
        JobStatus.DONE,
        0,
        ["verdicts.csv"],
    )
    assert "a newer one compares its judges" in job.result["reason"]
    assert [path.name for path in judging_folder(settings.data_dir, older).iterdir()] == ["verdicts.csv"]
    withdraw_one(database)
    with database.reading() as session:
        assert session.get_one(Job, older).status == JobStatus.DONE


def test_a_job_that_is_begun_anew_as_the_database_was_away_still_has_its_file(
    answered: str, database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    away = iter([True])

    def stood_or_away(*of: Any) -> Any:
        if next(away, False):
            raise OperationalError("SELECT 1", None, Exception("the server closed the connection"))
        return stood_before(*of)

    monkeypatch.setattr(judging, "stood_before", stood_or_away)
    job = done(database, settings, ask(database, settings, text=choices(database, "mine")))
    assert (job.status, job.message, job.result["judges"]) == (JobStatus.DONE, "", ["mine"])
    assert not sent_verdicts(settings.data_dir, "t0").exists()
