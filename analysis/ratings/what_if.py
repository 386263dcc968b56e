"""The mean score of a block under other exclusion rules."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd

from analysis.data.checking import coded
from analysis.data.codes import Mask, rows_where
from analysis.data.rating_table import numbers_in
from analysis.ratings.counted import numbers_left_out, scores_in
from analysis.ratings.interval import mean_interval
from analysis.ratings.scores import RatingAnalysis
from analysis.stats.description import Description, describe
from analysis.stats.what_if import Measure, WhatIf, what_if


def ratings_what_if(part: pd.DataFrame, mode: str, analysis: RatingAnalysis) -> WhatIf | None:
    """Specifications of the mean by the first criterion that has one; None without one, or where no rule left out a
    session.

    The study's own interval is that of `analysis`. Of other rules it is Student's t, however many items and raters
    there are: 255 bootstraps more would take minutes.
    """
    first = next((one for one in analysis.criteria if one.mean is not None), None)
    if first is None:
        return None
    of_mode = rows_where(part, (part["mode"] == mode).to_numpy(dtype=bool))
    measure = Measure("score", criterion=first.criterion, scale=first.scale)
    found = what_if(of_mode, measure, _mean_by(of_mode, first.criterion, analysis.seed))
    if found is None:
        return None
    own = replace(found.own, headline=replace(found.own.headline, interval=first.interval))
    return replace(found, specifications=(own, *found.specifications[1:]))


def _mean_by(rows: pd.DataFrame, criterion: str, seed: int) -> Callable[[Mask], Description]:
    """The mean over those of the rows that count, as of `analyze_ratings`, over `n` raters.

    What no exclusion changes is read once: numbers of items and raters, scores, ends of scales."""
    is_main = (rows["kind"] == "main").to_numpy(dtype=bool)
    is_left_out = is_main & numbers_left_out(rows)
    is_asked = is_main & (rows["question"].astype("str") == criterion).to_numpy(dtype=bool)
    asked = rows_where(rows, is_asked)
    item, rater = (pd.factorize(asked[name].astype("str"), sort=True)[0] for name in ("item", "participant"))
    answer = item * (int(rater.max(initial=-1)) + 1) + rater
    scores = numbers_in(coded(scores_in(asked)))
    lows, highs = (asked[name].to_numpy(dtype=float, na_value=np.nan) for name in ("scale_low", "scale_high"))

    def described(counts: Mask) -> Description:
        used = np.flatnonzero(counts[is_asked])
        # The first answer of each rater to each item, ordered by these: floating sums depend on the order.
        used = used[np.unique(answer[used], return_index=True)[1]]
        # Missing where an end is: there is no scale then, and nothing is outside of it.
        low, high = lows[used].min(initial=np.inf), highs[used].max(initial=-np.inf)
        values = scores[used]
        is_counted = ~np.isnan(values)
        if bool((counts & is_left_out).any()):
            is_counted &= ~((values < low) | (values > high))
        used, values = used[is_counted], values[is_counted]
        items, raters = (
            np.unique(codes[used], return_inverse=True)[1].astype(np.int64) for codes in (item, rater)
        )
        scale = None if np.isnan([low, high]).any() or low > high else (float(low), float(high))
        interval = mean_interval(items, raters, values, seed=seed, resamples=0, scale=scale, by_t=True)
        n_raters = int(raters.max(initial=-1)) + 1
        return replace(describe(values, resamples=0), n=n_raters, interval=interval)

    return described
