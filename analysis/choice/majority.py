"""The label of each pair: the majority's choice, with its interval and with ties kept."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.data.codes import Groups, crossed, groups_of, recoded, rows_where
from analysis.data.columns import CHOICES, LABEL_COLUMNS, MEMBERS, names
from analysis.data.totals import share
from analysis.natural import natural
from analysis.options import Ties
from analysis.stats.intervals import Floats, wilson

# A pair whose clips or truth changed between versions is, for the votes, another pair.
_DEFINITION = (
    "study",
    "pair",
    "condition",
    "kind",
    "stimulus_a",
    "stimulus_b",
    "source_a",
    "source_b",
    "truth",
)


def majority_vote(rows: pd.DataFrame, ties: Ties = "keep", seed: int | None = None) -> pd.DataFrame:
    """Count the votes of each pair.

    One row of `rows` is one answer; each is one vote, one of no difference too; blanks are none. Every kind of
    pair but practice gets a row (attention pairs too: their label shows whether the check works). A pair that
    the study changed between versions has one row for each definition.

    Parameters
    ----------
    rows
        Checked responses, already selected.
    ties
        ``keep``: a tie is labelled ``tie``. ``random``: where both members have as many votes (and the tie no more),
        the label is one of the two by `seed`; where most people say that there is no difference, it stays ``tie``.
    seed
        Needed with ``random``, and reported by the caller.

    Returns
    -------
    DataFrame
        The columns of `LABEL_COLUMNS`, sorted by study and pair. `share_a` = votes_a / n with its 95%
        Wilson interval [Wil27]_; `agrees_with_truth` is None without a truth, without a vote and for a
        tie.
    """
    rows = rows_where(rows, (rows["kind"] != "practice").to_numpy())
    table = _votes(rows)
    majority = winners(table[[f"votes_{choice}" for choice in CHOICES]].to_numpy())
    if ties == "random":
        majority = _broken(table, majority, seed)
    table["share_a"] = share(table["votes_a"], table["n"])
    table["ci_low"], table["ci_high"] = wilson(table["votes_a"].to_numpy(), table["n"].to_numpy())
    table["majority"] = pd.Series(majority).astype("str").mask(majority == "")
    chosen = table["stimulus_a"].where(majority == "a", table["stimulus_b"])
    table["chosen_stimulus"] = chosen.where(np.isin(majority, MEMBERS))
    decided = table["truth"].notna() & np.isin(majority, MEMBERS)
    agrees = (table["majority"] == table["truth"]).astype(object)
    table["agrees_with_truth"] = agrees.where(decided, None)
    return table[list(names(LABEL_COLUMNS))]


def winners(votes: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.str_]:
    """The majority of votes for a, for b and for a tie (one row per pair); empty without a vote.

    A member wins with more votes than the other and than the tie; otherwise it is a tie.
    """
    # idxmax would pick by the order of columns and lean to a (decision 0003).
    a, b, tie = votes.T
    wins = [votes.sum(axis=1) == 0, a > np.maximum(b, tie), b > np.maximum(a, tie)]
    return np.select(wins, ["", *MEMBERS], "tie")


def _votes(rows: pd.DataFrame) -> pd.DataFrame:
    group = _pairs(rows)
    given = rows["uncertainty"].notna().to_numpy()
    table = rows[list(_DEFINITION)].take(group.some_row()).astype("str").reset_index(drop=True)
    said = rows["choice"].cat.codes.to_numpy()
    most = int(said.max(initial=-1))
    for place, choice in enumerate(CHOICES):
        # In most studies nobody may say that there is no difference: no pass over millions of rows for that.
        table[f"votes_{choice}"] = group.counts(said == place) if place <= most else 0
    table["n"] = table["votes_a"] + table["votes_b"] + table["votes_tie"]
    table["blank"] = group.counts() - table["n"]
    points = group.sums(rows["uncertainty"].to_numpy(dtype=np.int8, na_value=0))
    table["mean_uncertainty"] = share(pd.Series(points), pd.Series(group.counts(given)))
    table["mean_certainty"] = _mean_certainty(rows, group)
    definitions = table[list(_DEFINITION)].itertuples(index=False)
    keys = [[natural(str(cell)) for cell in definition] for definition in definitions]
    return table.iloc[sorted(range(len(keys)), key=keys.__getitem__)].reset_index(drop=True)


def _mean_certainty(rows: pd.DataFrame, group: Groups) -> Floats:
    """The mean of the certainties of each group, NaN where none was given."""
    if "certainty" not in rows or not len(rows):
        return np.full(group.size, np.nan)
    certainty = rows["certainty"].array
    given = np.flatnonzero(certainty.codes >= 0)
    # In order, because floating sums depend on it and results must not.
    given = given[np.lexsort((certainty.codes[given], group.codes[given]))]
    codes, values = group.codes[given], certainty.categories.to_numpy(dtype=float)[certainty.codes[given]]
    n = np.bincount(codes, minlength=group.size)
    mean: Floats = np.bincount(codes, values, minlength=group.size) / np.where(n > 0, n, np.nan)
    return mean


def _pairs(rows: pd.DataFrame) -> Groups:
    """The rows of each pair, told apart by its definition as far as the name of the pair does not tell."""
    group = groups_of([rows["study"], rows["pair"]]).dense()
    for name in _DEFINITION[2:]:
        cells = groups_of([rows[name]], missing=True)
        usual = cells.codes.take(group.some_row())
        if not np.array_equal(recoded(group.codes, np.append(usual, usual[:1])), cells.codes):
            group = crossed(group, cells).dense()
    return group


def _broken(table: pd.DataFrame, majority: np.ndarray, seed: int | None) -> np.ndarray:
    """Ties drawn by seed between the clips in the order of their names: a and b may change places."""
    if seed is None:
        raise ValueError("ties='random' needs a seed, so that the same data give the same labels")
    # One draw for every pair: another tie changes no other label.
    earlier = np.random.default_rng(seed).random(len(majority)) < 0.5
    # By the clips' names: which member is called a must not decide.
    a_is_earlier = (table["stimulus_a"].fillna("") <= table["stimulus_b"].fillna("")).to_numpy()
    return np.where(level(table), np.where(earlier == a_is_earlier, "a", "b"), majority)


def level(labels: pd.DataFrame) -> npt.NDArray[np.bool_]:
    """Labels whose two members have as many votes as each other, and no fewer than the tie: people disagree."""
    return level_votes(labels[[f"votes_{choice}" for choice in CHOICES]].to_numpy())


def level_votes(votes: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.bool_]:
    """The same of votes for a, for b and for a tie (one row per pair)."""
    a, b, tie = votes.T
    return np.asarray((votes.sum(axis=1) > 0) & (a == b) & (a >= tie))
