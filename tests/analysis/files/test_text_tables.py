"""Delimited text: what was written is read, and a stray quotation mark never takes rows away in silence."""

import csv
from itertools import chain

import pytest
from hypothesis import assume, event, example, given, settings
from hypothesis import strategies as st

from analysis.files.faults import TableFault
from analysis.files.text_tables import TextTable, text_table
from tests.analysis.files.text_tables import NAMES, dialects, tables, written

ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-32")


def read(text: str, encoding: str = "utf-8", delimiter: str | None = None) -> list[list[str]]:
    found = text_table(text.encode(encoding), delimiter, names=NAMES)
    return [row.cells for row in found.rows()]


@pytest.mark.slow
@settings(deadline=None, max_examples=400)
@given(tables(), dialects, st.sampled_from(ENCODINGS), st.booleans())
@example([["worker", "item"], ["a", "b\nc,d"]], {"delimiter": ",", "quoting": csv.QUOTE_ALL}, "utf-8", True)
def test_what_any_known_dialect_writes_is_read_as_it_was(
    table: list[list[str]], dialect: dict[str, object], encoding: str, is_known: bool
) -> None:
    """Refused is only a cell with line breaks in whose lines rows can be seen, and none where all is quoted."""
    text = written(table, dialect)
    delimiter = str(dialect["delimiter"]) if is_known or len(table[0]) == 1 else None
    found: list[list[str]] | None
    try:
        found = read(text, encoding, delimiter)
    except TableFault as fault:
        found, said = None, str(fault)
    if found is None:
        assert "its quotation mark may be a stray one" in said
        assert dialect["quoting"] == csv.QUOTE_MINIMAL
        assert any("\n" in cell or "\r" in cell for cell in chain.from_iterable(table))
        event("refused")
    else:
        assert found == table


@pytest.mark.slow
@settings(deadline=None, max_examples=600)
@given(tables(), dialects, st.data())
def test_one_more_quotation_mark_anywhere_never_takes_rows_away(
    table: list[list[str]], dialect: dict[str, object], data: st.DataObject
) -> None:
    text = written(table, dialect)
    place = data.draw(st.integers(0, len(text)))
    delimiter = str(dialect["delimiter"])
    try:
        before = read(text, delimiter=delimiter)
    except TableFault:
        assume(False)
    try:
        after = read(f'{text[:place]}"{text[place:]}', delimiter=delimiter)
    except TableFault:
        event("refused")
        return
    event("read")
    bare = [[cell.replace('"', "") for cell in row] for row in after]
    assert bare == [[cell.replace('"', "") for cell in row] for row in before]


@st.composite
def plain_tables(draw: st.DrawFn) -> list[list[str]]:
    """As a program writes them that knows no quoting: no delimiter and no line break in a cell."""
    width = draw(st.integers(2, 5))
    cells = st.text(st.sampled_from("ab ."), min_size=1, max_size=4).filter(str.strip)
    rows = draw(st.lists(st.lists(cells, min_size=width, max_size=width), min_size=2, max_size=6))
    return [list(NAMES[:width]), *rows]


@settings(deadline=None, max_examples=400)
@given(
    plain_tables(), st.sampled_from(",;\t"), st.lists(st.tuples(st.integers(0), st.integers(0)), max_size=4)
)
@example([["worker", "item"], ["a", "b"], ["a", "b"]], ",", [(3, 0), (5, 1)])
def test_stray_marks_in_a_file_without_quoting_give_its_rows_or_a_refusal(
    table: list[list[str]], delimiter: str, strays: list[tuple[int, int]]
) -> None:
    cells = [cell for row in table for cell in row]
    for at, end in strays:
        at %= len(cells)
        cells[at] = f'"{cells[at]}' if end % 2 else f'{cells[at]}"'
    width = len(table[0])
    rows = [cells[at : at + width] for at in range(0, len(cells), width)]
    try:
        found = read("".join(delimiter.join(row) + "\n" for row in rows), delimiter=delimiter)
    except TableFault:
        return
    assert len(found) == len(table)


def refused(text: str) -> TableFault:
    with pytest.raises(TableFault) as caught:
        read(text)
    return caught.value


HEAD = "worker,item,answer,comment\n"


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ('p1,i1,L,"good\np2,i1,R,fine\n', "before 'good' is never closed"),
        ('p1,i1,L,"good\np2,i1,R,"bad" one\n', "before 'good' is not closed in this row"),
        (
            'p1,i1,L,"bad" one\np2,i1,R,fine\n',
            "text follows the closing quotation mark of '\"bad\" one'",
        ),
        ('p1,i1,L,ba"d\np2,i1,R,"fine"\n', "a quotation mark stands within a cell, before 'd'"),
        (
            'p1,i1,L,"good\np2,i1,R,fine\np3,i1,L,bad"\n',
            "of which 3 have as many cells as a row",
        ),
        ('p1,i1,L,"x, y"\np2,"good,R,fine\np3,bad",L,fine\n', "of which 2 have as many cells as a row"),
    ],
)
def test_uncertain_rows_are_refused_with_row_column_and_remedy(rows: str, said: str) -> None:
    fault = refused(HEAD + rows)
    assert said in fault.problem
    assert (fault.row, fault.line) == ((2, 2) if "x, y" not in rows else (3, 3))
    assert fault.column == ("item" if '"good,R' in rows else "comment")
    assert fault.remedy


