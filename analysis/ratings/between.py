"""Ratings of two studies compared over the stimuli that both have shown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import pandas as pd

from analysis.options import RESAMPLES
from analysis.ratings.paired import PairedScores, as_family, paired_scores
from analysis.ratings.studies import BlockRatings
from analysis.results import Result


@dataclass(frozen=True, slots=True)
class BlocksCompared(Result):
    """Two blocks of ratings of two studies, by each criterion that both have on the same scale.

    `n_stimuli` are those with a score in each, `n_shared` those with one in both. `criteria` have one `PairedScores`
    each, `first` and `second` being the studies; Holm's family is all comparisons of the studies given.
    `other_scale` are the criteria that both have, on different scales. Where there is nothing, `reason` says why."""

    studies: tuple[str, str]
    blocks: tuple[str, str]
    """The block of each study."""
    n_stimuli: tuple[int, int]
    n_shared: int
    criteria: tuple[PairedScores, ...]
    other_scale: tuple[str, ...]
    reason: str | None

    def labelled(self, labels: Mapping[str, str]) -> "BlocksCompared":
        """The same with criteria under other names, to be shown."""
        return replace(
            self,
            criteria=tuple(one.labelled(labels) for one in self.criteria),
            other_scale=tuple(labels.get(name, name) for name in self.other_scale),
        )


def compare_blocks(
    blocks: Sequence[BlockRatings], *, seed: int = 1, resamples: int = RESAMPLES
) -> tuple[BlocksCompared, ...]:
    """Compare every two blocks of ratings of different studies, paired by stimulus.

    The mean of a stimulus in a study is that of its items there. Stimuli are independent; raters of the two studies are
    taken as they are, so that stricter ones in one study are part of the difference. Items whose text stands in the
    item list have no stimulus, and are in no comparison.

    Parameters
    ----------
    blocks
        Of `analyze_rating_rows`; those of names of classes are left out.
    seed, resamples
        Of the permutation tests and the intervals of mean differences.
    """
    scored = [one for one in blocks if one.kind == "ratings" and one.analysis.criteria]
    found = [
        _compared(one, two, seed, resamples) for one, two in combinations(scored, 2) if one.study != two.study
    ]
    corrected = iter(as_family([each for one in found for each in one.criteria]))
    return tuple(replace(one, criteria=tuple(next(corrected) for _ in one.criteria)) for one in found)


def _compared(one: BlockRatings, two: BlockRatings, seed: int, resamples: int) -> BlocksCompared:
    first, second = _by_stimulus(one), _by_stimulus(two)
    scales = [{each.criterion: each.scale for each in block.analysis.criteria} for block in (one, two)]
    both = [name for name in scales[0] if name in scales[1]]
    same = [name for name in both if scales[0][name] == scales[1][name]]
    sets = [set(table["stimulus"]) for table in (first, second)]
    compared = [
        paired_scores(
            name,
            (one.study, two.study),
            (_of_criterion(first, name), _of_criterion(second, name)),
            "stimulus",
            seed=seed,
            resamples=resamples,
        )
        for name in same
    ]
    criteria = tuple(each for each in compared if each.test.n)
    return BlocksCompared(
        studies=(one.study, two.study),
        blocks=(one.block, two.block),
        n_stimuli=(len(sets[0]), len(sets[1])),
        n_shared=len(sets[0] & sets[1]),
        criteria=criteria,
        other_scale=tuple(name for name in both if name not in same),
        reason=None if criteria else _reason(sets, both),
    )


def _reason(sets: Sequence[set[str]], both: Sequence[str]) -> str:
    if not all(sets):
        return "the items of a study have no stimulus: their texts stand in the item list"
    if not sets[0] & sets[1]:
        return "no stimulus was rated in both studies"
    return (
        "no criterion of both has the same scale and a stimulus in both"
        if both
        else "no criterion is in both"
    )


def _by_stimulus(block: BlockRatings) -> pd.DataFrame:
    """The mean of each criterion and stimulus, over its items."""
    names = block.items[["item", "stimulus"]].dropna().astype("str")
    items = block.analysis.items.dropna(subset=["mean"])
    placed = items.assign(item=items["item"].astype("str")).merge(names, on="item")
    placed["criterion"] = placed["criterion"].astype("str")
    return placed.groupby(["criterion", "stimulus"])["mean"].mean().reset_index()


def _of_criterion(table: pd.DataFrame, name: str) -> pd.Series:
    return table[table["criterion"] == name].set_index("stimulus")["mean"]
