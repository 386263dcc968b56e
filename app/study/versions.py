"""Numbered, hashed versions of a study: loaded from a file, frozen by their first session."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session, col, delete, func, select, update

from app.clips.mp4 import common_size
from app.errors import Conflict, NotFound
from app.study.file.load import StimulusFacts, StudyDesign
from app.study.tables import Pair, ParticipantSession, State, Stimulus, Study, StudyVersion


@dataclass(frozen=True, slots=True)
class Loaded:
    """What loading a study file did: `change` is `new`, `unchanged`, `replaced` (no session yet) or `next version`."""

    slug: str
    number: int
    change: str
    n_pairs: int


def stimulus_facts(session: Session) -> Mapping[str, StimulusFacts]:
    """What study files may refer to, by name: every stimulus whose clip is in the store."""
    stimuli = session.exec(select(Stimulus).where(col(Stimulus.clip_sha256).is_not(None)))
    return {
        s.name: StimulusFacts(
            name=s.name, source=s.source, attributes=s.attributes, clip_sha256=s.clip_sha256 or ""
        )
        for s in stimuli
    }


def load_version(session: Session, design: StudyDesign, now: datetime) -> Loaded:
    """Store a design as its study's newest version, replacing one that no session has seen."""
    refuse_mixed_processing(session, design)
    study = session.exec(select(Study).where(Study.slug == design.study).with_for_update()).first()
    if study is None:
        study = Study(slug=design.study, state=State.DRAFT, created_at=now)
        session.add(study)
        session.flush()
    newest = newest_version(session, study)
    sha256 = design.sha256()
    if newest and newest.sha256 == sha256:
        return Loaded(design.study, newest.number, "unchanged", len(design.pairs))
    if newest and newest.frozen_at is None:
        session.execute(delete(Pair).where(col(Pair.version_id) == newest.id))
        version, change = newest, "replaced"
    else:
        number = newest.number + 1 if newest else 1
        change = "next version" if newest else "new"
        version = StudyVersion(
            study_id=study.id or 0, number=number, sha256="", design="", padded_bytes=0, created_at=now
        )
    version.sha256, version.design = sha256, design.canonical_json()
    version.padded_bytes = _padded_bytes(session, design)
    session.add(version)
    session.flush()
    add_pairs(session, version, design)
    return Loaded(design.study, version.number, change, len(design.pairs))


def add_pairs(session: Session, version: StudyVersion, design: StudyDesign) -> None:
    names = {name for pair in design.pairs for name in (pair.a, pair.b)}
    ids = dict(session.exec(select(Stimulus.name, Stimulus.id).where(col(Stimulus.name).in_(names))).all())
    session.add_all(
        Pair(
            version_id=version.id or 0,
            name=pair.id,
            position=position,
            condition=pair.condition,
            kind=pair.kind,
            stimulus_a_id=ids[pair.a] or 0,
            stimulus_b_id=ids[pair.b] or 0,
            truth=pair.truth,
        )
        for position, pair in enumerate(design.pairs, start=1)
    )
    session.flush()


def refuse_mixed_processing(session: Session, design: StudyDesign) -> None:
    """Raise Conflict unless all clips of a study were processed by one set of rules: a batch's look would be a clue."""
    names = {name for pair in design.pairs for name in (pair.a, pair.b)}
    stimuli = session.exec(
        select(Stimulus).where(col(Stimulus.name).in_(names)).order_by(Stimulus.name)
    ).all()
    for stimulus in stimuli:
        if stimulus.rules != stimuli[0].rules:
            raise Conflict(
                f"study {design.study!r}: the clips {stimuli[0].name!r} and {stimulus.name!r} were processed by "
                "different rules; import all clips of a study with the same rules"
            )


def _padded_bytes(session: Session, design: StudyDesign) -> int:
    """One size for all clips of the study: a byte count would be a clue."""
    names = {name for pair in design.pairs for name in (pair.a, pair.b)}
    sizes = session.exec(select(Stimulus.clip_bytes).where(col(Stimulus.name).in_(names))).all()
    return common_size(size for size in sizes if size is not None) if sizes else 0


def newest_version(session: Session, study: Study) -> StudyVersion | None:
    newest = col(StudyVersion.number).desc()
    return session.exec(
        select(StudyVersion).where(StudyVersion.study_id == study.id).order_by(newest).limit(1)
    ).first()


def study_named(session: Session, slug: str) -> Study:
    slug = slug.encode("utf-8", "replace").decode()
    study = session.exec(select(Study).where(Study.slug == slug)).first()
    if study is None:
        known = session.exec(select(Study.slug).order_by(Study.slug)).all()
        raise NotFound(f"there is no study {slug!r}; there is {', '.join(known) or 'none yet'}")
    return study


def set_state(session: Session, slug: str, state: State) -> None:
    """Open, pause or close a study. A closed one can be opened again."""
    study = study_named(session, slug)
    if state is State.LIVE:
        version = newest_version(session, study)
        if version is None or not version.padded_bytes:
            raise Conflict(
                f"study {slug!r} has no clips to show (its answers were imported); it cannot be opened"
            )
    session.execute(update(Study).where(col(Study.id) == study.id).values(state=state))


@dataclass(frozen=True, slots=True)
class StudySummary:
    """One study for a list: sessions are counted per status, over all modes and versions."""

    slug: str
    state: str
    version: int
    n_pairs: int
    sessions: Mapping[tuple[str, str], int]


def summaries(session: Session) -> list[StudySummary]:
    """Every study with its newest version and sessions by (mode, status)."""
    result = []
    for study in session.exec(select(Study).order_by(Study.slug)):
        version = newest_version(session, study)
        counts = session.exec(
            select(ParticipantSession.mode, ParticipantSession.status, func.count())
            .join(StudyVersion, col(StudyVersion.id) == ParticipantSession.version_id)
            .where(StudyVersion.study_id == study.id)
            .group_by(ParticipantSession.mode, ParticipantSession.status)
        )
        n_pairs = session.exec(
            select(func.count()).select_from(Pair).where(Pair.version_id == (version.id if version else None))
        ).one()
        result.append(
            StudySummary(
                study.slug,
                study.state,
                version.number if version else 0,
                n_pairs,
                {(mode, status): n for mode, status, n in counts},
            )
        )
    return result
