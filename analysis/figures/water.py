"""The water auction: lowest winning bids by day, and curves of bids, balance and health of each resident."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from analysis import words
from analysis.figures import canvas
from analysis.figures.figure import AnyFigure, Figure, NoFigure, numbers_of
from analysis.figures.water_games import games_figure, marks_figure, named_days
from analysis.games.wac import Curve, WaterSetting

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Sheet

_LEFT, _RIGHT, _BELOW = 0.58, 0.1, 0.4
_PRICES = 1.9
_PANEL, _GAP, _LEGEND = 1.2, 0.35, 0.22
_STYLES = ("-", "--", "-.", ":", (0, (1, 3)))


def setting_figures(setting: WaterSetting, name: str, title: str) -> list[AnyFigure]:
    """All figures of a setting: who lives (table 2 of the paper), its figure 4, means of those alive, figures 7 to 9.

    `name` ends the names of their files, `title` their titles."""
    return [
        marks_figure(setting, f"survival-{name}", f"Alive at the end: {title}"),
        prices_figure(setting, f"prices-{name}", f"Lowest winning bids: {title}"),
        residents_figure(setting, f"residents-{name}", f"Residents: {title}"),
        games_figure(setting, "bids", f"bids-{name}", f"Bids in each game: {title}"),
        games_figure(setting, "healths", f"health-{name}", f"Health in each game: {title}"),
        games_figure(setting, "balances", f"balance-{name}", f"Balance in each game: {title}"),
    ]


def prices_figure(setting: WaterSetting, name: str, title: str) -> AnyFigure:
    """Draw a box for each day: the lowest winning bids of that day over games, in dollars.

    The box is the middle half with the median in it, whiskers reach at most 1.5 times its height, dots lie beyond."""
    if not any(setting.prices):
        return NoFigure(name, title, "Nobody won on any day.")
    n = setting.survival.games
    height = _PRICES + _BELOW + 0.1
    alt = f"A box for each of {len(setting.prices)} days: the lowest winning bids over {words.count(n, 'game')}."
    place = (_LEFT, _BELOW, canvas.WIDTH - _LEFT - _RIGHT, _PRICES)
    svg, png = canvas.drawn(height, lambda s: _boxes(canvas.axes_at(s, *place), setting), title, alt)
    rows = [
        (str(day), str(len(bids)), *(words.number(q, 1) for q in _quartiles(bids)))
        for day, bids in enumerate(setting.prices, 1)
    ]
    return Figure(
        name=name,
        title=title,
        sentence=words.sentence(
            f"over {words.count(n, 'game')} the mean of the daily medians is "
            f"{words.number(setting.mean_median, 1)} dollars"
        ),
        alt=alt,
        numbers=numbers_of(
            ("day", "games", "lowest", "lower quartile", "median", "upper quartile", "highest"), rows
        ),
        size=(canvas.WIDTH, height),
        svg=svg,
        png=png,
        reading="Lowest winning bid of a day, games without a winner on it left out.",
    )


def residents_figure(setting: WaterSetting, name: str, title: str) -> AnyFigure:
    """Draw three panels with a line for each resident: mean bid, balance and health at the end of the day, by day.

    Each mean is of the games in which the resident began the day alive; at most five residents are drawn."""
    residents = list(setting.bids)[: len(canvas.COLOURS)]
    panels = (
        ("mean bid ($)", setting.bids),
        ("mean balance ($)", setting.balances),
        ("mean health", setting.healths),
    )
    height = len(panels) * (_PANEL + _GAP) + _BELOW - _GAP + 0.1 + _LEGEND
    named = words.listed([canvas.legible(one) for one in residents])
    alt = f"Bids, balance and health by day, a line each for {named}."
    svg, png = canvas.drawn(height, lambda sheet: _curves(sheet, panels, residents, height), title, alt)
    rows = [
        (
            resident,
            str(day),
            str(curves["mean bid ($)"].n[day - 1]),
            *(_at(curve, day) for curve in curves.values()),
        )
        for resident in residents
        for curves in [{what: by_name[resident] for what, by_name in panels}]
        for day in range(1, len(setting.prices) + 1)
    ]
    alive = [f"{one} in {setting.survival.rates[one] * setting.survival.games:.0f}" for one in residents]
    return Figure(
        name=name,
        title=title,
        sentence=words.sentence(
            f"alive at the end of {words.count(setting.survival.games, 'game')}: {words.listed(alive)}"
        ),
        alt=alt,
        numbers=numbers_of(
            ("resident", "day", "games", "mean bid", "mean balance", "mean health"), rows, n_names=2
        ),
        size=(canvas.WIDTH, height),
        svg=svg,
        png=png,
        reading="Means over the games in which the resident began the day alive."
        + canvas.missing_note(residents),
    )


def _boxes(axes: "Axes", setting: WaterSetting) -> None:
    days = [day for day, bids in enumerate(setting.prices, 1) if bids]
    line = {"color": canvas.COLOURS[0], "linewidth": 0.9}
    axes.boxplot(
        [np.array(setting.prices[day - 1], dtype=float) for day in days],
        positions=days,
        widths=0.6,
        boxprops=line,
        whiskerprops=line,
        capprops=line,
        medianprops={"color": canvas.INK, "linewidth": 1.4},
        flierprops={"marker": "o", "markersize": 2, "markeredgecolor": canvas.COLOURS[0]},
        # boxplot would put a tick at every day.
        manage_ticks=False,
    )
    axes.set_xlim(0, len(setting.prices) + 1)
    axes.set_xticks(named_days(len(setting.prices)))
    axes.set_ylim(bottom=0)
    axes.set_xlabel("day", fontsize=canvas.SMALL, labelpad=1)
    axes.set_ylabel("lowest winning bid ($)", fontsize=canvas.SMALL, labelpad=2)


def _curves(
    sheet: "Sheet", panels: Sequence[tuple[str, Mapping[str, Curve]]], residents: Sequence[str], height: float
) -> None:
    width = canvas.WIDTH - _LEFT - _RIGHT
    for number, (what, curves) in enumerate(panels):
        bottom = height - 0.1 - _LEGEND - _PANEL - number * (_PANEL + _GAP)
        axes = canvas.axes_at(sheet, _LEFT, bottom, width, _PANEL)
        for i, resident in enumerate(residents):
            means = np.array([np.nan if m is None else m for m in curves[resident].means], dtype=float)
            axes.plot(
                range(1, len(means) + 1), means, color=canvas.COLOURS[i], linestyle=_STYLES[i], linewidth=1.2
            )
        axes.set_xticks(named_days(len(curves[residents[0]].means)))
        axes.set_ylim(bottom=0)
        axes.set_ylabel(f"{what}\nof those alive", fontsize=canvas.SMALL, labelpad=2)
        if number == 0:
            axes.legend(
                [canvas.fitted(one, 0.6, canvas.SMALL) for one in residents],
                loc="lower left",
                bbox_to_anchor=(-0.02, 1.0),
                ncols=len(residents),
                frameon=False,
                fontsize=canvas.SMALL,
                handlelength=1.8,
                columnspacing=1.0,
                borderpad=0.1,
                borderaxespad=0.2,
            )
    axes.set_xlabel("day", fontsize=canvas.SMALL, labelpad=1)


def _quartiles(bids: Sequence[float]) -> list[float | None]:
    return [float(q) for q in np.quantile(bids, [0, 0.25, 0.5, 0.75, 1])] if bids else [None] * 5


def _at(curve: Curve, day: int) -> str:
    return words.number(curve.means[day - 1], 1)
