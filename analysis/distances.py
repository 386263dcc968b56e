"""Distances between sources and people, by any metric: of play, of paths, of other behaviour; and how often each source
was taken for a person.

Any measure of distance returns `SourceDistance`, one for each source and metric; `closing` compares them with people's
choices.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
import scipy

from analysis.data.checking import check_columns
from analysis.data.columns import Column
from analysis.data.reading import read_csv
from analysis.errors import SchemaError
from analysis.options import LEVEL, RESAMPLES
from analysis.results import Result
from analysis.stats.intervals import Interval, bootstrap_mean

DISTANCE_COLUMNS: tuple[Column, ...] = (
    Column("source", "text", "", "whose behaviour it is: an agent, a model", required=True),
    Column("metric", "text", "", "what is measured, such as d_o", required=True),
    Column("distance", "number", "of the metric", "how far it is from people; 0 where it is the same"),
    Column("low", "number", "of the metric", "lower end of the 95% interval, where there is one"),
    Column("high", "number", "of the metric", "its upper end"),
    Column("n", "integer", "", "units of the source that were measured", minimum=0),
    Column("unit", "text", "", "what is counted and resampled, such as matches"),
)
"""The columns of a file of distances, in order."""
FEWEST_SOURCES = 5
MOST_METRICS = 24  # that a figure draws
NO_RHO = f"a rank correlation takes {FEWEST_SOURCES} sources or more"
AS_GIVEN = "as given with the distance"


@dataclass(frozen=True, slots=True)
class SourceDistance(Result):
    """The distance of a source to people by one metric, 0 if it is the same, in the metric's own unit.

    `n` units of the source were measured: `unit` names them (matches, players, clips). The interval is over them.
    """

    source: str
    metric: str
    distance: float
    interval: Interval
    n: int
    unit: str


@dataclass(frozen=True, slots=True)
class TakenForHuman(Result):
    """The rate at which people chose a source over the true one, in pairs with one stimulus of each: `share` in [0, 1].

    Each participant's trials are averaged first; `n_trials` of `n_participants`. The interval is over participants.
    """

    source: str
    share: float
    interval: Interval
    n_trials: int
    n_participants: int


@dataclass(frozen=True, slots=True)
class MetricAgainstPeople(Result):
    """The distances of one metric whose source has been judged, and Spearman's rho of distance and share [Spe04]_.

    `rho` is None below five sources, or where all distances or all shares are equal; `reason` says so.
    """

    metric: str
    distances: tuple[SourceDistance, ...]
    rho: float | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class Closing(Result):
    """Distances to people against people's choices. Of the others only one is known: `not_judged` sources have no
    trial, `not_measured` ones no distance."""

    taken: tuple[TakenForHuman, ...]
    metrics: tuple[MetricAgainstPeople, ...]
    not_judged: tuple[str, ...]
    not_measured: tuple[str, ...]


def taken_for_human(
    rows: pd.DataFrame, *, seed: int = 1, resamples: int = RESAMPLES
) -> tuple[TakenForHuman, ...]:
    """The share of trials in which each source was chosen over the true one, by source in alphabetical order.

    `rows` are checked responses, already selected: those about a pair with one true member. Blank answers and those of
    no difference are left out.
    """
    answered = rows[rows["truth"].notna() & rows["choice"].isin(("a", "b"))]
    if answered.empty:
        return ()
    is_a = (answered["truth"] == "a").to_numpy()
    sources = np.where(is_a, answered["source_b"].astype(object), answered["source_a"].astype(object))
    trials = pd.DataFrame(
        {
            "study": answered["study"].astype(str).to_numpy(),
            "participant": answered["participant"].astype(str).to_numpy(),
            "source": sources,
            "taken": (answered["choice"].astype(str) != answered["truth"].astype(str)).to_numpy(dtype=float),
        }
    ).dropna(subset=["source"])
    found = []
    for source, own in trials.groupby("source", sort=True):
        means = own.groupby(["study", "participant"], sort=True)["taken"].mean().to_numpy(dtype=float)
        interval = bootstrap_mean(means, seed=seed, resamples=resamples)
        found.append(TakenForHuman(str(source), float(means.mean()), interval, len(own), len(means)))
    return tuple(found)


def closing(distances: Sequence[SourceDistance], taken: Sequence[TakenForHuman]) -> Closing:
    """Hold distances against choices, metric by metric in their own order, sources by the alphabet."""
    shares = {one.source: one.share for one in taken}
    measured = {one.source for one in distances}
    metrics = []
    for metric in dict.fromkeys(one.metric for one in distances):
        own = sorted((d for d in distances if d.metric == metric and d.source in shares), key=_source)
        if own:
            metrics.append(_correlated(metric, own, [shares[one.source] for one in own]))
    return Closing(
        taken=tuple(taken),
        metrics=tuple(metrics),
        not_judged=tuple(sorted(measured - shares.keys())),
        not_measured=tuple(sorted(shares.keys() - measured)),
    )


@dataclass(frozen=True, slots=True)
class Agreement(Result):
    """`source` was most often taken for the true one; by `n_nearest` of the `n` metrics that have it and another judged
    source it is also the nearest to people."""

    source: str
    n_nearest: int
    n: int


def agreement(found: Closing) -> Agreement | None:
    """Do distances and choices name the same source? None below two judged sources with distances, or where several
    were taken for the true one equally often."""
    shares = {one.source: one.share for one in found.taken}
    measured = {each.source for metric in found.metrics for each in metric.distances}
    most = max((shares[source] for source in measured), default=0.0)
    first = [source for source in measured if shares[source] == most]
    of_first = [one for one in found.metrics if {each.source for each in one.distances} > set(first)]
    if not of_first or len(first) != 1:
        return None
    return Agreement(first[0], sum(_nearest(one) == first for one in of_first), len(of_first))


def _nearest(one: MetricAgainstPeople) -> list[str]:
    least = min(each.distance for each in one.distances)
    # Distances that differ by rounding alone are a draw.
    return [each.source for each in one.distances if each.distance <= least + 1e-9]


def _source(one: SourceDistance) -> str:
    return one.source


def _correlated(metric: str, own: Sequence[SourceDistance], shares: Sequence[float]) -> MetricAgainstPeople:
    values = [one.distance for one in own]
    reason = NO_RHO if len(own) < FEWEST_SOURCES else None
    if reason is None and (len(set(values)) == 1 or len(set(shares)) == 1):
        reason = "all distances, or all shares, are equal"
    rho = None if reason else float(scipy.stats.spearmanr(values, shares).statistic)
    return MetricAgainstPeople(metric, tuple(own), rho, reason)


CLOSING_HEAD = (
    *("metric", "source", "distance", "distance_low", "distance_high", "n", "unit"),
    *("taken_for_human", "taken_low", "taken_high", "n_trials", "n_participants", "spearman"),
)
"""The columns of `closing_rows`."""


def closing_rows(found: Closing) -> Iterator[tuple[object, ...]]:
    """One row for each metric and source, in the columns of `CLOSING_HEAD`; a source without a distance has one row."""
    taken = {one.source: one for one in found.taken}
    for metric in found.metrics:
        for one in metric.distances:
            yield (
                *(
                    metric.metric,
                    one.source,
                    one.distance,
                    one.interval.low,
                    one.interval.high,
                    one.n,
                    one.unit,
                ),
                *_judged(taken[one.source]),
                metric.rho,
            )
    for source in found.not_measured:
        yield (None, source, *[None] * 5, *_judged(taken[source]), None)


def _judged(one: TakenForHuman) -> tuple[object, ...]:
    return one.share, one.interval.low, one.interval.high, one.n_trials, one.n_participants


def distance_rows(distances: Sequence[SourceDistance]) -> Iterator[tuple[object, ...]]:
    """One row for each distance, in the order of `DISTANCE_COLUMNS`."""
    for one in distances:
        yield (
            *(one.source, one.metric, one.distance, one.interval.low, one.interval.high),
            *(one.n, one.unit),
        )


def read_distances(path: Path | str) -> list[SourceDistance]:
    """Read and check a CSV file of distances, as `distance_rows` writes them.

    Raises ReadError for a file that cannot be read, SchemaError at the first cell that is not allowed.
    """
    path = Path(path)
    return check_distances(read_csv(path, DISTANCE_COLUMNS), str(path), 2)


def check_distances(table: pd.DataFrame, origin: str, first_row: int = 1) -> list[SourceDistance]:
    """The rows of a table of distances. Raises SchemaError at the first cell that is not allowed."""
    rows = check_columns(table, DISTANCE_COLUMNS, origin, first_row)
    found: dict[tuple[str, str], SourceDistance] = {}
    for at, row in enumerate(rows.astype(object).to_dict("records"), start=first_row):
        cells = {str(name): None if pd.isna(cell) else cell for name, cell in row.items()}
        one = _read(cells, origin, at)
        if (one.source, one.metric) in found:
            raise SchemaError(
                origin, at, "metric", f"{one.metric} of {one.source} stands there already", "each once"
            )
        found[one.source, one.metric] = one
    return list(found.values())


def _read(cells: dict[str, object], origin: str, at: int) -> SourceDistance:
    numbers = {
        name: None if cells[name] is None else float(str(cells[name])) for name in ("distance", "low", "high")
    }
    distance, low, high = numbers["distance"], numbers["low"], numbers["high"]
    if distance is None:
        raise SchemaError(origin, at, "distance", "there is no distance", "a number")
    if (low is None) != (high is None) or (low is not None and high is not None and low > high):
        raise SchemaError(origin, at, "low", "the interval has no two ends in order", "both ends, or none")
    interval = Interval(low, high, LEVEL, AS_GIVEN, 0, 0, None)
    if low is None:
        interval = replace(interval, reason="none was given")
    return SourceDistance(
        str(cells["source"]),
        str(cells["metric"]),
        distance,
        interval,
        int(str(cells["n"] or 0)),
        str(cells["unit"] or ""),
    )
