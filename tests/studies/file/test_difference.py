"""The changes between two versions, in the reader's words."""

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.studies.file.difference import Difference, design_differences, differences
from app.studies.file.drafts import check_draft, draft_of_design
from app.studies.file.yamlwriter import draft_to_yaml
from app.tasks.pair.settings import pairs_of
from tests.studies.file.draft_strategies import JSON, PAIRS, TEXT, spoilt_drafts, whole_drafts
from tests.studies.file.study_folder import make_facts
from tests.studies.file.test_drafts import FACTS, design_of, example


def listed(n: int, **cells: str) -> str:
    rows = (f"p{i},human-{i % 6 + 1},hybrid-{i // 6 + 1},{cells.get(f'p{i}', 'c')}" for i in range(n))
    return "\n".join(("pair,a,b,condition", *rows))


def of_questions(*questions: dict[str, Any]) -> dict[str, Any]:
    return example(trials={"questions": [{"id": "choice", "type": "2afc", "ask": "Which?"}, *questions]})


WHY = {"id": "why", "type": "text", "ask": "Why?"}
SURE = {"id": "sure", "type": "likert", "ask": "Sure?", "labels": ["yes", "no"]}
AGE = {"id": "age", "type": "number", "ask": "Age?"}


def test_the_same_study_written_otherwise_has_no_difference() -> None:
    keys = example(sample=None, pairs="pair,a,b\np1,human-1,hybrid-1\n")
    keys["trials"]["questions"][2] |= {"scale": "uncertainty", "labels": None}
    other = example(sample=None, pairs="b, a ,pair,kind\r\n\r\nhybrid-1,human-1,p1,main")
    other["instructions"] += "\r\n"
    other["trials"]["questions"][1] |= {"required": "no", "max_length": "5000"}
    other["scales"] = {"unused": ["a", "b"]}
    del other["trials"]["order"]
    assert differences(keys, other) == []


@pytest.mark.parametrize(
    ("place", "value", "difference"),
    [
        (("title",), "Other", Difference("title", "Which navigation looks human?", "Other", "changed")),
        (("consent", "minimum_age"), None, Difference("consent › minimum_age", "18", "", "removed")),
        (("trials", "order"), "fixed", Difference("trials › order", "random", "fixed", "changed")),
        (("sample", "seed"), "8", Difference("sample › seed", "7", "8", "changed")),
        (
            ("sample", "conditions", "human-symbolic"),
            2,
            Difference("sample › conditions › human-symbolic", "", "2", "added"),
        ),
        (
            ("trials", "questions", 1, "required"),
            True,
            Difference("trials › questions › rationale › required", "no", "yes", "changed"),
        ),
        (
            ("trials", "questions", 2, "labels"),
            ["sure", "unsure"],
            Difference(
                "trials › questions › uncertainty › labels",
                "extremely certain, somewhat certain, neutral, somewhat uncertain, extremely uncertain",
                "sure, unsure",
                "changed",
            ),
        ),
        (("completion", "message"), "Thanks.", Difference("completion › message", "Bye.", "Thanks.", "changed")),
        (("instructions",), None, Difference("instructions", "Watch both.", "", "removed")),
        (("sample",), None, Difference("sample", SAMPLE := "match: goal; use: free; seed: 7; "
            "conditions: human-hybrid: 6; hybrid-symbolic: 4", "", "removed")),
    ],
)  # fmt: skip
def test_each_change_is_told_at_its_place(
    place: tuple[str | int, ...], value: object, difference: Difference
) -> None:
    after = copy.deepcopy(example())
    at: Any = after
    for key in place[:-1]:
        at = at[key]
    at[place[-1]] = value
    assert differences(example(), after) == [difference]
    [back] = differences(after, example())
    assert (back.before, back.after) == (difference.after, difference.before)


def test_questions_are_matched_by_id() -> None:
    assert differences(of_questions(WHY), of_questions(SURE, {**WHY, "ask": "Why so?"}, AGE)) == [
        Difference("trials › questions › why › ask", "Why?", "Why so?", "changed"),
        Difference("trials › questions › sure", "", "Sure? (likert: yes, no)", "added"),
        Difference("trials › questions › age", "", "Age? (number)", "added"),
    ]
    assert differences(of_questions(WHY, SURE, AGE), of_questions(AGE, WHY, SURE)) == [
        Difference("trials › questions › age", "4 of 4", "2 of 4", "moved")
    ]
    assert [d.kind for d in differences(of_questions(WHY, WHY, AGE), of_questions(WHY))] == [
        "removed",
        "removed",
    ]


def test_a_long_text_is_told_line_by_line() -> None:
    before, after = "# Do this\n\nFirst.\nThen.", "# Do that\n\nFirst.\nThen.\nLast."
    assert differences(example(instructions=before), example(instructions=after)) == [
        Difference(
            "instructions",
            "4 lines",
            "5 lines",
            "changed",
            (
                ("-", "# Do this"),
                ("+", "# Do that"),
                (" ", ""),
                (" ", "First."),
                (" ", "Then."),
                ("+", "Last."),
            ),
        )
    ]
    [new] = differences(example(instructions=None), example(instructions="a\nb"))
    assert (new.before, new.after, new.kind, new.lines) == ("", "2 lines", "added", (("+", "a"), ("+", "b")))


