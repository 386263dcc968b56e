"""Made-up answers: the columns of an export, the shares that were asked for, balance, and nothing impossible."""

from typing import Any

import pandas as pd
import pytest
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import norm

from analysis import AnalysisError, analyze, check_responses
from analysis.planning import simulated_responses
from analysis.planning.world import mean_for


def test_the_table_is_what_an_export_is_and_says_that_it_is_simulated() -> None:
    table = check_responses(simulated_responses(study="s", participants=4, pairs=10))
    assert set(table["mode"]) == {"simulated"}
    assert table.groupby("participant", observed=True)["pair"].nunique().tolist() == [10] * 4
    assert set(table["source_a"]) == {"human"}
    assert set(table["source_b"]) == {"hybrid"}


def test_a_clip_is_left_in_half_of_a_participants_trials() -> None:
    left = check_responses(simulated_responses(participants=9, pairs=12))
    assert (left["left"] == "a").groupby(left["participant"], observed=True).sum().tolist() == [6] * 9


@pytest.mark.exhaustive
@pytest.mark.slow
def test_the_share_of_right_answers_is_the_one_asked_within_its_standard_error() -> None:
    shares = pd.Series(
        [
            check_responses(simulated_responses(accuracy=0.77, participants=60, pairs=20, seed=seed))[
                "correct"
            ].mean()
            for seed in range(20)
        ]
    )
    assert abs(shares.mean() - 0.77) < 4 * shares.std() / len(shares) ** 0.5
    assert shares.std() < 0.05


def test_people_differ_as_asked() -> None:
    """Source: the law of total variance, with SciPy's quadrature for the variance of a person's chance."""
    table = simulated_responses(accuracy=0.7, participants=6000, pairs=8, participant_sd=0.9, pair_sd=0.0)
    totals = (table["correct"] == "true").groupby(table["participant"]).sum()
    odds = mean_for(0.7, 0.9)
    mean, square = (quad(lambda z, k=k: expit(odds + 0.9 * z) ** k * norm.pdf(z), -9, 9)[0] for k in (1, 2))
    assert totals.var() == pytest.approx(8 * (mean - square) + 64 * (square - mean**2), rel=0.06)


def test_the_less_sure_answers_are_the_harder_ones() -> None:
    easy, hard = (
        check_responses(simulated_responses(accuracy=share))["uncertainty"].mean() for share in (0.95, 0.6)
    )
    assert easy < hard - 0.5


@pytest.mark.slow
def test_two_studies_are_of_different_people_and_equal_seeds_give_equal_answers() -> None:
    one, two = (simulated_responses(study=name, participants=5) for name in ("one", "two"))
    assert not set(one["participant"]) & set(two["participant"])
    pd.testing.assert_frame_equal(one, simulated_responses(study="one", participants=5))
    assert not one.equals(simulated_responses(study="one", participants=5, seed=2))
    assert {comparison.compared_as for comparison in analyze([one, two], resamples=0).comparisons} == {
        "independent"
    }


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"accuracy": 1.0}, "accuracy: 1.0 is not allowed"),
        ({"participants": 0}, "at least 1"),
        ({"pair_sd": -0.1}, "0 or more"),
        ({"condition": "human"}, "condition: 'human' is not allowed"),
    ],
)
def test_what_cannot_be_drawn_is_refused_by_name(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(AnalysisError, match=said):
        simulated_responses(**asked)
