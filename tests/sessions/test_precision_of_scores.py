"""A study of ratings that stops by precision: which scores count, on both databases, and that it closes by itself."""

import random
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import Session, col, select

from analysis.precision import people_needed, planned_variance, width_of
from app.accounts.tables import AuditEntry
from app.core.database import Database
from app.library.clips.imported import ImportedClip
from app.library.clips.store import ClipStore
from app.monitor.precision import precision_view
from app.sessions.exclusions import leave_out
from app.sessions.precision import is_precise, shares_of
from app.sessions.runs import run_at
from app.sessions.state_machine import submit
from app.sessions.where import locate
from app.studies.file.drafts import keys_of_design
from app.studies.file.load import StudyDesign
from app.studies.file.stopping import DesignStopWhen
from app.trials.responses import Response
from app.trials.tables import ParticipantSession, State, Study, StudyVersion, Trial, Unit
from tests.factories import NOW, open_study
from tests.sessions.test_allocating import begin
from tests.sessions.test_blocks import pair_block, rating_block

pytestmark = pytest.mark.both_databases

Library = tuple[ClipStore, Sequence[ImportedClip]]
STOP = {"measure": "logic", "narrower_than": 0.8, "at_least": 20}


@pytest.fixture
def opened(database: Database, library: Library, tmp_path: Path) -> Callable[..., None]:
    def open_with(stop: Mapping[str, Any], *more: Mapping[str, Any]) -> None:
        keys: dict[str, Any] = {"sample": None, "trials": None, "background": None, "stop_when": stop}
        with database.transaction() as session:
            open_study(session, tmp_path, library[1], **keys, blocks=[rating_block(), *more])

    return open_with


def rate(
    session: Session,
    token: str,
    score: Callable[[str], int],
    human: Callable[[str], str] = lambda _: "",
) -> None:
    """Go to the end; `score` is that of `logic` by the name of an item, `human` the answer whether it is one."""
    session.expire_all()
    own = select(Unit.name).join(Trial).where(Trial.session_id == locate(session, token).session_id)
    names = session.exec(own.order_by(col(Trial.position))).all()
    now = NOW
    while (page := str(locate(session, token).page)) != "debrief":
        now += timedelta(minutes=1)
        form = {"submit_id": f"{page}.1", "rt_ms": "30000"}
        if page.startswith("trial-"):
            name = names[int(page.removeprefix("trial-")) - 1]
            form |= {
                "logic": str(score(name)),
                "persona": "1",
                "reason": "So it seems.",
                "choice": "left",
                "human": human(name),
            }
        submit(session, token, form, now, random.Random(1))


def target(session: Session) -> tuple[int, DesignStopWhen]:
    design = StudyDesign.model_validate_json(session.exec(select(StudyVersion.design)).one())
    assert design.stop_when is not None
    return session.exec(select(Study.id)).one() or 0, design.stop_when


def test_a_study_of_ratings_closes_by_itself(opened: Callable[..., None], database: Database) -> None:
    opened({**STOP, "narrower_than": 0.6})
    with database.transaction() as session:
        for seed in range(1, 21):
            assert session.exec(select(Study.state)).one() == State.LIVE
            rate(session, begin(session, seed), lambda _, seed=seed: 4 + seed % 2)  # type: ignore[misc]
            session.expire_all()
        assert session.exec(select(Study.state)).one() == State.CLOSED
        entry = session.exec(select(AuditEntry).order_by(col(AuditEntry.id).desc())).first()
        assert entry is not None
        width = width_of([0.75, 1.0] * 10, 6).decisive
        assert width is not None
        assert f"({4 * width:.3f} of 0.6 wanted, over 20 participants)" in str(entry.after)


