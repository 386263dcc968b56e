"""`likely-human import FILE --mapping MAP.yaml` from the command line to export, report, package and judges."""

import csv
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.program import Done, Program

Run = Callable[..., Done]
MAPPING = """\
kind: 2afc
study: elsewhere-1
columns: {pair: clip, source_a: one, source_b: two}
constants: {truth: human}
named_by: {truth: source}
wide: {raters: [ann, bob, cem, "042"]}
values: {choice: {L: a, R: b, "=": tie}}
"""


@pytest.fixture
def run(tmp_path: Path, program: Program, migrated_sqlite: Path) -> Run:
    kept = {key: os.environ[key] for key in ("PATH", "HOME", "LANG") if key in os.environ}
    (tmp_path / "data").mkdir()
    shutil.copy(migrated_sqlite, tmp_path / "data" / "likely-human.sqlite3")
    environment = {**kept, "LIKELY_HUMAN_DATA": str(tmp_path / "data"), "COLUMNS": "200", "TERM": "dumb"}

    def run(*words: object) -> Done:
        return program.run(*words, cwd=tmp_path, environment=environment)

    return run


@pytest.fixture
def answers(tmp_path: Path) -> tuple[Path, Path]:
    """Six pairs, four raters; the human is always the first, and three cells are empty."""
    lines = ["LLLR", "LL=L", "LRRL", "LLL ", "L=L ", "LLL "]
    rows = [[f"clip{n}", "human", "bot", *(cell.strip() for cell in line)] for n, line in enumerate(lines)]
    with (tmp_path / "votes.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["clip", "one", "two", "ann", "bob", "cem", "042"], *rows])
    (tmp_path / "map.yaml").write_text(MAPPING)
    return tmp_path / "votes.csv", tmp_path / "map.yaml"


def test_imported_answers_can_be_had_like_any_others(
    run: Run, answers: tuple[Path, Path], tmp_path: Path
) -> None:
    file, mapping = answers
    done = run("import", file, "--mapping", mapping)
    assert (done.returncode, done.stdout, done.stderr) == (
        0,
        "elsewhere-1: 4 participants, 21 responses\n",
        "",
    )
    again = run("import", "--mapping", mapping, file)
    assert (again.returncode, again.stdout) == (1, "")
    assert again.stderr == f"{file}: study 'elsewhere-1' is there already; nothing was imported\n"

    labels = run("export", "elsewhere-1", "--what", "labels", "--out", tmp_path / "labels.csv")
    assert labels.returncode == 0, labels.stderr
    with (tmp_path / "labels.csv").open(encoding="utf-8", newline="") as table:
        votes = [
            (row["pair"], row["votes_a"], row["votes_b"], row["votes_tie"]) for row in csv.DictReader(table)
        ]
    assert votes == [
        ("clip0", "3", "1", "0"), ("clip1", "3", "0", "1"), ("clip2", "2", "2", "0"),
        ("clip3", "3", "0", "0"), ("clip4", "2", "0", "1"), ("clip5", "3", "0", "0"),
    ]  # fmt: skip

    made = run("report", "elsewhere-1", "--out", tmp_path / "made", "--resamples", "50")
    assert made.returncode == 0, made.stderr
    page = next((tmp_path / "made").rglob("*.html")).read_text(encoding="utf-8")
    assert "an import with a mapping file" in page
    assert run("package", "elsewhere-1", "--out", tmp_path / "all.zip").returncode == 0

    verdicts = "".join(f"first,clip{n},a\n" for n in range(6))
    (tmp_path / "verdicts.csv").write_text(f"judge,pair,choice\n{verdicts}")
    judged = run("judge", "validate", "elsewhere-1", tmp_path / "verdicts.csv", "--json", "--resamples", "50")
    assert judged.returncode == 0, judged.stderr
    assert json.loads(judged.stdout)["judges"][0]["judge"] == "first"


def test_what_cannot_be_imported_is_one_line_and_leaves_nothing(
    run: Run, answers: tuple[Path, Path], tmp_path: Path
) -> None:
    file, mapping = answers
    file.write_text(file.read_text().replace("clip5,human,bot,L", "clip5,human,bot,X"))
    done = run("import", file, "--mapping", mapping)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(
        f"{file}: row 7, column ann (our choice): 'X' is not allowed; allowed: a, b, tie,"
    )
    assert done.stderr.count("\n") == 1
    assert run("analyze", "elsewhere-1").returncode == 1
    assert run("import", file).returncode == 2
    assert run("import").returncode == 2


def test_ratings_and_single_stimuli_make_studies_that_have_the_numbers_of_the_file(
    run: Run, tmp_path: Path
) -> None:
    file, mapping = tmp_path / "scores.csv", tmp_path / "scores.yaml"
    file.write_text("item,who,score\nx,1,4\ny,1,2\nx,2,5\ny,2,1\n")
    mapping.write_text("kind: ratings\ncolumns: {item: item, rater: who, score: score}\n")
    done = run("import", file, "--mapping", mapping)
    assert (done.returncode, done.stdout) == (0, "scores: 2 participants, 4 responses\n")
    of_study = json.loads(run("analyze", "scores", "--json", "--resamples", 0).stdout)["ratings"][0][
        "analysis"
    ]
    of_file = json.loads(run("analyze", file, "--mapping", mapping, "--json", "--resamples", 0).stdout)
    assert of_study == of_file
    values = tmp_path / "values.csv"
    values.write_text("judge,item,value\nm,x,5\nm,y,1\n")
    validate, few = ("judge", "validate"), ("--resamples", 50)
    of_study = json.loads(run(*validate, "scores", values, "--json", *few).stdout)["ratings"][0]["validation"]
    assert of_study == json.loads(run(*validate, file, values, "--mapping", mapping, "--json", *few).stdout)
    said = run(*validate, "scores", values, *few).stdout
    assert "Ratings of scores, block ratings: 2 live participants" in said
    refused = run("judge", "run", "straightness", "scores")
    assert (refused.returncode, refused.stderr.count("\n")) == (1, 1)
    assert "its items are rated one at a time, and judges that run here look at pairs" in refused.stderr
    mapping.write_text(
        "kind: yes-no\nstudy: judged\ncolumns: {stimulus: item, participant: who, answer: score, truth: item}\n"
        "values: {answer: {4: a, 5: a, 2: b, 1: b}, truth: {x: a, y: b}}\nclasses: [a, b]\n"
    )
    assert run("import", file, "--mapping", mapping).stdout == "judged: 2 participants, 4 responses\n"
    of_study = json.loads(run("analyze", "judged", "--json", "--resamples", 0).stdout)["yes_no"][0][
        "analysis"
    ]
    of_file = json.loads(run("analyze", file, "--mapping", mapping, "--json", "--resamples", 0).stdout)
    assert of_study == of_file
    assert "Yes / no judgements of judged" in run("analyze", "judged", "--resamples", 0).stdout
    again = run("import", file, "--mapping", mapping)
    assert (again.returncode, again.stderr.count("\n")) == (1, 1)


def test_a_judge_held_against_answers_of_nobody_knows_whom_says_so(run: Run, tmp_path: Path) -> None:
    file, mapping, values = (tmp_path / name for name in ("scores.csv", "scores.yaml", "values.csv"))
    file.write_text("item,score\nx,4\ny,2\nx,5\ny,1\nz,3\nz,3\n")
    mapping.write_text("kind: ratings\ncolumns: {item: item, score: score}\nwide: {anonymous: true}\n")
    values.write_text("judge,item,value\nm,x,4\nm,y,1\nm,z,2\n")
    done = run("judge", "validate", file, values, "--mapping", mapping, "--resamples", 0)
    assert done.returncode == 0
    assert done.stderr.replace("\n", " ").startswith("The table does not say who answered")
    assert done.stderr == run("analyze", file, "--mapping", mapping, "--resamples", 0).stderr


def test_the_released_games_of_alympics_become_records_and_their_scores_a_table(
    run: Run, tmp_path: Path
) -> None:
    (tmp_path / "released").mkdir()
    (tmp_path / "released" / "wac_rounds.csv").write_text(
        "persona,lo,hi,run,round,supply,player,bid,won,balance_after,hp_after\n"
        "persona,10,20,2,1,11,Alex,40,True,30.0,10.0\npersona,10,20,2,1,11,Bob,35,False,75.0,7.0\n"
    )
    scores = [("Alex", 1, "3"), ("Alex", 2, "4"), ("Bob", 1, "6"), ("Bob", 2, "2 point")]
    (tmp_path / "released" / "ratings.csv").write_text(
        "record,judge,criterion,score,player,game_file\n"
        + "".join(
            f"1,{judge},IA,{score},{name},WAC_persona_10_20_final_2.json\n" for name, judge, score in scores
        )
    )
    done = run("import", "alympics", "released", "--out", "out")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "2 records imported",
        "released/ratings.csv, row 4: '6' by judge 1 of wac-persona-10-20-2-bob, IA: "
        "impossible on a scale from 1 to 5; it does not count",
        "released/ratings.csv, row 5: '2 point' by judge 2 of wac-persona-10-20-2-bob, IA: "
        "no number; it does not count",
        "IA: 2 scores, mean 3.50 (SD 0.71); printed 3.51 (1.24); with the impossible scores it is 4.33 (1.53), "
        "so neither is what was printed; quartiles 3.25 3.50 3.75; printed 3.00 4.00 5.00",
        "The ten judges' scores of themselves are printed in table 3 and in no file of the release.",
        "4 ratings written to out/alympics-ratings.csv",
        "table 3 written to out/alympics-table-3.csv",
        "likely-human analyze out/alympics-ratings.csv --mapping out/alympics-ratings.yaml",
    ]
    assert "wac-persona-10-20-2-bob  model  record" in run("stimuli", "list").stdout
    found = run(
        "analyze",
        "out/alympics-ratings.csv",
        "--mapping",
        "out/alympics-ratings.yaml",
        "--json",
        "--resamples",
        0,
    )
    assert [(one["n"], one["mean"]) for one in json.loads(found.stdout)["criteria"]] == [(2, 3.5)]
    again = run("import", "alympics", "released", "--out", "out")
    assert (again.returncode, again.stdout.splitlines()[0]) == (0, "0 records imported, 2 were there already")
    checked = run("import", "alympics", "released", "--check")
    assert (checked.returncode, checked.stdout.splitlines()[:2]) == (
        0,
        ["2 records", "No file tells how days went."],
    )
    assert not (tmp_path / "released" / "alympics-ratings.csv").exists()
    missing = run("import", "alympics", "nowhere")
    assert missing.stderr == "nowhere: is no folder; give the one with the released games\n"


