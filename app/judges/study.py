"""The pairs of a study to be judged: the main pairs of one version, with the clips its participants saw."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite

from sqlmodel import Session, col, select

from app.core.errors import Conflict, NotFound, StudyError, page_words
from app.judges.base import JudgeInfo, Needs, StimulusFiles, Times
from app.judges.described import Described
from app.judges.runner import PairToJudge, Span
from app.judges.spans import Spans
from app.library.clips.store import ClipStore
from app.library.kinds import StimulusKind
from app.library.tables import Content, Stimulus
from app.studies.file.design import StudyDesign
from app.studies.queries import study_named
from app.tasks.pair.design import Member
from app.tasks.pair.settings import pair_questions
from app.tasks.rating.settings import RatingDesign
from app.trials.design import Kind
from app.trials.tables import Mode, ParticipantSession, Study, StudyVersion, Unit, UnitMember


@dataclass(frozen=True, slots=True)
class StudyPairs:
    """The pairs of one version of a study, in its order."""

    slug: str
    number: int
    pairs: Sequence[PairToJudge]


def pairs_to_judge(session: Session, slug: str, store: ClipStore, number: int | None = None) -> StudyPairs:
    """The main pairs of a version: the requested one, else the newest with participants, else the newest.

    Raises NotFound for an unknown study or version, Conflict for one without main pairs or without clips.
    """
    study = study_named(session, slug)
    version = _chosen(session, _versions(session, study), slug, number)
    design = StudyDesign.model_validate_json(version.design)
    question = next((q.ask for q in pair_questions(design.blocks) if q.type == "2afc"), design.title)
    pairs = _pairs(session, version, slug, question, store)
    if not pairs:
        if design.blocks_of(RatingDesign):
            raise Conflict(
                f"version {version.number} of {slug!r} has no main pairs to judge: its items are rated one at a time, "
                "and judges that run here look at pairs; verdicts of your own (judge, item, value, and criterion where "
                f"there are several) are held against its raters by `likely-human judge validate {slug} VERDICTS.csv`",
                on_page=f"Version {version.number} has no main pairs to judge: its items are rated one at a time, and "
                "judges that run here look at pairs. Upload verdicts of your own, which are held against its raters.",
            )
        raise Conflict(
            f"version {version.number} of {slug!r} has no main pairs to judge",
            on_page=f"Version {version.number} has no main pairs to judge.",
        )
    if not any(files.clip or files.content for pair in pairs for files in (pair.a, pair.b)):
        says = "has no clips (its answers were imported): there is nothing to judge"
        raise Conflict.of_study(slug, says)
    return StudyPairs(slug, version.number, pairs)


def version_to_judge(session: Session, slug: str) -> StudyVersion:
    """The newest version with participants, else the newest. Raises NotFound, or Conflict if there is none."""
    return _chosen(session, _versions(session, study_named(session, slug)), slug, None)


def main_pairs(session: Session, slug: str) -> list[dict[str, str | None]]:
    """The main pairs of the judged version (`PAIR_COLUMNS`); empty for a study without a version."""
    version = judged_version(session, study_named(session, slug))
    return main_pairs_of(session, slug, version) if version else []


def judged_version(session: Session, study: Study) -> StudyVersion | None:
    """The version of `version_to_judge`; None if there is none."""
    versions = _versions(session, study)
    return _chosen(session, versions, study.slug, None) if versions else None


def main_pairs_of(session: Session, slug: str, version: StudyVersion) -> list[dict[str, str | None]]:
    """The main pairs of a version (`PAIR_COLUMNS`)."""
    rows = _main_pairs(session, version)
    return [
        {
            "study": slug,
            "pair": pair.unit.name,
            "condition": pair.unit.condition,
            "stimulus_a": pair.a.name,
            "stimulus_b": pair.b.name,
            "source_a": pair.a.source,
            "source_b": pair.b.source,
            "truth": pair.unit.truth,
        }
        for pair in rows
    ]


def pairs_of_studies(session: Session, targets: Sequence[str]) -> list[dict[str, str | None]]:
    """The main pairs (`PAIR_COLUMNS`) of targets that are studies here, including those without votes."""
    slugs = session.exec(select(Study.slug).where(col(Study.slug).in_(targets))).all()
    return [pair for slug in sorted(slugs) for pair in main_pairs(session, slug)]


def lacks(needs: Needs, pairs: Sequence[PairToJudge]) -> str:
    """The files the judge needs and no pair has, in words; empty if it can judge, though single pairs may still
    fail.
    """
    if needs is Needs.POSITIONS and not any(pair.a.positions and pair.b.positions for pair in pairs):
        return "it needs the positions of the player in both clips of a pair, which neither videos nor records hold"
    if needs is Needs.CONTENTS and not any(pair.a.content and pair.b.content for pair in pairs):
        return "it reads records and texts, and the pairs are of clips"
    if needs is Needs.CLIPS and not any(pair.a.clip and pair.b.clip for pair in pairs):
        return "it looks at clips, and the pairs are of records or texts"
    return ""


def refuse_without_files(info: JudgeInfo, slug: str, pairs: Sequence[PairToJudge]) -> None:
    """Raise Conflict if no pair has what the judge needs."""
    if reason := lacks(info.needs, pairs):
        remedy = "; import the clips at the command line with a column positions in the manifest"
        raise Conflict(
            f"the judge {info.name!r} cannot judge {slug!r}: {reason}"
            f"{remedy if info.needs is Needs.POSITIONS else ''}"
        )


def cannot_judge(
    session: Session, slug: str, store: ClipStore, judges: Sequence[Described]
) -> Mapping[str, str]:
    """The judges that cannot judge the study as it is, by name, with the reason."""
    found = {judge.name: judge.problem for judge in judges}
    try:
        pairs = pairs_to_judge(session, slug, store).pairs
    except StudyError as error:
        return {name: problem or page_words(error) for name, problem in found.items()}
    found |= {judge.name: lacks(judge.info.needs, pairs) for judge in judges if judge.info}
    return {name: reason for name, reason in found.items() if reason}


def _versions(session: Session, study: Study) -> Sequence[StudyVersion]:
    """The newest first."""
    versions = select(StudyVersion).where(StudyVersion.study_id == study.id)
    return session.exec(versions.order_by(col(StudyVersion.number).desc())).all()


def _chosen(
    session: Session, versions: Sequence[StudyVersion], slug: str, number: int | None
) -> StudyVersion:
    if not versions:
        raise Conflict.of_study(slug, "has no version yet; save its design first")
    if number is not None:
        for version in versions:
            if version.number == number:
                return version
        known = ", ".join(str(version.number) for version in reversed(versions))
        raise NotFound.of_study(slug, f"has no version {number}; there is {known}")
    seen = select(ParticipantSession.version_id).where(ParticipantSession.mode != Mode.PREVIEW).distinct()
    seen_ids = set(session.exec(seen.where(col(ParticipantSession.version_id).in_([v.id for v in versions]))))
    return next((version for version in versions if version.id in seen_ids), versions[0])


def _pairs(
    session: Session, version: StudyVersion, slug: str, question: str, store: ClipStore
) -> Sequence[PairToJudge]:
    spans, found = Spans(session), []
    pairs = _main_pairs(session, version)
    contents = _contents(session, pairs)
    for pair in pairs:
        span_a = spans.of_member(pair.member_a, pair.a, version.created_at)
        span_b = spans.of_member(pair.member_b, pair.b, version.created_at)
        found.append(
            PairToJudge(
                study=slug,
                pair=pair.unit.name,
                question=question,
                a=_files(store, pair.member_a, pair.a, span_a, contents),
                b=_files(store, pair.member_b, pair.b, span_b, contents),
                span_a=span_a,
                span_b=span_b,
                hashes_a=_hashes(pair.member_a, pair.a),
                hashes_b=_hashes(pair.member_b, pair.b),
            )
        )
    return found


def _hashes(member: UnitMember, stimulus: Stimulus) -> frozenset[str]:
    files = (stimulus.original_sha256, stimulus.positions_sha256, stimulus.clip_sha256, member.sha256)
    return frozenset(sha for sha in files if sha)


@dataclass(frozen=True, slots=True)
class _MainPair:
    """A pair with its stimuli, and its members, which know the clips that were shown of them."""

    unit: Unit
    a: Stimulus
    b: Stimulus
    member_a: UnitMember
    member_b: UnitMember


def _main_pairs(session: Session, version: StudyVersion) -> Sequence[_MainPair]:
    """The main pairs in the design's order; items, which have one stimulus, are not included."""
    members = (
        select(Unit, UnitMember, Stimulus)
        .join(UnitMember, col(UnitMember.unit_id) == Unit.id)
        .join(Stimulus, col(Stimulus.id) == UnitMember.stimulus_id)
        .where(Unit.version_id == version.id, Unit.kind == Kind.MAIN, col(UnitMember.slot).in_(list(Member)))
        .order_by(col(Unit.position))
    )
    found: dict[str, dict[str, tuple[UnitMember, Stimulus]]] = {}
    units = {}
    for unit, member, stimulus in session.exec(members):
        units[unit.name] = unit
        found.setdefault(unit.name, {})[member.slot] = (member, stimulus)
    return [
        _MainPair(units[name], a, b, first, second)
        for name, slots in found.items()
        for (first, a), (second, b) in [(slots[Member.A], slots[Member.B])]
    ]


