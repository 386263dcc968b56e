"""Places of a study file's keys: where its texts, lists and blocks stand, and the values there."""

from collections.abc import Iterator, Mapping
from typing import Any

from app.core.problems import Place
from app.studies.file.arms import text_places
from app.studies.file.languages import UNITS, words_at
from app.tasks.listed import SHORT_KEYS
from app.tasks.registry import BLOCKS, SHORT
from app.trials.lists import Keys
from app.trials.parts import BlockSettings

TEXTS: tuple[Place, ...] = (("consent", "text"), ("instructions",), ("completion", "message"))
OF_BLOCK = ("instructions", "self_assessment")


def model_of(place: Place, keys: Keys) -> type[BlockSettings]:
    """The settings of a block; of one whose task is none, as of a file without blocks, those of the short form."""
    return BLOCKS.get(str(keys.get("task")), SHORT) if place else SHORT


def blocks_at(data: Mapping[str, Any]) -> list[tuple[Place, Mapping[str, Any]]]:
    """The blocks of a study file's keys with their places; a file without `blocks:` is one itself."""
    blocks = data.get("blocks")
    if not isinstance(blocks, list) or not blocks:
        return [((), {key: data[key] for key in SHORT_KEYS if key in data})]
    return [(("blocks", at), raw if isinstance(raw, dict) else {}) for at, raw in enumerate(blocks)]


def indexed(data: Any, place: Place) -> Place:
    """A place named by ids as one with list indices; cut off where the study has no such part."""
    found: list[str | int] = []
    for part in place:
        if isinstance(data, list):
            ids = [str(each.get("id")) if isinstance(each, dict) else None for each in data]
            if part not in ids:
                break
            at = ids.index(str(part))
            found.append(at)
            data = data[at]
        elif isinstance(data, dict):
            key = next((key for key in data if str(key) == part), None)
            if key is None:
                break
            found.append(key)
            data = data[key]
        else:
            break
    return tuple(found)


def by_ids(data: Any, place: Place) -> Place:
    """A place with list indices as one named by ids."""
    found: list[str | int] = []
    for part in place:
        data = value_at(data, (part,))
        found.append(
            str(data["id"]) if isinstance(part, int) and isinstance(data, dict) and "id" in data else part
        )
    return tuple(found)


def with_whys(data: Any, whys: Mapping[Place, Mapping[str, str]]) -> Any:
    """The data with lists, by their places, that have of their units what is said after practice, and no more."""
    for place, said in whys.items():
        data = put(data, place, [{"id": id_, "why": why} for id_, why in said.items()])
    return data


def whys_of_draft(keys: Mapping[str, Any]) -> dict[Place, Mapping[str, str]]:
    """Texts that a draft says after practice, by the places of its lists, which are CSV."""
    return {
        (*place, *at): model_of(place, raw).whys_in(raw, text)
        for place, raw in blocks_at(keys)
        for at in model_of(place, raw).lists
        if at[-1] in UNITS and isinstance(text := value_at(raw, at), str)
    }


def put(data: Any, place: Place, value: object) -> Any:
    """A copy of the data with another value at a place that it has."""
    if not place:
        return value
    copy = data.copy()
    copy[place[0]] = put(data[place[0]], place[1:], value)
    return copy


def places_of_files(data: object) -> Iterator[Place]:
    """The places where a study file names a text or list that may be in a separate file."""
    yield from TEXTS
    yield from text_places(data)
    blocks = blocks_at(data if isinstance(data, dict) else {})
    for place, raw in blocks:
        yield from ((*place, key) for key in OF_BLOCK if place)
        is_known = not place or str(raw.get("task")) in BLOCKS
        models = [model_of(place, raw)] if is_known else [*BLOCKS.values()]  # where the task is misspelt, say
        yield from ((*place, *at) for model in models for at in model.lists)


def texts_to_translate(data: object, overlay: object) -> Iterator[tuple[Place, str]]:
    """The places of texts that a translation has in files, each with the name of the file in its folder."""
    for place in places_of_files(data):
        ours = value_at(data, place)
        if is_list(place) or not isinstance(ours, str) or not ours.strip():
            continue
        words = words_at(overlay, data, place)
        name = ours if words is None else words
        if isinstance(name, str) and "\n" not in name.strip():
            yield place, name.strip()


def is_list(place: Place) -> bool:
    """True if a place holds a list of a block, and not a text."""
    return any(place[-len(at) :] == at for model in BLOCKS.values() for at in model.lists)


def value_at(data: object, place: Place) -> object:
    """The value at a place, None if there is no such place."""
    for key in place:
        if isinstance(data, dict):
            data = data.get(key)
        elif isinstance(data, list) and isinstance(key, int) and key < len(data):
            data = data[key]
        else:
            return None
    return data


def set_at(keys: dict[str, Any], place: Place, value: Any) -> None:
    """Set the value at a place, or remove the key and then each empty section; an invalid section is replaced."""
    *section, key = place
    held: Any = keys
    above: list[tuple[Any, Any]] = []
    for at, part in enumerate(section):
        if isinstance(part, int):
            if not isinstance(held[part], dict):
                held[part] = {}
        elif isinstance(section[at + 1] if at + 1 < len(section) else "", int):
            held[part] = list(held[part])
        elif not isinstance(held.get(part), dict):
            if value is None:
                return
            held[part] = {}
        above.append((held, part))
        held = held[part]
    if value is not None:
        held[key] = value
        return
    held.pop(key, None)
    while above and not held and isinstance(above[-1][1], str):
        held, part = above.pop()
        del held[part]
