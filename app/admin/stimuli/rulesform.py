"""The form of the processing rules: percents for boxes, seconds for trims; into rules and back."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from analysis.files.numbers import decimal_number
from app.admin.stimuli.views import MaskRow
from app.catalog.rules import BadRules, checked_rules
from app.library.clips.rules import Mask, Rules

SIDES = ("x", "y", "width", "height")
NUMBERS = ("trim_start_s", "trim_end_s", "width", "height", "fps", "crf")
PRESET = "preset"
MOST_MASKS = 20
_WORDS = {
    "trim_start_s": "Off the start",
    "trim_end_s": "Off the end",
    "width": "Width",
    "height": "Height",
    "fps": "Frames a second",
    "crf": "Quality",
}
_WHOLE = frozenset({"width", "height", "crf"})
_MASK_FIELD = re.compile(r"mask\.(\d{1,4})\.(?:x|y|width|height)")


@dataclass(frozen=True, slots=True)
class RulesForm:
    """Fields as they stand in the form."""

    values: Mapping[str, str]
    masks: Sequence[MaskRow]
    errors: Mapping[str, str]


def form_of(rules: Rules) -> RulesForm:
    values = {name: _written(getattr(rules, name)) for name in NUMBERS} | {PRESET: rules.preset}
    masks = [_row_of(number, mask) for number, mask in enumerate(rules.masks)]
    return RulesForm(values, masks, {})


def typed(fields: Mapping[str, str], errors: Mapping[str, str] | None = None) -> RulesForm:
    """The form as sent, with an error at each invalid field."""
    errors = errors or {}
    rows = _rows(fields)
    masks = []
    for number, row in enumerate(rows):
        found = [text for place, text in errors.items() if place.split(".")[:2] == ["masks", str(number)]]
        sides = {side: fields.get(f"mask.{row}.{side}", "") for side in SIDES}
        masks.append(MaskRow(number=number, error="; ".join(found), **sides))
    return RulesForm({name: fields.get(name, "") for name in (*NUMBERS, PRESET)}, masks, errors)


def rules_in(fields: Mapping[str, str]) -> Rules:
    """The rules that a form says. Raises BadRules."""
    values: dict[str, Any] = {}
    faults: dict[str, str] = {}
    for name in NUMBERS:
        text = fields.get(name, "")
        if text.strip():
            values[name] = _number(text, whole=name in _WHOLE)
            if values[name] is None:
                faults[name] = f"{_WORDS[name]} is not a number."
    if fields.get(PRESET):
        values[PRESET] = fields[PRESET]
    values["masks"] = [_mask(fields, row, number, faults) for number, row in enumerate(_rows(fields))]
    if len(values["masks"]) > MOST_MASKS:
        faults["masks"] = f"There are more than {MOST_MASKS} masks."
    if faults:
        raise BadRules(faults)
    return checked_rules(values)


def _rows(fields: Mapping[str, str]) -> list[str]:
    """The masks with any field filled in."""
    named = [match[1] for field in fields if (match := _MASK_FIELD.fullmatch(field))]
    rows = sorted(dict.fromkeys(named), key=int)
    return [row for row in rows if any(fields.get(f"mask.{row}.{side}", "").strip() for side in SIDES)]


def _mask(fields: Mapping[str, str], row: str, number: int, faults: dict[str, str]) -> dict[str, float]:
    box: dict[str, float] = {}
    for side in SIDES:
        percent = _number(fields.get(f"mask.{row}.{side}", ""), whole=False)
        if percent is None:
            faults[f"masks.{number}.{side}"] = f"Mask {number + 1}: {side} is not a number."
        else:
            box[side] = round(percent / 100, 6)
    return box


def _number(text: str, *, whole: bool) -> float | int | None:
    try:
        number = decimal_number(text)
    except ValueError:
        return None
    return int(number) if whole and number.is_integer() else number


def _row_of(number: int, mask: Mask) -> MaskRow:
    sides = {side: _written(round(getattr(mask, side) * 100, 4)) for side in SIDES}
    return MaskRow(number=number, error="", **sides)


def _written(value: float | int | None) -> str:
    return "" if value is None else f"{value:.6f}".rstrip("0").rstrip(".")