def test_play_of_another_lab_is_what_agents_are_held_against(run: Run, tmp_path: Path) -> None:
    rows = [
        f"p{n},{offer},{least}" for n, (offer, least) in enumerate([(50, 40), (40, 30), (45, 1), (30, 20)])
    ]
    (tmp_path / "rows.csv").write_text("\n".join(["user,propose,accept", *rows, "p9,-1,-1"]))
    (tmp_path / "map.yaml").write_text("""\
kind: game
game: glee-bargaining
deal: {seed: 1}
config: {money: 100, rounds: 1, discount_alice: 1, discount_bob: 1, messages: false}
players: {person: user}
moves:
  - {seat: 1, move: {kind: propose, alice_gain: {column: propose, subtract_from: 100}}}
  - {seat: 2, move: {kind: answer, answer: {threshold: accept}}}
""")
    done = run("import", "game", "rows.csv", "--mapping", "map.yaml", "--out", "people")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "4 matches of glee-bargaining, 4 people by name, written to people/moves.csv",
        "Who met whom was dealt by seed 1: answers and payoffs are those of these pairs",
        "left out for breaking the rules: 1 match (people/left_out.csv):",
        "  rows.csv, row 6: alice_gain is 101; it must be from 0 to 100 (from propose '-1')",
    ]
    again = run("import", "game", "rows.csv", "--mapping", "map.yaml", "--out", "people")
    assert (again.returncode, "another folder with --out" in again.stderr) == (1, True)
    settings = ("money=100", "rounds=1", "discount_alice=1", "discount_bob=1", "messages=false")
    configs = [word for setting in settings for word in ("--config", setting)]
    run(
        "game",
        "play",
        "glee-bargaining",
        *configs,
        "--seats",
        "equal-split",
        "--matches",
        4,
        "--out",
        "agents",
    )
    compared = run("game", "compare", "people/moves.csv", "agents/moves.csv", "--json", "--resamples", 20)
    measures = {(one["measure"], one["role"]): one for one in json.loads(compared.stdout)["measures"]}
    assert measures["efficiency", "Alice"]["second"]["mean"] == 1
    replayed = run("game", "replay", "people/moves.csv")
    assert replayed.stdout.startswith("4 matches")
