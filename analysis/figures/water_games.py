"""The water auction game by game: who is alive at the end (table 2 of the paper), and bids, health and balance by day
(its figures 7 to 9), each with the resource satisfaction rate."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from analysis import words
from analysis.figures import canvas
from analysis.figures.figure import AnyFigure, Figure, NoFigure, Numbers
from analysis.games.wac import Curve, WaterSetting

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Sheet

What = Literal["bids", "healths", "balances"]
_NAMES: dict[What, tuple[str, str]] = {
    "bids": ("bid", "bid ($)"),
    "healths": ("health at the end of the day", "health"),
    "balances": ("balance at the end of the day", "balance ($)"),
}
RSR = "RSR"
_COLUMNS = 2
_LEFT, _RIGHT, _BELOW, _ABOVE = 0.5, 0.1, 0.4, 0.36
_HIGH, _GAP, _BETWEEN = 1.05, 0.32, 0.5
_ROW, _LABEL, _RATE = 0.22, 0.75, 0.45
MOST_RATES = 12
"""So many satisfaction rates fit beside each other."""
MOST_GAMES = 40
"""More games than that have no room beside each other in the drawing of who is alive; the numbers have them."""


def games_figure(setting: WaterSetting, what: What, name: str, title: str) -> AnyFigure:
    """Draw a panel for each resident with a line for each game, and one for the satisfaction rate; by day.

    A line ends on the resident's last day, with a cross where it died. The thick line is the mean over the games in
    which it began the day alive; at most five residents are drawn."""
    if not setting.rsr.means:
        return NoFigure(name, title, "No day was played.")
    said, label = _NAMES[what]
    residents = list(setting.bids)[: len(canvas.COLOURS)]
    lines = {
        **{each: [getattr(run, what)[each] for run in setting.runs] for each in residents},
        RSR: [run.rsr for run in setting.runs],
    }
    curves: dict[str, Curve] = {
        **{each: getattr(setting, what)[each] for each in residents},
        RSR: setting.rsr,
    }
    rows = -(-len(lines) // _COLUMNS)
    height = _ABOVE + rows * _HIGH + (rows - 1) * _GAP + _BELOW
    n = words.count(len(setting.runs), "game")
    alt = f"{said.capitalize()} by day, a panel for each resident with a line for each of {n}, and the RSR in grey."
    dead = {each: [not run.alive[each] for run in setting.runs] for each in residents}
    svg, png = canvas.drawn(
        height, lambda sheet: _panels(sheet, lines, curves, dead, label, height), title, alt
    )
    first, last = setting.rsr.means[0], setting.rsr_end
    left = (
        "nobody is left in any"
        if last is None
        else f"{words.number(last, 2)} in {setting.n_rsr_end} with survivors"
    )
    return Figure(
        name=name,
        title=title,
        sentence=words.sentence(
            f"over {n} the RSR is {words.number(first, 2)} on the first day, and at the end {left}"
        ),
        alt=alt,
        numbers=_by_day(setting, lines, curves),
        size=(canvas.WIDTH, height),
        svg=svg,
        png=png,
        reading="Thin: one game each, to the resident's last day; a cross where it died. Thick: the mean of those "
        "alive, over the games in which the resident began the day alive. RSR: expected supply over the need of "
        "those who began the day alive; thick its mean over the games in which anybody did."
        + canvas.missing_note(residents),
    )


def marks_figure(setting: WaterSetting, name: str, title: str) -> AnyFigure:
    """Draw who is alive at the end of each game, the ticks of table 2, with the satisfaction rates at both ends."""
    residents, runs = list(setting.survival.rates), setting.runs[:MOST_GAMES]
    height = (len(residents) + 2) * _ROW + _BELOW
    n = words.count(setting.survival.games, "game")
    alt = f"For each resident a mark for each of {n}: a dot where it is alive at the end, a cross where not."

    def paint(sheet: "Sheet") -> None:
        width = canvas.WIDTH - _LABEL - _RATE
        axes = canvas.axes_at(sheet, _LABEL, _BELOW, width, (len(residents) + 2) * _ROW)
        for at, resident in enumerate(residents):
            alive = np.array([run.alive[resident] for run in runs])
            places = np.arange(1, len(runs) + 1)
            for which, marker in ((alive, "o"), (~alive, "x")):
                colour = canvas.COLOURS[0] if marker == "o" else canvas.MUTED
                axes.plot(places[which], np.full(which.sum(), -at), marker, color=colour, markersize=4)
        _rates(axes, setting, residents)

    svg, png = canvas.drawn(height, paint, title, alt)
    end = "none" if setting.rsr_end is None else words.number(setting.rsr_end, 2)
    return Figure(
        name=name,
        title=title,
        sentence=words.sentence(
            f"of {len(residents)} residents {words.number(setting.survival.survivors, 1)} are alive at the end on "
            f"average over {n}; RSR {words.number(setting.rsr_start, 2)} at the start, {end} at the end"
        ),
        alt=alt,
        numbers=_marks(setting),
        size=(canvas.WIDTH, height),
        svg=svg,
        png=png,
        reading="A dot: alive at the end; a cross: died. RSR, end: expected supply over the need of those alive. "
        "Right: the share of games, and the mean rate of the games with survivors."
        + canvas.missing_note(residents),
    )


def _panels(
    sheet: "Sheet",
    lines: dict[str, list[Sequence[float | None]]],
    curves: dict[str, Curve],
    dead: dict[str, list[bool]],
    label: str,
    height: float,
) -> None:
    width = (canvas.WIDTH - _LEFT - _RIGHT - _BETWEEN * (_COLUMNS - 1)) / _COLUMNS
    top = max(
        (one for name, each in lines.items() if name != RSR for run in each for one in run if one), default=1
    )
    key = "thin: a game; thick: mean of those alive; \N{MULTIPLICATION SIGN}: died"
    sheet.text(
        _LEFT / canvas.WIDTH, 1 - 0.14 / height, key, fontsize=canvas.SMALL, va="center", color=canvas.MUTED
    )
    for number, (name, runs) in enumerate(lines.items()):
        row, column = divmod(number, _COLUMNS)
        bottom = height - _ABOVE - _HIGH - row * (_HIGH + _GAP)
        axes = canvas.axes_at(sheet, _LEFT + column * (width + _BETWEEN), bottom, width, _HIGH)
        colour = canvas.MUTED if name == RSR else canvas.COLOURS[number]
        days = range(1, len(curves[name].means) + 1)
        for at, run in enumerate(runs):
            axes.plot(days, _above_0(run), color=colour, linewidth=0.6, alpha=0.45)
            lived = [(day, one) for day, one in zip(days, run, strict=True) if one is not None]
            if name != RSR and dead[name][at] and lived:
                axes.plot(
                    lived[-1][0], max(0, lived[-1][1]), "x", color=colour, markersize=3.5, clip_on=False
                )
        axes.plot(days, _above_0(curves[name].means), color=colour, linewidth=1.7)
        axes.set_title(canvas.fitted(name, width, canvas.FONT), fontsize=canvas.FONT, pad=3, loc="left")
        axes.set_xlim(0.5, len(days) + 0.5)
        axes.set_xticks(named_days(len(days), 4))
        axes.set_ylim(0, None if name == RSR else top * 1.05)
        if column == 0:
            axes.set_ylabel(label if name != RSR else RSR, fontsize=canvas.SMALL, labelpad=2)
        if number >= len(lines) - _COLUMNS:
            axes.set_xlabel("day", fontsize=canvas.SMALL, labelpad=1)


def _rates(axes: "Axes", setting: WaterSetting, residents: Sequence[str]) -> None:
    n = min(len(setting.runs), MOST_GAMES)
    named = [canvas.fitted(one, _LABEL - 0.15) for one in (*residents, "RSR, end")]
    axes.set_yticks([-at for at in range(len(named))], named)
    axes.tick_params(length=0)
    axes.set_xticks(named_days(n, 10))
    axes.set_xlim(0.3, n + 0.7)
    axes.set_ylim(-len(residents) - 0.5, 1.5)
    for edge in axes.spines.values():
        edge.set_visible(False)
    axes.set_xlabel("game", fontsize=canvas.SMALL, labelpad=1)
    shares = [words.number(setting.survival.rates[one], 2) for one in residents]
    for at, said in enumerate(("mean", *shares, words.number(setting.rsr_end, 2)), -1):
        axes.annotate(
            said,
            (1.0, -at),
            xycoords=("axes fraction", "data"),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            fontsize=canvas.SMALL,
        )
    if n <= MOST_RATES:
        for at, run in enumerate(setting.runs, 1):
            end = words.number(run.rsr_end, 2)
            axes.text(at, -len(residents), end, ha="center", va="center", fontsize=canvas.SMALL)


def _by_day(
    setting: WaterSetting, lines: dict[str, list[Sequence[float | None]]], curves: dict[str, Curve]
) -> Numbers:
    """A row for each resident and game, with the mean of those alive and their number last."""
    days = [f"day {day}" for day in range(1, len(setting.rsr.means) + 1)]
    rows = []
    for name, runs in lines.items():
        digits = 2 if name == RSR else 1
        for run, line in zip(setting.runs, runs, strict=True):
            rows.append((name, run.name, *(words.number(one, digits) for one in line)))
        rows.append((name, "mean of those alive", *(words.number(one, digits) for one in curves[name].means)))
        rows.append((name, "games", *map(str, curves[name].n)))
    return Numbers(("resident", "game", *days), tuple(rows), 2)


def _marks(setting: WaterSetting) -> Numbers:
    """Rows and columns of table 2; 1 where alive."""
    alive = [
        (name, *(str(int(run.alive[name])) for run in setting.runs), words.number(rate, 2))
        for name, rate in setting.survival.rates.items()
    ]
    start, end = words.number(setting.rsr_start, 2), [words.number(run.rsr_end, 2) for run in setting.runs]
    rates = (
        ("RSR at the start", *[start] * len(setting.runs), start),
        ("RSR at the end", *end, words.number(setting.rsr_end, 2)),
    )
    return Numbers(("resident", *(run.name for run in setting.runs), "mean"), (*alive, *rates))


def named_days(n: int, about: int = 8) -> list[int]:
    """About so many whole days to label on an axis."""
    step = max(1, round(n / about))
    return [1, *range(step, n + 1, step)] if step > 1 else list(range(1, n + 1))


def _above_0(values: Sequence[float | None]) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """Values for drawing: health can end below 0, which is drawn as 0."""
    return np.array([np.nan if one is None else max(0, one) for one in values], dtype=float)
