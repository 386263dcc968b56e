"""Records of decisions: one situation and one move, from a match that is played to pairs of one situation."""

import csv
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import select

from app.core.database import Database
from app.library.clips.manifest import read_manifest
from app.library.contents import add_documents
from app.library.documents import read_documents
from app.library.tables import Stimulus
from app.tasks.game.games import GAMES
from app.tasks.game.record_options import By, Options
from app.tasks.game.records import write_records
from app.tasks.game.replay import replayed
from app.tasks.game.run import asked_for
from app.tasks.game.writing import write
from app.trials.tables import UnitMember
from tests.factories import NOW, load_file
from tests.program import Program


def read(folder: Path) -> list[tuple[dict[str, str], Any]]:
    """Each row of the manifest with its record."""
    with (folder / "stimuli.csv").open(newline="", encoding="utf-8") as file:
        return [(row, json.loads((folder / row["file"]).read_text("utf-8"))) for row in csv.DictReader(file)]


def lines(parts: list[Any]) -> list[str]:
    return [part["text"] for part in parts]


@pytest.mark.slow
def test_every_move_of_every_game_is_a_decision_in_a_situation_that_several_matches_share(
    tmp_path: Path,
) -> None:
    decided = {
        "sug": {"offer", "answer"},
        "glee-bargaining": {"offer", "answer"},
        "glee-negotiation": {"offer", "answer"},
        "glee-persuasion": {"message", "purchase"},
        "wac": {"bid"},
        "public-goods": {"contribution", "points"},
    }
    for name in GAMES:
        out = tmp_path / name
        values = {"glee-persuasion": ["messages=binary"], "sug": ["rounds=3"]}.get(name, [])
        write(
            asked_for(name, values, ["random"], 8 if name == "wac" else 4, 3), out / "played", lambda *_: None
        )
        matches = list(replayed(out / "played" / "moves.csv"))
        write_records([(matches, {})], Options(by=By.DECISION), out / "records")
        found = read(out / "records")
        assert {row["decision"] for row, _ in found} == decided[name]
        moves = [line.event for one in matches for line in one.match.log if line.event.kind == "move"]
        answers = sum(
            max(1, len(move.move) - 1) if name == "sug" and move.move["kind"] == "answer" else 1
            for move in moves
        )
        assert len(found) == answers, f"{name}: one record for each move, and for each offer that is answered"
        before = defaultdict(set)
        for row, shown in found:
            (made,) = shown.pop("rounds")
            assert lines(made["parts"])[0].startswith("This player "), name
            before[row["situation"]].add(json.dumps(shown))
        assert all(len(each) == 1 for each in before.values()), "one situation shows one thing"
        assert len({text for each in before.values() for text in each}) == len(before)
        shared = defaultdict(set)
        for row, _ in found:
            shared[row["situation"]].add(row["match"])
        assert max(map(len, shared.values())) > 1, name
        assert [row["round"] for row, _ in read_first(out, matches)] == ["1"] * sum(
            row["round"] == "1" for row, _ in found
        )


def read_first(out: Path, matches: list[Any]) -> list[tuple[dict[str, str], Any]]:
    """The decisions of the first round alone."""
    write_records([(matches, {})], Options(by=By.DECISION, rounds=1), out / "first")
    return read(out / "first")


def test_the_situation_is_what_the_moves_of_the_round_before_say(tmp_path: Path) -> None:
    write(asked_for("sug", ["rounds=6"], ["random"], 1, 5), tmp_path / "played", lambda *_: None)
    (one,) = replayed(tmp_path / "played" / "moves.csv")
    write_records([([one], {})], Options(by=By.DECISION), tmp_path / "records")
    moves = {
        (x.round, x.event.seat, x.event.move["kind"]): x.event.move
        for x in one.match.log
        if x.event.kind == "move"
    }
    n_same = 0
    for row, shown in read(tmp_path / "records"):
        number, seat = int(row["round"]), int(row["seat"])
        if row["decision"] != "answer" or number == 1:
            continue
        past, stands = lines(shown["parts"])[-2:]
        earlier = moves[number - 1, seat, "offer"]
        senders = [
            other for other in range(1, 6)
            if (offer := moves[number, other, "offer"])["to"] == seat
            and stands == f"One of the others offers {offer['amount']} to this player."
            and ("no offer" in past) == (earlier["to"] != other)
        ]  # fmt: skip
        assert senders, (past, stands)
        if "no offer" not in past:
            n_same += 1
            answer = moves[number - 1, earlier["to"], "answer"][f"offer_{seat}"]
            assert f"offered {earlier['amount']} to the same other, who {answer}ed." in past
        said = lines(shown["rounds"][0]["parts"])
        answers = {moves[number, seat, "answer"][f"offer_{sender}"] for sender in senders}
        assert said[0] in {f"This player {answer}s." for answer in answers}
    assert n_same > 0


def test_from_moves_that_are_played_to_pairs_of_one_situation(
    database: Database, program: Program, tmp_path: Path
) -> None:
    def run(*words: object) -> str:
        done = program.run("game", *words, cwd=tmp_path, environment={"COLUMNS": "300", "TERM": "dumb"})
        assert done.returncode == 0, done.stderr
        return done.stdout

    seats = "simulated,simulated,random,random,random"
    run("play", "sug", "--seats", seats, "--matches", 6, "--out", "played")
    said = run("records", "played/moves.csv", "--by", "decision", "--rounds", 8, "--out", "decided")
    assert "480 records (" in said, "8 rounds of 5 offers and 5 answers, six times"
    documents = read_documents(read_manifest(tmp_path / "decided" / "stimuli.csv"))
    rows = {row["name"]: (row, shown) for row, shown in read(tmp_path / "decided")}
    sample = {"pairing": "same-situation", "seed": 4, "conditions": {"simulated-rule": 12}}
    question = {"id": "choice", "type": "2afc", "ask": "Which decision is more likely a person's?"}
    trials = {"questions": [question], "allow": ["round-numbers", "file-size", "page-size"]}
    with database.transaction() as session:
        add_documents(session, documents, NOW)
        load_file(session, tmp_path, truth={"source": "simulated"}, sample=sample, trials=trials)
        names = {one.id: one.name for one in session.exec(select(Stimulus)).all()}
        members = [(one.unit_id, names[one.stimulus_id]) for one in session.exec(select(UnitMember)).all()]
    pairs = defaultdict(list)
    for unit, name in members:
        pairs[unit].append(rows[name])
    assert len(pairs) == 12
    for (one, shown), (other, beside) in pairs.values():
        assert {one["source"], other["source"]} == {"simulated", "rule"}
        assert one["match"] != other["match"]
        assert (one["situation"], one["role"]) == (other["situation"], other["role"])
        assert shown["parts"] == beside["parts"]
        assert shown["rounds"] != beside["rounds"], "what is chosen between differs in the move alone"
