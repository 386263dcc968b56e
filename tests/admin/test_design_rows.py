"""Lists of a block of matches in the design's form: residents, questions on the rules, and who sits on which seat."""

from collections.abc import Mapping
from typing import Any

import pytest

from app.admin.design.actions import act
from app.admin.design.fields import fields_to_keys, keys_to_fields
from app.admin.design.sections import sections
from app.core.database import Database
from app.studies.drafts import create_study
from tests.admin.persons import Person
from tests.admin.test_design import form_on
from tests.factories import NOW
from tests.tasks.game.people import game_block

pytestmark = pytest.mark.any_database

Keys = dict[str, Any]
AT = "blocks.0"
RESIDENTS, QUESTIONS, SEATS = f"{AT}.configs.residents", f"{AT}.comprehension.questions", f"{AT}.seats"
ASKED = {"id": "rule_1", "ask": "Who pays?", "options": ["all", "none"], "answer": "all"}


def with_game(**keys: Any) -> Keys:
    return {"study": "play", "blocks": [game_block(**keys)]}


def block_of(keys: Mapping[str, Any]) -> Keys:
    block: Keys = keys["blocks"][0]
    return block


def typed(keys: Keys, **fields: str) -> Keys:
    """The block once these fields are typed."""
    return block_of(fields_to_keys(keys, {**keys_to_fields(keys), **fields}).keys)


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize(
    "own",
    [
        {"game": "wac", "configs": {"days": 8}},
        {"game": "wac", "configs": {"residents": [{"name": "A", "need": 1, "salary": 2}, {"name": "B"}]}},
        {"game": "wac", "configs": {"residents": []}},
        {"game": "wac", "configs": {"sample": "main", "main": {"days": 3}}},
        {"comprehension": {"questions": [ASKED]}},
        {"comprehension": {"questions": "id,ask,options,answer\na,b,c|d,c\n"}},
        {"game": "sug", "seats": "human"},
        {"game": "sug", "seats": ["human", "adaptive:beta=0.2:alpha=1"], "configs": {"players": 2}},
        {"game": "sug", "seats": ["pull:label=x", "any", "any", "human", "model:model=gpt", "human"]},
        {"game": "glee-bargaining", "agent": "threshold:share=1/2", "leaving": {"agent": "odd:x"}},
        {"game": "sug", "seats": []},
        {"game": "sug", "seats": [1]},
        {"game": "sug", "seats": ["odd:", "human"]},
    ],
)
def test_a_form_that_is_sent_as_it_came_changes_nothing(own: Keys, whole: bool) -> None:
    keys = with_game(**own)
    assert fields_to_keys(keys, keys_to_fields(keys), whole=whole).keys == keys
    assert sections(keys, {})


def test_residents_are_those_that_are_published_until_one_is_changed() -> None:
    keys = with_game(game="wac", configs={"days": 8})
    fields = keys_to_fields(keys)
    assert [fields[f"{RESIDENTS}.{at}.name"] for at in range(5)] == ["Alex", "Bob", "Cindy", "David", "Eric"]
    changed = typed(keys, **{f"{RESIDENTS}.1.need": "7"})["configs"]["residents"]
    assert [one["need"] for one in changed] == [8, 7, 10, 11, 12]
    over = fields_to_keys(keys, {**fields, f"{RESIDENTS}.1.need": "7"}, whole=True).keys
    assert block_of(over)["configs"] == {"days": 8, "residents": changed}
    fewer = block_of(act(keys, f"remove:{RESIDENTS}.4", {}).keys)["configs"]["residents"]
    assert [one["name"] for one in fewer] == ["Alex", "Bob", "Cindy", "David"]
    more = act(keys, f"add:{RESIDENTS}", {})
    assert block_of(more.keys)["configs"]["residents"][5] == {"name": "Resident 1"}
    assert more.focus == f"{RESIDENTS}.5.name"


def test_the_last_resident_that_is_removed_brings_the_published_ones_not_back() -> None:
    keys = with_game(game="wac", configs={"residents": [{"name": "A", "need": 1, "salary": 2}]})
    keys = act(keys, f"remove:{RESIDENTS}.0", {}).keys
    assert block_of(keys)["configs"] == {"residents": []}
    assert f"{RESIDENTS}.0.name" not in keys_to_fields(keys)


