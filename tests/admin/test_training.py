"""The page on which a judge is trained: asked for, refused in words, followed, used, deleted."""

import html
import re
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sqlmodel import col, func, select
from starlette.testclient import TestClient

from analysis.learning import catalogue, cross_fitting
from app.admin.judges import training_router
from app.core.database import Database
from app.core.settings import Settings
from app.jobs.queue import ask
from app.jobs.tables import Job, Kind
from app.judges import needs, voted
from app.judges.trainable import Trainable
from app.library.clips.imported import ImportedClip
from app.library.clips.store import ClipStore
from app.library.places import models_folder, training_folder
from app.library.tables import Stimulus
from app.studies.launch import study_here
from app.trials.tables import ParticipantSession, Trial
from app.worker.worker import drain
from tests.admin.conftest import ShareWith
from tests.admin.persons import Person, fresh_client
from tests.analysis.learning.walked import SECONDS
from tests.cli.test_judge_training import clips, made, write
from tests.factories import NOW, load_file
from tests.sessions.walks import Walk

__all__ = ["clips"]
pytestmark = [pytest.mark.slow, pytest.mark.videos]
pytest.importorskip("jax", reason="the extra `train` is not installed")

HERE = "/admin/studies/nav/judges/train"
Library = tuple[ClipStore, Sequence[ImportedClip]]
ASKED = {"name": "first", "network": "turn-speed-ff", "seed": "1"}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    known = catalogue.NETWORKS["turn-speed-ff"]
    settings = replace(known.settings, epochs=6, batch=64)
    monkeypatch.setitem(catalogue.NETWORKS, "turn-speed-ff", replace(known, settings=settings))
    # Of a judge of votes, each repeat takes as long as a whole run; its numbers are tested in tests/analysis/learning.
    defaults = cross_fitting.learn.__kwdefaults__
    assert defaults is not None
    monkeypatch.setitem(defaults, "repeats", 2)


@pytest.fixture
def settings(settings: Settings, library: Library, tmp_path: Path) -> Settings:
    """A data folder of the test's own, with the library's clips in it."""
    data = tmp_path / "data"
    data.mkdir()
    (data / "clips").symlink_to(library[0].root / "clips")
    return settings.model_copy(update={"data": data})


@pytest.fixture
def walked(study: str, database: Database, settings: Settings, tmp_path: Path) -> str:
    """The study, whose clips have positions."""
    rng, store = np.random.default_rng(5), ClipStore(settings.data_dir)
    with database.transaction() as session:
        for stimulus in session.exec(select(Stimulus)).all():
            seconds = stimulus.duration_s or SECONDS
            file = write(tmp_path / f"{stimulus.name}.csv", made(stimulus.source, rng), seconds)
            stimulus.positions_sha256 = store.keep_positions(file).sha256
            session.add(stimulus)
    return study


def said(page: str) -> str:
    return " ".join(html.unescape(re.sub("<[^>]+>", " ", page)).split())


