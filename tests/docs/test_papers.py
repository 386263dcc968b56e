"""The page of the papers: its commands, options, templates, pages and tests are there."""

import ast
import re
import shlex
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from app.cli import COMMANDS, load
from app.studies.file.templates import TEMPLATES

ROOT = Path(__file__).parent.parent.parent
PAGE = ROOT / "docs" / "papers.md"
# An entry of a paper's list: where and what, then what is here, and the tests that hold it unless it is missing.
ENTRY = re.compile(
    r"^- \*\*(.+?)\*\*:(.+?)\n  - here:(.+?)(?:\n  - held by:(.+?))?(?=\n- |\n\n|\n*\Z)",
    re.MULTILINE | re.DOTALL,
)
PAPERS = 5
MISSING = "**missing**"


class Row(NamedTuple):
    """An entry of a list: where in the paper, what it defines, what is here, the tests that hold it."""

    where: str
    what: str
    here: str
    held_by: str


def papers() -> Iterator[list[Row]]:
    for part in PAGE.read_text(encoding="utf-8").split("\n## ")[1:]:
        yield [Row(*(" ".join(cell.split()) for cell in entry)) for entry in ENTRY.findall(part)]


def rows() -> list[Row]:
    return [row for paper in papers() for row in paper]


def spans(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def faults_of(command: str) -> list[str]:
    """Parts of a documented command line that do not exist."""
    _, name, *words = shlex.split(command)
    if name not in COMMANDS:
        return [f"{command}: no command {name}"]
    found: Any = load(name)
    while hasattr(found, "commands") and words:
        word = words.pop(0)
        if word not in found.commands:
            return [f"{command}: no command {word}"]
        found = found.commands[word]
    known = {option for param in found.params for option in param.opts}
    faults = [f"{command}: no option {word}" for word in words if word.startswith("--") and word not in known]
    if command.startswith("likely-human study template ") and words[0] not in TEMPLATES:
        faults.append(f"{command}: no template {words[0]}")
    return faults


@cache
def functions_in(path: str) -> frozenset[str]:
    file = ROOT / path
    if not file.is_file():
        return frozenset()
    found = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    return frozenset(one.name for one in found if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef))


def test_each_paper_has_a_list_whose_entries_are_held_by_a_test_or_missing() -> None:
    assert [bool(paper) for paper in papers()] == [True] * PAPERS
    for row in rows():
        assert row.where, row
        assert row.what, row
        is_missing = row.here.startswith(MISSING)
        assert is_missing == (not row.held_by), row
        assert is_missing == (MISSING in row.here), row
        assert is_missing or spans(row.here) or "](" in row.here, row


def test_every_command_option_and_template_of_the_page_is_there() -> None:
    commands = [span for row in rows() for span in spans(row.here) if span.startswith("likely-human ")]
    assert len(commands) > PAPERS
    assert [fault for command in commands for fault in faults_of(command)] == []
    modules = [span.split()[2] for row in rows() for span in spans(row.here) if span.startswith("python -m ")]
    assert [module for module in modules if find_spec(module) is None] == []


def test_every_test_of_the_page_is_there() -> None:
    named = [span for row in rows() for span in spans(row.held_by)]
    assert [
        name for name in named if name.partition("::")[2] not in functions_in(name.partition("::")[0])
    ] == []


def test_what_is_not_there_is_found() -> None:
    assert faults_of("likely-human game imitate A.csv --agents gt --trace 2") == [
        "likely-human game imitate A.csv --agents gt --trace 2: no option --trace"
    ]
    assert faults_of("likely-human game mimic A.csv") == ["likely-human game mimic A.csv: no command mimic"]
    assert faults_of("likely-human games list") == ["likely-human games list: no command games"]
    assert faults_of("likely-human study template none") == [
        "likely-human study template none: no template none"
    ]
    assert "test_every_test_of_the_page_is_there" in functions_in("tests/docs/test_papers.py")
    assert functions_in("tests/docs/test_none.py") == frozenset()
