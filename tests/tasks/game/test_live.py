"""Live matches over HTTP: coming together, playing, deadlines, leaving; what is stored and what is not."""

import asyncio
import csv
import random
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from sqlalchemy import Engine, event
from sqlmodel import Session, col, select
from starlette.responses import StreamingResponse
from starlette.testclient import TestClient

from app.core.database import Database
from app.core.errors import Conflict
from app.core.settings import Settings
from app.demo.build import build_play, build_rate
from app.demo.offering import offer_finished
from app.library.tables import Stimulus
from app.main import create_app
from app.reports.export import export
from app.reports.kinds import Format
from app.reports.report import build_report
from app.reports.targets import split_targets
from app.sessions.entering import Visit, enter
from app.sessions.entry import pass_for
from app.sessions.exclusions import leave_out
from app.sessions.polling import events_of, settle
from app.sessions.state_machine import submit
from app.sessions.where import SESSIONS
from app.simulation.people import Traits
from app.simulation.run import run_simulation
from app.studies.file.design import StudyDesign
from app.studies.tables import Draft
from app.tasks.game import live, played
from app.tasks.game.fold import match_table, state_of
from app.tasks.game.games.wac.parameters import WaterConfig
from app.tasks.game.match_files import read_matches
from app.tasks.game.matching import _Forming
from app.tasks.game.replay import ReplayError, replayed
from app.tasks.game.settings import GameBlock
from app.tasks.game.sweep import find_due, settle_match
from app.tasks.game.tables import GameEvent, Seat
from app.tasks.game.timing import LEAST_S
from app.tasks.rating.settings import RatingDesign
from app.trials.news import changed
from app.trials.responses import Response
from app.trials.tables import Mode, ParticipantSession, State, Study, StudyVersion
from tests.clock import Clock
from tests.factories import NOW, submit_id_on
from tests.tasks.game.people import SLUG, Person, forget, game_block, matches, open_game, play_on, running

pytestmark = pytest.mark.any_database

SSE = "server-sent-events"
GAMES: dict[str, tuple[int, dict[str, Any]]] = {
    "sug": (3, {"players": 3, "rounds": 2}),
    "glee-bargaining": (2, {"rounds": 4}),
    "glee-negotiation": (2, {"rounds": 3}),
    "glee-persuasion": (2, {"rounds": 3}),
    "wac": (5, {"days": 3}),
    "public-goods": (3, {"players": 3, "rounds": 2}),
}


def events(database: Database) -> Sequence[GameEvent]:
    with database.reading() as session:
        return session.exec(select(GameEvent).order_by(col(GameEvent.match_id), col(GameEvent.seq))).all()


def moves(database: Database) -> list[GameEvent]:
    return [event for event in events(database) if event.kind == "move"]


def settled(client: TestClient, person: Person) -> None:
    """Jobs queued without waiting are written by the time of another write."""
    client.post(person.address, data={"submit_id": "trial-1.none", "do": "ready"})


@pytest.mark.parametrize("game", sorted(GAMES))
def test_a_whole_match_is_played_through_the_pages(
    client: TestClient, database: Database, tmp_path: Path, game: str
) -> None:
    n, config = GAMES[game]
    open_game(database, tmp_path, game=game, configs=config, bonus={"minor_per_unit": 0.5, "cap_minor": 300})
    people = [Person(client, database) for _ in range(n)]
    assert [person.look() for person in people] == ["playing"] * n
    play_on(people)
    assert [person.stage for person in people] == ["result"] * n
    assert [person.act("next") for person in people] == ["end"] * n
    assert all("PAID7" in person.html for person in people)
    with database.reading() as session:
        [match] = matches(session)
        assert match.status == "finished"
        seats = session.exec(select(Seat)).all()
        assert sorted(seat.seat for seat in seats) == list(range(1, n + 1))
        answers = [
            response.answers
            for response in session.exec(select(Response).where(col(Response.trial_id).is_not(None)))
        ]
        assert sorted((a["seat"], a["payoff_units"], a["bonus_minor"]) for a in answers) == [
            (seat.seat, seat.payoff, seat.bonus_minor) for seat in sorted(seats, key=lambda s: s.seat)
        ]
        events = session.exec(select(GameEvent).order_by(col(GameEvent.seq))).all()
        assert [event.seq for event in events] == list(range(1, match.last_seq + 1))
        assert not [event for event in events if event.auto]


