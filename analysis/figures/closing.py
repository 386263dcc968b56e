"""Distances to people against people's choices: for each metric, how far a source is and how often it passed."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from analysis import words
from analysis.distances import (
    FEWEST_SOURCES,
    MOST_METRICS,
    NO_RHO,
    Closing,
    MetricAgainstPeople,
    SourceDistance,
    TakenForHuman,
)
from analysis.figures import canvas
from analysis.figures.figure import AnyFigure, Figure, NoFigure, numbers_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Sheet

NAME, TITLE = "closing", "Distance to people, and how often taken for a person"
MOST_SAID, MOST_SOURCES = 8, 30
_FEW = 4  # above these, panels stand in two columns
_PANEL, _GAP, _LEFT, _RIGHT, _BELOW, _ABOVE = 1.45, 0.62, 0.5, 0.15, 0.42, 0.25
_HEAD = (
    *("metric", "source", "distance", "95% interval", "measured"),
    *("taken for a person", "95% interval", "trials", "participants"),
)


def closing_figure(found: Closing) -> AnyFigure:
    """Draw one panel for each metric, at most 24: a mark for each source, its distance to people across, the share
    of trials in which it was taken for a person upwards, both with their intervals; 0.5 is where people cannot tell.

    The sources are at most the first thirty of each metric."""
    if not found.metrics:
        return NoFigure(NAME, TITLE, _why_none(found))
    taken = {one.source: one for one in found.taken}
    metrics = found.metrics[:MOST_METRICS]
    height = -(-len(metrics) // _columns(metrics)) * (_PANEL + _GAP) - _GAP + _BELOW + _ABOVE
    alt = _alt(metrics, taken)
    svg, png = canvas.drawn(height, lambda sheet: _paint(sheet, metrics, taken, height), TITLE, alt)
    return Figure(
        name=NAME,
        title=TITLE,
        sentence=" ".join(_sentences(found, taken)),
        alt=alt,
        numbers=numbers_of(
            _HEAD, [_row(one, taken[one.source]) for m in found.metrics for one in m.distances], n_names=2
        ),
        size=(canvas.WIDTH, height),
        svg=svg,
        png=png,
        reading=" ".join(_reading(found))
        + canvas.missing_note(one.source for metric in metrics for one in metric.distances),
    )


def _why_none(found: Closing) -> str:
    if not found.taken:
        return "Nobody answered a trial with one stimulus of people and one of another source."
    if not found.not_judged:
        return "There is no distance to people: none was given."
    return "No source that was judged has a distance to people, and none that has one was judged."


def _columns(metrics: Sequence[MetricAgainstPeople]) -> int:
    return 1 if len(metrics) <= _FEW else 2


def _paint(
    sheet: "Sheet", metrics: Sequence[MetricAgainstPeople], taken: dict[str, TakenForHuman], height: float
) -> None:
    n_columns = _columns(metrics)
    column = canvas.WIDTH / n_columns
    names = sorted({one.source for metric in metrics for one in metric.distances})
    for number, metric in enumerate(metrics):
        row, at = divmod(number, n_columns)
        bottom = height - _ABOVE - _PANEL - row * (_PANEL + _GAP)
        axes = canvas.axes_at(sheet, at * column + _LEFT, bottom, column - _LEFT - _RIGHT, _PANEL)
        shown = metric.distances[:MOST_SOURCES]
        for one in shown:
            _mark(axes, one, taken[one.source], names.index(one.source))
        _scale(axes, metric, shown, column - 0.8)


def _mark(axes: "Axes", one: SourceDistance, taken: TakenForHuman, place: int) -> None:
    colour = canvas.COLOURS[place % len(canvas.COLOURS)]
    across, up = one.interval, taken.interval
    if across.low is not None and across.high is not None:
        axes.plot([across.low, across.high], [taken.share] * 2, color=colour, linewidth=1.1, zorder=3)
    if up.low is not None and up.high is not None:
        axes.plot([one.distance] * 2, [up.low, up.high], color=colour, linewidth=1.1, zorder=3)
    axes.plot(
        [one.distance], [taken.share], marker=canvas.MARKERS[place % len(canvas.MARKERS)], markersize=5,
        markerfacecolor=colour, markeredgecolor="white", markeredgewidth=0.5, linestyle="", clip_on=False, zorder=5,
    )  # fmt: skip
    axes.annotate(
        canvas.fitted(one.source, 1.2, canvas.SMALL),
        (one.distance, taken.share),
        xytext=(4, 3),
        textcoords="offset points",
        fontsize=canvas.SMALL,
        zorder=6,
    )


def _scale(
    axes: "Axes", metric: MetricAgainstPeople, shown: Sequence[SourceDistance], title_width: float
) -> None:
    ends = [e for one in shown for e in (one.distance, one.interval.low, one.interval.high) if e is not None]
    low, high = min(0.0, *ends), max(ends)
    margin = (high - low or 1.0) * 0.04
    # To the right there is room for a name.
    axes.set_xlim(low - margin, high + (high - low or 1.0) * 0.22)
    axes.set_ylim(-0.04, 1.04)
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "0.25", "0.5", "0.75", "1"])
    axes.axhline(0.5, color=canvas.MUTED, linewidth=0.9, linestyle=(0, (4, 3)), zorder=1)
    axes.set_title(canvas.fitted(metric.metric, title_width), fontsize=canvas.FONT, loc="left", pad=3)
    axes.set_xlabel("distance to people", fontsize=canvas.SMALL, labelpad=1)
    axes.set_ylabel("taken for a person", fontsize=canvas.SMALL, labelpad=2)


def _sentences(found: Closing, taken: dict[str, TakenForHuman]) -> Iterator[str]:
    judged = [
        f"{one.source} {words.estimate(one.share, one.interval, words.count(one.n_trials, 'trial'))}"
        for one in found.taken
    ]
    yield words.sentence(f"taken for a person: {words.listed(judged)}")
    for metric in found.metrics[:MOST_SAID]:
        nearest = min(metric.distances, key=lambda one: one.distance)
        most = max(metric.distances, key=lambda one: taken[one.source].share)
        said = f"by {metric.metric} {nearest.source} is nearest to people"
        if len(metric.distances) > 1:
            said += ", and it" if nearest is most else f", while {most.source}"
            said += " was taken for a person most often"
        if metric.rho is not None:
            said += f"; Spearman's rho of distance and share {words.number(metric.rho)} over "
            said += words.count(len(metric.distances), "source")
        yield words.sentence(said)
    if len(found.metrics) > MOST_SAID:
        yield f"The table has the same of {words.count(len(found.metrics) - MOST_SAID, 'more metric')}."


def _reading(found: Closing) -> Iterator[str]:
    yield (
        "Each mark is a source, its lines the intervals: across over what was measured, upwards over participants. On "
        "the dashed line people cannot tell it from a person."
    )
    if any(metric.reason == NO_RHO for metric in found.metrics):
        yield f"With fewer than {FEWEST_SOURCES} sources no correlation is given."
    if found.not_judged:
        yield words.sentence(f"measured but not judged: {words.listed(found.not_judged)}")
    if found.not_measured:
        yield words.sentence(f"judged but not measured: {words.listed(found.not_measured)}")
    if len(found.metrics) > MOST_METRICS:
        yield f"The first {MOST_METRICS} of {len(found.metrics)} metrics are drawn."
    if any(len(metric.distances) > MOST_SOURCES for metric in found.metrics):
        yield f"At most {MOST_SOURCES} sources of a metric are drawn."


def _row(one: SourceDistance, taken: TakenForHuman) -> tuple[str, ...]:
    return (
        one.metric,
        one.source,
        words.number(one.distance, 3),
        words.interval(one.interval, 3),
        words.count(one.n, one.unit.removesuffix("s") or "unit") if one.n else words.NONE,
        words.number(taken.share, 3),
        words.interval(taken.interval, 3),
        str(taken.n_trials),
        str(taken.n_participants),
    )


def _alt(metrics: Sequence[MetricAgainstPeople], taken: dict[str, TakenForHuman]) -> str:
    parts = [
        f"{metric.metric}: "
        + ", ".join(
            f"{one.source} at {words.number(one.distance)}, taken {words.number(taken[one.source].share)}"
            for one in metric.distances[:MOST_SOURCES]
        )
        for metric in metrics
    ]
    return f"One panel for each metric, a mark for each source: {'; '.join(parts)}."
