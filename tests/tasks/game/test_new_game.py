"""A new game is a folder and a line: a toy that says nothing but its rules is listed, played by agents, people and
models, looked at, recorded, measured, held against people, exported and replayed."""

import csv
import json
import math
import random
import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

from app.accounts.tables import Role
from app.cli import app as program
from app.core.database import Database
from app.reports.export import export
from app.reports.kinds import Format
from app.tasks.game.games import KITS
from app.tasks.game.games.reports import reports_of
from app.tasks.game.match_files import read_matches
from app.tasks.game.moves import Choice, MoveKind, MoveSchema, Number
from app.tasks.game.pages import playing, state_html
from app.tasks.game.posted import move_of
from app.tasks.game.replay import replayed
from tests.admin.persons import Person as Experimenter
from tests.admin.persons import make_login, make_user
from tests.browser.game_pages import page_of
from tests.chat_server import chat_server, move
from tests.tasks.game import prisoners
from tests.tasks.game.people import SLUG, Person, open_game, play_on

TOY = "prisoners"
GUIDE = Path(__file__).parents[3] / "docs/new-game.md"


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(KITS, TOY, prisoners.KIT)


def run(*words: object) -> str:
    done = CliRunner().invoke(program, [str(word) for word in words])
    assert done.exit_code == 0, done.output
    return done.stdout


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_the_toy_is_small_and_says_nothing_that_it_need_not() -> None:
    assert len(Path(prisoners.__file__).read_text(encoding="utf-8").splitlines()) < 120
    plain = {"record", "decisions", "observe", "move_words", "agents", "rules"}
    fields = type(prisoners.KIT).__dataclass_fields__
    assert {name for name in plain if getattr(prisoners.KIT, name) == fields[name].default} == plain


def test_the_guide_has_this_game_whole_and_its_commands_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    guide = GUIDE.read_text(encoding="utf-8")
    code, _ = re.findall(r"```python\n(.*?)```", guide, re.DOTALL)
    assert code == Path(prisoners.__file__).read_text(encoding="utf-8")
    left_out = re.findall(
        r"^\| (`\w+`(?:, `\w+`)*) \|", guide.partition("## What can be left out")[2], re.MULTILINE
    )
    named = {name for cell in left_out for name in re.findall(r"\w+", cell)}
    assert named | {"game", "title"} == set(type(prisoners.KIT).__dataclass_fields__)
    monkeypatch.chdir(tmp_path)
    [commands] = re.findall(r"```sh\n(.*?)```", guide, re.DOTALL)
    for line in commands.splitlines():
        _, *words = line.split()
        run(*words, *(("--resamples", 20) if {"metrics", "compare", "signatures"} & set(words) else ()))
    assert {path.name for path in tmp_path.iterdir()} == {"people", "agents", "far.csv", "decisions"}


def test_it_is_listed_played_replayed_measured_recorded_and_held_against_people(tmp_path: Path) -> None:
    assert re.search(
        r"prisoners \(version 1, 2 seats\)\n  rounds=10  Rounds of a match\.", run("game", "list")
    )
    people, agents = tmp_path / "people", tmp_path / "agents"
    play = ("game", "play", TOY, "--matches", 6, "--config", "rounds=5", "--out")
    run(*play, people, "--seats", "simulated")
    run(*play, agents, "--seats", "random", "--seed", 2)
    assert "6 matches, " in run("game", "replay", people / "moves.csv")
    both = people / "moves.csv", agents / "moves.csv"
    measured = json.loads(run("game", "metrics", *both, "--json", "--resamples", 20))
    [one] = measured["files"][str(both[0])]["games"][TOY]["measures"]
    moves = [json.loads(row["move"]) for row in rows(both[0]) if row["kind"] == "move"]
    cooperated = [each["choice"] == "cooperate" for each in moves]
    assert len(cooperated) == 60
    assert one["measure"] == "cooperates"
    assert one["mean"] == pytest.approx(sum(cooperated) / 60)
    assert "cooperates (player)" in run("game", "compare", *both, "--resamples", 20)
    run("game", "metrics", *both, "--resamples", 20, "--distances", tmp_path / "far.csv")
    metrics = {row["metric"] for row in rows(tmp_path / "far.csv")}
    assert metrics == {"cooperates", "prisoners-choose-choice-given-last"}
    held = json.loads(run("signatures", *both, "--json", "--resamples", 20))
    [signature] = held["signatures"]
    assert signature["signature"] == "prisoners-choose-choice-given-last"
    [random_] = signature["distances"]
    assert 0 < random_["distance"] < 1
    for by, n in (("match", 6), ("seat", 12), ("decision", 60)):
        folder = tmp_path / by
        run("game", "records", both[0], "--by", by, "--out", folder)
        listed = rows(folder / "stimuli.csv")
        assert len(listed) == n
        record = json.loads((folder / listed[0]["file"]).read_text(encoding="utf-8"))
        assert record["title"] == "Two players"
        shown = json.dumps(record)
        assert "cooperate" in shown or "defect" in shown
        assert not re.search("simulated|random|human", shown)


