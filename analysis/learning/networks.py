"""The input of a network, its arrays, and its forward pass, in NumPy or in JAX alike."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from analysis.errors import AnalysisError
from analysis.learning.logged import FULL, InCommon, as_logged
from analysis.learning.paths import Path, Singles, mirrored, sequence, spread, windows
from analysis.learning.pictures import COLOURS, FRAME, Bytes, Frames, box_mean, covering

if TYPE_CHECKING:
    from analysis.stats.intervals import Floats

Parameters = Mapping[str, Singles]
Reads = Literal["positions", "turn-speed", "top-down", "frames", "bar-code"]
Kind = Literal["ff", "gru"]
Optimiser = Literal["adam", "sgd"]
By = Literal["share", "mean-logit"]
Windows = npt.NDArray[Any]
"""Windows of one path or clip, shape (windows, width, ...): 32-bit floats, or bytes of pictures."""

SEES: tuple[Reads, ...] = ("frames", "bar-code")
"""What is read from the picture; the others read positions."""
DRAWS: tuple[Reads, ...] = ("top-down", *SEES)
"""What convolutions look at."""
PLACES: Mapping[Reads, str] = {
    "positions": "",
    "top-down": "its image from above is of absolute x and y",
    "frames": "frames show where a player is, by what is seen and by a mini map",
    "bar-code": "lines of frames hold what the frames show, a mini map too",
}
"""What holds places, and how, where that is not plain; turn and speed hold none."""
COLUMNS: Mapping[Reads, tuple[str, ...]] = {
    "positions": ("x_m", "y_m", "z_m"),
    "turn-speed": ("turn", "speed"),
    "top-down": ("x_m", "y_m"),
}
CHANNELS = (8, 16, 32)
"""Of the three convolutions (3 x 3, every second pixel) that stand in for VGG-16."""
MOMENTUM = 0.9
_SDS = 3.0  # what a top-down image shows on either side of the middle


@dataclass(frozen=True, slots=True)
class Settings:
    """A network's architecture and training. `window` counts samples at `rate_hz`, or those that a whole path is spread
    over if `rate_hz` is 0; `rate` is the step size of the optimiser.

    `hidden` 0 omits the hidden layer of a feed-forward network. `by_heading`: turns are those of the gaze. `step_s` and
    `decimals` are the resolution positions are reduced to, if sources were logged differently; 0 and 7 leave them
    unchanged. `features`: the number of features per picture of a pretrained network, read in place of the picture; 0
    uses its own convolutions. `view_m` is the area of an image from above for such a network: the middle's x and y, and
    one SD of each, as these cannot be learnt with each copy.
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
    optimiser: Optimiser = "adam"
    step_s: float = 0.0
    decimals: int = FULL
    features: int = 0
    view_m: tuple[float, ...] = ()

    @property
    def in_common(self) -> InCommon:
        """The common logging to which positions are reduced before they are read."""
        return InCommon(self.step_s, self.decimals)

    @property
    def window_s(self) -> float:
        return self.window / self.rate_hz

    @property
    def sees(self) -> bool:
        """True if it reads pictures, and no positions."""
        return self.reads in SEES

    @property
    def pictured(self) -> bool:
        """True if pictures, or features of them, are cut into windows; otherwise the path is."""
        return self.sees or self.features > 0

    @property
    def looks(self) -> bool:
        """True for a network with convolutions of its own."""
        return self.reads in DRAWS and not self.features


@dataclass(frozen=True, slots=True)
class Score:
    """A network's output for one clip: the share of its windows called human, and their mean logit."""

    share: float
    mean_logit: float
    n_windows: int

    def value(self, by: By) -> float:
        return self.share if by == "share" else self.mean_logit


def cut(seen: Path | Frames, settings: Settings) -> Windows:
    """The windows of a path or of a clip's pictures. Raises AnalysisError for one shorter than a window."""
    if isinstance(seen, Frames):
        if settings.reads != "frames":
            return seen.values[:, None] if settings.features else bar_codes(seen, settings)
        found, lasts_s = windows(seen.values, settings.window), len(seen.values) / seen.rate_hz
    elif settings.reads == "top-down":
        return spread(as_logged(seen, settings.in_common), settings.window)
    else:
        assert settings.reads == "positions" or settings.reads == "turn-speed"
        even = as_logged(seen, settings.in_common)
        values = sequence(even, settings.reads, settings.rate_hz, by_heading=settings.by_heading)
        found, lasts_s = windows(values.astype(np.float32), settings.window), seen.duration_s
    if not len(found):
        raise AnalysisError(
            f"lasts {lasts_s:.2f} s; at least one window of {settings.window_s:.2f} s is needed"
        )
    return found


def bar_codes(lines: Frames, settings: Settings) -> Windows:
    """The bar-codes of a clip, shape (codes, lines, columns, 3): pieces that cover it or, at no rate, one of all."""
    if settings.rate_hz:
        return covering(lines.values, settings.window)
    return box_mean(lines.values, settings.window).round().astype(np.uint8)[None]


def shapes(settings: Settings) -> Mapping[str, tuple[int, ...]]:
    """Every array of a network by name; `mean` and `sd` scale its columns and were learnt where it was trained."""
    hidden, found = settings.hidden, dict[str, tuple[int, ...]]()
    columns = settings.features or len(COLUMNS.get(settings.reads, ()))
    if columns:
        found |= {"mean": (columns,), "sd": (columns,)}
    if settings.looks:
        before = COLOURS if settings.sees else 1
        for number, channels in enumerate(CHANNELS, 1):
            found |= {f"look{number}.weight": (9 * before, channels), f"look{number}.bias": (channels,)}
            before = channels
        columns = before
    if settings.reads in DRAWS:
        flat = columns * settings.window if settings.reads == "frames" else columns
    else:
        flat = columns * settings.window
    if settings.kind == "gru":
        found |= {
            "input.weight": (columns, 3 * hidden),
            "input.bias": (3 * hidden,),
            "state.weight": (hidden, 3 * hidden),
            "state.bias": (3 * hidden,),
        }
    elif hidden:
        found |= {"input.weight": (flat, hidden), "input.bias": (hidden,)}
    return found | {"output.weight": (hidden or flat, 1), "output.bias": (1,)}


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
Drop = Callable[[Any, int], Any]


