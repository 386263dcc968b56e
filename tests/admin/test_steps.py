"""The next step of a study: from what was done, never from having looked, and the same on every page."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import cycle, islice
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from app.admin.studies.order import ORDER
from app.core.database import Database
from app.core.settings import Settings
from app.outputs.clues import ask_clues, clues_state
from app.outputs.outputs import ask_report, note_export
from app.outputs.taken import downloads_of
from app.studies.drafts import draft_for, save_draft
from app.studies.launch import study_here
from app.studies.versions import set_state
from app.tasks.listed import TASKS
from app.trials.stimuli import NO_SOURCE
from app.trials.tables import State
from app.worker.worker import drain
from tests.admin.persons import Person
from tests.admin.test_design import form_on
from tests.factories import NOW, load_file, study_file
from tests.sessions.walks import Walk
from tests.tasks.pair.played_records import add_records

pytestmark = pytest.mark.usefixtures("few_resamples")

HERE = "/admin/studies/nav"
ROOT = Path(__file__).parents[2]
PAGES = (
    "", "/design", "/pairs", "/pairs/pick", "/pairs/csv", "/pairs/draw", "/versions", "/clues", "/launch", "/links",
    "/monitor", "/sessions", "/data", "/judges", "/audit",
)  # fmt: skip


def step_in(shown: str) -> str:
    """The step alone, as it is said on every page: without its button, and whether it is of this page."""
    words = re.sub(r"<a class=\"btn.*?</a>|<[^>]+>", "", shown).strip()
    return re.sub(r"\s+", " ", words).removeprefix("Next: ").removeprefix("On this page: ").strip()


class Way:
    """A study on its way, looked at by its owner."""

    def __init__(self, owner: Person, client: TestClient, database: Database, settings: Settings) -> None:
        self.owner, self.client, self.database, self.settings = owner, client, database, settings
        self.pages: Iterator[str] = cycle(PAGES)

    def shown(self, page: str = "") -> list[str]:
        html = self.owner.get(f"{HERE}{page}").text
        return re.findall(r'<p class="next-step">(.*?)</p>', html, re.S)

    @property
    def next(self) -> str:
        """As the overview and the next two pages of the study say it, which are the same: all pages, in turn."""
        shown = [[step_in(each) for each in self.shown(page)] for page in ("", *islice(self.pages, 2))]
        assert all(each == shown[0] and len(each) == 1 for each in shown), shown
        [said] = shown[0]
        return said if said.startswith("Nothing") else f"Next: {said}"

    def marks(self) -> dict[str, str]:
        html = self.owner.get(HERE).text
        return dict(re.findall(r'<a href="[^"]+">(\w+)</a>\s*<span class="mark">([\w ]+)</span>', html))

    def to(self, state: State) -> None:
        with self.database.transaction() as session:
            set_state(session, "nav", state, now=NOW)

    def note(self, what: str, mode: str, now: datetime) -> None:
        """A table that was downloaded."""
        with self.database.transaction() as session:
            note_export(session, self.owner.who.actor, "nav", what, "csv", now, mode)

    def work(self) -> None:
        drain(self.settings, self.database)


@pytest.fixture
def way(owner: Person, client: TestClient, database: Database, settings: Settings) -> Way:
    return Way(owner, client, database, settings)


@pytest.mark.usefixtures("forked")
def test_the_next_step_follows_what_was_done_on_every_page(way: Way, study: str) -> None:
    way.to(State.DRAFT)
    assert way.next.startswith("Next: Clues. No report yet.")
    with way.database.transaction() as session:
        ask_clues(session, way.owner.who, study_here(session, study), NOW)
    assert way.next.startswith("Next: Clues. The report is being made.")
    way.work()
    with way.database.reading() as session:
        says = clues_state(session, study_here(session, study)).says
    assert way.shown("/design")[0].startswith('Next: <a href="/admin/studies/nav/launch">Preview</a>.')
    assert f'<span class="says">{says} <' in way.owner.get(HERE).text

    preview = Walk.__new__(Walk)
    preview.client = way.client
    preview.address = way.owner.post(f"{HERE}/preview", follow_redirects=False).headers["location"]
    assert preview.look() == "consent"
    assert way.next.startswith("Next: Preview. Version 1 has not been previewed to its last page.")
    preview.to("end")
    assert way.next.startswith("Next: Pilot. Nobody has completed this version as a pilot.")

    way.to(State.PILOT)
    pilot = Walk(way.client, study)
    assert way.next.startswith("Next: Pilot.")
    pilot.to("end")
    assert way.next.startswith("Next: Launch. Not launched.")
    assert set(way.marks().values()) == {"done", "next", "to do", "optional"}

    way.to(State.LIVE)
    assert way.next.startswith("Next: Watch. No live session yet.")
    asked = Walk(way.client, study)
    assert way.next.startswith(
        "Next: Watch. 0 live sessions completed, 1 asked for consent, 0 under way or left."
    )
    asked.to("end")
    Walk(way.client, study).to("trial-2")
    assert way.next.startswith("Next: Watch. 1 live session completed, 1 under way or left.")
    assert "close the study once enough people have come" in way.next
    assert (way.marks()["Watch"], way.marks()["Data"]) == ("next", "to do")
    way.to(State.PAUSED)
    assert "Watch. 1 live session completed, 1 under way or left; paused, nobody new comes in." in way.next

    way.to(State.CLOSED)
    assert way.next.startswith("Next: Results. Not computed yet;")
    assert way.owner.get(f"{HERE}/results").status_code == 200
    way.work()
    assert way.next.startswith("Next: Data. No live answer has been downloaded.")
    way.note("labels", "simulated", datetime.now(UTC) + timedelta(days=1))
    assert way.next.startswith("Next: Data. No live answer has been downloaded.")
    for table in ("labels", "participants", "playback", "preferences", "answers"):
        way.note(table, "", datetime.now(UTC) + timedelta(days=1))
    assert way.next.startswith("Next: Data. No live answer has been downloaded."), (
        "none of them has every answer"
    )
    way.note("responses", "", NOW)
    assert way.next.startswith("Next: Data. Live answers have come since the last download.")
    assert way.owner.get(f"{HERE}/data/responses.csv").status_code == 200
    assert way.next == "Nothing is left to do: the study is closed, and its data are taken out."
    assert set(way.marks().values()) == {"done", "optional"}
    assert f'<a class="btn" href="{HERE}/results">Open the results</a>' in way.owner.get(HERE).text


@pytest.mark.usefixtures("forked")
def test_too_few_clips_to_find_clues_in_are_not_called_fine_and_need_no_reason(way: Way, study: str) -> None:
    way.to(State.DRAFT)
    with way.database.transaction() as session:
        ask_clues(session, way.owner.who, study_here(session, study), NOW)
    way.work()
    assert "Too few clips to tell" in way.owner.get(f"{HERE}/clues").text
    page = way.owner.get(f"{HERE}/launch").text
    unknown = r'<li class="check-unknown">\s*<span class="badge plain">not known</span>\s*<p [^>]+><strong>Clue report'
    assert re.search(unknown, page)
    assert ("know-pilot" in page, "know-clues" in page) == (True, False)


def test_a_package_takes_the_data_out_once_it_is_downloaded(way: Way, study: str) -> None:
    Walk(way.client, study).to("end")
    way.to(State.CLOSED)
    way.owner.get(f"{HERE}/results")
    way.owner.post(f"{HERE}/packages", {})
    way.work()
    assert way.next.startswith("Next: Data. No live answer has been downloaded.")
    [link] = re.findall(rf'href="({HERE}/packages/\d+\.zip)"', way.owner.get(f"{HERE}/data").text)
    way.owner.get(link)
    assert way.next.startswith("Nothing is left to do")


def test_overview_menu_help_and_documents_have_one_order(way: Way, study: str) -> None:
    steps = [*ORDER]
    assert [*way.marks()] == steps
    menu = re.findall(r'<a href="([^"#?]+)"[^>]*>', way.owner.get(HERE).text.partition('id="menu"')[2])
    pages = ["clips" if address == "/admin/stimuli" else address.rpartition("/")[2] for address in menu]
    assert [page for page in dict.fromkeys(pages) if page in ORDER.values()] == [
        *dict.fromkeys(ORDER.values())
    ]
    sentence = ", ".join(steps).lower()
    for name in ("README.md", "docs/help/README.md", "docs/help/studies.md"):
        assert sentence in " ".join((ROOT / name).read_text().split()), name
    help_pages = re.findall(
        r"\((\w+)\.md\)", (ROOT / "docs/help/README.md").read_text().partition("## Reference")[0]
    )
    assert [page for page in help_pages if page in ORDER.values()] == [*dict.fromkeys(ORDER.values())]
    tour = re.findall(r"^\d+\. \*\*(.+?)\*\*", (ROOT / "docs/tour.md").read_text(), re.M)
    assert ", ".join(tour).lower() == sentence


def test_a_report_from_before_the_last_answer_and_a_launch_without_preview(way: Way, study: str) -> None:
    Walk(way.client, study).to("end")
    with way.database.transaction() as session:
        ask_report(session, way.owner.who, study_here(session, study), "", 1, NOW)  # before that answer
    way.work()
    assert way.next.startswith("Next: Watch.")
    marks = way.marks()
    assert [name for name, mark in marks.items() if mark == "left out"] == ["Clues", "Preview", "Pilot"]
    way.to(State.CLOSED)
    assert way.next.startswith("Next: Results.")


def test_a_step_names_labels_where_a_study_file_has_keys(way: Way, study: str) -> None:
    way.to(State.DRAFT)
    form = form_on(way.owner.get(f"{HERE}/design/questions").text)
    sent = {"action": "add:trials.questions", "add.trials.questions": "text"}
    way.owner.post(f"{HERE}/design/questions", {**form, **sent})
    assert "1 problem to correct: “What is asked” is missing in entry 4 of questions." in way.next


def test_pairs_have_a_truth_or_a_statement_that_there_is_none(way: Way, study: str, tmp_path: Path) -> None:
    way.to(State.DRAFT)
    drawn = {"match": "goal", "seed": 7, "conditions": {"hybrid-symbolic": 4}}
    for truth, says in [
        (None, "Next: Pairs. 4 pairs, drawn at random, and none has a truth"),
        ({"source": NO_SOURCE}, "Next: Clues."),
    ]:
        with way.database.transaction() as session:
            load_file(session, tmp_path, sample=drawn, truth=truth)
        assert way.next.startswith(says)


def test_the_first_step_counts_what_pairs_can_be_made_of_and_each_kind_with_its_sources(
    way: Way, study: str, tmp_path: Path
) -> None:
    records = {"sample": None, "pairs": "pair,a,b\nq1,robot-0,robot-1\n", "truth": {"source": NO_SOURCE}}
    clips = "18 clips: 6 human, 6 hybrid and 6 symbolic"
    pairs = {"id": "p", "task": "pair", **{key: study_file()[key] for key in ("sample", "trials")}}
    with way.database.transaction() as session:
        add_records(session, {"robot": 2, "gt": 1})
    assert (
        '<td data-label="In it">18 clips and 3 records</td>'
        in way.owner.get("/admin/stimuli/collections").text
    )
    for name, says, changes in (
        ("Clips", clips, {}),
        ("Stimuli", "3 records: 1 gt and 2 robot", records),
        (
            "Stimuli",
            f"{clips}; 3 records: 1 gt and 2 robot",
            {"blocks": [pairs], "sample": None, "trials": None},
        ),
    ):
        with way.database.transaction() as session:
            load_file(session, tmp_path, **changes)
        html = way.owner.get(HERE).text
        assert (way.marks().get(name), f'<span class="says">{says}. <' in html) == ("done", True), says
    # A draw from records that no pair can be made of yet is still one from records.
    with way.database.transaction() as session:
        here = study_here(session, study)
        draft = draft_for(session, here)
        drawn = {"sample": {"pairing": "within-match", "conditions": {"robot-gt": 2}, "seed": 1}}
        keys = {key: value for key, value in draft.keys.items() if key != "blocks"} | drawn
        save_draft(session, way.owner.who, here, keys, draft.revision, NOW)
    assert '<span class="says">3 records: 1 gt and 2 robot. <' in way.owner.get(HERE).text


def test_a_new_version_is_previewed_and_piloted_anew(way: Way, study: str, tmp_path: Path) -> None:
    way.to(State.PILOT)
    Walk(way.client, study).to("end")
    marks = way.marks()
    assert (marks["Preview"], marks["Pilot"]) == ("done", "done")
    with way.database.transaction() as session:
        load_file(session, tmp_path, title="Another title")
    marks = way.marks()
    assert (marks["Design"], marks["Preview"], marks["Pilot"]) == ("done", "to do", "to do")


def test_a_session_and_a_comparison_show_the_next_step_too(way: Way, study: str) -> None:
    Walk(way.client, study).to("end")
    for page in ("/sessions/1", "/versions/compare?before=1&after=1"):
        assert [*map(step_in, way.shown(page))] == [*map(step_in, way.shown())], page
    assert 'class="next-step"' not in way.owner.get("/admin").text


def test_a_page_has_one_solid_button_at_most_and_no_step_leads_to_the_page_that_one_is_on(
    way: Way, study: str
) -> None:
    Walk(way.client, study).to("end")
    for page in ("/monitor", "/sessions", "/versions", "/results", "/audit"):
        html = way.owner.get(f"{HERE}{page}").text
        [step] = way.shown(page)
        assert html.count('class="btn primary') + html.count('class="btn small primary') == 1, page
        assert f'href="{HERE}{page}"' not in step, page
    assert (
        f'<a class="btn small primary" href="{HERE}/launch">Pause or close the study</a>'
        in way.shown("/monitor")[0]
    )
    assert (
        f'<a class="btn small primary" href="{HERE}/monitor">Open the monitor</a>'
        in way.shown("/sessions")[0]
    )
    overview = way.owner.get(HERE).text
    assert "Open the monitor" in overview
    assert "Next: " not in overview


def test_of_several_tasks_each_has_a_table_of_answers_that_is_downloaded(way: Way, study: str) -> None:
    Walk(way.client, study).to("end")
    with way.database.reading() as session:
        here = study_here(session, study)
    way.note("responses", "", datetime.now(UTC) + timedelta(days=1))
    with way.database.reading() as session:
        assert downloads_of(session, here, ("pair",)).is_all
        both = downloads_of(session, here, ("pair", "rating"))
    assert (both.at, both.missing, both.is_all) == (None, ["ratings"], False)
    way.note("ratings", "", NOW)
    with way.database.reading() as session:
        assert not downloads_of(session, here, ("pair", "rating")).is_all, (
            "answers came since that of ratings"
        )
    way.note("ratings", "", datetime.now(UTC) + timedelta(days=1))
    with way.database.reading() as session:
        assert downloads_of(session, here, ("pair", "rating")).is_all
    assert all(task.tables for task in TASKS.values()), "each task has a table of its answers"