def test_a_duplicate_late_or_foreign_form_changes_nothing(
    client: TestClient, database: Database, tmp_path: Path
) -> None:
    open_game(database, tmp_path)
    one, two = Person(client, database), Person(client, database)
    one.look(), two.look()
    mover, other = (one, two) if one.legal() else (two, one)
    form = mover.move_form(random.Random(1)) or {}
    stale_page, submit = mover.html, {"submit_id": submit_id_on(mover.html), **form}
    for _ in range(3):  # the same POST again, as a browser sends it that heard no answer
        assert client.post(mover.address, data=submit).status_code == 200
    mover.post(**form)  # another tab, with a number of its own
    other.post(**form)  # it was not their turn when this move was made, and is not their phase
    wrong = {**form, "alice_gain": "7", "phase_id": "4-propose"}
    mover.post(**wrong)
    assert submit_id_on(stale_page) == submit["submit_id"]
    assert len(moves(database)) == 1
    scripted = {"accept": "application/json"}
    again = client.post(mover.address, data=submit, headers=scripted)
    assert (again.status_code, again.json()) == (200, {"next": mover.address})
    answer = other.move_form(random.Random(1)) or {}
    bad = client.post(
        other.address,
        data={"submit_id": "trial-1.bad", **answer, "answer": "perhaps"},
        headers=scripted,
    )
    assert bad.status_code == 422
    assert "answer" in bad.json()["errors"]
    assert len(moves(database)) == 1


def test_a_restart_in_the_middle_of_a_match_loses_nothing(
    client: TestClient, database: Database, settings: Settings, tmp_path: Path
) -> None:
    open_game(
        database, tmp_path, game="sug", configs={"players": 3, "rounds": 3}, seats=["human", "human", "any"]
    )
    people = [Person(client, database) for _ in range(2)]
    for person in people:
        person.look()
    assert [person.stage for person in people] == ["waiting"] * 2
    for _ in range(17):  # their pages come again by themselves
        Clock.wait(18)
        for person in people:
            person.look()
    assert [person.stage for person in people] == ["playing"] * 2, "an agent has the third seat"
    rng = random.Random(2)
    for person in people:
        person.move(rng)
    Clock.wait(60)
    people[0].look()
    before = [(move.seq, move.state_hash) for move in moves(database)]
    assert len(before) >= 3
    forget(database)
    other_process = Database(database.url)
    with TestClient(create_app(settings, other_process)) as anew:
        for person in people:
            person.client = anew
        play_on(people)
        assert [person.stage for person in people] == ["result"] * 2
    other_process.close()
    after = moves(database)
    assert [(move.seq, move.state_hash) for move in after][: len(before)] == before
    assert {move.auto for move in after} == {""}
    agents = [move for move in after if move.occupant == "rule"]
    assert agents
    assert all((move.delay_ms or 0) >= 1000 * LEAST_S for move in agents)


@pytest.mark.parametrize("then", ["agent", "default", "end"])
def test_two_deadlines_missed_are_leaving_and_the_others_keep_their_pay(
    client: TestClient, database: Database, tmp_path: Path, then: str
) -> None:
    open_game(
        database,
        tmp_path,
        game="sug",
        configs={"players": 3, "rounds": 4},
        leaving={"then": then},
        bonus={"minor_per_unit": 1},
    )
    people = [Person(client, database) for _ in range(3)]
    for person in people:
        person.look()
    here, gone, rng = people[:2], people[2], random.Random(3)
    while gone.seat.to_seq is None and gone.seat.away_at is None and running(database):
        if not sum(person.move(rng) for person in here):
            Clock.wait(91)
            here[0].look()
    autos = [move.auto for move in moves(database) if move.auto]
    assert autos[:2] == ["timeout", "timeout"]
    kinds = [event.kind for event in events(database)]
    assert kinds.count("left") == 1
    assert kinds.count("replaced") == (then == "agent")
    assert "has left" in here[0].look() or "has left" in here[0].html
    if then == "end":
        assert [person.look() for person in people] == ["result"] * 3
        assert here[0].seat.bonus_minor == float(here[0].seat.payoff)
        assert [person.seat.left_reason for person in people] == ["finished", "finished", "timeout"]
        assert "You had left" in gone.html
        assert "A player has left" in here[0].html
        return
    assert gone.look() == "left"
    assert gone.act("return") == "playing"
    play_on(people)
    assert [person.stage for person in people] == ["result"] * 3
    with database.reading() as session:
        seats = session.exec(select(Seat).order_by(col(Seat.id))).all()
        [match] = matches(session)
        totals = [
            event.payoff_total for event in session.exec(select(GameEvent).where(GameEvent.kind == "resolve"))
        ][-3:]
        assert match.status == "finished"
    of_seat = [sum(Fraction(s.payoff) for s in seats if s.seat == seat) for seat in (1, 2, 3)]
    assert of_seat == [Fraction(total or "0") for total in totals], "who had a seat by turns share its payoff"
    mine = sum(Fraction(s.payoff) for s in seats if s.session_id == gone.seat.session_id)
    assert gone.seat.bonus_minor == mine
    assert [s.occupant for s in seats[3:]] == (["rule", "human"] if then == "agent" else [])


