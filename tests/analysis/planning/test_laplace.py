"""The batched model against the same model written out densely, and against statsmodels."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.optimize import minimize
from scipy.special import expit
from statsmodels.genmod.bayes_mixed_glm import BinomialBayesMixedGLM

from analysis.planning.laplace import Answers, Model
from analysis.planning.mixed import differences
from analysis.planning.simulation import _dense
from analysis.planning.world import World, blocks
from analysis.stats.mixed import fit_mixed

pytestmark = pytest.mark.slow

Array = npt.NDArray[Any]
SDS = (0.7, 0.4)
CROSSINGS = [(False, True, 6), (False, False, 6), (True, False, 6), (True, True, 6), (False, True, 4)]


def drawn(
    same_people: bool, same_pairs: bool, trials: int, n_sets: int = 3, participants: int = 12
) -> Answers:
    world = World((0.9, 1.4), 0.8, 0.6, 6, same_people=same_people, same_pairs=same_pairs, seed=5)
    parts = [_dense(block, slice(n_sets), 6) for block in blocks(world, 0, participants, trials)]
    right, asked = (np.concatenate(cells, axis=2) for cells in zip(*parts, strict=True))
    return Answers(right, asked, same_people, same_pairs)


@dataclass
class Long:
    """One data set, a row for each answer."""

    outcome: Array
    means: Array
    person: Array
    pair: Array


def long(answers: Answers, number: int) -> Long:
    condition, person, pair = np.nonzero(answers.asked[number])
    _, _, n, n_pairs = answers.right.shape
    return Long(
        answers.right[number][condition, person, pair],
        np.eye(2)[condition],
        person + (0 if answers.same_people else n * condition),
        pair + (0 if answers.same_pairs else n_pairs * condition),
    )


def dense(one: Long, sds: tuple[float, float]) -> tuple[Array, Array, float]:
    """Means, their covariance and the log evidence, from the whole matrix at once."""
    people, pairs = (np.eye(codes.max() + 1)[codes] for codes in (one.person, one.pair))
    design = np.hstack([people * sds[0], pairs * sds[1], one.means])
    n_effects = design.shape[1] - 2
    penalty = np.append(np.ones(n_effects), [0, 0])
    at = np.zeros(design.shape[1])
    for _ in range(40):
        share = expit(design @ at)
        curvature = (design.T * (share * (1 - share))) @ design + np.diag(penalty)
        at = at + np.linalg.solve(curvature, design.T @ (one.outcome - share) - penalty * at)
    odds = design @ at
    joint = one.outcome @ odds - np.logaddexp(0, odds).sum() - penalty @ at**2 / 2
    evidence = joint - np.linalg.slogdet(curvature)[1] / 2
    return at[n_effects:], np.linalg.inv(curvature)[n_effects:, n_effects:], float(evidence)


@pytest.mark.parametrize(("same_people", "same_pairs", "trials"), CROSSINGS)
def test_means_errors_and_evidence_are_those_of_the_dense_model(
    same_people: bool, same_pairs: bool, trials: int
) -> None:
    answers = drawn(same_people, same_pairs, trials)
    model = Model(answers, np.tile(np.square(SDS), (3, 1)))
    point = model.climb(12)
    difference, variance = model.difference(point)
    evidence = model.evidence(point)
    for number in range(3):
        means, covariance, expected = dense(long(answers, number), SDS)
        assert difference[number] == pytest.approx(means[1] - means[0], abs=1e-6)
        assert variance[number] == pytest.approx(np.array([-1, 1]) @ covariance @ [-1, 1], rel=1e-6)
        assert evidence[number] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(("same_people", "same_pairs", "trials"), CROSSINGS)
def test_slopes_are_those_of_the_likelihood_by_finite_differences(
    same_people: bool, same_pairs: bool, trials: int
) -> None:
    answers = drawn(same_people, same_pairs, trials)

    def deviance(variances: Array) -> Array:
        model = Model(answers, np.tile(variances, (3, 1)))
        point = model.climb(12)
        # Of the effects alone: the means' part of the determinant does not belong to it.
        means = np.linalg.slogdet(np.linalg.inv(point.inverse[:, -2:, -2:]))[1]
        return np.asarray(-2 * model.evidence(point) - means)

    at, step = np.square(SDS), 1e-4
    model = Model(answers, np.tile(at, (3, 1)))
    slopes, _ = model.slopes(model.climb(12))
    for which in (0, 1):
        by = step * np.eye(2)[which]
        expected = (deviance(at + by) - deviance(at - by)) / (2 * step)
        assert slopes[:, which] == pytest.approx(expected, rel=1e-4, abs=1e-4)


def test_the_joint_mode_is_statsmodels_own() -> None:
    """Source: statsmodels' BinomialBayesMixedGLM, its log posterior maximised at the same standard deviations."""
    answers = drawn(False, True, 6)
    one = long(answers, 0)
    effects = np.hstack([np.eye(codes.max() + 1)[codes] for codes in (one.person, one.pair)])
    n_people, n = int(one.person.max()) + 1, effects.shape[1]
    ident = np.repeat([0, 1], [n_people, n - n_people])
    theirs = BinomialBayesMixedGLM(one.outcome, one.means, effects, ident, fe_p=1e4)

    def at(free: Array) -> Array:
        return np.concatenate([free[:2], np.log(SDS), free[2:]])

    found = minimize(
        lambda free: -theirs.logposterior(at(free)),
        np.zeros(2 + n),
        jac=lambda free: -np.delete(theirs.logposterior_grad(at(free)), [2, 3]),
        options={"gtol": 1e-7},
    )
    model = Model(answers, np.tile(np.square(SDS), (3, 1)))
    difference, _ = model.difference(model.climb(12))
    assert difference[0] == pytest.approx(found.x[1] - found.x[0], abs=1e-4)
    assert model.people[0] == pytest.approx(found.x[2 : 2 + n_people], abs=1e-4)


