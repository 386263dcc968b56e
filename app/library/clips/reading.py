"""Opening untrusted files: what is not a video is refused before much of it is read."""

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

import av
from av.codec.context import CodecContext
from av.container.input import InputContainer
from av.error import FFmpegError
from av.packet import Packet
from av.stream import Disposition, Stream
from av.video.codeccontext import VideoCodecContext
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from app.library.clips.errors import MalformedMp4, NotAVideo, TooManyBoxes, TooMuch
from app.library.clips.mp4 import claims
from app.library.clips.rules import SMALLEST_SIDE

LONGEST_S = 20 * 60
LARGEST_SOURCE_SIDE = 8192
MOST_TRACKS = 32
_MOST_SAMPLES = 100_000_000  # uncompressed sound counts each of its 48,000 in a second
_FIRST_BOXES = {b"ftyp", b"styp", b"moov", b"mdat", b"free", b"skip", b"wide", b"pnot", b"uuid"}

_MOST_PIXELS = 8192 * 4608
_LARGEST = f"at most {LARGEST_SOURCE_SIDE} px a side and {_MOST_PIXELS // 10**6} million in all are allowed"
_FORMATS = "mov,mp4,matroska,webm,avi,mpegts,ogg"
_OPTIONS = {
    # Nothing but the file itself is opened: no playlist, no address, no other file it may name.
    "protocol_whitelist": "file",
    "format_whitelist": _FORMATS,
    "max_pixels": str(_MOST_PIXELS),
    "max_streams": str(MOST_TRACKS),
}
_DEFAULT = Disposition.default
_WITH_ALPHA = {"vp8": "libvpx", "vp9": "libvpx-vp9"}
_IMAGES = {
    b"\x89PNG": "PNG",
    b"\xff\xd8\xff": "JPEG",
    b"GIF8": "GIF",
    b"BM": "BMP",
    b"II*\0": "TIFF",
    b"MM\0*": "TIFF",
}


@contextmanager
def open_video(path: Path) -> Iterator[tuple[InputContainer, VideoStream]]:
    """Open a file's moving picture. Raises NotAVideo before anything of an absurd size is decoded."""
    _check_file(path)
    _check_claims(path)
    try:
        container = av.open(str(path.absolute()), mode="r", options=dict(_OPTIONS), metadata_errors="replace")
    # PyAV's MemoryError is an FFmpegError, too, and says nothing about the file.
    except MemoryError:
        raise
    except (FFmpegError, OSError, ValueError):
        reason = "is cut short, or no video that can be read (MP4, MOV, WebM, MKV, AVI, MPEG-TS, Ogg)"
        raise NotAVideo(path, reason) from None
    with container:
        stream = _moving_picture(path, container)
        if not (stream.width and stream.height):  # what `max_pixels` leaves of larger frames
            raise NotAVideo(path, f"has no frames that can be decoded, or larger ones: {_LARGEST}")
        check_sides(path, stream.width, stream.height, "claims", smallest=0)
        if (container.duration or 0) / av.time_base > LONGEST_S:
            raise NotAVideo(path, f"claims to be longer than {LONGEST_S // 60} minutes; cut it first")
        # One thread, so that memory is bounded and the same file gives the same frames.
        stream.codec_context.thread_count = 1
        stream.codec_context.options = {"max_pixels": str(_MOST_PIXELS)}
        yield container, stream


def demuxed(path: Path, container: InputContainer) -> Iterator["Packet[Stream]"]:
    """Every packet of every stream. Raises NotAVideo where the file is cut short or damaged."""
    try:
        yield from container.demux()
    except MemoryError:
        raise
    except (FFmpegError, ValueError):
        raise NotAVideo(path, "is cut short or damaged") from None


def decoded(
    path: Path, container: InputContainer, stream: VideoStream
) -> Iterator[tuple[Fraction, VideoFrame]]:
    """Each frame with its time. Raises NotAVideo at the first that cannot be decoded."""
    rate = stream.average_rate or Fraction(25)
    time: Fraction | None = None
    frames = _frames(container, stream)
    while True:
        try:
            frame = next(frames, None)
        except MemoryError:
            raise
        except (FFmpegError, ValueError):
            place = "at its beginning" if time is None else f"after {float(time):.2f} s"
            raise NotAVideo(path, f"is damaged: it cannot be decoded {place}") from None
        if frame is None:
            return
        if frame.pts is not None and frame.time_base is not None:
            time = frame.pts * frame.time_base
        else:
            time = Fraction(0) if time is None else time + 1 / rate
        yield time, frame


