"""The design form's structure, built from the models of the study file and the keys of a draft.

No content of a study is named here: a task or a type of question that has a model is in the form.
"""

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from enum import StrEnum
from fractions import Fraction
from functools import cache, lru_cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from app.admin.design.forms import with_shapes
from app.admin.design.nodes import (
    WAY,
    Cards,
    Group,
    Kind,
    Leaf,
    Model,
    Node,
    boxes_of_values,
    groups,
    label_of,
    leaves,
)
from app.admin.design.overrides import with_arms
from app.admin.design.translations import with_languages
from app.core.problems import Place
from app.core.widgets import Ways, widget_of
from app.questions.base import different
from app.questions.registry import type_of
from app.studies.file.comparable import has_blocks
from app.studies.file.key_places import set_at
from app.studies.file.model import StudyFile
from app.tasks.registry import BLOCKS

Fields = tuple[tuple[str, FieldInfo], ...]
# Named lists of labels have a part of the form of their own.
_SCALES = "scales"
ONE_PER_LINE = ", one per line"
_OF_TRIALS, _OF_BLOCKS = frozenset({"trials"}), frozenset({"block_order"})


def outline(keys: Mapping[str, Any]) -> Group:
    """The whole form of a draft, without scales. Accepts arbitrary keys.

    Its values are copies, which nobody changes: who asks again for the same keys is given the same form. To take a form
    that is sent asks twenty times, mostly for the same.
    """
    return _outline(_Keys(keys, repr(keys)))


class _Keys(NamedTuple):
    """Keys that are the same where they are written the same: `1`, `1.0`, and `true` are not."""

    keys: Mapping[str, Any]
    written: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Keys) and self.written == other.written

    def __hash__(self) -> int:
        return hash(self.written)


@lru_cache(maxsize=16)
def _outline(held: _Keys) -> Group:
    keys = deepcopy(held.keys)
    return with_languages(with_arms(_of_study(keys), keys, _of_study), keys)


def _of_study(keys: Mapping[str, Any]) -> Group:
    """The form of the study itself, without the changes of its arms and without languages."""
    left_out = _OF_TRIALS if has_blocks(keys) else _OF_BLOCKS
    fields = tuple(each for each in _fields(StudyFile) if each[0] not in left_out)
    root = Group((), "", "", keys, _parts(fields, keys, ()), model=StudyFile)
    return with_shapes(root, keys, _parts_of)


def sums_in(keys: Mapping[str, Any]) -> Mapping[str, Sequence[str]]:
    """The sentences on what fields and groups come to, by the names of these."""
    form = outline(keys)
    parts: list[Leaf | Group] = [*leaves(form), *groups(form)]
    return {".".join(map(str, each.place)): each.sums for each in parts if each.sums}


def tag_of(entry: Any, tag: str) -> str | None:
    """The type of an entry, if it names one."""
    if not tag:
        return ""
    if tag == "type":
        return type_of(entry) if isinstance(entry, Mapping) else None
    named = entry.get(tag) if isinstance(entry, Mapping) else None
    return named if isinstance(named, str) else None


def entries_of(value: Any) -> list[Any]:
    """The entries of a list, as far as it is one."""
    return list(value) if isinstance(value, (list, tuple)) else []


def fields_of(model: Model) -> frozenset[str]:
    return frozenset(model.model_fields)


def _parts(fields: Fields, keys: Any, place: Place) -> tuple[Node, ...]:
    held = keys if isinstance(keys, Mapping) else {}
    return tuple(
        node
        for name, info in fields
        for node in (*_nodes(info, held.get(name), (*place, name)), *_empty(info, held, (*place, name)))
    )


def _empty(info: FieldInfo, keys: Mapping[str, Any], place: Place) -> Iterator[Leaf]:
    """A box for a key that may be given and empty, where that is not the same as not given."""
    words = widget_of(info.metadata).words.get("")
    if words and info.default is not None and _kind(_core(info.annotation))[0] == "number":
        is_empty = keys.get(str(place[-1]), False) is None
        own = FieldInfo(annotation=bool, default=False, title=words)
        yield Leaf((*place, "null"), own, "yes-no", is_empty, {}, how="null")


def _parts_of(model: Model, value: Any, place: Place) -> tuple[Node, ...]:
    return _parts(_fields(model), value, place)


def _nodes(info: FieldInfo, value: Any, place: Place) -> Sequence[Node]:
    """The part of a key; of a list of fixed length, a field for each entry."""
    items = widget_of(info.metadata).items
    is_listed = value is None or (isinstance(value, (list, tuple)) and len(value) <= len(items))
    if not items or not is_listed:
        return [_node(info, value, place)]
    inner = _core(get_args(_core(info.annotation))[0])
    held = [*entries_of(value), *[None] * len(items)]
    return [
        Leaf((*place, at), info, _kind(inner)[0], held[at], {}, how="item", title=title, n_items=len(items))
        for at, title in enumerate(items)
    ]


