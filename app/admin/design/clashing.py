"""Places that two editors changed at once, with both versions to choose from."""

import json
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

from app.admin.design.fields import fields_to_keys, text_of
from app.admin.design.gists import pairs_line
from app.admin.design.nodes import Group, Leaf, Node, groups, leaves, lists
from app.admin.design.outline import ONE_PER_LINE, outline
from app.admin.design.places import SECTIONS, section_of
from app.admin.design.values import dotted, shown
from app.admin.design.views import ClashView
from app.core.dependencies import BadForm
from app.core.money import sign_of
from app.core.problems import Place
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
            label=_label(keys, clash),
            mine=_in_words(keys, clash.place, clash.mine),
            theirs=_in_words(keys, clash.place, clash.theirs),
            place=json.dumps(clash.place),
            value=json.dumps(clash.mine),
        )
        for clash in clashes
    ]


def _label(keys: Mapping[str, Any], clash: Clash) -> str:
    """The clashing part's place in words: in the draft, or in one's own version where the other took the part away."""
    there = _with(keys, clash.place, clash.mine) if clash.theirs is None else keys
    return place_in_words(there, dotted(value_by_ids(there, clash.place)[0]))


def _with(keys: Mapping[str, Any], place: Place, value: Any) -> dict[str, Any]:
    made = deepcopy(dict(keys))
    put_by_ids(made, place, value)
    return made


def _in_words(keys: Mapping[str, Any], place: Place, value: Any) -> str:
    """A version as the form shows it: a field's value, or each field of a part with its label."""
    if value is None:
        return _REMOVED
    made = _with(keys, place, value)
    at, form = value_by_ids(made, place)[0], outline(made)
    if field := next((leaf for leaf in leaves(form) if leaf.place == at), None):
        return _value_of(field) or shown(value)
    parts = [_lines_of(each) for each in _entries_at(form, at)]
    return "\n\n".join("\n".join(each) for each in parts if each) or _without_fields(place, value)


def _entries_at(form: Group, at: Place) -> Sequence[Node]:
    """The entries of the list at a place, or the one part that stands there."""
    whole = next((cards for cards in lists(form) if cards.place == at), None)
    if whole is not None:
        return whole.entries
    return [group for group in groups(form) if group.place == at][:1]


def _lines_of(part: Node) -> Sequence[str]:
    """The fields of a part that are set, each a line of its label and value."""
    given = [leaf for leaf in leaves(part) if leaf.value not in (None, "", [], {})]
    said = [(leaf.label.removesuffix(ONE_PER_LINE), _value_of(leaf)) for leaf in given]
    return [f"{label}: {words}" if label != words else words for label, words in said if words]


def _without_fields(place: Place, value: Any) -> str:
    """A part that has pages of its own, as the draw of pairs, or names of the study's own, as its scales."""
    if place == ("sample",):
        return pairs_line({"sample": value})
    if not isinstance(value, Mapping):
        return shown(value)
    return "\n".join(f"{name}: {shown(each)}".replace("\n", ", ") for name, each in value.items())


def _value_of(leaf: Leaf) -> str:
    text = text_of(leaf).strip()
    if leaf.kind in ("yes-no", "lines"):
        return text.replace("\n", ", ")
    sign = sign_of(leaf.currency) if leaf.currency else ""
    return f"{sign}{leaf.options.get(text, text)} {leaf.widget.unit}".strip() if text else ""


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
