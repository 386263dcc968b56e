"""Files that forges and tools read: they name what there is."""

import re
import sys
import tomllib
from pathlib import Path

import yaml

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
