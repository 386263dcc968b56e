"""The results page: closed while a study runs, the numbers of the analysis, one plain sentence where there are none."""

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import col, select
from starlette.testclient import TestClient

from analysis import analyze
from analysis.options import RESAMPLES
from analysis.signatures import compare_play
from analysis.signs import signed
from app.cli.moving import signatures
from app.core.database import Database
from app.core.errors import StudyError
from app.core.settings import Settings
from app.jobs.tables import Job, Kind
from app.library.clips.imported import ImportedClip
from app.library.clips.store import ClipStore
from app.library.stimuli import add_stimuli
from app.library.tables import Stimulus
from app.outputs.results import FRESH_FOR
from app.reports.frames import responses_frame
from app.studies.versions import set_state
from app.trials.tables import State
from app.verdicts.judging import ask_again
from app.worker.handlers import results as worker
from app.worker.worker import drain
from tests.admin.conftest import Once, ShareWith
from tests.admin.persons import Person
from tests.analysis.signatures.test_play import MEAN, PEOPLE
from tests.clock import Clock
from tests.factories import NOW, load_file
from tests.judges.files import circling, later, wavy, write_positions
from tests.kept import Kept
from tests.resamples import FEW
from tests.sessions.walks import Walk

pytestmark = pytest.mark.usefixtures("few_resamples")

HERE = "/admin/studies/nav/results"
Library = tuple[ClipStore, Sequence[ImportedClip]]
PILOT = f"{HERE}?mode=pilot"
CLOSED = "Closed while the study runs"


@pytest.fixture
def settings(settings: Settings, library: Library, tmp_path: Path) -> Settings:
    """A data folder of the test's own, with the library's clips in it."""
    data = tmp_path / "data"
    data.mkdir()
    (data / "clips").symlink_to(library[0].root / "clips")
    return settings.model_copy(update={"data": data})


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch, few_resamples: None) -> None:
    """As many resamples as everywhere."""
    monkeypatch.setattr(worker, "RESAMPLES", RESAMPLES)


def walk(client: TestClient, sides: str = "left", slug: str = "nav", **fields: str) -> None:
    """One person through the study; `sides` are pressed in turn."""
    one = Walk(client, slug)
    n = 0
    while one.page != "end":
        is_trial = one.page.startswith("trial")
        pressed = {"choice": ("left", "right")[sides.split(",")[n % len(sides.split(","))] == "right"]}
        one.answer(**({**pressed, **fields} if is_trial else {}))
        n += is_trial


@pytest.fixture
def answered(client: TestClient, study: str, database: Database, kept: Kept) -> str:
    """The study with the answers of four people who do not agree."""

    def walked() -> None:
        for sides, uncertainty in (
            ("left", "1"),
            ("right", "2"),
            ("left,right", "4"),
            ("right,left,left", "5"),
        ):
            walk(client, sides, uncertainty=uncertainty)

    kept.once(database, walked)
    return study


@pytest.fixture
def finished(answered: str, database: Database) -> str:
    """The same, closed: nothing is blinded."""
    with database.transaction() as session:
        set_state(session, answered, State.CLOSED)
    return answered


@pytest.fixture
def shown(finished: str, owner: Person, settings: Settings, database: Database, once: Once) -> str:
    """Its page, once the worker has computed it."""
    once("results", lambda before: computed(before, settings, database))
    return str(owner.get(HERE).text)


def computed(person: Person, settings: Settings, database: Database, address: str = HERE) -> str:
    """The page once the worker has done what the first look asked of it."""
    person.get(address)
    drain(settings, database)
    return str(person.get(address).text)


def rows(person: Person, figure: str, query: str = "") -> list[dict[str, str]]:
    response = person.get(f"{HERE}/{figure}.csv{query}")
    assert response.status_code == 200, response.text
    assert response.headers["content-type"].startswith("text/csv")
    return list(csv.DictReader(io.StringIO(response.text)))


def same(cell: str, value: Any) -> bool:
    return cell == "" if value is None else float(cell) == pytest.approx(float(value), rel=1e-12, abs=1e-12)


def text_of(html: str) -> str:
    """The text of the page, without tags."""
    return " ".join(re.sub(r"<[^>]+>", " ", html.partition("<main")[2].partition("</main")[0]).split())


