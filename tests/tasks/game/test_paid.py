"""What is to be paid, and what of matches leaves the service; who the others are said to be; going on when out."""

import csv
import io
import json
import random
import zipfile
from pathlib import Path

import pytest
from sqlmodel import col, select
from starlette.testclient import TestClient

from app.core.database import Database
from app.reports.export import export
from app.reports.kinds import Format
from app.reports.package import build_package
from app.tasks.game.replay import ReplayError, replayed
from app.tasks.game.tables import Match, Seat
from tests.clock import Clock
from tests.factories import NOW
from tests.tasks.game.people import SLUG, Person, open_game, play_on
from tests.tasks.game.test_live import events

PAY = ("bonus_minor", "wait_pay_minor", "currency")


def participants(database: Database, folder: Path) -> tuple[list[str], list[dict[str, str]]]:
    path = folder / "participants.csv"
    with database.reading() as session:
        export(session, SLUG, "participants", Format.CSV, path)
    with path.open(encoding="utf-8") as file:
        reader = csv.DictReader(file)
        return list(reader.fieldnames or ()), list(reader)


def test_the_participants_are_listed_with_what_they_are_paid_last(
    client: TestClient, database: Database, tmp_path: Path
) -> None:
    bonus = {"minor_per_unit": 0.05, "cap_minor": 300, "currency": "EUR"}
    matching = {"ready_s": 0, "wait_pay_minor_per_min": 10}
    open_game(database, tmp_path, bonus=bonus, matching=matching)
    people = [Person(client, database, PROLIFIC_PID="ann")]
    people[0].look()
    for _ in range(10):
        Clock.wait(18)
        people[0].look()
    people.append(Person(client, database, PROLIFIC_PID="bob"))
    people[1].look()
    columns, rows = participants(database, tmp_path)
    at = columns.index("consent_sha256")
    assert tuple(columns[at + 1 : at + 4]) == PAY
    assert [row["bonus_minor"] for row in rows] == ["0", "0"]
    play_on(people)
    [person.act("next") for person in people]
    _, rows = participants(database, tmp_path)
    found = {row["participant"]: tuple(row[name] for name in PAY) for row in rows}
    bonuses = {person.seat.session_id: str(person.seat.bonus_minor) for person in people}
    assert found == {
        "ann": (bonuses[people[0].seat.session_id], "30", "EUR"),
        "bob": (bonuses[people[1].seat.session_id], "0", "EUR"),
    }


@pytest.mark.any_database
def test_a_package_has_the_matches_with_pseudonyms_and_their_dictionary(
    client: TestClient, database: Database, tmp_path: Path
) -> None:
    open_game(database, tmp_path, bonus={"minor_per_unit": 0.05})
    people = [Person(client, database, PROLIFIC_PID=f"SECRET{n}") for n in range(4)]
    play_on(people)
    [person.act("next") for person in people]
    assert not [event.move for event in events(database) if event.kind == "left"]
    with database.reading() as session:
        build_package(session, SLUG, tmp_path / "p.zip", made_at=NOW)
    with zipfile.ZipFile(tmp_path / "p.zip") as packed:
        texts = {name: packed.read(name) for name in packed.namelist()}
    assert not any(b"SECRET" in text for text in texts.values())
    tables = {
        name: list(
            csv.DictReader(io.StringIO(texts[f"data/study-{SLUG}_description-{name}_data.csv"].decode()))
        )
        for name in ("participants", "moves", "seatsPlayed")
    }
    sessions = {row["session"] for row in tables["participants"]}
    assert {row["session"] for row in tables["seatsPlayed"]} == sessions
    assert {row["session"] for row in tables["moves"]} - {""} == sessions
    paid = {row["session"]: row["bonus_minor"] for row in tables["participants"]}
    assert {row["session"]: row["bonus_minor"] for row in tables["seatsPlayed"]} == paid
    assert {row["received_at"][10:] for row in tables["moves"]} == {"T00:00:00.000000Z"}
    (tmp_path / "moves.csv").write_bytes(texts[f"data/study-{SLUG}_description-moves_data.csv"])
    assert len(list(replayed(tmp_path / "moves.csv"))) == 2
    with database.reading() as session:
        export(session, SLUG, "moves", Format.CSV, tmp_path / "whole.csv")
        seeds = set(session.exec(select(Match.seed)))
    with (tmp_path / "whole.csv").open(encoding="utf-8") as file:
        hashes = {row["state_hash"] for row in csv.DictReader(file)}
    assert hashes
    for text in texts.values():
        assert not any(word.encode() in text for word in (*hashes, *seeds))
    broken = texts[f"data/study-{SLUG}_description-moves_data.csv"].decode()
    changed = tables["moves"][-1]["state_hash"]
    (tmp_path / "broken.csv").write_text(broken.replace(changed, "0" * 64), encoding="utf-8")
    with pytest.raises(ReplayError, match="state_hash"):
        list(replayed(tmp_path / "broken.csv"))
    described = {(row["table"], row["column"]) for row in dictionary(texts)}
    for table, name in (("moves", "moves"), ("seats_played", "seatsPlayed")):
        assert {column for of, column in described if of == table} == set(tables[name][0])
    resources = json.loads(texts["datapackage.json"])["resources"]
    assert {"moves", "seats_played"} <= {resource["name"] for resource in resources}


def dictionary(texts: dict[str, bytes]) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(texts["documentation/data-dictionary.csv"].decode())))


@pytest.mark.any_database
def test_named_says_of_each_seat_who_has_it_now(
    client: TestClient, database: Database, tmp_path: Path
) -> None:
    open_game(
        database,
        tmp_path,
        game="sug",
        configs={"players": 3, "rounds": 2},
        seats=["human", "human", "gt"],
        disclosure="named",
        leaving={"then": "agent", "agent": "dba"},
    )
    one = Person(client, database)
    assert "You will be told for each player" in one.html
    two = Person(client, database)
    one.look()
    other = f"Player {two.seat.seat}"
    assert "Player 3 is a computer program (gt)." in one.html
    assert f"{other} is a person." in one.html
    two.act("leave")
    one.look()
    assert f"{other} is a computer program (dba)." in one.html


@pytest.mark.any_database
def test_who_is_out_of_the_auction_goes_on_and_has_not_left(
    client: TestClient, database: Database, tmp_path: Path
) -> None:
    config = {"days": 3, "start_health": 1, "supply_low": 8, "supply_high": 8}
    open_game(database, tmp_path, game="wac", configs=config, bonus={"minor_per_unit": 5})
    people = [Person(client, database) for _ in range(5)]
    [person.look() for person in people]
    rng = random.Random(1)
    [person.move(rng) for person in people]
    [person.look() for person in people]
    out = [person for person in people if "You have no health left" in person.html]
    alive = [person for person in people if person not in out]
    assert len(out) >= 3
    assert alive
    refused = alive[0]
    assert refused.act("next") == "playing"
    assert client.get(f"{out[0].address}/state").json()["html"]
    assert "Continue now" in out[0].html
    assert out[0].act("next") == "end"
    assert "PAID7" in out[0].html
    Clock.wait(50)  # more than the grace: who may go has not left
    play_on(alive)
    assert not [event for event in events(database) if event.kind in ("left", "replaced")]
    with database.reading() as session:
        seats = session.exec(select(Seat).order_by(col(Seat.seat))).all()
        assert all(seat.bonus_minor is not None for seat in seats)
    assert out[1].look() == "result"
