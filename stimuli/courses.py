"""Starting points of people who walk the map: the first scenes of seed 1, so that agents' clips of that seed show the
same.

Written by `tools/courses.py`, as planning needs NumPy, which the serving process does without.
"""

import csv
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from stimuli.steps import Walker

SEED = 1
MOST_STARTS = 20
"""So many starts for each goal; one more is for practice."""
TABLE = Path(__file__).with_name("courses.csv")
COLUMNS = ("goal", "number", "x", "y", "heading")


class Course(NamedTuple):
    """A goal by its name, and a start in micrometres and thousandths of a degree. `number` is that of its scene."""

    goal: str
    number: int
    x: int
    y: int
    heading: int

    @property
    def name(self) -> str:
        return f"{self.goal}-{self.number}"

    @property
    def walker(self) -> Walker:
        """A walker standing at its start."""
        return Walker(self.x, self.y, self.heading)


@lru_cache(maxsize=1)
def courses() -> dict[str, Course]:
    """All of them by name, the starts of each goal in order."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        rows = [
            Course(row["goal"], *(int(row[name]) for name in COLUMNS[1:])) for row in csv.DictReader(file)
        ]
    return {course.name: course for course in rows}
