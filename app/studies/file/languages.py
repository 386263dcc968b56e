"""A study's texts in several languages: `languages:` in its file, and the texts of one language laid over another's.

A translation has the keys of the study that hold words for participants and no others, in lists by the same ids. It is
the same for a study file and for a design, whose keys are alike.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Annotated, Any

from pydantic import Field

from app.core.language import ENGLISH, TAG, has_catalogue, name_of, with_catalogue
from app.core.problems import Fault, Place, dotted, nearest, quoted

OWN = "."
"""The folder of the language that the study file itself is written in."""
TAG_PATTERN = f"^{TAG.pattern}$"
Tag = Annotated[str, Field(pattern=TAG_PATTERN)]
Languages = dict[Tag, str | dict[str, Any]]

# Keys with words for participants, wherever they stand.
SPOKEN = frozenset(
    {
        "title",
        "text",
        "instructions",
        "message",
        "pay",
        "ask",
        "labels",
        "options",
        "anchors",
        "statements",
        "self_assessment",
        "why",
    }
)
# The lists of what is judged, which is the same in every language, but for what is said of it after practice.
UNITS = frozenset({"items", "pairs"})
# May be in another language, and need not be.
MAY_DIFFER = frozenset({"contact"})
# What these hold is shown in no page, or is what is judged: the same in every language.
_SILENT = frozenset(
    {
        "arms",
        "codes",
        "exclude",
        "hypotheses",
        "languages",
        "recruitment",
        "retention",
        "sample",
        "stop_when",
        "translations",
        "truth",
    }
)
# Name answers of their question: by their places, they are the same ones in every language.
_NAMES_ANSWERS = ("accept", "answer", "expect")
# Every entry of which is a list of words.
_OF_WORDS = frozenset({"scales"})
Keys = Mapping[str, Any]


def own_language(languages: object) -> str:
    """The language of the study file itself; English unless it says otherwise."""
    if not isinstance(languages, Mapping):
        return ENGLISH
    return next((str(tag) for tag, folder in languages.items() if folder == OWN), ENGLISH)


def languages_in(keys: Keys) -> tuple[str, ...]:
    """Names of the languages of a draft, its own first; none where it says nothing of them."""
    languages = keys.get("languages")
    if not isinstance(languages, Mapping):
        return ()
    tags = sorted((str(tag) for tag in languages), key=lambda tag: languages.get(tag) != OWN)
    return tuple(name_of(tag) if TAG.fullmatch(tag) else tag for tag in tags)


def translated(keys: Keys) -> tuple[str, ...]:
    """The languages of a draft but for its own."""
    languages = keys.get("languages")
    return (
        tuple(str(tag) for tag, words in languages.items() if words != OWN)
        if isinstance(languages, Mapping)
        else ()
    )


def faults_of_languages(languages: object) -> Iterator[Fault]:
    """Faults of the key itself; the texts are looked at apart."""
    if not isinstance(languages, Mapping):
        return
    own = [tag for tag, folder in languages.items() if folder == OWN]
    if languages and len(own) != 1:
        message = f"`languages` names {len(own)} languages with the folder {quoted(OWN)}"
        remedy = f"give it to the one language that this file is written in, such as `{ENGLISH}: {OWN!r}`"
        yield Fault(("languages",), message, remedy)
    for tag in languages:
        if isinstance(tag, str) and TAG.fullmatch(tag) and not has_catalogue(tag):
            message = f"the pages' own words are not translated into {quoted(tag)}"
            known = ", ".join(with_catalogue())
            yield Fault(
                ("languages", tag),
                message,
                f"there are {known}; a further language needs a catalogue of its own",
            )


def words_in(keys: object, at: Place = ()) -> Iterator[tuple[Place, Any]]:
    """Each place that holds words for participants, with what it holds; entries of lists are named by their ids."""
    if isinstance(keys, Mapping):
        for key, value in keys.items():
            place = (*at, str(key))
            if (at and at[-1] in _OF_WORDS) or key in SPOKEN:
                if _has_words(value):
                    yield place, value
            elif key in UNITS:
                yield from words_in(said_of(value), place)
            elif key not in _SILENT:
                yield from words_in(value, place)
    elif isinstance(keys, Sequence) and not isinstance(keys, str):
        for index, value in enumerate(keys):
            if isinstance(value, Mapping):
                yield from words_in(value, (*at, str(value.get("id", index))))


def said_of(units: object) -> list[dict[str, Any]]:
    """The units of a list that say something after practice, with nothing else; none of a list that is not read."""
    entries: Any = units if _is_list(units) else ()
    return [
        {"id": each["id"], "why": each["why"]}
        for each in entries
        if isinstance(each, Mapping) and "id" in each and each.get("why")
    ]


def _has_words(value: object) -> bool:
    """True unless it says nothing that a language could say otherwise: `1`, `50 %`."""
    if isinstance(value, Mapping):
        return any(map(_has_words, value.values()))
    if isinstance(value, Sequence) and not isinstance(value, str):
        return any(map(_has_words, value))
    return isinstance(value, str) and any(character.isalpha() for character in value)


def overlay_of(keys: Keys) -> dict[str, Any]:
    """The words for participants in a study's keys, nested as they are there."""
    found: dict[str, Any] = {}
    for key, value in keys.items():
        if key in SPOKEN or key in MAY_DIFFER:
            found[key] = value
        elif key in _OF_WORDS and isinstance(value, Mapping):
            found[key] = dict(value)
        elif key in UNITS:
            found[key] = said_of(value)
        elif key in _SILENT:
            continue
        elif isinstance(value, Mapping):
            found[key] = overlay_of(value)
        elif isinstance(value, Sequence) and not isinstance(value, str):
            parts = [
                {"id": each["id"], **overlay_of(each)}
                for each in value
                if isinstance(each, Mapping) and "id" in each
            ]
            found[key] = [part for part in parts if len(part) > 1]
    return {key: value for key, value in found.items() if value not in ({}, [], None)}