def test_deadlines_missed_with_a_move_between_them_are_not_leaving(
    client: TestClient, database: Database, tmp_path: Path
) -> None:
    """The auction of water: each day asks everybody, whoever sits where."""
    open_game(database, tmp_path, game="wac", configs={"days": 4})
    people = [Person(client, database) for _ in range(5)]
    for person in people:
        person.look()
    *here, slow = people
    rng = random.Random(3)
    for day in range(4):
        if day % 2:
            assert slow.move(rng)
        bids = [person.move(rng) for person in here]
        assert all(bids)
        if not day % 2:
            Clock.wait(91)
            here[0].look()
    autos = [move.auto for move in moves(database) if move.seat == slow.seat.seat]
    assert autos.count("timeout") == 2
    assert "left" not in [event.kind for event in events(database)]


def test_the_games_own_agents_fill_seats_and_are_agents_in_the_files(
    client: TestClient, database: Database, tmp_path: Path
) -> None:
    for game, (n, config) in GAMES.items():
        at_once = {"wait_max_s": 10, "ready_s": 0}
        seats = ["any"] * (n - 1) + ["human"]
        open_game(database, tmp_path, game=game, configs=config, seats=seats, matching=at_once, slug=game)
        person = Person(client, database, slug=game)
        assert person.look() == "waiting"
        Clock.wait(11)
        assert person.look() == "playing"
        play_on([person])
        with database.reading() as session:
            export(session, game, "moves", Format.CSV, tmp_path / "moves.csv")
            export(session, game, "seats_played", Format.CSV, tmp_path / "seats_played.csv")
        file = read_matches(tmp_path / "moves.csv")
        assert [seat.seat for seat in file.people] == [n]
        assert [(seat.seat, seat.occupant) for seat in file.programs] == [(at, "rule") for at in range(1, n)]
        if game == "glee-persuasion":
            said = [line.event.message for line in file.matches[0].match.log if line.phase == "message"]
            assert all(message.strip() for message in said), "a seller of ours writes"


def test_who_leaves_is_followed_by_an_agent_that_can_take_the_seat(
    client: TestClient, database: Database, tmp_path: Path
) -> None:
    for leaves, named, follows in ((2, "truthful", "bayes-buyer"), (1, "truthful", "truthful")):
        keys: dict[str, Any] = {"configs": {"rounds": 2}, "leaving": {"agent": named}}
        open_game(database, tmp_path, game="glee-persuasion", slug=f"leaving-{leaves}", **keys)
        people = [Person(client, database, slug=f"leaving-{leaves}") for _ in range(2)]
        for person in people:
            person.look()
        gone = next(person for person in people if person.seat.seat == leaves)
        gone.look()
        gone.act("leave")
        play_on([person for person in people if person is not gone])
        with database.reading() as session:
            agents = session.exec(select(Seat.agent).where(col(Seat.agent).is_not(None))).all()
        assert str(agents[-1]).startswith(follows)


def test_a_browser_that_falls_silent_has_left_after_the_grace(
    client: TestClient, database: Database, tmp_path: Path
) -> None:
    open_game(database, tmp_path, leaving={"then": "end", "grace_s": 30})
    one, two = Person(client, database), Person(client, database)
    one.look(), two.look()
    polled = client.get(f"{two.address}/state").json()
    assert polled["html"]
    settled(client, two)
    Clock.wait(29)
    assert one.look() == "playing"
    Clock.wait(2)
    with database.transaction() as session:
        for match_id in find_due(session, Clock.now(UTC)).matches:
            settle_match(session, SESSIONS, match_id, Clock.now(UTC))
    assert one.look() == "result"
    assert [event.move for event in events(database) if event.kind == "left"] == [{"reason": "closed"}]


BOUNDS: dict[str, tuple[list[str], str]] = {
    "agents": (["playing"], ""),
    "paid-exit": (["result"], "£0.50"),
    "wait-once-more": (["waiting", "waiting", "result"], "£1.01"),
}