def test_a_judge_is_trained_from_a_folder_judges_the_study_and_is_deleted(
    owner: Person, walked: str, clips: Path, settings: Settings, database: Database
) -> None:
    training_folder(settings.data_dir).mkdir()
    clips.rename(training_folder(settings.data_dir) / "walks")
    page = owner.get(HERE).text
    assert '<option value="walks">walks</option>' in page
    assert "turn-speed-gru: Recurrent (GRU) on turn and speed" in said(page).replace(" :", ":")
    assert 'name="name" type="text" value="nav-1"' in page
    assert "Waiting to begin" in owner.post(HERE, {**ASKED, "folder": "walks", "licence": "CC0"}).text
    drain(settings, database)
    page = owner.get(HERE).text
    assert "12 clips of" in said(page)
    assert re.search(r"\d\.\d\d .*of held-out pairs \(n = 6\)", said(page))
    assert "vis-ff-small:" in said(page).replace(" :", ":")  # those that look through a file are not offered
    assert "vis-ff:" not in said(page).replace(" :", ":")
    assert f'href="{HERE}/first/learning.png"' in owner.get(HERE).text
    assert owner.get(f"{HERE}/first/learning.png").content.startswith(b"\x89PNG")
    card = owner.get(f"{HERE}/first/card.md")
    assert card.headers["content-type"].startswith("text/plain")
    assert "licence: CC0" in card.text
    assert owner.get(f"{HERE}/first/card.json").json()["name"] == "turn-speed-ff"
    assert not list(models_folder(settings.data_dir).glob(".*"))
    # On the page of judges it is one like the others, and is not ticked unasked.
    judges = "/admin/studies/nav/judges"
    assert re.search(r'name="judge-first" value="1">', owner.get(judges).text)
    owner.post(judges, {"judge-first": "1", "judge-motion": "1"})
    drain(settings, database)
    verdicts = owner.get(f"{judges}/2/verdicts.csv").text.splitlines()
    assert {line.split(",")[0] for line in verdicts[1:]} == {"first", "motion"}
    assert sum(line.startswith("first,") for line in verdicts) == 50  # five copies, ten pairs
    assert "Deleted." in owner.post(f"{HERE}/first/delete").text
    assert owner.get(f"{HERE}/first/card.md").status_code == 404
    assert not (models_folder(settings.data_dir) / "first").exists()


def votes(client: TestClient, database: Database, number: int) -> Walk:
    """Somebody's way to the last page, with a reason of their own; all choose the same member of each pair.

    By sides, which are drawn, now and then no majority of one kind is left to learn from.
    """
    walk = Walk(fresh_client(client))
    while not walk.page.startswith("end"):
        answer = {
            "choice": side_of_the_chosen(database, walk.page),
            "rationale": f"as person {number} sees it",
        }
        walk.answer(**(answer if "trial" in walk.page else {}))
    return walk


def side_of_the_chosen(database: Database, page: str) -> str:
    """In the newest session: member a of every other pair, b of the rest."""
    if "trial" not in page:
        return ""
    with database.reading() as session:
        newest = select(func.max(col(ParticipantSession.id))).scalar_subquery()
        position = int(page.removeprefix("trial-"))
        here = select(Trial).where(col(Trial.session_id) == newest, col(Trial.position) == position)
        trial = session.exec(here).one()
        return "left" if trial.plan["left"] == "ab"[trial.unit_id % 2] else "right"


def test_untrainable_requests_are_refused_and_leave_nothing(
    owner: Person, study: str, settings: Settings, database: Database
) -> None:
    for change, status, words in (
        ({"name": "../first"}, 422, "Name: up to 60 letters"),
        ({"network": "vgg"}, 422, "There is no network 'vgg' to train"),
        ({"folder": "../../etc"}, 422, "There is no folder '../../etc' to train on"),
        ({"seed": "-1"}, 422, "Seed: a whole number is needed."),
        ({"epochs": "many"}, 422, "Epochs: a whole number is needed."),
        ({"epochs": "0"}, 422, "Epochs: a whole number from 1"),
        ({"allow-luck": "1"}, 422, "There is no leak 'luck' to allow."),
    ):
        reply = owner.post(HERE, {**ASKED, **change})
        assert reply.status_code == status, change
        assert words in said(reply.text)
        assert 'value="turn-speed-ff" checked' in reply.text or "network" in change
    with database.reading() as session:
        assert session.exec(select(Job)).all() == []
    # What only the clips can tell is said when they were read.
    owner.post(HERE, ASKED)
    drain(settings, database)
    page = said(owner.get(HERE).text)
    assert "first was not trained." in page
    assert "positions" in page
    assert not models_folder(settings.data_dir).exists() or not list(
        models_folder(settings.data_dir).iterdir()
    )
    # Nor does a withdrawal hide it, which has judges of votes trained anew where there are any.
    renew = {"name": "", "slug": "nav", "renew": {"mode": "live", "answers": 3}}
    with database.transaction() as session:
        ask(session, Kind.TRAINING, renew, now=NOW, study_id=study_here(session, "nav").id)
    assert "trained anew" not in said(owner.get(HERE).text)
    drain(settings, database)
    assert "first was not trained." in said(owner.get(HERE).text)


