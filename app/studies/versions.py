"""Numbered, hashed versions of a study: loaded from a file, frozen by their first session."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from typing import Any

from sqlalchemy import true
from sqlmodel import Session, col, delete, select

from app.accounts.audit import COMMAND_LINE, Actor, record
from app.core.errors import Conflict
from app.library.clips.mp4 import common_size
from app.library.kinds import StimulusKind
from app.library.tables import Stimulus
from app.studies.collections import begin_collections
from app.studies.file.load import StimulusFacts, StudyDesign
from app.studies.forgetting import forget_sessions
from app.studies.queries import newest_version, study_named
from app.studies.seeing import admit, facts_where
from app.studies.tables import Draft
from app.trials.tables import (
    Mode,
    State,
    Study,
    StudyVersion,
    Unit,
    UnitMember,
)


@dataclass(frozen=True, slots=True)
class Loaded:
    """The outcome of loading a study file: `change` is `new`, `unchanged`, `replaced` (no session) or `next
    version`; `units` by task.
    """

    slug: str
    number: int
    change: str
    units: Mapping[str, int]


def stimulus_facts(session: Session) -> Mapping[str, StimulusFacts]:
    """The stimuli that study files at the command line may refer to, by name: all stored ones."""
    return facts_where(session, true())


def load_version(
    session: Session,
    design: StudyDesign,
    now: datetime,
    *,
    by: Actor = COMMAND_LINE,
    reason: str = "",
    written: str | None = None,
) -> Loaded:
    """Store a design as its study's newest version, replacing one without sessions.

    A draft of the study is dropped: the stored design now applies. The audit log keeps it. `written` is the study file,
    which may get other comments as long as it makes the same design.
    """
    refuse_mixed_processing(session, design)
    # Locked, so that two saves at once do not make two versions of one number.
    study = session.exec(select(Study).where(Study.slug == design.study).with_for_update()).first()
    if study is None:
        study = Study(slug=design.study, state=State.DRAFT, created_at=now)
        session.add(study)
        session.flush()
        _use_collections(session, study, design, now)
    newest = newest_version(session, study)
    sha256 = design.sha256()
    if newest and newest.sha256 == sha256:
        newest.written = newest.written if written is None else written
        return Loaded(design.study, newest.number, "unchanged", design.n_units)
    _refuse_another_consent(session, study, newest, design)
    if newest and newest.frozen_at is None:
        forget_sessions(session, newest.id or 0, Mode.PREVIEW)  # they store nothing that counts
        session.execute(delete(Unit).where(col(Unit.version_id) == newest.id))
        version, change = newest, "replaced"
    else:
        number = newest.number + 1 if newest else 1
        change = "next version" if newest else "new"
        version = StudyVersion(
            study_id=study.id or 0, number=number, sha256="", design="", padded_bytes=0, created_at=now
        )
    before = version.sha256 or None
    version.sha256, version.design = sha256, design.canonical_json()
    version.written = written
    version.padded_bytes = _padded_bytes(session, design)
    version.reason = (
        reason or version.reason
    )  # of a version that nobody has seen yet, the first reason stands
    version.saved_by, version.created_at = by.user_id, now
    session.add(version)
    session.flush()
    add_units(session, version, design)
    record(
        session,
        by,
        "version.save",
        now=now,
        study=study.slug,
        subject=f"version {version.number} ({change})" + (f": {reason}" if reason else ""),
        before={"sha256": before, "draft": _dropped_draft(session, study)},
        after={"sha256": sha256, "number": version.number},
    )
    return Loaded(design.study, version.number, change, design.n_units)


def _use_collections(session: Session, study: Study, design: StudyDesign, now: datetime) -> None:
    """A new study's own collection, and those of the stimuli that its design shows, else the shared ones."""
    shown = select(Stimulus.collection_id).where(col(Stimulus.name).in_(design.stimuli)).distinct()
    begin_collections(session, study.id or 0, design.title, session.exec(shown).all() or None, now)


class ConsentRenumber(Conflict):
    """The consent text changed without its version: it would be unknown who agreed to which text."""


def _refuse_another_consent(
    session: Session, study: Study, newest: StudyVersion | None, design: StudyDesign
) -> None:
    """Raise ConsentRenumber where a version that stays has another consent text under the same version of it."""
    replaced = newest.id if newest and newest.frozen_at is None else None
    kept = select(StudyVersion).where(StudyVersion.study_id == study.id, StudyVersion.id != replaced)
    designs = {
        version.number: StudyDesign.model_validate_json(version.design).consent
        for version in session.exec(kept.order_by(col(StudyVersion.number)))
    }
    ours = design.consent
    for number, consent in designs.items():
        same = (consent.text, consent.play_shown) == (ours.text, ours.play_shown)
        if consent.version == ours.version and not same:
            free = _free_consent(ours.version, {each.version for each in designs.values()})
            called = f"that of version {number}, and both are called {ours.version!r}"
            text = f"Give the text another version, such as {free!r}"
            what, words = "the consent differs in play_shown", "Whether play may be shown differs"
            if consent.text != ours.text:
                what, words = "the consent text differs", "The consent text differs"
            raise ConsentRenumber(
                f"study {study.slug!r}: {what} from {called}. {text} (consent.version).",
                on_page=f"{words} from {called}. {text}.",
            )


