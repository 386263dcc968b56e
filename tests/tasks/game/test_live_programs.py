"""A program on a seat of a live match: a real process over HTTP, and what it may do wrong."""

import asyncio
import json
import random
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC
from pathlib import Path
from typing import Any

import httpx2
import pytest
from pydantic import SecretStr, ValidationError
from sqlmodel import col, select
from starlette.testclient import TestClient

from app.core.database import Database
from app.core.errors import StudyError
from app.core.settings import Settings
from app.main import create_app
from app.reports.export import export
from app.reports.kinds import Format
from app.sessions import sweeping
from app.sessions.where import SESSIONS
from app.tasks.game import played
from app.tasks.game.outside.programs import plain
from app.tasks.game.outside.server import serving
from app.tasks.game.replay import replayed
from app.tasks.game.settings import GameBlock
from app.tasks.game.sweep import sweep
from app.tasks.game.tables import Decision, GameEvent, Seat
from tests.clock import Clock
from tests.tasks.game.people import SLUG, Person, forget, game_block, open_game, running

DOCS = Path(__file__).parents[3] / "docs" / "games.md"
TOKEN = "a-token-of-the-program-half"
PATIENCE_S = 30
SEATS: dict[str, Any] = {
    "game": "glee-bargaining",
    "seats": ["human", "pull:label=half"],
    "configs": {"rounds": 4},
}


