"""The check of a file of verdicts: each fault with its row and its remedy, and what counts as none."""

import io
from zipfile import ZipFile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.errors import AnalysisError
from analysis.judging.files import read_verdicts
from app.judges.checking import MOST_SHOWN, BadVerdicts, Check, check_file
from app.judges.known import Criterion, Known, KnownPair
from app.judges.rules import item_faults, pair_faults
from app.judges.verdict_files import Line

PAIRS = [KnownPair(f"p{number}", f"human-{number}", f"agent-{number}") for number in range(1, 13)]
KNOWN = Known(
    "nav",
    pairs=PAIRS,
    others=frozenset({"warm-up"}),
    stimuli=frozenset({name for pair in PAIRS for name in (pair.a, pair.b)}),
)
RATED = Known(
    "rated",
    items=["one", "two"],
    criteria=[Criterion("logic", "Logic", True), Criterion("maker", "Who?", False, ("person", "model"))],
)
HEAD = "judge,pair,choice,score\n"


def check(text: str | bytes, name: str = "mine.csv", known: Known | None = KNOWN) -> Check:
    return check_file(text.encode() if isinstance(text, str) else text, name, known).check


def wrong(text: str | bytes, name: str = "mine.csv", known: Known | None = KNOWN) -> list[str]:
    return [str(one) for one in check(text, name, known).wrong]


def test_each_fault_has_its_row_and_says_how_to_put_it_right() -> None:
    for row, said in (
        ("m,p1,A,", "Row 2: the choice is 'A'. Write a."),
        ("m,p1,human-1,", "Row 2: the choice is 'human-1'. Write a, which is 'human-1' in this pair."),
        ("m,p1,agent-1,", "Row 2: the choice is 'agent-1'. Write b, which is 'agent-1' in this pair."),
        ("m,p1,a,83%", "Row 2: the score is '83%', which is no number. Write 0.83."),
        ('m,p1,a,"0,8"', "Row 2: the score is '0,8', which is no number. Write 0.8, with a point."),
        ("m,p1,a,NaN", "Row 2: the score is 'NaN', which is no number. Write a number, or leave it empty."),
        ("m,p1,a,inf", "Row 2: the score is 'inf', which is no number. Write a number, or leave it empty."),
        (",p1,a,", "Row 2: the name of the judge is missing. Write it in the column judge."),
        ("m,,a,", "Row 2: the pair is missing. Write its name in the column pair."),
        (
            "m,p1,a",
            "Row 2: the row has 3 cells, the header 4. Give each row a cell for each column, empty or not.",
        ),
    ):
        assert wrong(f"{HEAD}{row}\nm,p2,b,0.2\n") == [said]


def test_all_faults_are_found_at_once_and_only_the_first_are_listed() -> None:
    found = check(HEAD + "".join(f"m,q{number},left,\n" for number in range(30)) + "m,p1,a,0.9\n")
    assert (found.n_wrong, found.n_fine, len(found.wrong)) == (60, 1, MOST_SHOWN)
    checked = check_file((HEAD + "".join(f"m,q{n},left,\n" for n in range(30))).encode(), "m.csv", KNOWN)
    with pytest.raises(BadVerdicts, match=r"60 problems; nothing was added\. Row 2: .* 40 more problems"):
        checked.require_fine()


def test_a_row_stands_between_its_neighbours_as_a_spreadsheet_numbers_them() -> None:
    [one] = check(f"{HEAD}\nm,p1,a,0.9\nm,p2,left,\nm,p3,b,0.1\n").wrong
    assert [(line.row, line.is_wrong) for line in one.rows] == [(3, False), (4, True), (5, False)]
    assert one.rows[1].cells == ["m", "p2", "left", ""]


def test_a_cause_that_all_rows_share_is_said_once() -> None:
    for text, said in (
        (
            f"{HEAD}m,p1,a,0.1\nm,p2,a,0.2\nm,p3,b,0.9\n",
            "Row 2: in all 3 rows of 'm' with both, the choice and the score disagree. Score is the probability that "
            "a is chosen: write 1 − score, or swap a and b in choice.",
        ),
        (
            "judge,pair,score\nm,p1,83\nm,p2,20\n",
            "Row 2: the scores of 'm' go from 20 to 83. Score is the probability that a is chosen, from 0 to 1: "
            "divide percentages by 100.",
        ),
    ):
        [one] = wrong(text)
        assert one.startswith(said)
        assert check_file(text.encode(), "mine.csv", KNOWN).check.n_fine == 0


def test_percentages_beside_choices_of_a_alone_are_pointed_out() -> None:
    """They are valid support for a, so they are read, and the reader is told how."""
    checked = check_file(f"{HEAD}m,p1,a,70\nm,p2,a,83\n".encode(), "mine.csv", KNOWN).check
    assert (checked.n_wrong, checked.notes) == (
        0,
        [
            "The scores of m go from 70 to 83: they are read as support for a where above 0. "
            "Divide percentages by 100."
        ],
    )
    told = f"{HEAD[:-1]},scale\nm,p1,a,70,support\n"
    assert check_file(told.encode(), "mine.csv", KNOWN).check.notes == []


def test_columns_that_are_missing_are_named_with_those_that_are_there() -> None:
    assert wrong("Judge,pair,answer\nm,p1,a\n") == [
        "The column judge is missing. Write judge for Judge.",
        "The column choice or score is missing. The columns here are Judge, pair, answer.",
    ]
    faults = wrong("model,trial,answer\nm,1,a\n")
    assert [one.count("The columns here are model, trial, answer.") for one in faults] == [1, 0, 0]
    assert check_file(b"model,trial,answer\nm,1,a\n", "mine.csv", KNOWN).check.n_fine == 0
    [one] = wrong("judge|pair|choice\nm|p1|a\n")[:1]
    assert one.endswith("separate columns with commas, semicolons or tabs.")


