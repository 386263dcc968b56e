"""A study in which texts are rated, with sessions of every kind, put into the tables row by row."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from sqlmodel import Session, col, select, update

from app.core.database import Database
from app.trials.design import Kind
from app.trials.responses import Response
from app.trials.tables import (
    Exclusion,
    Mode,
    ParticipantSession,
    State,
    Status,
    Study,
    StudyVersion,
    Trial,
    Unit,
)
from tests.factories import NOW, load_file
from tests.kept import Kept

ITEMS = """item,text,condition,kind,group
warm-up,A text to begin with.,,practice,
one,The first text.,long,main,persona
two,The second text.,long,main,persona
three,The third text.,short,main,plain
four,The fourth text.,short,main,plain
check,Answer 5 here.,,attention,plain
"""
POINTS = ["poor", "fair", "good", "very good", "excellent"]
QUESTIONS = [
    {"id": "logic", "type": "likert", "ask": "Logical reasoning", "labels": POINTS},
    {"id": "fit", "type": "likert", "ask": "Fit to the person", "labels": POINTS[:3],
     "when": {"group": "persona"}},
    {"id": "effort", "type": "slider", "ask": "Effort", "minimum": 0, "maximum": 1, "step": 0.05,
     "required": False},
    {"id": "words", "type": "number", "ask": "How many words?", "required": False},
    {"id": "maker", "type": "choice", "ask": "Who wrote it?", "options": ["person", "model"]},
    {"id": "reason", "type": "text", "ask": "Why?"},
]  # fmt: skip
RATE: Mapping[str, Any] = {
    "id": "rate",
    "task": "rating",
    "items": ITEMS,
    "order": "fixed",
    "questions": QUESTIONS,
}
SEVERITY = {"ann": 0, "bob": -1, "cyd": 1, "dan": 0}
BASE = {"one": 4, "two": 3, "three": 2, "four": 3, "warm-up": 3, "check": 5}


@contextmanager
def rated_study(database: Database, kept: Kept, folder: Path) -> Iterator[Session]:
    """The study with all its sessions, to be read; made once where the database is a file."""

    def make() -> None:
        with database.transaction() as session:
            load_rated(session, folder)
            fill_rated(session)

    if database.is_local:
        kept.once(database, make)
    else:
        make()
    with database.reading() as session:
        yield session


def load_rated(
    session: Session, folder: Path, *others: Mapping[str, Any], slug: str = "rated", **changes: Any
) -> None:
    """A live study with the block `rate`, changed where asked, after the blocks given, if any."""
    blocks = [*others, {**RATE, **changes}]
    load_file(session, folder, study=slug, blocks=blocks, trials=None, sample=None)
    session.execute(update(Study).where(col(Study.slug) == slug).values(state=State.LIVE))


def answers_of(unit: Unit, person: str) -> dict[str, Any]:
    """A rater's answers on an item: a score by item and person, and the same of the rest."""
    score = min(5, max(1, BASE.get(unit.name, 3) + SEVERITY.get(person, 0)))
    fit = {"fit": min(3, score)} if unit.item_group == "persona" else {}
    words = {} if person == "dan" else {"words": 3}
    given = {
        "logic": score,
        **fit,
        "effort": score / 5,
        **words,
        "maker": "person",
        "reason": f'"{person}"\n=1',
    }
    return {name: value for name, value in given.items() if not (name == "effort" and person == "bob")}


def rate(
    session: Session,
    person: str,
    *,
    mode: Mode = Mode.LIVE,
    n_trials: int | None = None,
    raised: str | None = None,
    excluded: str = "",
    block: str = "rate",
    own: Mapping[str, Any] | None = None,
) -> int:
    """One session that rates the items in the study file's order, all or the first `n_trials`; returns its id.

    `own` are its answers about itself.

    Of a block of pairs, it presses the left of every pair."""
    version = session.exec(select(StudyVersion).order_by(col(StudyVersion.id).desc())).first()
    assert version is not None
    units = session.exec(
        select(Unit).where(Unit.version_id == version.id, Unit.block == block).order_by(col(Unit.position))
    ).all()
    units = [*(u for u in units if u.kind == Kind.PRACTICE), *(u for u in units if u.kind != Kind.PRACTICE)]
    answered = units[:n_trials]
    person_id = f"{person}-{mode}" if mode is not Mode.LIVE else person
    run = ParticipantSession(
        version_id=version.id or 0, mode=mode, participant=person_id, recruiter={}, seed=len(person),
        status=Status.COMPLETED if answered == units else Status.ACTIVE, step=3 + len(answered), arrived_at=NOW,
        consented_at=NOW, ended_at=NOW + timedelta(minutes=len(units)) if answered == units else None,
    )  # fmt: skip
    session.add(run)
    session.flush()
    for position, unit in enumerate(units, 1):
        is_pair = block != RATE["id"]
        plan = {"left": "a"} if is_pair else {}
        trial = Trial(session_id=run.id or 0, position=position, unit_id=unit.id or 0, plan=plan)
        session.add(trial)
        session.flush()
        if unit in answered:
            at = NOW + timedelta(minutes=position)
            session.add(
                Response(
                    session_id=run.id or 0,
                    trial_id=trial.id,
                    page=f"trial-{position}",
                    submit_id=f"t.{position}",
                    side="left" if is_pair else None,
                    answers={} if is_pair else answers_of(unit, person),
                    rt_ms=9000,
                    shown_at=at - timedelta(seconds=30),
                    answered_at=at,
                    flags=[],
                    raised=raised,
                    unwatched=False,
                )
            )
    if own is not None:
        page = "self-rate"
        session.add(
            Response(
                session_id=run.id or 0,
                page=page,
                submit_id=f"{page}.x",
                answers=dict(own),
                answered_at=NOW,
                flags=[],
            )
        )
    if excluded:
        session.add(Exclusion(session_id=run.id or 0, reason=excluded, excluded_at=NOW))
    session.flush()
    return run.id or 0


def fill_rated(session: Session) -> None:
    """Three live raters that count, one left out, one who stopped, and one of each other mode."""
    for person in ("ann", "bob", "cyd"):
        rate(session, person)
    rate(session, "dan", excluded="pressed without reading")
    rate(session, "ann", mode=Mode.PILOT, n_trials=3, raised="too-fast")
    rate(session, "bob", mode=Mode.SIMULATED)
    rate(session, "cyd", mode=Mode.PREVIEW)
