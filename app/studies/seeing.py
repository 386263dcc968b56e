"""Visibility of stimuli for users, and their use in studies.

A user sees the stimuli that they uploaded and those of the studies that they see; an owner sees all. A study may use
those that were put into it by someone who sees them (`study_clip`): typing a name makes no clip visible.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import ColumnElement, func, or_, true
from sqlalchemy import select as select_columns
from sqlmodel import Session, col, select

from app.accounts.logins import Who
from app.accounts.tables import Role, User
from app.library.contents import is_kept
from app.library.kinds import StimulusKind
from app.library.tables import Stimulus, StudyClip
from app.studies.access import StudyHere
from app.studies.tables import Draft, StudyShare
from app.trials.stimuli import StimulusFacts

_CELL = re.compile(r'[^,;"\r\n]+')


def seen_by(who: Who) -> ColumnElement[bool]:
    """The condition on `Stimulus` by which a user sees it."""
    if who.is_owner:
        return true()
    shared = (
        select(StudyClip.stimulus_id)
        .join(StudyShare, col(StudyShare.study_id) == StudyClip.study_id)
        .where(StudyShare.user_id == who.user_id)
    )
    return or_(col(Stimulus.uploaded_by) == who.user_id, col(Stimulus.id).in_(shared))


def facts_for(session: Session, study: StudyHere, who: Who | None = None) -> Mapping[str, StimulusFacts]:
    """The stimuli that a study's design may name: its own and those seen by `who`, who is changing it.

    Without `who`, those seen by the draft's last author: all viewers get the same pairs.
    """
    own = col(Stimulus.id).in_(select(StudyClip.stimulus_id).where(StudyClip.study_id == study.id))
    by = who or _writer(session, study)
    return facts_where(session, or_(own, seen_by(by)) if by else own)


def facts_where(session: Session, condition: ColumnElement[bool]) -> Mapping[str, StimulusFacts]:
    """The stimuli that study files may refer to, by name: stored clips, records and texts."""
    shown = func.coalesce(Stimulus.clip_sha256, Stimulus.content_sha256)
    found = select_columns(
        col(Stimulus.name), col(Stimulus.source), col(Stimulus.attributes), shown, col(Stimulus.kind)
    )
    return {
        name: StimulusFacts(name, source, attributes, sha256, StimulusKind(kind))
        for name, source, attributes, sha256, kind in session.execute(found.where(is_kept(), condition))
    }


def _writer(session: Session, study: StudyHere) -> Who | None:
    written = select(User).join(Draft, col(Draft.saved_by) == User.id).where(Draft.study_id == study.id)
    user = session.exec(written).first()
    return Who(user.id or 0, user.email, Role(user.role)) if user else None


def admit_named(session: Session, who: Who, study_id: int, keys: Mapping[str, Any]) -> None:
    """Admit the stimuli that a draft lists, or may draw, to its study, as far as its author sees them."""
    blocks = keys.get("blocks")
    parts = [keys, *(blocks if isinstance(blocks, list) else ())]
    parts = [part for part in parts if isinstance(part, Mapping)]
    lists = [part.get(key) for part in parts for key in ("pairs", "items")]
    names = {name.strip() for text in lists if isinstance(text, str) for name in _CELL.findall(text)}
    conditions = {
        (_drawn_kind(part.get("sample")), condition)
        for part in parts
        for condition in _conditions(part.get("sample"))
    }
    if not names and not conditions:
        return
    seen = select(Stimulus.id, Stimulus.name, Stimulus.source, Stimulus.kind).where(is_kept(), seen_by(who))
    admit(
        session,
        study_id,
        (
            stimulus
            for stimulus, name, source, kind in session.exec(seen)
            if name in names
            or any(kind == drawn and _has_source(condition, source) for drawn, condition in conditions)
        ),
    )


def _conditions(sample: object) -> set[str]:
    """The conditions, each of two sources, that a draw asks for."""
    parts = [sample.get(part) for part in ("conditions", "practice")] if isinstance(sample, Mapping) else []
    return {str(condition) for part in parts if isinstance(part, Mapping) for condition in part}


def _drawn_kind(sample: object) -> StimulusKind:
    """The kind of stimuli drawn: records if a pairing is given, else clips."""
    is_of_records = isinstance(sample, Mapping) and sample.get("pairing")
    return StimulusKind.RECORD if is_of_records else StimulusKind.CLIP


def _has_source(condition: str, source: str) -> bool:
    return condition.startswith(f"{source}-") or condition.endswith(f"-{source}")


def admit(session: Session, study_id: int, stimuli: Iterable[int | None]) -> None:
    """Allow a study to use these stimuli."""
    there = set(session.exec(select(StudyClip.stimulus_id).where(StudyClip.study_id == study_id)))
    new = sorted({stimulus for stimulus in stimuli if stimulus} - there)
    session.add_all(StudyClip(study_id=study_id, stimulus_id=stimulus) for stimulus in new)
    session.flush()
