"""The tables of docs/privacy.md, made from tools/personal_data.yaml: `python -m tools.privacy`."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tools.made import write_part

PAGE = Path(__file__).parents[1] / "docs" / "privacy.md"
DATA = Path(__file__).with_name("personal_data.yaml")
MAKER = "tools/privacy.py"


@dataclass(frozen=True, slots=True)
class Classified:
    """Each table's columns by class; those of `personal` with whom they are of, why, until when and who sees them."""

    personal: Mapping[str, Mapping[str, Mapping[str, str]]]
    linked: Mapping[str, list[str]]
    not_personal: Mapping[str, list[str]]

    def columns(self) -> Iterator[str]:
        """Every column, as often as it is classified."""
        for of_class in (self.personal, self.linked, self.not_personal):
            for table, columns in of_class.items():
                yield from (f"{table}.{column}" for column in columns)


def classified() -> Classified:
    found: dict[str, Any] = yaml.safe_load(DATA.read_text(encoding="utf-8"))
    return Classified(found["personal"], found["linked"], found["not_personal"])


def listed() -> str:
    """A table for participants and one for experimenters, then the columns that are linked."""
    found = classified()
    parts = []
    for whom, title in (("participant", "Of participants"), ("experimenter", "Of experimenters")):
        parts += [f"### {title}", "", "| column | why | how long | who sees it |", "|---|---|---|---|"]
        parts += [
            f"| `{table}.{column}` | {said['why']} | {said['until']} | {said['seen']} |"
            for table, columns in found.personal.items()
            for column, said in columns.items()
            if said["whom"] == whom
        ]
        parts.append("")
    parts += ["### Linked", "", "| table | columns |", "|---|---|"]
    for table, names in found.linked.items():
        for at in range(0, len(names), 8):
            parts.append(f"| {f'`{table}`' if not at else ''} | {', '.join(names[at : at + 8])} |")
    return "\n".join(parts) + "\n"


def main() -> None:
    write_part(PAGE, MAKER, listed())


if __name__ == "__main__":
    main()
