"""Every promise of the first documents, the consent texts and the pages stands with the test that proves it.

A promise is a clause with one of five words in it; on a page, of which most words are no promises, a sentence that
begins with one. Whoever writes a new one finds it here, and says which test would fail without it, or words it as
less.
"""

import ast
import html
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from app.studies.file.templates import TEMPLATES
from tools.made import by_hand

ROOT = Path(__file__).parents[2]
WORDS = r"(?:nothing|never|every|always|only)\b"
SAID = re.compile(rf"\b{WORDS}", re.IGNORECASE)
BEGINS = re.compile(rf"{WORDS}.*\s.*[.;]$", re.IGNORECASE)
CLAUSES = re.compile(r"(?<=[.;!?])\**\s+|\n\s*\n|\n\s*(?:[-*]|\d+\.)\s|\|")
# What a page says of what is there now, such as an empty list, promises nothing.
NO_PROMISE = "says what is there"
PAGES = ("README.md", "docs/tour.md", "docs/command-line.md", "docs/architecture.md", "SECURITY.md")
PROVEN: dict[str, dict[str, list[str] | str]] = yaml.safe_load(
    (Path(__file__).parent / "promises.yaml").read_text(encoding="utf-8")
)


def clauses(text: str) -> Iterator[str]:
    without = re.sub(r"\]\([^)]*\)", "]", re.sub(r"```.*?```", "\n\n", text, flags=re.DOTALL))
    for clause in CLAUSES.split(without):
        yield re.sub(r"[*`\[\]]", "", " ".join(clause.split())).strip("# ").removeprefix("- ")


def words_of(template: str) -> str:
    """The text of a page of Jinja and HTML, with an empty line wherever its layout breaks it."""
    text = re.sub(r"{#.*?#}", "", template, flags=re.DOTALL)
    text = re.sub(r"{{.*?}}", "…", re.sub(r"{%.*?%}", "\n\n", text, flags=re.DOTALL), flags=re.DOTALL)
    text = re.sub(r"</?(?:b|strong|em|i|span|a|code)\b[^>]*>", "", text)
    return html.unescape(re.sub(r"<[^>]*>", "\n\n", text))


def said() -> dict[str, set[str]]:
    """By where it is said, each promise as it is worded."""
    found: dict[str, set[str]] = {}
    texts = {name: by_hand((ROOT / name).read_text(encoding="utf-8")) for name in PAGES}
    consents = [template.keys()["consent"]["text"] for template in TEMPLATES.values()]
    demos = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "app" / "demo").glob("*consent.md"))]
    texts["consent"] = "\n\n".join([*consents, *demos])
    for name, text in texts.items():
        found[name] = {clause for clause in clauses(text) if SAID.search(clause)}
    for path in sorted((ROOT / "app").rglob("*.html")):
        sentences = {one for one in clauses(words_of(path.read_text(encoding="utf-8"))) if BEGINS.match(one)}
        if sentences:
            found[str(path.relative_to(ROOT))] = sentences
    return found


SAID_THERE = said()


@pytest.mark.parametrize("where", sorted({*SAID_THERE, *PROVEN}))
def test_every_promise_is_listed_as_it_is_worded_and_no_other(where: str) -> None:
    listed = set(PROVEN.get(where, {}))
    made = SAID_THERE.get(where, set())
    assert sorted(made - listed) == [], "promised without a test: add it to tests/promises/promises.yaml"
    assert sorted(listed - made) == [], "listed and said no more"


def test_every_proof_is_a_test_of_make_test() -> None:
    proofs = {
        proof
        for promises in PROVEN.values()
        for tests in promises.values()
        if tests != NO_PROMISE
        for proof in tests
    }
    for proof in sorted(proofs):
        file, _, name = proof.partition("::")
        tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        [test] = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name]
        marks = [ast.unparse(mark) for mark in test.decorator_list]
        assert "pytest.mark.exhaustive" not in marks, f"{proof} is left to make test-all"


def test_a_promise_is_found_wherever_it_is_made() -> None:
    assert list(clauses("- **Nothing leaks**: all [is](x) alike.\n- Every `a`;\n  only b.")) == [
        "Nothing leaks: all is alike.",
        "Every a;",
        "only b.",
    ]
    page = "{# Never. #}<p>Every <b>table</b> has {{ n }} rows.</p><p>Nothing</p>{% if x %}Only a look.{% endif %}"
    assert [one for one in clauses(words_of(page)) if BEGINS.match(one)] == [
        "Every table has … rows.",
        "Only a look.",
    ]
