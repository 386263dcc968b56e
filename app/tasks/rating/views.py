"""The page for rating one stimulus: a clip, a record or a text, and the questions about it.

A template sees these frozen dataclasses and nothing else; a record is laid out here, so that the template computes
nothing.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from app.core.language import gettext as _
from app.library.records import Chart, Line, Part, Record, Table
from app.questions.base import FormField, QuestionView
from app.trials.pages import UNPLAYABLE, Page

# A chart is so many pixels high; its lowest and highest values keep clear of its edges.
CHART_HEIGHT, CHART_EDGE = 48, 8
# More dots than these run into each other; the line alone says it then.
MOST_DOTS = 40
# Levels stand beside each other where their texts are so short; else one below the other.
SHORT_LABEL, SHORT_ANCHOR, MOST_ACROSS = 20, 48, 7
# From so many columns on, a table needs more room than a telephone has.
MANY_COLUMNS = 5
MISSING = "–"


@dataclass(frozen=True, slots=True)
class LineView:
    kind: ClassVar[str] = "line"
    text: str


@dataclass(frozen=True, slots=True)
class ColumnView:
    name: str
    numeric: bool


@dataclass(frozen=True, slots=True)
class TableView:
    kind: ClassVar[str] = "table"
    columns: tuple[ColumnView, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def is_wide(self) -> bool:
        return len(self.columns) >= MANY_COLUMNS


@dataclass(frozen=True, slots=True)
class ChartView:
    """A line of numbers. `path` is drawn in a box 100 wide and `height` high, stretched to the width there is;
    `dots` are (x in percent, y in pixels). `numbers` are all values in order, `summary` the few that a reader
    takes from the picture."""

    kind: ClassVar[str] = "chart"
    label: str
    path: str
    dots: tuple[tuple[str, str], ...]
    summary: str
    numbers: str
    height: int = CHART_HEIGHT


PartView = LineView | TableView | ChartView


@dataclass(frozen=True, slots=True)
class SectionView:
    """One part of the record for evidence: its overview (without a title), or one round."""

    title: str
    parts: tuple[PartView, ...]


@dataclass(frozen=True, slots=True)
class PlayerView:
    name: str
    about: str


@dataclass(frozen=True, slots=True)
class RecordView:
    """`overview` is None where a record has neither players nor parts before its first round."""

    title: str
    players: tuple[PlayerView, ...]
    overview: SectionView | None
    rounds: tuple[SectionView, ...]


@dataclass(frozen=True, slots=True)
class RatingPage(Page):
    """One stimulus and the questions about it: exactly one of `clip` (an address), `record` and `text` (HTML, made by
    `app.sessions.views.markdown`, with HTML in the text escaped).

    Posts the questions' ids, `submit_id`, `rt_ms`, and `reading` (JSON, for a record or a text) or `playback` (JSON,
    for a clip) with `unplayable` = `1` if it would not play. `heading` names the stimulus if a record's own title does
    not. `key` identifies the trial within the session: the browser stores its recordings under it, across reloads.
    `to_end`: the questions of a clip open at its end. `next_clips` are fetched while this clip is watched.
    """

    template: ClassVar[str] = "rating.html"
    key: str = ""
    number: int = 1
    total: int = 1
    practice: bool = False
    heading: str = ""
    clip: str = ""
    record: RecordView | None = None
    text: str = ""
    to_end: bool = False
    next_clips: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if sum(map(bool, (self.clip, self.record, self.text))) != 1:
            raise ValueError("a rating page shows exactly one of a clip, a record and a text")
        if self.to_end and not self.clip:
            raise ValueError("only a clip has an end at which questions open")

    @property
    def fields(self) -> tuple[FormField, ...]:
        asked = super(RatingPage, self).fields
        return (*asked, UNPLAYABLE) if self.clip else asked

    @property
    def clips(self) -> tuple[str, ...]:
        return (self.clip,) if self.clip else ()

    @property
    def kind(self) -> str:
        """The word for the stimulus on the page."""
        return "video" if self.clip else "record" if self.record else "text"

    @property
    def label(self) -> str:
        words = {
            "video": (_("Video {n} of {total}"), _("Practice video {n} of {total}")),
            "record": (_("Record {n} of {total}"), _("Practice record {n} of {total}")),
            "text": (_("Text {n} of {total}"), _("Practice text {n} of {total}")),
        }[self.kind]
        return words[self.practice].format(n=self.number, total=self.total)

    @property
    def levels(self) -> int:
        """The highest digit that chooses a level by key: the levels of the longest scale, at most 9."""
        scales = (len(question.options) for question in self.questions if question.widget == "scale")
        return min(max(scales, default=0), 9)

    def stands_across(self, question: QuestionView) -> bool:
        """True if the levels of a scale fit side by side on a wide page."""
        options = question.options
        return len(options) <= MOST_ACROSS and all(
            len(option.label) <= SHORT_LABEL and len(option.anchor) <= SHORT_ANCHOR for option in options
        )


def record_view(record: Record) -> RecordView:
    """A record as its page shows it."""
    players = tuple(PlayerView(player.name, player.about) for player in record.players)
    parts = _parts(record.parts)
    return RecordView(
        title=record.title,
        players=players,
        overview=SectionView("", parts) if players or parts else None,
        rounds=tuple(SectionView(each.title, _parts(each.parts)) for each in record.rounds),
    )


def count_parts(record: Record) -> int:
    """The number of parts of a record that the browser reports on: its overview, if any, and each round."""
    return bool(record.players or record.parts) + len(record.rounds)


def _parts(parts: Iterable[Part]) -> tuple[PartView, ...]:
    return tuple(_part(part) for part in parts)


def _part(part: Part) -> PartView:
    match part:
        case Line():
            return LineView(part.text)
        case Table():
            columns = tuple(
                ColumnView(name, _is_numeric([row[at] for row in part.rows]))
                for at, name in enumerate(part.columns)
            )
            return TableView(columns, tuple(tuple(map(_cell, row)) for row in part.rows))
        case Chart():
            return _chart(part)


def _is_numeric(cells: Sequence[object]) -> bool:
    given = [cell for cell in cells if cell is not None]
    return bool(given) and all(isinstance(cell, int | float) and not isinstance(cell, bool) for cell in given)


def _cell(cell: str | int | float | bool | None) -> str:
    match cell:
        case None:
            return MISSING
        case bool():
            return _("yes") if cell else _("no")
        case str():
            return cell
        case _:
            return _number(cell)


def _number(value: float) -> str:
    """Every digit that a record gives, and no exponent below 1e15."""
    # 15 digits are exact in every double; with 17, 0.1 would be 0.10000000000000001.
    return f"{int(value)}" if value == int(value) else f"{value:.15g}"


def _chart(chart: Chart) -> ChartView:
    points = _points(chart.values)
    here = [point for point in points if point is not None]
    return ChartView(
        label=chart.label,
        path=_path(points),
        dots=tuple((f"{x:.2f}%", f"{y:.1f}") for x, y in here) if len(here) <= MOST_DOTS else (),
        summary=_summary(chart),
        numbers=", ".join(MISSING if value is None else _number(value) for value in chart.values),
    )


def _points(values: Sequence[float | None]) -> list[tuple[float, float] | None]:
    """Evenly spaced from left to right, in percent; the lowest value at the bottom, in pixels."""
    given = [value for value in values if value is not None]
    low, high = (min(given), max(given)) if given else (0.0, 0.0)
    room = CHART_HEIGHT - 2 * CHART_EDGE

    def point(at: int, value: float | None) -> tuple[float, float] | None:
        if value is None:
            return None
        x = 50.0 if len(values) == 1 else 2 + 96 * at / (len(values) - 1)
        share = 0.5 if high == low else (value - low) / (high - low)
        return x, CHART_EDGE + room * (1 - share)

    return [point(at, value) for at, value in enumerate(values)]


def _path(points: Sequence[tuple[float, float] | None]) -> str:
    """A line through the points, broken where a value is missing; a point between two gaps is a dot."""
    drawn = []
    for before, here in pairwise([None, *points]):
        if here is not None:
            # In SVG a move alone draws nothing; a line of no length with round ends is a dot.
            drawn.append(
                f"{'M' if before is None else 'L'}{here[0]:.2f} {here[1]:.1f}{'h0' if before is None else ''}"
            )
    return "".join(drawn)


def _summary(chart: Chart) -> str:
    given = [value for value in chart.values if value is not None]
    unit = f" {chart.unit}" if chart.unit else ""
    if not given:
        return _("no values")
    if len(given) == 1:
        return f"{_number(given[0])}{unit}"
    low, high = min(given), max(given)
    first, last = _number(given[0]), f"{_number(given[-1])}{unit}"
    if {low, high} <= {given[0], given[-1]}:
        return _("from {first} to {last}").format(first=first, last=last)
    return _("from {first} to {last}; lowest {low}, highest {high}").format(
        first=first, last=last, low=_number(low), high=_number(high)
    )
