"""`game imitate`: agents in place of people, on matches worked by hand, imported and of other games."""

import csv
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from analysis.games.sug_compare import NAMES
from app.reports.imitated import to_imitate
from app.tasks.game.base import Event
from app.tasks.game.files import MOVES, Holder, rows_of_moves
from app.tasks.game.games.sug.rules import Sug, SugConfig
from app.tasks.game.imitating import imitations
from app.tasks.game.match import Match
from app.tasks.game.match_files import read_matches
from app.tasks.game.replay import replayed
from app.tasks.game.writing import FILES, write
from tests.program import Done, Program
from tests.tasks.game.test_metrics import played, silent

pytestmark = pytest.mark.slow

A, B, C = 1, 2, 3
Offers = Mapping[int, tuple[int, int]]
# A offers B 6, 6, 3 (refused), 5; B keeps to 4; C falls from 5 to 2. Everything else is accepted.
FALLING = [
    {A: (B, 6), B: (A, 4), C: (A, 5)},
    {A: (B, 6), B: (A, 4), C: (A, 2)},
    {A: (B, 3), B: (A, 4), C: (A, 2)},
    {A: (B, 5), B: (A, 4), C: (A, 2)},
]
EVEN = [{A: (B, 5), B: (C, 5), C: (A, 5)}] * 4
REFUSED = 3
TRACES = 10


def by_hand(rounds: Sequence[Offers], **parameters: object) -> Match:
    """A match in which offers of 3 are refused and all others accepted."""
    config = SugConfig.model_validate({"players": 3, "rounds": 4, **parameters})
    match = Match(Sug(), config, 1)
    for number, offers in enumerate(rounds, 1):
        for seat, (to, amount) in offers.items():
            match.append(
                Event("move", f"{number}-offer", seat, {"kind": "offer", "to": to, "amount": amount})
            )
        for seat in match.phase.seats:
            given = {
                f"offer_{sender}": "reject" if amount == REFUSED else "accept"
                for sender, (to, amount) in offers.items()
                if to == seat
            }
            match.append(Event("move", f"{number}-answer", seat, {"kind": "answer", **given}))
    return match


