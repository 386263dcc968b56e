"""The mixed model at given standard deviations, against statsmodels' posterior and integrals done by quadrature."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize, minimize_scalar
from scipy.special import expit, log_expit, logsumexp
from statsmodels.genmod.bayes_mixed_glm import BinomialBayesMixedGLM
from statsmodels.tools.numdiff import approx_fprime

from analysis.stats import crossed
from analysis.stats.crossed import Answers, Codes, Laplace, NotConverged
from analysis.stats.intervals import Floats

pytestmark = pytest.mark.slow


def simulated(n_people: int, n_pairs: int, seed: int, share: float = 1.0) -> tuple[Codes, Codes, Floats]:
    rng = np.random.default_rng(seed)
    people, pairs = np.repeat(np.arange(n_people), n_pairs), np.tile(np.arange(n_pairs), n_people)
    log_odds = 0.8 + rng.normal(0, 0.8, size=n_people)[people] + rng.normal(0, 0.6, size=n_pairs)[pairs]
    kept = rng.random(len(people)) < share
    values = (rng.random(len(people)) < expit(log_odds)) * 1.0
    return people[kept], pairs[kept], values[kept]


class Statsmodels:
    """statsmodels' own posterior density with the standard deviations given and the fixed effects' prior flat."""

    def __init__(self, people: Codes, pairs: Codes, values: Floats, sds: tuple[float, float]) -> None:
        n, sizes = len(values), [people.max() + 1, pairs.max() + 1]
        parts = [
            sparse.csr_array((np.ones(n), (np.arange(n), codes)), shape=(n, size))
            for codes, size in zip((people, pairs), sizes, strict=True)
        ]
        ident = np.repeat([0, 1], sizes)
        self.model = BinomialBayesMixedGLM(
            values, np.ones((n, 1)), sparse.hstack(parts).tocsr(), ident, fe_p=1e6
        )
        self._logs = np.log(sds)

    def whole(self, effects: Floats) -> Floats:
        """Fixed effect, the logarithms of the standard deviations, random effects: as statsmodels wants them."""
        return np.concatenate([effects[:1], self._logs, effects[1:]])

    def value(self, effects: Floats) -> float:
        return float(self.model.logposterior(self.whole(effects)))

    def slope(self, effects: Floats) -> Floats:
        return np.delete(self.model.logposterior_grad(self.whole(effects)), [1, 2])


def test_the_joint_mode_and_its_curvature_are_those_of_statsmodels_posterior() -> None:
    """Source: the gradient of statsmodels' BinomialBayesMixedGLM, and the inverse of its numerical derivative."""
    people, pairs, values = simulated(14, 6, seed=1, share=0.8)
    model = Laplace(Answers(np.ones((len(values), 1)), people, pairs, values))
    fit = model.fit(0.8, 0.5)
    theirs = Statsmodels(people, pairs, values, (0.8, 0.5))
    mode = np.concatenate([model.at.fixed, model.at.larger, model.at.smaller])
    assert theirs.slope(mode) == pytest.approx(np.zeros(len(mode)), abs=1e-5)
    covariance = np.linalg.inv(-approx_fprime(mode, theirs.slope, centered=True))
    assert fit.covariance[0, 0] == pytest.approx(covariance[0, 0], rel=1e-4)


def test_the_fixed_effect_is_where_the_integrated_likelihood_is_highest() -> None:
    """Source: statsmodels' posterior maximised over the random effects, less half the log determinant, by SciPy."""
    people, pairs, values = simulated(12, 5, seed=2)
    theirs = Statsmodels(people, pairs, values, (0.9, 0.7))

    def integrated(intercept: float) -> float:
        def less(effects: Floats) -> float:
            return -theirs.value(np.append(intercept, effects))

        def slope(effects: Floats) -> Floats:
            return -theirs.slope(np.append(intercept, effects))[1:]

        found = minimize(less, np.zeros(17), jac=slope, method="BFGS", options={"gtol": 1e-7})
        return float(-found.fun - np.linalg.slogdet(approx_fprime(found.x, slope, centered=True))[1] / 2)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        best = minimize_scalar(lambda intercept: -integrated(intercept), bounds=(-1, 3), method="bounded")
    model = Laplace(Answers(np.ones((len(values), 1)), people, pairs, values))
    assert model.fit(0.9, 0.7).fixed[0] == pytest.approx(best.x, abs=0.01)
    assert model.at.fixed[0] != pytest.approx(best.x, abs=0.02)


