"""Sums per participant: the first step of every per-participant number."""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.data.codes import groups_of

PERSON = ("study", "participant")


def totals(
    rows: pd.DataFrame, sums: Mapping[str, pd.Series | npt.NDArray[np.generic]], by: Sequence[str] = PERSON
) -> pd.DataFrame:
    """Sum integers or booleans over the rows of each group; groups are sorted, independent of the row order.

    Rows with a missing cell in `by` are in no group. A sum is exact up to 2**53.
    """
    groups = groups_of([rows[name] for name in by])
    row_of = groups.some_row()
    present = np.flatnonzero(row_of >= 0)
    keys = {name: rows[name].array.take(row_of[present]) for name in by}
    return pd.DataFrame(
        keys | {name: groups.sums(np.asarray(values))[present] for name, values in sums.items()}
    )


def share(part: pd.Series, whole: pd.Series) -> pd.Series:
    """`part` / `whole`, missing where `whole` is 0.

    One division of whole numbers: equal shares are equal floats, so that ties between participants stay ties.
    """
    none = np.full(len(part), np.nan)
    return pd.Series(np.divide(part, whole, out=none, where=whole > 0), index=part.index)
