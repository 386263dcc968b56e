"""Accuracy: how often the choice was the truth, one value per participant."""

from collections.abc import Sequence

import pandas as pd

from analysis.data.columns import TIE
from analysis.data.outcomes import names_a_member
from analysis.data.totals import PERSON, share, totals
from analysis.options import Blank


def accuracy_per_participant(
    rows: pd.DataFrame, blank: Blank = "missing", *, by: Sequence[str] = PERSON
) -> pd.DataFrame:
    """Average each participant's main trials that have a truth.

    One row of the result is one participant of one study; participants are independent, the trials of one
    are not.

    Parameters
    ----------
    rows
        Checked responses (`check_responses`), already selected: every row counts.
    blank
        ``missing`` leaves blank answers out; ``wrong`` counts them as wrong, as the paper did [NTT21]_. Answers of
        no difference are neither right nor wrong, and left out.
    by
        The columns whose texts a row of the result is of; with `condition`, a participant has a row for each.

    Returns
    -------
    DataFrame
        The columns of `by` (`study`, `participant`), `n_correct`, `n_accuracy` (trials counted), `n_blank` (trials
        with a truth and no choice), `n_tie` (trials with a truth and the answer that there is no difference) and
        `accuracy` = n_correct / n_accuracy in [0, 1], NaN where no trial counts.
    """
    has_truth = rows["truth"].notna().to_numpy()
    choice = rows["choice"].cat.codes.to_numpy()
    table = totals(
        rows,
        {
            "n_correct": rows["correct"].to_numpy(dtype=bool, na_value=False),
            "n_accuracy": has_truth & names_a_member(choice, blank),
            "n_blank": has_truth & (choice < 0),
            "n_tie": has_truth & (choice == TIE),
        },
        by,
    )
    table["accuracy"] = share(table["n_correct"], table["n_accuracy"])
    return table
