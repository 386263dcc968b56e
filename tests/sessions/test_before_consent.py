"""Nothing of anybody before consent: every way out is walked, and every column of every table is looked into."""

import random
from collections.abc import Callable, Mapping
from datetime import UTC, timedelta

import pytest
from sqlalchemy import inspect, text
from sqlmodel import Session, col, func, select
from starlette.testclient import TestClient

from app.core.database import Database
from app.core.settings import Settings
from app.sessions.coming import Came, came_by, carried, split_number
from app.sessions.entering import Visit, enter
from app.sessions.links import BadLink
from app.sessions.sweeping import VISIT_LASTS, end_visits
from app.studies.versions import set_state
from app.trials.tables import ParticipantSession, SessionToken, State, Status
from tests.clock import Clock
from tests.factories import NOW, answer_for, submit_id_on
from tests.sessions.walks import Walk

pytestmark = pytest.mark.any_database

ID = "pid-7f3b91c2"
FROM = {"PROLIFIC_PID": ID, "STUDY_ID": "study-5d11aa", "SESSION_ID": "sess-0c44ef"}

Way = Callable[[Walk, Database], None]


def refuse(walk: Walk, _: Database) -> None:
    walk.answer(decision="refuse")


def say_under_age(walk: Walk, _: Database) -> None:
    walk.answer(of_age="no")


def leave(walk: Walk, _: Database) -> None:
    walk.look()


def agree_to_nothing(walk: Walk, _: Database) -> None:
    form = answer_for(walk.html, decision="")
    assert walk.client.post(walk.address, data=form).status_code == 422


def agree_when_closed(walk: Walk, database: Database) -> None:
    with database.transaction() as session:
        set_state(session, "nav", State.CLOSED, now=NOW)
    walk.answer()
    assert "has ended" in walk.html


def come_when_closed(walk: Walk, database: Database) -> None:
    with database.transaction() as session:
        set_state(session, "nav", State.CLOSED, now=NOW)
    Walk(walk.client, "nav", **FROM)


def come_when_paused(walk: Walk, database: Database) -> None:
    with database.transaction() as session:
        set_state(session, "nav", State.PAUSED, now=NOW)
    Walk(walk.client, "nav", **FROM)


WAYS: Mapping[str, tuple[Way, str]] = {
    "refused": (refuse, Status.REFUSED),
    "under age": (say_under_age, Status.UNDER_AGE),
    "left": (leave, Status.ARRIVED),
    "no answer": (agree_to_nothing, Status.ARRIVED),
    "closed meanwhile": (agree_when_closed, Status.ARRIVED),
    "closed": (come_when_closed, Status.ARRIVED),
    "paused": (come_when_paused, Status.ARRIVED),
}


def cells(session: Session) -> Mapping[str, str]:
    """Every value of every table, by where it stands."""
    found: dict[str, str] = {}
    for table in inspect(session.connection()).get_table_names():
        rows = session.execute(text(f'SELECT * FROM "{table}"')).mappings()
        found |= {
            f"{table}.{name}[{n}]": str(value) for n, row in enumerate(rows) for name, value in row.items()
        }
    return found


def places_of(session: Session, *words: str) -> list[str]:
    return [place for place, value in cells(session).items() if any(word in value for word in words)]


@pytest.mark.parametrize("way", WAYS)
def test_who_does_not_take_part_is_in_no_column_of_any_table(
    client: TestClient, database: Database, study: str, way: str
) -> None:
    out, status = WAYS[way]
    walk = Walk(client, study, **FROM)
    out(walk, database)
    with database.reading() as session:
        assert places_of(session, *FROM.values(), *FROM) == []
        one = session.exec(select(ParticipantSession)).one()
        assert one.status == status
        times = [one.arrived_at, one.ended_at, one.consented_at, one.page_shown_at]
        assert {at.time().isoformat() for at in times if at} == {"00:00:00"}


def test_with_consent_id_parameters_and_times_are_there_without_a_cookie(
    client: TestClient, database: Database, study: str
) -> None:
    walk = Walk(client, study, **FROM)
    arrived = Clock.now(UTC)
    client.cookies.clear()
    walk.answer()
    assert walk.page == "background"
    with database.reading() as session:
        one = session.exec(select(ParticipantSession)).one()
        assert (one.participant, one.recruiter, one.status) == (ID, FROM, Status.ACTIVE)
        assert abs(one.arrived_at - arrived) < timedelta(seconds=5)


