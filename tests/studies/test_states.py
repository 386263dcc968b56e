"""States: who may come in as what, what goes on, which changes there are, and that each is on record."""

import random
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from sqlmodel import Session, col, select

from app.accounts.audit import COMMAND_LINE, Actor
from app.accounts.tables import AuditEntry
from app.core.database import Database
from app.core.errors import Closed, Conflict, NotFound
from app.sessions.beginning import Declined
from app.sessions.coming import Came
from app.sessions.entering import Visit, enter
from app.sessions.state_machine import submit
from app.sessions.where import locate
from app.studies.checklist import ChecklistContext
from app.studies.launch import Accepted, BadClosing, Closing, change_state, study_here
from app.studies.versions import set_state
from app.trials.states import STATES, check_change, following
from app.trials.tables import Mode, ParticipantSession, State, Status, StudyVersion
from tests.factories import NOW, load_file
from tests.studies.clips import add_clips

RNG = random.Random(3)
LATER = NOW + timedelta(days=1)


@pytest.fixture
def session(database: Database, tmp_path: Path) -> Iterator[Session]:
    """A study in draft."""
    with database.transaction() as session:
        add_clips(session)
        load_file(session, tmp_path)
        yield session


def arrive(session: Session, **visit: object) -> str:
    return enter(session, Visit("nav", **visit), NOW)  # type: ignore[arg-type]


def consent(session: Session, token: str, participant: str | None = None) -> None:
    form = {"submit_id": f"consent.{RNG.random()}", "decision": "agree", "of_age": "yes"}
    submit(session, token, form, NOW, RNG, Came("nav", NOW, participant))


def modes(session: Session) -> Sequence[str]:
    return session.exec(select(ParticipantSession.mode).order_by(col(ParticipantSession.id))).all()


def outcome(call: Callable[[], str]) -> str:
    try:
        return call()
    except (Closed, NotFound) as error:
        return type(error).__name__


@pytest.mark.parametrize(
    ("state", "newcomer"),
    [
        (State.DRAFT, "NotFound"),
        (State.PILOT, "pilot"),
        (State.LIVE, "live"),
        (State.PAUSED, "NotOpen"),
        (State.CLOSED, "NotOpen"),
    ],
)
def test_who_comes_in_as_what(session: Session, state: State, newcomer: str) -> None:
    set_state(session, "nav", state, now=NOW)
    came = outcome(lambda: arrive(session))
    assert (modes(session)[0] if modes(session) else came) == newcomer
    previewed = arrive(session, mode=Mode.PREVIEW)
    assert locate(session, previewed).mode == Mode.PREVIEW


def test_the_pilot_is_kept_apart_for_ever(session: Session) -> None:
    set_state(session, "nav", State.PILOT, now=NOW)
    by_id = arrive(session, participant="P1")
    by_browser = arrive(session)
    consent(session, by_id, "P1")
    consent(session, by_browser)
    set_state(session, "nav", State.LIVE, now=NOW)
    assert arrive(session, participant="P1", kept=[by_id]) == by_id  # no second session, and none that counts
    assert arrive(session, kept=[by_browser]) == by_browser
    submit(session, by_id, {"submit_id": "background.x", "familiarity": "3"}, LATER, RNG)  # the pilot goes on
    arrive(session, participant="P2")
    assert modes(session) == ["pilot", "pilot", "live"]


def test_who_took_part_live_stays_live_in_a_second_pilot(session: Session) -> None:
    set_state(session, "nav", State.LIVE, now=NOW)
    token = arrive(session, participant="P1")
    consent(session, token, "P1")
    set_state(session, "nav", State.PILOT, now=NOW)
    assert arrive(session, participant="P1", kept=[token]) == token
    arrive(session, participant="P2")
    assert modes(session) == ["live", "pilot"]


def test_closing_stops_pilot_and_live_alike_and_previews_go_on(session: Session) -> None:
    set_state(session, "nav", State.PILOT, now=NOW)
    pilot, preview = arrive(session), arrive(session, mode=Mode.PREVIEW)
    set_state(session, "nav", State.CLOSED, now=NOW)
    with pytest.raises(Closed, match="ended"):
        consent(session, pilot)
    consent(session, preview)
    assert locate(session, preview).page.kind == "background"


NOTHING = ChecklistContext(store=None, clues=None)  # type: ignore[arg-type]  # closing looks at neither


def close(session: Session, closing: Closing | None = None, now: datetime = NOW) -> None:
    change_state(
        session, COMMAND_LINE, study_here(session, "nav"), State.CLOSED, Accepted(), NOTHING, now, closing
    )


