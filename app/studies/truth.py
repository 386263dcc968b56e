"""The true source of a study: setting it, and correcting it while no answer counts.

A correction applies to the draft and the newest version as long as that version has no answers from a live or pilot
session. Afterwards a version is unchanged, and the correction applies from the next one on.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlmodel import Session, col, select

from app.accounts.audit import record
from app.accounts.logins import Who
from app.core.database import Database
from app.core.errors import Stale, StudyError
from app.core.problems import listed, quoted
from app.library.tables import Stimulus
from app.studies.access import StudyHere
from app.studies.drafts import (
    DraftView,
    draft_for,
    draft_revisions,
    hold_draft,
    newest_number,
    revision_now,
    save_draft,
)
from app.studies.file.design import DesignTruth, StudyDesign
from app.studies.seeing import facts_for
from app.studies.tables import Draft
from app.tasks.registry import BLOCKS, SHORT
from app.trials.responses import Response
from app.trials.stimuli import HUMAN, NO_SOURCE, Sources, StimulusFacts, true_source_of
from app.trials.tables import Mode, ParticipantSession, State, Study, StudyVersion, Unit, UnitMember

Stimuli = Mapping[str, StimulusFacts]
_COUNTS = (Mode.LIVE, Mode.PILOT)


class BadTruth(StudyError):
    """A true source that no clip is of."""

    status_code = 422


@dataclass(frozen=True, slots=True)
class Corrected:
    """The draft's revision, and the version that a correction reached (None: the draft alone).

    `kept` is the newest version with answers that count, which stays as it was; None where there is none.
    """

    revision: int
    version: int | None
    kept: int | None


async def say_truth(
    database: Database, who: Who, study: StudyHere, source: str, revision: int | None, now: datetime
) -> Corrected:
    """Like `set_truth`, with the draft's list read beforehand."""
    return await database.prepare_and_write(
        lambda session: draft_with_truth(session, who, study, source),
        lambda session, seen: set_truth(session, who, study, source, revision, now, seen=seen),
    )


@dataclass(frozen=True, slots=True)
class WithTruth:
    """A draft, and its keys with another true source."""

    draft: DraftView
    keys: Mapping[str, Any]


def draft_with_truth(session: Session, who: Who, study: StudyHere, source: str) -> WithTruth:
    """A study's draft with another true source. Raises BadTruth."""
    source, stimuli = source.strip(), facts_for(session, study)
    seen = facts_for(session, study, who).values()
    known = sorted({clip.source for clip in seen})
    if source not in (NO_SOURCE, *known):
        offered = sorted({clip.source for clip in seen if clip.is_own}) or known
        raise BadTruth(f"No clip is of the source {quoted(source)}; choose {listed([*offered, NO_SOURCE])}.")
    draft = draft_for(session, study)
    return WithTruth(draft, with_truth(draft.keys, source, stimuli))


def set_truth(
    session: Session,
    who: Who,
    study: StudyHere,
    source: str,
    revision: int | None,
    now: datetime,
    *,
    seen: WithTruth | None = None,
) -> Corrected:
    """Set the true source, `none` if no answer is right. Raises BadTruth; Conflict as `save_draft`.

    `seen` is the changed draft; otherwise it is computed here. Raises Stale if the draft has changed.
    """
    source, seen = source.strip(), seen or draft_with_truth(session, who, study, source)
    was, new = hold_draft(session, study, revision, seen.draft), seen.keys
    reached = None
    version = correctable(session, study)
    if version is not None:
        correct_version(session, who, study, version, lambda design: _with_source(design, source), now)
        reached = version.number
    if version is None or was.is_unsaved:
        save_draft(session, who, study, new, was.revision, now, seen=was)
    newest = newest_number(session, study)
    kept = newest if version is None else None
    return Corrected(revision_now(session, study), reached, kept)


def correctable(session: Session, study: StudyHere) -> StudyVersion | None:
    """The newest version, if it has no counted answers."""
    newest = col(StudyVersion.number).desc()
    versions = select(StudyVersion).where(StudyVersion.study_id == study.id).order_by(newest).limit(1)
    version = session.exec(versions).first()
    return version if version is not None and not has_answers(session, version.id or 0) else None


def has_answers(session: Session, version_id: int) -> bool:
    """True if a version has answers from a live or pilot session."""
    counting = select(ParticipantSession.id).where(
        ParticipantSession.version_id == version_id, col(ParticipantSession.mode).in_(_COUNTS)
    )
    answers = select(Response.id).where(col(Response.session_id).in_(counting))
    return session.exec(answers.limit(1)).first() is not None


