"""Conversion of a draft's keys to the fields of a web form, and back.

A field is named by its place in the study file (`blocks.1.questions.2.ask`). Only changes in the form are changed in
the keys, so that anything not shown, or invalid, is kept. Empty means absent. Named scales are numbered in the order of
their names.
"""

import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import yaml

from app.admin.design.named import cut
from app.admin.design.nodes import WAY, Cards, Group, Leaf, default_of, leaves, lists
from app.admin.design.outline import fields_of, outline
from app.admin.design.values import (
    MOST,
    Fields,
    Keys,
    cleaned,
    dotted,
    entries,
    free_name,
    is_nested,
    lines,
    scale_changes,
    scales,
    shown,
    value_at,
)
from app.admin.design.whole import Within, everywhere, fit
from app.admin.design.writing import write, write_all
from app.core.money import decimals_of, minor_units
from app.core.problems import Fault, Place, quoted
from app.questions.scales import SCALES
from app.studies.file.key_places import set_at

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


_WAS = ".was"
# An amount that a study file has in quotes.
_QUOTED = re.compile(r"[+-]?[0-9]{1,14}(\.[0-9]{1,14})?")


@dataclass(frozen=True, slots=True)
class FormKeys:
    """The keys resulting from a form; `refused` has fields whose value cannot be stored even in a draft."""

    keys: Keys
    refused: tuple[Fault, ...] = ()


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
    if leaf.currency and isinstance(value, (int, float)) and not isinstance(value, bool):
        return amount_text(value, leaf.currency)
    if leaf.currency and isinstance(value, str) and _QUOTED.fullmatch(value.strip()):
        return amount_text(value.strip(), leaf.currency)
    if leaf.named:
        return (cut(value) or ("",))[0]
    match leaf.kind:
        case "yes-no":
            return "yes" if is_on(leaf) else "no"
        case "choice" if value is None:
            return shown(default_of(leaf))
        case "entries" if isinstance(value, Mapping) and not any(map(is_nested, value.values())):
            # The lines of a value go on, indented.
            return "\n".join(
                f"{shown(key)}: {shown(inner)}".replace("\n", "\n  ") for key, inner in value.items()
            )
        case "yaml" if isinstance(value, (Mapping, list, tuple)):
            return yaml.safe_dump(_plain(value), sort_keys=False, allow_unicode=True, width=100).strip()
    return shown(value)


def amount_text(minor: float | str, currency: str) -> str:
    """An amount in the main unit of its currency: `0.05`."""
    amount = Decimal(str(minor)) / minor_units(currency)
    places = max(0, -int(amount.normalize().as_tuple().exponent), decimals_of(currency))
    return f"{amount:.{places}f}"


def is_on(leaf: Leaf) -> bool:
    """The given boolean, or its type's default."""
    named = _YES_NO.get(str(leaf.value).lower())
    return bool(default_of(leaf)) if named is None else named


def _plain(value: Any) -> Any:
    """Mappings and lists as YAML writes them without tags."""
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, (list, tuple)) else value


# From fields to keys


def fields_to_keys(
    base: Mapping[str, Any],
    form: Mapping[str, str],
    *,
    whole: bool = False,
    within: Within = everywhere,
) -> FormKeys:
    """The keys with the form's changes; fields that it does not send are kept.

    A form used as a `whole` was made from another draft: its lists replace the existing ones. `within` says
    of a place whether the form shows it.
    """
    keys: Keys = deepcopy(dict(base))
    sent = {name: cleaned(value) for name, value in form.items()}
    ways = {name: sent.pop(name) for name in list(sent) if name.endswith(f".{WAY}{_WAS}")}
    new: set[str] = set()
    if whole:
        new = fit(keys, sent, within, lambda: _take_kinds(keys, sent, ways))
        sent = {name: text for name, text in sent.items() if not name.startswith("scales.")}
    if whole:
        _take_ways(keys, sent, ways)
        _take_names(keys, sent)
    seen, before = outline(keys), keys_to_fields(keys)
    changed = {
        name: text
        for name, text in sent.items()
        if name not in new and text != cleaned(before.get(name, text))
    }
    rewritten = _take_ways(keys, changed, ways)
    typed = []
    for leaf in leaves(seen):
        is_gone = any(leaf.place[: len(place)] == place for place in rewritten)
        if dotted(leaf.place) in changed and leaf.kind not in ("tag", "way", "whole") and not is_gone:
            typed.append(leaf)
    write_all(keys, typed, changed)
    if not whole:
        _rename_arms(keys, base, changed)
    for cards in lists(seen):
        for entry in cards.entries:
            _forget(keys, entry, changed)
        for entry in cards.entries:
            _keep_labels(keys, cards, entry, changed)
    refused = tuple(_take_scales(keys, scale_changes(sent, before)))
    # What an arm sets has its kind by what the study has there, and that was taken above.
    made = leaves(outline(keys)) if new else ()
    write_all(keys, [leaf for leaf in made if dotted(leaf.place) in new], sent)
    return FormKeys(keys, refused)


