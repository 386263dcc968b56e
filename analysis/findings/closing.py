"""Distances of sources to people, against how often people took them for a person, on the results page."""

from collections.abc import Iterator, Mapping, Sequence

from analysis.distances import MOST_METRICS, Closing, MetricAgainstPeople, agreement, closing_rows
from analysis.findings.model import Band, Cell, Column, Figure, Mark, Measured, Numbers, Panel, Section
from analysis.findings.tables import column, counts, names
from analysis.findings.words import count, limits, percent
from analysis.stats.evidence import NOT_YET, separated

SECTION = "closing"
_COLUMNS = (
    Column("metric", "Metric", "text"),
    Column("source", "Source", "text"),
    Column("distance", "Distance to people"),
    Column("distance_low", "95% interval from"),
    Column("distance_high", "to"),
    Column("n", "Measured", "count"),
    Column("unit", "Of", "text"),
    Column("taken_for_human", "Taken for a person", "share"),
    Column("taken_low", "95% interval from", "share"),
    Column("taken_high", "to", "share"),
    Column("n_trials", "Trials", "count"),
    Column("n_participants", "People", "count"),
    Column("spearman", "Spearman's rho"),
)


def closing_figure(found: Closing) -> Figure:
    """One mark for each source that was judged; then, for each of the first 24 metrics, how far these sources are."""
    marks = {
        one.source: Mark(
            one.source,
            one.share,
            one.interval.low,
            one.interval.high,
            percent(one.share),
            limits(one.interval.low, one.interval.high) or "no interval",
            shape="computer",
        )
        for one in found.taken
    }
    rho = [
        f"{metric.metric} {metric.rho:.2f} over {len(metric.distances)} sources"
        for metric in found.metrics
        if metric.rho is not None
    ]
    correlated = (
        f"Spearman's rho of distance and share: {', '.join(rho)}."
        if rho
        else ("With fewer than five sources no correlation of distance and share is given.")
    )
    return Figure(
        name="closing",
        section=SECTION,
        drawing="marks",
        said=_said(found),
        how="Share of trials against the true source, with 95% interval over people; at 50% nobody can tell. Below, by "
        f"each metric: across the distance to people, upwards that share, each with its interval. {correlated}",
        numbers=Numbers(
            "Distance to people, and share of trials in which it was taken for a person",
            _COLUMNS,
            tuple(tuple(map(_cell, row)) for row in closing_rows(found)),
        ),
        marks=tuple(marks.values()),
        panels=tuple(_panel(metric, marks) for metric in found.metrics[:MOST_METRICS]),
        caution=""
        if len(found.metrics) <= MOST_METRICS
        else f"The first {MOST_METRICS} of {len(found.metrics)} metrics are drawn.",
    )


def _panel(metric: MetricAgainstPeople, marks: Mapping[str, Mark]) -> Panel:
    return Panel(
        metric.metric,
        tuple(marks[one.source] for one in metric.distances),
        tuple(Band(one.distance, one.interval.low, one.interval.high) for one in metric.distances),
    )


def _said(found: Closing) -> str:
    same = agreement(found)
    if same is None:
        return "How often each source was taken for a person, beside its distance to people."
    first = next(one for one in found.taken if one.source == same.source)
    others = [one for one in found.taken if one.source != same.source]
    nearest = f"by {same.n_nearest} of {count(same.n, 'distance')} it is also nearest to people"
    if all(separated(first.interval, one.interval) for one in others):
        return f"{same.source} is most often taken for a person; {nearest}."
    return (
        f"Which source is most often taken for a person {NOT_YET}: in these trials {same.source} was, with an interval "
        f"that others reach; {nearest}."
    )


def _cell(cell: object) -> Cell:
    return cell if isinstance(cell, str | int | float) else None


def closing_section(found: Closing | None) -> Iterator[Section]:
    """Every distance with the share taken for a person; no section if no distance is known."""
    rows = (
        ()
        if found is None
        else tuple(
            (
                *(str(row[0] or "none"), str(row[1]), _distance(row[2:5]), _distance(row[7:10])),
                *(_counted(row[10]), _counted(row[11]), _counted(row[12])),
            )
            for row in closing_rows(found)
        )
    )
    if rows:
        columns = (
            *(*names("metric", "source"), column("distance to people"), column("taken for a person")),
            *(*counts("trials", "participants"), column("Spearman", digits=2)),
        )
        caption = "How far each source is from people, and how often people took it for one"
        yield Section(
            "closing", "Distance to people, and people's judgement", tables=(Numbers(caption, columns, rows),)
        )


def _distance(cells: Sequence[object]) -> Measured:
    value, low, high = (None if cell is None else float(str(cell)) for cell in cells)
    return Measured(value, low, high)


def _counted(cell: object) -> int | float | None:
    return cell if isinstance(cell, int | float) else None
