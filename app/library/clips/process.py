"""One clip through the rules: the same pixels, rate and wrapping for all, nothing that tells them apart."""

import secrets
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from fractions import Fraction
from functools import cache
from pathlib import Path

import av
from av.bitstream import BitStreamFilterContext
from av.container.output import OutputContainer
from av.video.frame import PictureType, VideoFrame
from av.video.stream import VideoStream

from app.library.clips.contained import allow_cpu, contained
from app.library.clips.errors import NotAVideo, NothingLeft, TooMuch
from app.library.clips.facts import ClipInfo
from app.library.clips.mp4 import blank
from app.library.clips.picture import Painter
from app.library.clips.pictures import AT_S, FRAME_SIDE, still, whole
from app.library.clips.probe import DECODED_PER_S, check_last_frame, measure, probe
from app.library.clips.reading import decoded, open_video
from app.library.clips.rules import Rules
from app.library.clips.timing import at_constant_rate

_MUXER = {
    "movflags": "+faststart",  # what a browser needs first comes first
    "fflags": "+bitexact",  # no name of the muxer, no time of making
    "empty_hdlr_name": "1",
    "write_btrt": "0",
}
_NO_MESSAGES = "filter_units=remove_types=6"  # the encoder's own name and settings travel as SEI units
_BT709 = 1  # the same number for primaries, transfer and matrix
_LIMITED_RANGE = 1
_LOOK_EVERY = 25
LARGEST_CLIP_BYTES = 1_500_000_000  # a browser fetches a clip whole before it plays

ENCODED_PER_S = 500_000
"""Pixels that even a slow processor encodes in a second."""

# Called with how many frames of how many are done; raises to stop.
OnFrame = Callable[[int, int], None]


def process(
    source: Path,
    target: Path,
    rules: Rules,
    *,
    size: tuple[int, int],
    on_frame: OnFrame | None = None,
    picture: Path | None = None,
) -> ClipInfo:
    """Write `source`, processed by `rules` to frames of `size`, at `target`; atomically.

    `picture` gets the frame to draw masks on, so that nothing is decoded again for it. The same source, rules and size
    give the same bytes. Raises NotAVideo, NothingLeft after trimming, or TooMuch.
    """
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
    try:
        info = _processed(source, temporary, rules, size, on_frame=on_frame, picture=picture)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
    return info


@contained
def _processed(
    source: Path,
    target: Path,
    rules: Rules,
    size: tuple[int, int],
    *,
    on_frame: OnFrame | None = None,
    picture: Path | None = None,
) -> ClipInfo:
    span = measure(source)
    count = frames_left(source, span.end - span.start, rules)
    with open_video(source) as (container, stream):
        decoded_pixels = span.frames * stream.width * stream.height
        allow_cpu(decoded_pixels / DECODED_PER_S + count * size[0] * size[1] / ENCODED_PER_S)
        painter = Painter(source, size, rules.masks, stream.sample_aspect_ratio)
        # Through text, as Fraction(0.1) is the nearest binary number and may lose a frame at the edge.
        begin = span.start + Fraction(str(rules.trim_start_s))
        passing = _Passing(decoded(source, container, stream))
        timed = ((time - begin, frame) for time, frame in passing)
        shown = _painted(painter, at_constant_rate(timed, rules.rate, count))
        watched = _watched(source, target, shown, count, on_frame)
        _encode(target, rules, size, watched)
        is_at_end = span.ends_at(passing.last)
        if not is_at_end:  # the rules cut off the end
            check_last_frame(source, span)
        if picture is not None and passing.pictured is not None and (is_at_end or passing.is_past):
            _draw(source, passing.pictured, stream, picture)
    blank(target, "udta")
    return probe(target)


class _Passing:
    """Decoded frames on their way: the time of the last, and the one to be drawn, which is final once that `is_past`,
    or at the end.
    """

    def __init__(self, frames: Iterator[tuple[Fraction, VideoFrame]]) -> None:
        self._frames = frames
        self.last: Fraction | None = None
        self.pictured: VideoFrame | None = None
        self.is_past = False

    def __iter__(self) -> Iterator[tuple[Fraction, VideoFrame]]:
        start: Fraction | None = None
        for time, frame in self._frames:
            start = time if start is None else start
            if not self.is_past:
                self.pictured, self.is_past = frame, time - start >= AT_S
            self.last = time
            yield time, frame


