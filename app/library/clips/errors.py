"""Errors in clips, manifests and rules; every message can be shown to users."""

from collections.abc import Sequence
from pathlib import Path

from app.core.problems import Problem, one_line


class ClipError(Exception):
    """Refused, with a reason fit for the reader; commands print it and exit 1."""


class ClipRefused(ClipError):
    """One file cannot be used; `reason` reads on from its name ("is empty")."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{one_line(str(path))} {reason}")
        self.path = path
        self.reason = reason

    def __reduce__(self) -> tuple[type["ClipRefused"], tuple[Path, str]]:
        return type(self), (self.path, self.reason)


class NotAVideo(ClipRefused):
    """The file is not a video that can be shown from its first frame to its last."""


class NothingLeft(ClipRefused):
    """Trimming by the rules would leave less than two frames."""


class TooMuch(ClipRefused):
    """A clip that needs too much work or memory, or gives too large a result."""


class SizeConflict(ClipError):
    """The rules ask for another frame size than the clips that are there already."""


class ClipChanged(ClipError):
    """A file has changed since it was measured."""


class MalformedMp4(ClipError):
    """The boxes of an MP4 do not add up."""


class TooManyBoxes(MalformedMp4):
    """More MP4 boxes than any video needs."""


class RangeNotSatisfiable(ClipError):
    """An HTTP range that begins after the end; answer 416 with `Content-Range: bytes */size`."""

    def __init__(self, size: int) -> None:
        super().__init__(f"the range begins after the last of {size} bytes")
        self.size = size


class ManifestProblems(ClipError):
    """All problems of a manifest or its files at once, in the order of its rows."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = sorted(problems, key=lambda problem: problem.row or 0)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class RulesProblems(ClipError):
    """All problems of a file of processing rules at once."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = sorted(problems, key=lambda problem: problem.line)
        super().__init__("\n".join(str(problem) for problem in self.problems))
