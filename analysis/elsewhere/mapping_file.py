"""The mapping file: a small YAML that says how a table from elsewhere becomes ours. Every fault with its line."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Literal, NoReturn

import yaml

from analysis.errors import AnalysisError, ReadError, shown

Kind = Literal["2afc", "ratings"]

KINDS: tuple[Kind, ...] = ("2afc", "ratings")
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
class MappingFile:
    """What a mapping file says, as texts. Keys are our names, and of `values` then theirs.

    `columns` names their column, `constants` one value for all rows, `values` what a value of theirs is with us,
    `named_by` what a value of theirs is the name of, `options` every other key of the file, `lists` those that hold
    several texts; `lines` says where each key of the file stands."""

    path: str
    kind: Kind
    columns: Mapping[str, Entry]
    constants: Mapping[str, Entry]
    values: Mapping[str, Mapping[str, Entry]]
    options: Mapping[str, Entry]
    named_by: Mapping[str, Entry]
    lists: Mapping[str, tuple[Entry, ...]]
    lines: Mapping[str, int]

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
    "2afc": ("kind", "study", "delimiter", *_SECTIONS, "named_by"),
    "ratings": ("kind", "delimiter", *_SECTIONS, "criteria", "scale", "out_of_range", "level"),
}
_LISTS = ("criteria", "scale")


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
        if name not in (*sections, *_LISTS, "values")
    }
    mapping = MappingFile(
        origin,
        kind,
        **sections,
        values=values,
        options=options,
        lists=lists,
        lines={name: one.line for name, one in keys.items()},
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


def _refuse_contradictions(mapping: MappingFile) -> None:
    for name, entry in mapping.constants.items():
        if name in mapping.columns:
            mapping.refuse(
                entry.line,
                f"constants.{name}",
                f"columns gives {name} too (line {mapping.columns[name].line})",
                "remove one of the two",
            )
    for name, values in mapping.values.items():
        if name not in mapping.columns:
            line = next((entry.line for entry in values.values()), 1)
            mapping.refuse(
                line,
                f"values.{name}",
                f"no column is given for {name}",
                f"add {name} to columns, or remove its values",
            )


def require_known(
    mapping: MappingFile, section: str, given: Mapping[str, Entry], known: Collection[str]
) -> None:
    """Refuse a name in a section that is none of ours."""
    for name, entry in given.items():
        if name not in known:
            mapping.refuse(
                entry.line, f"{section}.{name}", _unknown(name, known), f"allowed: {', '.join(known)}"
            )


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
