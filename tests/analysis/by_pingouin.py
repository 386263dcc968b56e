"""The independent source of intraclass correlations."""

import warnings

import numpy as np
import pandas as pd
import pingouin

from analysis.stats.intervals import Floats


def pingouin_icc(table: Floats) -> dict[str, float]:
    """ICC(A,1) and ICC(A,k) by pingouin; `table` has a row for each item and a column for each rater."""
    item, rater = (index.ravel() for index in np.indices(table.shape))
    long = pd.DataFrame({"item": item, "rater": rater, "value": table.ravel()})
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        # Its F tests divide by the error, which is 0 where all raters agree.
        warnings.simplefilter("ignore")
        found = pingouin.intraclass_corr(long, targets="item", raters="rater", ratings="value")
    values = found.set_index("Type")["ICC"]
    return {"single": float(values["ICC(A,1)"]), "average": float(values["ICC(A,k)"])}
