"""Conversion of a draft's keys to the fields of a web form, and back.

A field is named by its place in the study file (`blocks.1.questions.2.ask`). Only changes in the form are changed in
the keys, so that anything not shown, or invalid, is kept. Empty means absent. Named scales are numbered in the order of
their names.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import yaml

from app.admin.design.outline import (
    Cards,
    Group,
    Leaf,
    entries_of,
    fields_of,
    leaves,
    lists,
    outline,
    put,
    tag_of,
)
from app.core.problems import Fault, Place, quoted
from app.questions.scales import SCALES
from app.studies.file.comparable import blocks_in, has_blocks
from app.studies.file.yamlsource import read_yaml
from app.tasks.listed import SHORT_KEYS
from app.trials.design import BLOCK

Keys = dict[str, Any]
Fields = dict[str, str]
MOST = 100
_SCALE = re.compile(r"scales\.(\d{1,3})\.(name|labels)")
_FIRST_SCALE = "agreement"
_YES_NO = {
    "true": True,
    "yes": True,
    "on": True,
    "1": True,
    "false": False,
    "no": False,
    "off": False,
    "0": False,
}


@dataclass(frozen=True, slots=True)
class FormKeys:
    """The keys resulting from a form; `refused` has fields whose value cannot be stored even in a draft."""

    keys: Keys
    refused: tuple[Fault, ...] = ()


def dotted(place: Place) -> str:
    return ".".join(map(str, place))


def value_at(keys: Any, place: Place) -> Any:
    """The value at a place; None if there is none."""
    for part in place:
        if isinstance(keys, Mapping):
            keys = keys.get(part)
        elif isinstance(keys, (list, tuple)) and isinstance(part, int) and part < len(keys):
            keys = keys[part]
        else:
            return None
    return keys


def entries(keys: Mapping[str, Any], at: Place) -> list[Any]:
    """The entries of a list, as far as it is one."""
    return entries_of(value_at(keys, at))


def scales(keys: Mapping[str, Any]) -> dict[str, Any]:
    """The named scales in the form's order."""
    named = keys.get("scales")
    return {name: named[name] for name in sorted(named)} if isinstance(named, dict) else {}


# From keys to fields


def keys_to_fields(keys: Mapping[str, Any]) -> Fields:
    """Every field of the form with its value."""
    fields = {dotted(leaf.place): text_of(leaf) for leaf in leaves(outline(keys))}
    for index, (name, labels) in enumerate(scales(keys).items()):
        fields[f"scales.{index}.name"] = shown(name)
        fields[f"scales.{index}.labels"] = shown(labels)
    return fields


def text_of(leaf: Leaf) -> str:
    """A field's value as a form shows it."""
    value = leaf.value
    match leaf.kind:
        case "yes-no":
            return "yes" if is_on(leaf) else "no"
        case "choice" if value is None:
            return shown(_default(leaf))
        case "entries" if isinstance(value, Mapping) and not any(map(_is_nested, value.values())):
            return "\n".join(f"{shown(key)}: {shown(inner)}" for key, inner in value.items())
        case "yaml" if isinstance(value, (Mapping, list, tuple)):
            return yaml.safe_dump(_plain(value), sort_keys=False, allow_unicode=True, width=100).strip()
    return shown(value)


def is_on(leaf: Leaf) -> bool:
    """The given boolean, or its type's default."""
    named = _YES_NO.get(str(leaf.value).lower())
    return bool(_default(leaf)) if named is None else named


def _default(leaf: Leaf) -> Any:
    return None if leaf.info.is_required() else leaf.info.default


def shown(value: Any) -> str:
    """A value as text: a list line by line, anything unexpected as JSON."""
    match value:
        case None:
            text = ""
        case str():
            text = value
        case list() | tuple() if not any(map(_is_nested, value)):
            text = "\n".join(map(shown, value))
        case _:
            text = json.dumps(value, ensure_ascii=False)
    return text.encode("utf-8", "replace").decode()


def _is_nested(value: Any) -> bool:
    return isinstance(value, (list, tuple, dict))


def _plain(value: Any) -> Any:
    """Mappings and lists as YAML writes them without tags."""
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, (list, tuple)) else value


# From fields to keys


def fields_to_keys(base: Mapping[str, Any], form: Mapping[str, str], *, whole: bool = False) -> FormKeys:
    """The keys with the form's changes; fields that it does not send are kept.

    A form used as a `whole` was made from another draft: its lists replace the existing ones.
    """
    keys: Keys = deepcopy(dict(base))
    sent = {name: cleaned(value) for name, value in form.items()}
    if whole:
        _fit(keys, sent)
        sent = {name: text for name, text in sent.items() if not name.startswith("scales.")}
    if whole:
        _take_ways(keys, sent)
    seen, before = outline(deepcopy(keys)), keys_to_fields(keys)
    changed = {name: text for name, text in sent.items() if text != cleaned(before.get(name, text))}
    rewritten = _take_ways(keys, changed)
    for leaf in leaves(seen):
        is_gone = any(leaf.place[: len(place)] == place for place in rewritten)
        if (name := dotted(leaf.place)) in changed and leaf.kind not in ("tag", "way") and not is_gone:
            put(keys, leaf.place, _taken(leaf, changed[name]))
    for cards in lists(seen):
        for entry in cards.entries:
            _forget(keys, entry, changed)
        for entry in cards.entries:
            _keep_labels(keys, cards, entry, changed)
    return FormKeys(keys, tuple(_take_scales(keys, _scale_changes(sent, before))))