def test_live_results_are_hidden_until_opened_knowingly(
    answered: str, owner: Person, settings: Settings, database: Database
) -> None:
    page = owner.get(HERE).text
    assert CLOSED in page
    assert "40 live answers" in text_of(page) or "44 live answers" in text_of(page)
    assert "%" not in text_of(page)
    assert owner.get(f"{HERE}/accuracy.csv").status_code == 409
    with database.reading() as session:
        assert session.exec(select(Job).where(Job.kind == Kind.RESULTS)).first() is None

    refused = owner.post(f"{HERE}/open")
    assert (refused.status_code, "Tick that you know" in refused.text, CLOSED in refused.text) == (
        422,
        True,
        True,
    )

    opened = owner.post(f"{HERE}/open", {"known": "yes"}).text
    assert "The results are now open to you" in opened
    page = computed(owner, settings, database)
    assert CLOSED not in page
    assert "The study is still running." in page
    assert "Opened before the study was closed by 1 person" in text_of(page)
    assert "People picked the human in" in page


def test_opening_is_in_the_audit_log_once_for_each_who_opens(
    answered: str, owner: Person, editor: Person, viewer: Person, share_with: ShareWith
) -> None:
    for person in (editor, viewer):
        share_with(person)
    for known in ({"known": "yes"}, {}):
        assert viewer.post(f"{HERE}/open", known).status_code == 403, "a viewer changes nothing"
    assert "Your role is viewer" in viewer.get(HERE).text
    assert "Open the live results" not in viewer.get(HERE).text
    for person in (owner, editor, owner):
        person.post(f"{HERE}/open", {"known": "yes"})
    assert CLOSED in viewer.get(HERE).text, "each opens for themselves"
    assert "2 people" in text_of(viewer.get(HERE).text)
    assert "editor@example.org" in viewer.get(HERE).text
    log = owner.get("/admin/studies/nav/audit").text
    assert log.count("opened the live results of the study") == 2
    assert [editor.email in log, owner.email in log] == [True, True]


def test_a_closed_study_and_other_modes_are_not_blinded(shown: str, owner: Person) -> None:
    assert "People picked the human in" in shown
    assert "still running" not in shown
    assert owner.post(f"{HERE}/open", {"known": "yes"}).status_code == 409


def test_modes_are_kept_apart_and_shown(
    answered: str, owner: Person, client: TestClient, settings: Settings, database: Database
) -> None:
    with database.transaction() as session:
        set_state(session, answered, State.PILOT)
    walk(client)
    page = computed(owner, settings, database, PILOT)
    assert "These are the answers of a pilot" in page
    assert "One person picked" in page
    assert CLOSED not in page
    counted = {row["step"]: row["n"] for row in rows(owner, "counted", "?mode=pilot")}
    assert set(counted.values()) == {"1"}, "nobody of the live study is among those who came"
    assert CLOSED in owner.get(f"{HERE}?mode=live").text
    assert owner.get(f"{HERE}?mode=dreamt").status_code == 422


def analysed(database: Database) -> Mapping[str, Any]:
    """As `likely-human analyze nav --json`, which is also what a report holds (tests/reports/test_report.py)."""
    with database.reading() as session:
        frames = [responses_frame(session, "nav")]
    result = analyze(frames, mode="live", origins=["nav"], resamples=FEW).to_dict()
    return json.loads(json.dumps(result))  # type: ignore[no-any-return]


