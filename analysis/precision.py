"""Stopping when an interval is narrow enough, and how narrow it becomes: the standard library alone, as the service
decides with it when a participant finishes.

The rule is Chow and Robbins' (1965) for an interval of fixed width [CR65]_: participants are looked at one after the
other, and the study stops at the first number n, not below a least one, at which Student's interval of the mean, its
variance increased by a term that falls as 1 / n, is at most as wide as wanted. The term keeps the first few people from
stopping it by being alike. The width alone decides and never the value, so that the interval keeps its coverage as far
as width and value are independent: bench/stopping.md says how far, at numbers that people have.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist, fmean, variance

LEVEL = 0.95
FEWEST_TO_TELL = 5
# Near that of the published Human Navigation Turing Test, as in planning.
PARTICIPANT_SD = 0.5
# The variance of scores about their mean, as a part of the largest that there can be, which answers that are right or
# wrong have: at the middle of a scale of five points an SD of one point.
SCORES_SPREAD = 0.25
_MOST_PEOPLE = 5_000
_STEPS = 60


@dataclass(frozen=True, slots=True)
class Width:
    """Width of the 95% interval of a mean over `n` participants, and that by which it is decided."""

    n: int
    interval: float | None
    decisive: float | None


def width_of(values: Sequence[float], answers: float) -> Width:
    """Width over participants' shares, each of about so many answers; none of fewer than two participants.

    Mean scores are shares of the way from the lowest score to the highest.
    """
    n = len(values)
    if n < 2:
        return Width(n, None, None)
    of_people = variance(values)
    return Width(n, _width(of_people, n), _width(of_people + _reserve(n, answers), n))


def is_narrow(width: Width, narrower_than: float, at_least: int) -> bool:
    """True if the rule stops here."""
    return width.n >= at_least and width.decisive is not None and width.decisive <= narrower_than


def looks_at(n: int) -> bool:
    """True for the numbers of participants at which it is looked: each to 200, then every tenth."""
    return n <= 200 or n % 10 == 0


def planned_variance(
    share: float, answers: float, participant_sd: float = PARTICIPANT_SD, *, spread: float = 1.0
) -> float:
    """The variance of participants' shares, were the mean share `share`, log odds normal with this SD over people, and
    a person's answers spread by so much of the largest variance.
    """
    nodes = [NormalDist().inv_cdf((at + 0.5) / _STEPS) for at in range(_STEPS)]
    low, high = -20.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        below = fmean(_expit(middle + participant_sd * node) for node in nodes) < share
        low, high = (middle, high) if below else (low, middle)
    shares = [_expit(low + participant_sd * node) for node in nodes]
    mean = fmean(shares)
    within = spread * fmean(one * (1 - one) for one in shares) / answers
    return fmean((one - mean) ** 2 for one in shares) + within


def people_needed(of_people: float, answers: float, narrower_than: float, at_least: int) -> int | None:
    """The first number of participants at which the rule stops, were their variance this; None beyond 5,000."""
    if not _stops(of_people, answers, narrower_than, _MOST_PEOPLE):
        return None
    low, high = max(at_least, 2) - 1, _MOST_PEOPLE
    while high - low > 1:
        middle = (low + high) // 2
        if _stops(of_people, answers, narrower_than, middle):
            high = middle
        else:
            low = middle
    return high


def planned_width(of_people: float, answers: float, n: int) -> float:
    """The width by which it is decided over n participants, two or more, were their variance this."""
    return _width(of_people + _reserve(n, answers), n)


def _stops(of_people: float, answers: float, narrower_than: float, n: int) -> bool:
    return n >= 2 and planned_width(of_people, answers, n) <= narrower_than


def _reserve(n: int, answers: float) -> float:
    """A share over m answers moves in steps of 1 / m: the variance of four such answers with even chances, over n."""
    return 1 / (max(answers, 1.0) * n)


def _width(of_people: float, n: int) -> float:
    return 2 * student_quantile(n - 1) * math.sqrt(of_people / n)


@lru_cache(maxsize=8_192)
def student_quantile(df: int, p: float = (1 + LEVEL) / 2) -> float:
    """The p quantile of Student's t, for p above one half: Newton's method on its distribution function."""
    found = NormalDist().inv_cdf(p)
    for _ in range(100):
        step = (_student_cdf(found, df) - p) / _student_density(found, df)
        found -= max(-1.0, min(step, found / 2 + 1.0)) if df > 2 else max(-2.0, min(step, 2.0))
        if abs(step) < 1e-12:
            break
    return found


def _student_density(t: float, df: int) -> float:
    log = math.lgamma((df + 1) / 2) - math.lgamma(df / 2) - 0.5 * math.log(df * math.pi)
    return math.exp(log - (df + 1) / 2 * math.log1p(t * t / df))


def _student_cdf(t: float, df: int) -> float:
    """By Abramowitz and Stegun 26.7.3 and 26.7.4: finite sums, as degrees of freedom are whole."""
    angle = math.atan(t / math.sqrt(df))
    cosine, sine = math.cos(angle), math.sin(angle)
    odd = df % 2
    if df == 1:
        return 0.5 + angle / math.pi
    term = total = cosine if odd else 1.0
    for k in range(3 if odd else 2, df - 1, 2):
        term *= cosine * cosine * (k - 1) / k
        total += term
    area = 2 / math.pi * (angle + sine * total) if odd else sine * total
    return 0.5 + area / 2


def _expit(odds: float) -> float:
    return 1 / (1 + math.exp(-odds))
