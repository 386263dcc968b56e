"""The multilevel probit of a group's sensitivity: its integral against SciPy's, and what it finds in known people."""

from math import exp

import numpy as np
import pytest
from scipy.integrate import dblquad
from scipy.special import ndtr
from scipy.stats import binom, multivariate_normal

from analysis.detection.multilevel import _Model, _sigma, group_sensitivity
from analysis.detection.people import sensitivity

CELLS = np.array([[9, 10, 1, 12], [5, 5, 0, 7], [20, 40, 13, 40]])


def test_the_marginal_likelihood_is_scipy_s_double_integral() -> None:
    parameters = np.array([1.1, -0.9, np.log(0.6), 0.2, np.log(0.4)])
    sigma = _sigma(parameters)
    inverse, scale = np.linalg.inv(sigma).tolist(), float(2 * np.pi * np.linalg.det(sigma) ** 0.5)

    def people(a: float, b: float) -> float:
        # In plain floats: SciPy's own density takes a hundred times as long for one point.
        x, y = a - 1.1, b + 0.9
        return exp(-(inverse[0][0] * x * x + 2 * inverse[0][1] * x * y + inverse[1][1] * y * y) / 2) / scale

    assert people(1.0, -0.5) == pytest.approx(multivariate_normal([1.1, -0.9], sigma).pdf([1.0, -0.5]))
    expected = 0.0
    for hits, n_signal, false_alarms, n_noise in CELLS:

        def density(b: float, a: float) -> float:
            likelihood = ndtr(a) ** hits * ndtr(-a) ** (n_signal - hits)  # noqa: B023
            likelihood *= ndtr(b) ** false_alarms * ndtr(-b) ** (n_noise - false_alarms)  # noqa: B023
            return float(likelihood * people(a, b))

        expected += 2 * np.log(dblquad(density, -3, 5, -4, 3, epsabs=0, epsrel=1e-5)[0])
    prior = 0.2 * (np.log(0.6) + np.log(0.4)) - np.trace(sigma) / (2 * 0.8**2)
    found = _Model(CELLS, np.full(3, 2)).cost(parameters)
    assert found == pytest.approx(-(expected + prior), rel=1e-4)


@pytest.mark.slow
def test_few_trials_pull_corrected_values_to_0_and_the_model_s_less() -> None:
    """Source: simulation, 12 people of d' 2.5 (SD 0.5), c 0 (SD 0.3), 10 trials of each class, 12 times."""
    ours, theirs = [], []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        d_prime, c = 2.5 + 0.5 * rng.standard_normal(12), 0.3 * rng.standard_normal(12)
        n = np.full(12, 10)
        hits, false_alarms = (rng.binomial(10, ndtr(side * d_prime / 2 - c)) for side in (1, -1))
        found = group_sensitivity(hits, n, false_alarms, n, seed=1).d_prime
        assert found.interval.low is not None
        assert found.value is not None
        ours.append(found.value)
        theirs.append(float(sensitivity(hits, n, false_alarms, n)[0].mean()))
    assert np.mean(theirs) < 2.4
    assert np.mean(ours) == pytest.approx(2.5, abs=0.2)


def test_alike_people_in_many_trials_have_the_pooled_numbers_and_hardly_a_spread() -> None:
    n = np.full(30, 400)
    hits, false_alarms = (binom.ppf(np.linspace(0.02, 0.98, 30), 400, p).astype(int) for p in (0.8, 0.3))
    found = group_sensitivity(hits, n, false_alarms[::-1], n, seed=1)
    d_prime, criterion = sensitivity(*(np.array([each.sum()]) for each in (hits, n, false_alarms, n)))
    assert found.d_prime.value == pytest.approx(d_prime[0], abs=0.02)
    assert found.criterion.value == pytest.approx(criterion[0], abs=0.02)
    assert (found.sd_d_prime or 1) < 0.15


@pytest.mark.parametrize(
    ("hits", "false_alarms", "reason"),
    [
        ([5] * 6, [1] * 6, "nobody missed a signal"),
        ([0] * 6, [1] * 6, "nobody hit a signal"),
        ([3] * 6, [0] * 6, "nobody had a false alarm"),
        ([3] * 6, [5] * 6, "every noise was a false alarm"),
        ([3] * 4, [1] * 4, "too few participants"),
    ],
)
def test_what_has_no_end_has_no_numbers_and_a_reason(
    hits: list[int], false_alarms: list[int], reason: str
) -> None:
    n = np.full(len(hits), 5)
    found = group_sensitivity(np.array(hits), n, np.array(false_alarms), n, seed=1)
    assert (found.d_prime.value, found.criterion.value, found.sd_d_prime) == (None, None, None)
    assert str(found.d_prime.reason).startswith(reason)
    assert found.d_prime.interval.reason == found.d_prime.reason
