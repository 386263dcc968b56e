"""Features of clips by a network that was trained elsewhere: an ONNX file that the user names, run as it is.

Frames at equal steps, of the size that its input declares, red, green and blue from 0 to 1 (to 255 where it takes
bytes); the features of a clip are the mean over its frames. The file is known by its SHA-256, and nothing is fetched.
"""

import hashlib
from pathlib import Path
from typing import Any

import numpy as np

from analysis.learning.pictures import COLOURS, Bytes
from analysis.stats.intervals import Floats
from app.judges.base import JudgeFailed, JudgeUnavailable, StimulusFiles
from app.judges.frames import evenly_spaced
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
    """The features that an ONNX file makes of clips.

    Raises JudgeUnavailable, naming the file, where onnxruntime is missing, or for what is no such network with one
    input of frames, (n, 3, height, width) or (n, height, width, 3), and one output, a row for each frame.
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
        self._at_once = batch or FRAMES

    def of(self, files: StimulusFiles) -> Floats:
        """The features of a clip, shape (features,). Raises JudgeFailed naming the clip."""
        if files.clip is None:
            raise JudgeFailed(None, "the clip has no file")
        try:
            pictures = evenly_spaced(files.clip, self.frames, self.width, self.height)
        except ClipRefused as refusal:
            raise JudgeFailed(files.clip, refusal.reason) from None
        given = self._prepared(pictures)
        parts = [given[at : at + self._at_once] for at in range(0, len(given), self._at_once)]
        try:
            rows = [
                self._rows(self._session.run(None, {self._input.name: part})[0], len(part)) for part in parts
            ]
        except JudgeUnavailable:
            raise
        except Exception as error:
            raise JudgeUnavailable(f"{self._path}: cannot be run ({_short(error)})") from None
        mean: Floats = np.concatenate(rows).mean(axis=0)
        if not np.isfinite(mean).all():
            raise JudgeFailed(files.clip, f"has features in {self.name} that are no finite numbers")
        return mean

    def _prepared(self, pictures: Bytes) -> Any:
        ordered = pictures.transpose(0, 3, 1, 2) if self._first_colours else pictures
        if _TYPES[self._input.type] is np.uint8:
            return np.ascontiguousarray(ordered)
        return np.ascontiguousarray(ordered, dtype=np.float32) / np.float32(255)

    def _rows(self, found: object, n: int) -> Floats:
        """What a run gave, a row of features for each frame."""
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


def _read(path: Path) -> bytes:
    try:
        if path.stat().st_size > _LARGEST_BYTES:
            raise JudgeUnavailable(f"{path}: is larger than {_LARGEST_BYTES // 10**9} GB")
        return path.read_bytes()
    except OSError as error:
        raise JudgeUnavailable(f"{path}: cannot be read ({error.strerror})") from None


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:_LONGEST_REASON]