def _node(info: FieldInfo, value: Any, place: Place) -> Node:
    core = widget_of(info.metadata).fields or _core(info.annotation)
    title, help_ = label_of(str(place[-1]), info), info.description or ""
    if (variants := _variants(core)) and not _is_in_a_file(variants, value):
        tag, usual = _tag(next(iter(variants.values()))), _usual(info, variants)
        held = enumerate(usual if value is None else entries_of(value))
        entries = tuple(_entry(each, (*place, at), tag, variants) for at, each in held)
        return Cards(place, title, help_, tag, variants, entries, usual)
    is_rare = widget_of(info.metadata).is_rare
    if boxes := _boxes(info, core, value, place):
        return Group(
            place, title.removesuffix(ONE_PER_LINE), help_, value, boxes, is_picks=True, is_rare=is_rare
        )
    if not _is_model(core):
        return _leaf(info, core, value, place)
    parts = _parts(_fields(core), value, place)
    # A part with one field is that field.
    if len(parts) == 1:
        return parts[0]
    is_none = value is None and info.default is None
    return Group(
        place, title, help_, value, parts, not info.is_required(), core, is_rare=is_rare, is_none=is_none
    )


def _is_in_a_file(variants: Mapping[str, Model], value: Any) -> bool:
    """True for a list that may be a CSV file, and is."""
    return isinstance(value, str) and hasattr(variants.get(""), "gist")


def _usual(info: FieldInfo, variants: Mapping[str, Model]) -> Sequence[Mapping[str, Any]]:
    """The entries of a list of one kind that is not given."""
    default = info.default if "" in variants and isinstance(info.default, tuple) else ()
    return [each.model_dump(mode="json", exclude_defaults=True) for each in default]


def spell_out(keys: dict[str, Any], cards: Cards) -> None:
    """Write a list that is not given, so that one of its entries can be changed."""
    if cards.usual and all(entry.value in cards.usual for entry in cards.entries):
        held: Any = keys
        for part in cards.place:
            held = held[part] if isinstance(part, int) else held.get(part) if isinstance(held, dict) else None
        if held is None:
            set_at(keys, cards.place, [dict(each) for each in cards.usual])


def _boxes(info: FieldInfo, core: Any, value: Any, place: Place) -> tuple[Leaf, ...]:
    """A box for each entry that a list of different fixed words may hold; none for other keys, or other contents."""
    is_set = any(getattr(rule, "func", None) is different for rule in info.metadata)
    if not is_set and not widget_of(info.metadata).is_boxes:
        return ()
    said = widget_of(info.metadata)
    names = _values(_core(get_args(core)[0])) if get_origin(core) in (tuple, list) else ()
    if said.values:
        return boxes_of_values(info, said, entries_of(value), place)
    held = entries_of(value)
    if not names or (value is not None and value != held) or not {*map(str, held)} <= {*names}:
        return ()
    return tuple(
        Leaf(
            (*place, name),
            info,
            "yes-no",
            name in held,
            {},
            how="pick",
            title=said.words.get(name, _word(name)),
        )
        for name in names
    )


def _word(name: str) -> str:
    return name.replace("-", " ").capitalize()


def _entry(value: Any, place: Place, tag: str, variants: Mapping[str, Model]) -> Group:
    model = variants.get(tag_of(value, tag) or "")
    fields = _fields(model) if model else _common(tuple(variants.values()))
    words = {name: str(each.model_fields[tag].title or name) for name, each in variants.items() if tag}
    parts = tuple(
        Leaf(part.place, part.info, "tag", part.value or tag_of(value, tag), words)
        if isinstance(part, Leaf) and part.key == tag
        else part
        for part in _parts(fields, value, place)
    )
    return Group(place, "", "", value, tuple(_by_ways(part, model, value) for part in parts), model=model)


def _by_ways(node: Node, model: Model | None, keys: Any) -> Node:
    """A key that may be written in several ways: which one, and the fields of that."""
    found = getattr(model, "ways", None)
    if found is None or not isinstance(node, Leaf):
        return node
    ways: Ways | None = found(node.key, keys if isinstance(keys, Mapping) else {})
    if ways is None:
        return node
    which = Leaf((*node.place, WAY), node.info, "way", ways.way, ways.words, ways=ways)
    held: tuple[Node, ...] = (node,)
    if ways.model is not None:
        held = _parts(_fields(ways.model), node.value, node.place)
    elif ways.entry is not None:
        held = (_of_parts(node, ways.entry),)
    elif ways.items:
        held = _of_list(node, ways)
    elif ways.is_whole:
        held = ()
    return Group(node.place, node.label, node.info.description or "", node.value, (which, *held))


