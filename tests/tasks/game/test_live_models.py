"""A language model on a seat of a live match, against a real server that answers well, badly, slowly, or not at all."""

import asyncio
import json
import random
import re
import socket
from collections.abc import Iterator, Mapping
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr, ValidationError
from sqlmodel import col, select
from starlette.testclient import TestClient

from app.core.database import Database
from app.core.settings import Settings
from app.main import create_app
from app.reports.export import export
from app.reports.kinds import Format
from app.sessions import sweeping
from app.sessions.where import SESSIONS
from app.tasks.game import played
from app.tasks.game.outside import desk
from app.tasks.game.replay import replayed
from app.tasks.game.settings import GameBlock
from app.tasks.game.sweep import sweep
from app.tasks.game.tables import Decision, Exchange, GameEvent, Seat
from app.tasks.game.timing import LEAST_S
from tests.chat_server import ChatServer, Said, chat_server, reply
from tests.clock import Clock
from tests.tasks.game.people import SLUG, Person, forget, game_block, matches, open_game, running

pytestmark = pytest.mark.any_database
KEY = "sk-very-secret-0123456789"
MODELS = {
    "calls": 100,
    "tokens": 1_000_000,
    "settings": {"model": "m", "retries": 1, "backoff": 0, "timeout": 5},
}
SEATS = {"game": "sug", "seats": ["human", "human", "model"], "configs": {"players": 3, "rounds": 3}}


def well(request: Mapping[str, Any]) -> Said:
    """A legal move of the Social Ultimatum Game, whatever is asked."""
    asked = request["messages"][1]["content"]
    offers = set(re.findall(r'"(offer_\d+)"', asked))
    move = (
        {"kind": "answer", **dict.fromkeys(offers, "accept")}
        if offers
        else {"kind": "offer", "to": 1, "amount": 4}
    )
    return reply(json.dumps({"move": move, "reason": "fair"}))


