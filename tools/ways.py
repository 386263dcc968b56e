"""The ways in docs/architecture.md: the functions that each names, and the counts of their code, which
`python -m tools.ways` writes anew.
"""

import importlib
import inspect
import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

from tools.floors import floor_of

PAGE = Path(__file__).parents[1] / "docs" / "architecture.md"
WAYS = ("The way of an answer", "The way of a rating", "The way of a move", "The way of an upload")
_COUNTS = re.compile(r"\d+ functions in \d+ files, [\d,]+ lines")


def section(title: str) -> str:
    """A way's part of the page."""
    return PAGE.read_text(encoding="utf-8").partition(f"## {title}\n")[2].partition("\n## ")[0]


def named_in(title: str) -> list[str]:
    """The functions of a way, in order: module and name."""
    return re.findall(r"^\| `((?:app|analysis)\.[\w.]+)` \|", section(title), re.MULTILINE)


def counts(named: Sequence[str]) -> str:
    """The size of a way in words: its functions, their files, and their lines."""
    functions = [_function_at(name) for name in named]
    files = {inspect.getsourcefile(function) for function in functions}
    lines = sum(len(inspect.getsourcelines(function)[0]) for function in functions)
    return f"{len(named)} functions in {len(files)} files, {lines:,} lines"


def turns(named: Sequence[str]) -> int:
    """The number of times a way goes up again. The base counts as no floor: it calls the functions it is given."""
    floors = floor_of("service")
    packages = [name.split(".")[1] for name in named if name.startswith("app.")]
    return sum(
        floors[after] > floors[before] for before, after in pairwise(p for p in packages if p != "core")
    )


def _function_at(name: str) -> Callable[..., object]:
    module, _, rest = name.rpartition(".")
    try:
        found: Callable[..., object] = getattr(importlib.import_module(module), rest)
    except ModuleNotFoundError:  # a method
        module, _, owner = module.rpartition(".")
        found = getattr(getattr(importlib.import_module(module), owner), rest)
    return found


def main() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for title in WAYS:
        was = section(title)
        page = page.replace(was, _COUNTS.sub(counts(named_in(title)), was, count=1))
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
