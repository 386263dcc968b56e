"""YAML as people write it: numbers are what they look like. YAML 1.1 reads `1_0` as 10, `010` as 8 and `1:30` as 90."""

import re
from typing import Any, Final

import yaml

from analysis.files.shallow_yaml import ShallowLoader

_INT: Final = "tag:yaml.org,2002:int"
_FLOAT: Final = "tag:yaml.org,2002:float"
_WHOLE: Final = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_DECIMAL: Final = re.compile(
    r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+][0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)


MOST_REPEATED: Final = 20_000
"""Values that aliases stand for, in all: ten lists of ten aliases each would be ten thousand million."""


class PlainLoader(ShallowLoader):
    """A loader limited in depth and alias expansion, for which a number in ambiguous digits is a text.

    A field that requires a number then rejects the text or reads it in decimal.
    """

    def __init__(self, stream: Any) -> None:
        super().__init__(stream)
        self._n, self._repeated = 0, 0
        self._values: dict[yaml.Node, int] = {}  # of each node that is whole, with all in it

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """The next node and all in it. Raises MarkedYAMLError for aliases that stand for too much."""
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]
        mark, before = event.start_mark, self._n
        node = super().compose_node(parent, index)
        assert node is not None
        if isinstance(event, yaml.AliasEvent):
            # An anchor is open until its node is whole: an alias within it would make a circle that no model can take.
            if node not in self._values:
                raise yaml.MarkedYAMLError(problem="a value holds itself", problem_mark=mark)
            self._n += self._values[node]
            self._repeated += self._values[node]
            if self._repeated > MOST_REPEATED:
                problem = f"aliases (*) stand for more than {MOST_REPEATED} values; write them out"
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=mark)
        else:
            self._n += 1
            self._values[node] = self._n - before
        return node


PlainLoader.yaml_implicit_resolvers = {
    first: [one for one in known if one[0] not in (_INT, _FLOAT)]
    for first, known in ShallowLoader.yaml_implicit_resolvers.items()
}
PlainLoader.add_implicit_resolver(_INT, re.compile(f"(?:{_WHOLE.pattern})$"), list("-+0123456789"))
PlainLoader.add_implicit_resolver(_FLOAT, re.compile(f"(?:{_DECIMAL.pattern})$"), list("-+0123456789."))
