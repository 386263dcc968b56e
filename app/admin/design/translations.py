"""The languages of a study as fields: each text for participants with its translation."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic.fields import FieldInfo

from app.admin.design.nodes import Group, Kind, Leaf, Node
from app.admin.design.overrides import named_fields
from app.core.language import ENGLISH, TAG, gettext, name_of, speaking, with_catalogue
from app.core.problems import Place
from app.questions.scales import SCALES
from app.studies.file.key_places import indexed, whys_of_draft, with_whys
from app.studies.file.languages import (
    MAY_DIFFER,
    OWN,
    own_language,
    translated,
    word_at,
    words_in,
)

LANGUAGES, LANGUAGE = "languages", "language"
_GONE = "No longer in the study"
_OWN_INFO = FieldInfo(
    annotation=str,
    title="Language of this design",
    description="The language in which all the other parts of this form are written.",
)


def language_name(tag: str) -> str:
    """A language by its own name; a tag as it is where it is none."""
    return name_of(tag) if TAG.fullmatch(tag) else tag


def with_languages(root: Group, keys: Mapping[str, Any]) -> Group:
    """The form with the part of the languages."""
    own = own_language(keys.get(LANGUAGES))
    others = translated(keys)
    names = dict.fromkeys((own, *(tag for tag in with_catalogue() if tag not in others)))
    choose = Leaf(
        (LANGUAGE,), _OWN_INFO, "choice", own, {tag: language_name(tag) for tag in names}, how="own"
    )
    known = list(_known(root, keys)) if others else []
    parts: tuple[Node, ...] = (choose, *(_language(keys, tag, known) for tag in others))
    part = Group((LANGUAGES,), "Languages", "", keys.get(LANGUAGES), parts)
    return replace(root, parts=(*root.parts, part))


def offered(keys: Mapping[str, Any]) -> Sequence[tuple[str, str]]:
    """The languages that may be added."""
    there = {own_language(keys.get(LANGUAGES)), *translated(keys)}
    return [(tag, language_name(tag)) for tag in with_catalogue() if tag not in there]


def _known(root: Group, keys: Mapping[str, Any]) -> Iterator[tuple[Place, str, Leaf]]:
    """The texts for participants, each by ids, with where it stands and its field."""
    fields = {leaf.place: (where, leaf) for part in root.parts for where, leaf in named_fields(part, ())}
    for path, words in _texts(keys):
        place = indexed(keys, path)
        where, leaf = fields.get(place, ("Scales" if path[0] == "scales" else "The study", None))
        info = leaf.info if leaf else FieldInfo(annotation=Any, title=f"Labels of “{path[-1]}”")
        if path[-1] == "why":
            where, info = "Said after practice", FieldInfo(annotation=str, title=str(path[-2]))
        title = leaf.label if leaf else info.title or ""
        yield path, where[:1].upper() + where[1:], Leaf(place, info, _kind(words), words, {}, title=title)


def _texts(keys: Mapping[str, Any]) -> Iterator[tuple[Place, Any]]:
    """Words of the study by their places, entries of lists by their ids, as far as they have any."""
    written = with_whys({key: value for key, value in keys.items() if key != LANGUAGES}, whys_of_draft(keys))
    yield from (
        (path, words) for path, words in words_in(written) if len(indexed(written, path)) == len(path)
    )
    completion = keys.get("completion")
    held = completion if isinstance(completion, Mapping) else {}
    yield from ((("completion", key), held[key]) for key in MAY_DIFFER if str(held.get(key) or "").strip())


def _kind(words: object) -> Kind:
    return (
        "entries" if isinstance(words, Mapping) else "lines" if isinstance(words, (list, tuple)) else "text"
    )


def _language(keys: Mapping[str, Any], tag: str, known: Sequence[tuple[Place, str, Leaf]]) -> Group:
    """A language: its words, those of each part of the study together."""
    overlay = keys[LANGUAGES][tag]
    by_part: dict[str, list[Leaf]] = {}
    for path, where, leaf in known:
        words = word_at(overlay, path)
        original = leaf.value
        field = replace(leaf, place=(LANGUAGES, tag, *path), value=words, how="word", original=original)
        by_part.setdefault(where, []).append(field)
    paths = {path for path, _, _ in known}
    for path, words in words_in(overlay):
        if path not in paths and len(indexed(keys, path)) != len(path):
            info = FieldInfo(annotation=Any, title=", ".join(map(str, path)))
            gone = Leaf((LANGUAGES, tag, *path), info, _kind(words), words, {}, how="word")
            by_part.setdefault(_GONE, []).append(gone)
    parts = tuple(
        Group((LANGUAGES, tag, where), where, "", None, tuple(fields)) for where, fields in by_part.items()
    )
    return Group((LANGUAGES, tag), language_name(tag), "", overlay, parts)


def is_due(leaf: Leaf) -> bool:
    """True for a text that has no translation and needs one."""
    return leaf.original is not None and not leaf.value and leaf.key not in MAY_DIFFER


def is_gone(leaf: Leaf) -> bool:
    """True for words of a text that the study has no longer."""
    return leaf.how == "word" and leaf.original is None


def built_in_labels(leaf: Leaf, tag: str) -> list[str] | None:
    """The labels of a built-in scale in another language, where a text has these; a stored version writes them out."""
    labels = tuple(leaf.original) if isinstance(leaf.original, (list, tuple)) else ()
    if labels not in SCALES.values():
        return None
    with speaking(tag):
        return [gettext(label) for label in labels]


def write_own(keys: dict[str, Any], tag: str) -> None:
    """Name the language of the design itself."""
    held = keys.get(LANGUAGES)
    others = held.items() if isinstance(held, Mapping) else ()
    keep(keys, {tag: OWN, **{each: words for each, words in others if words != OWN}})


def keep(keys: dict[str, Any], languages: Mapping[str, Any]) -> None:
    """Keep the languages; a study in English alone says nothing of them."""
    if languages in ({}, {ENGLISH: OWN}):
        keys.pop(LANGUAGES, None)
    else:
        keys[LANGUAGES] = dict(languages)
