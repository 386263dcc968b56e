"""The state machine: one answer per page, never a wrong one, whatever is sent and in whatever order."""

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from sqlmodel import Session, col, func, select

from app.core.database import Database
from app.core.errors import Closed, InvalidAnswer, NotFound
from app.questions.sides import Side
from app.sessions.coming import Came
from app.sessions.entering import OVERTAKEN, BegunElsewhere, Visit, enter
from app.sessions.here import StudyWhere
from app.sessions.state_machine import mark_shown, submit
from app.sessions.where import locate
from app.studies.versions import set_state
from app.tasks.pair.design import PairPlan, member_at
from app.tasks.pair.queries import planned_left
from app.trials.here import NotCurrent
from app.trials.responses import Evidence, Response
from app.trials.tables import (
    Exclusion,
    Mode,
    ParticipantSession,
    SessionToken,
    State,
    Status,
    Study,
    StudyVersion,
    Trial,
    Unit,
    UnitMember,
)
from tests.factories import NOW, load_file

RNG = random.Random(5)
TRIAL = {"choice": "left", "uncertainty": "2", "rationale": "moves smoothly", "rt_ms": "9000"}


VISITS: dict[str, Visit] = {}  # who came with each token, as the address of the consent page carries it


def arrive(session: Session, slug: str = "nav", **visit: object) -> str:
    came = Visit(slug, **visit)  # type: ignore[arg-type]
    marks = {token: VISITS[token].mark for token in came.kept if token in VISITS}
    came = replace(came, mark=came.participant or "", marks=marks)
    token = enter(session, came, NOW)
    VISITS.setdefault(token, came)
    return token


def send(session: Session, token: str, page: str, **fields: str) -> None:
    visit = VISITS[token]
    came = Came(visit.slug, NOW, visit.participant, visit.is_signed)
    submit(session, token, {"submit_id": f"{page}.{random.random()}", **fields}, NOW, RNG, came)


def begin(session: Session, token: str) -> None:
    """As far as the first trial."""
    send(session, token, "consent", decision="agree", of_age="yes")
    send(session, token, "background", familiarity="3")
    send(session, token, "instructions")


def finish(session: Session, token: str, **fields: str) -> None:
    for position in range(1, 12):
        send(session, token, f"trial-{position}", **{**TRIAL, **fields})


def stored(session: Session, token: str) -> list[str]:
    rows = select(Response.page).where(Response.session_id == locate(session, token).session_id)
    return list(session.exec(rows.order_by(col(Response.id))))


def where(session: Session, token: str) -> StudyWhere:
    return locate(session, token)


@pytest.fixture
def session(database: Database, study: str) -> Iterator[Session]:
    with database.transaction() as session:
        yield session


def test_a_session_goes_from_consent_to_debrief(session: Session) -> None:
    token = arrive(session)
    begin(session, token)
    finish(session, token)
    assert where(session, token).status == Status.COMPLETED
    assert str(where(session, token).page) == "debrief"
    assert stored(session, token) == [
        "consent", "background", "instructions", *(f"trial-{n}" for n in range(1, 12))
    ]  # fmt: skip


@pytest.mark.both_databases
def test_the_same_submit_id_twice_is_one_row_and_one_step(session: Session) -> None:
    token = arrive(session)
    begin(session, token)
    for _ in range(3):
        submit(session, token, {"submit_id": "trial-1.x", **TRIAL}, NOW, RNG)
    assert stored(session, token).count("trial-1") == 1
    assert str(where(session, token).page) == "trial-2"


def test_a_submit_id_of_another_session_is_another_answer(session: Session) -> None:
    for token in (arrive(session), arrive(session)):
        begin(session, token)
        submit(session, token, {"submit_id": "trial-1.x", **TRIAL}, NOW, RNG)
        assert stored(session, token).count("trial-1") == 1


def test_a_replay_after_the_end_is_no_error(session: Session) -> None:
    token = arrive(session)
    begin(session, token)
    submit(session, token, {"submit_id": "trial-1.first", **TRIAL}, NOW, RNG)
    for position in range(2, 12):
        send(session, token, f"trial-{position}", **TRIAL)
    submit(session, token, {"submit_id": "trial-1.first", **TRIAL}, NOW, RNG)
    assert len(stored(session, token)) == 14


