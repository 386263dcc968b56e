"""Timing of agents' moves: after a delay like a person's, drawn from the match's seed and unpredictable.

A delay depends on the seat and the phase only, never on hidden information, so that it reveals nothing.
"""

import math
import random
from datetime import timedelta

from app.tasks.game.match import stream
from app.trials.tables import Mode

# Our choice, until a study has times of its own people (decision 0018).
MEDIAN_S, SPREAD, LEAST_S, LATEST = 6.0, 0.45, 1.5, 0.6
"""Log-normal: half of the moves within `MEDIAN_S` seconds, `SPREAD` the standard deviation of their logarithms; never
sooner than `LEAST_S`, never later than the share `LATEST` of the time that people have."""


def delay_of(seed: int, phase_id: str, seat: int, seconds: int, mode: str) -> timedelta:
    """The delay of an agent's move from the beginning of a phase; none in simulations."""
    if mode == Mode.SIMULATED:
        return timedelta()
    drawn = drawn_delay_s(stream(seed, f"delay:{phase_id}:{seat}"))
    bounded = min(max(drawn, LEAST_S), max(seconds * LATEST, 0.2))
    return timedelta(milliseconds=round(1000 * bounded))


def drawn_delay_s(rng: random.Random) -> float:
    """One draw, without its bounds, in seconds."""
    return rng.lognormvariate(math.log(MEDIAN_S), SPREAD)
