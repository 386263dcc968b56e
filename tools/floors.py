"""The picture of the floors in docs/architecture.md, made from the contracts: `python -m tools.floors`."""

from collections.abc import Iterator, Mapping, Sequence
from configparser import ConfigParser
from pathlib import Path

from tools.made import write_part

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "architecture.md"
MAKER = "tools/floors.py"
# Entry points of one line, that hold no floor of their own.
_NOT_DRAWN = frozenset({"__main__"})


def floors(contract: str) -> Sequence[Sequence[str]]:
    """The floors of a contract of .importlinter, the top one first, each with its packages."""
    contracts = ConfigParser()
    contracts.read(ROOT / ".importlinter")
    lines = contracts[f"importlinter:contract:{contract}"]["layers"].split("\n")
    found = ([name.strip() for name in line.split("|")] for line in lines if line.strip())
    return [names for names in found if not _NOT_DRAWN.issuperset(names)]


def floor_of(contract: str) -> Mapping[str, int]:
    """The floor of each package, counted from the ground."""
    return {name: at for at, names in enumerate(reversed(floors(contract))) for name in names}


def drawn() -> str:
    """Both pictures as Mermaid: an arrow says what may import what."""
    return "\n".join(line for part in ("service", "analysis") for line in _picture(part)) + "\n"


def _picture(contract: str) -> Iterator[str]:
    yield "```mermaid"
    yield "flowchart TB"
    boxes = [f'{contract}{at}["{" · ".join(names)}"]' for at, names in enumerate(floors(contract))]
    yield from (f"    {box}" for box in boxes)
    yield from (f"    {contract}{at} --> {contract}{at + 1}" for at in range(len(boxes) - 1))
    yield "```"


def main() -> None:
    write_part(PAGE, MAKER, drawn())


if __name__ == "__main__":
    main()