@pytest.mark.parametrize(
    "page", ["trial-1", "trial-3", "trial-99", "consent", "background", "debrief", "odd"]
)
def test_a_form_of_another_page_changes_nothing(session: Session, page: str) -> None:
    token = arrive(session)
    begin(session, token)
    send(session, token, "trial-1", **TRIAL)
    before = stored(session, token)
    with pytest.raises(NotCurrent):
        send(session, token, page, decision="agree", **TRIAL)
    assert stored(session, token) == before
    assert str(where(session, token).page) == "trial-2"


def test_a_submit_id_of_ones_own_making_answers_the_current_page(session: Session) -> None:
    token = arrive(session)
    begin(session, token)
    submit(session, token, {"submit_id": "0b5e2d0c-1f5e-4a55", **TRIAL}, NOW, RNG)
    submit(session, token, {"submit_id": "0b5e2d0c-1f5e-4a55", **TRIAL}, NOW, RNG)
    assert stored(session, token)[3:] == ["trial-1"]


@pytest.mark.parametrize("submit_id", ["", "x" * 101])
def test_a_form_without_a_usable_number_is_refused(session: Session, submit_id: str) -> None:
    token = arrive(session)
    with pytest.raises(InvalidAnswer):
        submit(session, token, {"submit_id": submit_id, "decision": "agree", "of_age": "yes"}, NOW, RNG)
    assert stored(session, token) == []


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({"choice": ""}, {"choice"}),
        ({"choice": "a"}, {"choice"}),
        ({"uncertainty": "7"}, {"uncertainty"}),
        ({"uncertainty": "0"}, {"uncertainty"}),
        ({"uncertainty": "two", "choice": "up"}, {"choice", "uncertainty"}),
        ({"rationale": "x" * 5001}, {"rationale"}),
    ],
)
def test_an_answer_that_cannot_be_is_refused_whole(
    session: Session, fields: Mapping[str, str], wrong: set[str]
) -> None:
    token = arrive(session)
    begin(session, token)
    with pytest.raises(InvalidAnswer) as caught:
        send(session, token, "trial-1", **{**TRIAL, **fields})
    assert set(caught.value.errors) == wrong
    assert stored(session, token) == ["consent", "background", "instructions"]


@pytest.mark.both_databases
def test_what_was_pressed_is_stored_with_what_it_was(session: Session) -> None:
    token = arrive(session)
    begin(session, token)
    send(session, token, "trial-1", **{**TRIAL, "choice": "right"})
    response, trial = session.exec(
        select(Response, Trial).join(Trial, col(Trial.id) == Response.trial_id)
    ).one()
    left = PairPlan.of(trial.plan).left
    assert (response.side, response.uncertainty, response.rationale) == ("right", 2, "moves smoothly")
    assert response.rt_ms == 9000
    assert member_at(Side(response.side or ""), left) is left.other


@pytest.mark.both_databases
def test_odd_telemetry_is_kept_and_flagged_and_costs_no_answer(session: Session) -> None:
    token = arrive(session)
    begin(session, token)
    send(session, token, "trial-1", **{**TRIAL, "rt_ms": "soon", "playback": "{not json"})
    response = session.exec(select(Response).where(Response.page == "trial-1")).one()
    assert response.rt_ms is None
    assert response.flags == ["playback-odd", "rt-odd"]
    assert response.odd_playback == "{not json"
    assert session.exec(select(func.count()).select_from(Evidence)).one() == 0


def test_a_pair_that_would_not_play_is_answered_as_such(session: Session) -> None:
    token = arrive(session)
    begin(session, token)
    send(session, token, "trial-1", unplayable="1")
    response = session.exec(select(Response).where(Response.page == "trial-1")).one()
    assert (response.unplayable, response.side) == (True, None)
    assert str(where(session, token).page) == "trial-2"


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"decision": "refuse"}, Status.REFUSED),
        ({"decision": "refuse", "of_age": "yes"}, Status.REFUSED),
        ({"decision": "agree", "of_age": "no"}, Status.UNDER_AGE),
    ],
)
def test_who_does_not_take_part_leaves_the_decision_and_its_date_and_nothing_else(
    session: Session, fields: Mapping[str, str], status: Status
) -> None:
    token = arrive(
        session, participant="prolific-7", is_signed=True, recruiter={"PROLIFIC_PID": "prolific-7"}
    )
    mark_shown(session, locate(session, token).session_id, 0, NOW)
    send(session, token, "consent", rt_ms="1234", **fields)
    row = session.exec(select(ParticipantSession)).one()
    mark_shown(session, row.id or 0, 0, NOW)  # a look at the page that was under way
    session.refresh(row)
    today = NOW.replace(hour=0)
    assert row.model_dump(exclude={"id", "version_id"}) == {
        "arm": "main", "mode": "live", "participant": None, "is_signed": False, "recruiter": {}, "ordinal": None,
        "seed": None, "blocks": None, "status": status, "step": 0, "page_shown_at": None, "arrived_at": today,
        "consented_at": None, "ended_at": today, "language": None, "consent_sha256": None, "seen_at": None,
        "released_at": None, "device": None,
    }  # fmt: skip
    for table in (Trial, Response, SessionToken):
        assert session.exec(select(func.count()).select_from(table)).one() == 0
    with pytest.raises(NotFound):
        send(session, token, "consent", decision="agree", of_age="yes")


