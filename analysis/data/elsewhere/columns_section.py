"""The `columns` section of a mapping file: a column of theirs, several joined, or a part of one."""

import re

from yaml import MappingNode, Node, SequenceNode

from analysis.data.elsewhere.cell_parts import Part
from analysis.data.elsewhere.yaml_entries import Document, Entry

Columns = tuple[dict[str, Entry], dict[str, tuple[Entry, ...]], dict[str, Part]]
_OF_PART = ("column", "split", "pattern", "part")


def read_columns(document: Document, node: Node) -> Columns:
    """The file's column for each of ours; a list of columns is one under the name `first + second`, and a part of a
    column has its own name, too. Raises MappingError.
    """
    columns: dict[str, Entry] = {}
    joined: dict[str, tuple[Entry, ...]] = {}
    parts: dict[str, Part] = {}
    for name, key in document.entries(node, "columns").items():
        place = f"columns.{name}"
        if isinstance(key.node, MappingNode):
            part = _part(document, key.node, place)
            columns[name] = Entry(part.name, key.line)
            parts[part.name] = part
        elif isinstance(key.node, SequenceNode):
            listed = document.items(key.node, place)
            if len({one.text for one in listed}) < max(2, len(listed)):
                given = ", ".join(one.text for one in listed)
                document.refuse(key.line, place, f"[{given}] joins nothing", "list two or more columns")
            columns[name] = Entry(" + ".join(one.text for one in listed), key.line)
            joined[columns[name].text] = listed
        else:
            columns[name] = Entry(document.text(key.node, place).text, key.line)
    return columns, joined, parts


def _part(document: Document, node: Node, place: str) -> Part:
    keys = document.texts(node, place)
    document.require_known(document.entries(node, place), _OF_PART, place)
    line = int(node.start_mark.line) + 1
    for needed in ("column", "part"):
        if needed not in keys:
            document.refuse(line, place, f"{needed} is missing", "write {column: theirs, split: _, part: 1}")
    if ("split" in keys) == ("pattern" in keys) or not (keys.get("split") or keys["pattern"]).text:
        document.refuse(
            line, place, "give one of split and pattern", "write `split: _`, or a pattern with groups"
        )
    number = keys["part"]
    if not re.fullmatch(r"[1-9][0-9]?", number.text):
        document.refuse(number.line, f"{place}.part", f"{number.text!r} is no part", "1 is the first")
    part = int(number.text)
    if "split" in keys:
        return Part(keys["column"].text, part, keys["split"].text)
    try:
        pattern = re.compile(keys["pattern"].text)
    except (re.error, RecursionError, OverflowError) as error:
        document.refuse(keys["pattern"].line, f"{place}.pattern", f"no pattern ({error})", "write (.+)_(.+)")
    if pattern.groups < part:
        document.refuse(
            number.line,
            f"{place}.part",
            f"the pattern has {pattern.groups} groups",
            "put () around each part",
        )
    return Part(keys["column"].text, part, pattern=pattern)
