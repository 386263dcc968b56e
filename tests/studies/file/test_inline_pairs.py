"""Pairs listed in the study file itself, and texts of a single line there."""

from pathlib import Path

import pytest

from app.tasks.pair.settings import pairs_of
from tests.studies.file.study_folder import EXAMPLE, PAIRS, loaded, make_folder, problems_of

BLOCK = """\
pairs: |            # line 7
  pair,a,b,kind
  p1,human-1,hybrid-1,main

  p2,hybrid-2,symbolic-2,{kind}
  p1,{a},hybrid-1,"""


def test_pairs_in_the_study_file_are_those_of_a_file(tmp_path: Path) -> None:
    by_file = loaded(make_folder(tmp_path, pairs=PAIRS))
    block = "pairs: |\n  pair,a,b\n  p1,human-1,hybrid-1\n  p2,hybrid-2,symbolic-2"
    assert loaded(make_folder(tmp_path, pairs=block)).sha256() == by_file.sha256()
    quoted = 'pairs: "pair,a,b\\np1,human-1,hybrid-1\\np2,hybrid-2,symbolic-2"'
    assert loaded(make_folder(tmp_path, pairs=quoted)).sha256() == by_file.sha256()


@pytest.mark.parametrize(
    "pairs", ["pairs: |\n  pairs.csv", "pairs: >\n  pairs.csv\n", 'pairs: "pairs.csv\\n"']
)
def test_a_single_line_is_still_the_name_of_a_file(tmp_path: Path, pairs: str) -> None:
    assert [pair.id for pair in pairs_of(loaded(make_folder(tmp_path, pairs=pairs)).blocks)] == ["p1", "p2"]


def test_problems_with_pairs_in_a_block_stand_on_their_lines_of_the_study_file(tmp_path: Path) -> None:
    path = make_folder(tmp_path, pairs=BLOCK.format(kind="mian", a="nobody"))
    assert problems_of(path) == [
        ("study.yaml", 11, "column 'kind': 'mian' is not allowed"),
        ("study.yaml", 12, "the pair 'p1' comes twice; it stands on line 9 already"),
        ("study.yaml", 12, "column 'a': there is no clip 'nobody'"),
    ]
    path = make_folder(
        tmp_path, pairs=BLOCK.format(kind="main", a="human-1").replace("  p1,human-1,hybrid-1,\n", "")
    )
    assert [line for _, line, _ in problems_of(path)] == [12, 12]


def test_a_block_shared_through_an_alias_counts_the_lines_of_the_block(tmp_path: Path) -> None:
    head, rest = EXAMPLE.split("instructions: instructions.md\n")
    block = "instructions: &p |\n  pair,a,b\n  p1,human-1,nobody\n"
    path = make_folder(tmp_path, head + block + rest, pairs="pairs: *p")
    assert problems_of(path) == [("study.yaml", 8, "column 'b': there is no clip 'nobody'")]


def test_problems_with_pairs_in_quotes_stand_at_the_key_and_name_the_row(tmp_path: Path) -> None:
    pairs = 'pairs: "pair,a,b\\np1,human-1,hybrid-1\\np1,human-1,nobody"'
    assert problems_of(make_folder(tmp_path, pairs=pairs)) == [
        ("study.yaml", 7, "row 3: the pair 'p1' comes twice; it stands in row 2 already"),
        ("study.yaml", 7, "row 3: column 'b': there is no clip 'nobody'"),
    ]


def test_rows_that_yaml_runs_together_are_explained(tmp_path: Path) -> None:
    """`>` makes one line of them, which then reads like a file's name."""
    from app.studies.file.load import StudyFileProblems, load_study

    path = make_folder(tmp_path, pairs="pairs: >\n  pair,a,b\n  p1,human-1,hybrid-1\n")
    with pytest.raises(StudyFileProblems) as refused:
        load_study(path, {})
    [problem] = refused.value.problems
    assert problem.line == 7
    assert problem.remedy.endswith("for pairs in the study file itself, begin with `|` and a new line")


def test_a_list_without_a_main_pair_is_refused_where_it_begins(tmp_path: Path) -> None:
    block = "pairs: |\n  pair,a,b,kind\n  p1,human-1,hybrid-1,practice"
    message = "there is no main pair, so the trials' questions would give no data"
    assert problems_of(make_folder(tmp_path, pairs=block)) == [("study.yaml", 8, message)]
    assert problems_of(make_folder(tmp_path, pairs="pairs: |\n  ,,\n  ,,")) == [
        ("study.yaml", 8, "there are no rows")
    ]


@pytest.mark.parametrize(
    "text", ["|\n  Watch both.", "|-\n  Watch\n  both.", '"Watch both.\\n"', "|\n\n  Watch both.\n"]
)
def test_a_text_of_one_line_in_a_block_is_the_text_itself(tmp_path: Path, text: str) -> None:
    study = EXAMPLE.replace("instructions: instructions.md", f"instructions: {text}")
    assert " ".join((loaded(make_folder(tmp_path, study)).instructions or "").split()) == "Watch both."


def test_a_text_of_control_characters_alone_is_empty(tmp_path: Path) -> None:
    study = EXAMPLE.replace("text: consent.md", 'text: "\\x1c"')
    assert problems_of(make_folder(tmp_path, study)) == [("study.yaml", 3, "text is empty")]


def test_the_pages_example_of_pairs_in_the_file_loads(tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs/study-file.md").read_text(encoding="utf-8")
    block = page.split("```yaml\n  pairs: |\n")[1].split("  ```")[0]
    pairs = pairs_of(loaded(make_folder(tmp_path, pairs="pairs: |\n" + block)).blocks)
    assert [(pair.id, pair.condition) for pair in pairs] == [
        ("q01", "human-hybrid"),
        ("q02", "hybrid-symbolic"),
    ]
