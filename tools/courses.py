"""Write stimuli/courses.csv anew: `python tools/courses.py`. Courses of studies that have begun are kept with them."""

import csv
import math

import numpy as np

from stimuli import steps
from stimuli.arena import GOALS
from stimuli.courses import COLUMNS, MOST_STARTS, SEED, TABLE, Course
from stimuli.scenes import Scene


def course(goal: int, number: int) -> Course:
    """The start of a scene, and a direction to look in that is drawn for it, as agents have one."""
    heading_rad = float(np.random.default_rng([SEED, goal, number, 4]).uniform(-math.pi, math.pi))
    walker = steps.start(*Scene(SEED, goal, number).start(), heading_rad)
    return Course(GOALS[goal].name, number, walker.x, walker.y, walker.heading)


if __name__ == "__main__":
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(
            course(goal, number) for goal in range(len(GOALS)) for number in range(1, MOST_STARTS + 2)
        )
