"""The mapping file: a small YAML that says how a table from elsewhere becomes ours. Every fault with its line."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Literal, NoReturn

import yaml

from analysis.errors import AnalysisError, ReadError, shown

Kind = Literal["2afc", "ratings"]
Layout = Literal["raters", "items", "counts", "lists"]

LAYOUTS: tuple[Layout, ...] = ("raters", "items", "counts", "lists")
KINDS: tuple[Kind, ...] = ("2afc", "ratings")
_ANSWER: Mapping[Kind, str] = {"2afc": "choice", "ratings": "score"}
_NULL = "tag:yaml.org,2002:null"
# A mapping has some dozen lines; what is larger is another file.
_LONGEST = 1_000_000


class MappingError(AnalysisError):
    """A mapping file, or an entry of it, that cannot be used; one line with file, line, key and remedy."""

    def __init__(self, path: str, line: int, key: str, problem: str, remedy: str) -> None:
        self.path = path
        self.line = line
        self.key = key
        super().__init__(f"{path}: line {line}{f', {key}' if key else ''}: {problem}; {remedy}")


@dataclass(frozen=True, slots=True)
class Entry:
    """A text of the mapping file and the line it stands on."""

    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Wide:
    """How a row of theirs holds several answers; `line` is where the file says so.

    One layout at most is given. `raters` and `items`: by our name the pattern of their columns, or, listed one by one,
    `names`: the columns of the answers. `counts`: by their column the answer of ours that it counts. `lists`: by our
    name the column of arrays. `anonymous`: nothing says who answered. `separator` divides cells of `lists`."""

    line: int
    layout: Layout | None
    patterns: Mapping[str, Entry] = field(default_factory=dict)
    names: tuple[Entry, ...] = ()
    counts: Mapping[str, Entry] = field(default_factory=dict)
    lists: Mapping[str, Entry] = field(default_factory=dict)
    anonymous: bool = False
    separator: str | None = None


@dataclass(frozen=True, slots=True)
class MappingFile:
    """What a mapping file says, as texts. Keys are our names, and of `values` then theirs.

    `columns` names their column, `constants` one value for all rows, `values` what a value of theirs is with us,
    `named_by` what a value of theirs is the name of, `wide` how a row holds several answers, `options` every other key
    of the file, `lists` those that hold several texts; `lines` says where each key of the file stands."""

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

    @property
    def answer(self) -> str:
        """Our column that an answer stands in."""
        return _ANSWER[self.kind]

    @property
    def rater(self) -> str:
        """Our column of who answered."""
        return "participant" if self.kind == "2afc" else "rater"

    @property
    def item(self) -> str:
        """Our column of what was asked about."""
        return "pair" if self.kind == "2afc" else "item"

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
        return frozenset(given)

    @property
    def given(self) -> frozenset[str]:
        """Our columns that the file gives in whatever way."""
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
        """What separates the cells of a text file; None where the file's name says it."""
        entry = self.options.get("delimiter")
        if entry is None:
            return None
        text = {"tab": "\t", "\\t": "\t"}.get(entry.text, entry.text)
        if len(text) != 1 or text in '"\r\n' or not text.isascii():
            self.refuse(
                entry.line, "delimiter", f"{shown(entry.text)} is not allowed", "give one character, or tab"
            )
        return text


_SECTIONS = ("columns", "constants", "values")
_KEYS: Mapping[Kind, tuple[str, ...]] = {
    "2afc": ("kind", "study", "delimiter", *_SECTIONS, "named_by", "wide", "certainty_scale"),
    "ratings": ("kind", "delimiter", *_SECTIONS, "criteria", "scale", "out_of_range", "level", "wide"),
}
_WIDE = (*LAYOUTS, "anonymous", "separator")
_LISTS = ("criteria", "scale", "certainty_scale")


