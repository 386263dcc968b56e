"""The form's buttons: add a question or scale, take one out, move it, drop a key that the form does not show."""

import json
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from app.admin.design.fields import (
    MOST,
    QUESTION_LISTS,
    Keys,
    cleaned,
    dotted,
    entries,
    free_name,
    put,
    question_lists,
    scales,
)
from app.core.errors import StudyError
from app.studies.file.questions import QUESTIONS, type_of

_LISTS = {dotted(at): at for at in QUESTION_LISTS}
_LABELS = ["not at all", "slightly", "moderately", "very", "extremely"]
_WHICH = "Which video is more likely to be human?"
_WHY = "Why do you think this is the case? Please provide as much detail as possible."
_HOW_CERTAIN = "How certain are you of your choice?"
# What a first question of a type is, about each pair and about the person.
_ABOUT_PAIRS: Mapping[str, Keys] = {
    "2afc": {"id": "choice", "type": "2afc", "ask": _WHICH},
    "text": {"id": "rationale", "type": "text", "ask": _WHY},
    "likert": {"id": "uncertainty", "type": "likert", "ask": _HOW_CERTAIN, "scale": "uncertainty"},
    "slider": {
        "id": "certainty",
        "type": "slider",
        "ask": _HOW_CERTAIN,
        "labels": ["guessing", "absolutely certain"],
    },
}
_OTHERS: Mapping[str, Keys] = {
    "likert": {"id": "rating", "type": "likert", "scale": "agreement"},
    "text": {"id": "comment", "type": "text"},
    "choice": {"id": "selection", "type": "choice", "options": ["Yes", "No"]},
    "number": {"id": "number", "type": "number", "minimum": 0},
    "slider": {"id": "slider", "type": "slider"},
    "2afc": _ABOUT_PAIRS["2afc"],
}
_ABOUT_PEOPLE: Mapping[str, Keys] = {
    "likert": {
        "id": "familiarity",
        "type": "likert",
        "ask": "How familiar are you with video games?",
        "scale": "familiarity",
    },
    "number": {"id": "age", "type": "number", "ask": "How old are you?", "minimum": 0, "maximum": 120},
}
_FIRST = {("background",): _ABOUT_PEOPLE, ("trials", "questions"): _ABOUT_PAIRS}


class BadAction(StudyError):
    status_code = 422


@dataclass(frozen=True, slots=True)
class Acted:
    """The keys afterwards, and the field or button to go on at."""

    keys: Keys
    focus: str = ""


def act(keys: Mapping[str, Any], action: str, form: Mapping[str, str]) -> Acted:
    """Do what a button says (`add:background`, `up:trials.questions.1`). Raises BadAction."""
    name, _, place = action.partition(":")
    changed: Keys = deepcopy(dict(keys))
    match name:
        case "" | "save":
            return Acted(changed)
        case "add" if place == "scales":
            return _add_scale(changed)
        case "add" if place in _LISTS:
            return _add_question(changed, _LISTS[place], cleaned(form.get(f"add.{place}", "")))
        case "drop":
            return _drop(changed, place)
        case "remove" | "up" | "down":
            at, index = _entry(changed, place)
            return _remove(changed, at, index) if name == "remove" else _move(changed, at, index, name)
    raise BadAction("This button does nothing here; please reload the page.")


def _entry(keys: Keys, place: str) -> tuple[str, int]:
    at, _, number = place.rpartition(".")
    index = int(number) if number.isascii() and number.isdigit() and len(number) < 4 else -1
    held = entries(keys, _LISTS[at]) if at in _LISTS else list(scales(keys)) if at == "scales" else []
    if not 0 <= index < len(held):
        raise BadAction("That is not there any more; please reload the page.")
    return at, index


def _add_question(keys: Keys, at: tuple[str, ...], type_: str) -> Acted:
    if at not in question_lists(keys):
        raise BadAction("This study has blocks: their questions stand in the study file.")
    questions = entries(keys, at)
    if type_ not in QUESTIONS or (type_ == "2afc" and at == ("background",)):
        raise BadAction("Choose the type of the new question first.")
    if type_ == "2afc" and any(type_of(question) == "2afc" for question in questions):
        raise BadAction("There is a choice between the two clips already; a trial has one.")
    if len(questions) >= MOST:
        raise BadAction(f"There are {MOST} questions already.")
    put(keys, at, [*questions, new_question(type_, at, questions)])
    return Acted(keys, f"{dotted(at)}.{len(questions)}.ask")


def new_question(type_: str, at: tuple[str, ...], questions: list[Any]) -> Keys:
    """A question to begin with: the published one where it is not asked yet, else one with an id of its own."""
    ids = [question.get("id") for question in questions if isinstance(question, dict)]
    first = _FIRST[at].get(type_)
    question = deepcopy(first if first and first["id"] not in ids else _OTHERS[type_])
    return {**question, "id": free_name(question["id"], ids)}


def _add_scale(keys: Keys) -> Acted:
    named = scales(keys)
    if len(named) >= MOST:
        raise BadAction(f"There are {MOST} scales already.")
    name = free_name("scale", named)
    put(keys, ("scales",), {**named, name: list(_LABELS)})
    return Acted(keys, f"scales.{list(scales(keys)).index(name)}.name")


def _remove(keys: Keys, at: str, index: int) -> Acted:
    if at == "scales":
        del keys["scales"][list(scales(keys))[index]]
        put(keys, ("scales",), keys["scales"] or None)
    else:
        questions = entries(keys, _LISTS[at])
        del questions[index]
        put(keys, _LISTS[at], questions or None)
    return Acted(keys, f"{at}.add")


def _move(keys: Keys, at: str, index: int, way: str) -> Acted:
    if at == "scales":
        raise BadAction("Scales stand in the order of their names.")
    questions = entries(keys, _LISTS[at])
    other = index - 1 if way == "up" else index + 1
    if 0 <= other < len(questions):
        questions[index], questions[other] = questions[other], questions[index]
        put(keys, _LISTS[at], questions)
        index = other
    return Acted(keys, f"{at}.{index}.{way}")


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
