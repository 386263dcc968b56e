"""Play of other labs through our rules: shapes of files, the hashes that come of them, rows that break the rules."""

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from app.core.errors import StudyError
from app.tasks.game.elsewhere.mapping import read_mapping
from app.tasks.game.elsewhere.writing import Imported, import_play
from app.tasks.game.games import GAMES
from app.tasks.game.match import match_seed, play
from app.tasks.game.match_files import read_matches
from app.tasks.game.replay import replayed
from app.tasks.game.run import agents_of, configs_of

pytestmark = pytest.mark.any_database

OFFERS = """\
kind: game
game: glee-bargaining
files: "**/game.csv"
beside: config.json
each: file
round: {column: round}
seat: {column: player}
seats: {Alice: 1, Bob: 2}
config:
  discount_alice: {column: player_1.delta}
  discount_bob: {column: player_2.delta}
  money: {column: args.money}
  rounds: {column: args.max_rounds}
players:
  1: {occupant: {column: player_1.type, values: {otree: human, bot: model}}, person: args.worker}
  2: {occupant: {column: player_2.type, values: {otree: human, bot: model}}, name: gemini-1.5}
moves:
  - when: {decision: [accept, reject]}
    move: {kind: answer, answer: {column: decision}}
    reason: why
  - when: {alice_gain: "*"}
    move: {kind: propose, alice_gain: {column: alice_gain}}
    message: message
"""
GREEDY = """\
alice_gain,bob_gain,message,player,round,decision,why
995000.0,5000.0,all mine,Alice,1,None,unread
,,None,Bob,1,reject,too little for me
995000.0,5000.0,"so be it, then",Bob,2,None,
,,None,Alice,2,accept,None
"""
ABOUT = {
    "player_1": {"type": "otree", "delta": 0.95},
    "player_2": {"type": "bot", "delta": 0.95},
    "args": {"money": 1_000_000, "max_rounds": 99, "worker": "w7"},
}


def imported(folder: Path, mapping: str, file: str | Path) -> Imported:
    (folder / "map.yaml").write_text(mapping, encoding="utf-8")
    return import_play(folder / file, read_mapping(folder / "map.yaml"), folder / "out")