def write_moves(path: Path, matches: Sequence[Match], agents: Mapping[tuple[int, int], str] = {}) -> Path:
    """Moves of people, but for seats of `agents`, by match and seat."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(MOVES)
        for number, match in enumerate(matches, 1):
            holders = {
                role.seat: Holder("rule")
                if (number, role.seat) in agents
                else Holder("human", f"s{number}{role.seat}")
                for role in match.game.seats(match.config)
            }
            table.writerows(rows_of_moves(match, holders, {"mode": "live", "match": str(number)}))
    return path


def rows_in(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def run(program: Program, tmp_path: Path) -> Any:
    def run(*words: object) -> Done:
        return program.run(*words, cwd=tmp_path, environment={"COLUMNS": "300", "TERM": "dumb"})

    return run


@pytest.fixture(scope="module")
def imitated(tmp_path_factory: pytest.TempPathFactory, program: Program) -> tuple[Path, dict[str, Any]]:
    """The folder in which two matches worked by hand were imitated, and what was printed as JSON."""
    folder = tmp_path_factory.mktemp("imitated")
    path = write_moves(folder / "moves.csv", [by_hand(FALLING), by_hand(EVEN)])
    words = ("game", "imitate", path, "--agents", "adaptive,dba,dbra,gt", "--traces", TRACES, "--json")
    done = program.run(*words, "--out", folder / "out", cwd=folder, environment={"TERM": "dumb"})
    assert done.returncode == 0, done.stderr
    return folder / "out", json.loads(done.stdout)


def test_each_seat_has_the_parameters_of_its_own_person_in_its_own_match(
    imitated: tuple[Path, dict[str, Any]],
) -> None:
    """By hand: A falls after two offers of 6, C after one of 5; who never falls has the median of these. C alone offers
    less than what it knows to be accepted, in one of three rounds."""
    folder, _ = imitated
    of_a, of_c = 1 - 2 ** (-1 / 2), 1 / 2
    usual = (of_a + of_c) / 2
    assert [
        (
            *(row[name] for name in ("agent", "of_match", "seat", "session")),
            *(pytest.approx(float(row[name])) for name in ("alpha", "beta", "gamma")),
        )
        for row in rows_in(folder / "parameters.csv")
    ] == [
        ("adaptive", "1", "1", "s11", 0.6, of_a, 0),
        ("adaptive", "1", "2", "s12", 0.4, usual, 0),
        ("adaptive", "1", "3", "s13", 0.5, of_c, 1 / 3),
        *(("adaptive", "2", str(seat), f"s2{seat}", 0.5, usual, 0) for seat in (A, B, C)),
    ]
    first = [one.match.state.history[0] for one in replayed(folder / "adaptive" / "moves.csv")]
    amounts = [tuple(amount for _, amount, _ in offers) for offers in first]
    assert len(amounts) == 2 * TRACES
    # The first offer is what the person began with; C tries one less now and then, of the least that anybody takes.
    assert {(a, b) for a, b, _ in amounts[:TRACES]} == {(6, 4)}
    assert {c for _, _, c in amounts[:TRACES]} == {4, 5}
    assert set(amounts[TRACES:]) == {(5, 5, 5)}


def test_every_match_is_played_again_by_every_agent_as_often_as_asked(
    imitated: tuple[Path, dict[str, Any]],
) -> None:
    folder, _ = imitated
    traces = rows_in(folder / "traces.csv")
    for agent in ("adaptive", "dba", "dbra", "gt"):
        own = [(row["match"], row["trace"], row["of_match"]) for row in traces if row["agent"] == agent]
        assert own == [(str(n + 1), str(n % TRACES + 1), str(n // TRACES + 1)) for n in range(2 * TRACES)]
        matches = list(replayed(folder / agent / "moves.csv"))
        assert [one.id for one in matches] == [match for match, _, _ in own]
        assert {one.match.config for one in matches} == {SugConfig(players=3, rounds=4)}
        assert len({one.match.seed for one in matches}) == 2 * TRACES, "two matches of one configuration, too"
        names = {row["agent"] for row in rows_in(folder / agent / "seats_played.csv")}
        assert len(names) == 1, "one agent, whatever its seats' parameters are"
        assert names.pop().startswith(f"{agent}-")


def test_table_1_is_the_distances_worked_by_hand(imitated: tuple[Path, dict[str, Any]]) -> None:
    """Of `gt`, which offers 1 and accepts it: by the formulas, from counts of the matches above."""
    folder, whole = imitated
    offers = {2: 3, 3: 1, 4: 4, 5: 14, 6: 2}  # 24 offers of people
    counts = [
        [offers.get(amount, 0) for amount in range(11)],
        [240 if amount == 1 else 0 for amount in range(11)],
    ]
    assert [whole["people"]["offers"], whole["agents"]["gt"]["play"]["offers"]] == counts
    p, q = ([(n + 0.5) / (sum(each) + 5.5) for n in each] for each in counts)
    d_o = sum((a - b) * math.log(a / b) for a, b in zip(p, q, strict=True))
    d_b = 0.0
    for amount in range(11):
        refused = [offers.get(amount, 0) if amount == REFUSED else 0, 0]
        shares = [(k + 0.5) / (each[amount] + 1) for k, each in zip(refused, counts, strict=True)]
        for of in ((shares[0], shares[1]), (1 - shares[0], 1 - shares[1])):
            d_b += (of[0] - of[1]) * math.log(of[0] / of[1])
    far = {(row["source"], row["metric"]): row for row in rows_in(folder / "distances.csv")}
    assert float(far["gt", "d_o"]["distance"]) == pytest.approx(d_o)
    assert float(far["gt", "d_b"]["distance"]) == pytest.approx(d_b)
    assert (far["gt", "d_o"]["n"], far["gt", "d_o"]["unit"]) == (str(2 * TRACES), "matches")
    for agent in ("adaptive", "dba", "dbra", "gt"):
        distances = whole["agents"][agent]["distances"]
        assert {name: float(far[agent, name]["distance"]) for name in NAMES} == pytest.approx(
            {name: distances[name] for name in NAMES}
        )
    order = {agent: float(far[agent, "d_o"]["distance"]) for agent in ("dba", "adaptive", "gt")}
    assert list(order) == sorted(order, key=lambda agent: order[agent]), "the order of the paper's table"


def test_figure_2_has_people_and_the_four_agents(imitated: tuple[Path, dict[str, Any]]) -> None:
    folder, _ = imitated
    rows = rows_in(folder / "ultimatum.csv")
    assert list(dict.fromkeys(row["play"] for row in rows)) == ["people", "adaptive", "dba", "dbra", "gt"]
    assert {row["panel"] for row in rows} == {"offers", "rejected", "recipients", "reciprocated"}
    assert (folder / "ultimatum.png").read_bytes().startswith(b"\x89PNG")
    shown = {row["at"]: row["share"] for row in rows if (row["panel"], row["play"]) == ("offers", "people")}
    assert shown["5"] == f"{14 / 24:.3f}"


def test_the_same_seed_plays_the_same_and_another_other_traces(tmp_path: Path) -> None:
    people = to_imitate(read_matches(write_moves(tmp_path / "moves.csv", [by_hand(FALLING)])), {})
    written = []
    for folder, seed in (("one", 1), ("two", 1), ("three", 2)):
        [adaptive] = imitations(Sug(), people.file.matches, ["adaptive"], 3, seed, people.file.path)
        write(adaptive.runs, tmp_path / folder, silent, adaptive)
        written.append([(tmp_path / folder / name).read_bytes() for name in FILES])
    assert written[0] == written[1]
    assert written[0][0] != written[2][0]


def test_the_table_is_printed_and_a_parameter_that_is_given_stays(run: Any, tmp_path: Path) -> None:
    path = write_moves(tmp_path / "moves.csv", [by_hand(FALLING)])
    done = run("game", "imitate", path, "--agents", "adaptive:gamma=0,dba", "--traces", 3, "--out", "out")
    assert done.returncode == 0, done.stderr
    said, *_, head = done.stdout.splitlines()[:3]
    assert said == "1 match of people, 3 traces of each by each agent: out"
    assert head.split() == ["adaptive", "dba"]
    rows = [line.rsplit(maxsplit=2) for line in done.stdout.splitlines()[3:]]
    far = {(row["source"], row["metric"]): row for row in rows_in(tmp_path / "out" / "distances.csv")}
    assert [name.strip() for name, _, _ in rows[:5]] == ["dO", "dR", "dB", "dY", "dY8"]
    assert rows[4][1] == f"{float(far['adaptive', 'd_y8']['distance']):.3f}"
    own = rows_in(tmp_path / "out" / "parameters.csv")
    assert {row["gamma"] for row in own} == {"0.0"}
    assert len({row["alpha"] for row in own}) == 3


def test_matches_with_agents_or_of_another_size_are_left_out_and_counted(run: Any, tmp_path: Path) -> None:
    four = [{**offers, 4: (A, 5)} for offers in EVEN]
    matches = [by_hand(EVEN), by_hand(FALLING), by_hand(four, players=4)]
    path = write_moves(tmp_path / "moves.csv", matches, {(2, 3): "gt"})
    words = ("game", "imitate", path, "--agents", "gt", "--traces", 1)
    done = run(*words, "--out", "out", "--only", "players=3")
    assert done.returncode == 0, done.stderr
    assert "1 match of people, 1 trace of each by each agent: out" in done.stdout
    assert "left out: 1 match with an agent on a seat" in done.stdout
    assert "left out: 1 match of another configuration (--only)" in done.stdout
    assert {row["of_match"] for row in rows_in(tmp_path / "out" / "traces.csv")} == {"1"}
    done = run(*words[:-4], "--agents", "dba", "--out", "both")
    assert done.returncode == 1
    assert "habits are learned from matches of one configuration; there are 2" in done.stderr
    assert not list((tmp_path / "both").glob("*"))


def test_what_cannot_be_imitated_is_refused_in_words(run: Any, tmp_path: Path) -> None:
    path = write_moves(tmp_path / "moves.csv", [by_hand(EVEN)])
    mixed = write_moves(tmp_path / "mixed.csv", [by_hand(EVEN)], {(1, 1): "gt"})
    stand_ins = played(tmp_path / "people", "sug", ["simulated"], ["players=3", "rounds=2"], 1)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").write_text("mine")
    for words, said in (
        ((path, "--agents", "nobody"), "there is no agent 'nobody' for sug; there are random, gt, dba"),
        ((path, "--agents", "gt,gt"), "--agents names gt twice"),
        ((path, "--agents", " ,"), "--agents names no agent"),
        ((path, "--agents", "model"), "model plays outside of this process"),
        (
            (path, "--agents", "gt", "--only", "size=5"),
            "sug has no parameter size; there are players, rounds",
        ),
        ((path, "--agents", "gt", "--only", "players=5"), "no match to imitate: 1 of another configuration"),
        ((stand_ins, "--agents", "gt,simulated"), "simulated is who played these matches"),
        ((mixed, "--agents", "gt"), "no match to imitate: 1 with an agent on a seat"),
        ((tmp_path / "none.csv", "--agents", "gt"), "No such file"),
        ((path, "--agents", "gt", "--out", "full"), "full is not empty; name another folder with --out"),
    ):
        out = () if "--out" in words else ("--out", "new")
        done = run("game", "imitate", *words, *out)
        assert done.returncode == 1, words
        assert said in done.stderr.replace("\n", " "), (words, done.stderr)
        assert "Traceback" not in done.stderr
    assert (tmp_path / "full" / "notes.txt").read_text() == "mine"
    assert not (tmp_path / "new").exists()


def test_play_that_was_imported_is_imitated_like_play_of_ours(run: Any, tmp_path: Path) -> None:
    """A row an offer with its answer, as docs/elsewhere.md has it."""
    rows = [
        (number, "abc"[sender - 1], "abc"[to - 1], amount, int(amount != REFUSED))
        for number, offers in enumerate(FALLING, 1)
        for sender, (to, amount) in offers.items()
    ]
    lines = [",".join(map(str, row)) + ",g1" for row in rows]
    (tmp_path / "rows.csv").write_text("\n".join(["round,sender,recipient,amount,ok,group", *lines]))
    (tmp_path / "map.yaml").write_text("""\