def read_mapping_file(path: Path | str) -> MappingFile:
    """Read a mapping file and check its shape; what its names mean is for the caller to check.

    Raises
    ------
    ReadError
        If the file cannot be read.
    MappingError
        At the first key that is unknown, double or of the wrong shape.
    """
    origin = str(path)
    document = _Document(origin)
    keys = document.entries(document.root(_text_of(origin)), "")
    kind = _kind(document, keys)
    document.require_known(keys, _KEYS[kind], "")
    sections = {
        name: document.texts(keys[name].node, name) if name in keys else {}
        for name in ("columns", "constants", "named_by")
    }
    values = {
        name: document.texts(one.node, f"values.{name}")
        for name, one in (document.entries(keys["values"].node, "values") if "values" in keys else {}).items()
    }
    lists = {name: document.items(keys[name].node, name) for name in _LISTS if name in keys}
    options = {
        name: document.text(one.node, name)
        for name, one in keys.items()
        if name not in (*sections, *_LISTS, "values", "wide")
    }
    mapping = MappingFile(
        origin,
        kind,
        **sections,
        values=values,
        options=options,
        lists=lists,
        lines={name: one.line for name, one in keys.items()},
        wide=_wide(document, keys["wide"], _ANSWER[kind]) if "wide" in keys else None,
    )
    _refuse_contradictions(mapping)
    return mapping


def _kind(document: "_Document", keys: Mapping[str, "_Key"]) -> Kind:
    if "kind" not in keys:
        document.refuse(1, "kind", "the key is missing", f"give one of: {', '.join(KINDS)}")
    entry = document.text(keys["kind"].node, "kind")
    for kind in KINDS:
        if kind == entry.text:
            return kind
    document.refuse(entry.line, "kind", f"{shown(entry.text)} is not allowed", f"allowed: {', '.join(KINDS)}")


def _wide(document: "_Document", key: "_Key", answer: str) -> Wide:
    keys = document.entries(key.node, "wide")
    document.require_known(keys, _WIDE, "wide")
    layouts = [layout for layout in LAYOUTS if layout in keys]
    anonymous = _is_true(document, keys["anonymous"]) if "anonymous" in keys else False
    if len(layouts) > 1:
        line = keys[layouts[1]].line
        document.refuse(line, f"wide.{layouts[1]}", f"{layouts[0]} is given too", "keep one of the two")
    if not layouts:
        if not anonymous:
            document.refuse(key.line, "wide", "no layout is given", f"give one of: {', '.join(LAYOUTS)}")
        return Wide(key.line, None, anonymous=True)
    [layout] = layouts
    node, place, line = keys[layout].node, f"wide.{layout}", keys[layout].line
    separator = document.text(keys["separator"].node, "wide.separator") if "separator" in keys else None
    if separator is not None and (layout != "lists" or not separator.text):
        document.refuse(
            separator.line, "wide.separator", "it divides cells of `lists`", "give `lists`, or remove it"
        )
    if layout in ("counts", "lists"):
        entries = document.texts(node, place)
        if not entries:
            document.refuse(line, place, "nothing is given", "write `key: value` on a line for each")
        if layout == "counts":
            return Wide(line, layout, counts=entries, anonymous=True)
        divides = separator.text if separator else None
        return Wide(line, layout, lists=entries, anonymous=anonymous, separator=divides)
    if isinstance(node, yaml.SequenceNode):
        return Wide(line, layout, names=_different(document, node, place), anonymous=anonymous)
    if isinstance(node, yaml.ScalarNode):
        return Wide(line, layout, patterns={answer: document.text(node, place)}, anonymous=anonymous)
    return Wide(line, layout, patterns=document.texts(node, place), anonymous=anonymous)


def _different(document: "_Document", node: yaml.Node, key: str) -> tuple[Entry, ...]:
    entries = document.items(node, key)
    if not entries:
        document.refuse(_line(node), key, "the list is empty", "name the columns that hold answers")
    for place, entry in enumerate(entries):
        if entry.text in [earlier.text for earlier in entries[:place]]:
            document.refuse(
                entry.line, key, f"{shown(entry.text)} stands twice in the list", "remove one of the two"
            )
    return entries


def _is_true(document: "_Document", key: "_Key") -> bool:
    entry = document.text(key.node, "wide.anonymous")
    if entry.text not in ("true", "false"):
        document.refuse(
            entry.line, "wide.anonymous", f"{shown(entry.text)} is not allowed", "allowed: true, false"
        )
    return entry.text == "true"


