"""Accuracy, uncertainty and preference taken apart: per condition, pair, arm and source."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from analysis.choice.breakdown_cells import By, Counted, Measure, Trials
from analysis.choice.cell_tables import cell_table
from analysis.data.ordering import natural_ranks
from analysis.options import LEVEL, RESAMPLES, Blank
from analysis.results import Result

BY: tuple[By, ...] = ("condition", "pair", "arm", "source")
MEASURES: tuple[Measure, ...] = ("accuracy", "uncertainty", "preference")

_NOTHING: dict[Measure, str] = {
    "accuracy": "no answer with a truth counts",
    "uncertainty": "no uncertainty was given",
    "preference": "no answer to a pair of two different sources counts",
}


@dataclass(frozen=True, slots=True, eq=False)
class Breakdown(Result):
    """One measure for each value of one thing.

    `table` has one row per value, for a preference one per value and pair of sources, sorted: `value` (missing for
    the rows that have none); for a preference `source` and `against`; `n_trials`, `n` (participants), `mean` over
    participants, `sd_ddof0`, `sd_ddof1`, `ci_low`, `ci_high`, `reason` (why a number is missing).
    `n_left_out` trials of the measure have no place in it. `reason` says why the table is empty, if it is."""

    by: By
    """The variable whose values are the rows."""
    measure: Measure
    interval_method: str
    level: float
    seed: int
    resamples: int
    n_left_out: int
    """Trials of the measure without a value, such as no arm."""
    reason: str | None
    table: pd.DataFrame = field(metadata={"key": "rows"})
    """One row for each value."""


def breakdowns(
    rows: pd.DataFrame, *, blank: Blank = "missing", seed: int = 1, resamples: int = RESAMPLES
) -> tuple[Breakdown, ...]:
    """Take accuracy, uncertainty and preference apart by condition, pair, arm and source.

    One row is one answer to one main trial. Within a cell each participant's trials are averaged first; participants
    are what is described and resampled. One participant is in several cells: cells are not independent.

    Parameters
    ----------
    rows
        Checked responses of one study, already selected.
    blank
        ``missing`` leaves blank answers out; ``wrong`` counts them as wrong, and as not choosing `source`.
    seed, resamples
        Of the bootstrap intervals; 0 resamples gives none of these.

    Returns
    -------
    tuple of Breakdown
        Accuracy, uncertainty and preference, each by condition, pair, arm and source.

        Accuracy by source: trials with a truth, by the source of the wrong member (the human's opponent).
        Uncertainty by source: the trials that show the source. Preference: the share of answers that chose `source`
        over `against`, named as in `preference_per_participant`; by source the share that chose it over any other.

        Intervals are 95%: a percentile bootstrap over participants [ET93]_; per pair, which a participant answers
        once, Wilson's [Wil27]_ for a share and Student's t for uncertainty. Student's t, too, with more than 200
        cells or 20,000 participants.
    """
    trials = Trials(rows, blank)
    return tuple(
        _breakdown(trials, counted, by, seed, resamples)
        for counted in map(trials.counted, MEASURES)
        for by in BY
    )


def _breakdown(trials: Trials, counted: Counted, by: By, seed: int, resamples: int) -> Breakdown:
    measure = counted.measure
    cells = trials.by_source(counted) if by == "source" else trials.by_column(counted, by)
    made = cell_table(
        cells.parts,
        trials.people,
        n_cells=len(cells.names),
        once=by == "pair" and trials.once,
        share=measure != "uncertainty",
        seed=seed,
        resamples=resamples,
    )
    empty = f"no answer names its {by}" if counted.rows.any() else _NOTHING[measure]
    return Breakdown(
        by=by,
        measure=measure,
        interval_method=made.interval_method,
        level=LEVEL,
        seed=seed,
        resamples=made.resamples,
        n_left_out=cells.n_left_out,
        reason=None if len(cells.names) else empty,
        table=_sorted(pd.concat([cells.names, made.numbers], axis=1), len(cells.names.columns)),
    )


def _sorted(table: pd.DataFrame, n_names: int) -> pd.DataFrame:
    """The table in natural order of the names; rows without a name are last."""
    ranks = [natural_ranks(table.iloc[:, column]) for column in range(n_names)]
    return table.iloc[np.lexsort(ranks[::-1])].reset_index(drop=True)
