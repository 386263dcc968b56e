"""The named scales of a draft as cards of the form."""

from collections.abc import Mapping
from typing import Any

from app.admin.design.values import scales, shown
from app.admin.design.views import CardView, FieldsView, FieldView, ListView, Options
from app.core.problems import listed
from app.questions.scales import SCALES

Keys = Mapping[str, Any]
_OWN_LABELS = "Labels of its own"


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


def scale_options(keys: Keys) -> Options:
    """The scales that a question may take its labels from, the built-in ones too."""
    known = {**scales(keys), **SCALES}
    return [("", _OWN_LABELS), *((name, f"{shown(name)}: {_ends(known[name])}") for name in known)]


def _ends(labels: Any) -> str:
    """`never … very often`."""
    texts = list(map(shown, labels)) if isinstance(labels, (list, tuple)) else []
    return f"{texts[0]} … {texts[-1]}" if texts else "no labels"
