"""People who go through a study's pages below the web: what reports and packages are made of."""

import json
import random
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

from sqlmodel import Session, select

from app.questions.sides import Side
from app.sessions.coming import Came
from app.sessions.entering import Visit, enter
from app.sessions.media import note_sent
from app.sessions.state_machine import mark_shown, submit
from app.sessions.where import locate
from app.tasks.pair.queries import planned_left
from app.trials.tables import Mode, Trial, Unit
from tests.factories import NOW

LONGEST_MS = 10_000  # what any clip of these tests lasts at most

Answer = Callable[[str, str], Mapping[str, str]]

CLIP = {"duration_s": 10.0, "played": [[0, 10]], "watched": True, "plays": 1, "stalls": 0, "stall_ms": 0,
        "dropped_frames": 0, "frames": 30, "errors": [], "failed": False, "max_rate": 1}  # fmt: skip
PLAYBACK = json.dumps({"v": 1, "loads": 1, "drift_ms_max": 7, "hidden_ms": 0, "left": CLIP, "right": CLIP})


def take(member: str, left: str) -> str:
    """The side to press for a member of a pair."""
    return "left" if member == left else "right"


def walk(
    session: Session,
    slug: str,
    answer: Answer,
    *,
    seed: int,
    mode: Mode = Mode.LIVE,
    n_trials: int | None = None,
    recruiter: Mapping[str, str] | None = None,
    decision: str = "agree",
) -> None:
    """One session that watches its clips.

    `answer(pair, left)` gives a trial's form, `n_trials` how many are answered (None: all).
    """
    recruiter = recruiter or {}
    rng, now = random.Random(seed), NOW + timedelta(minutes=seed)
    session.flush()
    came = Came(slug, now, recruiter.get("PROLIFIC_PID"), recruiter=recruiter)
    token = enter(session, Visit(slug, mode, came.participant, recruiter), now)
    while True:
        where = locate(session, token)
        if where.status not in ("arrived", "active") or where.page.kind == "debrief":
            return
        if where.page.kind == "trial" and n_trials is not None and where.page.position > n_trials:
            return
        form = _form(session, token, answer, decision, now)
        if where.page.kind == "trial":
            mark_shown(session, where.session_id, where.step, now)
            fetch_clips(session, where.session_id, where.page.position)
            now += timedelta(milliseconds=max(int(form["rt_ms"] or 0), LONGEST_MS) + 500)
        submit(session, token, form, now, rng, came)
        if decision == "refuse":  # of which no session is kept
            return


def fetch_clips(session: Session, session_id: int, position: int) -> None:
    """Both clips of a trial were sent whole."""
    trial = session.exec(
        select(Trial.id).where(Trial.session_id == session_id, Trial.position == position)
    ).one()
    for side in Side:
        note_sent(session, trial or 0, side, 0, 1 << 30)


def _form(session: Session, token: str, answer: Answer, decision: str, now: datetime) -> Mapping[str, str]:
    where = locate(session, token)
    submit_id = {"submit_id": f"{where.page}.{now:%H%M}"}
    if where.page.kind == "consent":
        return {**submit_id, "decision": decision, "of_age": "yes"}
    if where.page.kind == "background":
        return {**submit_id, "familiarity": "3"}
    if where.page.kind == "instructions":
        return submit_id
    pair, left = session.exec(
        select(Unit.name, planned_left())
        .join(Trial)
        .where(Trial.session_id == where.session_id, Trial.position == where.page.position)
    ).one()
    usual = {"choice": "left", "uncertainty": "2", "rt_ms": "4000", "playback": PLAYBACK}
    return {**submit_id, **usual, **answer(pair, left)}
