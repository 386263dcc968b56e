import struct
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import av
import pytest
from av.video.codeccontext import VideoCodecContext
from av.video.frame import VideoFrame

from app.library.clips.errors import NotAVideo, NothingLeft
from app.library.clips.mp4 import walk
from app.library.clips.probe import probe
from app.library.clips.process import process
from app.library.clips.rules import FIRST_RULES, Mask, Rules

from .videos import Paint, Pixels, grey_ramp, greys, make_video, noise, pixels

pytestmark = pytest.mark.videos

SIZE = (64, 48)
RED = (220, 30, 30)
BLACK = (0, 0, 0)
WHITE = (255, 255, 255)
KNOWN_BOXES = {
    "ftyp", "moov", "mvhd", "trak", "tkhd", "edts", "elst", "mdia", "mdhd", "hdlr", "minf", "vmhd", "dinf",
    "dref", "url ", "stbl", "stsd", "avc1", "avcC", "colr", "stts", "stss", "ctts", "stsc", "stsz", "stco",
    "free", "mdat",
}  # fmt: skip


def run(source: Path, rules: Rules | None = None, size: tuple[int, int] = SIZE) -> Path:
    target = source.with_name(f"{source.name}-processed.mp4")
    process(source, target, rules or Rules(), size=size)
    return target


def near(pixel: Pixels, colour: tuple[int, ...], tolerance: int = 12) -> bool:
    return max(abs(int(found) - wanted) for found, wanted in zip(pixel, colour, strict=True)) <= tolerance


def unit_types(path: Path) -> set[int]:
    """The kinds of H.264 units in a clip; 6 is a message of the encoder's."""
    kinds: set[int] = set()
    with av.open(str(path)) as container:
        for packet in container.demux(video=0):
            data, at = bytes(packet), 0
            while at < len(data):
                kinds.add(data[at + 4] & 31)
                at += 4 + int.from_bytes(data[at : at + 4])
    return kinds


def keyframes(path: Path) -> list[int]:
    with av.open(str(path)) as container:
        return [n for n, frame in enumerate(container.decode(video=0)) if frame.key_frame]


def test_a_clip_is_h264_of_the_common_size_and_rate_without_sound(tmp_path: Path) -> None:
    source = make_video(tmp_path / "a.webm", codec="libvpx-vp9", width=321, height=201, fps=25, audio=True)
    target = tmp_path / "clip.mp4"
    info = process(source, target, Rules(), size=(320, 200))
    assert (info.codec, info.width, info.height, info.fps, info.frames) == ("h264", 320, 200, 30.0, 30)
    assert (info.duration_s, info.has_audio, info.bytes) == (1.0, False, target.stat().st_size)
    with av.open(str(target)) as container:
        (stream,) = container.streams.video
        assert (stream.pix_fmt, stream.profile, len(container.streams)) == ("yuv420p", "High", 1)
        frame = next(container.decode(stream))
        assert (frame.colorspace, frame.color_primaries, frame.color_trc, frame.color_range) == (1, 1, 1, 1)


def test_what_a_browser_needs_first_comes_first(tmp_path: Path) -> None:
    types = [box.type for box in walk(run(make_video(tmp_path / "a.mp4")))]
    assert types.index("moov") < types.index("mdat")


def test_nothing_in_a_clip_tells_where_it_came_from(tmp_path: Path) -> None:
    tags = {
        "title": "Human player 7",
        "comment": "hybrid agent",
        "artist": "somebody",
        "creation_time": "2021-03-04T05:06:07Z",
        "encoder": "SecretGame 1.2",
    }
    for name, codec in (("human-original.mp4", "libx264"), ("human-original.webm", "libvpx-vp9")):
        source = make_video(tmp_path / name, codec=codec, audio=True, metadata=tags, seconds=3)
        clip = run(source)
        content = clip.read_bytes()
        for telling in (*tags.values(), "x264", "Lav", "Handler", "original", "vpx", "2021"):
            assert telling.encode().lower() not in content.lower()
        found = list(walk(clip))
        assert {box.type for box in found} <= KNOWN_BOXES
        for box in found:
            if box.type in ("mvhd", "tkhd", "mdhd"):
                assert struct.unpack_from(">II", content, box.offset + 12) == (0, 0), "made and changed when"
            if box.type == "hdlr":
                assert content[box.offset + 32 : box.end].strip(b"\0") == b""
            if box.type == "free":
                assert content[box.offset + 8 : box.end].strip(b"\0") == b""
            if box.type == "avc1":
                assert content[box.offset + 50 : box.offset + 82].strip(b"\0") == b"", "compressor name"
        with av.open(str(clip)) as container:
            assert set(container.metadata) <= {"major_brand", "minor_version", "compatible_brands"}
        assert unit_types(clip) <= {1, 5}


