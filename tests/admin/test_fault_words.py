"""Faults in the design's form: labels and choices where the command line names keys and values of the study file."""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from app.admin.design.fault_words import in_words, message_in_words
from app.admin.design.faults import fault_views
from app.core.problems import Place
from app.studies.file.drafts import check_draft
from tests.factories import study_file
from tests.studies.clips import facts
from tests.tasks.game.people import game_block

APP = Path(__file__).parents[2] / "app"
# These are no keys: separators, and the YAML of a list that the form has as YAML, too.
LEFT = {"/", "-", "{}", "[{rounds: 10}, {rounds: 20}]"}
CODE = re.compile(r"`([^`]+)`")


def messages() -> Iterator[str]:
    """The words of every fault in the code, with X for what is filled in."""
    for path in sorted(APP.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        has_any = path.name == "explain.py" or "rule_error" in text or "Fault" in text
        if path.is_relative_to(APP / "admin") or not has_any:
            continue
        for node in ast.walk(ast.parse(text)):
            is_fault = isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("rule_error", "Fault")
            is_explained = path.name == "explain.py" and isinstance(node, ast.Return)
            if is_fault or is_explained:
                yield from texts(node)


def texts(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.JoinedStr():
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "X" for part in node.values)
        case ast.Constant(value=str(text)):
            yield text
        case _:
            for child in ast.iter_child_nodes(node):
                yield from texts(child)


def test_every_key_that_a_fault_names_has_words_in_the_form() -> None:
    found = {code for text in messages() for code in CODE.findall(text) if "X" not in code}
    assert len(found) > 40
    assert {code for code in found if in_words(f"`{code}`", ()) == code} <= LEFT


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("neither `pairs` nor `sample` is given", (), "neither “List of pairs” nor “Draw of pairs” is given"),
        ("remove `source`", ("hypotheses", 0, "source"), "remove “Preference for”"),
        ("remove `source`", ("stop_when", "source"), "remove “Source”"),
        ("use default_s", ("blocks", 0), "use “For any other move”"),
        (
            "name it in `arms` of a block",
            ("arms", 1),
            "name it in “Only in these arms” of a block",
        ),
        (
            "write `ids: apart`, or an address without {participant}",
            ("recruitment", "ids"),
            "write “Participants' ids are kept”: “Apart from the answers”, or an address without {participant}",
        ),
        (
            "write `models: {calls: 2000, tokens: 2000000}` in the block",
            ("blocks", 0),
            "write “Language models” with “Calls, at most”: 2000 and “Tokens, at most”: 2000000 in the block",
        ),
        ("write `human` or `any` for one of the seats", (), None),
    ],
)
def test_a_remedy_names_labels_and_choices(text: str, place: Place, words: str | None) -> None:
    said = in_words(text, place)
    assert "`" not in said
    assert said == (
        words or "write “A person” or “A person, or an agent if nobody comes” for one of the seats"
    )


def test_a_message_begins_with_the_label_of_its_field() -> None:
    at = ("blocks", 0, "configs", "rounds")
    assert message_in_words("configs: rounds: should be 1", at, "Rounds") == "“Rounds”: should be 1"
    assert message_in_words("redirect: 'x' is no address", ("completion", "redirect"), "Address") == (
        "“Address”: 'x' is no address"
    )
    assert message_in_words("leaving.agent is a program outside", ("blocks", 0)) == (
        "“Agent that takes the seat” is a program outside"
    )


FAULTY: Mapping[str, dict[str, Any]] = {
    "pairs": {"sample": None},
    "game": {
        "sample": None,
        "trials": None,
        "blocks": [
            game_block(
                game="sug",
                configs={"rounds": 0, "endowments": 3},
                seats=["gt"],
                disclosure="all-people",
                deadlines={"bid_s": 4},
                matching={"wait_max_s": "x"},
                comprehension={"questions": [{"id": "a", "ask": "b", "options": ["c", "d"], "answer": "e"}]},
            )
        ],
    },
    "arms": {"arms": [{"id": "a", "target": 3}, {"id": "b"}], "target": 1, "opens": "soon"},
    "hypotheses": {
        "hypotheses": [{"id": "h1", "compare": ["all", "x"], "measure": "preference", "test": "wilcoxon"}]
    },
    "recruitment": {"recruitment": {"from": "other", "ids": "hashed"}, "retention": {"days": 0}},
    "exclude": {"exclude": [{"rule": "hidden", "seconds": -1}, {"rule": "hidden", "use": "x", "odd": 1}]},
}


@pytest.mark.parametrize("name", FAULTY)
def test_no_fault_of_a_draft_shows_a_key(name: str) -> None:
    """A key has an underscore, a dot or a colon in it, or stands in backticks."""
    keys = {key: value for key, value in study_file(**FAULTY[name]).items() if value is not None}
    views = fault_views(keys, check_draft(keys, facts()).faults)
    assert views
    for view in views:
        for text in (view.message, view.remedy):
            assert not re.search(r"`|\b[a-z]+(_[a-z]+)+\b|\b[a-z]+\.[a-z]+\b", text), text
            assert not re.match(r"[a-z_]+: ", text), text


def test_pages_show_errors_in_the_words_of_pages() -> None:
    """An error's text names keys and commands, where `page_words` has what a browser shows."""
    shown = [path for path in sorted(APP.glob("admin/**/*.py")) if "str(error)" in path.read_text()]
    assert shown == []