kind: game
game: sug
match: group
round: {column: round}
seats: by-appearance
config: {players: 3, rounds: 4}
moves:
  - {seat: {column: sender}, move: {kind: offer, to: {seat_in: recipient}, amount: {column: amount}}}
  - seat: {column: recipient}
    move: {kind: answer, "offer_{sender}": {column: ok, values: {1: accept, 0: reject}}}
""")
    done = run("import", "game", "rows.csv", "--mapping", "map.yaml", "--out", "theirs")
    assert done.returncode == 0, done.stderr
    words = ("game", "imitate", "theirs/moves.csv", "--agents", "adaptive,gt", "--traces", 2)
    done = run(*words, "--out", "out")
    assert done.returncode == 0, done.stderr
    alphas = [float(row["alpha"]) for row in rows_in(tmp_path / "out" / "parameters.csv")]
    assert alphas == [0.6, 0.4, 0.5]


def test_a_game_without_parameters_of_people_is_imitated_by_its_agents_as_they_are(
    run: Any, tmp_path: Path
) -> None:
    people = played(tmp_path / "people", "wac", ["simulated"], ["days=3"])
    done = run("game", "imitate", people, "--agents", "saver,outbid", "--traces", 2, "--out", "out")
    assert done.returncode == 0, done.stderr
    assert "2 matches of simulated people, 2 traces of each by each agent: out" in done.stdout
    assert rows_in(tmp_path / "out" / "parameters.csv") == []
    far = rows_in(tmp_path / "out" / "distances.csv")
    assert {row["source"] for row in far} == {"saver", "outbid"}
    assert {"wac-bid-given-health", "survived (Alex)"} <= {row["metric"] for row in far}
    assert len(list(replayed(tmp_path / "out" / "saver" / "moves.csv"))) == 4
