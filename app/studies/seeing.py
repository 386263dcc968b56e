"""Visibility of stimuli for users, and their use in studies.

A user sees the stimuli that they uploaded, those of the studies that they see and of these studies' own collections,
and those of open collections; an owner sees all. A study may use those that were put into it by someone who sees them
(`study_clip`): typing a name makes no clip visible, and neither does choosing a collection.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import BindParameter, ColumnElement, Select, bindparam, func, or_, true
from sqlalchemy import select as select_columns
from sqlmodel import Session, col, select

from app.accounts.logins import Who
from app.accounts.tables import Role, User
from app.core.statements import Hot
from app.library.contents import is_kept
from app.library.kinds import StimulusKind
from app.library.tables import Collection, Stimulus, StudyClip
from app.studies.access import StudyHere
from app.studies.collections import used_by
from app.studies.file.comparable import blocks_in
from app.studies.tables import Draft, StudyShare
from app.tasks.registry import BLOCKS, SHORT
from app.trials.parts import BlockSettings
from app.trials.stimuli import StimulusFacts
from app.trials.tables import Study

_Value = int | BindParameter[int]


def seen_by(who: Who) -> ColumnElement[bool]:
    """The condition on `Stimulus` by which a user sees it."""
    return true() if who.is_owner else _seen_by(who.user_id)


def _seen_by(user_id: _Value) -> ColumnElement[bool]:
    opened = select(Collection.id).where(col(Collection.is_open))
    return or_(_changed_by(user_id), col(Stimulus.collection_id).in_(opened))


def changed_by(who: Who) -> ColumnElement[bool]:
    """The condition on `Stimulus` by which an editor may change it: seen otherwise than in an open collection."""
    return true() if who.is_owner else _changed_by(who.user_id)


def _changed_by(user_id: _Value) -> ColumnElement[bool]:
    shared = (
        select(StudyClip.stimulus_id)
        .join(StudyShare, col(StudyShare.study_id) == StudyClip.study_id)
        .where(StudyShare.user_id == user_id)
    )
    return or_(_moved_by(user_id), col(Stimulus.id).in_(shared))


def moved_by(who: Who) -> ColumnElement[bool]:
    """The condition on `Stimulus` by which an editor may move it to another collection: uploaded by them, or in the own
    collection of a study that they see.
    """
    return true() if who.is_owner else _moved_by(who.user_id)


def _moved_by(user_id: _Value) -> ColumnElement[bool]:
    own = select(Study.collection_id).join(StudyShare, col(StudyShare.study_id) == Study.id)
    theirs = own.where(StudyShare.user_id == user_id, col(Study.collection_id).is_not(None))
    return or_(col(Stimulus.uploaded_by) == user_id, col(Stimulus.collection_id).in_(theirs))


def facts_for(session: Session, study: StudyHere, who: Who | None = None) -> Mapping[str, StimulusFacts]:
    """The stimuli that a study's design may name: those put into it, those of its own collection, and those seen by
    `who`, who is changing it.

    Without `who`, those seen by the draft's last author: all viewers get the same pairs.
    """
    return facts_seen(session, study, who or _writer(session, study))


def facts_seen(session: Session, study: StudyHere, by: Who | None) -> Mapping[str, StimulusFacts]:
    """Like `facts_for`, where the draft's last author is known already; None for one without."""
    return _FACTS.all(session, study, by)


def own_facts(session: Session, study: StudyHere, who: Who) -> Mapping[str, StimulusFacts]:
    """The stimuli of `facts_for` that are the study's own, by name."""
    return _OWN_FACTS.all(session, study, who)


def facts_where(
    session: Session, condition: ColumnElement[bool], own: ColumnElement[bool] | None = None
) -> Mapping[str, StimulusFacts]:
    """The stimuli that study files may refer to, by name: stored clips, records and texts. `own` marks the study's."""
    return _facts(session.execute(_named(condition, true() if own is None else own)))


def _named(condition: ColumnElement[bool], own: ColumnElement[bool]) -> Select[*tuple[Any, ...]]:
    shown = func.coalesce(Stimulus.clip_sha256, Stimulus.content_sha256)
    columns = (col(Stimulus.name), col(Stimulus.source), col(Stimulus.attributes), shown, col(Stimulus.kind))
    return select_columns(*columns, own).where(is_kept(), condition)


def _facts(rows: Iterable[Any]) -> Mapping[str, StimulusFacts]:
    return {
        name: StimulusFacts(name, source, attributes, sha256, StimulusKind(kind), bool(is_own))
        for name, source, attributes, sha256, kind, is_own in rows
    }


def _put_into(study_id: _Value) -> ColumnElement[bool]:
    """The condition on `Stimulus` that it was put into the study, or is of its own collection."""
    own = select(Study.collection_id).where(Study.id == study_id, col(Study.collection_id).is_not(None))
    put = select(StudyClip.stimulus_id).where(StudyClip.study_id == study_id)
    return or_(col(Stimulus.id).in_(put), col(Stimulus.collection_id).in_(own))


class _Facts:
    """The statements of stimuli that a draft may name, by who sees them: every page of a study before its launch asks.

    `which` leaves out others.
    """

    def __init__(self, *which: ColumnElement[bool]) -> None:
        put, own = _put_into(bindparam("study_id")), used_by(bindparam("study_id"))
        self._of_nobody = Hot(_named(put, own).where(*which))
        self._of_owners = Hot(_named(true(), own).where(*which))
        self._of_others = Hot(_named(or_(put, _seen_by(bindparam("user_id"))), own).where(*which))

    def all(self, session: Session, study: StudyHere, by: Who | None) -> Mapping[str, StimulusFacts]:
        session.flush()  # what was just admitted counts
        of = {"study_id": study.id}
        if by is None:
            return _facts(self._of_nobody.all(session, of))
        if by.is_owner:
            return _facts(self._of_owners.all(session, of))
        return _facts(self._of_others.all(session, of | {"user_id": by.user_id}))


_FACTS, _OWN_FACTS = _Facts(), _Facts(used_by(bindparam("study_id")))


def _writer(session: Session, study: StudyHere) -> Who | None:
    written = select(User).join(Draft, col(Draft.saved_by) == User.id).where(Draft.study_id == study.id)
    user = session.exec(written).first()
    return Who(user.id or 0, user.email, Role(user.role)) if user else None


def admit_named(session: Session, who: Who, study_id: int, keys: Mapping[str, Any]) -> None:
    """Admit the stimuli that a draft lists, or may draw, to its study, as far as its author sees them."""
    asked = [SHORT.admits(keys), *(_model(block).admits(block) for block in blocks_in(keys))]
    takes = [each for each in asked if each is not None]
    if not takes:
        return
    seen = facts_where(session, seen_by(who), used_by(study_id))
    names = [name for name, one in seen.items() if any(take(one) for take in takes)]
    admit(session, study_id, session.exec(select(col(Stimulus.id)).where(col(Stimulus.name).in_(names))))


def _model(block: Mapping[str, Any]) -> type[BlockSettings]:
    return BLOCKS.get(str(block.get("task")), SHORT)


def admit(session: Session, study_id: int, stimuli: Iterable[int | None]) -> None:
    """Allow a study to use these stimuli."""
    there = set(session.exec(select(StudyClip.stimulus_id).where(StudyClip.study_id == study_id)))
    new = sorted({stimulus for stimulus in stimuli if stimulus} - there)
    session.add_all(StudyClip(study_id=study_id, stimulus_id=stimulus) for stimulus in new)
    session.flush()
