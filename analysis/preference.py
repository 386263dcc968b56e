"""Preference: how often one source was chosen over another, one share per participant and condition."""

import numpy as np
import pandas as pd

from analysis.options import Blank
from analysis.totals import PERSON, share, totals

COMPARED = ("study", "condition", "source", "against")


def preference_per_participant(rows: pd.DataFrame, blank: Blank = "missing") -> pd.DataFrame:
    """Count how often each participant chose a source, per condition and pair of sources.

    One row of the result is one participant of one study in one condition. Trials whose two clips have the
    same source, or one without a source, show no preference and are left out.

    Parameters
    ----------
    rows
        Checked responses, already selected.
    blank
        ``missing`` leaves blank answers out; ``wrong`` counts them as not choosing `source`.

    Returns
    -------
    DataFrame
        `study`, `condition`, `source`, `against`, `participant`, `n_chosen`, `n_preference` (trials
        counted), `has_truth` (some pair has a truth: there the preference for the human is the accuracy) and
        `preference` = n_chosen / n_preference in [0, 1]. `source` is the first-named one where the condition
        is called after its sources (``hybrid-symbolic``: the share of hybrid), else the first in the
        alphabet.
    """
    rows = rows[rows["source_a"].notna() & rows["source_b"].notna()]
    rows = rows[rows["source_a"].astype("str") != rows["source_b"].astype("str")]
    compared = _compared(rows)
    answered = rows["choice"].notna()
    counted = answered | True if blank == "wrong" else answered
    chosen = rows["chosen_source"].astype("str") == compared["source"].astype("str")
    keyed = pd.concat([rows[["study", "participant"]], compared], axis=1)
    table = totals(
        keyed,
        {"n_chosen": answered & chosen, "n_preference": counted, "n_truth": rows["truth"].notna()},
        by=[*COMPARED, PERSON[1]],
    )
    truths = table.groupby(list(COMPARED), observed=True)["n_truth"].transform("sum")
    table["has_truth"] = truths > 0
    table["preference"] = share(table["n_chosen"], table["n_preference"])
    return table.drop(columns="n_truth")


def _compared(rows: pd.DataFrame) -> pd.DataFrame:
    """Condition, source and against of each row, worked out once per distinct combination."""
    keys = ["condition", "source_a", "source_b"]
    group = rows.groupby(keys, observed=True, dropna=False).ngroup().to_numpy()
    first = np.unique(group, return_index=True)[1]
    distinct = rows[keys].iloc[first].astype(object)
    named = [_ordered(*cells) for cells in distinct.itertuples(index=False)]
    columns = pd.DataFrame(named, columns=["condition", "source", "against"]).astype("category")
    return columns.iloc[group].set_axis(rows.index)


def _ordered(condition: object, source_a: str, source_b: str) -> tuple[str, str, str]:
    name = condition if isinstance(condition, str) else ""
    low, high = sorted((source_a, source_b))
    return (name, high, low) if name == f"{high}-{low}" else (name, low, high)