def _no_dropout(values: Any, place: int) -> Any:
    return values


def forward(
    of: Arrays, settings: Settings, parameters: Mapping[str, Any], cut: Any, drop: Drop = _no_dropout
) -> Any:
    """The logit of human for each window, shape (windows,); arrays are of the kind of `of`.

    `drop` sets values to zero by chance, in training alone: those before the last layer, and the features of frames
    before a recurrent one.
    """
    scaled = _scaled(settings, parameters, cut)
    if settings.looks:
        scaled = _looked_at(of.xp, settings.reads, parameters, scaled)
    if settings.kind == "gru":
        if settings.reads in DRAWS:
            scaled = drop(scaled, 1)
        last = _gru(of, settings.hidden, parameters, scaled)
    else:
        last = scaled.reshape(scaled.shape[0], -1)
        if settings.hidden:
            last = of.xp.maximum(last @ parameters["input.weight"] + parameters["input.bias"], 0)
    return (drop(last, 0) @ parameters["output.weight"] + parameters["output.bias"])[:, 0]


def _scaled(settings: Settings, parameters: Mapping[str, Any], cut: Any) -> Any:
    if settings.sees and settings.looks:
        return cut.astype(np.float32) / np.float32(255)
    return (cut - parameters["mean"]) / parameters["sd"]


def _looked_at(xp: Any, reads: Reads, parameters: Mapping[str, Any], values: Any) -> Any:
    """The convolutions' output for each picture, averaged over the picture: shape (windows, pictures, channels)."""
    if reads == "top-down":
        values = _drawn(xp, values, *FRAME)[:, None, :, :, None]
    elif reads == "bar-code":
        values = values[:, None]
    pictures = values.reshape(-1, *values.shape[2:])
    for number in range(1, len(CHANNELS) + 1):
        patches = _patches(xp, pictures)
        looked = patches @ parameters[f"look{number}.weight"] + parameters[f"look{number}.bias"]
        pictures = xp.maximum(looked, 0)
    means = pictures.mean(axis=(1, 2))
    return means.reshape(values.shape[0], -1, means.shape[-1])


def _patches(xp: Any, pictures: Any) -> Any:
    """The 3 x 3 neighbourhoods of every second pixel, concatenated in the last axis; black beyond the edge."""
    rows, columns = pictures.shape[1:3]
    padded = xp.pad(pictures, ((0, 0), (1, 1), (1, 1), (0, 0)))
    # Nine slices and a matrix product, so that NumPy and JAX share one forward pass.
    return xp.concatenate(
        [
            padded[:, down : down + rows : 2, across : across + columns : 2]
            for down in range(3)
            for across in range(3)
        ],
        axis=-1,
    )


def from_above(path: Path, settings: Settings, rows: int, columns: int) -> Bytes:
    """The image of a whole path for a network that was trained elsewhere, shape (1, rows, columns, 3)."""
    middle, reach = np.array(settings.view_m, dtype=np.float32).reshape(2, 2)
    at = spread(as_logged(path, settings.in_common), settings.window)
    image = _drawn(np, (at - middle) / reach, rows, columns)
    return np.repeat((255 * image).round().astype(np.uint8)[..., None], COLOURS, axis=-1)


def _drawn(xp: Any, scaled: Any, rows: int, columns: int) -> Any:
    """A path from above, white on black, from scaled x and y of shape (paths, moments, 2); y goes up.

    Each moment lights the pixels around it by how near they are, so that both sides draw alike to the last pixel.
    """
    across = (scaled[..., :1] / (2 * _SDS) + 0.5) * columns - 0.5
    down = (0.5 - scaled[..., 1:] / (2 * _SDS)) * rows - 0.5
    lit_across = xp.maximum(1 - abs(across - np.arange(columns, dtype=np.float32)), 0)
    lit_down = xp.maximum(1 - abs(down - np.arange(rows, dtype=np.float32)), 0)
    return xp.minimum(xp.swapaxes(lit_down, 1, 2) @ lit_across, 1)


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


def logits(settings: Settings, parameters: Parameters, found: Windows) -> "Floats":
    """The logit of each window; for turn and speed the mean with its mirror image, so that left and right cancel."""
    # A long clip's pictures as floats would fill the memory.
    some = max(1, 64 // settings.window) if settings.sees and settings.looks else len(found)
    parts = [found[at : at + some] for at in range(0, len(found), some)]
    values = np.concatenate([forward(NUMPY, settings, parameters, part) for part in parts]).astype(np.float64)
    if settings.reads == "turn-speed":
        # As it was trained, with the mirror image: to which side a player turns must not decide.
        other = np.asarray(forward(NUMPY, settings, parameters, mirrored(found)), dtype=np.float64)
        values = (values + other) / 2
    return values


def score(settings: Settings, parameters: Parameters, found: Windows) -> Score:
    """The score of one clip, from its windows (`cut`)."""
    return score_of(logits(settings, parameters, found))


def score_of(logits: "Floats") -> Score:
    """Score of one clip, from the logits of its windows."""
    return Score(float((logits > 0).mean()), float(logits.mean()), len(logits))