def test_few_pairs_are_told_one_by_one() -> None:
    before = example(sample=None, pairs=listed(3))
    after = example(sample=None, pairs=listed(4, p1="other").replace("p0,", "p9,"))
    assert differences(before, after) == [
        Difference("pairs › p0", "a: human-1; b: hybrid-1; condition: c; kind: main", "", "removed"),
        Difference("pairs › p9", "", "a: human-1; b: hybrid-1; condition: c; kind: main", "added"),
        Difference("pairs › p3", "", "a: human-4; b: hybrid-1; condition: c; kind: main", "added"),
        Difference("pairs › p1 › condition", "c", "other", "changed"),
    ]


def test_many_pairs_are_told_in_a_sentence_with_their_rows() -> None:
    before, after = example(sample=None, pairs=listed(2)), example(sample=None, pairs=listed(14))
    [difference] = differences(before, after)
    assert difference.after == "12 pairs added: p2, p3, p4, p5, p6 and 7 more"
    assert len(difference.lines) == 12
    assert difference.lines[0] == ("+", "p2,human-3,hybrid-1,c,,main")
    [difference] = differences(after, example(sample=None, pairs=listed(14).replace(",c\n", ",d\n") + "d"))
    assert difference.after == "14 pairs changed: p0, p1, p2, p3, p4 and 9 more"
    assert len(difference.lines) == 28
    head, *rows = listed(14).splitlines()
    [difference] = differences(after, example(sample=None, pairs="\n".join([head, *rows[1:], rows[0]])))
    assert difference == Difference("pairs › p0", "1 of 14", "14 of 14", "moved")
    [difference] = differences(after, example(sample=None, pairs="\n".join([head, *reversed(rows)])))
    assert difference.after == "13 pairs moved: p13, p12, p11, p10, p9 and 8 more"


def test_pairs_that_cannot_be_read_are_compared_as_text() -> None:
    [difference] = differences(
        example(sample=None, pairs="pair,a,b\np1,x"), example(sample=None, pairs="pair,a,b\np1,y")
    )
    assert difference.lines == ((" ", "pair,a,b"), ("-", "p1,x"), ("+", "p1,y"))


def test_stored_versions_are_compared_with_the_pairs_drawn_and_the_clips_content() -> None:
    before = design_of(example())
    after = design_of(example(sample={**example()["sample"], "seed": 8}))
    kinds = {
        (difference.place.split(" › ")[0], difference.kind)
        for difference in design_differences(before, after)
    }
    assert kinds == {("sample", "changed"), ("pairs", "changed")}
    facts = make_facts()
    name = pairs_of(before.blocks)[0].a
    facts[name] = type(facts[name])(name, facts[name].source, facts[name].attributes, "f" * 64)
    assert design_differences(before, design_of(example(), facts)) == [
        Difference(f"clips › {name}", f"sha-{name}"[:12], "f" * 12, "changed")
    ]


@pytest.mark.slow
@given(keys=whole_drafts(), data=st.data())
@settings(max_examples=40, deadline=None)
def test_versions_differ_exactly_when_something_is_told(keys: dict[str, Any], data: st.DataObject) -> None:
    other = copy.deepcopy(keys)
    change = data.draw(st.sampled_from(["nothing", "title", "text", "order", "pairs", "question", "all"]))
    if change == "title":
        other["title"] = data.draw(TEXT)
    elif change == "text":
        other["consent"]["text"] += data.draw(st.sampled_from(["\n", "\nmore", " "]))
    elif change == "order":
        other["trials"]["questions"].reverse()
    elif change == "pairs":
        other = {
            **other,
            "sample": None,
            "pairs": data.draw(st.sampled_from([PAIRS, PAIRS.replace(",a,practice", ",,")])),
        }
    elif change == "question" and keys["background"]:
        other["background"][0]["ask"] = data.draw(TEXT)
    elif change == "all":
        other = data.draw(whole_drafts())
    before, after = design_of(keys), design_of(other)
    told = design_differences(before, after)
    assert (told == []) == (before.sha256() == after.sha256())
    assert bool(differences(draft_of_design(before, FACTS), draft_of_design(after, FACTS))) == bool(told)
    assert differences(keys, draft_of_design(before, FACTS)) == [] or "pairs" in keys


@pytest.mark.slow
@given(before=spoilt_drafts() | JSON, after=spoilt_drafts() | JSON)
@settings(max_examples=40, deadline=None)
def test_any_two_drafts_can_be_compared(before: Any, after: Any) -> None:
    assert differences(before, before) == []
    told = differences(before, after)
    assert len(differences(after, before)) >= bool(told)
    if draft_to_yaml(before) == draft_to_yaml(after):
        assert told == []
    if check_draft(before, FACTS).design != check_draft(after, FACTS).design:
        assert told
