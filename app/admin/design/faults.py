"""Maps each fault of a draft to its place in the form."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from app.admin.design.fault_words import in_words, message_in_words, plain
from app.admin.design.nodes import Cards, Group, Node, changes, groups, label_of, leaves, lists
from app.admin.design.outline import outline
from app.admin.design.translations import LANGUAGES, language_name
from app.admin.design.values import dotted, scales, value_at
from app.admin.design.views import FaultView
from app.core.problems import Fault, Place
from app.questions.registry import QUESTIONS, type_of
from app.studies.file.comparable import has_blocks
from app.studies.file.model import StudyFile

_EMPTY = re.compile(r"^\w+ is (missing|empty)\b")
_IN_ARM = re.compile(r"^in the arm '[^']*': ")
_NEITHER = "neither `pairs`"
_MOST_AT_A_FIELD = 3
_OF_SCALES = {"name": "Name", "labels": "Labels, one per line"}


def fault_views(keys: Mapping[str, Any], faults: Iterable[Fault]) -> Sequence[FaultView]:
    """Each fault at its field, or at the nearest part of the form round it."""
    form = _Form(keys)
    return [form.view(fault) for fault in faults]


def labels_are_shown(question: Mapping[str, Any]) -> bool:
    """True if a question's labels are those of a named scale alone, which are shown and not typed."""
    model = QUESTIONS.get(type_of(question) or "")
    takes_scale = model is not None and "scale" in model.model_fields
    return takes_scale and bool(question.get("scale")) and question.get("labels") is None


def marked(faults: Iterable[FaultView]) -> Mapping[str, str]:
    """The messages at each field or part: the first of many, as a table may have one for every row."""
    said: dict[str, list[str]] = {}
    for fault in faults:
        said.setdefault(fault.at, []).append(f"{fault.message}: {fault.remedy}.")
    return {at: " ".join(_first(sentences)) for at, sentences in said.items()}


def _first(sentences: Sequence[str]) -> Sequence[str]:
    if len(sentences) <= _MOST_AT_A_FIELD:
        return sentences
    more = len(sentences) - _MOST_AT_A_FIELD
    return [*sentences[:_MOST_AT_A_FIELD], f"And {more} more, listed at the top of the page."]


class _Form:
    """The fields and the parts of a draft's form by their names."""

    def __init__(self, keys: Mapping[str, Any]) -> None:
        self.keys = keys
        seen = outline(keys)
        self.labels = {dotted(leaf.place): leaf.label for leaf in leaves(seen) if leaf.key != "task"}
        for index in range(len(scales(keys))):
            self.labels |= {f"scales.{index}.{key}": label for key, label in _OF_SCALES.items()}
        for group in groups(seen):
            if isinstance(group.value, Mapping) and labels_are_shown(group.value):
                self.labels.pop(f"{dotted(group.place)}.labels", None)
        parts: list[Node] = [*groups(seen), *lists(seen), *changes(seen)]
        self.parts: dict[str, Node | None] = {dotted(part.place): part for part in parts}
        self.parts.pop("")
        self.parts |= {f"scales.{index}": None for index in range(len(scales(keys)))} | {"scales": None}
        self.parts |= {} if has_blocks(keys) else {"pairs": None}

    def view(self, fault: Fault) -> FaultView:
        place = self._in_form(fault.place)
        if place[:1] == ("blocks",) and fault.message.startswith(_NEITHER):
            place = (*place, "pairs")
        known = (dotted(place[:n]) for n in range(len(place), 0, -1))
        at = next((name for name in known if name in self.labels or name in self.parts), "")
        message, remedy = self._message_and_remedy(at, fault)
        return FaultView(at, self._where(at), message, remedy, self._drop(fault, at))

    def _in_form(self, place: Place) -> Place:
        """Pairs have one place in the form; a scale stands under its number."""
        if place[:1] == ("sample",) and not has_blocks(self.keys):
            return ("pairs",)
        if place[:1] != ("scales",) or len(place) == 1 or isinstance(place[1], int):
            return place
        names = list(scales(self.keys))
        if place[1] not in names:
            return ("scales",)
        return ("scales", names.index(place[1]), *(("labels",) if len(place) > 2 else ()))

    def _message_and_remedy(self, at: str, fault: Fault) -> tuple[str, str]:
        """Message and remedy, in the form's words if the only fault is a missing value."""
        if at.endswith("pairs") and fault.message.startswith(_NEITHER):
            return "There are no pairs yet", fault.remedy
        if isinstance(self.parts.get(at), Cards) and "is missing" in fault.message:
            return "There are no questions yet", "add the first one"
        label = self.labels.get(at, "")
        if fault.place[:1] == (LANGUAGES,) and "has no translation" in fault.message:
            return f"“{label}” has no translation", "translate it"
        if (
            label
            and fault.place[-1:] == (at.rpartition(".")[2],)
            and _EMPTY.search(_IN_ARM.sub("", fault.message))
        ):
            return f"“{label}” is empty", "fill it in"
        # At a field of the arm nothing else can be meant.
        said = _IN_ARM.sub("", fault.message) if fault.place[2:3] == ("set",) and at != "" else fault.message
        message = plain(message_in_words(said, fault.place, label))
        return message[:1].upper() + message[1:], plain(in_words(fault.remedy, fault.place))

    def _where(self, at: str) -> str:
        """`Blocks, block 2, question 3`."""
        first, *rest = at.split(".")
        info = StudyFile.model_fields.get(first)
        if first == LANGUAGES:
            return ", ".join(("Languages", *map(language_name, rest[:1])))
        words = ["The study" if first == "title" else label_of(first, info) if info else "Study"]
        for index, part in enumerate(rest, start=1):
            if part.isdigit():
                held = self.parts.get(".".join((first, *rest)[:index]))
                words.append(f"{held.noun if isinstance(held, Cards) else 'scale'} {int(part) + 1}")
        return ", ".join(words)

    def _drop(self, fault: Fault, at: str) -> str:
        """The action that removes a key which the form does not show, or which is not a valid section."""
        place, name = fault.place, dotted(fault.place)
        if not place or not isinstance(place[-1], str) or (place[0] == "scales" and len(place) > 1):
            return ""
        held, part = value_at(self.keys, place), self.parts.get(name)
        if held is None:
            return ""
        is_group = isinstance(part, Group)
        is_odd = (is_group and not isinstance(held, dict)) or (
            isinstance(part, Cards) and not isinstance(held, list)
        )
        is_odd = is_odd or (name == "scales" and not isinstance(held, dict))
        is_unseen = at not in self.labels and at != name and place[0] not in ("pairs", "sample", "study")
        return f"drop:{json.dumps(place)}" if is_odd or is_unseen else ""
