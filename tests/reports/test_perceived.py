"""Players' observations before each decision, from matches written by hand, and signatures of files and studies."""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from analysis.signatures import Act, PlaySignatures
from app.cli.moving import signatures
from app.core.database import Database
from app.core.settings import Settings
from app.reports.export import export
from app.reports.kinds import Format
from app.reports.perceived import play_of_studies
from app.tasks.game.base import Event
from app.tasks.game.games import GAMES
from app.tasks.game.games.reports import reports_of
from app.tasks.game.match import Match
from app.tasks.game.match_files import HUMAN, SeatPlayed
from app.tasks.game.replay import Replayed
from app.tasks.game.run import asked_for
from app.tasks.game.writing import write
from tests.clock import Clock
from tests.tasks.game.people import SLUG, Person, open_game, play_on

pytestmark = pytest.mark.any_database

Moves = Sequence[tuple[int | None, dict[str, Any]]]


def acts_of(game: str, seat: int, moves: Moves, **config: Any) -> list[Act]:
    """Play these moves (no seat: nature), and read what the seat perceived and did; `auto` makes a move a default."""
    match = Match(GAMES[game], GAMES[game].Config(**config), 1)
    for mover, move in moves:
        auto, message = move.pop("auto", ""), move.pop("message", "")
        kind: Any = "move" if mover else "nature"
        match.append(Event(kind, match.phase.phase_id, mover, move, message, auto))
    played = SeatPlayed(Replayed(match, {}), seat, "", HUMAN, HUMAN, "p")
    return list(reports_of(match.game.name).acts(played))


def same(found: Sequence[Act], expected: Sequence[tuple[str, tuple[float, ...], float]]) -> bool:
    return repr([(a.signature, tuple(round(x, 9) for x in a.given), round(a.did, 9)) for a in found]) == repr(
        expected
    )


def offer(to: int, amount: int) -> dict[str, Any]:
    return {"kind": "offer", "to": to, "amount": amount}


def test_the_ultimatum_game_as_a_player_sees_it() -> None:
    """Three players. 1 offers 5 to 2; 2 and 3 offer to 1; 2 rejects; then 1 turns to 3, and 2 to 1 again."""
    moves: Moves = [
        *((1, offer(2, 5)), (2, offer(1, 3)), (3, offer(1, 4))),
        (1, {"kind": "answer", "offer_2": "reject", "offer_3": "accept"}),
        (2, {"kind": "answer", "offer_1": "reject"}),
        *((1, offer(3, 2)), (2, offer(1, 6)), (3, offer(2, 1))),
    ]
    nothing = (math.nan,)
    expected = [
        ("sug-offer-given-received", nothing, 0.5),
        ("sug-answer-given-offer", (0.3,), 0.0),
        ("sug-answer-given-offer", (0.4,), 1.0),
        ("sug-offer-given-received", (0.4,), 0.2),
        ("sug-recipient-given-proposers", (2.0,), 0.0),
    ]
    assert same(acts_of("sug", 1, moves, players=3, rounds=3), expected)
    expected = [
        ("sug-offer-given-received", nothing, 0.3),
        ("sug-answer-given-offer", (0.5,), 0.0),
        ("sug-offer-given-received", (0.5,), 0.6),
        ("sug-change-given-answer", (0.0,), 0.3),
        ("sug-recipient-given-proposers", (1.0,), 0.0),
    ]
    assert same(acts_of("sug", 2, moves, players=3, rounds=3), expected)
    third = acts_of("sug", 3, moves, players=3, rounds=3)
    assert same(third[-1:], [("sug-recipient-given-proposers", (0.0,), 2.0)])


def test_a_default_move_is_no_decision_but_others_perceive_it() -> None:
    moves: Moves = [
        *((1, offer(2, 5)), (2, offer(1, 0) | {"auto": "timeout"}), (3, offer(1, 4))),
        (1, {"kind": "answer", "offer_2": "reject", "offer_3": "accept"}),
        (2, {"kind": "answer", "offer_1": "reject"}),
        (1, offer(2, 2)),
    ]
    found = acts_of("sug", 2, moves, players=3, rounds=3)
    assert [one.signature for one in found] == ["sug-answer-given-offer"]
    last = acts_of("sug", 1, moves, players=3, rounds=3)[-3]
    assert (last.signature, last.given, last.did) == ("sug-offer-given-received", (0.0,), 0.2)


