"""Everything held about one person: a recognisable value in each personal column is in what is handed over, and once
the person is forgotten in no page of the database's file. The columns are those of tools/personal_data.yaml."""

import json
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import JSON, Boolean, Column, Float, Integer, Table, update
from sqlalchemy import select as select_columns
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, SQLModel, select
from starlette.testclient import TestClient

from app.accounts.audit import COMMAND_LINE, record
from app.core.database import Database
from app.core.settings import Settings
from app.reports.documents.page import page_of
from app.reports.documents.person import person_document
from app.sessions.about_person import OF_EXPERIMENTERS, AboutPerson, about_person, as_json, forget_person
from app.sessions.erasing import erase_identities
from app.tasks.game.tables import Entry, EntryStatus, GameEvent, Match, Seat
from app.tasks.walk.tables import Walk as PersonsWalk
from app.tasks.walk.tables import WalkSteps
from app.trials.responses import Evidence, Response
from app.trials.tables import (
    Exclusion,
    ParticipantIdentity,
    ParticipantSession,
    SessionNote,
    SessionVerdict,
    StudyVersion,
    Trial,
)
from tests.factories import NOW
from tests.sessions.walks import Walk
from tools.privacy import classified

WHO = "5f3a9c1e7b2d4a6f8c0e1d2b"
MARK = "planted"
# Joined to no session in the database, so that no export of one person has them, as docs/privacy.md says.
JOINED_TO_NOBODY = {
    "stimulus.attributes",
    "stimulus.original_name",
    "content.content",
    "exchange.line",
}
Planted = dict[str, Any]


def personal(until: str = "") -> Iterator[str]:
    """`table.column` of each column that is personal data of a participant, and ends as `until` says."""
    for table, columns in classified().personal.items():
        for column, said in columns.items():
            name = f"{table}.{column}"
            if (
                said["whom"] == "participant"
                and said["until"].startswith(until)
                and name not in JOINED_TO_NOBODY
            ):
                yield name


@pytest.fixture
def held(client: TestClient, study: str, database: Database) -> int:
    """A person who answered, walked, played alone against an agent and is noted; and somebody else who answered."""
    for name in (WHO, "Bertram"):
        Walk(client, study, participant=name).to("end")
    with database.transaction() as session:
        number = session.exec(
            select(ParticipantSession.id).where(ParticipantSession.participant == WHO)
        ).one()
        first, second = session.exec(select(Trial).where(Trial.session_id == number).limit(2)).all()
        add_rest(session, number or 0, first, second)
        record(
            session,
            COMMAND_LINE,
            "session.exclude",
            now=NOW,
            study=study,
            subject=f"session {number}",
            after={},
        )
        both = {"participants": [WHO, "Bertram"]}
        record(session, COMMAND_LINE, "links.make", now=NOW, study=study, after=both)
    return number or 0


