"""Sessions whose pairs are chosen by the answers so far: which answers count, and what a session gets."""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import Session, col, select

from app.core.database import Database
from app.core.errors import StudyError
from app.library.clips.imported import ImportedClip
from app.library.clips.store import ClipStore
from app.sessions.entering import Visit, enter
from app.sessions.exclusions import leave_out
from app.sessions.state_machine import submit
from app.sessions.where import locate
from app.studies.file.load import StudyDesign
from app.tasks.pair.design import Member
from app.tasks.pair.queries import choices_of, planned_left
from app.trials.design import Kind
from app.trials.responses import Response
from app.trials.tables import Mode, ParticipantSession, StudyVersion, Trial, Unit
from tests.factories import NOW, open_study

Library = tuple[ClipStore, Sequence[ImportedClip]]
CONDITIONS = {"human-hybrid": 4, "hybrid-symbolic": 4, "human-symbolic": 4}


def block(**changes: Any) -> dict[str, Any]:
    return {
        "id": "watch",
        "task": "pair",
        "sample": {"match": "goal", "seed": 7, "conditions": CONDITIONS, "practice": {"human-symbolic": 1}},
        "per_participant": 4,
        "allocate": "informative",
        "trials": {"watch": "free", "questions": [{"id": "choice", "type": "2afc", "ask": "Which?"}]},
        **changes,
    }


@pytest.fixture
def opened(database: Database, library: Library, tmp_path: Path) -> Callable[..., str]:
    def open_with(**changes: Any) -> str:
        with database.transaction() as session:
            keys = {"sample": None, "trials": None, "background": None, "blocks": [block(**changes)]}
            return open_study(session, tmp_path, library[1], **keys).slug

    return open_with


def begin(session: Session, seed: int, slug: str = "nav") -> str:
    token = enter(session, Visit(slug, Mode.LIVE), NOW)
    form = {"submit_id": f"consent.{seed}", "decision": "agree", "of_age": "yes"}
    submit(session, token, form, NOW, random.Random(seed))
    return token


def trials_of(session: Session, token: str) -> Sequence[tuple[Unit, str]]:
    session.expire_all()
    rows = (
        select(Unit, planned_left()).join(Trial).where(Trial.session_id == locate(session, token).session_id)
    )
    return session.exec(rows.order_by(col(Trial.position))).all()


def answer(session: Session, token: str, choose: Callable[[Unit], Member]) -> None:
    """Go to the end, choosing a member of each pair."""
    trials = {f"trial-{at}": trial for at, trial in enumerate(trials_of(session, token), start=1)}
    now = NOW
    while (page := str(locate(session, token).page)) != "debrief":
        now += timedelta(minutes=1)
        form = {"submit_id": f"{page}.1", "rt_ms": "9000"}
        if page in trials:
            unit, left = trials[page]
            form["choice"] = "left" if choose(unit) == left else "right"
        submit(session, token, form, now, random.Random(1))


def most_human(unit: Unit) -> Member:
    """Pairs with a human have an obvious answer; of the others nobody knows more than chance."""
    if "human" in unit.condition:
        return Member(unit.truth or "a")
    return random.Random(f"{unit.id}").choice(list(Member))


def test_the_next_pairs_are_those_whose_sources_the_answers_so_far_leave_open(
    opened: Callable[..., str], database: Database
) -> None:
    opened()
    shown = Counter[str]()
    with database.transaction() as session:
        for seed in range(1, 31):
            token = begin(session, seed)
            trials = [unit for unit, _ in trials_of(session, token)]
            assert [unit.kind for unit in trials] == [Kind.PRACTICE, *[Kind.MAIN] * 4]
            if seed > 10:
                shown.update(unit.condition for unit in trials[1:])
            answer(session, token, most_human)
        assert shown.most_common()[0][0] == "hybrid-symbolic"
        # Not more: a tenth of what is lowered is the variance of strengths, and that of who always wins is large.
        assert shown["hybrid-symbolic"] > 1.15 * shown.total() / 3
        assert min(shown.values()) > 0
        sides = Counter(
            session.exec(select(Trial.unit_id, planned_left()).where(col(Trial.unit_id).is_not(None))).all()
        )
        assert all(sides[unit, "a"] == sides[unit, "b"] for unit, _ in sides), "shown both ways equally often"


def test_answers_count_that_count_in_the_numbers(opened: Callable[..., str], database: Database) -> None:
    opened()
    with database.transaction() as session:
        version = session.exec(select(StudyVersion.id)).one() or 0
        tokens = [begin(session, seed) for seed in (1, 2, 3)]
        for token in tokens:
            answer(session, token, lambda unit: Member.B)
        chosen = choices_of(session, version, Mode.LIVE, "watch")
        expected = Counter(
            (unit.id, Member.B)
            for token in tokens
            for unit, _ in trials_of(session, token)
            if unit.kind == Kind.MAIN
        )
        assert chosen == expected
        assert chosen.total() == 12
        assert choices_of(session, version, Mode.PILOT, "watch") == {}
        assert choices_of(session, version, Mode.LIVE, "other") == {}

        first = session.exec(select(ParticipantSession).order_by(col(ParticipantSession.id))).first()
        assert first is not None
        leave_out(session, "nav", first.id or 0, "a test", NOW)
        session.flush()
        assert choices_of(session, version, Mode.LIVE, "watch").total() == 8
        answers = session.exec(
            select(Response)
            .join(Trial, col(Trial.id) == Response.trial_id)
            .join(Unit, col(Unit.id) == Trial.unit_id)
            .where(Response.session_id != first.id, Unit.kind == Kind.MAIN)
        ).all()
        answers[0].unplayable, answers[1].unwatched, answers[2].study_rule = True, True, "out-of-step"
        answers[3].side = "tie"
        session.flush()
        assert choices_of(session, version, Mode.LIVE, "watch").total() == 4


def test_even_is_what_it_was(opened: Callable[..., str], database: Database) -> None:
    opened(allocate="even")
    with database.transaction() as session:
        text = session.exec(select(StudyVersion.design)).one()
        assert "allocate" not in text
        for seed in range(1, 7):
            answer(session, begin(session, seed), most_human)
        n = Counter(session.exec(select(Trial.unit_id).join(Unit).where(Unit.kind == Kind.MAIN)).all())
        assert set(n.values()) == {2}
        assert StudyDesign.model_validate_json(text).blocks[0].model_dump()["allocate"] == "even"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"per_participant": None}, "everybody sees all pairs"),
        ({"per_participant": 12}, "all 12 main pairs are shown to everybody"),
        (
            {"sample": {"match": "goal", "seed": 7, "conditions": {"human-hybrid": 6}}},
            "2 sources can be put in order evenly alone",
        ),
    ],
)
def test_a_file_that_leaves_nothing_to_choose_is_refused(
    opened: Callable[..., str], changes: dict[str, Any], said: str
) -> None:
    with pytest.raises(StudyError, match=said):
        opened(**changes)
