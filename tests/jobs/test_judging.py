"""The job that runs judges and holds them against people: files made, refusals in words, nothing left behind."""

import csv
import json
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import col, select
from starlette.testclient import TestClient

from analysis.judging import read_verdicts
from app.core.database import Database
from app.core.settings import Settings
from app.jobs import queue
from app.jobs.tables import Job, JobStatus, Kind
from app.judges.runner import COLUMNS
from app.judges.standing import judges_about, runs_with_verdicts
from app.library.clips.imported import ImportedClip
from app.library.clips.store import ClipStore
from app.library.places import judging_folder, sent_verdicts
from app.sessions.withdrawing import withdraw
from app.studies.launch import study_here
from app.trials.tables import ParticipantSession, Status, Unit, UnitMember
from app.worker.context import Work
from app.worker.handlers import judging
from app.worker.handlers.judging import judge_study
from app.worker.worker import drain
from tests.factories import NOW
from tests.kept import Kept
from tests.sessions.walks import Walk

pytestmark = [pytest.mark.any_database, pytest.mark.usefixtures("few_resamples")]

Library = tuple[ClipStore, Sequence[ImportedClip]]


@pytest.fixture
def settings(settings: Settings, library: Library, tmp_path: Path) -> Settings:
    """A data folder of the test's own, with the library's clips in it: job ids of other tests are ours too."""
    data = tmp_path / "data"
    data.mkdir()
    (data / "clips").symlink_to(library[0].root / "clips")
    return settings.model_copy(update={"data": data})


@pytest.fixture
def answered(client: TestClient, study: str, database: Database, kept: Kept) -> str:
    """The study with the answers of three people."""

    def walked() -> None:
        for _ in range(3):
            Walk(client, study).to("end")

    if database.url.get_backend_name() == "sqlite":
        kept.once(database, walked)
    else:
        walked()
    return study


def ask(
    database: Database, settings: Settings, *, judges: Sequence[str] = (), text: str = "", **more: Any
) -> int:
    params = {
        "slug": "nav",
        "judges": [*judges],
        "file": "",
        "file_name": "",
        "mode": None,
        "seed": 1,
        **more,
    }
    if text:
        params |= {"file": "t0", "file_name": "mine.csv"}
        path = sent_verdicts(settings.data_dir, "t0")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    with database.transaction() as session:
        return queue.ask(session, Kind.JUDGES, params, now=NOW, study_id=study_here(session, "nav").id)


def done(database: Database, settings: Settings, job_id: int) -> Job:
    drain(settings, database)
    with database.reading() as session:
        return session.get_one(Job, job_id)


def pair_names(database: Database) -> Sequence[str]:
    with database.reading() as session:
        return session.exec(select(Unit.name).where(Unit.kind == "main").order_by(Unit.name)).all()


