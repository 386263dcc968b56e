"""Places that two editors changed at once, with both versions to choose from."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from app.admin.design.fields import fields_to_keys
from app.admin.design.nodes import Leaf, leaves
from app.admin.design.outline import outline
from app.admin.design.places import SECTIONS, section_of
from app.admin.design.values import dotted, is_nested, shown
from app.admin.design.views import ClashView
from app.core.dependencies import BadForm
from app.studies.merging import Clash, put_by_ids, value_by_ids
from app.studies.undoing import Change, Steps

KEEP = "keep"
_MOST = 500
_REMOVED = "(removed)"


def clash_views(keys: Mapping[str, Any], clashes: Sequence[Clash]) -> Sequence[ClashView]:
    """Each clash with its place in words, and both versions."""
    return [
        ClashView(
            at=dotted(value_by_ids(keys, clash.place)[0]),
            label=place_in_words(keys, dotted(value_by_ids(keys, clash.place)[0])),
            mine=_text(clash.mine),
            theirs=_text(clash.theirs),
            place=json.dumps(clash.place),
            value=json.dumps(clash.mine),
        )
        for clash in clashes
    ]


def _text(value: Any) -> str:
    if value is None:
        return _REMOVED
    if is_nested(value):
        return yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=80).strip()
    return shown(value)


def keep_chosen(keys: dict[str, Any], form: Mapping[str, str]) -> None:
    """Put the chosen versions where the others stand. What was typed meanwhile comes as its field, `field.1`.

    Raises BadForm for a value that is none.
    """
    for name, choice in form.items():
        number = name.removeprefix("keep.")
        if number == name or choice != "mine":
            continue
        place = _read(form.get(f"place.{number}", ""))
        if not isinstance(place, list) or not 0 < len(place) < _MOST or not all(map(_is_part, place)):
            continue
        if (typed := form.get(f"field.{number}")) is not None:
            taken = fields_to_keys(keys, {dotted(value_by_ids(keys, tuple(place))[0]): typed}).keys
            keys.clear()
            keys.update(taken)
        else:
            put_by_ids(keys, tuple(place), _value(form.get(f"value.{number}", "")))


def _read(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _is_part(part: Any) -> bool:
    return isinstance(part, str) or (isinstance(part, int) and not isinstance(part, bool))


def _value(text: str) -> Any:
    try:
        read = json.loads(text)
        json.dumps(read, allow_nan=False)
    except (ValueError, RecursionError):
        raise BadForm("A version to keep could not be read; reload the page and choose again.") from None
    return read


def place_in_words(keys: Mapping[str, Any], at: str) -> str:
    """A place of the design as its section and field are called: `Consent: Consent text`."""
    title = next(each.title for each in SECTIONS if each.slug == section_of(at))
    if not at:
        return "several places"
    fields = {dotted(leaf.place): leaf for leaf in leaves(outline(keys))}
    leaf: Leaf | None = fields.get(at)
    return f"{title}: {leaf.label}" if leaf and leaf.label != title else title


def step_words(keys: Mapping[str, Any], steps: Steps) -> tuple[str, str]:
    """The change that would be undone, and the one that would be done again, in words; empty where there is none."""
    undo, redo = (_words(keys, changes) for changes in (steps.done, steps.undone))
    return undo, redo


def _words(keys: Mapping[str, Any], changes: Sequence[Change]) -> str:
    return place_in_words(keys, changes[-1].place) if changes else ""
