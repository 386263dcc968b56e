"""What players outside read: all of a view and nothing else, and a schema that allows what the rules allow."""

import json
import random
from dataclasses import asdict
from typing import Any

import jsonschema
import pytest

from app.tasks.game.games import GAMES
from app.tasks.game.moves import IllegalMove, MoveKind, MoveSchema, Number
from app.tasks.game.outside.prompts import checked, form, json_schema, presets, situation
from tests.tasks.game.random_play import steps


def valid(answer: Any, schema: Any) -> bool:
    return not list(jsonschema.Draft202012Validator(schema).iter_errors(answer))


def spoilt(move: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """The move with one thing changed, legal or not."""
    name = rng.choice(list(move))
    values: tuple[Any, ...] = (None, "", "accept", -1, 3, 10**6, 10**16, [], {}, "2")
    changed = {**move, name: rng.choice(values)}
    return rng.choice([changed, {**move, "more": 1}, {key: move[key] for key in move if key != name}])


def test_text_and_view_have_the_same_facts_and_the_schema_the_same_moves_as_the_rules() -> None:
    assert set(presets().rules) == set(GAMES)
    for game in GAMES.values():
        rng = random.Random(4)
        for s, event in list(steps(game, game.Config(), 2))[:40]:
            if event.kind != "move" or event.seat is None:
                continue
            view, legal = game.view(s, event.seat), game.legal(s, event.seat)
            text, shown = situation(view), json.loads(json.dumps(asdict(view)))
            for name, value in shown["facts"].items():
                assert f"{name}: {json.dumps(value, ensure_ascii=False)}" in text
            assert [json.dumps(entry, ensure_ascii=False) in text for entry in shown["history"]].count(
                False
            ) == 0
            assert f"Round {view.round}" in text
            schema = json_schema(legal)
            jsonschema.Draft202012Validator.check_schema(schema)
            for i in range(30):
                move = dict(legal.sample(rng))
                answer = {"move": spoilt(move, rng) if i % 2 else move, "message": ""}
                if "message" not in schema["properties"]:
                    del answer["message"]
                try:
                    checked(answer, legal)
                    assert valid(answer, schema), (game.name, answer)
                except IllegalMove:
                    assert not valid(answer, schema), (game.name, answer)
            assert all(f'"kind": "{kind.kind}"' in form(legal) for kind in legal.kinds)


def test_steps_and_messages_are_in_the_schema() -> None:
    numbers = (Number("a", 1, 9, 2), Number("b", 0, 9, 3), Number("c", 5, None))
    legal = MoveSchema((MoveKind("one", numbers, True), MoveKind("two")), 5)
    schema = json_schema(legal)
    for a, b, c, message, allowed in (
        (1, 3, 5, "", True),
        (9, 9, 10**15, "abcde", True),
        (2, 3, 5, "", False),
        (1, 4, 5, "", False),
        (1, 3, 4, "", False),
        (1, 3, 10**15 + 1, "", False),
        (1, 3, 5, "abcdef", False),
    ):
        answer = {"move": {"kind": "one", "a": a, "b": b, "c": c}, "message": message}
        assert valid(answer, schema) is allowed
        if not allowed:
            with pytest.raises(IllegalMove):
                checked(answer, legal)
    assert valid({"move": {"kind": "two"}}, schema)
    assert "\nor\n" in form(legal)
