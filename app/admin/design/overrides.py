"""The changes of arms as fields: each key that an arm may set has in an arm the field that it has in the study."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from pydantic.fields import FieldInfo

from app.admin.design.named import as_one
from app.admin.design.nodes import WAY, WHOLE, Cards, Changes, Group, Leaf, Node, groups, lists
from app.core.problems import Place
from app.studies.file.arms import place_in, with_values
from app.studies.file.languages import translated, words_in

OfStudy = Callable[[Mapping[str, Any]], Group]
AnyNode = TypeVar("AnyNode", bound=Node)
_ARMS, _SET, _BLOCKS = "arms", "set", "blocks"
_SCALES = "scales"
_SHORTEST = FieldInfo(annotation=Any, title="Value")


@dataclass(frozen=True, slots=True)
class Usual:
    """A key that an arm may set: its `path`, the part of the form that has it, and its field there."""

    path: str
    where: str
    leaf: Leaf


def with_arms(root: Group, keys: Mapping[str, Any], of_study: OfStudy) -> Group:
    """The form with a field for each value that an arm sets, and for each arm of a block a box.

    `of_study` makes the form of a study without arms, of which an arm has the parts that it sets whole.
    """
    arms = next((part for part in root.parts if isinstance(part, Cards) and part.place == (_ARMS,)), None)
    if arms is None or not arms.entries:
        return replace(root, parts=tuple(_without_arms(part) for part in root.parts))
    known = {each.path: each for each in usual(root, keys)}
    ids = _ids(arms)
    parts = [
        _with_changes(part, known, keys, of_study) if part is arms else _with_boxes(part, ids)
        for part in root.parts
    ]
    return replace(root, parts=tuple(parts))


def _ids(arms: Cards) -> Sequence[str]:
    named = [entry.value.get("id") for entry in arms.entries if isinstance(entry.value, Mapping)]
    return list(dict.fromkeys(id_ for id_ in named if isinstance(id_, str) and id_))


# The values that an arm sets


def usual(root: Group, keys: Mapping[str, Any]) -> Iterator[Usual]:
    """The keys that an arm may set, in the order of the form."""
    is_translated = len(translated(keys)) > 0
    for part in root.parts:
        for where, leaf in named_fields(part, ()):
            path = _path(keys, leaf.place)
            is_words = is_translated and any(words_in({path.rpartition(".")[2]: "a"}))
            if not is_words and place_in(keys, path) == leaf.place:
                yield Usual(path, where[:1].upper() + where[1:], leaf)
    scales = keys.get(_SCALES)
    for name, labels in scales.items() if isinstance(scales, Mapping) and not is_translated else ():
        info = FieldInfo(annotation=Any, title=f"Labels of “{name}”")
        leaf = Leaf((_SCALES, name), info, "lines", labels, {})
        if place_in(keys, f"{_SCALES}.{name}") is not None:
            yield Usual(f"{_SCALES}.{name}", "Scales", leaf)


def _path(keys: Any, place: Place) -> str:
    """A place as a path: blocks and questions by their ids."""
    parts = []
    for part in place:
        keys = keys[part] if isinstance(part, int) else keys.get(part) if isinstance(keys, Mapping) else None
        parts.append(
            str(keys.get("id", "")) if isinstance(part, int) and isinstance(keys, Mapping) else str(part)
        )
    return ".".join(parts)


def named_fields(node: Node, where: Sequence[str]) -> Iterator[tuple[str, Leaf]]:
    """The fields below a part, each with where it stands in the form."""
    if isinstance(node, Leaf):
        is_plain = node.kind not in ("tag", "way") and node.how == "key" and not node.widget.is_unseen
        if is_plain and node.key != "id":
            yield ", ".join(where) or "The study", as_one(node)
    elif isinstance(node, Group):
        which = next((part for part in node.parts if isinstance(part, Leaf) and part.key == WAY), None)
        if which is not None:
            title = f"{node.title}, all of it"
            yield ", ".join(where), Leaf(node.place, which.info, "whole", node.value, {}, title=title)
        for part in node.parts:
            yield from named_fields(part, [*where, *([node.title] if node.title else [])])
    elif isinstance(node, Cards):
        yield from _of_cards(node, where)


def _of_cards(cards: Cards, where: Sequence[str]) -> Iterator[tuple[str, Leaf]]:
    is_inner = cards.noun == "question" and len(cards.place) > 1
    above = [*where, *([cards.title] if cards.place != (_BLOCKS,) and not is_inner else [])]
    for entry in cards.entries:
        id_ = entry.value.get("id") if isinstance(entry.value, Mapping) else None
        for part in entry.parts if isinstance(id_, str) and id_ else ():
            yield from named_fields(part, (*above, f"{cards.noun} {id_}"))
    if cards.place != (_BLOCKS,):
        info = FieldInfo(annotation=Any, title=f"{cards.title}, all of them")
        held = [entry.value for entry in cards.entries] or None
        yield ", ".join(where) or "The study", Leaf(cards.place, info, "whole", held, {})


def _with_changes(
    arms: Cards, known: Mapping[str, Usual], keys: Mapping[str, Any], of_study: OfStudy
) -> Cards:
    entries = []
    for entry in arms.entries:
        parts = [
            _changes(part, known, keys, of_study) if isinstance(part, Leaf) and part.key == _SET else part
            for part in entry.parts
        ]
        entries.append(replace(entry, parts=tuple(parts)))
    return replace(arms, entries=tuple(entries))


def _changes(node: Leaf, known: Mapping[str, Usual], keys: Mapping[str, Any], of_study: OfStudy) -> Node:
    """The fields of the values that an arm sets; one of YAML where they are no mapping."""
    if node.value is not None and not isinstance(node.value, Mapping):
        return node
    held = {str(path): value for path, value in (node.value or {}).items()}
    fields: list[Leaf | Group] = []
    for path, value in held.items():
        of = known.get(path)
        part = _part_of(keys, path, value, of_study) if of and of.leaf.kind == "whole" else None
        if of is not None and part is not None:
            fields.append(_whole(part, (*node.place, path), of.leaf.label, value))
        else:
            fields.append(_in_currency(change(node.place, path, value, of), path, held))
    return Changes(
        node.place,
        node.label,
        node.info.description or "",
        tuple(fields),
        {path: each.where for path, each in known.items()},
        {path: each.leaf for path, each in known.items()},
    )


def _part_of(keys: Mapping[str, Any], path: str, value: object, of_study: OfStudy) -> Group | Cards | None:
    """The list or the group that an arm sets whole, with its value; None for a value that it cannot show."""
    own = with_values(keys, 0, {path: value}).data
    root, place = of_study(own), place_in(own, path)
    group = next((each for each in groups(root) if each.place == place), None)
    found = next((each for each in lists(root) if each.place == place), None)
    return group or (found if isinstance(value, (list, tuple)) else None)


def _whole(part: Group | Cards, at: Place, title: str, value: object) -> Group:
    """A part of the form as an arm sets it whole: its fields stand at the arm's path."""
    n = len(part.place)
    mark = Leaf((*at, WHOLE), _SHORTEST, "whole", "yes", {})
    if isinstance(part, Cards):
        inner: tuple[Node, ...] = (replace(_moved(part, n, at), title="", help="", is_kept=True),)
    else:
        inner = tuple(_moved(each, n, at) for each in part.parts)
    return Group(at, title, "", value, (mark, *inner), model=part.model if isinstance(part, Group) else None)