@pytest.mark.both_databases
def test_those_under_way_finish_within_the_grace_and_then_are_shut_out(session: Session) -> None:
    set_state(session, "nav", State.LIVE, now=NOW)
    under_way, arrived, finished = (arrive(session) for _ in range(3))
    preview, simulated = arrive(session, mode=Mode.PREVIEW), arrive(session, mode=Mode.SIMULATED)
    for token in (under_way, finished, preview, simulated):
        consent(session, token)
    session.get_one(ParticipantSession, locate(session, finished).session_id).status = Status.COMPLETED
    close(session, Closing(30, "Write to us."))
    last = NOW + timedelta(minutes=30)
    before = last - timedelta(seconds=1)
    with pytest.raises(Closed, match="ended"):
        arrive(session)
    outside = {token: [locate(session, token).is_shut_out(now) for now in (NOW, before, last)] for token in (
        under_way, arrived, finished, preview, simulated)}  # fmt: skip
    assert list(outside.values()) == [
        [False, False, True], [True] * 3, [False] * 3, [False] * 3, [False] * 3
    ]  # fmt: skip
    with pytest.raises(Closed):
        consent(session, arrived)
    submit(session, under_way, {"submit_id": "background.x", "familiarity": "3"}, before, RNG)
    with pytest.raises(Closed):
        submit(session, under_way, {"submit_id": "instructions.x"}, last, RNG)
    assert str(locate(session, under_way).page) == "instructions"
    refusal = {"submit_id": "consent.no", "decision": "refuse"}  # which is always heard
    assert submit(session, arrived, refusal, last, RNG) == Declined("nav", Status.REFUSED)
    close(session, now=last)  # again without a wish changes nothing
    assert locate(session, under_way).is_shut_out(last)
    close(session, Closing(10, "Write to us."), now=last)
    assert not locate(session, under_way).is_shut_out(last)
    close(session, Closing(0, "Write to us."), now=last)
    assert locate(session, under_way).is_shut_out(last)
    set_state(session, "nav", State.PAUSED, now=last)
    assert not locate(session, under_way).is_shut_out(last)
    noted = session.exec(
        select(AuditEntry.after).where(AuditEntry.action == "study.closing").order_by(col(AuditEntry.id))
    ).all()
    assert [entry["grace_min"] for entry in noted] == [10, 0]


@pytest.mark.parametrize(
    "closing", [Closing(-1), Closing(7 * 24 * 60 + 1), Closing(5, " "), Closing(5, "x" * 2001)]
)
def test_a_closing_that_cannot_be_leaves_the_study_as_it_was(session: Session, closing: Closing) -> None:
    set_state(session, "nav", State.LIVE, now=NOW)
    with pytest.raises(BadClosing):
        close(session, closing)
    assert study_here(session, "nav").state is State.LIVE


def test_every_preview_is_new_and_freezes_nothing(session: Session) -> None:
    first = arrive(session, mode=Mode.PREVIEW, participant="P1")
    assert arrive(session, mode=Mode.PREVIEW, participant="P1", kept=[first]) != first
    assert session.exec(select(StudyVersion.frozen_at)).one() is None
    set_state(session, "nav", State.LIVE, now=NOW)
    assert arrive(session, participant="P1", kept=[first]) != first
    assert session.exec(select(StudyVersion.frozen_at)).one() == NOW


def test_the_changes_that_there_are() -> None:
    allowed = {(state, to) for state in State for to in following(state, has_live=False)}
    assert allowed == {
        ("draft", "pilot"), ("draft", "live"), ("draft", "closed"),
        ("pilot", "draft"), ("pilot", "live"), ("pilot", "paused"), ("pilot", "closed"),
        ("live", "paused"), ("live", "closed"),
        ("paused", "live"), ("paused", "pilot"), ("paused", "closed"), ("paused", "draft"),
        ("closed", "live"), ("closed", "pilot"), ("closed", "paused"), ("closed", "draft"),
    }  # fmt: skip
    for state in State:
        assert State.DRAFT not in following(state, has_live=True)
        assert set(following(state, has_live=True)) <= set(STATES[state].to)


@pytest.mark.parametrize(
    ("state", "to", "has_live", "says"),
    [
        (State.LIVE, State.PILOT, True, "pause it first"),
        (State.PAUSED, State.DRAFT, True, "has live data"),
        (State.DRAFT, State.PAUSED, False, "is draft and cannot become paused"),
    ],
)
def test_a_change_that_there_is_not_is_refused_in_words(
    state: State, to: State, has_live: bool, says: str
) -> None:
    with pytest.raises(Conflict, match=says):
        check_change("nav", state, to, has_live=has_live)


def test_every_change_is_on_record_with_before_and_after(session: Session) -> None:
    someone = Actor(None, "someone@example.org")
    assert set_state(session, "nav", State.PILOT, by=someone, now=NOW) is State.DRAFT
    set_state(session, "nav", State.PILOT, by=someone, now=NOW)  # no change
    set_state(session, "nav", State.CLOSED, by=someone, now=LATER, noted={"why": "done"})
    entries = session.exec(
        select(AuditEntry).where(AuditEntry.action == "study.state").order_by(col(AuditEntry.id))
    ).all()
    assert [(e.actor, e.at, e.study, e.before, e.after) for e in entries] == [
        ("someone@example.org", NOW, "nav", {"state": "draft"}, {"state": "pilot"}),
        ("someone@example.org", LATER, "nav", {"state": "pilot"}, {"state": "closed", "why": "done"}),
    ]
