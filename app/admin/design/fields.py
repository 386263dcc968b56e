"""A draft's keys as the fields of a web form, and back.

A field is named by its place in the study file (`trials.questions.2.ask`). Only what was changed in the form is
changed in the keys, so that whatever the form does not show, and whatever is odd, stays as it is. Empty is absent.
Named scales are numbered in the order of their names.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Literal

from app.studies.file.comparable import blocks_in, has_blocks
from app.studies.file.problems import Fault, Place, quoted
from app.studies.file.questions import QUESTIONS, type_of
from app.studies.file.scales import SCALES
from app.tasks.pair.settings import Trials

Keys = dict[str, Any]
Fields = dict[str, str]
Kind = Literal["text", "number", "lines", "yes-no"]

PLACES: tuple[tuple[str, ...], ...] = (
    ("title",),
    ("consent", "text"),
    ("consent", "version"),
    ("consent", "minimum_age"),
    ("instructions",),
    ("trials", "order"),
    ("trials", "sides"),
    ("trials", "watch"),
    ("completion", "message"),
    ("completion", "code"),
    ("completion", "redirect"),
    ("completion", "contact"),
)
QUESTION_LISTS: tuple[tuple[str, ...], ...] = (("background",), ("trials", "questions"))
# What a study with blocks has in its blocks alone.
_OF_TRIALS = "trials"
OF_EVERY_QUESTION = ("ask", "id", "type")
OF_TYPE: Mapping[str, tuple[str, ...]] = {
    "2afc": ("allow_tie",),
    "likert": ("required", "scale", "labels"),
    "text": ("required", "max_length"),
    "choice": ("required", "options"),
    "number": ("required", "minimum", "maximum"),
    "slider": ("required", "labels", "minimum", "maximum", "step"),
}
_OF_TYPES = frozenset(key for keys in OF_TYPE.values() for key in keys)
MOST = 100
_KINDS: Mapping[str, Kind] = {
    **dict.fromkeys(("minimum_age", "minimum", "maximum", "step", "max_length"), "number"),
    **dict.fromkeys(("labels", "options"), "lines"),
    **dict.fromkeys(("required", "allow_tie"), "yes-no"),
}
_ENTRY = re.compile(r"(background|trials\.questions|scales)\.(\d{1,3})\.([a-z_]+)")
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
class Taken:
    """What a form made of the keys; `refused` names fields whose value could not be kept even in a draft."""

    keys: Keys
    refused: tuple[Fault, ...] = ()


def dotted(place: Place) -> str:
    return ".".join(map(str, place))


def places_in(keys: Mapping[str, Any]) -> tuple[tuple[str, ...], ...]:
    """The fields of a study's form, questions and scales apart: blocks are not edited in it."""
    return tuple(at for at in PLACES if at[0] != _OF_TRIALS or not has_blocks(keys))


def question_lists(keys: Mapping[str, Any]) -> tuple[tuple[str, ...], ...]:
    return tuple(at for at in QUESTION_LISTS if at[0] != _OF_TRIALS or not has_blocks(keys))


def kind_of(key: str) -> Kind:
    return _KINDS.get(key, "text")


def entries(keys: Mapping[str, Any], at: tuple[str, ...]) -> list[Any]:
    """The questions of a list, as far as it is one."""
    value: Any = keys
    for key in at:
        value = value.get(key) if isinstance(value, Mapping) else None
    return list(value) if isinstance(value, (list, tuple)) else []


def scales(keys: Mapping[str, Any]) -> dict[str, Any]:
    """The named scales in the form's order."""
    named = keys.get("scales")
    return {name: named[name] for name in sorted(named)} if isinstance(named, dict) else {}


def question_fields(question: Any) -> tuple[str, ...]:
    """What the form shows of a question of its type."""
    return (*OF_EVERY_QUESTION, *OF_TYPE.get(type_of(question) or "", ()))


def is_required(question: Any) -> bool:
    """As given, or as its type has it."""
    given = question.get("required") if isinstance(question, Mapping) else None
    named = _YES_NO.get(str(given).lower())
    return _required_by_type(type_of(question)) if named is None else named


def allows_tie(question: Mapping[str, Any]) -> bool:
    """Whether participants may say that there is no difference."""
    return _YES_NO.get(str(question.get("allow_tie")).lower(), False)


def _required_by_type(type_: str | None) -> bool:
    model = QUESTIONS.get(type_ or "")
    return bool(model.model_fields["required"].default) if model else True


# From keys to fields


