"""Programs on seats: they fetch decisions and post moves over HTTP on a real socket."""

import json
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

import httpx2
import pytest

from app.core.errors import StudyError
from app.core.exchanges import Exchanges
from app.core.settings import Settings
from app.tasks.game.agents.outside import PullAgent
from app.tasks.game.base import Act, NoMove
from app.tasks.game.games import GAMES
from app.tasks.game.outside.opened import Terms, opened
from app.tasks.game.outside.pull import PullSeat
from app.tasks.game.outside.router import LONGEST_POST
from app.tasks.game.outside.server import seats_app, serving
from app.tasks.game.replay import replayed
from app.tasks.game.run import asked_for
from app.tasks.game.writing import write
from tests.program import PROGRAM

ROOT = Path(__file__).parents[4]
SUG = GAMES["sug"]
STATE = SUG.initial(SUG.Config())
OFFER = {"kind": "offer", "to": 2, "amount": 4}


class Seated:
    """One seat behind a real server, and a match that asks it in a thread of its own."""

    def __init__(self, address: str, seat: PullSeat, kept: list[Any]) -> None:
        self.seat, self.kept = seat, kept
        self.http = httpx2.Client(base_url=f"{address}/api/seat/", timeout=30)
        self._threads = ThreadPoolExecutor(1)

    def asked(self, match: str = "1") -> "Future[Act]":
        view, legal = SUG.view(STATE, 1), SUG.legal(STATE, 1)
        return self._threads.submit(self.seat.act_in, match, view, legal)

    def fetch(self, after: int = -1, wait: float = 25) -> httpx2.Response:
        return self.http.get("token", params={"after": after, "wait": wait})

    def decision(self) -> Any:
        """The next decision, once it is there."""
        after = -1
        while not (state := self.fetch(after).json())["decision"]:
            after = state["seq"]
        return state["decision"]

    def post(self, **body: Any) -> httpx2.Response:
        return self.http.post("token/moves", json={"submit_id": "s1", "match": "1", **body})

    def close(self) -> None:
        self.seat.close()
        self.http.close()
        self._threads.shutdown()


Take = Callable[..., Seated]


@pytest.fixture
def take() -> Iterator[Take]:
    """Serves a seat with the parameters given."""
    made: list[Seated] = []
    servers = []

    def one(**parameters: Any) -> Seated:
        kept: list[Any] = []
        seat = PullSeat(PullAgent(**{"seconds": 30, **parameters}), "sug", 1, "the rules", kept.append)
        servers.append(serving(seats_app({"token": seat}), "127.0.0.1:0"))
        made.append(Seated(servers[-1].__enter__(), seat, kept))
        return made[-1]

    yield one
    for seated, server in zip(made, servers, strict=True):
        seated.close()
        server.__exit__(None, None, None)


def test_a_program_fetches_its_decision_and_posts_its_move_once(take: Take) -> None:
    seated = take()
    first = seated.fetch()
    assert first.json() == {
        **{"seq": 0, "game": "sug", "seat": 1, "rules": "the rules"},
        **{"decision": None, "ended": None, "over": False},
    }
    assert seated.fetch(after=0, wait=0).status_code == 204
    asked = seated.asked()
    decision = seated.decision()
    view = SUG.view(STATE, 1)
    assert decision["view"]["facts"] == dict(view.facts)
    assert decision["legal"]["properties"]["move"]["properties"]["amount"]["maximum"] == 10
    assert 0 < decision["remaining_ms"] <= 30_000
    posted = seated.post(phase_id="1-offer", move=OFFER, reason="half of it is fair")
    assert (posted.status_code, posted.json()["decision"]) == (200, None)
    assert asked.result(10) == Act(OFFER, "", "half of it is fair")
    again = seated.post(phase_id="1-offer", move={**OFFER, "amount": 9})
    assert (again.status_code, again.json()["decision"]) == (200, None)
    assert [line["result"] for line in seated.kept] == ["taken"]
    assert seated.kept[0]["reason"] == "half of it is fair"
    seated.seat.ended("1", "rounds", Fraction(7, 2), SUG.view(STATE, 1))
    ended = seated.fetch(after=posted.json()["seq"]).json()["ended"]
    assert (ended["match"], ended["reason"], ended["payoff"]) == ("1", "rounds", 3.5)
    assert ended["view"]["facts"] == dict(view.facts)


