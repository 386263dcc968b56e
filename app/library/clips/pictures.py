"""Still pictures of videos: posters for the library, and frames to draw masks on."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

from av.codec.context import CodecContext
from av.error import FFmpegError
from av.video.codeccontext import VideoCodecContext
from av.video.frame import PictureType, VideoFrame
from av.video.stream import VideoStream

from app.library.clips.contained import contained
from app.library.clips.errors import NotAVideo
from app.library.clips.facts import fitted
from app.library.clips.picture import Painter, displayed_size
from app.library.clips.reading import decoded, open_video

POSTER_SIDE, FRAME_SIDE = 480, 960
AT_S = 1.0  # the first frame is black in many a recording
_QUALITY = "4"  # mjpeg's scale, 2 (best) to 31


def make_picture(source: Path, target: Path, *, at_s: float, side: int) -> None:
    """Write the frame shown at a time, upright, as a JPEG of at most `side` pixels; atomically.

    Raises NotAVideo and TooMuch.
    """
    picture = _pictured(source, at_s, side)
    with whole(target) as temporary:
        temporary.write_bytes(picture)


@contained
def _pictured(source: Path, at_s: float, side: int) -> bytes:
    with open_video(source) as (container, stream):
        frame = _frame_at(source, decoded(source, container, stream), Fraction(at_s))
        return still(source, frame, stream, side)


def still(source: Path, frame: VideoFrame, stream: VideoStream, side: int) -> bytes:
    """A decoded frame as a JPEG of at most `side` pixels, upright. Raises NotAVideo."""
    size = snug(*displayed_size(frame, stream.sample_aspect_ratio), side)
    return jpeg(source, Painter(source, size, (), stream.sample_aspect_ratio).paint(frame))


def snug(width: int, height: int, side: int) -> tuple[int, int]:
    """The size at which a picture needs no bars: as it is, or with `side` pixels at most."""
    scale = min(1.0, side / max(width, height))
    size = max(2, round(width * scale)), max(2, round(height * scale))
    while (content := fitted(width, height, size)) != size:
        size = content
    return size


def _frame_at(source: Path, frames: Iterator[tuple[Fraction, VideoFrame]], at_s: Fraction) -> VideoFrame:
    found: VideoFrame | None = None
    start: Fraction | None = None
    for time, frame in frames:
        start = time if start is None else start
        found = frame
        if time - start >= at_s:
            break
    if found is None:
        raise NotAVideo(source, "holds no frame that can be decoded")
    return found


def jpeg(source: Path, frame: VideoFrame) -> bytes:
    """A frame as a JPEG file. Raises NotAVideo for one that no picture can be made of."""
    encoder = CodecContext.create("mjpeg", "w")
    assert isinstance(encoder, VideoCodecContext)
    encoder.width, encoder.height, encoder.pix_fmt = frame.width, frame.height, "yuvj420p"
    encoder.time_base = Fraction(1, 1)
    encoder.options = {"qmin": _QUALITY, "qmax": _QUALITY}
    # JFIF fixes BT.601 for JPEG; the picture painted is BT.709.
    picture = frame.reformat(format="yuvj420p", src_colorspace="ITU709", dst_colorspace="ITU601")
    picture.pts, picture.time_base, picture.pict_type = 0, Fraction(1, 1), PictureType.NONE
    try:
        return b"".join(bytes(packet) for step in (picture, None) for packet in encoder.encode(step))
    except FFmpegError:
        raise NotAVideo(source, "has a frame that no picture can be made of") from None


@contextmanager
def whole(target: Path) -> Iterator[Path]:
    """A path to write a file at, which is then renamed to `target`."""
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
    try:
        yield temporary
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
