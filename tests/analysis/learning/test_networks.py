"""What networks read of a path, their two forward passes, and the files that their weights are kept in."""

import json
from dataclasses import replace

import numpy as np
import pytest
from safetensors.numpy import save

from analysis.errors import AnalysisError
from analysis.learning.networks import NETWORKS, NUMPY, Parameters, Settings, cut, forward, score, shapes
from analysis.learning.paths import Path, resampled, turn_and_speed
from analysis.learning.weights import MOST_BYTES, digest, packed, unpacked
from tests.analysis.learning.walked import stepping, weaving


def drawn(settings: Settings, seed: int = 1) -> Parameters:
    rng = np.random.default_rng(seed)
    made = {name: rng.normal(0, 0.5, shape).astype(np.float32) for name, shape in shapes(settings).items()}
    return made | {"sd": np.abs(made["sd"]) + 1}


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


def test_numpy_judges_as_jax_trains() -> None:
    jax = pytest.importorskip("jax", reason="the extra `train` is not installed")
    from analysis.learning.fitting import jax_arrays

    rng = np.random.default_rng(5)
    for network in NETWORKS.values():
        for settings in (network.settings, replace(network.settings, window=7, hidden=5)):
            columns = len(drawn(settings)["mean"])
            found = rng.normal(0, 2, (40, settings.window, columns)).astype(np.float32)
            ours = forward(NUMPY, settings, drawn(settings), found)
            theirs = forward(jax_arrays(), settings, jax.tree.map(jax.numpy.asarray, drawn(settings)), found)
            assert ours == pytest.approx(np.asarray(theirs), abs=1e-5), network.name


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
