"""What every session of a frozen version shares, kept in memory: it cannot change any more."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

from sqlmodel import Session, col, select

from app.library.kinds import StimulusKind
from app.library.tables import Stimulus
from app.sessions.design import BlockPart, Kind, SessionPages, UnitToPlan, pages_of
from app.studies.file.load import StudyDesign
from app.studies.tables import StudyVersion, Unit, UnitMember
from app.tasks.registry import AnyDesign


@dataclass(frozen=True, slots=True)
class BlockRun:
    """A block of a version with its units, and how many trials a session has of it unless it says otherwise."""

    design: AnyDesign
    units: tuple[UnitToPlan, ...]
    n_practice: int
    n: int

    @property
    def id(self) -> str:
        return self.design.id


@dataclass(frozen=True, slots=True)
class Run:
    """A version's design and its blocks. `pages` are those of a session that goes through all of them in order.

    `shows_clips` says whether there are clips among what it shows, `shows_reading` whether records or texts are.
    """

    sha256: str
    design: StudyDesign
    blocks: tuple[BlockRun, ...]
    pages: SessionPages
    shows_clips: bool
    shows_reading: bool
    _by_blocks: dict[tuple[tuple[str, int], ...], SessionPages] = field(default_factory=dict)

    def block(self, id_: str) -> BlockRun:
        """Raises KeyError."""
        for block in self.blocks:
            if block.id == id_:
                return block
        raise KeyError(id_)

    def pages_for(self, stored: Sequence[Sequence[Any]] | None) -> SessionPages:
        """A session's pages; `stored` is None where it goes through all blocks in order, whole."""
        if stored is None:
            return self.pages
        key = tuple((str(block), int(n)) for block, n in stored)
        if key not in self._by_blocks:
            self._by_blocks[key] = _pages(self.design, [(self.block(block), n) for block, n in key])
        return self._by_blocks[key]


# By database, as ids are its own; then by version and hash.
_runs: WeakKeyDictionary[Any, dict[tuple[int, str], Run]] = WeakKeyDictionary()


def run_of(session: Session, version_id: int, sha256: str) -> Run:
    """The version's run, read at its first use.

    One that is not frozen (it is being previewed) is read each time: saved anew, its units are other rows.
    """
    known = _runs.setdefault(session.get_bind(), {})
    run = known.get((version_id, sha256))
    if run is None:
        found = select(StudyVersion.design, StudyVersion.frozen_at).where(StudyVersion.id == version_id)
        text, frozen_at = session.exec(found).one()
        run = _read(session, version_id, sha256, text)
        if frozen_at is not None:
            known[version_id, sha256] = run
    return run


def _read(session: Session, version_id: int, sha256: str, text: str) -> Run:
    design = StudyDesign.model_validate_json(text)
    units: dict[str, list[UnitToPlan]] = {block.id: [] for block in design.blocks}
    for unit in session.exec(select(Unit).where(Unit.version_id == version_id).order_by(col(Unit.position))):
        to_plan = UnitToPlan(
            unit.id or 0, unit.name, unit.condition, Kind(unit.kind), unit.truth, unit.item_group
        )
        units[unit.block].append(to_plan)
    blocks = tuple(_block(block, tuple(units[block.id])) for block in design.blocks)
    pages = _pages(design, [(block, block.n) for block in blocks])
    kinds = _kinds(session, version_id)
    reading = bool(kinds - {StimulusKind.CLIP}) or any(block.has_texts for block in design.blocks)
    return Run(sha256, design, blocks, pages, StimulusKind.CLIP in kinds, reading)


def _kinds(session: Session, version_id: int) -> set[str]:
    """Of the stimuli that the version shows."""
    kinds = select(Stimulus.kind).join(UnitMember, col(UnitMember.stimulus_id) == Stimulus.id).join(Unit)
    return set(session.exec(kinds.where(Unit.version_id == version_id).distinct()))


def _block(design: AnyDesign, units: tuple[UnitToPlan, ...]) -> BlockRun:
    n_main = sum(unit.kind is Kind.MAIN for unit in units)
    n_practice = sum(unit.kind is Kind.PRACTICE for unit in units)
    return BlockRun(design, units, n_practice, len(units) - n_main + design.n_main(n_main))


def _pages(design: StudyDesign, blocks: Sequence[tuple[BlockRun, int]]) -> SessionPages:
    parts, first = [], 1
    for block, n in blocks:
        of, n_practice = block.design, min(block.n_practice, n)
        parts.append(
            BlockPart(
                block.id,
                of.task,
                n,
                n_practice,
                first,
                instructions=of.instructions is not None,
                noun=of.noun,
                self_assessment=of.self_assessment is not None,
                about_self_first=of.about_self_first,
            )
        )
        first += n
    return pages_of(
        background=bool(design.background), instructions=design.instructions is not None, parts=parts
    )
