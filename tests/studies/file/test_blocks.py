"""Studies of several blocks: what is wrong with one, and that no way of writing one changes the study."""

import io
import json
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings

from app.pairs.view import draw_state, find_by_block
from app.studies.file.bundle import read_bundle
from app.studies.file.design import StudyDesign
from app.studies.file.difference import design_differences, differences
from app.studies.file.drafts import check_draft, draft_of_design
from app.studies.file.keys import tidied
from app.studies.file.load import check_study
from app.studies.file.problems import StudyFileProblems
from app.studies.file.templates import unfilled
from app.studies.file.yamlsource import read_yaml
from app.studies.file.yamlwriter import draft_to_yaml
from app.tasks.pair.settings import PairDesign, pairs_of
from app.tasks.rating.settings import RatingDesign
from tests.studies.file.block_study import FILES, STUDY, block_keys, write_study
from tests.studies.file.draft_strategies import spoilt_block_drafts, whole_block_drafts
from tests.studies.file.study_folder import loaded, make_facts, problems_of
from tests.studies.file.test_drafts import FACTS, as_file, design_of, example
from tests.studies.file.test_studyfile_schema import fits_ours

# What is wrong

BOTH = "both `blocks` and `pairs` are given"
FEW_ITEMS = "per_participant: 3 asked for, but the block has 2 main items"
OUTSIDE = "blocks.2.items: '../items.csv' is outside the study file's folder"
MANY = "per_participant: 4 asked for, but the block has 3 main pairs"


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("task: rating", "task: ratings", 13, "task: 'ratings' is no task"),
        ("    task: rating\n", "", 13, "entry 2 of blocks has no task"),
        ("  - id: rate\n", "  - idd: rate\n", 13, "id is missing in entry 2 of blocks"),
        ("id: rate", "id: watch", 13, "the block 'watch' comes twice"),
        ("id: rate", "id: Rate it", 13, "id: 'Rate it' is not allowed"),
        ("id: rate", f"id: r{'a' * 40}", 13, None),
        ("block_order: random", "block_order: any", 22, "block_order: 'any' is not allowed"),
        ("block_order: random", "pairs: pairs.csv", 22, BOTH),
        ("block_order: random", "sample: {seed: 1, conditions: {human-hybrid: 1}}", 22, None),
        ("block_order: random", "trials: {questions: [{id: choice, type: 2afc, ask: W}]}", 22, None),
        ("pairs: pairs.csv", "sample: {seed: 1}", 8, "conditions is missing in sample"),
        ("    pairs: pairs.csv\n", "", 5, "neither `pairs` nor `sample` is given"),
        ("pairs: pairs.csv", "items: items.csv", 8, "unknown key 'items'"),
        ("pairs: pairs.csv", "pairs: none.csv", 8, "blocks.1.pairs: 'none.csv': there is no such file"),
        ("    items: items.csv\n", "", 13, "items is missing in entry 2 of blocks"),
        ("items: items.csv", "items: none.csv", 15, "blocks.2.items: 'none.csv': there is no such file"),
        ("items: items.csv", "items: ../items.csv", 15, OUTSIDE),
        ("watch.md", "none.md", 7, "blocks.1.instructions: 'none.md': there is no such file"),
        ("per_participant: 2\n    trials", "per_participant: 0\n    trials", 9, "per_participant: '0' is too small"),
        ("per_participant: 2\n    trials", "per_participant: 4\n    trials", 9, MANY),
        ("per_participant: 2\n    per", "per_participant: 3\n    per", 16, FEW_ITEMS),
        ("per_item: 3", "per_item: some", 17, "per_item: 'some' is not a whole number"),
        ("items: items.csv", "items: items.csv\n    order: blocked", 16, "order: 'blocked' is not allowed"),
        ("{1: no reasons, 3: all}", "{4: all}", 19, "an anchor of answer 4, and there are 3 answers"),
        ("{1: no reasons, 3: all}", "{high: all}", 19, "the name 'high' is not a whole number"),
        ("{1: no reasons, 3: all}", "[none, all]", 19, "anchors must be a mapping, not a list"),
        ("{group: persona}", "{group: person}", 20, "no item has the group 'person'"),
        ("{group: persona}", "{group: [persona, plain]}", 20, "no item has the group 'plain'"),
        ("{group: persona}", "{group: []}", 20, "group has 0 entries"),
        ("{group: persona}", "{groups: persona}", 20, "group is missing in when"),
        ("when: {group: persona}", "when: persona", 20, "when must be a mapping, not 'persona'"),
        ("id: reason", "id: logic", 21, "the id 'logic' comes twice"),
        ("type: text", "type: 2afc", 21, "type: '2afc' is no type of question here"),
        ("type: text", "type: text, anchors: {1: x}", 21, "unknown key 'anchors'"),
        ("type: 2afc", "type: text", 12, "the id 'choice' is kept for a 2afc question: the data have a column for it"),
    ],
)  # fmt: skip
def test_each_error_names_its_line(
    tmp_path: Path, old: str, new: str, line: int, message: str | None
) -> None:
    assert old in STUDY
    found = problems_of(write_study(tmp_path, study_yaml=STUDY.replace(old, new, 1)))
    assert ("study.yaml", line) in [(file, at) for file, at, _ in found]
    assert message is None or ("study.yaml", line, message) in found


