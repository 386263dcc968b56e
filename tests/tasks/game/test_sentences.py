"""Sentences of a match's page that know their case: alone or with others, people or programs, seconds or minutes."""

import random
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from app.core.database import Database
from tests.clock import Clock
from tests.tasks.game.people import Person, open_game

pytestmark = pytest.mark.any_database
SHORT = {"wait_max_s": 20, "ready_s": 15}


def test_who_was_alone_and_did_not_say_that_they_were_there_is_not_told_of_others(
    client: TestClient, database: Database, tmp_path: Path
) -> None:
    open_game(database, tmp_path, matching={**SHORT, "at_bound": "agents"})
    alone = Person(client, database)
    assert alone.look() == "waiting"
    Clock.wait(21)
    assert alone.look() == "ready"
    assert "Your match can begin. It starts when everyone who was asked has pressed the button." in alone.html
    Clock.wait(16)
    assert alone.look() == "left"
    assert "You did not press the button in time, so no match began for you." in alone.html
    assert "others have" not in alone.html
    assert "Wait for others again" in alone.html


def test_players_asked_together_see_the_same_sentences(
    client: TestClient, database: Database, tmp_path: Path
) -> None:
    open_game(database, tmp_path, matching=SHORT)
    absent, there = Person(client, database), Person(client, database)
    assert (absent.look(), there.look()) == ("ready", "ready")
    there.act("ready")
    assert "If someone does not, you keep waiting and lose nothing." in there.html
    Clock.wait(16)
    assert (absent.look(), there.look()) == ("left", "waiting")
    assert "You did not press the button in time, so no match began for you." in absent.html


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        ({}, "The other players may be people or computer programs."),
        (
            {"matching": SHORT, "leaving": {"then": "agent"}, "seats": ["human"]},
            "may be people or computer programs",
        ),
        (
            {"matching": SHORT, "leaving": {"then": "end"}, "seats": ["human"]},
            "All other players are people.",
        ),
        (
            {"matching": {**SHORT, "at_bound": "paid-exit"}, "leaving": {"then": "end"}},
            "All other players are people.",
        ),
    ],
)
def test_programs_are_only_spoken_of_where_one_can_take_a_seat(
    client: TestClient, database: Database, tmp_path: Path, keys: dict[str, Any], says: str
) -> None:
    if not keys:
        keys = {"matching": {**SHORT, "at_bound": "agents"}, "leaving": {"then": "end"}}
    open_game(database, tmp_path, **keys)
    person = Person(client, database)
    person.look()
    assert says in person.html


def test_a_wait_is_told_as_long_as_it_is(client: TestClient, database: Database, tmp_path: Path) -> None:
    open_game(database, tmp_path, matching={**SHORT, "at_bound": "wait-once-more"}, leaving={"then": "end"})
    person = Person(client, database)
    assert person.look() == "waiting"
    assert "at most <b>20 seconds</b>" in person.html
    Clock.wait(21)
    person.look()
    assert "You have waited 20 seconds. Would you like to wait 20 seconds more?" in person.html


def test_a_second_move_is_reported_as_not_counted(
    client: TestClient, database: Database, tmp_path: Path
) -> None:
    open_game(database, tmp_path)
    people = [Person(client, database) for _ in range(2)]
    for person in people:
        person.look()
    first = next(person for person in people if person.legal() is not None)
    form = first.move_form(random.Random(1))
    assert form is not None
    first.post(**form)
    assert "not counted" not in first.html
    first.look()
    first.post(**form)
    assert "Your move was not counted: another one was made first, or time had run out." in first.html
