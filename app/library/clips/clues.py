"""Clues to a clip's source in its pictures and file, other than what happens in it."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path

import numpy as np
import numpy.typing as npt
from av.video.frame import VideoFrame

from app.library.clips.contained import allow_cpu, contained
from app.library.clips.errors import NotAVideo
from app.library.clips.probe import DECODED_PER_S, probe
from app.library.clips.reading import decoded, demuxed, open_video

CLUES = (
    "duration_s",
    "bytes",
    "width",
    "height",
    "fps",
    "bitrate_kbps",
    "brightness",
    "contrast",
    "sharpness",
    "motion",
    "still_start_s",
    "still_end_s",
    "key_frame_bytes",
    "frame_bytes",
    "frame_bytes_spread",
)
"""The keys of `measure_clues`, in this order."""

STILL_BELOW = 0.5
"""Motion below which a picture counts as standing still, in grey levels of 255.

The encoder's own unrest in a still picture was seen to stay below 0.4, a slow walk above 1.
"""

_LONGEST_SIDE = 320
_SHARPNESS_PER_S = 4
_DIGITS = 3
# Luma of video goes from 16 (black) to 235 (white).
_BLACK = 16
_FULL_RANGE = 255 / 219

Bytes = npt.NDArray[np.uint8]


@contained
def measure_clues(path: Path) -> dict[str, float]:
    """Measure one processed clip (H.264, `yuv420p`, limited range, as `process` writes it).

    Returns
    -------
    dict
        The keys of `CLUES`, in their order, rounded to three decimals so that no dust decides a rank:

        - ``duration_s``, ``bytes``, ``width``, ``height`` (pixels), ``fps``: as `probe` counts them;
        - ``bitrate_kbps``: kilobits (1000) per second over the whole file;
        - ``brightness``: mean luma, 0 (black) to 255 (white);
        - ``contrast``: standard deviation of luma over a picture, averaged over pictures, 0 to 127.5;
        - ``sharpness``: variance of the Laplacian of luma (the four neighbours less four times the pixel) in
          full resolution [PC00]_, averaged over four pictures per second; 0 is flat, and more is sharper;
        - ``motion``: mean absolute difference of luma from one picture to the next, 0 to 255. Key frames are
          left out, as far as there are others: they draw all anew, which moves pixels where nothing moves;
        - ``still_start_s``, ``still_end_s``: seconds from the start, and up to the end, in which motion stays
          below `STILL_BELOW`; 0 where the clip begins, or ends, moving;
        - ``key_frame_bytes``, ``frame_bytes``: the median room in the file that a key frame takes, and that any other
          frame takes (0 where there are none); ``frame_bytes_spread``: standard deviation over mean of the latter.

    Raises
    ------
    NotAVideo
        If the file is no video, or cannot be decoded to its end.
    """
    info = probe(path)
    allow_cpu(10 * info.frames * info.width * info.height / DECODED_PER_S)
    pictures = _watch(path, info.fps)
    keys, others = _frame_sizes(path)
    frame_s = info.duration_s / info.frames
    return _rounded(
        duration_s=info.duration_s,
        bytes=info.bytes,
        width=info.width,
        height=info.height,
        fps=info.fps,
        bitrate_kbps=info.bytes * 8 / 1000 / info.duration_s,
        brightness=_mean(pictures.brightness),
        contrast=_mean(pictures.contrast),
        sharpness=_mean(pictures.sharpness),
        motion=_mean(pictures.moved()),
        still_start_s=pictures.still_from_start() * frame_s,
        still_end_s=pictures.still_to_end() * frame_s,
        key_frame_bytes=float(np.median(keys)),
        frame_bytes=float(np.median(others)) if others else 0.0,
        frame_bytes_spread=float(np.std(others) / np.mean(others)) if others else 0.0,
    )


def _frame_sizes(path: Path) -> tuple[list[int], list[int]]:
    """Bytes of each key frame, and of each other frame."""
    keys: list[int] = []
    others: list[int] = []
    with open_video(path) as (container, stream):
        for packet in demuxed(path, container):
            if packet.stream_index == stream.index and packet.size:
                (keys if packet.is_keyframe else others).append(packet.size)
    return keys, others


@dataclass(slots=True)
class _Pictures:
    """Per-frame measurements; `motion` and `is_key` begin with the second frame."""

    brightness: list[float] = field(default_factory=list)
    contrast: list[float] = field(default_factory=list)
    sharpness: list[float] = field(default_factory=list)
    motion: list[float] = field(default_factory=list)
    is_key: list[bool] = field(default_factory=list)

    def moved(self) -> list[float]:
        """Motion between frames other than key frames, or all of it if there are no others."""
        return [m for m, key in zip(self.motion, self.is_key, strict=True) if not key] or self.motion

    def still_from_start(self) -> int:
        """The number of frames without motion from the start."""
        moving = self._moving()
        return moving.index(True) if True in moving else len(moving)

    def still_to_end(self) -> int:
        """The number of frames without motion up to the end."""
        moving = self._moving()[::-1]
        return moving.index(True) if True in moving else len(moving)

    def _moving(self) -> list[bool]:
        passed_over = self.is_key if not all(self.is_key) else [False] * len(self.is_key)
        return [m >= STILL_BELOW and not key for m, key in zip(self.motion, passed_over, strict=True)]


def _watch(path: Path, fps: float) -> _Pictures:
    pictures = _Pictures()
    every = max(1, round(fps / _SHARPNESS_PER_S))
    before: npt.NDArray[np.int16] | None = None
    for number, (is_key, luma) in enumerate(_lumas(path)):
        step = ceil(max(luma.shape) / _LONGEST_SIDE)
        # Signed: differences of uint8 wrap round below 0.
        small = luma[::step, ::step].astype(np.int16)
        pictures.brightness.append((float(small.mean()) - _BLACK) * _FULL_RANGE)
        pictures.contrast.append(float(small.std(dtype=np.float32)) * _FULL_RANGE)
        if number % every == 0:
            pictures.sharpness.append(_sharpness(luma.astype(np.float32)))
        if before is not None:
            pictures.motion.append(float(np.abs(small - before).mean()) * _FULL_RANGE)
            pictures.is_key.append(is_key)
        before = small
    if not pictures.motion:
        raise NotAVideo(path, "holds a single picture that can be decoded")
    return pictures


def _lumas(path: Path) -> Iterator[tuple[bool, Bytes]]:
    """For each frame, whether it is a key frame, and its luma as coded. Raises NotAVideo if the size changes."""
    size: tuple[int, int] | None = None
    with open_video(path) as (container, stream):
        for _, frame in decoded(path, container, stream):
            if size not in (None, (frame.width, frame.height)):
                raise NotAVideo(path, "changes its frame size; it was not processed here")
            size = frame.width, frame.height
            yield frame.key_frame, _luma(frame)


def _luma(frame: VideoFrame) -> Bytes:
    plane = frame.reformat(format="yuv420p", dst_color_range="MPEG").planes[0]
    lines: Bytes = np.frombuffer(memoryview(plane), np.uint8).reshape(plane.height, plane.line_size)
    return lines[:, : plane.width]


def _sharpness(luma: npt.NDArray[np.float32]) -> float:
    laplacian = luma[:-2, 1:-1] + luma[2:, 1:-1] + luma[1:-1, :-2] + luma[1:-1, 2:] - 4 * luma[1:-1, 1:-1]
    return float(laplacian.var(dtype=np.float64)) * _FULL_RANGE**2


def _mean(values: list[float]) -> float:
    return float(np.mean(values))


def _rounded(**values: float) -> dict[str, float]:
    return {clue: round(float(values[clue]), _DIGITS) for clue in CLUES}
