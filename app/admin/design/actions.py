"""The form's buttons: add a block, question or scale, take one out, move it, drop a key that the form does not show."""

import json
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from app.admin.design.nodes import Cards, Changes, Group, Leaf, changes, default_of, leaves, lists
from app.admin.design.outline import outline, spell_out, tag_of
from app.admin.design.translations import LANGUAGES, built_in_labels, keep, offered
from app.admin.design.values import MOST, Keys, cleaned, dotted, entries, free_name, scales, value_at
from app.admin.design.writing import put_words
from app.core.errors import StudyError
from app.core.problems import Place
from app.questions.registry import TYPES
from app.studies.file.comparable import as_blocks
from app.studies.file.exclusion import TAG, TAKEN, tidied_rules
from app.studies.file.key_places import set_at
from app.studies.file.languages import OWN, own_language, translated
from app.tasks.registry import BLOCKS

_SCALES: Place = ("scales",)
_LABELS = ["not at all", "slightly", "moderately", "very", "extremely"]
_CHOICE = "2afc"


class BadAction(StudyError):
    status_code = 422


@dataclass(frozen=True, slots=True)
class Acted:
    """The keys afterwards, the field or button to go on at, and the place of a new card."""

    keys: Keys
    focus: str = ""
    new: str = ""


def act(keys: Mapping[str, Any], action: str, form: Mapping[str, str]) -> Acted:
    """Apply a button's action (`add:background`, `up:blocks.0.questions.1`). Raises BadAction."""
    name, _, place = action.partition(":")
    changed: Keys = deepcopy(dict(keys))
    match name:
        case "" | "save":
            return Acted(changed)
        case "add" if place == "scales":
            return _add_scale(changed)
        case "add" if place == LANGUAGES:
            return _add_language(changed, form.get(f"add.{place}", ""))
        case "remove" if place.startswith(f"{LANGUAGES}."):
            return _remove_language(changed, place)
        case "add" if held := _changes_at(changed, place):
            return _add_change(changed, held, form.get(f"add.{place}", ""))
        case "add" if cards := _list_at(changed, place):
            return _add(changed, cards, cleaned(form.get(f"add.{place}", "")))
        case "drop":
            return _drop(changed, place)
        case "remove" if (found := _change_at(changed, place)) is not None:
            arm, path = found
            del value_at(changed, arm.place)[path]
            set_at(changed, arm.place, value_at(changed, arm.place) or None)
            return Acted(changed, f"{dotted(arm.place)}.add")
        case "remove" | "up" | "down":
            cards, index = _entry(changed, place)
            if name == "remove":
                return _remove(changed, cards, index)
            return _move(changed, cards.place if cards else _SCALES, index, name)
    raise BadAction("This button does nothing here; please reload the page.")


def _list_at(keys: Keys, at: str) -> Cards | None:
    return next((cards for cards in lists(outline(keys)) if dotted(cards.place) == at), None)


def _add_language(keys: Keys, tag: str) -> Acted:
    """A language whose words are still to be written."""
    if tag not in dict(offered(keys)):
        raise BadAction("Choose the new language first.")
    held = keys.get(LANGUAGES)
    own = own_language(held)
    keep(keys, {own: OWN, **(held if isinstance(held, dict) else {}), tag: {}})
    added = [leaf for leaf in leaves(outline(keys)) if leaf.place[:2] == (LANGUAGES, tag)]
    for leaf in added:
        if (labels := built_in_labels(leaf, tag)) is not None:
            put_words(keys, leaf.place, labels)
    first = next(iter(added), None)
    return Acted(keys, dotted(first.place) if first else f"{LANGUAGES}.{tag}")


def _remove_language(keys: Keys, place: str) -> Acted:
    """Take a language away, or the translation of a text that is gone."""
    tag = place.partition(".")[2]
    if tag in translated(keys):
        keep(keys, {each: words for each, words in keys[LANGUAGES].items() if each != tag})
        return Acted(keys, f"{LANGUAGES}.add")
    gone = next((leaf for leaf in leaves(outline(keys)) if dotted(leaf.place) == place), None)
    if gone is None:
        raise BadAction("That is not there any more; please reload the page.")
    put_words(keys, gone.place, None)
    return Acted(keys, dotted(gone.place[:2]))


def _changes_at(keys: Keys, at: str) -> Changes | None:
    """The changes of an arm, by their place."""
    return next((each for each in changes(outline(keys)) if dotted(each.place) == at), None)


def _change_at(keys: Keys, at: str) -> tuple[Changes, str] | None:
    """A value that an arm sets: the arm's changes, and the path."""
    for each in changes(outline(keys)):
        for leaf in each.entries:
            if dotted(leaf.place) == at:
                return each, str(leaf.place[-1])
    return None


def _add_change(keys: Keys, arm: Changes, path: str) -> Acted:
    """Let an arm set a key, beginning with the value that the study has."""
    if path not in arm.usual:
        raise BadAction("Choose what differs in this arm first.")
    held = value_at(keys, arm.place) or {}
    if path not in held:
        leaf = arm.usual[path]
        value = leaf.value if leaf.value is not None else default_of(leaf)
        set_at(keys, arm.place, {**held, path: deepcopy(value)})
    return Acted(keys, f"{dotted(arm.place)}.{path}")


