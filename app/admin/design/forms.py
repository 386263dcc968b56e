"""Fields of blocks that depend on the block's other keys: currencies, choices, and what does not apply to it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from app.admin.design.named import with_settings
from app.admin.design.nodes import Cards, Group, Leaf, Model, Node
from app.core.problems import Place
from app.core.widgets import Shape

_BLOCKS = ("blocks",)
PartsOf = Callable[[Model, Any, Place], tuple[Node, ...]]


def with_shapes(root: Group, keys: Mapping[str, Any], parts_of: PartsOf) -> Group:
    """The form with each block as its own keys shape it."""
    parts = tuple(
        _blocks(part, keys, parts_of) if isinstance(part, Cards) and part.place == _BLOCKS else part
        for part in root.parts
    )
    return replace(root, parts=parts)


def _blocks(cards: Cards, keys: Mapping[str, Any], parts_of: PartsOf) -> Cards:
    return replace(cards, entries=tuple(_block(entry, keys, parts_of) for entry in cards.entries))


def _block(entry: Group, keys: Mapping[str, Any], parts_of: PartsOf) -> Group:
    shape_of = getattr(entry.model, "shape", None)
    if shape_of is None or not isinstance(entry.value, Mapping):
        return entry
    shape: Shape = shape_of(entry.value, keys)
    depth = len(entry.place)
    parts = tuple(_of_model(node, shape.fields, depth, parts_of) for node in entry.parts)
    return replace(entry, parts=_shaped(parts, shape, depth))


def _of_model(node: Node, models: Mapping[str, Model], depth: int, parts_of: PartsOf) -> Node:
    """A part whose fields depend on the block's keys, with those."""
    if not isinstance(node, Group) or node.is_picks:
        return node
    model = models.get(_at(node.place, depth))
    if model is not None:
        return replace(node, parts=parts_of(model, node.value, node.place), model=model)
    return replace(node, parts=tuple(_of_model(part, models, depth, parts_of) for part in node.parts))


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
    if isinstance(node, Cards):
        entries = (replace(each, parts=_shaped(each.parts, shape, depth)) for each in node.entries)
        return [replace(node, entries=tuple(entries))]
    return [node]


def _at(place: Place, depth: int) -> str:
    return ".".join(map(str, place[depth:]))
