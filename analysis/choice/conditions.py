"""The conditions of one study compared two by two: within people where these answered in both."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

import numpy as np
import pandas as pd

from analysis.choice.accuracy import accuracy_per_participant
from analysis.choice.same_people import ComparedAs, same_people_in_conditions
from analysis.choice.uncertainty import uncertainty_per_participant
from analysis.data.codes import rows_where
from analysis.natural import natural
from analysis.options import RESAMPLES, Alternative, Blank
from analysis.results import Result
from analysis.stats.comparisons import MannWhitney, mann_whitney
from analysis.stats.intervals import Floats
from analysis.stats.mixed_conditions import ConditionsModel, conditions_model
from analysis.stats.multiplicity import holm
from analysis.stats.paired import PairedTest, paired_columns_test

Measure = Literal["accuracy", "uncertainty", "preference", "d_prime", "criterion"]
_VALUE_OF: Mapping[Measure, str] = {
    "accuracy": "an accuracy",
    "uncertainty": "an uncertainty",
    "preference": "a preference",
    "d_prime": "a d'",
    "criterion": "a criterion",
}
# By condition, a value of each participant of the study in one order, NaN where there is none.
Values = Mapping[str, Floats]

# Two at a time: ten conditions are 45 comparisons of each measure.
MOST_CONDITIONS = 10
_BY = ("condition", "participant")

# A measure of every condition; a preference's source, and what it was chosen over.
Measured = tuple[Measure, str | None, str | None, Values]


def taken_as_they_are(what: str = "pairs") -> str:
    """A statement of the scope of a comparison: it generalizes to other people, not to other pairs (or stimuli)."""
    return (
        f"Each condition has {what} of its own, which are taken as they are: another choice of {what} may give another "
        "difference"
    )


@dataclass(frozen=True, slots=True)
class ConditionComparison(Result):
    """One measure in two conditions; a preference is for `source` over `against` in both.

    `n_shared` participants have a value in both. `paired` compares each of them within themselves (None if there are
    none, or one among many others); `independent` treats the two conditions as different people (None if that would be
    wrong, because at least half of those of the smaller condition are in both). `compared_as` says which of the two
    applies, and `p_holm` corrects its p over the `n_family` pairs of conditions with a p of this measure. `warning` is
    a sentence on participants left out, or treated as different people.
    """

    conditions: tuple[str, str]
    """The two conditions."""
    measure: Measure
    source: str | None
    against: str | None
    n_shared: int
    compared_as: ComparedAs
    paired: PairedTest | None
    independent: MannWhitney | None
    p_holm: float | None
    n_family: int
    warning: str | None

    @property
    def to_read(self) -> PairedTest | MannWhitney | None:
        """The test that `compared_as` names."""
        return self.paired if self.compared_as == "paired" else self.independent

    @property
    def reason(self) -> str | None:
        """The reason for having no p, if so."""
        return self.to_read.reason if self.to_read else None


@dataclass(frozen=True, slots=True)
class ConditionsCompared(Result):
    """The `conditions` in natural order, and every two of them; `reason` says why none.

    `mixed` has the condition as a fixed effect, people crossed; None where nothing is compared, or not answers."""

    conditions: tuple[str, ...]
    comparisons: tuple[ConditionComparison, ...]
    reason: str | None
    mixed: ConditionsModel | None = None

    @property
    def no_accuracy(self) -> str:
        """The reason why accuracy is not compared; empty if it is, or if nothing is."""
        there = self.reason or any(one.measure == "accuracy" for one in self.comparisons)
        return (
            "" if there else "Accuracy is not compared: fewer than two conditions have answers with a truth"
        )


def compare_conditions(
    rows: pd.DataFrame,
    preferences: pd.DataFrame,
    blank: Blank = "missing",
    alternative: Alternative = "two-sided",
    *,
    seed: int = 1,
    resamples: int = RESAMPLES,
) -> ConditionsCompared:
    """Compare every two conditions of one study: accuracy, uncertainty, and preferences that both ask for.

    One row is one answer to one main trial. Each participant's trials of a condition are averaged first. The pairs are
    taken as they are: a difference is one over these pairs, and other pairs of the same conditions may differ less.

    Parameters
    ----------
    rows
        Checked responses of one study, already selected. Trials without a condition are left out.
    preferences
        Those of these rows, as `preference_per_participant` returns them.
    blank
        See `accuracy_per_participant`.
    alternative
        ``greater``: the first of the two conditions, in natural order, is higher.
    seed, resamples
        Of the bootstraps and permutation tests.

    Returns
    -------
    ConditionsCompared
        Wilcoxon's signed-rank test [Wil45]_ with the Hodges-Lehmann estimate [HL63]_ where at least half of the smaller
        condition's participants answered in both; else Mann-Whitney's [MW47]_. Holm's correction [Hol79]_ is over the
        pairs of conditions within a measure. Preferences are compared where pairs have no truth: where they have one,
        accuracy is. Of more than ten conditions none are compared. `mixed` is that
        of `conditions_model`.
    """
    named = rows_where(rows, rows["condition"].notna().to_numpy())
    conditions = tuple(sorted(map(str, named["condition"].unique()), key=natural))
    found = compare_values(
        conditions, _measures(named, preferences, blank), alternative, seed=seed, resamples=resamples
    )
    return replace(found, mixed=None if found.reason else conditions_model(named, conditions, blank))


def compare_values(
    conditions: Sequence[str],
    measures: Iterable[Measured],
    alternative: Alternative = "two-sided",
    *,
    seed: int = 1,
    resamples: int = RESAMPLES,
) -> ConditionsCompared:
    """Like `compare_conditions`, from each participant's values, by `conditions` in order."""
    conditions = tuple(conditions)
    if reason := _reason(len(conditions)):
        return ConditionsCompared(conditions, (), reason)
    comparisons = [
        one
        for measure, source, against, values in measures
        for one in _corrected(
            [
                _compared(pair, measure, source, against, values, alternative, seed, resamples)
                for pair in combinations([name for name in conditions if name in values], 2)
            ]
        )
    ]
    return ConditionsCompared(
        conditions, tuple(comparisons), None if comparisons else "no measure has values in two conditions"
    )