@pytest.mark.parametrize(
    ("blocks", "message"),
    [
        ("[]", "there is no block"),
        ("", "blocks is empty; it must be a list"),
        ("5", "blocks must be a list, not '5'"),
        ("{id: watch, task: pair}", "blocks must be a list, not a mapping"),
        ("[5]", "entry 1 of blocks must be a mapping, not '5'"),
    ],
)
def test_no_block_is_one_error(tmp_path: Path, blocks: str, message: str) -> None:
    study = f"{STUDY.partition('blocks:')[0]}blocks: {blocks}\n"
    assert problems_of(write_study(tmp_path, study_yaml=study)) == [("study.yaml", 4, message)]


@pytest.mark.parametrize(
    ("items", "line", "message"),
    [
        ("item,stimulus\ni1,robot-1\n", 2, "column 'stimulus': there is no stimulus 'robot-1'"),
        ("item,stimulus,text\ni1,human-1,A text.\n", 2, "there is both a stimulus and a text"),
        ("item,stimulus,text\ni1,,\n", 2, "there is neither a stimulus nor a text"),
        ("item,stimulus\ni1,human-1\ni1,human-2\n", 3, "the item 'i1' comes twice; it stands on line 2 already"),
        ("item,stimulus\ni1,human-1\ni2,human-1\n", 3, "the item 'i2' shows the same stimulus as 'i1'"),
        ("item,text\n,A text.\n", 2, "column 'item' is empty"),
        ("item,text\na b,A text.\n", 2, "column 'item': 'a b' is not allowed"),
        ("item,text,kind\ni1,A text.,mian\n", 2, "column 'kind': 'mian' is not allowed"),
        ("item,text,kind\ni1,A text.,practice\n", 1, "there is no main item, so the questions would give no data"),
        ("item,txt\ni1,A text.\n", 1, "unknown column 'txt'"),
        ("text\nA text.\n", 1, "the column 'item' is missing"),
        ("item;txt\ni1;A text.\n", 1, "unknown column 'txt'"),
        ("item,text\ni1,A text.,more\n", 2, "has 3 cells, the header 2"),
        (f"item,text\ni1,{'a' * 20_001}\n", 2, "the text has 20001 characters"),
        ("", 1, "the file is empty"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_items_names_their_line(
    tmp_path: Path, items: str, line: int, message: str
) -> None:
    study = STUDY.replace(", when: {group: persona}", "").replace(
        "    per_participant: 2\n    per", "    per"
    )
    problems = problems_of(write_study(tmp_path, study_yaml=study, items_csv=items))
    assert problems == [("items.csv", line, message)]


def test_an_id_of_another_block_and_items_of_which_nothing_is_asked(tmp_path: Path) -> None:
    twice = FILES["items.csv"].replace("i2", "p2")
    assert problems_of(write_study(tmp_path, items_csv=twice)) == [
        ("study.yaml", 13, "'p2' is in two blocks")
    ]
    lines = STUDY.replace("- {id: logic", "# {id: logic").replace("- {id: reason", "# {id: reason")
    message = "no question is asked of the item 'i2' and of 1 other"
    assert problems_of(write_study(tmp_path, study_yaml=lines)) == [("study.yaml", 18, message)]


def test_groups_and_numbers_are_checked_before_the_stimuli_are_there(tmp_path: Path) -> None:
    study = STUDY.replace("group: persona", "group: person").replace(
        "per_participant: 2", "per_participant: 9"
    )
    with pytest.raises(StudyFileProblems) as refused:
        check_study(write_study(tmp_path, study_yaml=study))
    assert [problem.line for problem in refused.value.problems] == [9, 16, 20]


def test_a_fault_of_a_draft_stands_at_its_block() -> None:
    keys = block_keys()
    keys["blocks"][0]["per_participant"] = "12"
    keys["blocks"][1]["items"] = FILES["items.csv"].replace("human-3", "robot-3")
    keys["blocks"][1]["questions"][1]["when"]["group"] = "person"
    found = [(fault.place, fault.message) for fault in check_draft(keys, FACTS).faults]
    assert found == [
        (("blocks", 0, "per_participant"), "per_participant: 12 asked for, but the block has 3 main pairs"),
        (("blocks", 1, "items"), "row 2: column 'stimulus': there is no stimulus 'robot-3'"),
    ]


# The JSON Schema


def changed_yaml(old: str = "", new: str = "") -> Any:
    return yaml.safe_load(STUDY.replace(old, new, 1) if old else STUDY)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", ""),
        ("block_order: random", ""),
        ("{group: persona}", "{group: [persona]}"),
        ("items: items.csv", "items: items.csv\n    order: fixed"),
        ("pairs: pairs.csv", "sample: {seed: 1, conditions: {human-hybrid: 3}}"),
        ("type: text, ask: \"Why?\"", "type: slider, ask: \"Why?\", minimum: 0"),
    ],
)  # fmt: skip
def test_the_schema_accepts_what_is_loaded(tmp_path: Path, old: str, new: str) -> None:
    assert fits_ours(json.loads(json.dumps(changed_yaml(old, new))))
    assert loaded(write_study(tmp_path, study_yaml=STUDY.replace(old, new, 1) if old else STUDY))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("task: rating", "task: ratings"),
        ("    task: rating\n", ""),
        ("  - id: rate\n", "  - idd: rate\n"),
        ("block_order: random", "pairs: pairs.csv"),
        ("    items: items.csv\n", ""),
        ("    pairs: pairs.csv\n", ""),
        ("per_participant: 2", "per_participant: 0"),
        ("{group: persona}", "{group: []}"),
        ("type: text", "type: 2afc"),
        ("type: 2afc", "type: 2afc, when: {group: persona}"),
    ],
)
def test_the_schema_refuses_what_is_refused(tmp_path: Path, old: str, new: str) -> None:
    assert not fits_ours(json.loads(json.dumps(changed_yaml(old, new))))
    assert problems_of(write_study(tmp_path, study_yaml=STUDY.replace(old, new, 1)))