@pytest.mark.parametrize(
    "rows",
    [
        # Excel ends rows by CR LF and lines within cells by LF.
        HEAD.replace("\n", "\r\n") + 'p1,i1,L,"good\na,b,c,d"\r\n',
        '"worker","item"\n"p1","good\na,b"\n',
        # No line of the story has as many commas as a row.
        HEAD + 'p1,i1,L,"Once\nupon, a time\nthere was"\n',
        # Of two columns, prose has one comma now and then; another row shows that the writer quotes.
        'worker,item\np1,"good\na,b"\np2,"c,d,e"\n',
        # Both lines have as many commas as a row, as a rating sheet has them, but prose where all others have a number.
        'worker,score,comment,group\np1,3,"well, or\nnot, as, said",x\n'
        + "".join(f"p{n},{n % 5},fine,x\n" for n in range(2, 12)),
    ],
)
def test_cells_with_line_breaks_are_read_where_something_tells_and_are_noted(rows: str) -> None:
    table = text_table(rows.encode())
    n_rows = len(list(table.rows()))
    assert n_rows == rows.count('"p') + rows.count("\np") + 1
    more = "1 more line" if rows.count("\n") == n_rows + 1 else f"{rows.count(chr(10)) - n_rows} more lines"
    assert table.breaks_noted() == f"1 cell holds line breaks (row 2), so the file has {more} than rows"


def test_stray_marks_around_rows_with_numbers_are_refused_however_many_rows_have_them() -> None:
    rows = [f"p{n},{n % 5},fine,x\n" for n in range(1, 20)]
    rows[3], rows[5] = 'p4,4,"fine,x\n', 'p6,1,fine",x\n'
    assert "goes over several lines" in refused("worker,score,comment,group\n" + "".join(rows)).problem


def test_marks_are_letters_where_no_cell_begins_with_one_or_where_it_is_said() -> None:
    rows = 'p1,i1,L,5" wide\np2,i1,R,the "left" one\n'
    assert read(HEAD + rows)[1:] == [["p1", "i1", "L", '5" wide'], ["p2", "i1", "R", 'the "left" one']]
    stray = text_table((HEAD + 'p1,i1,L,"good\n').encode(), letters=True)
    assert [row.cells for row in stray.rows()][1] == ["p1", "i1", "L", '"good']


def delimiter_of(text: str, usual: str = ",", names: tuple[str, ...] = ()) -> str:
    return text_table(text.encode(), usual=usual, names=names).delimiter


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("a;b\n1;2\n", ";"),
        ("a\tb\n1\t2\n", "\t"),
        ("sep=;\na;b,c\n1;2\n", ";"),
        ('"sep=\t"\r\na\tb\r\n1\t2\r\n', "\t"),
        ("a;b, of 5\n1;2\n", ";"),
        ("a,b;c\n1,2\n3,4;5\n", ","),
        ("a;b,c\n1;0,5\n2;1,5\n", ","),
        ("one\n1;2\n", ","),
        ('"a;b";c\n1;2\n', ";"),
    ],
)
def test_the_delimiter_is_told_by_rows_of_equal_length(text: str, delimiter: str) -> None:
    assert delimiter_of(text) == delimiter


def test_of_two_possible_delimiters_the_one_with_the_columns_that_are_wanted_is_taken() -> None:
    text = "pair;score,max\np1;0,5\np2;1,5\n"
    assert delimiter_of(text, names=("pair",)) == ";"
    with pytest.raises(TableFault, match="separated by semicolons or by tabs; allowed: one of them"):
        delimiter_of("a;b\tc\n1;2\t3\n")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "the file is empty"),
        (b"\xef\xbb\xbf\n ;; \n", "the file is empty"),
        (b"sep=;\n", "the file is empty"),
        ("a,b\n1,2\n".encode("utf-16-le"), "the file holds zero bytes"),
        (b"\xff\xfea\x00\n", "the file begins as UTF-16 and is not UTF-16 throughout"),
    ],
)
def test_what_is_no_text_or_empty_is_refused(data: bytes, said: str) -> None:
    with pytest.raises(TableFault, match=said):
        text_table(data)


def test_windows_1252_is_named_with_row_column_and_value() -> None:
    table: TextTable = text_table("worker;item\np1;i1\nZoë;i2\n".encode("cp1252"))
    with pytest.raises(TableFault) as caught:
        list(table.rows())
    assert str(caught.value).startswith(
        "row 3, column worker: 'Zoë' is not UTF-8 but, it seems, Windows-1252"
    )
