"""The list of packages in docs/developers.md, made from what each says of itself: `python -m tools.packages`."""

import ast
import textwrap
from collections.abc import Iterator
from pathlib import Path

from tools.made import write_part
from tools.wrap_markdown import WIDTH

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "developers.md"
MAKER = "tools/packages.py"


def listed() -> str:
    """Each package of `app` and `analysis` with the first paragraph of its docstring."""
    return "\n".join(line for name in ("app", "analysis") for line in _packages(ROOT / name)) + "\n"


def _packages(folder: Path) -> Iterator[str]:
    for package in (folder, *sorted(path.parent for path in folder.glob("*/__init__.py"))):
        said = ast.get_docstring(ast.parse((package / "__init__.py").read_text(encoding="utf-8"))) or ""
        text = " ".join(said.split("\n\n")[0].split())
        name = package.relative_to(ROOT).as_posix()
        line = f"- `{name}`: {text}" if text else f"- `{name}`"
        yield from textwrap.wrap(line, WIDTH, subsequent_indent="  ", break_on_hyphens=False)


def main() -> None:
    write_part(PAGE, MAKER, listed())


if __name__ == "__main__":
    main()
