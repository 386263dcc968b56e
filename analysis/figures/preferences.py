"""The frequency with which each participant chose one source over another, as sorted bars (the paper's Figure 8)."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis import words
from analysis.choice.studies import Preference, StudyResult
from analysis.figures import canvas
from analysis.figures.dots import thinned
from analysis.figures.figure import AnyFigure, Figure, NoFigure, numbers_of
from analysis.stats.description import Description
from analysis.stats.intervals import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Sheet

NAME, TITLE = "preferences", "Preference of each participant"
MOST_FIGURES, MOST_STUDIES, MOST_BARS = 6, 6, 120
_HIGH, _LEFT, _RIGHT, _BELOW, _ABOVE = 1.7, 0.53, 0.06, 0.3, 0.38
_HEAD = ("study", "share", "participants with it")

About = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class _Bars:
    """One study's shares, highest first."""

    study: str
    shares: Floats
    described: Description


def preference_figures(studies: Sequence[StudyResult]) -> Iterator[AnyFigure]:
    """Draw, for each two sources without a right one among them, each participant's share of choices as a bar.

    Where a pair has a right member the preference is an accuracy and is drawn there. One bar is one participant. Beyond
    120 participants of a study, 120 are drawn, evenly chosen by rank; beyond six kinds of preference, the first six."""
    found: dict[About, list[_Bars]] = {}
    for study in studies:
        for about, bars in _bars(study):
            found.setdefault(about, []).append(bars)
    if not found:
        yield NoFigure(NAME, TITLE, _why_none(studies))
    for number, (about, panels) in enumerate(sorted(found.items())[:MOST_FIGURES], start=1):
        yield _figure(NAME if len(found) == 1 else f"{NAME}-{number}", about, panels)
    if len(found) > MOST_FIGURES:
        reason = (
            f"{len(found) - MOST_FIGURES} more preferences are not drawn; their numbers are in the tables."
        )
        yield NoFigure(f"{NAME}-more", "Further preferences", reason)


def _why_none(studies: Sequence[StudyResult]) -> str:
    if any(one.has_truth for study in studies for one in study.preferences):
        return "Every preference is one for the right member: it is the accuracy, and drawn as such."
    return "No answer is to a pair of two different sources: there is no preference to draw."


def _bars(study: StudyResult) -> Iterator[tuple[About, _Bars]]:
    table = study.participant_preferences
    for one in study.preferences:
        if one.has_truth:
            continue
        rows = _same(table["condition"], one.condition) & _same(table["source"], one.source)
        rows &= _same(table["against"], one.against)
        shares = table.loc[rows, "preference"].to_numpy(dtype=float)
        shares = np.sort(shares[~np.isnan(shares)])[::-1]
        if len(shares):
            yield _comparison_key(one), _Bars(study.study, shares, one.description)


def _same(column: pd.Series, value: str) -> npt.NDArray[np.bool_]:
    same: npt.NDArray[np.bool_] = (column == value).to_numpy(dtype=bool)
    return same


def _comparison_key(one: Preference) -> About:
    return one.condition, one.source, one.against


