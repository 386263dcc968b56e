"""Labels of the study file: every key has a title, every choice its words, and no label on a page is a key."""

from collections.abc import Iterator, Sequence
from typing import Any, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from app.admin.design.nodes import leaves
from app.admin.design.outline import _core, _values, outline
from app.core.widgets import widget_of
from app.studies.file.difference import Difference
from app.studies.file.model import StudyFile
from app.studies.file.titles import in_words
from app.tasks.game.choosing import sample_of
from app.tasks.game.games import GAMES
from app.tasks.registry import BLOCKS

Model = type[BaseModel]


def models_in(annotation: Any) -> Iterator[Model]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from models_in(part)


def all_models() -> list[Model]:
    """Every model that a study file may have a value of."""
    open_: list[Model] = [StudyFile, *BLOCKS.values()]
    open_ += [model for block in BLOCKS.values() for model in block.sections.values()]
    open_ += [model for game in GAMES for model in (GAMES[game].Config, sample_of(game))]
    found: list[Model] = []
    while open_:
        model = open_.pop()
        if model not in found:
            found.append(model)
            open_ += [each for info in model.model_fields.values() for each in models_in(info.annotation)]
    return found


def values_of(info: FieldInfo) -> Sequence[str]:
    """The fixed words that a key, or an entry of its list, may have."""
    core = _core(info.annotation)
    found = _values(core)
    return found or (_values(_core(get_args(core)[0])) if get_origin(core) is tuple else ())


def test_every_key_of_a_study_file_has_a_title_and_every_choice_its_words() -> None:
    for model in all_models():
        for name, info in model.model_fields.items():
            assert info.title, (model, name)
            assert "_" not in info.title, (model, name)
            values = values_of(info)
            assert len(values) < 2 or set(values) <= {*widget_of(info.metadata).words}, (model, name, values)


def test_a_game_has_its_own_fields_alone() -> None:
    def shown(**block: Any) -> set[str]:
        keys = {"blocks": [{"id": "play", "task": "game", **block}]}
        return {".".join(map(str, leaf.place[2:])) for leaf in leaves(outline(keys))}

    offers, goods = shown(game="sug"), shown(game="public-goods", configs={"punishment": "none"})
    assert {"deadlines.offer_s", "deadlines.answer_s"} <= offers
    assert not {"deadlines.bid_s", "deadlines.deduct_s", "models.calls"} & offers
    assert "deadlines.contribute_s" in goods
    assert not {"deadlines.deduct_s", "configs.effect"} & goods
    # A value that is given is shown all the same, so that it can be taken away.
    assert "deadlines.bid_s" in shown(game="sug", deadlines={"bid_s": 10})


def test_amounts_of_money_are_typed_in_their_main_unit() -> None:
    from app.admin.design.fields import fields_to_keys, keys_to_fields

    at = "blocks.0.bonus"
    pay = {"minor_per_unit": 0.02, "cap_minor": 300}
    keys = {"blocks": [{"id": "play", "task": "game", "game": "sug", "bonus": pay}]}
    fields = keys_to_fields(keys)
    assert (fields[f"{at}.minor_per_unit"], fields[f"{at}.cap_minor"]) == ("0.0002", "3.00")
    assert fields_to_keys(keys, fields).keys == keys
    typed = fields_to_keys(keys, {f"{at}.cap_minor": "2.5", f"{at}.minor_per_unit": "0.05"}).keys
    assert typed["blocks"][0]["bonus"] == {"minor_per_unit": 5, "cap_minor": 250}
    odd = fields_to_keys(keys, {f"{at}.cap_minor": "much"}).keys
    assert odd["blocks"][0]["bonus"]["cap_minor"] == "much"
    yen = {"blocks": [{"id": "play", "task": "game", "game": "sug", "bonus": {**pay, "currency": "JPY"}}]}
    assert keys_to_fields(yen)[f"{at}.cap_minor"] == "300"


def test_a_difference_has_the_form_s_titles_and_words() -> None:
    for place, values, words in (
        (
            "blocks › play › matching › at_bound",
            ("agents", "paid-exit"),
            ("Blocks › play › Matching › If nobody comes", "Agents take the free seats", "Paid exit"),
        ),
        (
            "exclude › stalls",
            ("per_trial: 3; pay: yes", ""),
            (
                "Exclusion rules › Clips stalled",
                "Stalls a trial, at least: 3; The participant is paid: yes",
                "",
            ),
        ),
        (
            "blocks › watch › trials › order",
            ("", "own"),
            ("Blocks › watch › Trials › Order of the pairs", "", "own"),
        ),
        (
            "trials › questions › watch › ask",
            ("A: b", "c"),
            ("Trials › Questions › watch › What is asked", "A: b", "c"),
        ),
    ):
        found = in_words(Difference(place, *values, "changed"))
        assert (found.place, found.before, found.after) == words
