"""The state machine of one participant's session: enter, see the current page, answer it.

The server alone knows which page is current. A form names the page it was served for in its `submit_id`
(`<page>.<random>`), so a form of another page changes nothing, and the same form twice is one row.
"""

import random
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import insert
from sqlalchemy import select as columns
from sqlmodel import Session, col, func, select, update

from app.errors import Closed, Conflict, InvalidAnswer, NotFound
from app.study.answers import Answers, read_answers
from app.study.assignment import plan_session
from app.study.design import Kind, Member, PageKey, PairToPlan, pages_of
from app.study.file.load import StudyDesign
from app.study.playback import read_playback, read_rt_ms
from app.study.tables import (
    Mode,
    Pair,
    ParticipantSession,
    Playback,
    Response,
    State,
    Status,
    Stimulus,
    Study,
    StudyVersion,
    Trial,
)
from app.study.versions import design_of, newest_version

MAX_SUBMIT_ID = 100
TOKEN = re.compile(r"[A-Za-z0-9_-]{1,64}")
NO_SESSION = "There is no session at this address. Please use the link that you were given."
NO_CLIP = "There is no such clip on the page you are on."


class NotCurrent(Conflict):
    """The form belongs to a page that is no longer, or not yet, the person's current one. Nothing was stored."""


@dataclass(frozen=True, slots=True)
class Visit:
    """Someone at a study's door. `resume` is the token their browser kept from an earlier visit."""

    slug: str
    mode: Mode = Mode.LIVE
    participant: str | None = None
    recruiter: Mapping[str, str] = field(default_factory=dict)
    resume: str | None = None


@dataclass(frozen=True, slots=True)
class Where:
    """Where a session stands: all that its current page is made from."""

    session_id: int
    token: str
    version_id: int
    mode: str
    status: str
    state: str
    step: int
    participant: str | None
    is_shown: bool
    design: StudyDesign

    @property
    def pages(self) -> tuple[PageKey, ...]:
        return pages_of_design(self.design)

    @property
    def page(self) -> PageKey:
        return self.pages[self.step]

    @property
    def n_practice(self) -> int:
        return sum(pair.kind == Kind.PRACTICE for pair in self.design.pairs)

    @property
    def n_trials(self) -> int:
        return len(self.design.pairs)


def pages_of_design(design: StudyDesign) -> tuple[PageKey, ...]:
    return tuple(
        pages_of(
            background=bool(design.background),
            instructions=design.instructions is not None,
            trials=len(design.pairs),
        )
    )


def enter(session: Session, visit: Visit, now: datetime) -> str:
    """Let someone in, or back in, and return their session's token.

    An unfinished session of the same browser or of the same recruited participant goes on; a recruited
    participant who has finished comes back to the last page.
    """
    study = session.exec(select(Study).where(Study.slug == visit.slug)).first()
    version = newest_version(session, study) if study else None
    if study is None or version is None or (study.state == State.DRAFT and visit.mode is Mode.LIVE):
        raise NotFound("There is no study at this address. Please check the link that you were given.")
    if token := _earlier(session, study, visit):
        return token
    if visit.mode is Mode.LIVE and study.state == State.PAUSED:
        raise Closed("This study is paused and takes nobody new at present. Please come back later.")
    if visit.mode is Mode.LIVE and study.state == State.CLOSED:
        raise Closed("This study has ended and takes no more participants. Thank you for your interest.")
    if version.frozen_at is None:
        session.execute(update(StudyVersion).where(col(StudyVersion.id) == version.id).values(frozen_at=now))
    token = secrets.token_urlsafe(16)
    session.add(
        ParticipantSession(
            token=token,
            version_id=version.id or 0,
            mode=visit.mode,
            participant=visit.participant,
            recruiter=dict(visit.recruiter),
            arrived_at=now,
        )
    )
    return token


def _earlier(session: Session, study: Study, visit: Visit) -> str | None:
    mine = (
        select(ParticipantSession.token)
        .join(StudyVersion, col(StudyVersion.id) == ParticipantSession.version_id)
        .where(StudyVersion.study_id == study.id, ParticipantSession.mode == visit.mode)
    )
    if visit.participant:
        return session.exec(mine.where(ParticipantSession.participant == visit.participant)).first()
    if visit.resume:
        unfinished = col(ParticipantSession.status).in_([Status.ARRIVED, Status.ACTIVE])
        return session.exec(mine.where(ParticipantSession.token == visit.resume, unfinished)).first()
    return None