def test_consent_asks_for_the_decision_and_the_age(session: Session) -> None:
    token = arrive(session)
    with pytest.raises(InvalidAnswer) as caught:
        send(session, token, "consent")
    assert set(caught.value.errors) == {"decision"}
    with pytest.raises(InvalidAnswer) as caught:
        send(session, token, "consent", decision="agree")
    assert set(caught.value.errors) == {"of_age"}


@pytest.mark.both_databases
def test_a_browser_takes_part_once_and_on_a_shared_one_everybody_by_name(session: Session) -> None:
    token = arrive(session)
    begin(session, token)
    assert arrive(session, kept=[token]) == token
    finish(session, token)
    assert arrive(session, kept=[token]) == token
    anna = arrive(session, kept=[token], participant="anna")
    assert anna != token
    begin(session, anna)
    bert = arrive(session, kept=[anna, token], participant="bert")
    assert bert not in (anna, token)
    assert arrive(session, kept=[bert, anna, token], participant="anna") == anna
    assert arrive(session, kept=[bert, anna, token], participant="bert") == bert


def test_who_declined_may_think_again(session: Session) -> None:
    token = arrive(session, participant="P1")
    send(session, token, "consent", decision="refuse")
    again = arrive(session, kept=[token], participant="P1")
    assert again != token
    begin(session, again)


def test_a_recruited_participant_has_one_session(session: Session) -> None:
    token = arrive(session, participant="P1")
    begin(session, token)
    assert arrive(session, participant="P1", kept=[token]) == token
    assert arrive(session, participant="P2", kept=[token]) != token
    finish(session, token)
    assert arrive(session, participant="P1", kept=[token]) == token


def test_an_id_alone_opens_nothing_and_is_taken_by_consent(session: Session) -> None:
    scanned = arrive(session, participant="P1")  # a mail program looks at the link
    token = arrive(session, participant="P1")
    assert token != scanned
    begin(session, token)
    for kept in ([], [scanned], ["made-up"], [arrive(session, participant="P2")]):
        if kept != [scanned]:
            with pytest.raises(BegunElsewhere, match="another browser"):
                arrive(session, participant="P1", kept=kept)
    with pytest.raises(BegunElsewhere):
        begin(session, scanned)  # nobody takes part twice, however early they came
    assert stored(session, scanned) == []
    set_state(session, "nav", State.PILOT)
    with pytest.raises(BegunElsewhere):
        arrive(session, participant="P1")


def test_a_signed_link_goes_on_in_every_browser_and_counts_before_the_bare_id(session: Session) -> None:
    squatter = arrive(session, participant="P1")
    begin(session, squatter)
    first = arrive(session, participant="P1", is_signed=True)
    assert first != squatter
    begin(session, first)
    ids = [locate(session, token).session_id for token in (squatter, first)]
    elsewhere = arrive(session, participant="P1", is_signed=True)
    assert elsewhere not in (first, squatter)
    assert locate(session, elsewhere).session_id == ids[1]
    assert arrive(session, participant="P1", is_signed=True, kept=[elsewhere]) == elsewhere
    assert locate(session, first).session_id == ids[1]  # the page that is open in the first browser goes on
    assert (
        locate(session, arrive(session, participant="P1", is_signed=True, kept=[squatter])).session_id
        == ids[1]
    )
    left_out = session.exec(select(Exclusion)).one()
    assert (left_out.session_id, left_out.reason, left_out.lifted_at) == (ids[0], OVERTAKEN, None)
    with pytest.raises(BegunElsewhere):
        arrive(session, participant="P1")


