"""The job behind the results page: nothing left behind, nothing told that is blinded."""

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from sqlmodel import select
from starlette.testclient import TestClient

from analysis.findings.claims import more_people, more_votes
from analysis.stats.description import describe
from analysis.stats.intervals import wilson
from app.core.database import Database
from app.core.settings import Settings
from app.jobs import queue
from app.jobs.tables import Job, JobStatus, Kind
from app.library.clips.imported import ImportedClip
from app.library.clips.store import ClipStore
from app.library.places import judging_folder, results_folder
from app.reports.kept import from_json, to_json
from app.trials.tables import Study
from app.worker.worker import drain
from tests.factories import NOW
from tests.sessions.walks import Walk

pytestmark = [pytest.mark.any_database, pytest.mark.usefixtures("few_resamples")]

Library = tuple[ClipStore, Sequence[ImportedClip]]


@pytest.fixture
def settings(settings: Settings, library: Library, tmp_path: Path) -> Settings:
    data = tmp_path / "data"
    data.mkdir()
    (data / "clips").symlink_to(library[0].root / "clips")
    return settings.model_copy(update={"data": data})


def ask(database: Database, key: str = "k", mode: str = "live") -> int:
    params = {"slug": "nav", "against": "", "mode": mode, "key": key}
    with database.transaction() as session:
        return queue.ask(session, Kind.RESULTS, params, now=NOW)


def done(database: Database, settings: Settings, job_id: int) -> Job:
    drain(settings, database)
    with database.reading() as session:
        return session.get_one(Job, job_id)


@pytest.mark.both_databases
def test_the_numbers_are_in_the_folder_and_not_in_the_job(
    client: TestClient, study: str, database: Database, settings: Settings
) -> None:
    """Users who see the study see its jobs, also while its results are hidden from them."""
    Walk(client, study).to("end")
    first = ask(database)
    job = done(database, settings, first)
    assert (job.status, job.message, job.result) == (JobStatus.DONE, "", {"files": ["view.json"]})
    folder = results_folder(settings.data_dir, first)
    view = from_json((folder / "view.json").read_bytes())
    assert from_json(to_json(view)) == view
    assert (view.study, view.mode, view.n_people, view.n_answers, view.n_pairs) == ("nav", "live", 1, 10, 10)
    assert view.until is not None
    assert view.until.tzinfo is not None
    assert view.made_at is not None
    assert view.made_at < datetime.now(UTC)
    second = ask(database, "other")
    done(database, settings, second)
    assert [path.name for path in sorted(settings.data_dir.glob("results/*"))] == [str(second)]


def test_an_unknown_mode_fails_in_words_and_leaves_nothing(
    client: TestClient, study: str, database: Database, settings: Settings
) -> None:
    Walk(client, study).to("end")
    job = done(database, settings, ask(database, mode="pilot"))
    assert (job.status, job.message) == (JobStatus.FAILED, "nav: there are no answers to analyse")
    assert not list(settings.data_dir.glob("results/*"))


def test_verdicts_that_do_not_fit_are_a_caution_and_no_failure(
    client: TestClient, study: str, database: Database, settings: Settings
) -> None:
    Walk(client, study).to("end")
    with database.transaction() as session:
        study_id = session.exec(select(Study.id)).one()
        judging = queue.ask(session, Kind.JUDGES, {}, now=NOW, study_id=study_id)
        job = session.get_one(Job, judging)
        job.status, job.result = JobStatus.DONE, {"judges": ["mine"]}
    folder = judging_folder(settings.data_dir, judging)
    folder.mkdir(parents=True)
    (folder / "verdicts.csv").write_text("judge,pair,choice\nmine,human-hybrid-01,left\n")
    job_id = ask(database)
    assert done(database, settings, job_id).status == JobStatus.DONE
    view = from_json((results_folder(settings.data_dir, job_id) / "view.json").read_bytes())
    [caution] = [one for one in view.cautions if one.title.startswith("Judges")]
    assert caution.text.startswith("The verdicts: row 2, column choice")
    assert str(settings.data_dir) not in caution.text


@pytest.mark.parametrize(("votes", "n"), [(6, 10), (27, 46), (3, 8), (200, 370), (1, 2)])
def test_so_many_more_votes_settle_a_pair_and_one_less_does_not(votes: int, n: int) -> None:
    """Against Wilson's interval of fractional votes, as `analysis.stats.intervals.wilson` takes them."""
    share = votes / n
    more = more_votes(share, n)

    def is_open(total: int) -> bool:
        low, high = wilson(np.array([share * total]), np.array([float(total)]))
        return bool(low[0] <= 0.5 <= high[0])

    if share == 0.5:
        assert more is None
        return
    assert is_open(n)
    assert more is not None
    assert not is_open(n + more)
    assert is_open(n + more - 1)


def test_so_many_more_people_make_the_interval_leave_chance() -> None:
    """With as many people more like those there are, the interval of the mean leaves 50% and hardly more."""
    sample = np.tile([0.1, 0.5, 0.6, 1.0, 0.5], 4)
    described = describe(sample)
    more = more_people(described)
    assert described.interval.low is not None
    assert described.interval.low < 0.5 < (described.mean or 0)
    assert more is not None
    bigger = describe(np.tile(sample, math.ceil((len(sample) + 1.15 * more) / len(sample))))
    assert (bigger.interval.low or 0) > 0.5
    smaller = describe(np.tile(sample, int((len(sample) + 0.5 * more) / len(sample))))
    assert (smaller.interval.low or 1) < 0.5
    assert more_people(describe(np.array([0.49, 0.51, 0.5, 0.49, 0.51]))) is None
    assert more_people(describe(np.array([0.9]))) is None
