"""The rule `program-written`: each kind of evidence alone, just short of it, and what honest people write."""

from typing import Any

import pytest

from analysis.quality.records import SessionRecord
from analysis.quality.registry import DEFAULT, RULES
from analysis.quality.rules import ChosenRule, Cohort, Values
from analysis.quality.verdicts import bounds_of, verdict
from bench.written import rate_of
from tests.analysis.quality.records import pair, rating, session

NAME = "program-written"
SHORT = "It waits, looks round, and then it goes on."
# 24 words, neat, and different by a number.
NEAT = (
    "The movement of the first player appears more natural, with small pauses and corrections near the corner, which a "
    "program would rarely make, case {}."
)


def values(record: SessionRecord, **bounds: float) -> Values | None:
    rule = RULES[NAME]
    return rule.find(record, bounds_of(rule, ChosenRule(NAME, bounds)), Cohort())


def written(texts: list[str], **columns: Any) -> SessionRecord:
    return session([pair(trial=at, rationale=text, **columns) for at, text in enumerate(texts, 1)])


def test_texts_filled_in_at_once_are_counted_by_their_flag_and_both_bounds_have_to_be_reached() -> None:
    rows = [pair(trial=at, rationale=f"{SHORT} {at}", rt_ms=60_000) for at in range(1, 7)]
    flagged = [{**row, "flags": "hidden;not-typed"} for row in rows[:3]]
    assert values(session([*flagged, *rows[3:]])) == {"not_typed": 3, "of": 6}
    assert values(session([*flagged[:2], *rows[3:]])) is None
    assert values(session([*flagged, *rows[3:]]), share=0.6) is None
    assert values(session([{**row, "rationale": None} for row in flagged])) is None, (
        "no text, nothing written"
    )


def test_nobody_types_faster_than_fifteen_characters_a_second_from_the_opening_of_the_questions() -> None:
    text = "x" * 150
    for rt_ms, opened_ms, met in ((29_900, 20_000, True), (30_100, 20_000, False), (9_900, None, True)):
        record = written([f"{text}{at}"[:150] for at in range(3)], rt_ms=rt_ms, opened_ms=opened_ms)
        assert (values(record) is not None) == met, (rt_ms, opened_ms)
    pasted = written([f"{text}{at}" for at in range(3)], rt_ms=9_000, flags="pasted")
    assert values(pasted) is None, "pasting explains it, and has a rule of its own"
    assert values(written(["yes, this one"] * 3, rt_ms=500)) is None, "too short to tell"
    assert values(written([text] * 3, rt_ms=None)) is None


def test_many_neat_texts_of_one_length_are_alike_and_those_of_people_are_not() -> None:
    neat = [NEAT.format(at) for at in range(10)]
    assert values(written(neat, rt_ms=90_000)) == {"alike": 10, "spread": 0.0, "of": 10}
    assert values(written(neat[:9], rt_ms=90_000)) is None, "too few"
    assert values(written([*neat[:9], neat[0]], rt_ms=90_000)) is None, "one text twice is one text"
    assert values(written([text.rstrip(".") for text in neat], rt_ms=90_000)) is None, "without full stops"
    slips = [text.replace("pauses and", "pauses  and") if at < 2 else text for at, text in enumerate(neat)]
    assert values(written(slips, rt_ms=90_000)) is None
    longer = [f"{text[:-1]}{', and so on and on' * (at % 3)}." for at, text in enumerate(neat)]
    assert values(written(longer, rt_ms=90_000)) is None, "of different lengths"
    assert values(written(longer, rt_ms=90_000), spread=0.5) is not None
    assert values(written([f"{SHORT[:-1]} {at}." for at in range(10)], rt_ms=90_000)) is None, "short ones"


@pytest.mark.parametrize(
    ("text", "met"),
    [
        ("As an AI language model, I cannot watch videos.", True),
        ("as a large language model I have no opinion", True),
        ("It moves as an AI would, like a language model on legs.", False),
    ],
)
def test_a_text_that_says_that_a_language_model_wrote_it_is_enough(text: str, met: bool) -> None:
    found = values(written([SHORT, text], rt_ms=90_000))
    assert found == ({"own_words": 1, "of": 2} if met else None)


def test_texts_of_ratings_are_looked_at_as_well() -> None:
    rows = [
        {**rating(at, "reason", 0, rt_ms=9_000), "value": None, "level": None, "text": "y" * 200}
        for at in range(1, 4)
    ]
    assert values(session(ratings=rows)) == {"not_typed": 3, "of": 3}


def test_it_is_a_remark_whatever_a_study_says_and_not_applied_to_simulated_participants() -> None:
    rule = RULES[NAME]
    assert rule.flag_only
    assert rule.of_people
    assert [each.use for each in DEFAULT if each.rule == NAME] == [True]
    met = written([NEAT.format(at) for at in range(10)], rt_ms=90_000)
    found = verdict([ChosenRule(NAME, use=True)], met, Cohort())
    assert (found.use, found.pay, found.names) == (True, True, NAME)


def test_the_rate_is_over_writers_and_their_sets_of_long_texts() -> None:
    neat = [NEAT.format(at) for at in range(25)]
    texts = {
        "program": neat,
        "person": [f"{text} I think" for text in neat],
        "few": neat[:5],
        "short": [SHORT] * 20,
    }
    rate = rate_of(texts, 10)
    assert (rate.writers, rate.writers_met, rate.sets, rate.sets_met) == (2, 1, 4, 2)
    assert str(rate).startswith("1 of 2 writers (9% to 91%), 2 of 4 sets")
