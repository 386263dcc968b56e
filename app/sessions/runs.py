"""A version's run, kept in memory by every process: a frozen version cannot change any more."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from weakref import WeakKeyDictionary

from sqlmodel import Session, col, func, select

from app.core.language import choose, speak
from app.library.kinds import StimulusKind
from app.library.tables import Stimulus
from app.studies.file.arms import MAIN
from app.studies.file.load import StudyDesign
from app.studies.file.placeholders import Numbers, filled, numbers_of
from app.trials.design import Kind, UnitToPlan
from app.trials.parts import BlockDesign
from app.trials.runs import BlockRun, Run
from app.trials.tables import StudyVersion, Unit, UnitMember

Frame = tuple[int | None, int | None, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyRun(Run):
    """A version's blocks in an arm with their whole design, in one of its `languages`, its own first; `version_sha256`
    is that of all arms. `frame` is the largest size and rate of its clips, such as `640x400@30`, where it is known.
    """

    design: StudyDesign
    frame: str = ""
    version_sha256: str = ""
    languages: tuple[str, ...] = ()
    numbers: Numbers | None = None
    _in: dict[str, "StudyRun"] = field(default_factory=dict)

    def in_language(self, language: str) -> "StudyRun":
        """The same run with its pages' words in one of the study's languages; made at its first use."""
        if language not in self.design.translations:
            return self
        if language not in self._in:
            design = self.design.in_language(language)
            pay = {"pay": design.completion.pay} if design.completion.pay else {}
            design = filled(design, None if self.numbers is None else {**self.numbers, **pay})
            blocks = {block.id: block for block in design.blocks}
            runs = tuple(replace(block, design=blocks[block.id]) for block in self.blocks)
            self._in[language] = replace(self, design=design, blocks=runs, _in={})
        return self._in[language]


def spoken(run: StudyRun, language: str | None = None) -> StudyRun:
    """The run in a language, or in the one of its languages that the visitor wants most; errors are told in it too."""
    run = run.in_language(language or choose(run.languages))
    speak(run.design.language)
    return run


# By database, as ids are its own; then by version, hash and arm.
_runs: WeakKeyDictionary[Any, dict[tuple[int, str, str], StudyRun]] = WeakKeyDictionary()


def run_of(session: Session, version_id: int, sha256: str, arm: str = MAIN) -> StudyRun:
    """The version's run in an arm, read at its first use; with all blocks where it has no such arm.

    One that is not frozen (it is being previewed) is read each time: saved anew, its units are other rows.
    """
    engine = session.bind.engine if session.bind is not None else session.get_bind().engine
    known = _runs.get(engine)
    if known is None:
        known = _runs[engine] = {}
    run = known.get((version_id, sha256, arm))
    if run is None:
        found = select(StudyVersion.design, StudyVersion.frozen_at).where(StudyVersion.id == version_id)
        text, frozen_at = session.exec(found).one()
        whole = StudyDesign.model_validate_json(text)
        numbers = numbers_of(whole, arm)
        design = filled(whole.for_arm(arm), numbers)
        run = replace(_read(session, version_id, sha256, design, arm), numbers=numbers)
        if frozen_at is not None:
            known[version_id, sha256, arm] = run
    return run


def run_at(session: Session, version_id: int, arm: str = MAIN) -> StudyRun:
    """The run of a version that is there, in an arm. Raises NoResultFound."""
    sha256 = session.exec(select(StudyVersion.sha256).where(StudyVersion.id == version_id)).one()
    return run_of(session, version_id, sha256, arm)


def _read(session: Session, version_id: int, sha256: str, design: StudyDesign, arm: str) -> StudyRun:
    units: dict[str, list[UnitToPlan]] = {block.id: [] for block in design.blocks}
    for unit in session.exec(select(Unit).where(Unit.version_id == version_id).order_by(col(Unit.position))):
        to_plan = UnitToPlan(
            unit.id or 0, unit.name, unit.condition, Kind(unit.kind), unit.truth, unit.item_group
        )
        if unit.block in units:
            units[unit.block].append(to_plan)
    blocks = tuple(_block(block, tuple(units[block.id])) for block in design.blocks)
    kinds = _kinds(session, version_id, list(units))
    width, height, fps = kinds.get(StimulusKind.CLIP, (None, None, None))
    reading = bool(kinds.keys() - {StimulusKind.CLIP}) or any(block.has_texts for block in design.blocks)
    return StudyRun(
        # Pages are kept by it, and each arm has its own.
        sha256=sha256 if arm == MAIN else f"{sha256}.{arm}",
        blocks=blocks,
        has_screening=bool(design.screening),
        has_viewing=design.viewing_conditions,
        tries=design.comprehension.n_pages,
        has_background=bool(design.background),
        has_instructions=design.instructions is not None,
        shows_clips=StimulusKind.CLIP in kinds,
        shows_reading=reading,
        design=design,
        frame=f"{width}x{height}@{fps:g}" if width and height and fps else "",
        languages=design.languages,
        version_sha256=sha256,
    )


def _kinds(session: Session, version_id: int, blocks: Sequence[str]) -> Mapping[str, Frame]:
    """The kinds of stimuli in these blocks of the version, each with its largest width, height and frames a second."""
    largest = (func.max(col(one)) for one in (Stimulus.width, Stimulus.height, Stimulus.fps))
    kinds = (
        select(Stimulus.kind, *largest)
        .join(UnitMember, col(UnitMember.stimulus_id) == Stimulus.id)
        .join(Unit, col(Unit.id) == col(UnitMember.unit_id))
        .where(Unit.version_id == version_id, col(Unit.block).in_(blocks))
        .group_by(col(Stimulus.kind))
    )
    return {kind: (width, height, fps) for kind, width, height, fps in session.execute(kinds)}


def _block(design: BlockDesign, units: tuple[UnitToPlan, ...]) -> BlockRun:
    n_main = sum(unit.kind is Kind.MAIN for unit in units)
    n_practice = sum(unit.kind is Kind.PRACTICE for unit in units)
    return BlockRun(design, units, n_practice, len(units) - n_main + design.n_main(n_main))
