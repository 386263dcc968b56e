"""Features of pictures by a network that was trained elsewhere: an ONNX file that the user names, run as it is.

Pictures are of the size that its input declares, red, green and blue from 0 to 1 (to 255 where it takes bytes). A judge
of votes reads frames at equal steps, and of these the mean; `looked_at` is what networks of ours read in the place of
pictures. The file is known by its SHA-256, and nothing is fetched.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from analysis.learning.networks import Settings, bar_codes, from_above
from analysis.learning.paths import Path as Track
from analysis.learning.pictures import COLOURS, Bytes, Frames
from analysis.stats.intervals import Floats
from app.judges.base import JudgeFailed, JudgeUnavailable, StimulusFiles
from app.judges.frames import evenly_spaced, read_frames
from app.library.clips.errors import ClipRefused

MISSING = (
    "features of an ONNX file need onnxruntime, which is not installed here; install the extra `features` "
    "(`make features` in the program's folder)"
)
FRAMES = 8
"""Of each clip, where the file's input takes any number or one at a time."""
_MOST_FRAMES = 64
_LARGEST_BYTES = 2_000_000_000
_LONGEST_SIDE = 2048
_MOST_FEATURES = 100_000
_LONGEST_REASON = 200
_TYPES: dict[str, type[np.generic]] = {"tensor(float)": np.float32, "tensor(uint8)": np.uint8}


