"""Ranks of names in the order in which people read them."""

import numpy as np
import pandas as pd

from analysis.data.codes import Counts
from analysis.natural import natural


def natural_ranks(names: pd.Series) -> Counts:
    """The rank of each name among the distinct ones, q2 before q10; missing names are last."""
    code, distinct = pd.factorize(names)
    rank = np.empty(len(distinct) + 1, dtype=np.int64)
    rank[sorted(range(len(distinct)), key=lambda position: natural(str(distinct[position])))] = range(
        len(distinct)
    )
    rank[-1] = len(distinct)  # of code -1, no name
    ranks: Counts = rank[code]
    return ranks