def test_equal_pictures_in_other_wrappings_give_equally_built_clips(tmp_path: Path) -> None:
    sources = [
        make_video(tmp_path / "a.mp4", metadata={"title": "one"}, options={"g": "1", "crf": "5"}),
        make_video(tmp_path / "b.mkv", metadata={"title": "two"}, options={"g": "9", "crf": "5"}, audio=True),
    ]
    clips = [run(source) for source in sources]
    assert len({tuple(box.type for box in walk(clip)) for clip in clips}) == 1
    assert keyframes(clips[0]) == keyframes(clips[1]) == [0]


def test_the_same_clip_has_the_same_bytes_alone_and_among_others(tmp_path: Path) -> None:
    # Noise at this size is what showed that x264's AVX-512 routines are not steady: 3 runs of 4 differed.
    source = make_video(tmp_path / "a.mp4", paint=noise)
    expected = run(source).read_bytes()

    def again(number: int) -> bytes:
        target = tmp_path / f"again-{number}.mp4"
        process(source, target, Rules(), size=SIZE)
        return target.read_bytes()

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(again, range(12))) == {expected}


def test_any_moment_can_be_sought_within_a_second(tmp_path: Path) -> None:
    clip = run(make_video(tmp_path / "a.mp4", seconds=3), Rules(fps=25))
    assert keyframes(clip) == [0, 25, 50]


def test_trimming_takes_that_much_from_both_ends(tmp_path: Path) -> None:
    source = make_video(tmp_path / "a.mp4", paint=grey_ramp(8), options={"crf": "1"})
    found = greys(run(source, Rules(trim_start_s=0.2, trim_end_s=0.3)))
    assert found == pytest.approx([8 * number for number in range(6, 21)], abs=3)


def test_trimming_counts_from_the_first_picture_whatever_the_clock_says(tmp_path: Path) -> None:
    source = make_video(
        tmp_path / "a.ts",
        paint=grey_ramp(8),
        times_ms=[5000 + 40 * n for n in range(25)],
        options={"crf": "1"},
    )
    found = greys(run(source, Rules(fps=25, trim_start_s=0.4)))
    assert found == pytest.approx([8 * number for number in range(10, 25)], abs=3)


def test_pictures_that_an_edit_hides_stay_hidden(tmp_path: Path) -> None:
    times = [-330 + 33 * number for number in range(30)]
    source = make_video(
        tmp_path / "a.mp4", times_ms=times, paint=grey_ramp(8), options={"crf": "1", "bf": "0"}
    )
    assert probe(source).frames == 20
    assert greys(run(source))[0] == pytest.approx(80, abs=3)


def test_a_clip_that_trimming_would_use_up_is_refused(tmp_path: Path) -> None:
    source = make_video(tmp_path / "a.mp4")
    with pytest.raises(NothingLeft, match=r"lasts 1\.00 s; the rules cut 0\.5 s off its start and 0\.5"):
        run(source, Rules(trim_start_s=0.5, trim_end_s=0.5))
    with pytest.raises(NothingLeft):
        run(source, Rules(trim_start_s=700))


def test_a_variable_rate_becomes_constant_and_each_picture_keeps_its_time(tmp_path: Path) -> None:
    source = make_video(
        tmp_path / "a.mkv", times_ms=[0, 100, 500, 600, 900], paint=grey_ramp(50), options={"crf": "1"}
    )
    clip = run(source, Rules(fps=10))
    assert greys(clip)[:9] == pytest.approx([0, 50, 50, 50, 50, 100, 150, 150, 150], abs=4)


