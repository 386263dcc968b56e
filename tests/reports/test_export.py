"""Exports: exact columns, every answer, whole files or none."""

import csv
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest
from sqlalchemy import false
from sqlmodel import Session
from starlette.testclient import TestClient

from analysis import read_responses
from analysis.data.columns import ANALYZED_COLUMNS, names
from app.core.database import Database
from app.core.errors import NotFound, StudyError
from app.reports import frames
from app.reports.export import export
from app.reports.facts import tables_of
from app.reports.frames import responses_frame
from app.reports.kinds import Format
from app.reports.tasks import table_of
from app.tasks.pair.in_parts import responses_in_parts
from app.tasks.pair.responses import responses
from tests.kept import Kept
from tests.sessions.walks import Walk

# The same cells on both databases: test_package.py, whose tables these are.
pytestmark = pytest.mark.any_database

# design.md's contract, written out again on purpose.
RESPONSES = [
    "study",
    "version",
    "arm",
    "mode",
    "participant",
    "session",
    "position",
    "trial",
    "pair",
    "condition",
    "kind",
    "stimulus_a",
    "stimulus_b",
    "source_a",
    "source_b",
    "truth",
    "left",
    "choice",
    "chosen_source",
    "correct",
    "uncertainty",
    "rationale",
    "rt_ms",
    "shown_at",
    "answered_at",
    "watched_a",
    "watched_b",
    "plays_a",
    "plays_b",
    "stalls",
    "hidden_ms",
    "excluded",
    "flags",
    "layout",
    "opened_ms",
    "interval_ms",
    "block",
    "certainty",
    "use",
    "pay",
    "rules",
]
LABELS = [
    "study",
    "pair",
    "condition",
    "kind",
    "stimulus_a",
    "stimulus_b",
    "source_a",
    "source_b",
    "truth",
    "votes_a",
    "votes_b",
    "n",
    "share_a",
    "ci_low",
    "ci_high",
    "majority",
    "chosen_stimulus",
    "agrees_with_truth",
    "mean_uncertainty",
    "votes_tie",
    "blank",
    "mean_certainty",
]

CLIP = {"duration_s": 1.0, "played": [[0, 1]], "watched": True, "plays": 2, "stalls": 1, "stall_ms": 40,
        "dropped_frames": 0, "frames": 30, "errors": [], "failed": False, "max_rate": 1}  # fmt: skip
PLAYBACK = json.dumps({"v": 1, "loads": 1, "drift_ms_max": 7, "hidden_ms": 120, "left": CLIP,
                       "right": {**CLIP, "plays": 1, "stalls": 0}})  # fmt: skip
PARTLY = PLAYBACK.replace("[[0, 1]]", "[[0, 0.4]]")


@pytest.fixture
def session(client: TestClient, study: str, database: Database, kept: Kept) -> Iterator[Session]:
    """Two participants: one who always takes the left with full telemetry, one who stops after three trials."""
    if database.url.get_backend_name() == "sqlite":
        kept.once(database, lambda: walked(client, study))
    else:
        walked(client, study)
    with database.reading() as session:
        yield session


def walked(client: TestClient, study: str) -> None:
    first = Walk(client, study, PROLIFIC_PID="Ünïcode-1").to("trial-1")
    first.answer(choice="left", playback=PARTLY, rationale='says "so", twice\n=1+1')
    while first.page != "end":
        first.answer(choice="left", playback=PLAYBACK, rationale='says "so", twice\n=1+1')
    second = Walk(client, study).to("trial-1")
    second.answer(choice="right")
    second.answer(choice="right")
    second.answer(unplayable="1", choice="", uncertainty="", rationale="")
    Walk(client, study).answer(decision="refuse")


def exported(session: Session, what: str, tmp_path: Path) -> list[Mapping[str, str]]:
    path = tmp_path / "out.csv"
    n = export(session, "nav", what, Format.CSV, path).n_rows
    with path.open(encoding="utf-8", newline="") as file:
        rows: list[Mapping[str, str]] = [dict(row) for row in csv.DictReader(file)]
    assert len(rows) == n
    return rows


