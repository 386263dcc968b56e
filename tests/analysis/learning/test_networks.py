"""The networks' inputs from a path, their two forward passes, and the files of their weights."""

import json
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from safetensors.numpy import save
from scipy.signal import correlate2d

from analysis.errors import AnalysisError
from analysis.learning.catalogue import NETWORKS
from analysis.learning.networks import (
    CHANNELS,
    NUMPY,
    Parameters,
    Settings,
    Windows,
    cut,
    forward,
    from_above,
    score,
    shapes,
)
from analysis.learning.paths import Path, resampled, turn_and_speed
from analysis.learning.pictures import COLOURS, FRAME, Frames, box_mean
from analysis.learning.weights import MOST_BYTES, digest, packed, unpacked
from tests.analysis.learning.walked import stepping, weaving

EVERY_LAYER = ("turn-speed-ff", "td-cnn-small", "vis-gru-small")


def drawn(settings: Settings, seed: int = 1) -> Parameters:
    rng = np.random.default_rng(seed)
    made = {name: rng.normal(0, 0.5, shape).astype(np.float32) for name, shape in shapes(settings).items()}
    return made | ({} if settings.sees else {"sd": np.abs(made["sd"]) + 1})


def windows_of(settings: Settings, rng: np.random.Generator) -> Windows:
    if settings.sees:
        shape = FRAME if settings.reads == "frames" else FRAME[1:]
        return rng.integers(256, size=(4, settings.window, *shape, COLOURS), dtype=np.uint8)
    columns = len(drawn(settings)["mean"])
    return rng.normal(0, 2, (40, settings.window, columns)).astype(np.float32)


def test_turn_and_speed_of_a_circle_are_its_curvature_and_speed() -> None:
    t = np.arange(91) / 30
    circle = Path(t, 4 * np.cos(0.5 * t), 4 * np.sin(0.5 * t), 0 * t, 0.5 * t + np.pi / 2)
    for by_heading in (True, False):
        turn, speed = turn_and_speed(circle, 10, by_heading=by_heading).T
        assert turn[1:] == pytest.approx(0.5, abs=1e-6)
        assert speed == pytest.approx(2.0, rel=1e-3)  # the chord of a tenth of a second
    assert resampled(circle, 60).t_s == pytest.approx(np.arange(181) / 60)


def test_headings_are_followed_the_shorter_way_round_and_a_course_outlasts_standing() -> None:
    t = np.arange(5) / 10
    x = np.array([0.0, 1.0, 1.0, 1.0, 1.0])
    y = np.array([0.0, 0.0, 0.0, 1.0, 2.0])
    path = Path(t, x, y, 0 * t, np.array([3.0, 3.1, -3.1, -3.0, -3.0]))
    assert turn_and_speed(path, 10, by_heading=True)[1, 0] == pytest.approx((2 * np.pi - 6.2) * 10)
    assert turn_and_speed(path, 10, by_heading=False)[:, 0] == pytest.approx([0, 0, np.pi / 2 * 10, 0])


def test_moving_turning_or_mirroring_a_path_changes_no_score_of_turn_and_speed() -> None:
    rng = np.random.default_rng(3)
    for name in ("turn-speed-ff", "turn-speed-gru"):
        settings = replace(NETWORKS[name].settings, by_heading=True)
        for path in (weaving(rng), stepping(rng)):
            heading = path.heading_rad
            assert heading is not None
            turned = Path(path.t_s + 3, 7 - path.y_m, path.x_m - 11, path.z_m + 2, heading + np.pi / 2)
            other_way = replace(path, y_m=-path.y_m, heading_rad=-heading)
            was = score(settings, drawn(settings), cut(path, settings)).mean_logit
            for changed in (turned, other_way):
                now = score(settings, drawn(settings), cut(changed, settings)).mean_logit
                assert now == pytest.approx(was, abs=1e-5)


@pytest.mark.slow
def test_numpy_judges_as_jax_trains(exhaustive: bool) -> None:
    jax = pytest.importorskip("jax", reason="the extra `train` is not installed")
    from analysis.learning.fitting import jax_arrays

    rng = np.random.default_rng(5)
    for name in NETWORKS if exhaustive else EVERY_LAYER:
        network = NETWORKS[name]
        looks = network.settings.reads not in ("positions", "turn-speed")
        settings = replace(network.settings, window=3, hidden=5) if looks else network.settings
        found = windows_of(settings, rng)
        ours = forward(NUMPY, settings, drawn(settings), found)
        theirs = jax.jit(partial(forward, jax_arrays(), settings))(drawn(settings), found)
        assert ours == pytest.approx(np.asarray(theirs), abs=1e-5), network.name