def _take_ways(keys: Keys, sent: Mapping[str, str]) -> set[Place]:
    """Write keys in the way that was chosen for them; returns their places."""
    taken: set[Place] = set()
    for leaf in list(leaves(outline(deepcopy(keys)))):
        way, ways = sent.get(dotted(leaf.place)), leaf.ways
        if ways is not None and way is not None and way in ways.begins and way != ways.way:
            put(keys, leaf.place[:-1], deepcopy(ways.begins[way]))
            taken.add(leaf.place[:-1])
    return taken


def _forget(keys: Keys, entry: Group, changed: Mapping[str, str]) -> None:
    """Take away what followed from a key that is another now."""
    for key, following in getattr(entry.model, "forgets", {}).items():
        if f"{dotted(entry.place)}.{key}" in changed:
            for each in following:
                put(keys, (*entry.place, each), None)


def cleaned(text: str) -> str:
    """A value as every browser means it."""
    # Forms send line breaks as CR LF (HTML standard), scripts read LF.
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def _taken(leaf: Leaf, text: str) -> Any:
    """The value of a field's text; None if empty or the default."""
    if not text:
        return None
    match leaf.kind:
        case "number":
            return _number(text)
        case "lines":
            return _lines(text)
        case "yes-no":
            return None if (text == "yes") == bool(_default(leaf)) else text == "yes"
        case "entries":
            return _entries(text, _number if leaf.numbers else str)
        case "yaml":
            source = read_yaml(text)
            return text if source.faults or source.data is None else source.data
    return text


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if line.strip()]


def _entries(text: str, of_text: Any) -> Any:
    """A mapping from `key: value` lines; the text itself if a line has another form, for the check to report."""
    cut = [line.partition(":") for line in _lines(text)]
    found = {key.strip(): of_text(value.strip()) for key, _, value in cut}
    is_clear = all(colon and key.strip() and value.strip() for key, colon, value in cut)
    return found if is_clear and len(found) == len(cut) else text


def _number(text: str) -> Any:
    # 15 digits at most: JSON's numbers are doubles wherever a browser reads them.
    if re.fullmatch(r"0|-?[1-9][0-9]{0,14}", text):
        return int(text)
    return float(text) if re.fullmatch(r"-?[0-9]{1,14}\.[0-9]{1,14}", text) else text


def _scale_changes(sent: Mapping[str, str], before: Mapping[str, str]) -> dict[int, dict[str, str]]:
    """Changes of scales, by number."""
    found: dict[int, dict[str, str]] = {}
    for name, text in sent.items():
        if (part := _SCALE.fullmatch(name)) and text != cleaned(before.get(name, "")):
            found.setdefault(int(part[1]), {})[part[2]] = text
    return dict(sorted(found.items()))


# A form as a whole


def _fit(keys: Keys, sent: Mapping[str, str]) -> None:
    """Resize every list to the entries sent, of the types sent; entries with ids keep their values."""
    if any(name.startswith("blocks.") for name in sent):
        for key in SHORT_KEYS if not has_blocks(keys) else ():
            keys.pop(key, None)
    elif has_blocks(keys):
        first = next((block for block in blocks_in(keys) if block.get("id") == BLOCK), {})
        keys |= {key: first[key] for key in SHORT_KEYS if key in first}
        keys.pop("blocks")
        keys.pop("block_order", None)
    numbers = _numbers(sent)
    done: set[Place] = set()
    while (at := next((each for each in lists(outline(keys)) if each.place not in done), None)) is not None:
        _fit_list(keys, at, min(numbers.get(dotted(at.place), 0), MOST), sent)
        done.add(at.place)
    _fit_scales(keys, sent)


def _numbers(sent: Mapping[str, str]) -> dict[str, int]:
    """The number of entries sent for each list."""
    found: dict[str, int] = {}
    for name in sent:
        parts = name.split(".")
        for index, part in enumerate(parts):
            if part.isascii() and part.isdigit() and len(part) < 4:
                at = ".".join(parts[:index])
                found[at] = max(found.get(at, 0), int(part) + 1)
    return found


