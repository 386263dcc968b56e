"""The page of judges: asked for, refused in words, read in words and numbers."""

import html
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import select
from starlette.testclient import TestClient

from app.core.database import Database
from app.core.settings import Settings
from app.jobs.tables import Job
from app.judges.registry import OURS, judge_named
from app.judges.verdict_files import MOST_BYTES
from app.library.clips.imported import ImportedClip
from app.library.clips.store import ClipStore
from app.library.places import judging_folder, sent_verdicts
from app.reports.frames import responses_frame
from app.studies.drafts import create_study
from app.studies.versions import set_state
from app.trials.tables import State, Unit
from app.worker.worker import drain
from tests.admin.conftest import Once, ShareWith
from tests.admin.persons import Person, Program
from tests.factories import NOW
from tests.judges.packages import installed, site
from tests.kept import Kept
from tests.sessions.walks import Walk

__all__ = ["installed", "site"]

pytestmark = pytest.mark.usefixtures("few_resamples")

HERE = "/admin/studies/nav/judges"
Library = tuple[ClipStore, Sequence[ImportedClip]]


@pytest.fixture
def settings(settings: Settings, library: Library, tmp_path: Path) -> Settings:
    """A data folder of the test's own, with the library's clips in it."""
    data = tmp_path / "data"
    data.mkdir()
    (data / "clips").symlink_to(library[0].root / "clips")
    return settings.model_copy(update={"data": data})


@pytest.fixture
def answered(client: TestClient, study: str, database: Database, kept: Kept) -> str:
    """The study with the answers of three people, closed: nothing is blinded."""
    kept.once(database, lambda: [Walk(client, study).to("end") for _ in range(3)])
    close(database, study)
    return study


@pytest.fixture
def judged(answered: str, settings: Settings, database: Database, once: Once) -> str:
    """The study with its first run, of the judge `motion`, held against its people."""

    def run(before: Person) -> None:
        before.post(HERE, {"judge-motion": "1"})
        drain(settings, database)

    once("judging", run)
    return answered


def close(database: Database, study: str) -> None:
    with database.transaction() as session:
        set_state(session, study, State.CLOSED)


def send(person: Person, text: str, name: str = "mine.csv", **fields: str) -> Any:
    return person.post(HERE, fields, files={"verdicts": (name, text.encode(), "text/csv")})


def test_the_page_offers_every_judge_and_is_in_the_menu(owner: Person, study: str) -> None:
    page = owner.get(HERE).text
    assert re.search(r'<a href="/admin/studies/nav/judges" aria-current="page">', page)
    for name in OURS:
        assert name in page
    assert 'name="judge-motion" value="1" checked' in page
    assert judge_named("motion").info.title in page


def test_without_a_script_the_dialog_to_run_a_judge_is_a_page(
    owner: Person, answered: str, settings: Settings, database: Database
) -> None:
    assert f'<a class="btn" href="{HERE}/run" data-opens="run">Run a judge</a>' in owner.get(HERE).text
    page = owner.get(f"{HERE}/run").text
    assert "<dialog" not in page
    assert re.findall(r'name="judge-([\w-]+)"', page) == ["motion"]
    assert f'<form method="post" action="{HERE}"' in page
    owner.post(HERE, {"judge-motion": "1"})
    drain(settings, database)
    assert "motion has run on these 10 pairs." in owner.get(f"{HERE}/run").text


def test_what_cannot_run_is_folded_with_its_reason_and_what_has_run_is_not_offered_again(
    answered: str, owner: Person, settings: Settings, database: Database
) -> None:
    page = owner.get(HERE).text
    assert re.findall(r'name="judge-([\w-]+)"', page) == ["motion"]
    assert f"<summary>{len(OURS) - 1} judges cannot run on this study</summary>" in page
    assert page.count("it needs the positions of the player") == 1
    assert '<span class="strong">straightness, fidget</span>' in page
    owner.post(HERE, dict.fromkeys(["judge-straightness", "judge-motion"], "1"))
    drain(settings, database)
    page = owner.get(HERE).text
    assert "motion: against 30 answers of 3 live participants" in page
    assert "straightness did not run: it needs the positions of the player" in page
    assert 'name="judge-motion"' not in page
    assert "motion has run on these 10 pairs. Nothing has changed since." in page


