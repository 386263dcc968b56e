"""The table of ratings: a row for each question answered about an item, in every format and in the package."""

import csv
import io
import json
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest
from sqlmodel import Session, col, select

from analysis.data.reading import is_rating_rows, read_rating_rows
from app.core.database import Database
from app.core.errors import StudyError
from app.library.clips.imported import ImportedClip
from app.library.clips.store import ClipStore
from app.library.stimuli import add_stimuli
from app.reports.export import export, rows_of
from app.reports.kinds import Format
from app.reports.package import build_package
from app.reports.rated import ratings_frame
from app.reports.tasks import table_of
from app.tasks.rating.evidence import Reading, evidence_of
from app.trials.responses import Evidence, Response
from app.trials.tables import Mode, ParticipantSession
from tests.factories import NOW, study_file
from tests.kept import Kept
from tests.reports.rated import load_rated, rate, rated_study

pytestmark = pytest.mark.any_database

# design.md's contract, written out again on purpose; what comes after it came later.
RATINGS = [
    "study", "version", "arm", "mode", "block", "participant", "session", "position", "trial", "item", "condition",
    "kind", "stimulus", "source", "question", "value", "text", "rt_ms", "shown_at", "answered_at", "flags", "excluded",
]  # fmt: skip
LATER = [
    *("group", "scale_low", "scale_high", "level", "options", "truth", "ask"),
    *("watched", "read_ms", "hidden_ms", "read_depth", "parts_seen", "parts_ms"),
    *("use", "pay", "rules"),
]
OWN = [
    *(
        "participant",
        "kind",
        "question",
        "value",
        "text",
        "item",
        "position",
        "trial",
        "scale_high",
        "excluded",
    ),
]


@pytest.fixture
def session(database: Database, kept: Kept, tmp_path: Path) -> Iterator[Session]:
    with rated_study(database, kept, tmp_path) as session:
        yield session


def exported(session: Session, what: str, folder: Path, slug: str = "rated") -> list[Mapping[str, str]]:
    path = folder / f"{what}.csv"
    n = export(session, slug, what, Format.CSV, path).n_rows
    with path.open(encoding="utf-8", newline="") as file:
        rows: list[Mapping[str, str]] = [dict(row) for row in csv.DictReader(file)]
    assert len(rows) == n
    return rows


@pytest.mark.both_databases
def test_a_row_is_one_question_about_one_item(session: Session, tmp_path: Path) -> None:
    rows = exported(session, "ratings", tmp_path)
    assert [column.name for column in table_of("ratings").columns] == [*RATINGS, *LATER]
    assert list(rows[0]) == [*RATINGS, *LATER]
    of_ann = [row for row in rows if row["participant"] == "ann"]
    assert [row["kind"] for row in of_ann if row["question"] == "logic"] == [
        "practice", "main", "main", "main", "main", "attention",
    ]  # fmt: skip
    told = [(row["question"], row["value"], row["text"]) for row in of_ann if row["item"] == "one"]
    assert told == [
        ("logic", "4", ""),
        ("fit", "3", ""),
        ("effort", "0.8", ""),
        ("words", "3", ""),
        ("maker", "", "person"),
        ("reason", "", '"ann"\n=1'),
    ]
    scales = {row["question"]: (row["scale_low"], row["scale_high"]) for row in of_ann}
    assert scales == {
        "logic": ("1", "5"), "fit": ("1", "3"), "effort": ("0.0", "1.0"), "words": ("", ""), "maker": ("", ""),
        "reason": ("", ""),
    }  # fmt: skip
    first = of_ann[0]
    assert (first["stimulus"], first["source"], first["condition"], first["group"]) == ("", "", "", "")
    assert {row["block"] for row in rows} == {"rate"}
    assert {(row["condition"], row["group"]) for row in of_ann if row["kind"] == "main"} == {
        ("long", "persona"),
        ("short", "plain"),
    }
    assert (first["rt_ms"], first["shown_at"], first["answered_at"]) == (
        "9000",
        "2026-03-01T12:00:30.000000Z",
        "2026-03-01T12:01:00.000000Z",
    )


@pytest.mark.both_databases
def test_who_is_left_out_stands_in_the_table_and_says_so(session: Session, tmp_path: Path) -> None:
    rows = exported(session, "ratings", tmp_path)
    assert {(row["participant"], row["mode"], row["excluded"]) for row in rows} == {
        ("ann", "live", ""),
        ("bob", "live", ""),
        ("cyd", "live", ""),
        ("dan", "live", "by-hand"),
        ("ann-pilot", "pilot", ""),
        ("bob-simulated", "simulated", ""),
    }
    items = Counter(row["participant"] for row in rows if row["question"] == "logic")
    assert (items["ann"], items["ann-pilot"]) == (6, 3)
    assert {row["flags"] for row in rows if row["mode"] == "pilot"} == {"too-fast"}


