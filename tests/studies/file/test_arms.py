"""Arms in the study file: what each changes, what it may not, and that a study without them stays what it was."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from app.core.problems import Problem
from app.studies.file.arms import moment
from app.studies.file.bundle import read_bundle
from app.studies.file.design import StudyDesign
from app.studies.file.difference import differences
from app.studies.file.drafts import check_draft, draft_of_design
from app.studies.file.load import check_study, load_study
from app.studies.file.problems import StudyFileProblems
from app.studies.file.yamlwriter import draft_to_yaml
from app.tasks.pair.settings import PairDesign
from tests.studies.file.block_study import FILES, STUDY, write_study
from tests.studies.file.study_folder import loaded, make_facts
from tests.studies.file.test_drafts import FACTS

ARMS = """\
arms:
  - id: slow
    target: 30
    set:
      blocks.watch.trials.watch: both-to-end
      instructions: slow.md
  - id: fast
    target: 60
    set:
      blocks.watch.trials.watch: free
      blocks.watch.trials.questions.choice.ask: Which was recorded?
      blocks.watch.instructions: fast.md
      block_order: fixed
target: 80
idle_minutes: 20
opens: 2026-03-01T09:00+01:00
ends: 2026-03-31T18:00Z
"""
TEXTS = {"slow.md": "Take your time.\n", "fast.md": "Be quick.\n"}


def with_arms(folder: Path, arms: str = ARMS, study: str = STUDY) -> Path:
    for name, text in TEXTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    return write_study(folder, study_yaml=study + arms)


def design_of(folder: Path, arms: str = ARMS, study: str = STUDY) -> StudyDesign:
    return loaded(with_arms(folder, arms, study))


def problems_of(path: Path) -> Sequence[Problem]:
    with pytest.raises(StudyFileProblems) as refused:
        load_study(path, make_facts())
    return refused.value.problems


def watched(design: StudyDesign) -> PairDesign:
    return design.blocks_of(PairDesign)[0]


def test_each_arm_has_a_design_of_its_own(tmp_path: Path) -> None:
    design = design_of(tmp_path)
    slow, fast = design.for_arm("slow"), design.for_arm("fast")
    assert [watched(each).trials.watch for each in (design, slow, fast)] == [
        "both-to-end",
        "both-to-end",
        "free",
    ]
    assert (slow.instructions, fast.instructions) == ("Take your time.", None)
    assert [watched(each).instructions for each in (slow, fast)] == ["Watch both.", "Be quick."]
    assert [watched(each).trials.questions[0].ask for each in (slow, fast)] == [
        "Which is real?",
        "Which was recorded?",
    ]
    assert (slow.block_order, fast.block_order) == ("random", "fixed")
    assert slow.blocks[0].units() == fast.blocks[0].units() == design.blocks[0].units()
    assert design.arm_ids == ("slow", "fast")
    assert [arm.target for arm in design.arms] == [30, 60]
    assert str(design.opens_at) == "2026-03-01 08:00:00+00:00"
    assert design.for_arm("none such") is design


def test_a_stored_design_keeps_its_arms(tmp_path: Path) -> None:
    design = design_of(tmp_path)
    stored = StudyDesign.model_validate_json(design.canonical_json())
    assert stored == design
    assert stored.for_arm("fast") == design.for_arm("fast")


def test_blocks_can_be_those_of_some_arms(tmp_path: Path) -> None:
    study = STUDY.replace("  - id: rate\n", "  - id: rate\n    arms: [fast]\n")
    design = design_of(tmp_path, study=study)
    assert [block.id for block in design.for_arm("slow").blocks] == ["watch"]
    assert [block.id for block in design.for_arm("fast").blocks] == ["watch", "rate"]


def test_an_arm_of_a_study_in_the_short_form(tmp_path: Path) -> None:
    short = """\
study: short
title: Short
consent: {version: '1', text: consent.md}
pairs: pairs.csv
trials:
  questions:
    - {id: choice, type: 2afc, ask: "Which is real?"}
arms:
  - {id: a, set: {trials.watch: free}}
  - {id: b, set: {trials.order: fixed}}
