"""Blocks of matches in the design's form: amounts of money, and configurations that are saved while they are typed."""

from typing import Any

from app.admin.design.fields import fields_to_keys, keys_to_fields
from app.admin.design.trying import _moves
from app.studies.file.drafts import check_draft
from app.studies.file.placeholders import filled, numbers_of
from app.studies.numbers import number_checks
from tests.tasks.game.people import game_block

Keys = dict[str, Any]
GAMES_OF_ARMS = (("play", ["a"], 2), ("plays", ["b"], 3))
PAY, AT = "blocks.0.bonus", "blocks.0.configs"


def with_game(**keys: Any) -> Keys:
    return {"study": "play", "blocks": [game_block(**keys)]}


def paid(keys: Keys, **typed: str) -> Any:
    """The bonus once these are typed."""
    form = {f"{PAY}.{name}": text for name, text in typed.items()}
    return fields_to_keys(keys, form).keys["blocks"][0]["bonus"]


def test_an_amount_is_read_in_the_main_unit_however_it_is_typed() -> None:
    keys = with_game(bonus={"currency": "EUR"})
    for text, minor in {
        ".5": 50,
        "5.": 500,
        "05": 500,
        "+5": 500,
        "1e2": 10_000,
        "0.5": 50,
        "7": 700,
    }.items():
        assert paid(keys, cap_minor=text)["cap_minor"] == minor, text
    assert paid(keys, cap_minor="five")["cap_minor"] == "five"
    assert paid(keys, minor_per_unit=".0005")["minor_per_unit"] == 0.05
    quoted = with_game(bonus={"cap_minor": "50"})
    assert keys_to_fields(quoted)[f"{PAY}.cap_minor"] == "0.50"
    assert fields_to_keys(quoted, keys_to_fields(quoted)).keys == quoted


def test_another_game_has_no_questions_on_the_rules_of_the_one_before() -> None:
    asked = {
        "questions": [
            {"id": "rejected", "ask": "You offer 4. And then?", "options": ["4", "0"], "answer": "0"}
        ]
    }
    keys = with_game(game="sug", comprehension=asked)
    assert fields_to_keys(keys, {"blocks.0.game": "sug"}).keys["blocks"][0]["comprehension"] == asked
    assert not fields_to_keys(keys, {"blocks.0.game": "wac"}).keys["blocks"][0].get("comprehension")


def test_amounts_are_in_the_currency_that_comes_with_them() -> None:
    keys = with_game(bonus={"cap_minor": 300})
    assert paid(keys, currency="JPY", cap_minor="500") == {"cap_minor": 500, "currency": "JPY"}
    assert paid(keys, cap_minor="500") == {"cap_minor": 50_000}
    assert paid(keys, currency="KWD", cap_minor="0.5") == {"cap_minor": 500, "currency": "KWD"}
    assert (
        keys_to_fields(with_game(bonus={"cap_minor": 500, "currency": "KWD"}))[f"{PAY}.cap_minor"] == "0.500"
    )
    own = {"blocks.play.bonus.currency": "JPY", "blocks.play.bonus.cap_minor": 400}
    armed = {**keys, "arms": [{"id": "yen", "set": own}]}
    cap = "arms.0.set.blocks.play.bonus.cap_minor"
    assert keys_to_fields(armed)[cap] == "400"
    assert fields_to_keys(armed, {cap: "500"}).keys["arms"][0]["set"]["blocks.play.bonus.cap_minor"] == 500


def test_what_is_typed_in_a_configuration_stays_at_the_next_save() -> None:
    keys = with_game(game="public-goods", configs={})
    page = {**keys_to_fields(keys), f"{AT}.way.was": "start 0"}
    assert page[f"{AT}.way"] == "start 0"
    first = fields_to_keys(keys, {**page, f"{AT}.rounds": "15"}).keys
    then = fields_to_keys(first, {**page, f"{AT}.rounds": "16"}).keys
    assert first["blocks"][0]["configs"]["rounds"] == 15
    assert then["blocks"][0]["configs"]["rounds"] == 16
    # Saved over what another editor has made of it meanwhile.
    over = fields_to_keys(first, {**page, f"{AT}.rounds": "17"}, whole=True).keys
    assert over["blocks"][0]["configs"]["rounds"] == 17
    # A way that is chosen is taken, and one of another shape that was left as well.
    chosen = fields_to_keys(first, {**page, f"{AT}.rounds": "16", f"{AT}.way": "start 1"}).keys
    assert keys_to_fields(chosen)[f"{AT}.way"] == "start 1"
    other = fields_to_keys(first, {f"{AT}.way": "list"}).keys
    back = fields_to_keys(other, page, whole=True).keys
    assert keys_to_fields(back)[f"{AT}.way"] == "start 0"


def test_moves_to_try_that_are_not_ours_are_none() -> None:
    for odd in ("[" * 99_999, '[{"a": "\\ud800"}]', "{", "1", '["a"]'):
        assert _moves(odd) == []
    assert _moves('[{"offer": "5"}]') == [{"offer": "5"}]


def test_a_number_that_arms_have_different_is_a_range_until_an_arm_is_drawn() -> None:
    blocks = [game_block(id=name, arms=arms, rounds_per_person=n) for name, arms, n in GAMES_OF_ARMS]
    keys = {
        "study": "play",
        "title": "A game",
        "consent": {"version": "1", "text": "{trials} matches."},
        "arms": [{"id": "a"}, {"id": "b"}],
        "blocks": blocks,
        "completion": {"code": "X", "minutes": 5},
    }
    check = check_draft(keys, {})
    assert check.design is not None, check.faults
    assert numbers_of(check.design) == {"trials": "2–3", "minutes": "5"}
    assert filled(check.design).consent.text == "2–3 matches."
    assert [numbers_of(check.design, arm)["trials"] for arm in "ab"] == ["2", "3"]
    assert list(number_checks(check.design)) == []
