"""The values of fields as the keys of a draft have them, written where they stand."""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from app.admin.design.named import renamed, with_setting
from app.admin.design.nodes import Leaf, default_of, leaves, lists
from app.admin.design.outline import entries_of, outline, spell_out
from app.admin.design.translations import write_own
from app.admin.design.values import Keys, dotted, entries, lines, value_at
from app.core.money import minor_units
from app.core.problems import Place
from app.studies.file.key_places import set_at, whys_of_draft, with_whys
from app.studies.file.languages import with_word
from app.studies.file.yamlsource import read_yaml

# An amount as people type it.
_AMOUNT = re.compile(r"[+-]?([0-9]{1,14}\.?[0-9]{0,14}|\.[0-9]{1,14})(e[+-]?[0-9]{1,2})?", re.IGNORECASE)


def write_all(keys: Keys, typed: list[Leaf], texts: Mapping[str, str]) -> None:
    """Write fields; amounts of money last, in the currency that was sent with them."""
    places = {leaf.place for leaf in typed}
    for cards in lists(outline(keys)) if places else ():
        if any(place[: len(cards.place)] == cards.place for place in places):
            spell_out(keys, cards)
    for leaf in typed:
        if not leaf.currency:
            write(keys, leaf, texts[dotted(leaf.place)])
    amounts = [leaf for leaf in typed if leaf.currency]
    now = {leaf.place: leaf for leaf in leaves(outline(keys))} if amounts else {}
    for leaf in amounts:
        write(keys, now.get(leaf.place, leaf), texts[dotted(leaf.place)])


def write(keys: Keys, leaf: Leaf, text: str) -> None:
    """Write a field's text where its value stands."""
    *above, last = leaf.place
    match leaf.how:
        case "key":
            set_at(keys, leaf.place, _taken(leaf, text))
        case "kept":
            # Empty is a value, too: an arm may do without what the study has.
            held = value_at(keys, tuple(above))
            held[last] = text == "yes" if leaf.kind == "yes-no" else _taken(leaf, text)
        case "item":
            _write_item(keys, leaf, _taken(leaf, text))
        case "setting":
            _write_setting(keys, leaf, _taken(leaf, text))
        case "word":
            put_words(keys, leaf.place, _taken(leaf, text))
        case "own":
            write_own(keys, text)
        case "pick":
            value = last if leaf.pick is None else leaf.pick
            others = [each for each in entries(keys, tuple(above)) if each != value]
            set_at(keys, tuple(above), [*others, *([value] if text == "yes" else [])] or None)
        case "null":
            part = value_at(keys, tuple(above[:-1])) or {}
            if text == "yes":
                set_at(keys, tuple(above[:-1]), {**part, above[-1]: None})
            elif part.get(above[-1]) is None:
                set_at(keys, tuple(above), None)


def _write_item(keys: Keys, leaf: Leaf, value: Any) -> None:
    """Write an entry of a list of fixed length; one text may stand for a list of one."""
    *above, last = leaf.place
    held = value_at(keys, tuple(above))
    items: list[Any] = [held] if isinstance(held, str) else entries_of(held)
    items = [*items, *[""] * leaf.n_items][: leaf.n_items]
    items[int(last)] = "" if value is None else value
    if leaf.named:
        while len(items) > 1 and items[-1] == "":
            items.pop()
    if isinstance(held, str) and len(items) == 1:
        set_at(keys, tuple(above), items[0] or None)
    else:
        set_at(keys, tuple(above), items if any(each not in ("", None) for each in items) else None)


def _write_setting(keys: Keys, leaf: Leaf, value: Any) -> None:
    """Write a setting into the text that it belongs to."""
    assert leaf.of is not None
    held = next(each for each in leaves(outline(keys)) if each.place == leaf.of.place)
    text = with_setting(held.value, leaf.key, value)
    if held.how == "item":
        _write_item(keys, held, text)
    else:
        set_at(keys, held.place, text)


def put_words(keys: Keys, place: Place, words: Any) -> None:
    """Write a translation, or take it away."""
    _, tag, *path = place
    languages = keys["languages"]
    study = with_whys(keys, whys_of_draft(keys))  # lists are CSV here, and by ids in a translation
    keys["languages"] = {**languages, tag: with_word(study, languages[tag], tuple(path), words) or {}}


def _taken(leaf: Leaf, text: str) -> Any:
    """The value of a field's text; None if empty or the default."""
    if not text:
        return None
    if leaf.named:
        return renamed(leaf, text)
    match leaf.kind:
        case "number":
            return _minor(text, leaf.currency) if leaf.currency else _number(text)
        case "lines":
            return lines(text)
        case "yes-no":
            return None if (text == "yes") == bool(default_of(leaf)) else text == "yes"
        case "entries":
            return _entries(text, _number if leaf.numbers else str)
        case "yaml":
            source = read_yaml(text)
            return text if source.faults or source.data is None else source.data
    return text


def _entries(text: str, of_text: Any) -> Any:
    """A mapping from `key: value` lines; the text itself if a line has another form, for the check to report.

    A line that begins with a space goes on with the value of the one before.
    """
    cut = [
        (name, colon, _dedented(value))
        for name, colon, value in (each.partition(":") for each in _lines_on(text))
    ]
    found = {key.strip(): of_text(value.strip()) for key, _, value in cut}
    is_clear = all(colon and key.strip() and value.strip() for key, colon, value in cut)
    return found if is_clear and len(found) == len(cut) else text


def _lines_on(text: str) -> list[str]:
    """The lines of a text, each with those that go on with it."""
    return [each for each in re.split(r"\n(?! )", text) if each.strip()]


def _dedented(value: str) -> str:
    first, *others = value.split("\n")
    return "\n".join((first, *(line.removeprefix(" ").removeprefix(" ") for line in others)))


def _number(text: str) -> Any:
    # 15 digits at most: JSON's numbers are doubles wherever a browser reads them.
    if re.fullmatch(r"0|-?[1-9][0-9]{0,14}", text):
        return int(text)
    return float(text) if re.fullmatch(r"-?[0-9]{1,14}\.[0-9]{1,14}", text) else text


def _minor(text: str, currency: str) -> Any:
    """An amount in minor units; the text itself where it is no number, for the check to report."""
    if not _AMOUNT.fullmatch(text):
        return text
    amount = Decimal(text) * minor_units(currency)
    return int(amount) if amount == int(amount) else float(amount)
