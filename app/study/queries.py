"""The statements of arriving and of a page turn, built once: building them anew costs more than running them."""

from sqlalchemy import bindparam, func, insert, outerjoin, select, update
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
# Before a change: a second process with the same form waits here, and then sees what the first has stored.
HOLD_SESSION = select(_session.c.id).where(_session.c.token == bindparam("token")).with_for_update()

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

# At the door: the study, and its newest version.
STUDY_NAMED = (
    select(_study.c.id, _study.c.state).where(_study.c.slug == bindparam("slug")).with_for_update(of=_study)
)
NEWEST_VERSION = (
    select(_version.c.id, _version.c.frozen_at)
    .where(_version.c.study_id == bindparam("study_id"))
    .order_by(_version.c.number.desc())
    .limit(1)
)
ADD_SESSION = insert(_session)

# When a session begins; whoever holds the version's row takes the next ordinal.
HOLD_VERSION = select(_version.c.id).where(_version.c.id == bindparam("version_id")).with_for_update()
LAST_ORDINAL = select(func.max(_session.c.ordinal)).where(
    _session.c.version_id == bindparam("version_id"), _session.c.mode == bindparam("mode")
)
LEFTS_OF = (
    select(_trial.c.pair_id, _trial.c.left_member)
    .join(_session, _session.c.id == _trial.c.session_id)
    .where(
        _session.c.version_id == bindparam("version_id"),
        _session.c.mode == bindparam("mode"),
        _session.c.ordinal == bindparam("ordinal"),
    )
)
ADD_TRIALS = insert(_trial)
BEGIN = (
    update(_session)
    .where(_session.c.id == bindparam("session_id"))
    .values(
        status=bindparam("status"),
        participant=bindparam("participant"),
        consented_at=bindparam("consented_at"),
        step=bindparam("step"),
        page_shown_at=None,
        ordinal=bindparam("ordinal"),
        seed=bindparam("seed"),
    )
)
DECLINE = (
    update(_session)
    .where(_session.c.id == bindparam("session_id"))
    .values(status=bindparam("status"), participant=None, recruiter={}, ended_at=bindparam("ended_at"))
)
