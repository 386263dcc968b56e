"""The smallest number of participants or trials that reaches a power."""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, inf

import numpy as np
from scipy.special import ndtri

from analysis.planning.simulation import DetectionCount
from analysis.stats.intervals import Floats

Evaluate = Callable[[int], DetectionCount]

AROUND = (0.5, 0.75, 1.25, 1.5)
_START = 30
# Below this the power of a rank test does not yet follow its large-sample law.
_LAWFUL = 50


@dataclass(frozen=True, slots=True)
class Searched:
    """The number `needed` (None: not within the bound), the simulations by number, and the range that Monte Carlo error
    leaves for `needed` (None: beyond what was simulated).
    """

    needed: int | None
    points: dict[int, DetectionCount]
    low: int | None
    high: int | None


def search(
    evaluate: Evaluate, *, lowest: int, highest: int, power: float, alpha: float, ceiling: float = 1.0
) -> Searched:
    """Find the smallest number whose simulated power is at least `power`.

    Power grows with the number, as `evaluate` gives it from the same random numbers each time; so the number is
    bracketed, and the bracket narrowed to 1 or 1% of it. Where to look next is guessed from the law of large samples,
    see `_Law`; `ceiling` is the power with no end of numbers.
    """
    points: dict[int, DetectionCount] = {}
    law = _Law(alpha, power, ceiling)
    below, above = lowest - 1, highest + 1
    guess = min(max(_START, lowest), highest)
    while above - below > max(1, above // 100):
        points[guess] = found = evaluate(guess)
        if found.share >= power:
            above = guess
        elif guess == highest or (guess >= _LAWFUL and law.needed(guess, found.range()[1]) > highest):
            return Searched(None, points, None, None)
        else:
            below = guess
        guess = _guess(below, above, points, law)
    for factor in AROUND:
        number = min(max(round(above * factor), lowest), highest)
        if number not in points:
            points[number] = evaluate(number)
    return Searched(above, points, *_left_open(points, power))


class _Law:
    """Power = ndtr(reach - ndtri(1 - alpha / 2)), and 1 / reach**2 falls in a line with 1 / number to its floor."""

    def __init__(self, alpha: float, power: float, ceiling: float) -> None:
        self.offset = float(ndtri(1 - alpha / 2))
        self.target = self._variance(power)
        self.floor = self._variance(ceiling) if ceiling < 1 else 0.0

    def needed(self, number: int, share: float) -> float:
        """The number needed if `number` gives this share."""
        room = self.target - self.floor
        return number * max(self._variance(share) - self.floor, 0.0) / room if room > 0 else inf

    def between(self, below: int, above: int, shares: tuple[float, float]) -> float:
        """The number needed if these two numbers give these shares."""
        low, high = (self._variance(share) for share in shares)
        if low <= high:
            return (below + above) / 2
        share = (low - self.target) / (low - high)
        return 1 / (1 / below + share * (1 / above - 1 / below))

    def _variance(self, share: float) -> float:
        reach = float(ndtri(min(max(share, 1e-4), 1 - 1e-4))) + self.offset
        return max(reach, 0.05) ** -2


def _guess(below: int, above: int, points: dict[int, DetectionCount], law: _Law) -> int:
    """The next number to try within the bracket, whose ends are in `points` if they were simulated."""
    if above not in points:
        needed = 1.05 * law.needed(below, points[below].share)
        return int(min(max(needed, 1.25 * below + 1), 4 * below, above - 1))
    if below in points:
        needed = law.between(below, above, (points[below].share, points[above].share))
    else:
        needed = 0.95 * law.needed(above, points[above].share)
    room = (above - below) // 10
    return int(min(max(round(needed), below + 1 + room), above - 1 - room))


def _left_open(points: dict[int, DetectionCount], power: float) -> tuple[int | None, int | None]:
    """The numbers at which the upper and the lower end of the power's Monte Carlo interval cross `power`."""
    numbers = sorted(points)
    ends = np.maximum.accumulate([points[number].range() for number in numbers], axis=0)
    low, high = (_crossing(numbers, ends[:, end], power) for end in (1, 0))
    return low, high


def _crossing(numbers: list[int], shares: Floats, power: float) -> int | None:
    at = int(np.searchsorted(shares, power))
    if at == 0 or at == len(numbers):
        return None
    (left, right), (less, more) = numbers[at - 1 : at + 1], shares[at - 1 : at + 1]
    return ceil(left + (right - left) * float((power - less) / (more - less)))