class FrozenFeatures:
    """The features that an ONNX file computes from clips.

    Raises JudgeUnavailable, naming the file, if onnxruntime is missing or the network does not have one input of
    frames, (n, 3, height, width) or (n, height, width, 3), and one output with a row for each frame.
    """

    def __init__(self, path: Path) -> None:
        try:
            import onnxruntime
        except ImportError:
            raise JudgeUnavailable(MISSING) from None
        data = _read(path)
        self.name, self.sha256 = path.name, hashlib.sha256(data).hexdigest()
        self._path = path
        options = onnxruntime.SessionOptions()
        # Fatal faults alone: onnxruntime writes its own lines to standard error.
        options.log_severity_level = 4
        try:
            # From bytes: what was hashed is what runs, and no file beside it is read.
            self._session: Any = onnxruntime.InferenceSession(
                data, sess_options=options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:
            raise JudgeUnavailable(f"{path}: is no ONNX file that can be run ({_short(error)})") from None
        inputs, outputs = self._session.get_inputs(), self._session.get_outputs()
        if len(inputs) != 1 or len(outputs) != 1:
            raise JudgeUnavailable(
                f"{path}: has {len(inputs)} inputs and {len(outputs)} outputs; one input of frames and one output of "
                "features are needed"
            )
        self._input = inputs[0]
        if self._input.type not in _TYPES:
            raise JudgeUnavailable(
                f"{path}: its input is {self._input.type}; allowed are {' and '.join(_TYPES)}"
            )
        self._take_shape(list(self._input.shape))

    def _take_shape(self, shape: list[object]) -> None:
        channels = [axis for axis in (1, 3) if len(shape) == 4 and shape[axis] == COLOURS]
        sides = ([2, 3] if channels[0] == 1 else [1, 2]) if channels else []
        sizes = [size for axis in sides if isinstance(size := shape[axis], int)]
        if len(sizes) != 2 or not all(0 < size <= _LONGEST_SIDE for size in sizes):
            raise JudgeUnavailable(
                f"{self._path}: its input has the shape {shape}; (n, {COLOURS}, height, width) or (n, height, width, "
                f"{COLOURS}) is needed, with height and width from 1 to {_LONGEST_SIDE}"
            )
        batch = shape[0] if isinstance(shape[0], int) and shape[0] > 0 else None
        if batch is not None and batch > _MOST_FRAMES:
            raise JudgeUnavailable(
                f"{self._path}: its input takes {batch} frames; allowed are {_MOST_FRAMES}"
            )
        self.frames = batch if batch is not None and batch > 1 else FRAMES
        self.height, self.width = sizes
        self._first_colours = channels[0] == 1
        self._takes, self._at_once = batch, batch or FRAMES

    def of(self, files: StimulusFiles) -> Floats:
        """The features of a clip, shape (features,). Raises JudgeFailed naming the clip."""
        if files.clip is None:
            raise JudgeFailed(None, "the clip has no file")
        try:
            pictures = evenly_spaced(files.clip, self.frames, self.width, self.height)
        except ClipRefused as refusal:
            raise JudgeFailed(files.clip, refusal.reason) from None
        mean: Floats = self._finite(self.of_pictures(pictures), files.clip).mean(axis=0)
        return mean

    @cached_property
    def n(self) -> int:
        """The number of features per picture."""
        black = np.zeros((1, self.height, self.width, COLOURS), dtype=np.uint8)
        return int(self.of_pictures(black).shape[1])

    def described(self, frames: int | None = None) -> Mapping[str, Any]:
        """The network's description for a card; `frames` is the number of frames read of each clip."""
        of_clip = {} if frames is None else {"frames": frames}
        of_file = {"file": self.name, "sha256": self.sha256, "n": self.n}
        return {**of_file, **of_clip, "width": self.width, "height": self.height}

    def settings(self, settings: Settings) -> Settings:
        """Settings of a network of ours on top of this one; a bar-code has as many lines as a picture has rows."""
        window = self.height if settings.reads == "bar-code" else settings.window
        return replace(settings, features=self.n, window=window)

    def looked_at(self, files: StimulusFiles, settings: Settings, path: Track | None) -> Frames:
        """Features of a clip, for the input chosen by `settings`: each frame, its bar-code, or `path` from above.

        Raises JudgeFailed naming the clip.
        """
        if settings.reads == "top-down":
            assert path is not None
            pictures, rate_hz = from_above(path, settings, self.height, self.width), 0.0
        else:
            frames = read_frames(files, settings, (self.height, self.width))
            rate_hz = frames.rate_hz
            pictures = frames.values if settings.reads == "frames" else bar_codes(frames, settings)
        found = self._finite(self.of_pictures(pictures), files.positions if path else files.clip)
        return Frames(rate_hz, found.astype(np.float32))

    def of_pictures(self, pictures: Bytes) -> Floats:
        """The features of each, shape (n, features), of pictures (n, height, width, 3).

        Raises JudgeUnavailable where the file cannot be run on them.
        """
        given = self._prepared(pictures)
        parts = [given[at : at + self._at_once] for at in range(0, len(given), self._at_once)]
        try:
            return np.concatenate([self._run(part) for part in parts])
        except JudgeUnavailable:
            raise
        except Exception as error:
            raise JudgeUnavailable(f"{self._path}: cannot be run ({_short(error)})") from None

    def _run(self, part: Any) -> Floats:
        """The network's output for some pictures; if it takes a fixed number, the last picture is repeated."""
        n = len(part)
        if self._takes is not None and n < self._takes:
            part = np.concatenate([part, np.repeat(part[-1:], self._takes - n, axis=0)])
        return self._rows(self._session.run(None, {self._input.name: part})[0], len(part))[:n]

    def _finite(self, found: Floats, file: Path | None) -> Floats:
        if not np.isfinite(found).all():
            raise JudgeFailed(file, f"has features in {self.name} that are no finite numbers")
        return found

    def _prepared(self, pictures: Bytes) -> Any:
        ordered = pictures.transpose(0, 3, 1, 2) if self._first_colours else pictures
        if _TYPES[self._input.type] is np.uint8:
            return np.ascontiguousarray(ordered)
        return np.ascontiguousarray(ordered, dtype=np.float32) / np.float32(255)

    def _rows(self, found: object, n: int) -> Floats:
        """A run's output as a row of features for each frame."""
        values = np.asarray(found)
        if values.dtype.kind not in "fiu" or not values.ndim or len(values) != n or not values.size:
            raise JudgeUnavailable(
                f"{self._path}: gives {values.dtype} of shape {values.shape} for {n} frames; a row of numbers for each "
                "frame is needed"
            )
        rows: Floats = values.reshape(n, -1).astype(np.float64)
        if rows.shape[1] > _MOST_FEATURES:
            raise JudgeUnavailable(
                f"{self._path}: gives {rows.shape[1]:,} features; allowed are {_MOST_FEATURES:,}"
            )
        return rows


def refuse_others(folder: Path, known: Mapping[str, Any] | None, given: FrozenFeatures | None) -> None:
    """Raise JudgeUnavailable if the features are not from the file that the judge in `folder` was trained with."""
    if known is None and given is not None:
        raise JudgeUnavailable(
            f"{folder} reads no features of an ONNX file: leave out --backbone",
            on_page=f"{folder.name} reads no features of an ONNX file.",
        )
    if known is not None and given is None:
        raise JudgeUnavailable(
            f"{folder} reads features by {str(known['file'])[:200]} (SHA-256 {str(known['sha256'])[:64]}), which is "
            "not kept with it: name that file at the command line, judge run --backbone FILE.onnx",
            on_page=f"{folder.name} reads features by {str(known['file'])[:200]}, a file that is not kept with it: it "
            "runs on the machine of the service, where that file is named.",
        )
    if known is not None and given is not None and known["sha256"] != given.sha256:
        raise JudgeUnavailable(
            f"{given.name} has the SHA-256 {given.sha256}; {folder} learnt from features by "
            f"{str(known['file'])[:200]} with {str(known['sha256'])[:64]}"
        )


def _read(path: Path) -> bytes:
    try:
        if path.stat().st_size > _LARGEST_BYTES:
            raise JudgeUnavailable(f"{path}: is larger than {_LARGEST_BYTES // 10**9} GB")
        return path.read_bytes()
    except OSError as error:
        raise JudgeUnavailable(f"{path}: cannot be read ({error.strerror})") from None


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:_LONGEST_REASON]
