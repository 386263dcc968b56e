"""The page of judges: asked for, refused in words, read in words and numbers."""

import html
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import select
from starlette.testclient import TestClient

from app.admin.judges import words
from app.core.database import Database
from app.core.settings import Settings
from app.jobs.tables import Job
from app.judges.asking import MOST_BYTES
from app.judges.registry import OURS, judge_named
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
        assert f'name="judge-{name}"' in page
        assert judge_named(name).info.title in page


def test_only_what_can_run_is_ticked_and_the_default_click_works(
    answered: str, owner: Person, settings: Settings, database: Database
) -> None:
    page = owner.get(HERE).text
    ticked = re.findall(r'name="judge-([\w-]+)" value="1" checked>', page)
    disabled = re.findall(r'name="judge-([\w-]+)" value="1" disabled', page)
    assert (ticked, disabled) == (["motion"], [name for name in OURS if name != "motion"])
    assert page.count("Cannot run on this study: it needs the positions of the player") == 2
    owner.post(HERE, dict.fromkeys(["judge-straightness", "judge-motion"], "1"))
    drain(settings, database)
    page = owner.get(HERE).text
    assert "motion: against 30 answers of 3 live participants" in page
    assert "straightness did not run: it needs the positions of the player" in page
    badge = re.search(r'<h3 id="judge-1">motion <span class="badge[^"]*">([^<]+)</span>', page)
    number = re.search(r"majority of people: (\d\.\d\d)", page)
    assert badge is not None
    assert number is not None
    assert f": {number[1]} against " in badge[1]


def test_nothing_is_ticked_before_there_is_a_version(owner: Person, database: Database) -> None:
    with database.transaction() as session:
        create_study(session, owner.who, "nav", {}, NOW)
    page = owner.get(HERE).text
    assert " checked>" not in page
    assert page.count("save its design first") == len(OURS)


def test_a_judge_is_run_and_compared_with_the_ceiling(judged: str, owner: Person) -> None:
    page = owner.get(HERE).text
    assert "motion: against 30 answers of 3 live participants" in page
    assert "Pairs on which it agrees with the majority of people: " in page
    assert "One person with the others: " in page
    assert "alternative annotator test" in page
    shown = re.search(r'<img src="([^"]+judges\.svg)" alt="([^"]+)"', page)
    assert shown
    assert "motion" in shown[2]
    figure = owner.get(shown[1])
    assert (figure.status_code, figure.headers["content-type"]) == (200, "image/svg+xml")
    assert "style" not in figure.text  # the page's policy would not let it be
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
    page = html.unescape(owner.get(HERE).text)
    given = [one for one in powered if one["value"] is not None]
    # Which pairs the one participant saw is drawn: all that are left may be of one condition.
    assert bool(given) == any(one["n_labelled"] > 1 and one["n_unlabelled"] for one in powered)
    for one in given:
        assert (
            f"with its verdicts on {one['n_unlabelled']} more that nobody voted on {one['value']:.2f}" in page
        )


def test_the_numbers_on_the_page_are_those_of_the_file(judged: str, owner: Person) -> None:
    page = owner.get(HERE).text
    validation = owner.get(f"{HERE}/1/validation.json").json()
    for group in validation["judges"][0]["groups"]:
        for measure in (words.AGREES, words.FINDS, words.RANKS):
            for which in ("corrected", "ceiling"):
                assert f"<td>{words.short(group['measures'][measure][which])}</td>" in page


def test_a_file_of_verdicts_is_sent_and_a_bad_one_is_refused_in_the_readers_words(
    answered: str, owner: Person, settings: Settings, database: Database
) -> None:
    header = "judge,pair,choice,score\n"
    pairs = [f"human-hybrid-0{n}" for n in range(1, 7)]
    assert "Waiting to begin" in send(owner, header + "".join(f"mine,{name},a,2\n" for name in pairs)).text
    drain(settings, database)
    page = owner.get(HERE).text
    assert "mine: against 30 answers" in page
    assert "4 without a verdict" in page
    send(owner, f"{header}mine,human-hybrid-01,left,2\n", "bad.csv")
    drain(settings, database)
    page = owner.get(HERE).text
    assert "The last run failed: bad.csv: row 2, column choice" in page
    assert "mine: against 30 answers" in page  # the run before it is still shown
    assert not list((settings.data_dir / "incoming").glob("verdicts-*"))


