"""The tasks as they run, by their names: what plans, shows, reads and simulates the trials of each.

It is apart from `registry`, which study files need: a task's pages need sessions, and these need study files.
"""

from functools import cache

from app.tasks.base import LiveTask, Task
from app.tasks.game.task import TASK as GAME
from app.tasks.pair.task import TASK as PAIR
from app.tasks.rating.task import TASK as RATING
from app.tasks.walk.task import TASK as WALK
from app.trials.here import Where
from app.trials.tables import Status

RUNNING: dict[str, Task] = {"pair": PAIR, "rating": RATING, "game": GAME, "walk": WALK}
"""A new task has a line here, and one in `app.tasks.registry`."""


def task_named(name: str) -> Task:
    """Raises KeyError."""
    return RUNNING[name]


@cache  # every page asks, and it takes a hundred calls to see whether all methods of a protocol are there
def _is_live(kind: type[Task]) -> bool:
    return LiveTask in kind.__mro__


def live_task(name: str) -> LiveTask | None:
    """The task, where its pages change by themselves."""
    task = RUNNING[name]
    return task if _is_live(type(task)) else None  # type: ignore[return-value]


def live_tasks() -> list[LiveTask]:
    """Every such task."""
    return [task for name in RUNNING if (task := live_task(name)) is not None]


def live_of(where: Where) -> LiveTask | None:
    """The task of the current page, where that changes by itself."""
    is_trial = where.page.kind == "trial" and where.status == Status.ACTIVE
    return live_task(where.part.task) if is_trial else None


def has_shared_page(where: Where) -> bool:
    """True if the current page is the same for all sessions at this point."""
    if where.page.kind != "trial":
        return True
    part = where.part
    return task_named(part.task).shares_page(where.run.block(part.block).design)
