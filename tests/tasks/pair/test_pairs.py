"""Pairs by file: read, checked row by row and together, joined with the clips."""

from dataclasses import replace
from pathlib import Path

import pytest

from app.tasks.pair.design import Member
from app.tasks.pair.pairs import PairSpec, check_clips, condition_by_source, read_pair_file, resolve_rows
from app.tasks.pair.settings import pairs_of
from app.trials.design import Kind
from tests.studies.file.study_folder import PAIRS, loaded, make_facts, make_folder, problems_of

FACTS = make_facts(("human", "hybrid", "symbolic", "human-2"))


def read(text: str) -> tuple[list[PairSpec], list[tuple[int, str]]]:
    """Pairs and (line, message) of problems, with the clips known."""
    found = read_pair_file("pairs.csv", text)
    check_clips(found, FACTS)
    pairs = resolve_rows(found, FACTS)
    return pairs, [(problem.line, problem.message) for problem in found.problems]


def test_columns_may_stand_in_any_order_and_cells_may_be_padded() -> None:
    pairs, problems = read("b, kind ,pair,a\n hybrid-1,practice, p1 ,human-1\n\nhuman-2,,p2,hybrid-2\n")
    assert problems == []
    assert [(p.id, p.a, p.b, p.kind, p.truth, p.position) for p in pairs] == [
        ("p1", "human-1", "hybrid-1", Kind.PRACTICE, Member.A, 1),
        ("p2", "hybrid-2", "human-2", Kind.MAIN, Member.B, 2),
    ]


@pytest.mark.parametrize(
    ("sources", "condition"),
    [
        (("human", "hybrid"), "human-hybrid"),
        (("hybrid", "human"), "human-hybrid"),
        (("symbolic", "hybrid"), "hybrid-symbolic"),
        (("zombie", "human"), "human-zombie"),
        (("human", "android"), "human-android"),
        (("human", "human"), "human-human"),
    ],
)
def test_the_default_condition_names_human_first_and_then_the_alphabet(
    sources: tuple[str, str], condition: str
) -> None:
    assert condition_by_source(*sources) == condition


def test_a_condition_that_is_given_is_kept() -> None:
    pairs, problems = read("pair,a,b,condition\np1,human-1,hybrid-1,same start\n")
    assert (pairs[0].condition, problems) == ("same start", [])


@pytest.mark.parametrize(
    ("row", "truth"),
    [
        ("human-1,hybrid-1,", Member.A),
        ("hybrid-1,human-1,", Member.B),
        ("hybrid-1,human-1,b", Member.B),
        ("hybrid-1,symbolic-1,", None),
        ("hybrid-1,symbolic-1,a", Member.A),
        ("human-1,human-2,", None),
        ("human-1,human-2,b", Member.B),
    ],
)
def test_truth_is_the_human_member_unless_given(row: str, truth: Member | None) -> None:
    pairs, problems = read(f"pair,a,b,truth\np1,{row}\n")
    assert (pairs[0].truth, problems) == (truth, [])


def test_truth_against_the_human_member_is_refused() -> None:
    text = "pair,a,b,truth\np1,human-1,hybrid-1,b\np2,hybrid-2,human-1,a\n"
    assert read(text)[1] == [
        (2, "column 'truth': it says b, but clip a is the human one"),
        (3, "column 'truth': it says a, but clip b is the human one"),
    ]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("p1,human-1,hybrid-1,,,mian", "column 'kind': 'mian' is not allowed"),
        ("p1,human-1,hybrid-1,,,Main", "column 'kind': 'Main' is not allowed"),
        ("p1,human-1,hybrid-1,,c,", "column 'truth': 'c' is not allowed"),
        ("p1,human-1,hybrid-1,,none,", "column 'truth': 'none' is not allowed"),
        ("p 1,human-1,hybrid-1,,,", "column 'pair': 'p 1' is not allowed"),
        ("-p,human-1,hybrid-1,,,", "column 'pair': '-p' is not allowed"),
        (",human-1,hybrid-1,,,", "column 'pair' is empty"),
        ("p1,,hybrid-1,,,", "column 'a' is empty"),
        ("p1,human-1,,,,", "column 'b' is empty"),
        ("p1,human-1,human-1,,,", "columns 'a' and 'b': 'human-1' and 'human-1' are the same clip"),
        ("p1,human-7,hybrid-1,,,", "column 'a': there is no clip 'human-7'"),
        ("p1,human-1,Hybrid-1,,,", "column 'b': there is no clip 'Hybrid-1'"),
        (f"p1,human-1,hybrid-1,{'c' * 81},,", f"column 'condition': '{'c' * 57}...' is not allowed"),
        ('p1,human-1,hybrid-1,"two\nlines",,', "column 'condition': 'two\\nlines' is not allowed"),
        ("p1,human-1,hybrid-1", "has 3 cells, the header 6"),
        ("p1,human-1,hybrid-1,,,,", "has 7 cells, the header 6"),
    ],
)
def test_a_bad_cell_is_named_with_its_row_and_column(row: str, message: str) -> None:
    text = f"pair,a,b,condition,truth,kind\np0,human-2,hybrid-2,,,main\n\n{row}\n"
    assert read(text)[1] == [(4, message)]


