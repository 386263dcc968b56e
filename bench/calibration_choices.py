"""Calibration of models of play: the loss of predicted choices, and effects in GLEE's regression."""

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
import pandas as pd
from scipy.special import expit

from analysis.games.choices import CalibrationBin, ChoicePrediction, Score, predict_choices
from analysis.games.glee_model import glee_model
from bench.calibration_case import RESAMPLES, Case, Hit, holds, interval, within

WORLD = 300
_EACH, _MOST = 12, 300
_SD_PEOPLE = 0.7
_LEVELS: Mapping[str, Sequence[int]] = {"rounds": (1, 5), "money": (10, 100, 1_000)}
_PLAYERS = ("x", "y", "z")
_EFFECT = 0.1


def _decisions(rng: np.random.Generator, people: int) -> pd.DataFrame:
    """Yes or no, likelier with the offer, of people who differ."""
    person = np.repeat(np.arange(people), _EACH)
    offer = rng.random(len(person))
    odds = -1 + 3 * offer + _SD_PEOPLE * rng.standard_normal(people)[person]
    return pd.DataFrame(
        {
            "person": [f"p{who}" for who in person],
            "config": [f"c{number % 6}" for number in range(len(person))],
            "offer": offer,
            "chose": rng.random(len(person)) < expit(odds),
        }
    )


def _predicted(rng: np.random.Generator, people: int, seed: int, resamples: int) -> ChoicePrediction:
    return predict_choices(_decisions(rng, people), ["offer"], seed=seed, resamples=resamples)


def _bin(score: Score) -> CalibrationBin | None:
    """Choices predicted from .5 to .6."""
    return next((part for part in score.calibration if part.low == 0.5), None)


@cache
def _truth(people: int) -> tuple[float, float]:
    """The mean loss of the regression, and the share of yes among choices predicted from .5 to .6."""
    rng = np.random.default_rng(people)
    found = [_predicted(rng, people, seed, 0).held_out[0].scores[1] for seed in range(WORLD)]
    bins = [part for part in map(_bin, found) if part]
    share = sum(part.observed * part.n for part in bins) / max(1, sum(part.n for part in bins))
    return float(np.mean([one.log_loss for one in found])), float(share)


def _loss(people: int) -> Case:
    def simulate(rng: np.random.Generator, seed: int) -> Sequence[Hit]:
        base, score = _predicted(rng, people, seed, RESAMPLES).held_out[0].scores
        loss, share = _truth(people)
        part = _bin(score)
        held = None if part is None else within(part.observed_low, share, part.observed_high)
        return holds(base.interval, 0.0), holds(score.interval, loss), held

    return Case(
        f"choices-{people}",
        f"{people} people, {_EACH} choices each, which depend on the offer and the person (SD {_SD_PEOPLE:g}); truth: "
        f"the mean over {WORLD:,} such data sets",
        (
            interval("log loss of the base rate", "it held the truth in 87% and 89% of 10 and 30 people"),
            interval("log loss of the logistic regression, other people"),
            interval("share of yes among choices predicted from .5 to .6 (Wilson)"),
        ),
        simulate,
        _MOST,
    )


def _games(rng: np.random.Generator, games: int) -> pd.DataFrame:
    """A measure from 0 to 1 that rises with rounds, the more money the less it spreads; players differ."""
    table = pd.DataFrame({name: rng.choice(of, games) for name, of in _LEVELS.items()})
    for role in ("alice", "bob"):
        table[role] = rng.choice(_PLAYERS, games)
    mean = (
        0.55
        + _EFFECT * (table["rounds"] == 5)
        + 0.05 * (table["alice"] == "x")
        - 0.05 * (table["bob"] == "y")
    )
    return table.assign(share=rng.beta(4 * mean, 4 * (1 - mean)))


def _effects(games: int) -> Case:
    def simulate(rng: np.random.Generator, _seed: int) -> Sequence[Hit]:
        found = glee_model(_games(rng, games), "share", _LEVELS, (0.0, 1.0)).effects
        of = {(one.role, one.player, one.factor, one.level): one for one in found}
        rounds, money = of["alice", "x", "rounds", "5"], of["alice", "x", "money", "100"]
        return holds(rounds, _EFFECT), holds(money, 0.0)

    return Case(
        f"glee-effects-{games}",
        f"{games} games of {len(_PLAYERS)} players, 2 x 3 levels of two factors, a share from Beta with SD near .2",
        (
            interval("effect of a factor of .1 (GLEE's regression)"),
            interval("effect of a factor of 0 (GLEE's regression)"),
        ),
        simulate,
        _MOST,
    )


CASES: tuple[Case, ...] = (
    *map(_loss, (5, 10, 20, 30, 60)),
    *map(_effects, (100, 200, 600)),
)
