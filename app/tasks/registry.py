"""Tasks by their names: what the study file says of a block of each, what such a block is as it is run, and the task
itself. All of it is found from the names of `app.tasks.TASKS`."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, Union, cast

from pydantic import (
    BeforeValidator,
    Discriminator,
    SerializeAsAny,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)

from app.studies.questions.base import rule_error
from app.tasks import TASKS
from app.tasks.parts import BlockDesign, BlockSettings

if TYPE_CHECKING:
    from app.tasks.base import LiveTask, Simulating, Task

T = TypeVar("T")


class _OfEach(Mapping[str, T]):
    """What the settings of each task have under one name."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getitem__(self, task: str) -> T:
        return cast("T", getattr(import_module(f"{TASKS[task]}.settings"), self._name))

    def __iter__(self) -> Iterator[str]:
        return iter(TASKS)

    def __len__(self) -> int:
        return len(TASKS)


# What the study file says of a block, and what such a block is when it is run.
BLOCKS: Mapping[str, type[BlockSettings]] = _OfEach[type[BlockSettings]]("IN_FILE")
DESIGNS: Mapping[str, type[BlockDesign]] = _OfEach[type[BlockDesign]]("AS_RUN")


def _block_of(raw: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    """A task that was registered later (in a test) is not in the union."""
    task = str(raw.get("task")) if isinstance(raw, dict) else ""
    return BLOCKS[task].model_validate(raw) if task in TASKS and task not in _FIRST else handler(raw)


_FIRST = frozenset(TASKS)
if TYPE_CHECKING:
    Block = BlockSettings
else:
    Block = Annotated[Union[tuple(BLOCKS.values())], Discriminator("task"), WrapValidator(_block_of)]  # noqa: UP007


def _by_task(raw: Any) -> Any:
    """A stored block as its task's own kind of design."""
    if not isinstance(raw, dict):
        return raw
    task = raw.get("task")
    if task not in TASKS:
        raise rule_error(f"there is no task {task!r}", f"use {', '.join(TASKS)}")
    return DESIGNS[str(task)].model_validate(raw)


AnyDesign = Annotated[SerializeAsAny[BlockDesign], BeforeValidator(_by_task)]


@cache
def task_named(name: str) -> "Task":
    """A task by its name. Loaded at its first use: its pages need sessions, which need the design of its blocks."""
    return cast("Task", import_module(f"{TASKS[name]}.task").TASK)


@cache  # every page asks, and it takes a hundred calls to see whether all methods of a protocol are there
def live_task(name: str) -> "LiveTask | None":
    """The task, where its pages change by themselves."""
    from app.tasks.base import LiveTask

    task = task_named(name)
    return cast("LiveTask", task) if LiveTask in type(task).__mro__ else None  # at every page turn


def live_tasks() -> "list[LiveTask]":
    """Every such task."""
    return [task for name in TASKS if (task := live_task(name)) is not None]


@cache
def simulating() -> "Sequence[type[Simulating]]":
    """What simulates the pages of tasks that filling in a form does not answer."""
    modules = [f"{package}.simulated" for package in TASKS.values()]
    return [import_module(module).Simulated for module in modules if find_spec(module)]
