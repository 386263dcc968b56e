"""A form used as a whole: a draft is brought into the shape in which the form was sent, before its values are taken."""

import re
from collections.abc import Callable, Collection, Mapping
from copy import deepcopy
from typing import Any

from app.admin.design.nodes import WAY, WHOLE, Cards, groups, leaves, lists
from app.admin.design.outline import fields_of, outline, tag_of
from app.admin.design.translations import LANGUAGE, LANGUAGES, keep
from app.admin.design.values import (
    MOST,
    Keys,
    cleaned,
    dotted,
    entries,
    free_name,
    lines,
    scale_changes,
    scales,
    shown,
    value_at,
)
from app.core.problems import Place
from app.studies.file.comparable import blocks_in, has_blocks
from app.studies.file.key_places import set_at
from app.studies.file.languages import OWN
from app.tasks.listed import SHORT_KEYS
from app.trials.design import BLOCK

# Places below `arms.0.set`.
_DEEP = 3
Within = Callable[[Place], bool]


def everywhere(_: Place) -> bool:
    """Every place is in a form that shows all."""
    return True


def fit(keys: Keys, sent: Mapping[str, str], within: Within, take_ways: Callable[[], object]) -> set[str]:
    """Resize every list to the entries sent, of the types sent; entries with ids keep their values.

    Returns the names of fields that are new, whose values are taken as they are. Lists that are not `within`
    the form stay. `take_ways` writes parts of the outer lists in the ways that were sent: inner lists depend on them.
    """
    if not within(("blocks",)):
        pass
    elif any(name.startswith("blocks.") for name in sent):
        for key in SHORT_KEYS if not has_blocks(keys) else ():
            keys.pop(key, None)
    elif has_blocks(keys):
        first = next((block for block in blocks_in(keys) if block.get("id") == BLOCK), {})
        keys |= {key: first[key] for key in SHORT_KEYS if key in first}
        keys.pop("blocks")
        keys.pop("block_order", None)
    fit_lists(keys, sent, lambda at: within(at) and len(at) == 1)
    take_ways()
    fit_lists(keys, sent, lambda at: within(at) and len(at) > 1)
    _fit_items(keys, sent)
    _fit_picks(keys, sent)
    if within(("blocks",)):
        _fit_arms_of_blocks(keys, sent)
    if within(("scales",)):
        _fit_scales(keys, sent)
    return (_fit_changes(keys, sent) if within(("arms",)) else set()) | _fit_languages(keys, sent)


def fit_lists(keys: Keys, sent: Mapping[str, str], within: Within) -> None:
    """Resize every list to the entries sent, outer ones before those that they hold."""
    numbers = _numbers(sent)
    done: set[Place] = set()
    while (at := next((each for each in lists(outline(keys)) if each.place not in done), None)) is not None:
        if within(at.place):
            _fit_list(keys, at, min(numbers.get(dotted(at.place), 0), MOST), sent)
        done.add(at.place)


def _fit_items(keys: Keys, sent: Mapping[str, str]) -> None:
    """Lists of fixed length in the shape in which they were sent."""
    for leaf in leaves(outline(keys)):
        name = dotted(leaf.place)
        is_split = any(other.startswith(f"{name}.") for other in sent)
        if leaf.how == "key" and is_split and not leaf.named and leaf.kind != "number":
            set_at(keys, leaf.place, None)
        elif leaf.how == "item" and (whole := name.rpartition(".")[0]) in sent:
            set_at(keys, leaf.place[:-1], sent[whole])


def _fit_picks(keys: Keys, sent: Mapping[str, str]) -> None:
    """The boxes that were ticked."""
    for group in groups(outline(keys)):
        start = dotted(group.place)
        if not group.is_picks or not (names := _below(start, sent)):
            continue
        boxes = {leaf.key: leaf for leaf in leaves(group)}
        chosen = [name for name in names if sent[f"{start}.{name}"] == "yes"]
        if {*chosen} != {name for name, leaf in boxes.items() if leaf.value}:
            values = [boxes[name].pick if name in boxes else None for name in chosen]
            held = [name if value is None else value for name, value in zip(chosen, values, strict=True)]
            set_at(keys, group.place, held or None)