# The same study, however it is written


def test_a_study_of_blocks_has_what_its_file_says(tmp_path: Path) -> None:
    watch, rate = loaded(write_study(tmp_path)).blocks
    assert isinstance(watch, PairDesign)
    assert isinstance(rate, RatingDesign)
    assert (watch.id, watch.instructions, watch.per_participant) == ("watch", "Watch both.", 2)
    assert [pair.id for pair in watch.pairs] == ["p1", "p2", "p3"]
    assert (rate.id, rate.per_participant, rate.per_item, rate.order) == ("rate", 2, 3, "random")
    assert [(item.id, item.condition, item.group, item.kind.value) for item in rate.items] == [
        ("i1", "human", "persona", "main"),
        ("i2", "plain", "", "main"),
        ("i3", "plain", "", "practice"),
    ]
    assert rate.items[0].sha256 == FACTS["human-3"].clip_sha256
    assert rate.items[1].text == "I saved water,\n\nand bid **late**."
    assert rate.questions[0].anchors == ("no reasons", "", "all")
    assert [question.id for question in rate.asked_of(rate.items[1])] == ["logic", "reason"]


def test_file_design_json_draft_and_file_again_are_one_study(tmp_path: Path) -> None:
    design = loaded(write_study(tmp_path))
    assert StudyDesign.model_validate_json(design.canonical_json()) == design
    draft = draft_of_design(design, FACTS)
    assert design_of(draft).sha256() == design.sha256()
    assert as_file(draft, tmp_path) == design
    assert design_of(json.loads(json.dumps(draft))) == design
    assert tidied(read_yaml(draft_to_yaml(draft)).data) == draft_of_design(design, FACTS) == draft


