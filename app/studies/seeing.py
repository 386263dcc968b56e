"""Which clips a user sees, and which a study may use.

Seen are the clips that a user has uploaded and those of the studies that they see; an owner sees all. A study may use
the clips that somebody who saw them has put into it (`study_clip`): a name typed in the dark makes no clip visible.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import ColumnElement, or_, true
from sqlmodel import Session, col, select

from app.accounts.logins import Who
from app.accounts.tables import Role, User
from app.library.tables import Stimulus, StudyClip
from app.studies.access import StudyHere
from app.studies.file.pairs import StimulusFacts
from app.studies.tables import Draft, StudyShare

_CELL = re.compile(r'[^,;"\r\n]+')


def seen_by(who: Who) -> ColumnElement[bool]:
    """The condition on `Stimulus` by which a user sees a clip."""
    if who.is_owner:
        return true()
    shared = (
        select(StudyClip.stimulus_id)
        .join(StudyShare, col(StudyShare.study_id) == StudyClip.study_id)
        .where(StudyShare.user_id == who.user_id)
    )
    return or_(col(Stimulus.uploaded_by) == who.user_id, col(Stimulus.id).in_(shared))


def facts_for(session: Session, study: StudyHere, who: Who | None = None) -> Mapping[str, StimulusFacts]:
    """The clips that a study's design may name: its own and those that `who` sees, by whom it is to be changed.

    Without `who`, those that the draft's last writer sees: everybody who looks finds the same pairs.
    """
    own = col(Stimulus.id).in_(select(StudyClip.stimulus_id).where(StudyClip.study_id == study.id))
    by = who or _writer(session, study)
    return facts_where(session, or_(own, seen_by(by)) if by else own)


def facts_where(session: Session, condition: ColumnElement[bool]) -> Mapping[str, StimulusFacts]:
    """What study files may refer to, by name: stimuli whose clip is in the store."""
    found = select(Stimulus.name, Stimulus.source, Stimulus.attributes, Stimulus.clip_sha256)
    rows = session.exec(found.where(col(Stimulus.clip_sha256).is_not(None), condition))
    return {
        name: StimulusFacts(name=name, source=source, attributes=attributes, clip_sha256=clip_sha256 or "")
        for name, source, attributes, clip_sha256 in rows
    }


def _writer(session: Session, study: StudyHere) -> Who | None:
    written = select(User).join(Draft, col(Draft.saved_by) == User.id).where(Draft.study_id == study.id)
    user = session.exec(written).first()
    return Who(user.id or 0, user.email, Role(user.role)) if user else None


def admit_named(session: Session, who: Who, study_id: int, keys: Mapping[str, Any]) -> None:
    """Let a study use the clips that its draft lists, or may draw, as far as the user who writes it sees them."""
    listed, conditions = keys.get("pairs"), _conditions(keys.get("sample"))
    names = {name.strip() for name in _CELL.findall(listed)} if isinstance(listed, str) else set()
    if not names and not conditions:
        return
    clips = select(Stimulus.id, Stimulus.name, Stimulus.source).where(
        col(Stimulus.clip_sha256).is_not(None), seen_by(who)
    )
    admit(
        session,
        study_id,
        (
            stimulus
            for stimulus, name, source in session.exec(clips)
            if name in names or any(_has_source(condition, source) for condition in conditions)
        ),
    )


def _conditions(sample: object) -> set[str]:
    """The conditions, each of two sources, that a draw asks for."""
    parts = [sample.get(part) for part in ("conditions", "practice")] if isinstance(sample, Mapping) else []
    return {str(condition) for part in parts if isinstance(part, Mapping) for condition in part}


def _has_source(condition: str, source: str) -> bool:
    return condition.startswith(f"{source}-") or condition.endswith(f"-{source}")


def admit(session: Session, study_id: int, stimuli: Iterable[int | None]) -> None:
    """Let a study use these clips."""
    there = set(session.exec(select(StudyClip.stimulus_id).where(StudyClip.study_id == study_id)))
    new = sorted({stimulus for stimulus in stimuli if stimulus} - there)
    session.add_all(StudyClip(study_id=study_id, stimulus_id=stimulus) for stimulus in new)
    session.flush()
