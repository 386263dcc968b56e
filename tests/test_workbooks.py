"""Workbooks: the cells of xlsx and xls files as text, and what is said of files that are none."""

from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest

from app.core.spreadsheet import BadTable
from app.core.workbooks import Sheet, sheets_in, sheets_of
from tests.workbooks import Cells, write_xls, write_xlsx

ROWS = (("", "", ""), ("", " Aspect ", "Größe ＆ 大"), ("", "Score", 4.0), ("", "Mean", 4.5))


@pytest.mark.parametrize(("ending", "write"), [("xlsx", write_xlsx), ("xls", write_xls)])
def test_sheets_are_read_cell_by_cell_from_the_first_on(
    tmp_path: Path, ending: str, write: Callable[[Path, dict[str, Cells]], None]
) -> None:
    path = tmp_path / f"book.{ending}"
    write(path, {"one": ROWS, "two": (("x",),)})
    one, two = sheets_in(path)
    assert one.name == "one"
    assert one.rows[1:] == [["", "Aspect", "Größe ＆ 大"], ["", "Score", "4"], ["", "Mean", "4.5"]]
    assert two == Sheet("two", [["x"]])


def test_a_file_that_is_no_workbook_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "book.xlsx"
    with pytest.raises(BadTable, match=r"book\.xlsx: cannot be read"):
        sheets_in(path)
    path.write_text("a,b\n")
    with pytest.raises(BadTable, match=r"is no workbook that can be read .*save it as xlsx or as CSV"):
        sheets_in(path)
    write_xlsx(path, {"one": ROWS})
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(BadTable, match="is no workbook"):
        sheets_in(path)


def test_a_workbook_that_was_sent_cannot_take_all_memory(tmp_path: Path) -> None:
    path = tmp_path / "book.xlsx"
    write_xlsx(path, {"one": ROWS})
    assert sheets_of(path.read_bytes(), "book.xlsx") == sheets_in(path)
    with ZipFile(path) as small:
        parts = {name: small.read(name) for name in small.namelist()}
    far = b'<row r="1000000"><c r="XFD1000000" t="inlineStr"><is><t>x</t></is></c></row></sheetData>'
    for quote in (b'"', b"'"):
        with ZipFile(path, "w") as large:
            for name, part in parts.items():
                is_sheet = name.startswith("xl/worksheets/")
                corner = far.replace(b'"', quote)
                large.writestr(name, part.replace(b"</sheetData>", corner) if is_sheet else part)
        with pytest.raises(BadTable, match="too large to be read"):
            sheets_of(path.read_bytes(), "book.xlsx")
    write_xls(path, {"one": ROWS})
    with pytest.raises(BadTable, match="no workbook that can be read"):
        sheets_of(path.read_bytes(), "book.xls")
