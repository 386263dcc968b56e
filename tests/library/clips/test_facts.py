"""In what clips differ from what their owners saw in a player: what is taken and dropped, and that it is said."""

from dataclasses import asdict, replace
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from app.library.clips.facts import ClipInfo, differences
from app.library.clips.pictures import make_picture
from app.library.clips.probe import probe
from app.library.clips.process import process
from app.library.clips.rules import Mask, Rules

from .videos import grey_ramp, make_video, pixels

pytestmark = pytest.mark.videos

SEEN = ClipInfo("mov", "h264", 64, 48, 2.0, 30.0, 60, has_audio=False, bytes=1000)


def two_tracks(path: Path, *sizes: tuple[int, int], seconds: float = 0.5) -> Path:
    """A track of each size, the n-th of brightness n * 100, none of them a still picture."""
    with av.open(str(path), "w") as container:
        streams = []
        for width, height in sizes:
            stream = container.add_stream("libx264", rate=30, options={"qp": "0"})
            assert isinstance(stream, VideoStream)
            stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
            streams.append(stream)
        for _ in range(round(seconds * 30)):
            for number, stream in enumerate(streams, 1):
                grey = np.full((stream.height, stream.width, 3), number * 100, np.uint8)
                container.mux(stream.encode(VideoFrame.from_ndarray(grey, "rgb24")))
        for stream in streams:
            container.mux(stream.encode(None))
    return path


def half_transparent(path: Path, codec: str, pixel_format: str) -> Path:
    """White everywhere; the left half shines through wholly, and the rows below by half."""
    with av.open(str(path), "w") as container:
        options = {"auto-alt-ref": "0"} if codec == "libvpx" else {}
        stream = container.add_stream(codec, rate=30, options=options)
        assert isinstance(stream, VideoStream)
        stream.width, stream.height, stream.pix_fmt = 64, 48, pixel_format
        for _ in range(15):
            frame = np.full((48, 64, 4), 255, np.uint8)
            frame[24:, :, 3] = 128
            frame[:, :32, 3] = 0
            container.mux(stream.encode(VideoFrame.from_ndarray(frame, "rgba")))
        container.mux(stream.encode(None))
    return path


def clip_of(source: Path, rules: Rules) -> np.ndarray:
    """The first frame of the clip that the rules make of a file."""
    assert rules.size is not None
    target = source.with_name("clip.mp4")
    process(source, target, rules, size=rules.size)
    return pixels(target)[0]


def test_the_largest_of_several_tracks_is_taken_wherever_it_stands(tmp_path: Path) -> None:
    rules = Rules(width=128, height=96)
    for name, sizes, track in (("a.mp4", ((64, 48), (128, 96)), 2), ("b.mkv", ((128, 96), (64, 48)), 1)):
        source = two_tracks(tmp_path / name, *sizes)
        info = probe(source)
        assert (info.width, info.height, info.track, info.others) == (128, 96, track, ((64, 48),))
        assert differences(info, rules) == (
            f"Of 2 video tracks the largest is taken: track {track}, 128 x 96 px, and not 64 x 48 px.",
        )
        assert np.abs(clip_of(source, rules).astype(int) - track * 100).max() <= 2


@pytest.mark.parametrize(
    ("name", "codec", "pixel_format"),
    [
        ("a.webm", "libvpx-vp9", "yuva420p"),
        pytest.param("a.webm", "libvpx", "yuva420p", marks=pytest.mark.exhaustive),
        ("a.mov", "qtrle", "argb"),
        pytest.param("a.mov", "prores_ks", "yuva444p10le", marks=pytest.mark.exhaustive),
        pytest.param("a.mkv", "ffv1", "bgra", marks=pytest.mark.exhaustive),
    ],
)
def test_what_is_transparent_is_black_and_said(
    tmp_path: Path, name: str, codec: str, pixel_format: str
) -> None:
    source = half_transparent(tmp_path / name, codec, pixel_format)
    rules = Rules(width=64, height=48)
    assert differences(probe(source), rules) == ("It can be transparent in parts: there it is black.",)
    frame = clip_of(source, rules).astype(int)
    assert frame[:, :24].max() <= 12
    assert frame[:20, 40:].min() >= 240
    assert np.abs(frame[28:, 40:] - 128).max() <= 12, "half of white"
    make_picture(source, tmp_path / "frame.jpg", at_s=0, side=64)
    with av.open(str(tmp_path / "frame.jpg")) as picture:
        drawn = next(picture.decode(video=0)).to_ndarray(format="gray")
    assert drawn[:, :24].max() <= 20


def test_the_fourth_byte_of_an_avi_means_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.avi"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("rawvideo", rate=30)
        assert isinstance(stream, VideoStream)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "bgra"
        for _ in range(5):
            frame = np.full((48, 64, 4), 200, np.uint8)
            frame[:, :, 3] = 0
            container.mux(stream.encode(VideoFrame.from_ndarray(frame, "bgra")))
        container.mux(stream.encode(None))
    rules = Rules(width=64, height=48)
    assert differences(probe(path), rules) == ()
    assert np.abs(clip_of(path, rules).astype(int) - 200).max() <= 3


def test_sound_and_subtitles_are_dropped_and_said(tmp_path: Path) -> None:
    loud = probe(make_video(tmp_path / "a.mp4", audio=True))
    assert differences(loud, Rules(width=64, height=48)) == ("Its sound is left out.",)
    path = tmp_path / "b.mkv"
    path.write_bytes(make_video(tmp_path / "c.mkv", paint=grey_ramp(3)).read_bytes())
    with_text = replace(probe(path), has_subtitles=True)
    assert differences(with_text, Rules(width=64, height=48)) == ("Its subtitles are left out.",)


@pytest.mark.parametrize(
    ("size", "said"),
    [
        ((64, 48), ()),
        ((32, 24), ("scaled down from 64 x 48 px",)),
        ((128, 96), ("scaled up",)),
        ((64, 64), ("black bars",)),
        ((48, 48), ("scaled down", "black bars")),
        ((200, 100), ("scaled up", "black bars")),
    ],
)
def test_effects_of_fitting_on_a_clip_are_reported(size: tuple[int, int], said: tuple[str, ...]) -> None:
    found = differences(SEEN, Rules(width=size[0], height=size[1]))
    assert len(found) == len(said)
    assert all(word in one for word, one in zip(said, found, strict=True))


def test_effects_of_the_rules_on_a_clip_are_reported() -> None:
    mask = Mask(x=0, y=0, width=0.5, height=0.5)
    rules = Rules(width=64, height=48, trim_start_s=0.5, trim_end_s=1, masks=(mask,), fps=25)
    assert differences(SEEN, rules) == (
        "The rules cut off 0.5 s at its start and 1 s at its end.",
        "The rules cover a box of it in black.",
        "It has 30 frames a second, the clip 25.",
    )
    assert differences(replace(SEEN, fps=float(Fraction(30000, 1001))), Rules(width=64, height=48)) == ()


def test_what_was_seen_of_a_file_can_be_kept() -> None:
    seen = replace(SEEN, others=((32, 24),), transparent=True)
    assert ClipInfo.of({**asdict(seen), "others": [[32, 24]]}) == seen
