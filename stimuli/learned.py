"""An agent that learned to walk the map by proximal policy optimisation; `bench/ppo.py` trains it, NumPy runs it.

In addition to its observation it keeps its last positions and its last action: the published observation does not
include the heading, which the last steps do.
"""

from collections import deque
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

from stimuli.agents import FARTHEST_M, N_ACTIONS, STAND
from stimuli.arena import PLATFORM_M, SIZE_M
from stimuli.arrays import Floats32

Place = Floats32

WEIGHTS = Path(__file__).with_name("learned.safetensors")
CARD = WEIGHTS.with_suffix(".json")
HIDDEN = 128
# Four places make three steps: the published observation does not say where the agent looks (decision 0023).
N_PLACES = 4
"""Places that are kept, the latest among them."""
_STEP_M = 0.8
_SCALES = np.array([np.pi, FARTHEST_M, SIZE_M, SIZE_M, PLATFORM_M, FARTHEST_M], dtype=np.float32)
N_FEATURES = len(_SCALES) + 2 + 2 * (N_PLACES - 1) + N_ACTIONS


class NetworkInput:
    """The network's input: shape (N_FEATURES,), about -1 to 1."""

    def __init__(self) -> None:
        self._places: deque[Place] = deque(maxlen=N_PLACES)

    def features(self, observation: Floats32, last_action: int) -> Floats32:
        """Features of the next observation of a walk; `last_action` is `STAND` at first."""
        place = observation[2:4]
        # The walk begins at rest: its first place stands for those before it.
        while len(self._places) < N_PLACES:
            self._places.append(place)
        self._places.append(place)
        steps = np.diff(np.array(self._places), axis=0).ravel() / _STEP_M
        angle = observation[0]
        did = np.zeros(N_ACTIONS)
        did[last_action] = 1
        found: Floats32 = np.concatenate(
            [observation / _SCALES, [np.sin(angle), np.cos(angle)], steps, did]
        ).astype(np.float32)
        return found


class Learned:
    """Acts by chance, each action as likely as the network finds it good."""

    observes = "symbolic"

    def __init__(self) -> None:
        self._weights = _weights()
        self.reset(0)

    def reset(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)
        self._seen, self._last = NetworkInput(), STAND

    def act(self, observation: Floats32) -> int:
        logits = forward(self._weights, self._seen.features(observation, self._last))
        # The largest of logits with Gumbel noise is a draw by their softmax.
        self._last = int(np.argmax(logits + self._rng.gumbel(size=N_ACTIONS)))
        return self._last


def forward(weights: Mapping[str, Floats32], features: Floats32) -> Floats32:
    """The logits of the actions, shape (..., N_ACTIONS)."""
    for number in (1, 2):
        features = np.tanh(features @ weights[f"hidden{number}.weight"] + weights[f"hidden{number}.bias"])
    found: Floats32 = features @ weights["action.weight"] + weights["action.bias"]
    return found


@cache
def _weights() -> Mapping[str, Floats32]:
    return load_file(WEIGHTS)
