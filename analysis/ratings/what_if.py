"""The mean score of a block under other exclusion rules."""

from dataclasses import replace

import numpy as np
import pandas as pd

from analysis.data.rating_table import Ratings
from analysis.ratings.counted import ratings_in, scored_once
from analysis.ratings.interval import mean_interval
from analysis.ratings.scores import RatingAnalysis, counted_in, in_order, numbered, outside_scale
from analysis.stats.description import Description, describe
from analysis.stats.what_if import Measure, WhatIf, what_if


def ratings_what_if(study: str, part: pd.DataFrame, mode: str, analysis: RatingAnalysis) -> WhatIf | None:
    """Specifications of the mean by the first criterion that has one; None without one, or where no rule left out a
    session.
    """
    first = next((one for one in analysis.criteria if one.mean is not None), None)
    if first is None:
        return None

    def headline(under: pd.DataFrame) -> Description:
        scored, _ = scored_once(under, mode)
        return _mean_by(ratings_in(study, under, scored, {}), first.criterion, analysis)

    return what_if(part, mode, Measure("score", criterion=first.criterion, scale=first.scale), headline)


def _mean_by(ratings: Ratings, criterion: str, analysis: RatingAnalysis) -> Description:
    """The mean and its interval, as of `analyze_ratings`, over `n` raters."""
    ratings = in_order(ratings)
    scores = ratings.scores()
    counted = counted_in(ratings, scores, outside_scale(ratings, scores))
    used = counted & (ratings.table["criterion"] == criterion).to_numpy(dtype=bool)
    items, raters = numbered(ratings.table[used])
    interval = mean_interval(
        items,
        raters,
        scores[used],
        seed=analysis.seed,
        resamples=analysis.resamples,
        scale=ratings.scale_of(criterion),
    )
    described = describe(scores[used], resamples=0)
    return replace(described, n=int(np.max(raters, initial=-1)) + 1, interval=interval)
