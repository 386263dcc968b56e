"""People's next decisions predicted: baselines and predictions from elsewhere, scored alike on people held out.

GLEE's [SMR24] task of human choice prediction, on yes-or-no decisions. The baselines are the base rate and a logistic
regression on the configuration and the history; each decision is predicted by a fit without any decision of the same
person, or of the same configuration.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.errors import AnalysisError
from analysis.options import RESAMPLES
from analysis.results import Result
from analysis.stats.intervals import Floats, Interval, no_interval, percentile_interval, wilson
from analysis.stats.logistic import fit_logistic
from analysis.stats.student import FEW, ratio_interval
from analysis.stats.threads import one_thread

FEWEST = 5
"""People, or configurations, below which nothing is held out."""
FOLDS = 10
# A prediction of 0 or 1 that fails would cost an infinite loss.
CLIP = 1e-6
"""Predictions are moved this far from 0 and 1, where one wrong decision would cost infinitely much."""
BINS = 10
METHOD = "percentile bootstrap over people"
NONE_FOR_BASE = (
    "the loss of the base rate hardly changes with people near a share of one half: no interval holds"
)
BASE_RATE, LOGISTIC = "base rate", "logistic regression"


@dataclass(frozen=True, slots=True)
class CalibrationBin(Result):
    """Decisions predicted from `low` to `high`: how many, the mean prediction, the share of yes and its 95% limits."""

    low: float
    high: float
    n: int
    predicted: float
    observed: float
    observed_low: float
    observed_high: float


@dataclass(frozen=True, slots=True)
class Score(Result):
    """One predictor on all decisions: mean log loss in nats with its interval over people, Brier score, accuracy.

    The base rate's loss has no interval: near a share of one half it hardly changes with people, and the methods tried
    covered the truth in 87 to 89% of simulated cases of 10 to 30 people.

    `better` is the difference of its log loss to the base rate's; accuracy takes predictions above 0.5 as yes.
    """

    predictor: str
    log_loss: float
    interval: Interval
    brier: float
    accuracy: float
    better: float
    calibration: Sequence[CalibrationBin]


@dataclass(frozen=True, slots=True)
class HeldOut(Result):
    """Scores where each `held_out` (person or configuration) was predicted from others alone; or why there are none."""

    held_out: Literal["person", "config"]
    groups: int
    folds: int
    scores: Sequence[Score]
    reason: str | None


@dataclass(frozen=True, slots=True)
class ChoicePrediction(Result):
    """The number of decisions, people and configurations, the share of yes, and the scores."""

    n: int
    people: int
    configurations: int
    share: float
    held_out: Sequence[HeldOut]


@one_thread
def predict_choices(
    decisions: pd.DataFrame,
    features: Sequence[str],
    given: Mapping[str, Sequence[float]] | None = None,
    *,
    folds: int = FOLDS,
    seed: int = 1,
    resamples: int = RESAMPLES,
) -> ChoicePrediction:
    """Score the baselines, and predictions that were given, on the same decisions.

    Parameters
    ----------
    decisions
        One row per decision: `person`, `config`, `chose` (whether it was yes), and the features as numbers, missing
        where they do not apply.
    features
        The columns that the logistic regression takes; ridge with unit penalty on standardised features, as the
        clue report's, classes as they are.
    given
        Predictions from elsewhere by name: a probability of yes for each row.

    Returns
    -------
    ChoicePrediction
        Raises AnalysisError below 5 people, for probabilities outside 0..1, and for another number of them.
    """
    people = decisions["person"].nunique()
    if people < FEWEST:
        raise AnalysisError(
            f"there are decisions of {people} people; a person's next decision is predicted from those of at least "
            f"{FEWEST - 1} others, so {FEWEST} are needed"
        )
    if folds < 2:
        raise AnalysisError(f"folds is {folds}; it must be 2 or more")
    chose = decisions["chose"].to_numpy(dtype=bool)
    known = {name: _checked(name, values, len(decisions)) for name, values in (given or {}).items()}
    held = [
        _held_out(unit, decisions, features, chose, known, folds, seed, resamples)
        for unit in ("person", "config")
    ]
    return ChoicePrediction(len(decisions), people, decisions["config"].nunique(), float(chose.mean()), held)


def folds_of(groups: pd.Series, folds: int = FOLDS, seed: int = 1) -> npt.NDArray[np.int64]:
    """The fold of each row, from 0: whole groups, dealt to folds in turn in an order drawn with the seed."""
    # Sorted before they are drawn: folds must not depend on the order of the rows.
    names = np.array(sorted(set(groups.astype(str))))
    order = np.random.default_rng(seed).permutation(len(names))
    fold = {
        name: int(at % min(folds, len(names)))
        for name, at in zip(names[order], range(len(names)), strict=True)
    }
    return np.array([fold[name] for name in groups.astype(str)], dtype=np.int64)


def _held_out(
    unit: Literal["person", "config"],
    decisions: pd.DataFrame,
    features: Sequence[str],
    chose: npt.NDArray[np.bool_],
    given: Mapping[str, Floats],
    folds: int,
    seed: int,
    resamples: int,
) -> HeldOut:
    groups = decisions[unit].nunique()
    if groups < FEWEST:
        reason = f"{groups} configurations were played; at least {FEWEST} are needed to hold some out"
        return HeldOut(unit, groups, 0, (), reason)
    fold = folds_of(decisions[unit], folds, seed)
    values = decisions[list(features)].to_numpy(dtype=float)
    rate, logistic = np.empty(len(chose)), np.empty(len(chose))
    for one in np.unique(fold):
        out = fold == one
        train = chose[~out]
        # Half a yes and half a no are added: a rate of 0 or 1 would cost an infinite loss.
        rate[out] = (train.sum() + 0.5) / (len(train) + 1)
        if train.all() or not train.any():
            logistic[out] = rate[out]
        else:
            # Not balanced: its probabilities are scored, and equal weights would draw them to one half.
            scores = fit_logistic(values[~out], train, balanced=False).scores(values[out])
            logistic[out] = 1 / (1 + np.exp(-scores))
    predicted = {BASE_RATE: rate, LOGISTIC: logistic, **given}
    base = float(_losses(rate, chose).mean())
    scored = [
        _score(name, each, chose, decisions["person"], base, seed, resamples)
        for name, each in predicted.items()
    ]
    return HeldOut(unit, groups, int(fold.max()) + 1, scored, None)


def _score(
    name: str,
    predicted: Floats,
    chose: npt.NDArray[np.bool_],
    person: pd.Series,
    base: float,
    seed: int,
    resamples: int,
) -> Score:
    losses = _losses(predicted, chose)
    mean = float(losses.mean())
    return Score(
        name,
        mean,
        no_interval(NONE_FOR_BASE, seed, 0, METHOD)
        if name == BASE_RATE
        else _over_people(losses, person, seed, resamples),
        float(((predicted - chose) ** 2).mean()),
        float(((predicted > 0.5) == chose).mean()),
        base - mean,
        _calibration(predicted, chose),
    )


def _losses(predicted: Floats, chose: npt.NDArray[np.bool_]) -> Floats:
    kept = np.clip(predicted, CLIP, 1 - CLIP)
    losses: Floats = -np.log(np.where(chose, kept, 1 - kept))
    return losses


def _over_people(losses: Floats, person: pd.Series, seed: int, resamples: int) -> Interval:
    """The interval of a mean loss, people as clusters."""
    sums = pd.Series(losses).groupby(person.to_numpy()).agg(["sum", "size"]).to_numpy(dtype=float)
    n = len(sums)
    if n < FEW or not resamples:
        counts = sums[:, 1].astype(np.int64)
        return ratio_interval(sums[:, 0], counts, seed=seed, scale="any", units="people")
    drawn = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), resamples) @ sums
    return percentile_interval(drawn[:, 0] / drawn[:, 1], seed, METHOD)


def _calibration(predicted: Floats, chose: npt.NDArray[np.bool_]) -> list[CalibrationBin]:
    # A prediction of 1 belongs to the last bin.
    at = np.minimum((predicted * BINS).astype(int), BINS - 1)
    found = []
    for one in np.unique(at):
        within = at == one
        n, k = np.array([within.sum()]), np.array([chose[within].sum()])
        low, high = wilson(k, n)
        found.append(
            CalibrationBin(
                float(one / BINS),
                float((one + 1) / BINS),
                int(n[0]),
                float(predicted[within].mean()),
                float(k[0] / n[0]),
                float(low[0]),
                float(high[0]),
            )
        )
    return found


def _checked(name: str, values: Sequence[float], n: int) -> Floats:
    checked = np.asarray(values, dtype=float)
    if len(checked) != n:
        raise AnalysisError(f"{name} has {len(checked)} predictions for {n} decisions")
    if not ((checked >= 0) & (checked <= 1)).all():
        raise AnalysisError(f"{name} has a prediction that is no probability from 0 to 1")
    return checked