def test_mean_scores_are_those_of_main_items_that_count(
    opened: Callable[..., None], database: Database
) -> None:
    # A block of pairs beside it has no part in the number.
    opened({**STOP, "at_least": 200}, pair_block(per_participant=4))
    with database.transaction() as session:
        # The item for practice has a score that would change every mean.
        rate(session, begin(session, 1), lambda name: 1 if name == "p1" else 5)
        rate(session, begin(session, 2), lambda name: 5 if name in ("p1", "i0", "i1", "i2") else 1)
        rate(session, begin(session, 3), lambda name: 5 if name == "p1" else 3)
        begin(session, 4)
        study, stop = target(session)
        assert stop.scale == (1, 5)
        found = shares_of(session, study, stop)
        assert (found.values, found.answers) == ([1.0, 0.5, 0.5], 6)
        assert is_precise(session, study, stop) is None
        rows = session.exec(select(ParticipantSession).order_by(col(ParticipantSession.id))).all()
        leave_out(session, "nav", rows[0].id or 0, "a test", NOW)
        item = select(Response).join(Trial, col(Trial.id) == Response.trial_id).join(Unit)
        of_second = item.where(Response.session_id == rows[1].id, Unit.name == "i0")
        session.exec(of_second).one().study_rule = "skipped"
        session.flush()
        found = shares_of(session, study, stop)
        assert (found.values, found.answers) == ([0.4, 0.5], 5.5)
        # Another version asked on another scale: its scores are none of these.
        assert shares_of(session, study, stop.model_copy(update={"scale": (0.0, 10.0)})).values == []


def test_answers_to_a_yes_no_question_are_shares_that_are_right(
    database: Database, library: Library, tmp_path: Path
) -> None:
    clips = {"a": "human-g1", "b": "hybrid-g1", "c": "human-g2", "d": "symbolic-g2"}
    rows = [f"{item},{clip},main" for item, clip in clips.items()]
    asked = [{"id": "human", "type": "choice", "ask": "A person?", "options": ["Yes", "No"], "yes_no": True}]
    judge = {
        "id": "judge",
        "task": "rating",
        "watch": "free",
        # A text has no source, so that neither answer is right.
        "items": "\n".join(["item,stimulus,kind,text", *(f"{row}," for row in rows), "e,,main,A note.", ""]),
        "questions": asked,
    }
    stop = {"measure": "human", "narrower_than": 0.3, "at_least": 20}
    with database.transaction() as session:
        keys: dict[str, Any] = {"sample": None, "trials": None, "background": None, "stop_when": stop}
        open_study(session, tmp_path, library[1], **keys, blocks=[judge])
        for seed, right in enumerate(("abcd", "abc", "ab", "ad"), start=1):
            named = lambda name, right=right: (  # noqa: E731
                "Yes" if clips.get(name, "").startswith("human") == (name in right) else "No"
            )
            rate(session, begin(session, seed), lambda _: 1, human=named)
        study, target_ = target(session)
        assert target_.scale is None
        found = shares_of(session, study, target_)
        assert (found.values, found.answers) == ([1.0, 0.75, 0.5, 0.5], 4)
        run = run_at(session, session.exec(select(StudyVersion.id)).one() or 0)
        view = precision_view(session, study, target_, run, NOW, is_live=True)
        assert view.planned_n == people_needed(planned_variance(0.5, 5), 5, 0.3, 20)


def test_the_draft_keeps_the_target_without_what_follows_from_it(
    opened: Callable[..., None], database: Database
) -> None:
    opened({**STOP, "expected": 4.2})
    with database.transaction() as session:
        design = StudyDesign.model_validate_json(session.exec(select(StudyVersion.design)).one())
        assert keys_of_design(design)["stop_when"] == {**STOP, "expected": 4.2}


def test_the_monitor_has_widths_in_points_of_the_scale(
    opened: Callable[..., None], database: Database
) -> None:
    opened({**STOP, "narrower_than": 0.5, "expected": 4.0})
    with database.transaction() as session:
        for seed in range(1, 7):
            rate(session, begin(session, seed), lambda _, seed=seed: 3 + seed % 3)  # type: ignore[misc]
        study, stop = target(session)
        run = run_at(session, session.exec(select(StudyVersion.id)).one() or 0)
        view = precision_view(session, study, stop, run, NOW + timedelta(days=1), is_live=True)
        width = width_of([0.75, 1.0, 0.5] * 2, 6).decisive
        assert width is not None
        assert view.width == pytest.approx(4 * width)
        assert view.live[-1].width == view.width
        assert (view.scale, view.expected, view.narrower_than, view.n) == ((1, 5), 4.0, 0.5, 6)
        assert view.planned_n is not None
        reached = next(point.n for point in view.planned if point.width <= 0.5)
        assert 0 <= reached - view.planned_n <= 1, (
            "the curve goes through the target where the plan reaches it"
        )
        # Of people who are right or wrong on as many pairs the plan would take more.
        assert view.planned_n < (people_needed(planned_variance(0.75, 6), 6, 0.5 / 4, 20) or 0)
        assert view.day is not None