def table(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_a_file_a_match_with_its_configuration_beside_it(tmp_path: Path) -> None:
    at = tmp_path / "games" / "0C31"
    at.mkdir(parents=True)
    (at / "game.csv").write_text(GREEDY)
    (at / "config.json").write_text(json.dumps(ABOUT))
    done = imported(tmp_path, OFFERS, "games")
    assert (done.matches, done.people, done.without_name, done.broken) == (1, 1, 0, [])
    seats = table(tmp_path / "out" / "seats_played.csv")
    assert [(row["occupant"], row["session"], row["mode"]) for row in seats] == [
        ("human", "w7", "outside"),
        ("model", "", "outside"),
    ]
    measures = [tuple(float(row[name]) for name in ("gain", "efficiency", "fairness")) for row in seats]
    assert measures == [pytest.approx((0.94525, 0.95, 0.0199)), pytest.approx((0.00475, 0.95, 0.0199))]
    played = read_matches(tmp_path / "out" / "moves.csv")
    assert [seat.player for seat in played.seats] == ["human", "gemini-1.5"]
    assert [event.message for event in played.matches[0].match.events if event.message] == [
        "all mine",
        "so be it, then",
    ]
    assert [row["reason"] for row in table(tmp_path / "out" / "moves.csv") if row["kind"] == "move"] == [
        *("", "too little for me", "", "")
    ]
    assert [row["theirs"] for row in table(tmp_path / "out" / "matches.csv")] == ["0C31/game.csv"]
    with pytest.raises(StudyError, match=r"has moves\.csv and seats_played\.csv and matches\.csv"):
        imported(tmp_path, OFFERS, "games")


def test_draws_of_nature_and_yes_and_no_are_taken_as_they_are_written(tmp_path: Path) -> None:
    rows = ["round_quality,player,round,message,decision"]
    for number, (quality, said, bought) in enumerate([("high", "yes", "yes"), ("low", "yes", "no")], 1):
        rows += [f"{quality},Nature,{number},,", f",Alice,{number},,{said}", f",Bob,{number},,{bought}"]
    (tmp_path / "one.csv").write_text("\n".join(rows))
    mapping = """\
kind: game
game: glee-persuasion
each: file
round: {column: round}
config: {chance_high: 1/3, value: 1.2, rounds: 2, messages: binary}
moves:
  - when: {player: Nature}
    nature: {good: {column: round_quality, values: {high: true, low: false}}}
  - {when: {player: Alice}, seat: 1, move: {kind: recommend, buy: {column: decision, values: {yes: true, no: false}}}}
  - {when: {player: Bob}, seat: 2, move: {kind: answer, buy: {column: decision, values: {yes: true, no: false}}}}
"""
    assert imported(tmp_path, mapping, "one.csv").broken == []
    [one] = replayed(tmp_path / "out" / "moves.csv")
    assert [(each.good, each.recommended, each.bought) for each in one.match.state.products] == [
        (True, True, True),
        (False, True, False),
    ]


ULTIMATUM = """\
kind: game
game: glee-bargaining
study: one-shot
config: {money: 100, rounds: 1, discount_alice: 1, discount_bob: 1, messages: false}
"""


def test_a_row_a_match(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text(
        "proposer,responder,offer,accepted,secs\np1,r1,0.40,1,2.5\np2,r2,0.10,0,9\n"
    )
    mapping = f"""{ULTIMATUM}
each: row
players: {{1: {{person: proposer}}, 2: {{person: responder}}}}
moves:
  - seat: 1
    move: {{kind: propose, alice_gain: {{column: offer, times: 100, subtract_from: 100}}}}
    rt_ms: {{column: secs, times: 1000}}
  - seat: 2
    move: {{kind: answer, answer: {{column: accepted, values: {{1: accept, 0: reject}}}}}}
"""
    done = imported(tmp_path, mapping, "rows.csv")
    assert (done.matches, done.people) == (2, 4)
    moves = [row for row in table(tmp_path / "out" / "moves.csv") if row["kind"] == "move"]
    assert [(row["study"], row["session"], row["move"], row["rt_ms"]) for row in moves] == [
        ("one-shot", "p1", '{"alice_gain":60,"kind":"propose"}', "2500"),
        ("one-shot", "r1", '{"answer":"accept","kind":"answer"}', ""),
        ("one-shot", "p2", '{"alice_gain":90,"kind":"propose"}', "9000"),
        ("one-shot", "r2", '{"answer":"reject","kind":"answer"}', ""),
    ]


DEALT = f"""{ULTIMATUM}
deal: {{seed: 4}}
only: {{game: ultimatum}}
players: {{occupant: human, person: user}}
moves:
  - {{seat: 1, move: {{kind: propose, alice_gain: {{column: propose, subtract_from: 100}}}}}}
  - {{seat: 2, move: {{kind: answer, answer: {{threshold: accept}}}}}}
"""


def test_choices_without_a_partner_are_dealt_and_nobody_meets_themselves(tmp_path: Path) -> None:
    people = [("a", 50, 40), ("a", 50, 1), ("b", 10, 60), ("c", 45, 45), ("d", 0, 0), ("e", 30, 20)]
    broken = [("f", -1, -1), ("g", 40, -1), ("h", "", 10), ("i", 40.5, 10)]
    rows = ["user,propose,accept,game", *(f"{u},{p},{a},ultimatum" for u, p, a in (*people, *broken))]
    (tmp_path / "rows.csv").write_text("\n".join([*rows, "z,1,1,dictator"]))
    done = imported(tmp_path, DEALT, "rows.csv")
    assert done.matches == 6
    assert [(place.rpartition("/")[2], why) for _, place, why in done.broken] == [
        ("rows.csv, row 8", "alice_gain is 101; it must be from 0 to 100 (from propose '-1')"),
        ("rows.csv, row 9", "column accept: -1 is no part of 100"),
        ("rows.csv, row 10", "column propose: is empty"),
        (
            "rows.csv, row 11",
            "column propose: 59.5 is no whole number; amounts of games are whole units: see times in the mapping",
        ),
    ]
    offers = []
    for one in replayed(tmp_path / "out" / "moves.csv"):
        deal = one.match.state.offers[0]
        assert one.sessions[1] != one.sessions[2]
        offers.append((one.sessions[1], 100 - deal.amount))
        wanted = {threshold for user, _, threshold in people if user == one.sessions[2]}
        answers = {"accept" if 100 - deal.amount >= threshold else "reject" for threshold in wanted}
        assert deal.answer in answers
    assert sorted(offers) == sorted((user, offer) for user, offer, _ in people), "each offer once"
    first = (tmp_path / "out" / "moves.csv").read_bytes()
    for path in (tmp_path / "out").iterdir():
        path.unlink()
    imported(tmp_path, DEALT, "rows.csv")
    assert (tmp_path / "out" / "moves.csv").read_bytes() == first
    (tmp_path / "alone.csv").write_text("user,propose,accept,game\na,50,40,ultimatum\na,50,40,ultimatum\n")
    for path in (tmp_path / "out").iterdir():
        path.unlink()
    with pytest.raises(StudyError, match="one person has 2 of 2 rows"):
        imported(tmp_path, DEALT, "alone.csv")


def test_offers_to_several_are_named_as_they_come_and_answers_are_put_together(tmp_path: Path) -> None:
    """A row an offer with its answer: the rules ask for all offers of a round first, then for all answers at once."""
    rows = [
        ("1", "ann", "bo", 5, 1), ("1", "bo", "ann", 4, 0), ("1", "cy", "bo", 3, 1),
        ("2", "cy", "ann", 2, 0), ("2", "bo", "ann", 6, 1), ("2", "ann", "cy", 1, 1),
    ]  # fmt: skip
    text = "\n".join(",".join(map(str, (*row, "group1"))) for row in rows)
    (tmp_path / "rows.csv").write_text(f"round,sender,recipient,amount,ok,group\n{text}\n")
    mapping = """\
kind: game
game: sug
match: group
round: {column: round}
seats: by-appearance
config: {players: 3, rounds: 2}
players: {person: group}
moves:
  - {seat: {column: sender}, move: {kind: offer, to: {seat_in: recipient}, amount: {column: amount}}}
  - seat: {column: recipient}
    move: {kind: answer, "offer_{sender}": {column: ok, values: {1: accept, 0: reject}}}
"""
    assert imported(tmp_path, mapping, "rows.csv").broken == []
    [one] = replayed(tmp_path / "out" / "moves.csv")
    state = one.match.state
    names = ["ann", "bo", "cy"]
    told = [
        (str(number), names[sender], names[to - 1], amount, int(accepted))
        for number, offers in enumerate(state.history, 1)
        for sender, (to, amount, accepted) in enumerate(offers)
    ]
    assert sorted(told) == sorted(rows)


@pytest.mark.parametrize(
    ("game", "config", "agents"),
    [
        ("glee-bargaining", ["rounds=6"], "conceder,random"),
        ("glee-negotiation", ["rounds=6"], "random"),
        ("wac", ["days=6"], "simulated"),
        ("sug", ["players=4", "rounds=4"], "random"),
        ("glee-persuasion", ["rounds=5"], "simulated"),
    ],
)
@pytest.mark.parametrize("ending", ["json", "jsonl"])
def test_play_of_ours_that_goes_through_json_comes_back_with_the_same_hashes(
    tmp_path: Path, game: str, config: Sequence[str], agents: str, ending: str
) -> None:
    rules = GAMES[game]
    [settings] = configs_of(rules, config)
    sitting = agents_of(rules, settings, agents)
    matches = [
        play(rules, settings, [agent.player() for agent in sitting], match_seed(3, settings, n))
        for n in range(3)
    ]
    kinds: dict[str, set[str]] = {}
    given = []
    for match in matches:
        moves = [
            {"round": line.round, "seat": line.event.seat, "message": line.event.message, **line.event.move}
            for line in match.log
            if line.event.kind in ("move", "nature")
        ]
        for move in moves:
            kinds.setdefault(str(move["kind"]), set()).update(move)
        given.append({"config": settings.model_dump(mode="json"), "moves": moves})
    text = json.dumps(given) if ending == "json" else "\n".join(json.dumps(one) for one in given)
    (tmp_path / f"rows.{ending}").write_text(text)
    mapping = {
        "kind": "game",
        "game": game,
        "rows": "moves",
        "each": "file",
        "round": {"column": "round"},
        "config": {
            name: value if isinstance(value, list) else {"column": f"config.{name}"}
            for name, value in settings.model_dump(mode="json").items()
        },
        "moves": [_rule(kind, names) for kind, names in kinds.items()],
    }
    done = imported(tmp_path, yaml.safe_dump(mapping), f"rows.{ending}")
    assert (done.matches, done.broken) == (3, [])
    hashes = [one.match.log[-1].state_hash for one in replayed(tmp_path / "out" / "moves.csv")]
    assert hashes == [match.log[-1].state_hash for match in matches]


def _rule(kind: str, names: set[str]) -> Mapping[str, Any]:
    fields = {name: {"column": name} for name in sorted(names - {"kind", "round", "seat", "message"})}
    if kind in ("good", "supply"):
        return {"when": {"kind": kind}, "nature": {kind: {"column": "value"}}}
    rule = {"when": {"kind": kind}, "seat": {"column": "seat"}, "move": {"kind": kind, **fields}}
    return rule if kind in ("answer", "bid", "offer", "recommend") else {**rule, "message": "message"}


ROWS = "game,player,round,decision,alice_gain\ng1,Alice,1,,60\ng1,Bob,1,accept,\n"
BY_ROW = """\
kind: game
game: glee-bargaining
match: game
round: {column: round}
seat: {column: player}
seats: {Alice: 1, Bob: 2}
config: {money: 100, rounds: 2}
moves:
  - {when: {decision: "*"}, move: {kind: answer, answer: {column: decision}}}
  - {when: {alice_gain: "*"}, move: {kind: propose, alice_gain: {column: alice_gain}}}
"""
BREAKS: dict[str, tuple[str, str]] = {
    "row 3: answer is 'maybe'; it must be one of accept, reject (from decision 'maybe')": ("accept", "maybe"),
    "row 2: alice_gain is 160; it must be from 0 to 100 (from alice_gain '160')": (",60", ",160"),
    "row 2: column alice_gain: 60.5 is no whole number": (",60", ",60.5"),
    "row 2: column alice_gain: '6o' is no number": (",60", ",6o"),
    "row 2: column player: 'Eve' is no seat; there are Alice, Bob": ("Alice,", "Eve,"),
    "row 2: has propose of seat 2 in round 1, where the rules ask for propose of seat 1 in round 1": (
        "Alice,",
        "Bob,",
    ),
    "row 3: has answer of seat 2 in round 2, where the rules ask for answer of seat 2 in round 1": (
        "Bob,1",
        "Bob,2",
    ),
    "row 3: the rows end before the match does: in round 2 the rules ask for propose of seat 2": (
        "accept",
        "reject",
    ),
    "row 4: the match was over before it (accepted, round 1)": ("accept,\n", "accept,\ng1,Alice,2,,60\n"),
    "row 3: is no move: none of the mapping's moves fits its cells": ("accept", ""),
    "row 2, column game: is empty; it says which match": ("\ng1,Alice", "\n,Alice"),
    "row 2: there is no column 'decision'; did you mean 'decisions'?": ("decision,", "decisions,"),
    "is empty": (ROWS, ""),
}


def test_rows_that_break_the_rules_are_named_with_what_was_to_come(tmp_path: Path) -> None:
    for why, (old, new) in BREAKS.items():
        (tmp_path / "rows.csv").write_text(ROWS.replace(old, new))
        with pytest.raises(StudyError) as refusal:
            imported(tmp_path, BY_ROW, "rows.csv")
        assert why in str(refusal.value)
        assert not (tmp_path / "out").exists()
    (tmp_path / "rows.csv").write_text(
        ROWS + ROWS.partition("\n")[2].replace("g1", "g2").replace(",60", ",160")
    )
    done = imported(tmp_path, BY_ROW, "rows.csv")
    assert (done.matches, [name for name, _, _ in done.broken]) == (1, ["g2"]), "the others are kept"
    assert table(tmp_path / "out" / "left_out.csv")[0]["theirs"] == "g2"


MOVE = "move: {kind: answer, answer: {column: decision}}"
MAPPINGS: dict[str, tuple[str, str]] = {
    "says nothing of `kind: game`": ("kind: game", "kind: 2afc"),
    "there is no game 'glee'; there are sug, glee-bargaining": ("game: glee-bargaining", "game: glee"),
    "say which rows are a match: match (a column), each (file, or row), or deal": ("match: game\n", ""),
    "mooves: no such key": ("moves:", "mooves:"),
    "moves.0: move needs its kind": ("move: {kind: answer, answer", "move: {answer"),
    "moves.0: give either move, with its kind and fields, or nature": (MOVE, "seat: 1"),
    "config: glee-bargaining has no parameter cash; there are money": ("config: {money", "config: {cash"),
    "its configuration is not valid: rounds": ("rounds: 2", "rounds: none"),
    "the mapping does not say whose move it is": ("seat: {column: player}\n", ""),
    "'person' is no occupant of a seat; there are human, model": ("moves:", "players: {occupant: person}\nmoves:"),
    "is no YAML in UTF-8": ("seats: {", "seats: ["),
    "seats.Alice: ": ("Alice: 1", "Alice: one"),
}  # fmt: skip


def test_a_mapping_that_cannot_be_used_is_refused_by_its_key(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text(ROWS)
    for why, (old, new) in MAPPINGS.items():
        with pytest.raises(StudyError) as refusal:
            imported(tmp_path, BY_ROW.replace(old, new), "rows.csv")
        assert why in str(refusal.value), str(refusal.value)
    with pytest.raises(StudyError, match=r"is a folder; say in the mapping which files it is"):
        imported(tmp_path, BY_ROW, ".")
    with pytest.raises(StudyError, match=r"holds no file like \*\*/game\.csv"):
        imported(tmp_path, OFFERS, ".")


def test_the_documented_mappings_can_be_read(tmp_path: Path) -> None:
    docs = Path(__file__).parents[4] / "docs" / "elsewhere.md"
    blocks = [block.partition("```")[0] for block in docs.read_text(encoding="utf-8").split("```yaml\n")[1:]]
    mine = [block for block in blocks if block.startswith("kind: game")]
    assert len(mine) == 5
    for block in mine:
        (tmp_path / "map.yaml").write_text(block, encoding="utf-8")
        assert read_mapping(tmp_path / "map.yaml").moves
