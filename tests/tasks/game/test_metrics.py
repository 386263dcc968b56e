"""`game metrics` and `game compare`: what the commands say of files of moves, and the figures that they write."""

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from app.core.errors import StudyError
from app.reports.games import chosen, groups_of, measures_compared
from app.reports.matches import measures_of, seat_table
from app.reports.perceived import HANDED_OVER, seats_of
from app.tasks.game.match_files import Options, read_matches
from app.tasks.game.run import asked_for
from app.tasks.game.writing import write
from tests.program import Done, Program

pytestmark = pytest.mark.slow


def silent(done: int, total: int, item: str = "") -> None:
    pass


def played(
    out: Path, game: str, seats: list[str], config: list[str], matches: int = 2, seed: int = 1
) -> Path:
    write(asked_for(game, config, seats, matches, seed), out, silent)
    return out / "moves.csv"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("metrics")
    [water] = asked_for("wac", ["grid"], ["random"], 2, 1)
    write([replace(water, configs=[water.configs[0], water.configs[5]])], folder / "wac", silent)
    glee = [
        asked_for(f"glee-{name}", ["human-study"], ["random"], 1, 1) for name in ("bargaining", "persuasion")
    ]
    write([one for asked in glee for one in asked], folder / "glee", silent)
    write(glee[1], folder / "persuasion", silent)
    mixed = ["simulated,simulated,dba,dba,gt"]
    short = ["rounds=6"]
    return {
        "people": played(folder / "people", "sug", ["simulated"], short),
        "agents": played(folder / "agents", "sug", ["dba"], short, 3),
        "mixed": played(folder / "mixed", "sug", mixed, short, 6),
        **{name: folder / name / "moves.csv" for name in ("wac", "glee", "persuasion")},
    }


@pytest.fixture
def run(program: Program, tmp_path: Path) -> Any:
    def run(*words: object) -> Done:
        return program.run("game", *words, cwd=tmp_path, environment={"COLUMNS": "300", "TERM": "dumb"})

    return run


