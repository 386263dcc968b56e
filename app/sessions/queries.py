"""The statements of a page turn, built once: building them anew costs more than running them."""

from sqlalchemy import Integer, bindparam, case, func, insert, outerjoin, select, update
from sqlmodel import SQLModel

from app.library.tables import Content, Stimulus
from app.sessions.design import Slot
from app.sessions.tables import Evidence, ParticipantSession, Response, SessionToken, Status, Trial
from app.studies.tables import State, Study, StudyVersion, Unit, UnitMember

_tables = SQLModel.metadata.tables
_session, _version, _study, _trial, _response, _evidence, _unit, _member, _token, _stimulus, _content = (
    _tables[str(table.__tablename__)]
    for table in (
        ParticipantSession,
        StudyVersion,
        Study,
        Trial,
        Response,
        Evidence,
        Unit,
        UnitMember,
        SessionToken,
        Stimulus,
        Content,
    )
)

# An archived study is to participants as a closed one. What was chosen for its closing holds while it is closed.
STATE = case((_study.c.archived_at.is_(None), _study.c.state), else_=State.CLOSED.value).label("state")
# Where a session stands, and the response that a `submit_id` has made, if any.
LOCATE = (
    select(
        _session.c.id,
        _session.c.version_id,
        _session.c.mode,
        _session.c.status,
        _session.c.step,
        _session.c.participant,
        _session.c.page_shown_at,
        _session.c.blocks,
        _version.c.sha256,
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
# Before a change: a second process with the same form waits here, and then sees what the first has stored.
HOLD_SESSION = (
    select(_session.c.id)
    .join(_token, _token.c.session_id == _session.c.id)
    .where(_token.c.sha256 == bindparam("sha256"))
    .with_for_update(of=_session, key_share=True)  # rows that refer to it may be added by others meanwhile
)

MARK_SHOWN = (
    update(_session)
    .where(
        _session.c.id == bindparam("session_id"),
        _session.c.step == bindparam("at_step"),
        _session.c.page_shown_at.is_(None),
        _session.c.status.in_([Status.ARRIVED, Status.ACTIVE]),
    )
    .values(page_shown_at=bindparam("page_shown_at"))
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
UNIT_AT = (
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
PLAY_AT = (
    select(_trial.c.id, _unit.c.name, _unit.c.kind)
    .select_from(_trial.join(_unit, _unit.c.id == _trial.c.unit_id))
    .where(_trial.c.session_id == bindparam("session_id"), _trial.c.position == bindparam("position"))
)
SESSION_OF = select(_token.c.session_id).where(_token.c.sha256 == bindparam("sha256"))
LAST_ANSWER = select(func.max(_response.c.answered_at)).where(
    _response.c.session_id == bindparam("session_id")
)
# What was sent of a trial's clips; whoever holds the trial's row adds to it.
SENT = select(_trial.c.sent).where(_trial.c.id == bindparam("trial_id")).with_for_update()
NOTE_SENT = update(_trial).where(_trial.c.id == bindparam("trial_id")).values(sent=bindparam("now_sent"))

ADD_RESPONSE = insert(_response).returning(_response.c.id)
ADD_EVIDENCE = insert(_evidence)

ADVANCE = (
    update(_session)
    .where(_session.c.id == bindparam("session_id"))
    .values(step=bindparam("step"), page_shown_at=None)
)
# Whether a single trial's clips could be played.
PLAYED = select(func.count()).where(
    _response.c.session_id == bindparam("session_id"),
    _response.c.trial_id.is_not(None),
    _response.c.unplayable.is_(False),
)
COMPLETE = ADVANCE.values(status=bindparam("status"), ended_at=bindparam("ended_at"))
