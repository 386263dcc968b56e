"""Questions in a draft: the keys that make one, and the form in which the same question is the same value."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from app.questions.base import Question, finite_number
from app.questions.registry import QUESTIONS, type_of


def keys_of_question(question: Question, models: Mapping[str, type[BaseModel]] = QUESTIONS) -> dict[str, Any]:
    """The keys of a question in a study file that differ from its type's defaults; `models` has those of each type."""
    fields = models[question.type].model_fields
    keys = {
        key: _plain(value)
        for key, value in {**question.model_dump(exclude={"own"}), **question.own}.items()
        if key in fields and value != () and (key == "type" or value != fields[key].default)
    }
    if question.type == "2afc":
        keys.pop("required", None)  # answers that were published may lack it; a study's own may not
    if anchors := {str(n): anchor for n, anchor in enumerate(question.anchors, start=1) if anchor}:
        keys["anchors"] = anchors
    if question.yes_no:
        keys["yes_no"] = True
    if question.groups:
        keys["when"] = {"group": one_or_list(question.groups)}
    return keys


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return str(value).removesuffix(".0")
    return list(value) if isinstance(value, tuple) else value


def one_or_list(values: Sequence[str]) -> str | list[str]:
    """A list as it is written: one entry by itself."""
    return values[0] if len(values) == 1 else list(values)


def with_defaults(model: type[BaseModel], keys: Any) -> Any:
    """The keys with the defaults of those that are missing written out."""
    if not isinstance(keys, dict):
        return keys
    defaults = {name: field.default for name, field in model.model_fields.items() if not field.is_required()}
    return {**defaults, **keys}


def by_id(
    questions: Any, labels: Mapping[str, Any], models: Mapping[str, type[BaseModel]] = QUESTIONS
) -> Any:
    """Questions by their ids, or by their number where an id is missing or not theirs alone."""
    if not isinstance(questions, list):
        return questions
    named: dict[str, Any] = {}
    for number, question in enumerate(questions, start=1):
        id_ = question.get("id") if isinstance(question, dict) else None
        name = id_ if isinstance(id_, str) and id_ and id_ not in named else f"#{number}"
        named[name] = _question(question, labels, models)
    return named


def _question(question: Any, labels: Mapping[str, Any], models: Mapping[str, type[BaseModel]]) -> Any:
    model = models.get(type_of(question) or "") if isinstance(question, dict) else None
    if model is None:
        return question
    keys = with_defaults(model, question)
    limits = {key: finite_number(keys.get(key)) for key in ("minimum", "maximum")}
    keys |= {key: limit for key, limit in limits.items() if limit is not None}
    scale = keys.get("scale")
    if isinstance(scale, str) and scale in labels and keys.get("labels") is None:
        keys = {**keys, "scale": None, "labels": list(labels[scale])}
    when = keys.get("when")
    if isinstance(when, dict) and isinstance(when.get("group"), str):
        keys = {**keys, "when": {**when, "group": [when["group"]]}}
    return keys