def _fit_list(keys: Keys, cards: Cards, n: int, sent: Mapping[str, str]) -> None:
    held = entries(keys, cards.place)
    made: list[Any] = []
    for index in range(n):
        name = f"{dotted(cards.place)}.{index}"
        id_, tag = sent.get(f"{name}.id", ""), sent.get(f"{name}.{cards.tag}")
        same = (entry for entry in held if isinstance(entry, dict) and shown(entry.get("id")).strip() == id_)
        entry = next(same, {}) if id_ else held[index] if index < len(held) else {}
        kept: Keys = entry if isinstance(entry, dict) else {}
        if tag and (tag_of(kept, cards.tag) or "").strip() != tag:
            entry = {key: kept[key] for key in _of_all(cards) if key in kept} | {cards.tag: tag}
        made.append(deepcopy(entry))
    put(keys, cards.place, made or None)


def _of_all(cards: Cards) -> Collection[str]:
    """The keys that entries of every type have, but for their tag."""
    return frozenset.intersection(*map(fields_of, cards.variants.values())) - {cards.tag}


def _fit_scales(keys: Keys, sent: Mapping[str, str]) -> None:
    named, made = scales(keys), dict[str, Any]()
    for change in _scale_changes(sent, {}).values():
        name, labels = free_name(change.get("name") or "scale", made), change.get("labels", "")
        is_same = name in named and cleaned(shown(named[name])) == labels
        made[name] = named[name] if is_same else _lines(labels)
    put(keys, ("scales",), made or None)


# Labels and types of questions


def labels_of(question: Mapping[str, Any], keys: Mapping[str, Any]) -> list[Any]:
    """A likert's labels, its own or its scale's; empty if there are none."""
    own, named = question.get("labels"), question.get("scale")
    known = {**scales(keys), **SCALES}.get(named, ()) if isinstance(named, str) else ()
    found = known if own is None else own
    return list(found) if isinstance(found, (list, tuple)) else []


def _keep_labels(keys: Keys, cards: Cards, before: Group, changed: Mapping[str, str]) -> None:
    """A question that takes another scale or type keeps the labels that it had, where it can have labels."""
    name = dotted(before.place)
    scale, type_ = changed.get(f"{name}.scale"), changed.get(f"{name}.{cards.tag}")
    if scale is None and type_ is None:
        return
    if not isinstance(value_at(keys, before.place), dict):
        put(keys, (*before.place, cards.tag), type_ or "")
    question: Keys = value_at(keys, before.place)
    old = labels_of(before.value, keys) if isinstance(before.value, Mapping) else []
    if f"{name}.labels" not in changed:
        if scale:
            question.pop("labels", None)
        elif scale == "" and "labels" not in question and old:
            question["labels"] = old
    if type_ is not None:
        _retype(question, cards, type_, old)


def _retype(question: Keys, cards: Cards, type_: str, old_labels: list[Any]) -> None:
    """Another type: what both have stays, labels and options stand for one another, the rest goes."""
    options = question.get("options")
    put(question, (cards.tag,), type_ or None)
    if type_ not in cards.variants:
        return
    known = fields_of(cards.variants[type_])
    if "options" in known and options is None and old_labels:
        question["options"] = old_labels
    if {"labels", "scale"} <= known and not {"labels", "scale"} & set(question):
        question |= {"labels": options} if options else {"scale": _FIRST_SCALE}
    if "labels" in known and "scale" not in known and len(question.get("labels") or ()) != 2:
        question.pop("labels", None)
    for model in cards.variants.values():
        for key in fields_of(model) - known:
            question.pop(key, None)


# Named scales


def _take_scales(keys: Keys, changes: Mapping[int, Mapping[str, str]]) -> Iterator[Fault]:
    names = list(scales(keys))
    for index, change in changes.items():
        held = scales(keys)
        if index >= len(names) and len(held) >= MOST:
            return
        old = names[index] if index < len(names) else free_name(change.get("name") or "scale", held)
        if "labels" in change or old not in held:
            held[old] = _lines(change.get("labels", ""))
        put(keys, ("scales",), held)
        new = change.get("name", old)
        if not new or (new != old and new in held):
            why = f"there is another scale {quoted(new)}" if new else "a scale needs a name"
            yield Fault(
                ("scales", index, "name"), f"{why}, so this one is still {quoted(old)}", "choose another name"
            )
        elif new != old:
            _rename_scale(keys, old, new)


def _rename_scale(keys: Keys, old: str, new: str) -> None:
    """Rename a scale, also in the questions that use it, except those that mean the built-in one."""
    keys["scales"] = {new if name == old else name: labels for name, labels in keys["scales"].items()}
    if old in SCALES:
        return
    for cards in lists(outline(keys)):
        for question in entries(keys, cards.place):
            if isinstance(question, dict) and question.get("scale") == old:
                question["scale"] = new


def free_name(name: str, taken: Collection[Any], sign: str = "_") -> str:
    """The name, numbered where it is taken."""
    numbered: Sequence[str] = [f"{name}{sign}{n}" for n in range(2, len(taken) + 3)]
    return name if name not in taken else next(each for each in numbered if each not in taken)
