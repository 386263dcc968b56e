"""Stopping with one's answers deleted: from every page, and later by the code of the last one."""

import html
import random
import re
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import col, select
from starlette.testclient import TestClient

from app.accounts.audit import COMMAND_LINE
from app.accounts.tables import AuditEntry
from app.core.database import Database
from app.core.errors import NotFound
from app.core.settings import Settings
from app.jobs import queue
from app.jobs.tables import Job, JobStatus, Kind
from app.monitor.progress import choice_of, snapshot
from app.monitor.tally import Tally
from app.reports.export import rows_of
from app.sessions.exclusions import leave_out
from app.sessions.receipts import receipt_of
from app.sessions.state_machine import submit
from app.sessions.where import session_of
from app.sessions.withdrawing import withdraw
from app.studies.file.templates import TEMPLATES
from app.studies.launch import study_here
from app.studies.versions import set_state
from app.tasks.game.tables import GameEvent, Match, Seat
from app.trials.pages import Page
from app.trials.responses import Response
from app.trials.tables import ParticipantSession, SessionNote, State, Status, Trial
from app.worker.context import Work
from app.worker.handlers import HANDLERS
from app.worker.worker import drain
from tests.clock import Clock
from tests.factories import NOW, answer_for, load_file
from tests.sessions.test_before_consent import cells, places_of
from tests.sessions.walks import Walk
from tests.tasks.game.people import SLUG, Person, open_game, play_on

pytestmark = pytest.mark.any_database

ID = "pid-4d0c77aa"
WORDS = "it walks like my neighbour"


def stop(client: TestClient, address: str) -> str:
    asked = client.get(f"{address}/stop")
    assert "cannot be undone" in asked.text
    return client.post(f"{address}/stop", data={"confirm": "delete"}).text


def numbers(database: Database) -> object:
    """The monitor's numbers of answers and of sessions."""
    with database.reading() as session:
        seen = snapshot(session, study_here(session, "nav"), choice_of("", "live"), NOW, None, sees_live=True)
        return (
            seen.n_votes,
            {p.pair: (p.n, p.planned_a, p.planned_b) for p in seen.pairs},
            seen.trouble.answered,
        )


@pytest.mark.both_databases
def test_nothing_of_who_stopped_is_left_but_a_count(
    client: TestClient, database: Database, study: str
) -> None:
    Walk(client, study, PROLIFIC_PID="stays").to("trial-4")
    before = numbers(database)
    walk = Walk(client, study, PROLIFIC_PID=ID)
    walk.to("trial-2").answer(rationale=WORDS)
    walk.to("end")
    with database.transaction() as session:
        one = session.exec(select(ParticipantSession).where(ParticipantSession.participant == ID)).one()
        id_, ordinal = one.id or 0, one.ordinal
        leave_out(session, study, id_, f"{ID} asked", NOW)
        session.add(SessionNote(session_id=id_, text=f"{ID} wrote to us", written_at=NOW))
        study_id = study_here(session, study).id
        voted = select(Response.id).where(Response.session_id == id_, col(Response.side).is_not(None))
        n_votes = len(session.exec(voted).all())
        session.add(Job(kind=Kind.REPORT, study_id=study_id, params={}, status=JobStatus.DONE, asked_at=NOW))
    assert numbers(database) != before
    assert "Your answers are deleted" in stop(client, walk.address)
    with database.reading() as session:
        assert places_of(session, ID, WORDS) == []
        left = session.get_one(ParticipantSession, id_)
        assert (left.status, left.ordinal, left.seed, left.consented_at) == (
            Status.WITHDRAWN,
            None,
            None,
            None,
        )
        assert {at.time().isoformat() for at in (left.arrived_at, left.ended_at) if at} == {"00:00:00"}
        of_session = [
            place for place, value in cells(session).items() if "session_id" in place and value == str(id_)
        ]
        assert of_session == []
        assert session.exec(select(Job).where(Job.kind == Kind.REPORT)).all() == []
        asked = session.exec(select(Job)).one()
        assert (asked.kind, asked.study_id) == (Kind.TRAINING, study_id)
        assert asked.params["renew"] == {"mode": "live", "answers": n_votes}
        entry = session.exec(select(AuditEntry).where(AuditEntry.action == "session.withdraw")).one()
        assert (entry.actor, entry.subject, entry.after) == ("a participant", "", {"mode": "live"})
        for what in ("participants", "responses", "answers", "playback"):
            assert {row["participant"] for row in rows_of(session, study, what)} == {"stays"}
    assert numbers(database) == before
    assert client.get(walk.address).status_code == 404
    again = Walk(client, study, PROLIFIC_PID=ID)  # the place is free, for anybody
    assert again.answer() == "background"
    with database.reading() as session:
        last = session.exec(select(ParticipantSession).order_by(col(ParticipantSession.id).desc())).first()
        assert last is not None
        assert (last.participant, last.ordinal) == (ID, ordinal)


