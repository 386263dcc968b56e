"""One field of the form: its widget, its choices, its help, and its default in words."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from app.admin.design.fault_words import plain
from app.admin.design.fields import amount_text
from app.admin.design.nodes import Leaf
from app.admin.design.values import dotted
from app.admin.design.views import ChoiceView, Options, Widget
from app.studies.file.fieldhelp import in_forms

LABELS = {"tag": "Type of answer", "way": ""}
TAGS = {"rule": "Rule"}
KINDS_HELP = {
    "entries": "One per line, as name: value.",
    "yaml": "There is no field for a value of this kind: it stands here as in the study file, in YAML.",
}
_COMMON = frozenset({"a", "an", "the", "of", "in", "to", "for", "at", "most", "longest"})
_WIDGETS: Mapping[str, Widget] = {"yes-no": "check", "choice": "choice", "number": "number"}


def widget(leaf: Leaf, options: Options) -> Widget:
    if leaf.widget.is_unseen or leaf.kind == "whole" or (leaf.kind == "tag" and leaf.key == "task"):
        return "hidden"
    if leaf.widget.is_table:
        return "table"
    if leaf.widget.is_open or leaf.kind == "way":
        return "open"
    is_long = leaf.widget.rows > 1 or leaf.kind in ("lines", "entries", "yaml")
    return "choice" if options else _WIDGETS.get(leaf.kind, "text" if is_long else "line")


def choices(leaf: Leaf, options: Options) -> Sequence[ChoiceView]:
    """The choices of a field that shows all of them."""
    if widget(leaf, options) != "open":
        return ()
    ways, part = leaf.ways, dotted(leaf.place[:2])
    return [
        ChoiceView(
            value=value,
            label=label,
            about=ways.about.get(value, "") if ways else "",
            cost=ways.costs.get(value, "") if ways else "",
            why_not=leaf.ruled_out[value].why if value in leaf.ruled_out else "",
            change=f"{part}.{leaf.ruled_out[value].change}" if value in leaf.ruled_out else "",
            is_rare=ways is not None and value in ways.rare,
        )
        for value, label in options
    ]


def help_of(leaf: Leaf, options: Options) -> str:
    """The model's words, but where the choices say it all."""
    said = leaf.widget
    if (leaf.kind in LABELS and leaf.key not in TAGS) or said.words or said.chosen_from:
        return ""
    if leaf.how == "item" and (leaf.named or leaf.place[-1] != 0):
        return ""  # said above them, or at the first
    if leaf.key == "scale" and options and not leaf.options:
        return "A named scale, or labels of its own."
    words = plain(in_forms(leaf.info.description or ""))
    is_said = _words(words) <= _words(f"{leaf.label} {said.unit}")
    return " ".join(filter(None, ("" if is_said else words, KINDS_HELP.get(leaf.kind, ""))))


def _words(text: str) -> set[str]:
    """The words of a text but for those that every text has."""
    return {word.strip(".,:;").lower() for word in text.split()} - _COMMON


def by_default(leaf: Leaf) -> str:
    """The default in words."""
    default = None if leaf.info.is_required() else leaf.info.default
    if isinstance(default, Fraction):
        return str(default)
    if isinstance(default, bool) or not isinstance(default, (int, float)):
        return ""
    return amount_text(default, leaf.currency) if leaf.currency else f"{default:g}"
