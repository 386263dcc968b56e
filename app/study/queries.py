"""The statements of a page turn, built once: building them anew costs more than running them."""

from sqlalchemy import bindparam, insert, outerjoin, select, update
from sqlmodel import SQLModel

from app.study.tables import ParticipantSession, Playback, Response, Study, StudyVersion, Trial

_tables = SQLModel.metadata.tables
_session, _version, _study, _trial, _response, _playback = (
    _tables[str(table.__tablename__)]
    for table in (ParticipantSession, StudyVersion, Study, Trial, Response, Playback)
)

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
        _version.c.sha256,
        _study.c.state,
        _response.c.id,
    )
    .select_from(
        outerjoin(
            _session.join(_version, _version.c.id == _session.c.version_id).join(
                _study, _study.c.id == _version.c.study_id
            ),
            _response,
            (_response.c.session_id == _session.c.id) & (_response.c.submit_id == bindparam("submit_id")),
        )
    )
    .where(_session.c.token == bindparam("token"))
)
LOCATE_TO_CHANGE = LOCATE.with_for_update(of=_session)

MARK_SHOWN = (
    update(_session)
    .where(
        _session.c.id == bindparam("session_id"),
        _session.c.step == bindparam("at_step"),
        _session.c.page_shown_at.is_(None),
    )
    .values(page_shown_at=bindparam("page_shown_at"))
)

TRIAL_AT = select(_trial.c.id, _trial.c.left_member).where(
    _trial.c.session_id == bindparam("session_id"), _trial.c.position == bindparam("position")
)

ADD_RESPONSE = insert(_response).returning(_response.c.id)
ADD_PLAYBACK = insert(_playback)

ADVANCE = (
    update(_session)
    .where(_session.c.id == bindparam("session_id"))
    .values(step=bindparam("step"), page_shown_at=None)
)
COMPLETE = ADVANCE.values(status=bindparam("status"), ended_at=bindparam("ended_at"))
