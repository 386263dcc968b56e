"""All tasks by name. The package of each states what is needed before it is loaded."""

from collections.abc import Mapping

from app.tasks import game, pair, rating, walk
from app.tasks.named import Named

TASKS: dict[str, Named] = {
    "pair": pair.ABOUT,
    "rating": rating.ABOUT,
    "game": game.ABOUT,
    "walk": walk.ABOUT,
}
"""A new task has a line here, one in `registry.py` for its blocks and one in `running.py` for what it does."""

# A study file without blocks is short for one block of this task: its keys are those of the block, and these alone.
SHORT_TASK = "pair"
SHORT_KEYS = ("pairs", "sample", "trials")


def units_in_words(counts: Mapping[str, int]) -> str:
    """The number of units by task: `2 pairs and 15 items`; `0 pairs` if there are none."""
    return " and ".join(
        TASKS[task].units[n != 1].format(n) for task, n in (counts or {SHORT_TASK: 0}).items()
    )