def test_a_judge_of_votes_is_trained_on_the_studys_answers_without_the_extra(
    client: TestClient,
    owner: Person,
    editor: Person,
    share_with: ShareWith,
    walked: str,
    settings: Settings,
    database: Database,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = {"name": "people", "network": "votes", "seed": "1"}
    reply = owner.post(HERE, {**asked, "epochs": "3"})
    assert (reply.status_code, "learns from this study's answers" in said(reply.text)) == (422, True)
    for number in range(4):
        votes(client, database, number)
    reply = owner.post(HERE, asked)
    assert (reply.status_code, "are closed while it runs" in said(reply.text)) == (409, True)
    owner.post("/admin/studies/nav/results/open", {"known": "yes"})
    # What is known to lack is said at once, not by a job that fails.
    reply = owner.post(HERE, asked)
    assert reply.status_code == 422
    assert "10 pairs of this study have votes; at least 40 are needed" in said(reply.text)
    with database.reading() as session:
        assert session.exec(select(Job).where(Job.kind == Kind.TRAINING)).all() == []
    monkeypatch.setattr(cross_fitting, "FEWEST_PAIRS", 8)
    monkeypatch.setattr(needs, "FEWEST_VOTED", 8)
    without = Trainable((), {}, "training needs JAX")
    monkeypatch.setattr(training_router, "trainable", lambda: without)
    page = owner.get(HERE).text
    assert 'value="votes" checked' in page
    assert "Training needs JAX." in said(page)
    owner.post(HERE, asked)
    drain(settings, database)
    assert "of majorities (n = 10)" in said(owner.get(HERE).text)
    assert "What people seem to look at" in owner.get(f"{HERE}/people/card.md").text
    assert (models_folder(settings.data_dir) / "people" / "verdicts.csv").is_file()
    assert f'href="{HERE}/people/learning.png"' in owner.get(HERE).text
    curve = owner.get(f"{HERE}/people/learning.png")
    assert (curve.headers["content-type"], curve.content[:4]) == ("image/png", b"\x89PNG")
    assert owner.get(f"{HERE}/people/learning.svg").status_code == 404
    # It says how live votes fall, which each opens for themselves.
    share_with(editor)
    assert "of majorities" not in said(editor.get(HERE).text)
    assert editor.get(f"{HERE}/people/card.md").status_code == 409
    # What its card quotes was written in this study.
    with database.transaction() as session:
        load_file(session, tmp_path, study="other")
    other = HERE.replace("/nav/", "/other/")
    assert "people" not in re.findall(r'<th scope="row">([^<]+)', owner.get(other).text)
    assert owner.get(f"{other}/people/card.md").status_code == 404
    assert owner.post(f"{other}/people/delete").status_code == 404
    assert (models_folder(settings.data_dir) / "people").is_dir()


@pytest.mark.exhaustive
def test_a_judge_of_votes_is_trained_anew_without_the_answers_of_who_withdraws_and_says_so_until_then(
    client: TestClient,
    owner: Person,
    walked: str,
    settings: Settings,
    database: Database,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cross_fitting, "FEWEST_PAIRS", 8)
    monkeypatch.setattr(needs, "FEWEST_VOTED", 8)
    monkeypatch.setattr(voted, "_reasons", lambda study, *_: {"speed": [*study.rows["rationale"]]})
    people = [votes(client, database, number) for number in range(6)]
    owner.post("/admin/studies/nav/results/open", {"known": "yes"})
    owner.post(HERE, {"name": "people", "network": "votes", "seed": "7", "licence": "CC0"})
    owner.post(HERE, {"name": "gone", "network": "votes", "seed": "1"})
    drain(settings, database)
    first = owner.get(f"{HERE}/people/card.json").json()
    assert (first["evaluation"]["n_people"], "as person 5 sees it" in first["reasons"]["speed"]) == (6, True)
    for person in people[-2:]:
        assert person.client.post(f"{person.address}/stop", data={"confirm": "delete"}).status_code == 200
    page = said(owner.get(HERE).text)
    assert "judges of votes that may have learnt from them are being retrained" in page
    with database.reading() as session:
        jobs = session.exec(select(Job).where(Job.kind == Kind.TRAINING, col(Job.asked_by).is_(None))).all()
    assert [job.params["renew"] for job in jobs] == [{"mode": "live", "answers": 11}] * 2
    folder = models_folder(settings.data_dir)
    shutil.rmtree(folder / "gone")
    drain(settings, database)
    with database.reading() as session:
        done = [session.get_one(Job, job.id).result for job in jobs]
    assert done == [{"renewed": []}, {"renewed": ["people"]}]
    card = owner.get(f"{HERE}/people/card.json").json()
    assert (card["evaluation"]["n_people"], card["seed"], card["data"]["licence"]) == (4, 7, "CC0")
    assert {f"as person {n} sees it" for n in range(4)} == {*card["reasons"]["speed"]}
    assert "deleted" not in card["data"]
    kept = {path.name for path in folder.rglob("*")}
    assert kept == {
        "people",
        "card.json",
        "card.md",
        "verdicts.csv",
        "learning.png",
        "learning.svg",
        card["weights"]["file"],
    }
    assert card["weights"]["file"] != first["weights"]["file"]
    # Of three people nothing can be learnt: it stays, and says what it is.
    people[0].client.post(f"{people[0].address}/stop", data={"confirm": "delete"})
    drain(settings, database)
    text = owner.get(f"{HERE}/people/card.md").text
    assert "Warning: 11 answers of nav were deleted since it was trained" in text
    assert "It was not trained anew: 10 pairs with votes of 3 people" in text
    assert "sees it" not in text + owner.get(f"{HERE}/people/card.json").text
    assert "11 answers deleted since" in said(owner.get(HERE).text)


def test_a_leak_stops_a_training_unless_it_is_allowed(
    owner: Person, walked: str, settings: Settings, database: Database
) -> None:
    with database.transaction() as session:
        for stimulus in session.exec(select(Stimulus)).all():
            kept = {name: value for name, value in stimulus.attributes.items() if name != "player"}
            stimulus.attributes = kept
            session.add(stimulus)
    owner.post(HERE, ASKED)
    drain(settings, database)
    page = said(owner.get(HERE).text)
    assert "first was not trained. Nothing says who made the clips of people" in page
    owner.post(HERE, {**ASKED, "allow-person": "1"})
    drain(settings, database)
    assert "leaks allowed: person" in said(owner.get(HERE).text)
    # It was trained on this study's clips: each pair goes to a copy that saw neither of them.
    owner.post("/admin/studies/nav/judges", {"judge-first": "1"})
    drain(settings, database)
    lines = owner.get("/admin/studies/nav/judges/3/verdicts.csv").text.splitlines()
    assert len(lines) == 11


def test_two_of_one_name_are_refused_and_one_that_is_called_off_leaves_nothing(
    owner: Person, walked: str, settings: Settings, database: Database
) -> None:
    with database.transaction() as session:
        params = {**ASKED, "seed": 1, "slug": "nav", "folder": "", "human": "human", "epochs": None}
        job = ask(session, Kind.TRAINING, {**params, "search": False, "allowed": [], "licence": ""}, now=NOW)
    reply = owner.post(HERE, ASKED)
    assert (reply.status_code, "is being trained already" in said(reply.text)) == (409, True)
    owner.post(f"/admin/jobs/{job}/cancel")
    drain(settings, database)
    assert not (models_folder(settings.data_dir) / "first").exists()


def test_who_may_only_look_trains_nothing(viewer: Person, share_with: ShareWith, study: str) -> None:
    share_with(viewer)
    assert viewer.get(HERE).status_code in (200, 403)
    assert viewer.post(HERE, ASKED).status_code == 403
    assert viewer.post(f"{HERE}/first/delete").status_code == 403