@pytest.mark.exhaustive
@pytest.mark.slow
def test_gradients_are_those_of_finite_differences() -> None:
    """Central differences of the training's loss in 64-bit floats, along three directions drawn at random."""
    jax = pytest.importorskip("jax", reason="the extra `train` is not installed")
    optax = pytest.importorskip("optax", reason="the extra `train` is not installed")
    from analysis.learning.fitting import jax_arrays

    rng, step = np.random.default_rng(7), 1e-6
    with jax.enable_x64(True):
        for name in EVERY_LAYER:
            network = NETWORKS[name]
            settings = replace(network.settings, window=min(network.settings.window, 2))
            found, is_human = windows_of(settings, rng)[:3], np.array([1, 0, 1])
            weights = {name: values.astype(np.float64) for name, values in drawn(settings).items()}
            scaling = {name: weights.pop(name) for name in ("mean", "sd") if name in weights}

            def loss(
                trained: object,
                settings: Settings = settings,
                scaling: object = scaling,
                found: Windows = found,
                is_human: np.ndarray = is_human,
            ) -> object:
                values = forward(jax_arrays(), settings, {**trained, **scaling}, found)  # type: ignore[dict-item]
                return optax.sigmoid_binary_cross_entropy(values, is_human).mean()

            slope, of = jax.jit(jax.grad(loss))(weights), jax.jit(loss)
            for _ in range(3):
                way = {name: rng.normal(size=values.shape) for name, values in weights.items()}
                ahead, behind = (
                    float(of({name: weights[name] + sign * step * way[name] for name in weights}))
                    for sign in (1, -1)
                )
                along = sum(float((np.asarray(slope[name]) * way[name]).sum()) for name in weights)
                assert (ahead - behind) / (2 * step) == pytest.approx(along, rel=1e-5), network.name


def test_convolutions_and_the_image_from_above_are_those_of_scipy() -> None:
    """A pixel at x and y in scaled units lights up there; three convolutions are those of `scipy.signal`."""
    settings = replace(NETWORKS["td-cnn-small"].settings, window=1)
    weights = {**drawn(settings), "mean": np.zeros(2, np.float32), "sd": np.ones(2, np.float32)}
    image = np.zeros(FRAME)
    # Pixel (row 10, column 70): 3 SD on either side of the middle, y upwards.
    x, y = (70.5 / 80 - 0.5) * 6, (0.5 - 10.5 / 50) * 6
    image[10, 70] = 1.0
    layers = image[..., None]
    for number, channels in enumerate(CHANNELS, 1):
        kernel = weights[f"look{number}.weight"].reshape(3, 3, layers.shape[-1], channels)
        sums = [
            sum(
                correlate2d(layers[..., of], kernel[..., of, to], "same")[::2, ::2]
                for of in range(layers.shape[-1])
            )
            for to in range(channels)
        ]
        layers = np.maximum(np.stack(sums, axis=-1) + weights[f"look{number}.bias"], 0)
    expected = layers.mean(axis=(0, 1)) @ weights["output.weight"] + weights["output.bias"]
    found = forward(NUMPY, settings, weights, np.array([[[x, y]]], dtype=np.float32))
    assert found == pytest.approx(expected, rel=1e-4)


def test_pictures_are_cut_into_windows_and_bar_codes_are_covered_evenly() -> None:
    lines = np.arange(250, dtype=np.uint8)[:, None, None] * np.ones((1, 80, 3), dtype=np.uint8)
    bar_code, frames = NETWORKS["bc-cnn-small"].settings, NETWORKS["vis-gru-small"].settings
    assert cut(Frames(30, lines), bar_code)[:, [0, -1], 0, 0].tolist() == [[0, 99], [75, 174], [150, 249]]
    assert cut(Frames(30, lines[:60]), bar_code)[:, [0, 59, 99], 0, 0].tolist() == [[0, 59, 59]]
    pictures = np.zeros((45, *FRAME, COLOURS), dtype=np.uint8)
    assert cut(Frames(6, pictures), frames).shape == (2, 20, *FRAME, COLOURS)
    with pytest.raises(AnalysisError, match=r"lasts 3\.17 s; at least one window of 3\.33 s"):
        cut(Frames(6, pictures[:19]), frames)


def test_a_whole_bar_code_is_one_image_of_the_mean_of_its_lines() -> None:
    """250 lines on 100: of each 2.5 the mean, a half of one that lies across; and 3 lines on 2."""
    whole = NETWORKS["bc-cnn-whole-small"].settings
    lines = np.arange(250, dtype=np.uint8)[:, None, None] * np.ones((1, 80, 3), dtype=np.uint8)
    found = cut(Frames(30, lines), whole)
    assert found.shape == (1, 100, 80, 3)
    assert found[0, :2, 0, 0].tolist() == [1, 3]  # (0 + 1 + 2 / 2) / 2.5 = 0.8, (2 / 2 + 3 + 4) / 2.5 = 3.2
    assert found[0, -1, 0, 0] == 248  # (247 / 2 + 248 + 249) / 2.5 = 248.2
    assert box_mean(np.array([3.0, 6.0, 9.0]), 2) == pytest.approx([4.0, 8.0])
    assert box_mean(np.array([1.0, 2.0]), 4) == pytest.approx([1, 1, 2, 2])
    rng = np.random.default_rng(3)
    values = rng.random((37, 2))
    assert box_mean(values, 11).mean(axis=0) == pytest.approx(values.mean(axis=0))


