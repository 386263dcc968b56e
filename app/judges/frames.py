"""The pictures of a clip as visual networks read them: decoded once, small, at equal steps."""

import math
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import numpy as np
from av.video.reformatter import VideoReformatter

from analysis.learning.networks import Settings
from analysis.learning.pictures import COLOURS, FRAME, Bytes, Frames, box_mean
from app.judges.base import JudgeFailed, StimulusFiles
from app.library.clips.contained import allow_cpu, contained
from app.library.clips.errors import ClipRefused
from app.library.clips.probe import DECODED_PER_S, measure
from app.library.clips.reading import decoded, open_video
from app.library.clips.timing import at_constant_rate

LINES_HZ = 30.0
"""Lines a second of a bar-code of a whole clip, before they are brought to its height."""
_MOST_BYTES = 1_000_000_000

Size = tuple[int, int]
"""Rows and columns."""


def read_frames(files: StimulusFiles, settings: Settings, size: Size = FRAME) -> Frames:
    """A clip's frames as read by a network. Raises JudgeFailed if it is not a decodable video."""
    if files.clip is None:
        raise JudgeFailed(None, "the clip has no file")
    try:
        changed_ns = files.clip.stat().st_mtime_ns if files.clip.is_file() else 0
        rate_hz = settings.rate_hz or LINES_HZ
        values = _cached_frames(files.clip, changed_ns, rate_hz, settings.reads == "bar-code", size)
        return Frames(rate_hz, values)
    except ClipRefused as refusal:
        raise JudgeFailed(files.clip, refusal.reason) from None


@lru_cache(maxsize=4)
def _cached_frames(clip: Path, changed_ns: int, rate_hz: float, as_lines: bool, size: Size) -> Bytes:
    """Frames, cached for the last clips, as several copies of a network look at the same pair."""
    # `changed_ns` is for the key alone: a file that was written anew is read anew.
    return _read(clip, rate_hz, as_lines, size)


@contained
def _read(clip: Path, rate_hz: float, as_lines: bool, size: Size) -> Bytes:
    """Sampled frames: at each step the last one that had begun; with `as_lines` its mean over the rows."""
    span = measure(clip)  # a clip that is cut short would be decoded up to there without a word
    # Without the margin 2 s at 3 Hz may come out as 5.999 and lose a frame.
    n = int(float(span.end - span.start) * rate_hz + 1e-6)
    shape = size[1:] if as_lines else size
    if n * math.prod(shape) * COLOURS > _MOST_BYTES:
        raise ClipRefused(
            clip, f"lasts too long to be looked at {rate_hz:g} times a second at {size[1]} x {size[0]} pixels"
        )
    found: list[Bytes] = []
    last: Bytes | None = None
    for time_s, picture in _small(clip, span.frames, as_lines, size):
        while (
            last is not None and len(found) < n and len(found) / rate_hz < time_s - float(span.start) - 1e-6
        ):
            found.append(last)
        last = picture
    if last is not None:
        found += [last] * (n - len(found))
    return np.stack(found) if found else np.zeros((0, *shape, COLOURS), dtype=np.uint8)


def _small(clip: Path, frames: int, as_lines: bool, size: Size) -> Iterator[tuple[float, Bytes]]:
    rows, columns = size
    shrinking = VideoReformatter()
    with open_video(clip) as (container, stream):
        allow_cpu(frames * stream.width * stream.height / DECODED_PER_S)
        for time, frame in decoded(clip, container, stream):
            if as_lines:
                # Not shrunk first: the scaler's areas are not whole, and lines came out up to 30 of 255 off.
                line = shrinking.reformat(frame, format="rgb24").to_ndarray().mean(axis=0)
                yield float(time), box_mean(line, columns).round().astype(np.uint8)
            else:
                small = shrinking.reformat(frame, columns, rows, "rgb24", interpolation="AREA")
                yield float(time), small.to_ndarray().astype(np.uint8)


@contained
def evenly_spaced(clip: Path, count: int, width: int, height: int | None = None) -> Bytes:
    """`count` frames, each the one shown in the middle of its share of the clip, shape (count, height, width, 3).

    Without `height` they keep their aspect ratio. A clip with fewer frames repeats some. Raises ClipRefused.
    """
    span = measure(clip)  # a clip that is cut short would be decoded up to there without a word
    shrinking = VideoReformatter()
    with open_video(clip) as (container, stream):
        allow_cpu(span.frames * stream.width * stream.height / DECODED_PER_S)
        rows = height or max(2, round(width * stream.height / stream.width / 2) * 2)
        timed = ((time - span.start, frame) for time, frame in decoded(clip, container, stream))
        return np.stack(
            [
                shrinking.reformat(frame, width, rows, "rgb24", interpolation="AREA").to_ndarray()
                for frame in at_constant_rate(timed, count / (span.end - span.start), count)
            ]
        )


def encoding_of(clip: Path) -> str:
    """Codec, size and frame rate, as far as they could tell a source. Raises ClipRefused."""
    span = measure(clip)
    with open_video(clip) as (_, stream):
        rate = round(float(span.frames / (span.end - span.start)))
        return f"{stream.codec_context.name}, {stream.width} x {stream.height}, {rate} frames a second"
