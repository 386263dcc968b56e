"""Changes to stimuli: their names, sources and attributes, and deletion."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlmodel import Session, col, delete, select, update

from app.accounts.audit import record
from app.accounts.logins import Who
from app.catalog.catalog import row_to_change
from app.catalog.rules import hold_library
from app.catalog.uses import UNSEEN, DraftUses, Use, places, uses_for, uses_of
from app.core.database import Database
from app.core.errors import Conflict, StudyError
from app.library.clips.store import ClipStore
from app.library.media import clues_path, frame_path, poster_path
from app.library.names import checked_attributes, checked_name, checked_source
from app.library.tables import Content, Stimulus, Upload
from app.library.uploads import names_taken
from app.studies.truth import CorrectedDrafts, correct_sources, drafts_with_sources, is_answered
from app.trials.tables import UnitMember


class InUse(Conflict):
    """The stimulus is used in data or designs that the change would affect; the message says where."""


@dataclass(frozen=True, slots=True)
class Edit:
    """The requested changes: None keeps a value; `attributes` replaces all, and those without a value are removed."""

    name: str | None = None
    source: str | None = None
    attributes: Mapping[str, str] | None = None


async def change_stimulus(database: Database, who: Who, name: str, edit: Edit, now: datetime) -> str:
    """Like `edit_stimulus`, with the drafts read beforehand."""
    return await database.prepare_and_write(
        lambda session: _drafts_before(session, name, edit),
        lambda session, seen: edit_stimulus(session, who, name, edit, now, seen=seen),
    )


@dataclass(frozen=True, slots=True)
class _Drafts:
    """The drafts that use a stimulus, and their corrected form if its source changes."""

    uses: DraftUses
    corrected: CorrectedDrafts | None


def _drafts_before(session: Session, name: str, edit: Edit) -> _Drafts:
    try:
        corrected = drafts_with_sources(session, {name: checked_source(edit.source)}) if edit.source else None
    except StudyError:
        corrected = None  # the write refuses it, once it is known who asks
    return _Drafts(DraftUses.read(session, [name]), corrected)


def edit_stimulus(
    session: Session, who: Who, name: str, edit: Edit, now: datetime, *, seen: _Drafts | None = None
) -> str:
    """Change a stimulus; returns its name. Raises BadStimulus, InUse, NotFound, or Conflict if a name is taken.

    `seen` are the drafts as read before; otherwise they are read here. Raises Stale if one has changed.
    """
    row = row_to_change(session, who, name)
    before = facts_of(row)
    uses = uses_of(session, [name], seen.uses if seen else None)[name]
    if edit.attributes is not None:
        row.attributes = checked_attributes(edit.attributes, row.attributes)
    if edit.source is not None and edit.source.strip() != row.source:
        source = checked_source(edit.source)
        refuse_source_change(session, who, name, uses)
        correct_sources(session, who, {name: source}, now, seen.corrected if seen else None)
        row.source = source
    if edit.name is not None and edit.name.strip() != row.name:
        row.name = _free(session, who, checked_name(edit.name), uses)
    after = facts_of(row)
    if after != before:
        session.add(row)
        record(session, who.actor, "stimulus.edit", now=now, subject=name, before=before, after=after)
    return row.name


def facts_of(row: Stimulus) -> dict[str, Any]:
    """A clip's name, source and attributes."""
    return {"name": row.name, "source": row.source, "attributes": dict(row.attributes)}


def refuse_source_change(session: Session, who: Who, name: str, uses: Sequence[Use]) -> None:
    """Raise InUse if the clip is in a version with answers, or in one that the user may not see.

    The truth and conditions of its pairs depend on the source; all other versions follow it (`correct_sources`).
    """
    seen = uses_for(session, who, uses)
    versions = [
        use
        for use, shown in zip(uses, seen, strict=True)
        if use.version is not None and (shown.study == UNSEEN or is_answered(session, use.study, use.version))
    ]
    if versions:
        where = places(session, who, versions)
        raise InUse(
            f"The source of {name} cannot be changed: {where} has answers that rest on it. Upload the clip again under "
            "another name with the right source, put that one into the pairs, and save the next version; answers about "
            "the wrong one can be left out of the analysis by their pair."
        )


