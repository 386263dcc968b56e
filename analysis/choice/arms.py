"""The arms of one study compared: accuracy, uncertainty and preferences, over the people of each arm."""

from collections.abc import Iterator

import pandas as pd

from analysis.choice.accuracy import accuracy_per_participant
from analysis.choice.uncertainty import uncertainty_per_participant
from analysis.data.codes import rows_where
from analysis.data.outcomes import Trials
from analysis.data.preference import preference_per_participant
from analysis.options import RESAMPLES, Alternative, Blank
from analysis.stats.arms import ArmsCompared, arms_in, compare_arms, why_none

_PREFERENCE = ["condition", "source", "against"]


def compare_choices_by_arm(
    rows: pd.DataFrame,
    blank: Blank = "missing",
    alternative: Alternative = "two-sided",
    *,
    seed: int = 1,
    resamples: int = RESAMPLES,
) -> ArmsCompared:
    """Compare every two arms of one study: accuracy, uncertainty, and preferences where pairs have no truth.

    One row is one answer to one main trial; each participant's trials are averaged first, over all conditions but of
    preferences. Arms are between subjects: everybody is in one, so that the two groups are independent.

    Parameters
    ----------
    rows
        Checked responses of one study, already selected. Trials without an arm are left out.
    blank
        See `accuracy_per_participant`.
    alternative
        ``greater``: the first of the two arms, in natural order, is higher.
    seed, resamples
        Of the bootstraps and permutation tests.

    Returns
    -------
    ArmsCompared
        The published test's comparison [NTT21]_, Mann-Whitney's [MW47]_, over participants; Holm's correction [Hol79]_
        is over the pairs of arms within a measure. Of more than ten arms none are compared.
    """
    arms = arms_in(rows["arm"])
    if reason := why_none(len(arms)):
        return ArmsCompared(arms, (), reason)
    of_arm = {
        arm: rows_where(rows, (rows["arm"] == arm).fillna(value=False).to_numpy(dtype=bool)) for arm in arms
    }
    found = tuple(
        compare_arms(
            measure,
            values,
            alternative,
            of=of,
            scale="any" if measure == "uncertainty" else "share",
            seed=seed,
            resamples=resamples,
        )
        for measure, of, values in _measures(of_arm, blank)
    )
    measures = tuple(one for one in found if one.pairs)
    return ArmsCompared(arms, measures, None if measures else "no measure has values in two arms")


Measured = tuple[str, str | None, dict[str, pd.Series]]


def _measures(of_arm: dict[str, pd.DataFrame], blank: Blank) -> Iterator[Measured]:
    """Each measure with its values by arm, indexed by participant."""
    accuracies = {arm: accuracy_per_participant(rows, blank) for arm, rows in of_arm.items()}
    yield "accuracy", None, {arm: _by_participant(one, "accuracy") for arm, one in accuracies.items()}
    # As of a study: over the trials with a truth where it has any.
    trials: Trials = "with-truth" if any(rows["truth"].notna().any() for rows in of_arm.values()) else "all"
    uncertainties = {arm: uncertainty_per_participant(rows, trials) for arm, rows in of_arm.items()}
    yield (
        "uncertainty",
        None,
        {arm: _by_participant(one, "uncertainty") for arm, one in uncertainties.items()},
    )
    preferences = {arm: preference_per_participant(rows, blank) for arm, rows in of_arm.items()}
    # Where pairs have a truth the accuracy is compared already.
    asked = sorted(
        {
            tuple(map(str, cells))
            for table in preferences.values()
            for cells in table.loc[~table["has_truth"], _PREFERENCE].drop_duplicates().itertuples(index=False)
        }
    )
    for condition, source, against in asked:
        several = sum(other[1:] == (source, against) for other in asked) > 1
        of = f"{source} over {against}{f' ({condition})' if several and condition else ''}"
        yield (
            "preference",
            of,
            {
                arm: _by_participant(_of(table, (condition, source, against)), "preference")
                for arm, table in preferences.items()
            },
        )


def _of(table: pd.DataFrame, about: tuple[str, ...]) -> pd.DataFrame:
    chosen = pd.Series(True, index=table.index)
    for name, value in zip(_PREFERENCE, about, strict=True):
        chosen &= table[name].astype(object) == value
    return table[chosen]


def _by_participant(table: pd.DataFrame, column: str) -> pd.Series:
    found: pd.Series = table.set_index(table["participant"].astype(str))[column].astype(float)
    return found.dropna()
