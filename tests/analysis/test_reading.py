import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings

from analysis import AnalysisError, ReadError, SchemaError, read_responses
from analysis.data.columns import ANALYZED_COLUMNS, Column, names
from analysis.data.reading import read_csv
from analysis.data.text_files import open_csv
from analysis.files.faults import TableFault
from tests.analysis.files.text_tables import dialects, tables, written
from tests.analysis.tables import COLUMNS, answer, checked, person, table, write_csv

pytestmark = pytest.mark.slow

ROWS = [*person("007", "ab-"), *person("7", "bba", rationale='He said "left",\nthen turned', correct="")]


def refusal(path: Path) -> str:
    with pytest.raises(AnalysisError) as caught:
        read_responses(path)
    text = str(caught.value)
    assert text.startswith(f"{path}: ")
    assert "\n" not in text
    return text.removeprefix(f"{path}: ")


def csv_file(tmp_path: Path, content: bytes) -> Path:
    path = tmp_path / "answers.csv"
    path.write_bytes(content)
    return path


def as_csv(rows: list[dict[str, str]], tmp_path: Path) -> bytes:
    return write_csv(tmp_path / "whole.csv", rows).read_bytes()


def test_csv_jsonl_and_parquet_give_the_same_table(tmp_path: Path) -> None:
    df = table(*ROWS)
    df.to_csv(tmp_path / "r.csv", index=False)
    df.to_parquet(tmp_path / "r.parquet", index=False)
    (tmp_path / "r.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    for suffix in ("csv", "jsonl", "parquet"):
        pd.testing.assert_frame_equal(read_responses(tmp_path / f"r.{suffix}"), checked(*ROWS))


def test_typed_jsonl_and_parquet_give_the_same_table(tmp_path: Path) -> None:
    typed = checked(*ROWS)
    typed.to_parquet(tmp_path / "r.parquet", index=False)
    pd.testing.assert_frame_equal(read_responses(tmp_path / "r.parquet"), typed)
    objects = typed.astype(object).where(typed.notna(), None)
    lines = [json.dumps(row, default=str) for row in objects.to_dict("records")]
    (tmp_path / "r.jsonl").write_text("\n".join(lines))
    pd.testing.assert_frame_equal(read_responses(tmp_path / "r.jsonl"), typed)


def test_a_byte_order_mark_crlf_lines_and_empty_last_lines_do_no_harm(tmp_path: Path) -> None:
    plain = write_csv(tmp_path / "plain.csv", person("Zoë", "ab"))
    content = b"\xef\xbb\xbf" + plain.read_bytes() + b"\r\n\r\n"
    pd.testing.assert_frame_equal(read_responses(csv_file(tmp_path, content)), read_responses(plain))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "the file is empty; allowed: a header and at least one row"),
        (b"\xef\xbb\xbf\n", "the file is empty; allowed: a header and at least one row"),
        (b" \n\n", "the file is empty; allowed: a header and at least one row"),
        (
            "study,choice\ns,a\n".encode("utf-16-le"),
            "the file holds zero bytes, so it is not UTF-8 text; allowed: UTF-8, or UTF-16 with a byte order mark; "
            "save it again as CSV UTF-8",
        ),
        (b"\n" + ",".join(COLUMNS).encode(), "row 1: the line is empty; allowed: the names of the columns"),
    ],
    ids=["empty", "a mark", "blank", "utf-16 without a mark", "a line above the header"],
)
def test_a_file_that_is_not_utf_8_text_is_refused(tmp_path: Path, content: bytes, said: str) -> None:
    assert refusal(csv_file(tmp_path, content)) == said


def test_latin_1_is_refused_at_its_cell(tmp_path: Path) -> None:
    rows = [answer(), answer(participant="Zoë")]
    content = as_csv(rows, tmp_path).decode().encode("latin-1")
    said = refusal(csv_file(tmp_path, content))
    assert said == (
        "row 3, column participant: 'Zoë' is not UTF-8 but, it seems, Windows-1252; allowed: UTF-8, or UTF-16 with "
        "a byte order mark; save it again as CSV UTF-8"
    )


@pytest.mark.parametrize("end", ["", "\n", "\n\n\n"])
def test_a_header_without_rows_is_refused(tmp_path: Path, end: str) -> None:
    said = refusal(csv_file(tmp_path, (",".join(COLUMNS) + end).encode()))
    assert said == "the file has no rows; allowed: at least one row"


