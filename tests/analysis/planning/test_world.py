"""Simulated answers: shares as asked, people and pairs crossed, larger studies holding the smaller ones."""

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import norm

from analysis.planning.world import BATCH, World, blocks, mean_for

WORLD = World((0.5, 1.0), 0.5, 0.3, None, same_people=False, same_pairs=True, seed=3)
Array = npt.NDArray[Any]


def answers(world: World, participants: int, trials: int, batch: int = 0) -> Array:
    """(trial, study, condition, person)."""
    return np.concatenate([block.right for block in blocks(world, batch, participants, trials)], axis=3)


def seen(world: World, participants: int, trials: int) -> Array:
    pairs = [block.pair for block in blocks(world, 0, participants, trials)]
    return np.concatenate([pair for pair in pairs if pair is not None], axis=3)


@pytest.mark.parametrize("share", [0.02, 0.5, 0.77, 0.99])
@pytest.mark.parametrize("sd", [0.0, 0.6, 3.0])
def test_the_share_over_all_people_and_pairs_is_the_one_asked(share: float, sd: float) -> None:
    """Source: SciPy's adaptive quadrature of the logistic-normal integral."""
    mean = mean_for(share, sd)
    assert share == pytest.approx(
        quad(lambda z: expit(mean + sd * z) * norm.pdf(z), -12, 12, epsabs=1e-10)[0], abs=2e-4
    )


def test_simulated_shares_are_those_asked_within_their_standard_error() -> None:
    world = replace(WORLD, means=(mean_for(0.77, 0.583), mean_for(0.84, 0.583)), pairs=20)
    drawn = np.concatenate([answers(world, 30, 6, batch) for batch in range(4)], axis=1)
    per_study = drawn.mean(axis=(0, 3))
    error = per_study.std(axis=0) / len(per_study) ** 0.5
    assert (np.abs(per_study.mean(axis=0) - [0.77, 0.84]) < 4 * error).all()
    assert (error < 0.004).all()


def test_people_differ_as_asked() -> None:
    """Source: the law of total variance, with SciPy's quadrature for the variance of a person's chance."""
    world = replace(WORLD, means=(0.5, 0.5), pair_sd=0.0)
    totals = answers(world, 200, 6).sum(axis=0)
    mean, square = (quad(lambda z, k=k: expit(0.5 + 0.5 * z) ** k * norm.pdf(z), -9, 9)[0] for k in (1, 2))
    expected = 6 * (mean - square) + 36 * (square - mean**2)
    assert totals.var() == pytest.approx(expected, rel=0.03)


def test_a_larger_study_holds_the_smaller_one() -> None:
    for pairs in (None, 20):
        world = replace(WORLD, pairs=pairs)
        small, large = answers(world, 20, 4), answers(world, 70, 9)
        assert np.array_equal(small, large[:4, :, :, :20])


def test_raising_one_share_only_adds_right_answers() -> None:
    raised = replace(WORLD, means=(0.5, 1.4))
    before, after = answers(WORLD, 30, 6), answers(raised, 30, 6)
    assert np.array_equal(before[:, :, 0], after[:, :, 0])
    assert (after >= before).all()
    assert (after > before).any()


def test_everybody_sees_different_pairs_and_each_pair_is_seen_as_often() -> None:
    pairs = seen(replace(WORLD, pairs=10), 60, 4)
    assert (np.diff(np.sort(pairs, axis=0), axis=0) > 0).all()
    shown = np.bincount(pairs.ravel(), minlength=10)
    assert len(shown) == 10
    assert shown == pytest.approx(pairs.size / 10, rel=0.03)


def test_who_sees_all_pairs_needs_no_draw() -> None:
    for world in (WORLD, replace(WORLD, pairs=6)):
        assert all(block.pair is None for block in blocks(world, 0, 40, 6))


@pytest.mark.parametrize(("same_people", "same_pairs"), [(False, False), (True, False), (False, True)])
def test_only_what_is_shared_by_the_conditions_makes_them_alike(same_people: bool, same_pairs: bool) -> None:
    world = World((0, 0), 2.0, 2.0, None, same_people=same_people, same_pairs=same_pairs, seed=1)
    drawn = np.concatenate([answers(world, 12, 12, batch) for batch in range(3)], axis=1)
    people, pairs = drawn.mean(axis=0), drawn.mean(axis=3)
    # Within a study, so that studies with easier pairs or better people do not count.
    alike_people = np.mean([np.corrcoef(study)[0, 1] for study in people])
    alike_pairs = np.mean([np.corrcoef(study)[0, 1] for study in pairs.swapaxes(0, 1).swapaxes(1, 2)])
    assert (alike_people > 0.3) == same_people
    assert (alike_pairs > 0.3) == same_pairs


def test_seeds_and_batches_differ_and_repeat() -> None:
    one = answers(WORLD, 10, 6)
    assert one.shape == (6, BATCH, 2, 10)
    assert np.array_equal(one, answers(WORLD, 10, 6))
    assert not np.array_equal(one, answers(WORLD, 10, 6, batch=1))
    assert not np.array_equal(one, answers(replace(WORLD, seed=4), 10, 6))