def test_before_there_is_a_version_no_judge_is_offered(owner: Person, database: Database) -> None:
    with database.transaction() as session:
        create_study(session, owner.who, "nav", {}, NOW)
    page = owner.get(HERE).text
    assert 'type="checkbox"' not in page
    assert page.count("This study has no version yet; save its design first.") == 1
    assert f"<summary>{len(OURS)} judges cannot run on this study</summary>" in page


def test_a_judge_is_run_and_compared_with_the_ceiling(judged: str, owner: Person) -> None:
    page = owner.get(HERE).text
    assert "motion: against 30 answers of 3 live participants" in page
    assert "Share of 10 pairs in which the judge agrees with the majority of 3 people" in page
    assert re.search(r'aria-label="motion: \d+%, ', page)
    assert re.search(r'aria-label="One person: \d+%, ', page)
    assert "alternative annotator test" in page
    assert "<img" not in page.partition("<main")[2]  # drawn in the page, so that it has its colours
    figure = owner.get(f"{HERE}/1/judges.svg")
    assert (figure.status_code, figure.headers["content-type"]) == (200, "image/svg+xml")
    validation = owner.get(f"{HERE}/1/validation.json").json()
    assert validation["judges"][0]["judge"] == "motion"
    assert owner.get(f"{HERE}/1/verdicts.csv").text.startswith("judge,pair,choice,score,run,study,version,")
    for name in ("../../secret", "..%2f..%2fsecret", "missing.html"):
        assert owner.get(f"{HERE}/1/{name}").status_code == 404


def test_pairs_that_nobody_voted_on_help_the_preference_of_those_that_have_votes(
    client: TestClient, owner: Person, study: str, settings: Settings, database: Database
) -> None:
    Walk(client, study).to("trial-9")
    close(database, study)
    with database.reading() as session:
        pairs = session.exec(select(Unit.name).where(Unit.kind == "main").order_by(Unit.name)).all()
        voted = set(responses_frame(session, study).query("kind == 'main'")["pair"].astype(str))
    lines = [f"oracle,{name},{0.2 + 0.06 * number:.2f}" for number, name in enumerate(pairs)]
    send(owner, "\n".join(["judge,pair,score", *lines]))
    drain(settings, database)
    validation = owner.get(f"{HERE}/1/validation.json").json()
    powered = validation["judges"][0]["prediction_powered"]
    assert sum(one["n_unlabelled"] for one in powered) == len(pairs) - len(voted) == 3
    given = [one for one in powered if one["value"] is not None]
    # Which pairs the one participant saw is drawn: all that are left may be of one condition.
    assert bool(given) == any(one["n_labelled"] > 1 and one["n_unlabelled"] for one in powered)
    assert ("with the help of verdicts on pairs without votes" in owner.get(HERE).text) == bool(given)


def test_the_numbers_on_the_page_are_those_of_the_file(judged: str, owner: Person) -> None:
    page = owner.get(HERE).text
    validation = owner.get(f"{HERE}/1/validation.json").json()
    [everything] = [one for one in validation["judges"][0]["groups"] if one["scope"] == "all"]
    measure = everything["measures"]["label_accuracy"]
    for which, name in (("corrected", "motion"), ("ceiling", "One person")):
        assert f'aria-label="{name}: {100 * measure[which]["value"]:.0f}%, ' in page
    rows = owner.get(f"{HERE}/1/numbers-judges.csv").text.splitlines()
    assert rows[1].split(",")[:3] == ["motion", "10", str(measure["corrected"]["value"])]
    assert owner.get(f"{HERE}/1/numbers-nothing.csv").status_code == 404


def test_what_cannot_be_asked_is_refused_on_the_page(owner: Person, study: str, settings: Settings) -> None:
    for fields, file, status, said in (
        ({}, "", 422, "Choose at least one judge"),
        ({"judge-oracle": "1"}, "", 422, "There is no judge &#39;oracle&#39;"),
        ({"judge-motion": "1", "mode": "dreamt"}, "", 400, "There is no mode &#39;dreamt&#39;"),
        ({}, "x" * (MOST_BYTES + 1), 413, "4 MB are allowed"),
    ):
        response = send(owner, file, **fields)
        assert response.status_code == status, said
        assert said in response.text
        assert "Waiting to begin" not in response.text
        assert not list(settings.data_dir.glob("incoming/*"))


