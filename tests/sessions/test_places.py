"""Arms, targets and places: who gets which arm, when a study is full or over, and what is told before consent."""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import URL
from sqlmodel import Session, col, select
from starlette.testclient import TestClient

from app.accounts.audit import COMMAND_LINE, SERVICE
from app.accounts.tables import AuditEntry
from app.core.database import Database
from app.core.errors import Closed
from app.sessions.entering import NotOpen
from app.sessions.exclusions import leave_out
from app.sessions.planning import Full
from app.sessions.retargeting import (
    ArmNow,
    BadPlaces,
    PlacesNow,
    change_arm,
    change_places,
    changed_places,
    places_for,
)
from app.sessions.slots import settle_places
from app.sessions.where import locate
from app.sessions.withdrawing import withdraw
from app.studies.closing import DEFAULT_CLOSING
from app.studies.launch import study_here
from app.studies.versions import set_state
from app.tasks.pair.settings import PairDesign
from app.trials.responses import Response
from app.trials.tables import Mode, ParticipantSession, SessionVerdict, State, Status, Study
from tests.clock import Clock
from tests.factories import NOW
from tests.sessions.arms import MINUTE, answer, arrive, begin, finish, one, put_study, shown, state_of
from tests.sessions.test_loads import at_once

pytestmark = pytest.mark.any_database
TWO = "arms:\n  - {id: slow, target: 2}\n  - {id: fast, target: 2}\n"
FOUR = "target: 4\n"
ARMS_ALONE = "arms:\n  - {id: slow}\n  - {id: fast}\n"


@pytest.fixture
def session(database: Database, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Session]:
    put_study(database, tmp_path, getattr(request, "param", TWO))
    with database.transaction() as session:
        yield session


def noted(session: Session, action: str) -> Sequence[AuditEntry]:
    of_action = select(AuditEntry).where(AuditEntry.action == action)
    return session.exec(of_action.order_by(col(AuditEntry.id))).all()


def arms_of(session: Session) -> Counter[str]:
    begun = select(ParticipantSession.arm).where(col(ParticipantSession.ordinal).is_not(None))
    return Counter(session.exec(begun))