@pytest.fixture
def client(settings: Settings, database: Database, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    """The service, whose sweeps are the test's own."""
    monkeypatch.setattr(sweeping, "EVERY_S", 3600.0)
    with TestClient(create_app(settings, database)) as client:
        yield client


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server() as running:
        running.answers = [well]
        yield running


class Table:
    """Two people and a model; time is the test's, and the model is asked when the test says so."""

    def __init__(
        self, client: TestClient, database: Database, settings: Settings, folder: Path, **keys: Any
    ) -> None:
        open_game(database, folder, **{**SEATS, "models": MODELS, **keys})
        self.database, self.settings = database, settings
        self.people = [Person(client, database) for _ in range(2)]
        for person in self.people:
            assert person.look() in ("waiting", "playing")

    def ask(self) -> None:
        """As the service does every second: what is due, and then the models."""

        async def once() -> None:
            now = Clock.now(UTC)
            await sweep(self.database, SESSIONS, now)
            await desk.ask_open(self.database, self.settings, SESSIONS, now)
            await desk.all_asked(self.database)

        asyncio.run(once())

    def play(self) -> None:
        """To the end, by the pages."""
        rng = random.Random(1)
        for _ in range(200):
            if not running(self.database):
                break
            moved = [person.move(rng) for person in self.people]
            self.ask()
            if not any(moved):
                Clock.wait(20)
                self.ask()
                for person in self.people:
                    person.look()
        assert not running(self.database)

    def moves_of(self, seat: int) -> list[GameEvent]:
        with self.database.reading() as session:
            found = select(GameEvent).where(GameEvent.kind == "move", GameEvent.seat == seat)
            return list(session.exec(found.order_by(col(GameEvent.seq))))


@pytest.fixture
def asked_at(settings: Settings, server: ChatServer) -> Settings:
    return settings.model_copy(update={"model_address": server.address, "model_key": SecretStr(KEY)})


@pytest.mark.both_databases
def test_a_model_plays_a_whole_match_with_people_and_all_is_kept(
    client: TestClient, database: Database, asked_at: Settings, server: ChatServer, tmp_path: Path
) -> None:
    table = Table(client, database, asked_at, tmp_path)
    page = client.get(table.people[0].address).text
    assert server.requests == [], "no request and no look asks a model"
    table.ask()
    assert table.moves_of(3) == [], "it has decided, and moves when a person might"
    with database.reading() as session:
        [decision] = session.exec(select(Decision)).all()
        assert (decision.status, decision.move) == ("made", {"kind": "offer", "to": 1, "amount": 4})
        [match] = matches(session)
        due_at = match.due_at
    assert due_at is not None
    assert (due_at - Clock.now(UTC)).total_seconds() >= LEAST_S - 0.1
    own = r"trial-1\.[\w-]+"
    assert re.sub(own, "", client.get(table.people[0].address).text) == re.sub(own, "", page), (
        "and shows nobody"
    )
    forget(database)  # a restart in between
    table.play()
    seats = table.moves_of(3)
    assert {move.occupant for move in seats} == {"model"}
    assert {(move.auto, move.reason) for move in seats} == {("", "fair")}
    assert all((move.delay_ms or 0) >= 1000 * LEAST_S for move in seats)
    with database.reading() as session:
        lines = [each.line for each in session.exec(select(Exchange).order_by(col(Exchange.id)))]
        export(session, SLUG, "moves", Format.CSV, tmp_path / "moves.csv")
        spent = session.exec(select(Decision)).all()
        written = list(played.exchanges(session, SLUG))
    assert len(lines) == len(server.requests) == len(seats)
    assert [line["request"] for line in lines] == server.requests
    assert {line["result"] for line in lines} == {"taken"}
    assert KEY not in json.dumps(lines)
    assert sum(each.tokens for each in spent) == 10 * len(lines)
    (one,) = replayed(tmp_path / "moves.csv")
    given = [
        line.event.reason for line in one.match.log if line.event.seat == 3 and line.event.kind == "move"
    ]
    assert given == ["fair"] * len(seats)
    assert [{name: value for name, value in line.items() if name != "at"} for line in written] == lines


def test_answers_that_are_no_move_cost_the_move_and_then_the_seat(
    client: TestClient, database: Database, asked_at: Settings, server: ChatServer, tmp_path: Path
) -> None:
    server.answers = [reply("I would rather not.")]
    table = Table(client, database, asked_at, tmp_path)
    table.play()
    with database.reading() as session:
        seats = session.exec(select(Seat).where(Seat.seat == 3).order_by(col(Seat.id))).all()
        lines = [each.line for each in session.exec(select(Exchange))]
    assert [seat.occupant for seat in seats] == ["model", "rule"]
    assert [move.auto for move in table.moves_of(3)[:2]] == ["invalid", "invalid"]
    assert {line["result"] for line in lines} == {"refused"}
    assert "has left. A computer program plays on in that place." in table.people[0].html
    with database.reading() as session:
        assert [match.status for match in matches(session)] == ["finished"]


@pytest.mark.parametrize("fault", ["down", "slow", "no address", "budget"])
def test_a_server_that_gives_nothing_holds_nobody_up(
    client: TestClient,
    database: Database,
    asked_at: Settings,
    server: ChatServer,
    tmp_path: Path,
    fault: str,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        nowhere = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
    address = {"down": nowhere, "no address": ""}.get(fault, server.address)
    models = {**MODELS, "settings": {**MODELS["settings"], "timeout": 0.3, "retries": 0}}  # type: ignore[dict-item]
    if fault == "slow":
        server.answers = [Said(reply("late").body, first=10)]
    if fault == "budget":
        models["calls"] = 1
    settings = asked_at.model_copy(update={"model_address": address})
    table = Table(client, database, settings, tmp_path, models=models, leaving={"then": "default"})
    table.play()
    autos = [move.auto for move in table.moves_of(3)]
    assert autos[-2:] == ["dropout", "dropout"]
    assert autos[0] == ("" if fault == "budget" else "dropout")
    assert len(server.requests) == {"slow": 2, "budget": 1}.get(fault, 0), "who has left is not asked"
    people = [move.auto for seat in (1, 2) for move in table.moves_of(seat)]
    assert set(people) == {""}


def test_a_process_that_ends_while_it_asks_leaves_the_decision_to_another(
    client: TestClient, database: Database, asked_at: Settings, server: ChatServer, tmp_path: Path
) -> None:
    table = Table(client, database, asked_at, tmp_path)

    async def ends() -> None:
        [(decision_id, match_id)] = await database.peek(desk.find_open, Clock.now(UTC), 8)
        assert await database.write(desk.take, SESSIONS, decision_id, match_id, Clock.now(UTC)) is not None
        assert await database.write(desk.take, SESSIONS, decision_id, match_id, Clock.now(UTC)) is None

    asyncio.run(ends())
    table.ask()
    assert server.requests == []
    Clock.wait(16)
    table.ask()
    assert len(server.requests) == 1
    Clock.wait(30)
    table.ask()
    assert [move.auto for move in table.moves_of(3)] == [""]


def test_a_match_without_an_answer_by_the_deadline_goes_on(
    client: TestClient, database: Database, asked_at: Settings, server: ChatServer, tmp_path: Path
) -> None:
    """No process asks: the deadline is the model's as it is a person's."""
    table = Table(client, database, asked_at, tmp_path, leaving={"then": "end"})
    for person in table.people:
        person.move(random.Random(1))
    Clock.wait(91)
    assert table.people[0].look() == "playing"
    assert [move.auto for move in table.moves_of(3)] == ["timeout"]


def test_a_model_on_a_seat_says_what_it_may_cost(tmp_path: Path) -> None:
    wrong: list[tuple[dict[str, Any], str]] = [
        ({}, "what it may cost"),
        ({"models": {"calls": 1, "tokens": 1, "settings": {"nonsense": 1}}}, "nonsense"),
        (
            {"models": MODELS, "leaving": {"then": "agent", "agent": "model"}},
            "leaving.agent is a language model",
        ),
        (
            {"models": MODELS, "disclosure": "all-people", "leaving": {"then": "end"}},
            "a program can take a seat",
        ),
    ]
    for keys, why in wrong:
        with pytest.raises(ValidationError, match=why):
            GameBlock.model_validate(game_block(**{**SEATS, **keys}))
    GameBlock.model_validate(game_block(**SEATS, models=MODELS))
    at_bound = {**SEATS, "seats": "any", "agent": "model:temperature=0.2"}
    GameBlock.model_validate(game_block(**at_bound, models=MODELS))
