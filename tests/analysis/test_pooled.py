"""All answers pooled, against R, statsmodels, cases worked by hand, and simulation."""

import json

import numpy as np
import pytest
import statsmodels.api as sm

from analysis.choice.pooled import pooled, pooled_test
from analysis.data.outcomes import Outcomes
from tests.analysis.tables import checked, person


def outcomes(participant: list[int], value: list[int], pair: list[int] | None = None) -> Outcomes:
    """One answer for each value, to as many pairs unless `pair` says which."""
    codes = np.arange(len(value)) if pair is None else np.array(pair, dtype=np.int64)
    counted = np.ones(len(value), dtype=bool)
    return Outcomes(np.array(participant, dtype=np.int64), codes, np.array(value, dtype=np.int64), counted)


def test_p_and_interval_are_those_r_gives() -> None:
    """Source: R's ?binom.test, Mendel's peas in Conover (1971), p. 97f: binom.test(682, 682 + 243, p = 3/4) prints
    p-value = 0.3825, 95 percent confidence interval 0.7076683 0.7654066, 0.7372973."""
    test = pooled(outcomes(list(range(925)), [1] * 682 + [0] * 243), chance=0.75)
    assert test.p == pytest.approx(0.3825, abs=5e-5)
    assert (test.low, test.high, test.share) == pytest.approx((0.7076683, 0.7654066, 0.7372973), abs=5e-8)
    assert (test.overstates, test.warning, test.n, test.n_correct) == (False, None, 925, 682)


def test_one_answer_a_participant_has_no_design_effect() -> None:
    test = pooled(outcomes([0, 1, 2, 3, 4], [1, 1, 1, 0, 1]))
    assert test.design_effect == pytest.approx(1)
    assert test.n_effective == pytest.approx(5)


def test_people_who_answer_alike_throughout_count_as_one_answer_each() -> None:
    """By hand: two people of four answers, one all right, one all wrong. Variance of the share, each one's answers kept
    together: 2 / 1 x (2^2 + 2^2) / 8^2 = 1/4; of eight independent answers: (1/4) / 7. So 7, and 8 / 7 answers."""
    test = pooled(outcomes([0, 0, 0, 0, 1, 1, 1, 1], [1, 1, 1, 1, 0, 0, 0, 0]))
    assert test.design_effect == pytest.approx(7)
    assert test.n_effective == pytest.approx(8 / 7)
    assert test.overstates
    assert "design effect 7.0: they are worth about 1 independent answers" in str(test.warning)


def test_the_design_effect_is_the_ratio_of_statsmodels_two_variances() -> None:
    """Source: statsmodels OLS of the answers on a constant, clustered by participant and plain."""
    rng = np.random.default_rng(1)
    people = np.sort(rng.integers(0, 25, size=200))
    people = np.unique(people, return_inverse=True)[1]
    value = (rng.random(200) < rng.beta(2, 1, size=25)[people]).astype(int)
    fit = sm.OLS(value.astype(float), np.ones(200))
    clustered = fit.fit(cov_type="cluster", cov_kwds={"groups": people}).cov_params()[0, 0]
    ours = pooled(outcomes(people.tolist(), value.tolist()))
    assert ours.design_effect == pytest.approx(clustered / fit.fit().cov_params()[0, 0])


@pytest.mark.exhaustive
@pytest.mark.slow
def test_pooling_finds_differences_that_are_not_there_as_the_warning_says() -> None:
    """Source: simulation of 20 people, half of whom lean either way, 10 answers each; chance is the truth."""
    rng = np.random.default_rng(2)
    people = np.repeat(np.arange(20), 10).tolist()
    tests = []
    for _ in range(200):
        value = (rng.random(200) < np.repeat(rng.beta(1.5, 1.5, size=20), 10)).astype(int)
        tests.append(pooled(outcomes(people, value.tolist())))
    assert np.mean([(test.p or 0) < 0.05 for test in tests]) > 0.2
    # Variance of a share over participants: 1 + (10 - 1) / (1.5 + 1.5 + 1) times the binomial one.
    assert np.mean([test.design_effect or 0 for test in tests]) == pytest.approx(3.25, rel=0.1)


def test_rows_are_counted_as_in_the_accuracy() -> None:
    rows = checked(*person("p1", "aab-"), *person("p2", "ab"), *person("p3", "a", truth=""))
    missing, wrong = pooled_test(rows), pooled_test(rows, "wrong")
    assert (missing.n, missing.n_correct, missing.n_participants, missing.n_pairs) == (5, 3, 2, 3)
    assert (wrong.n, wrong.n_correct, wrong.n_pairs) == (6, 3, 4)


def test_one_answer_each_to_shared_pairs_is_right_for_these_pairs_only() -> None:
    test = pooled_test(checked(*person("p1", "a"), *person("p2", "b"), *person("p3", "a")))
    assert not test.overstates
    assert "the 3 answers are to 1 pairs" in str(test.warning)


def test_people_more_alike_than_chance_are_not_said_to_be_worth_more() -> None:
    """By hand: 2 / 1 x (0.5^2 + 0.5^2) / 8^2 over (5/8)(3/8) / 7 = 0.467."""
    test = pooled(outcomes([0, 0, 0, 0, 1, 1, 1, 1], [1, 0, 1, 0, 1, 1, 1, 0]))
    assert test.design_effect == pytest.approx(0.467, abs=5e-4)
    assert "here the design effect is only 0.47" in str(test.warning)


@pytest.mark.parametrize(
    ("participant", "value", "share", "why"),
    [
        ([], [], None, "fewer than two participants: their spread cannot be seen"),
        ([0, 0, 0], [1, 0, 1], 2 / 3, "fewer than two participants: their spread cannot be seen"),
        ([0, 0, 1], [1, 1, 1], 1.0, "all answers are the same: there is no variance to compare"),
        (
            [0, 0, 1, 1],
            [1, 0, 0, 1],
            0.5,
            "every participant has the same share: the spread between them is 0",
        ),
    ],
)
def test_what_has_no_design_effect_says_why(
    participant: list[int], value: list[int], share: float | None, why: str
) -> None:
    test = pooled(outcomes(participant, value))
    assert (test.share, test.design_effect, test.n_effective, test.design_effect_reason) == (
        share,
        None,
        None,
        why,
    )
    assert (test.p is None) == (test.reason is not None) == (not value)
    json.dumps(test.to_dict(), allow_nan=False)
