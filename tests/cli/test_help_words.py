"""The help of commands is in words: no key of the study file stands in it."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
import typer

from app.cli import COMMANDS, load
from app.studies.file.load import json_schema

pytestmark = pytest.mark.slow
# Files of these names are what commands write.
FILES = {"seats_played"}


def helps(path: str, command: Any) -> Iterator[tuple[str, str]]:
    yield path, command.help or ""
    for param in command.params:
        yield f"{path} {param.opts[0]}", getattr(param, "help", None) or ""
    for name, inner in getattr(command, "commands", {}).items():
        yield from helps(f"{path} {name}", inner)


def options(command: Any) -> Iterator[tuple[Any, Any]]:
    """Each option and argument that has choices, with its command."""
    yield from ((command, param) for param in command.params if param.type_descriptor.choices)
    for inner in getattr(command, "commands", {}).values():
        yield from options(inner)


def keys(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        properties = schema.get("properties", {})
        yield from properties if isinstance(properties, dict) else ()
    for inner in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        yield from keys(inner)


def test_no_help_names_a_key_of_the_study_file() -> None:
    known = set(keys(json_schema()))
    assert {"allow_tie", "exclude", "pairs"} <= known
    marked = re.compile(rf"`({'|'.join(sorted(known))})(: [^`]*)?`|\(({'|'.join(sorted(known))})\)")
    for name in COMMANDS:
        for place, text in helps(name, load(name)):
            odd = set(re.findall(r"\b[a-z]+(?:_[a-z]+)+\b", text)) - FILES
            assert not odd, (place, odd)
            assert not marked.search(text), (place, text)


def test_a_choice_that_is_none_is_refused_in_words_alone() -> None:
    found = [each for name in COMMANDS for each in options(load(name))]
    assert len(found) > 10
    for command, param in found:
        with pytest.raises(typer.BadParameter, match=r"^'nonsense' is not one of '"):
            param.process_value(typer.Context(command), ["nonsense"] if param.multiple else "nonsense")