def quarters(number: int, width: int, height: int) -> Pixels:
    image = noise(0, width, height)
    image[:] = BLACK
    image[: height // 2, : width // 2] = RED
    return image


@pytest.mark.parametrize(("rotation", "corner"), [(0, (0, 0)), (90, (1, 0)), (180, (1, 1)), (270, (0, 1))])
def test_a_turned_video_is_turned_in_its_pixels(
    tmp_path: Path, rotation: int, corner: tuple[int, int]
) -> None:
    source = make_video(tmp_path / "a.mp4", width=64, height=64, rotation=rotation, paint=quarters)
    clip = run(source, size=(64, 64))
    image = pixels(clip)[0]
    reds = {(row, col) for row in (0, 1) for col in (0, 1) if near(image[16 + 32 * row, 16 + 32 * col], RED)}
    assert reds == {corner}
    with av.open(str(clip)) as container:
        assert next(container.decode(video=0)).rotation == 0


def test_another_shape_is_letter_boxed_not_stretched(tmp_path: Path) -> None:
    tall_source = make_video(tmp_path / "tall.mp4", width=48, height=96, paint=flat(RED))
    tall = pixels(run(tall_source, size=(96, 48)))[0]
    assert near(tall[24, 48], RED)
    assert [near(tall[24, column], BLACK) for column in (0, 30, 65, 95)] == [True] * 4
    assert near(tall[2, 48], RED)
    assert near(tall[45, 48], RED)
    wide_source = make_video(tmp_path / "wide.mp4", width=96, height=24, paint=flat(RED))
    wide = pixels(run(wide_source, size=(96, 48)))[0]
    assert [near(wide[row, 48], BLACK) for row in (0, 8, 40, 47)] == [True] * 4
    assert near(wide[24, 2], RED)


def flat(colour: tuple[int, int, int]) -> Paint:
    def paint(number: int, width: int, height: int) -> Pixels:
        image = noise(0, width, height)
        image[:] = colour
        return image

    return paint


def test_an_odd_size_fills_the_even_one_next_to_it(tmp_path: Path) -> None:
    source = make_video(tmp_path / "a.webm", codec="libvpx-vp9", width=321, height=201, paint=flat(RED))
    image = pixels(run(source, size=(320, 200)))[0]
    assert all(near(image[row, column], RED) for row in (0, 199) for column in (0, 319))


@pytest.mark.parametrize("pixel_format", ["yuv420p", "yuvj420p", "yuv444p"])
def test_masks_are_black_and_hide_all_they_cover_and_nothing_else(tmp_path: Path, pixel_format: str) -> None:
    codec = "mjpeg" if pixel_format == "yuvj420p" else "libx264"
    path = tmp_path / "a.mkv"
    source = make_video(path, codec=codec, paint=flat(WHITE), pixel_format=pixel_format, width=96, height=64)
    middle, corner = Mask(x=0.5, y=0.25, width=0.25, height=0.25), Mask(x=0.0, y=0.9, width=0.1, height=0.1)
    rules = Rules(masks=(middle, corner))
    image = pixels(run(source, rules, size=(96, 64)))[0]
    assert image[17:31, 49:71].max() <= 12
    assert image[60:, :8].max() <= 12
    assert image[:14].min() >= 243
    assert image[34:56].min() >= 243
    assert image[16:32, 74:].min() >= 243


def test_masks_go_by_the_picture_as_it_is_seen(tmp_path: Path) -> None:
    source = make_video(tmp_path / "a.mp4", width=64, height=96, rotation=90, paint=flat(WHITE))
    image = pixels(run(source, Rules(masks=(Mask(x=0.0, y=0.0, width=0.5, height=1.0),)), size=(96, 64)))[0]
    assert image[:, :46].max() <= 12
    assert image[:, 50:].min() >= 243


@pytest.mark.parametrize("pixel_format", ["yuv420p", "yuvj420p", "bgra", "gray", "yuv422p10le"])
def test_colours_come_out_as_they_went_in(tmp_path: Path, pixel_format: str) -> None:
    codec = "mjpeg" if pixel_format == "yuvj420p" else "ffv1"
    colour = (120, 120, 120) if pixel_format == "gray" else (200, 40, 90)
    source = make_video(tmp_path / "a.mkv", codec=codec, pixel_format=pixel_format, paint=flat(colour))
    assert near(pixels(run(source))[10][24, 32], colour, 5)


def test_what_a_source_says_of_its_colours_is_not_what_the_clip_says(tmp_path: Path) -> None:
    tags = dict.fromkeys(("colorspace", "color_primaries", "color_trc"), "smpte170m")
    clip = run(make_video(tmp_path / "a.mp4", paint=flat(RED), options=tags))
    assert near(pixels(clip)[0][24, 32], RED, 5)
    with av.open(str(clip)) as container:
        frame = next(container.decode(video=0))
        assert (frame.colorspace, frame.color_primaries, frame.color_trc) == (1, 1, 1)


def test_high_definition_that_does_not_say_its_colours_is_taken_as_players_take_it(tmp_path: Path) -> None:
    source = make_video(tmp_path / "a.mkv", width=1280, height=720, seconds=0.1, paint=flat(RED))
    as_players_see_it = pixels(source)[0][300, 300]
    assert not near(as_players_see_it, RED, 4), "the source was written by the matrix of standard definition"
    assert near(pixels(run(source))[0][24, 32], tuple(int(part) for part in as_players_see_it), 3)


def test_colours_that_cannot_be_converted_are_refused(tmp_path: Path) -> None:
    source = make_video(tmp_path / "a.mkv", codec="ffv1", options={"colorspace": "ycgco"})
    with pytest.raises(NotAVideo, match="has pixels that cannot be shown"):
        run(source)


def test_a_picture_that_changes_size_as_it_goes_is_fitted_anew(tmp_path: Path) -> None:
    source = tmp_path / "a.mkv"
    unit = Fraction(1, 30)
    with av.open(str(source), "w") as container:
        stream = container.add_stream("mjpeg", rate=30)
        stream.width, stream.height, stream.pix_fmt = *SIZE, "yuvj420p"
        for number in range(30):
            encoder = VideoCodecContext.create("mjpeg", "w")
            encoder.width, encoder.height, encoder.pix_fmt = 64 if number < 15 else 32, 48, "yuvj420p"
            encoder.time_base = unit
            for packet in encoder.encode(VideoFrame.from_ndarray(flat(RED)(0, encoder.width, 48), "rgb24")):
                packet.stream = stream
                packet.pts, packet.dts, packet.time_base = number, number, unit
                container.mux(packet)
    images = pixels(run(source))
    assert near(images[14][24, 4], RED)
    assert near(images[15][24, 4], BLACK)
    assert near(images[15][24, 32], RED)


def test_a_refusal_leaves_no_file_behind(tmp_path: Path) -> None:
    source = make_video(tmp_path / "a.mp4", seconds=3, paint=noise, options={"g": "10"})
    data = bytearray(source.read_bytes())
    middle = data.index(b"mdat") + len(data) // 3
    data[middle : middle + len(data) // 5] = bytes(len(data) // 5)
    source.write_bytes(data)
    with pytest.raises(NotAVideo, match="damaged"):
        process(source, tmp_path / "clip.mp4", Rules(), size=SIZE)
    assert [path.name for path in tmp_path.iterdir()] == ["a.mp4"]


def test_a_last_frame_that_the_rules_cut_off_has_to_be_there_too(tmp_path: Path) -> None:
    source = make_video(tmp_path / "a.mp4", seconds=3, paint=noise, options={"g": "10"})
    data = bytearray(source.read_bytes())
    end = data.index(b"mdat") + len(data) * 4 // 5
    data[end : end + len(data) // 10] = bytes(len(data) // 10)
    source.write_bytes(data)
    assert probe(source, to_end=False).frames == 90
    with pytest.raises(NotAVideo, match="damaged"):
        process(source, tmp_path / "clip.mp4", Rules(trim_end_s=1.5), size=SIZE)


def test_the_preset_says_how_a_clip_is_encoded_and_nothing_else(tmp_path: Path) -> None:
    source = make_video(tmp_path / "a.mp4", seconds=2, width=128, height=96, paint=noise)
    fast = run(source, FIRST_RULES, (128, 96))
    facts, data = probe(fast), fast.read_bytes()
    assert run(source, FIRST_RULES, (128, 96)).read_bytes() == data
    slow = probe(run(source, Rules(crf=FIRST_RULES.crf), (128, 96)))
    assert replace(slow, bytes=0) == replace(facts, bytes=0)
    assert slow.bytes != facts.bytes
    assert facts.frames == 60
    assert {box.type for box in walk(fast)} <= KNOWN_BOXES
    assert (unit_types(fast) & {6}, keyframes(fast)) == (set(), [0, 30])


def test_an_old_clip_stays_until_the_new_one_is_whole(tmp_path: Path) -> None:
    target = tmp_path / "clip.mp4"
    target.write_bytes(b"old")
    with pytest.raises(NothingLeft):
        process(make_video(tmp_path / "a.mp4"), target, Rules(trim_start_s=5), size=SIZE)
    assert target.read_bytes() == b"old"
    process(tmp_path / "a.mp4", target, Rules(), size=SIZE)
    assert target.read_bytes()[4:8] == b"ftyp"