def add_rest(session: Session, number: int, first: Trial, second: Trial) -> None:
    """Rows of the tables that going through the pages left empty."""
    one = session.get_one(ParticipantSession, number)
    session.add(
        ParticipantIdentity(session_id=number, external_id=WHO, parameters={"STUDY_ID": "rec-study-1"})
    )
    session.add(SessionNote(session_id=number, text="wrote to us", written_at=NOW))
    session.add(Exclusion(session_id=number, reason="asked to be", excluded_at=NOW, lifted_at=NOW))
    if session.get(SessionVerdict, number) is None:
        session.add(SessionVerdict(session_id=number, use=True, pay=True, names="", rules={}, judged_at=NOW))
    answer = session.exec(select(Response.id).where(Response.session_id == number)).first()
    session.add(
        Evidence(
            response_id=answer or 0, slot="a", watched=True, plays=1, played=[], stalls=0, stall_ms=0, dropped_frames=0,
            frames=30, hidden_ms=0, page_loads=1, failed=False, errors=[],
        )
    )  # fmt: skip
    match = Match(
        version_id=one.version_id, mode="live", arm="main", block="trials", unit_id=first.unit_id, game="sug",
        game_version="1", config={}, config_hash="0" * 16, seed="1", status="finished", formed_at=NOW, opened_at=NOW,
    )  # fmt: skip
    session.add(match)
    session.flush()
    id_ = match.id or 0
    session.add(Seat(match_id=id_, seat=1, role="player", occupant="human", session_id=number, from_seq=0))
    session.add(
        GameEvent(
            match_id=id_, seq=1, round=1, phase="offer", phase_id="1", kind="move", seat=1, occupant="human",
            session_id=number, move={}, received_at=NOW, state_hash="0" * 64,
        )
    )  # fmt: skip
    session.add(
        Entry(
            session_id=number, trial_id=first.id or 0, version_id=one.version_id, mode="live", arm="main",
            block="trials", status=EntryStatus.MATCHED, seen_at=NOW,
        )
    )  # fmt: skip
    walk = PersonsWalk(
        trial_id=second.id or 0, session_id=number, tick=1, walker=[0], length_um=1, began_at=NOW, frames=1,
        drawn_ms=1, slow_ms=0, input="keys",
    )  # fmt: skip
    session.add(walk)
    session.flush()
    session.add(
        WalkSteps(walk_id=walk.id or 0, from_tick=0, n=1, steps=[[0, 0]], input="keys", received_at=NOW)
    )
    session.flush()


def plant(session: Session, number: int, secret: str) -> Planted:
    """Put a value of its own into every personal column of the person's rows; where a constraint allows a few values
    only, what stands there."""
    rows = about_person(session, WHO, secret).tables
    planted: Planted = {}
    for at, name in enumerate(personal()):
        table, column = name.split(".")
        where = SQLModel.metadata.tables[table]
        found = rows.get(table, ())
        assert found, f"there is no row of {table} about the person"
        key = next(iter(where.primary_key.columns))
        row = found[0]
        if (
            column in ("session_id", "external_id", "participant", "subject")
            or name == "session_token.sha256"
        ):
            planted[name] = row[column]
            continue
        value = value_for(where.c[column], name, at)
        try:
            with session.begin_nested():
                session.execute(update(where).where(key == row[key.name]).values({column: value}))
            planted[name] = value
        except IntegrityError:
            planted[name] = row[column]
    session.flush()
    session.expire_all()
    return planted


def value_for(column: Column[Any], name: str, at: int) -> Any:
    kind = column.type
    if isinstance(kind, JSON):
        return {MARK: f"{MARK}-{name}"}
    if isinstance(kind, Boolean):
        return True
    if isinstance(kind, Integer | Float):
        return 1_700_000 + at
    if "TIME" in str(kind).upper():
        return datetime(1999, 1, 1, tzinfo=UTC) + timedelta(days=at)
    # As long as its column may be.
    return f"{MARK}-{name}"[: getattr(kind, "length", None) or 200]


def in_export(found: AboutPerson, name: str) -> list[Any]:
    table, column = name.split(".")
    return [row[column] for row in found.tables.get(table, ()) if column in row]


@pytest.mark.any_database
def test_a_value_planted_in_every_personal_column_is_handed_over(
    held: int, database: Database, settings: Settings
) -> None:
    with database.transaction() as session:
        planted = plant(session, held, settings.secret)
        found = about_person(session, f"{held}", settings.secret)
    assert set(planted) == set(personal())
    missing = [name for name, value in planted.items() if value not in in_export(found, name)]
    assert missing == []
    data, page = json.loads(as_json(found, NOW)), unescape(page_of(person_document(found, NOW)))
    assert data["sessions"] == [{"session": held, "study": "nav"}]
    for name, value in planted.items():
        table, column = name.split(".")
        plain = value.isoformat() if isinstance(value, datetime) else value
        assert plain in [row.get(column) for row in data["tables"][table]], name
        if isinstance(value, str):
            label = column.replace("_", " ").capitalize()
            assert f"{label}: {value}" in page, name
        if isinstance(value, dict):
            assert value[MARK] in page, name
    assert [row for row in data["tables"]["response"] if row["session_id"] != held] == []
    assert "Bertram" not in page
    assert "Bertram" not in json.dumps(data)
    [mention] = [row for row in data["tables"]["audit_entry"] if row["action"] == "links.make"]
    assert mention["names"] == [WHO]


