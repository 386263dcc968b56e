"""A study file as its author wrote it, with later changes: unchanged parts keep comments, order and quotes."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import yaml

from app.core.problems import Place
from app.studies.file.design import StudyDesign
from app.studies.file.drafts import check_draft, draft_of_design
from app.studies.file.keys import UnwieldyDraft, tidied
from app.studies.file.yamlsource import read_yaml
from app.studies.file.yamlwriter import draft_to_yaml, entry_lines, item_lines
from app.trials.stimuli import StimulusFacts

_Edit = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A study file as its writer left it, and the keys that the study had then.

    They say more than the file where it leaves a default out, and hold the texts of files that it names.
    """

    text: str
    keys: dict[str, Any]

    @classmethod
    def of(cls, stored: Mapping[str, Any] | None) -> "WrittenFile | None":
        return None if stored is None else cls(stored["text"], stored["keys"])

    @property
    def stored(self) -> dict[str, Any]:
        return {"text": self.text, "keys": self.keys}


def study_file(keys: Mapping[str, Any], written: WrittenFile | None) -> str:
    """The keys as a study file: the author's with the changes since; else a new one.

    It is a new one if the changes cannot be made without changing meaning (anchors shared by several places). Raises
    UnwieldyDraft.
    """
    new = tidied(keys)
    fresh = draft_to_yaml(new)
    if written is None:
        return fresh
    text = written.text.replace("\r\n", "\n")
    source, was = read_yaml(text), tidied(written.keys)
    if source.faults or not isinstance(source.root, yaml.MappingNode):
        return fresh
    if was == new:
        return written.text
    try:
        wanted = _merged(tidied(source.data), was, new)
        changed = _Patch(text).changed(source.root, tidied(source.data), was, new)
        # A patch by positions is easily wrong, so it counts only where it reads as what was meant.
        is_meant = draft_to_yaml(read_yaml(changed).data) == draft_to_yaml(wanted)
        return changed if is_meant else fresh
    except (_Whole, UnwieldyDraft):
        return fresh


def in_one_file(text: str, keys: Mapping[str, Any]) -> str:
    """A study file with the texts of the files that it names in it, as `keys` have them."""
    return study_file(keys, WrittenFile(text, tidied(read_yaml(text).data)))


def file_of_version(
    design: StudyDesign,
    keys: Mapping[str, Any],
    written: WrittenFile | None,
    stimuli: Mapping[str, StimulusFacts],
) -> str | None:
    """The file to store with a version: it makes the same design, even if more clips are added. None if there is no
    file.

    `keys` are those from which the design was made.
    """
    if written is None:
        return None
    text = study_file(_with_drawn(tidied(keys), draft_of_design(design, stimuli)), written)
    again = check_draft(read_yaml(text).data, stimuli).design
    return text if again is not None and again.sha256() == design.sha256() else None


def _with_drawn(keys: Any, stored: Any) -> Any:
    """The keys with the pairs that were drawn from their samples."""
    if isinstance(blocks := keys.get("blocks"), list):
        return {**keys, "blocks": [_with_drawn(*both) for both in zip(blocks, stored["blocks"], strict=True)]}
    if "sample" in keys and "sample" in stored:
        return {**keys, "sample": {**keys["sample"], "drawn": stored["sample"]["drawn"]}}
    return keys


def _merged(at: Any, old: Any, new: Any) -> Any:
    """`at` with the changes from `old` to `new`: the file's new content."""
    if old == new:
        return at
    if isinstance(at, dict) and isinstance(old, dict) and isinstance(new, dict):
        kept = {key: value for key, value in at.items() if key in new or key not in old}
        changed = {
            key: _merged(at.get(key), old.get(key), value)
            for key, value in new.items()
            if key not in old or old[key] != value
        }
        return {**kept, **changed}
    if isinstance(at, list) and (pairs := _matched(at, old, new)) is not None:
        return [value if i is None else _merged(at[i], old[i], value) for i, value in pairs]
    return new