def test_the_remedy_for_an_unknown_stimulus_is_the_nearest_name() -> None:
    found = read_pair_file("pairs.csv", "pair,a,b\np1,human-7,hybird-1\n")
    resolve_rows(found, FACTS)
    assert [problem.remedy for problem in found.problems] == [
        "did you mean 'human-6'?",
        "did you mean 'hybrid-1'?",
    ]
    found = read_pair_file("pairs.csv", "pair,a,b\np1,x,y\n")
    resolve_rows(found, {})
    assert found.problems[0].remedy == "upload it first"


def test_a_bad_cell_hides_nothing_else_in_its_row() -> None:
    text = "pair,a,b,truth,kind\np1,human-1,hybrid-1,,\np1,human-1,nobody,x,mian\n"
    assert sorted(read(text)[1]) == [
        (3, "column 'b': there is no clip 'nobody'"),
        (3, "column 'kind': 'mian' is not allowed"),
        (3, "column 'truth': 'x' is not allowed"),
        (3, "the pair 'p1' comes twice; it stands on line 2 already"),
    ]


def test_the_same_two_clips_come_once_among_main_pairs_whatever_their_order() -> None:
    text = "pair,a,b,kind\np1,human-1,hybrid-1,\np2,hybrid-1,human-1,\np3,human-1,hybrid-1,practice\n"
    assert read(text)[1] == [(3, "the pair 'p2' shows the same two clips as 'p1'")]


def test_clips_of_the_same_content_are_the_same_whatever_their_names() -> None:
    facts = {**FACTS, "copy": replace(FACTS["human-1"], name="copy")}
    found = read_pair_file("pairs.csv", "pair,a,b\np1,human-1,copy\np2,human-1,hybrid-1\np3,copy,hybrid-1\n")
    check_clips(found, facts)
    assert [problem.message for problem in found.problems] == [
        "columns 'a' and 'b': 'human-1' and 'copy' are two names of the same clip",
        "the pair 'p3' shows the same two clips as 'p2'",
    ]
    unknown = read_pair_file(
        "pairs.csv", "pair,a,b\np1,human-1,copy\np2,human-1,hybrid-1\np3,copy,hybrid-1\n"
    )
    check_clips(unknown, None)
    assert unknown.problems == []


def test_without_a_main_pair_the_questions_would_give_no_data() -> None:
    text = "pair,a,b,kind\np1,human-1,hybrid-1,practice\np2,human-2,hybrid-2,attention\n"
    assert read(text)[1] == [(1, "there is no main pair, so the trials' questions would give no data")]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "the file is empty"),
        ("\n \n", 1, "the file is empty"),
        ("pair,a,b\n", 1, "there is no main pair, so the trials' questions would give no data"),
        ("pair;a;b\n", 1, "there is no main pair, so the trials' questions would give no data"),
        ("pair\ta\tb\n", 1, "there is no main pair, so the trials' questions would give no data"),
        ("\npair,a\n", 2, "the column 'b' is missing"),
        ("pair,a,b,a\n", 1, "the column 'a' comes twice"),
        ("pair,a,b,note\n", 1, "unknown column 'note'"),
        ("pair,a,b,\n", 1, "unknown column ''"),
        (
            'pair,a,b\np1,human-1,"hybrid-1\n',
            2,
            "column 'b': the quotation mark before 'hybrid-1' is never closed",
        ),
        (
            'pair,a,b\np1,human-1,"hybrid-1"x\n',
            2,
            "column 'b': text follows the closing quotation mark of '\"hybrid-1\"x'",
        ),
    ],
)
def test_a_file_that_is_no_pair_file_is_one_line(text: str, line: int, message: str) -> None:
    assert read(text)[1] == [(line, message)]


def test_lines_are_counted_past_cells_of_several_lines() -> None:
    text = 'pair,a,b,condition\np1,human-1,hybrid-1,"x\ny"\np2,human-2,nobody,\n'
    assert [line for line, _ in read(text)[1]] == [2, 4]


def test_problems_of_the_pair_file_carry_its_name(tmp_path: Path) -> None:
    path = make_folder(tmp_path, pairs=PAIRS, pairs_csv="pair,a,b\np1,human-1,nobody\n")
    assert problems_of(path) == [("pairs.csv", 2, "column 'b': there is no clip 'nobody'")]


def test_a_pair_file_in_a_folder_below_is_found(tmp_path: Path) -> None:
    (tmp_path / "lists").mkdir()
    (tmp_path / "lists" / "one.csv").write_text("pair,a,b\np1,human-1,hybrid-1\n")
    assert pairs_of(loaded(make_folder(tmp_path, pairs="pairs: lists/one.csv")).blocks)[0].id == "p1"
