"""Screening and comprehension in the study file: what may be said, what is refused, and what a version keeps."""

from typing import Any

import pytest

from app.studies.file.design import StudyDesign
from app.studies.file.difference import differences
from app.studies.file.drafts import check_draft, draft_of_design
from tests.studies.file.test_drafts import FACTS, design_of, example

SIGHT = {
    "id": "sight",
    "type": "choice",
    "ask": "Do you see well?",
    "options": ["Yes", "No"],
    "accept": ["Yes"],
}
OFTEN = {
    "id": "often",
    "ask": "How often do you play?",
    "scale": "frequency",
    "accept": ["often", "very often"],
}
MANY = {"id": "many", "type": "choice", "ask": "How many videos?", "options": ["one", "two"], "answer": "two"}
BLUE = {"id": "blue", "type": "choice", "ask": "Choose blue.", "options": ["red", "blue"], "expect": "blue"}
SURE = {"id": "sure", "type": "likert", "ask": "How sure?", "labels": ["not", "very"], "answer": "very"}


def fault(**changes: Any) -> tuple[str, str]:
    [found] = check_draft(example(**changes), FACTS).faults
    return ".".join(map(str, found.place)), f"{found.message}: {found.remedy}"


def test_checks_come_through_draft_and_version() -> None:
    asked = {"questions": [MANY, SURE], "tries": 1, "failed": "end"}
    keys = example(screening=[SIGHT, OFTEN], comprehension=asked)
    design = design_of(keys)
    assert [question.own_texts("accept") for question in design.screening] == [
        ("Yes",),
        ("often", "very often"),
    ]
    assert [question.own["answer"] for question in design.comprehension.questions] == ["two", "very"]
    again = StudyDesign.model_validate_json(design.canonical_json())
    assert again == design
    draft = draft_of_design(again, FACTS)
    assert design_of(draft) == design
    assert differences(keys, draft) == []
    assert "screening" in str(differences(keys, example(comprehension=asked)))


def test_attention_and_viewing_conditions_come_through_draft_and_version() -> None:
    keys = example(viewing_conditions=True)
    keys["trials"] = {
        **keys["trials"],
        "feedback": True,
        "attention": {"questions": [BLUE], "failed": "end", "after": 3},
    }
    design = design_of(keys)
    again = StudyDesign.model_validate_json(design.canonical_json())
    assert again == design
    [block] = again.blocks
    assert (block.attention_checks.failed, block.attention_checks.after) == ("end", 3)
    draft = draft_of_design(again, FACTS)
    assert design_of(draft) == design
    assert differences(keys, draft) == []
    assert differences(keys, example())


def test_an_attention_question_names_an_answer_that_there_is() -> None:
    keys = example()
    keys["trials"] = {**keys["trials"], "attention": {"questions": [{**BLUE, "expect": "green"}]}}
    [found] = check_draft(keys, FACTS).faults
    assert found.place == ("trials", "attention", "questions", 0, "expect")
    assert found.message == "'green' is no answer of this question"


def test_a_study_without_checks_says_nothing_of_them() -> None:
    written = design_of(example()).canonical_json()
    assert "screening" not in written
    assert not [
        word for word in ("comprehension", "viewing", "attention", "feedback", "why") if word in written
    ]


@pytest.mark.parametrize(
    ("changes", "place", "message"),
    [
        (
            {"screening": [{**SIGHT, "accept": ["Maybe"]}]},
            "screening.0.accept",
            "'Maybe' is no answer of this question: write one of 'Yes', 'No'",
        ),
        (
            {"screening": [{**SIGHT, "accept": ["Yes", "No"]}]},
            "screening.0.accept",
            "every answer is accepted, so that nobody is screened out: leave one out",
        ),
        (
            {"screening": [{**SIGHT, "required": False}]},
            "screening.0.required",
            "this question is always to be answered: remove `required`",
        ),
        (
            {"screening": [{**OFTEN, "accept": ["nightly"]}]},
            "screening.0.accept",
            "'nightly' is no answer of this question: write one of 'never', 'rarely', 'sometimes', 'often', "
            "'very often'",
        ),
        (
            {"screening": [{key: SIGHT[key] for key in SIGHT if key != "accept"}]},
            "screening.0.accept",
            "accept is missing in entry 1 of screening: fill in accept",
        ),
        (
            {"screening": [{**SIGHT, "acept": 1}]},
            "screening.0.acept",
            "unknown key 'acept': did you mean 'accept'?",
        ),
        (
            {"screening": [{"id": "why", "type": "text", "ask": "Why?", "accept": ["Yes"]}]},
            "screening.0",
            "type: 'text' is no type of question here: use 'likert', 'choice'",
        ),
        (
            {"comprehension": {"questions": [{**MANY, "answer": "three"}]}},
            "comprehension.questions.0.answer",
            "'three' is no answer of this question: write one of 'one', 'two'",
        ),
        (
            {"comprehension": {"questions": [MANY], "tries": 3}},
            "comprehension.tries",
            "tries: '3' is too large: use 2 or less",
        ),
        (
            {"comprehension": {"questions": [MANY]}, "instructions": None},
            "comprehension",
            "comprehension asks about instructions, and there are none: add `instructions:`, the text that is asked "
            "about",
        ),
        (
            {"comprehension": {"questions": [MANY, MANY]}},
            "comprehension.questions.1.id",
            "the id 'many' comes twice: give each question its own id",
        ),
    ],
)
def test_what_cannot_be_checked_is_refused_at_its_place(
    changes: dict[str, Any], place: str, message: str
) -> None:
    assert fault(**changes) == (place, message)