def _entry(keys: Keys, place: str) -> tuple[Cards | None, int]:
    """The list of an entry, None for the scales, and its number in it."""
    at, _, number = place.rpartition(".")
    index = int(number) if number.isascii() and number.isdigit() and len(number) < 4 else -1
    cards = _list_at(keys, at)
    n = len(cards.entries) if cards else len(scales(keys)) if at == "scales" else 0
    if not 0 <= index < n:
        raise BadAction("That is not there any more; please reload the page.")
    if cards:
        spell_out(keys, cards)
    return cards, index


def _add(keys: Keys, cards: Cards, type_: str) -> Acted:
    if cards.place == ("blocks",):
        keys = as_blocks(keys)
    spell_out(keys, cards)
    held = entries(keys, cards.place)
    if cards.tag == TAG and type_ == TAKEN:
        set_at(keys, cards.place, tidied_rules([*held, TAKEN]))
        return Acted(keys, f"{dotted(cards.place)}.add")
    if type_ not in cards.variants:
        raise BadAction(
            f"Choose the {'task' if cards.tag == 'task' else 'type'} of the new {cards.noun} first."
        )
    if type_ == _CHOICE and any(tag_of(question, cards.tag) == _CHOICE for question in held):
        raise BadAction("There is a choice between the two clips already; a trial has one.")
    if len(held) >= MOST:
        raise BadAction(f"There are {MOST} {cards.nouns} already.")
    set_at(keys, cards.place, [*held, _new(type_, cards, held)])
    place = (*cards.place, len(held))
    return Acted(keys, _first_field(keys, place), dotted(place))


def _first_field(keys: Keys, place: Place) -> str:
    """The field of a card to focus: the first that can be typed into."""
    cards = (cards for cards in lists(outline(keys)) if cards.place == place[:-1])
    card: Group = next(cards).entries[int(place[-1])]
    typed = (
        leaf
        for leaf in card.parts
        if isinstance(leaf, Leaf) and leaf.kind != "tag" and not leaf.widget.is_rare
    )
    return dotted(next(typed, next(leaves(card))).place)


def _new(type_: str, cards: Cards, held: Sequence[Any]) -> Keys:
    if cards.tag == TAG:
        return {TAG: type_}
    if not cards.tag and not cards.name_key:
        # Another one that differs: what is the same need not be typed again.
        return deepcopy(dict(held[-1])) if held and isinstance(held[-1], Mapping) else {}
    if not cards.tag:
        ids = [one.get(cards.name_key) for one in held if isinstance(one, Mapping)]
        stem = getattr(cards.variants[""], "named", "")
        return {
            cards.name_key: next(name for n in range(1, len(ids) + 2) if (name := f"{stem}{n}") not in ids)
        }
    return new_block(type_, held) if cards.tag == "task" else new_question(type_, cards, held)


def new_block(task: str, blocks: Sequence[Any]) -> Keys:
    """A block to begin with, with what its task has it begin with."""
    ids = [block.get("id") for block in blocks if isinstance(block, Mapping)]
    return {"id": free_name(task, ids, "-"), "task": task, **deepcopy(dict(BLOCKS[task].begins_with))}


def new_question(type_: str, cards: Cards, questions: Sequence[Any]) -> Keys:
    """A new question: the published one unless it is already asked, else one with a new id."""
    ids = [question.get("id") for question in questions if isinstance(question, dict)]
    known = TYPES[type_]
    first: Keys = {}
    if cards.place == ("background",):
        first = dict(known.first_about_people)
    elif _CHOICE in cards.variants:
        first = dict(known.first_about_pairs)
    if not first or first["id"] in ids:
        first = {"id": type_, **known.begins_with}
    return {**deepcopy(first), "id": free_name(first["id"], ids), "type": type_}


def _add_scale(keys: Keys) -> Acted:
    named = scales(keys)
    if len(named) >= MOST:
        raise BadAction(f"There are {MOST} scales already.")
    name = free_name("scale", named)
    set_at(keys, ("scales",), {**named, name: list(_LABELS)})
    return Acted(keys, f"scales.{list(scales(keys)).index(name)}.name")


def _remove(keys: Keys, cards: Cards | None, index: int) -> Acted:
    at = cards.place if cards else _SCALES
    if cards is None:
        del keys["scales"][list(scales(keys))[index]]
        set_at(keys, at, keys["scales"] or None)
    else:
        held = entries(keys, at)
        del held[index]
        set_at(keys, at, held or cards.none)
        if at == ("blocks",) and not held:
            keys.pop("block_order", None)
    return Acted(keys, f"{dotted(at)}.add")


def _move(keys: Keys, at: Place, index: int, way: str) -> Acted:
    if at == _SCALES:
        raise BadAction("Scales stand in the order of their names.")
    held = entries(keys, at)
    other = index - 1 if way == "up" else index + 1
    if 0 <= other < len(held):
        held[index], held[other] = held[other], held[index]
        set_at(keys, at, held)
        index = other
    return Acted(keys, f"{dotted(at)}.{index}.{way}")


def _drop(keys: Keys, place: str) -> Acted:
    """Take out the key at a place, written as JSON as keys may hold anything."""
    try:
        *section, key = json.loads(place)
        held: Any = keys
        for part in section:
            held = held[part]
        if isinstance(held, dict):
            del held[key]
    except (ValueError, TypeError, LookupError, RecursionError):
        raise BadAction("That is not there any more; please reload the page.") from None
    return Acted(keys)