def test_every_number_is_that_of_analyze(shown: str, owner: Person, database: Database) -> None:
    numbers = analysed(database)
    study = numbers["studies"][0]

    def described(row: Mapping[str, str], one: Mapping[str, Any]) -> None:
        low, high = one["interval"]["low"], one["interval"]["high"]
        wanted = (one["n"], one["mean"], low, high)
        for name, value in zip(("participants", "mean", "ci_low", "ci_high"), wanted, strict=True):
            assert same(row[name], value), (name, row, value)

    accuracy = rows(owner, "accuracy")
    described(accuracy[0], study["accuracy"])
    assert same(accuracy[0]["sd_ddof1"], study["accuracy"]["sd_ddof1"])
    cells = next(
        one for one in study["breakdowns"] if (one["measure"], one["by"]) == ("accuracy", "condition")
    )
    assert [row["of"] for row in accuracy[1:]] == [row["value"] for row in cells["rows"]]
    for row, cell in zip(accuracy[1:], cells["rows"], strict=True):
        names = {"participants": "n", "mean": "mean", "ci_low": "ci_low", "ci_high": "ci_high"}
        assert all(same(row[ours], cell[theirs]) for ours, theirs in names.items())

    people = rows(owner, "people")
    assert sorted(float(row["accuracy"]) for row in people) == sorted(
        one["accuracy"] for one in study["participants"]
    )
    for row, one in zip(
        sorted(people, key=lambda row: float(row["accuracy"])),
        sorted(study["participants"], key=lambda one: one["accuracy"]),
        strict=True,
    ):
        assert (int(row["n_correct"]), int(row["n_accuracy"])) == (one["n_correct"], one["n_accuracy"])

    for row, level in zip(rows(owner, "certainty"), study["certainty"]["levels"], strict=True):
        described(row, level["accuracy"])
        assert (float(row["uncertainty"]), int(row["answers"]), int(row["right"])) == (
            level["uncertainty"],
            level["n_answers"],
            level["n_correct"],
        )
        assert same(row["share"], level["pooled"]["value"])

    labels = {label["pair"]: label for label in numbers["labels"]}
    voted = rows(owner, "pairs")
    assert {row["pair"] for row in voted} == {name for name, one in labels.items() if one["n"]}
    for row in voted:
        label = labels[row["pair"]]
        member = "a" if row["stimulus"] == label["stimulus_a"] else "b"
        assert row["stimulus"] == label[f"stimulus_{member}"]
        assert label["truth"] in (member, None, "")
        assert (int(row["votes"]), int(row["n"])) == (label[f"votes_{member}"], label["n"])
        assert same(row["share"], label[f"votes_{member}"] / label["n"])
        ends = (label["ci_low"], label["ci_high"])
        assert same(row["ci_low"], ends[0] if member == "a" else 1 - ends[1])
        assert same(row["ci_high"], ends[1] if member == "a" else 1 - ends[0])
        assert (int(row["votes_tie"]), int(row["blank"])) == (label["votes_tie"], label["blank"])

    side = study["bias"]["side"]
    for row, key in zip(rows(owner, "side"), ("left", "accuracy_left", "accuracy_right"), strict=True):
        described(row, side[key])
    for row, at in zip(rows(owner, "order"), study["bias"]["order"]["positions"], strict=True):
        assert int(row["position"]) == at["position"]
        assert same(row["accuracy"], at["accuracy"])
        assert same(row["left_high"], at["left_high"])
    choice = study["agreement"]["choice"]
    agreement = {row["coefficient"]: row for row in rows(owner, "agreement")}
    for key, name in (
        ("agreement", "agreement"),
        ("alpha", "Krippendorff's alpha"),
        ("kappa", "Fleiss' kappa"),
        ("ac1", "Gwet's AC1"),
    ):
        assert same(agreement[name]["value"], choice[key]["value"])
        assert same(agreement[name]["ci_low"], choice[key]["interval"]["low"])
    assert not [name for name in agreement if "_" in name]
    for row, one in zip(rows(owner, "preferences"), study["preferences"], strict=False):
        if not one["has_truth"]:
            described(row, one)
    as_conditions(rows(owner, "conditions"), study["conditions"]["comparisons"])
    counted = {row["step"]: int(row["n"]) for row in rows(owner, "counted") if not row["left"]}
    assert counted["Analysed"] == study["selection"]["n_participants_used"] == 4
    assert counted["Arrived"] == counted["Finished"] == 4