def _frames(container: InputContainer, stream: VideoStream) -> Iterator[VideoFrame]:
    name = _WITH_ALPHA.get(stream.codec_context.name)
    if name is None or stream.metadata.get("alpha_mode") != "1":
        # The fourth byte of an AVI's pixels means nothing, and is 0 in many.
        means_nothing = container.format.name == "avi"
        for frame in container.decode(stream):
            yield frame.reformat(format="bgr24") if means_nothing and frame.format.name == "bgra" else frame
        return
    # FFmpeg's own decoder leaves out what shines through: a second picture beside the first.
    decoder = CodecContext.create(name, "r")
    assert isinstance(decoder, VideoCodecContext)
    decoder.thread_count = 1
    decoder.options = {"max_pixels": str(_MOST_PIXELS)}
    for packet in container.demux(stream):
        if packet.size:
            yield from decoder.decode(packet)
    yield from decoder.decode(None)


def _check_file(path: Path) -> None:
    try:
        if path.is_dir():
            raise NotAVideo(path, "is a folder")
        if not path.is_file():
            raise NotAVideo(path, "is not there" if not path.exists() else "is not a plain file")
        with path.open("rb") as file:
            head = file.read(4096)
    except (OSError, ValueError) as error:
        raise NotAVideo(path, f"cannot be read ({getattr(error, 'strerror', None) or error})") from None
    if not head:
        raise NotAVideo(path, "is empty")
    for magic, name in _IMAGES.items():
        if head.startswith(magic):
            raise NotAVideo(path, f"is a picture ({name}), not a video{_animated(name)}")
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        raise NotAVideo(path, f"is a picture (WebP), not a video{_animated('WebP')}")
    if _is_text(head):
        raise NotAVideo(path, "is text, not a video")


def _animated(name: str) -> str:
    """The remedy for a kind of picture that may move; empty for the others."""
    return "; save an animation as MP4 or WebM" if name in ("GIF", "WebP") else ""


def _check_claims(path: Path) -> None:
    """Refuse an MP4 for what its boxes claim: FFmpeg makes a place for all of it before it reads any."""
    with path.open("rb") as file:
        if file.read(8)[4:] not in _FIRST_BOXES:
            return
    try:
        claimed = claims(path)
    except TooManyBoxes as error:
        raise TooMuch(path, f"is made of {error}") from None
    except MalformedMp4:
        return
    if claimed.tracks > MOST_TRACKS:
        raise TooMuch(path, f"has {claimed.tracks} tracks; at most {MOST_TRACKS} are read")
    if claimed.samples > _MOST_SAMPLES:
        most = f"at most {_MOST_SAMPLES // 10**6} million are read"
        raise TooMuch(path, f"claims {claimed.samples} frames and pieces of sound; {most}")
    if claimed.sizes:
        check_sides(path, *max(claimed.sizes, key=max), "claims", smallest=0)


def _is_text(head: bytes) -> bool:
    try:
        text = head.decode()
    except UnicodeDecodeError as error:
        # The end of the 4,096 bytes may cut a character of up to four in two.
        if error.start < len(head) - 3:
            return False
        text = head[: error.start].decode()
    return all(char.isprintable() or char in "\n\r\t\f\ufeff" for char in text)


def _moving_picture(path: Path, container: InputContainer) -> VideoStream:
    moving = moving_pictures(container)
    if not moving:
        holds = "sound alone" if container.streams.audio else "no moving picture, or is cut short before it"
        raise NotAVideo(path, f"holds {holds}")
    known = [stream for stream in moving if stream.codec_context is not None]
    if not known:
        raise NotAVideo(path, "is in a format that cannot be decoded here")
    # The largest: others are previews and thumbnails. Of equal ones that which a player shows first.
    return max(known, key=lambda stream: (stream.width * stream.height, bool(stream.disposition & _DEFAULT)))


def moving_pictures(container: InputContainer) -> list[VideoStream]:
    """The tracks of pictures that move."""
    still = Disposition.attached_pic | Disposition.still_image
    return [stream for stream in container.streams.video if not stream.disposition & still]


def check_sides(path: Path, width: int, height: int, verb: str, *, smallest: int = SMALLEST_SIDE) -> None:
    if max(width, height) > LARGEST_SOURCE_SIDE or width * height > _MOST_PIXELS:
        raise NotAVideo(path, f"{verb} {width} x {height} px; {_LARGEST}")
    if min(width, height) < smallest:
        raise NotAVideo(path, f"{verb} {width} x {height} px; at least {smallest} px a side are needed")
