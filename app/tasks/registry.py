"""The tasks there are. A new one is a folder, and a line in each of the three lists below and in
`UNITS`."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, cast

from pydantic import BeforeValidator, Discriminator, SerializeAsAny

from app.studies.questions.base import rule_error
from app.tasks.game.settings import GameBlock, GameDesign
from app.tasks.pair.settings import PairBlock, PairDesign
from app.tasks.parts import BlockDesign, BlockSettings
from app.tasks.rating.settings import RatingBlock, RatingDesign
from app.tasks.walk.settings import WalkBlock, WalkDesign

if TYPE_CHECKING:
    from app.tasks.base import LiveTask, Task

# What the study file says of a block, and what such a block is when it is run.
BLOCKS: Mapping[str, type[BlockSettings]] = {
    "pair": PairBlock,
    "rating": RatingBlock,
    "game": GameBlock,
    "walk": WalkBlock,
}
DESIGNS: dict[str, type[BlockDesign]] = {
    "pair": PairDesign,
    "rating": RatingDesign,
    "game": GameDesign,
    "walk": WalkDesign,
}
Block = Annotated[PairBlock | RatingBlock | GameBlock | WalkBlock, Discriminator("task")]


def _by_task(raw: Any) -> Any:
    """A stored block as its task's own kind of design."""
    if not isinstance(raw, dict):
        return raw
    task = raw.get("task")
    if task not in DESIGNS:
        raise rule_error(f"there is no task {task!r}", f"use {', '.join(DESIGNS)}")
    return DESIGNS[task].model_validate(raw)


AnyDesign = Annotated[SerializeAsAny[BlockDesign], BeforeValidator(_by_task)]


@cache
def task_named(name: str) -> "Task":
    """A task by its name. Loaded at its first use: its pages need sessions, which need the design of its blocks."""
    module = DESIGNS[name].__module__.rpartition(".")[0]
    return cast("Task", import_module(f"{module}.task").TASK)


@cache  # every page asks, and it takes a hundred calls to see whether all methods of a protocol are there
def live_task(name: str) -> "LiveTask | None":
    """The task, where its pages change by themselves."""
    from app.tasks.base import LiveTask

    task = task_named(name)
    return cast("LiveTask", task) if LiveTask in type(task).__mro__ else None  # at every page turn


def live_tasks() -> "list[LiveTask]":
    """Every such task."""
    return [task for name in DESIGNS if (task := live_task(name)) is not None]
