"""The three baselines measure what they say: walks and pictures whose value is known."""

import math
from pathlib import Path

import av
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.judges.base import JudgeFailed, StimulusFiles
from app.judges.fidget import correcting, share_in_band
from app.judges.motion import moving
from app.judges.positions import read_positions
from app.judges.straightness import roundaboutness
from tests.judges.files import HZ, Walk, circling, straight, wavy, write_positions


def at(path: Path, walk: Walk, *, hz: float = HZ, seconds: float = 8.0) -> StimulusFiles:
    return StimulusFiles(None, write_positions(path, walk, hz=hz, seconds=seconds))


def test_a_straight_line_is_straight_and_a_half_circle_is_not(tmp_path: Path) -> None:
    """By geometry: a half circle is pi r long and leads 2 r away."""
    assert roundaboutness(at(tmp_path / "line.csv", straight)) == pytest.approx(0, abs=1e-9)
    assert roundaboutness(at(tmp_path / "half.csv", circling)) == pytest.approx(1 - 2 / math.pi, abs=1e-3)


def test_there_and_back_is_no_way_at_all(tmp_path: Path) -> None:
    assert roundaboutness(at(tmp_path / "back.csv", lambda t: (abs(t - 4), 0.0, 0.0))) == pytest.approx(1)


def test_who_stands_still_has_no_straightness(tmp_path: Path) -> None:
    assert roundaboutness(at(tmp_path / "still.csv", lambda t: (1.0, 2.0, t))) is None


def waving(hz: float) -> Walk:
    """Turn rate and speed that go up and down at one frequency."""

    def walk(t_s: float) -> tuple[float, float, float]:
        phase = math.tau * hz * t_s
        return 3 * t_s + math.sin(phase) / (math.tau * hz), 0.0, math.sin(phase) / hz

    return walk


@pytest.mark.parametrize(("hz", "share"), [(1.0, 1.0), (1.25, 1.0), (0.125, 0.0), (3.0, 0.0), (10.0, 0.0)])
def test_the_band_holds_what_is_between_half_a_hertz_and_1_8(tmp_path: Path, hz: float, share: float) -> None:
    """A sine's power is at its own frequency, but for what the window spreads."""
    assert correcting(at(tmp_path / "wave.csv", waving(hz))) == pytest.approx(share, abs=0.1)


def test_white_noise_has_in_the_band_its_share_of_all_frequencies() -> None:
    """A flat spectrum: the six bins from 0.5 to 1.75 Hz, of sixty, all of them a quarter of a hertz wide."""
    noise = np.random.default_rng(1).normal(size=200_000)
    assert share_in_band(noise, 0.01) == pytest.approx(6 / 60, rel=0.03)


def test_a_steady_walk_does_not_fidget_though_its_file_is_rounded(tmp_path: Path) -> None:
    assert correcting(at(tmp_path / "line.csv", lambda t: (2.98765 * t, 1.23456 * t, 0.3))) == 0.0


def test_turning_past_the_back_is_no_jump(tmp_path: Path) -> None:
    """A heading that goes from pi to -pi has turned by nothing."""

    def walk(t_s: float) -> tuple[float, float, float]:
        return 3 * t_s, 0.0, math.pi - (math.pi - 2.0 * t_s) % math.tau

    assert correcting(at(tmp_path / "round.csv", walk)) == 0.0


def test_another_frame_rate_measures_the_same(tmp_path: Path) -> None:
    slow, fast = (correcting(at(tmp_path / f"{hz}.csv", wavy, hz=hz)) for hz in (30, 90))
    assert slow == pytest.approx(fast, abs=0.02)


def test_too_short_a_walk_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(JudgeFailed, match=r"short\.csv lasts 1\.0 s; at least 2 s"):
        correcting(at(tmp_path / "short.csv", wavy, seconds=1))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("t_s,x_m\n0,1\n1,2\n", "p.csv, row 1: the column 'y_m' is missing"),
        ("x|y\n0|1\n", "p.csv, row 1: the column 't_s' is missing"),
        ("t_s,x_m,y_m\n", "holds 0 positions"),
        ("t_s,x_m,y_m\n0,1,2\n1,nan,2\n", "row 3, column x_m: 'nan' is no number"),
        ("t_s,x_m,y_m\n0,1,2\n1,,2\n", "row 3, column x_m: '' is no number"),
        ("t_s,x_m,y_m\n0,1,2\n1,2\n", "p.csv, row 3: has 2 cells, the header 3"),
        (
            't_s,x_m,y_m\n\n0,"1,2\n',
            "p.csv, row 3, column x_m: the quotation mark before '1' is never closed",
        ),
        ("t_s,x_m,y_m\n0,1,2\n0,1,2\n", "do not rise"),
    ],
)
def test_faults_in_positions_are_reported(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "p.csv"
    path.write_text(text)
    with pytest.raises(JudgeFailed) as failed:
        read_positions(StimulusFiles(None, path), ("x_m", "y_m"))
    assert str(failed.value).startswith("p.csv")
    assert said in str(failed.value)


@given(text=st.text(max_size=200))
@settings(max_examples=50)
def test_any_text_is_a_table_or_refused(text: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.getbasetemp() / "any.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(JudgeFailed):
        read_positions(StimulusFiles(None, path), ("x_m", "y_m"))


def write_video(path: Path, pictures: list[np.ndarray]) -> StimulusFiles:
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=30, options={"crf": "1"})
        stream.height, stream.width = pictures[0].shape
        stream.pix_fmt = "yuv420p"
        for picture in pictures:
            rgb = np.repeat(picture[:, :, None], 3, axis=2).astype(np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(rgb, format="rgb24")))
        container.mux(stream.encode(None))
    return StimulusFiles(path, None)


def test_motion_counts_the_grey_that_changes(tmp_path: Path) -> None:
    """Known by construction: one half of the picture goes from black to white and back with every frame."""
    black, half = np.zeros((96, 160)), np.zeros((96, 160))
    half[:, :80] = 255
    flashing = write_video(tmp_path / "flashing.mp4", [black, half] * 15)
    assert moving(flashing) == pytest.approx(29 * 255 / 2, rel=0.02)  # 29 changes in one second
    assert moving(write_video(tmp_path / "still.mp4", [half] * 30)) == pytest.approx(0, abs=1)