def _free(session: Session, who: Who, name: str, uses: Sequence[Use]) -> str:
    uses = [use for use in uses if not use.is_drawn]
    if uses:
        raise InUse(f"The name cannot be changed: {places(session, who, uses)} names the clip by it.")
    if name in names_taken(session):
        raise Conflict(f"There is a clip called {name} already; choose another name.")
    return name


@dataclass(frozen=True, slots=True)
class Deleted:
    """The files that a deleted stimulus had; a record or a text had none."""

    clip_sha256: str | None
    original_sha256: str | None


def delete_stimulus(
    session: Session, who: Who, name: str, now: datetime, *, seen: DraftUses | None = None
) -> Deleted:
    """Take a stimulus off the library, and its content with it. Raises InUse where a version or a draft names it.

    `seen` is where drafts use it, as `uses_of` has them.
    """
    return delete_stimuli(session, who, [name], now, seen=seen)[0]


def delete_stimuli(
    session: Session, who: Who, names: Sequence[str], now: datetime, *, seen: DraftUses | None = None
) -> Sequence[Deleted]:
    """Like `delete_stimulus`, for several: all of them, or none."""
    rows = [row_to_change(session, who, name) for name in names]
    uses = {
        name: [use for use in each if not use.is_drawn]
        for name, each in uses_of(session, names, seen).items()
    }
    used = [name for name in names if uses[name]]
    if used:
        more = (
            f", and so are {len(used) - 1} more of the chosen. Nothing was deleted" if len(used) > 1 else ""
        )
        where = places(session, who, uses[used[0]])
        raise InUse(f"{used[0]} is used in {where} and cannot be deleted{more}.")
    ids = [row.id for row in rows]
    session.execute(update(Upload).where(col(Upload.stimulus_id).in_(ids)).values(stimulus_id=None))
    for row in rows:
        session.delete(row)
    session.flush()
    for row in rows:
        drop_content(session, row.content_sha256)
        before = {**facts_of(row), "original_name": row.original_name, "original_sha256": row.original_sha256}
        record(session, who.actor, "stimulus.delete", now=now, subject=row.name, before=before)
    return [Deleted(row.clip_sha256, row.original_sha256) for row in rows]


def drop_content(session: Session, sha256: str | None) -> None:
    """Delete the content of a record or text if no other stimulus and no version refers to it."""
    named = select(Stimulus.id).where(Stimulus.content_sha256 == sha256)
    frozen = select(UnitMember.unit_id).where(UnitMember.sha256 == sha256)
    if not session.exec(named.limit(1)).first() and not session.exec(frozen.limit(1)).first():
        session.execute(delete(Content).where(col(Content.sha256) == sha256))


def drop_files(session: Session, store: ClipStore, deleted: Deleted) -> None:
    """Remove files that nothing refers to any more; call it after the deletion is committed. It is idempotent.

    A version keeps the clips it was saved with, even if the stimulus has been reprocessed since.
    """
    hold_library(session)
    clip, original = deleted.clip_sha256, deleted.original_sha256
    shown = select(UnitMember.unit_id).where(UnitMember.sha256 == clip)
    listed = select(Stimulus.id).where(col(Stimulus.clip_sha256) == clip)
    if clip and not session.exec(shown.limit(1)).first() and not session.exec(listed.limit(1)).first():
        _remove(store.clip_path(clip), poster_path(store.root, clip), clues_path(store.root, clip))
    kept = select(Stimulus.id).where(col(Stimulus.original_sha256) == original)
    if original and not session.exec(kept.limit(1)).first():
        _remove(*store.root.glob(f"originals/{original[:2]}/{original}*"), frame_path(store.root, original))


def _remove(*paths: Path) -> None:
    for path in paths:
        path.unlink(missing_ok=True)
