"""Drafts: checked at their fields, written as files and read back, made from stored versions."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.studies.file.drafts import check_draft, draft_of_design, slug_of, with_slug
from app.studies.file.keys import UnwieldyDraft, tidied
from app.studies.file.load import StimulusFacts, StudyDesign, StudyFileProblems, load_study
from app.studies.file.yamlsource import read_yaml
from app.studies.file.yamlwriter import draft_to_yaml
from app.tasks.pair.settings import PairDesign, pairs_of
from tests.studies.file.draft_strategies import JSON, PAIRS, spoilt_drafts, whole_drafts
from tests.studies.file.study_folder import example_keys, make_facts

FACTS = make_facts()


def example(**changes: Any) -> dict[str, Any]:
    """The example study as a draft."""
    keys: dict[str, Any] = example_keys()
    keys["consent"]["text"] = "# Consent\n\nPlease read."
    keys["instructions"] = "Watch both."
    keys["completion"]["message"] = "Bye."
    return {**keys, **changes}


def design_of(keys: object, stimuli: Mapping[str, StimulusFacts] = FACTS) -> StudyDesign:
    check = check_draft(keys, stimuli)
    assert check.faults == ()
    assert check.design is not None
    return check.design


def as_file(keys: object, folder: Path) -> StudyDesign | None:
    """The design of the draft's file, None where it is refused."""
    path = folder / "draft.yaml"
    path.write_text(draft_to_yaml(keys), encoding="utf-8")
    try:
        return load_study(path, FACTS)
    except StudyFileProblems:
        return None


# Checking


def test_a_text_of_one_line_is_markdown_and_no_files_name() -> None:
    design = design_of(example(instructions="consent.md"))
    assert design.instructions == "consent.md"
    assert design.completion.message == "Bye."


def test_a_draft_from_json_may_hold_numbers_and_text_alike() -> None:
    keys = example(
        sample={"seed": "7", "match": ["goal"], "conditions": {"human-hybrid": "6", "hybrid-symbolic": 4}}
    )
    keys["consent"] |= {"version": 3, "minimum_age": "18"}
    assert design_of(keys).consent.version == "3"
    assert design_of({**keys, "consent": {**keys["consent"], "version": "3"}}) == design_of(keys)


def test_a_true_source_that_nothing_is_of_is_told_with_the_studys_own_sources() -> None:
    def told(is_own: Callable[[StimulusFacts], bool]) -> str:
        stimuli = {name: replace(each, is_own=is_own(each)) for name, each in FACTS.items()}
        faults = check_draft(example(truth={"source": "real"}), stimuli).faults
        return next(each.remedy for each in faults if each.place == ("truth", "source"))

    assert told(lambda each: each.source != "symbolic") == "use human, hybrid or none"
    assert told(lambda each: False) == "use human, hybrid, symbolic or none"


def test_line_ends_of_a_browsers_form_do_not_change_the_study() -> None:
    keys = example(instructions="Watch\n\nboth.")
    assert design_of({**keys, "instructions": "Watch\r\n\r\nboth.\r\n"}).sha256() == design_of(keys).sha256()


def test_without_stimuli_the_rest_is_checked_and_there_is_no_design() -> None:
    check = check_draft(example(sample={"seed": 1, "conditions": {"no-such": 3}}), None)
    assert (check.design, check.faults) == (None, ())
    assert check_draft(example(title=""), None).at("title")


