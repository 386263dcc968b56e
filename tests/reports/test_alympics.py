"""The released games and ratings of Alympics: hand-made ones in the released layout, and the released scores."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import select

from analysis import analyze_ratings, read_ratings
from app.core.database import Database
from app.core.errors import Conflict, StudyError
from app.library.alympics.documents import read_games
from app.library.alympics.games import BadRelease, Game, game_of
from app.library.contents import contents_named
from app.library.records import Chart, Line, Table, parse_record
from app.library.tables import Content, Stimulus
from app.reports.alympics import TABLE_3, import_records, read_release, write_ratings
from app.reports.alympics_sheets import scores_in
from app.reports.alympics_table import PRINTED, criteria_of
from tests.factories import NOW
from tests.workbooks import Cells, write_xls, write_xlsx

GOLD = Path(__file__).parents[1] / "analysis" / "gold" / "alympics_ratings.csv"
PLAYERS = ("Alex", "Bob", "Cindy", "David", "Eric")


def inquiry(name: str, day: int, balance: float, health: int) -> dict[str, str]:
    status = f"NAME:{name}\tBALANCE:{balance}\tHEALTH POINT:{health}\tNO_DRINK:1"
    return {"role": "system", "content": f"{name}, today is the Day {day}, 11 units.\n{status}\nBid."}


def history(name: str) -> list[dict[str, str]]:
    """In the layout that the authors' program writes; the words are ours."""
    return [
        {"role": "system", "content": "These are the rules."},
        inquiry(name, 1, 70, 8),
        {"role": "assistant", "content": "I bid 40."},
        {"role": "system", "content": "Alex bid 40 and won."},
        inquiry(name, 2, 100.5, 10),
        {"role": "assistant", "content": "I bid 5."},
    ]


@pytest.fixture
def released(tmp_path: Path) -> Path:
    (tmp_path / "records").mkdir()
    for file in ("all_messages_WAC_persona_15_25_final_5.json", "all_messages_WAC_10_20_10_final.json"):
        content = [{name: history(name)} for name in PLAYERS[:2]]
        (tmp_path / "records" / file).write_text(json.dumps(content))
    (tmp_path / "records" / "notes.json").write_text("{}")
    return tmp_path


ROUNDS = """\
persona,lo,hi,run,round,supply,player,bid,won,balance_after,hp_after,no_drink_after
nopersona,10,20,1,1,11,Alex,40,True,30.0,10.0,1.0
nopersona,10,20,1,1,11,Bob,,False,75.0,7.5,2.0
nopersona,10,20,1,2,17,Alex,50,False,100.0,9.0,2.0
"""


def test_names_of_released_files_say_which_game_they_hold() -> None:
    names = {
        "all_messages_WAC_persona_15_25_final_5.json": Game(True, 15, 25, 5),
        "all_messages_WACpersona_10_20_10_final.json": Game(True, 10, 20, 10),
        "all_messages_WAC_20_30_final_3.json": Game(False, 20, 30, 3),
        "all_messages_WAC_20_30_7_final.json": Game(False, 20, 30, 7),
        "WAC_nopersona_10_20_10.json": Game(False, 10, 20, 10),
        "WAC_persona_15_25_4.json": Game(True, 15, 25, 4),
        "notes.json": None,
    }
    assert {name: game_of(name) for name in names} == names
    assert Game(True, 15, 25, 5).record_of("Alex") == "wac-persona-15-25-5-alex"