def _reason(n: int) -> str | None:
    if n > MOST_CONDITIONS:
        return f"there are {n} conditions, and no more than {MOST_CONDITIONS} are compared two by two"
    return None if n > 1 else "there is one condition" if n else "there is no condition"


def _measures(rows: pd.DataFrame, preferences: pd.DataFrame, blank: Blank) -> Iterator[Measured]:
    """Each measure with its values by condition."""
    yield "accuracy", None, None, _values(accuracy_per_participant(rows, blank, by=_BY), "accuracy")
    yield "uncertainty", None, None, _values(uncertainty_per_participant(rows, by=_BY), "uncertainty")
    # Where pairs have a truth the accuracy is compared already.
    open_ones = preferences[~preferences["has_truth"] & (preferences["condition"] != "")]
    for (source, against), table in open_ones.groupby(["source", "against"], observed=True):
        yield "preference", str(source), str(against), _values(table, "preference")


def _values(table: pd.DataFrame, column: str) -> Values:
    """The participants' values in each condition that has any."""
    there = table[table[column].notna()]
    n_people = len(table["participant"].cat.categories)
    found = {}
    for condition, cells in there.groupby("condition", observed=True):
        found[str(condition)] = np.full(n_people, np.nan)
        found[str(condition)][cells["participant"].cat.codes] = cells[column]
    return found


def _compared(
    pair: tuple[str, str],
    measure: Measure,
    source: str | None,
    against: str | None,
    values: Values,
    alternative: Alternative,
    seed: int,
    resamples: int,
) -> ConditionComparison:
    first, second = (values[name] for name in pair)
    here, there = ~np.isnan(first), ~np.isnan(second)
    found = same_people_in_conditions(
        int(here.sum()), int(there.sum()), int((here & there).sum()), _VALUE_OF[measure]
    )
    return ConditionComparison(
        conditions=pair,
        measure=measure,
        source=source,
        against=against,
        n_shared=found.n,
        compared_as=found.compared_as,
        paired=paired_columns_test(first, second, alternative, seed=seed, resamples=resamples)
        if found.n > 1 or found.compared_as == "paired"
        else None,
        independent=None
        if found.compared_as == "paired"
        else mann_whitney(first[here], second[there], alternative, seed=seed, resamples=resamples),
        p_holm=None,
        n_family=0,
        warning=found.warning,
    )


def _corrected(comparisons: list[ConditionComparison]) -> Iterator[ConditionComparison]:
    corrected = holm([one.to_read.p if one.to_read else None for one in comparisons])
    n = sum(p is not None for p in corrected)
    for one, p in zip(comparisons, corrected, strict=True):
        yield replace(one, p_holm=p, n_family=n)