def test_a_question_without_an_answer_has_no_row(session: Session, tmp_path: Path) -> None:
    rows = exported(session, "ratings", tmp_path)
    asked = Counter((row["participant"], row["question"]) for row in rows)
    assert (asked["ann", "fit"], asked["bob", "effort"], asked["dan", "words"]) == (2, 0, 0)


def test_all_formats_of_ratings_hold_the_same(session: Session, tmp_path: Path) -> None:
    for format_ in Format:
        export(session, "rated", "ratings", format_, tmp_path / f"r.{format_}")
    frames = [read_rating_rows(tmp_path / f"r.{format_}") for format_ in Format]
    for frame in frames:
        pd.testing.assert_frame_equal(frame, frames[0])
    assert pq.read_schema(tmp_path / "r.parquet").names == [*RATINGS, *LATER]
    assert all(is_rating_rows(tmp_path / f"r.{format_}") for format_ in Format)
    export(session, "rated", "answers", Format.CSV, tmp_path / "answers.csv")
    assert not is_rating_rows(tmp_path / "answers.csv")


def load_own(session: Session, folder: Path) -> None:
    """Two people, one of them excluded, and a preview, with answers about themselves."""
    load_rated(session, folder, self_assessment="# And you?\n")
    rate(session, "ann", own={"logic": 5, "maker": "person"})
    rate(session, "bob", own={"logic": 2}, excluded="asleep")
    rate(session, "cyd", mode=Mode.PREVIEW, own={"logic": 1})


@pytest.mark.both_databases
def test_answers_about_oneself_come_after_all_items_with_what_excludes_them(
    database: Database, tmp_path: Path
) -> None:
    with database.transaction() as session:
        load_own(session, tmp_path)
        run = session.exec(select(ParticipantSession.id).order_by(col(ParticipantSession.id))).first()
    with database.reading() as session:
        rows = exported(session, "ratings", tmp_path)
        n_items = sum(row["kind"] != "self" for row in rows)
        own = [tuple(row[name] for name in OWN) for row in rows[n_items:]]
        assert own == [
            ("ann", "self", "logic", "5", "", "", "", f"self-{run}-rate", "5", ""),
            ("ann", "self", "maker", "", "person", "", "", f"self-{run}-rate", "", ""),
            ("bob", "self", "logic", "2", "", "", "", f"self-{(run or 0) + 1}-rate", "5", "by-hand"),
        ]
        frames = []
        for format_ in Format:
            export(session, "rated", "ratings", format_, tmp_path / f"r.{format_}")
            frames.append(read_rating_rows(tmp_path / f"r.{format_}"))
        for frame in frames:
            pd.testing.assert_frame_equal(frame, ratings_frame(session, "rated"))


@pytest.mark.slow
def test_a_package_numbers_the_sessions_of_answers_about_oneself_anew(
    database: Database, tmp_path: Path
) -> None:
    with database.transaction() as session:
        load_own(session, tmp_path)
    with database.reading() as session:
        n_rows = sum(1 for _ in rows_of(session, "rated", "ratings"))
        build_package(session, "rated", tmp_path / "p.zip", made_at=NOW)
    with zipfile.ZipFile(tmp_path / "p.zip") as archive:
        path = "data/study-rated_description-ratings_data.csv"
        table = list(csv.DictReader(io.StringIO(archive.read(path).decode(), newline="")))
    keys = [(row["trial"], row["question"]) for row in table]
    assert len(set(keys)) == len(keys) == n_rows > 0
    assert not any(trial.startswith("self-") for trial, _ in keys), "sessions are numbered anew"


