"""Types of findings: what Results, the report and the terminal show, as plain values that a renderer only places.

A table, its drawing and its CSV are made from the same `Numbers` and `Mark`s, and those from the dataclasses of
`analysis.analyze`. No pandas here: the serving process reads findings and computes nothing.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

FORMAT = 14  # of findings that are kept: another number computes all anew

Unit = Literal["text", "words", "count", "share", "number", "p"]
Shape = Literal["ink", "human", "computer", "other"]
Drawing = Literal["marks", "people", "pairs", "stacks", "flow", "none"]


@dataclass(frozen=True, slots=True)
class Measured:
    """A number with its interval in one cell; without a `value` an interval alone."""

    value: float | None
    low: float | None
    high: float | None


Cell = str | int | float | Measured | None


@dataclass(frozen=True, slots=True)
class Column:
    """A column of numbers: `name` in the CSV, `title` on the page; a `share` is from 0 to 1 and shown in percent.

    `text` names a row, `words` stand where a number would; a `number` has so many `digits`."""

    name: str
    title: str
    unit: Unit = "number"
    digits: int = 3


@dataclass(frozen=True, slots=True)
class Numbers:
    """A table, unrounded: the data of a figure, or all numbers of a statistic. None stands for a missing number."""

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]

    @property
    def n_names(self) -> int:
        """Columns that name a row."""
        return max(1, sum(column.unit == "text" for column in self.columns))


@dataclass(frozen=True, slots=True)
class Clip:
    """One clip of a pair; `sha256` empty where the study has answers and no clips."""

    stimulus: str
    source: str
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class Band:
    """A number with its interval: one person's level behind a judge's mark, or a line across a panel."""

    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a stacked bar: where it begins and how wide it is, as shares; `depth` of its colour is from 0 to 1."""

    name: str
    start: float
    share: float
    depth: float


@dataclass(frozen=True, slots=True)
class Mark:
    """One row of a drawing: a number with its interval; `says` and `beside` are both in words.

    `clips` are those of a pair: the one that `value` is the share of votes for, and the other. `pieces` are of a
    stacked bar. `spoken` is all of it in words, where shares are not what is drawn."""

    name: str
    value: float | None
    low: float | None
    high: float | None
    says: str
    beside: str = ""
    shape: Shape = "human"
    group: str = ""
    badge: str = ""
    is_warning: bool = False
    band: Band | None = None
    clips: tuple[Clip, Clip] | None = None
    pieces: tuple[Piece, ...] = ()
    spoken: str = ""


@dataclass(frozen=True, slots=True)
class Dot:
    """One participant: the value, and how many equal ones lie below."""

    value: float
    level: int


@dataclass(frozen=True, slots=True)
class Panel:
    """A drawing of two numbers of each mark: its own, a share, upwards, and that of the same place in `across`."""

    title: str
    marks: tuple[Mark, ...]
    across: tuple[Band, ...]


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure: a sentence with the finding, a line on how to read it, the drawing and its numbers.

    `scale` are the values at the ends of the drawing, which `ends` name; `chance` is the value of no effect, and `even`
    its name if it is no share; `column` heads the values next to each number. `strong` is the underlined part of
    `said`. A figure that cannot be drawn gives the reason in `said`, and in `how` what to do.
    """

    name: str
    section: str
    drawing: Drawing
    said: str
    how: str
    numbers: Numbers
    strong: str = ""
    marks: tuple[Mark, ...] = ()
    panels: tuple[Panel, ...] = ()
    dots: tuple[Dot, ...] = ()
    chance: float | None = 0.5
    ends: tuple[str, str] = ("0%", "100%")
    scale: tuple[float, float] = (0.0, 1.0)
    even: str = ""
    caution: str = ""
    column: str = "95% interval"


@dataclass(frozen=True, slots=True)
class Section:
    """One statistic in words, tables and figures: `sentences` stand before the tables, `notes` and the numbered
    `points` after them.

    `can_say` and `not_yet` are claims that intervals and tests settle, or do not. `methods` say how its numbers were
    made, with keys of references. Where it `names_people`, only those who have the data see it. `plan` is of a
    registered study: the hypotheses that the section holds as they were registered, or that it is exploratory."""

    name: str
    title: str
    sentences: tuple[str, ...] = ()
    tables: tuple[Numbers, ...] = ()
    notes: tuple[str, ...] = ()
    points: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    can_say: tuple[str, ...] = ()
    not_yet: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    names_people: bool = False
    plan: str = ""


@dataclass(frozen=True, slots=True)
class Caution:
    """A caution before a number is quoted; `link` opens the page about it."""

    title: str
    text: str
    link: str = ""
    link_says: str = ""


@dataclass(frozen=True, slots=True)
class Findings:
    """The page of one study in one mode, compared with at most one other study.

    Without answers on pairs (`has_pairs`), it is of ratings alone, or of matches or walks alone (`is_play`).
    `how_moves` explains the figures of signatures, `sections` are all numbers, statistic by statistic.
    `registration` says of a study with hypotheses whether, when and where they were registered, and what deviates.
    """

    study: str
    mode: str
    made_at: datetime | None
    figures: tuple[Figure, ...]
    cautions: tuple[Caution, ...] = ()
    format: int = FORMAT
    against: str = ""
    until: datetime | None = None
    n_answers: int = 0
    n_people: int = 0
    n_pairs: int = 0
    headline: str = ""
    next_step: str = ""
    can_say: tuple[str, ...] = ()
    not_yet: tuple[str, ...] = ()
    how_more: str = ""
    has_pairs: bool = True
    how_moves: str = ""
    is_play: bool = False
    sections: tuple[Section, ...] = ()
    registration: tuple[str, ...] = ()

    def figure(self, name: str) -> Figure | None:
        return next((one for one in self.figures if one.name == name), None)

    def of(self, section: str) -> tuple[Figure, ...]:
        return tuple(one for one in self.figures if one.section == section)
