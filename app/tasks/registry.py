"""The tasks there are. A new one is a folder, and its blocks in the lines below."""

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, cast

from pydantic import Discriminator

from app.tasks.pair.settings import PairBlock, PairDesign
from app.tasks.parts import BlockSettings
from app.tasks.rating.settings import RatingBlock, RatingDesign

if TYPE_CHECKING:
    from app.tasks.base import Task

BLOCKS: Mapping[str, type[BlockSettings]] = {"pair": PairBlock, "rating": RatingBlock}
Block = Annotated[PairBlock | RatingBlock, Discriminator("task")]
AnyDesign = Annotated[PairDesign | RatingDesign, Discriminator("task")]


def task_named(name: str) -> "Task":
    """A task by its name. Loaded at its first use: its pages need sessions, which need the design of its blocks."""
    return cast("Task", import_module(f"app.tasks.{name}.task").TASK)