@pytest.mark.parametrize(("cut", "more"), [(",,,,", -4), ("", 1)])
def test_a_row_of_the_wrong_length_is_refused(tmp_path: Path, cut: str, more: int) -> None:
    lines = as_csv([answer(pair="q1"), answer(pair="q2")], tmp_path).decode().splitlines()
    lines[2] = lines[2].removesuffix(cut) if cut else lines[2] + ","
    said = refusal(csv_file(tmp_path, "\n".join(lines).encode()))
    n = len(COLUMNS)
    assert f"the row has {n + more} fields; allowed: {n} fields, as in the header" in said
    assert said.startswith("row 3, column ")


def test_an_empty_line_between_rows_is_refused(tmp_path: Path) -> None:
    header, first, second = as_csv([answer(pair="q1"), answer(pair="q2")], tmp_path).decode().splitlines()
    said = refusal(csv_file(tmp_path, "\n".join([header, first, "", second]).encode()))
    assert said == "row 3, column study: the cell is empty; allowed: any text (not empty)"


def test_a_quote_that_is_never_closed_is_refused(tmp_path: Path) -> None:
    content = as_csv([answer(), answer(pair="q2")], tmp_path).replace(b"human-hybrid", b'"human-hybrid', 1)
    assert "column condition: the quotation mark before 'human-hybrid' is never closed" in refusal(
        csv_file(tmp_path, content)
    )


def test_rows_are_counted_as_records_not_lines(tmp_path: Path) -> None:
    rows = [answer(pair="q1", rationale="one\ntwo\nthree"), answer(pair="q2", choice="C")]
    assert refusal(csv_file(tmp_path, as_csv(rows, tmp_path))).startswith("row 3, column choice: 'C'")


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace(",", ";").encode("utf-8-sig"),
        lambda text: (text.replace(",", ";") + ";" * (len(COLUMNS) - 1) + "\n").encode(),
        lambda text: ("sep=;\r\n" + text.replace(",", ";")).encode(),
        lambda text: text.replace(",", "\t").encode("utf-16"),
    ],
    ids=["semicolons", "blank last row", "a line sep=;", "Unicode Text"],
)
def test_what_a_spreadsheet_saves_is_read_as_its_commas_are(
    tmp_path: Path, change: Callable[[str], bytes]
) -> None:
    plain = write_csv(tmp_path / "plain.csv", person("Zoë", "ab"))
    found = read_responses(csv_file(tmp_path, change(plain.read_text(encoding="utf-8"))))
    pd.testing.assert_frame_equal(found, read_responses(plain))


@settings(deadline=None, max_examples=150)
@given(tables(), dialects)
def test_the_fast_reader_and_the_careful_one_give_the_same_cells(
    tmp_path_factory: pytest.TempPathFactory, table: list[list[str]], dialect: dict[str, object]
) -> None:
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    path.write_bytes(written(table, dialect).encode())
    known = [Column(name, "text", "", "") for name in table[0]]
    try:
        text = open_csv(path, table[0], str(dialect["delimiter"]))
        rows = [row.cells for row in text.rows()]
    except TableFault:
        return
    frame = read_csv(path, known, is_ours=False, table=text)
    assert [list(map(str, row)) for row in frame.to_numpy()] == rows[1:]


def test_two_stray_quotation_marks_never_make_rows_fewer(tmp_path: Path) -> None:
    """Read by the old reader, these were 2 answers of 4, without a word."""
    rows = [
        answer(pair=f"q{n}", rationale=text) for n, text in enumerate(["STRAYgood", "fine", "badSTRAY", "ok"])
    ]
    content = as_csv(rows, tmp_path).replace(b"STRAY", b'"')
    said = refusal(csv_file(tmp_path, content))
    assert said.startswith(
        "row 2, column rationale: the cell that begins with 'good' goes over several lines"
    )
    assert said.endswith("allowed: no line breaks in cells, or every cell of the file in quotation marks")


def test_the_hntt_layout_gets_a_hint(tmp_path: Path) -> None:
    said = refusal(csv_file(tmp_path, b"studyno,subjno,vidA_type\n1,1,1\n"))
    assert "(this is the HNTT layout: import it, or add --hntt)" in said


