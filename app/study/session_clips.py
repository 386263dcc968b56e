"""The very clip that a session was shown: as its version was saved, whatever the library holds since."""

from sqlmodel import Session, col, or_, select

from app.errors import NotFound
from app.study.access import StudyHere
from app.study.tables import Mode, Pair, ParticipantSession, StudyVersion, Trial


def check_shown(session: Session, study: StudyHere, session_id: int, clip_sha256: str) -> str:
    """The clip's hash. Raises NotFound for one that is not in the trials of this session of this study."""
    planned = (
        select(Trial.id)
        .join(Pair, col(Pair.id) == col(Trial.pair_id))
        .join(ParticipantSession, col(ParticipantSession.id) == col(Trial.session_id))
        .join(StudyVersion, col(StudyVersion.id) == col(ParticipantSession.version_id))
        .where(Trial.session_id == session_id, StudyVersion.study_id == study.id)
        .where(ParticipantSession.mode != Mode.PREVIEW)
        .where(or_(Pair.clip_a_sha256 == clip_sha256, Pair.clip_b_sha256 == clip_sha256))
    )
    if session.exec(planned.limit(1)).first() is None:
        raise NotFound("There is no such clip in this session.")
    return clip_sha256