"""
    design = design_of(tmp_path, "", short)
    assert design.is_one_block
    assert [watched(design.for_arm(arm)).trials.watch for arm in "ab"] == ["free", "both-to-end"]
    assert StudyDesign.model_validate_json(design.canonical_json()) == design


def test_a_study_without_the_keys_has_the_hash_that_it_had(tmp_path: Path) -> None:
    plain = loaded(write_study(tmp_path))
    assert plain.sha256() == "8acbcb87738996348bf40510ddfa38adb1e1e95baed17c34a98a00bcc2b5f983"
    assert plain.arm_ids == ("main",)
    assert plain.for_arm("main") is plain


PAIRS = "an arm cannot change the lists and units of a block"


@pytest.mark.parametrize(
    ("old", "new", "message", "remedy"),
    [
        (
            "blocks.watch.trials.watch: free",
            "blocks.watch.trials.wach: free",
            "unknown key 'wach'",
            "'watch'",
        ),
        (
            "blocks.watch.trials.watch: free",
            "blocks.wacht.trials.watch: free",
            "there is no block 'wacht'",
            "'watch'",
        ),
        (
            "blocks.watch.trials.watch: free",
            "blocks.watch.trials.watch: often",
            "'often' is not allowed",
            "use",
        ),
        (
            "blocks.watch.trials.watch: free",
            "blocks.watch.task.watch: free",
            "the task of a block",
            "of its own",
        ),
        ("blocks.watch.trials.watch: free", "blocks.watch.pairs: pairs.csv", PAIRS, "arms: [...]"),
        ("blocks.watch.trials.watch: free", "blocks.watch.sample.seed: 2", PAIRS, "arms: [...]"),
        ("blocks.watch.trials.watch: free", "blocks.rate.items: items.csv", PAIRS, "arms: [...]"),
        ("blocks.watch.trials.watch: free", "blocks.watch.id: look", "the id of a block", "of its own"),
        ("blocks.watch.trials.watch: free", "blocks.watch: free", "sets single keys", "down to one"),
        ("blocks.watch.trials.watch: free", "blocks.watch.id.more: x", "the id of a block", "of its own"),
        ("questions.choice.ask", "questions.chioce.ask", "there is no entry 'chioce'", "'choice'"),
        ("blocks.watch.trials.watch: free", "consent.text: fast.md", "before they get an arm", "take it out"),
        ("blocks.watch.trials.watch: free", "completion.minutes: 3", "before they get an arm", "take it out"),
        ("blocks.watch.trials.watch: free", "target: 3", "an arm cannot set this", "it can set"),
        ("blocks.watch.trials.watch: free", "tittle: Fast", "an arm cannot set this", "'title'"),
        ("blocks.watch.trials.watch: free", "title.more: Fast", "there is nothing below 'title'", "has keys"),
        (
            "blocks.watch.trials.watch: free",
            "blocks.watch.per_participant: 4",
            "4 asked for, but the block has 3",
            "",
        ),
        (
            "blocks.watch.instructions: fast.md",
            "blocks.watch.instructions: quick.md",
            "there is no such file",
            "",
        ),
        ("id: fast", "id: slow", "the arm 'slow' comes twice", "its own id"),
        ("id: fast", "id: main", "'main' is the arm of studies without arms", "another id"),
        ("id: fast", "id: Fast one", "'Fast one' is not allowed", "lower-case"),
        ("    target: 60\n", "", "this arm has no target", "or none"),
        ("target: 80", "target: 91", "the arms' targets come to 90", "raise"),
        ("ends: 2026-03-31T18:00Z", "ends: 2026-03-01T07:00Z", "it ends before it opens", "later"),
        ("ends: 2026-03-31T18:00Z", "ends: 2026-03-31T18:00", "has no time zone", "+01:00"),
        ("ends: 2026-03-31T18:00Z", "ends: soon", "is no date and time", "+01:00"),
        ("ends: 2026-03-31T18:00Z", "ends: 9999-12-31T23:00-02:00", "is no date and time", "another year"),
        ("idle_minutes: 20", "idle_minutes: 0", "0' is too small", "1 or more"),
        ("target: 80", "target: 0", "0' is too small", "1 or more"),
        (
            "    set:\n      blocks.watch.trials.watch: free",
            "    sets:\n      blocks.watch.trials.watch: free",
            "'sets'",
            "",
        ),
    ],
)
def test_what_an_arm_may_not_say_is_told_at_its_line(
    tmp_path: Path, old: str, new: str, message: str, remedy: str
) -> None:
    """A path that does not exist, that changes the units, and a study that would be invalid."""
    first = ARMS.rpartition(old)[0]
    arms = first + new + ARMS[len(first) + len(old) :]
    problem = problems_of(with_arms(tmp_path, arms))[0]
    assert message in problem.message
    assert problem.remedy
    assert remedy in problem.remedy
    line = (STUDY + arms).splitlines()[problem.line - 1]
    assert new.split(":")[0].strip() in line or "id: fast" in line or "target" in line


@pytest.mark.parametrize(
    ("written", "in_utc"),
    [
        ("2026-03-29T01:59+01:00", "2026-03-29T00:59"),  # Berlin, the last minute of winter time
        ("2026-03-29T03:00+02:00", "2026-03-29T01:00"),  # and the first of summer time
        ("2026-10-25T02:30+02:00", "2026-10-25T00:30"),  # half past two comes twice in that night
        ("2026-10-25T02:30+01:00", "2026-10-25T01:30"),
        ("2026-03-01T00:00+01:00", "2026-02-28T23:00"),  # midnight is the day before in UTC
        ("2026-02-28T00:00-11:00", "2026-02-28T11:00"),
    ],
)
def test_the_offset_that_is_written_decides_when_a_study_opens(written: str, in_utc: str) -> None:
    assert moment(written).isoformat(timespec="minutes") == f"{in_utc}+00:00"


def test_a_block_of_an_arm_that_there_is_not(tmp_path: Path) -> None:
    study = STUDY.replace("  - id: rate\n", "  - id: rate\n    arms: [quick]\n")
    assert "there is no arm 'quick'" in problems_of(with_arms(tmp_path, study=study))[0].message
    assert "there is no arm 'quick'" in problems_of(with_arms(tmp_path, "", study))[0].message


def test_an_arm_without_a_block(tmp_path: Path) -> None:
    study = STUDY.replace("  - id: rate\n", "  - id: rate\n    arms: [fast]\n")
    study = study.replace("  - id: watch\n", "  - id: watch\n    arms: [fast]\n")
    assert "the arm 'slow' has no block" in problems_of(with_arms(tmp_path, study=study))[0].message


WALKS = """\
study: walks
title: Walks
consent: {version: '1', text: consent.md}
blocks:
  - {id: walk, task: walk, goals: 6, walks: 3}