@pytest.mark.parametrize(
    ("fields", "file", "status", "said"),
    [
        ({}, "", 422, "Choose at least one judge"),
        ({"judge-oracle": "1"}, "", 422, "There is no judge &#39;oracle&#39;"),
        ({"judge-motion": "1", "mode": "dreamt"}, "", 400, "There is no mode &#39;dreamt&#39;"),
        ({}, "x" * (MOST_BYTES + 1), 413, "4 MB are allowed"),
    ],
    ids=["nothing", "unknown judge", "unknown mode", "too large"],
)
def test_what_cannot_be_asked_is_refused_on_the_page(
    owner: Person, study: str, settings: Settings, fields: dict[str, str], file: str, status: int, said: str
) -> None:
    response = send(owner, file, **fields)
    assert response.status_code == status
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
    assert '<h2 id="result">mine: against' in owner.get(HERE).text
    assert '<h2 id="result">motion: against' in owner.get(f"{HERE}?run=1").text


def test_a_run_whose_files_are_gone_says_so(judged: str, owner: Person, settings: Settings) -> None:
    (judging_folder(settings.data_dir, 1) / "validation.json").unlink()
    assert "The files of this run no longer exist." in owner.get(HERE).text


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


def measure(
    value: float | None, low: float | None, high: float | None, people: float | None, over: bool = True
) -> dict[str, Any]:
    """A judge whose difference from a person has the interval's width."""
    interval = {"low": low, "high": high, "level": 0.95, "reason": None if low is not None else "one pair"}
    person = {"value": people, "interval": interval, "reason": None}
    told = {"corrected": {"value": value, "n": 9, "interval": interval, "reason": None}, "ceiling": person}
    if not over:
        return told
    low, high = (None if end is None or people is None else end - people for end in (low, high))
    return {**told, "over_person": {"value": None, "interval": {**interval, "low": low, "high": high}}}


@pytest.mark.parametrize(
    ("told", "finding"),
    [
        (measure(0.9, 0.8, 1.0, 0.7), "above"),
        (measure(0.5, 0.4, 0.6, 0.7), "below"),
        (measure(0.7, 0.6, 0.8, 0.7), "like"),
        (measure(0.7, 0.7, 0.8, 0.7), "like"),
        (measure(0.7, None, None, 0.7), "unknown"),
        (measure(0.9, 0.8, 1.0, None), "unknown"),
        (measure(0.9, 0.8, 1.0, 0.7, over=False), "before"),
    ],
)
def test_a_finding_is_where_the_interval_lies_beside_one_person(told: dict[str, Any], finding: str) -> None:
    assert words.against(told) == finding


def test_a_badge_carries_the_numbers_that_it_compares() -> None:
    told = measure(0.4, 0.1, 0.9, 0.8)
    assert words._finding(told) == (
        "Whether it agrees with people more or less often than one person does cannot be told yet: 0.40 against 0.80",
        "",
    )
    assert (
        words._finding(measure(0.5, None, None, None))[0] == "Too few answers to compare it with one person"
    )


def test_a_judge_that_abstained_on_all_is_not_said_to_lack_answers() -> None:
    assert words._finding(measure(None, None, None, None)) == (
        "No verdict that could be compared with people's",
        "",
    )
    run = {"n_pairs": 8, "n_judged": 0, "n_tied": 0, "n_abstained": 8, "n_missing": 0, "unknown": []}
    runs = [{**run, "n_unknown": 0, "n_not_main": 0, "n_changed": 0}]
    assert list(words._counted({"runs": runs})) == ["Of the pairs, 8 on which it abstained."]


def test_a_number_without_an_interval_says_why() -> None:
    told = measure(0.7, None, None, 0.7)["corrected"]
    assert words.estimate(told) == "0.70 (no interval: one pair)"
    assert words.short(told) == "0.70"
    assert json.loads(json.dumps(told)) == told


def test_a_packages_judge_is_offered_with_its_package_and_a_broken_one_says_why(
    answered: str, owner: Person, settings: Settings, database: Database, installed: Path
) -> None:
    """The page's own judge runs and is held against people; what is broken beside it costs it nothing."""
    page = html.unescape(owner.get(HERE).text)
    assert re.search(
        r"<strong>longer</strong>: The longer clip \(clips\) <span class=\"badge plain\">longer-judge 1\.0<",
        page,
    )
    assert (
        "Cannot run on this study: the judge 'absent' of the package broken-judges 1.0 cannot be loaded"
        in page
    )
    assert re.search(r'name="judge-absent" value="1" disabled', page)
    assert "Not available: broken-judges 1.0 registers a judge as 'motion'" in page
    owner.post(HERE, dict.fromkeys(["judge-longer", "judge-absent"], "1"))
    drain(settings, database)
    page = html.unescape(owner.get(HERE).text)
    assert "longer: against 30 answers of 3 live participants" in page
    assert "absent did not run: the judge 'absent' of the package broken-judges 1.0 cannot be loaded" in page
