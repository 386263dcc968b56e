"""All clues together: how well a small classifier tells the clips of one source from the others."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import ndtr, stdtrit

from analysis.clues.words import capital
from analysis.options import LEVEL
from analysis.results import Result
from analysis.stats.auc import NEWCOMBE, newcombe
from analysis.stats.evidence import NOT_YET, SHARE, evidence
from analysis.stats.intervals import Floats, Interval
from analysis.stats.logistic import Classes, fit_logistic
from analysis.stats.threads import one_thread

ALL_TOGETHER = "all clues together"

FEWEST = 4
MOST = 1_000
FOLDS = 5
REPEATS = 10
RESAMPLES = 2_000

_METHOD = "bootstrap over clips within each class, percentiles widened for the smaller class, arms by 1.4"
# For the luck of training, which resampling clips cannot show: with 4 to 30 clips a side 92% or more then hold.
_ARMS = 1.4

Rows = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Classifier(Result):
    """`auc` in [0, 1] of clips that the classifier had not seen, 0.5 being no better than chance; or a `reason`.

    `left_out` are the clues that cannot help: the same for all clips, or missing for a whole class.
    """

    clues: tuple[str, ...]
    left_out: tuple[str, ...]
    n_positive: int
    n_other: int
    folds: int
    repeats: int
    auc: float | None
    interval: Interval
    warns: bool
    reason: str | None


@dataclass(frozen=True, slots=True)
class _Comparisons:
    """For each positive clip (row) and other clip (column): how often they were tested together, and the wins."""

    wins: Floats
    times: Floats

    @property
    def auc(self) -> float:
        return float(self.wins.sum() / self.times.sum())


@one_thread
def classify(
    clues: pd.DataFrame,
    positive: Classes,
    *,
    seed: int,
    threshold: float,
    on_repeat: Callable[[int], None] = lambda done: None,
) -> Classifier:
    """Cross-validate a standardised L2-regularised logistic regression (C = 1, classes weighted alike).

    One row is one clip, the independent unit. Missing values become the training clips' median. Folds are stratified,
    5 or as many as the smaller class has clips, drawn 10 times.

    The AUC compares only clips that were tested in the same fold: scores of different folds come from different
    fits, and pooling them biases the AUC of clues that tell nothing below 0.5 [PGB07]_ [APW11]_. The interval is a
    bootstrap [ET93]_ of the clips, each class within itself, scores held fixed; its percentiles are widened for
    the size of the smaller class [Hes15]_, and both its arms by 1.4 for the luck of training, which that bootstrap
    does not see. It always reaches 0.5, below which no classifier is on clips that it has not seen. The factor was
    chosen by simulation: of 4 to 30 clips a side, with 3 or 10 clues of which none or one tells (by 0.75 or 1.5 SD),
    92% to 100% of the intervals held the mean AUC of classifiers so trained; bench/calibration.md has those of six.
    With more than 1,000 clips in a class, 1,000 of them are drawn.
    """
    rows = _drawn(positive, seed)
    clues, positive = clues.iloc[rows], positive[rows]
    used = tuple(str(name) for name in clues if _helps(clues[name], positive))
    left_out = tuple(str(name) for name in clues if name not in used)
    n, others = int(positive.sum()), int((~positive).sum())
    # No more folds than clips of the rarer class: every fold has to hold both.
    folds = min(FOLDS, n, others)

    def result(repeats: int, auc: float | None, interval: Interval, reason: str | None) -> Classifier:
        warns = auc is not None and auc >= threshold and (interval.low or 0.0) > 0.5
        return Classifier(used, left_out, n, others, folds, repeats, auc, interval, warns, reason)

    if reason := _reason(used, n, others):
        return result(0, None, _no_interval(reason, seed), reason)
    values = clues[list(used)].to_numpy(dtype=float)
    compared = _cross_validate(values, positive, folds, seed, on_repeat)
    return result(REPEATS, compared.auc, _interval(compared, seed), None)


def _drawn(positive: Classes, seed: int) -> Rows:
    """The rows to work on: all, or of each class as many as fit, in order."""
    rng = np.random.default_rng(seed)
    classes = (np.flatnonzero(positive), np.flatnonzero(~positive))
    kept = [rng.choice(rows, MOST, replace=False) if len(rows) > MOST else rows for rows in classes]
    return np.sort(np.concatenate(kept))


def _helps(values: pd.Series, positive: Classes) -> bool:
    there = values.notna().to_numpy()
    return values.nunique() > 1 and bool(there[positive].any()) and bool(there[~positive].any())


def _reason(used: tuple[str, ...], n: int, others: int) -> str | None:
    if min(n, others) < FEWEST:
        counts = f"{n} and {others}"
        return f"too few: at least {FEWEST} of each kind are needed, there are {counts}"
    return None if used else "no clue differs between clips"


def _cross_validate(
    values: Floats, positive: Classes, folds: int, seed: int, on_repeat: Callable[[int], None]
) -> _Comparisons:
    # Where each clip stands among those of its class.
    place = np.where(positive, np.cumsum(positive), np.cumsum(~positive)) - 1
    shape = int(positive.sum()), int((~positive).sum())
    compared = _Comparisons(np.zeros(shape), np.zeros(shape))
    for repeat, split in enumerate(stratified_splits(positive, folds, seed), start=1):
        for train, test in split:
            # Rounded, so that equal clips tie whatever the order of the sums.
            scores = np.round(fit_logistic(values[train], positive[train]).scores(values[test]), 9)
            # Within a fold only: scores of different fits are not on one scale [PGB07], [APW11].
            of_positive, of_others = scores[positive[test]], scores[~positive[test]]
            cells = np.ix_(place[test[positive[test]]], place[test[~positive[test]]])
            compared.wins[cells] += (np.sign(of_positive[:, None] - of_others) + 1) / 2
            compared.times[cells] += 1
        on_repeat(repeat)
    return compared


def stratified_splits(positive: Classes, folds: int, seed: int) -> Iterator[list[tuple[Rows, Rows]]]:
    """For each repeat, the rows to train on and to test, fold by fold; each fold has its share of both classes."""
    rng = np.random.default_rng(seed)
    for _ in range(REPEATS):
        fold = np.empty(len(positive), dtype=np.intp)
        for rows in (np.flatnonzero(positive), np.flatnonzero(~positive)):
            fold[rng.permutation(rows)] = np.arange(len(rows)) % folds
        yield [(np.flatnonzero(fold != number), np.flatnonzero(fold == number)) for number in range(folds)]


def _interval(compared: _Comparisons, seed: int) -> Interval:
    n, others = compared.wins.shape
    if compared.auc in (0.0, 1.0):
        low, high = newcombe(compared.auc, n, others)
        return Interval(low, max(high, 0.5), LEVEL, NEWCOMBE, 0, seed, None)
    rng = np.random.default_rng(seed)
    of_positive, of_others = (rng.multinomial(k, np.full(k, 1 / k), size=RESAMPLES) for k in (n, others))
    wins = ((of_positive @ compared.wins) * of_others).sum(axis=1)
    times = ((of_positive @ compared.times) * of_others).sum(axis=1)
    # In a rare resample of very few clips, no two were ever tested together.
    drawn = wins[times > 0] / times[times > 0]
    tail = _widened_tail(min(n, others))
    low, high = np.quantile(drawn, [tail, 1 - tail])
    return Interval(*_widened(compared.auc, low, high), LEVEL, _METHOD, RESAMPLES, seed, None)


def _widened(auc: float, low: float, high: float) -> tuple[float, float]:
    """Arms longer by `_ARMS`, within what an AUC of clips not seen can be."""
    wide_low, wide_high = auc - _ARMS * (auc - low), auc + _ARMS * (high - auc)
    return float(max(0.0, wide_low)), float(min(1.0, max(0.5, wide_high)))


def _widened_tail(n: int) -> float:
    """The tail to cut off, so that percentiles reach as far as Student's t does with n values [Hes15]_."""
    t = stdtrit(n - 1, (1 + LEVEL) / 2)
    return float(ndtr(-((n / (n - 1)) ** 0.5) * t))


