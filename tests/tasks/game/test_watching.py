"""Experimenters' views of matches: who waits, who is slow, each event of each game; and stopping one."""

import random
import re
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import Session, col, select
from starlette.testclient import TestClient

from app.accounts.logins import Who
from app.accounts.tables import AuditEntry, Role
from app.core.database import Database
from app.core.errors import Conflict, NotFound
from app.matches.observing import replay_at
from app.matches.watching import Matches, matches_now, stop_match, watched
from app.monitor.progress import snapshot
from app.monitor.snapshots import Choice
from app.studies.access import StudyHere
from app.studies.launch import study_here
from app.tasks.game.live import BY_HAND
from app.tasks.game.tables import Seat
from tests.admin.persons import make_user
from tests.clock import Clock
from tests.factories import NOW
from tests.tasks.game.people import SLUG, Person, forget, open_game, play_on
from tests.tasks.game.test_live import GAMES, moves

AGENTS = {"wait_max_s": 30, "ready_s": 0}


def now_of(database: Database, mode: str = "") -> Matches:
    with database.reading() as session:
        return matches_now(session, study_here(session, SLUG), mode, 0, Clock.at or NOW)


@pytest.mark.both_databases
def test_the_list_says_who_waits_whose_move_it_is_and_who_is_slow(
    client: TestClient, database: Database, tmp_path: Path
) -> None:
    open_game(database, tmp_path, deadlines={"propose_s": 60, "answer_s": 60, "warn_at_s": 20})
    one = Person(client, database, PROLIFIC_PID="ann")
    one.look()
    seen = now_of(database)
    assert [(each.participant, each.status, each.silent_s) for each in seen.waiting] == [
        ("ann", "waiting", None)
    ]
    assert not seen.running
    assert not seen.over
    Clock.wait(25)
    assert now_of(database).waiting[0].silent_s == 25
    one.look()
    two = Person(client, database, PROLIFIC_PID="bob")
    two.look()
    [match] = now_of(database).running
    mover = one if one.legal() else two
    assert not now_of(database).waiting
    assert (match.round, match.phase, match.left_s, match.config) == (1, "propose", 60, "rounds 4")
    assert sorted(seat.who for seat in match.seats) == ["ann", "bob"]
    [acts] = match.waited_for
    assert acts.session_id == mover.seat.session_id
    assert not acts.is_slow
    Clock.wait(45)
    forget(database)  # another process, or a restart: the rows are enough
    [acts] = now_of(database).running[0].waited_for
    assert acts.is_slow
    mover.look()
    mover.move(random.Random(1))
    [match] = now_of(database).running
    assert match.phase == "answer"
    assert not match.waited_for[0].is_slow
    play_on([one, two])
    seen = now_of(database)
    assert (seen.n_finished, seen.n_stopped, len(seen.running)) == (1, 0, 0)
    assert seen.over[0].end_reason in ("accepted", "no-deal")
    with database.reading() as session, pytest.raises(Conflict, match="not a mode"):
        matches_now(session, study_here(session, SLUG), "preview", 0, NOW)


def test_who_plays_one_match_for_long_is_here_on_the_monitor_until_they_leave_it(
    client: TestClient, database: Database, tmp_path: Path
) -> None:
    open_game(database, tmp_path, deadlines={"propose_s": 7200, "answer_s": 7200}, leaving={"then": "agent"})
    people = [Person(client, database, PROLIFIC_PID=name) for name in ("ann", "bob")]
    for person in people:
        person.look()

    def here() -> int:
        with database.reading() as session:
            study, now = study_here(session, SLUG), Clock.at or NOW
            return snapshot(session, study, Choice(), now, None, sees_live=True).here

    Clock.wait(3600)
    assert here() == 2
    people[0].act("leave")
    assert here() == 1


