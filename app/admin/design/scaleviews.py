"""The named scales of a draft as cards of the form."""

from collections.abc import Mapping
from typing import Any

from app.admin.design.values import scales, shown
from app.admin.design.views import CardView, FieldsView, FieldView, ListView
from app.core.problems import listed
from app.questions.scales import SCALES

Keys = Mapping[str, Any]


def scales_view(keys: Keys, errors: Mapping[str, str]) -> ListView:
    """The list of scales."""
    cards = [
        CardView(
            at=f"scales.{index}",
            title=f"Scale {index + 1}",
            parts=[
                FieldsView(
                    [
                        _of_scale(index, "name", shown(name), errors),
                        _of_scale(index, "labels", shown(labels), errors),
                    ]
                )
            ],
            error=errors.get(f"scales.{index}", ""),
        )
        for index, (name, labels) in enumerate(scales(keys).items())
    ]
    intro = (
        f"Lists of labels that several questions share. {listed(SCALES, 'and').capitalize()} are built in."
    )
    return ListView("scales", "", intro, cards, "scale", error=errors.get("scales", ""), is_ordered=False)


def _of_scale(index: int, key: str, value: str, errors: Mapping[str, str]) -> FieldView:
    at, is_name = f"scales.{index}.{key}", key == "name"
    return FieldView(
        name=at,
        label="Name" if is_name else "Labels, one per line",
        widget="line" if is_name else "text",
        value=value,
        help="Lower-case letters, digits, - and _. Questions that use the scale follow when you rename it."
        if is_name
        else "2 to 11 different labels; the first is answer 1.",
        error=errors.get(at, ""),
        rows=5,
        settles=is_name,
    )
