"""Boxes for the values of a list in the design's form, where these are no words: levels of a game's parameter."""

from collections.abc import Sequence
from typing import Any

from pydantic.fields import FieldInfo

from app.admin.design.nodes import Leaf
from app.core.problems import Place
from app.core.widgets import Widget


def boxes_of_values(info: FieldInfo, said: Widget, held: Sequence[Any], place: Place) -> tuple[Leaf, ...]:
    """A box for each value of a list, and for each other one that it has."""
    given = {said.name_of(each): each for each in held}
    return tuple(
        Leaf(
            (*place, name),
            info,
            "yes-no",
            name in given,
            {},
            how="pick",
            title=said.words.get(name, f"{name}, which is none of these"),
            pick=given.get(name, said.values.get(name)),
        )
        for name in dict.fromkeys((*said.values, *given))
    )
