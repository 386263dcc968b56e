"""A study's draft: the keys of its study file while they are being written, saved as often as they change."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from sqlalchemy import bindparam, or_
from sqlalchemy import select as select_columns
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, SQLModel, col, select

from app.accounts.audit import record
from app.accounts.logins import Who
from app.accounts.tables import AuditEntry
from app.core.errors import Conflict, NotFound, Stale, StudyError
from app.core.schema import cleaned
from app.core.statements import Hot
from app.studies.access import StudyHere, checked_slug
from app.studies.collections import begin_collections, shared_ids_seen
from app.studies.current import Current, current
from app.studies.file.comparable import drawn_as_asked
from app.studies.file.drafts import DraftCheck, check_draft, draft_of_design, with_slug
from app.studies.file.keys import tidied
from app.studies.file.load import StudyDesign
from app.studies.file.yamlpatch import WrittenFile
from app.studies.seeing import admit_named, facts_for, facts_seen
from app.studies.tables import Draft, StudyShare
from app.studies.undoing import EDIT, REPLACE, remember
from app.trials.stimuli import StimulusFacts
from app.trials.tables import State, Study, StudyVersion

MOST_CHARACTERS = 5_000_000
_DESIGN_ACTIONS = ("draft.save", "draft.replace", "draft.drop", "version.save", "version.correct")
_audit = SQLModel.metadata.tables[str(AuditEntry.__tablename__)]
# Every page of a study before its launch asks.
_LAST_CHANGE = Hot(
    select_columns(_audit.c.id)
    .where(_audit.c.study == bindparam("slug"), or_(*(_audit.c.action == one for one in _DESIGN_ACTIONS)))
    .order_by(_audit.c.id.desc())
    .limit(1)
)


class TooLargeDraft(StudyError):
    status_code = 413


@dataclass(frozen=True, slots=True)
class DraftView:
    """The design being edited. `revision` grows with each change; saving requires the revision that was seen.

    `written` is the study file that it was made from, if any.

    `saved_at` is None if nothing was changed since the newest version; `keys` are then that version's.
    """

    keys: dict[str, Any]
    revision: int
    saved_at: datetime | None = None
    saved_by: str = ""
    written: WrittenFile | None = None

    @property
    def is_unsaved(self) -> bool:
        """True if there are changes that are in no version."""
        return self.saved_at is not None

    @property
    def title(self) -> str:
        title = self.keys.get("title")
        return title if isinstance(title, str) else ""


@dataclass(frozen=True)
class DraftHere:
    """The draft of a study, or its newest version as one, with the stimuli that it may name: read once for a page.

    `row` is the study's, from which it was made.
    """

    draft: DraftView
    stimuli: Mapping[str, StimulusFacts]
    row: Current

    @cached_property
    def check(self) -> DraftCheck:
        """The faults of the draft, or the design that it makes."""
        return check_draft(self.draft.keys, self.stimuli)


def draft_here(session: Session, study: StudyHere, row: Current | None = None) -> DraftHere:
    """`row` is the study's where that was read before."""
    row = row or current(session, study)
    stimuli = facts_seen(session, study, row.author)
    return DraftHere(_view(session, study, row, stimuli), stimuli, row)


def draft_for(session: Session, study: StudyHere) -> DraftView:
    """The draft, or the newest version as one."""
    return _view(session, study, current(session, study))


def _view(
    session: Session, study: StudyHere, row: Current, stimuli: Mapping[str, StimulusFacts] | None = None
) -> DraftView:
    """`stimuli` are those that the draft may name, if they were read."""
    if row.draft is not None:
        written = WrittenFile.of(row.written)
        return DraftView(tidied(row.draft), row.revision, row.saved_at, row.email or "", written)
    revision = _last_change(session, study)
    if row.design is None:
        return DraftView({"study": study.slug}, revision)
    design = StudyDesign.model_validate_json(row.design)
    keys = draft_of_design(design, facts_seen(session, study, None) if stimuli is None else stimuli)
    return DraftView(keys, revision, written=None if row.file is None else WrittenFile(row.file, keys))


def draft_revisions(session: Session) -> Mapping[int, int]:
    """The revisions of all drafts, by study: unchanged as long as none was added, changed or removed."""
    return dict(session.exec(select(Draft.study_id, Draft.revision)).all())


