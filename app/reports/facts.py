"""Facts about a study other than its answers: its versions, and sessions by status."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from sqlmodel import Session, col, func, select

from app.core.errors import Conflict
from app.reports.kinds import table_names
from app.studies.file.design import StudyDesign
from app.studies.leaks import leaks_of
from app.studies.queries import study_named
from app.studies.registering import Commitment, commitment
from app.tasks.game.settings import GameDesign
from app.tasks.listed import TASKS
from app.tasks.pair.settings import PairDesign
from app.tasks.rating.settings import RatingDesign
from app.tasks.walk.settings import WalkDesign
from app.trials.leaks import BlockLeaks
from app.trials.responses import Response
from app.trials.tables import Mode, ParticipantSession, Study, StudyVersion

COUNTED_MODES = tuple(map(str, (Mode.LIVE, Mode.SIMULATED, Mode.PILOT)))
"""In the order in which the first one that has anything is taken, unless one is asked for."""


@dataclass(frozen=True, slots=True)
class VersionFacts:
    """One version of a study; `canonical` is its design as it was hashed."""

    number: int
    sha256: str
    reason: str
    created_at: datetime
    frozen_at: datetime | None
    canonical: str
    design: StudyDesign


@dataclass(frozen=True, slots=True)
class StudyFacts:
    """A study with its versions in order; `sessions` counts them by mode and status, previews left out.

    `leaks` are the clues in the records and texts of the newest version, `held` what it is held to, if
    it is registered."""

    slug: str
    versions: tuple[VersionFacts, ...]
    sessions: Mapping[tuple[str, str], int]
    leaks: tuple[BlockLeaks, ...] = ()
    held: Commitment | None = None

    @property
    def title(self) -> str:
        return self.versions[-1].design.title if self.versions else self.slug

    @property
    def has_pairs(self) -> bool:
        """True if any version shows pairs."""
        return any(version.design.blocks_of(PairDesign) for version in self.versions)

    @property
    def has_ratings(self) -> bool:
        """True if any version has items to rate."""
        return any(version.design.blocks_of(RatingDesign) for version in self.versions)


def study_facts(session: Session, slug: str) -> StudyFacts:
    """Raises NotFound for an unknown study."""
    study = study_named(session, slug)
    versions = session.exec(
        select(StudyVersion).where(StudyVersion.study_id == study.id).order_by(col(StudyVersion.number))
    )
    counts = session.exec(
        select(ParticipantSession.mode, ParticipantSession.status, func.count())
        .join(StudyVersion, col(StudyVersion.id) == ParticipantSession.version_id)
        .where(StudyVersion.study_id == study.id, col(ParticipantSession.mode).in_(COUNTED_MODES))
        .group_by(ParticipantSession.mode, ParticipantSession.status)
        .order_by(ParticipantSession.mode, ParticipantSession.status)
    )
    kept = tuple(_version(version) for version in versions)
    return StudyFacts(
        slug=study.slug,
        versions=kept,
        leaks=leaks_of(session, kept[-1].design) if kept else (),
        held=commitment(session, study.id or 0, [(one.number, one.design) for one in kept]) if kept else None,
        sessions={(mode, status): n for mode, status, n in counts},
    )


def answered_trials(session: Session, slug: str) -> Mapping[str, int]:
    """The number of answered trials of a study, by mode; of any task."""
    counts = session.exec(
        select(ParticipantSession.mode, func.count(col(Response.trial_id)))
        .join(Response, col(Response.session_id) == ParticipantSession.id)
        .join(StudyVersion, col(StudyVersion.id) == ParticipantSession.version_id)
        .join(Study, col(Study.id) == StudyVersion.study_id)
        .where(Study.slug == slug)
        .group_by(ParticipantSession.mode)
    )
    return dict(counts.all())


def designs_of(session: Session, slug: str) -> dict[int, StudyDesign]:
    """A study's designs by their versions, the first version first."""
    of_study = (
        select(StudyVersion.number, StudyVersion.design)
        .join(Study, col(Study.id) == StudyVersion.study_id)
        .where(Study.slug == slug)
        .order_by(col(StudyVersion.number))
    )
    return {number: StudyDesign.model_validate_json(design) for number, design in session.exec(of_study)}


def tables_of(designs: Iterable[StudyDesign]) -> tuple[str, ...]:
    """The tables that a study with these designs can have rows for; without any design, those of pairs."""
    there = {block.task for design in designs for block in design.blocks} or {"pair"}
    others = {name for task, named in TASKS.items() if task not in there for name in named.tables}
    return tuple(name for name in table_names() if name not in others)


def play_alone(session: Session, slug: str) -> Literal["matches", "walks", ""]:
    """The kind of a study without pairs and items: only matches, walks (with or without matches), or neither."""
    designs = designs_of(session, slug).values()
    if not designs:
        return ""
    if all(len(design.blocks_of(GameDesign)) == len(design.blocks) for design in designs):
        return "matches"
    played = (
        len(design.blocks_of(GameDesign) + design.blocks_of(WalkDesign)) == len(design.blocks)
        for design in designs
    )
    return "walks" if all(played) else ""


def refuse_play_alone(session: Session, slug: str) -> None:
    """Raises Conflict for a study of matches or walks alone, saying where its numbers are."""
    what = play_alone(session, slug)
    if what == "matches":
        raise Conflict(
            f"{slug} is a study of matches: export them with `likely-human export {slug} --what moves --out moves.csv` "
            f"(and seats_played), then `likely-human game metrics moves.csv` has their numbers; "
            f"`likely-human signatures {slug}` says how each source plays, against people"
        )
    if what == "walks":
        raise Conflict(
            f"{slug} is a study of walks: export them with `likely-human export {slug} --what walks --out walks.csv` "
            "(and positions), or make clips of them, to be judged in another study: `likely-human stimuli walks "
            f"{slug} --out walks`"
        )


def _version(version: StudyVersion) -> VersionFacts:
    return VersionFacts(
        number=version.number,
        sha256=version.sha256,
        reason=version.reason,
        created_at=version.created_at.astimezone(UTC),
        frozen_at=version.frozen_at and version.frozen_at.astimezone(UTC),
        canonical=version.design,
        design=StudyDesign.model_validate_json(version.design),
    )
