"""Where each thing that is wrong with a draft stands in its form."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from app.admin.design.fields import dotted, entries, keys_to_fields, question_lists, scales
from app.admin.design.pages import FaultView
from app.admin.design.words import LABELS
from app.studies.file.comparable import has_blocks
from app.studies.file.problems import Fault, Place
from app.studies.file.questions import type_of

_TITLES: Mapping[str, str] = {
    "title": "The study",
    "consent": "Consent",
    "background": "About you",
    "instructions": "Instructions",
    "trials": "Trials",
    "pairs": "Pairs",
    "blocks": "Blocks",
    "scales": "Scales",
    "completion": "End",
}
_SECTIONS = ("consent", "background", "trials", "trials.questions", "scales", "completion", "pairs")
_OF_BLOCKS = ("consent", "background", "blocks", "scales", "completion")
_EMPTY = re.compile(r"^\w+ is (missing|empty)\b")
_SHAPES: Mapping[str, type] = {
    "consent": dict,
    "trials": dict,
    "completion": dict,
    "scales": dict,
    "background": list,
    "blocks": list,
    "trials.questions": list,
}


def fault_views(keys: Mapping[str, Any], faults: Iterable[Fault]) -> Sequence[FaultView]:
    """Each fault at its field, or at the nearest part of the form round it."""
    fields = set(keys_to_fields(keys)) - _hidden(keys)
    sections = _OF_BLOCKS if has_blocks(keys) else _SECTIONS
    blocks = (f"blocks.{index}" for index in range(len(entries(keys, ("blocks",)))))
    parts = {*sections, *blocks, *(name.rpartition(".")[0] for name in fields if name.count(".") > 1)}
    return [_view(keys, fault, fields, parts) for fault in faults]


def _hidden(keys: Mapping[str, Any]) -> set[str]:
    """Labels are not shown where a named scale gives them."""
    return {
        f"{dotted(at)}.{index}.labels"
        for at in question_lists(keys)
        for index, question in enumerate(entries(keys, at))
        if isinstance(question, Mapping) and takes_points(question)
    }


def plain(text: str) -> str:
    """Words without the marks that Markdown has for code."""
    return text.replace("`", "")


def takes_points(question: Mapping[str, Any]) -> bool:
    """Whether a likert's labels are those of a named scale alone."""
    return type_of(question) == "likert" and bool(question.get("scale")) and question.get("labels") is None


def marked(faults: Iterable[FaultView]) -> Mapping[str, str]:
    """What is said at each field or part."""
    said: dict[str, list[str]] = {}
    for fault in faults:
        said.setdefault(fault.at, []).append(f"{fault.message}: {fault.remedy}.")
    return {at: " ".join(sentences) for at, sentences in said.items()}


def _view(keys: Mapping[str, Any], fault: Fault, fields: set[str], parts: set[str]) -> FaultView:
    place = _in_form(keys, fault.place)
    known = (dotted(place[:n]) for n in range(len(place), 0, -1))
    at = next((name for name in known if name in fields or name in parts), "")
    message, remedy = _said(at, fault)
    drop = "" if _stays(fault) else _drop(keys, fault.place, at, fields)
    return FaultView(at, _where(at), message, remedy, drop)


def _stays(fault: Fault) -> bool:
    """Whether what is wrong stands in a block, and may be all that is in it; a key that nobody knows can go."""
    return fault.place[:1] == ("blocks",) and len(fault.place) > 1 and not fault.message.startswith("unknown")


def _said(at: str, fault: Fault) -> tuple[str, str]:
    """What is wrong and what to do, in the form's words where all that is wrong is that nothing is there."""
    if at == "pairs" and fault.message.startswith("neither"):
        return "There are no pairs yet", fault.remedy
    if at == "trials.questions" and "is missing" in fault.message:
        return "There are no questions yet", "add the choice of a clip first"
    label = LABELS.get(at) or LABELS.get(at.rpartition(".")[2], "")
    if label and fault.place[-1:] == (at.rpartition(".")[2],) and _EMPTY.search(fault.message):
        return f"“{label}” is empty", "fill it in"
    message, own = fault.message, f"{fault.place[-1]}:" if fault.place else ""
    if label and message.startswith(own):
        message = f"“{label}”:{message.removeprefix(own)}"
    return plain(message[:1].upper() + message[1:]), plain(fault.remedy)


def _in_form(keys: Mapping[str, Any], place: Place) -> Place:
    """Pairs have one place in the form; a scale stands under its number."""
    if place[:1] == ("sample",) and not has_blocks(keys):
        return ("pairs",)
    if place[:1] != ("scales",) or len(place) == 1 or isinstance(place[1], int):
        return place
    names = list(scales(keys))
    if place[1] not in names:
        return ("scales",)
    return ("scales", names.index(place[1]), *(("labels",) if len(place) > 2 else ()))


def _where(at: str) -> str:
    """`Trials, question 2`."""
    first, _, rest = at.partition(".")
    number = next((int(part) + 1 for part in rest.split(".") if part.isdigit()), None)
    one = {"scales": "scale", "blocks": "block"}.get(first, "question")
    return _TITLES.get(first, "Study") + (f", {one} {number}" if number else "")


def _drop(keys: Mapping[str, Any], place: Place, at: str, fields: set[str]) -> str:
    """The action that takes out a key which the form does not show, or which is no section at all."""
    held: Any = keys
    for part in place:
        try:
            held = held[part]
        except (KeyError, IndexError, TypeError):
            return ""
    name = dotted(place)
    is_odd = name in _SHAPES and not isinstance(held, _SHAPES[name])
    is_unseen = at not in fields and at != name and place[:1] not in (("pairs",), ("sample",), ("study",))
    can_go = bool(place) and isinstance(place[-1], str) and place[0] != "scales"
    return f"drop:{json.dumps(place)}" if can_go and (is_odd or is_unseen) else ""