def test_messages_become_one_record_for_each_player_day_by_day(released: Path) -> None:
    found = read_games(released)
    assert [each.name for each in found] == [
        "wac-no-persona-10-20-10-alex",
        "wac-no-persona-10-20-10-bob",
        "wac-persona-15-25-5-alex",
        "wac-persona-15-25-5-bob",
    ]
    one = found[3]
    assert (one.source, one.attributes) == (
        "model",
        {"game": "water-allocation", "group": "persona", "supply": "15-25", "run": "5", "player": "Bob"},
    )
    record = parse_record(one.document.content)
    assert record.title == "Water Allocation Challenge: Bob"
    assert [player.name for player in record.players] == ["Alex", "Bob"]
    assert record.parts[0] == Line(text="These are the rules.")
    assert [each.title for each in record.rounds] == ["Day 1", "Day 2"]
    assert [part.text for part in record.rounds[0].parts if isinstance(part, Line)][1:] == [
        "Bob: I bid 40.",
        "Alex bid 40 and won.",
    ]
    charts = [part for part in record.parts[1:] if isinstance(part, Chart)]
    assert [(chart.label, chart.values) for chart in charts] == [
        ("Balance each morning", (70.0, 100.5)),
        ("Health each morning", (8.0, 10.0)),
    ]


def test_rows_of_a_table_become_records_that_end_with_their_player(tmp_path: Path) -> None:
    (tmp_path / "wac_rounds.csv").write_text(ROUNDS)
    alex, bob = (parse_record(each.document.content) for each in read_games(tmp_path))
    assert [each.title for each in alex.rounds] == ["Day 1", "Day 2"]
    assert [each.title for each in bob.rounds] == ["Day 1"]
    assert bob.parts[1] == Chart(label="Health at the end of each day", values=(7.5,), unit="points")
    supply, table = bob.rounds[0].parts
    assert supply == Line(text="11 units of water are for sale.")
    assert isinstance(table, Table)
    assert table.rows == (("Alex", 40, True, 30, 10), ("Bob", None, False, 75, 7.5))


Spoil = Callable[[Path], Any]
MESSAGES = "records/all_messages_WAC_10_20_10_final.json"
SHEET = "record,judge,criterion,score,reason,player,persona,game_file\n"
FILE = "all_messages_WAC_10_20_10_final.json"
BAD: dict[str, tuple[Spoil, str]] = {
    "no JSON": (lambda at: (at / MESSAGES).write_text("["), "10_final.json: is not JSON"),
    "deep": (lambda at: (at / MESSAGES).write_text("[" * 100_000), "10_final.json: is not JSON"),
    "no object": (lambda at: (at / MESSAGES).write_text("3"), "holds no players' messages"),
    "no players": (lambda at: (at / MESSAGES).write_text("[]"), "holds no player"),
    "no messages": (lambda at: (at / MESSAGES).write_text('[{"Bob": 1}]'), "Bob has no list of messages"),
    "odd message": (
        lambda at: (at / MESSAGES).write_text('{"B": [{"role": "system"}]}'),
        "message 1 of B has no role and content",
    ),
    "one player twice": (
        lambda at: (at / MESSAGES).write_text(
            json.dumps(
                {key: [{"role": "system", "content": "Hello, Bob! Today is the Day 1"}] for key in "AB"}
            )
        ),
        "Bob has two lists of messages",
    ),
    "control character": (
        lambda at: (at / MESSAGES).write_text('[{"Bob": [{"role": "system", "content": "\\u0000"}]}]'),
        "what Bob saw is not a record: part 1, text: holds the control character",
    ),
    "no UTF-8": (
        lambda at: (at / MESSAGES).write_bytes(b"\xff"),
        "is not UTF-8 (take the file as it was released)",
    ),
    "twice": (
        lambda at: (at / FILE).write_text((at / MESSAGES).read_text()),
        "2 files hold the game of wac-no-persona-10-20-10-alex",
    ),
    "column": (
        lambda at: (at / "ratings.csv").write_text("record,judge\n"),
        "the column 'criterion' is missing",
    ),
    "empty sheet": (lambda at: (at / "ratings.csv").write_text(""), "ratings.csv: is empty"),
    "cells": (
        lambda at: (at / "ratings.csv").write_text(f"{SHEET}1,2\n"),
        "row 2: has 2 cells, the header 8",
    ),
    "game": (
        lambda at: (at / "ratings.csv").write_text(f"{SHEET}1,1,IU,4,,Bob,False,x.json\n"),
        "row 2, column game_file: 'x.json' names no released game",
    ),
    "judge": (
        lambda at: (at / "ratings.csv").write_text(f"{SHEET}1,,IU,4,,Bob,False,{FILE}\n"),
        "row 2, column judge: is empty",
    ),
    "second score": (
        lambda at: (at / "ratings.csv").write_text(SHEET + f"1,1,IU,4,,Bob,False,{FILE}\n" * 2),
        "row 3: judge 1 has scored wac-no-persona-10-20-10-bob by IU in ",
    ),
}


