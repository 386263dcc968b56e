"""A study's draft saved as a version: checked, with a reason where there are data."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlmodel import Session, col, select

from app.accounts.logins import Who
from app.core.errors import Conflict, Stale, StudyError
from app.core.schema import clean
from app.studies.access import StudyHere
from app.studies.drafts import (
    DraftView,
    draft_for,
    drop_draft,
    hold_draft,
    newest_number,
    remember_version,
    version_row,
)
from app.studies.file.drafts import DraftCheck, check_draft, draft_of_design
from app.studies.file.templates import unfilled
from app.studies.file.yamlpatch import file_of_version
from app.studies.seeing import facts_for
from app.studies.undoing import SAVE
from app.studies.versions import Loaded, load_version
from app.trials.stimuli import StimulusFacts
from app.trials.tables import State, Study, StudyVersion

LONGEST_REASON = 2_000


class InvalidDraft(StudyError):
    """A draft that cannot become a version; `check.faults` has every fault."""

    status_code = 422

    def __init__(self, check: DraftCheck) -> None:
        first = check.faults[0]
        more = f", and {len(check.faults) - 1} more" if len(check.faults) > 1 else ""
        super().__init__(f"The design has errors to correct first: {first.message} ({first.remedy}){more}.")
        self.check = check


class ReasonDue(StudyError):
    """A new version of a design with data needs a reason for the change."""

    status_code = 422


@dataclass(frozen=True, slots=True)
class Checked:
    """A draft with its faults, as checked against the stimuli at the time, the file to store with it, and the keys that
    it has as a version.
    """

    draft: DraftView
    stimuli: Mapping[str, StimulusFacts]
    check: DraftCheck
    file: str | None
    keys: Mapping[str, Any]


def checked_draft(session: Session, study: StudyHere) -> Checked:
    """A study's draft, checked: what `save_version` rests on."""
    draft, stimuli = draft_for(session, study), facts_for(session, study)
    check = check_draft(dict(draft.keys), stimuli)
    if check.design is None:
        return Checked(draft, stimuli, check, None, {})
    file = file_of_version(check.design, draft.keys, draft.written, stimuli)
    return Checked(draft, stimuli, check, file, draft_of_design(check.design, stimuli))


def save_version(
    session: Session,
    who: Who,
    study: StudyHere,
    reason: str,
    now: datetime,
    *,
    revision: int | None = None,
    seen: Checked | None = None,
) -> Loaded:
    """Make the draft the study's newest version. Raises InvalidDraft, ReasonDue, and Conflict as `save_draft` does.

    A draft with exactly the newest version's design is dropped, as there is nothing to save. `seen` is the draft as
    checked before; otherwise it is checked here. Raises Stale if it, or a stimulus, has changed.
    """
    draft = hold_draft(session, study, revision, seen.draft if seen else None)
    if seen is not None and seen.stimuli != facts_for(session, study):
        raise Stale
    checked = seen or checked_draft(session, study)
    check = checked.check
    if check.design is None:
        raise InvalidDraft(check)
    newest = newest_number(session, study)
    if newest is not None and version_row(session, study, newest).sha256 == check.design.sha256():
        if checked.file is not None:
            version_row(session, study, newest).written = checked.file
        if draft.is_unsaved:
            drop_draft(session, who, study, now, seen=draft, newest=checked.keys, kind=SAVE)
        return Loaded(study.slug, newest, "unchanged", check.design.n_units)
    _refuse_unfilled_while_open(session, study, draft.keys)
    kept = clean(reason).strip()[:LONGEST_REASON]
    if not kept and needs_reason(session, study):
        raise ReasonDue(
            f"Version {_shown(session, study)} has data: give a short reason for the change, for readers of "
            "the data."
        )
    saved = load_version(session, check.design, now, by=who.actor, reason=kept, written=checked.file)
    remember_version(session, who, study, draft, checked.keys, now, SAVE)
    return saved


def _refuse_unfilled_while_open(session: Session, study: StudyHere, keys: Mapping[str, Any]) -> None:
    """Refuse placeholders while the study is open: participants get the version at once, without the checklist."""
    state = session.exec(select(Study.state).where(Study.id == study.id)).one()
    if state in (State.PILOT, State.LIVE) and (left := unfilled(keys)):
        raise Conflict(
            f"Participants would see this version at once, and {left[0].text} is still to be filled in. "
            "Fill it in, or pause the study first."
        )


def needs_reason(session: Session, study: StudyHere) -> bool:
    """True if a change needs a reason: there are data, and the newest version has no reason yet."""
    versions = select(StudyVersion).where(StudyVersion.study_id == study.id)
    found = session.exec(versions.order_by(col(StudyVersion.number).desc())).all()
    if not any(version.frozen_at for version in found):
        return False
    return found[0].frozen_at is not None or not found[0].reason


def _shown(session: Session, study: StudyHere) -> int:
    """The newest version that has sessions."""
    frozen = select(StudyVersion.number).where(
        StudyVersion.study_id == study.id, col(StudyVersion.frozen_at).is_not(None)
    )
    return max(session.exec(frozen), default=0)