def revision_now(session: Session, study: StudyHere) -> int:
    """The current revision of the draft, or the one that a new draft would start from."""
    revision = session.exec(select(Draft.revision).where(Draft.study_id == study.id)).first()
    return _last_change(session, study) if revision is None else revision


def _last_change(session: Session, study: StudyHere) -> int:
    """A number above that of any earlier draft: an old draft still open must not be saved over a newer version.

    Each save of a draft increments it and makes one audit entry, so that no revision exceeds the last entry's id.
    """
    session.flush()
    found = _LAST_CHANGE.first(session, {"slug": study.slug})
    return found.id if found else 0


def newest_number(session: Session, study: StudyHere) -> int | None:
    numbers = select(StudyVersion.number).where(StudyVersion.study_id == study.id)
    return session.exec(numbers.order_by(col(StudyVersion.number).desc()).limit(1)).first()


def keys_of_version(session: Session, study: StudyHere, number: int) -> dict[str, Any]:
    """A stored version as a draft's keys."""
    design = design_of_version(session, study, number)
    return draft_of_design(design, facts_for(session, study))


def written_of_version(
    session: Session, study: StudyHere, number: int, keys: dict[str, Any]
) -> WrittenFile | None:
    """The study file that a version was made of, if it was, with the keys that the version has as a draft."""
    text = version_row(session, study, number).written
    return None if text is None else WrittenFile(text, keys)


def design_of_version(session: Session, study: StudyHere, number: int) -> StudyDesign:
    return StudyDesign.model_validate_json(version_row(session, study, number).design)


def version_row(session: Session, study: StudyHere, number: int) -> StudyVersion:
    """A version of a study. Raises NotFound."""
    wanted = select(StudyVersion).where(StudyVersion.study_id == study.id, StudyVersion.number == number)
    version = session.exec(wanted).first() if 0 < number < 2**31 else None
    if version is None:
        raise NotFound(f"Study {study.slug} has no version {number}.")
    return version


def check_of(session: Session, study: StudyHere, keys: Mapping[str, Any]) -> DraftCheck:
    """Check a draft against the clips that the study may use."""
    return check_draft(dict(keys), facts_for(session, study))


def check_stored(session: Session, study: StudyHere) -> DraftCheck:
    """Check a study's stored draft."""
    return draft_here(session, study).check


def save_draft(
    session: Session,
    who: Who,
    study: StudyHere,
    keys: Mapping[str, Any],
    revision: int,
    now: datetime,
    *,
    replaces: str = "",
    written: WrittenFile | None = None,
    seen: DraftView | None = None,
    kind: str = EDIT,
) -> int:
    """Store a draft; returns the new revision. Raises Conflict if someone else saved since `revision`.

    `kind` is what is kept of it among the last changes. `replaces` names the origin of a draft that was not typed, for
    the audit log: `from version 2`; `written` is its study file. `seen` is the draft as read before; otherwise it is
    read here. Raises Stale if it has changed.
    """
    was = hold_draft(session, study, revision, seen)
    new = drawn_as_asked(was.keys, storable(keys, study.slug))
    file, kind = (written, REPLACE) if replaces else (was.written, kind)
    if new == was.keys and file == was.written and kind in (EDIT, REPLACE):
        return revision
    draft = session.exec(select(Draft).where(Draft.study_id == study.id)).first()
    if draft is None:
        draft = Draft(study_id=study.id, keys={}, revision=0, saved_at=now)
    draft.keys, draft.revision, draft.saved_by, draft.saved_at = new, revision + 1, who.user_id, now
    draft.written = _stored(file)
    session.add(draft)
    admit_named(session, who, study.id, new)
    remember(session, study.id, was.keys, new, (revision, draft.revision), who.user_id, now, kind)
    changed = sorted(key for key in {*was.keys, *new} if was.keys.get(key) != new.get(key))
    record(
        session,
        who.actor,
        "draft.replace" if replaces else "draft.save",
        now=now,
        study=study.slug,
        subject=replaces or ", ".join(changed),
        before={key: was.keys.get(key) for key in changed},
        after={key: new.get(key) for key in changed},
    )
    return draft.revision


def _stored(written: WrittenFile | None) -> dict[str, Any] | None:
    return None if written is None else cleaned(written.stored)