def _no_interval(reason: str, seed: int) -> Interval:
    return Interval(None, None, LEVEL, _METHOD, 0, seed, reason)


def separates(what: str, verb: str, classifier: Classifier, positive: str, noun: str) -> str:
    """A classifier's finding, by its interval; below 0.5 it has learnt nothing that holds, and is not turned round."""
    auc = f"AUC {classifier.auc:.2f} (95% interval {classifier.interval.low:.2f} to {classifier.interval.high:.2f})"
    pair = f"{positive} {noun} from the others"
    match evidence(classifier.interval, 0.5):
        case "more":
            return f"{what} {verb} {pair} with {auc}"
        case "alike":
            return f"{what} {verb} {pair} by no more than {SHARE:g} of AUC: {auc}"
    return f"whether {what} {verb} {pair} {NOT_YET}: {auc}"


def together_sentence(classifier: Classifier, positive: str, noun: str) -> str:
    """The classifier's finding in one sentence."""
    if classifier.auc is None:
        return f"All clues together could not be tried: {classifier.reason}."
    found = separates(f"a small classifier on {ALL_TOGETHER}", "tells", classifier, positive, noun)
    if classifier.warns:
        return f"{capital(ALL_TOGETHER)} give the source away: {found}, on {noun} it had not seen."
    return f"{capital(found)}, on {noun} it had not seen."