def test_a_signed_link_in_the_browser_that_began_with_the_bare_id_goes_on_there(session: Session) -> None:
    token = arrive(session, participant="P1")
    begin(session, token)
    assert arrive(session, participant="P1", is_signed=True, kept=[token]) == token
    elsewhere = arrive(session, participant="P1", is_signed=True)
    assert locate(session, elsewhere).session_id == locate(session, token).session_id
    assert session.exec(select(Exclusion)).all() == []


def test_a_link_to_a_session_opens_that_one_alone(session: Session, tmp_path: Path) -> None:
    token = arrive(session, participant="P1")
    begin(session, token)
    id_ = locate(session, token).session_id
    opened = arrive(session, session_id=id_)
    assert (opened != token, locate(session, opened).session_id) == (True, id_)
    assert arrive(session, session_id=id_, kept=[opened]) == opened
    refused = arrive(session)
    gone = locate(session, refused).session_id
    send(session, refused, "consent", decision="refuse")
    load_file(session, tmp_path, study="other")
    set_state(session, "other", State.LIVE)
    for slug, session_id in (("nav", gone), ("nav", id_ + 999), ("other", id_)):
        with pytest.raises(NotFound):
            arrive(session, slug, session_id=session_id)


def test_reading_the_database_opens_no_session(session: Session) -> None:
    token = arrive(session, participant="P1")
    texts = [str(value) for row in session.exec(select(SessionToken)) for value in row.model_dump().values()]
    texts += [
        str(value) for row in session.exec(select(ParticipantSession)) for value in row.model_dump().values()
    ]
    assert not any(token in text for text in texts)
    for text in texts:
        with pytest.raises(NotFound):
            locate(session, text)


def test_doors(session: Session) -> None:
    token = arrive(session)
    with pytest.raises(NotFound):
        arrive(session, "no-such-study")
    set_state(session, "nav", State.PAUSED)
    with pytest.raises(Closed, match="paused"):
        arrive(session)
    begin(session, token)  # who is inside goes on
    assert arrive(session, kept=[token]) == token
    set_state(session, "nav", State.CLOSED)
    with pytest.raises(Closed, match="ended"):
        arrive(session)
    with pytest.raises(Closed, match="ended"):
        send(session, token, "trial-1", **TRIAL)
    assert arrive(session, kept=[token]) == token  # to read there that it has ended
    set_state(session, "nav", State.DRAFT)
    with pytest.raises(NotFound):
        arrive(session)


@pytest.mark.parametrize("token", ["nobody", "", "a" * 65, "../../etc/passwd", "\x00", "é"])
def test_an_unknown_token_is_not_found(session: Session, token: str) -> None:
    with pytest.raises(NotFound):
        locate(session, token)


def test_a_version_is_frozen_by_its_first_session_and_a_change_makes_the_next(
    session: Session, tmp_path: Path
) -> None:
    assert load_file(session, tmp_path).change == "unchanged"
    changed = load_file(session, tmp_path, title="Changed before anybody came")
    assert (changed.number, changed.change) == (1, "replaced")
    early = arrive(session)
    changed = load_file(session, tmp_path, title="Changed afterwards")
    assert (changed.number, changed.change) == (2, "next version")
    late = arrive(session)
    assert where(session, early).design.title == "Changed before anybody came"
    assert where(session, late).design.title == "Changed afterwards"
    versions = session.exec(select(StudyVersion).order_by(col(StudyVersion.number))).all()
    assert [v.sha256 for v in versions] == [where(session, t).design.sha256() for t in (early, late)]
    begin(session, early)
    finish(session, early)


def shown_both_ways(database: Database, n: int) -> None:
    with database.reading() as session:
        shown: Counter[tuple[int | None, str]] = Counter(
            session.exec(select(Trial.unit_id, planned_left())).all()
        )
        pair_ids = session.exec(select(Unit.id)).all()
        assert all(shown[pair, "a"] + shown[pair, "b"] == n for pair in pair_ids)
        assert all(abs(shown[pair, "a"] - shown[pair, "b"]) == n % 2 for pair in pair_ids)
        ordinals = session.exec(select(ParticipantSession.ordinal).order_by(col(ParticipantSession.ordinal)))
        assert list(ordinals) == list(range(1, n + 1))


