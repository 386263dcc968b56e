"""The help of commands is in words: no key of the study file stands in it."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

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
