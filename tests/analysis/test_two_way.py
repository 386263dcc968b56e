"""Participants and pairs resampled together, against the closed form, a plain loop, and simulation."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from analysis import accuracy_per_participant, preference_per_participant, uncertainty_per_participant
from analysis.data.outcomes import Outcomes, chosen_answers, correct_answers, uncertainty_answers
from analysis.options import BLANKS, Blank
from analysis.stats.intervals import NOT_ASKED, Floats
from analysis.stats.two_way import OVER_BOTH, two_way, two_way_mean, two_way_preference
from tests.analysis.mirrored import mirrored
from tests.analysis.tables import answer, checked, person

pytestmark = pytest.mark.slow


def crossed(n_people: int, n_pairs: int) -> tuple[np.ndarray, np.ndarray]:
    return np.repeat(np.arange(n_people), n_pairs), np.tile(np.arange(n_pairs), n_people)


def test_its_width_is_that_of_the_closed_form() -> None:
    """Source: the variance of w' X v / (R C) for multinomial w and v apart from each other, written out; it is the
    pigeonhole bootstrap's [Owe07] where everybody answered every pair."""
    rng = np.random.default_rng(1)
    table = (rng.random((40, 25)) < 0.7) * 1.0
    table += np.linspace(0, 0.5, 40)[:, None] - np.linspace(0, 0.4, 25)
    spread_w, spread_v = (np.eye(n) - np.ones((n, n)) / n for n in table.shape)
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    variance = (
        rows @ spread_w @ rows
        + columns @ spread_v @ columns
        + np.trace(spread_w @ table @ spread_v @ table.T)
    )
    people, pairs = crossed(40, 25)
    interval = two_way_mean(people, pairs, table.ravel(), seed=1, resamples=8_000)
    assert interval.low is not None
    assert interval.high is not None
    assert (interval.high - interval.low) / 3.92 == pytest.approx(float(variance) ** 0.5 / 1_000, rel=0.04)
    assert (interval.method, interval.resamples, interval.seed) == (OVER_BOTH, 8_000, 1)


def _looped(people: np.ndarray, pairs: np.ndarray, values: Floats, resamples: int) -> Floats:
    """People and pairs drawn one by one and averaged as defined, without weights or matrices."""
    rng = np.random.default_rng(2)
    own = {
        one: {pair: value for who, pair, value in zip(people, pairs, values, strict=True) if who == one}
        for one in set(people.tolist())
    }
    names = sorted(set(pairs.tolist()))
    means = []
    for _ in range(resamples):
        drawn = rng.choice(names, size=len(names))
        shares = []
        for one in rng.choice(sorted(own), size=len(own)):
            answers = [own[one][pair] for pair in drawn if pair in own[one]]
            shares += [np.mean(answers)] if answers else []
        means.append(np.mean(shares))
    return np.array(means)


def test_with_holes_it_agrees_with_a_plain_loop() -> None:
    rng = np.random.default_rng(3)
    people, pairs = crossed(9, 7)
    kept = rng.random(63) < 0.5
    people, pairs = people[kept], pairs[kept]
    values = rng.integers(1, 6, size=len(people)).astype(float)
    looped = _looped(people, pairs, values, 3_000)
    interval = two_way_mean(people, pairs, values, seed=1, resamples=10_000)
    assert interval.low == pytest.approx(np.quantile(looped, 0.025), abs=0.05)
    assert interval.high == pytest.approx(np.quantile(looped, 0.975), abs=0.05)


@pytest.mark.exhaustive
def test_it_holds_the_truth_of_other_people_and_pairs_where_people_alone_do_not() -> None:
    """Source: simulation with known truth: 30 people and 20 pairs out of many, unlike each other."""
    rng = np.random.default_rng(4)
    truth = float(expit(1 + (0.5**2 + 0.9**2) ** 0.5 * rng.normal(size=400_000)).mean())
    people, pairs = crossed(30, 20)
    both = alone = 0
    for seed in range(200):
        log_odds = 1 + rng.normal(0, 0.5, size=30)[people] + rng.normal(0, 0.9, size=20)[pairs]
        values = (rng.random(600) < expit(log_odds)) * 1.0
        interval = two_way_mean(people, pairs, values, seed=seed, resamples=400)
        assert interval.low is not None
        assert interval.high is not None
        both += interval.low <= truth <= interval.high
        shares = values.reshape(30, 20).mean(axis=1)
        alone += abs(shares.mean() - truth) <= 1.96 * shares.std(ddof=1) / 30**0.5
    assert both > 0.9 * 200
    assert alone < 0.8 * 200


def _means(outcomes: Outcomes) -> Floats:
    shares: Floats = np.bincount(outcomes.participant, outcomes.value) / np.bincount(outcomes.participant)
    return shares


