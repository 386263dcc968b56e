"""A judge's numbers as Devlin et al. computed them for their models, from their released program [NTT21]_.

Of the rank correlation there are two readings: the program's, and that of the paper's appendix A.4, which differ.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from analysis.judging.matching import Judged, Run
from analysis.judging.pairs import EVEN, Bools, Pairs
from analysis.judging.sample import IDENTITY, LABELS, NO_TRUTH, NO_VOTE, RANK
from analysis.judging.scores import Quantity, mean_of, spearman_of, undefined
from analysis.results import Result
from analysis.stats.intervals import Floats

PROGRAM, APPENDIX = "program", "appendix_a4"

_UNNAMED = "neither truth nor sources say which member is the first: the published correlation needs one"


@dataclass(frozen=True, slots=True)
class Reading(Result):
    """One reading of the rank correlation: its mean over the runs for which it is defined, with the SD divided by n."""

    value: float | None
    sd_ddof0: float | None
    n: int
    n_runs: int
    reason: str | None


@dataclass(frozen=True, slots=True)
class AsPublished(Result):
    """The mean over the runs for which the number is defined (`n_runs`), their SD divided by n as in the
    paper, and how many ties were broken at random.

    Of the rank correlation `readings` holds two by name, `program` (which `value` repeats) and `appendix_a4`."""

    value: float | None
    sd_ddof0: float | None
    n: int
    n_runs: int
    n_ties_broken: int
    reason: str | None
    readings: Mapping[str, Reading] | None = None


def published_labels(pairs: Pairs, seed: int) -> Floats:
    """1 where the majority chose the first member, 0 where the second; ties by a coin; NaN without a vote."""
    coin = np.random.default_rng(seed).integers(2, size=len(pairs))
    return np.where(pairs.label == EVEN, coin, pairs.label)


def as_published(
    judged: Judged, pairs: Pairs, labels: Floats, group: Bools, seed: int
) -> dict[str, AsPublished]:
    """Identity accuracy, accuracy against the labels and rank correlation of one group of pairs.

    A tied verdict and a tied label are broken by a coin (the paper's had no seed; here it is `seed`). The
    correlation is Spearman's between the share of votes for the first member and the judge's score of that
    clip alone, not of the pair; a judge of pairs has no such score, and its score of the pair is taken. A
    run in which it is not defined is left out. The appendix words it otherwise: the share of participants who
    agreed with their majority, and the score of the clip that the judge chose.
    """
    per_run = [_run(judged, run, pairs, labels, group, seed, at) for at, run in enumerate(judged.runs)]
    n_pairs = int(group.sum())
    found = {name: _summary([run[name] for run in per_run], n_pairs) for name in (IDENTITY, LABELS, RANK)}
    readings = {PROGRAM: found[RANK], APPENDIX: _summary([run[APPENDIX] for run in per_run], n_pairs)}
    found[RANK] = replace(found[RANK], readings={name: _reading(one) for name, one in readings.items()})
    return found


def _reading(one: AsPublished) -> Reading:
    return Reading(one.value, one.sd_ddof0, one.n, one.n_runs, one.reason)


def _run(
    judged: Judged, run: Run, pairs: Pairs, labels: Floats, group: Bools, seed: int, number: int
) -> dict[str, tuple[Quantity, int]]:
    """Each number, and how many ties were broken for it."""
    # Not [seed, 0], which is the stream of the labels' coins.
    coin = np.random.default_rng([seed, number + 1]).integers(2, size=len(pairs))
    tied = run.support == EVEN
    verdict = np.where(tied, coin, run.support)
    right = np.where(pairs.has_truth, verdict, np.nan)
    tied_label = pairs.label == EVEN
    # Where nothing names the first member the coin says whether they agree: it may not depend on which is called a.
    same = np.where(tied_label & ~pairs.named, labels, verdict == labels)
    agrees = np.where(np.isnan(verdict + labels), np.nan, same)
    broken = group & ~np.isnan(agrees) & (tied | tied_label)
    own = np.where(np.isnan(run.clip), run.score, run.clip)
    rank = spearman_of(own[group], pairs.share[group]) if pairs.named[group].all() else undefined(_UNNAMED)
    other = np.where(np.isnan(run.clip), judged.mirrored(run.score), run.other_clip)
    chosen = np.where(verdict == 1, own, np.where(verdict == 0, other, np.nan))
    agreed = np.where(labels == 1, pairs.share, 1 - pairs.share)
    return {
        APPENDIX: (spearman_of(chosen[group], agreed[group]), int((group & tied).sum())),
        IDENTITY: (mean_of(right[group], NO_TRUTH), int((group & ~np.isnan(right) & tied).sum())),
        LABELS: (mean_of(agrees[group], NO_VOTE), int(broken.sum())),
        RANK: (rank, 0),
    }


def _summary(runs: list[tuple[Quantity, int]], pairs: int) -> AsPublished:
    ties = sum(broken for _, broken in runs)
    n = max(run.n for run, _ in runs)
    defined = [run for run, _ in runs if run.reason is None]
    if not defined:
        return AsPublished(None, None, n, 0, ties, runs[0][0].reason)
    values = np.array([float(run.statistic(np.ones((1, pairs)))[0]) for run in defined])
    # Divided by n, as in the paper's table.
    sd = float(np.std(values)) if len(values) > 1 else None
    return AsPublished(float(np.mean(values)), sd, n, len(values), ties, None)
