"""Exclusion rules over sessions of matches, walks and ratings, answered over HTTP: verdicts, tables and numbers."""

import csv
import json
import random
import zipfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import select
from starlette.testclient import TestClient

from analysis.data.exported import read_sessions
from analysis.quality.verdicts import verdicts
from analysis.ratings.studies import analyze_rating_rows
from app.core.database import Database
from app.core.settings import Settings
from app.reports.export import export, rows_of
from app.reports.kinds import Format
from app.reports.package import build_package
from app.reports.perceived import matches_of_study
from app.reports.rated import ratings_frame
from app.reports.walk_clips import BY_RULE, shown_walks
from app.sessions.exclusions import leave_out
from app.studies.file.design import StudyDesign
from app.studies.versions import set_state
from app.tasks.game.match_files import NoMatchCounts, left_out_note, read_matches
from app.trials.tables import Mode, SessionVerdict, State, StudyVersion
from app.worker.worker import drain
from tests.clock import Clock
from tests.factories import NOW, load_file
from tests.kept import Kept
from tests.program import Done, Program
from tests.reports.rated import POINTS, RATE
from tests.sessions.walks import Walk
from tests.tasks.game.people import SLUG, Person, open_game, running
from tests.tasks.walk.walking import Walking, load_walks

pytestmark = pytest.mark.any_database

AUTOMATIC = [{"rule": "automatic-moves"}]


def stored(database: Database) -> dict[int, tuple[bool, bool, str]]:
    with database.reading() as session:
        return {row.session_id: (row.use, row.pay, row.names) for row in session.exec(select(SessionVerdict))}


def rows(database: Database, slug: str, what: str) -> list[Mapping[Any, Any]]:
    with database.reading() as session:
        return list(rows_of(session, slug, what))


def written(database: Database, slug: str, folder: Path, *tables: str) -> Path:
    with database.reading() as session:
        for what in tables:
            export(session, slug, what, Format.CSV, folder / f"{what}.csv", everything=True)
    return folder


def met(database: Database, folder: Path) -> dict[str, tuple[bool, bool, str, Mapping[str, Any]]]:
    """The verdicts computed again from exported files."""
    with database.reading() as session:
        design = StudyDesign.model_validate_json(session.exec(select(StudyVersion.design)).one())
    sessions, _ = read_sessions([folder])
    found = verdicts(lambda _: [rule.chosen for rule in design.exclude], sessions)
    return {id_: (v.use, v.pay, v.names, v.rules) for id_, v in found.items()}


@pytest.fixture(scope="module")
def who() -> list[tuple[int, int, int]]:
    """The numbers that the fixture `played` returned first, kept with its rows."""
    return []


@pytest.fixture
def played(
    request: pytest.FixtureRequest,
    database: Database,
    settings: Settings,
    tmp_path: Path,
    kept: Kept,
    who: list[tuple[int, int, int]],
) -> tuple[int, int, int]:
    """Two matches of the water auction, one of which was played by five people; in the other one was silent for two of
    four days. Returns the sessions of the silent one, of a partner, and of somebody in the good match."""

    def play() -> None:
        who.append(played_matches(request.getfixturevalue("client"), database, settings, tmp_path))

    if database.is_local:
        kept.once(database, play)
    else:
        play()
    return who[-1]


def played_matches(
    client: TestClient, database: Database, settings: Settings, tmp_path: Path
) -> tuple[int, int, int]:
    open_game(database, tmp_path, game="wac", configs={"days": 4}, exclude=AUTOMATIC)
    rng, firsts = random.Random(3), list[tuple[int, int]]()
    for is_good in (False, True):
        people = [Person(client, database) for _ in range(5)]
        for person in people:
            person.look()
        *here, slow = people
        for day in range(4):
            moved = [person.move(rng) for person in here]
            assert all(moved)
            if is_good or day % 2:
                assert slow.move(rng)
            else:
                Clock.wait(91)
                here[0].look()
        assert not running(database)
        for person in people:
            person.look()
            assert person.act("next") == "end"
        firsts.append((slow.seat.session_id or 0, here[0].seat.session_id or 0))
    drain(settings, database)
    return (*firsts[0], firsts[1][0])


def test_automatic_moves_leave_out_who_did_not_move_and_nobody_else(
    database: Database, played: tuple[int, int, int], tmp_path: Path
) -> None:
    slow, partner, other = played
    found = stored(database)
    assert found[slow] == (False, True, "automatic-moves")
    assert found[partner] == found[other] == (True, True, "")
    assert len(found) == 10
    with database.reading() as session:
        values = session.exec(select(SessionVerdict.rules).where(SessionVerdict.session_id == slow)).one()
    assert values == {"automatic-moves": {"moves": 2, "of": 4}}
    # Recomputed from the files alone.
    again = met(database, written(database, SLUG, tmp_path, "participants", "moves"))
    assert {int(id_): each[:3] for id_, each in again.items()} == found
    assert dict(again[str(slow)][3]["automatic-moves"]) == values["automatic-moves"]