def test_a_jsonl_line_that_is_no_object_is_refused_by_its_number(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text(json.dumps(answer()) + "\n[1]\n")
    assert refusal(path) == "row 2: '[1]'; allowed: one JSON object to a line"
    path.write_text(json.dumps(answer()) + "\n{oh\n")
    assert refusal(path).startswith("row 2: '{oh' is not JSON")
    path.write_bytes(json.dumps(answer(), ensure_ascii=False).encode() + b'\n{"study": "\xe9"}\n')
    assert refusal(path) == "row 2: not UTF-8; allowed: UTF-8 text"


def test_a_jsonl_line_without_a_key_or_with_a_bad_value_is_refused_by_its_number(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    short = {name: cell for name, cell in answer(pair="q2").items() if name != "truth"}
    path.write_text(json.dumps(answer()) + "\n" + json.dumps(short) + "\n")
    assert refusal(path).startswith("row 2, column truth: the key is missing; allowed: study, ")
    path.write_text(
        json.dumps(answer()) + "\n" + json.dumps(answer(pair="q2") | {"uncertainty": True}) + "\n"
    )
    assert refusal(path).startswith("row 2, column uncertainty: 'true' is not allowed")


def test_empty_lines_of_jsonl_are_refused_but_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    line = json.dumps(answer()) + "\n"
    path.write_text(line + "\n\n")
    assert len(read_responses(path)) == 1
    path.write_text(line + "\n" + line)
    assert refusal(path) == "row 2: the line is empty; allowed: one JSON object to a line"


def test_a_very_long_reason_is_read(tmp_path: Path) -> None:
    rows = [answer(pair="q1", rationale="long " * 500_000), answer(pair="q2")]
    assert len(read_responses(csv_file(tmp_path, as_csv(rows, tmp_path)))) == 2


def test_a_parquet_that_pandas_wrote_with_an_index_has_all_its_columns(tmp_path: Path) -> None:
    table(*ROWS).set_index("study").to_parquet(tmp_path / "r.parquet")
    pd.testing.assert_frame_equal(read_responses(tmp_path / "r.parquet"), checked(*ROWS))


def test_a_file_that_is_no_parquet_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.parquet"
    path.write_text("study,choice\n")
    assert refusal(path).startswith("not a Parquet file (")


def test_a_parquet_without_a_column_or_a_row_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.parquet"
    table(answer()).drop(columns="left").to_parquet(path)
    assert refusal(path).startswith("row 1, column left: the column is missing")
    table().to_parquet(path)
    assert refusal(path) == "the file has no rows; allowed: at least one row"


@pytest.mark.parametrize("name", ["no.csv", "no.jsonl", "no.parquet"])
def test_a_missing_file_is_refused(tmp_path: Path, name: str) -> None:
    assert refusal(tmp_path / name) == "cannot be read (No such file or directory)"


@pytest.mark.parametrize("name", ["answers.xlsx", "answers"])
def test_an_unknown_suffix_is_refused(tmp_path: Path, name: str) -> None:
    assert "allowed: .csv, .jsonl or .parquet" in refusal(tmp_path / name)


def test_the_two_kinds_of_refusal_are_analysis_errors() -> None:
    assert issubclass(ReadError, AnalysisError)
    assert issubclass(SchemaError, AnalysisError)


def test_json_nested_without_end_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "deep.jsonl"
    path.write_text("[" * 100_000)
    with pytest.raises(ReadError, match="row 1") as caught:
        read_responses(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("gap", ["NA", "NaN", "None"])
def test_the_gaps_of_other_programs_exclude_nobody_and_the_remedy_is_named(
    tmp_path: Path, suffix: str, gap: str
) -> None:
    """R writes NA for every empty cell: read as the name of a rule, it would leave out whoever counts."""
    path = tmp_path / f"r.{suffix}"
    for column, allowed in (("excluded", "any text"), ("rt_ms", "a whole number, 0 or more")):
        rows = [row | {column: gap} for row in ROWS]
        write_csv(tmp_path / "r.csv", rows)
        table(*rows).to_parquet(tmp_path / "r.parquet", index=False)
        (tmp_path / "r.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        assert refusal(path).endswith(
            f"column {column}: '{gap}' is not allowed; allowed: {allowed}, or empty "
            '(in R, `write.csv(rows, file, na = "")` leaves empty cells empty)'
        )


@pytest.mark.parametrize("column", ["arm", "flags", "block", "rules"])
def test_no_name_is_read_from_the_gap_of_another_program(tmp_path: Path, column: str) -> None:
    """An arm, a flag, a block or a rule of the name NA would be one of its own in what is counted."""
    write_csv(tmp_path / "r.csv", [row | {column: "NA"} for row in ROWS])
    assert f"column {column}: 'NA' is not allowed" in refusal(tmp_path / "r.csv")


def test_a_damaged_parquet_file_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "r.parquet"
    path.write_bytes(b"PAR1" + bytes(100) + b"PAR1")
    assert refusal(path).startswith("cannot be read (")
    assert len(refusal(path).splitlines()) == 1


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_only_the_columns_that_analysis_uses_are_read_when_asked(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"r.{suffix}"
    rows = [row | {"rt_ms": "soon"} for row in ROWS]
    write_csv(tmp_path / "r.csv", rows)
    table(*rows).to_parquet(tmp_path / "r.parquet", index=False)
    (tmp_path / "r.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    read = read_responses(path, ANALYZED_COLUMNS)
    pd.testing.assert_frame_equal(read, checked(*ROWS)[list(names(ANALYZED_COLUMNS))])
    assert refusal(path).endswith("'soon' is not allowed; allowed: a whole number, 0 or more, or empty")


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_a_file_may_lack_what_analysis_does_not_use_but_repeated_trials_are_refused(
    tmp_path: Path, suffix: str
) -> None:
    def written(*rows: dict[str, str]) -> Path:
        kept = [{name: cell for name, cell in row.items() if name in {*few, "trial"}} for row in rows]
        write_csv(tmp_path / "r.csv", kept)
        pd.DataFrame(kept, dtype="str").to_parquet(tmp_path / "r.parquet", index=False)
        (tmp_path / "r.jsonl").write_text("".join(json.dumps(row) + "\n" for row in kept))
        return tmp_path / f"r.{suffix}"

    few = names(ANALYZED_COLUMNS)
    assert tuple(read_responses(written(*ROWS), ANALYZED_COLUMNS).columns) == few
    path = written(answer(pair="q1", trial="t"), answer(pair="q2", trial="t"))
    with pytest.raises(SchemaError, match="'t' was already answered in row"):
        read_responses(path, ANALYZED_COLUMNS)


def test_a_last_row_with_something_in_a_column_that_is_not_read_is_no_empty_line(tmp_path: Path) -> None:
    rows = [answer(), dict.fromkeys(COLUMNS, "") | {"rationale": "a left-over"}]
    path = write_csv(tmp_path / "r.csv", rows)
    with pytest.raises(SchemaError, match="row 3, column study: the cell is empty"):
        read_responses(path, ANALYZED_COLUMNS)
    path.write_bytes(as_csv(rows[:1], tmp_path) + b"\n" + b"," * (len(COLUMNS) - 1) + b"\n\n")
    assert len(read_responses(path, ANALYZED_COLUMNS)) == 1


@pytest.mark.slow
def test_parts_of_a_parquet_with_texts_of_their_own_are_one_table(tmp_path: Path) -> None:
    path = tmp_path / "r.parquet"
    for frame in (table(*ROWS), checked(*ROWS), table(*ROWS).astype("category"), table(*ROWS).astype(object)):
        frame.to_parquet(path, index=False, row_group_size=2)
        pd.testing.assert_frame_equal(read_responses(path), checked(*ROWS))


def test_a_parquet_column_without_any_value_or_of_small_numbers_is_read(tmp_path: Path) -> None:
    path = tmp_path / "r.parquet"
    rows = [answer(rt_ms="7"), answer(pair="q2", rt_ms="8")]
    df = table(*rows).assign(excluded=None, rationale=None, rt_ms=pd.array([7, 8], dtype="Int16"))
    df.astype({"excluded": object, "rationale": object}).to_parquet(path, index=False)
    pd.testing.assert_frame_equal(read_responses(path), checked(*rows))


@pytest.mark.parametrize("column", ["participant", "trial", "rationale", "choice", "shown_at", "rt_ms"])
def test_half_a_letter_in_json_is_refused_at_its_cell(tmp_path: Path, column: str) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text(
        "".join(json.dumps(row) + "\n" for row in (answer(), answer(pair="q2") | {column: "x\ud800"}))
    )
    assert refusal(path) == f"row 2, column {column}: 'x\\ud800' is not UTF-8; allowed: UTF-8 text"
