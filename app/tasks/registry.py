"""Tasks by name: the settings of a block of each in the study file, and the block at run time."""

from typing import TYPE_CHECKING, Annotated, Any, Union

from pydantic import (
    BeforeValidator,
    Discriminator,
    SerializeAsAny,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)

from app.questions.base import rule_error
from app.tasks.game.settings import GameBlock, GameDesign
from app.tasks.listed import SHORT_TASK
from app.tasks.pair.settings import PairBlock, PairDesign
from app.tasks.rating.settings import RatingBlock, RatingDesign
from app.tasks.walk.settings import WalkBlock, WalkDesign
from app.trials.parts import BlockDesign, BlockSettings

# What the study file says of a block, and what such a block is when it is run.
BLOCKS: dict[str, type[BlockSettings]] = {
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
SHORT: type[BlockSettings] = BLOCKS[SHORT_TASK]


def _block_of(raw: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    """A task that was registered later (in a test) is not in the union."""
    task = str(raw.get("task")) if isinstance(raw, dict) else ""
    return BLOCKS[task].model_validate(raw) if task in BLOCKS and task not in _FIRST else handler(raw)


_FIRST = frozenset(BLOCKS)
if TYPE_CHECKING:
    Block = BlockSettings
else:
    Block = Annotated[Union[tuple(BLOCKS.values())], Discriminator("task"), WrapValidator(_block_of)]  # noqa: UP007


def _by_task(raw: Any) -> Any:
    """A stored block as its task's own kind of design."""
    if not isinstance(raw, dict):
        return raw
    task = raw.get("task")
    if task not in BLOCKS:
        raise rule_error(f"there is no task {task!r}", f"use {', '.join(BLOCKS)}")
    return DESIGNS[str(task)].model_validate(raw)


AnyDesign = Annotated[SerializeAsAny[BlockDesign], BeforeValidator(_by_task)]
