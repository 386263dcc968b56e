"""Drafts compared and merged: what changed between two, and a three-way merge of what two editors changed at once.

Keys are merged by their places in the study file. Entries of a list that have ids are the same entry by their id, or
by the name of their rule; texts and numbers of another list are merged one by one where no version has more or fewer.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from app.core.problems import Place

_NO_VALUE: Any = object()


@dataclass(frozen=True, slots=True)
class Clash:
    """A place that both changed, in different ways; entries of lists by their ids. None stands for no value."""

    place: Place
    mine: Any
    theirs: Any


class Unfitting(Exception):
    """Changes of other keys than these."""


# Three ways


def merge(base: Any, mine: Any, theirs: Any) -> tuple[Any, tuple[Clash, ...]]:
    """Both sets of changes since `base` in one draft; where they clash, theirs, and the clash."""
    clashes: list[Clash] = []
    merged = _merge(base, mine, theirs, (), clashes)
    return merged, tuple(clashes)


def _merge(base: Any, mine: Any, theirs: Any, place: Place, clashes: list[Clash]) -> Any:
    if _same(mine, theirs) or _same(mine, base):
        return theirs
    if _same(theirs, base):
        return mine
    if isinstance(mine, Mapping) and isinstance(theirs, Mapping):
        return _mappings(base if isinstance(base, Mapping) else {}, mine, theirs, place, clashes)
    base = [] if base is _NO_VALUE else base
    if isinstance(mine, list) and isinstance(theirs, list) and isinstance(base, list):
        if all(map(_has_ids, (base, mine, theirs))):
            ids = [_by_id(held) for held in (base, mine, theirs)]
            order = _order(*map(list, ids))
            if order is not None and not _is_renamed(*ids):
                merged = _mappings(ids[0], ids[1], ids[2], place, clashes)
                return [merged[id_] for id_ in order if id_ in merged]
        elif len(base) == len(mine) == len(theirs) and not any(map(_is_mapping, (*base, *mine, *theirs))):
            entries = enumerate(zip(base, mine, theirs, strict=True))
            return [_merge(b, m, t, (*place, at), clashes) for at, (b, m, t) in entries]
    clashes.append(Clash(place, *(None if each is _NO_VALUE else each for each in (mine, theirs))))
    return theirs


def _mappings(
    base: Mapping[Any, Any],
    mine: Mapping[Any, Any],
    theirs: Mapping[Any, Any],
    place: Place,
    clashes: list[Clash],
) -> dict[Any, Any]:
    merged = {}
    for key in dict.fromkeys((*theirs, *mine)):
        b, m, t = (held.get(key, _NO_VALUE) for held in (base, mine, theirs))
        merged[key] = _merge(b, m, t, (*place, key), clashes)
    return {key: value for key, value in merged.items() if value is not _NO_VALUE}


def _same(one: Any, other: Any) -> bool:
    """True for values alike to JSON, to which 1 is another value than true."""
    if one is _NO_VALUE or other is _NO_VALUE:
        return one is other
    return one == other and json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _by_id(entries: Sequence[Any]) -> dict[str, Any]:
    return {str(_id_of(each)): each for each in entries}


def _id_of(entry: Any) -> Any:
    """An entry's id, or the name of its rule; None where it has neither."""
    return entry.get("id", entry.get("rule")) if isinstance(entry, Mapping) else None


def _has_ids(entries: Sequence[Any]) -> bool:
    ids = [_id_of(each) for each in entries]
    return all(isinstance(id_, str) for id_ in ids) and len({*ids}) == len(ids)


def _is_mapping(entry: Any) -> bool:
    return isinstance(entry, Mapping)


def _is_renamed(base: Mapping[str, Any], mine: Mapping[str, Any], theirs: Mapping[str, Any]) -> bool:
    """True where one editor gave an entry another id, and the other editor changed that entry as well."""
    for one, other in ((mine, theirs), (theirs, mine)):
        pairs = zip(base, one, strict=True) if len(base) == len(one) else ()
        renamed = [was for was, now in pairs if was not in one and now not in base]
        if any(not _same(base[was], other.get(was, _NO_VALUE)) for was in renamed):
            return True
    return False


