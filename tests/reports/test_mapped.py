"""Answers from elsewhere through the database: the same answers come out, and nothing is half imported."""

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd
import pytest
from sqlmodel import func, select

from analysis import AnalysisError, analyze
from analysis.data.mapping import ANONYMOUS, read_mapped
from app.core.database import Database
from app.core.errors import Conflict, StudyError
from app.library.clips.imported import ImportedClip
from app.library.clips.store import ClipStore
from app.library.stimuli import add_stimuli
from app.library.tables import Stimulus
from app.reports.export import rows_of
from app.reports.frames import responses_frame
from app.reports.imported import Imported
from app.reports.mapped import import_mapped
from app.reports.package import build_package
from app.reports.sources import read_study
from app.trials.responses import Response
from app.trials.tables import ParticipantSession, Study, Trial, Unit, UnitMember
from tests.factories import NOW

pytestmark = pytest.mark.any_database

MAPPING = """\
kind: 2afc
study: elsewhere-1
columns: {participant: who, pair: item, choice: pick, truth: human, certainty: sure, uncertainty: doubt,
          rationale: why, rt_ms: ms, answered_at: at, source_a: m1, source_b: m2, condition: kind}
values: {choice: {same: tie}}
"""
ROW = {
    "who": "w1",
    "item": "x",
    "pick": "a",
    "human": "a",
    "sure": "75.5",
    "doubt": "2",
    "why": "=1+1, so",
    "ms": "900",
}
ROWS = [
    {**ROW, "at": "2026-01-31T12:00:00Z", "m1": "human", "m2": "bot", "kind": "human-bot"},
    {**ROW, "item": "y | z", "pick": "same", "at": "", "m1": "human", "m2": "ape", "kind": "", "sure": "0"},
    {**ROW, "who": "007", "pick": "", "at": "2026-02-01T00:00:00.5Z", "m1": "human", "m2": "bot", "kind": "human-bot",
     "sure": "", "doubt": "", "why": "", "ms": ""},
    {**ROW, "who": "Zoë 🎮", "pick": "b", "at": "", "m1": "human", "m2": "bot", "kind": "human-bot", "sure": "100"},
]  # fmt: skip
TABLES = (Study, Unit, Stimulus, ParticipantSession, Trial, Response)
# What the database names anew, and what it adds.
OURS = ["session", "trial", "stimulus_a", "stimulus_b", "block", "use", "pay"]