def keys_to_fields(keys: Mapping[str, Any]) -> Fields:
    """Every field of the form with its value."""
    fields = {dotted(place): _shown_at(keys, place) for place in places_in(keys)}
    for at in question_lists(keys):
        for index, question in enumerate(entries(keys, at)):
            for key in question_fields(question):
                fields[f"{dotted(at)}.{index}.{key}"] = _shown_of(question, key)
    for index, (name, labels) in enumerate(scales(keys).items()):
        fields[f"scales.{index}.name"] = shown(name)
        fields[f"scales.{index}.labels"] = shown(labels)
    return fields


def _shown_at(keys: Mapping[str, Any], place: tuple[str, ...]) -> str:
    *section, key = place
    held: Any = keys
    for part in section:
        held = held.get(part)
        if not isinstance(held, Mapping):
            held = {}
    value = held.get(key)
    if value is None and section == ["trials"]:
        value = Trials.model_fields[key].default
    return shown(value)


def _shown_of(question: Any, key: str) -> str:
    if not isinstance(question, Mapping):
        return ""
    if key == "type":
        return shown(question.get("type") or type_of(question))
    if key == "required":
        return "yes" if is_required(question) else "no"
    if key == "allow_tie":
        return "yes" if allows_tie(question) else "no"
    return shown(question.get(key))


def shown(value: Any) -> str:
    """A value as text: a list line by line, anything unexpected as JSON."""
    match value:
        case None:
            text = ""
        case str():
            text = value
        case list() | tuple() if not any(isinstance(item, (list, tuple, dict)) for item in value):
            text = "\n".join(map(shown, value))
        case _:
            text = json.dumps(value, ensure_ascii=False)
    return text.encode("utf-8", "replace").decode()


# From fields to keys


def fields_to_keys(base: Mapping[str, Any], form: Mapping[str, str], *, whole: bool = False) -> Taken:
    """The keys with what the form changed; fields that it does not send stay.

    A form that is taken as a `whole` was made from another draft: its lists replace those that are there.
    """
    keys: Keys = deepcopy(dict(base))
    sent = {name: cleaned(value) for name, value in form.items()}
    if whole:
        _fit_lists(keys, sent)
        sent = {name: text for name, text in sent.items() if not name.startswith("scales.")}
    before = keys_to_fields(keys)
    changed = {name: text for name, text in sent.items() if text != cleaned(before.get(name, ""))}
    for place in places_in(keys):
        if (name := dotted(place)) in changed:
            put(keys, place, _taken(place[-1], changed[name]))
    by_entry = _by_entry(changed)
    for at in question_lists(keys):
        _take_questions(keys, at, by_entry.get(dotted(at), {}))
    return Taken(keys, tuple(_take_scales(keys, by_entry.get("scales", {}))))


def cleaned(text: str) -> str:
    """A value as every browser means it."""
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def _taken(key: str, text: str) -> Any:
    """The value that a field's text stands for; None where it is empty."""
    if not text:
        return None
    match kind_of(key):
        case "number":
            return _number(text)
        case "lines":
            return [line.strip() for line in text.split("\n") if line.strip()]
    return text


def _number(text: str) -> Any:
    if re.fullmatch(r"0|-?[1-9][0-9]{0,14}", text):
        return int(text)
    return float(text) if re.fullmatch(r"-?[0-9]{1,14}\.[0-9]{1,14}", text) else text


def put(keys: Keys, place: Sequence[str], value: Any) -> None:
    """Set the value at a place, or take the key away; a section that is none becomes one."""
    *section, key = place
    for part in section:
        if not isinstance(keys.get(part), dict):
            if value is None:
                return
            keys[part] = {}
        keys = keys[part]
    if value is None:
        keys.pop(key, None)
    else:
        keys[key] = value


Changes = dict[int, dict[str, str]]


def _by_entry(fields: Mapping[str, str]) -> dict[str, Changes]:
    """List to index to key to text."""
    found: dict[str, Changes] = {}
    for name, text in fields.items():
        if part := _ENTRY.fullmatch(name):
            found.setdefault(part[1], {}).setdefault(int(part[2]), {})[part[3]] = text
    return {at: dict(sorted(changes.items())) for at, changes in found.items()}