@pytest.mark.both_databases
def test_200_who_start_at_once_fill_every_arm_pair_and_item_and_none_over_its_cap(
    database: Database, database_url: URL, tmp_path: Path
) -> None:
    """Arms with targets of 60 and 120, pairs that are shown both ways, items that 60 of an arm may rate."""
    put_study(database, tmp_path, per_item=60)

    def start(session: Session, rng: random.Random) -> int:
        try:
            begin(session, seed=rng.getrandbits(30))
        except Closed:
            return 0
        return 1

    assert sum(at_once(database_url, start, 200)) == 180
    with database.reading() as session:
        assert arms_of(session) == {"slow": 60, "fast": 120}
        trials = shown(session)
        ordinals = session.exec(
            select(ParticipantSession.ordinal).where(col(ParticipantSession.ordinal) > 0)
        ).all()
    assert len(set(ordinals)) == 180
    for arm, n in (("slow", 60), ("fast", 120)):
        assert {trials[arm, f"i{item}", ""] for item in range(1, 7)} == {n * 3 // 6}
        sides = {pair: [trials[arm, f"p{pair}", left] for left in "ab"] for pair in range(1, 5)}
        assert all(abs(a - b) <= 1 for a, b in sides.values())
        seen = [a + b for a, b in sides.values()]
        assert max(seen) - min(seen) <= 2


@pytest.mark.both_databases
def test_the_next_participant_goes_to_the_arm_with_the_smallest_share_of_its_target(
    database: Database, tmp_path: Path
) -> None:
    put_study(database, tmp_path)
    with database.transaction() as session:
        for number in range(1, 31):
            begin(session, seed=number)
            n = arms_of(session)
            assert abs(2 * n["slow"] - n["fast"]) <= 2
        assert arms_of(session) == {"slow": 10, "fast": 20}


@pytest.mark.parametrize("session", ["arms:\n  - {id: slow}\n  - {id: fast}\n"], indirect=True)
def test_ties_are_broken_by_seeded_chance(session: Session) -> None:
    def first_of(seed: int) -> str:
        with session.begin_nested() as nested:
            arm = one(session, begin(session, seed=seed)).arm
            nested.rollback()
        return arm

    drawn = [first_of(seed) for seed in range(12)]
    assert set(drawn) == {"slow", "fast"}
    assert [first_of(seed) for seed in range(12)] == drawn


def test_an_arms_participant_has_its_values(session: Session) -> None:
    assert one(session, arrive(session)).arm == "main"


def test_each_arm_is_run_with_its_own_design(database: Database, tmp_path: Path) -> None:
    put_study(database, tmp_path)
    with database.transaction() as session:
        seen = {}
        for number in range(3):
            where = locate(session, begin(session, seed=number))
            seen[where.arm] = (where.design.blocks_of(PairDesign)[0].trials.watch, where.run.sha256)
    assert {arm: watch for arm, (watch, _) in seen.items()} == {"slow": "both-to-end", "fast": "free"}
    assert seen["slow"][1] != seen["fast"][1]  # by it finished pages are kept


def test_who_does_not_count_is_replaced(session: Session) -> None:
    """Excluded, timed out, not to be used, withdrawn: each leaves room. Pilot, preview and simulated take none."""
    for mode in (Mode.PILOT, Mode.PREVIEW, Mode.SIMULATED):
        for seed in range(5):
            begin(session, seed=seed, mode=mode)
    tokens = [begin(session, seed=seed) for seed in range(4)]
    with pytest.raises(NotOpen, match="all the answers"):
        begin(session)
    leave_out(session, "arms", one(session, tokens[0]).id or 0, "a test", NOW)
    session.flush()
    begin(session)
    finish(session, tokens[1])
    verdict = SessionVerdict(
        session_id=one(session, tokens[1]).id or 0, use=False, pay=True, rules={}, names="", judged_at=NOW
    )
    session.add(verdict)
    session.flush()
    begin(session)
    withdraw(session, one(session, tokens[2]).id or 0, NOW)
    begin(session)
    with pytest.raises(NotOpen):
        begin(session)
    # The one that is completed and not to be used; whoever did not finish was never one of those.
    assert places_for(session, study_here(session, "arms"), NOW).uncounted == 1


@pytest.mark.parametrize("session", [FOUR], indirect=True)
def test_the_target_closes_the_study_by_itself(session: Session) -> None:
    tokens = [begin(session, seed=seed) for seed in range(4)]
    for token in tokens[:3]:
        finish(session, token)
    assert state_of(session) == "live"  # full, as the fourth is under way
    with pytest.raises(NotOpen) as told:
        arrive(session)
    assert told.value.why == "full"
    finish(session, tokens[3])
    assert state_of(session) == "closed"
    entry = noted(session, "study.state")[-1]
    assert entry.actor == SERVICE.name
    assert entry.after["because"] == "its target is reached (4 completed)"


def test_the_targets_of_all_arms_close_the_study(session: Session) -> None:
    for seed in range(4):
        assert state_of(session) == "live"
        finish(session, begin(session, seed=seed))
    assert state_of(session) == "closed"


@pytest.mark.parametrize("session", [FOUR], indirect=True)
def test_full_is_told_again_at_consent(session: Session) -> None:
    early = arrive(session)
    for seed in range(4):
        begin(session, seed=seed)
    with pytest.raises(Full):
        answer(session, early)


@pytest.mark.both_databases
@pytest.mark.parametrize("session", [FOUR + "idle_minutes: 10\n"], indirect=True)
def test_an_idle_session_gives_its_place_back_and_takes_it_again_while_there_is_room(
    session: Session,
) -> None:
    tokens = [begin(session, seed=seed) for seed in range(4)]
    later = NOW + 11 * MINUTE
    for token in tokens[1:]:
        answer(session, token, NOW + 5 * MINUTE)
    settle_places(session, later)
    assert [one(session, token).released_at is not None for token in tokens] == [True, False, False, False]
    # There is room: whoever returns continues, with a place again.
    answer(session, tokens[0], later)
    assert one(session, tokens[0]).released_at is None
    with pytest.raises(NotOpen):
        begin(session, later)


@pytest.mark.parametrize("session", [FOUR + "idle_minutes: 10\n"], indirect=True)
def test_an_answer_that_comes_too_late_is_kept_and_the_bound_holds(session: Session) -> None:
    tokens = [begin(session, seed=seed) for seed in range(4)]
    later = NOW + 11 * MINUTE
    new = [begin(session, later, seed=10 + seed) for seed in range(4)]
    assert all(one(session, token).released_at for token in tokens)
    answer(session, tokens[0], later)
    late = one(session, tokens[0])
    assert late.released_at is not None
    kept = session.exec(select(Response.page).where(Response.session_id == late.id)).all()
    assert sorted(kept) == ["consent", "trial-1"]
    finish(session, tokens[0], later)  # as with pages that were open
    assert one(session, tokens[0]).status == Status.COMPLETED
    assert places_for(session, study_here(session, "arms"), later).completed == 0
    for token in new:
        finish(session, token, later)
    places = places_for(session, study_here(session, "arms"), later)
    assert (places.completed, places.uncounted) == (4, 1)
    assert places.uncounted_in_words.startswith("1 more is completed and fills no place: excluded, ")


@pytest.fixture
def at_now(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Clock, "at", NOW)


# The clock is set before the service starts: its sweep takes places back by the clock that it finds.
@pytest.mark.usefixtures("at_now")
def test_a_page_before_consent_says_full_and_a_page_after_a_long_pause_says_so(
    client: TestClient, database: Database, tmp_path: Path
) -> None:
    put_study(database, tmp_path, "target: 1\nidle_minutes: 10\n")
    with database.transaction() as session:
        token = begin(session)
    page = client.get("/s/arms")
    assert page.status_code == 403
    assert "All places are taken" in page.text
    assert "FULL1" in page.text
    assert "agree" not in page.text
    Clock.wait(11 * 60)
    assert "Consent" in client.get("/s/arms").text  # the place came free, before anything swept it
    client.get(f"/p/{token}")
    with database.transaction() as session:
        assert one(session, token).released_at is None
        session.exec(
            select(ParticipantSession).where(ParticipantSession.status == "active")
        ).one().seen_at = NOW
    with database.transaction() as session:
        begin(session, NOW + 11 * MINUTE, seed=5)
    lost = client.get(f"/p/{token}")
    assert "Your place went to somebody else" in lost.text
    assert "PART1" in lost.text
    assert "lab@example.org" in lost.text
    # Once the study is closed no place comes free: the page promises none, and the code needs no asking.
    with database.transaction() as session:
        set_state(session, "arms", State.CLOSED, now=NOW)
        at = datetime.now(UTC) + timedelta(days=400)
        session.exec(select(Study)).one().closes_at, session.exec(select(Study)).one().closing = (
            at,
            DEFAULT_CLOSING,
        )
    closed = client.get(f"/p/{token}")
    assert "This study has ended" in closed.text
    assert "if a place comes free" not in closed.text
    assert "PART1" in closed.text
    assert "you need no completion code" not in closed.text


@pytest.mark.parametrize(
    "session", ["opens: 2026-03-01T14:00+01:00\nends: 2026-03-02T14:00+01:00\n"], indirect=True
)
def test_a_study_opens_and_ends_by_the_clock_of_each_request(session: Session) -> None:
    with pytest.raises(NotOpen) as early:
        arrive(session, NOW + 59 * MINUTE)
    assert early.value.why == "not-yet"
    token = begin(session, NOW + 60 * MINUTE)
    undecided = arrive(session, NOW + 60 * MINUTE)
    end = NOW + timedelta(days=1, hours=1)
    with pytest.raises(NotOpen) as late:
        arrive(session, end)
    assert late.value.why == "ended"
    with pytest.raises(Closed, match="has ended"):
        answer(session, undecided, end)
    settle_places(session, end - MINUTE)
    assert state_of(session) == "live"
    settle_places(session, end)
    assert state_of(session) == "closed"
    assert not locate(session, token).is_shut_out(end + 59 * MINUTE)  # who is under way may finish
    assert locate(session, token).is_shut_out(end + 61 * MINUTE)


def test_a_paused_arm_takes_nobody_and_a_target_changes_live(session: Session) -> None:
    study = study_here(session, "arms")
    change_places(session, COMMAND_LINE, study, PlacesNow(arms={"slow": ArmNow(is_paused=True)}), NOW)
    assert [one(session, begin(session, seed=seed)).arm for seed in range(2)] == ["fast", "fast"]
    with pytest.raises(NotOpen) as told:
        begin(session)
    assert told.value.why == "paused"  # as an arm still waits for participants
    wanted = change_arm(changed_places(session, study), "fast", target=3)
    places = change_places(session, COMMAND_LINE, study, wanted, NOW)
    assert places.arms[1].in_words == "0 of 3, 2 active"
    assert one(session, begin(session)).arm == "fast"
    change_places(session, COMMAND_LINE, study, PlacesNow(), NOW)
    assert one(session, begin(session)).arm == "slow"
    assert [entry.after for entry in noted(session, "study.places")] == [
        {"arms": {"slow": {"target": None, "paused": True}}},
        {"arms": {"fast": {"target": 3, "paused": False}, "slow": {"target": None, "paused": True}}},
        {},
    ]


@pytest.mark.parametrize("session", [""], indirect=True)
def test_a_target_below_what_is_there_closes_at_once(session: Session) -> None:
    for seed in range(3):
        finish(session, begin(session, seed=seed))
    assert state_of(session) == "live"
    places = change_places(session, COMMAND_LINE, study_here(session, "arms"), PlacesNow(target=3), NOW)
    assert (places.state, state_of(session)) == ("closed", "closed")
    assert places.closes_by_itself


@pytest.mark.parametrize("session", [ARMS_ALONE], indirect=True)
def test_a_study_closes_by_itself_only_when_each_arm_has_a_target(session: Session) -> None:
    study = study_here(session, "arms")
    places = change_places(session, COMMAND_LINE, study, PlacesNow(arms={"slow": ArmNow(1)}), NOW)
    assert not places.closes_by_itself
    for seed in range(4):
        finish(session, begin(session, seed=seed))
    assert arms_of(session) == {"slow": 1, "fast": 3}
    assert state_of(session) == "live"
    wanted = change_arm(changed_places(session, study), "fast", target=3)
    places = change_places(session, COMMAND_LINE, study, wanted, NOW)
    assert places.closes_by_itself
    assert state_of(session) == "closed"


def test_what_places_may_not_be_is_refused(session: Session) -> None:
    study = study_here(session, "arms")
    with pytest.raises(BadPlaces, match="1 to 1,000,000"):
        change_places(session, COMMAND_LINE, study, PlacesNow(target=0), NOW)
    with pytest.raises(BadPlaces, match="before it opens"):
        change_places(session, COMMAND_LINE, study, PlacesNow(opens_at=NOW, ends_at=NOW), NOW)
    with pytest.raises(Exception, match="no arm 'none'; there is slow and fast"):
        change_places(session, COMMAND_LINE, study, PlacesNow(arms={"none": ArmNow(3)}), NOW)