def test_questions_on_the_rules_are_cards_that_name_what_they_ask() -> None:
    keys = act(with_game(), f"add:{QUESTIONS}", {}).keys
    written = {"ask": "Who pays?", "options": "all\nnone", "answer": "all"}
    block = typed(keys, **{f"{QUESTIONS}.0.{name}": text for name, text in written.items()})
    assert block["comprehension"] == {"questions": [ASKED]}
    gone = act({"study": "play", "blocks": [block]}, f"remove:{QUESTIONS}.0", {}).keys
    assert "comprehension" not in block_of(gone)


def test_seats_are_alike_or_each_for_itself() -> None:
    keys = with_game(game="sug")
    keys["blocks"][0].pop("seats", None)
    assert typed(keys, **{f"{SEATS}.0": "human"})["seats"] == ["human"]
    each = typed(keys, **{f"{SEATS}.way": "each"})
    assert each["seats"] == ["any"] * 5
    named = typed({"study": "play", "blocks": [each]}, **{f"{SEATS}.1": "adaptive"})
    assert named["seats"] == ["any", "adaptive", "any", "any", "any"]
    keys = {"study": "play", "blocks": [named]}
    assert typed(keys, **{f"{SEATS}.way": "alike"})["seats"] == ["any"]
    roles = with_game(game="glee-negotiation", seats=["human", "any"])
    labels = [field.label for field in fields_in(roles) if field.name.startswith(f"{SEATS}.")]
    assert labels[1:] == ["Seat 1, seller", "Seat 2, buyer"]


def test_settings_of_an_agent_are_fields_and_go_with_its_name() -> None:
    keys = with_game(game="sug", seats=["human", "adaptive", "any", "any", "any"])
    block = typed(keys, **{f"{SEATS}.1.beta": "0.2"})
    assert block["seats"][1] == "adaptive:beta=0.2"
    keys = {"study": "play", "blocks": [block]}
    assert typed(keys, **{f"{SEATS}.1.beta": ""})["seats"][1] == "adaptive"
    assert typed(keys, **{f"{SEATS}.1": "simulated"})["seats"][1] == "simulated"
    assert typed(with_game(game="sug"), **{f"{AT}.agent": "adaptive"})["agent"] == "adaptive"
    # Saved over a draft in which another agent has the seat.
    other = with_game(game="sug", seats=["human", "gt", "any", "any", "any"])
    assert fields_to_keys(other, keys_to_fields(keys), whole=True).keys == keys


def fields_in(keys: Keys) -> list[Any]:
    """Every field of the form's blocks."""
    found: list[Any] = []

    def look(parts: Any) -> None:
        for part in parts:
            found.extend(getattr(part, "fields", ()))
            look(getattr(part, "parts", ()))
            for card in getattr(part, "cards", ()):
                look(card.parts)

    look(next(each for each in sections(keys, {}) if each.id == "parts").parts)
    return found


def test_rows_are_added_and_removed_without_script(owner: Person, database: Database) -> None:
    with database.transaction() as session:
        create_study(
            session, owner.who, "rows", {**with_game(game="wac", configs={"days": 8}), "study": "rows"}, NOW
        )
    at = "/admin/studies/rows/design/trials"
    form = form_on(owner.get(at).text)
    owner.post(at, {**form, "action": f"add:{QUESTIONS}"})
    form = form_on(owner.get(at).text)
    assert form[f"{QUESTIONS}.0.id"] == "rule_1"
    assert form[f"{SEATS}.way"] in ("alike", "each")
    owner.post(at, {**form, f"{RESIDENTS}.0.salary": "60", "action": f"remove:{QUESTIONS}.0"})
    page = owner.get(at).text
    form = form_on(page)
    assert f"{QUESTIONS}.0.id" not in form
    assert form[f"{RESIDENTS}.0.salary"] == "60"
    assert "earns 60 dollars a day" in page
    assert "As the study file has it, in YAML." not in page
