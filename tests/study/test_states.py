"""States: who may come in as what, what goes on, which changes there are, and that each is on record."""

import random
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from sqlmodel import Session, col, select

from app.database import Database
from app.errors import Closed, Conflict, NotFound
from app.people.audit import Actor
from app.people.tables import AuditEntry
from app.study.sessions import Visit, enter, locate, submit
from app.study.states import STATES, check_change, following
from app.study.tables import Mode, ParticipantSession, State, StudyVersion
from app.study.versions import set_state
from tests.factories import NOW, load_file
from tests.study.clips import add_clips

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


def consent(session: Session, token: str) -> None:
    form = {"submit_id": f"consent.{RNG.random()}", "decision": "agree", "of_age": "yes"}
    submit(session, token, form, NOW, RNG)


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
        (State.PAUSED, "Closed"),
        (State.CLOSED, "Closed"),
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
    consent(session, by_id)
    consent(session, by_browser)
    set_state(session, "nav", State.LIVE, now=NOW)
    assert arrive(session, participant="P1") == by_id  # no second session, and none that counts
    assert arrive(session, resume=by_browser) == by_browser
    submit(session, by_id, {"submit_id": "background.x", "familiarity": "3"}, LATER, RNG)  # the pilot goes on
    arrive(session, participant="P2")
    assert modes(session) == ["pilot", "pilot", "live"]


def test_who_took_part_live_stays_live_in_a_second_pilot(session: Session) -> None:
    set_state(session, "nav", State.LIVE, now=NOW)
    token = arrive(session, participant="P1")
    consent(session, token)
    set_state(session, "nav", State.PILOT, now=NOW)
    assert arrive(session, participant="P1") == token
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


def test_every_preview_is_new_and_freezes_nothing(session: Session) -> None:
    first = arrive(session, mode=Mode.PREVIEW, participant="P1")
    assert arrive(session, mode=Mode.PREVIEW, participant="P1", resume=first) != first
    assert session.exec(select(StudyVersion.frozen_at)).one() is None
    set_state(session, "nav", State.LIVE, now=NOW)
    assert arrive(session, participant="P1", resume=first) != first
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
    entries = session.exec(select(AuditEntry).where(AuditEntry.action == "study.state")).all()
    assert [(e.actor, e.at, e.study, e.before, e.after) for e in entries] == [
        ("someone@example.org", NOW, "nav", {"state": "draft"}, {"state": "pilot"}),
        ("someone@example.org", LATER, "nav", {"state": "pilot"}, {"state": "closed", "why": "done"}),
    ]
