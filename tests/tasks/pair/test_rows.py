"""Editing pairs row by row: what is not touched stays as it was written."""

from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.pairs.view import find_pairs
from app.tasks.pair.pairs import COLUMNS
from app.tasks.pair.rows import (
    BadRow,
    Row,
    edited,
    free_id,
    new_row,
    read_rows,
    rows_as_csv,
    rows_of,
    sample_of,
)
from tests.studies.clips import facts

STIMULI = facts()
ROWS = [
    Row("q1", "human-g1", "hybrid-g1", truth="a"),
    Row("q2", "hybrid-g2", "human-g2", condition="odd, one", kind="practice"),
    Row("q3", "hybrid-g3", "symbolic-g3"),
]
cell = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12).map(str.strip)
row = st.builds(Row, pair=cell.filter(bool), a=cell, b=cell, condition=cell, truth=cell, kind=cell)


def ids(rows: list[Row]) -> list[str]:
    return [row.pair for row in rows]


def test_a_row_has_a_cell_for_every_column() -> None:
    assert [field.name for field in fields(Row)] == [*COLUMNS[:-1], "line", COLUMNS[-1]]


@given(st.lists(row, max_size=8))
def test_rows_come_back_from_csv_as_they_were(rows: list[Row]) -> None:
    again = read_rows(rows_as_csv(rows))
    assert [{**_cells(each)} for each in again] == [{**_cells(each)} for each in rows]
    assert [each.line for each in again] == list(range(2, len(rows) + 2))


def _cells(row: Row) -> dict[str, str]:
    return {name: getattr(row, name) for name in COLUMNS}


def test_columns_in_any_order_blank_lines_and_short_rows_are_read() -> None:
    rows = read_rows("b,pair,a,kind\r\nhybrid-g1,q1,human-g1\n\n , ,,\nhuman-g2,q2,hybrid-g2,practice\n")
    assert rows == [
        Row("q1", "human-g1", "hybrid-g1", line=2),
        Row("q2", "hybrid-g2", "human-g2", kind="practice", line=5),
    ]


def test_a_list_with_semicolons_is_read_as_one_with_commas() -> None:
    assert read_rows("pair;a;b\nq1;human-g1;hybrid-g1\n") == [Row("q1", "human-g1", "hybrid-g1", line=2)]


@pytest.mark.parametrize(
    "text",
    ["", "id,a,b\nq1,x,y\n", "pair,a,b,a\n", 'pair,a,b\n"q1,x,y\n', "pair,a,b\nq1,x,y,main\n"],
)
def test_a_list_that_must_be_mended_as_csv_is_refused(text: str) -> None:
    with pytest.raises(BadRow, match="as CSV first"):
        read_rows(text)


def test_rows_move_turn_round_and_go() -> None:
    assert ids(edited(ROWS, "up", 2)) == ["q2", "q1", "q3"]
    assert ids(edited(ROWS, "down", 1)) == ["q2", "q1", "q3"]
    assert ids(edited(ROWS, "up", 1)) == ids(edited(ROWS, "down", 3)) == ["q1", "q2", "q3"]
    assert ids(edited(ROWS, "remove", 2)) == ["q1", "q3"]
    turned = edited(ROWS, "swap", 1)[0]
    assert (turned.a, turned.b, turned.truth) == ("hybrid-g1", "human-g1", "b")
    assert edited(edited(ROWS, "swap", 1), "swap", 1) == ROWS


def test_a_changed_row_keeps_what_was_not_sent_and_goes_where_it_is_told() -> None:
    rows = edited(ROWS, "change", 2, {"kind": "main", "position": "1", "csrf": "x"})
    assert ids(rows) == ["q2", "q1", "q3"]
    assert rows[0] == Row("q2", "hybrid-g2", "human-g2", condition="odd, one", kind="main")


@pytest.mark.parametrize(
    ("what", "number", "form"),
    [
        ("burn", 1, {}),
        ("up", 0, {}),
        ("remove", 4, {}),
        ("change", 1, {"truth": "left"}),
        ("change", 1, {"kind": "Main"}),
        ("change", 1, {"position": "0"}),
        ("change", 1, {"position": "4"}),
        ("change", 1, {"position": "²"}),
        ("change", 1, {"a": "two\nlines"}),
    ],
)
def test_an_edit_that_makes_no_sense_is_refused(what: str, number: int, form: dict[str, str]) -> None:
    with pytest.raises(BadRow):
        edited(ROWS, what, number, form)


def test_a_picked_pair_gets_an_id_that_no_other_has_and_the_rules_fill_in_the_rest() -> None:
    rows: list[Row] = []
    for a, b, kind in [
        ("human-g1", "hybrid-g1", "main"),
        ("hybrid-g2", "human-g2", ""),
        ("human-g3", "hybrid-g3", "practice"),
        ("human-g4", "hybrid-g4", "attention"),
    ]:
        rows.append(new_row(rows, Row("", a, b, kind=kind), STIMULI))
    assert ids(rows) == ["human-hybrid-01", "human-hybrid-02", "human-hybrid-p01", "human-hybrid-x01"]
    found = find_pairs({"pairs": rows_as_csv(rows)}, STIMULI)
    assert found.faults == ()
    assert [(pair.condition, pair.truth) for pair in found.pairs[:2]] == [
        ("human-hybrid", "a"),
        ("human-hybrid", "b"),
    ]
    assert rows_of(found.pairs)[1] == Row(
        "human-hybrid-02", "hybrid-g2", "human-g2", "human-hybrid", "b", "main"
    )


@pytest.mark.parametrize(
    ("a", "b"), [("", "hybrid-g1"), ("human-g1", ""), ("human-g1", "nobody"), ("human-g1", "human-g1")]
)
def test_two_different_clips_must_be_chosen(a: str, b: str) -> None:
    with pytest.raises(BadRow):
        new_row([], Row("", a, b), STIMULI)


@given(st.text(max_size=80), st.sets(st.integers(1, 30)))
def test_ids_are_free_and_allowed_whatever_the_condition(condition: str, taken: set[int]) -> None:
    first = free_id([], condition)
    rows = [Row(f"{first[:-2]}{n:02d}", "human-g1", "hybrid-g1") for n in taken]
    name = free_id(rows, condition)
    assert name not in ids(rows)
    assert find_pairs({"pairs": f"pair,a,b\n{name},human-g1,hybrid-g1\n"}, STIMULI).faults == ()


def test_a_forms_rows_become_a_draw() -> None:
    typed = [("human-hybrid", " 6 ", "1"), ("hybrid-symbolic", "4", ""), ("human-symbolic", "0", "")]
    assert sample_of(typed, ["goal"], " 7 ") == {
        "match": "goal",
        "seed": "7",
        "use": "even",
        "conditions": {"human-hybrid": "6", "hybrid-symbolic": "4"},
        "practice": {"human-hybrid": "1"},
    }
