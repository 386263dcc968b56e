"""Facts about a study other than its answers: its versions, and the flow of its sessions."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlmodel import Session, col, select

from analysis.data.flow import Flow
from app.reports.flow import flows_of
from app.studies.file.design import StudyDesign
from app.studies.leaks import leaks_of
from app.studies.queries import study_named
from app.studies.registering import Commitment, commitment
from app.tasks.pair.settings import PairDesign
from app.tasks.rating.settings import RatingDesign
from app.trials.leaks import BlockLeaks
from app.trials.tables import StudyVersion


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
    """A study with its versions in order, and the flow of its sessions by mode, previews left out.

    `leaks` are the clues in the records and texts of the newest version, `held` what it is held to, if
    it is registered."""

    slug: str
    versions: tuple[VersionFacts, ...]
    flows: Mapping[str, Flow]
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
    kept = tuple(_version(version) for version in versions)
    return StudyFacts(
        slug=study.slug,
        versions=kept,
        leaks=leaks_of(session, kept[-1].design) if kept else (),
        held=commitment(session, study.id or 0, [(one.number, one.design) for one in kept]) if kept else None,
        flows=flows_of(session, slug),
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
