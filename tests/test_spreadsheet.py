"""Cells that a spreadsheet would run: defused, restored, and by all of our readers; and odd CSV refused in words."""

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.data.columns import Column
from analysis.data.reading import read_csv
from analysis.files.faults import TableFault
from app.catalog.sheet import text_of
from app.core.errors import StudyError
from app.core.spreadsheet import csv_lines, csv_rows, defused, restored
from app.library.clips.errors import ManifestProblems
from app.library.clips.manifest import read_manifest
from app.tasks.pair.pairs import read_pair_file
from app.tasks.pair.rows import BadRow, read_rows

pytestmark = pytest.mark.slow

SIGNS = "=+-@\t\r\n＝＋－＠"
CELLS = st.text(st.sampled_from(f"'{SIGNS}1.e ax"), max_size=8)
LONG = "x" * (csv.field_size_limit() + 1)


@settings(deadline=None)
@given(CELLS | st.text())
def test_what_is_written_runs_nowhere_and_comes_back_as_it_was(cell: str) -> None:
    written = defused(cell)
    assert restored(written) == cell
    assert not written.startswith(tuple(SIGNS)) or float(written) is not None


def test_numbers_and_ordinary_texts_are_not_touched() -> None:
    for cell in (
        "",
        "-0.5",
        "+3",
        "-1e-9",
        "-.5",
        "-inf",
        "2026-01-31",
        "p-0001",
        "a=b",
        "'tis",
        "'",
        "{}",
        "[-1]",
    ):
        assert (defused(cell), restored(cell)) == (cell, cell)
    for cell in ("=1+1", "-1+1", "@SUM(A1)", "+A1", "\tx", "-", "'=1", "''=1", "＝1"):
        assert defused(cell) == f"'{cell}"


@settings(deadline=None)
@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=5))
def test_the_analysis_reads_what_was_exported(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]]
) -> None:
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    table = [{"id": f"r{number}", "short": short, "long": long} for number, (short, long) in enumerate(rows)]
    path.write_text("".join(csv_lines(table, ["id", "short", "long"])), encoding="utf-8", newline="")
    wanted = [
        Column("id", "text", "", ""),
        Column("short", "text", "", ""),
        Column("long", "text", "", "", prose=True),
    ]
    frame = read_csv(path, wanted)
    assert [(str(s), str(t)) for s, t in zip(frame["short"], frame["long"], strict=True)] == rows
    raw = read_csv(path, wanted, is_ours=False)
    assert [str(cell) for cell in raw["short"]] == [defused(short) for short, _ in rows]


def test_a_table_without_such_cells_is_written_as_before_byte_for_byte() -> None:
    rows: list[dict[str, object]] = [
        {
            "participant": "5f1c",
            "rationale": 'it turned, then "stopped"\nso = odd',
            "rt_ms": 4000,
            "share": -0.5,
        },
        {"participant": "p'2", "rationale": "'tis - the left one", "rt_ms": None, "share": -1e-9},
    ]
    plain = io.StringIO()
    writer = csv.writer(plain, lineterminator="\n")
    writer.writerow(rows[0])
    writer.writerows(row.values() for row in rows)
    assert "".join(csv_lines(rows, list(rows[0]))) == plain.getvalue()


def test_odd_tables_are_refused_in_words(tmp_path: Path) -> None:
    manifest = tmp_path / "manifest.csv"
    said: list[str] = []
    for text in (f"file,name,source\n{LONG},a,b\n", f'file,name,source\n"{LONG}",a,b\n'):
        manifest.write_text(text, encoding="utf-8")
        with pytest.raises(ManifestProblems) as refused:
            read_manifest(manifest)
        said.append(str(refused.value))
        said.append(
            str(read_pair_file("pairs.csv", text.replace("file,name,source", "pair,a,b")).problems[0])
        )
        with pytest.raises(BadRow) as bad:
            read_rows(text.replace("file,name,source", "pair,a,b"))
        said.append(str(bad.value))
    for each in said:
        assert "a cell has more than 131,072 characters; is a quote never closed?" in each
        assert len(each) < 500
    for data, words in (
        ("name,source\n".encode("utf-16-le"), "zero bytes"),
        (b"name,source\n\xff", "row 2, column name: 'ÿ' is not UTF-8"),
        (b'name,source\n"\xff', ":2: is not UTF-8"),
    ):
        with pytest.raises(StudyError, match=words):
            text_of([data])
    assert [row.id for row in read_pair_file("p.csv", "pair,a,b\rp1,x,y\rp2,x,z\r").rows] == ["p1", "p2"]


def test_rows_are_read_alike_wherever_a_table_comes_from() -> None:
    """Blank rows are counted and left out; a cell of two lines moves the lines, not the rows."""
    text = '\ufeffname, source\r\n\n"a\nb", x \n , \nc,"d ""e"""\n'
    assert [(row.row, row.line, row.cells) for row in csv_rows(text)] == [
        (1, 1, ["name", "source"]),
        (3, 3, ["a\nb", "x"]),
        (5, 6, ["c", 'd "e"']),
    ]
    assert list(csv_rows("\n , \n")) == []


def test_what_is_no_csv_is_named_by_the_row_and_line_where_it_begins() -> None:
    with pytest.raises(TableFault, match="row 3, column b: the quotation mark before 'five' is") as caught:
        next(csv_rows('a,b\n"1\n2",3\n4,"five\nsix\n'))
    assert (caught.value.row, caught.value.line) == (3, 4)