def hold_draft(
    session: Session, study: StudyHere, revision: int | None, seen: DraftView | None = None
) -> DraftView:
    """The draft, kept from changing until the end of the transaction; `seen` if it was read before.

    Raises Conflict where it is another than `revision`, Stale where it is another than `seen`.
    """
    session.exec(select(Study.id).where(Study.id == study.id).with_for_update()).one()
    if seen is not None and seen.revision != revision_now(session, study):
        raise Stale
    was = seen or draft_for(session, study)
    if revision is not None and was.revision != revision:
        raise Conflict(
            f"{was.saved_by or 'Someone'} changed this design since you opened it. "
            "Reload the page to see their changes; yours are still in this window."
        )
    return was


def storable(keys: Mapping[str, Any], slug: str) -> dict[str, Any]:
    """A draft's keys as they are kept: the study's own name, and text that every database takes.

    Raises UnwieldyDraft, TooLargeDraft.
    """
    kept: dict[str, Any] = cleaned(with_slug(keys, slug))
    if len(json.dumps(kept, ensure_ascii=False)) > MOST_CHARACTERS:
        raise TooLargeDraft(f"A design has at most {MOST_CHARACTERS // 1_000_000} million characters.")
    return kept


def replace_draft(
    session: Session,
    who: Who,
    study: StudyHere,
    keys: Mapping[str, Any],
    source: str,
    now: datetime,
    *,
    written: WrittenFile | None = None,
    seen: DraftView | None = None,
) -> int:
    """Put other keys in the draft's place, from where `source` says; the audit log keeps those before.

    `written` and `seen` are as `save_draft` has them.
    """
    was, replaces = hold_draft(session, study, None, seen), f"from {source}"
    return save_draft(
        session, who, study, keys, was.revision, now, replaces=replaces, written=written, seen=was
    )


def drop_draft(
    session: Session,
    who: Who,
    study: StudyHere,
    now: datetime,
    *,
    revision: int | None = None,
    seen: DraftView | None = None,
    newest: Mapping[str, Any] | None = None,
    kind: str = REPLACE,
) -> None:
    """Discard the draft for the newest version, which can be undone. The audit log keeps its content.

    `seen` is as in `save_draft`; `newest` are the keys of that version as read before, otherwise they are read here.
    """
    was = hold_draft(session, study, revision, seen)
    draft = session.exec(select(Draft).where(Draft.study_id == study.id)).first()
    number = newest_number(session, study)
    if draft is None or number is None:
        raise Conflict("There are no unsaved changes to give up.")
    record(session, who.actor, "draft.drop", now=now, study=study.slug, before=draft.keys)
    session.delete(draft)
    session.flush()
    keys = keys_of_version(session, study, number) if newest is None else newest
    remember_version(session, who, study, was, keys, now, kind)


def remember_version(
    session: Session,
    who: Who,
    study: StudyHere,
    was: DraftView,
    keys: Mapping[str, Any],
    now: datetime,
    kind: str,
) -> None:
    """Keep the step from a draft to the version in its place, so that changes of before it can still be undone."""
    revisions = was.revision, revision_now(session, study)
    remember(session, study.id, was.keys, keys, revisions, who.user_id, now, kind)


def is_frozen(session: Session, study: StudyHere, number: int) -> bool:
    """True if counted sessions used this version, so that a change makes the next one."""
    return version_row(session, study, number).frozen_at is not None


def create_study(
    session: Session,
    who: Who,
    slug: str,
    keys: Mapping[str, Any],
    now: datetime,
    written: WrittenFile | None = None,
    collections: Sequence[int] | None = None,
) -> StudyHere:
    """A new study with a draft and no version yet, shared with its maker. Default: all shared `collections` seen.

    Raises BadSlug; Conflict for a slug taken."""
    kept = storable(keys, slug := checked_slug(slug))
    study = Study(slug=slug, state=State.DRAFT, created_at=now)
    session.add(study)
    try:
        session.flush()
    except IntegrityError:
        raise Conflict(f"There is a study {slug!r} already; choose another name.") from None
    study_id = study.id or 0
    session.add(
        Draft(study_id=study_id, keys=kept, written=_stored(written), saved_by=who.user_id, saved_at=now)
    )
    session.add(StudyShare(study_id=study_id, user_id=who.user_id))
    used = shared_ids_seen(session, who) if collections is None else collections
    begin_collections(session, study_id, str(kept.get("title") or ""), used, now, who.user_id)
    admit_named(session, who, study_id, kept)
    record(session, who.actor, "study.create", now=now, study=slug, after=kept)
    return StudyHere(study_id, slug, State.DRAFT)
