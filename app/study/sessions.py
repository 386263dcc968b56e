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

from sqlmodel import Session, col, select, update

from app.errors import Closed, Conflict, InvalidAnswer, NotFound
from app.study import queries
from app.study.answers import Answers, read_answers
from app.study.design import Member, PageKey
from app.study.file.load import StudyDesign
from app.study.planning import plan_trials
from app.study.playback import read_playback, read_rt_ms
from app.study.runs import Run, run_of
from app.study.states import STATES
from app.study.tables import Mode, ParticipantSession, State, Status, StudyVersion

MAX_SUBMIT_ID = 100
TOKEN = re.compile(r"[A-Za-z0-9_-]{1,64}")
NO_SESSION = "There is no session at this address. Please use the link that you were given."


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
    shown_at: datetime | None
    is_stored: bool
    run: Run

    @property
    def design(self) -> StudyDesign:
        return self.run.design

    @property
    def page(self) -> PageKey:
        return self.run.pages[self.step]


def enter(session: Session, visit: Visit, now: datetime) -> str:
    """Let someone in, or back in, and return their session's token.

    A session of the same browser or of the same recruited participant goes on, also one of the pilot once the
    study is live; who has finished comes back to the last page. Who declined may think again. Every preview is new.
    """
    connection = session.connection()
    study = connection.execute(queries.STUDY_NAMED, {"slug": visit.slug}).first()
    version = connection.execute(queries.NEWEST_VERSION, {"study_id": study.id}).first() if study else None
    if study is None or version is None or (study.state == State.DRAFT and visit.mode is Mode.LIVE):
        raise NotFound("There is no study at this address. Please check the link that you were given.")
    if token := _earlier(session, study.id, visit):
        return token
    mode = _mode_now(State(study.state)) if visit.mode is Mode.LIVE else visit.mode
    if version.frozen_at is None and mode is not Mode.PREVIEW:
        session.execute(update(StudyVersion).where(col(StudyVersion.id) == version.id).values(frozen_at=now))
    token = secrets.token_urlsafe(16)
    row = {
        "token": token,
        "version_id": version.id,
        "arm": "main",
        "mode": mode,
        "participant": visit.participant,
        "recruiter": dict(visit.recruiter),
        "status": Status.ARRIVED,
        "step": 0,
        "arrived_at": now,
    }
    connection.execute(queries.ADD_SESSION, row)
    return token


def _mode_now(state: State) -> Mode:
    """The mode of somebody new at the study's address. Raises Closed where it takes nobody."""
    mode = STATES[state].enters_as
    if mode is None and state is State.CLOSED:
        raise Closed("This study has ended and takes no more participants. Thank you for your interest.")
    if mode is None:
        raise Closed("This study is paused and takes nobody new at present. Please come back later.")
    return mode


def _earlier(session: Session, study_id: int, visit: Visit) -> str | None:
    """The token of the session that somebody began before. Nobody is in the pilot and in the study itself."""
    if visit.mode is Mode.PREVIEW or not (visit.participant or visit.resume):
        return None
    modes = [Mode.LIVE, Mode.PILOT] if visit.mode is Mode.LIVE else [visit.mode]
    mine = (
        select(ParticipantSession.token)
        .join(StudyVersion, col(StudyVersion.id) == ParticipantSession.version_id)
        .where(StudyVersion.study_id == study_id, col(ParticipantSession.mode).in_(modes))
        .order_by(col(ParticipantSession.id).desc())
    )
    if visit.participant:
        return session.exec(mine.where(ParticipantSession.participant == visit.participant)).first()
    taking_part = col(ParticipantSession.status).in_([Status.ARRIVED, Status.ACTIVE, Status.COMPLETED])
    return session.exec(mine.where(ParticipantSession.token == visit.resume, taking_part)).first()


def locate(session: Session, token: str, submit_id: str = "") -> Where:
    """Find a session by its token; `is_stored` says whether a form numbered `submit_id` was taken. Raises NotFound."""
    if not TOKEN.fullmatch(token):
        raise NotFound(NO_SESSION)
    row = session.connection().execute(queries.LOCATE, {"token": token, "submit_id": submit_id}).first()
    if row is None:
        raise NotFound(NO_SESSION)
    session_id, version_id, mode, status, step, participant, shown_at, sha256, state, stored_id = row
    return Where(
        session_id=session_id,
        token=token,
        version_id=version_id,
        mode=mode,
        status=status,
        state=state,
        step=step,
        participant=participant,
        shown_at=shown_at,
        is_stored=stored_id is not None,
        run=run_of(session, version_id, sha256),
    )


