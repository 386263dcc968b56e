"""A figure: a drawing with its finding in a sentence and its numbers in a table, or the reason for none."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers behind a drawing as text; the first `n_names` columns name a row, `n_more` rows are left out."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    n_names: int = 1
    n_more: int = 0


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing. `sentence` is its caption: the finding with n and interval; `reading` explains the marks, and what was
    left out.

    `alt` is its text alternative; `name` is a file name; `size` is width and height in inches. Equal results give equal
    `svg` and `png`.
    """

    name: str
    title: str
    sentence: str
    alt: str
    numbers: Numbers
    size: tuple[float, float]
    svg: str
    png: bytes
    reading: str = ""

    def _repr_svg_(self) -> str:
        """The representation in a notebook."""
        return self.svg


@dataclass(frozen=True, slots=True)
class NoFigure:
    """A figure that there is not, and why, as a sentence."""

    name: str
    title: str
    reason: str


AnyFigure = Figure | NoFigure

MOST_ROWS = 200


def numbers_of(head: Sequence[str], rows: Sequence[Sequence[str]], n_names: int = 1) -> Numbers:
    """A table of at most 200 rows."""
    shown = tuple(tuple(row) for row in rows[:MOST_ROWS])
    return Numbers(tuple(head), shown, n_names, max(0, len(rows) - MOST_ROWS))