def wait_for(condition: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, "never came true"
        time.sleep(0.02)


@pytest.fixture
def known(settings: Settings) -> Settings:
    return settings.model_copy(
        update={"programs": SecretStr(f"half={TOKEN} other=another-token-of-20-characters")}
    )


@pytest.fixture
def client(known: Settings, database: Database, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    """The service, whose sweeps are the test's own."""
    monkeypatch.setattr(sweeping, "EVERY_S", 3600.0)
    with TestClient(create_app(known, database)) as client:
        yield client


class Caller:
    """A program that calls when the test says so."""

    def __init__(self, client: TestClient, token: str = TOKEN) -> None:
        self.http, self.address = client, f"/api/seat/{token}"

    def state(self, after: int = -1, wait: float = 0) -> Any:
        got = self.http.get(self.address, params={"after": after, "wait": wait})
        return got.json() if got.status_code == 200 else got.status_code

    def post(self, submit_id: str, move: Any, **more: Any) -> Any:
        decision = self.state()["decision"] or {"match": "1.2", "phase_id": "1-propose"}
        named = {"match": decision["match"], "phase_id": decision["phase_id"], **more}
        return self.http.post(f"{self.address}/moves", json={"submit_id": submit_id, "move": move, **named})


def due(database: Database, seconds: float) -> None:
    """So much later, the sweeper comes by."""
    Clock.wait(seconds)
    asyncio.run(sweep(database, SESSIONS, Clock.now(UTC)))


def moves_of(database: Database, seat: int) -> list[GameEvent]:
    with database.reading() as session:
        found = select(GameEvent).where(GameEvent.kind == "move", GameEvent.seat == seat)
        return list(session.exec(found.order_by(col(GameEvent.seq))))


@pytest.mark.slow
def test_the_program_of_the_docs_plays_with_a_person_over_http(
    known: Settings, database: Database, tmp_path: Path
) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "player.py").write_text(example, encoding="utf-8")
    open_game(database, tmp_path, **SEATS)
    app: Any = create_app(known, database)
    with (
        serving(app, "127.0.0.1:0") as address,
        httpx2.Client(base_url=address, follow_redirects=True) as http,
    ):
        command = [sys.executable, "-u", "player.py", f"{address}/api/seat/{TOKEN}"]
        with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as program:
            try:
                person: Any = Person(http, database)  # type: ignore[arg-type]
                rng = random.Random(3)

                def has_decided() -> bool:
                    with database.reading() as session:
                        return not session.exec(select(Decision).where(Decision.status != "made")).all()

                while running(database):
                    if not person.move(rng):
                        wait_for(has_decided)
                        Clock.wait(60)
                        person.look()
                person.look()
                assert program.stdout is not None
                said = program.stdout.readline()
            finally:
                program.kill()
    assert person.stage == "result"
    assert re.fullmatch(r"match \d+\.2: (accepted|rounds), [\d.]+\n", said), said
    seats = moves_of(database, 2)
    assert {(move.occupant, move.auto) for move in seats} == {("model", "")}
    assert all((move.delay_ms or 0) >= 1500 for move in seats)
    with database.reading() as session:
        export(session, SLUG, "moves", Format.CSV, tmp_path / "moves.csv")
        lines = list(played.exchanges(session, SLUG))
    assert len(list(replayed(tmp_path / "moves.csv"))) == 1
    assert [line["move"] for line in lines] == [move.move for move in seats]
    assert TOKEN not in json.dumps(lines)


@pytest.mark.both_databases
def test_a_move_is_taken_once_and_shown_to_nobody_before_its_time(
    client: TestClient, database: Database, tmp_path: Path
) -> None:
    open_game(database, tmp_path, **{**SEATS, "seats": ["pull:label=half", "human"]})
    half = Caller(client)
    nothing = half.state()
    assert (nothing["decision"], nothing["ended"], nothing["over"]) == (None, None, False)
    person = Person(client, database)
    assert person.look() == "playing"
    state = half.state(after=nothing["seq"], wait=20)
    decision = state["decision"]
    assert (state["game"], state["seat"], decision["match"]) == ("glee-bargaining", 1, "1.1")
    assert decision["view"]["viewer"] == 1
    assert 0 < decision["remaining_ms"] <= 90_000
    assert half.state(after=state["seq"]) == 204
    assert Caller(client, "another-token-of-20-characters").state()["decision"] is None
    before = client.get(person.address).text
    move = {"kind": "propose", "alice_gain": 5000}
    for text, status in (("\x00 fair?", 200), ("something else", 200)):  # the second has the same submit_id
        sent = {"match": "1.1", "phase_id": "1-propose", "message": text, "reason": "half \x00"}
        got = half.http.post(
            f"{half.address}/moves", content=json.dumps({"submit_id": "one", "move": move, **sent})
        )
        assert (got.status_code, got.json().get("decision")) == (status, None), got.text
    assert half.post("two", move, match="1.1", phase_id="1-propose").status_code == 409
    own = r"trial-1\.[\w-]+"
    assert re.sub(own, "", client.get(person.address).text) == re.sub(own, "", before)
    assert moves_of(database, 1) == [], "it has decided, and moves when a person might"
    forget(database)  # a restart in between
    due(database, 60)
    [made] = moves_of(database, 1)
    assert (made.move, made.message, made.reason, made.auto) == (move, "� fair?", "half �", "")
    while running(database):
        if not person.move(random.Random(1)):
            half.post("x", {"kind": "answer", "answer": "accept"})
            due(database, 60)
            person.look()
    ended = half.state()["ended"]
    with database.reading() as session:
        [seat] = session.exec(select(Seat).where(Seat.seat == 1)).all()
    assert (ended["match"], ended["payoff"]) == ("1.1", float(seat.payoff))


def test_what_is_no_move_is_refused_in_words_and_three_end_the_turn(
    client: TestClient, database: Database, tmp_path: Path
) -> None:
    open_game(database, tmp_path, **{**SEATS, "seats": ["pull:label=half", "human"]})
    half, person = Caller(client), Person(client, database)
    person.look()
    unknown = Caller(client, "no-token-of-anybody-at-all")
    assert unknown.state() == 404
    assert unknown.http.post(f"{unknown.address}/moves", json={}).status_code == 404
    good = {"kind": "propose", "alice_gain": 1}
    for match in ("1", "1.2", "7.1", "1.1.1", "99999999999.1", "\u0661.1", "1.1\x00"):
        refused = half.post("a", good, match=match)
        assert (refused.status_code, "nothing waits" in refused.json()["detail"]) == (409, True), match
    assert half.post("a", good, phase_id="\x00").status_code == 409
    assert half.http.post(f"{half.address}/moves", content=b"{").status_code == 422
    assert half.http.post(f"{half.address}/moves", content=b"x" * 70_000).status_code == 413
    for n, (move, why) in enumerate(
        (
            ({"kind": "propose", "alice_gain": 10_001}, "alice_gain is 10001"),
            ([float("inf"), "\x00", 10**400], "move must be a JSON object"),
            ({"kind": "propose", "alice_gain": 10**400}, "alice_gain"),
        ),
        start=1,
    ):
        body = json.dumps({"submit_id": f"{n}", "match": "1.1", "phase_id": "1-propose", "move": move})
        refused = half.http.post(f"{half.address}/moves", content=body)
        assert (refused.status_code, why in refused.json()["detail"]) == (422, True), refused.text
    assert half.state()["decision"] is None
    assert half.post("4", good, match="1.1", phase_id="1-propose").status_code == 409
    due(database, 60)
    assert [move.auto for move in moves_of(database, 1)] == ["invalid"]
    with database.reading() as session:
        assert [line["result"] for line in played.exchanges(session, SLUG)] == ["invalid"] * 3


def test_a_program_that_does_not_call_misses_its_moves_and_then_leaves(
    client: TestClient, database: Database, tmp_path: Path
) -> None:
    open_game(
        database, tmp_path, **{**SEATS, "seats": ["pull:label=half", "human"]}, leaving={"then": "agent"}
    )
    half, person = Caller(client), Person(client, database)
    person.look()
    late = half.state()["decision"]
    due(database, 91)
    assert (
        half.post(
            "late", {"kind": "propose", "alice_gain": 1}, **{n: late[n] for n in ("match", "phase_id")}
        ).status_code
        == 409
    )
    assert half.state()["decision"] is None
    while len(moves_of(database, 1)) < 2:
        person.look()
        if found := person.legal():
            answer = {"kind": "answer", "answer": "reject"}
            offer = {"kind": "propose", "alice_gain": "10000"}
            person.act("move", phase_id=found[0], **(offer if "propose" in found[0] else answer))
        else:
            due(database, 91)
    assert [move.auto for move in moves_of(database, 1)][:2] == ["timeout", "timeout"]
    with database.reading() as session:
        seats = session.exec(select(Seat).where(Seat.seat == 1).order_by(col(Seat.id))).all()
        decisions = session.exec(select(Decision)).all()
    assert [seat.occupant for seat in seats] == ["model", "rule"]
    assert {(decision.status, decision.auto) for decision in decisions} == {("made", "timeout")}


def test_a_study_and_a_setting_name_programs_rightly() -> None:
    GameBlock.model_validate(game_block(**SEATS))
    GameBlock.model_validate(game_block(**{**SEATS, "seats": "any", "agent": "pull:label=half"}))
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"seats": ["human", "pull"]}, "pull:label=NAME"),
        ({"seats": ["human", "pull:label=a b"]}, "pull:label=NAME"),
        ({"seats": ["human", "pull:label=half:seconds=3"]}, "pull:label=NAME"),
        ({"leaving": {"then": "agent", "agent": "pull:label=half"}}, "leaving.agent is a program outside"),
        ({"disclosure": "all-people", "leaving": {"then": "end"}}, "a program can take a seat"),
    ]
    for keys, why in wrong:
        with pytest.raises(ValidationError, match=why):
            GameBlock.model_validate(game_block(**{**SEATS, **keys}))
    for programs in (
        "half",
        "half=short",
        f"=={TOKEN}",
        f"a={TOKEN} b={TOKEN}",
        f"a={TOKEN} a={TOKEN}x",
        f"={TOKEN}",
    ):
        with pytest.raises(StudyError, match="LIKELY_HUMAN_PROGRAMS") as refused:
            _ = Settings(LIKELY_HUMAN_PROGRAMS=programs).program_tokens  # type: ignore[call-arg]
        assert TOKEN not in str(refused.value)
    assert plain({"a\x00": [float("nan"), "\ud800", 10**30, True]}) == {
        "a�": ["nan", "?", "a number above 1000000000000000", True]
    }
