"""The database's shape: what the migrations make is what the tables say, from every earlier revision."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.command import downgrade
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import URL, bindparam, text, update
from sqlalchemy.exc import IntegrityError
from sqlmodel import SQLModel, col, func, select
from sqlmodel.sql.sqltypes import UTCDateTime

from app.core.database import Database
from app.core.engines import make_engine
from app.core.errors import StudyError
from app.core.migrating import open_database
from app.core.settings import Settings
from app.jobs import queue
from app.jobs.tables import Job, Kind
from app.library.tables import Collection, LibraryRules, Stimulus, StudyClip, StudyCollection, Upload
from app.studies.collections import have_own_collection
from app.trials.responses import Evidence, Response
from app.trials.tables import ParticipantSession, SessionToken, Study, StudyVersion, Trial, Unit, UnitMember
from tests.conftest import migrate
from tests.factories import NOW
from tests.old_databases import empty

pytestmark = [pytest.mark.slow, pytest.mark.both_databases]

ROOT = Path(__file__).parent.parent


def revisions() -> list[str]:
    config = Config()
    config.set_main_option("script_location", str(ROOT / "migrations"))
    return [script.revision for script in ScriptDirectory.from_config(config).walk_revisions()][::-1]


# One row per table as revision 0001 had them; later revisions must carry them along.
FIRST_ROWS = {
    "study": "(id, slug, state, created_at) VALUES (1, 'old', 'live', :now)",
    "study_version": "(id, study_id, number, sha256, design, padded_bytes, created_at) "
    "VALUES (1, 1, 1, 'x', '{}', 4096, :now)",
    "stimulus": "(id, name, source, attributes, rules, imported_at, clip_sha256, clip_bytes, duration_s) "
    "VALUES (1, 'c1', 'human', '{}', '{}', :now, 'aa', 1000, 8), (2, 'c2', 'hybrid', '{}', '{}', :now, 'bb', 2000, 9)",
    "pair": "(id, version_id, name, position, condition, kind, stimulus_a_id, stimulus_b_id, truth) "
    "VALUES (1, 1, 'p1', 1, 'human-hybrid', 'main', 1, 2, 'a')",
    "participant_session": "(id, token, version_id, arm, mode, recruiter, status, step, arrived_at) "
    "VALUES (1, 'tok', 1, 'main', 'live', '{}', 'active', 2, :now)",
    "trial": "(id, session_id, position, pair_id, left_member) VALUES (1, 1, 1, 1, 'b')",
    "response": "(id, session_id, trial_id, page, submit_id, side, uncertainty, answers, unplayable, flags, "
    "answered_at) VALUES (1, 1, 1, 'trial-1', 's1', 'left', 2, '{}', false, '[]', :now)",
    "playback": "(id, response_id, member, watched, plays, played, stalls, stall_ms, dropped_frames, frames, "
    "hidden_ms, page_loads, failed, errors) VALUES (1, 1, 'a', true, 1, '[[0, 8]]', 0, 0, 0, 240, 0, 1, false, '[]')",
}


# What revision 0002 has beside those: jobs, and an upload that refers to one.
SECOND_ROWS = {
    "user_account": "(id, email, password_hash, role, created_at) VALUES (1, 'o@example.org', 'x', 'owner', :now)",
    "job": "(kind, study_id, params, status, done, total, doing, message, tries, result, asked_by, asked_at) "
    """VALUES ('import', NULL, '{"token": "t"}', 'queued', 1, 2, 'd', '', 0, NULL, 1, :now), """
    """('report', 1, '{"slug": "old"}', 'done', 3, 4, '', 'm', 1, '{"mode": "live"}', 1, :now)""",
    "upload": "(id, token, user_id, file_name, bytes, name, source, attributes, status, message, job_id, created_at) "
    "VALUES (1, 't', 1, 'f.mp4', 9, 'f', 'human', '{}', 'waiting', '', 1, :now)",
}


@pytest.fixture
def emptied(database_url: URL) -> URL:
    empty(database_url)
    return database_url


@pytest.mark.parametrize("stops", [revisions()[1:], ["head"]], ids=["at-each", "at-none"])
def test_a_filled_database_of_any_revision_is_upgraded_with_its_answers(
    emptied: URL, stops: Sequence[str]
) -> None:
    """From each revision, as a start of its program left it, to the next; and from the first to the last in one go."""
    migrate(emptied, revisions()[0])
    insert(emptied, FIRST_ROWS)
    for revision in stops:
        migrate(emptied, revision)
    database = Database(emptied)
    with database.reading() as session:
        response = session.exec(select(Response)).one()
        assert (response.side, response.uncertainty, response.answered_at) == ("left", 2, NOW)
        assert session.exec(select(func.count()).select_from(Evidence)).one() == 1
        members = session.exec(select(UnitMember).order_by(UnitMember.slot)).all()
        kept = [
            (one.unit_id, one.slot, one.stimulus_id, one.sha256, one.bytes, one.duration_s) for one in members
        ]
        assert kept == [(1, "a", 1, "aa", 1000, 8), (1, "b", 2, "bb", 2000, 9)]
        assert session.exec(select(Unit.id, Unit.truth, Unit.block)).one() == (1, "a", "trials")
        assert session.exec(select(Trial.unit_id, Trial.plan)).one() == (1, {"left": "b"})
        assert session.exec(select(StudyVersion.reason)).one() == ""
        assert session.exec(select(Stimulus.kind, Stimulus.content_sha256)).all() == [("clip", None)] * 2
    database.close()


def insert(url: URL, rows: Mapping[str, str]) -> None:
    engine = make_engine(url, writing=True)
    with engine.begin() as connection:
        for table, row in rows.items():
            statement = text(f"INSERT INTO {table} {row}")
            if ":now" in row:
                statement = statement.bindparams(bindparam("now", NOW, type_=UTCDateTime()))
            connection.execute(statement)
    engine.dispose()


def test_clips_stay_seen_by_their_uploaders_and_in_the_studies_that_use_them(emptied: URL) -> None:
    migrate(emptied, "0001")
    insert(emptied, FIRST_ROWS)
    migrate(emptied, "0002")
    insert(emptied, SECOND_ROWS)
    insert(
        emptied,
        {
            "study": "(id, slug, state, created_at) VALUES (2, 'listed', 'draft', :now), (3, 'drawn', 'draft', :now)",
            "stimulus": "(id, name, source, attributes, rules, imported_at, clip_sha256) VALUES "
            "(3, 'c3', 'human', '{}', '{}', :now, 'cc'), (4, 'c4', 'hybrid', '{}', '{}', :now, 'dd')",
            "draft": "(study_id, keys, revision, saved_at) VALUES "
            """(2, '{"pairs": "pair,a,b\\np1,c3,c1\\np2,c9,c1"}', 1, :now), """
            """(3, '{"sample": {"conditions": {"human-hybrid": 1}}}', 1, :now)""",
            "upload": "(id, token, user_id, file_name, bytes, name, source, attributes, status, message, stimulus_id, "
            "created_at) VALUES (2, 't2', 1, 'f.mp4', 9, 'c3', 'human', '{}', 'done', '', 3, :now)",
        },
    )
    migrate(emptied)
    database = Database(emptied)
    with database.reading() as session:
        found = session.exec(select(StudyClip.study_id, StudyClip.stimulus_id)).all()
        assert set(found) == {(1, 1), (1, 2), (2, 1), (2, 3), (3, 1), (3, 2), (3, 3), (3, 4)}
        assert session.exec(select(Stimulus.uploaded_by).order_by(Stimulus.id)).all() == [None, None, 1, None]  # type: ignore[arg-type]
    database.close()


def test_jobs_and_what_refers_to_them_are_carried_from_0002_on(emptied: URL) -> None:
    migrate(emptied, "0001")
    insert(emptied, FIRST_ROWS)
    migrate(emptied, "0002")
    insert(emptied, SECOND_ROWS)
    migrate(emptied)
    database = Database(emptied)
    with database.reading() as session:
        waiting, done = session.exec(select(Job).order_by(col(Job.id))).all()
        assert (waiting.id, waiting.kind, waiting.status, waiting.params) == (
            1,
            "import",
            "queued",
            {"token": "t"},
        )
        assert (done.id, done.study_id, done.done, done.total) == (2, 1, 3, 4)
        assert (done.message, done.result, done.asked_at) == ("m", {"mode": "live"}, NOW)
        assert session.exec(select(Upload.job_id)).one() == 1
    with database.transaction() as session:  # ids go on where they were
        assert queue.ask(session, Kind.JUDGES, {}, now=NOW) == 3
    database.close()


def test_jobs_that_drew_walks_and_pictures_have_kinds_of_their_own_from_0025_on(emptied: URL) -> None:
    """And back: an older program finds them as it wrote them."""
    migrate(emptied, "0024")
    rows = (
        ("import", '{"token": "t", "suffix": ".mp4"}'),
        ("import", '{"slug": "s", "walks": "pilot"}'),
        ("import", '{"pictures": "missing"}'),
    )
    values = ", ".join(f"('{kind}', '{params}', 'done', 0, 0, '', '', 1, :now)" for kind, params in rows)
    insert(
        emptied,
        {"job": f"(kind, params, status, done, total, doing, message, tries, asked_at) VALUES {values}"},
    )
    migrate(emptied)
    database = Database(emptied)
    with database.reading() as session:
        assert session.exec(select(Job.kind, Job.params).order_by(col(Job.id))).all() == [
            ("import", {"token": "t", "suffix": ".mp4"}), ("walks", {"slug": "s", "mode": "pilot"}), ("pictures", {})
        ]  # fmt: skip
    database.close()
    engine = make_engine(emptied, writing=True, enforcing=False)
    with engine.begin() as connection:
        config = Config()
        config.set_main_option("script_location", str(ROOT / "migrations"))
        config.attributes["connection"] = connection
        downgrade(config, "0024")
        found = connection.execute(text("SELECT kind, params FROM job ORDER BY id")).all()
        assert [
            (kind, json.loads(params) if isinstance(params, str) else params) for kind, params in found
        ] == [(kind, json.loads(params)) for kind, params in rows]
    engine.dispose()


# Who declined, as the revisions before 0006 kept them, and somebody who goes on with an old link.
DECLINED_ROWS = {
    "participant_session": "(id, token, version_id, arm, mode, participant, recruiter, status, step, arrived_at, "
    "page_shown_at, ended_at) VALUES "
    """(2, 'refused', 1, 'main', 'live', 'P2', '{"PID": "P2"}', 'refused', 0, :now, :now, :now), """
    "(3, 'young', 1, 'main', 'pilot', NULL, '{}', 'under-age', 0, :now, NULL, :now), "
    "(4, 'looked', 1, 'main', 'preview', NULL, '{}', 'refused', 0, :now, NULL, :now)",
    "response": "(id, session_id, page, submit_id, answers, unplayable, rt_ms, shown_at, flags, answered_at) VALUES "
    """(2, 2, 'consent', 'consent.x', '{"decision": "refuse"}', false, 900, :now, '[]', :now), """
    "(3, 4, 'consent', 'consent.x', '{}', false, 900, :now, '[]', :now)",
}


def test_old_links_go_on_and_who_declined_leaves_the_date_from_0006_on(emptied: URL) -> None:
    migrate(emptied, "0001")
    insert(emptied, FIRST_ROWS)
    migrate(emptied, "0005")
    insert(emptied, DECLINED_ROWS)
    migrate(emptied)
    database = Database(emptied)
    with database.reading() as session:
        tokens = session.exec(select(SessionToken).order_by(col(SessionToken.session_id))).all()
        assert [(token.sha256, token.session_id) for token in tokens] == [
            (hashlib.sha256(b"tok").hexdigest(), 1), (hashlib.sha256(b"looked").hexdigest(), 4)
        ]  # fmt: skip
        on = NOW.replace(hour=0)
        for id_ in (2, 3):
            one = session.get_one(ParticipantSession, id_)
            kept = (one.participant, one.recruiter, one.page_shown_at, one.arrived_at, one.ended_at)
            assert kept == (None, {}, None, on, on)
        assert session.exec(select(Response.id).order_by(col(Response.id))).all() == [1, 3]
        assert (session.get_one(ParticipantSession, 1).is_signed, session.get_one(Study, 1).closes_at) == (
            False,
            None,
        )
    database.close()
    engine = make_engine(emptied, writing=True, enforcing=False)
    with engine.begin() as connection:
        config = Config(attributes={"connection": connection})
        config.set_main_option("script_location", str(ROOT / "migrations"))
        downgrade(config, "0005")
        found = connection.execute(text("SELECT count(DISTINCT token) FROM participant_session"))
        assert found.scalar_one() == 4
    engine.dispose()


def test_records_and_texts_go_and_clips_stay_when_0015_is_taken_back(emptied: URL) -> None:
    migrate(emptied, "0001")
    insert(emptied, FIRST_ROWS)
    migrate(emptied, "0015")
    insert(
        emptied,
        {
            "content": "(sha256, content) VALUES ('ee', 'a text')",
            "stimulus": "(id, name, kind, source, attributes, rules, imported_at, content_sha256) VALUES "
            "(3, 't1', 'text', 'human', '{}', '{}', :now, 'ee')",
            "study_clip": "(study_id, stimulus_id) VALUES (1, 3)",
        },
    )
    engine = make_engine(emptied, writing=True)
    with pytest.raises(IntegrityError), engine.begin() as connection:
        connection.execute(text("UPDATE stimulus SET kind = 'sound' WHERE id = 1"))
    engine.dispose()
    engine = make_engine(emptied, writing=True, enforcing=False)
    with engine.begin() as connection:
        config = Config(attributes={"connection": connection})
        config.set_main_option("script_location", str(ROOT / "migrations"))
        downgrade(config, "0014")
        assert connection.execute(text("SELECT name FROM stimulus ORDER BY id")).scalars().all() == [
            "c1",
            "c2",
        ]
        assert connection.execute(text("SELECT stimulus_id FROM study_clip ORDER BY 1")).scalars().all() == [
            1,
            2,
        ]
    engine.dispose()
    migrate(emptied)


def test_an_old_library_becomes_one_shared_collection_that_every_study_uses_and_goes_back(
    emptied: URL,
) -> None:
    migrate(emptied, "0001")
    insert(emptied, FIRST_ROWS)
    migrate(emptied, "0002")
    insert(emptied, {**SECOND_ROWS, "library_rules": """(rules, saved_at) VALUES ('{"crf": 20}', :now)"""})
    migrate(emptied, "0026")
    migrate(emptied)
    database = Database(emptied)
    with database.reading() as session:
        assert session.exec(select(Collection.id, Collection.slug, Collection.is_open)).all() == [
            (1, "library", False)
        ]
        for table in (Stimulus, Upload, LibraryRules):
            assert set(session.exec(select(table.collection_id))) == {1}
        assert session.exec(select(StudyCollection.study_id, StudyCollection.collection_id)).all() == [(1, 1)]
        assert session.exec(select(Study.collection_id)).one() is None
    with database.transaction() as session:
        own = have_own_collection(session, 1, "Old", NOW)
        session.add(LibraryRules(rules={}, saved_at=NOW, collection_id=own.id or 0))
        session.get_one(Stimulus, 2).collection_id = own.id or 0
        assert (own.id, own.slug) == (2, "old")
    database.close()
    engine = make_engine(emptied, writing=True, enforcing=False)
    with engine.begin() as connection:
        config = Config(attributes={"connection": connection})
        config.set_main_option("script_location", str(ROOT / "migrations"))
        downgrade(config, "0026")
        assert connection.execute(text("SELECT name FROM stimulus ORDER BY id")).scalars().all() == [
            "c1",
            "c2",
        ]
        assert connection.execute(text("SELECT count(*) FROM library_rules")).scalar_one() == 1
    engine.dispose()
    migrate(emptied)


def test_a_job_of_every_kind_can_be_stored_and_of_no_other(database: Database) -> None:
    for kind in Kind:
        with database.transaction() as session:
            job_id = queue.ask(session, kind, {}, now=NOW)
        with database.reading() as session:
            assert queue.view(session.get_one(Job, job_id)).kind is kind
        with pytest.raises(IntegrityError), database.transaction() as session:
            session.execute(update(Job).where(col(Job.id) == job_id).values(kind=f"{kind}s"))


def test_the_tables_are_what_the_migrations_make(database_url: URL) -> None:
    engine = make_engine(database_url, writing=True)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_server_default": True})
        assert compare_metadata(context, SQLModel.metadata) == []
    engine.dispose()


def test_check_constraints_are_in_the_database_as_in_the_tables(database_url: URL) -> None:
    """Alembic does not compare check constraints; this does, by name."""
    wanted = {
        str(constraint.name)
        for table in SQLModel.metadata.tables.values()
        for constraint in table.constraints
        if type(constraint).__name__ == "CheckConstraint"
    }
    engine = make_engine(database_url, writing=True)
    with engine.connect() as connection:
        if database_url.get_backend_name() == "sqlite":
            sql = "".join(row[0] or "" for row in connection.execute(text("SELECT sql FROM sqlite_master")))
            missing = {name for name in wanted if f"{name} CHECK" not in sql}
        else:
            found = connection.execute(text("SELECT conname FROM pg_constraint WHERE contype = 'c'"))
            missing = wanted - {row[0] for row in found}
    engine.dispose()
    assert missing == set()


def test_ids_that_are_kept_elsewhere_are_never_given_again(database_url: URL) -> None:
    """SQLite loses this when a migration rebuilds a table without saying it again."""
    if database_url.get_backend_name() != "sqlite":
        return  # PostgreSQL's sequences never go back
    wanted = {
        table.name
        for table in SQLModel.metadata.tables.values()
        if table.dialect_options["sqlite"]["autoincrement"]
    }
    assert wanted == {
        "study",
        "study_version",
        "participant_session",
        "trial",
        "job",
        "match",
        "collection",
    }
    engine = make_engine(database_url, writing=True)
    with engine.connect() as connection:
        made = connection.execute(text("SELECT name FROM sqlite_master WHERE sql LIKE '%AUTOINCREMENT%'"))
        assert set(made.scalars()) == wanted
    engine.dispose()


def test_a_database_of_a_newer_program_is_refused_in_words(database_url: URL, tmp_path: Path) -> None:
    engine = make_engine(database_url, writing=True)
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = 'zzzz'"))
    engine.dispose()
    url = database_url.render_as_string(hide_password=False)
    with pytest.raises(StudyError, match="newer Likely Human"):
        open_database(Settings(LIKELY_HUMAN_DATA=tmp_path, DATABASE_URL=url))  # type: ignore[call-arg]