def test_the_signature_of_any_game_counts_what_a_seat_does_after_what_it_did(tmp_path: Path) -> None:
    """By hand: after each choice of its own, the next."""
    run("game", "play", TOY, "--seats", "random", "--config", "rounds=4", "--out", tmp_path / "one")
    [seat, _] = read_matches(tmp_path / "one/moves.csv").seats
    chosen = [float(past[0] == "defect") for past in seat.match.match.state.past]
    acts = list(reports_of(TOY).acts(seat))
    assert [act.did for act in acts] == chosen
    assert [act.given for act in acts][1:] == [(each,) for each in chosen[:-1]]
    assert math.isnan(acts[0].given[0]), "nothing before the first"


def test_people_play_it_on_its_page_and_those_who_run_the_study_see_and_export_it(
    client: TestClient, database: Database, tmp_path: Path
) -> None:
    open_game(database, tmp_path, game=TOY, configs={"rounds": 3}, deadlines={"default_s": 60})
    with database.transaction() as session:
        who = make_user(session, Role.OWNER, "owner@example.org")
        owner = Experimenter(client, make_login(session, who), who)
    ann, bob = (Person(client, database, PROLIFIC_PID=name) for name in ("ann", "bob"))
    bob.look()
    assert ann.look() == "playing"
    assert "Two players" in ann.html
    assert "If both cooperate, each gets 3 points" in ann.html
    assert 'value="cooperate"' in ann.html
    ann.move(random.Random(1))
    assert "The others decide" in ann.html
    home = f"/admin/studies/{SLUG}/matches"
    watched = owner.get(f"{home}/1").text
    assert "Two players" in watched
    assert "choose: choice" in watched
    play_on([ann, bob])
    assert "You earned" in ann.html
    assert "Player 2: " in ann.html or "Player 1: " in ann.html
    assert ann.stage == "result"
    last = owner.get(f"{home}/1").text
    n = max(map(int, re.findall(r"\?at=(\d+)", last)))
    assert all(owner.get(f"{home}/1?at={at}").status_code == 200 for at in range(1, n + 1))
    assert "Choices" in last
    with database.reading() as session:
        export(session, SLUG, "moves", Format.CSV, tmp_path / "moves.csv")
        export(session, SLUG, "seats_played", Format.CSV, tmp_path / "seats_played.csv")
    [one] = replayed(tmp_path / "moves.csv")
    assert one.match.outcome is not None
    assert [seat.player for seat in read_matches(tmp_path / "moves.csv").seats] == ["human", "human"]


def test_moves_of_several_kinds_are_buttons_and_numbers_and_messages_are_fields() -> None:
    game = prisoners.Prisoners()
    view = game.view(game.initial(prisoners.Parameters()), 1)

    def html(legal: MoveSchema) -> str:
        return state_html(page_of(playing(TOY, view, legal)))

    several = MoveSchema((MoveKind("stay"), MoveKind("go_away")))
    shown = html(several)
    assert re.findall(r'name="kind" value="(\w+)"[^>]*>([^<]*)<', shown) == [
        ("stay", "Stay"),
        ("go_away", "Go away"),
    ]
    assert move_of(several, {"kind": "go_away"}).move == {"kind": "go_away"}
    fields = (Number("how_much", 0, 100), Choice("is_sure", (True, False)))
    one = MoveSchema((MoveKind("say", fields, message=True),), max_length=50)
    shown = html(one)
    assert re.search(r'type="number"[^>]* name="how_much"', shown)
    assert 'name="is_sure" value="yes"' in shown
    assert 'name="message"' in shown
    posted = {"kind": "say", "how_much": "7", "is_sure": "no", "message": "hello"}
    assert move_of(one, posted).move == {"kind": "say", "how_much": 7, "is_sure": False}


def test_a_language_model_takes_a_seat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with chat_server() as server:
        server.answers = [move("choose", choice="defect")]
        monkeypatch.setenv("LIKELY_HUMAN_MODEL_ADDRESS", server.address)
        monkeypatch.setenv("LIKELY_HUMAN_MODEL_KEY", "sk-of-a-test")
        monkeypatch.setenv("LIKELY_HUMAN_MODEL", "small")
        said = run(
            *("game", "play", TOY, "--seats", "model,random", "--config", "rounds=3"),
            *("--out", tmp_path / "out"),
        )
    assert "3 decisions, 0 by the default move" in said
    system, asked = (message["content"] for message in server.requests[0]["messages"])
    assert "If both cooperate, each gets 3 points" in system
    assert '"choice": <"cooperate" or "defect">' in asked
    model = [
        json.loads(row["move"])
        for row in rows(tmp_path / "out/moves.csv")
        if row["seat"] == "1" and row["kind"] == "move"
    ]
    assert model == [{"choice": "defect", "kind": "choose"}] * 3
