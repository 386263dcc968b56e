"""Sessions of a study that are of no arm of its newest design: they fill no place there."""

from collections.abc import Iterator

from sqlalchemy import func
from sqlmodel import Session, col, select

from app.core.problems import counted
from app.studies.file.design import StudyDesign
from app.trials.checks import Check
from app.trials.tables import Mode, ParticipantSession, Status, Study, StudyVersion


def earlier_checks(session: Session, design: StudyDesign) -> Iterator[Check]:
    """A warning where completed live sessions do not count to the targets of a study with arms."""
    if not design.arms:
        return
    n = session.exec(
        select(func.count())
        .select_from(ParticipantSession)
        .join(StudyVersion, col(StudyVersion.id) == ParticipantSession.version_id)
        .join(Study, col(Study.id) == StudyVersion.study_id)
        .where(
            Study.slug == design.study,
            ParticipantSession.mode == Mode.LIVE,
            ParticipantSession.status == Status.COMPLETED,
            col(ParticipantSession.arm).not_in(design.arm_ids),
        )
    ).one()
    if n:
        detail = (
            f"{counted(n, 'completed live session')} of before the study had these arms: not counted to its target or "
            "to theirs, nor when arms are balanced. Set the targets to what is still wanted."
        )
        yield Check("places", "Sessions of no arm", "warning", detail, "launch#places")