def missing_in(keys: Keys, overlay: Keys) -> Iterator[Place]:
    """The places with words for which a translation has none."""
    given = {place for place, _ in words_in(overlay)}
    return (place for place, _ in words_in(keys) if place not in given)


def put_words(overlay: dict[str, Any], data: Any, place: Place, words: str) -> None:
    """Write words into a translation, at a place of the study's keys, whose lists are by index."""
    at: Any = overlay
    for part, following in pairwise(place):
        data = data[part]
        if isinstance(part, int):
            id_ = data.get("id") if isinstance(data, Mapping) else None
            entry = next((each for each in at if isinstance(each, Mapping) and each.get("id") == id_), None)
            if entry is None:
                at.append(entry := {"id": id_})
            at = entry
        else:
            empty: Any = [] if isinstance(following, int) else {}
            at[part] = at = at.get(part) or empty
    at[place[-1]] = words


def words_at(overlay: object, data: Any, place: Place) -> object:
    """Words of a translation at a place of the study's keys, whose lists are by index; None if it has none."""
    for part in place:
        data = data[part]
        if isinstance(part, int):
            id_ = data.get("id") if isinstance(data, Mapping) else None
            entries = overlay if isinstance(overlay, list) else []
            overlay = next(
                (each for each in entries if isinstance(each, Mapping) and each.get("id") == id_), None
            )
        else:
            overlay = overlay.get(part) if isinstance(overlay, Mapping) else None
    return overlay


def word_at(overlay: object, path: Place) -> object:
    """Words of a translation at a place whose lists are by ids; None if it has none."""
    for part in path:
        if isinstance(overlay, Mapping):
            overlay = next((value for key, value in overlay.items() if str(key) == part), None)
        else:
            entries = overlay if _is_list(overlay) else ()
            overlay = next((e for e in entries if isinstance(e, Mapping) and str(e.get("id")) == part), None)  # type: ignore[attr-defined]
    return overlay