def _of_parts(node: Leaf, model: Model) -> Cards:
    """A card for each entry of a list."""
    variants, held = {"": model}, enumerate(entries_of(node.value))
    cards = tuple(_entry(each, (*node.place, at), "", variants) for at, each in held)
    return Cards(node.place, "", "", "", variants, cards)


def _of_list(node: Leaf, ways: Ways) -> tuple[Leaf, ...]:
    """A field for each entry of a list; one text alone stands for a list of one, and a key that is not given for its
    default."""
    given = entries_of(node.info.default) if node.value is None else entries_of(node.value) or [node.value]
    held = [*given, *[None] * len(ways.items)]
    return tuple(
        Leaf(
            (*node.place, at),
            node.info,
            "text",
            held[at],
            {},
            how="item",
            title=title,
            n_items=len(ways.items),
        )
        for at, title in enumerate(ways.items)
    )


def _leaf(info: FieldInfo, core: Any, value: Any, place: Place) -> Leaf:
    kind, inner = _kind(core)
    words = widget_of(info.metadata).words
    # In the order of the words; a choice that has words for nothing can be taken back.
    values = _values(core)
    names = [*(name for name in words if values and name in ("", *values)), *values]
    options = {name: words.get(name, _word(name)) for name in names}
    return Leaf(place, info, kind, value, options, inner in (int, float))


def _kind(core: Any) -> tuple[Kind, Any]:
    """A field's kind, and the type of its items if it holds many."""
    if core is bool:
        return "yes-no", None
    if core in (int, float):
        return "number", None
    if core in (str, Fraction):
        return "text", None
    if _values(core):
        return "choice", None
    inner = [_core(each) for each in get_args(core) if each is not Ellipsis]
    if get_origin(core) is tuple and inner == [tuple[str, str]]:
        return "entries", str
    if get_origin(core) in (tuple, list) and set(inner) == {str}:
        return "lines", str
    if get_origin(core) is dict and inner[-1] in (str, int, float):
        return "entries", inner[-1]
    return "yaml", None


def _values(core: Any) -> Sequence[str]:
    if get_origin(core) is Literal:
        return [str(value) for value in get_args(core)]
    if isinstance(core, type) and issubclass(core, StrEnum):
        return [member.value for member in core]
    return ()


def _core(annotation: Any) -> Any:
    """The type in an annotation, without its limits and None."""
    while True:
        if get_origin(annotation) is Annotated:
            annotation = get_args(annotation)[0]
            continue
        if get_origin(annotation) in (Union, UnionType):
            given = [each for each in get_args(annotation) if each is not NoneType]
            if len(given) == 1:
                annotation = given[0]
                continue
        return annotation


def _is_model(core: Any) -> bool:
    return isinstance(core, type) and issubclass(core, BaseModel)


@cache
def _fields(model: Model) -> Fields:
    """The fields of a model that the form shows."""
    return tuple(
        (name, info)
        for name, info in model.model_fields.items()
        if name != _SCALES and not widget_of(info.metadata).is_nowhere
    )


def every_field(model: Model, above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Leaf]]:
    """Every field that a study file may have, by its keys without numbers."""
    for name, info in model.model_fields.items():
        path, core = (*above, name), _core(info.annotation)
        leaf = _leaf(info, core, None, path)
        if name == _tag(model):
            leaf = replace(leaf, kind="tag", options=dict.fromkeys(leaf.options, leaf.label))
        yield path, leaf
        core = widget_of(info.metadata).fields or core
        inner = [*_variants(core).values()] or ([core] if _is_model(core) else [])
        for each in inner:
            yield from every_field(each, path)


@cache
def _common(models: tuple[Model, ...]) -> Fields:
    """The fields common to all models."""
    return tuple(
        each for each in _fields(models[0]) if all(each[0] in model.model_fields for model in models)
    )


def _variants(core: Any) -> Mapping[str, Model]:
    """The parts that a list may hold, by their tags; none where it is no such list."""
    if get_origin(core) not in (tuple, list):
        return {}
    inner = _core(get_args(core)[0])
    given = get_args(inner) if get_origin(inner) in (Union, UnionType) else (inner,)
    models = [_core(each) for each in given]
    if len(models) == 1 and hasattr(models[0], "named"):
        return {"": models[0]}
    if not all(_is_model(model) and _tag(model) for model in models):
        return {}
    found = {str(get_args(model.model_fields[_tag(model)].annotation)[0]): model for model in models}
    return dict(BLOCKS) if found.keys() <= BLOCKS.keys() else found


@cache
def _tag(model: Model) -> str:
    """The field that says which kind of part this is, by its one value."""
    fixed = (
        name
        for name, info in model.model_fields.items()
        if get_origin(info.annotation) is Literal and len(get_args(info.annotation)) == 1
    )
    return next(fixed, "")
