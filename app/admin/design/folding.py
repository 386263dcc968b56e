"""Folding of the design's form: a section is a screen and a half high, and faults open what they stand in."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.admin.design.nodes import Cards, Group, Leaf, Node
from app.admin.design.values import dotted

_SELDOM = "More settings"
# Lists within blocks begin with every card folded: there may be many.
_DEEP = 3


@dataclass(frozen=True, slots=True)
class Stretch:
    """Parts that follow one another; with a `title` they are folded, at an id of their own."""

    nodes: Sequence[Node]
    title: str = ""
    at: str = ""


def stretches(nodes: Sequence[Node]) -> Iterator[Stretch]:
    """The parts of a block: what is long each folded, and what is seldom changed folded at its end."""
    rare = [node for node in nodes if _is_rare(node)]
    run: list[Node] = []
    for node in nodes:
        if node in rare:
            continue
        if isinstance(node, Leaf) and _is_long(node):
            yield Stretch(run)
            yield Stretch([node], node.label, f"{dotted(node.place)}.text")
            run = []
        else:
            run.append(node)
    yield Stretch(run)
    if rare:
        yield Stretch(rare, _SELDOM, f"{dotted(rare[0].place[:-1])}.more")


def may_fold(cards: Cards) -> bool:
    """True for a list whose cards are lines until opened; arms and a single block are always open."""
    return cards.noun != "arm" and not (cards.tag == "task" and len(cards.entries) == 1)


def folds(cards: Cards, index: int) -> bool:
    """True for a card that begins as a line. The first block and the first of a section's questions do not."""
    is_own = cards.tag == "task" or (cards.noun == "question" and len(cards.place) < _DEEP)
    return not (index == 0 and is_own)


def _is_rare(node: Node) -> bool:
    if isinstance(node, Leaf):
        return (node.of or node).widget.is_rare
    return isinstance(node, Group) and node.is_rare


def _is_long(leaf: Leaf) -> bool:
    """True for a field that takes the room of several: a text, a table, or choices that are all shown."""
    return leaf.widget.is_markdown or leaf.widget.is_table or leaf.widget.is_open