def test_who_takes_the_first_place_of_a_session_pair_mirrors_the_second(
    client: TestClient, database: Database, study: str
) -> None:
    first, second = Walk(client, study), Walk(client, study)
    first.answer()
    second.answer()
    stop(client, first.address)
    Walk(client, study).answer()
    with database.reading() as session:
        rows = session.exec(select(ParticipantSession.ordinal, Trial.unit_id, Trial.plan).join(Trial)).all()
    plans = {ordinal: {unit: plan for of, unit, plan in rows if of == ordinal} for ordinal in (1, 2)}
    assert plans[1].keys() == plans[2].keys()
    assert all(plans[1][unit] != plans[2][unit] for unit in plans[1])


@pytest.mark.parametrize("page", ["background", "instructions", "trial-1", "trial-3", "end"])
def test_every_page_after_consent_leads_there_and_asks_first(
    client: TestClient, study: str, page: str
) -> None:
    walk = Walk(client, study)
    assert "/stop" not in walk.html  # there is nothing to delete yet
    walk.to(page)
    assert f'href="{walk.address}/stop"' in walk.html
    asked = client.get(f"{walk.address}/stop").text
    assert f'href="{walk.address}"' in asked  # a way back
    for confirm in ("", "no", "Delete"):
        again = client.post(f"{walk.address}/stop", data={"confirm": confirm})
        assert "cannot be undone" in again.text, confirm
    assert walk.look() == page


def test_the_code_of_the_last_page_deletes_the_answers_later(
    client: TestClient, settings: Settings, database: Database, study: str, tmp_path: Path
) -> None:
    walk = Walk(client, study, PROLIFIC_PID=ID).to("end")
    walk.look()
    found = re.search(r'<b class="notranslate" translate="no">([0-9A-Z-]+)</b>', walk.html)
    assert found is not None
    code, at = found.group(1), f"/s/{study}/withdraw"
    assert f"http://testserver{at}<" in walk.html  # whole, as people note it
    assert ">Delete my answers</a>" in walk.html
    assert "Stop and" not in walk.html  # there is nothing left to stop
    over = client.get(f"{walk.address}/stop").text
    assert ("Delete your answers?" in over, "Stop and" in over, "Keep them" in over) == (True, False, True)
    client.cookies.clear()
    wrong = (
        code[:-1] + ("A" if code[-1] != "A" else "B"),
        "",
        "1",
        receipt_of(999, settings.secret),
        "x-" + code,
    )
    for text in wrong:
        reply = client.post(at, data={"receipt": text, "confirm": "delete"})
        assert (reply.status_code, "No answers were found for this code" in reply.text) == (404, True), text
    assert walk.look() == "end"
    with database.transaction() as session:
        load_file(session, tmp_path, study="other")
        set_state(session, "other", State.LIVE)
    elsewhere = client.post("/s/other/withdraw", data={"receipt": code, "confirm": "delete"})
    assert (elsewhere.status_code, "No answers were found for this code" in elsewhere.text) == (404, True)
    unconfirmed = client.post(at, data={"receipt": code, "confirm": "yes"})
    assert (unconfirmed.status_code, "Press the button again" in unconfirmed.text) == (422, True)
    assert walk.look() == "end"
    done = client.post(at, data={"receipt": f" {code.lower()} ", "confirm": "delete"})
    assert "Your answers are deleted" in html.unescape(done.text)
    with database.reading() as session:
        assert places_of(session, ID) == []
    assert client.post(at, data={"receipt": code, "confirm": "delete"}).status_code == 404


def test_the_tally_of_another_process_forgets_them_too(
    client: TestClient, database: Database, study: str
) -> None:
    walk = Walk(client, study).to("trial-5")
    with database.reading() as session:
        kept = Tally(study_here(session, study).id)
        kept.refresh(session, None)
    stop(client, walk.address)
    with database.reading() as session:
        fresh = Tally(kept.study_id)
        for tally in (kept, fresh):
            tally.refresh(session, None)
    assert {key: g.answered for key, g in kept.groups.items() if g.answered} == {}
    assert kept.by_session == fresh.by_session == {}
    assert {k: v.statuses for k, v in kept.ended.items()} == {k: v.statuses for k, v in fresh.ended.items()}


def test_a_match_keeps_anonymous_moves_where_others_played_and_goes_with_its_last_player(
    client: TestClient, database: Database, tmp_path: Path
) -> None:
    open_game(database, tmp_path, bonus={"minor_per_unit": 0.05})
    people = [Person(client, database, PROLIFIC_PID=f"{ID}-{n}") for n in range(2)]
    play_on(people)
    with database.reading() as session:
        n_events = len(session.exec(select(GameEvent)).all())
        hashes = [event.state_hash for event in session.exec(select(GameEvent).order_by(col(GameEvent.id)))]
    assert "stay in that match" in client.get(f"{people[0].address}/stop").text
    stop(client, people[0].address)
    with database.reading() as session:
        assert places_of(session, f"{ID}-0") == []
        assert [
            event.state_hash for event in session.exec(select(GameEvent).order_by(col(GameEvent.id)))
        ] == hashes
        moves = list(rows_of(session, SLUG, "moves"))
        assert {row["session"] for row in moves if row["kind"] == "move"} == {
            None,
            str(people[1].seat.session_id),
        }
        assert {seat.session_id is None for seat in session.exec(select(Seat))} == {True, False}
        assert len(moves) == n_events
    stop(client, people[1].address)
    with database.reading() as session:
        for table in (GameEvent, Seat, Match):
            assert session.exec(select(table)).all() == []
        assert places_of(session, ID) == []