def test_a_judge_is_run_over_every_main_pair_and_held_against_people(
    answered: str, database: Database, settings: Settings
) -> None:
    job_id = ask(database, settings, judges=["motion"])
    job = done(database, settings, job_id)
    assert (job.status, job.message) == (JobStatus.DONE, "")
    assert (job.result["judges"], job.result["verdicts"], job.result["reason"]) == (["motion"], 10, "")
    assert (job.result["mode"], job.result["participants"], job.result["answers"]) == ("live", 3, 30)
    folder = judging_folder(settings.data_dir, job_id)
    # The findings are for the page alone.
    assert sorted(path.name for path in folder.iterdir()) == sorted([*job.result["files"], "view.json"])
    with (folder / "verdicts.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert tuple(rows[0]) == COLUMNS
    assert sorted(row["pair"] for row in rows) == [*pair_names(database)]
    validation = json.loads((folder / "validation.json").read_text(encoding="utf-8"))
    assert [judge["judge"] for judge in validation["judges"]] == ["motion"]
    assert validation["judges"][0]["runs"][0]["n_judged"] == 10
    assert (folder / "judges.svg").read_text(encoding="utf-8").startswith("<svg")
    assert "motion" in job.result["figure"]["alt"]


def withdraw_one(database: Database) -> None:
    with database.transaction() as session:
        newest = select(ParticipantSession.id).where(ParticipantSession.status == Status.COMPLETED)
        withdraw(session, session.exec(newest.order_by(col(ParticipantSession.id).desc())).first() or 0, NOW)


@pytest.mark.both_databases
def test_after_a_withdrawal_the_verdicts_stay_and_are_held_against_those_who_are_left(
    answered: str, database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_id = ask(database, settings, judges=["motion"])
    folder = judging_folder(settings.data_dir, job_id)
    done(database, settings, job_id)
    verdicts = (folder / "verdicts.csv").read_bytes()
    withdraw_one(database)
    monkeypatch.setattr(judging, "_run", None)  # nobody judges again: a model costs money
    job = done(database, settings, job_id)
    assert (job.status, job.result["participants"], job.result["answers"]) == (JobStatus.DONE, 2, 20)
    assert (job.result["judges"], job.result["verdicts"]) == (["motion"], 10)
    assert json.loads((folder / "validation.json").read_text())["n_participants"] == 2
    assert (folder / "verdicts.csv").read_bytes() == verdicts
    for _ in range(2):
        withdraw_one(database)
    job = done(database, settings, job_id)
    assert (job.status, job.result["participants"], job.result["figure"]) == (JobStatus.DONE, 0, None)
    assert "no answers" in job.result["reason"]
    assert [path.name for path in folder.iterdir()] == ["verdicts.csv"]


def test_a_run_without_a_judge_that_is_taken_out_is_compared_again_after_a_withdrawal_and_keeps_the_others(
    answered: str, database: Database, settings: Settings
) -> None:
    text = "judge,pair,choice\n" + "".join(
        f"{judge},{pair},a\n" for judge in ("one", "two") for pair in pair_names(database)
    )
    done(database, settings, ask(database, settings, text=text))
    job_id = ask(database, settings, compare="pairs", without=["two"])
    job = done(database, settings, job_id)
    assert (job.status, list(job.result["origins"])) == (JobStatus.DONE, ["one"])
    withdraw_one(database)
    # It waits to be compared again; its verdicts stand meanwhile.
    with database.reading() as session:
        assert session.get_one(Job, job_id).status == JobStatus.QUEUED
        assert list(judges_about(runs_with_verdicts(session, job.study_id), "pairs", "pairs")) == ["one"]
    job = done(database, settings, job_id)
    assert (job.status, job.result["participants"]) == (JobStatus.DONE, 2)
    assert set(read_verdicts(judging_folder(settings.data_dir, job_id) / "verdicts.csv")["judge"]) == {"one"}


@pytest.mark.both_databases
def test_who_withdraws_while_judges_are_held_against_people_is_not_among_them(
    answered: str, database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It had read the answers already."""
    real = judging._drawn
    leaving = iter([True])

    def drawn(*of: Any) -> Any:
        if next(leaving, False):
            withdraw_one(database)
        return real(*of)

    monkeypatch.setattr(judging, "_drawn", drawn)
    text = "".join(f"mine,{pair},a,\n" for pair in pair_names(database))
    job = done(database, settings, ask(database, settings, text=f"judge,pair,choice,score\n{text}"))
    assert (job.status, job.result["participants"], job.tries) == (JobStatus.DONE, 2, 1)


def test_what_can_judge_runs_and_what_cannot_says_why(
    answered: str, database: Database, settings: Settings
) -> None:
    job = done(database, settings, ask(database, settings, judges=["straightness", "fidget", "motion"]))
    assert (job.status, job.message) == (JobStatus.DONE, "")
    assert job.result["judges"] == ["motion"]
    assert set(job.result["skipped"]) == {"straightness", "fidget"}
    assert "positions of the player" in job.result["skipped"]["fidget"]


def test_verdicts_that_were_sent_stand_beside_a_judge_that_is_run(
    answered: str, database: Database, settings: Settings
) -> None:
    """All of one file, which its reader takes again as it is."""
    lines = [f"oracle,{name},a,0.9,r{run}" for name in pair_names(database) for run in (1, 2)]
    job_id = ask(
        database, settings, judges=["motion"], text="\n".join(["judge,pair,choice,score,run", *lines])
    )
    job = done(database, settings, job_id)
    assert (job.status, job.result["judges"]) == (JobStatus.DONE, ["motion", "oracle"])
    verdicts = read_verdicts(judging_folder(settings.data_dir, job_id) / "verdicts.csv")
    assert verdicts["judge"].value_counts().to_dict() == {"oracle": 20, "motion": 10}
    assert not sent_verdicts(settings.data_dir, "t0").exists()


def test_names_in_sent_verdicts_that_look_alike_are_said_once(
    answered: str, database: Database, settings: Settings
) -> None:
    names = pair_names(database)
    lines = [f"{judge},{name},a,0.9" for judge in ("oracle", "Oracle") for name in names]
    job = done(
        database, settings, ask(database, settings, text="\n".join(["judge,pair,choice,score", *lines]))
    )
    assert job.result["notes"] == [
        "mine.csv: column judge: 'oracle' and 'Oracle' differ only in upper and lower case. They count as different"
    ]


def test_verdicts_on_single_clips_are_taken(answered: str, database: Database, settings: Settings) -> None:
    clips = [
        f"model,{source}-g{goal},{goal}.5"
        for source in ("human", "hybrid", "symbolic")
        for goal in range(1, 7)
    ]
    for head in ("judge,stimulus,score", "judge,item,value"):
        job_id = ask(database, settings, text="\n".join([head, *clips]))
        job = done(database, settings, job_id)
        assert (job.status, job.result["verdicts"]) == (JobStatus.DONE, 18), head
        validation = json.loads((judging_folder(settings.data_dir, job_id) / "validation.json").read_text())
        [judge] = validation["judges"]
        assert (judge["about"], judge["runs"][0]["n_judged"]) == ("clips", 10), head


def test_without_answers_there_are_verdicts_and_the_reason(
    study: str, database: Database, settings: Settings
) -> None:
    job = done(database, settings, ask(database, settings, judges=["motion"]))
    assert job.status == JobStatus.DONE
    assert job.result["files"] == ["verdicts.csv"]
    assert "no answers yet" in job.result["reason"]


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"judges": ["fidget"]}, "fidget did not run: it needs the positions"),
    ({"judges": ["oracle"]}, "there is no judge 'oracle'"),
    ({"text": "judge,pair\nm,p\n"}, "mine.csv: row 1, column choice or score"),
    ({"text": "judge,pair,choice\nm,human-hybrid-01,left\n"}, "mine.csv: row 2, column choice"),
    ({"text": "\x00\x01\x02"}, "mine.csv"),
    ({"judges": ["motion"], "text": "judge,pair,choice\nmotion,p,a\n"}, "verdicts of 'motion'"),
    ({"judges": ["motion"], "mode": "pilot"}, "'pilot' has no answers"),
    ({"file": "t9", "file_name": "gone.csv"}, "gone.csv was removed while it waited"),
]


def test_a_refusal_is_in_words_and_leaves_nothing(
    answered: str, database: Database, settings: Settings
) -> None:
    for wish, said in REFUSED:
        job_id = ask(database, settings, **wish)
        job = done(database, settings, job_id)
        assert job.status == JobStatus.FAILED, wish
        assert said in job.message
        assert str(settings.data_dir) not in job.message
        assert not judging_folder(settings.data_dir, job_id).exists()
        assert not sent_verdicts(settings.data_dir, "t0").exists()


def test_pairs_that_fail_are_told_and_kept(answered: str, database: Database, settings: Settings) -> None:
    with database.transaction() as session:
        first = select(UnitMember).join(Unit).where(Unit.name == "human-hybrid-01", UnitMember.slot == "a")
        member = session.exec(first).one()
        member.sha256 = "0" * 64
        session.add(member)
    job = done(database, settings, ask(database, settings, judges=["motion"]))
    problem = job.result["problems"]["motion"]
    assert problem["n"] == 1
    assert problem["first"].startswith(f"human-hybrid-01: a: {'0' * 64}.mp4 is not there")
    assert job.result["verdicts"] == 10


def test_a_job_that_is_called_off_leaves_nothing(
    answered: str, database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_id = ask(database, settings, judges=["motion"])

    def cancelled(work: Work) -> Any:
        with work.database.transaction() as session:
            queue.cancel(session, job_id, NOW)
        return judge_study(work)

    monkeypatch.setattr("app.worker.handlers.judging.judge_study", cancelled)
    assert done(database, settings, job_id).status == JobStatus.CANCELLED
    assert not judging_folder(settings.data_dir, job_id).exists()


def test_a_file_of_more_judges_than_a_run_takes_is_refused_at_once(
    answered: str, database: Database, settings: Settings
) -> None:
    """5,000 of them would hold up the queue for hours."""
    pair = pair_names(database)[0]
    lines = [f"judge-{number},{pair},a" for number in range(5_000)]
    job = done(database, settings, ask(database, settings, text="\n".join(["judge,pair,choice", *lines])))
    assert job.status == JobStatus.FAILED
    assert "mine.csv has 5,000 judges, and one run takes 50" in job.message
    assert not judging_folder(settings.data_dir, job.id or 0).exists()


@pytest.mark.parametrize("name", ["read_verdicts", "judges_figure"])
def test_a_run_that_is_called_off_ends_within_its_longest_steps(
    answered: str,
    database: Database,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
) -> None:
    begun = threading.Event()

    def never_ending(*_: object) -> None:
        begun.set()
        while True:
            sum(range(1_000))

    monkeypatch.setattr(f"app.worker.handlers.judging.{name}", never_ending)
    text = "judge,pair,choice\n" + "".join(f"mine,{pair},a\n" for pair in pair_names(database))
    job_id = ask(database, settings, text=text)
    thread = threading.Thread(target=drain, args=(settings, database))
    thread.start()
    assert begun.wait(180)
    with database.transaction() as session:
        queue.cancel(session, job_id, NOW)
    thread.join(180)
    assert not thread.is_alive()
    with database.reading() as session:
        assert session.get_one(Job, job_id).status == JobStatus.CANCELLED
    assert not judging_folder(settings.data_dir, job_id).exists()
