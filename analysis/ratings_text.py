"""An analysis of ratings as text for a terminal, 100 columns wide."""

from collections.abc import Iterator

import pandas as pd
from rich.console import RenderableType

from analysis.estimates import Estimate
from analysis.ratings import CriterionResult, RatingAnalysis
from analysis.results import table_rows
from analysis.terminal import WIDTH, as_text, heading, interval_of, name_of, number, table_of

LONGEST = 60


def render_ratings(analysis: RatingAnalysis, width: int = WIDTH) -> str:
    """Return the analysis as plain text: the scores of each criterion, agreement, raters, and scores that are odd.

    Lists of more than 60 raters, items or odd scores are cut, and the text says so; the JSON has them all.
    """
    return as_text(list(_parts(analysis)), width)


def _parts(analysis: RatingAnalysis) -> Iterator[RenderableType]:
    scale = "not given" if analysis.scale is None else f"{analysis.scale[0]:g} to {analysis.scale[1]:g}"
    yield f"Scale {scale}; seed {analysis.seed}; {analysis.resamples:,} bootstrap resamples"
    yield from _criteria(analysis.criteria)
    yield from _agreement(analysis)
    yield from _means(analysis.raters, "rater")
    yield from _means(analysis.items, "item")
    yield from _odd(analysis.odd)


def _criteria(criteria: tuple[CriterionResult, ...]) -> Iterator[RenderableType]:
    yield heading("Scores")
    table = table_of(
        "criterion", "n", "mean", "95 % interval", "SD (n-1)", "SD (n)", "range", "items", "raters"
    )
    for one in criteria:
        table.add_row(
            name_of(one.criterion),
            str(one.n),
            number(one.mean, 2),
            interval_of(one.interval, 2),
            number(one.sd_ddof1, 2),
            number(one.sd_ddof0, 2),
            "-" if one.minimum is None else f"{one.minimum:g} to {one.maximum:g}",
            str(one.n_items),
            str(one.n_raters),
        )
    yield table
    for one in criteria:
        left_out = [
            f"{n} {words}"
            for n, words in (
                (one.n_missing, "empty"),
                (one.n_not_numbers, "not a number"),
                (one.n_out_of_range, "out of range"),
            )
            if n
        ]
        if left_out:
            yield f"  {name_of(one.criterion)}: of {one.n_ratings} scores {', '.join(left_out)}."
        for reason in dict.fromkeys(filter(None, (one.reason, one.interval.reason))):
            yield f"  {name_of(one.criterion)}: {reason}."
    for method in sorted({one.interval.method for one in criteria if one.interval.low is not None}):
        yield f"Intervals of means: {method}."


def _agreement(analysis: RatingAnalysis) -> Iterator[RenderableType]:
    yield heading(
        f"Agreement of raters (95 % bootstrap interval over items; scores are {analysis.agreement_level})"
    )
    table = table_of("criterion", "Krippendorff's alpha", "Gwet's AC1", "ICC, one rater", "ICC, all")
    reasons = []
    for one in analysis.criteria:
        found = one.agreement
        estimates = (found.alpha, found.ac1, found.icc_single, found.icc_average)
        table.add_row(name_of(one.criterion), *map(_estimate, estimates))
        reasons += [estimate.reason for estimate in estimates if estimate.reason]
    yield table
    for reason in dict.fromkeys(reasons):
        yield f"  Where there is none: {reason}."


def _estimate(estimate: Estimate) -> str:
    if estimate.value is None:
        return "-"
    interval = "" if estimate.interval.low is None else f" {interval_of(estimate.interval, 2)}"
    return f"{number(estimate.value, 2)}{interval}"


def _means(table: pd.DataFrame, column: str) -> Iterator[RenderableType]:
    """A row per rater or item, a column per criterion."""
    criteria = list(dict.fromkeys(table["criterion"].astype("str")))
    yield heading(f"Mean score by {column}")
    shown = table_of(column, *map(name_of, criteria))
    found: dict[str, dict[str, str]] = {}
    for row in table_rows(table):
        found.setdefault(row[column], {})[row["criterion"]] = f"{number(row['mean'], 2)} ({row['n']})"
    for name, means in list(found.items())[:LONGEST]:
        shown.add_row(name_of(name), *(means.get(criterion, "-") for criterion in criteria))
    yield shown
    yield "In brackets: scores that count."
    if len(found) > LONGEST:
        yield f"The first {LONGEST} of {len(found)}; --json has them all."


def _odd(odd: pd.DataFrame) -> Iterator[RenderableType]:
    if odd.empty:
        return
    yield heading("Scores that are no numbers, or out of range")
    table = table_of("row", "item", "rater", "criterion", "score", "", left=6)
    for row in table_rows(odd.head(LONGEST)):
        table.add_row(
            str(row["row"]), *(name_of(row[name]) for name in ("item", "rater", "criterion", "score", "why"))
        )
    yield table
    if len(odd) > LONGEST:
        yield f"The first {LONGEST} of {len(odd)}; --json has them all."
