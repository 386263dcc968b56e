"""What people read on a screen is plain: no literary words, one word for one thing, one format of time."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

APP = Path(__file__).parents[1] / "app"
LITERARY = re.compile(r"\b(mend\w*|doors?|couples?|as it might be|strangers?)\b", re.IGNORECASE)
NOT_A_CLIP = re.compile(r"\bstimul(us|i)\b", re.IGNORECASE)


def messages(folder: Path) -> Iterator[tuple[str, str]]:
    """Every text of two words or more that is no docstring, with its place."""
    for path in sorted(folder.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and id(node) not in docstrings and " " in str(node.value):
                yield f"{path.relative_to(APP)}:{node.lineno}", str(node.value)


def on_screen() -> Iterator[tuple[str, str]]:
    for path in sorted(APP.rglob("*.html")):
        text = re.sub(r"\{[{%#].*?[}%#]\}|<[^>]*>", " ", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        yield str(path.relative_to(APP)), text


def test_messages_and_pages_use_plain_words() -> None:
    assert [where for where, text in (*messages(APP), *on_screen()) if LITERARY.search(text)] == []


def test_a_clip_is_called_a_clip_on_the_experimenters_pages() -> None:
    said = (
        *on_screen(),
        *messages(APP / "experimenter"),
        *messages(APP / "library"),
        *messages(APP / "study" / "file"),
    )
    found = {
        where.split(":")[0] for where, text in said if NOT_A_CLIP.search(text) and "stimuli.csv" not in text
    }
    # The description of a column and of a file's keys, which are called so.
    assert found <= {"study/file/model.py", "experimenter/templates/judges.html"}


def test_pages_show_every_time_in_one_format_with_its_zone() -> None:
    scripts = [
        path for path in APP.rglob("*.js") if re.search(r"toLocale(Date|Time)?String", path.read_text())
    ]
    python = [
        path
        for path in (APP / "experimenter").rglob("*.py")
        if "%H:%M" in path.read_text() and path.name != "charts.py"
    ]
    assert (scripts, python) == ([], [])
