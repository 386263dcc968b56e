"""GLEE: how each factor of the configuration changes a measure, by player and role."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from analysis import words
from analysis.figures import canvas
from analysis.figures.figure import AnyFigure, Figure, NoFigure, numbers_of
from analysis.games.glee_model import Effect, GleeModel
from analysis.signs import signed

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Sheet

TITLE = "Effects of the configuration"
MOST_ROWS = 24
LEAST_REACH = 0.01
"""An axis goes so far to both sides of no change, so that none magnifies what is next to nothing."""
_ROW, _BELOW, _ABOVE, _LEFT, _RIGHT, _PANEL_TITLE = 0.19, 0.42, 0.1, 1.9, 0.1, 0.24
_HEAD = ("measure", "from", "to", "role", "player", "others at", "difference", "95% interval")


def effects_figure(models: Sequence[GleeModel], factor: str, name: str) -> AnyFigure:
    """Draw the change of each measure from the first level of one factor to each other, with its interval.

    A panel for each measure; in it a row for each role, player and level, at most 24. `name` is fit for a file name."""
    title = f"{TITLE}: {factor.replace('_', ' ')}"
    panels = [
        (model, effects)
        for model in models
        if (effects := [one for one in model.effects if one.factor == factor])
    ]
    if not panels:
        return NoFigure(name, title, f"One level of {factor.replace('_', ' ')} alone was played.")
    heights = [_ROW * min(len(effects), MOST_ROWS) + _BELOW + _PANEL_TITLE for _, effects in panels]
    height = sum(heights) + _ABOVE
    alt = (
        f"A panel for each of {words.listed([model.measure for model, _ in panels])}; in it a row for each role, "
        f"player and level of {factor}: a dot for the change from {panels[0][1][0].base}, and its interval; a line "
        "marks no change."
    )
    svg, png = canvas.drawn(height, lambda sheet: _paint(sheet, panels, heights, height), title, alt)
    return Figure(
        name=name,
        title=title,
        sentence=" ".join(_sentence(effects, model) for model, effects in panels),
        alt=alt,
        numbers=numbers_of(
            _HEAD, [_row(model.measure, one) for model, each in panels for one in each], n_names=6
        ),
        size=(canvas.WIDTH, height),
        svg=svg,
        png=png,
        reading=_reading(panels) + canvas.missing_note(one.player for _, each in panels for one in each),
    )


def _paint(
    sheet: "Sheet",
    panels: Sequence[tuple[GleeModel, Sequence[Effect]]],
    heights: Sequence[float],
    height: float,
) -> None:
    top = height - _ABOVE
    for (model, effects), own in zip(panels, heights, strict=True):
        place = (_LEFT, top - own + _BELOW, canvas.WIDTH - _LEFT - _RIGHT, own - _BELOW - _PANEL_TITLE)
        _paint_panel(canvas.axes_at(sheet, *place), model.measure, effects[:MOST_ROWS])
        top -= own


def _paint_panel(axes: "Axes", measure: str, effects: Sequence[Effect]) -> None:
    axes.set_ylim(len(effects), 0)
    axes.axvline(0, color=canvas.LINE, linewidth=0.8, zorder=1)
    for number, one in enumerate(effects):
        of_role = 0 if one.role == "alice" else 1
        colour, middle = canvas.COLOURS[of_role], number + 0.5
        if one.low is not None and one.high is not None:
            line = "-" if one.at == "all" else ":"
            axes.plot(
                [one.low, one.high], [middle, middle], color=colour, linewidth=1.3, linestyle=line, zorder=2
            )
        axes.plot(
            [one.difference],
            [middle],
            linestyle="",
            marker=canvas.MARKERS[of_role],
            markersize=3.5,
            color=colour,
            markerfacecolor="white" if one.low is None else colour,
            zorder=3,
        )
    names = [f"{one.player} as {one.role}: {one.level}" for one in effects]
    axes.set_yticks(
        [number + 0.5 for number in range(len(effects))],
        [canvas.fitted(text, _LEFT - 0.1, canvas.SMALL) for text in names],
    )
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    low, high = axes.get_xlim()
    axes.set_xlim(min(low, -LEAST_REACH), max(high, LEAST_REACH))
    axes.set_title(measure, fontsize=canvas.FONT, loc="left", pad=3)
    axes.set_xlabel(f"change from {effects[0].base}", fontsize=canvas.SMALL, labelpad=1)


def _sentence(effects: Sequence[Effect], model: GleeModel) -> str:
    known = [one for one in effects if one.low is not None]
    if not known:
        return words.sentence(f"{model.measure}: the {words.count(model.games, 'game')} leave no interval")
    largest = max(known, key=lambda one: abs(one.difference))
    limits = f"95% interval {words.number(largest.low)} to {words.number(largest.high)}"
    return words.sentence(
        f"{model.measure}: of {words.count(model.games, 'game')}, the largest change is that of {largest.player} as "
        f"{largest.role} from {largest.base} to {largest.level}, {signed(largest.difference)} ({limits})"
    )


def _reading(panels: Sequence[tuple[GleeModel, Sequence[Effect]]]) -> str:
    baseline = words.listed(
        [f"{name.replace('_', ' ')} {level}" for name, level in panels[0][0].baseline.items()]
    )
    said = (
        "Differences of the regression's predictions, averaged over partners and over all other factors; with a "
        f"dotted interval at the configuration that was played most ({baseline}), as the games determine no more. "
        "A hollow dot has no interval."
    )
    more = max(len(each) for _, each in panels) - MOST_ROWS
    return f"{said} {words.count(more, 'row')} more of a panel not drawn." if more > 0 else said


def _row(measure: str, one: Effect) -> tuple[str, ...]:
    limits = words.NONE if one.low is None else f"{words.number(one.low, 3)} to {words.number(one.high, 3)}"
    return measure, one.base, one.level, one.role, one.player, one.at, words.number(one.difference, 3), limits
