"""The statements of arriving and of beginning a session, compiled once, as running them takes less than that."""

from sqlalchemy import Integer, bindparam, delete, func, insert, select, update
from sqlmodel import SQLModel

from app.core.statements import Hot
from app.studies.queries import STATE
from app.trials.tables import Mode, ParticipantSession, SessionToken, Status, Study, StudyVersion, Trial

_session, _version, _study, _trial, _token = (
    SQLModel.metadata.tables[str(table.__tablename__)]
    for table in (ParticipantSession, StudyVersion, Study, Trial, SessionToken)
)

# For who enters: the study, and its newest version.
STUDY_NAMED = Hot(
    select(_study.c.id, STATE).where(_study.c.slug == bindparam("slug")).with_for_update(of=_study)
)
NEWEST_VERSION = Hot(
    select(_version.c.id, _version.c.frozen_at, _version.c.sha256)
    .where(_version.c.study_id == bindparam("study_id"))
    .order_by(_version.c.number.desc())
    .limit(1)
)
# Who has come and has not decided, by the token.
UNDECIDED = Hot(
    select(_session.c.version_id, _session.c.mode, _version.c.sha256, _version.c.study_id)
    .join(_token, _token.c.session_id == _session.c.id)
    .join(_version, _version.c.id == _session.c.version_id)
    .join(_study, _study.c.id == _version.c.study_id)
    .where(
        _token.c.sha256 == bindparam("sha256"),
        _study.c.slug == bindparam("slug"),
        _session.c.status == Status.ARRIVED,
    )
)
ADD_SESSION = Hot(insert(_session))
ADD_TOKEN = Hot(insert(_token))

# When a session begins; whoever holds the version's row takes the next ordinal.
_OF_MODE = (
    _session.c.version_id == bindparam("version_id"),
    _session.c.mode == bindparam("mode"),
    _session.c.arm == bindparam("arm"),
)
# The sessions of an arm are known from their ordinals, which are `step` apart, and not from the column: so the index of
# the unique constraint has all that is asked for, and of 7,000 sessions no row is read. Each alone takes half as long.
_OF_ARM = (
    *_OF_MODE[:2],
    (_session.c.ordinal - bindparam("first", type_=Integer)) % bindparam("step", type_=Integer) == 0,
)
LAST_ORDINAL = Hot(
    select(
        select(func.max(_session.c.ordinal)).where(*_OF_ARM).scalar_subquery(),
        select(func.count()).select_from(_session).where(*_OF_ARM).scalar_subquery(),
    )
)
ORDINALS = select(_session.c.ordinal).where(*_OF_MODE, _session.c.ordinal.is_not(None))
PLANS_OF = Hot(
    select(_trial.c.unit_id, _trial.c.plan)
    .join(_session, _session.c.id == _trial.c.session_id)
    .where(
        _session.c.version_id == bindparam("version_id"),
        _session.c.mode == bindparam("mode"),
        _session.c.ordinal == bindparam("ordinal"),
    )
    .order_by(_trial.c.position)
)
BLOCKS_OF = Hot(
    select(_session.c.blocks).where(
        _session.c.version_id == bindparam("version_id"),
        _session.c.mode == bindparam("mode"),
        _session.c.ordinal == bindparam("ordinal"),
    )
)
ADD_TRIALS = Hot(insert(_trial))
BEGIN = Hot(
    update(_session)
    .where(_session.c.id == bindparam("session_id"))
    .values(
        status=bindparam("status"),
        participant=bindparam("participant"),
        is_signed=bindparam("is_signed"),
        recruiter=bindparam("recruiter"),
        arrived_at=bindparam("arrived_at"),
        consented_at=bindparam("consented_at"),
        step=bindparam("step"),
        arm=bindparam("arm"),
        seen_at=bindparam("consented_at"),
        page_shown_at=None,
        ordinal=bindparam("ordinal"),
        seed=bindparam("seed"),
        blocks=bindparam("blocks"),
        language=bindparam("language"),
        consent_sha256=bindparam("consent_sha256"),
        device=bindparam("device"),
    )
)
DECLINE = (
    update(_session)
    .where(_session.c.id == bindparam("session_id"))
    .values(status=bindparam("status"), arrived_at=bindparam("on"), ended_at=bindparam("on"))
)

# What is over of the visits of who has not decided: `before` is a day.
_OVER = (
    _session.c.status == Status.ARRIVED,
    _session.c.mode != Mode.PREVIEW,
    _session.c.arrived_at < bindparam("before"),
)
END_VISIT_TOKENS = delete(_token).where(_token.c.session_id.in_(select(_session.c.id).where(*_OVER)))
END_VISITS = update(_session).where(*_OVER).values(status=Status.LEFT)
FORGET_TOKENS = delete(_token).where(_token.c.session_id == bindparam("session_id"))