def test_who_stops_in_a_match_leaves_it_and_the_other_goes_on(
    client: TestClient, database: Database, tmp_path: Path
) -> None:
    open_game(database, tmp_path, leaving={"then": "agent"})
    people = [Person(client, database, PROLIFIC_PID=f"{ID}-{n}") for n in range(2)]
    [person.look() for person in people]
    Clock.wait(1)
    stop(client, people[0].address)
    play_on(people[1:])
    with database.reading() as session:
        match = session.exec(select(Match)).one()
        assert match.status == "finished"
        assert places_of(session, f"{ID}-0") == []


def test_what_was_noted_of_a_session_is_forgotten_in_the_log(
    client: TestClient, database: Database, study: str
) -> None:
    walk = Walk(client, study, PROLIFIC_PID=ID).to("trial-1")
    with database.transaction() as session:
        id_ = session.exec(select(ParticipantSession.id)).one() or 0
        leave_out(session, study, id_, f"the one with {ID}", NOW)
    stop(client, walk.address)
    with database.reading() as session:
        entries = session.exec(
            select(AuditEntry).where(col(AuditEntry.action).like("session.%")).order_by(col(AuditEntry.id))
        ).all()
        assert [(e.action, e.before, e.after) for e in entries] == [
            ("session.exclude", None, None), ("session.withdraw", None, {"mode": "live"})
        ]  # fmt: skip
        assert COMMAND_LINE.name not in {e.actor for e in entries}


@pytest.mark.parametrize(("seats", "others"), [(["any"], True), (["human", "random"], False)])
def test_who_plays_with_programs_alone_is_not_told_of_moves_that_others_keep(
    client: TestClient, database: Database, tmp_path: Path, seats: list[str], others: bool
) -> None:
    open_game(database, tmp_path, seats=seats)
    person = Person(client, database)
    person.look()
    for address in (f"{person.address}/stop", f"/s/{SLUG}/withdraw"):
        assert ("match with other people" in client.get(address).text) == others


def test_consent_texts_name_the_way_to_have_answers_deleted() -> None:
    root = Path(__file__).parents[2]
    texts = [template.keys()["consent"]["text"] for template in TEMPLATES.values()]
    texts += [path.read_text() for path in (root / "app" / "demo").glob("*consent.md")]
    texts.append((root / "docs" / "example-study" / "consent.md").read_text())
    texts = [" ".join(text.split()) for text in texts if "You can stop at any time" in text]
    assert len(texts) >= 10
    for text in texts:
        assert f"*{Page.stop_label}*" in text
        assert "unless you ask us" not in text


def test_a_report_that_is_being_made_of_the_answers_is_made_again_without_them(
    client: TestClient, database: Database, settings: Settings, study: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It had read them already, and would be there as if they had never been deleted."""
    Walk(client, study, PROLIFIC_PID="stays").to("end")
    walk = Walk(client, study, PROLIFIC_PID=ID).to("end")
    with database.transaction() as session:
        asked = {"slug": study, "mode": "live", "seed": 1}
        study_id = study_here(session, study).id
        job = queue.ask(session, Kind.REPORT, asked, now=NOW, study_id=study_id)
    real, read = HANDLERS[Kind.REPORT], list[list[str | None]]()

    def made(work: Work) -> object:
        with database.reading() as session:
            read.append([row["participant"] for row in rows_of(session, study, "participants")])
        result = real(work) if len(read) > 1 else None
        if len(read) == 1:
            stop(client, walk.address)
        return result

    monkeypatch.setitem(HANDLERS, Kind.REPORT, made)
    drain(settings, database)
    assert read == [["stays", ID], ["stays"]]
    with database.reading() as session:
        done = session.get_one(Job, job)
        assert (done.status, done.tries) == (JobStatus.DONE, 1)


@pytest.mark.both_databases
def test_an_answer_on_its_way_is_deleted_or_finds_nothing(
    client: TestClient, database: Database, study: str
) -> None:
    """Whichever comes first; the other waits for it."""
    for _ in range(4):
        walk = Walk(client, study)
        walk.to("trial-1")
        token, form = walk.address.removeprefix("/p/"), answer_for(walk.html)
        with database.reading() as session:
            session_id = session_of(session, token)
        both = threading.Barrier(2)

        def answered(token: str = token, form: Mapping[str, str] = form, both: Any = both) -> None:
            both.wait()
            with suppress(NotFound), database.transaction() as session:
                submit(session, token, form, NOW, random.Random(1))

        answering = threading.Thread(target=answered)
        answering.start()
        both.wait()
        with database.transaction() as session:
            withdraw(session, session_id, NOW)
        answering.join()
        with database.reading() as session:
            assert session.exec(select(Response).where(Response.session_id == session_id)).all() == []
            left = session.get_one(ParticipantSession, session_id)
            assert (left.status, left.step) == (Status.WITHDRAWN, 0)