def locate(session: Session, token: str, *, for_update: bool = False) -> Where:
    """Find a session by its token. Raises NotFound."""
    s = ParticipantSession
    if not TOKEN.fullmatch(token):
        raise NotFound(NO_SESSION)
    statement = (
        columns(
            col(s.id),
            col(s.version_id),
            col(s.mode),
            col(s.status),
            col(s.step),
            col(s.participant),
            col(s.page_shown_at),
            col(StudyVersion.sha256),
            col(Study.state),
        )
        .join(StudyVersion, col(StudyVersion.id) == col(s.version_id))
        .join(Study, col(Study.id) == col(StudyVersion.study_id))
        .where(col(s.token) == token)
    )
    row = session.execute(statement.with_for_update(of=s) if for_update else statement).first()
    if row is None:
        raise NotFound(NO_SESSION)
    return Where(
        session_id=row.id,
        token=token,
        version_id=row.version_id,
        mode=row.mode,
        status=row.status,
        state=row.state,
        step=row.step,
        participant=row.participant,
        is_shown=row.page_shown_at is not None,
        design=design_of(session, row.version_id, row.sha256),
    )


def mark_shown(session: Session, session_id: int, step: int, now: datetime) -> None:
    """Note when the current page was first served."""
    s = ParticipantSession
    session.execute(
        update(s)
        .where(col(s.id) == session_id, col(s.step) == step, col(s.page_shown_at).is_(None))
        .values(page_shown_at=now)
    )


def submit(session: Session, token: str, form: Mapping[str, str], now: datetime, rng: random.Random) -> None:
    """Take the answer to the current page and go on to the next.

    The same `submit_id` again changes nothing and is no error. Raises NotCurrent for another page's form,
    InvalidAnswer for one that cannot be accepted, Closed once the study takes no answers.
    """
    where = locate(session, token, for_update=True)
    submit_id = form.get("submit_id", "")
    if not 0 < len(submit_id) <= MAX_SUBMIT_ID:
        raise InvalidAnswer({"submit_id": "The form came without its number. Please reload the page."})
    if _is_stored(session, where.session_id, submit_id):
        return
    if where.status not in (Status.ARRIVED, Status.ACTIVE):
        raise NotCurrent("This session has ended; nothing more is asked.")
    named = submit_id.partition(".")[0]
    if named in map(str, where.pages) and named != str(where.page):
        raise NotCurrent("That page was answered before. You are now here.")
    if where.mode == Mode.LIVE and where.state == State.CLOSED:
        raise Closed("This study has ended and takes no more answers.")
    if where.page.kind == "consent":
        _answer_consent(session, where, form, now, rng)
    elif where.page.kind == "trial":
        _answer_trial(session, where, form, now)
    else:
        questions = where.design.background if where.page.kind == "background" else ()
        _store(session, where, form, now, read_answers(questions, form))
        _advance(session, where, now)


def _is_stored(session: Session, session_id: int, submit_id: str) -> bool:
    found = select(Response.id).where(Response.session_id == session_id, Response.submit_id == submit_id)
    return session.execute(found).first() is not None


def _answer_consent(
    session: Session, where: Where, form: Mapping[str, str], now: datetime, rng: random.Random
) -> None:
    consent = where.design.consent
    decision, of_age = form.get("decision", ""), form.get("of_age", "")
    errors = {}
    if decision not in ("agree", "refuse"):
        errors["decision"] = "Please say whether you want to take part."
    if decision == "agree" and consent.minimum_age and of_age not in ("yes", "no"):
        errors["of_age"] = f"Please say whether you are {consent.minimum_age} or older."
    if errors:
        raise InvalidAnswer(errors)
    s = ParticipantSession
    under_age = bool(consent.minimum_age) and of_age == "no"
    if decision == "refuse" or under_age:
        _store(
            session, where, form, now, Answers(extra={"decision": "refuse"} if decision == "refuse" else {})
        )
        values: dict[str, Any] = {
            "status": Status.REFUSED if decision == "refuse" else Status.UNDER_AGE,
            "participant": None,
            "recruiter": {},
            "ended_at": now,
        }
    else:
        _store(session, where, form, now, Answers(extra={"decision": "agree", "consent": consent.version}))
        values = {
            "status": Status.ACTIVE,
            "participant": where.participant or f"p{where.session_id:06d}",
            "consented_at": now,
            "step": where.step + 1,
            "page_shown_at": None,
            **_plan(session, where, rng),
        }
    session.execute(update(s).where(col(s.id) == where.session_id).values(**values))


