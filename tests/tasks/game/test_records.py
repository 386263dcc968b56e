"""Records of matches: what one seat saw and did and nothing of who sat there, through to a study that rates them."""

import csv
import json
import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlmodel import select
from starlette.testclient import TestClient

from app.core.database import Database
from app.core.errors import StudyError
from app.core.settings import Settings
from app.library.clips.manifest import read_manifest
from app.library.contents import add_documents
from app.library.documents import read_documents
from app.library.records import parse_record, sha256
from app.matches.offering import documents_of
from app.reports.export import export
from app.reports.kinds import Format
from app.reports.report import build_report
from app.simulation.people import Traits
from app.simulation.run import run_simulation
from app.studies.versions import set_state
from app.tasks.game.base import Event
from app.tasks.game.games import GAMES
from app.tasks.game.match import Match
from app.tasks.game.record_options import Automatic, By, Hybrid, Options, Text
from app.tasks.game.records import write_records
from app.tasks.game.replay import Replayed, replayed
from app.tasks.game.run import asked_for
from app.tasks.game.tables import GameEvent
from app.tasks.game.writing import write
from app.trials.tables import State
from tests.clock import Clock
from tests.factories import NOW, load_file
from tests.program import Program
from tests.tasks.game.people import SLUG, Person, open_game, running

MESSAGE = "Write to ann@example.org or +44 20 7946 0018: 6000 is fair"


