"""`game predict`: people's answers read from moves, predicted, and predictions from a file."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from app.core.errors import StudyError
from app.reports.decisions import decisions_of
from app.tasks.game.match_files import read_matches
from app.tasks.game.run import asked_for
from app.tasks.game.writing import write
from tests.program import Done, Program

pytestmark = pytest.mark.slow


def silent(done: int, total: int, item: str = "") -> None:
    pass


def played(out: Path, game: str, seats: str, config: list[str], matches: int) -> Path:
    """Moves in which who sits on the second seat is a person with a session."""
    write(asked_for(game, config, [seats], matches, 1), out, silent)
    path = out / "moves.csv"
    with path.open(newline="", encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    at = {name: head.index(name) for name in ("match", "seat", "occupant", "session")}
    for row in rows:
        if row[at["seat"]] == "2":
            row[at["occupant"]], row[at["session"]] = "human", f"s{int(row[at['match']]) % 12}"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([head, *rows])
    return path


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("predict")
    return {
        "glee-bargaining": played(
            folder / "b", "glee-bargaining", "random,threshold:share=0.4", ["human-study"], 2
        ),
        "glee-negotiation": played(folder / "n", "glee-negotiation", "random", ["human-study"], 1),
        "glee-persuasion": played(folder / "p", "glee-persuasion", "truthful,copier", ["human-study"], 1),
        "sug": played(folder / "s", "sug", "random", ["rounds=2"], 1),
        "few": played(folder / "f", "glee-bargaining", "random,threshold:share=0.4", [], 3),
    }


@pytest.fixture
def run(program: Program, tmp_path: Path) -> Any:
    def run(*words: object) -> Done:
        return program.run("game", *words, cwd=tmp_path, environment={"COLUMNS": "300", "TERM": "dumb"})

    return run


def test_each_answer_of_a_person_is_a_decision_with_what_was_known_before(files: dict[str, Path]) -> None:
    for name in ("glee-bargaining", "glee-negotiation", "glee-persuasion"):
        file = read_matches(files[name])
        found = decisions_of(file)
        answers = {
            (one.id, line.seq): line.event.move
            for one in file.matches
            for line in one.match.log
            if line.event.kind == "move" and line.event.seat == 2 and line.phase == "answer"
        }
        assert found.occupant == "human"
        assert len(found.table) == len(answers)
        assert set(found.features) <= set(found.table)
        for row in found.table.to_dict("records"):
            move = answers[row["match"], row["seq"]]
            assert row["chose"] == (move.get("answer") == "accept" or move.get("buy") is True)
    # Bob accepts what leaves him two fifths: the gain that was offered decides.
    table = decisions_of(read_matches(files["glee-bargaining"])).table
    assert (table["chose"] == (table["gain"] >= 0.4)).mean() > 0.95


def test_baselines_and_a_file_of_predictions_are_scored(
    files: dict[str, Path], run: Any, tmp_path: Path
) -> None:
    done = run("predict", files["glee-bargaining"], "--decisions", "decisions.csv", "--resamples", 100)
    assert done.returncode == 0, done.stderr
    assert "Held out by person, 12 in 10 folds:" in done.stdout
    assert "Held out by configuration, 39 in 10 folds:" in done.stdout
    with (tmp_path / "decisions.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {"match", "seq", "person", "chose", "gain", "fold_person", "fold_config"} <= set(rows[0])
    with (tmp_path / "mine.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(
            [
                ("match", "seq", "probability"),
                *((r["match"], r["seq"], 0.9 if r["chose"] == "True" else 0.1) for r in rows),
            ]
        )
    words = ("predict", files["glee-bargaining"], "--predictions", "mine.csv", "--resamples", 0, "--json")
    whole = json.loads(run(*words).stdout)
    for held in whole["held_out"]:
        scores = {one["predictor"]: one for one in held["scores"]}
        assert set(scores) == {"base rate", "logistic regression", "mine.csv"}
        assert scores["mine.csv"]["log_loss"] == pytest.approx(0.10536, abs=1e-4)
        assert scores["logistic regression"]["better"] > 0
    lines = (tmp_path / "mine.csv").read_text(encoding="utf-8").splitlines()
    for spoilt, said in (
        (lines[:-1], "1 decisions have no prediction"),
        ([*lines, lines[1]], "is there twice"),
        ([*lines, "99999,1,0.5"], "is no decision of a person"),
        ([lines[0], lines[1].rsplit(",", 1)[0] + ",often", *lines[2:]], "'often' is no probability"),
        (["a,b,c"], "the column 'match' is missing"),
    ):
        (tmp_path / "spoilt.csv").write_text("\n".join(spoilt), encoding="utf-8")
        done = run("predict", files["glee-bargaining"], "--predictions", "spoilt.csv")
        assert done.returncode == 1
        assert said in done.stderr
        assert "Traceback" not in done.stderr


def test_simulated_people_of_game_play_are_predicted(run: Any, tmp_path: Path) -> None:
    for game in ("glee-bargaining", "glee-negotiation", "glee-persuasion"):
        write(asked_for(game, ["human-study"], ["simulated"], 1, 1), tmp_path / game, silent)
        done = run("predict", tmp_path / game / "moves.csv", "--resamples", 0)
        assert done.returncode == 0, done.stderr
        assert "simulated people in" in done.stdout
        base, logistic = (
            float(done.stdout.split(f"{name}: log loss ")[1].split()[0].strip(","))
            for name in ("base rate", "logistic regression")
        )
        assert logistic < base, f"{game}: what they decide follows from what they see"


def test_too_few_people_and_other_games_are_refused(files: dict[str, Path], run: Any) -> None:
    done = run("predict", files["few"])
    assert done.returncode == 1
    assert "there are decisions of 3 people" in done.stderr
    with pytest.raises(StudyError, match="not for sug"):
        decisions_of(read_matches(files["sug"]))
