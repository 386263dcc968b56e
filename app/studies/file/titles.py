"""Titles of a study file's keys by their place, and the words of their choices: for pages that show no form."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from app.core.widgets import widget_of
from app.studies.file.difference import BETWEEN, Difference
from app.studies.file.model import StudyFile
from app.tasks.registry import BLOCKS

Model = type[BaseModel]


def in_words(change: Difference) -> Difference:
    """A difference with titles in place of keys, and words in place of choices."""
    names, field, below = _walked(change.place.split(BETWEEN))
    words = widget_of(field.metadata).words if field is not None else {}
    return replace(
        change,
        place=BETWEEN.join(names),
        before=words.get(change.before) or _keys_in_words(change.before, below),
        after=words.get(change.after) or _keys_in_words(change.after, below),
    )


@cache
def titles() -> Mapping[str, str]:
    """The titles of the study file's first keys."""
    return {name: _title(info.title) for name, info in StudyFile.model_fields.items()}


def _walked(place: Sequence[str]) -> tuple[Sequence[str], FieldInfo | None, Sequence[Model]]:
    """The titles down to a place, the last key's field, and the models of what stands there.

    A kind, such as the name of an exclusion rule, has its title; names of entries stay as they are.
    """
    found: list[str] = []
    models: Sequence[Model] = (StudyFile,)
    field: FieldInfo | None = None
    is_entry = False
    for name in place:
        infos = [model.model_fields[name] for model in models if name in model.model_fields and not is_entry]
        kinds = [each for each in models if _kind(each)[0] == name and "id" not in each.model_fields]
        field = next(iter(infos), None)
        is_entry = field is not None and _is_list(field.annotation)
        found.append(_title(field.title) if field is not None else _kind(kinds[0])[1] if kinds else name)
        models = _models_below(name, models) if infos else kinds or models
    return found, field, models


def _is_list(annotation: Any) -> bool:
    """True for a list of parts, whose entries have names."""
    if get_origin(annotation) is Annotated:
        return _is_list(get_args(annotation)[0])
    return get_origin(annotation) is tuple and any(_in(annotation))


def _title(title: str | None) -> str:
    return (title or "").split(", one per line")[0]


def _kind(model: Model) -> tuple[str, str]:
    """The value that tells a model from others, such as a rule's name, and its title; both empty without one."""
    for info in model.model_fields.values():
        if get_origin(info.annotation) is Literal and len(values := get_args(info.annotation)) == 1:
            return str(values[0]), info.title or str(values[0])
    return "", ""


def _keys_in_words(text: str, models: Sequence[Model]) -> str:
    """`at_least: 8; share: 1`, or `rating: 12 items`, with titles."""
    kinds = dict(map(_kind, models))
    titles = {name: _title(info.title) for model in models for name, info in model.model_fields.items()}
    parts = [part.partition(": ") for part in text.split("; ")]
    if any(key not in titles and key not in kinds for key, *_ in parts[:1]):
        return text
    return "; ".join(f"{titles.get(key) or kinds.get(key) or key}{sep}{value}" for key, sep, value in parts)


def _models_below(name: str, models: Sequence[Model]) -> Sequence[Model]:
    below: list[Model] = []
    for model in models:
        if name in model.model_fields:
            below += _models_in(model, name)
    return below


@cache
def _models_in(model: Model, name: str) -> Sequence[Model]:
    if model is StudyFile and name == "blocks":
        return list(BLOCKS.values())
    own: Mapping[str, Any] = getattr(model, "parameters", {})
    return [*_in(model.model_fields[name].annotation), *own.get(name, ())]


def _in(annotation: Any) -> Iterator[Model]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _in(part)
