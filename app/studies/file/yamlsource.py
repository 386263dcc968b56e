"""YAML with every scalar as written and every value's line.

PyYAML's own constructor would turn `2021-01-05` into a date, `007` into 7 and the label `no` into False. Here
every scalar stays text, and the pydantic model says which keys are numbers.
"""

import re
from dataclasses import dataclass, field

import yaml

from analysis.files.shallow_yaml import ShallowLoader, TooDeep, too_long
from app.core.problems import Place, quoted

_TAGS = {
    f"tag:yaml.org,2002:{name}"
    for name in ("str", "int", "float", "bool", "null", "timestamp", "seq", "map", "merge", "value")
}
# What the parser says where a text should have been in quotes.
_UNQUOTED = ("undefined alias", "mapping values are not", "cannot start any token", "but got '?'")
_NULL = "tag:yaml.org,2002:null"
# Far more than a study has: PyYAML takes about a second for so many keys and values.
MOST_NODES = 20_000


@dataclass(frozen=True, slots=True)
class YamlFault:
    """A fault of the YAML itself, at its line."""

    line: int
    message: str
    remedy: str


@dataclass(frozen=True, slots=True)
class YamlSource:
    """A YAML document as mappings, lists, text and None, with its faults."""

    data: object
    faults: tuple[YamlFault, ...]
    root: yaml.Node | None = None
    _keys: dict[int, dict[str, tuple[yaml.Node, yaml.Node]]] = field(
        default_factory=dict, compare=False, repr=False
    )

    def line_of(self, place: Place) -> int:
        """The line of the key or list item at `place`, or of the nearest thing round it."""
        return self._find(place)[0]

    def block_line(self, place: Place) -> int | None:
        """The line on which the text of a block (`|`) at `place` begins; None where there is no such block."""
        node = self._find(place)[1]
        return _line(node) + 1 if isinstance(node, yaml.ScalarNode) and node.style == "|" else None

    def _keys_of(self, node: yaml.MappingNode) -> dict[str, tuple[yaml.Node, yaml.Node]]:
        """Keys and values by name, the first of each; cached, as every fault looks them up."""
        if id(node) not in self._keys:
            # Backwards, as a dict keeps the last of equal keys and the first is meant.
            pairs = reversed([pair for pair in node.value if isinstance(pair[0], yaml.ScalarNode)])
            self._keys[id(node)] = {key.value: (key, value) for key, value in pairs}
        return self._keys[id(node)]

    def _find(self, place: Place) -> tuple[int, yaml.Node | None]:
        """The line at `place` or nearest to it, and the value there."""
        node, line = self.root, 1
        for part in place:
            match node:
                case yaml.MappingNode():
                    if found := self._keys_of(node).get(str(part)):
                        line, node = _line(found[0]), found[1]
                case yaml.SequenceNode() if isinstance(part, int) and part < len(node.value):
                    node = node.value[part]
                    line = _line(node)
        return line, node


class _TooManyNodes(Exception):
    pass


class _Loader(ShallowLoader):
    """A YAML loader that stops at documents too large for a study."""

    n_nodes = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        self.n_nodes += 1
        if self.n_nodes > MOST_NODES:
            raise _TooManyNodes
        return super().compose_node(parent, index)


def read_yaml(text: str) -> YamlSource:
    """Read one document. A syntax error is the only fault then; `data` is None."""
    if message := too_long(text):
        remedy = "put long texts and long lists into separate files next to it"
        return YamlSource(None, (YamlFault(1, f"the file {message}", remedy),))
    try:
        root = yaml.compose(text, Loader=_Loader)
    except _TooManyNodes:
        message = f"more than {MOST_NODES} keys and values"
        return YamlSource(None, (YamlFault(1, message, "put long lists of pairs into a CSV file"),))
    except TooDeep as error:
        fault = YamlFault(_syntax_fault(error).line, "nested too deeply", "a study file needs six levels")
        return YamlSource(None, (fault,))
    except yaml.MarkedYAMLError as error:
        return YamlSource(None, (_syntax_fault(error),))
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        message = f"character U+{int(error.character):04X} is not allowed in YAML"
        return YamlSource(None, (YamlFault(line, message, "delete it"),))
    except (ValueError, OverflowError):  # PyYAML reads \UFFFFFFFF without looking
        escape = re.search(r"\\U(?!000|0010)", text)
        line = text.count("\n", 0, escape.start()) + 1 if escape else 1
        message = "not readable as YAML: an escape (\\U...) stands for no character"
        return YamlSource(None, (YamlFault(line, message, "write the character itself"),))
    if root is None:
        return YamlSource(None, (YamlFault(1, "the file is empty", "start with `study: my-study`"),))
    faults: list[YamlFault] = []
    data = _Conversion(faults).value(root)
    return YamlSource(data, tuple(faults), root)


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1


def _syntax_fault(error: yaml.MarkedYAMLError) -> YamlFault:
    mark = error.problem_mark or error.context_mark
    reason = " ".join(part for part in (error.context, error.problem) if part)
    if "'\\t'" in reason:
        remedy = "indent with spaces, not with tabs"
    elif any(words in reason for words in _UNQUOTED):
        remedy = "put the text in quotes: it holds `: ` or `?`, or begins with one of * & % @ `"
    else:
        remedy = "look at the indentation, quotes and brackets here and just above"
    return YamlFault(
        mark.line + 1 if mark else 1, f"not readable as YAML: {' '.join(reason.split())}", remedy
    )


class _Conversion:
    """Conversion of nodes to plain data. A node shared by several aliases is converted once."""

    def __init__(self, faults: list[YamlFault]) -> None:
        self.faults = faults
        self.done: dict[int, object] = {}
        self.open: set[int] = set()

    def value(self, node: yaml.Node) -> object:
        if id(node) in self.done:
            return self.done[id(node)]
        if id(node) in self.open:
            self._fault(node, "a value holds itself", "remove the alias (*)")
            return None
        self.open.add(id(node))
        value = self.done[id(node)] = self._fresh(node)
        self.open.discard(id(node))
        return value

    def _fresh(self, node: yaml.Node) -> object:
        if node.tag not in _TAGS:
            self._fault(node, f"the tag {quoted(node.tag)} means nothing here", "remove it")
        match node:
            case yaml.MappingNode():
                return self._mapping(node)
            case yaml.SequenceNode():
                return [self.value(item) for item in node.value]
        return None if node.tag == _NULL else node.value

    def _mapping(self, node: yaml.MappingNode) -> dict[str, object]:
        found: dict[str, object] = {}
        lines: dict[str, int] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                self._fault(key, "a key must be one word", "look at the brackets and question marks here")
            elif key.value in found:
                first = f"it stands on line {lines[key.value]} already"
                self._fault(key, f"the key {quoted(key.value)} comes twice; {first}", "remove one of the two")
            else:
                found[key.value], lines[key.value] = self.value(value), _line(key)
        return found

    def _fault(self, node: yaml.Node, message: str, remedy: str) -> None:
        self.faults.append(YamlFault(_line(node), message, remedy))
