"""The design's form at the height of a screen and a half: what is folded, what its line says, and what faults open."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from app.admin.design.outline import every_field
from app.admin.design.sections import sections
from app.admin.design.views import CardView, GroupView, ListView, Part
from app.studies.file.model import StudyFile
from app.tasks.game.games import GAMES
from tests.factories import study_file
from tests.tasks.game.people import game_block

Keys = dict[str, Any]
QUESTIONS = [
    {"id": "choice", "type": "2afc", "ask": "Which?"},
    {"id": "why", "type": "text", "ask": "Why?"},
    {"id": "sure", "type": "likert", "ask": "How sure?", "scale": "agreement"},
]
# Numbers without a unit: of answers, which have that of their question, and of chance.
BARE = {
    "Smallest number",
    "Largest number",
    "Step from one number to the next",
    "Seed",
    "Seed of the draw",
    "Width of the interval",
    "Expected number",
    "Significance level",
    "Smallest difference of interest",
    "Spread of their lengths, at most",
    "Deviations from the median, more than",
}


def parts_of(keys: Keys, section: str, errors: Mapping[str, str]) -> Sequence[Part]:
    return next(each.parts for each in sections(keys, errors) if each.id == section)


def groups_in(parts: Sequence[Part]) -> Iterator[GroupView]:
    for part in parts:
        if isinstance(part, GroupView):
            yield part
            yield from groups_in(part.parts)
        elif isinstance(part, ListView):
            for card in part.cards:
                yield from groups_in(card.parts)


def cards_in(parts: Sequence[Part]) -> Sequence[CardView]:
    return next(part.cards for part in parts if isinstance(part, ListView))


def groups_of_game(errors: Mapping[str, str] | None = None, **keys: Any) -> dict[str, GroupView]:
    blocks = {"study": "play", "blocks": [game_block(**keys)]}
    return {group.title: group for group in groups_in(parts_of(blocks, "parts", errors or {}))}


def test_parts_of_a_block_are_folded_and_say_what_is_set_in_them() -> None:
    found = groups_of_game(
        instructions="# What to do\n\nShare the money.",
        deadlines={"offer_s": 120, "answer_s": 90},
        comprehension={"questions": [{"id": "a"}]},
        messages={"screen": ["links"], "max_chars": 200},
    )
    lines = {title: group.gist for title, group in found.items() if group.is_folded}
    assert lines["Instructions"] == "What to do"
    assert lines["Attention checks"] == "none"
    assert lines["Payment"] == "none"
    assert lines["When somebody leaves"] == "as usual"
    assert lines["Questions on the rules"] == "1 question"
    assert lines["Time limits"].startswith("for an offer 120 seconds")
    assert lines["Messages"] == "longest message 200 characters; Links"
    assert "Configurations" in lines
    assert lines["More settings"] == "play"


def test_a_fault_opens_what_it_stands_in() -> None:
    folded = {title for title, group in groups_of_game().items() if group.is_folded}
    at = {
        "Matching": "blocks.0.matching.wait_max_s",
        "More settings": "blocks.0.id",
        "Instructions": "blocks.0.instructions",
        "Parameters": "blocks.0.configs.rounds",
    }
    for title, place in at.items():
        open_ = {each for each, group in groups_of_game({place: "Wrong."}).items() if not group.is_folded}
        assert title in folded, title
        assert title in open_, title


def test_presets_are_open_until_one_is_chosen() -> None:
    assert groups_of_game()["Configurations"].is_folded
    fresh = {"study": "play", "blocks": [{"id": "play", "task": "game", "game": "sug"}]}
    found = {group.title: group for group in groups_in(parts_of(fresh, "parts", {}))}
    assert not found["Configurations"].is_folded
    assert found["Parameters"].is_folded


def test_of_many_questions_the_first_is_open_and_those_with_faults() -> None:
    keys = study_file(trials={"questions": QUESTIONS})
    cards = cards_in(parts_of(keys, "questions", {}))
    assert [card.is_folded for card in cards] == [False, True, True]
    assert [card.gist for card in cards[1:]] == ["Why? · Free text", "How sure? · Point on a scale"]
    faulty = cards_in(parts_of(keys, "questions", {"trials.questions.2.ask": "Empty."}))
    assert [card.is_folded for card in faulty] == [False, True, False]


def test_of_several_blocks_the_first_is_open() -> None:
    keys = {"study": "play", "blocks": [game_block(id=name) for name in "abc"]}
    cards = cards_in(parts_of(keys, "parts", {"blocks.2.game": "Wrong."}))
    assert [card.is_folded for card in cards] == [False, True, False]
    one = cards_in(parts_of({**keys, "blocks": keys["blocks"][:1]}, "parts", {}))
    assert one[0].is_folded is None


def test_a_target_of_precision_that_is_not_set_is_one_line() -> None:
    unset = parts_of(study_file(), "stop_when", {})[0]
    assert isinstance(unset, GroupView)
    assert (unset.is_folded, unset.gist) == (True, "none")
    given = parts_of(study_file(stop_when={"measure": "accuracy"}), "stop_when", {})
    assert not any(isinstance(part, GroupView) for part in given)


@pytest.mark.parametrize("game", [None, *GAMES])
def test_every_number_of_the_form_has_a_unit(game: str | None) -> None:
    """In its field, or in its label where that names what is counted: `Trials, at least`."""
    model = StudyFile if game is None else GAMES[game].Config
    for path, leaf in every_field(model):
        if leaf.kind != "number" or leaf.widget.unit or leaf.widget.is_money or leaf.label in BARE:
            continue
        is_counted = path[0] == "exclude" and ", at least" in leaf.label
        assert is_counted or leaf.label.startswith("Share"), (path, leaf.label)


def test_the_line_of_a_list_of_configurations_counts_them_and_has_no_key() -> None:
    found = groups_of_game(game="wac", configs=[{"supply_low": 10}, {"supply_low": 15}])
    lines = [group.gist for group in found.values()]
    assert any("2 configurations" in line for line in lines)
    assert not any("supply_low" in line for line in lines)