def test_what_is_no_move_is_refused_in_words_and_three_end_the_turn(take: Take) -> None:
    seated = take()
    asked = seated.asked()
    seated.decision()
    assert seated.http.get("other").status_code == 404
    assert seated.http.post("other/moves", json={}).status_code == 404
    assert seated.http.post("token/moves", content=b"x" * (LONGEST_POST + 1)).status_code == 413
    for body, said in (
        (b"{", "Invalid JSON"),
        (b"[]", "should be an object"),
        (b"\xff", "Invalid JSON"),
        (b"{}", "submit_id: Field required"),
        (b'{"submit_id": "a", "match": "1", "phase_id": "1-offer", "move": {}, "seed": 1}', "seed: Extra"),
    ):
        refused = seated.http.post("token/moves", content=body)
        assert refused.status_code == 422
        assert said in refused.json()["detail"], body
    assert seated.http.get("token", params={"wait": 26}).status_code == 422
    for other in ({"match": "2", "phase_id": "1-offer"}, {"phase_id": "1-answer"}):
        stale = seated.post(move=OFFER, **other)
        assert stale.status_code == 409
        assert "nothing waits for this move" in stale.json()["detail"]
    for given, said in (
        ({"move": {**OFFER, "amount": 11}}, "amount is 11; it must be from 0 to 10"),
        ({"move": [1]}, "move must be a JSON object"),
        ({"move": OFFER, "message": "x" * 50_000}, "no message may go"),
    ):
        refused = seated.post(phase_id="1-offer", **given)
        assert (refused.status_code, refused.json()["detail"][: len(said)]) == (422, said)
    with pytest.raises(NoMove) as none:
        asked.result(10)
    assert none.value.auto == "invalid"
    assert [line["result"] for line in seated.kept] == ["invalid"] * 3
    assert seated.post(phase_id="1-offer", move=OFFER).status_code == 409


@pytest.mark.slow
def test_a_silent_program_gets_the_default_move_and_its_seat_back_when_it_calls(take: Take) -> None:
    with pytest.raises(StudyError, match=r"no program took seat 1 within 0\.05 seconds"):
        take(start=0.05).asked().result(10)
    seated = take(seconds=0.05)
    seated.fetch()

    def auto() -> str:
        with pytest.raises(NoMove) as none:
            seated.asked().result(10)
        return none.value.auto

    assert [auto() for _ in range(4)] == ["timeout", "timeout", "dropout", "dropout"]
    assert seated.seat.tally.defaults == 4
    seated.fetch()
    assert auto() == "timeout"
    slow = take(seconds=3600)
    slow.fetch()
    asked = slow.asked()
    slow.decision()
    slow.seat.close()
    with pytest.raises(StudyError, match="the run was stopped"):
        asked.result(10)


@pytest.mark.slow
def test_programs_see_that_a_run_was_stopped(tmp_path: Path) -> None:
    runs = asked_for("sug", [], ["pull"], 1, 1)
    terms = Terms(Settings(), tmp_path, 0, 0, "127.0.0.1:0", lambda: datetime.now(UTC))
    stack = ExitStack()
    seats = list(stack.enter_context(opened(runs, terms)).programs.values())
    assert [state.over for one in seats if (state := one.fetch(-1, 0))] == [False] * 5
    stopped = KeyboardInterrupt()
    stack.__exit__(KeyboardInterrupt, stopped, None)
    assert [state.over for one in seats if (state := one.fetch(-1, 0))] == [True] * 5


def test_every_line_that_is_kept_is_json_for_any_reader(tmp_path: Path) -> None:
    exchanges = Exchanges(tmp_path, lambda: datetime(2026, 1, 2, tzinfo=UTC))
    exchanges.keep({"move": {"amount": float("nan"), "to": float("inf")}})
    exchanges.keep({"message": "é\u2028\ud800"})
    exchanges.close()
    lines = (tmp_path / "exchanges.jsonl").read_text(encoding="ascii").split("\n")
    at = "2026-01-02T00:00:00.000+00:00"
    assert lines[0] == f'{{"at": "{at}", "move": {{"amount": "NaN", "to": "Infinity"}}}}'
    assert (json.loads(lines[1])["message"], lines[2]) == ("é\u2028\ud800", "")
    with pytest.raises(StudyError, match="cannot write"):
        Exchanges(tmp_path / "none", lambda: datetime(2026, 1, 2, tzinfo=UTC)).keep({})


