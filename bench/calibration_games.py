"""Cases of the calibration bench: intervals of distances of play, and of measures of games, from few matches."""

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
import pandas as pd

from analysis.games.compare import compare, described
from analysis.games.sug import distances, play_of
from analysis.games.sug_compare import NAMES, Seats, compare_play
from app.tasks.game.agents.registry import agents_for
from app.tasks.game.games.sug.rules import Sug
from app.tasks.game.match import match_seed, play
from bench.calibration_case import RESAMPLES, Case, Hit, Simulate, holds, interval

WORLD = 300
MOST = 300
PLAYERS, ROUNDS = 3, 10
WITHHELD = ("d_b", "d_y8", "d_y8_accepted")
GIVEN = tuple(name for name in NAMES if name not in WITHHELD)
_SAID = {"d_o": "dO", "d_r": "dR", "d_b": "dB", "d_y": "dY", "d_y8": "dY8", "d_y_accepted": "dY accepted"}


@cache
def _world(agent: str) -> Seats:
    """All matches of one agent, from which a study is drawn."""
    game = Sug()
    config = game.Config(players=PLAYERS, rounds=ROUNDS)
    found = {}
    for number in range(WORLD):
        seats = [agents_for("sug")[agent]().player() for _ in range(PLAYERS)]
        state = play(game, config, seats, match_seed(11, config, number)).state
        found[f"{agent} {number}"] = [(state.history, seat) for seat in range(1, PLAYERS + 1)]
    return found


@cache
def _truth(agents: tuple[str, str]) -> Mapping[str, float]:
    plays = [play_of([seat for seats in _world(agent).values() for seat in seats], 10) for agent in agents]
    far = distances(plays[0], plays[1])
    return {name: getattr(far, name) for name in NAMES}


def _sample(agent: str, n: int, rng: np.random.Generator, prefix: str) -> Seats:
    world = list(_world(agent).values())
    return {f"{prefix}{k}": world[k] for k in rng.choice(WORLD, n, replace=False)}


def _distances(n: int, agents: tuple[str, str], names: Sequence[str]) -> Simulate:
    def simulate(rng: np.random.Generator, seed: int) -> list[Hit]:
        first, second = (_sample(agent, n, rng, prefix) for agent, prefix in zip(agents, "ab", strict=True))
        found = compare_play(first, second, 10, seed=seed, resamples=RESAMPLES)
        of = {test.name: test.interval for test in found.tests}
        return [holds(of[name], _truth(agents)[name]) for name in names]

    return simulate


def _case(n: int, agents: tuple[str, str], names: Sequence[str], key: str) -> Case:
    alike = agents[0] == agents[1]
    what = f"{agents[0]} people, no difference" if alike else f"{agents[0]} people and {agents[1]} agents"
    return Case(
        key,
        f"{n} and {n} matches of {PLAYERS} players and {ROUNDS} rounds, {what}; truth from {WORLD} matches",
        tuple(
            interval(
                f"{_SAID.get(name, 'dY8 accepted')} of play",
                "sums over rare cases" if names == WITHHELD else "",
            )
            for name in names
        ),
        _distances(n, agents, names),
        MOST if names != WITHHELD else 20,
        withheld=names == WITHHELD,
    )


@cache
def _measures(agent: str) -> pd.DataFrame:
    """The mean offer of each match of the world, and the share of its offers that were accepted."""
    rows = []
    for name, seats in _world(agent).items():
        rounds, _ = seats[0]
        made = [offer for each in rounds for offer in each]
        accepted = float(np.mean([taken for _, _, taken in made]))
        rows.append({"match": name, "offer": float(np.mean([q for _, q, _ in made])), "accepted": accepted})
    return pd.DataFrame(rows).assign(player=agent, role="player", config="")


def _mean_case(n: int) -> Case:
    names = ("offer", "accepted")

    def simulate(rng: np.random.Generator, seed: int) -> list[Hit]:
        worlds = [_measures(agent) for agent in ("simulated", "dba")]
        drawn = [world.iloc[rng.choice(WORLD, n, replace=False)] for world in worlds]
        means = described(drawn[0], names, seed=seed)
        first, second = (one.assign(unit=one["match"]) for one in drawn)
        apart = compare(first, second, names, seed=seed).measures
        truth = [world[list(names)].mean() for world in worlds]
        return [
            *(holds(one.interval, truth[0][one.measure]) for one in means),
            *(holds(one.interval, truth[0][one.measure] - truth[1][one.measure]) for one in apart),
        ]

    return Case(
        f"game-means-{n}",
        f"{n} matches of simulated people and {n} of dba agents; truth from {WORLD} matches",
        (
            interval("mean offer of a match"),
            interval("share of accepted offers of a match"),
            interval("difference of two mean offers"),
            interval("difference of two shares of accepted offers"),
        ),
        simulate,
        MOST,
    )


_APART, _ALIKE = ("simulated", "dba"), ("simulated", "simulated")

CASES: tuple[Case, ...] = (
    *(_case(n, _APART, GIVEN, f"play-apart-{n}") for n in (3, 5, 8, 10, 20)),
    *(_case(n, _ALIKE, GIVEN, f"play-alike-{n}") for n in (3, 10)),
    *(_case(n, ("simulated", "adaptive"), GIVEN, f"play-adaptive-{n}") for n in (3, 10)),
    *(_case(n, ("simulated", "gt"), GIVEN, f"play-gt-{n}") for n in (3, 10)),
    _case(10, _APART, WITHHELD, "play-sums-10"),
    *map(_mean_case, (3, 5, 8, 10)),
)
