"""Differences between two versions of a study, in the reader's words."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Literal

from app.core.problems import counted
from app.studies.file.comparable import RowKeys, comparable, comparable_design, has_blocks
from app.studies.file.design import StudyDesign
from app.studies.file.key_places import TEXTS
from app.tasks.registry import BLOCKS

Change = Literal["added", "removed", "changed", "moved"]
Line = tuple[Literal[" ", "+", "-"], str]

BETWEEN = " › "
_MANY_PAIRS = 5
_MOST_LINES = 5_000
_LISTS = ("screening", "background", "questions")
# Keys under which a block has rows by their ids.
_ROWS = [str(place[0]) for model in BLOCKS.values() for place in model.written if len(place) == 1]


@dataclass(frozen=True, slots=True)
class Difference:
    """One change. `place` reads like `trials › questions › uncertainty › labels`.

    `lines` are there where a text or many pairs differ: kept (` `), new (`+`) and gone (`-`).
    """

    place: str
    before: str
    after: str
    kind: Change
    lines: tuple[Line, ...] = ()


def differences(before: object, after: object) -> list[Difference]:
    """The differences between two drafts; empty if both make the same design.

    A scale is compared by its labels, and a default as if written out. Raises UnwieldyDraft.
    """
    in_blocks = has_blocks(before) or has_blocks(after)
    old, new = (comparable(keys, in_blocks=in_blocks) for keys in (before, after))
    _forget_loose(old, new)
    was, now = (_keys(each.get("blocks")) for each in (old, new))
    for name in was.keys() & now.keys():
        _forget_loose(was[name], now[name])
    return list(_mappings((), old, new))


def _keys(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _forget_loose(old: Any, new: Any) -> None:
    """Ignore pairs where only one side has stored its draw: the pairs of the other are not known here."""
    has_draw = all("sample" in _keys(each) for each in (old, new))
    if has_draw and ("pairs" in old) != ("pairs" in new):
        old.pop("pairs", None)
        new.pop("pairs", None)


def design_differences(before: StudyDesign, after: StudyDesign) -> list[Difference]:
    """The differences between two stored versions, including drawn pairs and the clips' content."""
    old, new = before.hashes, after.hashes
    in_blocks = not (before.is_one_block and after.is_one_block)
    was, now = (comparable_design(each, in_blocks=in_blocks) for each in (before, after))
    return [
        *_mappings((), was, now),
        *(
            Difference(f"clips › {name}", old[name][:12], new[name][:12], "changed")
            for name in old
            if name in new and old[name] != new[name]
        ),
    ]


Names = tuple[str, ...]
Keys = Mapping[str, Any]


def _mappings(place: Names, before: Keys, after: Keys) -> Iterator[Difference]:
    for key in dict.fromkeys((*before, *after)):
        yield from _values((*place, key), before.get(key), after.get(key))


def _values(place: Names, before: Any, after: Any) -> Iterator[Difference]:
    if before == after and not isinstance(before, dict):  # mappings are also equal in another order
        return
    if place[-1] in _LISTS and _are(dict, before, after):
        yield from _questions(place, before or {}, after or {})
    elif place[-1] in _ROWS and _are(dict, before, after):
        yield from _pairs(place, before or {}, after or {})
    elif place == ("exclude",) and _are(dict, before, after):
        yield from _rules(place, before or {}, after or {})
    elif place == ("blocks",) and _are(dict, before, after):
        yield from _parts(place, before or {}, after or {})
    elif place == ("hypotheses",) and _are(dict, before, after):
        yield from _named(place, before or {}, after or {})
    elif place[-1] == "sample" and (before is None or after is None):
        yield _leaf(place, before, after)
    elif _are(dict, before, after):
        yield from _mappings(place, before or {}, after or {})
    elif _is_text(place, before, after):
        yield _text(place, before or "", after or "")
    else:
        yield _leaf(place, before, after)


def _are(kind: type, before: Any, after: Any) -> bool:
    return all(value is None or isinstance(value, kind) for value in (before, after))