def _order(base: Sequence[str], mine: Sequence[str], theirs: Sequence[str]) -> Sequence[str] | None:
    """The ids of a list in the order of the editor who changed it; None where both did, differently."""
    of_mine, of_theirs = _common(mine, base), _common(theirs, base)
    is_mine = of_mine != _common(base, mine)
    is_theirs = of_theirs != _common(base, theirs)
    if is_mine and is_theirs and _common(mine, theirs) != _common(theirs, mine):
        return None
    first, then = (mine, theirs) if is_mine else (theirs, mine)
    order = list(first)
    for at, id_ in enumerate(then):
        if id_ not in order:
            before = then[at - 1] if at else None
            order.insert(order.index(before) + 1 if before in order else 0, id_)
    return order


def _common(ids: Sequence[str], others: Sequence[str]) -> list[str]:
    return [id_ for id_ in ids if id_ in others]


# Changes, there and back


def changes_between(before: Any, after: Any, place: Place = ()) -> Iterator[dict[str, Any]]:
    """The smallest changes as JSON: a place with its value before and after (`was` and `now`, absent for none).

    Of a text it is what was replaced `from` a character on.
    """
    if _same(before, after):
        return
    at: dict[str, Any] = {"at": list(place)}
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in dict.fromkeys((*before, *after)):
            was, now = before.get(key, _NO_VALUE), after.get(key, _NO_VALUE)
            yield from changes_between(was, now, (*place, key))
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (was, now) in enumerate(zip(before, after, strict=True)):
            yield from changes_between(was, now, (*place, index))
    elif isinstance(before, str) and isinstance(after, str):
        start = _n_alike(before, after)
        end = _n_alike(before[start:][::-1], after[start:][::-1])
        yield {
            **at,
            "from": start,
            "was": before[start : len(before) - end],
            "now": after[start : len(after) - end],
        }
    else:
        values = {"was": before, "now": after}
        yield at | {name: value for name, value in values.items() if value is not _NO_VALUE}


def _n_alike(one: str, other: str) -> int:
    """The number of characters with which both begin."""
    at = (index for index, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    return next(at, min(len(one), len(other)))


def taken_back(keys: Mapping[str, Any], changes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The keys as they were before the changes. Raises Unfitting where these are not the keys after them."""
    result: dict[str, Any] = deepcopy(dict(keys))
    for change in reversed(changes):
        *above, last = change["at"]
        held: Any = result
        try:
            for part in above:
                held = held[part]
            now = held.get(last, _NO_VALUE) if isinstance(held, dict) else held[last]
        except (LookupError, TypeError) as error:
            raise Unfitting from error
        wanted, was = change.get("now", _NO_VALUE), change.get("was", _NO_VALUE)
        if "from" in change and isinstance(now, str):
            start, end = change["from"], change["from"] + len(wanted)
            now, was = now[start:end], now[:start] + was + now[end:]
        if not _same(now, wanted):
            raise Unfitting
        if was is _NO_VALUE:
            del held[last]
        else:
            held[last] = deepcopy(was)
    return result


def value_by_ids(keys: Any, place: Place) -> tuple[Place, Any]:
    """The value at a place whose lists are by ids, and that place by index as far as it is there."""
    found: list[str | int] = []
    for part in place:
        key: str | int | None = part
        if isinstance(keys, list) and isinstance(part, str):
            ids = [_id_of(each) for each in keys]
            key = ids.index(part) if part in ids else None
        elif not (part in keys if isinstance(keys, Mapping) else _is_entry(keys, part)):
            key = None
        if key is None:
            return tuple(found), None
        held: Any = keys
        keys = held[key]
        found.append(key)
    return tuple(found), keys


def _is_entry(keys: Any, part: str | int) -> bool:
    return isinstance(keys, list) and isinstance(part, int) and 0 <= part < len(keys)


def put_by_ids(keys: dict[str, Any], place: Place, value: Any) -> None:
    """Set the value at a place whose lists are by ids, or take it away; an entry that is gone comes last."""
    *above, last = place
    found, section = value_by_ids(keys, tuple(above))
    held: Any = section
    if len(found) < len(above) or not isinstance(held, (dict, list)):
        return
    at: Any = next(iter(value_by_ids(held, (last,))[0]), None)
    if value is None:
        if at is not None:
            del held[at]
    elif isinstance(held, list) and at is None:
        held.append(value)
    elif isinstance(held, list) or isinstance(last, str):
        key: Any = last if at is None else at
        held[key] = value