@pytest.mark.parametrize("at_bound", sorted(BOUNDS))
def test_a_wait_ends_at_its_bound_as_was_promised(
    client: TestClient, database: Database, tmp_path: Path, at_bound: str
) -> None:
    stages, paid = BOUNDS[at_bound]
    matching = {"wait_max_s": 300, "at_bound": at_bound, "wait_pay_minor_per_min": 10, "ready_s": 0}
    open_game(database, tmp_path, matching=matching, rounds_per_person=2)
    person = Person(client, database)
    assert person.look() == "waiting"
    assert "£0.10 a minute" in person.html
    seen = []
    for at in range(len(stages)):
        for _ in range(16 if at < 2 else 0):  # a page that comes again by itself says that somebody is there
            Clock.wait(19)
            person.look()
        seen.append(person.look())
        if seen[-1] == "waiting" and "again" in person.html:
            assert person.act("again") == "waiting"
    assert seen[-1] == stages[-1]
    assert paid in person.html
    if at_bound == "agents":
        return
    assert person.act("next") == "result", "the second match is not waited for"
    assert person.act("next") == "end"
    with database.reading() as session:
        answers = session.exec(select(Response.answers).where(col(Response.trial_id).is_not(None))).all()
    assert [a["no_match"] for a in answers] == ["nobody", "nobody"]
    assert answers[0]["wait_pay_minor"] >= 50


def test_people_are_asked_whether_they_are_there_and_never_meet_twice(
    client: TestClient, database: Database, tmp_path: Path
) -> None:
    questions = [{"id": "who", "ask": "Who begins?", "options": ["Alice", "Bob"], "answer": "Alice"}]
    open_game(
        database,
        tmp_path,
        matching={"ready_s": 15, "at_bound": "paid-exit"},
        rounds_per_person=2,
        configs=[{"rounds": 1}, {"rounds": 2}],
        comprehension={"questions": questions, "tries": 2},
    )
    ghost, one, two = (Person(client, database) for _ in range(3))
    for person in (ghost, one, two):
        assert person.look() == "questions"
    assert one.act("answers", who="Bob") == "questions"
    assert "not right" in one.html
    assert [person.act("answers", who="Alice") for person in (ghost, one)] == ["waiting", "ready"]
    assert ghost.look() == "ready"
    assert one.act("ready") == "ready"
    assert two.act("answers", who="Alice") == "waiting"
    Clock.wait(16)
    assert one.look() == "ready", "who said nothing is passed over, and the next is asked"
    assert two.look() == "ready"
    assert ghost.look() == "left"
    assert [one.act("ready"), two.act("ready")] == ["ready", "playing"]
    play_on([one, two])
    assert [one.act("next"), two.act("next")] == ["waiting", "waiting"], "not with the same person again"
    assert ghost.act("return") in ("waiting", "ready")
    assert one.look() == "ready"
    assert [ghost.act("ready"), one.act("ready")] == ["ready", "playing"]
    with database.reading() as session:
        assert sorted(match.config["rounds"] for match in matches(session)) == [1, 2], "balanced"


def test_who_was_not_ready_may_go_on_without_a_match_and_is_paid_for_the_wait(
    client: TestClient, database: Database, tmp_path: Path
) -> None:
    open_game(database, tmp_path, matching={"ready_s": 15, "wait_pay_minor_per_min": 10})
    one = Person(client, database)
    for _ in range(7):
        Clock.wait(18)
        assert one.look() == "waiting"
    assert Person(client, database).look() == "ready"
    Clock.wait(16)
    assert one.look() == "left"
    assert one.act("next") == "result"
    assert "You have chosen not to wait." in one.html
    assert "£0.2" in one.html, "two minutes and a little more"
    assert one.act("next") == "end"
    with database.reading() as session:
        [answers] = [
            r.answers for r in session.exec(select(Response).where(col(Response.trial_id).is_not(None)))
        ]
    assert answers["no_match"] == "withdrew"
    assert answers["wait_pay_minor"] >= 20


@pytest.mark.both_databases
def test_nobody_meets_the_same_partner_in_a_later_block(
    client: TestClient, database: Database, tmp_path: Path
) -> None:
    open_game(database, tmp_path, more=[game_block(id="again")], configs={"rounds": 1})
    people = [Person(client, database) for _ in range(4)]
    for person in people:
        person.look()
    play_on(people)
    assert [person.act("next") for person in people] == ["waiting", "waiting", "playing", "playing"]
    with database.reading() as session:
        seats = session.exec(select(Seat.match_id, Seat.session_id).order_by(col(Seat.match_id))).all()
    sat = [{session for match, session in seats if match == number} for number in {m for m, _ in seats}]
    assert len(sat) == 4
    assert len({frozenset(pair) for pair in sat}) == 4, "four pairs of four people, all different"


def test_a_test_of_the_rules_that_is_failed_leads_on_without_a_match(
    client: TestClient, database: Database, tmp_path: Path
) -> None:
    questions = [{"id": "who", "ask": "Who begins?", "options": ["Alice", "Bob"], "answer": "Alice"}]
    open_game(database, tmp_path, comprehension={"questions": questions, "tries": 1})
    person = Person(client, database)
    person.look()
    missing = client.post(person.address, data={"submit_id": submit_id_on(person.html), "do": "answers"})
    assert missing.status_code == 422
    assert person.act("answers", who="Bob") == "result"
    assert person.act("next") == "end"