def test_every_event_of_every_game_is_shown_with_what_each_seat_does_not_know(
    client: TestClient, database: Database, tmp_path: Path
) -> None:
    open_game(database, tmp_path, game="wac", configs=GAMES["wac"][1], matching=AGENTS)
    people = [Person(client, database) for _ in range(5)]
    [person.look() for person in people]
    bidder = people[0]
    bidder.move(random.Random(3))
    [own] = moves(database)
    with database.reading() as session:
        study = study_here(session, SLUG)
        seen = replay_at(session, study, 1, 0)
    row = seen.observed.board.rows[(own.seat or 0) - 1]
    assert row.cells[4].text == f"${own.move['amount']}"  # no other seat's page has it yet
    play_on(people)
    with database.reading() as session:
        first, last = replay_at(session, study, 1, 1), replay_at(session, study, 1, 10_000)
        assert first.event.what == "The match begins"
        assert last.at == last.n
        assert {each.who for each in last.events} > {"Alex", "Eric"}
        boards = [replay_at(session, study, 1, at).observed for at in range(1, last.n + 1)]
    assert len(boards[0].history.rows) == 0
    assert len(boards[-1].history.rows) == 3
    assert [row.cells[5].text for row in boards[-1].board.rows] == [
        seat.earned for seat in now_of(database).over[0].seats
    ]


@pytest.mark.any_database
@pytest.mark.parametrize("game", [game for game in GAMES if game != "wac"])
def test_a_replay_of_the_game_shows_each_round(
    client: TestClient, database: Database, tmp_path: Path, game: str
) -> None:
    n, config = GAMES[game]
    open_game(database, tmp_path, game=game, configs=config)
    people = [Person(client, database) for _ in range(n)]
    [person.look() for person in people]
    play_on(people, seed=4)
    with database.reading() as session:
        study = study_here(session, SLUG)
        replays = [replay_at(session, study, 1, at) for at in range(1, replay_at(session, study, 1, 0).n + 1)]
        seats = session.exec(select(Seat).order_by(col(Seat.seat))).all()
    grown = [len(each.observed.history.rows) for each in replays]
    assert grown == sorted(grown)
    assert grown[0] == 0
    assert grown[-1] == max(event.round for event in replays[-1].events)
    assert [row.cells[0].text for row in replays[-1].observed.board.rows] == [
        seat.role.capitalize() if seat.role != "player" else f"Player {seat.seat}" for seat in seats
    ]
    assert all(each.event.what for each in replays)
    if game == "sug":
        offers = [cell.text for row in replays[-1].observed.history.rows for cell in row.cells[1:]]
        assert offers
        assert all(re.fullmatch(r"\d+ to Player \d", offer) for offer in offers)


def stop(session: Session, who: Who, study: StudyHere, **more: Any) -> None:
    stop_match(session, who, study, more.get("match_id", 1), "a fault in the rules", Clock.at or NOW)


def test_stopping_a_match_is_on_record_and_its_players_keep_their_pay_and_are_told(
    client: TestClient, database: Database, tmp_path: Path
) -> None:
    bonus = {"minor_per_unit": 1, "currency": "GBP"}
    open_game(database, tmp_path, game="sug", configs={"players": 3, "rounds": 3}, bonus=bonus)
    people = [Person(client, database) for _ in range(3)]
    [person.look() for person in people]
    rng = random.Random(5)
    while not any(int(seat.earned) for seat in now_of(database).running[0].seats):
        [person.move(rng) for person in people]
    earned = {seat.session_id: int(seat.earned) for seat in now_of(database).running[0].seats}
    with database.transaction() as session:
        study, who = study_here(session, SLUG), make_user(session, Role.OWNER, "owner@example.org")
        with pytest.raises(NotFound):
            stop(session, who, study, match_id=7)
        stop(session, who, study)
    for person in people:
        assert person.look() == "result"
        assert "The people who run this study have ended the match early" in person.html
        assert f"£{earned[person.seat.session_id or 0] / 100:.2f}" in person.html
        assert person.act("next") == "end"
    [over] = now_of(database).over
    assert (over.status, over.end_reason) == ("stopped", BY_HAND)
    with database.reading() as session:
        assert {seat.session_id: seat.bonus_minor for seat in session.exec(select(Seat))} == earned
        [entry] = session.exec(select(AuditEntry).where(AuditEntry.action == "match.stop"))
        assert (entry.actor, entry.subject, entry.after["reason"]) == (
            "owner@example.org",
            "match 1",
            "a fault in the rules",
        )
        assert watched(session, study, 1, Clock.at or NOW).waited_for == ()
    with database.transaction() as session, pytest.raises(Conflict, match="already over"):
        stop(session, who, study)