def as_conditions(found: Sequence[Mapping[str, str]], wanted: Sequence[Mapping[str, Any]]) -> None:
    """The rows are the comparisons within people of `analyze --json`."""
    within = [one for one in wanted if one["compared_as"] == "paired"]
    assert len(found) == len(within) > 0
    for row, one in zip(found, within, strict=True):
        test = one["paired"]
        assert [row["first"], row["second"], row["measure"]] == [*one["conditions"], one["measure"]]
        assert int(row["people"]) == test["n"]
        for ours, value in (
            ("difference", test["difference"]["mean"]),
            ("difference_low", test["difference"]["interval"]["low"]),
            ("shift", test["shift"]["value"]),
            ("shift_high", test["shift"]["high"]),
            ("p_two_sided", test["p_two_sided"]),
            ("p_permutation", test["permutation"]["p"]),
            ("p_holm", one["p_holm"]),
        ):
            assert same(row[ours], value), ours


def test_conditions_are_beside_each_other_with_the_numbers_of_analyze_once_open(
    owner: Person,
    client: TestClient,
    library: Library,
    settings: Settings,
    database: Database,
    tmp_path: Path,
) -> None:
    conditions = {"human-hybrid": 4, "human-symbolic": 4, "hybrid-symbolic": 2}
    sample = {"match": "goal", "seed": 7, "conditions": conditions}
    with database.transaction() as session:
        add_stimuli(session, library[1], NOW)
        load_file(session, tmp_path, study="three", sample=sample)
        set_state(session, "three", State.LIVE)
    for sides in ("left", "right", "left,right", "right,left,left", "left,left,right", "right,right,left"):
        walk(client, sides, "three")
    here = "/admin/studies/three/results"
    assert owner.get(f"{here}/conditions.csv").status_code == 409, "the study runs, and is not open"
    with database.transaction() as session:
        set_state(session, "three", State.CLOSED)
    page = computed(owner, settings, database, here)
    assert "Conditions beside each other" in page
    with database.reading() as session:
        frames = [responses_frame(session, "three")]
    study = analyze(frames, mode="live", resamples=FEW).to_dict()["studies"][0]
    found = list(csv.DictReader(io.StringIO(owner.get(f"{here}/conditions.csv").text)))
    as_conditions(found, study["conditions"]["comparisons"])
    assert [row["measure"] for row in found] == ["accuracy", *["uncertainty"] * 3]
    said = text_of(page)
    points = signed(100 * float(found[0]["difference"]), 0)
    open_ = "Whether people are right more or less often with human-hybrid than with human-symbolic cannot be told yet"
    assert f"{open_}: difference {points} points" in said
    assert "the same 6 people" in said
    assert "human-hybrid against human-symbolic" in said
    assert "another choice of pairs may give another difference" in said


def test_the_page_shows_the_numbers_of_its_csv(shown: str, owner: Person) -> None:
    for figure in (
        "accuracy",
        "people",
        "certainty",
        "preferences",
        "pairs",
        "side",
        "order",
        "agreement",
        "counted",
    ):
        assert f'href="{HERE}/{figure}.csv?mode=live"' in shown, figure
        assert rows(owner, figure, "?mode=live")
    shares = [float(row["mean"]) for row in rows(owner, "accuracy")]
    assert all(f'<td class="num">{100 * share:.1f}%</td>' in shown for share in shares)
    assert owner.get(f"{HERE}/none.csv").status_code == 404
    assert "mixed" not in shown.partition("All numbers")[0]


def test_participants_are_shown_by_a_pseudonym_that_stays(
    owner: Person, client: TestClient, study: str, settings: Settings, database: Database
) -> None:
    Walk(client, "nav", participant="recruited-0815").to("end")
    with database.transaction() as session:
        set_state(session, study, State.CLOSED)
    page = computed(owner, settings, database)
    [first] = [row["participant"] for row in rows(owner, "people")]
    assert re.fullmatch(r"p-[0-9a-f]{8}", first)
    assert "recruited-0815" not in page
    with database.transaction() as session:
        set_state(session, study, State.LIVE)
    walk(client)
    with database.transaction() as session:
        set_state(session, study, State.CLOSED)
    Clock.wait(FRESH_FOR.total_seconds() + 1)
    computed(owner, settings, database)
    assert first in {row["participant"] for row in rows(owner, "people")}


