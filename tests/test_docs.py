"""Documentation that can drift is compared with the code."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from app.reporting.columns import COLUMNS, Column

ROOT = Path(__file__).parent.parent
DATA = (ROOT / "docs" / "data.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
PROGRAM = Path(sys.executable).parent / "likely-human"


def row_of(column: Column) -> str:
    """A column's line in the data dictionary."""
    return f"| `{column.name}` | {column.type} | {column.unit} | {column.meaning} |"


@pytest.mark.parametrize("what", COLUMNS)
def test_the_data_dictionary_is_the_codes(what: str) -> None:
    section = DATA.partition(f"## `{what}`")[2].partition("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| `")]
    assert rows == [row_of(column) for column in COLUMNS[what]]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_files_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#\s]+)", text):
        if not target.startswith(("http:", "https:", "mailto:")):
            assert (page.parent / target).exists(), target


def commands_in(page: Path) -> set[tuple[str, ...]]:
    """The commands of ours that a page shows, as the words before the first argument."""
    found = set()
    for line in re.findall(r"likely-human ([^\n`]*)", page.read_text(encoding="utf-8")):
        words = re.match(r"((?:[a-z]+ ?)+)", line)
        if words:
            found.add(tuple(words[1].split()[:2]))
    return found


def help_of(*words: str) -> str:
    env = {"COLUMNS": "200", "TERM": "dumb"}
    done = subprocess.run([PROGRAM, *words, "--help"], capture_output=True, text=True, env=env, check=False)
    return done.stdout if done.returncode == 0 else ""


def test_every_command_that_the_readme_names_exists() -> None:
    groups = {name: help_of(name) for name in ("study", "stimuli", "import")}
    top = help_of()
    commands = commands_in(ROOT / "README.md")
    assert commands
    for words in commands:
        assert words[0] in top, words
        if words[0] in groups:
            assert words[1] in groups[words[0]], words


def test_every_option_that_the_readme_names_exists() -> None:
    known = "".join(
        help_of(*words.split())
        for words in (
            "serve",
            "simulate",
            "export",
            "analyze",
            "stimuli import",
            "study check",
            "study close",
            "study delete",
            "demo",
            "plan",
            "report",
            "judge run",
            "judge validate",
        )
    )
    for option in set(
        re.findall(r"(?<![\w-])--[a-z][a-z-]+", (ROOT / "README.md").read_text(encoding="utf-8"))
    ):
        assert option in known, option