def _rule(size: int) -> tuple[Floats, Floats]:
    """Nodes of a standard normal distribution, and the logarithms of their weights."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(size)
    return nodes, np.log(weights / weights.sum())


_NODES, _LOG_WEIGHTS = _rule(60)
_INTERCEPTS = np.linspace(-3, 5, 65)


def _exact(table: Floats, sd_people: float, pairs: Floats, log_pairs: Floats) -> tuple[float, float, float]:
    """Mean and variance of the intercept, and the log evidence, by Gauss-Hermite quadrature.

    `table` has one row of answers for each person. `pairs` has one column for each constellation of the pairs' effects
    to sum over, and `log_pairs` the logarithms of their weights."""
    levels = []
    for intercept in _INTERCEPTS:
        log_odds = intercept + _NODES[:, None, None] * sd_people + pairs[None, :, :]
        right, wrong = log_expit(log_odds), log_expit(-log_odds)
        of_all = log_pairs.copy()
        for row in table:
            chosen = np.where(row[None, :, None] == 1, right, wrong).sum(axis=1)
            of_all += logsumexp(chosen + _LOG_WEIGHTS[:, None], axis=0)
        levels.append(logsumexp(of_all))
    weights = np.exp(levels - np.max(levels))
    mean = float(weights @ _INTERCEPTS / weights.sum())
    variance = float(weights @ (_INTERCEPTS - mean) ** 2 / weights.sum())
    return mean, variance, float(logsumexp(levels))


def test_with_one_factor_it_is_the_integral_over_its_effects() -> None:
    """Source: Gauss-Hermite quadrature with 60 nodes for each of 15 people; the 40 pairs are all alike."""
    people, pairs, values = simulated(15, 40, seed=3)
    model = Laplace(Answers(np.ones((len(values), 1)), people, pairs, values))
    fits = [model.fit(sd, 1e-4) for sd in (0.9, 0.4)]
    exact = [_exact(values.reshape(15, 40), sd, np.zeros((40, 1)), np.zeros(1)) for sd in (0.9, 0.4)]
    for fit, (mean, variance, _) in zip(fits, exact, strict=True):
        assert fit.fixed[0] == pytest.approx(mean, abs=0.05 * variance**0.5)
        assert fit.covariance[0, 0] == pytest.approx(variance, rel=0.05)
    assert fits[0].evidence - fits[1].evidence == pytest.approx(exact[0][2] - exact[1][2], abs=0.05)


def test_with_two_factors_it_is_close_to_the_integral_over_both() -> None:
    """Source: Gauss-Hermite quadrature with 60 nodes for each of 20 people and 12 for each of 2 pairs."""
    people, pairs, values = simulated(20, 2, seed=4)
    model = Laplace(Answers(np.ones((len(values), 1)), people, pairs, values))
    for sd_people, sd_pairs in ((0.8, 0.5), (0.4, 0.9)):
        fit = model.fit(sd_people, sd_pairs)
        nodes, weights = _rule(12)
        grid = np.stack([axis.ravel() * sd_pairs for axis in np.meshgrid(nodes, nodes)])
        mean, variance, _ = _exact(
            values.reshape(20, 2), sd_people, grid, np.add.outer(weights, weights).ravel()
        )
        assert fit.fixed[0] == pytest.approx(mean, abs=0.15 * variance**0.5)
        assert fit.covariance[0, 0] == pytest.approx(variance, rel=0.15)


def test_which_factor_is_first_and_where_it_starts_change_nothing() -> None:
    people, pairs, values = simulated(9, 5, seed=4, share=0.9)
    design = np.column_stack([np.ones(len(values)), people % 2])
    one, other = (
        Laplace(Answers(design, people, pairs, values)),
        Laplace(Answers(design, pairs, people, values)),
    )
    other.fit(3.0, 0.02)
    fit, turned = one.fit(0.7, 0.3), other.fit(0.3, 0.7)
    assert turned.evidence == pytest.approx(fit.evidence)
    assert turned.fixed == pytest.approx(fit.fixed, abs=1e-6)
    assert turned.covariance == pytest.approx(fit.covariance, abs=1e-6)


def test_a_fit_without_end_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    people, pairs, values = simulated(9, 5, seed=5)
    monkeypatch.setattr(crossed, "_MOST_STEPS", 1)
    with pytest.raises(NotConverged):
        Laplace(Answers(np.ones((len(values), 1)), people, pairs, values)).fit(1.0, 1.0)


def test_sparse_and_full_matrices_give_the_same_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    """400 answers of 60 people to 40 pairs, in blocks of three rows, against the same by full matrices at once."""
    people, pairs, values = simulated(60, 40, seed=4, share=0.17)
    people, pairs = (np.unique(codes, return_inverse=True)[1] for codes in (people, pairs))
    answers = Answers(np.ones((len(values), 1)), people, pairs, values)
    full = Laplace(answers).fit(0.8, 0.5)
    monkeypatch.setattr(crossed, "_SMALL", 0)
    monkeypatch.setattr(crossed, "_CELLS", 120)
    for dense in (1_000_000, 0):
        monkeypatch.setattr(crossed, "_DENSE", dense)
        spare = Laplace(answers).fit(0.8, 0.5)
        assert spare.evidence == pytest.approx(full.evidence, abs=1e-9)
        assert spare.fixed == pytest.approx(full.fixed, abs=1e-9)
        assert spare.covariance == pytest.approx(full.covariance, abs=1e-9)
