"""Messages that pages show name no command and no option of one: those of the command line have words for pages too."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.core.errors import StudyError, page_words

ROOT = Path(__file__).parents[1]
COMMAND = re.compile(r"(?<![\w-])--[a-z]|likely-human [a-z]")
# What the service never calls: commands, and what they alone are made of.
AT_THE_COMMAND_LINE = (
    "app/cli", "app/backup", "app/demo", "app/serving.py", "app/core/whole_files.py", "app/core/chat.py",
    "app/tasks/game/elsewhere", "app/tasks/game/writing.py", "app/tasks/game/records.py", "app/tasks/game/run.py",
    "app/tasks/game/imitating.py", "app/reports/alympics.py", "app/reports/imitated.py",
    "app/studies/file/templates.py",
)  # fmt: skip
# Raised for an option that the service does not give.
OPTIONS = {
    ("app/reports/export.py", "--real-ids"), ("app/reports/export.py", "--out"), ("app/judges/trained.py", "--by"),
}  # fmt: skip


def _raised() -> Iterator[tuple[str, str, bool]]:
    """Each error's words that name a command: the file, the words, and whether there are words for pages."""
    for path in sorted((ROOT / "app").rglob("*.py")):
        file = path.relative_to(ROOT).as_posix()
        if file.startswith(AT_THE_COMMAND_LINE):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                said = "".join(_texts(arg) for arg in node.exc.args)
                on_page = next((each for each in node.exc.keywords if each.arg == "on_page"), None)
                if COMMAND.search(said):
                    yield file, said, on_page is not None and not COMMAND.search(_texts(on_page.value))


def _texts(node: ast.AST) -> str:
    return "".join(
        each.value
        for each in ast.walk(node)
        if isinstance(each, ast.Constant) and isinstance(each.value, str)
    )


@pytest.mark.slow
def test_errors_that_name_a_command_have_words_for_pages() -> None:
    found = list(_raised())
    assert len(found) > 5
    assert not [
        (file, said)
        for file, said, has_words in found
        if not has_words and not any(file == at and option in said for at, option in OPTIONS)
    ]


@pytest.mark.parametrize("folder", ["app/trials", "app/tasks/pair", "app/tasks/rating", "analysis/findings"])
def test_remedies_checks_and_findings_name_no_command(folder: str) -> None:
    for path in (ROOT / folder).rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
                assert not COMMAND.search(node.value), (path.name, node.lineno)


def test_a_page_says_the_words_for_pages_where_there_are_any() -> None:
    assert page_words(StudyError("add --all", on_page="Take them in.")) == "Take them in."
    assert page_words(StudyError("Closed.")) == page_words(ValueError("Closed.")) == "Closed."
