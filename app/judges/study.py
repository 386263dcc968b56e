"""What of a study is judged: the main pairs of one version, with the clips that its participants saw."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from app.clips.store import ClipStore
from app.errors import Conflict, NotFound, StudyError
from app.judges.base import JudgeInfo, Needs, StimulusFiles
from app.judges.registry import JUDGES
from app.judges.runner import PairToJudge
from app.study.design import Kind
from app.study.file.design import StudyDesign
from app.study.tables import Mode, Pair, ParticipantSession, Stimulus, Study, StudyVersion
from app.study.versions import study_named


@dataclass(frozen=True, slots=True)
class StudyPairs:
    """The pairs of one version of a study, in its order."""

    slug: str
    number: int
    pairs: Sequence[PairToJudge]


def pairs_to_judge(session: Session, slug: str, store: ClipStore, number: int | None = None) -> StudyPairs:
    """The main pairs of a version: the one asked for, else the newest that people have seen, else the newest.

    Raises NotFound for an unknown study or version, Conflict for one without main pairs or without clips.
    """
    study = study_named(session, slug)
    version = _chosen(session, _versions(session, study), slug, number)
    design = StudyDesign.model_validate_json(version.design)
    question = next((q.ask for q in design.trials.questions if q.type == "2afc"), design.title)
    pairs = _pairs(session, version, slug, question, store)
    if not pairs:
        raise Conflict(f"version {version.number} of {slug!r} has no main pairs to judge")
    if all(files.clip is None for pair in pairs for files in (pair.a, pair.b)):
        raise Conflict(f"study {slug!r} has no clips (its answers were imported): there is nothing to judge")
    return StudyPairs(slug, version.number, pairs)


def main_pairs(session: Session, slug: str) -> list[dict[str, str | None]]:
    """What is known of the main pairs of the version that is judged (`PAIR_COLUMNS`); none of a study without one."""
    study = study_named(session, slug)
    versions = _versions(session, study)
    if not versions:
        return []
    rows = _main_pairs(session, _chosen(session, versions, slug, None))
    return [
        {
            "study": slug,
            "pair": pair.name,
            "condition": pair.condition,
            "stimulus_a": first.name,
            "stimulus_b": second.name,
            "source_a": first.source,
            "source_b": second.source,
            "truth": pair.truth,
        }
        for pair, first, second in rows
    ]


def pairs_of_studies(session: Session, targets: Sequence[str]) -> list[dict[str, str | None]]:
    """The main pairs (`PAIR_COLUMNS`) of those targets that are studies here, also those that nobody voted on."""
    slugs = session.exec(select(Study.slug).where(col(Study.slug).in_(targets))).all()
    return [pair for slug in sorted(slugs) for pair in main_pairs(session, slug)]


def lacks(needs: Needs, pairs: Sequence[PairToJudge]) -> str:
    """What no pair has and the judge needs, in words; empty where it can judge: a single pair may still fail."""
    if needs is Needs.POSITIONS and not any(pair.a.positions and pair.b.positions for pair in pairs):
        return "it needs the positions of the player in both clips of a pair, which videos do not hold"
    return ""


def refuse_without_files(info: JudgeInfo, slug: str, pairs: Sequence[PairToJudge]) -> None:
    """Raise Conflict where no pair has what the judge needs."""
    if reason := lacks(info.needs, pairs):
        raise Conflict(
            f"the judge {info.name!r} cannot judge {slug!r}: {reason}; "
            "import the clips at the command line with a column positions in the manifest"
        )


def cannot_judge(session: Session, slug: str, store: ClipStore) -> Mapping[str, str]:
    """By name, the judges that cannot judge the study as it is, and why."""
    try:
        pairs = pairs_to_judge(session, slug, store).pairs
    except StudyError as error:
        return dict.fromkeys(JUDGES, str(error))
    found = {name: lacks(late.needs, pairs) for name, late in JUDGES.items()}
    return {name: reason for name, reason in found.items() if reason}


def _versions(session: Session, study: Study) -> Sequence[StudyVersion]:
    """The newest first."""
    versions = select(StudyVersion).where(StudyVersion.study_id == study.id)
    return session.exec(versions.order_by(col(StudyVersion.number).desc())).all()


def _chosen(
    session: Session, versions: Sequence[StudyVersion], slug: str, number: int | None
) -> StudyVersion:
    if not versions:
        raise Conflict(f"study {slug!r} has no version yet; save its design first")
    if number is not None:
        for version in versions:
            if version.number == number:
                return version
        known = ", ".join(str(version.number) for version in reversed(versions))
        raise NotFound(f"study {slug!r} has no version {number}; there is {known}")
    seen = select(ParticipantSession.version_id).where(ParticipantSession.mode != Mode.PREVIEW).distinct()
    seen_ids = set(session.exec(seen.where(col(ParticipantSession.version_id).in_([v.id for v in versions]))))
    return next((version for version in versions if version.id in seen_ids), versions[0])


def _pairs(
    session: Session, version: StudyVersion, slug: str, question: str, store: ClipStore
) -> Sequence[PairToJudge]:
    return [
        PairToJudge(
            study=slug,
            pair=pair.name,
            question=question,
            a=_files(store, pair.clip_a_sha256, first.positions_sha256),
            b=_files(store, pair.clip_b_sha256, second.positions_sha256),
        )
        for pair, first, second in _main_pairs(session, version)
    ]


def _main_pairs(session: Session, version: StudyVersion) -> Sequence[tuple[Pair, Stimulus, Stimulus]]:
    """Each with the clips of its members a and b, in the design's order."""
    a, b = aliased(Stimulus), aliased(Stimulus)
    pairs = (
        select(Pair, a, b)
        .join(a, col(a.id) == Pair.stimulus_a_id)
        .join(b, col(b.id) == Pair.stimulus_b_id)
        .where(Pair.version_id == version.id, Pair.kind == Kind.MAIN)
        .order_by(col(Pair.position))
    )
    return session.exec(pairs).all()


def _files(store: ClipStore, clip: str | None, positions: str | None) -> StimulusFiles:
    return StimulusFiles(
        clip=store.clip_path(clip) if clip else None,
        positions=store.positions_path(positions) if positions else None,
    )
