"""A change of a few lines, as a file of `changes` has it: what it breaks, where, the lines, the tests next to it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import yaml

ROOT = Path(__file__).parents[2]
CHANGES = Path(__file__).parent / "changes"


class DoesNotApply(Exception):
    """The lines that a mutation changes are not there, or more than once."""


@dataclass(frozen=True, slots=True)
class Mutation:
    """`old` and `new` are whole lines, whose first begins at the margin: how far they are indented is of no account.

    `tests` are what pytest takes: files, or tests in them."""

    name: str
    breaks: str
    file: str
    old: str
    new: str
    tests: Sequence[str]

    @classmethod
    def read(cls, path: Path) -> Self:
        """Raises TypeError where the file has other keys than these."""
        return cls(name=path.stem, **yaml.safe_load(path.read_text(encoding="utf-8")))

    def applied(self, text: str) -> str:
        """The text of the file with the change. Raises DoesNotApply where the lines are not there exactly once."""
        lines = map(re.escape, self.old.rstrip("\n").split("\n"))
        found = list(re.finditer(r"^([ \t]*)" + r"\n\1".join(lines) + r"$", text, re.MULTILINE))
        if len(found) != 1:
            raise DoesNotApply(
                f"{self.name} no longer applies: {self.file} has its lines {len(found)} times, and once is right; "
                f"write changes/{self.name}.yaml anew after the code as it is\n{self.old}"
            )
        (place,) = found
        new = "".join(place[1] + line for line in self.new.splitlines(keepends=True))
        return text[: place.start()] + new.rstrip("\n") + text[place.end() :]


def mutations() -> Mapping[str, Mutation]:
    """All of them by name."""
    return {path.stem: Mutation.read(path) for path in sorted(CHANGES.glob("*.yaml"))}
