"""YAML as texts with the lines that they stand on: every fault of a mapping file is named by its line."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn

import yaml

from analysis.errors import AnalysisError, ReadError, shown
from analysis.files.shallow_yaml import ShallowLoader

_NULL = "tag:yaml.org,2002:null"
# A mapping has some dozen lines; what is larger is another file.
_LONGEST = 200_000


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


def unknown(name: str, known: Collection[str]) -> str:
    """The problem of an unknown name."""
    meant = get_close_matches(name, known, n=1)
    return f"the name is not known{f' (do you mean {shown(meant[0])}?)' if meant else ''}"


IN_MEMORY = "the mapping"


def text_of(given: Path | str | Mapping[str, Any]) -> str:
    """The text of a mapping file, or the one that would say the same. Raises ReadError."""
    if isinstance(given, Mapping):
        try:
            return str(yaml.safe_dump(dict(given), sort_keys=False, allow_unicode=True))
        except yaml.YAMLError as error:
            raise ReadError(IN_MEMORY, "allowed: texts, numbers, lists and dicts of these") from error
    path = str(given)
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
class Key:
    """The value of a key, and the line of the key."""

    line: int
    node: yaml.Node


class Document:
    """YAML nodes into texts: `007` is not 7 here, and `no` is a word."""

    def __init__(self, path: str) -> None:
        self.path = path

    def refuse(self, line: int, key: str, problem: str, remedy: str) -> NoReturn:
        raise MappingError(self.path, line, key, problem, remedy)

    def root(self, text: str) -> yaml.Node:
        try:
            node = yaml.compose(text, Loader=ShallowLoader)
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
            self.refuse(
                1, "", "the file is empty", "start with `kind: 2afc`, `kind: ratings` or `kind: yes-no`"
            )
        return node

    def entries(self, node: yaml.Node, key: str) -> dict[str, Key]:
        """The keys of a mapping, each once."""
        if isinstance(node, yaml.ScalarNode) and node.tag == _NULL:
            return {}
        if not isinstance(node, yaml.MappingNode):
            self.refuse(
                line_of(node), key, "this is no list of keys", "write `key: value` on a line for each"
            )
        found: dict[str, Key] = {}
        for name, value in node.value:
            if not isinstance(name, yaml.ScalarNode):
                self.refuse(line_of(name), key, "a key must be one text", "look at the brackets here")
            if name.value in found:
                problem = f"the key comes twice (line {found[name.value].line})"
                self.refuse(line_of(name), _joined(key, name.value), problem, "remove one of the two")
            found[name.value] = Key(line_of(name), value)
        return found

    def require_known(self, keys: Mapping[str, Key], known: Collection[str], key: str) -> None:
        for name, one in keys.items():
            if name not in known:
                self.refuse(
                    one.line, _joined(key, name), unknown(name, known), f"allowed: {', '.join(known)}"
                )

    def texts(self, node: yaml.Node, key: str) -> dict[str, Entry]:
        entries = self.entries(node, key).items()
        return {name: Entry(self.text(one.node, _joined(key, name)).text, one.line) for name, one in entries}

    def items(self, node: yaml.Node, key: str) -> tuple[Entry, ...]:
        if not isinstance(node, yaml.SequenceNode):
            self.refuse(line_of(node), key, "this is no list", "write [first, second]")
        return tuple(self.text(item, key) for item in node.value)

    def text(self, node: yaml.Node, key: str) -> Entry:
        if not isinstance(node, yaml.ScalarNode):
            self.refuse(
                line_of(node), key, "one text or number is expected here", "remove the list or the keys"
            )
        return Entry("" if node.tag == _NULL else str(node.value), line_of(node))


def _joined(key: str, name: str) -> str:
    return f"{key}.{name}" if key else name


def line_of(node: yaml.Node) -> int:
    """The line that a node begins on, from 1."""
    return int(node.start_mark.line) + 1
