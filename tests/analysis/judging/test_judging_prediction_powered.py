"""Prediction-powered means against ppi-python, the authors' own program, and simulations with known truth."""

import numpy as np
import pandas as pd
import pytest
from ppi_py import classical_mean_ci, ppi_mean_ci, ppi_mean_pointestimate
from scipy import stats

from analysis.judging import check_verdicts
from analysis.judging.columns import PAIR_COLUMNS
from analysis.judging.matching import match
from analysis.judging.pairs import collect_pairs
from analysis.judging.prediction_powered import NO_GAIN, prediction_powered, prediction_powered_mean
from tests.analysis.judging.cases import choices, matched, probabilities, votes


@pytest.mark.parametrize("power", [None, 1.0, 0.0, 0.4])
@pytest.mark.parametrize("seed", range(5))
def test_estimate_and_interval_are_the_authors(seed: int, power: float | None) -> None:
    rng = np.random.default_rng(seed)
    labels = rng.random(40)
    verdicts = np.clip(labels + rng.normal(0, 0.3, 40), 0, 1).round(1)
    further = rng.random(200).round(1)
    value, error, _ = prediction_powered_mean(labels, verdicts, further, power)
    assert value == pytest.approx(ppi_mean_pointestimate(labels, verdicts, further, lam=power).item())
    low, high = ppi_mean_ci(labels, verdicts, further, alpha=0.05, lam=power)
    assert (value - 1.959963984540054 * error, value + 1.959963984540054 * error) == pytest.approx(
        (low.item(), high.item())
    )


def further_pairs(n: int) -> pd.DataFrame:
    rows = [
        {
            "study": "s",
            "pair": f"new{number}",
            "condition": "human-hybrid",
            "stimulus_a": f"n{number}-a",
            "stimulus_b": f"n{number}-b",
            "source_a": "hybrid",
            "source_b": "human",
            "truth": "b",
        }
        for number in range(n)
    ]
    return pd.DataFrame(rows, columns=[column.name for column in PAIR_COLUMNS])


def test_votes_on_some_pairs_and_verdicts_on_more_give_the_preference() -> None:
    """The whole way: shares for the human, forecasts turned to the human, against ppi-python."""
    responses = votes({f"q{n}": "a" * (n % 5) + "b" * (5 - n % 5) for n in range(55)})
    pairs = collect_pairs(responses, further_pairs(20))
    rng = np.random.default_rng(0)
    old = {f"q{n}": float(p) for n, p in enumerate(rng.random(55).round(2))}
    new = {f"new{n}": float(p) for n, p in enumerate(rng.random(20).round(2))}
    table = check_verdicts(pd.DataFrame(probabilities(old | new)))
    (found,) = prediction_powered(match(table, pairs, responses)[0], pairs)
    labels = np.array([(n % 5) / 5 for n in range(55)])
    verdicts = np.array(list(old.values()))
    further = 1 - np.array(list(new.values()))
    low, high = ppi_mean_ci(labels, verdicts, further, alpha=0.05)
    assert (found.low, found.high) == pytest.approx((low.item(), high.item()))
    alone = classical_mean_ci(labels, alpha=0.05)
    assert (found.people_low, found.people_high) == pytest.approx((alone[0].item(), alone[1].item()))
    assert (found.source, found.against, found.n_labelled, found.n_unlabelled) == ("human", "hybrid", 55, 20)
    width = (alone[1].item() - alone[0].item()) / (high.item() - low.item())
    assert found.gain == pytest.approx(width**2)
    assert found.n_effective == pytest.approx(55 * width**2)
    assert found.warning is None


def test_a_good_judge_is_worth_pairs_with_votes_and_intervals_cover() -> None:
    """Simulation with known truth: 2,000 studies of 60 labelled pairs and 600 others, mean share 0.6."""
    rng = np.random.default_rng(7)
    covered, widths = 0, []
    for _ in range(2000):
        share = np.clip(rng.normal(0.6, 0.2, 660), None, None)
        forecast = share + rng.normal(0, 0.1, 660)
        value, error, _ = prediction_powered_mean(share[:60], forecast[:60], forecast[60:])
        covered += abs(value - 0.6) <= 1.96 * error
        widths.append(error / (np.std(share[:60]) / 60**0.5))
    assert 0.925 <= covered / 2000 <= 0.965
    assert np.mean(widths) < 0.65


def test_a_judge_that_knows_nothing_is_not_trusted() -> None:
    rng = np.random.default_rng(3)
    powers = [
        prediction_powered_mean(rng.random(100), rng.random(100), rng.random(500))[2] for _ in range(50)
    ]
    assert np.mean(powers) < 0.1


def test_where_every_pair_has_votes_there_is_nothing_to_add() -> None:
    judged, pairs = matched(votes({"q1": "aab", "q2": "abb"}), choices({"q1": "a", "q2": "a"}))
    (found,) = prediction_powered(judged, pairs)
    assert (found.value, found.gain, found.reason) == (None, None, NO_GAIN)
    assert found.people == pytest.approx(0.5)
    assert found.warning is not None


def test_one_pair_with_votes_is_too_few() -> None:
    judged, pairs = matched(votes({"q1": "aab", "q2": "..."}), choices({"q1": "a", "q2": "a"}))
    (found,) = prediction_powered(judged, pairs)
    assert (found.value, found.reason) == (None, "fewer than two pairs have both votes and a verdict")
    assert found.people == pytest.approx(2 / 3)
    assert found.people_low is None


def test_shares_that_do_not_vary_show_no_gain() -> None:
    named = [f"q{n}" for n in range(12)]
    judged, pairs = matched(
        votes({name: ".." if name == "q11" else "aa" for name in named}), choices(dict.fromkeys(named, "a"))
    )
    (found,) = prediction_powered(judged, pairs)
    assert (found.value, found.low, found.high, found.gain) == (1.0, 1.0, 1.0, None)


def test_pairs_of_one_source_show_no_preference() -> None:
    judged, pairs = matched(votes({"q1": "aab"}, source_a="human", source_b="human"), choices({"q1": "a"}))
    assert prediction_powered(judged, pairs) == ()


def test_from_few_pairs_the_intervals_are_students_and_from_very_few_there_are_none() -> None:
    """Source: scipy.stats.t.interval of the shares of votes."""
    shares = {n: np.array([(k % 5) / 5 for k in range(n)]) for n in (9, 20)}
    found = {}
    for n in shares:
        responses = votes({f"q{k}": "a" * (k % 5) + "b" * (5 - k % 5) for k in range(n)} | {"new": "....."})
        judged, pairs = matched(responses, choices({f"q{k}": "ab"[k % 2] for k in range(n)} | {"new": "a"}))
        (found[n],) = prediction_powered(judged, pairs)
    expected = stats.t.interval(0.95, 19, loc=shares[20].mean(), scale=stats.sem(shares[20]))
    low, high = sorted((found[20].people_low or 0, found[20].people_high or 0))
    assert (low, high) in (
        pytest.approx(expected),
        pytest.approx((1 - expected[1], 1 - expected[0])),
    )
    assert found[20].warning is not None
    assert (found[9].low, found[9].people_high) == (None, None)
    assert found[9].value is not None
    assert found[9].warning == "too few pairs for an interval: 9"
