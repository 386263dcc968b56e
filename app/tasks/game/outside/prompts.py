"""The presentation of a decision to an external player, as text and as a JSON Schema, and parsing of the reply."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Template
from typing import Any

import yaml

from app.core.chat import objects_in
from app.tasks.game.base import LONGEST_REASON, Act, View
from app.tasks.game.games import KITS, RULES
from app.tasks.game.moves import LARGEST, Choice, IllegalMove, MoveKind, MoveSchema, Number, visible


@dataclass(frozen=True, slots=True)
class Presets:
    """The ready texts: the templates, the rules of each game, and personas by name."""

    system: str
    turn: str
    again: str
    rules: Mapping[str, str]
    personas: Mapping[str, str]


@cache
def presets() -> Presets:
    """The presets of `presets.yaml`, with the rules and the personas of each game."""
    read = yaml.safe_load(Path(__file__).with_name("presets.yaml").read_text(encoding="utf-8"))
    personas = {name: text for kit in KITS.values() for name, text in kit.personas.items()}
    return Presets(**{**read, "rules": RULES, "personas": {**personas, **read["personas"]}})


def filled(template: str, **values: object) -> str:
    """A template with its `$names` filled in, and without empty lines in a row."""
    text = Template(template).substitute({name: str(value).strip() for name, value in values.items()})
    lines = [line.rstrip() for line in text.splitlines()]
    kept = [line for i, line in enumerate(lines) if line or (i and lines[i - 1])]
    return "\n".join(kept).strip()


def situation(view: View) -> str:
    """The state of the match: all that the view has, one fact or past round to a line, oldest first."""
    rounds = "" if view.rounds is None else f" of {view.rounds}"
    past = [_json(entry) for entry in view.history]
    facts = [f"{name}: {_json(value)}" for name, value in view.facts.items()]
    return "\n".join(
        [
            *(["Before:", *past, ""] if past else []),
            f"Round {view.round}{rounds}, phase {view.phase}.",
            *facts,
        ]
    )


def names(view: View) -> str:
    """The names of this seat and the others, in a sentence; empty in games without names."""
    residents = view.facts.get("residents")
    if not residents or not isinstance(view.viewer, int):
        return ""
    called = {seat: resident["name"] for seat, resident in enumerate(residents, 1)}
    own = called.pop(view.viewer)
    return f"Your name is {own}. The others are {', '.join(f'{name} (seat {seat})' for seat, name in called.items())}."


def form(legal: MoveSchema) -> str:
    """The form of an answer, for a reader: one line for each kind of move, its values in words."""
    return "\nor\n".join(_form(kind, legal.max_length) for kind in legal.kinds)


def json_schema(legal: MoveSchema) -> Mapping[str, Any]:
    """The same as a JSON Schema of an object with `move`, and where they may be given `message` and `reason`."""
    moves = [_schema_of(kind) for kind in legal.kinds]
    properties: dict[str, Any] = {"move": moves[0] if len(moves) == 1 else {"oneOf": moves}}
    if any(kind.message for kind in legal.kinds):
        properties["message"] = {"type": "string", "maxLength": legal.max_length}
    properties["reason"] = {"type": "string", "maxLength": LONGEST_REASON}
    return {"type": "object", "properties": properties, "required": ["move"]}


def answer_in(text: str, legal: MoveSchema) -> Act:
    """The answer in a model's text: the last JSON object with a move.

    Raises IllegalMove for none, or one that is not legal.
    """
    found = objects_with_a_move(text)
    # Amounts in running text are no move (decision 0017).
    if not found:
        raise IllegalMove("it has no JSON object with a move")
    return checked(found[-1], legal)


def objects_with_a_move(text: str) -> list[dict[str, Any]]:
    """The JSON objects of a reply that say that they are answers."""
    return [answer for answer in objects_in(text) if "move" in answer]


def checked(answer: Mapping[str, Any], legal: MoveSchema) -> Act:
    """An answer as an act. Raises IllegalMove for one that is not legal."""
    move, message, reason = (answer.get(name) for name in ("move", "message", "reason"))
    if not isinstance(move, dict):
        raise IllegalMove("move must be a JSON object")
    for name, text in (("message", message), ("reason", reason)):
        if text is not None and not isinstance(text, str):
            raise IllegalMove(f"{name} must be text")
    message = visible(message or "")
    legal.check(move, message)
    return Act(move, message, visible(reason or "").strip()[:LONGEST_REASON])


def _form(kind: MoveKind, max_length: int) -> str:
    fields = [f'"kind": "{kind.kind}"', *(f'"{field.name}": <{_words(field)}>' for field in kind.fields)]
    parts = [f'"move": {{{", ".join(fields)}}}']
    if kind.message:
        parts.append(f'"message": "<text to the others, at most {max_length} characters, may be empty>"')
    parts.append('"reason": "<why, in a sentence or two; no other player reads it>"')
    return f"{{{', '.join(parts)}}}"


def _words(field: Number | Choice) -> str:
    if isinstance(field, Choice):
        return " or ".join(_json(option) for option in field.options)
    return f"whole number {field.words()}"


def _schema_of(kind: MoveKind) -> Mapping[str, Any]:
    fields = {"kind": {"const": kind.kind}, **{field.name: _field_schema(field) for field in kind.fields}}
    return {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }


def _field_schema(field: Number | Choice) -> Mapping[str, Any]:
    if isinstance(field, Choice):
        return {"enum": list(field.options)}
    top = LARGEST if field.maximum is None else field.maximum
    # JSON Schema's multipleOf counts from 0, and our steps count from the minimum.
    if field.step > 1 and field.minimum % field.step:
        return {"enum": list(range(field.minimum, top + 1, field.step))}
    bounds = {"type": "integer", "minimum": field.minimum, "maximum": top}
    return {**bounds, "multipleOf": field.step} if field.step > 1 else bounds


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