def mark_shown(session: Session, session_id: int, step: int, now: datetime) -> None:
    """Note when the current page was first served."""
    values = {"session_id": session_id, "at_step": step, "page_shown_at": now}
    session.connection().execute(queries.MARK_SHOWN, values)


def submit(session: Session, token: str, form: Mapping[str, str], now: datetime, rng: random.Random) -> None:
    """Take the answer to the current page and go on to the next.

    The same `submit_id` again changes nothing and is no error. Raises NotCurrent for another page's form,
    InvalidAnswer for one that cannot be accepted, Closed once the study takes no answers.
    """
    submit_id = form.get("submit_id", "")
    if TOKEN.fullmatch(token):
        session.connection().execute(queries.HOLD_SESSION, {"token": token})
    where = locate(session, token, submit_id)
    if not 0 < len(submit_id) <= MAX_SUBMIT_ID:
        raise InvalidAnswer({"submit_id": "The form came without its number. Please reload the page."})
    if where.is_stored:
        return
    if where.status not in (Status.ARRIVED, Status.ACTIVE):
        raise NotCurrent("This session has ended; nothing more is asked.")
    named = submit_id.partition(".")[0]
    if named != str(where.page) and (named in where.run.names or "." in submit_id):
        raise NotCurrent("That page was answered before. You are now here.")
    if where.mode in (Mode.LIVE, Mode.PILOT) and not STATES[State(where.state)].answers:
        raise Closed("This study has ended and takes no more answers.")
    if where.page.kind == "consent":
        _answer_consent(session, where, form, now, rng)
    elif where.page.kind == "trial":
        _answer_trial(session, where, form, now)
    else:
        questions = where.design.background if where.page.kind == "background" else ()
        _store(session, where, form, now, read_answers(questions, form))
        _advance(session, where, now)


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
    connection = session.connection()
    under_age = bool(consent.minimum_age) and of_age == "no"
    if decision == "refuse" or under_age:
        _store(
            session, where, form, now, Answers(extra={"decision": "refuse"} if decision == "refuse" else {})
        )
        status = Status.REFUSED if decision == "refuse" else Status.UNDER_AGE
        left = {"session_id": where.session_id, "status": status, "ended_at": now}
        connection.execute(queries.DECLINE, left)
        return
    _store(session, where, form, now, Answers(extra={"decision": "agree", "consent": consent.version}))
    begun = {
        "session_id": where.session_id,
        "status": Status.ACTIVE,
        "participant": where.participant or f"p-{rng.getrandbits(48):012x}",
        "consented_at": now,
        "step": where.step + 1,
        **plan_trials(session, where.version_id, where.mode, where.session_id, where.run, rng),
    }
    connection.execute(queries.BEGIN, begun)


def _answer_trial(session: Session, where: Where, form: Mapping[str, str], now: datetime) -> None:
    unplayable = form.get("unplayable") == "1"
    answers = read_answers(where.design.trials.questions, form, of_trial=True, optional=unplayable)
    place = {"session_id": where.session_id, "position": where.page.position}
    trial_id, left = session.connection().execute(queries.TRIAL_AT, place).one()
    playback = read_playback(form.get("playback", ""), Member(left))
    response_id = _store(
        session,
        where,
        form,
        now,
        answers,
        trial_id=trial_id,
        unplayable=unplayable,
        flags=playback.flags,
        odd_playback=playback.odd,
    )
    if playback.rows:
        rows = [{"response_id": response_id, "member": m, **row} for m, row in playback.rows.items()]
        session.connection().execute(queries.ADD_PLAYBACK, rows)
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
    values = {
        "session_id": where.session_id,
        "trial_id": trial_id,
        "page": str(where.page),
        "submit_id": form["submit_id"],
        "side": answers.side,
        "uncertainty": answers.uncertainty,
        "rationale": answers.rationale,
        "answers": answers.extra,
        "unplayable": unplayable,
        "rt_ms": rt_ms,
        "shown_at": where.shown_at,
        "answered_at": now,
        "flags": [*flags, *(rt_flags if trial_id else ())],
        "odd_playback": odd_playback,
    }
    return int(session.connection().execute(queries.ADD_RESPONSE, values).scalar_one())


def _advance(session: Session, where: Where, now: datetime) -> None:
    values: dict[str, Any] = {"session_id": where.session_id, "step": where.step + 1}
    if where.run.pages[where.step + 1].kind == "debrief":
        values |= {"status": Status.COMPLETED, "ended_at": now}
        session.connection().execute(queries.COMPLETE, values)
    else:
        session.connection().execute(queries.ADVANCE, values)