def test_what_was_not_released_so_is_refused_with_the_file(released: Path) -> None:
    kept = (released / MESSAGES).read_text()
    for name, (spoil, message) in BAD.items():
        spoil(released)
        with pytest.raises(StudyError) as refusal:
            read_release(released)
        assert message in str(refusal.value), name
        (released / MESSAGES).write_text(kept)
        for made in (FILE, "ratings.csv"):
            (released / made).unlink(missing_ok=True)
    assert len(read_release(released).documents) == 4


def test_a_folder_without_games_says_what_is_needed(tmp_path: Path) -> None:
    with pytest.raises(BadRelease, match=r"needed are the released \*\.json files, or wac_rounds\.csv"):
        read_release(tmp_path)
    (tmp_path / "records.zip").touch()
    with pytest.raises(BadRelease, match=r"unpack records\.zip there first"):
        read_release(tmp_path)
    with pytest.raises(BadRelease, match="is no folder"):
        read_release(tmp_path / "records.zip")


@pytest.fixture
def scored(released: Path) -> Path:
    """The released scores (tests/analysis/gold), each record being some player of some game."""
    with GOLD.open(newline="") as file, (released / "ratings.csv").open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(SHEET.strip().split(","))
        for row in csv.DictReader(file):
            number = int(row["record"]) - 1
            persona = "_persona" if number < 15 else ""
            game = f"all_messages_WAC{persona}_15_25_final_{1 + number % 15 // 5}.json"
            cells = [row[name] for name in ("record", "judge", "criterion", "score")]
            writer.writerow([*cells, "why", PLAYERS[number % 5], not persona, game])
    return released


def test_identity_alignment_is_as_printed_and_impossible_scores_are_refused(
    scored: Path, tmp_path: Path
) -> None:
    found = read_release(scored)
    impossible = [row.score for row in found.refused if row.refused == "impossible on a scale from 1 to 5"]
    assert sorted(impossible) == ["12", "12", "17", "6"]
    assert [row.score for row in found.refused if row.refused == "no number"] == [
        ",3", "2 point", "3 point", "2 point", "1 point", "4 point", "2 point"
    ]  # fmt: skip
    said = {one.name: str(one) for one in criteria_of(found.scores)}
    assert said["IA"] == (
        "IA: 72 scores, mean 3.51 (SD 1.24), as printed; quartiles 3.00 3.50 5.00; printed 3.00 4.00 5.00"
    )
    assert said["LR"] == (
        "LR: 148 scores, mean 3.45 (SD 1.00); printed 3.47 (1.00); with the impossible scores it is 3.47 (1.02), "
        "so neither is what was printed; quartiles 3.00 4.00 4.00, as printed"
    )
    assert "printed 3.88 (0.88), which the released scores do not give; quartiles" in said["LP"]
    # Of five criteria the quartiles are the printed ones, of one the mean and SD; no mean is off by more than 0.03.
    by_criterion = {one.name: one.scores for one in criteria_of(found.scores)}
    assert [name for name, one in by_criterion.items() if one.quartiles == PRINTED[name].quartiles] == [
        *("IU", "LR", "SE", "AD", "LP")
    ]
    assert all(abs(float(one.mean) - float(PRINTED[name].mean)) < 0.031 for name, one in by_criterion.items())
    table, mapping = write_ratings(found, tmp_path / "out")
    analysis = analyze_ratings(read_ratings(table, mapping), resamples=0)
    [identity] = [one for one in analysis.criteria if one.criterion == "IA"]
    assert (identity.n, round(identity.mean or 0, 2), round(identity.sd_ddof1 or 0, 2)) == (72, 3.51, 1.24)
    by_name = {one.criterion: one for one in analysis.criteria}
    for one in criteria_of(found.scores):
        there = by_name[one.name]
        assert (one.n, one.scores.mean, one.scores.sd) == (
            there.n, f"{there.mean:.2f}", f"{there.sd_ddof1:.2f}"
        )  # fmt: skip
        quartiles = there.quartiles
        assert quartiles
        assert [float(each) for each in one.scores.quartiles] == [
            quartiles.lower, quartiles.median, quartiles.upper
        ]  # fmt: skip
    assert {group.group for group in identity.groups} == {"persona"}
    with (tmp_path / "out" / TABLE_3).open(newline="", encoding="utf-8") as file:
        rows = {(row["who"], row["criterion"]): row for row in csv.DictReader(file)}
    assert rows["agents", "IU"]["mean"] == rows["agents", "IU"]["printed_mean"] == "3.33"
    own = rows["people, about themselves", "AD"]
    assert (own["n"], own["mean"], own["printed_third_quartile"]) == ("10", "", "4.75")
    assert ("people, about themselves", "IA") not in rows, "nobody plays a persona"
    assert ("agents, no-persona", "IA") not in rows
    # The rounded means of games.md, section 3.3, drop the impossible scores, too.
    means = [rows[f"agents, {group}", "LP"]["mean"] for group in ("no-persona", "persona")]
    assert means == ["4.05", "3.65"]