arms:
  - {id: a, set: {blocks.walk.goals: 5}}
  - {id: b}
"""


def test_an_arm_cannot_change_the_courses_of_a_block_has(tmp_path: Path) -> None:
    problems = problems_of(with_arms(tmp_path, "", WALKS))
    assert "has other units" in problems[0].message, problems


def test_the_study_is_checked_without_stimuli(tmp_path: Path) -> None:
    check_study(with_arms(tmp_path))


def files(arms: str = ARMS) -> Mapping[str, bytes]:
    texts = {**FILES, **TEXTS, "study.yaml": STUDY + arms}
    return {name: text.encode() for name, text in texts.items()}


def test_every_way_of_writing_makes_the_same_study(tmp_path: Path) -> None:
    """As a folder, as a draft of the pages, as the one file that is downloaded, and as the draft of a version."""
    design = loaded(with_arms(tmp_path))
    keys = read_bundle(files())
    assert keys["arms"][0]["set"]["instructions"] == TEXTS["slow.md"].strip()
    of_draft = check_draft(keys, make_facts())
    assert of_draft.faults == ()
    assert of_draft.design == design
    again = draft_of_design(design, make_facts())
    written = read_bundle({"study.yaml": draft_to_yaml(again).encode()})
    for each in (again, written):
        assert check_draft(each, make_facts()).design == design
        assert not [change for change in differences(keys, each) if change.place.startswith("arms")]


def test_a_draft_shows_an_arms_fault_at_the_arm() -> None:
    keys = read_bundle(files(ARMS.replace("trials.watch: free", "trials.watch: often")))
    (fault,) = check_draft(keys, FACTS).faults
    assert fault.place == ("arms", 1, "set", "blocks.watch.trials.watch")


def test_a_change_of_an_arm_is_one_line(tmp_path: Path) -> None:
    before = read_bundle(files())
    after = read_bundle(
        files(ARMS.replace("target: 60", "target: 70").replace("watch: free", "watch: both-to-end"))
    )
    found = {change.place: (change.before, change.after) for change in differences(before, after)}
    assert found == {
        "arms › fast › target": ("60", "70"),
        "arms › fast › set › blocks.watch.trials.watch": ("free", "both-to-end"),
    }