def test_the_water_auction_as_a_resident_sees_it() -> None:
    """Alex (needs 8, earns 70) bids 35 of 70 on a day of 12 units and loses to Bob; then 140 of 140 less nothing."""
    names = [
        {"name": "Alex", "need": 8, "salary": 70},
        {"name": "Bob", "need": 9, "salary": 75},
    ]
    moves: Moves = [
        *(
            (None, {"kind": "supply", "value": 12}),
            (1, {"kind": "bid", "amount": 35}),
            (2, {"kind": "bid", "amount": 60}),
        ),
        *(
            (None, {"kind": "supply", "value": 20}),
            (1, {"kind": "bid", "amount": 70}),
            (2, {"kind": "bid", "amount": 0}),
        ),
    ]
    expected = [
        ("wac-bid-given-health", (0.8,), 0.5),
        ("wac-bid-given-drought", (0.0,), 0.5),
        ("wac-bid-given-supply", (1.5,), 0.5),
        ("wac-bid-given-health", (0.7,), 0.5),
        ("wac-bid-given-drought", (1.0,), 0.5),
        ("wac-bid-given-supply", (2.5,), 0.5),
    ]
    assert same(acts_of("wac", 1, moves, residents=names), expected)


def test_bargaining_and_negotiation_as_each_seat_sees_them() -> None:
    """Alice asks 7,000 of 10,000, Bob offers her 4,000, she asks 6,000, he offers 5,500 and she accepts."""

    def gain(amount: int) -> dict[str, Any]:
        return {"kind": "propose", "alice_gain": amount}

    def says(answer: str) -> dict[str, Any]:
        return {"kind": "answer", "answer": answer}

    rejected = says("reject")
    moves: Moves = [
        *((1, gain(7000)), (2, dict(rejected)), (2, gain(4000)), (1, dict(rejected))),
        *((1, gain(6000)), (2, dict(rejected)), (2, gain(5500)), (1, says("accept"))),
    ]
    assert same(
        acts_of("glee-bargaining", 1, moves),
        [
            ("bargaining-answer-given-offer", (0.0, 0.4), 0.0),
            ("bargaining-change-given-offer", (0.0, 0.4), -0.1),
            ("bargaining-answer-given-offer", (0.0, 0.55), 1.0),
        ],
    )
    assert same(
        acts_of("glee-bargaining", 2, moves),
        [
            ("bargaining-answer-given-offer", (1.0, 0.3), 0.0),
            ("bargaining-answer-given-offer", (1.0, 0.4), 0.0),
            ("bargaining-change-given-offer", (1.0, 0.4), -0.15),
        ],
    )
    # It is worth 8,000 to the seller and 12,000 to the buyer.
    prices: Moves = [
        *((1, {"kind": "propose", "price": 13000}), (2, dict(rejected))),
        *((2, {"kind": "propose", "price": 7000}), (1, dict(rejected))),
        *((1, {"kind": "propose", "price": 11000}), (2, says("outside"))),
    ]
    assert same(
        acts_of("glee-negotiation", 1, prices),
        [
            ("negotiation-answer-given-price", (0.0, -0.1), 1.0),
            ("negotiation-change-given-offer", (0.0, -0.1), -0.2),
        ],
    )
    assert same(
        acts_of("glee-negotiation", 2, prices),
        [
            ("negotiation-answer-given-price", (1.0, -0.1), 1.0),
            ("negotiation-answer-given-price", (1.0, 0.1), 2.0),
        ],
    )


