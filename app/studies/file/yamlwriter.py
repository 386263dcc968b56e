"""Writing a study's keys as a study file that reads well: texts as blocks, a question on one line where it fits."""

import re
from collections.abc import Iterator
from typing import Any

import yaml

from app.core.problems import Place
from app.studies.file.arms import is_text_path
from app.studies.file.key_places import OF_BLOCK, TEXTS
from app.studies.file.keys import tidied
from app.tasks.registry import BLOCKS, SHORT

_WIDTH = 110
_HEAD = "# A study file of Likely Human; the help page Study file explains every key."
_PLAIN = re.compile(r"[^\W_](?:[\w ./()&%+'!-]*[\w.()!'%+])?")
# YAML keeps these in quotes alone: line ends of other systems, and the byte order mark.
_NOT_IN_BLOCKS = re.compile("[\r\x85\u2028\u2029\ufeff]")
_LONGEST_KEY = 500
# An answer's number, as `anchors` has it; no other key of a study is one.
_ANSWER = re.compile(r"[1-9]|1[01]")
_RESOLVER = yaml.resolver.Resolver()
_TEXT_TAG = "tag:yaml.org,2002:str"


def draft_to_yaml(keys: object) -> str:
    """The keys as one file that holds its texts and pairs; reading it gives the same study.

    Raises UnwieldyDraft for endless nesting.
    """
    return "\n".join((_HEAD, *_mapping(tidied(keys), "", ()))) + "\n"


def _mapping(keys: dict[str, Any], indent: str, place: Place) -> Iterator[str]:
    if not keys or any(len(_key(key)) > _LONGEST_KEY for key in keys):
        yield f"{indent}{_flow(keys)}"
        return
    for key, value in keys.items():
        yield from entry_lines(None, value, indent, (*place, key))


def entry_lines(head: str | None, value: Any, indent: str, place: Place) -> Iterator[str]:
    """The lines of a key with its value, one where that reads well. `head` is the key as a file has it already."""
    head = f"{indent}{_key(str(place[-1])) if head is None else head}"
    if isinstance(value, str) and _is_block(place):
        yield from _text(head, value, indent)
    elif not _is_section(value, place) and len(line := f"{head}: {_flow(value)}") <= _WIDTH:
        yield line
    elif isinstance(value, dict) and value:
        yield f"{head}:"
        yield from _mapping(value, f"{indent}  ", place)
    elif isinstance(value, list) and value:
        yield f"{head}:"
        for index, item in enumerate(value):
            yield from item_lines(item, f"{indent}  ", (*place, index))
    else:
        yield f"{head}: {_flow(value)}"


def _in_part(place: Place) -> Place:
    """The place within a part of the session; empty where it is in none, or the part itself."""
    return place[2:] if place[:1] == ("blocks",) else ()


def _is_block(place: Place) -> bool:
    lists = [at for model in BLOCKS.values() for at in model.written]
    in_part = [*((key,) for key in OF_BLOCK), *lists]
    in_arm = len(place) == 4 and place[0] == "arms" and place[2] == "set" and is_text_path(place[3])
    return in_arm or place in [*TEXTS, *SHORT.written] or _in_part(place) in in_part


def _is_section(value: Any, place: Place) -> bool:
    """True if a value is better written over several lines, however short it is."""
    place = _in_part(place) or place
    drawn = [at for model in BLOCKS.values() for at in model.written if len(at) > 1]
    holds_text = any(place == text[:-1] for text in TEXTS if len(text) > 1) or any(
        place == at[:-1] and isinstance(value, dict) and at[-1] in value for at in drawn
    )
    of_mappings = isinstance(value, list) and any(isinstance(item, dict) for item in value)
    if place[:1] == ("arms",) and len(place) == 3:
        return isinstance(value, dict) and any(map(is_text_path, value))
    return bool(value) and (
        place == SHORT.questions_at[:-1] or (holds_text and isinstance(value, dict)) or of_mappings
    )


def item_lines(item: Any, indent: str, place: Place) -> Iterator[str]:
    """The lines of a list's entry."""
    line, is_part = f"{indent}- {_flow(item)}", len(place) == 2 and place[0] == "blocks"
    changed = item.get("set") if isinstance(item, dict) and place[0] == "arms" else None
    is_part = is_part or (isinstance(changed, dict) and any(map(is_text_path, changed)))
    if not isinstance(item, dict) or (len(line) <= _WIDTH and not is_part):
        yield line
        return
    first, *rest = _mapping(item, f"{indent}  ", place)
    yield f"{indent}- {first[len(indent) + 2 :]}"
    yield from rest


def _text(head: str, value: str, indent: str) -> Iterator[str]:
    """A text as a block. Its last line end tells it from a file's name, even where it is a single line."""
    value = value.strip("\n")
    if not value.strip():
        yield f'{head}: ""'
    elif value[0] in " \t" or _NOT_IN_BLOCKS.search(value) or yaml.reader.Reader.NON_PRINTABLE.search(value):
        yield f"{head}: {_quoted(value + chr(10))}"
    else:
        yield f"{head}: |"
        yield from (f"{indent}  {line}" if line else "" for line in value.split("\n"))


def _flow(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case dict():
            return "{" + ", ".join(f"{_key(key)}: {_flow(inner)}" for key, inner in value.items()) + "}"
        case list():
            return "[" + ", ".join(map(_flow, value)) + "]"
        case str():
            return _scalar(value)
    return str(value)


def _key(key: str) -> str:
    written = key if _ANSWER.fullmatch(key) else _scalar(key)
    # YAML looks for the colon of a key no further than 1,024 characters on.
    return f"? {written} " if len(written) > _LONGEST_KEY else written


def _scalar(text: str) -> str:
    """The text unquoted if every YAML reader takes it as that text; else in quotes."""
    is_plain = len(text) <= _WIDTH and _PLAIN.fullmatch(text) and text.isprintable()
    return text if is_plain and _tag(text) == _TEXT_TAG else _quoted(text)


def _tag(text: str) -> object:
    """The tag other YAML readers give the text: `2021-01-05` is a date to them, and `no` is false."""
    return _RESOLVER.resolve(yaml.ScalarNode, text, (True, False))  # type: ignore[no-untyped-call]


def _quoted(text: str) -> str:
    return '"' + "".join(_escaped(character) for character in text) + '"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    if character == "\n":
        return "\\n"
    if character.isprintable():
        return character
    return f"\\u{ord(character):04x}" if ord(character) <= 0xFFFF else f"\\U{ord(character):08x}"
