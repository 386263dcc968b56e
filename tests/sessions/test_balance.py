"""Balance as the database has it: what is balanced, over which sessions, and when each page was served."""

import random
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

import pytest
from sqlmodel import Session, col, select

from app.core.database import Database
from app.sessions.entering import Visit, enter
from app.sessions.state_machine import mark_shown, submit
from app.sessions.where import locate
from app.studies.versions import set_state
from app.tasks.pair.queries import planned_left
from app.trials.responses import Response
from app.trials.tables import Mode, ParticipantSession, State, Trial, Unit
from tests.factories import NOW

pytestmark = pytest.mark.both_databases

ANSWERS = {
    "consent": {"decision": "agree", "of_age": "yes"},
    "background": {"familiarity": "3"},
    "instructions": {},
    "trial": {"choice": "left", "uncertainty": "2", "rationale": "moves smoothly", "rt_ms": "9000"},
}


@pytest.fixture
def session(database: Database, study: str) -> Iterator[Session]:
    with database.transaction() as session:
        yield session


def begin(session: Session, seed: int, mode: Mode = Mode.LIVE) -> ParticipantSession:
    """A session that has its trials planned."""
    token = enter(session, Visit("nav", mode), NOW)
    form = {"submit_id": f"consent.{seed}", **ANSWERS["consent"]}
    submit(session, token, form, NOW, random.Random(seed))
    session.expire_all()
    found = select(ParticipantSession).where(ParticipantSession.id == locate(session, token).session_id)
    return session.exec(found).one()


def shown(session: Session, one: ParticipantSession) -> Sequence[tuple[Unit, str]]:
    trials = select(Unit, planned_left()).join(Trial).where(Trial.session_id == one.id)
    return session.exec(trials).all()


def test_the_true_clip_is_on_the_left_half_the_time_in_every_session_whichever_member_it_is(
    session: Session,
) -> None:
    pairs = session.exec(select(Unit).where(col(Unit.truth).is_not(None), Unit.kind == "main")).all()
    for number, pair in enumerate(pairs):
        pair.truth = "ab"[number % 2]
        session.add(pair)
    session.flush()
    for seed in range(1, 13):
        mains = [(pair, left) for pair, left in shown(session, begin(session, seed)) if pair.kind == "main"]
        true_left = [pair.truth == left for pair, left in mains if pair.truth]
        assert len(true_left) == 6
        assert sum(true_left) == 3


def test_every_pair_of_sessions_has_a_split_of_its_own_and_two_that_mirror_each_other(
    session: Session,
) -> None:
    lefts = [{pair.id: left for pair, left in shown(session, begin(session, seed))} for seed in range(6)]
    firsts, seconds = lefts[::2], lefts[1::2]
    for first, second in zip(firsts, seconds, strict=True):
        assert all(first[pair_id] != second[pair_id] for pair_id in first)
    assert len({tuple(sorted(first.items())) for first in firsts}) == 3


def test_live_sessions_begin_their_own_count_after_a_pilot(session: Session) -> None:
    set_state(session, "nav", State.PILOT)
    pilots = [begin(session, seed) for seed in range(3)]
    set_state(session, "nav", State.LIVE)
    live = [begin(session, seed) for seed in range(10, 14)]
    assert [(one.mode, one.ordinal) for one in (*pilots, *live)] == [
        *(("pilot", n) for n in (1, 2, 3)), *(("live", n) for n in (1, 2, 3, 4))
    ]  # fmt: skip
    for first, second in (live[:2], live[2:]):
        lefts = [{pair.id: left for pair, left in shown(session, one)} for one in (first, second)]
        assert all(lefts[0][pair_id] != lefts[1][pair_id] for pair_id in lefts[0])


def test_each_answer_keeps_when_its_own_page_was_first_served(session: Session) -> None:
    token, now = enter(session, Visit("nav"), NOW), NOW
    served: dict[str, datetime] = {}
    while (where := locate(session, token)).page.kind != "debrief":
        page = str(where.page)
        served[page] = now = now + timedelta(seconds=7)
        mark_shown(session, where.session_id, where.step, now)
        mark_shown(session, where.session_id, where.step, now + timedelta(seconds=3))  # a reload
        now += timedelta(seconds=20)
        form = {"submit_id": f"{page}.1", **ANSWERS[where.page.kind]}
        submit(session, token, form, now, random.Random(1))
    responses = session.exec(select(Response)).all()
    del served["consent"]  # of who has not consented no time is kept
    assert {
        response.page: response.shown_at for response in responses if response.page != "consent"
    } == served
    intervals = {r.page: r.interval_ms for r in responses if r.trial_id}
    assert set(intervals.values()) == {20_000}
