"""Documentation that can drift is compared with the code."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from app.exports.columns import Column
from app.reports.kinds import What
from app.reports.tasks import table_of
from tests.program import Program
from tools import command_line, floors, packages
from tools.made import END, begin, by_hand
from tools.wrap_markdown import LONGEST

ROOT = Path(__file__).parent.parent
DATA = (ROOT / "docs" / "data.md").read_text(encoding="utf-8")
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]


def row_of(column: Column) -> str:
    """A column's line in the data dictionary; what makes it too long stands in a list below the table."""
    head = f"| `{column.name}` | {column.type} | {column.unit} | "
    is_short = len(head + column.meaning) <= LONGEST - len(" |")
    return f"{head}{column.meaning if is_short else 'see below'} |"


@pytest.mark.parametrize("what", What)
def test_the_data_dictionary_is_the_codes(what: str) -> None:
    section = DATA.partition(f"## `{what}`")[2].partition("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| `")]
    columns = table_of(what).columns
    assert rows == [row_of(column) for column in columns]
    below = {row.strip() for row in section.splitlines() if row.startswith("- `")}
    assert {f"- `{c.name}`: {c.meaning}" for c in columns if row_of(c).endswith("| see below |")} <= below


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_files_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#\s]+)", text):
        if not target.startswith(("http:", "https:", "mailto:")):
            assert (page.parent / target).exists(), target


def by_the_way() -> str:
    """The statements of README, the tour and the manual on commands and options, without the reference made from the
    parser."""
    pages = ("README.md", "docs/tour.md", "docs/command-line.md")
    return "\n".join(by_hand((ROOT / page).read_text(encoding="utf-8")) for page in pages)


def commands_in(text: str) -> set[tuple[str, ...]]:
    """The commands of ours that a text shows, as the words before the first argument."""
    found = set()
    for line in re.findall(r"likely-human ([^\n`]*)", text):
        words = re.match(r"((?:[a-z]+ ?)+)", line)
        if words:
            found.add(tuple(words[1].split()[:2]))
    return found


HelpOf = Callable[..., str]


@pytest.fixture
def help_of(program: Program) -> HelpOf:
    def help_of(*words: str) -> str:
        done = program.run(*words, "--help", cwd=ROOT, environment={"COLUMNS": "200", "TERM": "dumb"})
        return done.stdout if done.returncode == 0 else ""

    return help_of


def test_every_command_that_readme_tour_and_manual_name_exists(help_of: HelpOf) -> None:
    groups = {name: help_of(name) for name in ("study", "stimuli", "import")}
    top = help_of()
    commands = commands_in(by_the_way())
    assert commands
    for words in commands:
        assert words[0] in top, words
        if words[0] in groups:
            assert words[1] in groups[words[0]], words


def test_every_option_that_readme_tour_and_manual_name_exists(help_of: HelpOf) -> None:
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
            "judge train",
            "judge validate",
        )
    )
    for option in set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", by_the_way())):
        assert option in known, option


@pytest.mark.parametrize(
    ("page", "maker", "made"),
    [
        (command_line.PAGE, command_line.MAKER, command_line.reference),
        (packages.PAGE, packages.MAKER, packages.listed),
        (floors.PAGE, floors.MAKER, floors.drawn),
    ],
    ids=["command line", "packages", "floors"],
)
def test_what_is_made_from_the_code_is_the_codes(page: Path, maker: str, made: Callable[[], str]) -> None:
    assert begin(maker) + made() + END in page.read_text(encoding="utf-8"), "run `make made`"


def test_readme_is_short() -> None:
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 120