def rows_of(folder: Path) -> list[dict[str, str]]:
    with (folder / "stimuli.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def contents(folder: Path) -> list[Any]:
    return [json.loads((folder / row["file"]).read_text(encoding="utf-8")) for row in rows_of(folder)]


def bargained(moves: list[tuple[str, str]]) -> Match:
    """A match of bargaining: each move is an amount or an answer, with `auto`; offers carry the message."""
    game = GAMES["glee-bargaining"]
    match = Match(game, game.Config(complete_information=False), 1)
    for what, auto in moves:
        phase = match.phase
        offer = what.isdecimal()
        move = {"kind": "propose", "alice_gain": int(what)} if offer else {"kind": "answer", "answer": what}
        match.append(Event("move", phase.phase_id, phase.seats[0], move, MESSAGE if offer else "", auto))
    return match


@pytest.mark.slow
def test_a_record_of_each_seat_of_every_game_has_its_moves_and_nothing_of_who_played(tmp_path: Path) -> None:
    for name, game in GAMES.items():
        out = tmp_path / name
        write(asked_for(name, [], ["random"], 2, 3), out / "played", lambda *_: None)
        matches = list(replayed(out / "played" / "moves.csv"))
        done = write_records([(matches, {})], Options(rounds=1), out / "records")
        rows = rows_of(out / "records")
        n_seats = len(game.seats(game.Config()))
        assert (len(rows), done.rounds, done.sources) == (2 * n_seats, (1, 1), {"rule": 2 * n_seats})
        for row, shown in zip(rows, contents(out / "records"), strict=True):
            text = json.dumps(shown)
            assert row["file"] == f"records/{sha256(parse_record(text))}.json"
            assert shown["players"][0]["name"] == "This player"
            roles = "|".join(
                {role.name for role in game.seats(game.Config())} - {"player", "seller", "buyer"}
            )
            assert not re.search(
                rf"\b({roles}|rule|random|human|[a-z]+_at)\b" if roles else "random|rule", text
            )
        if name == "sug":
            log = matches[0].match.log
            offers = {
                line.event.seat: line.event.move
                for line in log
                if line.event.move.get("kind") == "offer" and line.round == 1
            }
            own = [shown["rounds"][0]["parts"][0]["rows"] for shown in contents(out / "records")][:n_seats]
            for seat, table in enumerate(own, start=1):
                assert (table[0][0], table[0][2]) == ("This player", str(offers[seat]["amount"]))
                assert len(table) == 1 + sum(move["to"] == seat for move in offers.values())
                assert all("This player" in line[:2] for line in table), "others' offers to others are unseen"
        manifest = read_manifest(out / "records" / "stimuli.csv")
        assert len(read_documents(manifest)) == len(rows)


def test_the_seats_of_one_match_are_told_apart_by_what_they_did(tmp_path: Path) -> None:
    match = bargained([("6000", ""), ("reject", ""), ("5000", ""), ("accept", "")])
    one = Replayed(match, {1: "human", 2: "model"}, "7")
    for text, said in (
        (Text.NUMBERS, []),
        (Text.LENGTH, ["This player writes a medium message."]),
        (Text.FULL, ["This player writes: Write to [masked] or [masked]: 6000 is fair"]),
    ):
        write_records([([one], {("7", 2): "gpt"})], Options(text=text), tmp_path / text)
        alice, bob = contents(tmp_path / text)
        lines = [part["text"] for part in alice["rounds"][0]["parts"]]
        offer = "This player offers 4,000 of 10,000 and would keep 6,000."
        assert lines == [offer, *said, "The other rejects."]
        assert bob["rounds"][0]["parts"][0]["text"].startswith("The other offers 4,000")
        assert len(alice["parts"]) == 1, "a discount that is private is in no record"
        found = rows_of(tmp_path / text)
        assert [(row["source"], row["agent"], row["seat"]) for row in found] == [
            ("human", "", "1"), ("model", "gpt", "2")
        ]  # fmt: skip
    write_records([([one], {})], Options(by=By.MATCH), tmp_path / "match")
    [row], [shown] = rows_of(tmp_path / "match"), contents(tmp_path / "match")
    assert (row["source"], row["seat"]) == ("human-model", "")
    assert [player["name"] for player in shown["players"]] == ["Player 1", "Player 2"]


def test_automatic_moves_handed_over_seats_and_short_matches(tmp_path: Path) -> None:
    match = bargained(
        [("6000", ""), ("reject", "timeout"), ("5000", ""), ("reject", ""), ("1", ""), ("accept", "")]
    )
    one = Replayed(match, {1: "human", 2: "rule"}, handed_over=frozenset({2}), switched={2: 3})

    def made(name: str, options: Options) -> tuple[list[dict[str, str]], list[Any], Any]:
        done = write_records([([one], {})], options, tmp_path / name)
        return rows_of(tmp_path / name), contents(tmp_path / name), done.left_out

    rows, (alice, bob), _ = made("out", Options())
    assert [row["source"] for row in rows] == ["human", "hybrid"]
    assert [(row["rounds"], row["automatic"]) for row in rows] == [("3", "0"), ("2", "1")]
    assert [each["title"] for each in bob["rounds"]] == ["Round 1", "Round 2"], "no gap says where it was"
    assert "automatically" not in json.dumps([alice, bob])
    _, (alice, bob), _ = made("marked", Options(automatic=Automatic.MARK))
    assert "automatically" in bob["rounds"][0]["parts"][-1]["text"]
    assert "automatically" not in json.dumps(alice)
    rows, _, left_out = made("window", Options(rounds=3))
    assert ([row["seat"] for row in rows], left_out) == (["1"], {"shorter than 3 rounds": 1})
    rows, _, left_out = made("people", Options(hybrid=Hybrid.LEAVE_OUT))
    assert ([row["seat"] for row in rows], left_out) == (["1"], {"with several occupants of a seat": 1})
    rows, (_, bob), _ = made("cut", Options(hybrid=Hybrid.CUT))
    assert [(row["source"], row["rounds"], row["automatic"]) for row in rows] == [
        ("human", "3", "0"), ("rule", "1", "1")
    ]  # fmt: skip
    assert "of 10,000" in bob["rounds"][0]["parts"][0]["text"]
    rows, _, left_out = made("decided", Options(by=By.DECISION, hybrid=Hybrid.CUT))
    assert [(row["seat"], row["decision"], row["round"]) for row in rows] == [
        ("1", "offer", "1"), ("1", "answer", "2"), ("1", "offer", "3")
    ]  # fmt: skip
    assert left_out == {"decisions that show an automatic move": 2}, "the second shows the round of the first"
    rows, shown, _ = made("decided-marked", Options(by=By.DECISION, automatic=Automatic.MARK))
    assert [row["automatic"] for row in rows] == ["0", "0", "0", "1", "1", "0"]
    assert ["automatically" in json.dumps(each) for each in shown] == [False] * 3 + [True, True, False]
    offered = documents_of(one, {}, "play-1")
    assert [(each.name, each.source) for each in offered] == [("play-1-1", "human"), ("play-1-2", "hybrid")]
    rounds = [json.loads(each.document.content)["rounds"] for each in offered]
    assert list(map(len, rounds)) == [2, 2], "those that are offered together are of one length"
    with pytest.raises(StudyError, match="no record comes of these matches: 2 shorter than 9 rounds"):
        made("none", Options(rounds=9))
    with pytest.raises(StudyError, match="is there already"):
        made("out", Options())
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "cut", "decided", "decided-marked", "marked", "out", "people", "window"
    ]  # fmt: skip