def _is_text(place: Names, before: Any, after: Any) -> bool:
    several = any(isinstance(value, str) and "\n" in value for value in (before, after))
    return (place in TEXTS or several) and _are(str, before, after)


def _kind(before: Any, after: Any) -> Change:
    return "added" if before is None else "removed" if after is None else "changed"


def _leaf(place: Names, before: Any, after: Any) -> Difference:
    return Difference(BETWEEN.join(place), _shown(before), _shown(after), _kind(before, after))


def _shown(value: Any) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case float():
            return str(value).removesuffix(".0")
        case dict():
            return "; ".join(f"{key}: {_shown(inner)}" for key, inner in value.items() if inner)
        case list() | tuple():
            return ", ".join(map(_shown, value))
    return str(value)


# Texts


def _text(place: Names, before: str, after: str) -> Difference:
    old, new = before.splitlines(), after.splitlines()
    kind = _kind(before or None, after or None)
    if max(len(old), len(new)) <= 1:
        return Difference(BETWEEN.join(place), before, after, kind)
    was, is_now = (counted(len(lines), "line") if lines else "" for lines in (old, new))
    return Difference(BETWEEN.join(place), was, is_now, kind, _lines(old, new))


def _lines(before: Sequence[str], after: Sequence[str]) -> tuple[Line, ...]:
    """A line diff of both texts; empty if they are too long to be read."""
    # SequenceMatcher takes time that can grow with the square of the lines.
    if len(before) + len(after) > _MOST_LINES:
        return ()
    lines: list[Line] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, before, after).get_opcodes():
        if tag == "equal":
            lines += [(" ", line) for line in before[i1:i2]]
        else:
            lines += [("-", line) for line in before[i1:i2]]
            lines += [("+", line) for line in after[j1:j2]]
    return tuple(lines)


# Lists whose entries have names


def _questions(place: Names, before: Keys, after: Keys) -> Iterator[Difference]:
    for id_ in dict.fromkeys((*before, *after)):
        old, new = before.get(id_), after.get(id_)
        if not isinstance(old, dict) or not isinstance(new, dict):
            if old != new:
                yield Difference(_path(place, id_), _question(old), _question(new), _kind(old, new))
        else:
            yield from _mappings((*place, id_), old, new)
    for id_, old_position, new_position in _moves(before, after):
        yield Difference(_path(place, id_), old_position, new_position, "moved")


def _path(place: Names, name: str) -> str:
    return BETWEEN.join((*place, name))


def _question(keys: Any) -> str:
    if not isinstance(keys, dict):
        return _shown(keys)
    answers = keys.get("labels") or keys.get("options")
    of = f"{_shown(keys.get('type'))}: {_shown(answers)}" if answers else _shown(keys.get("type"))
    return f"{_shown(keys.get('ask'))} ({of})"


def _moves(before: Keys, after: Keys) -> Iterator[tuple[str, str, str]]:
    """The fewest entries that must have moved, each with its old and new position among the common ones."""
    was = {name: position for position, name in enumerate(name for name in before if name in after)}
    names = [name for name in after if name in was]
    stayed = _longest_rise([was[name] for name in names])
    for position, name in enumerate(names):
        if position not in stayed:
            yield name, f"{was[name] + 1} of {len(names)}", f"{position + 1} of {len(names)}"


def _longest_rise(values: Sequence[int]) -> set[int]:
    """The indices of a longest rising subsequence of different numbers."""
    ends: list[int] = []
    before: list[int] = []
    at: list[int] = []
    for index, value in enumerate(values):
        # `ends[k]` is the least value that ends a rise of k + 1: what follows then fits soonest.
        length = bisect_left(ends, value)
        before.append(at[length - 1] if length else -1)
        if length == len(ends):
            ends.append(value)
            at.append(index)
        else:
            ends[length], at[length] = value, index
    rise: set[int] = set()
    index = at[-1] if at else -1
    while index >= 0:
        rise.add(index)
        index = before[index]
    return rise