def test_sides_stay_balanced_when_many_start_at_once(database: Database, study: str) -> None:
    async def start() -> None:
        token = await database.write(enter, Visit(study), NOW)
        form = {"submit_id": "consent.x", "decision": "agree", "of_age": "yes"}
        await database.write(submit, token, form, NOW, random.Random())

    async def go() -> None:
        await asyncio.gather(*(start() for _ in range(41)))

    asyncio.run(go())
    shown_both_ways(database, 41)


def test_sides_stay_balanced_over_two_processes_writers(database: Database, study: str) -> None:
    """Two writers as two workers have them; SQLite takes turns, PostgreSQL locks the version."""
    beside = Database(database.url)

    async def start(through: Database) -> None:
        token = await through.write(enter, Visit(study), NOW)
        form = {"submit_id": "consent.x", "decision": "agree", "of_age": "yes"}
        await through.write(submit, token, form, NOW, random.Random())

    async def go() -> None:
        await asyncio.gather(*(start(through) for _ in range(15) for through in (database, beside)))

    asyncio.run(go())
    beside.close()
    shown_both_ways(database, 30)


@pytest.mark.both_databases
def test_the_same_form_through_two_writers_at_once_is_one_row_and_no_error(
    database: Database, study: str
) -> None:
    beside = Database(database.url)
    with database.transaction() as session:
        token = arrive(session)
        begin(session, token)

    async def go() -> None:
        form = {"submit_id": "trial-1.same", **TRIAL}
        await asyncio.gather(*(d.write(submit, token, form, NOW, RNG) for d in (database, beside) * 5))

    asyncio.run(go())
    beside.close()
    with database.reading() as session:
        assert stored(session, token).count("trial-1") == 1


def test_one_answer_when_two_writers_get_the_same_trial(database: Database, study: str) -> None:
    beside = Database(database.url)
    with database.transaction() as session:
        token = arrive(session)
        begin(session, token)

    async def go() -> None:
        forms = [{"submit_id": f"trial-1.{n}", **TRIAL} for n in range(20)]
        await asyncio.gather(
            *(
                through.write(submit, token, form, NOW, RNG)
                for form in forms
                for through in (database, beside)
            ),
            return_exceptions=True,
        )

    asyncio.run(go())
    beside.close()
    with database.reading() as session:
        assert stored(session, token).count("trial-1") == 1
        assert str(where(session, token).page) == "trial-2"


def test_a_session_in_which_nothing_could_be_played_is_not_a_completed_one(session: Session) -> None:
    for last, status in (({"unplayable": "1"}, Status.UNPLAYABLE), ({}, Status.COMPLETED)):
        token = arrive(session)
        begin(session, token)
        for position in range(1, 11):
            send(session, token, f"trial-{position}", unplayable="1")
        send(session, token, "trial-11", **TRIAL, **last)
        assert where(session, token).status == status


def test_modes_are_planned_apart(session: Session) -> None:
    for mode in (Mode.LIVE, Mode.SIMULATED, Mode.LIVE):
        send(session, arrive(session, mode=mode), "consent", decision="agree", of_age="yes")
    rows = session.exec(select(ParticipantSession.mode, ParticipantSession.ordinal))
    assert sorted(rows) == [("live", 1), ("live", 2), ("simulated", 1)]


@pytest.mark.both_databases
def test_the_database_itself_refuses_what_cannot_be(session: Session) -> None:
    from sqlalchemy.exc import IntegrityError

    token = arrive(session)
    begin(session, token)
    study = session.exec(select(Study)).one()
    changes: list[Callable[[], None]] = [
        lambda: setattr(study, "state", "open"),
        lambda: session.add(Trial(session_id=10**6, position=1, unit_id=1, plan={"left": "a"})),
        lambda: session.add(Trial(session_id=1, position=1, unit_id=1, plan={"left": "a"})),
        lambda: session.add(UnitMember(unit_id=1, slot="left", stimulus_id=1)),
        lambda: session.add(UnitMember(unit_id=10**6, slot="item", stimulus_id=1)),
        lambda: session.add(
            Response(session_id=1, page="x", submit_id="y", uncertainty=12, answers={}, flags=[])
        ),
        lambda: session.add(
            Response(session_id=1, page="x", submit_id="y", side="left", answers={}, flags=[])
        ),
    ]
    for change in changes:
        nested = session.begin_nested()
        change()
        with pytest.raises(IntegrityError):
            session.flush()
        nested.rollback()