def test_every_fault_stands_at_its_field_in_the_order_of_the_form() -> None:
    keys: dict[str, Any] = {
        "titel": "Which?",
        "study": "HNTT",
        "consent": {"version": "1", "text": " ", "minimum_age": "adult"},
        "background": [{"id": "page", "ask": "", "scale": "familarity"}],
        "pairs": PAIRS.replace("symbolic-2", "nobody").replace("practice", "mian"),
        "scales": {"Mine": ["a", "b"], "quality": ["a", "a"]},
        "trials": {
            "order": "randm",
            "questions": [
                {"id": "choice", "type": "text", "ask": "Which?"},
                {"id": "sure", "type": "likert", "ask": "Sure?", "labels": ["a", "b", "b"]},
            ],
        },
        "completion": {"redirect": "https://a.org/{code}"},
    }
    faults = check_draft(keys, FACTS).faults
    assert [(fault.place, fault.message) for fault in faults] == [
        (("titel",), "unknown key 'titel'"),
        (("study",), "study: 'HNTT' is not allowed"),
        (("title",), "title is missing"),
        (("consent", "text"), "text is empty"),
        (("consent", "minimum_age"), "minimum_age: 'adult' is not a whole number"),
        (("background", 0, "ask"), "ask is empty"),
        (("background", 0, "id"), "the id 'page' is a word of the pages"),
        (("background", 0, "scale"), "there is no scale 'familarity'"),
        (("pairs",), "row 3: column 'kind': 'mian' is not allowed"),
        (("pairs",), "row 3: column 'b': there is no clip 'nobody'"),
        (("scales", "Mine"), "the name 'Mine' is not allowed"),
        (("scales", "quality"), "'a' comes twice in the list"),
        (("scales", "quality"), "the scale 'quality' is built in"),
        (("trials", "order"), "order: 'randm' is not allowed"),
        (("trials", "questions"), "no question of type 2afc: there is nothing to choose"),
        (
            ("trials", "questions", 0, "id"),
            "the id 'choice' is kept for a 2afc question: the data have a column for it",
        ),
        (("trials", "questions", 1, "labels"), "'b' comes twice in the list"),
        (("completion", "redirect"), "redirect sends {code}, but there is no `code`"),
    ]


def test_an_empty_draft_says_which_fields_are_needed_and_knows_no_files() -> None:
    check = check_draft({}, FACTS)
    assert [(fault.place, fault.remedy) for fault in check.faults] == [
        (("study",), "fill in study"),
        (("title",), "fill in title"),
        (("consent", "text"), "fill in text"),
        (("consent", "version"), "fill in version"),
        (("pairs",), "list the pairs, or have them drawn"),
        (("trials", "questions"), "fill in questions"),
    ]
    assert [fault.place for fault in check.within("consent")] == [("consent", "text"), ("consent", "version")]
    assert check.at("title") == check.faults[1:2]


@pytest.mark.parametrize(
    ("pairs", "message", "remedy"),
    [
        (",,\n", "there are no rows", "begin with the columns pair, a, b, condition, truth, kind, why"),
        ("pair,a\n", "row 1: the column 'b' is missing", "needed are pair, a, b"),
        ("pair;a\np1;x", "row 1: the column 'b' is missing", "needed are pair, a, b"),
        (
            "pair,a,b\n\np1,human-1,hybrid-1\np1,human-2,hybrid-2",
            "row 4: the pair 'p1' comes twice; it stands in row 3 already",
            "give each pair its own id",
        ),
        (
            "pair,a,b\np1,human-1,hybrid-1\np2,hybrid-1,human-1",
            "row 3: the pair 'p2' shows the same two clips as 'p1'",
            "remove this row, or the one in row 2",
        ),
        (
            "pair,a,b\np1,human-1,zzz",
            "row 2: column 'b': there is no clip 'zzz'",
            "upload it first",
        ),
        (
            "pair,a,b,kind\np1,human-1,hybrid-1,practice",
            "there is no main pair, so the trials' questions would give no data",
            "add pairs of kind main",
        ),
    ],
)
def test_a_problem_with_pairs_names_its_row(pairs: str, message: str, remedy: str) -> None:
    keys = example(sample=None, pairs=pairs)
    [fault] = check_draft(keys, FACTS).faults
    assert (fault.place, fault.message, fault.remedy) == (("pairs",), message, remedy)


def test_clips_that_are_missing_for_a_draw_are_named_without_the_command_line() -> None:
    [fault] = check_draft(example(sample={"seed": 1, "conditions": {"human-hybrid": 1}}), {}).faults
    assert (fault.place, fault.remedy) == (
        ("sample", "conditions", "human-hybrid"),
        "upload them first",
    )