# The seat that may not know; what is the same in both matches; what differs: settings, and what seat 1 moves first.
HIDDEN: dict[str, tuple[int, dict[str, Any], Sequence[tuple[dict[str, Any], dict[str, str]]]]] = {
    "glee-bargaining": (
        1,
        {"rounds": 4, "complete_information": False},
        [({"discount_bob": discount}, {"alice_gain": "6000"}) for discount in (0.8, 0.95)],
    ),
    "glee-negotiation": (
        1,
        {"rounds": 3, "complete_information": False},
        [({"buyer_factor": factor}, {"price": "10000"}) for factor in (1.2, 1.5)],
    ),
    "glee-persuasion": (
        2,
        {"rounds": 2},
        [({}, {"message": "Good", "good": good}) for good in ("yes", "no")],
    ),
    "sug": (3, {"players": 3, "rounds": 2}, [({}, {"to": "2", "amount": amount}) for amount in ("1", "9")]),
    "wac": (2, {"days": 2, "supply_low": 15, "supply_high": 15}, [({}, {"amount": a}) for a in ("0", "60")]),
}


@pytest.mark.parametrize("game", sorted(HIDDEN))
def test_what_a_seat_may_not_know_changes_no_byte_and_wakes_nobody(
    client: TestClient, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, game: str
) -> None:
    """Two matches that differ in what one seat may not know alone: its page, headers, JSON and wakes are the same."""
    seat, same, variants = HIDDEN[game]
    woken: list[set[int]] = []

    def noted(session: Session, session_ids: Iterable[int]) -> None:
        woken.append(set(session_ids))
        changed(session, woken[-1])

    monkeypatch.setattr(live, "changed", noted)
    seen = []
    for differs, move in variants:
        open_game(database, tmp_path, game=game, configs={**same, **differs})
        people = seated(client, database, GAMES[game][0], move.get("good"))
        viewer, mover = people[seat], people[1]
        before, mine = looked(client, viewer), viewer.seat.session_id
        n_moves = len(moves(database))
        woken.clear()
        mover.look()
        form = {**(mover.move_form(random.Random(1)) or {}), **move}
        form.pop("good", None)
        assert mover.post(**form) == "playing"
        assert len(moves(database)) == n_moves + 1
        is_woken = [mine in each for each in woken]
        assert any(is_woken) == (game.startswith("glee")), "who waits in the dark with others is not woken"
        seen.append((before, is_woken, looked(client, viewer)))
    assert seen[0] == seen[1]


def residents(persona: str) -> list[dict[str, Any]]:
    """The published ones; the first has another persona."""
    first, *others = WaterConfig().model_dump(mode="json")["residents"]
    return [{**first, "persona": persona}, *others]


# The seat that may not know, what is the same in two whole matches, and what differs in each. In `sug` it is what the
# two others offer and answer each other.
KEPT_HIDDEN: dict[str, tuple[int, dict[str, Any], Sequence[dict[str, Any]]]] = {
    "glee-bargaining": (
        1,
        {"rounds": 3, "complete_information": False},
        [{"discount_bob": discount} for discount in (0.8, 0.95)],
    ),
    "glee-negotiation": (
        1,
        {"rounds": 3, "complete_information": False},
        [{"buyer_factor": factor} for factor in (1.2, 1.5)],
    ),
    "glee-persuasion": (
        1,
        {"rounds": 2, "complete_information": False},
        [{"value": value} for value in (2, 4)],
    ),
    "sug": (3, {"players": 3, "rounds": 2}, [{}, {}]),
    "wac": (2, {"days": 2, "personas": True}, [{"residents": residents(who)} for who in ("A", "B b b")]),
}


def fixed_form(person: Person, variant: int) -> dict[str, str] | None:
    """A move that depends on phase and seat alone, but for what the first two players of `sug` do to each other."""
    seat = person.seat.seat
    found = person.legal()
    form = found and person.move_form(random.Random(f"{found[0]}/{seat}"))
    if not found or not form:
        return None
    if "to" in form:
        form["to"] = "2" if seat == 1 else "1"
        form["amount"] = "5" if seat == 3 else ("1", "9")[variant]
    for sender in {f"offer_{3 - seat}"} & set(form):
        form[sender] = ("accept", "reject")[variant]
    if form.get("answer") in ("accept", "reject", "outside"):
        form["answer"] = "accept" if found[0].startswith("3") else "reject"
    return form


