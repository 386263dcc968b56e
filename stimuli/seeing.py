"""An agent that learned as `stimuli.learned` did, and sees: the paper's hybrid, by which depth is read as a picture.

`bench/ppo.py` trains it, NumPy runs it.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

from stimuli.agents import DEPTH_PIXELS, N_ACTIONS, STAND, SYMBOLIC
from stimuli.arrays import Floats32
from stimuli.learned import NetworkInput

WEIGHTS = Path(__file__).with_name("seeing.safetensors")
CARD = WEIGHTS.with_suffix(".json")
HIDDEN = 128
# Each layer of convolutions: pixels that one looks at, across and down, and apart; and how many there are.
LOOKS = ((4, 8), (2, 16))
_HALF_M = 4.0
"""As far as this a thing is half as near as one that is touched."""


class Looks:
    """The network's input: the numbers of `learned.Seen`, then the nearness of each of 32 x 32 pixels, 0 to 1."""

    def __init__(self) -> None:
        self._seen = NetworkInput()

    def features(self, observation: Floats32, last_action: int) -> Floats32:
        """Features of the next observation of a walk; `last_action` is `STAND` at first."""
        symbolic, depth_m = np.split(observation, [len(SYMBOLIC)])
        nearness = (_HALF_M / (_HALF_M + depth_m)).astype(np.float32)
        return np.concatenate([self._seen.features(symbolic, last_action), nearness])


class Seeing:
    """Acts by chance, each action as likely as the network finds it good."""

    observes = "hybrid"

    def __init__(self) -> None:
        self._weights = _weights()
        self.reset(0)

    def reset(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)
        self._looks, self._last = Looks(), STAND

    def act(self, observation: Floats32) -> int:
        logits = forward(self._weights, self._looks.features(observation, self._last))
        # The largest of logits with Gumbel noise is a draw by their softmax.
        self._last = int(np.argmax(logits + self._rng.gumbel(size=N_ACTIONS)))
        return self._last


def forward(weights: Mapping[str, Floats32], features: Floats32) -> Floats32:
    """The logits of the actions, shape (N_ACTIONS,)."""

    def layer(name: str, given: Floats32) -> Floats32:
        found: Floats32 = given @ weights[f"{name}.weight"] + weights[f"{name}.bias"]
        return found

    numbers, picture = np.split(features, [-(DEPTH_PIXELS**2)])
    picture = picture.reshape(DEPTH_PIXELS, DEPTH_PIXELS, 1)
    for number, (size, _) in enumerate(LOOKS, start=1):
        picture = np.maximum(layer(f"look{number}", patches(picture, size)), 0)
    numbers = np.tanh(layer("hidden1", numbers))
    return layer("action", np.tanh(layer("hidden2", np.concatenate([numbers, picture.ravel()]))))


def patches(picture: Floats32, size: int) -> Floats32:
    """Squares of `size` by `size` side by side, each as one row: (h, w, n) becomes (h/size, w/size, size*size*n)."""
    # Squares side by side, so that NumPy runs the convolution as one matrix product.
    high, wide, n = picture.shape[0] // size, picture.shape[1] // size, picture.shape[2]
    cut = picture.reshape(high, size, wide, size, n)
    return cut.transpose(0, 2, 1, 3, 4).reshape(high, wide, size * size * n)


@cache
def _weights() -> Mapping[str, Floats32]:
    return load_file(WEIGHTS)
