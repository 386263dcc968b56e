"""The last page of who played: what was earned added up, and a way out of its own for who played no whole match."""

import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from app.core.database import Database
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
    assert first["For waiting"] == "£0.20"
    pence = {name: round(float(amount.removeprefix("£")) * 100) for name, amount in first.items()}
    assert pence["Bonus"] == people[0].seat.bonus_minor
    if pence["Bonus"]:
        assert pence["Together"] == pence["Bonus"] + 20
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
    assert "The questions on the rules were not answered right" in wrong.html
