"""The last page of who played: what was earned added up, and a way out of its own for who played no whole match."""

import random
import re
from pathlib import Path

import pytest
from sqlmodel import select
from starlette.testclient import TestClient

from app.core.database import Database
from app.tasks.game.moves import Choice, MoveKind, MoveSchema, visible
from app.tasks.game.posted import move_of
from app.tasks.game.tables import GameEvent
from tests.clock import Clock
from tests.tasks.game.people import Person, open_game, play_on

pytestmark = pytest.mark.any_database
CODES = {"codes": {"partial": "PART1", "screened_out": "OUT1"}}


def code_on(html: str) -> list[str]:
    return re.findall(r"data-code>([^<]*)<", html)


def sums_on(html: str) -> list[tuple[str, str]]:
    return re.findall(r"<dt>(Bonus|For waiting|Together)</dt><dd>([^<]*)</dd>", html)


def test_the_last_page_adds_up_bonus_and_waiting(
    client: TestClient, database: Database, tmp_path: Path
) -> None:
    matching = {"ready_s": 0, "wait_pay_minor_per_min": 10}
    open_game(database, tmp_path, completion=CODES, matching=matching, bonus={"minor_per_unit": 0.01})
    people = [Person(client, database)]
    people[0].look()
    for _ in range(13):  # in pieces, or nobody would be there any more
        Clock.wait(10)
        people[0].look()
    people.append(Person(client, database))
    play_on(people, 5)
    for person in people:
        person.act("next")
        assert person.stage == "end"
        assert code_on(person.html) == ["PAID7"]
    first, second = (dict(sums_on(person.html)) for person in people)
    assert first["For waiting"] == "£0.21"  # 130 seconds
    pence = {name: round(float(amount.removeprefix("£")) * 100) for name, amount in first.items()}
    assert pence["Bonus"] == people[0].seat.bonus_minor
    if pence["Bonus"]:
        assert pence["Together"] == pence["Bonus"] + 21
    assert "For waiting" not in second


def test_who_left_a_match_ends_with_the_code_of_a_part(
    client: TestClient, database: Database, tmp_path: Path
) -> None:
    open_game(database, tmp_path, completion=CODES, bonus={"minor_per_unit": 0.01})
    left, back = (Person(client, database) for _ in range(2))
    left.look(), back.look()
    assert back.act("leave") == "left"
    assert back.act("return") == "playing"
    left.look()
    assert left.act("leave") == "left"
    assert left.act("next") == "end"
    assert code_on(left.html) == ["PART1"]
    assert "You left a match before its end." in left.html
    play_on([back], 2)
    assert back.act("next") == "end"
    assert code_on(back.html) == ["PAID7"]  # who came back has not left
    assert "You left a match" not in back.html


def test_who_waited_in_vain_is_paid_for_it_and_ends_with_the_code_of_a_part(
    client: TestClient, database: Database, tmp_path: Path
) -> None:
    matching = {"ready_s": 0, "wait_max_s": 60, "at_bound": "paid-exit", "wait_pay_minor_per_min": 30}
    open_game(database, tmp_path, completion=CODES, matching=matching)
    alone = Person(client, database)
    alone.look()
    Clock.wait(61)
    assert alone.look() == "result"
    assert alone.act("next") == "end"
    assert code_on(alone.html) == ["PART1"]
    assert sums_on(alone.html) == [("For waiting", "£0.30")]
    assert "There were not enough people at the same time" in alone.html
    quitter = Person(client, database)
    quitter.look()
    quitter.act("leave")
    assert quitter.act("next") == "end"
    assert "You chose not to wait for others" in quitter.html


def test_who_fails_the_questions_on_the_rules_is_screened_out(
    client: TestClient, database: Database, tmp_path: Path
) -> None:
    asked = [{"id": "rounds", "ask": "How many rounds?", "options": ["4", "5"], "answer": "4"}]
    open_game(database, tmp_path, completion=CODES, comprehension={"questions": asked, "tries": 1})
    wrong = Person(client, database)
    wrong.look()
    assert wrong.act("answers", rounds="5") == "result"
    assert wrong.act("next") == "end"
    assert code_on(wrong.html) == ["OUT1"]
    assert "Your answers to the questions about the rules were not correct" in wrong.html


def test_sentences_know_who_the_others_are_and_how_long_a_wait_lasts(
    client: TestClient, database: Database, tmp_path: Path
) -> None:
    people = {"seats": ["human"], "leaving": {"then": "default"}}
    for slug, keys, others, at_bound in (
        ("people", people, "All other players are people.", "you continue without this match"),
        (
            "mixed",
            {"seats": ["human"]},
            "may be people or computer programs",
            "you continue without this match",
        ),
        (
            "filled",
            {"seats": ["any"]},
            "may be people or computer programs",
            "computer programs take the free",
        ),
    ):
        open_game(database, tmp_path, slug=slug, matching={"ready_s": 15, "wait_max_s": 80}, **keys)
        person = Person(client, database, slug=slug)
        person.look()
        assert others in person.html, slug
        assert at_bound in person.html, slug
        assert "1 minute 20 seconds" in person.html


def test_returning_participants_are_not_counted_as_left(
    client: TestClient, database: Database, tmp_path: Path
) -> None:
    open_game(database, tmp_path)
    gone, other = (Person(client, database) for _ in range(2))
    gone.look(), other.look()
    gone.act("leave")
    other.look()
    assert "The other player has left." in other.html
    gone.act("return")
    other.look()
    assert "The other player has come back." in other.html
    assert "has left" not in other.html


def test_a_message_loses_what_is_not_seen_or_turns_it_around() -> None:
    assert visible("pay \u202e001\u202c now\u200b\u2066!\u2069\ufeff\U000e0041") == "pay 001 now!"
    assert visible("می\u200cخواهم 👩\u200d🚀 ❤\ufe0f") == "می\u200cخواهم 👩\u200d🚀 ❤\ufe0f"
    legal = MoveSchema((MoveKind("answer", (Choice("accept", (True, False)),), message=True),), 10)
    form = {"kind": "answer", "accept": "yes", "message": "\u202etxet\u2069"}
    assert move_of(legal, form).message == "txet"
    assert move_of(legal, {**form, "message": "a\x85b\x9f\ud800"}).message == "ab"


def test_a_control_character_in_a_message_is_taken_out_and_the_match_goes_on(
    client: TestClient, database: Database, tmp_path: Path
) -> None:
    open_game(database, tmp_path)
    people = [Person(client, database) for _ in range(2)]
    for person in people:
        person.look()
        if form := person.move_form(random.Random(1)):
            person.post(**form, message="a\x85b\x9f")
            break
    else:
        raise AssertionError("nobody could move")
    with database.reading() as session:
        assert "ab" in session.exec(select(GameEvent.message)).all()
