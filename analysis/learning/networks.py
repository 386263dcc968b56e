"""The networks that can be trained, their published settings, and their forward pass, in NumPy or in JAX alike."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from analysis.errors import AnalysisError
from analysis.learning.paths import Path, Reads, Singles, mirrored, sequence, windows
from analysis.stats.intervals import Floats

Parameters = Mapping[str, Singles]
Kind = Literal["ff", "gru"]

COLUMNS: Mapping[Reads, tuple[str, ...]] = {
    "positions": ("x_m", "y_m", "z_m"),
    "turn-speed": ("turn", "speed"),
}


@dataclass(frozen=True, slots=True)
class Settings:
    """What a network is and how it is trained. `window` counts samples at `rate_hz`; `rate` is the step size of Adam.

    `hidden` 0 leaves the hidden layer of a feed-forward network out. `by_heading`: turns are those of the gaze.
    """

    reads: Reads
    kind: Kind
    rate_hz: float
    window: int
    hidden: int
    dropout: float
    epochs: int
    batch: int
    rate: float
    by_heading: bool = False

    @property
    def window_s(self) -> float:
        return self.window / self.rate_hz


@dataclass(frozen=True, slots=True)
class Network:
    """A judge that can be trained: its name, what it is in a sentence, and the settings that it starts from."""

    name: str
    title: str
    origin: str
    settings: Settings


_SYMBOLIC = (
    "Devlin et al. 2021 [NTT21]: x, y and z of each tick, 32 hidden units, Adam 1e-3, batches of 256, 50 epochs, the "
    "share of windows called human. Ticks of 1/60 s are inferred: the paper does not state the rate"
)
_TURNING = (
    "Not of the paper: the same network on turn rate and speed, which hold no place; trained and judged with each path "
    "and its mirror image"
)
NETWORKS = {
    network.name: network
    for network in (
        Network(
            "sym-ff",
            "Feed-forward on absolute positions",
            _SYMBOLIC,
            Settings("positions", "ff", 60, 1, 32, 0.0, 50, 256, 1e-3),
        ),
        Network(
            "sym-gru",
            "Recurrent (GRU) on absolute positions",
            f"{_SYMBOLIC}. Windows of 5 ticks",
            Settings("positions", "gru", 60, 5, 32, 0.0, 50, 256, 1e-3),
        ),
        Network(
            "turn-speed-ff",
            "Feed-forward on turn and speed",
            _TURNING,
            Settings("turn-speed", "ff", 30, 1, 32, 0.0, 50, 256, 1e-3),
        ),
        Network(
            "turn-speed-gru",
            "Recurrent (GRU) on turn and speed",
            _TURNING,
            Settings("turn-speed", "gru", 30, 20, 32, 0.0, 50, 256, 1e-3),
        ),
    )
}


@dataclass(frozen=True, slots=True)
class Score:
    """What a network says of one path: the share of its windows called human, and their mean logit."""

    share: float
    mean_logit: float
    n_windows: int


def network_named(name: str) -> Network:
    if name not in NETWORKS:
        raise AnalysisError(f"there is no network {name[:80]!r} to train; there is {', '.join(NETWORKS)}")
    return NETWORKS[name]


def cut(path: Path, settings: Settings) -> Singles:
    """The windows of a path, shape (windows, width, columns). Raises AnalysisError for one shorter than a window."""
    values = sequence(path, settings.reads, settings.rate_hz, by_heading=settings.by_heading)
    found = windows(values, settings.window)
    if not len(found):
        raise AnalysisError(
            f"lasts {path.duration_s:.2f} s; at least one window of {settings.window_s:.2f} s is needed"
        )
    return found


def shapes(settings: Settings) -> Mapping[str, tuple[int, ...]]:
    """Every array of a network by name; `mean` and `sd` scale its columns and were learnt where it was trained."""
    columns, hidden = len(COLUMNS[settings.reads]), settings.hidden
    scaling = {"mean": (columns,), "sd": (columns,)}
    if settings.kind == "gru":
        return scaling | {
            "input.weight": (columns, 3 * hidden),
            "input.bias": (3 * hidden,),
            "state.weight": (hidden, 3 * hidden),
            "state.bias": (3 * hidden,),
            "output.weight": (hidden, 1),
            "output.bias": (1,),
        }
    flat = columns * settings.window
    first = {"input.weight": (flat, hidden), "input.bias": (hidden,)} if hidden else {}
    return scaling | first | {"output.weight": (hidden or flat, 1), "output.bias": (1,)}


@dataclass(frozen=True, slots=True)
class Arrays:
    """NumPy, or JAX where gradients are wanted: its functions, and how a state is carried along the second axis."""

    xp: Any
    carried: Callable[[Callable[[Any, Any], Any], Any, Any], Any]


def _carried(step: Callable[[Any, Any], Any], state: Any, values: Any) -> Any:
    for number in range(values.shape[1]):
        state = step(state, values[:, number])
    return state


NUMPY = Arrays(np, _carried)


def forward(of: Arrays, settings: Settings, parameters: Mapping[str, Any], cut: Any, keep: Any = None) -> Any:
    """The logit of human for each window, shape (windows,); arrays are of the kind of `of`.

    `keep`, shape (windows, hidden), multiplies the last hidden layer: dropout, in training alone.
    """
    scaled = (cut - parameters["mean"]) / parameters["sd"]
    if settings.kind == "gru":
        last = _gru(of, settings.hidden, parameters, scaled)
    else:
        last = scaled.reshape(scaled.shape[0], -1)
        if settings.hidden:
            last = of.xp.maximum(last @ parameters["input.weight"] + parameters["input.bias"], 0)
    if keep is not None:
        last = last * keep
    return (last @ parameters["output.weight"] + parameters["output.bias"])[:, 0]


def _gru(of: Arrays, hidden: int, parameters: Mapping[str, Any], scaled: Any) -> Any:
    """The last state of a gated recurrent unit, whose reset gate acts on the product, as in common libraries."""

    def step(state: Any, now: Any) -> Any:
        past = state @ parameters["state.weight"] + parameters["state.bias"]
        reset = _sigmoid(of.xp, now[:, :hidden] + past[:, :hidden])
        update = _sigmoid(of.xp, now[:, hidden : 2 * hidden] + past[:, hidden : 2 * hidden])
        new = of.xp.tanh(now[:, 2 * hidden :] + reset * past[:, 2 * hidden :])
        return (1 - update) * new + update * state

    first = of.xp.zeros((scaled.shape[0], hidden), dtype=scaled.dtype)
    return of.carried(step, first, scaled @ parameters["input.weight"] + parameters["input.bias"])


def _sigmoid(xp: Any, values: Any) -> Any:
    return 0.5 * (xp.tanh(0.5 * values) + 1)  # never overflows


def logits(settings: Settings, parameters: Parameters, found: Singles) -> Floats:
    """Of each window; of turn and speed the mean with its mirror image, so that left and right decide nothing."""
    values = np.asarray(forward(NUMPY, settings, parameters, found), dtype=np.float64)
    if settings.reads == "turn-speed":
        other = np.asarray(forward(NUMPY, settings, parameters, mirrored(found)), dtype=np.float64)
        values = (values + other) / 2
    return values


def score(settings: Settings, parameters: Parameters, found: Singles) -> Score:
    """Of one path, from its windows (`cut`)."""
    values = logits(settings, parameters, found)
    return Score(float((values > 0).mean()), float(values.mean()), len(values))
