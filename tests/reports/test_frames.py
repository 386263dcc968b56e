"""The frame of a study's answers, read in parts, is that of the one SELECT of the export."""

import random
from datetime import timedelta
from typing import Any

import pandas as pd
import pytest
from sqlalchemy import text, update
from sqlmodel import Session, col, select

from analysis import check_responses
from analysis.data.columns import ANALYZED_COLUMNS, RESPONSE_COLUMNS, Column, names
from app.core.database import Database
from app.reports import joining
from app.reports.frames import responses_frame
from app.tasks.pair.responses import responses
from app.trials.design import Layout
from app.trials.responses import Response
from app.trials.tables import Exclusion, Mode, ParticipantSession, SessionVerdict, State, Study, StudyVersion
from bench.crowd import SLUG, fill
from tests.factories import NOW
from tests.kept import Kept

N_SESSIONS = 40


@pytest.fixture
def filled(database: Database, kept: Kept) -> Database:
    """Sessions whose answers have everything that an answer can have."""
    if database.is_local:
        kept.once(database, lambda: fill_with_all(database))
    else:
        fill_with_all(database)
    return database


def fill_with_all(database: Database) -> None:
    rng = random.Random(7)
    with database.transaction() as session:
        fill(session, N_SESSIONS, NOW)
        in_order = select(ParticipantSession).order_by(col(ParticipantSession.id))
        for n, row in enumerate(session.exec(in_order)):
            row.mode = rng.choice([*Mode])
            row.ordinal = n
            row.arm = rng.choice(["main", "other"])
            if rng.random() < 0.2:
                lifted = rng.choice([None, NOW])
                session.add(Exclusion(session_id=row.id or 0, reason="?", excluded_at=NOW, lifted_at=lifted))
            if rng.random() < 0.3:
                names = rng.choice(["", "fast", "fast;slow"])
                verdict = SessionVerdict(
                    session_id=row.id or 0, use=rng.random() < 0.5, pay=rng.random() < 0.5, rules={}, names=names,
                    judged_at=NOW,
                )  # fmt: skip
                session.add(verdict)
            session.add(row)
        one_sided = {row.id for row in session.exec(select(ParticipantSession)) if rng.random() < 0.3}
        for answer in session.exec(select(Response).where(col(Response.trial_id).is_not(None))):
            spoilt(answer, rng, one_sided=answer.session_id in one_sided)
            session.add(answer)
        session.execute(update(Study).values(state=State.LIVE))


def spoilt(answer: Response, rng: random.Random, *, one_sided: bool) -> None:
    answer.side = "left" if one_sided else rng.choice(["left", "right", "tie", None])
    answer.uncertainty = rng.choice([None, 1, 5, 11])
    answer.certainty = rng.choice([None, None, 0.1 + 0.2, -1e-9, 7.0])
    answer.unplayable = answer.side is None and rng.random() < 0.5
    answer.unwatched = rng.choice([None, False, True])
    answer.study_rule = rng.choice([None, None, None, "less-than-2s"])
    answer.raised = rng.choice([None, None, "fast", "fast;order"])
    answer.layout = rng.choice([None, *Layout])
    answer.rationale = rng.choice([None, "", 'it\njumps; "so" \x1e Ünïcode'])
    answer.rt_ms = rng.choice([None, 0, 2**31 - 1])
    answer.shown_at = rng.choice([None, NOW, NOW + timedelta(microseconds=1)])


def read_plainly(session: Session, columns: tuple[Column, ...]) -> pd.DataFrame:
    rows = session.execute(responses(SLUG, names(columns))).all()
    return check_responses(pd.DataFrame(rows, columns=list(names(columns))), SLUG, columns=columns)


def same_frames(database: Database) -> pd.DataFrame:
    with database.reading() as session:
        for columns in (ANALYZED_COLUMNS, RESPONSE_COLUMNS):
            read, plain = responses_frame(session, SLUG, columns), read_plainly(session, columns)
            pd.testing.assert_frame_equal(read, plain, check_exact=True)
            for name in read.select_dtypes("category"):
                assert list(read[name].cat.categories) == list(plain[name].cat.categories)
                assert read[name].cat.codes.dtype == plain[name].cat.codes.dtype
    return read


@pytest.mark.both_databases
def test_answers_read_in_parts_are_those_of_the_export_to_the_type(
    filled: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = same_frames(filled)
    assert len(frame) > 200
    assert frame["flags"].str.contains("one-sided").any()
    for name in ("choice", "chosen_source", "correct", "excluded", "layout", "certainty", "rules"):
        assert frame[name].isna().any(), name
        assert frame[name].nunique() > 1, name
    # However few keys a statement takes (here so few that there are several), and however many answers have what is
    # rare.
    monkeypatch.setattr(joining, "_KEYS_AT_ONCE", len(frame) // 4)
    for share in (0, 1):
        monkeypatch.setattr(joining, "_FEW", share)
        same_frames(filled)


def test_answers_whose_sides_are_not_known_are_the_same_too(filled: Database) -> None:
    with filled.transaction() as session:
        session.execute(update(StudyVersion).values(sides_known=False))
    frame = same_frames(filled)
    assert frame["left"].isna().all()
    assert not frame["flags"].str.contains("one-sided").any()


@pytest.mark.any_database
def test_plans_that_are_written_otherwise_are_read_the_same(filled: Database) -> None:
    """SQLite keeps JSON as it is written; PostgreSQL has one way to write it."""
    before = same_frames(filled)
    with filled.transaction() as session:
        session.execute(text("UPDATE trial SET plan = replace(plan, ' ', '') WHERE id % 2 = 0"))
        session.execute(text("UPDATE trial SET plan = replace(plan, ' ', char(10)) WHERE id % 3 = 0"))
    pd.testing.assert_frame_equal(same_frames(filled), before, check_exact=True)


def test_a_study_without_answers_is_an_empty_frame_of_the_same_types(filled: Database) -> None:
    with filled.reading() as session:
        types = responses_frame(session, SLUG).dtypes
    with filled.transaction() as session:
        session.execute(update(ParticipantSession).values(mode=Mode.PREVIEW, ordinal=None))
    frame = same_frames(filled)
    assert not len(frame)
    assert [str(type_) for type_ in frame.dtypes] == [str(type_) for type_ in types]


@pytest.mark.both_databases
def test_what_others_change_between_two_statements_is_read_again(
    filled: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PostgreSQL shows each statement what was committed before it."""
    database = filled
    with database.reading() as session:
        before = read_plainly(session, RESPONSE_COLUMNS)
    tries = []
    examples = joining._examples

    def meanwhile(*args: Any) -> Any:
        tries.append(1)
        if len(tries) == 1:
            with database.transaction() as other:
                other.execute(update(Response).values(raised="slow"))
        return examples(*args)

    monkeypatch.setattr(joining, "_examples", meanwhile)
    with database.reading() as session:
        read = responses_frame(session, SLUG)
    with database.reading() as session:
        after = read_plainly(session, RESPONSE_COLUMNS)
    on_sqlite = database.is_local
    pd.testing.assert_frame_equal(read, before if on_sqlite else after, check_exact=True)
    assert len(tries) == (1 if on_sqlite else 2)