def _free_consent(version: str, taken: Collection[str]) -> str:
    start = int(version) + 1 if version.isascii() and version.isdigit() and len(version) < 10 else 2
    names = (str(n) if version.isdigit() else f"{version}-{n}" for n in count(start))
    return next(name for name in names if name not in taken)


def _dropped_draft(session: Session, study: Study) -> object:
    draft = session.exec(select(Draft).where(Draft.study_id == study.id)).first()
    if draft is None:
        return None
    session.delete(draft)
    session.flush()
    return draft.keys


def add_units(session: Session, version: StudyVersion, design: StudyDesign) -> None:
    """Store a design's pairs and items as the units of its version.

    Raises Conflict for a pair of a clip and itself.
    """
    clips = {s.name: s for s in session.exec(select(Stimulus).where(col(Stimulus.name).in_(design.stimuli)))}
    shown = [(block, unit) for block in design.blocks for unit in block.units()]
    for block, unit in shown:
        names = [*unit.members.values()]
        if len({*names}) < len(names):
            noun = block.noun.lower()
            raise Conflict(
                f"the {noun} {unit.name!r} shows the clip {names[0]!r} twice; a {noun} has two different clips"
            )
    units = [
        Unit(
            version_id=version.id or 0,
            position=position,
            block=block.id,
            name=unit.name,
            condition=unit.condition,
            kind=unit.kind,
            truth=unit.truth,
            item_group=unit.group,
        )
        for position, (block, unit) in enumerate(shown, start=1)
    ]
    session.add_all(units)
    session.flush()
    session.add_all(
        UnitMember(
            unit_id=unit.id or 0,
            slot=slot,
            stimulus_id=clips[name].id or 0,
            sha256=clips[name].shown_sha256,
            bytes=clips[name].clip_bytes,
            duration_s=clips[name].duration_s,
        )
        for unit, (_, spec) in zip(units, shown, strict=True)
        for slot, name in spec.members.items()
    )
    admit(session, version.study_id, (clip.id for clip in clips.values()))
    session.flush()


def refuse_mixed_processing(session: Session, design: StudyDesign) -> None:
    """Raise Conflict unless all clips of a study were processed by one set of rules: a batch's look would be a clue."""
    names = design.stimuli
    stimuli = session.exec(
        select(Stimulus)
        .where(col(Stimulus.name).in_(names), Stimulus.kind == StimulusKind.CLIP)
        .order_by(Stimulus.name)
    ).all()
    for stimulus in stimuli:
        if stimulus.rules != stimuli[0].rules:
            clips = f"the clips {stimuli[0].name!r} and {stimulus.name!r} were processed by different rules"
            raise Conflict(
                f"study {design.study!r}: {clips}; import all clips of a study with the same rules",
                on_page=f"{clips[:1].upper()}{clips[1:]}. Process all clips again under Library, Processing rules.",
            )


def _padded_bytes(session: Session, design: StudyDesign) -> int:
    """One size for all clips of the study: a byte count would be a clue."""
    names = design.stimuli
    sizes = session.exec(select(Stimulus.clip_bytes).where(col(Stimulus.name).in_(names))).all()
    of_clips = [size for size in sizes if size is not None]
    return common_size(of_clips) if of_clips else 0


def _lacks_stimuli(session: Session, version: StudyVersion) -> bool:
    """True if a unit has a stimulus that is not stored here: its answers were imported."""
    unkept = (
        select(UnitMember.unit_id)
        .join(Unit, col(Unit.id) == UnitMember.unit_id)
        .where(Unit.version_id == version.id, col(UnitMember.sha256).is_(None))
    )
    return session.exec(unkept.limit(1)).first() is not None


def set_state(
    session: Session,
    slug: str,
    state: State,
    *,
    by: Actor = COMMAND_LINE,
    now: datetime | None = None,
    noted: Mapping[str, Any] | None = None,
) -> State:
    """Set a study's state unconditionally and record it; returns the state before.

    Pages and commands use `launch.change_state`, which checks the transition. `noted` goes into the audit log with the
    state. Raises Conflict for a study without clips to show.
    """
    study_id = study_named(session, slug).id
    study = session.exec(select(Study).where(Study.id == study_id).with_for_update()).one()
    # The session may hold the row as it was before the lock.
    session.refresh(study)
    before, now = State(study.state), now or datetime.now(UTC)
    if state in (State.LIVE, State.PILOT):
        version = newest_version(session, study)
        if version is None or _lacks_stimuli(session, version):
            says = "has no clips to show (its answers were imported); it cannot be opened"
            raise Conflict.of_study(slug, says)
    if before is not state:
        study.state = state
        session.add(study)
        after = {"state": state, **(noted or {})}
        record(session, by, "study.state", now=now, study=study.slug, before={"state": before}, after=after)
        session.flush()
    return before
