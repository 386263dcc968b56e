"""The data of the pages of a study's pairs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from analysis.files.lookalikes import lookalike_notes
from app.admin.pages import AdminPage
from app.admin.stimuli.chooser import Chooser
from app.admin.studies.pairs.forms import Draw
from app.core.problems import Fault
from app.pairs.summary import Summary
from app.pairs.view import DrawState, Way
from app.tasks.pair.design import Sides
from app.tasks.pair.rows import Row
from app.tasks.pair.truth import TruthView


@dataclass(frozen=True, slots=True)
class PairRow:
    """One pair of the table: the cells as they are written, and as they are read. Posters are addresses or empty."""

    number: int
    row: Row
    condition: str
    truth: str
    kind: str
    source_a: str
    source_b: str
    poster_a: str
    poster_b: str
    is_bad: bool


@dataclass(frozen=True, slots=True)
class DrawnNote:
    """The account of a draw: main pairs by condition, how often a clip is used at most, what both clips agree on.

    `n_other` pairs are for practice or attention.
    """

    conditions: Sequence[tuple[str, int]]
    n_other: int
    at_most: int
    match: Sequence[str]
    seed: str


def names_alike(rows: Sequence[PairRow]) -> Sequence[str]:
    """A sentence for each kind of name (pairs, clips, conditions) of which some look alike."""
    columns = {
        "pair": [each.row.pair for each in rows],
        "clip": [name for each in rows for name in (each.row.a, each.row.b)],
        "condition": [each.condition for each in rows],
    }
    return list(lookalike_notes((column, dict.fromkeys(texts)) for column, texts in columns.items()))


@dataclass(frozen=True, slots=True, kw_only=True)
class PairsFrame(AdminPage):
    """The frame of every page of pairs: how they are made at present, which are true, and a summary.

    `here` is their address; `block` the current block, and `blocks` those with pairs if none is named. `shown` is their
    kind of stimulus: Clip, Record or Text. `answered` is the newest version if it has answers, so that a corrected
    truth does not apply to it.
    """

    tab: ClassVar[str] = "pairs"
    slug: str
    here: str
    block: str
    blocks: Sequence[str]
    sees_all: bool
    revision: int
    way: Way
    summary: Summary
    sides: Sides
    shown: str
    truth: TruthView
    sources: Sequence[str]
    draw: DrawState
    answered: int | None
    drawn: DrawnNote | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairsPage(PairsFrame):
    """The pairs there are. `editing` is the number of the row that is open, `cells` what its form shows.

    `proposal` is a draw that can be made at once, while there are no pairs.
    """

    template: ClassVar[str] = "pairs.html"
    rows: Sequence[PairRow]
    faults: Sequence[Fault]
    clips: Sequence[str]
    editing: int = 0
    cells: Mapping[str, str] = field(default_factory=dict)
    proposal: Draw | None = None

    @property
    def alike(self) -> Sequence[str]:
        return names_alike(self.rows)


@dataclass(frozen=True, slots=True)
class ClipChoice:
    """A clip to pick; `n_used` in how many pairs it is already."""

    name: str
    source: str
    attributes: str
    seconds: str
    poster: str
    n_used: int


@dataclass(frozen=True, slots=True)
class ClipList:
    """The clips for one member, as its chooser finds them."""

    member: str
    chosen: str
    chooser: Chooser
    clips: Sequence[ClipChoice]


@dataclass(frozen=True, slots=True, kw_only=True)
class PickPage(PairsFrame):
    template: ClassVar[str] = "pairs-pick.html"
    lists: Sequence[ClipList]
    last: PairRow | None
    kind: str
    condition: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CsvPage(PairsFrame):
    """The CSV page. `text` is the list sent; `rows` the rows read from it, None before anything was sent."""

    template: ClassVar[str] = "pairs-csv.html"
    text: str
    example: str
    rows: Sequence[PairRow] | None = None
    faults: Sequence[Fault] = ()

    @property
    def alike(self) -> Sequence[str]:
        return names_alike(self.rows or ())


@dataclass(frozen=True, slots=True)
class DrawLine:
    """One condition of the draw, its numbers as typed; `is_within` one source, `is_untrue` of two that are not the true
    one, where other conditions are of it.
    """

    condition: str
    main: str
    practice: str
    possible: int | None
    n_lacking: int
    errors: Sequence[str]
    is_within: bool = False
    is_untrue: bool = False

    @property
    def is_rare(self) -> bool:
        """True for a condition without a right answer of which nothing is asked, so that it can be folded."""
        return (self.is_within or self.is_untrue) and not (self.main or self.practice or self.errors)


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawPage(PairsFrame):
    """The draw as it is in the form, and the pairs that it gives; `summary` is of these. `is_saved`: no change yet.

    `replaces` counts the pairs that the draft has now.
    """

    template: ClassVar[str] = "pairs-draw.html"
    lines: Sequence[DrawLine]
    attributes: Sequence[tuple[str, int]]
    match: Sequence[str]
    seed: str
    rows: Sequence[PairRow]
    faults: Sequence[Fault]
    seed_errors: Sequence[str]
    match_errors: Sequence[str]
    is_saved: bool
    is_even: bool
    pairing: str
    pairings: Sequence[tuple[str, str]]
    pairing_errors: Sequence[str]
    replaces: int

    @property
    def usual(self) -> Sequence[tuple[int, DrawLine]]:
        """Conditions of the true source and another, and others that are asked for; each with its fields' number."""
        return [(at, line) for at, line in enumerate(self.lines) if not line.is_rare]

    @property
    def untrue(self) -> Sequence[tuple[int, DrawLine]]:
        """Conditions of two sources of which none is the true one, each with its fields' number."""
        return [(at, line) for at, line in enumerate(self.lines) if line.is_rare and line.is_untrue]

    @property
    def within(self) -> Sequence[tuple[int, DrawLine]]:
        """Conditions of one source, each with its fields' number."""
        return [(at, line) for at, line in enumerate(self.lines) if line.is_rare and line.is_within]