def test_many_unknown_names_in_a_large_library_are_told_at_once() -> None:
    """Near names are looked for a few times only: 2,000 rows over 2,000 clips would otherwise take minutes."""
    facts = make_facts(n=700)
    rows = "".join(f"p{n},human-1,unknown-{n}\n" for n in range(2_000))
    faults = check_draft(example(sample=None, pairs=f"pair,a,b\n{rows}"), facts).faults
    assert len(faults) == 2_000
    assert faults[-1].remedy == "upload it first"


def test_a_draft_without_end_is_refused_in_one_line() -> None:
    deep: list[object] = []
    for _ in range(5_000):
        deep = [deep]
    wide: object = "x"
    for _ in range(9):
        wide = [wide] * 9
    round_and_round: dict[str, object] = {}
    round_and_round["consent"] = round_and_round
    for keys in ({"title": deep}, {"title": wide}, round_and_round):
        [fault] = check_draft(keys, FACTS).faults
        assert fault.place == ()
        with pytest.raises(UnwieldyDraft):
            draft_to_yaml(keys)


def test_a_number_longer_than_python_writes_is_refused() -> None:
    keys = example(sample={"seed": 10**5000, "conditions": {"human-hybrid": 1}})
    [fault] = check_draft(keys, FACTS).faults
    assert fault.place == ("sample", "seed")


@pytest.mark.slow
@given(keys=spoilt_drafts() | JSON)
def test_whatever_a_draft_holds_it_is_checked_and_its_file_says_the_same(
    tmp_path_factory: pytest.TempPathFactory, keys: Any
) -> None:
    check = check_draft(keys, FACTS)
    assert (check.design is None) == bool(check.faults)
    assert check_draft(keys, None).design is None
    for fault in check.faults:
        assert fault.message
        assert fault.remedy
        assert len(f"{fault.message}{fault.remedy}".splitlines()) == 1
        ours = [words for words in ("the file", ".csv", "likely-human", ".md") if words not in repr(keys)]
        assert not any(words in f"{fault.message}{fault.remedy}" for words in ours)
    assert as_file(keys, tmp_path_factory.getbasetemp()) == check.design
    assert tidied(tidied(keys)) == tidied(keys)


# As a file


@pytest.mark.slow
@given(keys=whole_drafts())
def test_a_draft_and_its_file_are_the_same_study(
    tmp_path_factory: pytest.TempPathFactory, keys: dict[str, Any]
) -> None:
    design = design_of(keys)
    again = as_file(keys, tmp_path_factory.getbasetemp())
    assert again == design
    assert again.sha256() == design.sha256()
    assert draft_to_yaml(json.loads(json.dumps(tidied(keys)))) == draft_to_yaml(keys)


@pytest.mark.slow
@given(keys=spoilt_drafts() | JSON)
def test_any_drafts_file_holds_every_value(keys: Any) -> None:
    source = read_yaml(draft_to_yaml(keys))
    assert source.faults == ()
    assert draft_to_yaml(source.data) == draft_to_yaml(keys)


def test_the_file_reads_well() -> None:
    keys = example(
        instructions="# Do this\n\nFirst,  \nthen\tthat.\n",
        pairs=None,
        scales={"trust": ["none", "some"]},
    )
    keys["completion"] |= {"code": "007"}
    keys["background"].append(
        {"type": "number", "maximum": "99.5", "ask": "Age", "required": "no", "id": "age"}
    )
    assert draft_to_yaml(dict(reversed(keys.items()))) == (
        """\
# A study file of Likely Human; the help page Study file explains every key.
study: hntt-1
title: "Which navigation looks human?"
consent:
  version: 2021-01
  text: |
    # Consent

    Please read.
  minimum_age: 18
background:
  - {id: genre_familiarity, ask: "How familiar are you with third-person action games?", scale: familiarity}
  - {id: age, type: number, ask: Age, maximum: 99.5, required: false}
instructions: |
  # Do this

  First,  \n  then\tthat.
sample: {match: goal, seed: 7, conditions: {human-hybrid: 6, hybrid-symbolic: 4}}
scales: {trust: [none, some]}
trials:
  order: random
  sides: balanced
  watch: both-to-end
  questions:
    - {id: choice, type: 2afc, ask: "Which video is more likely to be human?"}
    - id: rationale
      type: text
      ask: "Why do you think this is the case? Please provide as much detail as possible."
    - id: uncertainty
      type: likert
      ask: "How certain are you of your choice?"
      labels: [extremely certain, somewhat certain, neutral, somewhat uncertain, extremely uncertain]
completion:
  message: |
    Bye.
  code: "007"
"""
    )