@pytest.mark.parametrize(("same_people", "same_pairs", "trials"), CROSSINGS)
def test_p_is_the_one_that_the_analysis_reports(same_people: bool, same_pairs: bool, trials: int) -> None:
    """Source: `analysis.stats.mixed`, which fits one data set at a time on a grid of 64 points."""
    answers = drawn(same_people, same_pairs, trials, n_sets=4, participants=30)
    ours = differences(answers)
    for number in range(4):
        one = long(answers, number)
        theirs = fit_mixed(
            one.person, one.pair, one.outcome.astype(np.int64), one.means[:, 1].astype(np.int64)
        )
        assert theirs.difference
        assert ours.p[number] == pytest.approx(theirs.difference.p, abs=0.02)
        assert ours.mean[number] == pytest.approx(theirs.difference.value, abs=0.05)
        assert ours.sd[number] == pytest.approx(theirs.difference.sd, rel=0.05)


def test_a_condition_with_one_answer_only_breaks_nothing() -> None:
    answers = drawn(False, True, 6)
    answers.right[0, 1] = answers.asked[0, 1]
    answers.right[1] = 0
    fitted = differences(answers)
    assert np.isfinite([fitted.mean, fitted.sd, fitted.p]).all()
    alone = Answers(answers.right[2:], answers.asked[2:], False, True)
    assert differences(alone).p[0] == pytest.approx(fitted.p[2], abs=2e-3)


def test_swapping_the_conditions_mirrors_the_difference() -> None:
    answers = drawn(False, False, 4)
    swapped = Answers(answers.right[:, ::-1], answers.asked[:, ::-1], False, False)
    one, other = differences(answers), differences(swapped)
    assert one.mean == pytest.approx(-other.mean, abs=1e-9)
    assert one.p == pytest.approx(other.p, abs=1e-9)