def test_from_play_to_a_study_that_rates_records(
    settings: Settings, database: Database, program: Program, tmp_path: Path
) -> None:
    def run(*words: object) -> str:
        done = program.run("game", *words, cwd=tmp_path, environment={"COLUMNS": "300", "TERM": "dumb"})
        assert done.returncode == 0, done.stderr
        return done.stdout

    run("play", "sug", "--seats", "simulated,adaptive,dba,dbra,gt", "--config", "rounds=4", "--out", "played")
    said = run("records", "played/moves.csv", "--out", "rated", "--rounds", 3, "--sources", "agent")
    assert "5 records (1 adaptive, 1 dba, 1 dbra, 1 gt, 1 simulated): rated/stimuli.csv" in said
    again = program.run("game", "records", "played/moves.csv", "--out", "rated", cwd=tmp_path, environment={})
    assert again.returncode == 1
    assert "Traceback" not in again.stderr
    documents = read_documents(read_manifest(tmp_path / "rated" / "stimuli.csv"))
    items = "item,stimulus\n" + "".join(f"r{i},{one.name}\n" for i, one in enumerate(documents))
    labels = ["1", "2", "3", "4", "5"]
    question = {"id": "fair", "type": "likert", "ask": "How fair is the player?", "labels": labels}
    block = {"id": "rate", "task": "rating", "items": items, "questions": [question]}
    with database.transaction() as session:
        add_documents(session, documents, NOW)
        load_file(session, tmp_path, study="rubric", sample=None, trials=None, blocks=[block])
        set_state(session, "rubric", State.LIVE)
    run_simulation(settings, database, "rubric", n=3, traits=Traits(), seed=5)
    with database.reading() as session:
        info = build_report(session, "rubric", tmp_path / "report")
    assert (info.n_answers, info.n_participants) == (15, 3)
    assert all(name in (tmp_path / "report" / "report.html").read_text() for name in ("dbra", "adaptive"))


@pytest.mark.any_database
def test_how_long_moves_took_is_in_the_manifest_and_in_no_record(
    client: TestClient, database: Database, tmp_path: Path
) -> None:
    seats = ["human", "human", "gt"]
    open_game(database, tmp_path, game="sug", configs={"players": 3, "rounds": 3}, seats=seats)
    people, rng = [Person(client, database) for _ in range(2)], random.Random(1)
    for person in people:
        person.look()
    while running(database):
        for pause, person in enumerate(people, start=3):
            Clock.wait(pause * rng.uniform(0.5, 2))
            person.look()
            person.move(rng)
    with database.reading() as session:
        export(session, SLUG, "moves", Format.CSV, tmp_path / "moves.csv")
        events = session.exec(select(GameEvent).where(GameEvent.kind == "move")).all()
    write_records([(list(replayed(tmp_path / "moves.csv")), {})], Options(rounds=2), tmp_path / "out")
    rows = rows_of(tmp_path / "out")
    for row in rows:
        # The log has a person's time from its page, and the delay after which an agent moved.
        own = [each for each in events if each.seat == int(row["seat"]) and each.round <= 2]
        took = [float((each.delay_ms if each.rt_ms is None else each.rt_ms) or 0) for each in own]
        assert float(row["rt_median_ms"]) == pytest.approx(np.median(took), abs=1)
        assert float(row["rt_sd_ms"]) == pytest.approx(np.std(took, ddof=1), abs=1)
        assert row["rt_of"] == ("delay" if row["source"] == "rule" else "person")
    assert sorted(row["rt_of"] for row in rows) == ["delay", "person", "person"]
    shown = "".join((tmp_path / "out" / row["file"]).read_text(encoding="utf-8") for row in rows)
    assert not re.search(r"rt_|delay|seconds|\bms\b", shown)
    alone = Replayed(bargained([("6000", ""), ("accept", "")]), {1: "rule", 2: "rule"})
    write_records([([alone], {})], Options(), tmp_path / "alone")
    assert {row["rt_median_ms"] for row in rows_of(tmp_path / "alone")} == {""}, "no times without people"
