"""The flow of participants and answers from the first page to the numbers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analysis import words
from analysis.data.flow import TITLES, Flow, FlowStep, flow_words, reason_words
from analysis.data.selection import Selection
from analysis.figures import canvas
from analysis.figures.figure import AnyFigure, Figure, NoFigure, numbers_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Sheet

NAME = "flow"
MOST_REASONS = 8
_BOX, _GAP, _SIDE = 1.95, 0.2, 2.3
_LINE, _PAD, _HEADING, _EDGE, _BETWEEN = 0.135, 0.06, 0.26, 0.06, 0.08
_HIGH = _LINE + 2 * _PAD


@dataclass(frozen=True, slots=True)
class _Step:
    """The number that remained; `lost` has the number lost before the next step, with the reasons."""

    n: int
    text: str
    lost: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class _Part:
    heading: str
    steps: tuple[_Step, ...]


def flow_figure(study: str, selection: Selection, flow: Flow, name: str = NAME) -> AnyFigure:
    """Draw what was left of participants and of their answers at each step, and where the others went (CONSORT).

    An answer left out is counted once, at its first reason.
    """
    title = f"Flow of participants of {study}"
    if not selection.n_rows and not flow.first.n:
        return NoFigure(name, title, "There is no session and no answer: nothing flowed.")
    parts = list(_parts(selection, flow))
    height = _height(parts)
    reasons = [why for part in parts for step in part.steps for _, why in step.lost]
    sentence = _sentence(selection, flow)
    reading = "Each answer left out is counted once, at its first reason." + canvas.missing_note(reasons)
    alt = f"Boxes from top to bottom, with what was left out beside them. {sentence}"
    svg, png = canvas.drawn(height, lambda sheet: _paint(sheet, parts, height), title, alt)
    rows = [row for part in parts for row in _rows(part)]
    numbers = numbers_of(("of", "step", "n"), rows, n_names=2)
    return Figure(name, title, sentence, alt, numbers, (canvas.WIDTH, height), svg, png, reading)


def _parts(selection: Selection, flow: Flow) -> Iterator[_Part]:
    yield _Part(f"Participants ({flow.mode})", tuple(map(_step_of, flow.steps)))
    answers = (
        _Step(selection.n_rows, "to trials", tuple(_left_out(selection))),
        _Step(selection.n_used, "are in the numbers"),
    )
    yield _Part("Answers", answers)


def _step_of(one: FlowStep) -> _Step:
    lost = tuple((loss.n, reason_words(loss.reason)) for loss in one.lost)
    joined = f" ({one.joined:,} not finished)" if one.joined else ""
    return _Step(one.n, f"{TITLES[one.step].lower()}{joined}", lost)


def _left_out(selection: Selection) -> Iterator[tuple[int, str]]:
    said = {"mode": "of mode {}", "kind": "to {} pairs", "excluded": "excluded: {}"}
    reasons = [
        (n, said[why].format(value)) for why, of in selection.left_out.items() for value, n in of.items()
    ]
    yield from reasons[:MOST_REASONS]
    if len(reasons) > MOST_REASONS:
        yield sum(n for n, _ in reasons[MOST_REASONS:]), f"for {len(reasons) - MOST_REASONS} more reasons"


def _lines(step: _Step) -> list[str]:
    """The side box's text."""
    return [
        line
        for n, why in step.lost
        if n
        for line in canvas.wrapped(f"{n:,} {why}", canvas.WIDTH - _SIDE - 2 * _PAD - _EDGE, canvas.SMALL)
    ]


def _below(step: _Step) -> float:
    """Room below a step's box for the arrow to the next, and for the side box."""
    lines = _lines(step)
    return len(lines) * _LINE + 2 * _PAD + 0.1 if lines else _GAP


def _height(parts: Sequence[_Part]) -> float:
    heights = [len(part.steps) * _HIGH + sum(map(_below, part.steps[:-1])) for part in parts]
    return 2 * _EDGE + sum(_HEADING + height + _BETWEEN for height in heights)


def _paint(sheet: "Sheet", parts: Sequence[_Part], height: float) -> None:
    axes = canvas.axes_at(sheet, 0, 0, canvas.WIDTH, height)
    axes.set_axis_off()
    axes.set_xlim(0, canvas.WIDTH)
    axes.set_ylim(height, 0)
    top = _EDGE
    for part in parts:
        axes.text(_EDGE, top + _HEADING * 0.55, part.heading, va="center", fontweight="bold")
        top += _HEADING
        for step in part.steps[:-1]:
            _box_with(axes, step, top)
            _arrows(axes, step, top + _HIGH)
            top += _HIGH + _below(step)
        _box_with(axes, part.steps[-1], top)
        top += _HIGH + _BETWEEN


def _box_with(axes: "Axes", step: _Step, top: float) -> None:
    _box(axes, _EDGE, top, _BOX, _HIGH)
    text = canvas.fitted(f"{step.n:,} {step.text}", _BOX - 2 * _PAD)
    axes.text(_EDGE + _BOX / 2, top + _HIGH / 2, text, ha="center", va="center")


def _arrows(axes: "Axes", step: _Step, top: float) -> None:
    """The arrows to the next step, and to those lost."""
    middle, bottom = _EDGE + _BOX / 2, top + _below(step)
    _arrow(axes, (middle, top), (middle, bottom))
    lines = _lines(step)
    if not lines:
        return
    high = len(lines) * _LINE + 2 * _PAD
    side = (top + bottom) / 2
    _arrow(axes, (middle, side), (_SIDE, side))
    _box(axes, _SIDE, side - high / 2, canvas.WIDTH - _SIDE - _EDGE, high, dashed=True)
    for number, line in enumerate(lines):
        down = side - high / 2 + _PAD + (number + 0.5) * _LINE
        axes.text(_SIDE + _PAD, down, line, va="center", fontsize=canvas.SMALL)


def _box(axes: "Axes", left: float, top: float, width: float, height: float, *, dashed: bool = False) -> None:
    across = [left, left + width, left + width, left, left]
    down = [top, top, top + height, top + height, top]
    axes.plot(across, down, color=canvas.MUTED, linewidth=0.8, linestyle=(0, (3, 2)) if dashed else "-")


def _arrow(axes: "Axes", start: tuple[float, float], end: tuple[float, float]) -> None:
    style = {"arrowstyle": "-|>", "color": canvas.MUTED, "linewidth": 0.9, "shrinkA": 0, "shrinkB": 0,
             "mutation_scale": 7}  # fmt: skip
    axes.annotate("", end, start, arrowprops=style)


def _sentence(selection: Selection, flow: Flow) -> str:
    reason = f" Nothing counts: {selection.reason}." if selection.reason else ""
    answers = words.count(selection.n_rows, "answer")
    people = words.count(selection.n_participants, "participant")
    return (
        f"{flow_words(flow)} Of {answers} by {people}, {selection.n_used:,} by {selection.n_participants_used:,} are "
        f"in the numbers.{reason}"
    )


def _rows(part: _Part) -> Iterator[tuple[str, ...]]:
    for step in part.steps:
        yield part.heading, step.text, str(step.n)
        for n, why in step.lost:
            if n:
                yield part.heading, f"left out: {why}", str(n)
