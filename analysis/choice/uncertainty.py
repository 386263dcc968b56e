"""Uncertainty: 1 extremely certain to 5 extremely uncertain, one mean per participant."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from analysis.data.outcomes import Trials
from analysis.data.totals import PERSON, share, totals


def uncertainty_per_participant(
    rows: pd.DataFrame, trials: Trials = "all", *, by: Sequence[str] = PERSON
) -> pd.DataFrame:
    """Average each participant's uncertainties.

    One row of the result is one participant of one study. Every given uncertainty counts, also one with a blank choice;
    one that was not given is missing.

    Parameters
    ----------
    rows
        Checked responses, already selected.
    trials
        ``with-truth``: only trials that have a truth, as in the paper [NTT21]_; ``all``: every trial.
    by
        The columns whose texts a row of the result is of; with `condition`, a participant has a row for each.

    Returns
    -------
    DataFrame
        The columns of `by` (`study`, `participant`), `n_uncertainty` and `uncertainty` in scale points (higher is less
        certain), NaN where none was given.
    """
    given = rows["uncertainty"].notna().to_numpy()
    if trials == "with-truth":
        given = given & rows["truth"].notna().to_numpy()
    points = rows["uncertainty"].to_numpy(dtype=np.int8, na_value=0) * given
    table = totals(rows, {"points": points, "n_uncertainty": given}, by)
    table["uncertainty"] = share(table.pop("points"), table["n_uncertainty"])
    return table