def _fit_arms_of_blocks(keys: Keys, sent: Mapping[str, str]) -> None:
    """The arms of each block."""
    for at, block in enumerate(entries(keys, ("blocks",))):
        start = f"blocks.{at}.arms"
        if isinstance(block, dict) and start not in sent:
            block["arms"] = [name for name in _below(start, sent) if sent[f"{start}.{name}"] == "yes"]
            set_at(keys, ("blocks", at, "arms"), block["arms"] or None)


def _fit_changes(keys: Keys, sent: Mapping[str, str]) -> set[str]:
    """Fit the changes of arms to the paths that were sent."""
    new: set[str] = set()
    for at, arm in enumerate(entries(keys, ("arms",))):
        start, place = f"arms.{at}.set", ("arms", at, "set")
        if not isinstance(arm, dict):
            continue
        if start in sent:
            set_at(keys, place, sent[start] or None)
            new.add(start)
            continue
        held = arm.get("set")
        held = held if isinstance(held, dict) else {}
        wholes = [
            name.removesuffix(f".{WHOLE}") for name in _below(start, sent) if name.endswith(f".{WHOLE}")
        ]
        inner = re.compile(f"({'|'.join(map(re.escape, wholes))})[.]([0-9]+([.]|$)|[{WHOLE}]$|{WAY}$)")
        paths = [path for path in _below(start, sent) if not (wholes and inner.match(path))]
        begun = {path: held.get(path, _items(f"{start}.{path}", sent)) for path in wholes}
        set_at(keys, place, {**{path: held.get(path) for path in paths}, **begun} or None)
        new |= {f"{start}.{path}" for path in paths if path not in held}
    fit_lists(keys, sent, lambda at: at[0] == "arms" and len(at) > _DEEP)
    return new


def _items(start: str, sent: Mapping[str, str]) -> list[str]:
    """The texts that were sent for the entries of a list."""
    return [sent[name] for at in range(MOST) if (name := f"{start}.{at}") in sent]


def _fit_languages(keys: Keys, sent: Mapping[str, str]) -> set[str]:
    """The languages that were sent. Their words are taken once the texts are those that were sent."""
    if LANGUAGE not in sent:
        return set()
    languages = keys.get(LANGUAGES)
    held = languages if isinstance(languages, dict) else {}
    unshown = _unshown(keys, held, sent)
    names = {name for name in sent if name.startswith(f"{LANGUAGES}.") and name.split(".")[1] not in unshown}
    tags = dict.fromkeys(name.split(".")[1] for name in sent if name in names)
    words = {tag: held[tag] if isinstance(held.get(tag), dict) else {} for tag in tags}
    keep(keys, {sent[LANGUAGE]: OWN, **words, **unshown})
    return names


def _unshown(keys: Keys, held: Mapping[str, Any], sent: Mapping[str, str]) -> Mapping[str, Any]:
    """The languages of which a form has nothing: it cannot take them away.

    These have no texts to translate, or name a folder in place of words and were sent without any.
    """
    fields = {leaf.place[1] for leaf in leaves(outline(keys)) if leaf.place[0] == LANGUAGES}
    typed = {name.split(".")[1] for name, text in sent.items() if name.startswith(f"{LANGUAGES}.") and text}
    return {
        tag: words
        for tag, words in held.items()
        if words != OWN
        and tag != sent[LANGUAGE]
        and tag not in typed
        and (tag not in fields or not isinstance(words, dict))
    }


def _below(start: str, sent: Mapping[str, str]) -> list[str]:
    """The names of the fields below a place, as they go on from there."""
    return [name.removeprefix(f"{start}.") for name in sent if name.startswith(f"{start}.")]


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
    held, is_given = entries(keys, cards.place), value_at(keys, cards.place) is not None
    if cards.usual and not is_given:
        if n == len(cards.usual):
            return
        held = [dict(each) for each in cards.usual]
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
    if not made and is_given and not held:
        return
    set_at(keys, cards.place, made or cards.none)


def _of_all(cards: Cards) -> Collection[str]:
    """The keys that entries of every type have, but for their tag."""
    return frozenset.intersection(*map(fields_of, cards.variants.values())) - {cards.tag}


def _fit_scales(keys: Keys, sent: Mapping[str, str]) -> None:
    named, made = scales(keys), dict[str, Any]()
    for change in scale_changes(sent, {}).values():
        name, labels = free_name(change.get("name") or "scale", made), change.get("labels", "")
        is_same = name in named and cleaned(shown(named[name])) == labels
        made[name] = named[name] if is_same else lines(labels)
    set_at(keys, ("scales",), made or None)