def test_all_records_come_in_or_none_and_a_corrected_release_comes_in_again(
    released: Path, database: Database
) -> None:
    found = read_release(released)
    with database.transaction() as session:
        assert str(import_records(session, found, NOW)) == "4 records imported"
    with database.reading() as session:
        there = contents_named(session, ["wac-persona-15-25-5-bob"])["wac-persona-15-25-5-bob"]
        assert (there.kind, there.source) == ("record", "model")
        assert there.sha256 == found.documents[3].document.sha256
    with database.transaction() as session:
        session.delete(session.exec(select(Stimulus).where(Stimulus.name == found.documents[0].name)).one())
    path = released / "records" / "all_messages_WAC_persona_15_25_final_5.json"
    path.write_text(path.read_text().replace("I bid 40.", "I bid 41."))
    corrected = read_release(released)
    with database.transaction() as session:
        imported = import_records(session, corrected, NOW)
    assert (imported.new, imported.changed, imported.kept) == (1, 2, 1)
    assert "1 record imported, 2 that were there changed" in str(imported)
    with database.reading() as session:
        names = [each.name for each in corrected.documents]
        held = contents_named(session, names)
        assert [held[name].sha256 for name in names] == [each.document.sha256 for each in corrected.documents]
    path.write_text(path.read_text().replace("I bid 41.", "I bid 42."))
    again = read_release(released)
    with database.transaction() as session:
        assert import_records(session, again, NOW).changed == 2
        assert session.get(Content, corrected.documents[3].document.sha256) is None, "nobody names it"
    with database.transaction() as session:
        other = session.exec(select(Stimulus).where(Stimulus.name == names[0])).one()
        other.attributes = {}
    with (
        pytest.raises(Conflict, match="has another stimulus named wac-no-persona-10-20-10-alex; rename it"),
        database.transaction() as session,
    ):
        import_records(session, found, NOW)
    with database.reading() as session:
        assert contents_named(session, names)[names[3]].sha256 == again.documents[3].document.sha256


DETAILS = (
    "No.1\tall_messages_WAC_10_20_10_final.json\tGameProgress_1.pdf\tAlex\r\n"
    "No.2\tall_messages_WACpersona_15_25_5_final.json\tGameProgress_2.pdf\t Bob\r\n\r\n"
)
HEADINGS = (
    "Aspect ",
    "Information \nUtiization",
    "Adaptability\n＆ \nStrategicEvolution",
    " Identity Alignment",
)


