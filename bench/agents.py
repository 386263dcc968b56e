"""Steps per second of the map as a Gymnasium environment, by the processor's time: `python -m bench.agents`."""

import time
from statistics import median

import numpy as np

from stimuli.agents import N_ACTIONS, Observes
from stimuli.environment import WalkEnv

STEPS: dict[Observes, int] = {"symbolic": 3000, "hybrid": 3000, "pixels": 300}


def measure_steps(observes: Observes, repeats: int = 3) -> float:
    """The median over repeats, of actions drawn at random; episodes that end begin anew."""
    env, rng = WalkEnv(observes), np.random.default_rng(1)
    env.reset(seed=1)
    env.step(np.int64(1))  # the map is painted once
    measured = []
    for _ in range(repeats):
        began = time.process_time()
        for action in rng.integers(N_ACTIONS, size=STEPS[observes]):
            _, _, arrived, cut_off, _ = env.step(action)
            if arrived or cut_off:
                env.reset()
        measured.append(STEPS[observes] / (time.process_time() - began))
    return median(measured)


if __name__ == "__main__":
    for observes in STEPS:
        print(f"{observes}: {measure_steps(observes):,.0f} steps per second of a processor")