def _parts(place: Names, before: Keys, after: Keys) -> Iterator[Difference]:
    """Blocks: one that came or went in a few words, since its rows would be many."""
    for id_ in dict.fromkeys((*before, *after)):
        old, new = before.get(id_), after.get(id_)
        if isinstance(old, dict) and isinstance(new, dict):
            yield from _mappings((*place, id_), old, new)
        elif old != new:
            yield Difference(_path(place, id_), _part(old), _part(new), _kind(old, new))
    for id_, old_position, new_position in _moves(before, after):
        yield Difference(_path(place, id_), old_position, new_position, "moved")


def _named(place: Names, before: Keys, after: Keys) -> Iterator[Difference]:
    """Entries by their ids; one that came or went is a line."""
    for id_ in dict.fromkeys((*before, *after)):
        old, new = before.get(id_), after.get(id_)
        if isinstance(old, dict) and isinstance(new, dict):
            yield from _mappings((*place, id_), old, new)
        else:
            yield _leaf((*place, id_), old, new)


def _part(keys: Any) -> str:
    """`rating: 12 items; logic, reason`."""
    if not isinstance(keys, dict):
        return _shown(keys)
    rows = [counted(len(keys[key]), key[:-1]) for key in _ROWS if isinstance(keys.get(key), dict)]
    trials = keys.get("trials")
    asked = (trials if isinstance(trials, dict) else keys).get("questions")
    parts = [*rows, ", ".join(asked) if isinstance(asked, dict) else _shown(asked)]
    return f"{_shown(keys.get('task'))}: {'; '.join(filter(None, parts))}"


def _rules(place: Names, before: Keys, after: Keys) -> Iterator[Difference]:
    """Exclusion rules: one that came or went in one line, with its bounds."""
    for name in dict.fromkeys((*before, *after)):
        old, new = before.get(name), after.get(name)
        if old is None or new is None:
            yield Difference(_path(place, name), _rule(old), _rule(new), _kind(old, new))
        else:
            yield from _values((*place, name), old, new)


def _rule(keys: Any) -> str:
    if not isinstance(keys, dict):
        return _shown(keys)
    return "; ".join(f"{key}: {_shown(value)}" for key, value in keys.items() if value is not None)


def _pairs(place: Names, before: Mapping[str, RowKeys], after: Mapping[str, RowKeys]) -> Iterator[Difference]:
    """Rows of a list, of pairs or items."""
    gone = {name: row for name, row in before.items() if name not in after}
    new = {name: row for name, row in after.items() if name not in before}
    changed = {name: row for name, row in after.items() if name in before and before[name] != row}
    yield from _rows(place, "removed", gone, {})
    yield from _rows(place, "added", {}, new)
    if len(changed) > _MANY_PAIRS:
        yield from _rows(place, "changed", {name: before[name] for name in changed}, changed)
    else:
        for name, row in changed.items():
            yield from _mappings((*place, name), before[name], row)
    moves = list(_moves(before, after))
    if len(moves) > _MANY_PAIRS:
        words = _summary(place, "moved", [name for name, *_ in moves])
        yield Difference(BETWEEN.join(place), "", words, "moved")
    else:
        for name, old_position, new_position in moves:
            yield Difference(_path(place, name), old_position, new_position, "moved")


def _rows(
    place: Names, kind: Change, before: Mapping[str, RowKeys], after: Mapping[str, RowKeys]
) -> Iterator[Difference]:
    """Rows that came or went, one by one where they are few."""
    names = list(after or before)
    if len(names) <= _MANY_PAIRS:
        for name in names:
            yield _leaf((*place, name), before.get(name), after.get(name))
    else:
        old, new = ([_row(name, row) for name, row in rows.items()] for rows in (before, after))
        summary = _summary(place, kind, names)
        said = ("", summary) if after else (summary, "")
        yield Difference(BETWEEN.join(place), *said, kind, _lines(old, new))


def _row(name: str, row: RowKeys) -> str:
    return ",".join((name, *row.values()))


def _summary(place: Names, kind: Change, names: Sequence[str]) -> str:
    more = f" and {len(names) - _MANY_PAIRS} more" if len(names) > _MANY_PAIRS else ""
    return f"{counted(len(names), place[-1][:-1])} {kind}: {', '.join(names[:_MANY_PAIRS])}{more}"
