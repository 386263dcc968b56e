"""Sums per participant: the first step of every per-participant number."""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

PERSON = ("study", "participant")


def totals(
    rows: pd.DataFrame, sums: Mapping[str, pd.Series | npt.NDArray[np.generic]], by: Sequence[str] = PERSON
) -> pd.DataFrame:
    """Sum whole numbers or truths over the rows of each group; groups are sorted, whatever the row order."""
    columns = {name: np.asarray(values, dtype=np.int64) for name, values in sums.items()}
    table = pd.DataFrame(columns, index=rows.index)
    keys = [rows[name] for name in by]
    return table.groupby(keys, observed=True, sort=True).sum().reset_index()


def share(part: pd.Series, whole: pd.Series) -> pd.Series:
    """`part` / `whole`, missing where `whole` is 0.

    One division of whole numbers: equal shares are equal floats, so that ties between participants stay ties.
    """
    return part.astype("float64") / whole.where(whole > 0)
