"""A session's state, looked up by its token: only the server knows which page is current.

Statements are built once: building them again costs more than running them.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sqlalchemy import Integer, bindparam, case, outerjoin, select
from sqlmodel import Session, SQLModel

from app.accounts.logins import token_hash
from app.core.errors import NotFound
from app.core.language import gettext as _
from app.core.language import noop
from app.core.statements import Hot
from app.library.tables import Content, Stimulus
from app.sessions.here import StudyWhere
from app.sessions.identity import external_id
from app.sessions.runs import StudyRun, run_at, run_of, spoken
from app.studies.file.recruitment import APART
from app.studies.queries import STATE
from app.tasks.running import has_shared_page, live_of, task_named
from app.trials.design import Slot
from app.trials.ending import Ending, ending_of
from app.trials.here import TrialSeen
from app.trials.responses import Response
from app.trials.sessions import Sessions
from app.trials.tables import (
    ParticipantSession,
    SessionToken,
    State,
    Status,
    Study,
    StudyVersion,
    Trial,
    Unit,
    UnitMember,
)

TOKEN = re.compile(r"[A-Za-z0-9_-]{1,64}")
NO_SESSION = noop(
    "There is no session at this address. If you declined to take part or deleted your answers, no session "
    "is kept; otherwise please use the link that you were given."
)
_tables = SQLModel.metadata.tables
_session, _version, _study, _trial, _response, _unit, _member, _token, _stimulus, _content = (
    _tables[str(table.__tablename__)]
    for table in (
        ParticipantSession, StudyVersion, Study, Trial, Response, Unit, UnitMember, SessionToken, Stimulus, Content
    )
)  # fmt: skip

# Where a session stands, and the response that a `submit_id` has made, if any.
LOCATE = Hot(
    select(
        _session.c.id,
        _session.c.version_id,
        _session.c.mode,
        _session.c.status,
        _session.c.step,
        _session.c.participant,
        _session.c.page_shown_at,
        _session.c.blocks,
        _session.c.language,
        _session.c.arm,
        _session.c.seen_at,
        _session.c.released_at,
        _version.c.sha256,
        _study.c.id,
        _study.c.target,
        _study.c.ends_at,
        STATE,
        case((_study.c.state == State.CLOSED, _study.c.closes_at)).label("closes_at"),
        _study.c.closing,
        _response.c.id,
    )
    .select_from(
        outerjoin(
            _token.join(_session, _session.c.id == _token.c.session_id)
            .join(_version, _version.c.id == _session.c.version_id)
            .join(_study, _study.c.id == _version.c.study_id),
            _response,
            (_response.c.session_id == _session.c.id) & (_response.c.submit_id == bindparam("submit_id")),
        )
    )
    .where(_token.c.sha256 == bindparam("sha256"))
)
HOLD_SESSION = (
    select(_session.c.id)
    .join(_token, _token.c.session_id == _session.c.id)
    .where(_token.c.sha256 == bindparam("sha256"))
    .with_for_update(of=_session, key_share=True)  # rows that refer to it may be added by others meanwhile
)
# What a trial shows that is not the same for all at its position. A text that its item holds has no stimulus.
_next, _its_member, _its_stimulus = _trial.alias(), _member.alias(), _stimulus.alias()
_NEXT_KIND = (
    select(_its_stimulus.c.kind)
    .select_from(
        _next.join(_its_member, _its_member.c.unit_id == _next.c.unit_id).join(
            _its_stimulus, _its_stimulus.c.id == _its_member.c.stimulus_id
        )
    )
    .where(
        _its_member.c.slot == Slot.ITEM,
        _next.c.session_id == bindparam("session_id"),
        _next.c.position == bindparam("position", type_=Integer) + 1,
    )
    .scalar_subquery()
)
UNIT_AT = Hot(
    select(
        _trial.c.id,
        _unit.c.name,
        _unit.c.kind,
        _member.c.bytes,
        _member.c.duration_s,
        _trial.c.sent,
        _stimulus.c.kind,
        _content.c.content,
        _NEXT_KIND,
    )
    .select_from(
        _trial.join(_unit, _unit.c.id == _trial.c.unit_id)
        .outerjoin(_member, (_member.c.unit_id == _unit.c.id) & (_member.c.slot == Slot.ITEM))
        .outerjoin(_stimulus, _stimulus.c.id == _member.c.stimulus_id)
        .outerjoin(_content, _content.c.sha256 == _member.c.sha256)
    )
    .where(_trial.c.session_id == bindparam("session_id"), _trial.c.position == bindparam("position"))
)
# The same of a task whose units are plays, which show no stimulus.
PLAY_AT = Hot(
    select(_trial.c.id, _unit.c.name, _unit.c.kind)
    .select_from(_trial.join(_unit, _unit.c.id == _trial.c.unit_id))
    .where(_trial.c.session_id == bindparam("session_id"), _trial.c.position == bindparam("position"))
)
PRACTISED = (
    select(
        _unit.c.name.label("unit"),
        _trial.c.plan,
        _response.c.side,
        _response.c.answers,
        _response.c.unplayable,
    )
    .select_from(
        _trial.join(_unit, _unit.c.id == _trial.c.unit_id).join(
            _response, _response.c.trial_id == _trial.c.id
        )
    )
    .where(_trial.c.session_id == bindparam("session_id"), _trial.c.position == bindparam("position"))
)
ANSWERS_TO = select(_response.c.answers).where(
    _response.c.session_id == bindparam("session_id"), _response.c.page == bindparam("page")
)
SESSION_OF = select(_token.c.session_id).where(_token.c.sha256 == bindparam("sha256"))


def locate(session: Session, token: str, submit_id: str = "") -> StudyWhere:
    """Find a session by its token; `is_stored` says whether a form numbered `submit_id` was taken. Raises NotFound."""
    if not TOKEN.fullmatch(token):
        raise NotFound(_(NO_SESSION))
    named = {"sha256": token_hash(token), "submit_id": submit_id}
    row = LOCATE.first(session, named)
    if row is None:
        raise NotFound(_(NO_SESSION))
    (
        session_id, version_id, mode, status, step, participant, shown_at, blocks, language, arm, seen_at, released_at,
        sha256, study_id, target, ends_at, state, closes_at, closing, stored_id,
    ) = row  # fmt: skip
    # Before consent nothing of a visitor is stored, their language neither: it is what link and browser ask for.
    run = spoken(run_of(session, version_id, sha256, arm), language)
    recruitment = run.design.recruitment
    # The way back sends the recruiter's id, which the answers do not have.
    if recruitment is not None and recruitment.ids == APART and run.design.completion.sends_id:
        participant = external_id(session, session_id) or participant
    where = StudyWhere(
        session_id=session_id,
        token=token,
        version_id=version_id,
        mode=mode,
        arm=arm,
        study_id=study_id,
        has_target=target is not None,
        seen_at=seen_at,
        released_at=released_at,
        ends_at=ends_at or run.design.ends_at,
        status=status,
        state=state,
        step=step,
        participant=participant,
        shown_at=shown_at,
        closes_at=closes_at,
        closing=closing,
        is_stored=stored_id is not None,
        run=run,
        pages=run.pages_for(blocks),
    )
    if where.status == Status.COMPLETED:
        return where._replace(ending=_ending(session, where))
    kind = where.page.kind
    if kind == "feedback":
        return where._replace(earlier=_practised(session, where))
    if kind == "comprehension":
        return where._replace(earlier=_earlier(session, where))
    return where if has_shared_page(where) else where._replace(trial=_trial_seen(session, where))


def _practised(session: Session, where: StudyWhere) -> Mapping[str, Any]:
    """The practice trial that was answered just now."""
    at = {"session_id": where.session_id, "position": where.page.position}
    return dict(session.connection().execute(PRACTISED, at).mappings().one())


def _earlier(session: Session, where: StudyWhere) -> Mapping[str, Any]:
    """The answers of the try before; none at the first."""
    before = replace(where.page, position=where.page.position - 1)
    named = {"session_id": where.session_id, "page": str(before)}
    return session.connection().execute(ANSWERS_TO, named).scalar() or {}


def _ending(session: Session, where: StudyWhere) -> Ending:
    """The ending of a session that has reached its last page."""
    parts = [part for part in where.pages.parts if part.n]
    return ending_of([task_named(part.task).ended(session, where, part) for part in parts])


def ended(session: Session, one: ParticipantSession) -> Ending:
    """The ending of a session that has reached its last page, without a token of it."""
    run = run_at(session, one.version_id)
    where = StudyWhere(
        session_id=one.id or 0,
        token="",
        version_id=one.version_id,
        mode=one.mode,
        status=one.status,
        state=State.CLOSED,
        step=one.step,
        participant=one.participant,
        shown_at=None,
        closes_at=None,
        closing="",
        is_stored=False,
        run=run,
        pages=run.pages_for(one.blocks),
    )
    return _ending(session, where)


def hold(session: Session, token: str) -> None:
    """Lock a session before a change: a second process with the same form waits, then sees what the first stored.

    SQLite locks no row: whoever writes has the whole database to themselves.
    """
    if session.get_bind().dialect.name != "sqlite" and TOKEN.fullmatch(token):
        session.connection().execute(HOLD_SESSION, {"sha256": token_hash(token)})


def session_of(session: Session, token: str) -> int:
    """The session of a token. Raises NotFound."""
    named = {"sha256": token_hash(token)}
    found: int | None = session.connection().execute(SESSION_OF, named).scalar()
    if found is None:
        raise NotFound(_(NO_SESSION))
    return found


def _trial_seen(session: Session, where: StudyWhere) -> TrialSeen:
    named = {"session_id": where.session_id, "position": where.page.position}
    statement = UNIT_AT if live_of(where) is None else PLAY_AT
    trial = TrialSeen(*statement.first(session, named))
    return trial._replace(own=task_named(where.part.task).seen(session, where, trial))


class _OfStudies:
    """Sessions as tasks see them (`app.trials.sessions.Sessions`)."""

    def locate(self, session: Session, token: str) -> StudyWhere:
        return locate(session, token)

    def hold(self, session: Session, token: str) -> None:
        hold(session, token)

    def run(self, session: Session, version_id: int, arm: str) -> StudyRun:
        return run_at(session, version_id, arm)


SESSIONS: Sessions = _OfStudies()