def _plan(session: Session, where: Where, rng: random.Random) -> dict[str, int]:
    """Plan the trials of a session that begins; returns its ordinal and seed."""
    s = ParticipantSession
    session.execute(select(StudyVersion.id).where(StudyVersion.id == where.version_id).with_for_update())
    last = session.exec(
        select(func.max(s.ordinal)).where(s.version_id == where.version_id, s.mode == where.mode)
    ).one()
    ordinal, seed = (last or 0) + 1, rng.getrandbits(31)
    pairs = session.exec(select(Pair).where(Pair.version_id == where.version_id).order_by(col(Pair.position)))
    trials = plan_session(
        [PairToPlan(p.id or 0, p.condition, Kind(p.kind), Member(p.truth or "a")) for p in pairs],
        order=where.design.trials.order,
        sides=where.design.trials.sides,
        rng=random.Random(seed),
        mirror_of=_lefts(session, where, ordinal - 1) if ordinal % 2 == 0 else None,
    )
    rows = [
        {"session_id": where.session_id, "position": t.position, "pair_id": t.pair_id, "left_member": t.left}
        for t in trials
    ]
    session.execute(insert(Trial), rows)
    return {"ordinal": ordinal, "seed": seed}


def _lefts(session: Session, where: Where, ordinal: int) -> dict[int, Member]:
    s = ParticipantSession
    rows = session.exec(
        select(Trial.pair_id, Trial.left_member)
        .join(s, col(s.id) == Trial.session_id)
        .where(s.version_id == where.version_id, s.mode == where.mode, s.ordinal == ordinal)
    )
    return {pair_id: Member(left) for pair_id, left in rows}


def _answer_trial(session: Session, where: Where, form: Mapping[str, str], now: datetime) -> None:
    unplayable = form.get("unplayable") == "1"
    answers = read_answers(where.design.trials.questions, form, optional=unplayable)
    trial_id, left = session.execute(
        select(Trial.id, Trial.left_member).where(
            Trial.session_id == where.session_id, Trial.position == where.page.position
        )
    ).one()
    playback = read_playback(form.get("playback", ""), Member(left))
    response_id = _store(
        session, where, form, now, answers,
        trial_id=trial_id, unplayable=unplayable, flags=playback.flags, odd_playback=playback.odd,
    )  # fmt: skip
    if playback.rows:
        rows = [{"response_id": response_id, "member": m, **row} for m, row in playback.rows.items()]
        session.execute(insert(Playback), rows)
    _advance(session, where, now)


def _store(
    session: Session,
    where: Where,
    form: Mapping[str, str],
    now: datetime,
    answers: Answers,
    *,
    trial_id: int | None = None,
    unplayable: bool = False,
    flags: tuple[str, ...] = (),
    odd_playback: str | None = None,
) -> int:
    rt_ms, rt_flags = read_rt_ms(form.get("rt_ms", ""))
    shown_at = select(ParticipantSession.page_shown_at).where(ParticipantSession.id == where.session_id)
    statement = insert(Response).values(
        session_id=where.session_id,
        trial_id=trial_id,
        page=str(where.page),
        submit_id=form["submit_id"],
        side=answers.side,
        uncertainty=answers.uncertainty,
        rationale=answers.rationale,
        answers=answers.extra,
        unplayable=unplayable,
        rt_ms=rt_ms,
        shown_at=shown_at.scalar_subquery(),
        answered_at=now,
        flags=[*flags, *(rt_flags if trial_id else ())],
        odd_playback=odd_playback,
    )
    return int(session.execute(statement.returning(col(Response.id))).scalar_one())


def _advance(session: Session, where: Where, now: datetime) -> None:
    s = ParticipantSession
    step = where.step + 1
    values: dict[str, Any] = {"step": step, "page_shown_at": None}
    if where.pages[step].kind == "debrief":
        values |= {"status": Status.COMPLETED, "ended_at": now}
    session.execute(update(s).where(col(s.id) == where.session_id).values(**values))


@dataclass(frozen=True, slots=True)
class ServedClip:
    sha256: str
    clip_bytes: int
    padded_bytes: int


def clip_for(session: Session, token: str, position: int, side: str) -> ServedClip:
    """The clip that a session sees at a position and side: of its current trial or the next, no other."""
    where = locate(session, token)
    if where.page.kind != "trial" or position - where.page.position not in (0, 1):
        raise NotFound(NO_CLIP)
    trial = session.execute(
        select(Trial.left_member, Pair.stimulus_a_id, Pair.stimulus_b_id, StudyVersion.padded_bytes)
        .join(Pair, col(Pair.id) == Trial.pair_id)
        .join(StudyVersion, col(StudyVersion.id) == Pair.version_id)
        .where(Trial.session_id == where.session_id, Trial.position == position)
    ).first()
    if trial is None:
        raise NotFound(NO_CLIP)
    left_is_a = trial.left_member == Member.A
    stimulus_id = trial.stimulus_a_id if left_is_a == (side == "left") else trial.stimulus_b_id
    sha256, clip_bytes = session.execute(
        select(Stimulus.clip_sha256, Stimulus.clip_bytes).where(Stimulus.id == stimulus_id)
    ).one()
    return ServedClip(sha256 or "", clip_bytes or 0, trial.padded_bytes)
