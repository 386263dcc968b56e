"""Videos, and things that are none, made for tests."""

import csv
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import numpy.typing as npt
from av.audio.frame import AudioFrame
from av.container.output import OutputContainer
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

Pixels = npt.NDArray[np.uint8]
Paint = Callable[[int, int, int], Pixels]


def make_video(
    path: Path,
    *,
    seconds: float = 1.0,
    width: int = 64,
    height: int = 48,
    fps: int = 30,
    codec: str = "libx264",
    audio: bool = False,
    colour: tuple[int, int, int] = (40, 80, 120),
    metadata: Mapping[str, str] | None = None,
    rotation: int = 0,
    times_ms: Sequence[int] | None = None,
    paint: Paint | None = None,
    pixel_format: str = "yuv420p",
    options: Mapping[str, str] | None = None,
) -> Path:
    """Write a video whose suffix names its container: a white bar walks over `colour`, unless `paint` paints.

    `paint` takes the number of the frame, width and height. `times_ms` makes the rate variable: one frame at
    each of these times.
    """
    times = list(times_ms) if times_ms is not None else None
    count = len(times) if times is not None else round(seconds * fps)
    path.parent.mkdir(parents=True, exist_ok=True)
    with av.open(str(path), "w") as container:
        container.metadata.update(metadata or {})
        stream = container.add_stream(codec, rate=fps, options=dict(options or {}))
        assert isinstance(stream, VideoStream)
        stream.width, stream.height, stream.pix_fmt = width, height, pixel_format
        if codec == "libx264":
            stream.codec_context.thread_count = 1
        if rotation:
            stream.set_display_rotation(rotation)
        if times is not None:
            stream.codec_context.time_base = Fraction(1, 1000)
        if audio:
            _add_silence(container, seconds)
        for number in range(count):
            frame = VideoFrame.from_ndarray((paint or _bar(colour))(number, width, height), "rgb24")
            if times is not None:
                frame.pts, frame.time_base = times[number], Fraction(1, 1000)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


def grey_ramp(step: int) -> Paint:
    """Frame n is grey of brightness n * step all over."""

    def paint(number: int, width: int, height: int) -> Pixels:
        return np.full((height, width, 3), number * step, np.uint8)

    return paint


def noise(number: int, width: int, height: int) -> Pixels:
    """A frame that does not compress, another for each number."""
    return np.random.default_rng(number).integers(0, 256, (height, width, 3), np.uint8)


def greys(path: Path) -> list[int]:
    """The mean brightness of each frame, as a viewer would see it."""
    return [round(float(frame.mean())) for frame in pixels(path)]


def pixels(path: Path) -> list[Pixels]:
    """Every frame as RGB, as a viewer would see a clip that says it is BT.709."""
    with av.open(str(path)) as container:
        return [
            np.asarray(frame.to_ndarray(format="rgb24", src_colorspace="ITU709"), np.uint8)
            for frame in container.decode(video=0)
        ]


def make_sound(path: Path, *, seconds: float = 1.0) -> Path:
    """Write a file that holds sound alone."""
    with av.open(str(path), "w") as container:
        _add_silence(container, seconds)
    return path


def make_picture(path: Path) -> Path:
    """Write a PNG, whatever the path's suffix says."""
    png = path.with_name(f"{path.name}.png")
    VideoFrame.from_ndarray(np.zeros((48, 64, 3), np.uint8), "rgb24").save(png)
    return png.rename(path)


def claim_size(path: Path, width: int, height: int) -> Path:
    """Patch an MP4 so that its track header and its sample entry claim another size."""
    data = bytearray(path.read_bytes())
    track = data.index(b"tkhd") + 80
    data[track : track + 8] = (width << 16).to_bytes(4) + (height << 16).to_bytes(4)
    sample = data.index(b"stsd") + 12 + 32
    data[sample : sample + 4] = width.to_bytes(2) + height.to_bytes(2)
    path.write_bytes(data)
    return path


def write_manifest(path: Path, rows: Sequence[Mapping[str, str]]) -> Path:
    """Write a manifest whose columns are the first row's."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def _bar(colour: tuple[int, int, int]) -> Paint:
    def paint(number: int, width: int, height: int) -> Pixels:
        image = np.empty((height, width, 3), np.uint8)
        image[:] = colour
        left = number * 2 % width
        image[:, left : left + max(2, width // 8)] = 255
        return image

    return paint


def _add_silence(container: OutputContainer, seconds: float) -> None:
    webm = "webm" in container.format.name
    stream = container.add_stream("libopus" if webm else "aac", rate=48_000)
    for _ in range(round(seconds * 50)):
        frame = AudioFrame.from_ndarray(np.zeros((1, 960), np.float32), format="flt", layout="mono")
        frame.sample_rate = 48_000
        container.mux(stream.encode(frame))
    container.mux(stream.encode(None))