@pytest.mark.parametrize("game", sorted(KEPT_HIDDEN))
def test_a_whole_match_tells_a_seat_nothing_of_what_it_may_not_know(
    client: TestClient, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, game: str
) -> None:
    """After each move of the match: pages, headers, JSON, the stream of events, and whether the seat was woken."""
    viewer_seat, same, variants = KEPT_HIDDEN[game]
    monkeypatch.setattr(_Forming, "_seed", lambda self, group: 7)  # nature, seats and delays are the same
    woken: list[int] = []

    def noted(session: Session, session_ids: Iterable[int]) -> None:
        whom = list(session_ids)
        woken.extend(whom)
        changed(session, whom)

    monkeypatch.setattr(live, "changed", noted)
    seen: list[list[Any]] = []
    for variant, differs in enumerate(variants):
        slug = f"{game}-{variant}"
        open_game(database, tmp_path, game=game, configs={**same, **differs}, slug=slug, updates=SSE)
        people = [Person(client, database, slug=slug) for _ in range(GAMES[game][0])]
        for person in people:
            person.look()
        by_seat = {person.seat.seat: person for person in people}
        viewer = by_seat[viewer_seat]
        mine, version = viewer.seat.session_id, ""
        steps: list[Any] = []
        while running(database):
            for seat in sorted(by_seat):
                form = fixed_form(by_seat[seat], variant)
                if form is None:
                    continue
                by_seat[seat].look()
                woken.clear()
                by_seat[seat].post(**form)
                stream, version = streamed(database, viewer, version)
                steps.append((seat, woken.count(mine or 0), stream, looked(client, viewer)))
        assert len(steps) >= 4
        assert any(not step[1] for step in steps) or game.startswith("glee")
        seen.append(steps)
    for one, other in zip(*seen, strict=True):
        assert one == other


def streamed(database: Database, viewer: Person, after: str) -> tuple[str, str]:
    """What a stream of events brings that goes on after a version, without what is the session's own; the next one."""
    token = viewer.address.rpartition("/")[2]

    async def gone() -> bool:
        return True

    async def collected() -> str:
        response = await events_of(database, token, Clock.now(UTC), after, gone)
        assert isinstance(response, StreamingResponse)
        return "".join([str(part) async for part in response.body_iterator])

    assert viewer.client.portal is not None
    text = viewer.client.portal.call(collected)  # in the service's thread, whose connection it reads by
    found = re.search(r"^id: (\S+)$", text, re.MULTILINE)
    version = found[1] if found else after
    return re.sub(rf"{token}|trial-1\.[\w-]+|{version or token}", "", text), version


def seated(client: TestClient, database: Database, n: int, good: str | None = None) -> Mapping[int, Person]:
    """People of one match by seat; `good` says of what quality the first product has to be."""
    for _ in range(40):
        people = [Person(client, database) for _ in range(n)]
        for person in people:
            person.look()
        with database.reading() as session:
            match = session.connection().execute(
                match_table.select().where(match_table.c.id == people[0].seat.match_id)
            )
            state = state_of(session, match.one())
        if good is None or state.products[0].good == (good == "yes"):
            return {person.seat.seat: person for person in people}
    raise AssertionError("no such product in 40 matches")


def looked(client: TestClient, viewer: Person) -> tuple[Any, ...]:
    """The bytes of a page and its state, without what is the viewer's own in each session."""
    response = client.get(viewer.address)
    state = client.get(f"{viewer.address}/state").json()
    own = rf"{viewer.address.rpartition('/')[2]}|trial-1\.[\w-]+|{state['version']}"
    headers = {name: value for name, value in response.headers.items() if name != "date"}
    left = {key: value for key, value in state.items() if key not in ("html", "version")}
    return re.sub(own, "", response.text), headers, re.sub(own, "", state["html"]), left


def test_all_people_is_refused_where_a_program_can_take_a_seat(tmp_path: Path) -> None:
    human = {"seats": "human", "leaving": {"then": "end"}}
    for keys in (
        {"seats": "any", "leaving": {"then": "end"}},
        {"seats": "human"},
        {"seats": ["human", "random"], "leaving": {"then": "end"}},
    ):
        with pytest.raises(ValidationError, match="a program can take a seat"):
            GameBlock.model_validate(game_block(disclosure="all-people", **keys))
    GameBlock.model_validate(game_block(disclosure="all-people", **human))
    wrong: list[dict[str, Any]] = [
        {"configs": {"money": 1, "nonsense": 2}},
        {"seats": ["human"] * 3},
        {"deadlines": {"bid_s": 3}},
    ]
    for keys in wrong:
        with pytest.raises(ValidationError):
            GameBlock.model_validate(game_block(**keys))


