"""A form's text becomes typed values, or words about what is wrong with it."""

import pytest

from app.core.errors import InvalidAnswer
from app.questions.base import Question
from app.questions.sides import Side
from app.trials.answers import Answers, read_answers


def question(id_: str, type_: str, **more: object) -> Question:
    return Question(**{"id": id_, "type": type_, "ask": "?", "required": True, **more})  # type: ignore[arg-type]


TRIAL = (
    question("choice", "2afc"),
    question("uncertainty", "likert", labels=("sure", "unsure")),
    question("rationale", "text", required=False, max_length=50),
    question("mood", "choice", options=("good", "bad"), required=False),
)


def test_the_published_questions_have_columns_and_the_others_stand_by_name() -> None:
    form = {"choice": "right", "uncertainty": "2", "rationale": " so ", "mood": "bad", "unasked": "x"}
    assert read_answers(TRIAL, form, of_trial=True) == Answers(Side.RIGHT, 2, "so", {"mood": "bad"})


@pytest.mark.parametrize(("text", "allowed"), [("left", True), ("tie", True), ("tie", False), ("both", True)])
def test_no_difference_is_an_answer_where_the_study_allows_it(text: str, allowed: bool) -> None:
    asked = (question("choice", "2afc", allow_tie=allowed),)
    if text == "both" or (text == "tie" and not allowed):
        with pytest.raises(InvalidAnswer) as refused:
            read_answers(asked, {"choice": text}, of_trial=True)
        told = "the right one or no difference" if allowed else "the left or the right one"
        assert told in refused.value.errors["choice"]
    else:
        assert read_answers(asked, {"choice": text}, of_trial=True) == Answers(text)


def test_background_answers_all_stand_by_name() -> None:
    asked = (
        question("uncertainty", "likert", labels=("a", "b")),
        question("rationale", "text", max_length=50),
    )
    answers = read_answers(asked, {"uncertainty": "1", "rationale": "r"})
    assert answers == Answers(extra={"uncertainty": 1, "rationale": "r"})


@pytest.mark.parametrize(
    ("text", "value"), [("30", 30), ("1.5", 1.5), ("1,5", 1.5), ("-2", -2), ("1e2", 100)]
)
def test_numbers(text: str, value: float) -> None:
    assert read_answers((question("n", "number"),), {"n": text}).extra == {"n": value}


@pytest.mark.parametrize(
    "text", ["1,000", "1_0", "1,000.5", "1.000,5", "12,345,678", "nan", "inf", "many", "200"]
)
def test_numbers_that_could_mean_two_things_or_nothing_are_asked_again(text: str) -> None:
    with pytest.raises(InvalidAnswer):
        read_answers((question("n", "number", maximum=150),), {"n": text})


def test_nothing_is_required_where_a_clip_would_not_play() -> None:
    assert read_answers(TRIAL, {}, of_trial=True, optional=True) == Answers()
    with pytest.raises(InvalidAnswer) as caught:
        read_answers(TRIAL, {}, of_trial=True)
    assert set(caught.value.errors) == {"choice", "uncertainty"}
