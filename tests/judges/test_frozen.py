"""Features of clips by an ONNX file that was made elsewhere."""

import hashlib
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import av
import numpy as np
import pytest

from analysis.learning.catalogue import NETWORKS
from analysis.learning.paths import Path as Track
from app.judges.base import JudgeFailed, JudgeUnavailable, StimulusFiles
from app.judges.frames import read_frames
from app.judges.frozen import FrozenFeatures
from tests.factories import make_small_video
from tests.judges.onnx_bytes import DOUBLE, UINT8, mean_colours

pytestmark = [pytest.mark.any_database, pytest.mark.videos]

Write = Callable[[str, bytes], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(name: str, data: bytes) -> Path:
        (tmp_path / name).write_bytes(data)
        return tmp_path / name

    return written


def brightening(clip: Path) -> None:
    """120 frames, dark at first, in which red grows fastest."""
    with av.open(str(clip), "w") as container:
        stream = container.add_stream("libx264", rate=30)
        stream.width, stream.height, stream.pix_fmt = 96, 64, "yuv420p"
        for number in range(120):
            picture = np.full((64, 96, 3), (30 + 1.6 * number, 30 + number, 40), dtype=np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(stream.encode(None))


def colours_of(clip: Path, n: int) -> np.ndarray:
    """The mean colours of the frames in the middle of each of `n` parts, as PyAV decodes them, from 0 to 1."""
    with av.open(str(clip)) as container:
        frames = [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]
    picked = [frames[int((number + 0.5) / n * len(frames))] for number in range(n)]
    mean: np.ndarray = np.array([frame.mean(axis=(0, 1)) for frame in picked]).mean(axis=0) / 255
    return mean


def test_features_are_the_mean_over_frames_at_equal_steps_however_the_input_is_laid_out(
    write: Write, tmp_path: Path
) -> None:
    pytest.importorskip("onnxruntime", reason="the extra `features` is not installed")
    clip = tmp_path / "clip.mp4"
    brightening(clip)
    for name, data, frames, scale in (
        ("channels first", mean_colours(("n", 3, 40, 64), over=(2, 3)), 8, 1),
        ("channels last", mean_colours(("n", 40, 64, 3), over=(1, 2)), 8, 1),
        ("one at a time", mean_colours((1, 3, 40, 64), over=(2, 3), gives=(1, 3)), 8, 1),
        ("five at once", mean_colours((5, 3, 40, 64), over=(2, 3), gives=(5, 3)), 5, 1),
        ("bytes", mean_colours(("n", 3, 40, 64), over=(2, 3), kind=UINT8), 8, 255),
    ):
        features = FrozenFeatures(write("net.onnx", data))
        assert features.sha256 == hashlib.sha256(data).hexdigest()
        found = features.of(StimulusFiles(clip, None))
        assert found / scale == pytest.approx(colours_of(clip, frames), abs=0.01), name


def test_a_bar_code_has_the_mean_colours_of_whole_frames(tmp_path: Path) -> None:
    """Against PyAV and NumPy: 96 columns on 80, of which a box covers 1.2; the scaler's areas were up to 30 off."""
    clip = tmp_path / "clip.mp4"
    with av.open(str(clip), "w") as container:
        stream = container.add_stream("libx264", rate=30, options={"crf": "1"})
        stream.width, stream.height, stream.pix_fmt = 96, 64, "yuv444p"
        rng = np.random.default_rng(1)
        for _ in range(6):
            noise = rng.integers(256, size=(64, 96, 3), dtype=np.uint8)
            noise[:, ::2] = 255
            container.mux(stream.encode(av.VideoFrame.from_ndarray(noise, format="rgb24")))
        container.mux(stream.encode(None))
    found = read_frames(StimulusFiles(clip, None), NETWORKS["bc-cnn-small"].settings).values
    with av.open(str(clip)) as container:
        whole = [frame.to_ndarray(format="rgb24").mean(axis=0) for frame in container.decode(video=0)]
    assert found.shape == (6, 80, 3)
    for line, columns in zip(found, whole, strict=True):
        fine = np.repeat(columns, 5, axis=0)  # each column five times, each box six of these
        assert np.abs(line - fine.reshape(80, 6, 3).mean(axis=1)).max() <= 0.5 + 1e-6


def test_networks_look_at_frames_bar_codes_and_paths_through_a_file(write: Write, tmp_path: Path) -> None:
    """Mean colours of the picture: of each frame, of a whole bar-code, of a path that is white on black."""
    pytest.importorskip("onnxruntime", reason="the extra `features` is not installed")
    clip = tmp_path / "clip.mp4"
    brightening(clip)
    files = StimulusFiles(clip, None)
    frozen = FrozenFeatures(write("net.onnx", mean_colours((5, 3, 40, 64), over=(2, 3), gives=(5, 3))))
    assert frozen.n == 3
    frames = frozen.settings(NETWORKS["vis-ff"].settings)
    found = frozen.looked_at(files, frames, None)
    assert found.values.shape == (24, 3)  # of 4 s, five at a time, the last four filled up
    assert found.values.mean(axis=0) == pytest.approx(colours_of(clip, 24), abs=0.02)
    code = frozen.settings(NETWORKS["bc-cnn"].settings)
    assert (code.features, code.window) == (3, 40)
    assert frozen.looked_at(files, code, None).values == pytest.approx(colours_of(clip, 120)[None], abs=0.01)
    at = np.linspace(0, 1, 20)
    above = replace(frozen.settings(NETWORKS["td-cnn"].settings), view_m=(0.5, 0.0, 1.0, 1.0))
    red, green, blue = frozen.looked_at(files, above, Track(at, at, 0 * at, 0 * at, None)).values[0]
    assert red == green == blue > 0


def test_what_is_no_network_of_frames_is_refused_in_words(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("onnxruntime", reason="the extra `features` is not installed")
    whole = mean_colours(("n", 3, 40, 64), over=(2, 3))
    for data, problem in (
        (b"", "is no ONNX file that can be run"),
        (whole[:40], "is no ONNX file that can be run"),
        (b"\x00\xff" * 99, "is no ONNX file that can be run"),
        (mean_colours(("n", 3, 40, 64), over=(2, 3), n_inputs=2), "has 2 inputs and 1 outputs"),
        (mean_colours(("n", 3, 40, 64), over=(2, 3), kind=DOUBLE), r"its input is tensor\(double\)"),
        (mean_colours(("n", 4, 40, 64), over=(2, 3)), r"has the shape \['n', 4, 40, 64\]"),
        (mean_colours(("n", 3, "h", "w"), over=(2, 3)), "height and width from 1 to 2048"),
        (mean_colours(("n", 3), over=(1,), gives=("n",)), r"\(n, 3, height, width\)"),
        (mean_colours((999, 3, 40, 64), over=(2, 3), gives=(999, 3)), "takes 999 frames"),
    ):
        with pytest.raises(JudgeUnavailable, match=problem):
            FrozenFeatures(write("net.onnx", data))
    with pytest.raises(JudgeUnavailable, match=r"gone\.onnx: cannot be read"):
        FrozenFeatures(tmp_path / "gone.onnx")
    clip = tmp_path / "clip.mp4"
    make_small_video(clip, seed=3, seconds=1)
    pooled = FrozenFeatures(write("net.onnx", mean_colours(("n", 3, 4, 6), over=(0, 2, 3), gives=(3,))))
    with pytest.raises(JudgeUnavailable, match="a row of numbers for each frame"):
        pooled.of(StimulusFiles(clip, None))
    features = FrozenFeatures(write("net.onnx", whole))
    with pytest.raises(JudgeFailed, match="the clip has no file"):
        features.of(StimulusFiles(None, None))
    clip.write_bytes(b"no video")
    with pytest.raises(JudgeFailed, match=r"clip\.mp4"):
        features.of(StimulusFiles(clip, None))
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(JudgeUnavailable, match=r"need onnxruntime.*`make features`"):
        FrozenFeatures(write("net.onnx", whole))