@pytest.mark.both_databases
def test_what_was_in_view_of_a_record_and_for_how_long_is_in_the_table(
    database: Database, tmp_path: Path
) -> None:
    reading = Reading(9000, 1500, (4000, 0, 2500, 100), 0.8, 1, None)
    with database.transaction() as session:
        load_rated(session, tmp_path)
        rate(session, "ann")
        first, second = session.exec(select(Response.id).order_by(col(Response.id))).all()[:2]
        session.add(Evidence(response_id=first or 0, slot="item", **evidence_of(reading)))
        clip = {**evidence_of(reading), "reading": None, "watched": True}
        session.add(Evidence(response_id=second or 0, slot="item", **clip))
    with database.reading() as session:
        rows = exported(session, "ratings", tmp_path)
        seen = {row["trial"]: tuple(row[name] for name in LATER[-9:-3]) for row in rows}
        assert list(seen.values())[:3] == [
            ("false", "9000", "1500", "0.8", "0.75", "[4000, 0, 2500, 100]"),
            ("true", "", "1500", "", "", ""),
            ("", "", "", "", "", ""),
        ]
        for format_ in Format:
            export(session, "rated", "ratings", format_, tmp_path / f"r.{format_}")
            frame = read_rating_rows(tmp_path / f"r.{format_}")
            pd.testing.assert_frame_equal(frame, ratings_frame(session, "rated"))


@pytest.mark.both_databases
def test_tables_of_pairs_are_refused_where_there_are_none(session: Session, tmp_path: Path) -> None:
    for what in ("responses", "labels", "playback", "preferences"):
        with pytest.raises(StudyError, match="there are no pairs in this study; try --what ratings"):
            export(session, "rated", what, Format.CSV, tmp_path / "none.csv")
    assert not (tmp_path / "none.csv").exists()
    people = exported(session, "participants", tmp_path)
    assert (people[0]["trials_planned"], people[0]["trials_answered"]) == ("6", "6")
    answers = [row for row in exported(session, "answers", tmp_path) if row["participant"] == "ann"]
    assert ("logic", "4") in {(row["question"], row["value"]) for row in answers}


@pytest.fixture
def both(
    database: Database, library: tuple[ClipStore, Sequence[ImportedClip]], tmp_path: Path
) -> Iterator[Session]:
    """A study of pairs and then of ratings, one session of each; sessions of pairs have no trial of the other."""
    pairs = {"id": "watch", "task": "pair", **{key: study_file()[key] for key in ("sample", "trials")}}
    with database.transaction() as session:
        add_stimuli(session, library[1], NOW)
        load_rated(session, tmp_path, pairs, slug="both")
        rate(session, "ann")
    with database.reading() as session:
        yield session


@pytest.mark.both_databases
def test_a_study_of_pairs_and_ratings_has_each_in_its_table(both: Session, tmp_path: Path) -> None:
    assert exported(both, "responses", tmp_path, "both") == []
    assert exported(both, "playback", tmp_path, "both") == []
    assert exported(both, "labels", tmp_path, "both") == []
    assert {row["block"] for row in exported(both, "ratings", tmp_path, "both")} == {"rate"}


def test_a_study_of_pairs_alone_has_no_table_of_ratings(database: Database, study: str) -> None:
    with (
        database.reading() as session,
        pytest.raises(StudyError, match="there are no items in this study; try --what responses"),
    ):
        export(session, study, "ratings", Format.CSV, None)


def package(session: Session, slug: str, folder: Path) -> Mapping[str, Any]:
    build_package(session, slug, folder / "p.zip", made_at=NOW)
    with zipfile.ZipFile(folder / "p.zip") as archive:
        archive.extractall(folder / "p")
    found: Mapping[str, Any] = json.loads((folder / "p/documentation/data-dictionary.json").read_text())
    return found


@pytest.mark.slow
def test_the_package_has_the_ratings_and_explains_them(session: Session, tmp_path: Path) -> None:
    dictionary = package(session, "rated", tmp_path)
    assert [column["column"] for column in dictionary["ratings"]["columns"]] == [*RATINGS, *LATER]
    rows = read_rating_rows(tmp_path / "p" / dictionary["ratings"]["path"])
    assert len(rows) == sum(1 for _ in rows_of(session, "rated", "ratings"))
    assert set(rows["participant"]) <= {f"p-{n:04d}" for n in range(1, 10)}
    readme = (tmp_path / "p/README.md").read_text()
    assert "Answers to trials: 24 of mode live, 6 of mode simulated, 3 of mode pilot" in readme
    assert "“Logical reasoning”" in readme
    assert "two video clips" not in readme
    resources = json.loads((tmp_path / "p/datapackage.json").read_text())["resources"]
    keys = {one["name"]: one.get("schema", {}).get("foreignKeys", []) for one in resources}
    assert [key["fields"] for key in keys["answers"]] == [["session"]]
    with (tmp_path / "p" / dictionary["answers"]["path"]).open(encoding="utf-8", newline="") as file:
        trials = {row["trial"] for row in csv.DictReader(file)}
    assert trials - {""} == set(rows["trial"].astype(str))
