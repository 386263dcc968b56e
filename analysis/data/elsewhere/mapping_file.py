"""The mapping file: a small YAML that says how a table from elsewhere becomes ours. Every fault with its line."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, NoReturn

from analysis.data.elsewhere.cell_parts import Part
from analysis.data.elsewhere.columns_section import read_columns
from analysis.data.elsewhere.wide_section import SLOT, Wide, read_wide
from analysis.data.elsewhere.yaml_entries import (
    IN_MEMORY,
    Document,
    Entry,
    Key,
    MappingError,
    text_of,
    unknown,
)
from analysis.errors import shown

Kind = Literal["2afc", "ratings", "yes-no"]
KINDS: tuple[Kind, ...] = ("2afc", "ratings", "yes-no")
JOINED_BY = "/"
QUOTINGS = ("cells", "none")
_ANSWER: Mapping[Kind, str] = {"2afc": "choice", "ratings": "score", "yes-no": "answer"}
_ITEM: Mapping[Kind, str] = {"2afc": "pair", "ratings": "item", "yes-no": "stimulus"}


@dataclass(frozen=True, slots=True)
class MappingFile:
    """The content of a mapping file, as texts. Keys are our names, and within `values` then theirs.

    `columns` names their column, `constants` one value for all rows, `values` our value for each of theirs, `named_by`
    the name meant by a value of theirs, `wide` the layout of a row with several answers, `options` every other key of
    the file, `lists` those with several texts; `lines` has the line of each key of the file. `joined` has their columns
    that together form one, by the name used in `columns`; `parts` likewise those that are a part of a column.
    """

    path: str
    kind: Kind
    columns: Mapping[str, Entry]
    constants: Mapping[str, Entry]
    values: Mapping[str, Mapping[str, Entry]]
    options: Mapping[str, Entry]
    named_by: Mapping[str, Entry]
    lists: Mapping[str, tuple[Entry, ...]]
    lines: Mapping[str, int]
    wide: Wide | None = None
    joined: Mapping[str, tuple[Entry, ...]] = field(default_factory=dict)
    parts: Mapping[str, Part] = field(default_factory=dict)

    @property
    def joined_by(self) -> str:
        """The text between the texts of joined columns."""
        entry = self.options.get("joined_by")
        return JOINED_BY if entry is None else entry.text

    @property
    def answer(self) -> str:
        """Our column that an answer stands in."""
        return _ANSWER[self.kind]

    @property
    def rater(self) -> str:
        """Our column of who answered."""
        return "rater" if self.kind == "ratings" else "participant"

    @property
    def item(self) -> str:
        """Our column for the item asked about."""
        return _ITEM[self.kind]

    @property
    def unfolded(self) -> frozenset[str]:
        """Our columns that `wide` gives."""
        wide = self.wide
        if wide is None:
            return frozenset()
        given = {*wide.patterns, *wide.lists}
        if wide.layout == "counts" or wide.names:
            given.add(self.answer)
        if wide.layout == "raters" or wide.anonymous:
            given.add(self.rater)
        if wide.layout == "items" and not {"stimulus_a", "stimulus_b"} <= {*given, *self.columns}:
            given.add(self.item)
        return frozenset(given - self.slotted.keys())

    @property
    def has_slots(self) -> bool:
        """True if columns may use the slot of a wide layout, `{n}`, in addition to columns of the file."""
        return self.wide is not None and self.wide.layout in ("items", "raters")

    @property
    def slotted(self) -> Mapping[str, tuple[str, ...]]:
        """Our columns that use the slot of a wide layout, and the columns they are joined from."""
        found = {
            name: tuple(part.text for part in self.of_file(entry)) for name, entry in self.columns.items()
        }
        return {name: parts for name, parts in found.items() if self.has_slots and SLOT in parts}

    def of_file(self, entry: Entry) -> tuple[Entry, ...]:
        """The columns of theirs that an entry of `columns` stands for."""
        part = self.parts.get(entry.text)
        return (Entry(part.column, entry.line),) if part else self.joined.get(entry.text, (entry,))

    @property
    def given(self) -> frozenset[str]:
        """Our columns that the file provides in any way."""
        return frozenset({*self.columns, *self.constants, *self.unfolded})

    def refuse(self, line: int, key: str, problem: str, remedy: str) -> NoReturn:
        """Raise the error of an entry."""
        raise MappingError(self.path, line, key, problem, remedy)

    def lacks(self, name: str, problem: str = "") -> NoReturn:
        """Raise the error of a column of ours that has to be given."""
        problem = problem or f"no column is given for {name}"
        self.refuse(self.lines.get("columns", 1), "columns", problem, f"add `{name}: their column`")

    def option(self, key: str, allowed: Sequence[str]) -> str:
        """The text of an option, by default the first of those allowed."""
        entry = self.options.get(key)
        if entry is None:
            return allowed[0]
        if entry.text not in allowed:
            self.refuse(
                entry.line, key, f"{shown(entry.text)} is not allowed", f"allowed: {', '.join(allowed)}"
            )
        return entry.text

    @property
    def delimiter(self) -> str | None:
        """The separator of a text file's cells; None if the file's name determines it."""
        entry = self.options.get("delimiter")
        if entry is None:
            return None
        text = {"tab": "\t", "\\t": "\t"}.get(entry.text, entry.text)
        # One byte, which is all that Arrow's reader takes for a delimiter.
        if len(text) != 1 or text in '"\r\n' or not text.isascii():
            self.refuse(
                entry.line, "delimiter", f"{shown(entry.text)} is not allowed", "give one character, or tab"
            )
        return text


_SECTIONS = ("columns", "constants", "values")
_OF_FILE = ("kind", "study", "delimiter", "quoting", "rows", "joined_by")
_KEYS: Mapping[Kind, tuple[str, ...]] = {
    "2afc": (*_OF_FILE, *_SECTIONS, "named_by", "wide", "certainty_scale", "positions_from"),
    "ratings": (
        *_OF_FILE,
        *_SECTIONS,
        "criteria",
        "scale",
        "out_of_range",
        "level",
        "wide",
    ),
    "yes-no": (*_OF_FILE, *_SECTIONS, "classes", "wide"),
}
_LISTS = ("criteria", "scale", "certainty_scale", "classes")


def read_mapping_file(path: Path | str | Mapping[str, Any]) -> MappingFile:
    """Read a mapping file, or a mapping of the same keys, and check its shape.

    What its names mean is for the caller to check.

    Raises
    ------
    ReadError
        If the file cannot be read.
    MappingError
        At the first key that is unknown, double or of the wrong shape.
    """
    origin = IN_MEMORY if isinstance(path, Mapping) else str(path)
    document = Document(origin)
    keys = document.entries(document.root(text_of(path)), "")
    kind = _kind(document, keys)
    document.require_known(keys, _KEYS[kind], "")
    columns, joined, parts = (
        read_columns(document, keys["columns"].node) if "columns" in keys else ({}, {}, {})
    )
    sections = {
        name: document.texts(keys[name].node, name) if name in keys else {}
        for name in ("constants", "named_by")
    }
    values = {
        name: document.texts(one.node, f"values.{name}")
        for name, one in (document.entries(keys["values"].node, "values") if "values" in keys else {}).items()
    }
    lists = {name: document.items(keys[name].node, name) for name in _LISTS if name in keys}
    options = {
        name: document.text(one.node, name)
        for name, one in keys.items()
        if name not in (*_SECTIONS, *_LISTS, "named_by", "wide")
    }
    mapping = MappingFile(
        origin,
        kind,
        columns,
        **sections,
        values=values,
        options=options,
        lists=lists,
        lines={name: one.line for name, one in keys.items()},
        wide=read_wide(document, keys["wide"], _ANSWER[kind]) if "wide" in keys else None,
        joined=joined,
        parts=parts,
    )
    _refuse_contradictions(mapping)
    return mapping


def _kind(document: Document, keys: Mapping[str, Key]) -> Kind:
    if "kind" not in keys:
        document.refuse(1, "kind", "the key is missing", f"give one of: {', '.join(KINDS)}")
    entry = document.text(keys["kind"].node, "kind")
    for kind in KINDS:
        if kind == entry.text:
            return kind
    document.refuse(entry.line, "kind", f"{shown(entry.text)} is not allowed", f"allowed: {', '.join(KINDS)}")


def _refuse_contradictions(mapping: MappingFile) -> None:
    if "joined_by" in mapping.options and not mapping.joined:
        line = mapping.options["joined_by"].line
        mapping.refuse(
            line, "joined_by", "no columns are joined", "write `pair: [scene, seed]`, or remove it"
        )
    for name, entry in mapping.constants.items():
        if name in mapping.columns:
            mapping.refuse(
                entry.line,
                f"constants.{name}",
                f"columns gives {name} too (line {mapping.columns[name].line})",
                "remove one of the two",
            )
    for name in sorted(mapping.unfolded & {*mapping.columns, *mapping.constants}):
        entry = {**mapping.columns, **mapping.constants}[name]
        remedy = "remove one of the two"
        mapping.refuse(entry.line, name, f"wide gives {name} too (line {_wide_line(mapping)})", remedy)
    if mapping.wide and mapping.wide.layout and "criteria" in mapping.lists:
        problem = "criteria is a layout of its own: a column for each criterion"
        mapping.refuse(mapping.lines["wide"], "wide", problem, "keep one of the two")
    for name, values in mapping.values.items():
        if name not in mapping.columns and name not in mapping.unfolded:
            line = next((entry.line for entry in values.values()), 1)
            mapping.refuse(
                line,
                f"values.{name}",
                f"no column is given for {name}",
                f"add {name} to columns, or remove its values",
            )


def _wide_line(mapping: MappingFile) -> int:
    return mapping.wide.line if mapping.wide else mapping.lines.get("wide", 1)


def require_known(
    mapping: MappingFile, section: str, given: Mapping[str, Entry], known: Collection[str]
) -> None:
    """Refuse a name in a section that is none of ours."""
    for name, entry in given.items():
        if name not in known:
            mapping.refuse(
                entry.line, f"{section}.{name}", unknown(name, known), f"allowed: {', '.join(known)}"
            )


def require_known_wide(mapping: MappingFile, known: Collection[str]) -> None:
    """Refuse a name in the layout of `wide` that is none of ours."""
    if mapping.wide is not None:
        named = {**mapping.wide.patterns, **mapping.wide.lists}
        require_known(mapping, f"wide.{mapping.wide.layout}", named, known)


def require_columns(
    mapping: MappingFile, columns: Mapping[str, Entry], section: str, header: Sequence[str], origin: str
) -> None:
    """Refuse a column of theirs that their file does not have."""
    for name, entry in [(n, part) for n, e in columns.items() for part in mapping.of_file(e)]:
        if entry.text not in header and not (entry.text == SLOT and mapping.has_slots):
            meant = get_close_matches(entry.text, header, n=1)
            hint = f" (do you mean {shown(meant[0])}?)" if meant else ""
            problem = f"{origin} has no column {shown(entry.text)}{hint}"
            mapping.refuse(entry.line, f"{section}.{name}", problem, f"it has: {', '.join(header)}")
