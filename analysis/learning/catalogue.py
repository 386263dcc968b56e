"""The networks that can be trained, with their published settings."""

from dataclasses import dataclass

from analysis.errors import AnalysisError
from analysis.learning.networks import By, Settings


@dataclass(frozen=True, slots=True)
class Network:
    """A trainable judge: its name, title and initial settings.

    `by` is the published aggregation over the windows of a clip: the share called human, or their mean logit.
    `on_features`: it uses a network pretrained elsewhere, which has to be given for training.
    """

    name: str
    title: str
    origin: str
    settings: Settings
    by: By = "share"
    on_features: bool = False


_SYMBOLIC = (
    "Devlin et al. 2021 [NTT21]: x, y and z of each tick, 32 hidden units, Adam 1e-3, batches of 256, 50 epochs, the "
    "share of windows called human. Ticks of 1/60 s are inferred: the paper does not state the rate"
)
_TURNING = (
    "Not of the paper: the same network on turn rate and speed, which hold no place; trained and judged with each path "
    "and its mirror image; batches of 16, as a study of 40 clips fills few of 256"
)
_SMALL = (
    "Not the network of the paper: VGG-16 with its features of ImageNet is not to be had here, so three small "
    "convolutions are trained from nothing in its place. Published (Devlin et al. 2021 [NTT21]) are the rest"
)
_FRAMES = (
    f"{_SMALL}: frames of the clip, here 6 a second and 80 x 50 pixels, dropout 0.5, 32 hidden units, Adam 1e-4, "
    "batches of 8, 10 epochs, the share of windows called human"
)
_ELSEWHERE = (
    "Devlin et al. 2021 [NTT21], whose VGG-16 the named network stands for: it stays as it is, and the layers after it "
    "learn"
)
_FRAMES_ELSEWHERE = (
    f"{_ELSEWHERE}. Frames of the clip, here 6 a second, dropout 0.5, 32 hidden units, Adam 1e-4, batches of 8, 10 "
    "epochs, the share of windows called human"
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
            f"{_TURNING}. Windows of 10 samples, the share of them called human",
            Settings("turn-speed", "ff", 30, 10, 32, 0.0, 50, 16, 1e-3),
        ),
        Network(
            "turn-speed-gru",
            "Recurrent (GRU) on turn and speed",
            f"{_TURNING}. Windows of 20 samples; judged by the mean logit, as shares of few windows tie",
            Settings("turn-speed", "gru", 30, 20, 32, 0.0, 50, 16, 1e-3),
            by="mean-logit",
        ),
        Network(
            "vis-ff-small",
            "Convolutions on single frames; small: no VGG-16, no features of ImageNet",
            _FRAMES,
            Settings("frames", "ff", 6, 1, 32, 0.5, 10, 8, 1e-4),
        ),
        Network(
            "vis-gru-small",
            "Convolutions on frames, recurrent (GRU); small: no VGG-16, no features of ImageNet",
            f"{_FRAMES}. Windows of 20 frames",
            Settings("frames", "gru", 6, 20, 32, 0.5, 10, 8, 1e-4),
        ),
        Network(
            "td-cnn-small",
            "Convolutions on the path seen from above; small: no VGG-16, no features of ImageNet",
            f"{_SMALL}: one image of the whole path along the up axis, here 80 x 50 pixels and a soft line, dropout "
            "0.5, no hidden layer, SGD 5e-3 with momentum 0.9, batches of 32, 10 epochs, the likelihood of the clip. "
            "The released program scrambles its images; that is not copied",
            Settings("top-down", "ff", 0, 512, 0, 0.5, 10, 32, 5e-3, optimiser="sgd"),
            by="mean-logit",
        ),
        Network(
            "bc-cnn-small",
            "Convolutions on a bar-code of the clip; small: no VGG-16, no features of ImageNet",
            f"{_SMALL}: each frame averaged to a line, lines stacked in time, no dropout, 32 hidden units, Adam 1e-4, "
            "batches of 8, 10 epochs, the likelihood of the clip. Pieces of 3.3 s, which are the 200 frames of the "
            "released program, evenly spaced instead of drawn by chance",
            Settings("bar-code", "ff", 30, 100, 32, 0.0, 10, 8, 1e-4),
            by="mean-logit",
        ),
        Network(
            "bc-cnn-whole-small",
            "Convolutions on one bar-code of the whole clip; small: no VGG-16, no features of ImageNet",
            f"{_SMALL}: each frame averaged to a line, lines stacked in time, one image a clip as the paper's text has "
            "it, here brought to 100 lines by their mean, no dropout, 32 hidden units, Adam 1e-4, batches of 8, 10 "
            "epochs, the likelihood of the clip",
            Settings("bar-code", "ff", 0, 100, 32, 0.0, 10, 8, 1e-4),
            by="mean-logit",
        ),
        Network(
            "vis-ff",
            "Feed-forward on single frames, seen by a network that was trained elsewhere",
            _FRAMES_ELSEWHERE,
            Settings("frames", "ff", 6, 1, 32, 0.5, 10, 8, 1e-4),
            on_features=True,
        ),
        Network(
            "vis-gru",
            "Recurrent (GRU) on frames, seen by a network that was trained elsewhere",
            f"{_FRAMES_ELSEWHERE}. Windows of 20 frames",
            Settings("frames", "gru", 6, 20, 32, 0.5, 10, 8, 1e-4),
            on_features=True,
        ),
        Network(
            "td-cnn",
            "The path from above, seen by a network that was trained elsewhere",
            f"{_ELSEWHERE}. One image of the whole path along the up axis, a soft line, dropout 0.5, no hidden layer, "
            "SGD 5e-3 with momentum 0.9, batches of 32, 10 epochs, the likelihood of the clip",
            Settings("top-down", "ff", 0, 512, 0, 0.5, 10, 32, 5e-3, optimiser="sgd"),
            by="mean-logit",
            on_features=True,
        ),
        Network(
            "bc-cnn",
            "One bar-code of the whole clip, seen by a network that was trained elsewhere",
            f"{_ELSEWHERE}. Each frame averaged to a line, lines stacked in time, one image a clip, no dropout, 32 "
            "hidden units, Adam 1e-4, batches of 8, 10 epochs, the likelihood of the clip",
            Settings("bar-code", "ff", 0, 100, 32, 0.0, 10, 8, 1e-4),
            by="mean-logit",
            on_features=True,
        ),
    )
}


def on_features_alone(network: Network) -> str:
    """The message that a network cannot be trained without a pretrained one."""
    return (
        f"{network.name} looks through a network that was trained elsewhere: name it (--backbone FILE.onnx); "
        f"{network.name}-small has convolutions of its own"
    )


def network_named(name: str) -> Network:
    if name not in NETWORKS:
        raise AnalysisError(f"there is no network {name[:80]!r} to train; there is {', '.join(NETWORKS)}")
    return NETWORKS[name]
