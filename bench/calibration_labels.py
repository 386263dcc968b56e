"""Reliability of labels from five votes a pair: how often a label of this or that probability is right."""

from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np
from scipy.special import expit

from analysis.stats.dawid_skene import one_coin_log_odds
from analysis.stats.intervals import Floats
from analysis.stats.label_probability import log_odds_of_a

_PAIRS, _PEOPLE, _VOTES = 200, 100, 5
_SKILLS, _OF_PAIRS, _OF_PEOPLE = (0.4, 0.85, 1.4, 2.0), (0.0, 0.6, 1.2, 2.0), (0.3, 1.0)
_EDGES = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)

DESIGN = (
    f"{_PAIRS} pairs with {_VOTES} votes each by {_PEOPLE} participants; the log odds that a vote is right are the "
    f"participant's skill (mean {', '.join(map(str, _SKILLS))}; SD {', '.join(map(str, _OF_PEOPLE))}) and the pair's "
    f"shift (SD {', '.join(map(str, _OF_PAIRS))}), all combinations"
)


@dataclass(frozen=True, slots=True)
class Reliability:
    """Labels whose probability is from `low` up to `high`: how many, their mean probability, and the share right."""

    low: float
    high: float
    n: int
    expected: float | None
    right: float | None


def reliability(studies: int) -> dict[str, list[Reliability]]:
    """Simulate `studies` of each kind, from hard to easy, and label them by the hierarchical model and by EM."""
    rng = np.random.default_rng(1)
    for_it: dict[str, list[Floats]] = {"hierarchical": [], "EM": []}
    for skill, of_pairs, of_people in product(_SKILLS, _OF_PAIRS, _OF_PEOPLE):
        for _ in range(studies):
            pair, person, side = _votes(rng, skill, of_pairs, of_people)
            for_it["hierarchical"].append(expit(log_odds_of_a(pair, person, side, _PAIRS)))
            for_it["EM"].append(expit(one_coin_log_odds(pair, person, side, _PAIRS)))
    return {model: _bins(np.concatenate(found)) for model, found in for_it.items()}


def _votes(
    rng: np.random.Generator, skill: float, of_pairs: float, of_people: float
) -> tuple[np.ndarray, np.ndarray, Floats]:
    """Pair, person and side of each vote; 1 is the label."""
    theta = skill + of_people * rng.standard_normal(_PEOPLE)
    pair = np.repeat(np.arange(_PAIRS), _VOTES)
    person = np.concatenate([rng.permutation(_PEOPLE)[:_VOTES] for _ in range(_PAIRS)])
    odds = theta[person] + np.repeat(of_pairs * rng.standard_normal(_PAIRS), _VOTES)
    return pair, person, np.where(rng.random(len(pair)) < expit(odds), 1.0, -1.0)


def _bins(for_it: Floats) -> list[Reliability]:
    sure, right = np.maximum(for_it, 1 - for_it), for_it > 0.5
    found = []
    for low, high in pairwise(_EDGES):
        inside = (sure >= low) & ((sure < high) | (high == 1))
        n = int(inside.sum())
        means = (float(sure[inside].mean()), float(right[inside].mean())) if n else (None, None)
        found.append(Reliability(low, high, n, *means))
    return found


def reliability_text(found: dict[str, list[Reliability]]) -> str:
    """A Markdown table: the labels of the hierarchical model, next to those of EM."""
    lines = [
        "| probability of the label | labels | mean probability | share right "
        "| by EM: labels | mean probability | share right |",
        "|---|---|---|---|---|---|---|",
    ]
    for ours, theirs in zip(found["hierarchical"], found["EM"], strict=True):
        cells = [f"{ours.low:g} to {ours.high:g}"]
        for one in (ours, theirs):
            cells += [f"{one.n:,}", _share(one.expected), _share(one.right)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