def test_a_file_of_json_is_told_from_a_table() -> None:
    said = ["The file is JSON, not a table. Save it as CSV, with the columns in the first line."]
    one = '{"judge": "m", "pair": "p1", "choice": "a"}'
    for text in (f"{one}\n{one}\n", f"[\n  {one},\n  {one}\n]", f"\ufeff[{one}]"):
        assert wrong(text) == said


def test_files_as_spreadsheets_write_them_are_read() -> None:
    table = "judge;pair;score\r\nm;p1;0,9\r\nm;p2;0,25\r\n"
    for data in (table.encode("utf-8-sig"), table.encode("utf-16"), b"sep=;\r\n" + table.encode()):
        checked = check_file(data, "mine.csv", KNOWN)
        assert checked.check.n_wrong == 0
        assert checked.check.notes == ["Decimal commas in score were read as points."]
        assert checked.text == "judge,pair,score\nm,p1,0.9\nm,p2,0.25\n"


def test_a_workbook_is_read_by_the_sheet_that_names_judges() -> None:
    data = workbook([("notes",), ("judge", "pair", "score"), ("m", "p1", "0.9")])
    assert wrong(data, "mine.xlsx")[0].startswith("The column judge")
    data = workbook([("judge", "pair", "score"), ("m", "p1", "0.9"), ("m", "p2", "2")])
    assert check(data, "mine.xlsx").judges[0].n_judged == 2


def workbook(rows: list[tuple[str, ...]]) -> bytes:
    """A workbook of one sheet of texts, with no more parts than a reader needs (ECMA-376)."""
    cells = "".join(
        f'<row r="{y}">'
        + "".join(
            f'<c r="{chr(65 + x)}{y}" t="inlineStr"><is><t>{cell}</t></is></c>' for x, cell in enumerate(row)
        )
        + "</row>"
        for y, row in enumerate(rows, start=1)
    )
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types"><Default Extension="rels" ContentType='
        f'"application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" '
        f'ContentType="{kind}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" '
        f'ContentType="{kind}.worksheet+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" '
        f'Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets><sheet name="Verdicts" sheetId="1" '
        f'r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" '
        f'Type="{office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>{cells}</sheetData></worksheet>',
    }
    file = io.BytesIO()
    with ZipFile(file, "w") as packed:
        for name, text in parts.items():
            packed.writestr(name, f'<?xml version="1.0" encoding="UTF-8"?>{text}')
    return file.getvalue()


def test_rows_of_practice_and_of_other_studies_are_noted_and_no_fault() -> None:
    found = check("judge,study,pair,choice\nm,nav,p1,a\nm,other,x,a\nm,,warm-up,a\n")
    assert found.n_wrong == 0
    assert found.notes == [
        "1 row is of the study other and not counted here.",
        "1 row of practice, of attention checks or of an earlier version: these are not counted.",
    ]


def test_values_for_rated_items_follow_the_studys_questions() -> None:
    for row, said in (
        ("m,one,logic,4", []),
        ("m,one,maker,person", []),
        ("m,one,logic,high", ["Row 2: the value is 'high', which is no number."]),
        ("m,one,maker,persn", ["Row 2: the value 'persn' is none of the answers that people could give."]),
        ("m,ones,logic,4", ["Row 2: this study has no item 'ones'. Did you mean 'one'?"]),
        ("m,one,logc,4", ["Row 2: this study has no question 'logc'. Did you mean 'logic'?"]),
    ):
        found = wrong(f"judge,item,criterion,value\n{row}\n", known=RATED)
        assert len(found) == len(said), row
        assert all(one.startswith(start) for one, start in zip(found, said, strict=True))


_CELLS = st.sampled_from(["", "a", "b", "tie", "left", "0.2", "0.9", "-1", "3", "nan", "p1", "p2", "m"])


@given(
    st.lists(st.tuples(st.sampled_from(["m", "n", ""]), st.sampled_from(["p1", "p2", ""]), _CELLS, _CELLS))
)
def test_what_passes_the_check_is_read_by_the_analysis(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, ...]]
) -> None:
    """The analysis stops at the first fault, and has no other rules than these."""
    checked = check_file((HEAD + "".join(",".join(row) + "\n" for row in rows)).encode(), "mine.csv", KNOWN)
    if checked.check.n_wrong:
        return
    path = tmp_path_factory.mktemp("verdicts") / "mine.csv"
    path.write_text(checked.text)
    try:
        read_verdicts(path)
    except AnalysisError as error:
        raise AssertionError(checked.text) from error


def test_the_names_that_could_be_meant_are_kept_once_for_all_wrong_rows() -> None:
    """A copy of them for each of 100,000 wrong rows took 544 MB."""
    for known, rules, column in (
        (KNOWN, pair_faults, "pair"),
        (KNOWN, pair_faults, "stimulus"),
        (RATED, item_faults, "item"),
    ):
        lines = [
            Line(row, {"judge": "m", column: f"q{row}", "value": "1", "score": "1"}) for row in (2, 3, 4)
        ]
        found = [one.known for one in rules(lines, ["judge", column], known) if one.known is not None]
        assert len(found) == 3, column
        assert all(one is found[0] for one in found), column
