import os
import random
from contextlib import suppress
from fractions import Fraction
from pathlib import Path

import av
import pytest
from av.video.codeccontext import VideoCodecContext
from av.video.frame import VideoFrame

from app.library.clips.errors import ClipRefused, NotAVideo
from app.library.clips.facts import ClipInfo
from app.library.clips.mp4 import boxes
from app.library.clips.probe import probe
from app.library.clips.process import process
from app.library.clips.rules import Rules

from .videos import claim_size, make_picture, make_sound, make_video, noise

pytestmark = pytest.mark.videos


def refusal(path: Path) -> str:
    with pytest.raises(NotAVideo) as caught:
        probe(path)
    assert caught.value.path == path
    assert len(str(caught.value).splitlines()) == 1
    return caught.value.reason


def test_a_video_is_measured(tmp_path: Path) -> None:
    path = make_video(tmp_path / "a.mp4", seconds=1.5, width=96, height=64, fps=20, audio=True)
    assert probe(path) == ClipInfo(
        container="mov,mp4,m4a,3gp,3g2,mj2",
        codec="h264",
        width=96,
        height=64,
        duration_s=1.5,
        fps=20.0,
        frames=30,
        has_audio=True,
        bytes=path.stat().st_size,
    )


@pytest.mark.parametrize(
    ("name", "codec", "width", "height"),
    [
        ("a.webm", "libvpx-vp9", 321, 201),
        ("a.mkv", "libx264", 64, 48),
        ("a.mov", "mpeg4", 64, 48),
        ("a.avi", "mpeg4", 64, 48),
        ("a.ts", "libx264", 64, 48),
        ("<script>alert(1)<script>.mp4", "libx264", 64, 48),
    ],
)
def test_other_containers_codecs_and_sizes_are_videos_too(
    tmp_path: Path, name: str, codec: str, width: int, height: int
) -> None:
    info = probe(make_video(tmp_path / name.replace("/", "_"), codec=codec, width=width, height=height))
    assert (info.width, info.height, info.frames, info.has_audio) == (width, height, 30, False)
    assert info.duration_s == pytest.approx(1.0, abs=0.04)
    assert info.fps == pytest.approx(30, abs=1.1)


@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_a_video_that_is_turned_for_viewing_has_the_size_it_is_seen_in(tmp_path: Path, rotation: int) -> None:
    info = probe(make_video(tmp_path / "a.mp4", rotation=rotation))
    assert (info.width, info.height) == ((64, 48) if rotation == 180 else (48, 64))


def test_pixels_that_are_not_square_count_as_they_are_seen(tmp_path: Path) -> None:
    path = make_video(tmp_path / "a.mp4", options={"aspect": "2:1"})
    assert (probe(path).width, probe(path).height) == (128, 48)


def test_a_variable_frame_rate_is_measured_over_the_whole(tmp_path: Path) -> None:
    info = probe(make_video(tmp_path / "a.mkv", times_ms=[0, 33, 66, 500, 533, 900]))
    assert info.frames == 6
    assert 0.9 < info.duration_s < 1.2


def test_metadata_that_is_not_utf8_does_not_matter(tmp_path: Path) -> None:
    path = make_video(tmp_path / "a.mp4", metadata={"title": "caf\u00e9"})
    path.write_bytes(path.read_bytes().replace("caf\u00e9".encode(), b"caf\xe9\xe9"))
    assert probe(path).frames == 30