def test_what_is_left_out_of_an_export_is_what_is_personal_of_experimenters() -> None:
    columns = {
        table: {column for column, said in columns.items() if said["whom"] == "experimenter"}
        for table, columns in classified().personal.items()
        if any(said["whom"] == "participant" for said in columns.values()) or table in OF_EXPERIMENTERS
    }
    assert {table: set(names) for table, names in OF_EXPERIMENTERS.items()} == {
        table: names for table, names in columns.items() if names
    }


@pytest.mark.any_database
def test_once_forgotten_no_planted_value_is_in_the_whole_database_file(
    held: int, database: Database, settings: Settings
) -> None:
    with database.transaction() as session:
        planted = plant(session, held, settings.secret)
    texts = {
        name: value[MARK] if isinstance(value, dict) else value
        for name, value in planted.items()
        if isinstance(value, dict) or (isinstance(value, str) and MARK in value)
    }
    assert len(texts) > 20
    assert [name for name, text in texts.items() if not in_file(database, text)] == []
    with database.transaction() as session:
        forget_person(session, COMMAND_LINE, f"{held}", settings.secret, NOW)
    of_the_log = {name for name in planted if name == "audit_entry.subject"}  # that somebody withdrew is kept
    gone = {name: value for name, value in planted.items() if name not in of_the_log}
    assert still_in_tables(database, gone) == []
    assert [name for name, text in texts.items() if in_file(database, text)] == []
    assert not in_file(database, "rec-study-1")


@pytest.mark.any_database
def test_once_erased_no_identity_is_in_the_whole_database_file_and_answers_are(
    held: int, database: Database, settings: Settings
) -> None:
    with database.transaction() as session:
        version = session.exec(select(StudyVersion)).one()
        version.design = json.dumps(json.loads(version.design) | {"retention": {"days": 0}})
        planted = plant(session, held, settings.secret)
        erase_identities(session, COMMAND_LINE, NOW + timedelta(days=9_999), "nav")
    for name in personal("retention"):
        value = planted[name]
        if isinstance(value, dict | str) and name not in ("session_token.session_id",):
            text = value[MARK] if isinstance(value, dict) else value
            assert not in_file(database, text), name
    assert not in_file(database, WHO)
    assert not in_file(database, "Bertram")
    assert in_file(database, planted["response.rationale"])


def still_in_tables(database: Database, planted: Planted) -> list[str]:
    """The columns in which a planted value that is like no other still stands somewhere."""
    found = []
    with database.reading() as session:
        for name, value in planted.items():
            table, column = name.split(".")
            where: Table = SQLModel.metadata.tables[table]
            if isinstance(value, bool) or column in ("session_id",) or value is None:
                continue
            there = session.execute(select_columns(where.c[column])).scalars().all()
            # Where a constraint allows a few values only, others have them, too.
            is_own = isinstance(value, dict | datetime) or (isinstance(value, int) and value >= 1_700_000)
            is_planted = is_own or (isinstance(value, str) and MARK in value)
            if is_planted and value in there:
                found.append(name)
    return found


def in_file(database: Database, text: str) -> bool:
    """True if the text stands anywhere in the file of a SQLite database, free pages included, once its log is in it."""
    path = Path(str(database.url.database))
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    log = path.with_name(f"{path.name}-wal")
    data = path.read_bytes() + (log.read_bytes() if log.exists() else b"")
    return text.encode() in data
