"""The rows of an analysis of ratings: of each item and rater, and of scores that are odd."""

import numpy as np
import pandas as pd

from analysis.data.codes import Mask
from analysis.data.ordering import natural_ranks
from analysis.data.rating_table import OF_ITEM, Ratings
from analysis.ratings.groups import severities
from analysis.stats.intervals import Floats

NOT_A_NUMBER = "not a number"
KEPT = "out of range, counted"
DROPPED = "out of range, left out"


def per_each(ratings: Ratings, column: str, scores: Floats, counted: Mask) -> pd.DataFrame:
    """Mean and SD of the scores that count of each criterion and item or rater."""
    table = ratings.table
    keys = [table["criterion"], table[column]]
    values = pd.Series(np.where(counted, scores, np.nan), index=table.index)
    grouped = values.groupby(keys, observed=True, sort=True)
    n = pd.Series(counted, index=table.index).groupby(keys, observed=True, sort=True).sum()
    made = pd.concat([n, grouped.mean(), grouped.std()], axis=1).reset_index()
    made.columns = pd.Index(["criterion", column, "n", "mean", "sd_ddof1"])
    places = {name: place for place, name in enumerate(ratings.criteria)}
    criterion = made["criterion"].astype("str").map(places).to_numpy()
    return made.iloc[np.lexsort([natural_ranks(made[column].astype(object)), criterion])].reset_index(
        drop=True
    )


def with_severity(raters: pd.DataFrame, ratings: Ratings, scores: Floats, counted: Mask) -> pd.DataFrame:
    """The raters with their scores' deviation from the same items' mean by all raters."""
    if ratings.level == "nominal":
        return raters.assign(severity=None)
    rows = ratings.table[counted]
    criterion, item, rater = (
        rows[name].cat.codes.to_numpy().astype(np.int64) for name in ("criterion", "item", "rater")
    )
    found = severities(criterion, item, rater, scores[counted])
    of_row = [
        pd.Categorical(raters[name], rows[name].cat.categories).codes for name in ("criterion", "rater")
    ]
    return raters.assign(severity=found.reindex(pd.MultiIndex.from_arrays(of_row)).to_numpy())


def with_plurality(items: pd.DataFrame, ratings: Ratings, counted: Mask) -> pd.DataFrame:
    """The items with the class that most raters gave each."""
    if ratings.level != "nominal":
        return items.assign(plurality=None, n_plurality=None)
    rows = ratings.table[counted]
    keys = ["criterion", "item"]
    counts = rows.groupby([*keys, "score"], observed=True).size().rename("n_plurality").reset_index()
    most = counts.groupby(keys, observed=True)["n_plurality"].transform("max")
    top = counts[counts["n_plurality"] == most]
    found = top.drop_duplicates(keys).assign(plurality=top["score"].astype(object))
    found.loc[top.duplicated(keys, keep=False), "plurality"] = "tie"
    return items.merge(found[[*keys, "plurality", "n_plurality"]], on=keys, how="left", sort=False)


def odd_scores(ratings: Ratings, scores: Floats, outside: Mask, counted: Mask) -> pd.DataFrame:
    """The scores that are no numbers or out of range, in the order of the file, and why."""
    table = ratings.table
    why = np.where(outside, KEPT if ratings.out_of_range == "keep" else DROPPED, NOT_A_NUMBER)
    odd = outside | (table["score"].notna().to_numpy() & np.isnan(scores) & ~counted)
    return (
        table[odd]
        .drop(columns=list(OF_ITEM))
        .assign(why=why[odd])
        .sort_values(["row", "criterion"])
        .reset_index(drop=True)
    )