@pytest.mark.both_databases
def test_the_columns_are_those_of_the_contract(session: Session, tmp_path: Path) -> None:
    assert [column.name for column in table_of("responses").columns] == RESPONSES
    assert [column.name for column in table_of("labels").columns] == LABELS
    for what in tables_of([]):
        rows = exported(session, what, tmp_path)
        wanted = [column.name for column in table_of(what).columns]
        if what == "participants":
            wanted = [*wanted, "use", "pay", "rules"]
            wanted.insert(wanted.index("consent_sha256") + 1, "background_familiarity")
        assert list(rows[0]) == wanted


def test_responses_say_what_was_shown_pressed_and_meant(session: Session, tmp_path: Path) -> None:
    rows = exported(session, "responses", tmp_path)
    assert len(rows) == 11 + 3
    for row in rows[:11]:
        assert row["choice"] == row["left"]
        assert row["chosen_source"] == row[f"source_{row['choice']}"]
        assert row["correct"] == {"": "", row["choice"]: "true"}.get(row["truth"], "false")
        right = "b" if row["left"] == "a" else "a"
        assert (row[f"plays_{row['left']}"], row[f"plays_{right}"]) == ("2", "1")
        watched = "false" if row["kind"] == "practice" else "true"
        assert (row["watched_a"], row["watched_b"]) == (watched, watched)
        assert (row["stalls"], row["hidden_ms"], row["rt_ms"], row["uncertainty"]) == (
            "1",
            "120",
            "9000",
            "2",
        )
        assert row["participant"] == "Ünïcode-1"
        assert row["rationale"] == 'says "so", twice\n=1+1'
        assert row["shown_at"] <= row["answered_at"]
        assert row["answered_at"].endswith("Z")
        took = datetime.fromisoformat(row["answered_at"]) - datetime.fromisoformat(row["shown_at"])
        assert int(row["interval_ms"]) == round(took / timedelta(milliseconds=1))
        assert (row["flags"], row["block"]) == (
            "not-watched;one-sided" if row["kind"] == "practice" else "one-sided",
            "trials",
        )
        assert row["excluded"] == ("unwatched" if row["kind"] == "practice" else "")
    assert [row["position"] for row in rows] == [*map(str, range(1, 12)), "1", "2", "3"]
    assert rows[0]["kind"] == "practice"


def test_a_press_on_the_right_is_a_choice_of_the_member_that_was_not_on_the_left(
    session: Session, tmp_path: Path
) -> None:
    rows = exported(session, "responses", tmp_path)[11:13]
    assert {(row["left"], row["choice"]) for row in rows} <= {("a", "b"), ("b", "a")}
    for row in rows:
        assert row["chosen_source"] == row[f"source_{row['choice']}"]
        assert row["correct"] == {"": "", row["choice"]: "true"}.get(row["truth"], "false")


def test_a_pair_that_would_not_play_is_marked_excluded(session: Session, tmp_path: Path) -> None:
    last = exported(session, "responses", tmp_path)[-1]
    assert (last["excluded"], last["choice"], last["correct"], last["chosen_source"]) == (
        "unplayable",
        "",
        "",
        "",
    )


def test_all_formats_hold_the_same(session: Session, tmp_path: Path) -> None:
    for format_ in Format:
        export(session, "nav", "responses", format_, tmp_path / f"r.{format_}")
    frames = [read_responses(tmp_path / f"r.{format_}") for format_ in Format]
    for frame in frames:
        pd.testing.assert_frame_equal(frame, frames[0])
        pd.testing.assert_frame_equal(frame, responses_frame(session, "nav"))
    assert pq.read_schema(tmp_path / "r.parquet").names == RESPONSES


def test_what_is_analysed_is_read_without_the_rest(session: Session) -> None:
    analysed = responses_frame(session, "nav", ANALYZED_COLUMNS)
    pd.testing.assert_frame_equal(analysed, responses_frame(session, "nav")[list(names(ANALYZED_COLUMNS))])


