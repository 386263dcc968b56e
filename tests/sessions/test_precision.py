"""A study that stops by precision: whose answers it looks at, and that it closes by itself."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import Session, col, select

from app.accounts.tables import AuditEntry
from app.core.database import Database
from app.library.clips.imported import ImportedClip
from app.library.clips.store import ClipStore
from app.monitor.precision import precision_view
from app.sessions.exclusions import leave_out
from app.sessions.precision import Shares, is_precise, shares_of
from app.sessions.runs import run_at
from app.studies.file.design import StudyDesign
from app.studies.file.drafts import keys_of_design
from app.studies.file.stopping import DesignStopWhen
from app.tasks.pair.design import Member
from app.trials.tables import Mode, ParticipantSession, State, Status, Study, StudyVersion, Unit
from tests.factories import NOW, open_study
from tests.sessions.test_allocating import answer, begin, block

Library = tuple[ClipStore, Sequence[ImportedClip]]
FEW = {"match": "goal", "seed": 7, "conditions": {"human-hybrid": 3}}
STOP = {"measure": "accuracy", "narrower_than": 0.2, "at_least": 20}


@pytest.fixture
def opened(database: Database, library: Library, tmp_path: Path) -> Callable[..., None]:
    def open_with(stop: dict[str, Any] | None, **changes: Any) -> None:
        own = block(per_participant=None, allocate="even", **changes)
        keys: dict[str, Any] = {"sample": None, "trials": None, "background": None, "blocks": [own]}
        if stop is not None:
            keys["stop_when"] = stop
        with database.transaction() as session:
            open_study(session, tmp_path, library[1], **keys)

    return open_with


def right(unit: Unit) -> Member:
    return Member(unit.truth or "a")


def state_of(session: Session) -> State:
    session.expire_all()
    return State(session.exec(select(Study.state)).one())


def design_of(session: Session) -> StudyDesign:
    return StudyDesign.model_validate_json(session.exec(select(StudyVersion.design)).one())


def test_a_study_closes_by_itself_at_the_first_narrow_interval(
    opened: Callable[..., None], database: Database
) -> None:
    opened(STOP, sample=FEW)
    with database.transaction() as session:
        for seed in range(1, 20):
            answer(session, begin(session, seed), right)
            assert state_of(session) is State.LIVE
        answer(session, begin(session, 20), right)
        assert state_of(session) is State.CLOSED, "all twenty were right on every pair"
        entry = session.exec(select(AuditEntry).order_by(col(AuditEntry.id).desc())).first()
        assert entry is not None
        assert entry.actor == "the service itself"
        assert "its interval is narrow enough" in str(entry.after)
        assert "of 0.2 wanted, over 20 participants" in str(entry.after)


def test_without_a_target_of_precision_nothing_closes(
    opened: Callable[..., None], database: Database
) -> None:
    opened(None, sample=FEW)
    with database.transaction() as session:
        assert "stop_when" not in session.exec(select(StudyVersion.design)).one()
        for seed in range(1, 22):
            answer(session, begin(session, seed), right)
        assert state_of(session) is State.LIVE


def test_people_who_differ_do_not_close_it(opened: Callable[..., None], database: Database) -> None:
    opened(STOP, sample=FEW)
    with database.transaction() as session:
        for seed in range(1, 23):
            answer(session, begin(session, seed), (lambda unit: right(unit).other) if seed % 2 else right)
        assert state_of(session) is State.LIVE


def test_shares_are_those_of_finished_live_people_that_count(
    opened: Callable[..., None], database: Database
) -> None:
    opened({**STOP, "at_least": 200})
    with database.transaction() as session:
        study, stop = session.exec(select(Study.id)).one() or 0, design_of(session).stop_when
        assert stop is not None

        def mixed(unit: Unit) -> Member:
            return right(unit) if unit.condition == "human-hybrid" else right(unit).other

        for seed, choose in enumerate((right, mixed, mixed), start=1):
            answer(session, begin(session, seed), choose)
        begin(session, 4)
        # Of twelve pairs the four of hybrid and symbolic have no right answer.
        assert shares_of(session, study, stop).values == [1.0, 0.5, 0.5]
        assert shares_of(session, study, stop).answers == 8
        of_hybrid = DesignStopWhen(measure="preference", source="hybrid", narrower_than=0.1)
        found = shares_of(session, study, of_hybrid)
        assert len(found.values) == 3
        assert found.answers == 8
        rows = session.exec(select(ParticipantSession).order_by(col(ParticipantSession.id))).all()
        assert [row.status for row in rows] == [*[Status.COMPLETED] * 3, Status.ACTIVE]
        leave_out(session, "nav", rows[0].id or 0, "a test", NOW)
        rows[1].mode = Mode.PILOT
        session.flush()
        assert shares_of(session, study, stop).values == [0.5]
        assert is_precise(session, study, stop) is None


def test_the_draft_and_the_hash_keep_the_target(opened: Callable[..., None], database: Database) -> None:
    opened({**STOP, "expected": 0.8})
    with database.transaction() as session:
        keys = keys_of_design(design_of(session))
        assert keys["stop_when"] == {
            "measure": "accuracy",
            "narrower_than": 0.2,
            "at_least": 20,
            "expected": 0.8,
        }


def test_the_monitor_tells_the_day_at_the_present_pace(
    opened: Callable[..., None], database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened({**STOP, "narrower_than": 0.1, "expected": 0.8})
    with database.transaction() as session:
        study, stop = session.exec(select(Study.id)).one() or 0, design_of(session).stop_when
        assert stop is not None
        run = run_at(session, session.exec(select(StudyVersion.id)).one() or 0)
        nobody = precision_view(session, study, stop, run, NOW, is_live=True)
        assert (nobody.n, nobody.width, nobody.day, nobody.is_few) == (0, None, None, True)
        assert nobody.planned_n is not None
        reached = next(point.n for point in nobody.planned if point.width <= 0.1)
        assert 0 <= reached - nobody.planned_n <= 1, (
            "the curve goes through the target where the plan reaches it"
        )

        values = [0.6, 0.9, 0.75, 0.8, 0.9, 0.7, 0.85, 0.75]
        day = timedelta(days=1)
        ended = [NOW - day * (4 - at / 2) for at in range(8)]
        monkeypatch.setattr("app.monitor.precision.shares_of", lambda *_: Shares(values, ended, 8.0))
        view = precision_view(session, study, stop, run, NOW, is_live=True)
        assert view.needed is not None
        assert view.a_day == 2
        assert view.day == NOW + day * (view.needed - 8) / 2
        assert [point.n for point in view.live] == [*range(2, 9)]
        assert [(n, so_far is None) for n, so_far, _ in view.rows[:5]] == [(n, n > 8) for n in range(5, 10)]
        assert all(planned is not None for _, _, planned in view.rows), "both curves are in the table"
        assert precision_view(session, study, stop, run, NOW, is_live=False).day is None
        monkeypatch.setattr("app.monitor.precision.shares_of", lambda *_: Shares(values[:4], ended[:4], 8.0))
        assert precision_view(session, study, stop, run, NOW, is_live=True).day is None
