"""Bounded loading of submitted YAML: PyYAML takes time that grows with the square of the nesting depth, about a second
for 20 kB.
"""

from typing import Any

import yaml

DEEPEST = 50
"""Levels; a study has six."""
MOST_CHARACTERS = 500_000


class TooDeep(yaml.MarkedYAMLError):
    """Nested more deeply than any file of ours."""


class ShallowLoader(yaml.SafeLoader):
    """PyYAML's loader, limited to the nesting depth of our files."""

    def __init__(self, stream: Any) -> None:
        super().__init__(stream)
        self._depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """The next node and all in it. Raises TooDeep where it is nested too deeply."""
        self._depth += 1
        if self._depth > DEEPEST:
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise TooDeep(problem=f"nested more than {DEEPEST} levels deep", problem_mark=mark)
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node


def too_long(text: str) -> str | None:
    """Words for a text that is too long to be read; None where it is not."""
    if len(text) <= MOST_CHARACTERS:
        return None
    return f"has {len(text) / 1000:.0f} kB, and at most {MOST_CHARACTERS // 1000} are read"