def written(folder: Path, rows: Sequence[Mapping[str, str]], mapping: str = MAPPING) -> tuple[Path, Path]:
    with (folder / "t.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    (folder / "map.yaml").write_text(mapping, encoding="utf-8")
    return folder / "t.csv", folder / "map.yaml"


def imported(
    database: Database, folder: Path, rows: Sequence[Mapping[str, str]] = ROWS, mapping: str = MAPPING
) -> list[Imported]:
    with database.transaction() as session:
        return import_mapped(session, *written(folder, rows, mapping), NOW)


def counts(database: Database) -> list[int]:
    with database.reading() as session:
        return [session.exec(select(func.count()).select_from(table)).one() for table in TABLES]


@pytest.mark.slow
@pytest.mark.both_databases
def test_the_answers_that_come_out_are_those_of_the_file(database: Database, tmp_path: Path) -> None:
    assert imported(database, tmp_path) == [Imported("elsewhere-1", 3, 4)]
    direct = read_mapped(tmp_path / "t.csv", tmp_path / "map.yaml")
    with database.reading() as session:
        stored = responses_frame(session, "elsewhere-1")
        exported = list(rows_of(session, "elsewhere-1", "responses"))
    same = [name for name in direct if name not in OURS]
    pd.testing.assert_frame_equal(stored[same].astype(object), direct[same].astype(object))
    assert stored["left"].isna().all()
    assert [row["choice"] for row in exported] == ["a", "tie", None, "b"]
    assert [row["flags"] for row in exported] == ["order-not-recorded"] * 4
    ours, theirs = (json.dumps(analyze(frame, resamples=50).to_dict()) for frame in (stored, direct))
    assert ours.replace('"elsewhere-1-', '"') == theirs


def test_known_sides_are_stored_as_they_were(database: Database, tmp_path: Path) -> None:
    rows = [{"who": str(n), "item": "x", "pressed": side, "m1": one, "m2": two} for n, (side, one, two) in enumerate(
        [("left", "human", "bot"), ("left", "bot", "human"), ("right", "human", "bot"), ("", "human", "bot")]
    )]  # fmt: skip
    mapping = (
        "kind: 2afc\nstudy: sided\ncolumns: {participant: who, pair: item, choice: pressed, source_a: m1, source_b: m2}"
        "\nconstants: {left: a, truth: human}\nnamed_by: {truth: source}\n"
    )
    imported(database, tmp_path, rows, mapping)
    with database.reading() as session:
        frame = responses_frame(session, "sided")
        sides = [row["value"] for row in rows_of(session, "sided", "answers") if row["question"] == "choice"]
        design = session.exec(select(Study)).one()
    assert sides == ["left", "left", "right"]
    assert frame["left"].tolist() == ["a", "b", "a", "a"]
    assert frame["chosen_source"].astype(object).where(frame["chosen_source"].notna(), None).tolist() == [
        "human", "bot", "bot", None
    ]  # fmt: skip
    assert design.state == "closed"


def test_who_always_chose_a_is_not_said_to_have_pressed_one_side(database: Database, tmp_path: Path) -> None:
    rows = [ROWS[0] | {"item": f"i{n}"} for n in range(12)]
    imported(database, tmp_path, rows)
    with database.reading() as session:
        exported = list(rows_of(session, "elsewhere-1", "responses"))
        answers = [row for row in rows_of(session, "elsewhere-1", "answers") if row["question"] == "choice"]
    assert {row["flags"] for row in exported} == {"order-not-recorded"}
    assert answers == []
    imported(database, tmp_path, rows, MAPPING.replace("elsewhere-1", "left-a") + "constants: {left: a}\n")
    with database.reading() as session:
        assert {row["flags"] for row in rows_of(session, "left-a", "responses")} == {
            "order-not-recorded;one-sided"
        }


def test_a_second_import_is_refused_and_changes_nothing(database: Database, tmp_path: Path) -> None:
    imported(database, tmp_path)
    before = counts(database)
    with pytest.raises(Conflict, match="study 'elsewhere-1' is there already; nothing was imported"):
        imported(database, tmp_path)
    assert counts(database) == before


@pytest.mark.both_databases
def test_of_two_studies_in_a_file_none_is_stored_where_one_cannot_be(
    database: Database, tmp_path: Path
) -> None:
    rows = [row | {"batch": "one" if n < 2 else "two"} for n, row in enumerate(ROWS)]
    mapping = MAPPING.replace("study: elsewhere-1\n", "").replace(
        "{participant", "{study: batch, participant", 1
    )
    assert [one.slug for one in imported(database, tmp_path, rows, mapping)] == ["one", "two"]
    before = counts(database)
    rows = [row | {"batch": "three" if n < 2 else "four"} for n, row in enumerate(rows)]
    rows[3]["kind"] = "other"
    with pytest.raises(StudyError, match="pair 'x' has 'human-bot' and 'other' as its condition"):
        imported(database, tmp_path, rows, mapping)
    assert counts(database) == before


BASE = ROWS[0] | {"more": ""}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mapped", "first", "second", "said"),
    [
        ("", {}, {"kind": "other"}, "pair 'x' has 'human-bot' and 'other' as its condition; give one condition to"),
        ("", {}, {"human": "b"}, "pair 'x' has 'a' and 'b' as its truth; give one truth to each pair"),
        ("", {"ms": "3000000000"}, {}, "the answer of 'w1' to pair 'x': rt_ms is larger than 2147483647"),
        ("position: more", {"more": "1"}, {"who": "w1", "item": "v", "more": "1"}, "to pair 'v' has no position"),
        ("left: more", {"more": "a"}, {}, "the answer of 'w2' to pair 'x' has no `left`, and others of elsewhere-1"),
        ("excluded: more", {}, {}, "line 4, excluded: a study keeps no excluded of answers that it did not collect;"),
        ("arm: more", {"more": "1"}, {"who": "w1", "item": "v", "more": "2"}, "session 'w1' has '1' and '2'"),
        ("mode: more", {"more": "live"}, {"more": "preview"}, "the answer of 'w2' to pair 'x' is a preview, which"),
        ("stimulus_a: m1, stimulus_b: more", {"more": "human"}, {"more": "human"}, "shows the same clip twice"),
        ("stimulus_a: m1, stimulus_b: more", {"more": "c"}, {"item": "v", "more": "c", "m2": "ape"}, "clip 'c' has"),
    ],
)  # fmt: skip
def test_what_cannot_be_stored_is_refused_in_one_line(
    database: Database, tmp_path: Path, mapped: str, first: dict[str, str], second: dict[str, str], said: str
) -> None:
    mapping = MAPPING.replace("columns: {", f"columns: {{{mapped}, " if mapped else "columns: {")
    mapping = mapping.replace(
        "columns: {excluded: more, participant", "columns: {excluded: more,\n  participant"
    )
    with pytest.raises((StudyError, AnalysisError)) as caught:
        imported(database, tmp_path, [BASE | first, BASE | {"who": "w2"} | second], mapping)
    assert said in str(caught.value).replace("line 3, excluded", "line 4, excluded")
    assert "\n" not in str(caught.value)
    assert counts(database) == [0] * len(TABLES)


