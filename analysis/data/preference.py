"""Preference: how often one source was chosen over another, one share per participant and condition."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from analysis.data.codes import Codes, Groups, Mask, groups_of, recoded, small_type
from analysis.data.outcomes import names_a_member
from analysis.data.totals import PERSON, share, totals
from analysis.options import Blank

COMPARED = ("study", "condition", "source", "against")

_SHOWN = ("condition", "source_a", "source_b")

Named = tuple[str, str, str]


def preference_per_participant(rows: pd.DataFrame, blank: Blank = "missing") -> pd.DataFrame:
    """Count how often each participant chose a source, per condition and pair of sources.

    One row of the result is one participant of one study in one condition. Trials whose two clips have the
    same source, or one without a source, show no preference and are left out.

    Parameters
    ----------
    rows
        Checked responses, already selected.
    blank
        ``missing`` leaves blank answers out; ``wrong`` counts them as not choosing `source`. Answers of no
        difference are left out.

    Returns
    -------
    DataFrame
        `study`, `condition`, `source`, `against`, `participant`, `n_chosen`, `n_preference` (trials
        counted), `has_truth` (some pair has a truth: there the preference for the human is the accuracy) and
        `preference` = n_chosen / n_preference in [0, 1]. `source` is the first-named one where the condition
        is called after its sources (``hybrid-symbolic``: the share of hybrid), else the first in the
        alphabet.
    """
    shown = groups_of([rows[name] for name in _SHOWN], missing=True).dense()
    named, which, source_is_a = _compared(rows, shown)
    choice = rows["choice"].cat.codes.to_numpy()
    named_one, chose_a = names_a_member(choice), choice == 0
    compared = pd.Categorical.from_codes(recoded(shown.codes, which), categories=pd.RangeIndex(len(named)))
    table = totals(
        pd.DataFrame(
            {PERSON[0]: rows[PERSON[0]].array, "compared": compared, PERSON[1]: rows[PERSON[1]].array}
        ),
        {
            "n_chosen": named_one & (chose_a == recoded(shown.codes, source_is_a)),
            "n_preference": names_a_member(choice, blank),
            "n_truth": rows["truth"].notna().to_numpy(),
        },
        by=[PERSON[0], "compared", PERSON[1]],
    )
    of_study = groups_of([table["study"], table["compared"]])
    order = table["compared"].array.codes
    texts = {
        name: pd.Categorical(np.array([cells[place] for cells in named], dtype=object)).take(order)
        for place, name in enumerate(COMPARED[1:])
    }
    # In one step: pandas takes as long to add a column as to make a table.
    return pd.DataFrame(
        {
            PERSON[0]: table[PERSON[0]],
            **texts,
            PERSON[1]: table[PERSON[1]],
            "n_chosen": table["n_chosen"],
            "n_preference": table["n_preference"],
            "has_truth": of_study.sums(table["n_truth"].to_numpy())[of_study.codes] > 0,
            "preference": share(table["n_chosen"], table["n_preference"]),
        }
    )


def _compared(rows: pd.DataFrame, shown: Groups) -> tuple[Sequence[Named], Codes, Mask]:
    """The preferences compared; the one each group shows, -1 for none; and whether its `source` is member a there."""
    distinct = rows[list(_SHOWN)].take(shown.some_row()).astype(object)
    of_group: list[Named | None] = []
    for condition, source_a, source_b in distinct.itertuples(index=False):
        shows = isinstance(source_a, str) and isinstance(source_b, str) and source_a != source_b
        of_group.append(_ordered(condition, source_a, source_b) if shows else None)
    named = sorted({one for one in of_group if one})
    which = np.array(
        [*(named.index(one) if one else -1 for one in of_group), -1], dtype=small_type(len(named))
    )
    is_a = [one is not None and one[1] == a for one, a in zip(of_group, distinct["source_a"], strict=True)]
    return named, which, np.array([*is_a, False])


def _ordered(condition: object, source_a: str, source_b: str) -> Named:
    name = condition if isinstance(condition, str) else ""
    low, high = sorted((source_a, source_b))
    return (name, high, low) if name == f"{high}-{low}" else (name, low, high)