def test_the_export_replays_and_its_money_adds_up(
    client: TestClient, database: Database, tmp_path: Path
) -> None:
    open_game(
        database,
        tmp_path,
        game="sug",
        configs={"players": 3, "rounds": 3},
        seats=["human", "human", "gt"],
        bonus={"minor_per_unit": 0.5},
    )
    for _ in range(2):
        people = [Person(client, database) for _ in range(2)]
        for person in people:
            person.look()
        play_on(people)
    leaver, other = (Person(client, database) for _ in range(2))
    leaver.look(), other.look()
    assert leaver.act("leave") == "left"
    Person(client, database).look()  # who waits is in no table
    play_on([other])
    with database.transaction() as session:
        leave_out(session, SLUG, leaver.seat.session_id or 0, "by a test", NOW)
    with database.reading() as session:
        for what in ("moves", "seats_played"):
            for format_ in Format:
                export(session, SLUG, what, format_, tmp_path / f"{what}.{format_}")
        with pytest.raises(Conflict, match=r"is a study of matches: export them.*`likely-human signatures"):
            build_report(session, SLUG, tmp_path / "report")
        with pytest.raises(Conflict, match="likely-human game metrics"):
            split_targets(session, [SLUG])
    matches_there = list(replayed(tmp_path / "moves.csv"))
    assert len(matches_there) == 3
    assert [one.match.outcome is not None for one in matches_there] == [True] * 3
    with (tmp_path / "seats_played.csv").open() as file:
        seats = list(csv.DictReader(file))
    for number, one in enumerate(matches_there, start=1):
        assert one.match.outcome is not None
        for seat, payoff in enumerate(one.match.outcome.payoffs, start=1):
            mine = [row for row in seats if (row["match"], row["seat"]) == (str(number), str(seat))]
            assert sum(Fraction(row["payoff_units"]) for row in mine) == payoff
    assert {row["agent"].partition("-")[0] for row in seats if row["seat"] == "3"} == {"gt"}
    assert [row["left_reason"] for row in seats if row["excluded"]] == ["withdrew"]
    assert all(row["mean_offer"] for row in seats)
    assert all(row["bonus_minor"] for row in seats if row["session"])
    with (tmp_path / "moves.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["mode"] for row in rows} == {"live"}
    assert all(row["rt_ms"] for row in rows if row["kind"] == "move" and row["occupant"] == "human")
    rows[-1]["state_hash"] = "0" * 64
    with (tmp_path / "spoilt.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    with pytest.raises(ReplayError, match="state_hash"):
        list(replayed(tmp_path / "spoilt.csv"))


def test_a_preview_is_played_alone_against_agents(
    client: TestClient, database: Database, settings: Settings, tmp_path: Path
) -> None:
    open_game(database, tmp_path, State.DRAFT, seats="human", game="sug", configs={"players": 4, "rounds": 2})
    pass_ = pass_for(SLUG, Mode.PREVIEW, settings.secret)
    alone = Person(client, database, **{"as": pass_})
    assert alone.look() == "playing"
    play_on([alone])
    assert alone.stage == "result"
    with database.reading() as session:
        assert list(played.moves(session, SLUG)) == [], "previews are in no table"
    open_game(database, tmp_path, State.DRAFT, seats="human", configs={"rounds": 3})
    with database.reading() as session:
        assert not matches(session), "and go with the version that they were of"


@pytest.mark.both_databases
def test_forty_arrivals_at_once_make_no_seat_twice(database: Database, tmp_path: Path) -> None:
    open_game(database, tmp_path, game="wac", configs={"days": 2})
    tokens = []
    with database.transaction() as session:
        for _ in range(40):
            token = enter(session, Visit(SLUG, Mode.LIVE), NOW)
            form = {"submit_id": "consent.1", "decision": "agree"}
            submit(session, token, form, NOW, random.Random(token))
            tokens.append(token)

    async def arrive_all() -> None:
        others = [Database(database.url) for _ in range(0 if database.is_local else 2)]
        services = [database, *others]
        looks = [
            services[at % len(services)].write(settle, token, NOW) for at, token in enumerate(tokens * 2)
        ]
        await asyncio.gather(*looks)
        for other in others:
            other.close()

    asyncio.run(arrive_all())
    with database.reading() as session:
        seats = session.exec(select(Seat)).all()
        assert len(matches(session)) == 8
    assert len({(seat.match_id, seat.seat) for seat in seats}) == 40
    assert len({seat.session_id for seat in seats}) == 40


def test_simulated_participants_play_through_the_pages(
    settings: Settings, database: Database, tmp_path: Path
) -> None:
    questions = [{"id": "who", "ask": "Who begins?", "options": ["Alice", "Bob"], "answer": "Alice"}]
    open_game(
        database,
        tmp_path,
        configs={"rounds": 3},
        comprehension={"questions": questions, "tries": 1},
        matching={"ready_s": 15},
    )
    run_simulation(settings, database, SLUG, n=4, traits=Traits(), seed=1)
    with database.reading() as session:
        statuses = session.exec(select(ParticipantSession.mode, ParticipantSession.status)).all()
        assert statuses == [("simulated", "completed")] * 4
        people = session.exec(select(Seat).where(col(Seat.session_id).is_not(None))).all()
        assert len(people) == 4
        assert {seat.occupant for seat in people} == {"simulated"}
        export(session, SLUG, "moves", Format.CSV, tmp_path / "moves.csv")
    assert len(list(replayed(tmp_path / "moves.csv"))) == 2


def test_the_second_demo_is_a_match_of_one_person_with_four_agents(
    client: TestClient, database: Database
) -> None:
    build_play(database)
    person = Person(client, database)
    assert "What to do" in person.html
    person.post()
    assert person.stage == "questions"
    assert person.act("answers", rejected="Nothing") == "playing"
    play_on([person], agents_s=5)
    assert person.stage == "result"
    person.act("next")
    assert "PLAY" in person.html
    with database.reading() as session:
        assert {seat.agent.partition("-")[0] for seat in session.exec(select(Seat)) if seat.agent} == {
            "adaptive",
            "dba",
            "dbra",
            "gt",
        }


def test_a_match_of_the_demo_joins_the_records_that_are_rated(
    client: TestClient, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_play(database)
    build_rate(database)
    players = []
    for _ in range(2):
        person = Person(client, database, slug="play")
        person.post()
        assert person.act("answers", rejected="Nothing") == "playing"
        players.append(person)
    refused: set[int] = set()
    assert offer_finished(database, NOW, refused) == 0
    rng = random.Random(0)
    while players[0].stage == "playing":
        if not players[0].move(rng):
            Clock.wait(15)
            players[0].look()
    assert players[0].stage == "result"
    Clock.wait(600)  # the other is made two moves, and has left
    for person in players:
        person.look()
    while running(database):
        Clock.wait(30)
        players[1].look()
    with database.transaction() as session:
        [study_id] = session.exec(select(Study.id).where(Study.slug == "rate"))
        session.add(Draft(study_id=study_id or 0, keys={}, saved_at=NOW))
    assert (offer_finished(database, NOW, refused), refused) == (0, set()), "unsaved changes are no refusal"
    with database.transaction() as session:
        session.delete(session.exec(select(Draft)).one())
    with monkeypatch.context() as patch:
        patch.setattr("app.demo.offering.MOST_MATCHES", 1)
        known = {1}
        assert (offer_finished(database, NOW, known), known) == (0, {1, 2}), "what is refused takes no place"
    assert offer_finished(database, NOW, refused) == 1
    assert (offer_finished(database, NOW, refused), len(refused)) == (0, 1)
    rater = Person(client, database, slug="rate")
    rater.post()
    with database.reading() as session:
        version = session.exec(select(StudyVersion).order_by(col(StudyVersion.id).desc())).first()
        assert version is not None
        items = {
            item.stimulus
            for item in StudyDesign.model_validate_json(version.design).blocks_of(RatingDesign)[0].items
        }
        assert {f"play-1-{seat}" for seat in range(1, 6)} <= items
        assert len(items) == 10
        kept = session.exec(select(Stimulus).where(col(Stimulus.name).startswith("play-1-"))).all()
        assert sorted(one.source for one in kept) == ["adaptive", "dba", "dbra", "gt", "human"]
        assert {one.attributes["rt_of"] for one in kept} == {"delay", "person"}


def test_a_look_and_a_move_ask_the_database_few_questions_however_long_the_match(
    client: TestClient, database: Database, tmp_path: Path
) -> None:
    open_game(database, tmp_path, game="sug", configs={"players": 3, "rounds": 4})
    people = [Person(client, database) for _ in range(3)]
    rng = random.Random(4)
    for person in people:
        person.look()
    said: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        said.append(statement)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        for person in people:
            form = person.move_form(rng) or {}
            said.clear()
            client.get(f"{person.address}/state")
            reads = [each for each in said if each.startswith("SELECT")]
            assert len(reads) == 6, reads
            said.clear()
            client.post(
                person.address,
                data={"submit_id": submit_id_on(person.html), **form},
                headers={"accept": "application/json"},
            )
            reads = [each for each in said if each.startswith("SELECT")]
            assert len(reads) <= 9, reads
    finally:
        event.remove(Engine, "before_cursor_execute", note)
    assert len(moves(database)) == 3
