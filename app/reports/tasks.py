"""Exports of each task. They need pandas: the names of the tables are in `kinds.py`, for the service, too."""

from collections.abc import Mapping, Sequence

from app.exports.tables import Designs, Exports, ExportTable, OfSessions
from app.reports.selects import SHARED
from app.tasks.game.exports import EXPORTS as GAME
from app.tasks.pair.exports import EXPORTS as PAIR
from app.tasks.rating.exports import EXPORTS as RATING
from app.tasks.walk.exports import EXPORTS as WALK

EXPORTS: dict[str, Exports] = {"pair": PAIR, "rating": RATING, "game": GAME, "walk": WALK}
"""A task with tables of its own has a line here; answers to its questions are in `answers` without one."""


def of_sessions(designs: Designs) -> Sequence[OfSessions]:
    """Columns that the tasks of a study add to the rows of its sessions."""
    tasks = {block.task for design in designs.values() for block in design.blocks}
    of_tasks = (exports.of_sessions for task, exports in EXPORTS.items() if task in tasks)
    return [added for added in of_tasks if added is not None]


def every_table() -> Mapping[str, ExportTable]:
    """All tables, by their names."""
    of_tasks = (table for exports in EXPORTS.values() for table in exports.tables)
    return {**SHARED, **{table.what: table for table in of_tasks}}


def table_of(what: str) -> ExportTable:
    """A table of any task by its name. Raises KeyError."""
    return every_table()[what]