def test_numbers_are_kept_until_answers_change_and_not_computed_all_the_time(
    answered: str,
    owner: Person,
    client: TestClient,
    settings: Settings,
    database: Database,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def n_jobs() -> int:
        with database.reading() as session:
            return len(session.exec(select(Job.id).where(Job.kind == Kind.RESULTS)).all())

    owner.post(f"{HERE}/open", {"known": "yes"})
    assert "The numbers are being computed." in owner.get(HERE).text
    owner.get(HERE)
    assert n_jobs() == 1
    drain(settings, database)
    assert "Waiting to begin" not in owner.get(HERE).text
    walk(client)
    monkeypatch.setattr(Clock, "at", datetime.now(UTC))
    assert "Answers have come in within the last minute" in owner.get(HERE).text
    assert n_jobs() == 1
    Clock.wait(FRESH_FOR.total_seconds() + 1)
    page = owner.get(HERE).text
    assert "brought up to date" in page
    assert "People picked" in page, "what was computed stays until the new numbers are there"
    drain(settings, database)
    assert n_jobs() == 2
    assert "Arrived" in owner.get(HERE).text
    counted = {row["step"]: row["n"] for row in rows(owner, "counted") if not row["left"]}
    assert counted["Analysed"] == "5"
    assert len(list((settings.data_dir / "results").iterdir())) == 1, "older numbers are cleared away"


def test_who_does_not_see_the_study_sees_no_results(
    shown: str, editor: Person, viewer: Person, share_with: ShareWith
) -> None:
    share_with(viewer)
    assert editor.get(HERE).status_code == 404
    assert editor.get(f"{HERE}/accuracy.csv").status_code == 404
    assert editor.post(f"{HERE}/open", {"known": "yes"}).status_code == 404
    assert "People picked" in viewer.get(HERE).text
    assert rows(viewer, "accuracy")
    assert viewer.post(f"{HERE}/again").status_code == 403


def test_a_study_beside_another_is_one_that_is_seen_and_open(
    answered: str,
    owner: Person,
    editor: Person,
    client: TestClient,
    settings: Settings,
    database: Database,
    share_with: ShareWith,
    tmp_path: Path,
) -> None:
    with database.transaction() as session:
        set_state(session, answered, State.CLOSED)
        load_file(session, tmp_path, study="other")
        set_state(session, "other", State.LIVE)
    Walk(client, "other").to("end")
    share_with(editor)
    assert editor.get(f"{HERE}?against=other").status_code == 404
    assert "Beside another study" not in owner.get(HERE).text, "the other one runs, and is not open"
    assert CLOSED in owner.get(f"{HERE}?against=other").text
    assert owner.get(f"{HERE}/studies.csv?against=other").status_code == 409
    with database.transaction() as session:
        set_state(session, "other", State.CLOSED)
    page = computed(owner, settings, database, f"{HERE}?against=other")
    assert '<option value="other" selected>' in page
    assert "Beside another study" in page
    found = {(row["measure"], row["about"]): row for row in rows(owner, "studies", "?against=other")}
    with database.reading() as session:
        frames = [responses_frame(session, slug) for slug in ("nav", "other")]
    for one in analyze(frames, mode="live", resamples=FEW).to_dict()["comparisons"]:
        if one["measure"] == "accuracy":
            row = found["accuracy", ""]
            assert same(row["effect"], one["effect"])
            assert same(row["p_holm_as_compared"], one["p_holm_as_compared"])
            assert row["compared_as"] == one["compared_as"]


def test_judges_are_compared_with_one_person(
    shown: str, owner: Person, settings: Settings, database: Database, full: None
) -> None:
    assert "No judge has been held against these people" in shown
    owner.post("/admin/studies/nav/judges", {"judge-motion": "1"})
    drain(settings, database)
    Clock.wait(FRESH_FOR.total_seconds() + 1)
    page = computed(owner, settings, database)
    [row] = rows(owner, "judges")
    [run] = [job for job in _jobs(database) if job.kind == Kind.JUDGES]
    validation = owner.get(f"/admin/studies/nav/judges/{run.id}/validation.json").json()
    measure = next(g for g in validation["judges"][0]["groups"] if g["scope"] == "all")["measures"][
        "label_accuracy"
    ]
    assert row["judge"] == "motion"
    assert same(row["value"], measure["corrected"]["value"])
    assert same(row["ci_high"], measure["corrected"]["interval"]["high"])
    assert same(row["ceiling"], measure["ceiling"]["value"])
    assert "one person against the others" in page


def _jobs(database: Database) -> Sequence[Job]:
    with database.reading() as session:
        return session.exec(select(Job).order_by(col(Job.id))).all()


def test_without_answers_the_page_says_what_to_do_next(owner: Person, study: str, database: Database) -> None:
    with database.transaction() as session:
        set_state(session, study, State.CLOSED)
    for mode, said in (
        ("live", "No live answer is stored yet"),
        ("pilot", "Open the pilot"),
        ("simulated", "Send simulated people"),
    ):
        page = owner.get(f"{HERE}?mode={mode}").text
        assert said in page
        assert "Waiting to begin" not in page
    for state, words in (
        (State.PAUSED, "It is paused: nobody new can enter."),
        (State.PILOT, "It is in its pilot, whose answers are kept apart."),
        (State.DRAFT, "It is a draft: no participants can enter yet."),
    ):
        with database.transaction() as session:
            set_state(session, study, state)
        assert words in owner.get(f"{HERE}?mode=live").text


def closed_with(client: TestClient, database: Database, *people: str, **fields: str) -> None:
    for sides in people:
        walk(client, sides, **fields)
    with database.transaction() as session:
        set_state(session, "nav", State.CLOSED)


def test_one_participant_is_no_finding(
    owner: Person, client: TestClient, study: str, settings: Settings, database: Database
) -> None:
    closed_with(client, database, "left")
    said = text_of(computed(owner, settings, database))
    assert re.search(r"One person picked the human in \d+% of pairs: that is a person, not a finding\.", said)
    assert "begin with several people" in said
    assert "no interval" in said


def test_ties_leave_every_pair_open(
    owner: Person, client: TestClient, study: str, settings: Settings, database: Database
) -> None:
    """Two people who press the same buttons on mirrored sides disagree on whatever they both saw."""
    closed_with(client, database, "left", "right")
    said = text_of(computed(owner, settings, database))
    assert re.search(r"\d+ of 10 pairs are still open", said)
    assert "two people agree on a pair in" in said or "agreement cannot be measured" in said.lower()


def test_everything_left_out_says_why(
    owner: Person, client: TestClient, study: str, settings: Settings, database: Database
) -> None:
    walk(client)
    [session_id] = re.findall(
        r"/admin/studies/nav/sessions/(\d+)", owner.get("/admin/studies/nav/sessions").text
    )[:1]
    owner.post(f"/admin/studies/nav/sessions/{session_id}/exclude", {"reason": "a test"})
    closed_with(client, database)
    said = text_of(computed(owner, settings, database))
    assert "No answer of mode live to a main trial counts." in said
    assert "an exclusion can be taken back" in said
    assert "0 of 1 who came are counted." in said


def test_without_a_true_source_preferences_are_the_finding(
    owner: Person,
    client: TestClient,
    database: Database,
    settings: Settings,
    library: Library,
    tmp_path: Path,
) -> None:
    sample = {
        "match": "goal",
        "seed": 7,
        "conditions": {"hybrid-symbolic": 4},
        "practice": {"human-symbolic": 1},
    }
    with database.transaction() as session:
        add_stimuli(session, library[1], NOW)
        load_file(session, tmp_path, sample=sample)
        set_state(session, "nav", State.LIVE)
    closed_with(client, database, "left", "right,left")
    said = text_of(computed(owner, settings, database))
    assert re.search(
        r"People chose hybrid over symbolic in \d+% of pairs, where an even split is 50%\.", said
    )
    assert "there is no accuracy" in said
    assert "No person has an accuracy" in said


def test_a_computation_that_failed_says_so_and_can_be_asked_again(
    finished: str, owner: Person, settings: Settings, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_args: object, **_more: object) -> None:
        raise StudyError("The disk is full.")

    with monkeypatch.context() as patched:
        patched.setattr(worker, "analyze", fail)
        assert "The numbers could not be computed: The disk is full." in computed(owner, settings, database)
    assert "Try again" in owner.get(HERE).text
    owner.post(f"{HERE}/again", {"mode": "live", "against": ""})
    drain(settings, database)
    assert "People picked" in owner.get(HERE).text


def test_no_style_and_no_script_stands_in_the_page(shown: str) -> None:
    assert " style=" not in shown
    assert not re.search(r"<script(?![^>]* src=)", shown)
    assert not re.search(r" on[a-z]+=", shown)
    assert re.findall(r'(?:src|href)="(https?://[^"]+)"', shown) == []
    for svg in re.findall(r"<svg[^>]*>", shown):
        assert "aria-hidden" in svg or 'role="img" aria-label="' in svg, svg


def test_a_clip_of_another_study_is_not_shown_through_this_one(
    finished: str, owner: Person, library: Library
) -> None:
    assert owner.get(f"{HERE}/clips/{'0' * 64}.jpg").status_code == 404


def test_it_is_in_the_menu_and_on_the_data_page(owner: Person, study: str) -> None:
    assert f'<a href="{HERE}">' in owner.get("/admin/studies/nav/data").text.partition("<main")[0]
    assert f'<a href="{HERE}">Results</a>' in owner.get("/admin/studies/nav/data").text.partition("<main")[2]


def test_signatures_are_those_of_the_command_with_their_table_and_csv(
    finished: str,
    owner: Person,
    database: Database,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    with database.transaction() as session:
        store = ClipStore(settings.data_dir)
        for number, stimulus in enumerate(session.exec(select(Stimulus).order_by(col(Stimulus.name))).all()):
            walked = later(wavy if stimulus.source == "human" else circling, 0.3 * number)
            file = write_positions(
                tmp_path / f"{stimulus.name}.csv", walked, seconds=stimulus.duration_s or 6
            )
            stimulus.positions_sha256 = store.keep_positions(file).sha256
            stimulus.attributes = {**stimulus.attributes, "simulated": "yes"}
            session.add(stimulus)
    play = compare_play([*PEOPLE, *MEAN], resamples=20)
    monkeypatch.setattr(
        "app.worker.handlers.results._matches",
        lambda session, slug, mode: ((), play if mode == "live" else None, ()),
    )
    text = text_of(computed(owner, settings, database))
    assert "How sources move, against people" in text
    assert "How sources play, given what they perceive, against people" in text
    assert "clips of people are simulated: no person made these paths" in text
    figures = text.partition("All numbers")[0]
    assert figures.count("Distances have no interval") == 2, "once for all figures of a section"
    offers = play.signatures[0].distances[0]
    assert [float(row["distance"]) for row in rows(owner, "sugoffergivenreceived")] == pytest.approx(
        [offers.distance]
    )
    assert "mean lies outside, " in text, "one source alone is nearest of none"
    assert "Turn rate: " in text
    monkeypatch.setenv("LIKELY_HUMAN_DATA", str(settings.data_dir))
    monkeypatch.setenv("DATABASE_URL", database.url.render_as_string(hide_password=False))
    signatures(["nav"], as_json=True, mode="live")
    found = json.loads(capfd.readouterr().out)
    for one in found["signatures"]:
        name = one["signature"].replace("-", "")
        if one["reason"]:
            assert one["reason"] in text
            continue
        kept = {row["source"]: row for row in rows(owner, name)}
        assert {source: float(row["distance"]) for source, row in kept.items()} == pytest.approx(
            {each["source"]: each["distance"] for each in one["distances"]}
        )
        if one["nearest"]:
            assert float(kept[one["nearest"]]["nearest_share"]) == pytest.approx(one["nearest_share"])
    closing = rows(owner, "closing")
    taken = {each["source"]: each["share"] for each in found["closing"]["taken"]}
    assert {row["source"]: float(row["taken_for_human"]) for row in closing} == pytest.approx(taken)
    plots = owner.get(HERE).text.partition('class="plots"')[2].partition("</figure>")[0]
    assert re.findall(r'aria-label="([^:"]+): distance', plots) == list(
        dict.fromkeys(r["metric"] for r in closing)
    )
    assert plots.count('class="dot"') == len(closing)


def test_the_page_says_that_exclusion_rules_wait_to_be_applied(
    shown: str, owner: Person, database: Database
) -> None:
    said = "The exclusion rules are being applied again; numbers may change."
    assert said not in text_of(shown)
    with database.transaction() as session:
        ask_again(session, "nav", NOW)
    assert said in text_of(owner.get(HERE).text)
