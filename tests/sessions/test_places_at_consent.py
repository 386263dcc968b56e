"""Places that change while somebody reads the consent page, or is in the middle of a trial."""

import re
from pathlib import Path

import pytest
from sqlmodel import Session, select
from starlette.testclient import TestClient

from app.accounts.audit import COMMAND_LINE
from app.core.database import Database
from app.sessions.entering import NotOpen
from app.sessions.retargeting import ArmNow, PlacesNow, change_places
from app.sessions.where import locate
from app.studies.launch import study_here
from app.trials.responses import Response
from app.trials.tables import Mode, ParticipantSession, Status
from tests.clock import Clock
from tests.factories import NOW, submit_id_on
from tests.sessions.arms import begin, finish, put_study, state_of

pytestmark = [pytest.mark.any_database, pytest.mark.usefixtures("at_now")]
TWO = "arms:\n  - {id: slow, target: 2}\n  - {id: fast, target: 2}\n"


@pytest.fixture
def at_now(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Clock, "at", NOW)


@pytest.fixture
def under_way(database: Database, tmp_path: Path, at_now: None) -> list[str]:
    """One person in each arm, of two that each is to have."""
    put_study(database, tmp_path, TWO)
    with database.transaction() as session:
        return [begin(session, NOW, seed=seed) for seed in range(2)]


def change(database: Database, places: PlacesNow) -> None:
    with database.transaction() as session:
        change_places(session, COMMAND_LINE, study_here(session, "arms"), places, NOW)


def agree(client: TestClient, address: str, html: str) -> str:
    """The page after consent, given on a page that was served before."""
    carried = dict(re.findall(r'name="(came|language)" value="([^"]*)"', html))
    form = {"submit_id": submit_id_on(html), "decision": "agree", **carried}
    return client.post(address, data=form).text


def statuses(session: Session) -> list[str]:
    return sorted(session.exec(select(ParticipantSession.status)))


@pytest.mark.parametrize(
    "arms",
    [
        {"slow": ArmNow(is_paused=True), "fast": ArmNow(is_paused=True)},
        {"slow": ArmNow(is_paused=True), "fast": ArmNow(target=1)},
    ],
)
def test_who_reads_the_consent_while_the_arms_with_room_are_paused_is_told_so(
    client: TestClient, database: Database, under_way: list[str], arms: dict[str, ArmNow]
) -> None:
    """The page said that the study had all the answers that it needed."""
    page = client.get("/s/arms")
    change(database, PlacesNow(arms=arms))
    told = agree(client, page.url.path, page.text)
    assert "This study is paused" in told
    assert "all the answers" not in told
    assert "FULL1" in told
    with database.reading() as session:
        assert statuses(session) == ["active", "active", "full"]


def test_a_target_below_what_is_under_way_sends_nobody_away_who_has_begun(
    client: TestClient, database: Database, under_way: list[str]
) -> None:
    page = client.get("/s/arms")
    change(database, PlacesNow(target=1))
    assert "All places are taken" in agree(client, page.url.path, page.text)
    # The address of the visit leads nowhere any more, and that of the study says why.
    assert client.get(page.url.path).status_code == 404
    assert "All places are taken" in client.get("/s/arms").text
    with database.transaction() as session:
        finish(session, under_way[0])
        assert state_of(session) == "closed"
        # Who was under way has an hour.
        finish(session, under_way[1])
        session.flush()
        assert statuses(session) == ["completed", "completed", "full"]


def test_an_answer_in_the_hour_after_the_end_is_kept_and_one_later_is_not(
    client: TestClient, database: Database, under_way: list[str]
) -> None:
    address = f"/p/{under_way[0]}"
    html = client.get(address).text
    change(database, PlacesNow(ends_at=NOW))
    answer = {"choice": "left", "rt_ms": "9000", "interval_ms": "9000"}
    Clock.wait(59 * 60)
    client.post(address, data={"submit_id": submit_id_on(html), **answer})
    later = client.get(address).text
    assert "less than a minute" in later or "1 minute" in later
    Clock.wait(2 * 60)
    assert (
        "This study has ended" in client.post(address, data={"submit_id": submit_id_on(later), **answer}).text
    )
    with database.reading() as session:
        of_session = Response.session_id == locate(session, under_way[0]).session_id
        assert sorted(session.exec(select(Response.page).where(of_session))) == ["consent", "trial-1"]


def test_a_form_sent_again_by_the_back_button_changes_nothing(
    client: TestClient, database: Database, tmp_path: Path
) -> None:
    put_study(database, tmp_path, "target: 1\n")
    page = client.get("/s/arms")
    first = agree(client, page.url.path, page.text)
    assert agree(client, page.url.path, page.text) == first or "trial-1" in submit_id_on(first)
    with database.transaction() as session:
        finish(session, page.url.path.rpartition("/")[2])
    for html in (page.text, first):
        agree(client, page.url.path, html)
    assert "Thank you" in client.get(page.url.path).text
    # Full and closed for others; who finished comes back to the last page, and to no consent.
    assert "Thank you" in client.get("/s/arms").text
    with database.reading() as session:
        assert [(one.status, one.step) for one in session.exec(select(ParticipantSession))] == [
            (Status.COMPLETED, 6)
        ]
        pages = session.exec(select(Response.page)).all()
    assert len(pages) == len(set(pages)) == 6


@pytest.mark.parametrize("arms", ["", TWO])
def test_pilot_preview_and_simulated_sessions_take_no_item_of_a_live_one(
    database: Database, tmp_path: Path, arms: str
) -> None:
    """Of six items, each to be rated once in an arm, three by each participant, live sessions get all."""
    put_study(database, tmp_path, arms, per_item=1)
    with database.transaction() as session:
        for mode in (Mode.PILOT, Mode.PREVIEW, Mode.SIMULATED):
            for seed in range(2):
                begin(session, NOW, seed=seed, mode=mode)
        for seed in range(4 if arms else 2):
            begin(session, NOW, seed=seed)
        with pytest.raises(NotOpen):
            begin(session, NOW)
