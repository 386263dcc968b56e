"""What can be wrong with clips, manifests and rules; every message is fit to be shown as it is."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_LONGEST_SHOWN = 80


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
    """Not a video that can be shown from its first frame to its last."""


class NothingLeft(ClipRefused):
    """Trimming by the rules would leave less than two frames."""


class TooMuch(ClipRefused):
    """More work, or a larger result, than one clip may cost."""


class SizeConflict(ClipError):
    """The rules ask for another frame size than the clips that are there already."""


class ClipChanged(ClipError):
    """A file is not what it was when it was measured."""


class MalformedMp4(ClipError):
    """The boxes of an MP4 do not add up."""


class TooManyBoxes(MalformedMp4):
    """More boxes than any video needs."""


class RangeNotSatisfiable(ClipError):
    """An HTTP range that begins after the end; answer 416 with `Content-Range: bytes */size`."""

    def __init__(self, size: int) -> None:
        super().__init__(f"the range begins after the last of {size} bytes")
        self.size = size


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with one row of a manifest; rows count as a spreadsheet does, the header being 1."""

    file: Path
    row: int | None
    column: str | None
    value: str | None
    message: str

    def __str__(self) -> str:
        parts = [one_line(str(self.file))]
        if self.row is not None:
            parts.append(f"row {self.row}")
        if self.column is not None:
            parts.append(f"column {one_line(self.column)}")
        if self.value is not None:
            parts.append(f"value {shown(self.value)}")
        return f"{', '.join(parts)}: {self.message}"


class ManifestProblems(ClipError):
    """Everything wrong with a manifest or its files, in one go, in the order of its rows."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = sorted(problems, key=lambda problem: problem.row or 0)
        super().__init__("\n".join(str(problem) for problem in self.problems))


@dataclass(frozen=True, slots=True)
class RulesProblem:
    """One thing wrong with a file of processing rules."""

    file: Path
    line: int | None
    message: str

    def __str__(self) -> str:
        place = one_line(str(self.file)) + (f", line {self.line}" if self.line is not None else "")
        return f"{place}: {self.message}"


class RulesProblems(ClipError):
    """Everything wrong with a file of processing rules, in one go."""

    def __init__(self, problems: Sequence[RulesProblem]) -> None:
        self.problems = sorted(problems, key=lambda problem: problem.line or 0)
        super().__init__("\n".join(str(problem) for problem in self.problems))


def one_line(text: str) -> str:
    """The text with anything that would break a line, or colour a terminal, escaped."""
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


def shown(text: str) -> str:
    """A value quoted for a message, shortened where it is long."""
    short = text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…"
    return f"'{one_line(short)}'"