@pytest.fixture
def annotated(released: Path) -> Path:
    """Workbooks as the release has them: two formats, a typing error, a sheet that begins lower down."""
    at = released / "human annotation"
    (at / "Labeling_Records").mkdir(parents=True)
    (at / "Labeling_Records" / "Details.txt").write_bytes(DETAILS.encode("utf-16"))
    for record in "12":
        (at / "Labeling_Results" / record).mkdir(parents=True)
    scores: Cells = (
        HEADINGS,
        ("Score", 4, 17, "2 point"),
        ("Reasons", "Because", "of", "that"),
        ("", ".", "", ""),
    )
    write_xls(at / "Labeling_Results" / "1" / "PLAYER8.xls", {"Sheet1": scores, "Sheet2": ()})
    below = [("", *row) for row in ((), HEADINGS[:2], ("score", 3.0), ("reasons", "why"))]
    write_xlsx(at / "Labeling_Results" / "2" / "PLAYER10.xlsx", {"notes": (("a", "b"),), "score": below})
    other = ("Aspect", "Interpersonal skills"), ("Score", 4.0), ("Reasons", "kind")
    write_xlsx(at / "Labeling_Results" / "2" / "PLAYER1.xlsx", {"Sheet1": other})
    (at / "Labeling_Results" / "2" / "._PLAYER1.xlsx").write_bytes(b"of macOS")
    return released


def test_rating_sheets_are_read_as_released(annotated: Path) -> None:
    found = {(one.record, one.judge, one.criterion): one for one in scores_in(annotated)}
    assert {key: (one.score, one.refused, one.reason) for key, one in found.items()} == {
        ("wac-no-persona-10-20-10-alex", "8", "IU"): ("4", "", "Because"),
        ("wac-no-persona-10-20-10-alex", "8", "AD"): ("17", "impossible on a scale from 1 to 5", "of"),
        ("wac-no-persona-10-20-10-alex", "8", "IA"): ("2 point", "no number", "that"),
        ("wac-persona-15-25-5-bob", "1", "Interpersonal skills"): (
            "4",
            "no aspect of the published rubric",
            "kind",
        ),
        ("wac-persona-15-25-5-bob", "10", "IU"): ("3", "", "why"),
    }
    place = found["wac-no-persona-10-20-10-alex", "8", "AD"].place
    assert place.endswith("Labeling_Results/1/PLAYER8.xls, column C")
    assert not read_release(annotated).without_record


def test_a_sheet_that_cannot_be_placed_is_refused_with_its_name(annotated: Path) -> None:
    at = annotated / "human annotation"
    book, details = at / "Labeling_Results" / "1" / "PLAYER8.xls", at / "Labeling_Records" / "Details.txt"
    kept = book.read_bytes()
    cases: dict[str, Callable[[], Any]] = {
        r"PLAYER8\.xls: no sheet of it has a row of scores": lambda: write_xls(
            book, {"a": (("Aspect", "IU"),)}
        ),
        r"PLAYER8\.xls, column C: has a score and no aspect": lambda: write_xls(
            book, {"a": (("Aspect", "Logical Reasoning", ""), ("Score", 1.0, 2.0))}
        ),
        r"PLAYER8\.xls: is no workbook": lambda: book.write_text("Aspect,IU"),
        r"Details\.txt:2: has no record, game and player": lambda: details.write_text(
            DETAILS.replace("WACpersona", "game")
        ),
        "the folder 1 is none of the records": lambda: details.write_text(DETAILS.replace("No.1", "No.3")),
        r"and no Details\.txt, which says whose play": details.unlink,
    }
    for why, spoil in cases.items():
        book.write_bytes(kept)
        spoil()
        with pytest.raises(StudyError, match=why):
            scores_in(annotated)
