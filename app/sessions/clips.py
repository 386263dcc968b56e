"""The clips that a session sees at each place, and those it was shown."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import bindparam, select
from sqlmodel import Session, SQLModel, col

from app.core.errors import NotFound
from app.core.language import gettext as _
from app.core.language import noop
from app.core.statements import Hot
from app.sessions.runs import run_of, spoken
from app.sessions.where import locate
from app.studies.access import StudyHere
from app.studies.file.load import StudyDesign
from app.studies.file.recruitment import DesignRecruitment
from app.tasks.running import task_named
from app.trials.tables import Mode, ParticipantSession, State, Study, StudyVersion, Trial, Unit, UnitMember

NO_CLIP = noop("There is no such clip on the page you are on.")

_study, _version = (SQLModel.metadata.tables[str(table.__tablename__)] for table in (Study, StudyVersion))
# Of everybody who comes: to build it anew took a twentieth of what all pages of a session take.
NEWEST = Hot(
    select(_version.c.id, _version.c.sha256, _study.c.state)
    .join(_study, _study.c.id == _version.c.study_id)
    .where(_study.c.slug == bindparam("slug"))
    .order_by(_version.c.number.desc())
    .limit(1)
)


@dataclass(frozen=True, slots=True)
class ServedClip:
    trial_id: int
    place: str
    sha256: str
    clip_bytes: int
    padded_bytes: int


def clip_for(session: Session, token: str, position: int, place: str, now: datetime) -> ServedClip:
    """The clip that a session sees at a position and place: of its current trial or the next, no other.

    Raises NotFound for all others."""
    where = locate(session, token)
    # The next trial's clips are fetched ahead; any further ones would tell what is still to come (decision 0005).
    if where.is_shut_out(now) or where.page.kind != "trial" or position - where.page.position not in (0, 1):
        raise NotFound(_(NO_CLIP))
    members = session.execute(
        select(
            col(Trial.id),
            col(Trial.plan),
            col(UnitMember.slot),
            col(UnitMember.sha256),
            col(UnitMember.bytes),
            col(StudyVersion.padded_bytes),
        )
        .join(Unit, col(Unit.id) == col(Trial.unit_id))
        .join(UnitMember, col(UnitMember.unit_id) == col(Unit.id))
        .join(StudyVersion, col(StudyVersion.id) == col(Unit.version_id))
        .where(
            col(Trial.session_id) == where.session_id,
            col(Trial.position) == position,
            col(UnitMember.bytes).is_not(None),
        )
    ).all()
    for member in members:
        task = task_named(where.pages.part_at(position).task)
        if member.slot == task.slot_at(member.plan, place):
            return ServedClip(member.id, place, member.sha256 or "", member.bytes or 0, member.padded_bytes)
    raise NotFound(_(NO_CLIP))


def shown_design(session: Session, slug: str) -> StudyDesign | None:
    """The design shown to new participants; None if the study does not exist or is still a draft."""
    newest = NEWEST.first(session, {"slug": slug})
    if newest is None or newest.state == State.DRAFT:
        return None
    return spoken(run_of(session, newest.id, newest.sha256)).design


def is_study(session: Session, slug: str) -> bool:
    """True if there is such a study, in whatever state."""
    return session.execute(select(col(Study.id)).where(col(Study.slug) == slug)).first() is not None


def recruitment_of(session: Session, slug: str) -> DesignRecruitment | None:
    """The recruitment of a study's newest version; None without one."""
    newest = NEWEST.first(session, {"slug": slug})
    return run_of(session, newest.id, newest.sha256).design.recruitment if newest else None


def check_shown(session: Session, study: StudyHere, session_id: int, clip_sha256: str) -> str:
    """The clip's hash. Raises NotFound for one that is not in the trials of this session of this study."""
    planned = (
        select(col(Trial.id))
        .join(UnitMember, col(UnitMember.unit_id) == col(Trial.unit_id))
        .join(ParticipantSession, col(ParticipantSession.id) == col(Trial.session_id))
        .join(StudyVersion, col(StudyVersion.id) == col(ParticipantSession.version_id))
        .where(col(Trial.session_id) == session_id, col(StudyVersion.study_id) == study.id)
        .where(col(ParticipantSession.mode) != Mode.PREVIEW)
        .where(col(UnitMember.sha256) == clip_sha256)
    )
    if session.execute(planned.limit(1)).first() is None:
        raise NotFound("There is no such clip in this session.")
    return clip_sha256
