"""Accuracy: how often the choice was the truth, one value per participant."""

import pandas as pd

from analysis.options import Blank
from analysis.totals import share, totals


def accuracy_per_participant(rows: pd.DataFrame, blank: Blank = "missing") -> pd.DataFrame:
    """Average each participant's main trials that have a truth.

    One row of the result is one participant of one study; participants are independent, the trials of one
    are not.

    Parameters
    ----------
    rows
        Checked responses (`check_responses`), already selected: every row counts.
    blank
        ``missing`` leaves blank answers out; ``wrong`` counts them as wrong, as the paper did [NTT21]_.

    Returns
    -------
    DataFrame
        `study`, `participant`, `n_correct`, `n_accuracy` (trials counted), `n_blank` (trials with a truth
        and no choice) and `accuracy` = n_correct / n_accuracy in [0, 1], NaN where no trial counts.
    """
    has_truth = rows["truth"].notna().to_numpy()
    answered = has_truth & rows["choice"].notna().to_numpy()
    table = totals(
        rows,
        {
            "n_correct": rows["correct"].to_numpy(dtype=bool, na_value=False),
            "n_accuracy": has_truth if blank == "wrong" else answered,
            "n_blank": has_truth & ~answered,
        },
    )
    table["accuracy"] = share(table["n_correct"], table["n_accuracy"])
    return table