def _moved(node: AnyNode, n: int, at: Place) -> AnyNode:
    """The same part of the form at another place, which stands for the first `n` keys of its own."""
    place = (*at, *node.place[n:])
    if isinstance(node, Leaf):
        return replace(node, place=place, of=_moved(node.of, n, at) if node.of else None)
    if isinstance(node, Group):
        return replace(node, place=place, parts=tuple(_moved(each, n, at) for each in node.parts))
    entries: Any = tuple(_moved(each, n, at) for each in node.entries)
    return replace(node, place=place, entries=entries)


def change(place: Place, path: str, value: object, of: Usual | None) -> Leaf:
    """The field of a value that an arm sets. A value of another shape than its key has is written in YAML."""
    at = (*place, path)
    if of is None or not _fits(of.leaf, value):
        title = of.leaf.label if of else path
        return Leaf(at, of.leaf.info if of else _SHORTEST, "yaml", value, {}, how="kept", title=title)
    title = of.leaf.label
    return replace(of.leaf, place=at, value=value, how="kept", title=title, ways=None)


def _in_currency(leaf: Leaf, path: str, held: Mapping[str, Any]) -> Leaf:
    """A field of an amount in the currency that the arm itself has for the block."""
    own = held.get(f"{'.'.join(path.split('.')[:2])}.bonus.currency")
    if leaf.currency and isinstance(own, str) and re.fullmatch("[A-Z]{3}", own):
        return replace(leaf, currency=own)
    return leaf


def _fits(leaf: Leaf, value: object) -> bool:
    """True if a field of this kind can show a value."""
    if leaf.kind == "whole":
        return False
    is_listed, is_mapping = isinstance(value, (list, tuple)), isinstance(value, Mapping)
    if leaf.kind == "yaml" or value is None:
        return True
    if leaf.kind == "lines":
        return is_listed and not any(isinstance(each, (list, tuple, Mapping)) for each in value)  # type: ignore[attr-defined]
    if leaf.kind == "entries":
        return is_mapping
    return not is_listed and not is_mapping


# The arms of a block


def _with_boxes(node: Node, ids: Sequence[str]) -> Node:
    """A part of the form, with a box for each arm in its blocks."""
    if not isinstance(node, Cards) or node.place != (_BLOCKS,):
        return node
    entries = []
    for entry in node.entries:
        parts = [_boxes(part, ids) if _is_arms(part) else part for part in entry.parts]
        entries.append(replace(entry, parts=tuple(parts)))
    return replace(node, entries=tuple(entries))


def _is_arms(node: Node) -> bool:
    return isinstance(node, Leaf) and node.key == _ARMS


def _boxes(node: Node, ids: Sequence[str]) -> Node:
    assert isinstance(node, Leaf)
    held = [] if node.value is None else node.value
    if not isinstance(held, (list, tuple)) or not all(isinstance(each, str) and each for each in held):
        return node
    names = list(dict.fromkeys((*ids, *held)))
    boxes = tuple(
        Leaf((*node.place, name), node.info, "yes-no", name in held, {}, how="pick", title=_box(name, ids))
        for name in names
    )
    return Group(node.place, node.label, node.info.description or "", node.value, boxes, is_picks=True)


def _box(name: str, ids: Sequence[str]) -> str:
    return name if name in ids else f"{name} (there is no such arm)"


def _without_arms(node: Node) -> Node:
    """A part of the form without the arms of its blocks, where there are none to choose."""
    if not isinstance(node, Cards) or node.place != (_BLOCKS,):
        return node
    entries = []
    for entry in node.entries:
        parts = [part for part in entry.parts if not (_is_arms(part) and part.value is None)]  # type: ignore[union-attr]
        entries.append(replace(entry, parts=tuple(parts)))
    return replace(node, entries=tuple(entries))
