"""Texts of a study with their translations, as the form shows them."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from app.admin.design.fields import text_of
from app.admin.design.nodes import Group, Leaf
from app.admin.design.outline import ONE_PER_LINE
from app.admin.design.translations import LANGUAGES, is_due, is_gone
from app.admin.design.values import dotted
from app.admin.design.views import FieldView, TranslationsView, WordView
from app.studies.file.languages import MAY_DIFFER, own_language

_MOST_ROWS = 12
# Characters of a row, about.
_ROW = 30


def translations_view(group: Group, keys: Mapping[str, Any], errors: Mapping[str, str]) -> TranslationsView:
    """A language with its texts, by the parts of the form; closed unless something is wrong in it."""
    parts = [
        (each.title, [_word(leaf, errors) for leaf in each.parts if isinstance(leaf, Leaf)])
        for each in group.parts
        if isinstance(each, Group)
    ]
    words = [word for _, held in parts for word in held]
    at = dotted(group.place)
    return TranslationsView(
        at=at,
        title=group.title,
        language=str(group.place[1]),
        own=own_language(keys.get(LANGUAGES)),
        parts=parts,
        n=sum(not word.is_gone for word in words),
        n_due=sum(word.is_due for word in words),
        error=errors.get(at, ""),
        is_folded=not any(each == at or each.startswith(f"{at}.") for each in errors),
    )


def _word(leaf: Leaf, errors: Mapping[str, str]) -> WordView:
    original, at = text_of(replace(leaf, value=leaf.original)), dotted(leaf.place)
    is_long = leaf.kind != "text" or leaf.widget.rows > 1 or "\n" in original
    field = FieldView(
        name=at,
        label=leaf.label.removesuffix(ONE_PER_LINE),
        widget="text" if is_long else "line",
        value=text_of(leaf),
        help="" if leaf.kind == "text" else "One for each line of the original.",
        error=errors.get(at, ""),
        rows=min(max(sum(1 + len(line) // _ROW for line in original.split("\n")), 2), _MOST_ROWS),
        optional=leaf.key in MAY_DIFFER,
    )
    return WordView(field, original, is_due(leaf), is_gone(leaf))