def table(path: Path) -> list[list[str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def drawn(folder: Path) -> set[str]:
    """Every figure is an SVG that parses, a PNG, and a table with rows."""
    names = {path.stem for path in folder.iterdir()}
    for name in names:
        assert ElementTree.parse(folder / f"{name}.svg").getroot().get("role") == "img"
        assert (folder / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert len(table(folder / f"{name}.csv")) > 1
    return names


def test_distances_of_agents_have_intervals_chance_counts_and_the_four_panels(
    files: dict[str, Path], run: Any, tmp_path: Path
) -> None:
    words = (
        "metrics",
        files["people"],
        files["agents"],
        "--resamples",
        200,
        "--smoothing",
        0.3,
        "--log-base",
        2,
    )
    done = run(*words, "--figures", tmp_path / "figures")
    assert done.returncode == 0, done.stderr
    assert "0.3 added to every count, base 2; 95% intervals over matches" in done.stdout
    for name in ("dO", "dR", "dB", "dY", "dY8", "dY8 accepted"):
        line = next(line for line in done.stdout.splitlines() if f": {name} " in line)
        # The people's file has two matches.
        assert " to " not in line
        assert "chance " in line
        assert ", p 0." in line or ", p 1." in line
    said = " ".join(done.stdout.split())
    assert "no interval of dO, dR, dY, dY accepted: too few matches for an interval: 2" in said
    assert "no interval of dY8, dY8 accepted: it is a sum over lengths of chains" in said
    assert "no interval of dB: it is a sum over amounts" in said
    assert drawn(tmp_path / "figures") == {"ultimatum"}
    head, *cells = table(tmp_path / "figures" / "ultimatum.csv")
    rows = [dict(zip(head, row, strict=True)) for row in cells]
    assert {row["panel"] for row in rows} == {"offers", "rejected", "recipients", "reciprocated"}
    whole = json.loads(run(*words, "--json").stdout)
    assert list(dict.fromkeys(row["play"] for row in rows)) == ["simulated people", "dba"], (
        "no paths of files"
    )
    offers = {row["at"]: row["share"] for row in rows if row["panel"] == "offers" and row["play"] == "dba"}
    counts = whole["files"][str(files["agents"])]["play"]["offers"]
    assert offers == {str(q): f"{n / sum(counts):.3f}" for q, n in enumerate(counts)}
    assert whole["files"][str(files["agents"])]["distances"]["log_base"] == 2
    alone = json.loads(run("metrics", files["mixed"], "--resamples", 0, "--json").stdout)
    assert set(alone["files"][str(files["mixed"])]["games"]["sug"]["play"]) == {"simulated", "dba", "gt"}


def test_people_are_compared_with_agents_of_the_same_matches_and_of_other_files(
    files: dict[str, Path], run: Any, tmp_path: Path
) -> None:
    done = run("compare", files["mixed"], "--resamples", 200)
    assert done.returncode == 0, done.stderr
    assert f"sug: {files['mixed']} (people) against {files['mixed']} (agents), over matches" in done.stdout
    assert "6 and 6 matches, 6 with both" in done.stdout
    whole = json.loads(run("compare", files["people"], files["agents"], "--resamples", 200, "--json").stdout)
    by_name = {one["measure"]: one for one in whole["measures"]}
    assert set(by_name) == {"mean_offer", "offers_accepted", "offers_received", "accepts"}
    assert not by_name["mean_offer"]["paired"]
    assert (by_name["mean_offer"]["first"]["n"], by_name["mean_offer"]["second"]["n"]) == (2, 3)
    assert {one["name"] for one in whole["play"]["tests"]} >= {"d_o", "d_y8"}
    figures = ("--figures", tmp_path / "figures")
    words = ("compare", files["mixed"], "--second", "gt", "--resamples", 0, "--json", *figures)
    whole = json.loads(run(*words).stdout)
    assert whole["second"].endswith("(gt)")
    drawn_rows = table(tmp_path / "figures" / "ultimatum.csv")[1:]
    assert {row[2] for row in drawn_rows} == {"simulated people", "gt"}


def test_simulated_people_count_as_agents_when_compared_with_people(
    files: dict[str, Path], tmp_path: Path
) -> None:
    rows = table(files["people"])
    at = {name: rows[0].index(name) for name in ("seat", "occupant")}
    for row in rows[1:]:
        if row[at["seat"]] == "1":
            row[at["occupant"]] = "human"
    path = tmp_path / "moves.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    groups = groups_of(read_matches(path), None, ("people", "agents"))
    assert {one.seat for one in groups.first} == {1}
    assert {one.seat for one in groups.second} == {2, 3, 4, 5}
    assert len(measures_compared(groups, Options(resamples=0)).measures) == 4
    with pytest.raises(StudyError, match="has no seat of agents"):
        chosen(read_matches(files["people"]), "agents")


def test_what_cannot_be_compared_is_refused_in_words(files: dict[str, Path], run: Any) -> None:
    for words, said in (
        (("compare", files["mixed"], "--second", "all"), "are partly the same seats"),
        (
            ("compare", files["mixed"], "--second", "nobody"),
            "has no seat of nobody; choose people, agents, all, dba",
        ),
        (("compare", files["people"]), "has no seat of agents"),
        (("compare", files["people"], files["wac"]), "matches of several games (sug, wac)"),
        (("compare", files["glee"], files["glee"]), "matches of several games (glee-bargaining"),
        (("compare", files["people"], files["agents"], "--over", "people"), "without a session"),
        (("compare", files["people"], files["agents"], "--over", "moves"), "it must be matches or people"),
        (("metrics", files["agents"], files["people"]), "has no seat of a person"),
        (("metrics", files["people"].with_name("none.csv")), "No such file"),
    ):
        done = run(*words)
        assert done.returncode == 1, words
        assert said in done.stderr.replace("\n", " "), (words, done.stderr)
        assert "Traceback" not in done.stderr


def test_people_by_their_sessions(files: dict[str, Path], tmp_path: Path) -> None:
    """A person who sat in two matches is one unit."""
    rows = table(files["people"])
    at = {name: rows[0].index(name) for name in ("match", "seat", "session", "occupant")}
    for row in rows[1:]:
        if row[at["seat"]]:
            row[at["occupant"]] = "human"
            row[at["session"]] = f"s{row[at['seat']]}"
    path = tmp_path / "moves.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    groups = groups_of(read_matches(path), read_matches(files["agents"]), ("people", "all"))
    with pytest.raises(StudyError, match="without a session"):
        measures_compared(groups, Options(resamples=0, over="people"))
    assert {one.person for one in groups.first} == {f"s{seat}" for seat in range(1, 6)}
    for row in rows[1:3]:
        row[rows[0].index("excluded")] = "by-hand"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    kept = read_matches(path)
    assert (len(kept.matches), kept.left_out) == (1, {"by-hand": 1})


def test_seats_that_were_handed_over_are_nobodys(files: dict[str, Path], tmp_path: Path) -> None:
    rows = table(files["people"])
    at = {name: rows[0].index(name) for name in ("match", "seat", "occupant")}
    handed = [row for row in rows[1:] if row[at["match"]] == "1" and row[at["seat"]] == "2"]
    for row in handed[3:]:
        row[at["occupant"]] = "rule"
    path = tmp_path / "moves.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    assert len(read_matches(files["people"]).seats) == 10
    assert {(one.match.id, one.seat) for one in read_matches(path).seats} == {
        (match, seat) for match in ("1", "2") for seat in range(1, 6) if (match, seat) != ("1", 2)
    }
    assert len(chosen(read_matches(path), "people")) == 9
    company = {(one.match, one.others) for one in seats_of([read_matches(path)])}
    assert company == {("1", HANDED_OVER), ("2", "")}, "the agent was there, though it is nobody's play"


WATER_FIGURES = ("survival", "prices", "residents", "bids", "health", "balance")


def test_the_water_auction_by_setting(files: dict[str, Path], run: Any, tmp_path: Path) -> None:
    done = run("metrics", files["wac"], "--resamples", 0, "--figures", tmp_path / "figures")
    assert done.returncode == 0, done.stderr
    assert "  setting-6: 2 games, survival Alex " in done.stdout
    names = {f"{kind}-setting-{number}" for kind in WATER_FIGURES for number in (1, 6)}
    assert drawn(tmp_path / "figures") == names
    whole = json.loads(run("metrics", files["wac"], "--resamples", 0, "--json").stdout)
    settings = whole["files"][str(files["wac"])]["games"]["wac"]["settings"]
    file = read_matches(files["wac"])
    survived = [measures_of(one)[1]["survivors"] for one in file.matches[:2]]
    assert settings["setting-1"]["survival"]["survivors"] == sum(map(float, survived)) / 2  # type: ignore[arg-type]
    assert settings["setting-1"]["rsr_start"] == 0.3
    # The marks of table 2 by the numbers of matches in the file, in JSON, on the terminal and as CSV.
    runs = settings["setting-1"]["runs"]
    assert [run["name"] for run in runs] == ["1", "2"]
    assert [sum(run["alive"].values()) for run in runs] == survived
    marks = next(line for line in done.stdout.splitlines() if line.startswith("    Alex"))
    assert marks.split()[1:3] == ["+" if run["alive"]["Alex"] else "-" for run in runs]
    with (tmp_path / "figures" / "survival-setting-1.csv").open(newline="") as table_2:
        rows = list(csv.reader(table_2))
    assert rows[0] == ["resident", "1", "2", "mean"]
    assert rows[1][1:3] == [str(int(run["alive"]["Alex"])) for run in runs]


def test_glee_has_both_definitions_its_regressions_and_a_figure_for_each_factor(
    files: dict[str, Path], run: Any, tmp_path: Path, exhaustive: bool
) -> None:
    figures = ("--figures", tmp_path / "figures")
    done = run("metrics", files["glee"], "--resamples", 0, *(figures if exhaustive else ()))
    assert done.returncode == 0, done.stderr
    assert "random (buyer) gain as published: " in done.stdout
    assert "bob gain, predicted for 360 configurations from 38 games" in done.stdout
    factors = ("money", "rounds", "complete-information", "messages", "discount-alice", "discount-bob")
    whole = json.loads(run("metrics", files["persuasion"], "--resamples", 0, "--json", *figures).stdout)
    names = drawn(tmp_path / "figures")
    assert names >= {f"glee-persuasion-{factor}" for factor in ("chance-high", "value", "buyer")}
    assert not exhaustive or names >= {f"glee-bargaining-{factor}" for factor in factors}
    models = whole["files"][str(files["persuasion"])]["games"]["glee-persuasion"]["models"]
    assert {"bob gain", "bob gain as published", "efficiency", "fairness"} <= set(models)
    seats, measures = seat_table(read_matches(files["persuasion"]).seats)
    assert "gain as published" in measures
    buyers = seats[seats["role"] == "buyer"]
    assert models["bob gain"]["means"][1]["mean"] == pytest.approx(buyers["gain"].mean())
    assert models["bob gain as published"]["means"][1]["mean"] == pytest.approx(
        buyers["gain as published"].mean()
    )