def _take_ways(keys: Keys, sent: Mapping[str, str], shown_ways: Mapping[str, str]) -> set[Place]:
    """Write keys in the way that was chosen for them; returns their places.

    `shown_ways` has the way that each field showed when its page was made. One that was left as it was is no choice
    while the same fields belong to the way that they make now.
    """
    taken: set[Place] = set()
    for leaf in leaves(outline(keys)):
        way, ways = sent.get(dotted(leaf.place)), leaf.ways
        if ways is None or way is None or way not in ways.begins or way == ways.way:
            continue
        is_left = way == shown_ways.get(f"{dotted(leaf.place)}{_WAS}")
        if not (is_left and {way, ways.way} <= {*ways.alike}):
            set_at(keys, leaf.place[:-1], deepcopy(ways.begins[way]))
            taken.add(leaf.place[:-1])
    return taken


def _take_kinds(keys: Keys, sent: Mapping[str, str], ways: Mapping[str, str]) -> None:
    """Write the choices that determine which fields follow them, such as a block's game, and the ways of these."""
    for leaf in leaves(outline(keys)):
        is_kind = leaf.kind == "choice" and leaf.widget.settles and leaf.how == "key"
        if is_kind and (chosen := sent.get(dotted(leaf.place))) not in (None, text_of(leaf)):
            write(keys, leaf, str(chosen))
    _take_ways(keys, sent, ways)


def _take_names(keys: Keys, sent: Mapping[str, str]) -> None:
    """Write the names that have other settings than those before."""
    for leaf in leaves(outline(keys)):
        if leaf.named and (name := sent.get(dotted(leaf.place))) not in (None, text_of(leaf)):
            write(keys, leaf, str(name))


def _forget(keys: Keys, entry: Group, changed: Mapping[str, str]) -> None:
    """Take away what followed from a key that is another now."""
    for key, following in getattr(entry.model, "forgets", {}).items():
        if f"{dotted(entry.place)}.{key}" in changed:
            for each in following:
                set_at(keys, (*entry.place, each), None)


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
        set_at(keys, (*before.place, cards.tag), type_ or "")
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
    set_at(question, (cards.tag,), type_ or None)
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


# Arms


def _rename_arms(keys: Keys, base: Mapping[str, Any], changed: Mapping[str, str]) -> None:
    """Let blocks and hypotheses follow an arm that is renamed."""
    was = [value_at(arm, ("id",)) for arm in entries(base, ("arms",))]
    named = {
        old: new
        for at, old in enumerate(was)
        if (new := changed.get(f"arms.{at}.id")) and was.count(old) == 1
    }
    for at in ("blocks", "hypotheses") if named else ():
        key = "arms" if at == "blocks" else "compare"
        for one in entries(keys, (at,)):
            if isinstance(one, dict) and isinstance(held := one.get(key), list):
                one[key] = [named.get(each, each) if isinstance(each, str) else each for each in held]


# Named scales


def _take_scales(keys: Keys, changes: Mapping[int, Mapping[str, str]]) -> Iterator[Fault]:
    names = list(scales(keys))
    for index, change in changes.items():
        held = scales(keys)
        if index >= len(names) and len(held) >= MOST:
            return
        old = names[index] if index < len(names) else free_name(change.get("name") or "scale", held)
        if "labels" in change or old not in held:
            held[old] = lines(change.get("labels", ""))
        set_at(keys, ("scales",), held)
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