def with_word(keys: object, overlay: object, path: Place, words: object) -> Any:
    """A copy of a translation with other words at a place whose lists are by ids; without them where there are none.

    `keys` are the study's, which say what is a list; None where nothing is left.
    """
    first, *rest = path
    if _is_list(keys) or (keys is None and _is_list(overlay)):
        entries = list(overlay) if _is_list(overlay) else []  # type: ignore[call-overload]
        of = lambda each: isinstance(each, Mapping) and str(each.get("id")) == first  # noqa: E731
        entry: Any = next(filter(of, entries), {"id": first})
        study = next(filter(of, keys), None) if _is_list(keys) else None  # type: ignore[call-overload]
        new = with_word(study, entry, tuple(rest), words) or {}
        kept = [new if each is entry else each for each in entries]
        kept = kept if any(each is entry for each in entries) else [*kept, new]
        return [each for each in kept if each is not new or {*new} - {"id"}] or None
    held = dict(overlay) if isinstance(overlay, Mapping) else {}
    below = keys.get(first) if isinstance(keys, Mapping) else None
    value = with_word(below, held.get(first), tuple(rest), words) if rest else words
    held.pop(first, None)
    if value not in (None, "", [], {}):
        held[first] = value
    return held or None


class Untranslatable(Exception):
    """A key of a translation that has no place in the study, or another shape there."""

    def __init__(self, place: Place, message: str, remedy: str) -> None:
        super().__init__(message)
        self.fault = Fault(place, message, remedy)


def laid_over(keys: Any, overlay: Any, at: Place = (), *, answers: bool = False) -> Any:
    """The keys with the words of a translation in place of their own. Raises Untranslatable.

    With `answers`, options and statements stay what they are in the data, and `said` of a question has them as shown.
    """
    if isinstance(keys, Mapping) and isinstance(overlay, Mapping):
        return _mapping(keys, overlay, at, answers=answers)
    if _is_list(keys) and _is_list(overlay):
        if all(isinstance(each, Mapping) for each in keys):
            return _entries(keys, overlay, at, answers=answers)
        if len(keys) != len(overlay):
            message = (
                f"{dotted(at)} has {len(overlay)} entries in the translation, and {len(keys)} in the study"
            )
            raise Untranslatable(at, message, "translate each entry, in the same order")
        return [str(each) for each in overlay]
    if isinstance(keys, Mapping) or _is_list(keys) or isinstance(overlay, Mapping) or _is_list(overlay):
        raise Untranslatable(at, f"{dotted(at)} has another shape in the study", "write it as the study does")
    return overlay


def _mapping(keys: Keys, overlay: Keys, at: Place, *, answers: bool) -> dict[str, Any]:
    named = {str(key): key for key in keys}
    merged = dict(keys)
    for key, value in overlay.items():
        place = (*at, str(key))
        if str(key) not in named:
            if answers:
                continue  # an arm may have less; statements are among a type's own keys
            remedy = nearest(str(key), named, "remove it, or write it in the study file first")
            raise Untranslatable(place, f"the study has no {dotted(place)}", remedy)
        ours = keys[named[str(key)]]
        is_words = key in SPOKEN or key in MAY_DIFFER or (bool(at) and at[-1] in _OF_WORDS | SPOKEN)
        if key in _NAMES_ANSWERS or not (is_words or isinstance(ours, Mapping) or _is_list(ours)):
            if _plain(ours) == _plain(value):
                continue
            message = f"{dotted(place)} is no text for participants, and the same in every language"
            raise Untranslatable(place, message, "remove it from the translation")
        laid = laid_over(ours, value, place, answers=answers)
        if not (answers and key == "options"):
            merged[named[str(key)]] = laid
    if answers and "ask" in keys:
        own = keys.get("own", {}).get("statements", ())
        pairs = [
            *zip(keys.get("labels", ()), overlay.get("labels", ()), strict=False),
            *zip(keys.get("options", ()), overlay.get("options", ()), strict=False),
            *zip(own, overlay.get("statements", ()), strict=False),
        ]
        merged |= {"said": dict(pairs)} if pairs else {}
    return _with_answers_renamed(keys, merged)


