"""Judges against the human ceiling: the accuracy of each, over the band that one participant reaches."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analysis import words
from analysis.figures import canvas
from analysis.figures.figure import AnyFigure, Figure, NoFigure, numbers_of
from analysis.judging.measures import Group
from analysis.judging.sample import IDENTITY, LABELS
from analysis.judging.validation import JudgeResult, JudgeValidation
from analysis.stats.estimates import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Sheet

NAME, TITLE = "judges", "Judges against people"
MOST_JUDGES, MOST_CONDITIONS = 8, 12

_MEASURES = {
    LABELS: "Agrees with the majority of people",
    IDENTITY: "Finds the right member",
}
_DID = {LABELS: "agreed with the majority of people", IDENTITY: "found the right member"}
_HEAD = "judge's value", "95% interval", "one participant", "95% interval"
_LEFT, _RIGHT, _ABOVE, _AXIS, _KEY = 1.25, 0.12, 0.3, 0.34, 0.42
_LINE, _HEADING, _BETWEEN = 0.19, 0.19, 0.06
_BAND, _BAR = 0.36, 0.42


@dataclass(frozen=True, slots=True)
class Line:
    """One judge in one group of pairs or items; `place` is the judge's, which gives colour and marker.

    `more` are further cells of its row in the table of numbers."""

    judge: str
    place: int
    own: Estimate
    ceiling: Estimate
    more: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Block:
    """The judges that have a number in one group of pairs or items."""

    name: str
    lines: tuple[Line, ...]

    @property
    def height(self) -> float:
        return _HEADING + _LINE * len(self.lines) + _BETWEEN


@dataclass(frozen=True, slots=True)
class Panel:
    """One measure of all judges: its `title` and words for a sentence; what its axis counts and where that begins; and
    what chance gives, None where that is not one number."""

    title: str
    did: str
    how: str
    axis: str
    blocks: tuple[Block, ...]
    low: float = 0.0
    chance: float | None = 0.5

    @property
    def height(self) -> float:
        """The height of the axes only, in inches."""
        return sum(block.height for block in self.blocks)


def judges_figure(validation: JudgeValidation) -> AnyFigure:
    """Draw the accuracy of each judge, against people's majority and against the truth, for all pairs and by condition.

    The unit is the pair. Each judge is shown with one participant's accuracy against the others, on the pairs that the
    judge judged. Beyond eight judges the first eight are drawn, beyond twelve conditions the first twelve.
    """
    judges = validation.judges[:MOST_JUDGES]
    panels = [panel for panel in (_panel(judges, measure) for measure in _MEASURES) if panel.blocks]
    if not panels:
        return NoFigure(NAME, TITLE, "No judge has an accuracy: there is nothing to draw.")
    return drawn_judges(panels, "pair", "judge and condition", tuple(_left_out(validation)))


def drawn_judges(
    panels: Sequence[Panel],
    unit: str,
    each: str,
    left_out: Sequence[str],
    named: tuple[str, str] = (NAME, TITLE),
    more: Sequence[str] = (),
) -> Figure:
    """Draw judges with one person's level for comparison; intervals are over `unit`, and `left_out` names what is not
    drawn.

    `named` are the figure's name and title; `more` heads the further cells of its lines.
    """
    height = sum(_ABOVE + panel.height + _AXIS for panel in panels) + _KEY
    alt = _alt(panels, each)
    svg, png = canvas.drawn(height, lambda sheet: _paint(sheet, panels), named[1], alt)
    head = f"{unit}s", "judge", "measure", f"{unit}s judged", *_HEAD, *more
    return Figure(
        name=named[0],
        title=named[1],
        sentence=" ".join((*_sentences(panels, unit), *left_out)),
        alt=alt,
        numbers=numbers_of(head, [row for panel in panels for row in _rows(panel)], n_names=3),
        size=(canvas.WIDTH, height),
        svg=svg,
        png=png,
    )


def _panel(judges: Sequence[JudgeResult], measure: str) -> Panel:
    """All pairs first, where there is more than one condition; then each condition."""
    named = {group.name: "" for judge in judges for group in judge.groups if group.scope == "condition"}
    conditions = list(named)[:MOST_CONDITIONS]
    wanted = [("condition", name) for name in conditions]
    if len(conditions) != 1:
        wanted.insert(0, ("all", "all"))
    blocks = [_block(judges, measure, scope, name) for scope, name in wanted]
    drawn = tuple(block for block in blocks if block.lines)
    return Panel(_MEASURES[measure], _DID[measure], "in ", "share of pairs", drawn)


def _block(judges: Sequence[JudgeResult], measure: str, scope: str, name: str) -> Block:
    lines = []
    for place, judge in enumerate(judges):
        group = _group(judge, scope, name)
        if group and group.measures[measure].corrected.value is not None:
            found = group.measures[measure]
            lines.append(Line(judge.judge, place, found.corrected, found.ceiling))
    title = "All pairs" if scope == "all" else name or "no condition"
    return Block(title, tuple(lines))


def _group(judge: JudgeResult, scope: str, name: str) -> Group | None:
    return next((group for group in judge.groups if (group.scope, group.name) == (scope, name)), None)


def _paint(sheet: "Sheet", panels: Sequence[Panel]) -> None:
    width = canvas.WIDTH - _LEFT - _RIGHT
    top = sheet.get_size_inches()[1]
    for panel in panels:
        bottom = top - _ABOVE - panel.height
        axes = canvas.axes_at(sheet, _LEFT, bottom, width, panel.height)
        _scale(axes, panel, width)
        at = panel.height
        for block in panel.blocks:
            axes.text(
                panel.low + (-_LEFT / width + 0.03) * (1 - panel.low),
                at - _HEADING / 2,
                canvas.fitted(block.name, canvas.WIDTH - 0.2, canvas.SMALL),
                fontsize=canvas.SMALL,
                fontweight="bold",
                va="center",
                clip_on=False,
            )
            for number, line in enumerate(block.lines):
                _line(axes, line, at - _HEADING - _LINE * (number + 0.5), panel.low)
            at -= block.height
        top = bottom - _AXIS
    _key(sheet, has_chance=any(panel.chance is not None for panel in panels))


def _scale(axes: "Axes", panel: Panel, width: float) -> None:
    axes.set_xlim(panel.low, 1)
    axes.set_ylim(0, panel.height)
    at = [panel.low + place * (1 - panel.low) / 4 for place in range(5)]
    axes.set_xticks(at, [f"{value:g}" for value in at])
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    if panel.chance is not None:
        axes.plot(
            [panel.chance, panel.chance],
            [0, panel.height],
            color=canvas.MUTED,
            linewidth=0.9,
            linestyle=(0, (4, 3)),
            zorder=2.5,
        )
    axes.set_title(panel.title, fontsize=canvas.FONT, loc="left", x=-_LEFT / width + 0.03, color=canvas.INK)
    axes.set_xlabel(panel.axis, fontsize=canvas.SMALL, labelpad=1)


def _line(axes: "Axes", line: Line, y: float, low: float) -> None:
    colour = canvas.COLOURS[line.place % len(canvas.COLOURS)]
    marker = canvas.MARKERS[line.place % len(canvas.MARKERS)]
    name = canvas.fitted(line.judge, _LEFT - 0.2, canvas.SMALL)
    axes.text(low - 0.03 * (1 - low), y, name, fontsize=canvas.SMALL, ha="right", va="center", clip_on=False)
    band, value = line.ceiling.interval, line.ceiling.value
    if band.low is not None and band.high is not None:
        half = _BAND * _LINE
        axes.fill([band.low, band.high, band.high, band.low], [y - half, y - half, y + half, y + half],
                  facecolor="#d3d9df", linewidth=0, zorder=2)  # fmt: skip
    if value is not None:
        axes.plot(
            [value] * 2, [y - _BAR * _LINE, y + _BAR * _LINE], color=canvas.INK, linewidth=1.4, zorder=3
        )
    own = line.own
    if own.interval.low is not None and own.interval.high is not None:
        axes.plot([own.interval.low, own.interval.high], [y, y], color=colour, linewidth=1.5, zorder=4)
    axes.plot([own.value or 0.0], [y], marker=marker, markersize=5, markerfacecolor=colour, markeredgecolor="white",
              markeredgewidth=0.5, linestyle="", clip_on=False, zorder=5)  # fmt: skip


def _key(sheet: "Sheet", *, has_chance: bool) -> None:
    """The legend of the marks, drawn as they are above."""
    axes = canvas.axes_at(sheet, 0.0, 0.0, canvas.WIDTH, _KEY)
    axes.set_xlim(0, canvas.WIDTH)
    axes.set_ylim(0, _KEY)
    axes.axis("off")
    upper, lower = _KEY - 0.12, 0.12
    axes.fill(
        [0.1, 0.4, 0.4, 0.1], [upper - 0.06, upper - 0.06, upper + 0.06, upper + 0.06], facecolor="#d3d9df"
    )
    axes.plot([0.25, 0.25], [upper - 0.07, upper + 0.07], color=canvas.INK, linewidth=1.4)
    axes.text(
        0.48,
        upper,
        "one participant against the others, with 95% interval",
        fontsize=canvas.SMALL,
        va="center",
    )
    axes.plot([0.1, 0.4], [lower, lower], color=canvas.COLOURS[0], linewidth=1.5)
    axes.plot([0.25], [lower], marker=canvas.MARKERS[0], markersize=5, markerfacecolor=canvas.COLOURS[0],
              markeredgecolor="white", linestyle="")  # fmt: skip
    axes.text(0.48, lower, "judge, with 95% interval", fontsize=canvas.SMALL, va="center")
    if has_chance:
        axes.plot([2.35, 2.65], [lower, lower], color=canvas.MUTED, linewidth=0.9, linestyle=(0, (4, 3)))
        axes.text(2.73, lower, "chance", fontsize=canvas.SMALL, va="center")


def _sentences(panels: Sequence[Panel], unit: str) -> Iterator[str]:
    for panel in panels:
        first = panel.blocks[0]
        where = "" if first.name == "All pairs" or len(panel.blocks) == 1 else f" in {first.name}"
        for line in first.lines:
            reached = words.estimate(line.own.value, line.own.interval, words.count(line.own.n, unit))
            people = line.ceiling
            ceiling = words.estimate(people.value, people.interval, words.count(people.n, unit))
            yield f"{line.judge} {panel.did}{where} {panel.how}{reached}; one participant: {ceiling}."
    chance = next((f"; chance is {panel.chance:g}" for panel in panels if panel.chance is not None), "")
    yield (
        f"Each marker is a judge, with its interval over {unit}s; the dark line and grey band are one participant "
        f"against the others on the same {unit}s{chance}."
    )


def _left_out(validation: JudgeValidation) -> Iterator[str]:
    n_judges = len(validation.judges)
    if n_judges > MOST_JUDGES:
        yield f"The first {MOST_JUDGES} of {n_judges} judges are drawn."
    n_conditions = len({group.name for group in validation.judges[0].groups if group.scope == "condition"})
    if n_conditions > MOST_CONDITIONS:
        yield f"The first {MOST_CONDITIONS} of {n_conditions} conditions are drawn."


def _rows(panel: Panel) -> Iterator[tuple[str, ...]]:
    for block in panel.blocks:
        for line in block.lines:
            own, people = line.own, line.ceiling
            yield (
                block.name,
                line.judge,
                panel.title,
                str(own.n),
                words.number(own.value, 3),
                words.interval(own.interval, 3),
                words.number(people.value, 3),
                words.interval(people.interval, 3),
                *line.more,
            )


def _alt(panels: Sequence[Panel], each: str) -> str:
    parts = [
        f"{line.judge} {words.number(line.own.value)} beside one participant's "
        f"{words.number(line.ceiling.value)} ({block.name})"
        for panel in panels
        for block in panel.blocks[:1]
        for line in block.lines
    ]
    return f"One line for each {each}, a marker over a grey band: {'; '.join(parts)}."
