"""Preference from few people and many verdicts: prediction-powered inference of a mean."""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri, stdtrit

from analysis.judging.matching import Judged
from analysis.judging.pairs import Bools, Pairs
from analysis.judging.scores import nan_mean
from analysis.options import LEVEL
from analysis.results import Result
from analysis.stats.intervals import Floats
from analysis.stats.student import FEW, too_few

NO_GAIN = "every pair that the judge judged has votes: there is nothing for it to add"
# Of 10 pairs the interval held the truth in 92% of simulated sets (bench/calibration.md).
FEWEST_PAIRS = 10

_FEW_WORDS = (
    f"fewer than {FEW} pairs with votes: the intervals are Student's t, wider than the authors' program's"
)
_NO_SPREAD = "neither votes nor verdicts vary: there is no width to compare"
_TOO_FEW = "fewer than two pairs have both votes and a verdict"


@dataclass(frozen=True, slots=True)
class PredictionPowered(Result):
    """A mean over pairs of the share of votes for `source` over `against` (a tie half a vote for each), from votes on
    `n_labelled` pairs and verdicts on these and on `n_unlabelled` others.

    `value` with its 95% normal interval is the prediction-powered one, `people` with its own is from the votes alone.
    `n_effective` is the number of pairs with votes alone that would give the same width; `gain` is its ratio to
    `n_labelled`. `power` in [0, 1] is the weight of the verdicts (0: none), set by their covariance with the votes.
    """

    condition: str
    source: str
    against: str
    value: float | None
    low: float | None
    high: float | None
    level: float
    people: float | None
    people_low: float | None
    people_high: float | None
    n_labelled: int
    n_unlabelled: int
    power: float | None
    n_effective: float | None
    gain: float | None
    warning: str | None
    reason: str | None


def prediction_powered_mean(
    labels: Floats, verdicts: Floats, further: Floats, power: float | None = None
) -> tuple[float, float, float]:
    """Estimate the mean of `labels` with the help of verdicts [ABF23]_.

    The unit is a pair: pairs are taken as independent draws from all pairs of their kind, labelled ones at
    random.

    Parameters
    ----------
    labels, verdicts
        Of the labelled pairs: the share of votes, and the judge's forecast of it.
    further
        The judge's forecasts for pairs without votes.
    power
        1 trusts the verdicts as they come, 0 not at all; by default what makes the interval shortest
        [ADZ23]_, kept within [0, 1].

    Returns
    -------
    tuple
        The estimate, its standard error (both variances divide by n, as in the authors' program) and the
        power.
    """
    n, more = len(labels), len(further)
    if power is None:
        power = _tuned(labels, verdicts, further)
    value = power * np.mean(further) + np.mean(labels - power * verdicts)
    # Variances divide by n, as in the authors' program; intervals of few pairs correct for it below.
    variance = power**2 * np.var(further) / more + np.var(labels - power * verdicts) / n
    return float(value), float(np.sqrt(variance)), float(power)


def _tuned(labels: Floats, verdicts: Floats, further: Floats) -> float:
    # ddof 1 for the spread and 0 for the covariance, as in the authors' program.
    spread = float(np.var(np.concatenate([verdicts, further]), ddof=1))
    if spread <= 0:
        return 0.0
    together = float(np.mean((labels - labels.mean()) * (verdicts - verdicts.mean())))
    return float(np.clip(together / ((1 + len(labels) / len(further)) * spread), 0.0, 1.0))


def prediction_powered(
    judged: Judged, pairs: Pairs, power: float | None = None
) -> tuple[PredictionPowered, ...]:
    """Estimate the preference of every condition and two sources, with the judge's help.

    The forecast of a pair is the judge's probability where it gives such, else its verdict (1, 0, 0.5 for a
    tie); the mean over its runs. Pairs whose members have the same source, or one without, show no
    preference and are left out."""
    table = pairs.table
    which = "score" if judged.scores == "probabilities" else "support"
    forecast = nan_mean(np.stack([getattr(run, which) for run in judged.runs]))
    apart = (table["source"] != table["against"]) & (table["source"] != "") & (table["against"] != "")
    keys = ["condition", "source", "against"]
    return tuple(
        _estimate(
            named, (apart & (table[keys] == list(named)).all(axis=1)).to_numpy(), pairs.share, forecast, power
        )
        for named in sorted(set(table.loc[apart, keys].itertuples(index=False, name=None)))
    )


def _estimate(
    named: tuple[str, str, str], group: Bools, share: Floats, forecast: Floats, power: float | None
) -> PredictionPowered:
    judged = group & ~np.isnan(forecast)
    labelled, further = judged & ~np.isnan(share), judged & np.isnan(share)
    labels = share[group & ~np.isnan(share)]
    n, more = int(labelled.sum()), int(further.sum())
    alone = (
        mean_interval(float(np.mean(labels)), float(np.std(labels)) / len(labels) ** 0.5, len(labels))
        if len(labels)
        else _NONE
    )
    warning = _warning(len(labels))
    if len(labels) < 2 or n < 2 or more == 0:
        reason = _TOO_FEW if n < 2 else NO_GAIN
        known = alone if len(labels) > 1 else (alone[0], None, None)
        return PredictionPowered(
            *named, None, None, None, LEVEL, *known, n, more, None, None, None, warning, reason
        )
    value, error, used = prediction_powered_mean(
        share[labelled], forecast[labelled], forecast[further], power
    )
    of_people = float(np.std(share[labelled])) / n**0.5
    alone = mean_interval(float(np.mean(share[labelled])), of_people, n)
    gain = (of_people / error) ** 2 if error > 0 else None
    warning = _NO_SPREAD if gain is None else _warning(n)
    effective = None if gain is None else gain * n
    return PredictionPowered(
        *named, *mean_interval(value, error, n), LEVEL, *alone, n, more, used, effective, gain, warning, None
    )


_NONE: tuple[float | None, float | None, float | None] = (None, None, None)


def _warning(n: int) -> str | None:
    if n < FEWEST_PAIRS:
        return too_few(n, "pairs")
    return _FEW_WORDS if n < FEW else None


def mean_interval(value: float, error: float, n: int) -> tuple[float | None, float | None, float | None]:
    """The interval for `n` pairs with votes: the authors' from 50 on, Student's t of an unbiased variance below."""
    if n < FEWEST_PAIRS:
        return value, None, None
    if n >= FEW:
        half = float(ndtri((1 + LEVEL) / 2)) * error
    else:
        # The unbiased variance and Student's t: the authors' normal interval is for many pairs.
        half = float(stdtrit(n - 1, (1 + LEVEL) / 2)) * error * (n / (n - 1)) ** 0.5
    return value, value - half, value + half