def test_where_nobody_can_listen_is_told(take: Take) -> None:
    taken = take().http.base_url.port
    for listen in (f"127.0.0.1:{taken}", "127.0.0.1:x", "127.0.0.1:70000", "nowhere.invalid:0", ""):
        with pytest.raises(StudyError, match="cannot listen at"), serving(seats_app({}), listen):
            pass


def at_random(address: str, seed: int) -> int:
    """Plays what the JSON Schema allows until the run is over; the decisions it made."""
    rng, seq, n = random.Random(seed), -1, 0
    with httpx2.Client(timeout=60) as http:
        while True:
            fetched = http.get(address, params={"after": seq, "wait": 25})
            if fetched.status_code == 204:
                continue
            state = fetched.json()
            seq = state["seq"]
            if state["over"]:
                assert state["ended"]["match"] == "2"
                return n
            if decision := state["decision"]:
                fields = decision["legal"]["properties"]["move"]["properties"]
                move = {name: value_of(schema, rng) for name, schema in fields.items()}
                n += 1
                body = {"submit_id": f"{n}", "move": move, "reason": f"number {n}"}
                body |= {name: decision[name] for name in ("match", "phase_id")}
                posted = http.post(f"{address}/moves", json=body)
                assert posted.status_code == 200, posted.text


def value_of(schema: Any, rng: random.Random) -> Any:
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return rng.choice(schema["enum"])
    return rng.randint(schema["minimum"], schema["maximum"])


@pytest.mark.slow
def test_programs_play_whole_matches_beside_agents_and_at_the_same_time(tmp_path: Path) -> None:
    for game, seats, n in (("sug", "pull,gt,pull,gt,pull", 3), ("wac", "pull,saver,outbid,random,pull", 2)):
        out = tmp_path / game
        config = ["rounds=3"] if game == "sug" else ["days=3"]
        runs = asked_for(game, config, [seats], 2, 1)
        terms = Terms(Settings(), out, 0, 0, "127.0.0.1:0", lambda: datetime.now(UTC))
        with ThreadPoolExecutor(n) as threads, opened(runs, terms) as outsiders:
            addresses = list(outsiders.addresses.values())
            assert len(set(addresses)) == n
            programs = [threads.submit(at_random, address, i) for i, address in enumerate(addresses)]
            write(runs, out, lambda done, total, item: None, outsiders)
            for one in outsiders.programs.values():
                one.over(5)
            decided = sum(program.result(30) for program in programs)
        assert len(list(replayed(out / "moves.csv"))) == 2
        summary = list(outsiders.summary())
        assert len(summary) == n
        assert sum(int(re.findall(r"(\d+) decisions, 0 by", line)[0]) for line in summary) == decided
        lines = [json.loads(line) for line in (out / "exchanges.jsonl").read_text().splitlines()]
        assert len(lines) == decided
        assert all(line["reason"].startswith("number") for line in lines)
        tokens = [address.rpartition("/")[2] for address in addresses]
        texts = "".join(path.read_text(encoding="utf-8") for path in out.iterdir())
        assert not any(token in texts for token in tokens)


@pytest.mark.slow
def test_the_example_of_the_docs_plays_with_the_command(tmp_path: Path) -> None:
    docs = (ROOT / "docs" / "games.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", docs, re.DOTALL)
    (tmp_path / "player.py").write_text(example, encoding="utf-8")
    words = (
        "game",
        "play",
        "glee-bargaining",
        "--seats",
        "pull,equal-split",
        "--matches",
        "2",
        "--out",
        "out",
    )
    with subprocess.Popen(
        [PROGRAM, *words], cwd=tmp_path, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as run:
        assert run.stdout
        place, _, address = run.stdout.readline().strip().partition(": ")
        assert place == "glee-bargaining, seat 1"
        done = subprocess.run(
            [sys.executable, "player.py", address], cwd=tmp_path, capture_output=True, text=True, timeout=60
        )
        out, err = run.communicate(timeout=60)
    assert (done.returncode, run.returncode) == (0, 0), done.stderr + err
    assert "match 2: accepted" in done.stdout
    assert "2 matches of glee-bargaining" in out
    assert "2 decisions, 0 by the default move" in out
    assert len(list(replayed(tmp_path / "out" / "moves.csv"))) == 2