def _draw(source: Path, frame: VideoFrame, stream: VideoStream, target: Path) -> None:
    """A frame without a picture is no reason to refuse its clip."""
    with suppress(NotAVideo):
        drawn = still(source, frame, stream, FRAME_SIDE)
        with whole(target) as temporary:
            temporary.write_bytes(drawn)


def frames_left(source: Path, duration_s: Fraction | float, rules: Rules) -> int:
    """The number of frames left after trimming. Raises NothingLeft for fewer than two."""
    kept = Fraction(duration_s) - Fraction(str(rules.trim_start_s)) - Fraction(str(rules.trim_end_s))
    count = round(kept * rules.rate)
    if count < 2:
        cut = f"{rules.trim_start_s:g} s off its start and {rules.trim_end_s:g} s off its end"
        raise NothingLeft(source, f"lasts {float(duration_s):.2f} s; the rules cut {cut}: nothing is left")
    return count


def _painted(painter: Painter, frames: Iterable[VideoFrame]) -> Iterator[VideoFrame]:
    """Each frame as shown; a frame that is shown several times is painted once."""
    shown: tuple[VideoFrame, VideoFrame] | None = None
    for frame in frames:
        if shown is None or shown[0] is not frame:
            shown = frame, painter.paint(frame)
        yield shown[1]


def _watched(
    source: Path, target: Path, frames: Iterable[VideoFrame], total: int, on_frame: OnFrame | None
) -> Iterator[VideoFrame]:
    """The frames, counted one by one; stops where the result grows too large."""
    for number, frame in enumerate(frames):
        if on_frame is not None:
            on_frame(number, total)
        if number % _LOOK_EVERY == _LOOK_EVERY - 1 and target.stat().st_size > LARGEST_CLIP_BYTES:
            size = f"would be larger than {LARGEST_CLIP_BYTES / 10**9:g} GB as processed"
            raise TooMuch(source, f"{size}; cut it, or ask for smaller frames or a higher crf")
        yield frame


def _encode(target: Path, rules: Rules, size: tuple[int, int], frames: Iterable[VideoFrame]) -> None:
    with _output(target, rules, size) as (container, stream):
        clean = BitStreamFilterContext(_NO_MESSAGES, stream, stream)
        for number, frame in enumerate(frames):
            frame.pts, frame.time_base = number, 1 / rules.rate
            # A frame remembers what it was in the source; the encoder would make it that again.
            frame.pict_type = PictureType.NONE
            for packet in stream.encode(frame):
                container.mux(clean.filter(packet))
        for packet in stream.encode(None):
            container.mux(clean.filter(packet))
        container.mux(clean.filter(None))


@contextmanager
def _output(
    target: Path, rules: Rules, size: tuple[int, int]
) -> Iterator[tuple[OutputContainer, VideoStream]]:
    encoder = {
        "crf": str(rules.crf),
        "preset": rules.preset,
        "profile": "high",
        # A key frame each second, so that seeking is quick, and at no moment that the picture chooses.
        "g": str(max(1, round(rules.rate))),
        "sc_threshold": "0",
        **_steady_assembly(),
    }
    with av.open(str(target.absolute()), "w", format="mp4", options=dict(_MUXER)) as container:
        stream = container.add_stream("libx264", rate=rules.rate, options=encoder)
        stream.width, stream.height = size
        stream.pix_fmt = "yuv420p"
        context = stream.codec_context
        context.thread_count = 1  # the bytes depend on the number of threads
        context.time_base = 1 / rules.rate
        context.color_range = _LIMITED_RANGE
        context.colorspace = context.color_primaries = context.color_trc = _BT709
        container.start_encoding()  # before the bit-stream filter asks what the stream is
        yield container, stream


@cache
def _steady_assembly() -> dict[str, str]:
    """Keep x264 off AVX-512: with it, core 165 now and then gives other bytes for the same frames."""
    try:
        processor = Path("/proc/cpuinfo").read_text()
    except OSError:
        return {}
    return {"x264-params": "asm=AVX2"} if "avx512" in processor else {}
