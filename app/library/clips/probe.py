"""Validation and measurement of a video that can be shown to its end. The file's own claims are not trusted."""

from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import av
from av.container.input import InputContainer
from av.error import FFmpegError
from av.video.stream import VideoStream

from app.library.clips.contained import allow_cpu, contained
from app.library.clips.errors import NotAVideo, TooMuch
from app.library.clips.facts import ClipInfo
from app.library.clips.picture import displayed_size, is_transparent
from app.library.clips.reading import LONGEST_S, check_sides, decoded, demuxed, moving_pictures, open_video

_MOST_PACKETS = LONGEST_S * 300
_MISSING_S = Fraction(1, 4)
_MOST_PIXELS = 600 * 10**9  # 20 minutes of 4K at 60 frames a second: about an hour's work


DECODED_PER_S = 10_000_000
"""Pixels that even a slow processor decodes and paints in a second."""


@dataclass(frozen=True, slots=True)
class Span:
    """The start and end of a video's pictures, in seconds of its own clock.

    `last` is when the last picture begins, `last_key` the time, in units of the stream, of the last one that can be
    decoded by itself.
    """

    start: Fraction
    last: Fraction
    end: Fraction
    frames: int
    nominal: Fraction
    last_key: int

    def ends_at(self, time: Fraction | None) -> bool:
        """True for the time of a last picture, give or take two."""
        return time is not None and self.last - time <= 2 * self.nominal


@contained
def probe(path: Path, *, to_end: bool = True) -> ClipInfo:
    """Measure a video. Raises NotAVideo for any other file, saying what it is, and TooMuch.

    Without `to_end` its last frame is not decoded: enough where it is processed next, which fails without that frame.
    """
    span = measure(path)
    with open_video(path) as (container, stream):
        first = next(decoded(path, container, stream), None)
        if first is None:
            raise NotAVideo(path, "holds no frame that can be decoded")
        width, height = displayed_size(first[1], stream.sample_aspect_ratio)
        check_sides(path, width, height, "is shown at")
        if span.frames * width * height > _MOST_PIXELS:
            frames = f"{span.frames} frames of {width} x {height} px"
            raise TooMuch(path, f"has {frames}, too many to process; cut it, or record it smaller")
        allow_cpu(span.frames * width * height / DECODED_PER_S)
        if to_end:
            check_last_frame(path, span)
        duration = span.end - span.start
        return ClipInfo(
            container=container.format.name,
            codec=stream.codec_context.name,
            width=width,
            height=height,
            duration_s=round(float(duration), 6),
            fps=round(float(span.frames / duration), 3),
            frames=span.frames,
            has_audio=bool(container.streams.audio),
            bytes=path.stat().st_size,
            track=list(container.streams.video).index(stream) + 1,
            others=tuple((one.width, one.height) for one in moving_pictures(container) if one is not stream),
            transparent=is_transparent(first[1]),
            has_subtitles=bool(container.streams.subtitles),
        )


@contained
def measure(path: Path) -> Span:
    """Read all of a video without decoding it. Raises NotAVideo where it is cut short, or too long."""
    with open_video(path) as (container, stream):
        pictures, end_of_all = _packets(path, container, stream)
        if len(pictures) < 2:
            raise NotAVideo(path, "holds a single picture" if pictures else "holds no pictures")
        span = _span(stream, pictures)
        if span.end <= span.start or span.end - span.start > LONGEST_S:
            raise NotAVideo(path, f"does not last between 0 s and {LONGEST_S // 60} minutes")
        _check_claims(path, container, stream, span, end_of_all)
        return span


def _packets(
    path: Path, container: InputContainer, stream: VideoStream
) -> tuple[list[tuple[int, int, bool]], Fraction]:
    """Time, duration and decodable-alone of each picture, and when the last stream of any kind ends."""
    pictures: list[tuple[int, int, bool]] = []
    end_of_all = Fraction(0)
    for packet in demuxed(path, container):
        time = packet.pts if packet.pts is not None else packet.dts
        if time is None or not packet.size:
            continue
        end_of_all = max(end_of_all, (time + (packet.duration or 0)) * packet.time_base)
        # An edit list marks packets that are decoded and not shown.
        if packet.stream_index != stream.index or packet.is_discard:
            continue
        if packet.is_corrupt:
            raise NotAVideo(path, f"is cut short or damaged at {float(time * packet.time_base):.2f} s")
        pictures.append((time, packet.duration or 0, packet.is_keyframe))
        if len(pictures) > _MOST_PACKETS:
            raise NotAVideo(path, f"holds more than {_MOST_PACKETS} frames; cut it first")
    return pictures, end_of_all


def _span(stream: VideoStream, pictures: list[tuple[int, int, bool]]) -> Span:
    unit = stream.time_base or Fraction(1, av.time_base)
    # Packets come in the order of decoding, which with B-frames is not that of time.
    times = sorted(time for time, _, _ in pictures)
    last, duration = max((time, duration) for time, duration, _ in pictures)
    mean = Fraction(times[-1] - times[0], len(times) - 1) * unit
    keys = [time for time, _, is_key in pictures if is_key]
    return Span(
        start=times[0] * unit,
        last=last * unit,
        end=last * unit + (duration * unit or mean),
        frames=len(times),
        nominal=mean,
        last_key=max(keys, default=times[0]),
    )


def _check_claims(
    path: Path, container: InputContainer, stream: VideoStream, span: Span, end_of_all: Fraction
) -> None:
    container_unit = Fraction(1, av.time_base)
    claims = [
        (span.end, _claimed_end(stream.start_time, stream.duration, stream.time_base)),
        # A WebM's stream has no duration of its own: what its container says is for the longest stream.
        (end_of_all, _claimed_end(container.start_time, container.duration, container_unit)),
    ]
    for found, claimed in claims:
        if claimed is not None and claimed - found > _MISSING_S + span.nominal:
            share = f"{float(found):.2f} s of the {float(claimed):.2f} s it claims"
            raise NotAVideo(path, f"is cut short: it holds {share}")


def _claimed_end(start: int | None, duration: int | None, unit: Fraction | None) -> Fraction | None:
    if duration is None or unit is None or duration <= 0:
        return None
    return ((start or 0) + duration) * unit


def check_last_frame(path: Path, span: Span) -> None:
    """Decode the last frame, from the last that stands alone or, where seeking misses it, from the first."""
    with suppress(NotAVideo):
        if _reaches_end(path, span, seek_to=span.last_key):
            return
    if not _reaches_end(path, span, seek_to=None):
        raise NotAVideo(path, "is cut short or damaged: its last frame cannot be decoded")


def _reaches_end(path: Path, span: Span, *, seek_to: int | None) -> bool:
    with open_video(path) as (container, stream):
        if seek_to is not None:
            try:
                container.seek(seek_to, stream=stream)
            except FFmpegError:
                return False
        last = None
        for time, _ in decoded(path, container, stream):
            last = time
        return span.ends_at(last)