@pytest.mark.parametrize("blank", BLANKS)
def test_the_answers_are_those_the_means_per_participant_are_of(blank: Blank) -> None:
    """Source: the package's own numbers per participant, which other tests hold against published ones."""
    rows = checked(
        *person("p1", "ab-a"),
        *person("p2", "b-", uncertainty="4"),
        *person("p3", "aa", truth="", uncertainty=""),
        answer(participant="p3", pair="q9", choice="b", source_a="hybrid", source_b="human", uncertainty="5"),
    )
    accuracy = accuracy_per_participant(rows, blank)["accuracy"]
    assert _means(correct_answers(rows, blank)) == pytest.approx(accuracy.dropna().to_numpy())
    for trials in ("with-truth", "all"):
        uncertainty = uncertainty_per_participant(rows, "all" if trials == "all" else "with-truth")[
            "uncertainty"
        ]
        ours = uncertainty_answers(rows, "all" if trials == "all" else "with-truth")
        assert _means(ours) == pytest.approx(uncertainty.dropna().to_numpy())
    preferences = preference_per_participant(rows, blank)
    for about, table in preferences.groupby(["condition", "source", "against"], observed=True):
        condition, source, against = map(str, about)
        ours = chosen_answers(rows, condition, source, against, blank)
        assert _means(ours) == pytest.approx(table["preference"].dropna().to_numpy())


@settings(deadline=None, max_examples=6)
@given(
    st.lists(st.text("ab-", min_size=1, max_size=4), min_size=1, max_size=5),
    st.data(),
)
def test_neither_row_order_nor_which_clip_is_a_matters(choices: list[str], data: st.DataObject) -> None:
    rows = [row for number, letters in enumerate(choices) for row in person(f"pé{number}", letters)]
    turned = [mirrored(row) if data.draw(st.booleans()) else row for row in data.draw(st.permutations(rows))]
    first, second = checked(*rows), checked(*turned)
    assert two_way(first, seed=2, resamples=50) == two_way(second, seed=2, resamples=50)
    about = ("human-hybrid", "human", "hybrid")
    assert two_way_preference(first, *about, resamples=50) == two_way_preference(second, *about, resamples=50)
    json.dumps(two_way(first, resamples=20).to_dict(), allow_nan=False)


def test_accuracy_and_uncertainty_say_how_many_people_and_pairs_they_rest_on() -> None:
    rows = checked(
        *person("p1", "ab"), *person("p2", "b-a"), *person("p3", "abb"), *person("p4", "---", uncertainty="")
    )
    found = two_way(rows, resamples=100)
    assert (found.accuracy_participants, found.accuracy_pairs) == (3, 3)
    assert (found.uncertainty_participants, found.uncertainty_pairs) == (3, 3)
    assert found.uncertainty_trials == "with-truth"
    assert found.accuracy.low is not None
    assert found.accuracy == two_way_preference(rows, "human-hybrid", "human", "hybrid", resamples=100)


def test_where_too_many_answers_make_it_slow_fewer_are_drawn_and_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(5)
    people, pairs = crossed(10, 9)
    values = rng.random(90)
    monkeypatch.setattr("analysis.stats.two_way._WORK", 150_000)
    assert two_way_mean(people, pairs, values, seed=1, resamples=10_000).resamples == 1_500
    assert two_way_mean(people, pairs, values, seed=1, resamples=1_200).resamples == 1_200
    monkeypatch.setattr("analysis.stats.two_way._WORK", 90_000)
    refused = two_way_mean(people, pairs, values, seed=1, resamples=10_000)
    assert (refused.low, refused.reason) == (
        None,
        "too many answers to resample both ways: 90, and about 90 are possible",
    )


@pytest.mark.parametrize(
    ("people", "pairs", "values", "resamples", "reason"),
    [
        ([], [], [], 10, "there is no answer that counts"),
        ([1, 2], [1, 2], [np.nan, np.nan], 10, "there is no answer that counts"),
        ([3, 3], [1, 2], [0, 1], 10, "too few participants for an interval: 1"),
        ([3, 7], [1, 2], [0, 1], 10, "too few participants for an interval: 2"),
        ([1, 2, 3], [5, 5, 6], [0, 1, 1], 10, "too few pairs for an interval: 2"),
        (
            [1, 2, 3],
            [1, 2, 3],
            [1, 1, 1],
            10,
            "all answers have the same value: resampling cannot show a spread",
        ),
        ([1, 2, 3], [1, 2, 3], [0, 1, 1], 0, NOT_ASKED),
    ],
)
def test_what_cannot_be_resampled_says_why(
    people: list[int], pairs: list[int], values: list[float], resamples: int, reason: str
) -> None:
    codes = np.array(people, dtype=np.int64), np.array(pairs, dtype=np.int64)
    interval = two_way_mean(*codes, values, seed=1, resamples=resamples)
    assert (interval.low, interval.high, interval.reason) == (None, None, reason)