def _matched(at: Any, old: Any, new: Any) -> list[tuple[int | None, Any]] | None:
    """Each new entry with the index of its old one, by ids or else by position; None if unknown."""
    if not (isinstance(old, list) and isinstance(new, list) and len(at) == len(old)):
        return None
    before, after = ([_id(each) for each in entries] for entries in (old, new))
    if None not in (*before, *after) and len(set(before)) == len(before) and len(set(after)) == len(after):
        return [
            (before.index(name) if name in before else None, value)
            for name, value in zip(after, new, strict=True)
        ]
    return list(enumerate(new)) if len(old) == len(new) else None


def _id(entry: Any) -> str | None:
    name = entry.get("id") if isinstance(entry, dict) else None
    return name if isinstance(name, str) else None


class _Whole(Exception):
    """A value cannot be changed in part and is to be written as a whole."""


class _Patch:
    """The text of a study file, of which only changed parts are rewritten."""

    def __init__(self, text: str) -> None:
        self.text = text if text.endswith("\n") else f"{text}\n"
        self.seen: set[int] = set()

    def changed(
        self, root: yaml.MappingNode, at: dict[str, Any], old: dict[str, Any], new: dict[str, Any]
    ) -> str:
        """Raises _Whole where places share a value (an anchor), or where the file is one value in brackets."""
        self._refuse_shared(root)
        return _applied(self.text, self._mapping(root, at, old, new, ()))

    def _refuse_shared(self, node: yaml.Node) -> None:
        if isinstance(node, yaml.CollectionNode):
            if id(node) in self.seen:
                raise _Whole
            self.seen.add(id(node))
            parts = (
                [part for pair in node.value for part in pair]
                if isinstance(node, yaml.MappingNode)
                else node.value
            )
            for part in parts:
                self._refuse_shared(part)

    def _mapping(self, node: yaml.Node, at: Any, old: Any, new: Any, place: Place) -> list[_Edit]:
        """The edits to a mapping. Raises _Whole if it must be rewritten as a whole."""
        if not isinstance(node, yaml.MappingNode) or not all(
            isinstance(each, dict) for each in (at, old, new)
        ):
            raise _Whole
        held = {key.value: (key, value) for key, value in node.value}
        if node.flow_style or not any(name in new or name not in old for name in held):
            raise _Whole
        edits: list[_Edit] = []
        previous: yaml.Node | None = None
        for name, value in new.items():
            key, was = held.get(name, (None, None))
            if name in old and old[name] == value:
                previous = was or previous
            elif key is not None and was is not None:
                edits += self._entry(key, was, at.get(name), old.get(name), value, (*place, name))
                previous = was
            else:
                edits.append(self._inserted(name, value, node, previous, place))
        for name in held:
            if name in old and name not in new:
                edits.append(self._without(*held[name]))
        return edits

    def _entry(
        self, key: yaml.Node, node: yaml.Node, at: Any, old: Any, new: Any, place: Place
    ) -> list[_Edit]:
        """The edits to the value of a key."""
        try:
            return self._inside(node, at, old, new, place)
        except _Whole:
            start, end = key.start_mark.index, self._end(node)
            head = self.text[start : key.end_mark.index]
            lines = list(entry_lines(head, _merged(at, old, new), " " * key.start_mark.column, place))
            return [self._replaced(start, end, lines, key.start_mark.column)]

    def _inside(self, node: yaml.Node, at: Any, old: Any, new: Any, place: Place) -> list[_Edit]:
        if isinstance(node, yaml.SequenceNode):
            return self._sequence(node, at, old, new, place)
        return self._mapping(node, at, old, new, place)

    def _sequence(self, node: yaml.SequenceNode, at: Any, old: Any, new: Any, place: Place) -> list[_Edit]:
        """The edits to a list: to its entries, or all of it if entries are added, removed or moved."""
        pairs = _matched(at, old, new) if isinstance(at, list) else None
        if node.flow_style or not pairs or len(at) != len(node.value):
            raise _Whole
        dashes = [self._dash(item) for item in node.value]
        edits: dict[int, list[_Edit]] = {}
        for now, (i, value) in enumerate(pairs):
            if i is not None and old[i] != value:
                item, at_item = node.value[i], at[i]
                try:
                    edits[i] = self._inside(item, at_item, old[i], value, (*place, now))
                except _Whole:
                    column = self._column(dashes[i])
                    lines = list(item_lines(_merged(at_item, old[i], value), " " * column, (*place, now)))
                    edits[i] = [self._replaced(dashes[i], self._end(item), lines, column)]
        if [i for i, _ in pairs] == list(range(len(old))):
            return [edit for each in edits.values() for edit in each]
        spans = [
            (self._above(dash), self._line_end(self._end(item)))
            for dash, item in zip(dashes, node.value, strict=True)
        ]
        chunks: list[str] = []
        for now, (i, value) in enumerate(pairs):
            if i is None:
                added = item_lines(value, " " * self._column(dashes[0]), (*place, now))
                chunks.append("".join(f"{line}\n" for line in added))
            else:
                chunks.append(_applied(self.text, edits.get(i, []), *spans[i]))
        # What stands between two entries, such as an empty line, stays between the places.
        between = [self.text[end:start] for (_, end), (start, _) in pairwise(spans)]
        spaces = [*between[: len(chunks) - 1], *[""] * len(chunks)]
        text = "".join(chunk + space for chunk, space in zip(chunks, spaces, strict=False))
        return [(spans[0][0], spans[-1][1], text)]

    def _inserted(
        self, name: str, value: Any, node: yaml.Node, after: yaml.Node | None, place: Place
    ) -> _Edit:
        """A new key, behind the one before it or at the top of its mapping."""
        column = node.start_mark.column
        lines = list(entry_lines(None, value, " " * column, (*place, name)))
        if after is not None:
            at = self._line_end(self._end(after))
            return at, at, "".join(f"{line}\n" for line in lines)
        at = node.start_mark.index
        return at, at, "\n".join(lines).removeprefix(" " * column) + "\n" + " " * column

    def _without(self, key: yaml.Node, value: yaml.Node) -> _Edit:
        start, end = key.start_mark.index, self._line_end(self._end(value))
        if self.text[self._line_start(start) : start].strip():  # behind a dash: the next key comes up to it
            rest = self.text[end:]
            return start, end + len(rest) - len(rest.lstrip(" ")), ""
        return self._above(start), end, ""

    def _replaced(self, start: int, end: int, lines: list[str], column: int) -> _Edit:
        """Lines in place of a value; a trailing comment moves below if there are several lines."""
        text = "\n".join(lines).removeprefix(" " * column)
        line_end = self._line_end(end)
        beside = self.text[end:line_end].strip()
        if len(lines) > 1 and beside:
            return start, line_end, f"{text}\n{' ' * column}{beside}\n"
        return start, end, text

    def _end(self, node: yaml.Node) -> int:
        """The end of a value, without the empty lines and comments after it."""
        # PyYAML ends a block collection at the next token, behind comments that belong to what follows.
        if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
            last = node.value[-1]
            return self._end(last[1] if isinstance(last, tuple) else last)
        start, end = node.start_mark.index, node.end_mark.index
        return start + len(self.text[start:end].rstrip())

    def _dash(self, item: yaml.Node) -> int:
        at = self.text.rfind("-", 0, item.start_mark.index)
        if (
            at < 0
            or self.text[self._line_start(at) : at].strip()
            or self.text[at + 1 : item.start_mark.index].strip()
        ):
            raise _Whole
        return at

    def _above(self, at: int) -> int:
        """The start of the comment lines directly above, with the same indent."""
        start = self._line_start(at)
        indent = self.text[start:at]
        while start > 0 and self.text[self._line_start(start - 1) : start].startswith(f"{indent}#"):
            start = self._line_start(start - 1)
        return start

    def _column(self, at: int) -> int:
        return at - self._line_start(at)

    def _line_start(self, at: int) -> int:
        return self.text.rfind("\n", 0, at) + 1

    def _line_end(self, at: int) -> int:
        return self.text.index("\n", at) + 1


def _applied(text: str, edits: list[_Edit], start: int = 0, end: int | None = None) -> str:
    """The text from `start` to `end` with its edits made. Those at one place come in their order."""
    parts: list[str] = []
    at = start
    for begin, stop, written in sorted(edits, key=lambda edit: edit[:2]):
        if begin < at:
            raise _Whole
        parts += (text[at:begin], written)
        at = stop
    return "".join((*parts, text[at:end]))