def test_the_verdicts_of_a_package_of_matches_are_the_stored_ones(
    database: Database, played: tuple[int, int, int], tmp_path: Path
) -> None:
    path, folder = tmp_path / "play.zip", tmp_path / "play"
    with database.reading() as session:
        build_package(session, SLUG, path, made_at=NOW, study_files={}, pseudonyms=True)
    with zipfile.ZipFile(path) as packed:
        packed.extractall(folder)
    found = met(database, folder)
    assert Counter((use, pay, names) for use, pay, names, _ in found.values()) == Counter(
        stored(database).values()
    )
    # Matches can be replayed from the package, and are left out as from the export.
    (moves,) = folder.rglob("*moves*.csv")
    assert dict(read_matches(moves).left_out) == {"rule: automatic-moves": 1}


def test_rows_of_matches_end_with_the_verdicts_on_their_persons(
    database: Database, played: tuple[int, int, int]
) -> None:
    slow, partner, _ = played
    for what in ("moves", "seats_played"):
        found = rows(database, SLUG, what)
        assert list(found[0])[-3:] == ["use", "pay", "rules"], what
        of = {row["session"]: (row["use"], row["pay"], row["rules"]) for row in found}
        assert of[str(slow)] == (False, True, "automatic-moves")
        assert of[str(partner)] == (True, True, None), "a partner's rows are theirs"
        if what == "moves":
            assert of[None] == (None, None, None), "chance and notes are nobody's"


def test_an_export_has_the_matches_that_count_and_with_all_every_match(
    database: Database, played: tuple[int, int, int], tmp_path: Path
) -> None:
    """A match in which a person is not used is left out whole, with the rows of the partner."""
    for what in ("moves", "seats_played"):
        path = tmp_path / f"{what}.csv"
        found = []
        for everything in (False, True):
            with database.reading() as session:
                export(session, SLUG, what, Format.CSV, path, everything=everything)
            with path.open(encoding="utf-8", newline="") as file:
                found.append({(row["match"], row["session"]) for row in csv.DictReader(file)})
        kept, every = found
        assert len({match for match, _ in every}) == 2, what
        assert len({match for match, _ in kept}) == 1, what
        assert not {str(played[0]), str(played[1])} & {who for _, who in kept}, what


def test_a_match_with_somebody_who_is_not_used_counts_in_no_number_unless_all_is_asked_for(
    database: Database, played: tuple[int, int, int], tmp_path: Path, program: Program
) -> None:
    def run(*words: object) -> Done:
        return program.run("game", *words, cwd=tmp_path, environment={"COLUMNS": "300", "TERM": "dumb"})

    written(database, SLUG, tmp_path, "moves", "seats_played")
    path = tmp_path / "moves.csv"
    kept, every = read_matches(path), read_matches(path, everything=True)
    assert (len(kept.matches), dict(kept.left_out)) == (1, {"rule: automatic-moves": 1})
    assert (len(every.matches), dict(every.left_out)) == (2, {})
    assert str(played[1]) not in {one.person for one in kept.seats}, (
        "a partner answered the moves of the clock"
    )
    note = "1 match is left out: a person in it is excluded (rule: automatic-moves 1)."
    assert (left_out_note([kept]), left_out_note([every])) == (note, "")
    with database.reading() as session:
        of_study = [matches_of_study(session, SLUG, everything=all_) for all_ in (False, True)]
    assert [len(one.matches) for one in of_study if one] == [1, 2]
    said = run("metrics", path, "--resamples", 0)
    assert "1 match left out: rule: automatic-moves" in said.stdout
    for all_, n, left_out in ((False, 1, {"rule: automatic-moves": 1}), (True, 2, {})):
        words = ["metrics", path, "--resamples", 0, "--json", *(["--all"] if all_ else [])]
        (file,) = json.loads(run(*words).stdout)["files"].values()
        assert (file["games"]["wac"]["matches"], file["left_out"]) == (n, left_out)


def test_a_match_is_left_out_by_hand_even_where_all_is_asked_for(
    database: Database, played: tuple[int, int, int], tmp_path: Path
) -> None:
    with database.transaction() as session:
        leave_out(session, SLUG, played[2], "asked to", NOW)
        leave_out(session, SLUG, played[0], "asked to", NOW)
    written(database, SLUG, tmp_path, "moves")
    with pytest.raises(NoMatchCounts, match=r"all 2 are left out \(by-hand 2\)"):
        read_matches(tmp_path / "moves.csv", everything=True)


def test_files_of_matches_without_verdicts_are_read_as_before(
    database: Database, played: tuple[int, int, int], tmp_path: Path
) -> None:
    path = written(database, SLUG, tmp_path, "moves") / "moves.csv"
    with path.open(encoding="utf-8", newline="") as file:
        lines = [line[:-3] for line in csv.reader(file)]
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(lines)
    found = read_matches(path)
    assert (len(found.matches), dict(found.left_out)) == (2, {})