def test_missing_files_are_reported(tmp_path: Path) -> None:
    assert refusal(tmp_path / "a.mp4") == "is not there"
    assert refusal(tmp_path) == "is a folder"
    assert "cannot be read" in refusal(tmp_path / ("x" * 300))
    assert "cannot be read" in refusal(tmp_path / "a\0.mp4") or "not there" in refusal(tmp_path / "a\0.mp4")


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.mp4")
    assert refusal(tmp_path / "a.mp4") == "is not a plain file"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "is empty"),
        (b"hello\n" * 1000, "is text"),
        ("Übergröße ".encode() * 1000, "is text"),
        (b"#EXTM3U\n#EXTINF:10,\n/etc/passwd\n", "is text"),
        (b"ffconcat version 1.0\nfile other.mp4\n", "is text"),
        (b"GIF89a" + bytes(100), "is a picture (GIF), not a video; save an animation as MP4 or WebM"),
        (b"RIFF\0\0\0\0WEBPVP8 " + bytes(100), "is a picture (WebP), not a video; save an animation as"),
        (bytes(10_000), "no video that can be read"),
        (b"PK\3\4" + bytes(range(256)) * 10, "no video that can be read"),
        (b"\0\0\0\x20ftypisom" + bytes(500), "no video that can be read"),
    ],
)
def test_files_of_another_kind_are_reported_as_such(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "a.mp4"
    path.write_bytes(content)
    assert reason in refusal(path)


def test_a_picture_and_sound_are_not_videos(tmp_path: Path) -> None:
    assert refusal(make_picture(tmp_path / "picture.mp4")) == "is a picture (PNG), not a video"
    assert refusal(make_sound(tmp_path / "sound.mp4")) == "holds sound alone"
    assert refusal(make_video(tmp_path / "one.mp4", times_ms=[0])) == "holds a single picture"


def test_a_truncated_video_is_refused_whatever_its_layout(tmp_path: Path) -> None:
    quick = {"deadline": "realtime", "cpu-used": "8"}
    codecs = {"a.mp4": "libx264", "a.webm": "libvpx-vp9", "a.mkv": "libx264", "a.avi": "mpeg4"}
    for name, codec in codecs.items():
        options = quick if codec == "libvpx-vp9" else {}
        path = make_video(tmp_path / name, seconds=2, codec=codec, paint=noise, options=options)
        whole = path.read_bytes()
        for share in (0.1, 0.5, 0.8):
            path.write_bytes(whole[: int(len(whole) * share)])
            assert "cut short" in refusal(path), f"{name} after {share}"


def test_a_truncated_video_with_its_index_first_is_refused(tmp_path: Path) -> None:
    source = make_video(tmp_path / "a.mp4", seconds=2)
    path = tmp_path / "fast.mp4"
    process(source, path, Rules(), size=(64, 48))
    whole = path.read_bytes()
    for missing in (1, 200, len(whole) // 3):
        path.write_bytes(whole[:-missing])
        assert "cut short" in refusal(path)


def test_a_video_that_ends_within_its_list_of_frames_may_be_cut_short(tmp_path: Path) -> None:
    path = make_video(tmp_path / "a.mp4")
    data = path.read_bytes()
    path.write_bytes(data[: data.index(b"moov") + 200])
    assert refusal(path) == "holds no moving picture, or is cut short before it"


@pytest.mark.parametrize("share", [0.0, 0.8])
def test_frames_that_are_garbage_at_either_end_are_refused(tmp_path: Path, share: float) -> None:
    path = make_video(tmp_path / "a.mp4", paint=noise, options={"g": "10"})
    data = bytearray(path.read_bytes())
    (content,) = (box for box in boxes(path) if box.type == "mdat")
    start = content.offset + 8 + int(content.size * share)
    stop = start + content.size // 8
    data[start:stop] = bytes(stop - start)
    path.write_bytes(data)
    assert "damaged" in refusal(path)


def test_a_playlist_does_not_make_other_files_open(tmp_path: Path) -> None:
    make_video(tmp_path / "other.ts")
    path = tmp_path / "a.mp4"
    path.write_bytes(b"#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\x01\nother.ts\n#EXT-X-ENDLIST\n")
    assert "no video that can be read" in refusal(path)


@pytest.mark.parametrize("codec", ["libx264", "mpeg4"])
def test_an_mp4_that_claims_an_absurd_size_is_refused(tmp_path: Path, codec: str) -> None:
    path = claim_size(make_video(tmp_path / "a.mp4", codec=codec), 30_000, 30_000)
    assert "claims 30000 x 30000 px; at most 8192 px a side" in refusal(path)


def test_a_video_of_an_absurd_size_is_refused(tmp_path: Path) -> None:
    path = make_video(tmp_path / "wide.mkv", seconds=0.1, width=9000, height=32)
    assert "9000 x 32 px; at most 8192" in refusal(path)
    path = make_video(tmp_path / "small.mkv", seconds=0.1, width=8, height=48)
    assert "8 x 48 px; at least 16" in refusal(path)


@pytest.mark.slow
@pytest.mark.parametrize("first_width", [8192, 64])
def test_frames_too_large_for_memory_are_never_decoded(tmp_path: Path, first_width: int) -> None:
    path = tmp_path / "a.mkv"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("mjpeg", rate=30)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuvj420p"
        for number, width in enumerate((first_width, 8192)):
            encoder = VideoCodecContext.create("mjpeg", "w")
            encoder.width, encoder.height, encoder.pix_fmt = width, 4800, "yuvj420p"
            encoder.time_base = Fraction(1, 30)
            for packet in encoder.encode(VideoFrame(width, 4800, "yuvj420p")):
                packet.stream, packet.time_base = stream, Fraction(1, 30)
                packet.pts = packet.dts = number
                container.mux(packet)
    expected = (
        "cannot be decoded" if first_width == 64 else "or larger ones: at most 8192 px a side and 37 million"
    )
    assert expected in refusal(path)


def test_a_video_longer_than_twenty_minutes_is_refused(tmp_path: Path) -> None:
    claimed = make_video(tmp_path / "a.mp4", times_ms=[0, 1000, 1_250_000])
    assert "longer than 20 minutes" in refusal(claimed)
    streamed = make_video(tmp_path / "a.ts", times_ms=[0, 1000, 1_250_000])
    assert "20 minutes" in refusal(streamed)


def test_random_damage_is_refused_or_survived_but_never_anything_else(tmp_path: Path) -> None:
    rng = random.Random(2)
    for name, codec in (("a.mp4", "libx264"), ("a.webm", "libvpx-vp9"), ("a.avi", "mpeg4")):
        whole = make_video(tmp_path / name, codec=codec, seconds=0.5, audio=name != "a.avi").read_bytes()
        path = tmp_path / f"damaged-{name}"
        for _ in range(25):
            data = bytearray(whole)
            for _ in range(rng.choice([1, 4, 40])):
                data[rng.randrange(len(data))] = rng.randrange(256)
            path.write_bytes(data)
            with suppress(ClipRefused):
                assert probe(path).frames >= 2
