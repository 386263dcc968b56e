"""The headline of a study of pairs under other exclusion rules: mean accuracy, or the share of the first source."""

import pandas as pd

from analysis.choice.accuracy import accuracy_per_participant
from analysis.choice.studies import Preference
from analysis.data.codes import Mask, rows_where
from analysis.data.preference import preference_per_participant
from analysis.options import Blank
from analysis.stats.description import Description, describe
from analysis.stats.what_if import Measure, WhatIf, what_if


def pairs_what_if(
    rows: pd.DataFrame, mode: str, blank: Blank, preference: Preference | None, *, seed: int, resamples: int
) -> WhatIf | None:
    """Specifications from the checked rows of one study: of the accuracy, or of a `preference` where that is its
    headline. None where no rule left out a session of the mode, or there is neither.
    """
    if preference is None and not rows["truth"].notna().any():
        return None

    of_mode = rows_where(rows, (rows["mode"] == mode).to_numpy(dtype=bool))
    is_main = (of_mode["kind"] == "main").to_numpy(dtype=bool)

    def headline(counts: Mask) -> Description:
        used = rows_where(of_mode, counts & is_main)
        return describe(_values(used, blank, preference), scale="share", seed=seed, resamples=resamples)

    measure = (
        Measure("accuracy")
        if preference is None
        else Measure("preference", source=preference.source, against=preference.against)
    )
    return what_if(of_mode, measure, headline)


def _values(used: pd.DataFrame, blank: Blank, preference: Preference | None) -> pd.Series:
    """One value for each participant."""
    if not len(used):
        return pd.Series(dtype=float)
    if preference is None:
        return accuracy_per_participant(used, blank)["accuracy"]
    found = preference_per_participant(used, blank)
    of_it = pd.Series(True, index=found.index)
    for name in ("condition", "source", "against"):
        of_it &= found[name].astype("str") == getattr(preference, name)
    return found.loc[of_it, "preference"]