def test_a_draw_of_a_block_is_kept_as_drawn(tmp_path: Path) -> None:
    sample = "sample: {seed: 3, match: goal, conditions: {human-hybrid: 2, human-symbolic: 1}}"
    study = STUDY.replace("pairs: pairs.csv", sample)
    design = loaded(write_study(tmp_path, study_yaml=study))
    draft = draft_of_design(design, FACTS)
    assert len(draft["blocks"][0]["sample"]["drawn"].splitlines()) == 4
    more = make_facts(n=9)
    assert check_draft(draft, more).design == design == as_file(draft, tmp_path)
    gone = {name: facts for name, facts in FACTS.items() if name != pairs_of(design.blocks)[0].a}
    assert "pairs" in draft_of_design(design, gone)["blocks"][0]


def test_the_short_form_is_the_block_named_trials() -> None:
    short = example()
    own = {key: short.pop(key) for key in ("sample", "trials")}
    block = {"id": "trials", "task": "pair", **own}
    as_block = {**short, "blocks": [block]}
    assert design_of(as_block) == design_of(example())
    assert design_of(as_block).sha256() == design_of(example()).sha256()
    assert differences(example(), as_block) == []
    for change in ({"id": "watch"}, {"instructions": "Now watch."}, {"per_participant": 4}):
        assert design_of({**short, "blocks": [{**block, **change}]}).sha256() != design_of(example()).sha256()


def test_what_stands_in_files_is_what_stands_in_the_file(tmp_path: Path) -> None:
    design = loaded(write_study(tmp_path))
    inline = design_of(block_keys())
    assert inline == design
    one_file = {"two-parts.yaml": draft_to_yaml(block_keys()).encode()}
    assert design_of(read_bundle(one_file)) == design


@pytest.mark.parametrize("folder", ["", "study/"])
def test_a_zip_holds_the_files_that_blocks_name(tmp_path: Path, folder: str) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in FILES.items():
            archive.writestr(f"{folder}{name}", text)
    keys = read_bundle({"study.zip": packed.getvalue()})
    assert design_of(keys) == loaded(write_study(tmp_path))


@pytest.mark.parametrize(
    ("name", "line", "key"),
    [("items.csv", 15, "blocks.2.items"), ("pairs.csv", 8, "blocks.1.pairs"), ("watch.md", 7, "blocks.1.instructions")],
)  # fmt: skip
def test_a_file_that_was_not_uploaded_is_named(name: str, line: int, key: str) -> None:
    files = {each: text.encode() for each, text in FILES.items() if each != name}
    with pytest.raises(StudyFileProblems) as refused:
        read_bundle(files)
    [problem] = refused.value.problems
    assert (problem.line, problem.message) == (line, f"{key}: {name!r} was not uploaded")
    assert "upload it together" in problem.remedy


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(whole_block_drafts())
def test_a_draft_of_blocks_survives_its_file_and_its_version(keys: dict[str, Any]) -> None:
    design = design_of(keys)
    assert design_of(read_bundle({"study.yaml": draft_to_yaml(keys).encode()})) == design
    assert StudyDesign.model_validate_json(design.canonical_json()) == design
    again = draft_of_design(design, FACTS)
    assert design_of(again).sha256() == design.sha256()
    assert design_differences(design, design_of(again)) == []


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(spoilt_block_drafts())
def test_any_keys_in_blocks_can_be_checked_compared_and_written(keys: Any) -> None:
    check = check_draft(keys, FACTS)
    assert (check.design is None) == bool(check.faults)
    assert differences(keys, keys) == []
    differences(keys, block_keys())
    unfilled(keys)
    assert read_yaml(draft_to_yaml(keys)).faults == ()


# What changed


def changed(**blocks: Any) -> Sequence[tuple[str, str, str, str]]:
    """The differences from the study to one whose blocks `watch` and `rate` have other keys."""
    after = block_keys()
    after["blocks"] = [{**block, **blocks.get(block["id"], {})} for block in after["blocks"]]
    by_keys = [(d.place, d.before, d.after, d.kind) for d in differences(block_keys(), after)]
    whole = [
        (d.place, d.before, d.after, d.kind)
        for d in design_differences(*map(design_of, (block_keys(), after)))
    ]
    assert by_keys == whole
    return by_keys


