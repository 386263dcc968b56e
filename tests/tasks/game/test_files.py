"""`likely-human game` as it is typed: what it writes, that a replay finds every change, and what it refuses."""

import csv
import fcntl
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import ValidationError

from app.core.errors import StudyError
from app.tasks.game.agents.registry import agent_named
from app.tasks.game.files import MOVES, SEATS_PLAYED, Played, move_rows
from app.tasks.game.games import FAMILIES, GAMES
from app.tasks.game.match import play
from app.tasks.game.replay import ReplayError, Row, replay, replayed
from app.tasks.game.run import RunRequest, agents_of, asked_for, configs_of, fitted, seats_in
from app.tasks.game.writing import WrittenMatches, write
from tests.program import Done, Program

SEATS = "gt,dba,dbra,adaptive,simulated"


def silent(done: int, total: int, item: str = "") -> None:
    pass


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three short matches of five different agents."""
    out = tmp_path_factory.mktemp("game") / "out"
    game = GAMES["sug"]
    configs = configs_of(game, ["rounds=4"])
    assert write(
        [RunRequest(game, configs, agents_of(game, configs[0], SEATS), 3, 5)], out, silent
    ) == WrittenMatches(3, 0)
    return out


def table(path: Path) -> list[list[str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def test_the_tables_have_the_documented_columns_and_payoffs_that_add_up(folder: Path) -> None:
    head, *rows = table(folder / "moves.csv")
    assert tuple(head) == MOVES
    moves = [dict(zip(head, row, strict=True)) for row in rows]
    head, *rows = table(folder / "seats_played.csv")
    assert tuple(head[: len(SEATS_PLAYED)]) == SEATS_PLAYED
    seats = [dict(zip(head, row, strict=True)) for row in rows]
    assert len(seats) == 15
    for seat in seats:
        own = [m for m in moves if (m["match"], m["seat"]) == (seat["match"], seat["seat"])]
        paid = [int(m["payoff_round"]) for m in own if m["kind"] == "resolve"]
        assert len(paid) == 4
        assert sum(paid) == int(seat["payoff_units"])
    assert [s["agent"].split("-")[0] for s in seats[:5]] == SEATS.split(",")
    assert {m["config_hash"] for m in moves} == {s["config_hash"] for s in seats}
    note = json.loads(moves[0]["move"])
    assert note["config"]["rounds"] == 4


def test_the_same_seed_writes_the_same_bytes_and_another_does_not(folder: Path, tmp_path: Path) -> None:
    game = GAMES["sug"]
    configs = configs_of(game, ["rounds=4"])
    for seed, same in ((5, True), (6, False)):
        out = tmp_path / str(seed)
        write([RunRequest(game, configs, agents_of(game, configs[0], SEATS), 3, seed)], out, silent)
        for name in ("moves.csv", "seats_played.csv"):
            assert ((out / name).read_bytes() == (folder / name).read_bytes()) is same


def test_a_run_that_was_killed_goes_on_after_its_last_match_and_writes_the_same_bytes(
    folder: Path, tmp_path: Path
) -> None:
    game = GAMES["sug"]
    configs = configs_of(game, ["rounds=4"])
    asked = [RunRequest(game, configs, agents_of(game, configs[0], SEATS), 3, 5)]
    names = ("moves.csv", "seats_played.csv")

    class Killed(BaseException):
        pass

    def kill_after(matches: int) -> Callable[[int, int, str], None]:
        def on_progress(done: int, total: int, item: str) -> None:
            if done == matches:
                raise Killed

        return on_progress

    def same(out: Path) -> bool:
        files = sorted(path.name for path in out.iterdir())
        return files == list(names) and all(
            (out / name).read_bytes() == (folder / name).read_bytes() for name in names
        )

    def torn_row(path: Path) -> None:
        path.write_bytes(path.read_bytes() + b"half a row")

    def cut(path: Path, n_bytes: int) -> None:
        path.write_bytes(path.read_bytes()[:-n_bytes])

    cases: Sequence[tuple[int, Callable[[Path], object] | None, int]] = (
        (1, None, 1),
        (3, None, 3),
        # What a match had left behind in the middle of being written is cut off, or played again.
        (2, lambda part: torn_row(part / names[0]), 2),
        (2, lambda part: cut(part / names[1], 5), 1),
        (2, lambda part: cut(part / "played.txt", 1), 1),
        (2, lambda part: (part / "played.txt").unlink(), 0),
        # Killed between the two renames at the end.
        (3, lambda part: (part / names[0]).replace(part.parent / names[0]), 3),
    )
    for case, (n, spoil, earlier) in enumerate(cases):
        out = tmp_path / str(case)
        with pytest.raises(Killed):
            write(asked, out, kill_after(n))
        part = out / ".unfinished"
        assert not (out / names[0]).exists()
        if spoil:
            spoil(part)
        with pytest.raises(StudyError, match="unfinished run of something else"):
            write([replace(asked[0], seed=6)], out, silent)
        number: list[int] = []
        assert write(asked, out, lambda done, total, item: number.append(done)) == WrittenMatches(3, earlier)  # noqa: B023
        assert number == list(range(earlier + 1, 4))
        assert same(out)

    out = tmp_path / "two at once"
    with pytest.raises(Killed):
        write(asked, out, kill_after(1))
    with (out / ".unfinished" / "run.json").open("a") as run:
        fcntl.flock(run, fcntl.LOCK_EX)
        with pytest.raises(StudyError, match="another run is writing"):
            write(asked, out, silent)


def test_a_whole_family_and_its_grid_are_one_command(tmp_path: Path) -> None:
    asked = asked_for("glee", ["grid"], ["random"], 1, 1)
    assert sum(len(one.configs) for one in asked) == 1320
    few = asked_for("glee", ["human-study"], ["random", "equal-split", "truthful,copier"], 1, 1)
    few = [replace(one, configs=one.configs[:2]) for one in few]
    assert write(few, tmp_path, silent) == WrittenMatches(6, 0)
    played = [one.match.game.name for one in replayed(tmp_path / "moves.csv")]
    assert played == [name for name in FAMILIES["glee"] for _ in range(2)]
    with pytest.raises(StudyError, match="--seats is given 2 times; glee takes it once, or 3 times"):
        asked_for("glee", [], ["random"] * 2, 1, 1)


@pytest.mark.parametrize("name", list(GAMES))
def test_a_replay_of_what_was_written_finds_nothing_and_any_cell_changed_is_found(name: str) -> None:
    game = GAMES[name]
    config = game.Config()
    agents = agents_of(game, config, "random")
    match = play(game, config, [agent.player() for agent in agents], 3)
    rows = [
        Row(i, dict(zip(MOVES, cells, strict=True)))
        for i, cells in enumerate(move_rows(Played("1", match, agents)), start=2)
    ]
    assert replay(rows).log == match.log
    changes = {"seq": "0", "round": "99", "phase": "x", "kind": "note", "seat": "77", "state_hash": "0"}
    changes |= {"game": "go", "config_hash": "0", "role": "x", "auto": "x"}
    for column, value in changes.items():
        changed = [*rows[:4], Row(rows[4].line, {**rows[4].cells, column: value}), *rows[5:]]
        with pytest.raises(ReplayError, match=r"line 6 \(match 1, seq "):
            replay(changed)
    with pytest.raises(ReplayError, match="line 6"):
        replay([*rows[:3], *rows[4:]])
    with pytest.raises(ReplayError, match=r"is not over|is missing"):
        replay(rows[:-1])


def test_a_replay_names_the_first_event_that_differs(folder: Path, tmp_path: Path) -> None:
    text = (folder / "moves.csv").read_text(encoding="utf-8")
    assert len(list(replayed(folder / "moves.csv"))) == 3
    lines = text.splitlines(keepends=True)
    spoilt = {
        "a move": (6, lines[6].replace('""amount"":', '""amount"":1'), "line 7 "),
        "a hash": (9, lines[9].rstrip(",\n")[:-1] + "!,,\n", "state_hash is"),
        "a start": (1, lines[1].replace('""rounds"":4', '""rounds"":5'), "config_hash is"),
        "a game": (1, lines[1].replace(",sug,", ",chess,"), "there is no game 'chess'"),
        "a version": (1, lines[1].replace('""version"":""1""', '""version"":""0""'), "version 0 of sug"),
        "broken JSON": (6, lines[6].replace("{", "["), "move cannot be read"),
        "a cell too many": (6, lines[6].replace("\n", ",\n"), "has 28 cells, the header 27"),
        "the header": (0, "a,b\n", "the column 'study' is missing"),
    }
    for what, (at, line, said) in spoilt.items():
        path = tmp_path / "moves.csv"
        path.write_text("".join([*lines[:at], line, *lines[at + 1 :]]), encoding="utf-8")
        with pytest.raises(StudyError) as refused:
            list(replayed(path))
        assert said in str(refused.value), what


def test_commands_list_play_and_replay(program: Program, tmp_path: Path) -> None:
    def run(*words: object) -> Done:
        return program.run("game", *words, cwd=tmp_path, environment={"COLUMNS": "200", "TERM": "dumb"})

    listed = run("list")
    assert all(name in listed.stdout for name in GAMES)
    done = run("play", "sug", "--seats", "gt", "--config", "rounds=2", "--out", "out")
    assert done.returncode == 0, done.stderr
    assert "1 match of sug" in done.stdout
    moves = tmp_path / "out" / "moves.csv"
    done = run("play", "sug", "--seats", "simulated", "--config", "rounds=3", "--out", "people")
    done = run("metrics", "people/moves.csv", moves)
    assert done.returncode == 0, done.stderr
    assert "dY8 " in done.stdout
    whole = json.loads(run("metrics", "people/moves.csv", moves, "people/moves.csv", "--json").stdout)
    assert whole["people"]["play"]["players"] == 5
    assert whole["files"][str(moves)]["distances"]["d_o"] > 1
    assert whole["files"]["people/moves.csv"]["distances"]["d_b"] == 0
    done = run("metrics", moves, moves)
    assert done.returncode == 1
    assert "has no seat of a person" in done.stderr
    done = run("replay", moves)
    assert done.returncode == 0, done.stderr
    assert "1 match, 26 events: every state is as written" in done.stdout
    text = moves.read_text(encoding="utf-8")
    moves.write_text(text.replace('""amount"":1', '""amount"":2', 1), encoding="utf-8")
    done = run("replay", moves)
    assert done.returncode == 1
    assert "line 3 (match 1, seq 2): state_hash is" in done.stderr
    assert "Traceback" not in done.stderr


def test_agents_learn_from_the_seats_in_a_file(folder: Path, tmp_path: Path) -> None:
    game = GAMES["sug"]
    config = configs_of(game, ["rounds=4"])[0]
    people = seats_in(game, folder / "moves.csv")
    assert [seat for _, seat in people] == [5, 5, 5]
    gt, dba = fitted(game, agents_of(game, config, SEATS)[:2], folder / "moves.csv")
    assert gt == agents_of(game, config, "gt")[0]
    habits = dba.model_dump()["habits"]
    assert habits["source"] == "moves.csv"
    assert sum(habits["offers"]) == 12
    agents = agents_of(game, config, "gt")
    with pytest.raises(StudyError, match="none of the agents in --seats learns"):
        fitted(game, agents, folder / "moves.csv")
    write([RunRequest(game, [config], agents, 1, 1)], tmp_path / "rules", silent)
    with pytest.raises(StudyError, match="has no seat of a person"):
        seats_in(game, tmp_path / "rules" / "moves.csv")
    other = next(game for name, game in GAMES.items() if name != "sug")
    with pytest.raises(StudyError, match="learn from no moves; those of sug do"):
        fitted(other, agents_of(other, other.Config(), "random"), folder / "moves.csv")


def test_what_cannot_be_played_is_refused_in_words(folder: Path, tmp_path: Path) -> None:
    game = GAMES["sug"]
    default = configs_of(game, [])
    (tmp_path / "broken.yaml").write_text("rounds: [", encoding="utf-8")
    (tmp_path / "two.yaml").write_text("- {rounds: 3}\n- {rounds: 4}\n", encoding="utf-8")
    assert [c.rounds for c in configs_of(game, [str(tmp_path / "two.yaml")])] == [3, 4]  # type: ignore[attr-defined]
    for given, said in (
        (["rounds=1"], "--config: rounds: "),
        (["nonsense=1"], "--config: nonsense: no such parameter; there are: players, rounds"),
        (["rounds=["], "'rounds=[' has no value that can be read"),
        (["rounds=3", "players"], "'players' is not KEY=VALUE"),
        ([str(tmp_path / "none.yaml")], "none.yaml: No such file"),
        ([str(tmp_path / "broken.yaml")], "is not YAML"),
    ):
        with pytest.raises(StudyError) as refused:
            configs_of(game, given)
        assert said in str(refused.value)
    for seats, said in (
        ("gt,gt", "--seats names 2 agents; sug has 5 seats"),
        ("nobody", "there is no agent 'nobody' for sug; there are random, gt"),
        ("adaptive:beta=2", "agent adaptive: beta: "),
        ("gt:beta=2", "agent gt: beta: no such parameter; there are: none"),
    ):
        with pytest.raises(StudyError) as refused:
            agents_of(game, default[0], seats)
        assert said in str(refused.value)
    with pytest.raises(StudyError, match="already; name another folder"):
        write([RunRequest(game, default, agents_of(game, default[0], "gt"), 1, 1)], folder, silent)


def test_a_setting_with_an_underscore_in_its_number_is_refused() -> None:
    """Pydantic alone reads `1_0` as 10."""
    config = GAMES["glee-bargaining"].Config
    assert config.model_validate({"money": "100"}).money == 100
    with pytest.raises(ValidationError, match="valid integer"):
        config.model_validate({"money": "1_00"})


def test_two_values_for_one_parameter_are_refused() -> None:
    game = GAMES["glee-bargaining"]
    with pytest.raises(StudyError, match="--config: money is given twice"):
        configs_of(game, ["money=100", "rounds=2", "money=200"])
    config = game.Config()
    with pytest.raises(StudyError, match="agent threshold: share is given twice"):
        agents_of(game, config, "threshold:share=0.5:share=0.6")
    with pytest.raises(StudyError, match="agent threshold: share is given twice"):
        agent_named(game.name, "threshold:share=0.5:share=0.6")


@pytest.mark.parametrize("money", ["1_00", "1:40", "0x64", "0b11"])
def test_a_setting_is_not_what_yaml_makes_of_its_digits(tmp_path: Path, money: str) -> None:
    """YAML 1.1 reads `1_00` and `1:40` as 100, in a file of configurations and in KEY=VALUE; `0100` as 64."""
    path = tmp_path / "config.yaml"
    for given in (f"money={money}", str(path)):
        path.write_text(f"money: {money}\n")
        with pytest.raises(StudyError, match=f"money: {money!r} is no whole number"):
            configs_of(GAMES["glee-bargaining"], [given])
        path.write_text("money: 0100\n")
    assert [one.money for one in configs_of(GAMES["glee-bargaining"], [str(path)])] == [100]  # type: ignore[attr-defined]