def _figure(name: str, about: About, panels: Sequence[_Bars]) -> Figure:
    drawn = panels[:MOST_STUDIES]
    rows = -(-len(drawn) // 2)
    condition, source, against = about
    title = f"How often each participant chose {source} over {against}" + (
        f" ({condition})" if condition else ""
    )
    alt = _alt(about, drawn)
    height = _HIGH * rows
    svg, png = canvas.drawn(height, lambda sheet: _paint(sheet, about, drawn, rows), title, alt)
    return Figure(
        name=name,
        title=title,
        sentence=" ".join(_sentences(about, panels)),
        alt=alt,
        numbers=numbers_of(_HEAD, [row for panel in drawn for row in _rows(panel)], n_names=2),
        size=(canvas.WIDTH, height),
        svg=svg,
        png=png,
        reading=" ".join(_reading(panels)) + canvas.missing_note([*about, *(one.study for one in drawn)]),
    )


def _paint(sheet: "Sheet", about: About, panels: Sequence[_Bars], rows: int) -> None:
    columns = 1 if len(panels) == 1 else 2
    width = canvas.WIDTH / columns
    for number, panel in enumerate(panels):
        row, column = divmod(number, columns)
        place = column * width + _LEFT, (rows - 1 - row) * _HIGH + _BELOW
        size = width - _LEFT - _RIGHT, _HIGH - _BELOW - _ABOVE
        axes = canvas.axes_at(sheet, *place, *size)
        _panel(axes, panel, number, size[0])
        if column == 0:
            label = canvas.fitted(f"chose {about[1]}", size[1], canvas.SMALL)
            axes.set_ylabel(label, fontsize=canvas.SMALL, labelpad=3)


def _panel(axes: "Axes", panel: _Bars, number: int, width: float) -> None:
    colour = canvas.COLOURS[number % len(canvas.COLOURS)]
    shares = thinned(panel.shares, MOST_BARS)[::-1]
    places = np.arange(len(shares))
    axes.bar(places, shares, width=0.72 if len(shares) <= 60 else 1.0, color=colour, linewidth=0, zorder=2)
    # A bar of no height would be a participant unseen.
    zeros = places[shares == 0]
    axes.plot(zeros, np.full(len(zeros), 0.02), "v", color=colour, markersize=2.5, zorder=3)
    axes.set_xlim(-1, len(shares))
    axes.set_ylim(0, 1.03)
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "0.25", "0.5", "0.75", "1"])
    axes.set_xticks([])
    axes.axhline(0.5, color="white", linewidth=1.6, zorder=3)
    axes.axhline(0.5, color=canvas.INK, linewidth=0.9, linestyle=(0, (4, 3)), zorder=4)
    axes.set_xlabel(f"{words.count(len(panel.shares), 'participant')}, sorted", fontsize=canvas.SMALL)
    heading = f"{canvas.fitted(panel.study, width)}\nmean {words.number(panel.described.mean)}"
    axes.set_title(heading, fontsize=canvas.FONT, loc="left", pad=3, color=canvas.INK)


def _sentences(about: About, panels: Sequence[_Bars]) -> Iterator[str]:
    _, source, against = about
    means = [
        words.described(panel.described) + (f" in {panel.study}" if len(panels) > 1 else "")
        for panel in panels
    ]
    yield words.sentence(f"the mean share of choices of {source} over {against} was {words.listed(means)}")
    parts = []
    for panel in panels:
        above, below = int((panel.shares > 0.5).sum()), int((panel.shares < 0.5).sum())
        where = f" in {panel.study}" if len(panels) > 1 else ""
        parts.append(
            f"{above:,} of {len(panel.shares):,} participants chose {source} more often than not{where}, "
            f"{below:,} less often"
        )
    yield words.sentence("; ".join(parts))


def _reading(panels: Sequence[_Bars]) -> Iterator[str]:
    yield "Each bar is one participant, highest first; the dashed line is no preference."
    if any(len(panel.shares) > MOST_BARS for panel in panels):
        yield f"At most {MOST_BARS} participants of a study are drawn, evenly chosen by rank; the means are of all."
    if len(panels) > MOST_STUDIES:
        yield f"The first {MOST_STUDIES} of {len(panels)} studies are drawn."


def _rows(panel: _Bars) -> Iterator[tuple[str, ...]]:
    counts: Mapping[float, int] = Counter(panel.shares.tolist())
    for share in sorted(counts, reverse=True):
        yield panel.study, f"{share:.3f}", str(counts[share])


def _alt(about: About, panels: Sequence[_Bars]) -> str:
    parts = [
        f"{panel.study}, {len(panel.shares)} participants from {panel.shares[0]:.2f} down to {panel.shares[-1]:.2f}"
        for panel in panels
    ]
    return (
        f"Bars, one for each participant, of the share of choices of {about[1]}, sorted: {'; '.join(parts)}."
    )
