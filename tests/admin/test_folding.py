"""Parts of pages that are folded: with their state in their summary, and open where something needs attention."""

import re

from starlette.testclient import TestClient

from app.core.database import Database
from app.studies.versions import set_state
from app.trials.checks import Check
from app.trials.tables import State
from tests.admin.persons import Person
from tests.factories import NOW
from tests.sessions.walks import Walk

HERE = "/admin/studies/nav"


def folded(page: str) -> dict[str, bool]:
    """The folded parts by their title and state, and which are open."""
    found = re.findall(r"<details([^>]*)><summary><h2>(.*?)</summary>", page, re.S)
    return {" ".join(re.sub(r"<[^>]+>", " ", said).split()): " open" in is_open for is_open, said in found}


def test_launch_shows_what_needs_attention_and_folds_the_rest_with_its_state(
    owner: Person, study: str, database: Database
) -> None:
    with database.transaction() as session:
        set_state(session, study, State.DRAFT, now=NOW)
    page = owner.get(f"{HERE}/launch").text
    checks = page[page.index('<ul class="checks">') : page.index("What next")]
    shown, fine = checks.split("checks are fine:")
    assert re.search(r'<p id="check-1"><strong>Clue report.</strong> No clue report yet', shown)
    assert "Minimum age" not in shown
    assert "Only people of 18 or older take part." in fine
    assert 'name="know-clues" value="yes" required aria-describedby="check-1"' in page
    forms = "not registered; forms of AsPredicted and OSF Preregistration, an application"
    assert folded(page) == {
        "Simulated people none yet": False,
        f"Pre-registration and ethics board {forms}": False,
        "Places 0 completed, 0 under way.": False,
        "What each state allows draft, pilot, live, paused, closed": False,
        "What was done live → draft, 1 Mar 2026, 12:00": False,
    }


def test_a_folded_part_of_launch_comes_back_open_when_its_form_was_refused(
    owner: Person, study: str, database: Database
) -> None:
    with database.transaction() as session:
        set_state(session, study, State.PILOT, now=NOW)
    sent = {
        "simulated": {"people": "many"},
        "places": {"target": "many", "mark": ""},
        "register": {"template": "aspredicted", "address": "nowhere"},
        "launch": {"to": "closed", "under_way": "finish", "grace": "-5", "closing": "Bye."},
    }
    of = {"simulated": "Simulated people", "places": "Places", "register": "Pre-registration"}
    for path, form in sent.items():
        page = owner.post(f"{HERE}/{path}", form)
        assert page.status_code in (409, 422)
        is_open = [title for title, is_open in folded(page.text).items() if is_open]
        assert [title.startswith(of.get(path, "")) for title in is_open] == [path != "launch"] * len(is_open)
        assert bool(is_open) == (path != "launch")
        assert ('<details class="closing" open>' in page.text) == (path == "launch")


def test_every_place_of_the_checklist_has_words() -> None:
    for action in ("versions", "pairs#truth", "launch#places", "design?at=retention", "design/trials"):
        assert Check("any", "Title", "warning", "Detail.", action).goes_to
    assert not Check("pilot", "Pilot", "warning", "Detail.", "launch").goes_to
    assert not Check("clips", "Clips", "ok", "Detail.", "pairs").goes_to


def test_the_overview_says_each_number_once_and_folds_tags_and_archiving(
    client: TestClient, owner: Person, study: str
) -> None:
    Walk(client, study).to("trial-2")
    page = owner.get(HERE).text
    assert page.count("completed of 1 that came") == 1
    assert f'href="{HERE}/sessions?mode=live"' in page
    assert folded(page) == {"Tags none": False, "Archive or delete": False}
    refused = owner.post(f"{HERE}/delete", {"name": "another"}).text
    assert "Archive or delete" in folded(refused)
