"""The views of players outside: all of a view and nothing else, and a schema that allows what the rules allow."""

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from fractions import Fraction
from typing import Any

import jsonschema
import pytest

from app.tasks.game.base import GameConfig, View
from app.tasks.game.games import GAMES
from app.tasks.game.moves import IllegalMove, MoveKind, MoveSchema, Number
from app.tasks.game.outside.prompts import checked, form, json_schema, presets, situation
from app.tasks.game.pages import playing, rules_of, state_html
from tests.browser.game_pages import page_of
from tests.tasks.game.random_play import steps


def valid(answer: Any, schema: Any) -> bool:
    return not list(jsonschema.Draft202012Validator(schema).iter_errors(answer))


def spoilt(move: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """The move with one thing changed, legal or not."""
    name = rng.choice(list(move))
    values: tuple[Any, ...] = (None, "", "accept", -1, 3, 10**6, 10**16, [], {}, "2")
    changed = {**move, name: rng.choice(values)}
    return rng.choice([changed, {**move, "more": 1}, {key: move[key] for key in move if key != name}])


@pytest.mark.slow
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


SETTINGS: Mapping[str, Sequence[Mapping[str, Any]]] = {
    "sug": ({}, {"public_history": True}),
    "glee-bargaining": ({}, {"complete_information": False}),
    "glee-negotiation": ({}, {"complete_information": False}),
    "glee-persuasion": (
        {},
        {"complete_information": False},
        {"messages": "binary", "buyer": "myopic"},
    ),
    "wac": ({}, {"personas": True}),
    "public-goods": ({}, {"punishment": "tenths"}, {"punishment": "none"}),
}
# What a page does not show by itself: it says the same twice over, or follows from what is shown.
FOLLOWS = {
    "sug": {
        "facts.step": "the amounts to choose from",
        "history.offer.from": "one's own seat",
        "history.received.to": "one's own seat",
    },
    "glee-bargaining": {
        "facts.standing.round": "the round",
        "facts.standing.proposer": "whose turn it is to answer",
        "history.proposer": "the round: who proposes goes by turns",
    },
    "glee-negotiation": {
        "facts.money": "both values are shown in points",
        "facts.standing.round": "the round",
    },
    "glee-persuasion": {
        "facts.seller_knows_value": "whether the value is shown",
        "facts.payoffs": "the seller's is how many were bought, the buyer's what they were worth",
        "facts.statistics.bought": "shown once a round is over",
        "facts.statistics.bought_good": "shown once a round is over",
    },
    "wac": {
        "facts.residents.balance": "of whoever is out, nothing",
        "facts.residents.health": "of whoever is out, nothing",
        "facts.residents.next_loss": "of whoever is out, nothing",
        "facts.payoffs": "the days that each has lived",
        "history.statuses.balance": "salaries, bids and who got water, all shown",
        "history.statuses.health": "shown down to 0",
        "history.statuses.next_loss": "the days since water, all shown",
        "history.statuses.alive": "health above 0",
    },
    "public-goods": {"history.income": "what all put in"},
}
SWAPS = {"text": "binary", "long-living": "myopic", "accept": "reject", "outside": "reject"}
SWAPS |= {other: one for one, other in SWAPS.items() if other != "reject"} | {"reject": "accept"}
SWAPS |= {"fixed": "tenths", "tenths": "none", "none": "tenths"}


def leaves(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Every single value inside one, with the way to it."""
    if isinstance(value, Mapping):
        for name, each in value.items():
            yield from leaves(each, (*path, name))
    elif isinstance(value, list | tuple):
        for at, each in enumerate(value):
            yield from leaves(each, (*path, at))
    elif value not in (None, ""):
        yield path, value


def another(value: Any) -> Any:
    """A value of the same kind that is not this one."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if value in SWAPS:
        return SWAPS[value]
    try:
        return str(Fraction(value) * Fraction(9, 10) + Fraction(1, 100))
    except ValueError:
        return f"{value} too"


def with_another(value: Any, path: tuple[str | int, ...]) -> Any:
    """All of it as it was, but for the value at the end of the way."""
    if not path:
        return another(value)
    if isinstance(value, Mapping):
        return {**value, path[0]: with_another(value[str(path[0])], path[1:])}
    return tuple(with_another(each, path[1:]) if at == path[0] else each for at, each in enumerate(value))


@pytest.mark.slow
def test_the_page_of_a_person_has_every_fact_that_text_and_view_have(exhaustive: bool) -> None:
    """Where a fact were another one, so would be the page: none of them is missing on it."""

    def page(config: GameConfig, view: View, legal: MoveSchema) -> str:
        shown = state_html(page_of(playing(game.name, view, legal, leaving="")))
        return shown + " ".join(rules_of(game, config, view).lines)

    for game in GAMES.values():
        missing: set[str] = set()
        for settings in SETTINGS[game.name]:
            config = game.Config(**settings)
            states = [
                (s, event.seat)
                for s, event in list(steps(game, config, 2))[:40]
                if event.kind == "move" and event.seat is not None
            ]
            for s, seat in states[:: 8 if exhaustive else 16]:
                view, legal = game.view(s, seat), game.legal(s, seat)
                before = page(config, view, legal)
                for part in ("facts", "history"):
                    for path, _ in leaves(getattr(view, part)):
                        name = ".".join([part, *(each for each in path if isinstance(each, str))])
                        if name == "history.winners":  # another number may be no seat
                            continue
                        changed = replace(view, **{part: with_another(getattr(view, part), path)})
                        if page(config, changed, legal) == before:
                            missing.add(name)
        assert missing <= FOLLOWS[game.name].keys(), (game.name, missing - FOLLOWS[game.name].keys())


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