def test_persuasion_as_each_seat_sees_it() -> None:
    """A bad product is recommended and bought, a good one in words; then one is spoken against."""

    def rounds() -> Moves:
        return [
            *((None, {"kind": "good", "value": False}), (1, {"kind": "message", "message": "Buy it!"})),
            *((2, {"kind": "answer", "buy": True}), (None, {"kind": "good", "value": True})),
            *((1, {"kind": "message", "message": "Buy this"}), (2, {"kind": "answer", "buy": False})),
            *((None, {"kind": "good", "value": False}), (1, {"kind": "message", "message": "Do not buy"})),
            (2, {"kind": "answer", "buy": False}),
        ]

    quality = "persuasion-recommends-given-quality"
    assert same(
        acts_of("glee-persuasion", 1, rounds()),
        [(quality, (0.0,), 1.0), (quality, (1.0,), 1.0), (quality, (0.0,), 0.0)],
    )
    buys = "persuasion-buys-given-message"
    assert same(
        acts_of("glee-persuasion", 2, rounds()),
        [(buys, (1.0, math.nan), 1.0), (buys, (1.0, 0.0), 0.0), (buys, (0.0, 0.5), 0.0)],
    )
    # Who sees past sales alone knows of the bad one that was bought, and not of the good one that was not.
    assert same(
        acts_of("glee-persuasion", 2, rounds(), buyer="myopic")[-1:],
        [(buys, (0.0, 0.0), 0.0)],
    )


def silent(done: int, total: int, item: str = "") -> None:
    pass


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("played")
    seats = {"people": "simulated", "like": "adaptive", "other": "gt,gt,gt,random,random"}
    for seed, (name, of) in enumerate(seats.items(), start=1):
        write(asked_for("sug", [], [of], 5, seed), folder / name, silent)
    return [str(folder / name / "moves.csv") for name in seats]


@pytest.mark.slow
def test_files_of_moves_are_compared_in_one_command(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Simulated people are adaptive agents that err now and then, so that these are nearest by what they do."""
    signatures(files, as_json=True, resamples=30)
    found = json.loads(capsys.readouterr().out)
    assert found["human"] == "simulated"
    counted = {one["source"]: (one["n_players"], one["n_matches"]) for one in found["sources"]}
    assert counted == {"adaptive": (1, 5), "gt": (1, 5), "random": (1, 5), "simulated": (25, 5)}
    by_name = {one["signature"]: one for one in found["signatures"]}
    for name in ("sug-offer-given-received", "sug-change-given-answer", "sug-answer-given-offer"):
        far = {each["source"]: each["distance"] for each in by_name[name]["distances"]}
        assert by_name[name]["nearest"] == "adaptive", far
        assert far["adaptive"] < far["gt"], name
    signatures(files, resamples=0)
    text = capsys.readouterr().out
    for said in ("Signatures: how sources play", "No person played: simulated people stand in", "outside, "):
        assert said in text


def test_the_matches_of_a_study_are_compared_like_their_exported_files(
    client: TestClient,
    database: Database,
    settings: Settings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    alone = {"wait_max_s": 10, "ready_s": 0}
    open_game(database, tmp_path, game="sug", agent="adaptive", configs={"players": 3}, matching=alone)
    with database.reading() as session:
        assert play_of_studies(session, [SLUG], None) is None
    for name in ("ann", "bob"):
        person = Person(client, database, PROLIFIC_PID=name)
        person.look()
        Clock.wait(11)
        person.look()
        play_on([person], seed=len(name))
    with database.reading() as session:
        found = play_of_studies(session, [SLUG], None)
        assert play_of_studies(session, [SLUG], "simulated") is None, "no match of another mode"
        for what in ("moves", "seats_played"):
            export(session, SLUG, what, Format.CSV, tmp_path / f"{what}.csv")
    assert isinstance(found, PlaySignatures)
    of = {one.source: (one.n_players, one.n_matches) for one in found.sources}
    assert of == {"adaptive": (1, 2), "human": (2, 2)}
    [company] = [note for note in found.notes if "people among people" in note]
    assert company.startswith("sug: in 2 of 2 matches of human there were others, too (adaptive)")
    offers = next(one for one in found.signatures if one.signature == "sug-offer-given-received")
    assert offers.map is not None
    assert set(offers.map.labels) == {"human: 1", "human: 2", "adaptive"}, "people are numbered"
    monkeypatch.setenv("LIKELY_HUMAN_DATA", str(settings.data_dir))
    monkeypatch.setenv("DATABASE_URL", database.url.render_as_string(hide_password=False))
    said = []
    for target in (SLUG, str(tmp_path / "moves.csv")):
        signatures([target], as_json=True, resamples=50)
        said.append(json.loads(capsys.readouterr().out))
    assert said[0] == said[1]
    assert [one["distances"] for one in said[0]["signatures"]] == [
        [each.to_dict() for each in one.distances] for one in found.signatures
    ]