def test_what_is_read_of_another_network_is_cut_scaled_and_never_convolved() -> None:
    """Without a hidden layer the logit is the weighted sum of scaled features."""
    settings = replace(NETWORKS["bc-cnn"].settings, features=3, hidden=0)
    assert shapes(settings) == {"mean": (3,), "sd": (3,), "output.weight": (3, 1), "output.bias": (1,)}
    given = {
        "mean": [1, 2, 3], "sd": [1, 2, 4], "output.weight": [[1], [10], [100]], "output.bias": [0.5],
    }  # fmt: skip
    weights = {name: np.array(values, dtype=np.float32) for name, values in given.items()}
    found = cut(Frames(0, np.array([[2, 4, 7]], dtype=np.float32)), settings)
    assert found.shape == (1, 1, 3)
    assert score(settings, weights, found).mean_logit == pytest.approx(0.5 + 1 + 10 + 100)
    frames = replace(NETWORKS["vis-gru"].settings, features=3)
    assert cut(Frames(6, np.zeros((45, 3), dtype=np.float32)), frames).shape == (2, 20, 3)


def test_an_image_from_above_is_the_same_for_a_network_of_ours_and_one_from_elsewhere() -> None:
    """East is right, north is up; scaled by what the settings say, whichever copy looks."""
    at = np.linspace(0, 1, 20)
    settings = replace(NETWORKS["td-cnn"].settings, features=1, window=64, view_m=(10.0, 20.0, 2.0, 1.0))
    found = from_above(Path(at, 10 + 6 * at, 20 + 3 * at, 0 * at, None), settings, 30, 48)[0]
    assert found.shape == (30, 48, 3)
    assert found[13:17, 22:27].max() == 255  # begins in the middle
    assert found[:3, -3:].max() == 255  # and ends 3 SD east and north of it
    assert found[16:].max() == found[:, :22].max() == 0


def test_a_gru_is_that_of_its_equations() -> None:
    """One unit, two steps, by hand: r, z and n of Cho et al. 2014 with the reset after the product."""
    settings = Settings("positions", "gru", 10, 2, 1, 0.0, 1, 1, 1e-3)
    weights = {name: np.full(shape, 0.5, np.float32) for name, shape in shapes(settings).items()}
    weights |= {"mean": np.zeros(3, np.float32), "sd": np.ones(3, np.float32)}
    state = 0.0
    for total in (3.0, 6.0):
        now, past = 0.5 * total + 0.5, 0.5 * state + 0.5
        gate = 1 / (1 + np.exp(-(now + past)))
        state = (1 - gate) * np.tanh(now + gate * past) + gate * state
    found = np.array([[[1, 1, 1], [2, 2, 2]]], dtype=np.float32)
    assert forward(NUMPY, settings, weights, found) == pytest.approx([0.5 * state + 0.5], abs=1e-6)


def test_a_path_shorter_than_a_window_is_refused() -> None:
    settings = NETWORKS["turn-speed-gru"].settings
    t = np.arange(10) / 30
    with pytest.raises(AnalysisError, match=r"lasts 0\.30 s; at least one window of 0\.67 s"):
        cut(Path(t, t, t, t, None), settings)


def test_weights_come_back_as_they_were_and_what_else_a_file_holds_is_refused() -> None:
    settings = NETWORKS["turn-speed-gru"].settings
    weights, wanted = drawn(settings), shapes(settings)
    data = packed(weights)
    assert data == packed(dict(reversed(list(weights.items()))))
    back = unpacked(data, wanted, "w")
    assert digest(back) == digest(weights) != digest(drawn(settings, 2))
    holes = dict(weights)
    holes["mean"] = np.array([np.nan, 0], dtype=np.float32)
    header = {"mean": {"dtype": "F32", "shape": [2], "data_offsets": [0, 10**9]}}
    lying = json.dumps(header | {name: header["mean"] for name in wanted if name != "mean"}).encode()
    for bad, problem in (
        (b"", "no safetensors"),
        (data[: len(data) // 2], "no safetensors"),
        (b"\x80\x04" + data, "no safetensors"),
        (len(lying).to_bytes(8, "little") + lying, "no safetensors"),
        (save({**weights, "extra": weights["mean"]}), "unknown: extra"),
        (save({k: v for k, v in weights.items() if k != "mean"}), "missing or unknown: mean"),
        (save({**weights, "mean": weights["mean"].astype(np.float64)}), "mean is of type F64"),
        (save({**weights, "mean": np.zeros(3, np.float32)}), r"mean has the shape \(3,\)"),
        (save(holes), "mean holds values that are no numbers"),
        (bytes(MOST_BYTES + 1), "larger than 64 MB"),
    ):
        with pytest.raises(AnalysisError, match=problem):
            unpacked(bad, wanted, "w")