def test_other_readers_of_yaml_take_no_label_for_something_else(tmp_path: Path) -> None:
    """`no`, `2021-01-05` and `1e3` stand in quotes, for readers that know more types than ours."""
    import yaml

    labels = ["no", "2021-01-05", "1e3", "12:30", "on", "a, b", "0x1f", "~", "x"]
    keys = example(scales={"mine": labels}, title="No")
    other = yaml.safe_load(draft_to_yaml(keys))
    assert (other["scales"]["mine"], other["title"], other["sample"]["seed"]) == (labels, "No", 7)


# From stored versions


@pytest.mark.slow
@given(keys=whole_drafts())
def test_a_stored_version_comes_back_as_a_draft_of_the_same_study(keys: dict[str, Any]) -> None:
    design = design_of(keys)
    stored = StudyDesign.model_validate_json(design.canonical_json())
    draft = draft_of_design(stored, FACTS)
    assert ("sample" in draft) == ("sample" in keys)
    assert json.loads(json.dumps(draft)) == draft
    assert design_of(draft).sha256() == design.sha256()


def test_a_slider_whose_ends_have_no_labels_comes_back_without_them() -> None:
    keys = example()
    keys["trials"]["questions"].append({"id": "effort", "type": "slider", "ask": "How hard was it?"})
    draft = draft_of_design(design_of(keys), FACTS)
    assert "labels" not in draft["trials"]["questions"][-1]
    assert design_of(draft) == design_of(keys)


def test_drawn_pairs_stay_whatever_clips_come_and_are_listed_once_they_cannot_be_kept() -> None:
    design = design_of(example())
    more = make_facts(n=7)
    draft = draft_of_design(design, more)
    assert design_of(draft, more) == design
    assert pairs_of(
        design_of({**draft, "sample": {**draft["sample"], "drawn": None}}, more).blocks
    ) != pairs_of(design.blocks)
    gone = {name: facts for name, facts in FACTS.items() if name != "human-1"}
    assert "row" in check_draft(draft_of_design(design, gone), gone).faults[0].message


def test_clips_that_were_processed_anew_leave_the_draw_as_it_is() -> None:
    anew = {name: replace(facts, clip_sha256=f"new-{name}") for name, facts in FACTS.items()}
    assert "sample" in draft_of_design(design_of(example()), anew)


def test_a_version_of_published_answers_becomes_a_draft_that_can_be_run() -> None:
    design = design_of(example())
    (block,) = design.blocks_of(PairDesign)
    choice = block.trials.questions[0].model_copy(update={"required": False})
    trials = block.trials.model_copy(update={"questions": (choice, *block.trials.questions[1:])})
    published = design.model_copy(update={"blocks": (block.model_copy(update={"trials": trials}),)})
    assert design_of(draft_of_design(published, FACTS)) == design


# Names


def test_a_clone_has_its_own_name_and_leaves_the_original_alone() -> None:
    keys = example()
    clone = with_slug(keys, "hntt-2", "Another")
    assert (clone["study"], clone["title"], keys["study"]) == ("hntt-2", "Another", "hntt-1")
    assert with_slug(keys, "x")["title"] == keys["title"]
    clone["consent"]["text"] = "changed"
    assert keys["consent"]["text"] != "changed"


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Which navigation looks human?", "which-navigation-looks-human"),
        ("  Zwölf Café  ", "zwolf-cafe-2"),
        ("日本", "study"),
        ("-" * 90 + "x" * 90, "x" * 56),
    ],
)
def test_a_title_makes_a_name_that_is_free(title: str, slug: str) -> None:
    assert slug_of(title, {"zwolf-cafe"}) == slug


@given(title=st.text(max_size=80))
def test_every_title_makes_a_name_that_is_allowed(title: str) -> None:
    assert not check_draft(example(study=slug_of(title)), None).faults