def test_the_bare_address_goes_on_with_who_came_last_in_that_browser(
    client: TestClient, database: Database, study: str
) -> None:
    anna = Walk(client, study, PROLIFIC_PID="anna")
    anna.answer()
    assert client.get(f"/s/{study}").url.path == anna.address
    kept = dict(client.cookies)
    bert = client.get(f"/s/{study}", params=FROM)
    again = client.get(f"/s/{study}")
    assert again.url.path == bert.url.path != anna.address
    client.post(again.url.path, data=answer_for(again.text))
    assert client.get(f"/s/{study}").url.path == bert.url.path
    client.cookies.clear()
    client.cookies.update(kept)
    assert client.get(f"/s/{study}").url.path == anna.address
    with database.reading() as session:
        found = session.exec(
            select(ParticipantSession.participant).order_by(col(ParticipantSession.id))
        ).all()
        assert found == ["anna", ID]


def test_who_has_not_decided_within_a_day_has_left_and_has_no_way_back(
    client: TestClient, database: Database, study: str
) -> None:
    undecided, begun = Walk(client, study, **FROM), Walk(client, study)
    begun.to("background")
    preview = 1
    with database.transaction() as session:
        end_visits(session, Clock.now(UTC) + VISIT_LASTS / 2)
    assert undecided.look() == "consent"
    with database.transaction() as session:
        end_visits(session, Clock.now(UTC) + 2 * VISIT_LASTS)
    assert client.get(undecided.address).status_code == 404
    assert begun.look() == "background"
    with database.reading() as session:
        statuses = session.exec(select(ParticipantSession.status).order_by(col(ParticipantSession.id))).all()
        assert statuses == [Status.LEFT, Status.ACTIVE]
        assert session.exec(select(func.count()).select_from(SessionToken)).one() == preview


def test_what_is_carried_is_believed_with_our_signature_alone(
    client: TestClient, settings: Settings, database: Database, study: str
) -> None:
    walk = Walk(client, study, **FROM)
    number, text_ = split_number(submit_id_on(walk.html))
    assert came_by(text_, settings.secret) is not None
    for wrong in (text_[:-2] + "xx", carried(Came(study, NOW, "somebody"), "another secret"), "x"):
        form = {"submit_id": f"{number}.{wrong}", "decision": "agree", "of_age": "yes"}
        assert client.post(walk.address, data=form).status_code == 403
        with pytest.raises(BadLink):
            came_by(wrong, settings.secret)
    of_another = carried(Came("other", NOW, "somebody"), settings.secret)
    form = {"submit_id": f"{number}.{of_another}", "decision": "agree", "of_age": "yes"}
    assert client.post(walk.address, data=form).status_code == 403
    with database.reading() as session:
        assert session.exec(select(ParticipantSession.status)).one() == Status.ARRIVED


def test_the_number_of_a_consent_is_stored_without_what_it_carried(
    client: TestClient, database: Database, study: str
) -> None:
    walk = Walk(client, study, **FROM)
    form = answer_for(walk.html)
    for _ in range(2):  # the same form twice is one row
        assert client.post(walk.address, data=form).status_code == 200
    with database.reading() as session:
        found = session.execute(text("SELECT submit_id FROM response")).scalars().all()
    assert found == [split_number(form["submit_id"])[0]]


def test_a_visit_without_an_id_needs_nothing_carried(database: Database, study: str) -> None:
    """As programs of before do it, that take the address and answer its form."""
    from app.sessions.state_machine import submit

    with database.transaction() as session:
        token = enter(session, Visit(study), NOW)
        submit(
            session,
            token,
            {"submit_id": "consent.x", "decision": "agree", "of_age": "yes"},
            NOW,
            random.Random(1),
        )
        one = session.exec(select(ParticipantSession)).one()
        assert (one.status, one.recruiter, one.arrived_at) == (Status.ACTIVE, {}, NOW)


def test_who_was_carried_along_for_another_study_comes_to_this_one_without_an_id(
    client: TestClient, study: str, settings: Settings, database: Database
) -> None:
    """And can take part: with that id the form would be refused, as it is when it is sent here by hand."""
    walk = Walk(client, study, came=carried(Came("other", NOW, ID), settings.secret))
    assert walk.answer() == "background"
    with database.reading() as session:
        assert session.exec(select(ParticipantSession)).one().participant != ID
