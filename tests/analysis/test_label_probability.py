"""Probabilities of labels: by brute force over what the votes leave open, and in simulations with known labels."""

import math

import numpy as np
import pytest
from scipy import integrate
from scipy.special import expit

from analysis.stats import label_probability
from analysis.stats.label_probability import log_odds_of_a

pytestmark = pytest.mark.slow


def drawn(
    rng: np.random.Generator, skill: float, of_pairs: float, of_people: float, votes: int = 5
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """200 pairs, each shown to `votes` of 100 people: pair, person and whether the vote is the label (1, else -1)."""
    theta = skill + of_people * rng.standard_normal(100)
    pair = np.repeat(np.arange(200), votes)
    person = np.concatenate([rng.permutation(100)[:votes] for _ in range(200)])
    odds = theta[person] + np.repeat(of_pairs * rng.standard_normal(200), votes)
    return pair, person, np.where(rng.random(len(pair)) < expit(odds), 1.0, -1.0)


WORLDS = [(0.4, 1.2), (0.85, 0.6), (0.85, 2.0), (1.4, 0.0), (1.4, 1.2), (2.0, 0.6)]


@pytest.mark.exhaustive
def test_with_five_votes_a_pair_labels_are_right_as_often_as_their_probability_says() -> None:
    """Worlds from hard to easy, where EM says 0.99 of nine labels in ten, of which 80% are right."""
    rng = np.random.default_rng(4)
    sure, right = [], []
    for skill, of_pairs in WORLDS:
        for of_people in (0.3, 1.0):
            p = expit(log_odds_of_a(*drawn(rng, skill, of_pairs, of_people), 200))
            sure.append(np.maximum(p, 1 - p))
            right.append(p > 0.5)
    certainty, hit = np.concatenate(sure), np.concatenate(right)
    for low, high in ((0.5, 0.7), (0.7, 0.85), (0.85, 0.95), (0.95, 1.0)):
        inside = (certainty >= low) & (certainty < high)
        assert inside.sum() > 50
        assert hit[inside].mean() == pytest.approx(certainty[inside].mean(), abs=0.1)
    assert hit[certainty >= 0.99].mean() > 0.97


def test_by_counts_alone_it_is_what_numerical_integration_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    """Above a million votes participants are alike. Source: scipy's quad over the pairs' shift, summed over worlds."""
    monkeypatch.setattr(label_probability, "_MOST_VOTES", 0)
    counts = [(5, 0), (4, 1), (3, 2), (5, 0), (1, 4), (2, 0)]
    pair = np.repeat(np.arange(6), [sum(one) for one in counts])
    side = np.concatenate([np.r_[np.ones(a), -np.ones(b)] for a, b in counts])
    person = np.arange(len(pair))
    evidence, shares = [], []
    for skill in label_probability._SKILLS:
        for spread in label_probability._OF_PAIRS:

            def likelihood(a: int, b: int, skill: float = skill, spread: float = spread) -> float:
                def at(shift: float) -> float:
                    odds = (skill + spread * shift) / label_probability._DAMPED
                    return math.exp(-(shift**2) / 2) / (1 + math.exp(-odds)) ** a / (1 + math.exp(odds)) ** b

                return float(integrate.quad(at, -8, 8)[0])

            both = np.array([(likelihood(a, b), likelihood(b, a)) for a, b in counts])
            prior = np.exp(-((skill / 1.5) ** 2) / 2 - (spread / 2) ** 2 / 2)
            evidence.append(prior * both.sum(axis=1).prod())
            shares.append(both[:, 0] / both.sum(axis=1))
    expected = np.array(evidence) @ np.array(shares) / np.sum(evidence)
    assert expit(log_odds_of_a(pair, person, side, 6)) == pytest.approx(expected, abs=0.01)


def test_more_votes_for_it_and_better_voters_make_a_label_likelier() -> None:
    """Person 0 agrees with all others on 40 pairs, person 1 with nobody; on the last two pairs each stands alone."""
    votes = [(n, who, vote) for n in range(40) for who, vote in ((0, 1.0), (1, -1.0), (2, 1.0), (3, 1.0))]
    votes += [(40, 0, 1.0), (41, 1, 1.0), (42, 2, -1.0)]
    pair, person, side = (np.array(column) for column in zip(*votes, strict=True))
    odds = log_odds_of_a(pair, person, side, 44)
    assert odds[40] > 0.2
    assert odds[41] < -0.2
    assert odds[42] == pytest.approx(-odds[40], abs=0.3)
    assert odds[0] > odds[40]
    assert odds[43] == 0


def test_names_and_order_change_nothing() -> None:
    rng = np.random.default_rng(2)
    pair, person, side = drawn(rng, 1.0, 0.6, 0.5)
    odds = log_odds_of_a(pair, person, side, 200)
    turned = rng.choice([-1.0, 1.0], 200)
    order = rng.permutation(len(pair))
    other = log_odds_of_a(pair[order], person[order], (side * turned[pair])[order], 200)
    assert (other == odds * turned).all()