@pytest.mark.both_databases
def test_what_is_read_in_parts_is_what_is_exported(session: Session) -> None:
    cells = responses_frame(session, "nav").astype(object)
    exported = [tuple(row) for row in session.execute(responses("nav"))]
    assert len(exported) > 10
    assert list(cells.where(cells.notna(), None).itertuples(index=False, name=None)) == exported


def test_a_study_that_goes_away_while_it_is_read_is_not_half_there(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = responses_in_parts("nav", ["study", "position"])
    gone = replace(parts, sessions=parts.sessions.where(false()))
    monkeypatch.setattr(frames, "responses_in_parts", lambda *_: gone)
    with pytest.raises(NotFound, match="nav was deleted"):
        responses_frame(session, "nav")


@pytest.mark.parametrize(
    ("column", "tables"), [("choice", 0), ("watched_b", 1), ("stalls", 2), ("flags", 0), ("hidden_ms", 1)]
)
def test_tables_of_playback_are_read_only_for_their_columns(column: str, tables: int) -> None:
    assert str(responses("nav", [column])).count("JOIN evidence") == tables


def test_participants_are_those_who_took_part(session: Session, tmp_path: Path) -> None:
    rows = exported(session, "participants", tmp_path)
    assert [row["status"] for row in rows] == ["completed", "active"]
    assert [row["trials_answered"] for row in rows] == ["11", "3"]
    assert [json.loads(row["background"]) for row in rows] == [{"familiarity": 3}] * 2
    assert json.loads(rows[0]["recruiter"]) == {"PROLIFIC_PID": "Ünïcode-1"}
    assert rows[1]["ended_at"] == ""


def test_playback_has_a_row_per_clip_with_its_ranges(session: Session, tmp_path: Path) -> None:
    rows = exported(session, "playback", tmp_path)
    told = [row for row in rows if row["member"]]
    assert len(told) == 22
    assert {row["side"]: row["plays"] for row in told} == {"left": "2", "right": "1"}
    assert [json.loads(row["played"]) for row in told[1:3]] == [[[0.0, 0.4]], [[0.0, 1.0]]]
    assert {row["fetched"] for row in told} == {"true"}
    assert json.loads(told[0]["flags"]) == ["not-watched-left", "not-watched-right"]
    assert [json.loads(row["flags"]) for row in rows if not row["member"]] == [["playback-missing"]] * 3


def test_answers_are_one_row_per_question(session: Session, tmp_path: Path) -> None:
    rows = exported(session, "answers", tmp_path)
    of_first = [row for row in rows if row["participant"] == "Ünïcode-1"]
    assert [(row["question"], row["value"]) for row in of_first[:3]] == [
        ("consent", "2026-01"), ("decision", "agree"), ("familiarity", "3")
    ]  # fmt: skip
    assert len([row for row in of_first if row["question"] == "choice"]) == 11


def test_labels_count_main_trials_that_are_not_excluded(session: Session, tmp_path: Path) -> None:
    rows = exported(session, "labels", tmp_path)
    assert len(rows) == 10
    assert (
        sum(int(row["n"]) for row in rows) == 10 + 1
    )  # ten of the first, the second's one answered main trial


def test_an_export_that_fails_leaves_no_file_and_the_old_one(session: Session, tmp_path: Path) -> None:
    out = tmp_path / "labels.csv"
    out.write_text("old")
    with pytest.raises(NotFound, match="no study 'none'"):
        export(session, "none", "labels", Format.CSV, out)
    assert out.read_text() == "old"
    with pytest.raises(StudyError, match="cannot write"):
        export(session, "nav", "labels", Format.CSV, tmp_path / "no" / "such" / "folder.csv")
    assert sorted(path.name for path in tmp_path.iterdir() if "part" in path.name) == []


def test_parquet_needs_a_file(session: Session) -> None:
    with pytest.raises(StudyError, match="--out"):
        export(session, "nav", "responses", Format.PARQUET, None)


def test_csv_goes_to_standard_output_without_a_file(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    monkeypatch.setattr("sys.stdout", stream)
    n = export(session, "nav", "participants", Format.CSV, None).n_rows
    text = stream.buffer.getvalue().decode()
    assert len(list(csv.DictReader(io.StringIO(text)))) == n == 2
