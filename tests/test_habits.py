"""Files that forges and tools read: they name what there is."""

import re
import sys
import tomllib
from pathlib import Path

import yaml

from tools.wrap_markdown import LONGEST, pages, rendered, wrapped

ROOT = Path(__file__).parent.parent
BIN = Path(sys.executable).parent
SECURITY = (ROOT / "SECURITY.md").read_text(encoding="utf-8")


def test_the_hooks_before_a_commit_are_the_projects_own_tools_and_fetch_nothing() -> None:
    text = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    assert "://" not in text
    (local,) = yaml.safe_load(text)["repos"]
    assert local["repo"] == "local"
    for hook in local["hooks"]:
        program = Path(hook["entry"].split()[0])
        assert program.parent == Path(".venv/bin")
        assert (BIN / program.name).exists(), program
        assert hook["language"] == "system"
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    linted = re.findall(r"\$\(BIN\)/(.*)", makefile.partition("\nlint:")[2].partition("\n\n")[0])
    assert {tool(hook["entry"].removeprefix(".venv/bin/")) for hook in local["hooks"]} == set(
        map(tool, linted)
    )


def tool(command: str) -> str:
    """A program, and of ruff what it is to do."""
    words = command.split()
    return " ".join(words[:2]) if words[0] == "ruff" else words[0]


def test_the_citation_is_of_this_version_and_cites_the_published_test() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert (citation["version"], citation["license"]) == (project["version"], project["license"])
    assert citation["authors"] == [{"name": "Likely Human developers"}]
    (paper,) = citation["references"]
    reference = next(
        entry
        for entry in (ROOT / "docs" / "references.md").read_text(encoding="utf-8").split("\n- ")
        if entry.startswith("**[NTT21]**")
    )
    assert paper["title"] in " ".join(reference.split())
    for author in paper["authors"]:
        assert author["family-names"] in reference


def test_what_the_security_page_says_is_tested_is() -> None:
    named = set(re.findall(r"`(test_\w+\.py)`", SECURITY))
    assert len(named) >= 10
    assert named <= {path.name for path in (ROOT / "tests").rglob("test_*.py")}


def test_no_line_of_markdown_is_longer_than_a_screen_is_wide() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in pages()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if len(line) > LONGEST
    ]
    assert found == [], (
        "run `python -m tools.wrap_markdown`; a table's row that is too long becomes shorter, or a list"
    )


WIDE = """\
# A heading is left as it is

1. An item {words}
   and [a link](somewhere.md) {words} 1. no item - no item # no heading
   - within {words} `code that stays
     in one piece` {words}

> A quotation {words}

| a table | {words} |
|---|---|
| {words} | {words} |

```
code {words}
```

A hard\\
break {words}
"""


def test_wrapping_changes_lines_and_not_the_page() -> None:
    text = WIDE.format(words="word " * 40)
    new = wrapped(text)
    assert rendered(new) == rendered(text)
    assert wrapped(new) == new
    left = [line[:8] for line in new.splitlines() if len(line) > LONGEST]
    assert left == ["| a tabl", "| word w", "code wor", "break wo"]
    assert "[a link](somewhere.md)" in new
    assert "`code that stays in one piece`" in new
    assert rendered("- a\n- b") != rendered("- a - b")