def _contents(session: Session, pairs: Sequence[_MainPair]) -> Mapping[str, str]:
    """The contents of the pairs' records and texts, by hash."""
    hashes = {member.sha256 for pair in pairs for member in (pair.member_a, pair.member_b) if member.sha256}
    rows = select(Content.sha256, Content.content).where(col(Content.sha256).in_(hashes))
    return dict(session.exec(rows).all())


def _times(attributes: Mapping[str, str]) -> Times | None:
    """The times that `game records` writes into its manifest."""
    try:
        found = [float(attributes.get(name, "")) for name in ("rt_median_ms", "rt_sd_ms")]
    except ValueError:
        return None
    return Times(*found) if all(map(isfinite, found)) else None


def _files(
    store: ClipStore,
    member: UnitMember,
    stimulus: Stimulus,
    span: Span | None,
    contents: Mapping[str, str],
) -> StimulusFiles:
    """A member's files; without positions if the span shown is unknown."""
    if stimulus.kind != StimulusKind.CLIP:
        return StimulusFiles(None, None, contents.get(member.sha256 or "", ""), _times(stimulus.attributes))
    has_positions = stimulus.positions_sha256 is not None and span is not None
    return StimulusFiles(
        clip=store.clip_path(member.sha256) if member.sha256 else None,
        positions=store.positions_path(stimulus.positions_sha256 or "") if has_positions else None,
    )
