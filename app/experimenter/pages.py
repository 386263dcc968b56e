"""What each experimenter's page is given."""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class StudyRow:
    slug: str
    address: str
    state: str
    version: int
    n_pairs: int
    counts: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class StudiesPage:
    """All studies; `counts` are sessions in words, such as (`live, completed`, 12)."""

    template: ClassVar[str] = "studies.html"
    studies: tuple[StudyRow, ...]
    n_simulated_clips: int
    n_clips: int


@dataclass(frozen=True, slots=True)
class KeyPage:
    """Asks a stranger for the experimenter's key."""

    template: ClassVar[str] = "key.html"
    error: str = ""