def _with_answers_renamed(keys: Keys, merged: dict[str, Any]) -> dict[str, Any]:
    """A question whose accepted, right or asked-for answers are called what its labels and options are called now."""
    renamed: dict[str, str] = {}
    for key in ("options", "labels"):
        if _is_list(keys.get(key)):
            renamed |= {str(old): str(new) for old, new in zip(keys[key], merged[key], strict=True)}
    # In a study file these keys stand beside the others, in a design among those of the question's type.
    if isinstance(own := merged.get("own"), Mapping):
        merged["own"] = _renamed(own, renamed)
    return _renamed(merged, renamed) if renamed else merged


def _renamed(keys: Keys, renamed: Mapping[str, str]) -> dict[str, Any]:
    changed: dict[str, Any] = {}
    for key in _NAMES_ANSWERS:
        if isinstance(value := keys.get(key), str):
            changed[key] = renamed.get(value.strip(), value)
        elif isinstance(value, (list, tuple)):
            changed[key] = tuple(renamed.get(str(each).strip(), each) for each in value)
    return {**keys, **changed}


def with_scales_named(keys: Keys, laid: Keys) -> dict[str, Any]:
    """A translation laid over the keys, with the answers that questions of the study's own scales accept, hold right or
    ask for named as the translated scales name them.
    """
    scales, theirs = keys.get("scales"), laid.get("scales")
    if not isinstance(scales, Mapping) or not isinstance(theirs, Mapping):
        return dict(laid)
    renamed = {
        str(name): {
            str(old).strip(): str(new) for old, new in zip(labels, theirs.get(name, ()), strict=False)
        }
        for name, labels in scales.items()
        if _is_list(labels) and _is_list(theirs.get(name, ()))
    }
    found: dict[str, Any] = _with_scales_named(laid, renamed)
    return found


def _with_scales_named(keys: Any, scales: Mapping[str, Mapping[str, str]]) -> Any:
    if _is_list(keys):
        return [_with_scales_named(each, scales) for each in keys]
    if not isinstance(keys, Mapping):
        return keys
    found = {key: _with_scales_named(value, scales) for key, value in keys.items()}
    return _renamed(found, scales.get(str(keys.get("scale")), {})) if "ask" in keys else found


def _plain(value: object) -> object:
    return [str(each) for each in value] if isinstance(value, (list, tuple)) else str(value)


def _entries(keys: Sequence[Keys], overlay: Sequence[Any], at: Place, *, answers: bool) -> list[Any]:
    """Entries of a list that have ids."""
    ids = [str(each.get("id")) for each in overlay if isinstance(each, Mapping)]
    by_id = {str(each.get("id")): each for each in overlay if isinstance(each, Mapping)}
    known = [str(each.get("id")) for each in keys]
    for id_, n in Counter(ids).items():
        if n > 1 and not answers:
            message = f"{dotted(at)} has the id {quoted(id_)} {'twice' if n == 2 else f'{n} times'}"
            raise Untranslatable((*at, id_), message, "keep one of them in the translation")
        if id_ not in known and not answers:
            remedy = nearest(id_, known, "write the ids of the study file")
            raise Untranslatable((*at, id_), f"{dotted(at)} has no entry with the id {quoted(id_)}", remedy)
    return [
        laid_over(each, by_id[id_], (*at, id_), answers=answers) if id_ in by_id else each
        for id_, each in zip(known, keys, strict=True)
    ]


def _is_list(value: object) -> bool:
    return isinstance(value, (list, tuple))