def test_a_name_that_is_no_studys_is_refused_with_one_that_is(database: Database, tmp_path: Path) -> None:
    with pytest.raises(
        StudyError, match="'My Data!' is no name of a study here; write `study: my-data` into"
    ):
        imported(database, tmp_path, ROWS, MAPPING.replace("elsewhere-1", "My Data!"))


def test_clips_that_are_there_are_used_and_never_changed(
    database: Database, library: tuple[ClipStore, Sequence[ImportedClip]], tmp_path: Path
) -> None:
    clips = library[1]
    one = next(clip for clip in clips if clip.source == "human")
    other = next(clip for clip in clips if clip.source == "symbolic")
    with database.transaction() as session:
        add_stimuli(session, clips, NOW)
    n = counts(database)[2]
    row = BASE | {"m1": "human", "m2": "symbolic", "one": one.name, "other": other.name}
    mapping = MAPPING.replace("columns: {", "columns: {stimulus_a: one, stimulus_b: other, ")
    imported(database, tmp_path, [row], mapping)
    assert counts(database)[2] == n
    with database.reading() as session:
        shown = select(UnitMember.sha256).where(UnitMember.slot == "a")
        sha256 = session.exec(shown).one()
        frame = responses_frame(session, "elsewhere-1")
    assert sha256 == one.clip_sha256
    assert frame["stimulus_a"].tolist() == [one.name]
    with pytest.raises(Conflict, match="is there already, of source 'symbolic', and the answers say 'bot'"):
        imported(database, tmp_path, [row | {"m2": "bot"}], mapping.replace("elsewhere-1", "elsewhere-2"))
    # Pairs of two studies that have the same names have clips of their own.
    for name in ("plain-1", "plain-2"):
        imported(database, tmp_path, [BASE], MAPPING.replace("elsewhere-1", name))
    with database.reading() as session:
        assert responses_frame(session, "plain-2")["stimulus_b"].tolist() == ["plain-2-x-b"]


@pytest.mark.slow
def test_counts_without_raters_are_imported_packed_and_reported_with_what_was_assumed(
    database: Database, tmp_path: Path
) -> None:
    mapping = "kind: 2afc\nstudy: wins\ncolumns: {pair: item}\nwide: {counts: {n1: a, n2: b, n3: tie}}\n"
    rows = [{"item": "x", "n1": "3", "n2": "1", "n3": ""}, {"item": "y", "n1": "0", "n2": "2", "n3": "2"}]
    assert imported(database, tmp_path, rows, mapping) == [Imported("wins", 8, 8)]
    with database.reading() as session:
        source, frame = read_study(session, "wins")
        packed = build_package(session, "wins", tmp_path / "wins.zip", made_at=NOW, study_files={})
    assert getattr(source, "taken", None) == ANONYMOUS
    assert getattr(source, "origin", None) == "an import with a mapping file"
    labels = analyze(frame, resamples=0).labels
    assert labels[["votes_a", "votes_b", "votes_tie"]].to_numpy().tolist() == [[3, 1, 0], [0, 2, 2]]
    assert packed.path.stat().st_size > 1000
