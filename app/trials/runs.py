"""The blocks of a frozen version as its sessions go through them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from app.trials.design import BlockPart, SessionPages, UnitToPlan, pages_of
from app.trials.parts import BlockDesign

# Of each block its id, its number of trials, and the places of its attention questions.
Blocks = tuple[tuple[str, int, tuple[int, ...]], ...]


@dataclass(frozen=True, slots=True)
class BlockRun:
    """A block of a version with its units, and how many trials a session has of it unless it says otherwise."""

    design: BlockDesign
    units: tuple[UnitToPlan, ...]
    n_practice: int
    n: int

    @property
    def id(self) -> str:
        return self.design.id

    def part(self, n: int, first: int, attention: tuple[int, ...] = ()) -> BlockPart:
        """The block in a session that has `n` trials of it, from position `first` on; `attention` as in BlockPart."""
        of = self.design
        return BlockPart(
            self.id,
            of.task,
            n,
            min(self.n_practice, n),
            first,
            instructions=of.instructions is not None,
            noun=of.noun,
            self_assessment=of.self_assessment is not None,
            about_self_first=of.about_self_first,
            feedback=of.has_feedback,
            attention=attention,
        )


@dataclass(frozen=True, slots=True)
class Run:
    """The blocks of a version. `pages` are those of a session that goes through all of them in order.

    `shows_clips` says whether there are clips among what it shows, `shows_reading` whether records or texts are.
    """

    sha256: str
    blocks: tuple[BlockRun, ...]
    has_background: bool
    has_instructions: bool
    shows_clips: bool
    shows_reading: bool
    has_screening: bool = False
    has_viewing: bool = False
    tries: int = 0
    _by_blocks: dict[Blocks | None, SessionPages] = field(default_factory=dict)

    @property
    def pages(self) -> SessionPages:
        return self.pages_for(None)

    def block(self, id_: str) -> BlockRun:
        """Raises KeyError."""
        for block in self.blocks:
            if block.id == id_:
                return block
        raise KeyError(id_)

    def pages_for(self, stored: Sequence[Sequence[Any]] | None) -> SessionPages:
        """Pages of a session; `stored` is None where it goes through all blocks in order, whole."""
        key: Blocks | None = None
        if stored is not None:
            key = tuple((str(block), int(n), tuple(asked[0]) if asked else ()) for block, n, *asked in stored)
        # Sessions of a version differ in few ways, and each request needs its pages: they are kept.
        pages = self._by_blocks.get(key)
        if pages is None:
            whole = tuple((block.id, block.n, ()) for block in self.blocks)
            pages = self._by_blocks[key] = self._pages(whole if key is None else key)
        return pages

    def _pages(self, blocks: Blocks) -> SessionPages:
        parts, first = [], 1
        for block, n, attention in blocks:
            parts.append(self.block(block).part(n, first, attention))
            first += n
        return pages_of(
            screening=self.has_screening,
            viewing=self.has_viewing,
            background=self.has_background,
            instructions=self.has_instructions,
            tries=self.tries,
            parts=parts,
        )
