"""The very clip that a session was shown: as its version was saved, whatever the library holds since."""

from sqlmodel import Session, col, select

from app.core.errors import NotFound
from app.sessions.tables import Mode, ParticipantSession, Trial
from app.studies.access import StudyHere
from app.studies.tables import StudyVersion, UnitMember


def check_shown(session: Session, study: StudyHere, session_id: int, clip_sha256: str) -> str:
    """The clip's hash. Raises NotFound for one that is not in the trials of this session of this study."""
    planned = (
        select(Trial.id)
        .join(UnitMember, col(UnitMember.unit_id) == col(Trial.unit_id))
        .join(ParticipantSession, col(ParticipantSession.id) == col(Trial.session_id))
        .join(StudyVersion, col(StudyVersion.id) == col(ParticipantSession.version_id))
        .where(Trial.session_id == session_id, StudyVersion.study_id == study.id)
        .where(ParticipantSession.mode != Mode.PREVIEW)
        .where(UnitMember.sha256 == clip_sha256)
    )
    if session.exec(planned.limit(1)).first() is None:
        raise NotFound("There is no such clip in this session.")
    return clip_sha256
