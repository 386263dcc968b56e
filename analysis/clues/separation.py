"""The separation of two sources' clips by a clue, and its significance after correction."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from analysis.clues.classifier import FEWEST
from analysis.clues.words import capital
from analysis.options import LEVEL
from analysis.results import Result
from analysis.stats.auc import AucInterval, auc, auc_interval
from analysis.stats.comparisons import mann_whitney
from analysis.stats.intervals import Floats
from analysis.stats.multiplicity import holm


@dataclass(frozen=True, slots=True)
class Separation(Result):
    """The separation of the clips of `first` from those of `second` (None: from all others) by a clue.

    `auc` in [0, 1] is the chance that a clip of `first` has the higher value than one of `second`, ties counting half;
    `strength` = max(auc, 1 - auc) in [0.5, 1] is the same for either direction. `strength_low` and `strength_high` are
    the interval of the strength: from 0.5 on if the AUC's interval contains 0.5. `p` is Mann-Whitney's, two-sided;
    `p_holm` is corrected for every comparison of every clue of the report.
    """

    first: str
    second: str | None
    n_first: int
    n_second: int
    auc: float | None
    interval: AucInterval
    strength: float | None
    strength_low: float | None
    strength_high: float | None
    p: float | None
    p_holm: float | None
    warns: bool
    reason: str | None


def corrected(compared: Sequence[Sequence[Separation]], threshold: float) -> list[list[Separation]]:
    """Holm's correction over every comparison of every clue.

    With two sources, the one pair is the comparison with all others and counts once.
    """
    once = [of[:1] if len(of) == 2 and of[0].p is not None else of for of in compared]
    corrected = iter(holm([each.p for of in once for each in of]))
    found = []
    for of, counted in zip(compared, once, strict=True):
        p_values = [next(corrected) for _ in counted]
        p_values += p_values[:1] * (len(of) - len(counted))
        found.append([_judged(each, p, threshold) for each, p in zip(of, p_values, strict=True)])
    return found


def _judged(one: Separation, p_holm: float | None, threshold: float) -> Separation:
    is_enough = min(one.n_first, one.n_second) >= FEWEST
    is_significant = p_holm is not None and p_holm < 1 - LEVEL
    warns = is_enough and is_significant and (one.strength or 0.0) >= threshold
    return replace(one, p_holm=p_holm, warns=warns)


def smallest(p_values: Iterable[float | None]) -> float | None:
    return min((p for p in p_values if p is not None), default=None)


def separations(there: Mapping[str, Floats]) -> list[Separation]:
    """Each two sources, the strongest first; Bonferroni's levels, so that all intervals hold at once."""
    both = list(combinations(there, 2))
    level = 1 - (1 - LEVEL) / max(len(both), 1)
    pairs = [separation(a, b, there[a], there[b], level) for a, b in both]
    return sorted(pairs, key=lambda pair: -(pair.strength or 0.0))


def separation(first: str, second: str | None, x: Floats, y: Floats, level: float) -> Separation:
    """The uncorrected separation: `warns` is false and `p_holm` None."""
    n, others, interval = len(x), len(y), auc_interval(x, y, level=level)
    if not (n and others):
        reason = f"no {first} clip has a value" if not n else f"no {second or 'other'} clip has a value"
        return Separation(
            first, second, n, others, None, interval, None, None, None, None, None, warns=False, reason=reason
        )
    area = auc(x, y)
    strength = max(area, 1 - area)
    low, high = _of_strength(interval)
    p = mann_whitney(x, y, resamples=0).p
    return Separation(
        first, second, n, others, area, interval, strength, low, high, p, None, warns=False, reason=None
    )


def _of_strength(interval: AucInterval) -> tuple[float | None, float | None]:
    """The range of max(auc, 1 - auc) over the AUC's interval."""
    if interval.low is None or interval.high is None:
        return None, None
    ends = sorted((max(interval.low, 1 - interval.low), max(interval.high, 1 - interval.high)))
    return (0.5 if interval.low <= 0.5 <= interval.high else ends[0]), ends[1]


def margins_sentence(label: str, worst: Separation, noun: str) -> str:
    """``Duration gives the source away: it is higher in human clips than in all others, with strength ...``."""
    than = "in all others" if worst.second is None else f"in {worst.second} {noun}"
    higher = "higher" if (worst.auc or 0.0) > 0.5 else "lower"
    interval = (
        f"{100 * worst.interval.level:.3g}% interval {worst.strength_low:.2f} to {worst.strength_high:.2f}"
    )
    return (
        f"{capital(label)} gives the source away: it is {higher} in {worst.first} {noun} than {than}, "
        f"with strength {worst.strength:.2f} ({interval})."
    )
