"""The search on power curves that are known."""

import numpy as np
import pytest
from scipy.special import ndtr

from analysis.planning.search import search
from analysis.planning.simulation import DetectionCount

N = 10_000


class Curve:
    """Power 0.05 at 0, growing with the square root of the number to its ceiling."""

    def __init__(self, half: float, floor: float = 0.0) -> None:
        self.half, self.floor = half, floor
        self.asked: list[int] = []

    def __call__(self, number: int) -> DetectionCount:
        self.asked.append(number)
        reach = (self.half / number + self.floor) ** -0.5
        return DetectionCount(N, round(N * ndtr(reach - 1.959964)), 0)

    def needed(self) -> int:
        return next(n for n in range(1, 6000) if Curve(self.half, self.floor)(n).share >= 0.8)


@pytest.mark.parametrize("half", [0.3, 1, 3, 8, 12])
def test_the_smallest_number_is_found_exactly_up_to_a_hundred(half: float) -> None:
    curve = Curve(half)
    searched = search(curve, lowest=1, highest=5000, power=0.8, alpha=0.05)
    assert searched.needed == curve.needed() <= 100
    assert len(curve.asked) == len(set(curve.asked)) <= 14


@pytest.mark.parametrize("half", [20, 100, 400, 630])
def test_a_large_number_is_found_to_one_percent(half: float) -> None:
    curve = Curve(half)
    searched = search(curve, lowest=2, highest=5000, power=0.8, alpha=0.05)
    assert searched.needed
    assert curve.needed() <= searched.needed <= 1.011 * curve.needed()
    assert len(curve.asked) <= 12
    assert searched.points[searched.needed].share >= 0.8


def test_monte_carlo_error_is_told_in_numbers() -> None:
    curve = Curve(12)
    searched = search(curve, lowest=2, highest=5000, power=0.8, alpha=0.05)
    assert searched.needed
    assert searched.low
    assert searched.high
    assert searched.low <= searched.needed <= searched.high
    low, high = (next(n for n in range(2, 200) if Curve(12)(n).range()[end] >= 0.8) for end in (1, 0))
    assert searched.low == pytest.approx(low, abs=2)
    assert searched.high == pytest.approx(high, abs=2)


def test_a_number_beyond_the_bound_is_given_up_early() -> None:
    curve = Curve(50_000)
    assert search(curve, lowest=2, highest=5000, power=0.8, alpha=0.05).needed is None
    assert max(curve.asked) < 1000


def test_a_number_just_beyond_the_bound_is_not_found() -> None:
    curve = Curve(650)
    assert 5000 < 650 * (0.8416 + 1.96) ** 2
    assert search(curve, lowest=2, highest=5000, power=0.8, alpha=0.05).needed is None


def test_a_ceiling_tells_what_more_people_cannot_do() -> None:
    reach_squared = float((0.8416212 + 1.959964) ** 2)
    curve = Curve(5, floor=1 / reach_squared * 0.999)
    ceiling = float(ndtr(curve.floor**-0.5 - 1.959964))
    assert ceiling > 0.8
    assert search(curve, lowest=2, highest=5000, power=0.8, alpha=0.05, ceiling=ceiling).needed is None
    assert max(curve.asked) < 500


def test_the_lowest_number_may_be_enough() -> None:
    searched = search(lambda _: DetectionCount(N, N, 0), lowest=2, highest=5000, power=0.8, alpha=0.05)
    assert searched.needed == 2


def test_the_highest_number_may_be_needed() -> None:
    searched = search(
        lambda n: DetectionCount(N, N if n == 20 else 0, 0), lowest=1, highest=20, power=0.8, alpha=0.05
    )
    assert searched.needed == 20


def test_a_noisy_curve_still_ends() -> None:
    rng = np.random.default_rng(1)

    def noisy(number: int) -> DetectionCount:
        return DetectionCount(100, int(rng.binomial(100, min(0.02 * number, 1))), 0)

    for _ in range(200):
        searched = search(noisy, lowest=1, highest=200, power=0.8, alpha=0.05)
        assert searched.needed
        assert 15 < searched.needed < 80