def _fit_lists(keys: Keys, sent: Mapping[str, str]) -> None:
    by_entry = _by_entry(sent)
    for at in question_lists(keys):
        changes = by_entry.get(dotted(at), {})
        n = min(max(changes, default=-1) + 1, MOST)
        held = [*entries(keys, at)[:n], *({} for _ in range(n - len(entries(keys, at))))]
        put(
            keys,
            at,
            [_of_type(entry, changes.get(i, {}).get("type")) for i, entry in enumerate(held)] or None,
        )
    named, made = scales(keys), dict[str, Any]()
    for change in by_entry.get("scales", {}).values():
        name, labels = free_name(change.get("name") or "scale", made), change.get("labels", "")
        is_same = name in named and cleaned(shown(named[name])) == labels
        made[name] = named[name] if is_same else _taken("labels", labels) or []
    put(keys, ("scales",), made or None)


def _of_type(entry: Any, type_: str | None) -> Any:
    """A question of that type, or what any question has of one of another type."""
    if not isinstance(entry, dict) or cleaned(_shown_of(entry, "type")) == type_:
        return entry
    return {key: value for key, value in entry.items() if key not in _OF_TYPES and key != "type"}


def _take_questions(keys: Keys, at: tuple[str, ...], changes: Changes) -> None:
    if not changes:
        return
    questions = entries(keys, at)
    for index, change in changes.items():
        if index == len(questions) < MOST:
            questions.append({})
        if index < len(questions):
            questions[index] = _edited(questions[index], change, keys)
    put(keys, at, questions)


def _edited(entry: Any, change: Mapping[str, str], keys: Keys) -> Keys:
    question: Keys = dict(entry) if isinstance(entry, dict) else {}
    old_labels = labels_of(question, keys)
    for key, text in change.items():
        if key in {"ask", "id", *_OF_TYPES} - {"required", "allow_tie"}:
            put(question, (key,), _taken(key, text))
    if change.get("scale") and "labels" not in change:
        question.pop("labels", None)
    if change.get("scale") == "" and "labels" not in question and old_labels:
        question["labels"] = old_labels
    if "type" in change:
        _retype(question, change["type"], old_labels)
    if "allow_tie" in change:
        put(question, ("allow_tie",), True if change["allow_tie"] == "yes" else None)
    if "required" in change:
        wanted = change["required"] == "yes"
        by_type = _required_by_type(type_of(question))
        put(question, ("required",), None if wanted == by_type else wanted)
    return question


def labels_of(question: Mapping[str, Any], keys: Mapping[str, Any]) -> list[Any]:
    """A likert's labels, its own or its scale's; empty where there are none."""
    own, named = question.get("labels"), question.get("scale")
    known = {**scales(keys), **SCALES}.get(named, ()) if isinstance(named, str) else ()
    found = known if own is None else own
    return list(found) if isinstance(found, (list, tuple)) else []


def _retype(question: Keys, type_: str, old_labels: list[Any]) -> None:
    """Another type: what both have stays, labels and options stand for one another, the rest goes."""
    options = question.get("options")
    put(question, ("type",), type_ or None)
    if type_ not in QUESTIONS:
        return
    if type_ == "choice" and options is None and old_labels:
        question["options"] = old_labels
    if type_ == "likert" and not {"labels", "scale"} & set(question):
        question |= {"labels": options} if options else {"scale": _FIRST_SCALE}
    if type_ == "slider" and len(question.get("labels") or ()) != 2:
        question.pop("labels", None)
    for key in _OF_TYPES - set(OF_TYPE[type_]):
        question.pop(key, None)


def _take_scales(keys: Keys, changes: Changes) -> Iterator[Fault]:
    names = list(scales(keys))
    for index, change in changes.items():
        held = scales(keys)
        if index >= len(names) and len(held) >= MOST:
            return
        old = names[index] if index < len(names) else free_name(change.get("name") or "scale", held)
        labels = _taken("labels", change.get("labels", ""))
        if "labels" in change or old not in held:
            held[old] = labels or []
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
    """The questions that use it follow, but for those that mean the built-in one."""
    keys["scales"] = {new if name == old else name: labels for name, labels in keys["scales"].items()}
    if old in SCALES:
        return
    for question in _all_questions(keys):
        if isinstance(question, dict) and question.get("scale") == old:
            question["scale"] = new


def _all_questions(keys: Keys) -> Iterator[Any]:
    """Those of the form and those of blocks."""
    for part in (keys, *blocks_in(keys)):
        for at in (*QUESTION_LISTS, ("questions",)):
            yield from entries(part, at)


def free_name(name: str, taken: Collection[Any]) -> str:
    """The name, numbered where it is taken."""
    numbered = (f"{name}_{n}" for n in range(2, len(taken) + 3))
    return name if name not in taken else next(each for each in numbered if each not in taken)