def correct_version(
    session: Session,
    who: Who,
    study: StudyHere,
    version: StudyVersion,
    correct: Callable[[StudyDesign], StudyDesign],
    now: datetime,
) -> None:
    """Change sources, conditions and truths of a version that no answer rests on, in its design and its units."""
    before = StudyDesign.model_validate_json(version.design)
    after = correct(before)
    if after == before:
        return
    sha256 = version.sha256
    version.sha256, version.design = after.sha256(), after.canonical_json()
    session.add(version)
    rows = {row.name: row for row in session.exec(select(Unit).where(Unit.version_id == version.id))}
    changed = [new for was, new in zip(before.blocks, after.blocks, strict=True) if new != was]
    for unit in (unit for block in changed for unit in block.units()):
        rows[unit.name].truth, rows[unit.name].condition = unit.truth, unit.condition
    session.add_all(rows.values())
    record(
        session,
        who.actor,
        "version.correct",
        now=now,
        study=study.slug,
        subject=f"version {version.number}",
        before={"sha256": sha256, "truth": before.truth.source},
        after={"sha256": version.sha256, "truth": after.truth.source},
    )
    session.flush()


def _with_source(design: StudyDesign, source: str) -> StudyDesign:
    old = design.truth.source
    after = design.with_blocks(lambda block: block.with_true_source(old, source))
    return after.model_copy(update={"truth": DesignTruth(source=source)})


# Drafts


def with_truth(keys: Mapping[str, Any], source: str, stimuli: Stimuli) -> dict[str, Any]:
    """A draft's keys with another true source; what its list says only because of the sources follows."""
    old = true_source_of(keys)
    changed = {**keys, "truth": {"source": source}}
    if source == HUMAN:
        del changed["truth"]
    return _corrected(changed, Sources(stimuli, stimuli, old, source))


def with_source(keys: Mapping[str, Any], before: Stimuli, after: Stimuli) -> dict[str, Any]:
    """A draft's keys after a clip's source was put right."""
    true_source = true_source_of(keys)
    return _corrected(dict(keys), Sources(before, after, true_source, true_source))


def _corrected(keys: dict[str, Any], change: Sources) -> dict[str, Any]:
    """A draft's keys, and those of each of its blocks, with what follows from a correction."""
    if isinstance(blocks := keys.get("blocks"), list):
        keys = {**keys, "blocks": [_corrected_block(block, change) for block in blocks]}
    return SHORT.corrected(keys, change)


def _corrected_block(block: Any, change: Sources) -> Any:
    model = BLOCKS.get(str(block.get("task"))) if isinstance(block, dict) else None
    return model.corrected(block, change) if model else block


def is_answered(session: Session, slug: str, number: int) -> bool:
    """True if a version of a study has answers from a live or pilot session."""
    of_study = select(StudyVersion.id).join(Study, col(Study.id) == StudyVersion.study_id)
    version = session.exec(of_study.where(Study.slug == slug, StudyVersion.number == number)).first()
    return version is not None and has_answers(session, version)


@dataclass(frozen=True, slots=True)
class CorrectedDrafts:
    """Drafts changed by new `sources` of clips, by name: `keys` of the changed ones, by study.

    `revisions` are those of all drafts that were read.
    """

    sources: Mapping[str, str]
    revisions: Mapping[int, int]
    keys: Mapping[int, dict[str, Any]]


def drafts_with_sources(session: Session, sources: Mapping[str, str]) -> CorrectedDrafts:
    """Every draft's list with other sources of clips."""
    keys: dict[int, dict[str, Any]] = {}
    drafts = select(Draft, Study).join(Study, col(Study.id) == Draft.study_id)
    for draft, study in session.exec(drafts).all() if sources else ():
        before = facts_for(session, StudyHere(study.id or 0, study.slug, State(study.state)))
        changed = {name: replace(before[name], source=sources[name]) for name in before.keys() & sources}
        new = with_source(draft.keys, before, {**before, **changed})
        if new != draft.keys:
            keys[draft.study_id] = new
    return CorrectedDrafts(sources, draft_revisions(session), keys)


def correct_sources(
    session: Session,
    who: Who,
    sources: Mapping[str, str],
    now: datetime,
    drafts: CorrectedDrafts | None = None,
) -> None:
    """Update versions without counted answers, and drafts, for clips whose sources change, by name.

    Call it before the clips themselves are changed, and after versions with answers were refused. `drafts` were
    corrected before; otherwise they are corrected here. Raises Stale if one, or the change, is not the same.
    """
    drafts = drafts or drafts_with_sources(session, sources)
    if drafts.sources != sources or drafts.revisions != draft_revisions(session):
        raise Stale
    clip = select(Stimulus.id).where(col(Stimulus.name).in_(list(sources)))
    shown = (
        select(Unit.version_id)
        .join(UnitMember, col(UnitMember.unit_id) == Unit.id)
        .where(col(UnitMember.stimulus_id).in_(clip))
    )
    versions = select(StudyVersion, Study).join(Study, col(Study.id) == StudyVersion.study_id)
    for version, study in session.exec(versions.where(col(StudyVersion.id).in_(shown))).all():
        here = StudyHere(study.id or 0, study.slug, State(study.state))
        correct_version(session, who, here, version, lambda design: _with_sources(design, sources), now)
    for draft in session.exec(select(Draft).where(col(Draft.study_id).in_(list(drafts.keys)))):
        draft.keys, draft.revision = drafts.keys[draft.study_id], draft.revision + 1
        session.add(draft)


def _with_sources(design: StudyDesign, sources: Mapping[str, str]) -> StudyDesign:
    return design.with_blocks(lambda block: block.with_sources(sources, design.truth.source))
