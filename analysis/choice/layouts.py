"""Layouts of two clips on the screen compared: side by side, stacked, or one after the other."""

from dataclasses import dataclass, field

import pandas as pd

from analysis.choice.accuracy import accuracy_per_participant
from analysis.choice.conditions import ConditionComparison, compare_conditions
from analysis.data.codes import rows_where
from analysis.data.preference import preference_per_participant
from analysis.options import RESAMPLES, Alternative, Blank
from analysis.results import FLAT, Result
from analysis.stats.description import Description, describe
from analysis.stats.mixed_conditions import ConditionsModel

LAYOUTS = ("side-by-side", "stacked", "sequential")


@dataclass(frozen=True, slots=True)
class LayoutMean(Result):
    """Accuracy in one layout: one value per participant, over their `n_answers` in it."""

    layout: str
    """The layout, as in the column of responses."""
    n_answers: int
    """Answers, of all participants."""
    accuracy: Description = field(metadata=FLAT)


@dataclass(frozen=True, slots=True)
class LayoutsCompared(Result):
    """Each layout with an answer that counts, and every two of them; `reason` says why nothing is compared.

    `comparisons` are those of conditions, with layouts in their place; `mixed` has the layout as a fixed effect, people
    and pairs crossed, so that it holds pairs equal. A layout is the window's, or the arm's where arms set it: people
    whose windows are narrow may differ from others in more than that."""

    layouts: tuple[LayoutMean, ...]
    """The layouts with an answer that counts."""
    n_unknown: int
    """Answers that do not say their layout."""
    comparisons: tuple[ConditionComparison, ...]
    mixed: ConditionsModel | None
    """None where nothing is compared."""
    reason: str | None


def compare_layouts(
    rows: pd.DataFrame,
    blank: Blank = "missing",
    alternative: Alternative = "two-sided",
    *,
    seed: int = 1,
    resamples: int = RESAMPLES,
) -> LayoutsCompared:
    """Compare every two layouts of one study: accuracy, uncertainty, and preferences where pairs have no truth.

    One row is one answer to one main trial. Each participant's trials of a layout are averaged first. Participants who
    answered in both layouts are compared within themselves, others as groups, as `compare_conditions` does.

    Parameters
    ----------
    rows
        Checked responses of one study, already selected. Answers without a layout are left out.
    blank
        See `accuracy_per_participant`.
    alternative
        ``greater``: the first of the two layouts is higher.
    seed, resamples
        Of the bootstraps and permutation tests.
    """
    layout = rows["layout"] if "layout" in rows else pd.Series(pd.NA, index=rows.index, dtype="str")
    there = layout.notna().to_numpy(dtype=bool)
    n_unknown = int((~there).sum())
    present = [name for name in LAYOUTS if (layout == name).any()]
    # In the place of the condition: all that is computed of conditions is then of layouts.
    known = rows_where(rows, there)
    known = known.assign(condition=pd.Categorical(layout[there].astype(object), categories=present))
    means = tuple(_mean(known, name, blank, seed, resamples) for name in present)
    if len(present) < 2:
        reason = "there is one layout" if present else "no answer says its layout"
        return LayoutsCompared(means, n_unknown, (), None, reason)
    preferences = preference_per_participant(known, blank)
    found = compare_conditions(known, preferences, blank, alternative, seed=seed, resamples=resamples)
    return LayoutsCompared(means, n_unknown, found.comparisons, found.mixed, found.reason)


def _mean(rows: pd.DataFrame, layout: str, blank: Blank, seed: int, resamples: int) -> LayoutMean:
    of_layout = rows_where(rows, (rows["condition"] == layout).to_numpy(dtype=bool))
    accuracy = accuracy_per_participant(of_layout, blank)["accuracy"]
    described = describe(accuracy.dropna(), scale="share", seed=seed, resamples=resamples)
    return LayoutMean(layout, len(of_layout), described)