def test_asking_twice_for_the_same_is_asking_once(owner: Person, study: str) -> None:
    owner.post(HERE, {"judge-motion": "1"})
    assert owner.post(HERE, {"judge-motion": "1"}).text.count("Waiting to begin") == 1
    assert owner.post(HERE, {"judge-fidget": "1"}).text.count("Waiting to begin") == 2


def test_who_sees_the_study_reads_and_only_who_may_edit_asks(
    judged: str, owner: Person, editor: Person, viewer: Person, share_with: ShareWith
) -> None:
    assert editor.get(f"{HERE}/1/verdicts.csv").status_code == 404
    share_with(viewer)
    page = viewer.get(HERE)
    assert (page.status_code, "motion: against" in page.text, "<form" in page.text.partition("<main")[2]) == (
        200,
        True,
        False,
    )
    assert viewer.post(HERE, {"judge-motion": "1"}).status_code == 403


def test_a_viewers_look_leaves_a_run_new_and_an_owners_does_not(
    judged: str, owner: Person, viewer: Person, share_with: ShareWith, database: Database
) -> None:
    def is_new() -> bool:
        with database.reading() as session:
            return session.exec(select(Job.seen_at).where(Job.id == 1)).one() is None

    share_with(viewer)
    viewer.get(HERE)
    viewer.get(HERE)  # what the first would write is written by now
    assert is_new()
    owner.get(HERE)
    owner.get(HERE)
    assert not is_new()


def test_an_older_run_is_shown_when_asked_for(
    judged: str, owner: Person, settings: Settings, database: Database
) -> None:
    send(owner, "judge,pair,choice\nmine,human-hybrid-01,a\n")
    drain(settings, database)
    assert '<section aria-label="mine: against' in owner.get(HERE).text
    assert '<section aria-label="motion: against' in owner.get(f"{HERE}?run=1").text


def test_a_run_whose_findings_are_gone_says_so_and_is_compared_again(
    judged: str, owner: Person, settings: Settings, database: Database
) -> None:
    (judging_folder(settings.data_dir, 1) / "view.json").unlink()
    page = owner.get(HERE).text
    assert "compare again to see them" in page
    assert '<form method="post" action="/admin/studies/nav/judges/again">' in page
    owner.post(f"{HERE}/again", {"about": "pairs"})
    drain(settings, database)
    assert re.search(r'aria-label="motion: \d+%, ', owner.get(HERE).text)


def test_programs_get_the_same(answered: str, api: Program, settings: Settings, database: Database) -> None:
    body = {"judges": ["motion"], "verdicts": "judge,pair,choice\nmine,human-hybrid-01,a\n"}
    asked = api.post("/studies/nav/judges", body)
    assert asked.status_code == 202
    drain(settings, database)
    [run] = api.get("/studies/nav/judges").json()
    assert (run["id"], run["status"], run["result"]["judges"]) == (
        asked.json()["id"],
        "done",
        ["mine", "motion"],
    )
    assert (
        api.get(f"/studies/nav/judges/{run['id']}/validation.json")
        .json()["format"]
        .startswith("likely-human judges")
    )
    assert api.post("/studies/nav/judges", {}).status_code == 422
    assert not sent_verdicts(settings.data_dir, "").exists()


def test_a_packages_judge_is_offered_with_its_package_and_a_broken_one_says_why(
    answered: str, owner: Person, settings: Settings, database: Database, installed: Path
) -> None:
    """The page's own judge runs and is held against people; what is broken beside it costs it nothing."""
    page = html.unescape(owner.get(HERE).text)
    assert re.search(
        r"<strong>longer</strong>: The longer clip \(clips\) <span class=\"badge plain\">longer-judge 1\.0<",
        page,
    )
    assert "the judge 'absent' of the package broken-judges 1.0 cannot be loaded" in page
    assert 'name="judge-absent"' not in page
    assert "broken-judges 1.0 registers a judge as 'motion'" in page
    owner.post(HERE, dict.fromkeys(["judge-longer", "judge-absent"], "1"))
    drain(settings, database)
    page = html.unescape(owner.get(HERE).text)
    assert "longer: against 30 answers of 3 live participants" in page
    assert "absent did not run: the judge 'absent' of the package broken-judges 1.0 cannot be loaded" in page
