"""Fields of blocks that depend on the block's other keys: currencies, choices, and what does not apply to it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from app.admin.design.named import with_settings
from app.admin.design.nodes import Cards, Group, Leaf, Node
from app.core.problems import Place
from app.core.widgets import Shape

_BLOCKS = ("blocks",)


def with_shapes(root: Group, keys: Mapping[str, Any]) -> Group:
    """The form with each block as its own keys shape it."""
    parts = tuple(
        _blocks(part, keys) if isinstance(part, Cards) and part.place == _BLOCKS else part
        for part in root.parts
    )
    return replace(root, parts=parts)


def _blocks(cards: Cards, keys: Mapping[str, Any]) -> Cards:
    return replace(cards, entries=tuple(_block(entry, keys) for entry in cards.entries))


def _block(entry: Group, keys: Mapping[str, Any]) -> Group:
    shape_of = getattr(entry.model, "shape", None)
    if shape_of is None or not isinstance(entry.value, Mapping):
        return entry
    shape: Shape = shape_of(entry.value, keys)
    return replace(entry, parts=_shaped(entry.parts, shape, len(entry.place)))


def _shaped(nodes: tuple[Node, ...], shape: Shape, depth: int) -> tuple[Node, ...]:
    """The parts that apply; a value that is given is shown whether it applies or not."""
    return tuple(
        part
        for node in nodes
        if _at(node.place, depth) not in shape.idle or getattr(node, "value", None) is not None
        for part in _part(node, shape, depth)
    )


def _part(node: Node, shape: Shape, depth: int) -> Sequence[Node]:
    at = _at(node.place, depth)
    if isinstance(node, Leaf):
        node = replace(
            node,
            currency=shape.currency if node.widget.is_money else "",
            ruled_out=shape.ruled_out.get(at, {}),
            sums=shape.sums.get(at, ()),
        )
        return with_settings(node, shape.named[at]) if at in shape.named else [node]
    if isinstance(node, Group):
        return [replace(node, parts=_shaped(node.parts, shape, depth), sums=shape.sums.get(at, ()))]
    return [node]


def _at(place: Place, depth: int) -> str:
    return ".".join(map(str, place[depth:]))
