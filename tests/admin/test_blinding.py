"""Live votes are closed while a study runs: on the monitor, in reports and beside judges as on the results page."""

import asyncio
import re

import pytest
from starlette.testclient import TestClient

from app.admin.running import events
from app.core.database import Database
from app.core.settings import Settings
from app.studies.launch import study_here
from app.studies.versions import set_state
from app.trials.tables import State
from app.worker.worker import drain
from tests.admin.conftest import ShareWith
from tests.admin.persons import Person, Program
from tests.factories import NOW
from tests.kept import Kept
from tests.sessions.walks import Walk

pytestmark = pytest.mark.usefixtures("few_resamples")

HERE, API = "/admin/studies/nav", "/studies/nav"
CLOSED, HIDDEN = "closed while the study runs", "Votes are hidden while the study runs"


@pytest.fixture
def answered(client: TestClient, study: str, database: Database, kept: Kept) -> str:
    """The live study with one person who finished."""
    kept.once(database, lambda: Walk(client, study, participant="Anna").to("end"))
    return study


def text_of(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html.partition("<main")[2].partition("</main")[0]).split())


def votes(api: Program) -> list[tuple[str, int | None, int | None, int]]:
    found = api.get(f"{API}/monitor").json()
    return [(pair["kind"], pair["a"], pair["b"], pair["n"]) for pair in found["pairs"]]


def test_the_monitor_shows_votes_to_who_opened_the_results_alone(
    answered: str, owner: Person, editor: Person, share_with: ShareWith, api: Program
) -> None:
    share_with(editor)
    for person in (owner, editor):
        page = text_of(person.get(f"{HERE}/monitor").text)
        assert HIDDEN in page
        assert "Share" in page, "the columns stay where they are"
        assert not re.search(r"human-hybrid-0\d human-hybrid [ab] \d+ \d+ \d+", page)
        assert "10 votes" in page, "how many there are says nothing of how they fall"
    assert set(votes(api)) == {("main", None, None, 1)}

    owner.post(f"{HERE}/results/open", {"known": "yes"})
    page = text_of(owner.get(f"{HERE}/monitor").text)
    assert HIDDEN not in page
    assert len(re.findall(r"human-hybrid-0\d human-hybrid a \d \d 1 ", page)) == 6
    assert {a + b for _, a, b, _ in votes(api) if a is not None and b is not None} == {1}
    assert HIDDEN in text_of(editor.get(f"{HERE}/monitor").text), "each opens for themselves"


def test_the_monitors_events_are_as_the_page_of_who_watches(answered: str, database: Database) -> None:
    with database.reading() as session:
        study = study_here(session, answered)

    async def first_events() -> list[str]:
        sent = []
        for sees_live in (False, True):
            stream = events.watch(database, study, "", "", lambda: NOW, lasts_s=0.1, sees_live=sees_live)
            sent.append("".join([each async for each in stream]))
        return sent

    assert [HIDDEN in each for each in asyncio.run(first_events())] == [True, False]


def test_a_closed_study_and_a_pilot_show_their_votes(
    answered: str, owner: Person, api: Program, client: TestClient, database: Database
) -> None:
    with database.transaction() as session:
        set_state(session, answered, State.CLOSED)
    assert HIDDEN not in text_of(owner.get(f"{HERE}/monitor").text)
    assert None not in {a for _, a, _, _ in votes(api)}
    with database.transaction() as session:
        set_state(session, answered, State.PILOT)
    Walk(client, answered, participant="Bert").to("end")
    assert HIDDEN not in text_of(owner.get(f"{HERE}/monitor?mode=pilot").text)
    assert HIDDEN in text_of(owner.get(f"{HERE}/monitor?mode=live").text), "more live answers may come"


def test_a_report_of_live_answers_opens_with_the_results(
    answered: str,
    owner: Person,
    editor: Person,
    share_with: ShareWith,
    api: Program,
    settings: Settings,
    database: Database,
) -> None:
    share_with(editor)
    owner.post(f"{HERE}/reports", {"mode": ""})
    drain(settings, database)
    page = text_of(owner.get(f"{HERE}/data").text)
    assert "live: 10 answers of 1 participants" in page
    assert CLOSED in page
    assert "Open the report" not in page
    (run,) = api.get(f"{API}/reports").json()
    for name in run["result"]["files"]:
        refused = owner.get(f"{HERE}/reports/{run['id']}/{name}")
        assert (refused.status_code, "Open them on its results page first" in refused.text) == (409, True), (
            name
        )
        assert api.get(f"{API}/reports/{run['id']}/{name}").status_code == 409

    owner.post(f"{HERE}/results/open", {"known": "yes"})
    assert "Open the report" in text_of(owner.get(f"{HERE}/data").text)
    assert owner.get(f"{HERE}/reports/{run['id']}/report.html").status_code == 200
    assert api.get(f"{API}/reports/{run['id']}/results.json").status_code == 200
    assert editor.get(f"{HERE}/reports/{run['id']}/report.html").status_code == 409


def test_judges_beside_people_open_with_the_results_and_verdicts_are_open(
    answered: str, owner: Person, api: Program, settings: Settings, database: Database
) -> None:
    pairs = [pair["pair"] for pair in api.get(f"{API}/monitor").json()["pairs"]]
    verdicts = "judge,pair,choice,score\n" + "".join(f"mine,{pair},a,0.9\n" for pair in pairs)
    owner.post(f"{HERE}/judges", {"mode": ""}, files={"verdicts": ("mine.csv", verdicts)})
    drain(settings, database)
    page = text_of(owner.get(f"{HERE}/judges").text)
    assert f"C{CLOSED[1:]}" in page
    assert "Verdicts (CSV)" in page
    assert "Every number" not in page
    (run,) = api.get(f"{API}/judges").json()
    assert {
        name: api.get(f"{API}/judges/{run['id']}/{name}").status_code for name in run["result"]["files"]
    } == {"verdicts.csv": 200, "validation.json": 409, "judges.svg": 409}

    owner.post(f"{HERE}/results/open", {"known": "yes"})
    page = text_of(owner.get(f"{HERE}/judges").text)
    assert "Every number (JSON)" in page
    assert f"C{CLOSED[1:]}" not in page
    assert owner.get(f"{HERE}/judges/{run['id']}/validation.json").status_code == 200
