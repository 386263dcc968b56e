"""Detection of verdicts about rated items, for studies that also have pairs."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from analysis.errors import AnalysisError
from analysis.judging.items import read_item_verdicts


def are_of_items(verdicts: Path, rated: Sequence[pd.DataFrame]) -> bool:
    """True if a file has one value for each item, and every item in it was rated."""
    try:
        given = read_item_verdicts(verdicts)
    except AnalysisError:
        return False
    names = {str(name) for table in rated for name in table["item"].unique()}
    return len(given) > 0 and set(given["item"].astype("str").unique()) <= names
