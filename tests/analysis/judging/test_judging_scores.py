"""The statistics over pairs, each against another library, and their weights against repeated pairs."""

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.metrics import brier_score_loss, cohen_kappa_score  # type: ignore[import-untyped]

from analysis.judging import scores
from analysis.judging.sample import BRIER, CALIBRATION, IDENTITY, KAPPA, LABELS, RANK, Sample, quantities
from analysis.judging.scores import Quantity
from tests.analysis.judging.cases import counted


def sample(rng: np.random.Generator, n: int, tied: bool = True) -> Sample:
    votes = rng.integers(0, 6, size=(n, 2))
    score = rng.choice([0.1, 0.3, 0.5, 0.5, 0.8, 0.95] if tied else [0.1, 0.3, 0.8, 0.95], size=n)
    return Sample(
        votes=counted(votes),
        with_ties=np.zeros(n, dtype=bool),
        has_truth=rng.random(n) < 0.6,
        both_ways=False,
        support=(np.sign(score - 0.5) + 1) / 2,
        score=score,
        probability=True,
        mirrored=lambda p: np.round(1 - p, 12),
    )


def number(quantity: Quantity, n: int) -> float:
    assert quantity.reason is None
    return float(quantity.statistic(np.ones((1, n)))[0])


@pytest.mark.parametrize("seed", range(5))
def test_spearman_is_scipy_s(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 5, size=(2, 30)).astype(float)
    assert number(scores.spearman_of(x, y), 30) == pytest.approx(spearmanr(x, y).statistic, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_kappa_is_scikit_learn_s_with_every_pair_both_ways_round(seed: int) -> None:
    rng = np.random.default_rng(seed)
    some = sample(rng, 40, tied=False)
    known = ~np.isnan(some.label)
    judge, people = some.support[known], some.label[known]
    expected = cohen_kappa_score(np.r_[judge, 1 - judge], np.r_[people, 1 - people])
    found = quantities(some)
    assert number(found[KAPPA], 40) == pytest.approx(expected)
    assert number(found[KAPPA], 40) == pytest.approx(2 * number(found[LABELS], 40) - 1)


def test_brier_is_scikit_learn_s_over_single_votes_of_pairs_with_equally_many() -> None:
    rng = np.random.default_rng(3)
    some = sample(rng, 25)
    some.votes[:, 1] = 6 - some.votes[:, 0]
    outcomes = np.concatenate([np.r_[np.ones(a), np.zeros(b)] for a, b, _ in some.votes])
    expected = brier_score_loss(outcomes, np.repeat(some.score, 6))
    assert number(quantities(some)[BRIER], 25) == pytest.approx(expected)


def by_hand(judge: list[float], votes: list[tuple[int, int]]) -> Sample:
    score = np.array(judge)
    return Sample(
        votes=counted(votes),
        with_ties=counted(votes)[:, 2:].any() & np.ones(len(votes), dtype=bool),
        has_truth=np.ones(len(judge), dtype=bool),
        both_ways=False,
        support=(np.sign(score - 0.5) + 1) / 2,
        score=score,
        probability=True,
        mirrored=lambda p: 1 - p,
    )


def test_a_tied_verdict_counts_a_half_and_a_tied_label_is_no_ground_truth() -> None:
    """Worked by hand: credits 1, 1/2, (tied label), 0 against labels; 1, 1/2, 1, 0 against the truth."""
    some = by_hand([0.9, 0.5, 0.8, 0.2], [(3, 1), (3, 1), (2, 2), (4, 0)])
    found = quantities(some)
    assert number(found[LABELS], 4) == pytest.approx((1 + 0.5 + 0) / 3)
    assert number(found[IDENTITY], 4) == pytest.approx((1 + 0.5 + 1 + 0) / 4)
    assert (found[LABELS].n, found[IDENTITY].n) == (3, 4)


def test_the_calibration_error_by_hand() -> None:
    """Confidences 0.9, 0.9 (of b), 0.6 with agreeing shares 3/4, 1/4, 1: |1.8 - 1|/3 + |0.6 - 1|/3."""
    some = by_hand([0.9, 0.1, 0.6], [(3, 1), (3, 1), (4, 0)])
    assert number(quantities(some)[CALIBRATION], 3) == pytest.approx(0.8 / 3 + 0.4 / 3)


def test_the_bins_have_their_lower_end_and_the_last_has_both() -> None:
    assert scores.bin_of(np.array([0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 0.59])).tolist() == [0, 1, 2, 3, 4, 4, 0]


@pytest.mark.parametrize("name", [IDENTITY, LABELS, RANK, KAPPA, BRIER, CALIBRATION])
@pytest.mark.parametrize("both_ways", [False, True])
def test_a_weight_is_a_pair_that_stands_that_often(name: str, both_ways: bool) -> None:
    """The bootstrap's weights against the plain number of the table with repeated rows."""
    rng = np.random.default_rng(8)
    some = sample(rng, 20)
    weights = rng.multinomial(20, np.full(20, 1 / 20), size=5)

    def repeated(times: np.ndarray) -> Sample:
        return Sample(
            votes=np.repeat(some.votes, times, axis=0),
            with_ties=np.repeat(some.with_ties, times),
            has_truth=np.repeat(some.has_truth, times),
            both_ways=both_ways,
            support=np.repeat(some.support, times),
            score=np.repeat(some.score, times),
            probability=True,
            mirrored=some.mirrored,
        )

    whole = quantities(repeated(np.ones(20, dtype=int)))[name].statistic(weights.astype(float))
    expected = [number(quantities(repeated(times))[name], 20) for times in weights]
    assert whole == pytest.approx(expected)


def test_the_bootstrap_spreads_as_the_mean_does() -> None:
    """The SD of bootstrapped means is the SD by sqrt(n), known from theory."""
    values = np.random.default_rng(1).normal(size=200)
    draws = scores.evaluate({"m": scores.mean_of(values, "")}, 200, seed=1, resamples=4000)["m"].draws
    assert np.std(draws) == pytest.approx(np.std(values) / 200**0.5, rel=0.05)


@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        ([1.0, 2.0], [0.5, 0.6], "a rank correlation needs 3 pairs"),
        ([1.0, 1.0, 1.0], [0.5, 0.6, 0.7], "every score is the same"),
        ([1.0, 2.0, 3.0], [0.5, 0.5, 0.5], "every share of votes is the same"),
        ([np.nan] * 3, [0.5, 0.5, 0.5], "a rank correlation needs 3 pairs"),
    ],
)
def test_a_correlation_that_is_not_defined_has_a_reason(x: list[float], y: list[float], reason: str) -> None:
    found = scores.spearman_of(np.array(x), np.array(y))
    assert found.reason is not None
    assert found.reason.startswith(reason)
