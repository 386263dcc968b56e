"""A study of two arms in the database, and people who take part in it."""

import random
from collections import Counter
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path

from sqlmodel import Session, col, select

from app.core.database import Database
from app.sessions.entering import Visit, enter
from app.sessions.state_machine import submit
from app.sessions.where import locate
from app.studies.file.load import load_study
from app.studies.versions import load_version, set_state, stimulus_facts
from app.tasks.pair.queries import planned_left
from app.trials.tables import Mode, ParticipantSession, State, Study, Trial, Unit
from tests.factories import NOW
from tests.studies.clips import add_clips

MINUTE = timedelta(minutes=1)
STUDY = """\
study: arms
title: Two arms
consent: {version: '1', text: consent.md}
blocks:
  - id: watch
    task: pair
    pairs: pairs.csv
    per_participant: 2
    trials:
      questions:
        - {id: choice, type: 2afc, ask: "Which is real?"}
  - id: rate
    task: rating
    items: items.csv
    per_participant: 3
    PER_ITEM
    questions:
      - {id: logic, type: likert, ask: "How logical?", labels: [low, middle, high]}
completion: {codes: {full: FULL1, partial: PART1}, contact: "the lab, lab@example.org"}
"""
ARMS = """\
arms:
  - {id: slow, target: 60, set: {blocks.watch.trials.watch: both-to-end}}
  - {id: fast, target: 120, set: {blocks.watch.trials.watch: free, blocks.rate.questions.logic.ask: "Logical?"}}
"""
PAIRS = "pair,a,b\n" + "".join(f"p{n},human-g{n},hybrid-g{n}\n" for n in range(1, 5))
ITEMS = "item,text\n" + "".join(f"i{n},Note {n}.\n" for n in range(1, 7))
ANSWERS: Mapping[str, Mapping[str, str]] = {
    "consent": {"decision": "agree"},
    "pair": {"choice": "left", "rt_ms": "9000"},
    "rating": {"logic": "2", "rt_ms": "9000"},
}


def put_study(database: Database, folder: Path, arms: str = ARMS, per_item: int | None = None) -> int:
    """Store the study and launch it; returns its id."""
    own = STUDY.replace("PER_ITEM", f"per_item: {per_item}" if per_item else "order: random")
    for name, text in (
        ("study.yaml", own + arms), ("consent.md", "# Consent\n"), ("pairs.csv", PAIRS), ("items.csv", ITEMS)
    ):  # fmt: skip
        (folder / name).write_text(text, encoding="utf-8")
    with database.transaction() as session:
        add_clips(session)
        load_version(session, load_study(folder / "study.yaml", stimulus_facts(session)), NOW)
        set_state(session, "arms", State.LIVE, now=NOW)
        return session.exec(select(Study.id)).one() or 0


def arrive(session: Session, at: datetime = NOW, mode: Mode = Mode.LIVE) -> str:
    return enter(session, Visit("arms", mode), at)


def answer(session: Session, token: str, at: datetime = NOW, seed: int = 0) -> None:
    """Answer the current page."""
    where = locate(session, token)
    kind = where.part.task if where.page.kind == "trial" else where.page.kind
    form = {"submit_id": f"{where.page}.{seed}", **ANSWERS[kind]}
    submit(session, token, form, at, random.Random(seed))


def begin(session: Session, at: datetime = NOW, seed: int = 0, mode: Mode = Mode.LIVE) -> str:
    """Arrive and consent; returns the token."""
    token = arrive(session, at, mode)
    answer(session, token, at, seed)
    return token


def finish(session: Session, token: str, at: datetime = NOW) -> None:
    """Answer all pages that are left."""
    while locate(session, token).status == "active":
        answer(session, token, at)


def one(session: Session, token: str) -> ParticipantSession:
    session.expire_all()
    found = select(ParticipantSession).where(ParticipantSession.id == locate(session, token).session_id)
    return session.exec(found).one()


def state_of(session: Session) -> str:
    session.expire_all()
    return session.exec(select(Study.state)).one()


def shown(session: Session) -> Counter[tuple[str, str, str]]:
    """Trials by arm, unit and the member on the left (empty for items)."""
    rows = session.exec(
        select(ParticipantSession.arm, Unit.name, planned_left())
        .join(Trial, col(Trial.session_id) == ParticipantSession.id)
        .join(Unit, col(Unit.id) == Trial.unit_id)
    )
    return Counter((arm, unit, left or "") for arm, unit, left in rows)
