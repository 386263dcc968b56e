"""The audit log in sentences: every action that the code records has its words, and no words are of none."""

import ast
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest
import yaml

from app.accounts.sentences import actions, address, kinds, sentence

APP = Path(__file__).parents[2] / "app"
# It records `report.ask` for a report.
OF_KIND = "ask_run"


@cache
def modules() -> dict[Path, ast.Module]:
    found = {path: path.read_text(encoding="utf-8") for path in sorted(APP.rglob("*.py"))}
    return {path: ast.parse(text) for path, text in found.items() if "record" in text or OF_KIND in text}


def calls_of(tree: ast.AST, name: str) -> Iterator[ast.Call]:
    """Calls of a function by its name, also as `database.write(name, ...)`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            names = [node.func, *node.args[:1]]
            if any(isinstance(one, ast.Name) and one.id == name for one in names):
                yield node


def texts(tree: ast.Module, value: ast.expr, around: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """The strings that an argument may be: written there, a constant of the module, or what callers pass on."""
    match value:
        case ast.Constant(value=str(text)):
            return {text}
        case ast.IfExp(body=yes, orelse=no):
            return texts(tree, yes, around) | texts(tree, no, around)
        case ast.Name(id=name):
            parameters = [one.arg for one in around.args.args]
            if name in parameters:
                at = parameters.index(name)
                return {
                    text
                    for function in functions(tree)
                    for call in calls_of(function, around.name)
                    for text in texts(tree, call.args[at], function)
                }
            return {constant(tree, name)}
        case ast.JoinedStr() if around.name == OF_KIND:
            return {f"{kind}.ask" for kind in asked_kinds()}
    raise AssertionError(f"an action that this test cannot read: {ast.unparse(value)}")


def constant(tree: ast.Module, name: str) -> str:
    """A constant of a module, defined there or imported."""
    (path,) = [path for path, one in modules().items() if one is tree]
    module = import_module(".".join(path.relative_to(APP.parent).with_suffix("").parts))
    return str(getattr(module, name))


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def asked_kinds() -> set[str]:
    calls = (call for tree in modules().values() for call in calls_of(tree, OF_KIND))
    return {
        node.attr.lower()
        for call in calls
        for node in ast.walk(call)
        if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "Kind"
    }


def recorded() -> set[str]:
    found: set[str] = set()
    for tree in modules().values():
        imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        if not any(
            node.module == "app.accounts.audit" and "record" in [one.name for one in node.names]
            for node in imports
        ):
            continue
        for function in functions(tree):
            for call in calls_of(function, "record"):
                found |= texts(tree, call.args[2], function)
    return found


@pytest.mark.slow
def test_every_action_that_the_code_records_has_a_sentence_and_no_sentence_is_left_over() -> None:
    found = recorded()
    assert len(found) > 50
    assert found == set(actions()), "write the sentence of each in app/accounts/sentences.yaml"
    assert {words.kind for words in actions().values()} == set(kinds())


def test_no_key_of_the_file_is_there_twice() -> None:
    """YAML takes the last one, silently."""
    waiting = [yaml.compose((APP / "accounts/sentences.yaml").read_text(encoding="utf-8"))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, yaml.MappingNode):
            keys = [key.value for key, _ in node.value]
            assert sorted(keys) == sorted(set(keys))
            waiting += [value for _, value in node.value]


def test_entries_are_sentences_with_names_and_titles() -> None:
    def said(action: str, subject: str = "", before: object = None, after: object = None) -> str:
        return sentence("Ana Ruiz", action, "Corridors", subject, before, after)

    assert said("study.state", after={"state": "closed"}) == "Ana Ruiz closed the study Corridors"
    assert said("study.state", after={"state": "odd"}) == "Ana Ruiz changed the state of the study Corridors"
    assert (
        said("version.save", "version 3 (texts)") == "Ana Ruiz saved version 3 (texts) of the study Corridors"
    )
    assert said("user.role", "b@example.org", "editor", "viewer") == (
        "Ana Ruiz changed the role of b@example.org from editor to viewer"
    )
    assert said("login.fail") == "Ana Ruiz tried to log in with an unknown address"
    assert said("study.links", after={"links": 12}).startswith("Ana Ruiz made 12 links")
    assert sentence("the service itself", "study.state", "", "", None, {"state": "closed"}) == (
        "The service itself closed the study that is deleted"
    )
    # Values are text, whatever they hold; an action of an earlier release is named as it is stored.
    assert said("draft.replace", "{after.x} {0} %s") == (
        "Ana Ruiz replaced the design of the study Corridors by {after.x} {0} %s"
    )
    assert said("an.old", "thing") == "Ana Ruiz an.old thing"
    assert len(said("draft.save", "x" * 9000)) < 300


def test_entries_lead_to_pages_of_their_study() -> None:
    assert address("study.state", "nav") == "/admin/studies/nav/launch"
    assert address("study.create", "nav") == "/admin/studies/nav"
    assert address("study.state", None) == ""
    assert address("note.add", "nav") == "/admin/studies/nav#notes"
    assert address("user.add", None) == "/admin/users"
    assert address("login", None) == ""