WALK_RULES = [
    {"rule": "slow-frames"},
    {"rule": "hidden", "seconds": 20, "share": 0.1, "pay": False, "use": True},
]


def walked(walking: Walking, *, fps: int = 60, hidden_ms: int = 0) -> None:
    """Two walks to their goals, drawn at so many frames a second."""
    walking.to("trial-1")
    for _ in range(2):
        Clock.wait(120)
        pressed = walking.pressed()
        reply = walking.send(pressed, fps=[fps, 3000], input="keys")
        assert reply.json()["over"] == "arrived", reply.text
        walking.answer(walked=json.dumps({"hidden_ms": hidden_ms, "loads": 1}))


def test_rules_look_at_walks_and_their_clips_are_of_who_is_used(
    client: TestClient, database: Database, tmp_path: Path
) -> None:
    with database.transaction() as session:
        load_walks(session, tmp_path, exclude=WALK_RULES)
    walked(Walking(client))
    walked(Walking(client), fps=45)  # 15 a second
    walked(Walking(client), hidden_ms=30_000)
    found = stored(database)
    assert found == {
        1: (True, True, ""),
        2: (False, True, "slow-frames"),
        3: (True, False, "hidden"),
    }
    for what in ("walks", "positions"):
        of = {row["session"]: (row["use"], row["pay"], row["rules"]) for row in rows(database, "walks", what)}
        assert of == {
            "1": (True, True, None),
            "2": (False, True, "slow-frames"),
            "3": (True, False, "hidden"),
        }
    folder = tmp_path / "out"
    folder.mkdir()
    again = met(database, written(database, "walks", folder, "participants", "walks"))
    assert {int(id_): each[:3] for id_, each in again.items()} == found
    assert again["3"][3]["hidden"]["hidden_s"] == 60
    with database.reading() as session:
        shown = [
            shown_walks(session, "walks", Mode.LIVE, "secret", everything=all_) for all_ in (False, True)
        ]
        values = session.exec(select(SessionVerdict.rules).where(SessionVerdict.session_id == 3)).one()
    assert values["hidden"] == dict(again["3"][3]["hidden"])
    assert shown[0].left_out[BY_RULE] == 2
    assert BY_RULE not in shown[1].left_out
    assert len(shown[1].walks) - len(shown[0].walks) in (1, 2)


SCALES = [
    {"id": each, "type": "likert", "ask": f"{each}?", "labels": POINTS} for each in ("logic", "fit", "effort")
]
RATING_RULES = [
    {"rule": "straight-lined"},
    {"rule": "not-read", "at_least": 4, "share": 1},
    {"rule": "attention-failed", "at_least": 1, "pay": False},
]
READ = json.dumps(
    {
        "v": 1,
        "read_ms": 9000,
        "hidden_ms": 0,
        "parts": [4000],
        "depth": 1,
        "loads": 1,
        "layout": "side-by-side",
    }
)


def rated(client: TestClient, *points: str, reading: str = READ) -> None:
    """A session whose items get these points, one after the other."""
    walk = Walk(client, "rated")
    while walk.page != "end":
        if walk.page.startswith("trial"):
            at = int(walk.page.partition("-")[2])
            given = {str(each["id"]): points[(at + i) % len(points)] for i, each in enumerate(SCALES)}
            walk.answer(**given, reading=reading, rt_ms="9000")
        else:
            walk.answer()


def test_rules_look_at_ratings_and_the_means_are_of_who_is_used(
    client: TestClient, database: Database, tmp_path: Path
) -> None:
    with database.transaction() as session:
        block = dict(RATE, questions=SCALES)
        load_file(
            session, tmp_path, study="rated", blocks=[block], trials=None, sample=None, exclude=RATING_RULES
        )
        set_state(session, "rated", State.LIVE, now=NOW)
    rated(client, "2", "3", "4")
    rated(client, "5")
    rated(client, "1", "2", reading=READ.replace("[4000]", "[0]"))
    found = stored(database)
    assert {id_: names for id_, (_, _, names) in found.items()} == {
        1: "",
        2: "straight-lined",
        3: "not-read",
    }
    assert [use for use, _, _ in found.values()] == [True, False, False]
    of = {
        row["session"]: (row["use"], row["pay"], row["rules"]) for row in rows(database, "rated", "ratings")
    }
    assert of["2"] == (False, True, "straight-lined")
    folder = tmp_path / "out"
    folder.mkdir()
    again = met(database, written(database, "rated", folder, "participants", "ratings"))
    assert {int(id_): each[:3] for id_, each in again.items()} == found
    with database.reading() as session:
        frame = ratings_frame(session, "rated")
    (found_block,) = analyze_rating_rows([frame], mode="live", resamples=0)
    assert set(found_block.selection.left_out["excluded"]) == {"rule: straight-lined", "rule: not-read"}
    assert found_block.selection.n_participants_used == 1
