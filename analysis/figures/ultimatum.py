"""The Social Ultimatum Game: offers, rejections, recipients and reciprocation of several collections of play."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from analysis import words
from analysis.figures import canvas
from analysis.figures.figure import AnyFigure, Figure, NoFigure, numbers_of
from analysis.games.sug import Cases, Play

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Sheet

NAME, TITLE = "ultimatum", "Play in the Social Ultimatum Game"
MOST = len(canvas.COLOURS)
_PANEL, _GAP, _LEFT, _RIGHT, _BELOW, _LEGEND = 1.25, 0.55, 0.5, 0.1, 0.4, 0.15
_HEAD = ("panel", "at", "play", "cases", "share")


@dataclass(frozen=True, slots=True)
class _Panel:
    """One panel: a share, with its cases, at each place for each collection; None where there is no case."""

    title: str
    across: str
    at: Sequence[int]
    shares: Mapping[str, Sequence[float | None]]
    cases: Mapping[str, Sequence[int]]


def ultimatum_figure(plays: Mapping[str, Play], endowment: int, step: int = 1) -> AnyFigure:
    """Draw four panels, one below the other, with a line for each named collection of play, at most five.

    The panels are those of the paper's figure 2: shares of all offers by amount; shares of the offers of an amount that
    were rejected; shares of recipients by rank; and shares of chains of 1 to 8 offers in turn that went on. Amounts and
    chains of which there is no case are left out."""
    if not plays:
        return NoFigure(NAME, TITLE, "There is no play to draw.")
    shown = dict(list(plays.items())[:MOST])
    panels = _panels(shown, range(0, endowment + 1, step))
    height = len(panels) * (_PANEL + _GAP) + _BELOW - _GAP + 0.25 + _LEGEND * len(shown)
    alt = _alt(shown)
    svg, png = canvas.drawn(height, lambda sheet: _paint(sheet, panels, list(shown), height), TITLE, alt)
    return Figure(
        name=NAME,
        title=TITLE,
        sentence=" ".join(
            words.sentence(
                f"in {name} there are {words.count(sum(play.offers), 'offer')}, "
                f"{words.number(_mean(play, step))} on average, and "
                f"{sum(one.k for one in play.rejected):,} of them were rejected"
            )
            for name, play in shown.items()
        ),
        alt=alt,
        numbers=numbers_of(_HEAD, _rows(panels), n_names=3),
        size=(canvas.WIDTH, height),
        svg=svg,
        png=png,
        reading=_reading(plays) + canvas.missing_note(shown),
    )


def _panels(plays: Mapping[str, Play], amounts: Sequence[int]) -> list[_Panel]:
    def of_cases(title: str, across: str, at: Sequence[int], cases: Mapping[str, Sequence[Cases]]) -> _Panel:
        shares = {n: [one.k / one.n if one.n else None for one in each] for n, each in cases.items()}
        return _Panel(title, across, at, shares, {n: [one.n for one in each] for n, each in cases.items()})

    def of_all(title: str, across: str, at: Sequence[int], shares: Mapping[str, Sequence[float]]) -> _Panel:
        totals = {name: [sum(plays[name].offers)] * len(at) for name in shares}
        return _Panel(title, across, at, shares, totals)

    offers = {name: [n / max(sum(p.offers), 1) for n in p.offers] for name, p in plays.items()}
    ranks = {name: list(play.ranks) for name, play in plays.items()}
    n_ranks = max(map(len, ranks.values()))
    chains = {name: play.reciprocated for name, play in plays.items()}
    n_chains = max(map(len, chains.values()))
    return [
        of_all("Offers", "amount offered", amounts, offers),
        of_cases("Rejected", "amount offered", amounts, {n: p.rejected for n, p in plays.items()}),
        of_all("Recipients", "rank of the recipient", range(1, n_ranks + 1), ranks),
        of_cases("Reciprocated", "offers in turn before", range(1, n_chains + 1), chains),
    ]


def _paint(sheet: "Sheet", panels: Sequence[_Panel], names: Sequence[str], height: float) -> None:
    width = canvas.WIDTH - _LEFT - _RIGHT
    top = height - 0.25 - _LEGEND * len(names)
    for number, panel in enumerate(panels):
        bottom = top - _PANEL - number * (_PANEL + _GAP)
        axes = canvas.axes_at(sheet, _LEFT, bottom, width, _PANEL)
        _paint_panel(axes, panel)
        if number == 0:
            axes.legend(
                [canvas.fitted(name, width - 0.5, canvas.SMALL) for name in names],
                loc="lower left",
                bbox_to_anchor=(0, 1.12),
                frameon=False,
                fontsize=canvas.SMALL,
                borderpad=0,
                borderaxespad=0,
                labelspacing=0.25,
            )


def _paint_panel(axes: "Axes", panel: _Panel) -> None:
    for i, shares in enumerate(panel.shares.values()):
        values = np.array([np.nan if share is None else share for share in shares], dtype=float)
        axes.plot(
            list(panel.at),
            values,
            color=canvas.COLOURS[i],
            marker=canvas.MARKERS[i],
            # The first, which others are held against, stays visible under a line that covers it.
            markersize=3.2 if i else 5.2,
            linewidth=1.1 if i else 2.6,
        )
    axes.set_title(panel.title, fontsize=canvas.FONT, loc="left", pad=3)
    axes.set_xlabel(panel.across, fontsize=canvas.SMALL, labelpad=1)
    axes.set_ylabel("share", fontsize=canvas.SMALL, labelpad=2)
    axes.set_xlim(panel.at[0] - 0.5, panel.at[-1] + 0.5)
    axes.set_ylim(-0.03, 1.03)
    if len(panel.at) <= 21:
        axes.set_xticks(list(panel.at))


def _rows(panels: Sequence[_Panel]) -> list[tuple[str, ...]]:
    return [
        (panel.title.lower(), str(at), name, str(panel.cases[name][i]), words.number(shares[i], 3))
        for panel in panels
        for name, shares in panel.shares.items()
        for i, at in enumerate(panel.at)
    ]


def _mean(play: Play, step: int) -> float | None:
    n = sum(play.offers)
    return sum(step * i * count for i, count in enumerate(play.offers)) / n if n else None


def _reading(plays: Mapping[str, Play]) -> str:
    said = (
        "Rejected: of the offers of that amount. Recipients: each player's, from the most to the least chosen. "
        "Reciprocated: of the chains of so many offers in turn between two players, those that went on, whether the "
        "offers were accepted or not; a place without a case has no mark."
    )
    more = len(plays) - MOST
    return f"{said} {words.count(more, 'collection')} more not drawn." if more > 0 else said


def _alt(plays: Mapping[str, Play]) -> str:
    named = words.listed([canvas.legible(name) for name in plays])
    return (
        "Four panels, one below the other: shares of offers by amount, of rejections by amount, of recipients by "
        f"rank, and of chains that went on by their length; a line each for {named}."
    )