def test_changes_in_a_block_are_told_at_their_place() -> None:
    assert changed() == []
    assert changed(watch={"per_participant": 3}) == [
        ("blocks › watch › per_participant", "2", "3", "changed")
    ]
    assert changed(rate={"per_item": None, "order": "fixed"}) == [
        ("blocks › rate › order", "random", "fixed", "changed"),
        ("blocks › rate › per_item", "3", "", "removed"),
    ]
    questions = block_keys()["blocks"][1]["questions"]
    questions[0]["anchors"] = {"1": "no reasons", "2": "some", "3": "all"}
    questions[1]["when"] = {"group": ["persona"]}
    assert changed(rate={"questions": questions}) == [
        ("blocks › rate › questions › logic › anchors › 2", "", "some", "added")
    ]


def test_rows_of_a_block_are_told_by_its_name() -> None:
    items = FILES["items.csv"].replace("Practise on this.", "Practise here.") + "i4,,One more.,plain,,\n"
    pairs = "pair,a,b\np2,hybrid-2,symbolic-2\np1,human-1,hybrid-1\np3,human-2,symbolic-1\n"
    assert changed(watch={"pairs": pairs}, rate={"items": items}) == [
        ("blocks › watch › pairs › p2", "2 of 3", "1 of 3", "moved"),
        ("blocks › rate › items › i4", "", "text: One more.; condition: plain; kind: main", "added"),
        ("blocks › rate › items › i3 › text", "Practise on this.", "Practise here.", "changed"),
    ]
    many = FILES["items.csv"] + "".join(f"n{i},,Text {i}.,plain,,\n" for i in range(7))
    [(place, before, after, kind)] = changed(rate={"items": many})
    assert (place, before, kind) == ("blocks › rate › items", "", "added")
    assert after == "7 items added: n0, n1, n2, n3, n4 and 2 more"


def test_a_block_that_comes_goes_or_moves_is_told_in_a_few_words() -> None:
    before = block_keys()
    watch, rate = before["blocks"]
    [gone] = differences(before, {**before, "blocks": [watch]})
    assert (gone.place, gone.kind) == ("blocks › rate", "removed")
    assert gone.before == "rating: 3 items; logic, persona, reason"
    [moved] = differences(before, {**before, "blocks": [rate, watch]})
    assert (moved.place, moved.kind) == ("blocks › rate", "moved")
    short = example()
    own = {key: short[key] for key in ("sample", "trials")}
    rest = {key: value for key, value in short.items() if key not in own}
    [came] = differences(short, {**rest, "blocks": [{"id": "trials", "task": "pair", **own}, rate]})
    assert (came.place, came.kind) == ("blocks › rate", "added")


def test_blocks_that_draw_the_same_condition_have_pairs_with_ids_of_their_own(tmp_path: Path) -> None:
    first, rate = block_keys()["blocks"]
    kept = {key: value for key, value in first.items() if key not in ("pairs", "per_participant")}
    sample = {"seed": 7, "conditions": {"human-hybrid": 2}}
    keys = block_keys(
        blocks=[{**kept, "sample": sample}, {**kept, "id": "again", "sample": {**sample, "seed": 8}}, rate]
    )
    design = design_of(keys)
    watch, again = design.blocks[:2]
    assert isinstance(watch, PairDesign)
    assert isinstance(again, PairDesign)
    assert [pair.id for pair in watch.pairs] == ["human-hybrid-01", "human-hybrid-02"]
    assert [pair.id for pair in again.pairs] == ["again-human-hybrid-01", "again-human-hybrid-02"]
    assert design_of(draft_of_design(design, FACTS)) == design
    assert as_file(keys, tmp_path) == design

    found = find_by_block(keys, FACTS)
    assert [pair.id for pair in found["again"].pairs] == [pair.id for pair in again.pairs]
    sample = draft_of_design(design, FACTS)["blocks"][1]["sample"]
    assert draw_state({"sample": sample}, found["again"], FACTS) == "kept", (
        "by its own id, not as another draw"
    )