def _refuse_contradictions(mapping: MappingFile) -> None:
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
    if mapping.wide and "criteria" in mapping.lists:
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
                entry.line, f"{section}.{name}", _unknown(name, known), f"allowed: {', '.join(known)}"
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
    for name, entry in columns.items():
        if entry.text not in header:
            meant = get_close_matches(entry.text, header, n=1)
            hint = f" (do you mean {shown(meant[0])}?)" if meant else ""
            problem = f"{origin} has no column {shown(entry.text)}{hint}"
            mapping.refuse(entry.line, f"{section}.{name}", problem, f"it has: {', '.join(header)}")


def _unknown(name: str, known: Collection[str]) -> str:
    meant = get_close_matches(name, known, n=1)
    return f"the name is not known{f' (do you mean {shown(meant[0])}?)' if meant else ''}"


def _text_of(path: str) -> str:
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise ReadError(path, f"cannot be read ({error.strerror})") from error
    if len(content) > _LONGEST:
        raise ReadError(path, "the file is too large for a mapping (is it the data?); give the YAML file")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ReadError(path, "the file is not UTF-8; allowed: a mapping in YAML, in UTF-8") from error


@dataclass(frozen=True, slots=True)
class _Key:
    line: int
    node: yaml.Node


class _Document:
    """YAML nodes into texts: `007` is not 7 here, and `no` is a word."""

    def __init__(self, path: str) -> None:
        self.path = path

    def refuse(self, line: int, key: str, problem: str, remedy: str) -> NoReturn:
        raise MappingError(self.path, line, key, problem, remedy)

    def root(self, text: str) -> yaml.Node:
        try:
            node = yaml.compose(text, Loader=yaml.SafeLoader)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            reason = " ".join(f"{error.context or ''} {error.problem or ''}".split())
            self.refuse(
                mark.line + 1 if mark else 1,
                "",
                f"not readable as YAML ({reason})",
                "look at indentation, quotes and brackets",
            )
        except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as error:
            self.refuse(
                1,
                "",
                f"not readable as YAML ({' '.join(str(error).split())})",
                "write it as docs/analysis.md shows",
            )
        if node is None:
            self.refuse(1, "", "the file is empty", "start with `kind: 2afc` or `kind: ratings`")
        return node

    def entries(self, node: yaml.Node, key: str) -> dict[str, _Key]:
        """The keys of a mapping, each once."""
        if isinstance(node, yaml.ScalarNode) and node.tag == _NULL:
            return {}
        if not isinstance(node, yaml.MappingNode):
            self.refuse(_line(node), key, "this is no list of keys", "write `key: value` on a line for each")
        found: dict[str, _Key] = {}
        for name, value in node.value:
            if not isinstance(name, yaml.ScalarNode):
                self.refuse(_line(name), key, "a key must be one text", "look at the brackets here")
            if name.value in found:
                problem = f"the key comes twice (line {found[name.value].line})"
                self.refuse(_line(name), _joined(key, name.value), problem, "remove one of the two")
            found[name.value] = _Key(_line(name), value)
        return found

    def require_known(self, keys: Mapping[str, _Key], known: Collection[str], key: str) -> None:
        for name, one in keys.items():
            if name not in known:
                self.refuse(
                    one.line, _joined(key, name), _unknown(name, known), f"allowed: {', '.join(known)}"
                )

    def texts(self, node: yaml.Node, key: str) -> dict[str, Entry]:
        entries = self.entries(node, key).items()
        return {name: Entry(self.text(one.node, _joined(key, name)).text, one.line) for name, one in entries}

    def items(self, node: yaml.Node, key: str) -> tuple[Entry, ...]:
        if not isinstance(node, yaml.SequenceNode):
            self.refuse(_line(node), key, "this is no list", "write [first, second]")
        return tuple(self.text(item, key) for item in node.value)

    def text(self, node: yaml.Node, key: str) -> Entry:
        if not isinstance(node, yaml.ScalarNode):
            self.refuse(
                _line(node), key, "one text or number is expected here", "remove the list or the keys"
            )
        return Entry("" if node.tag == _NULL else str(node.value), _line(node))


def _joined(key: str, name: str) -> str:
    return f"{key}.{name}" if key else name


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1
