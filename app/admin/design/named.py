"""Texts that name something and its settings (`adaptive:beta=0.2`), as a choice and a field for each setting."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from app.admin.design.nodes import Leaf
from app.core.widgets import Named, named_parts, named_text, widget_of


def cut(text: object) -> tuple[str, Mapping[str, str]] | None:
    """A name and its settings; None for what is no such text."""
    if not isinstance(text, str):
        return None
    name, *pairs = named_parts(text)
    settings = [pair.partition("=") for pair in pairs]
    if not all(key.strip() and equals for key, equals, _ in settings):
        return None
    return name, {key.strip(): value.strip() for key, _, value in settings}


def with_settings(leaf: Leaf, named: Named) -> Sequence[Leaf]:
    """The choice of a name, and a field for each setting of the one chosen; of another text, the text as a choice."""
    found = cut(leaf.value)
    if leaf.value is not None and (found is None or found[0] not in named.words):
        options = {**named.words, **({str(leaf.value): str(leaf.value)} if leaf.value else {})}
        return [replace(leaf, options=options)]
    name, given = found or ("", {})
    choice = replace(leaf, options=named.words, named=True)
    model = named.settings.get(name)
    known = model.model_fields if model else {}
    return [
        choice,
        *(
            Leaf((*leaf.place, key), info, "text", given.get(key), {}, how="setting", of=choice)
            for key, info in known.items()
            if (info.title and not widget_of(info.metadata).is_rare) or key in given
        ),
    ]


def as_one(leaf: Leaf) -> Leaf:
    """The same as one choice, with its settings in words; an arm has it so."""
    found = cut(leaf.value) if leaf.named else None
    if not found or not found[1]:
        return replace(leaf, named=False)
    said = ", ".join(f"{key} = {value}" for key, value in found[1].items())
    options = {**leaf.options, str(leaf.value): f"{leaf.options[found[0]]} ({said})"}
    return replace(leaf, named=False, options=options)


def renamed(leaf: Leaf, name: str | None) -> str | None:
    """The text with another name; settings belong to a name, and go with it."""
    found = cut(leaf.value)
    return leaf.value if found and found[0] == name else name


def with_setting(text: Any, key: str, value: str | None) -> str | None:
    """The text with another value of a setting."""
    found = cut(text)
    if found is None:
        return None if text is None else str(text)
    name, settings = found
    kept = {other: given for other, given in settings.items() if other != key}
    if value is not None:
        kept = {**settings, key: value}
    return named_text(name, kept)
