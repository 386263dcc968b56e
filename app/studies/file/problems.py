"""What is wrong with a study's files: each problem with its file, its line and what to do about it."""

from collections.abc import Iterable
from dataclasses import dataclass

from app.core.errors import StudyError
from app.core.problems import Problem, nearest, quoted

__all__ = [
    "Fault",
    "Place",
    "Problem",
    "StudyFileProblems",
    "counted",
    "dotted",
    "listed",
    "nearest",
    "quoted",
]

# A place in the study file: keys and list indices, from the top.
Place = tuple[str | int, ...]


def dotted(place: Place) -> str:
    """A place as a message names it: entries of a list counted from 1."""
    return ".".join(str(part + 1) if isinstance(part, int) else part for part in place)


@dataclass(frozen=True, slots=True)
class Fault:
    """A broken rule at a place in the study file, before the place has become a line."""

    place: Place
    message: str
    remedy: str


class StudyFileProblems(StudyError):
    """Everything that is wrong with a study file and the files it names, one line each."""

    status_code = 422
    title = "The study file has errors"

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


def listed(values: Iterable[str], joint: str = "or") -> str:
    """Values as a list in a sentence: `a, b or c`."""
    *first, last = values
    return f"{', '.join(first)} {joint} {last}" if first else last


def counted(n: int, one: str, many: str = "") -> str:
    """`1 pair`, `2 pairs`."""
    return f"{n} {one if n == 1 else many or one + 's'}"
