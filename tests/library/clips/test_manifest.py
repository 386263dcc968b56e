from collections.abc import Callable
from pathlib import Path

import pytest

from app.library.clips.errors import ManifestProblems
from app.library.clips.manifest import read_manifest

Write = Callable[[str | bytes], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a manifest beside the files a.mp4 and b.mp4 (which are not looked into) and the folder c.mp4."""
    (tmp_path / "a.mp4").write_bytes(b"a")
    (tmp_path / "b.mp4").write_bytes(b"b")
    (tmp_path / "c.mp4").mkdir()

    def written(content: str | bytes) -> Path:
        path = tmp_path / "manifest.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return written


def refusals(path: Path) -> list[str]:
    with pytest.raises(ManifestProblems) as caught:
        read_manifest(path)
    lines = str(caught.value).splitlines()
    assert lines == [str(problem) for problem in caught.value.problems]
    assert all(line.startswith(str(path)) for line in lines)
    return [line.removeprefix(str(path)) for line in lines]


def test_rows_come_in_order_with_their_attributes(write: Write, tmp_path: Path) -> None:
    path = write("file,name,source,goal,player\na.mp4,h-1,human,tree,p7\nb.mp4,s-1,symbolic,rock,\n")
    manifest = read_manifest(path)
    assert manifest.attributes == ("goal", "player")
    first, second = manifest.rows
    assert (first.row, first.file, first.written) == (2, tmp_path / "a.mp4", "a.mp4")
    assert (first.name, first.source, first.positions) == ("h-1", "human", None)
    assert first.attributes == {"goal": "tree", "player": "p7"}
    assert (second.row, second.name, second.attributes) == (3, "s-1", {"goal": "rock", "player": ""})


@pytest.mark.parametrize(
    "content",
    [
        "\ufefffile,name,source\na.mp4,x,human\n",
        "file,name,source\r\na.mp4,x,human\r\n",
        "source,name,file\nhuman,x,a.mp4",
        'file,name,source\n"a.mp4", x ,human\n',
        "\n\nfile,name,source\n,,\n\na.mp4,x,human\n\n",
        "file,name,source\n./nothing/../a.mp4,x,human\n".replace("nothing/../", ""),
    ],
    ids=["byte order mark", "windows", "other order", "spaces and quotes", "empty rows", "dotted"],
)
def test_what_spreadsheets_write_is_read(write: Write, tmp_path: Path, content: str) -> None:
    (row,) = read_manifest(write(content)).rows
    assert row.file.resolve() == (tmp_path / "a.mp4").resolve()
    assert (row.name, row.source, row.attributes) == ("x", "human", {})


def test_rows_are_numbered_as_a_spreadsheet_numbers_them(write: Write) -> None:
    path = write('file,name,source,note\n\na.mp4,x,human,"two\nlines"\nb.mp4,y y,human,\n')
    assert refusals(path)[0].startswith(", row 4, column name, value 'y y': ")


def test_files_elsewhere_and_files_named_twice_are_fine(write: Write, tmp_path: Path) -> None:
    path = write(f"file,name,source\n{tmp_path / 'a.mp4'},x,human\na.mp4,y,human\n")
    assert [row.file for row in read_manifest(path).rows] == [tmp_path / "a.mp4"] * 2


def test_folders_of_a_manifest_may_be_written_as_windows_does(write: Write, tmp_path: Path) -> None:
    (tmp_path / "clips").mkdir()
    (tmp_path / "clips" / "a.mp4").write_bytes((tmp_path / "a.mp4").read_bytes())
    (row,) = read_manifest(write("file,name,source\nclips\\a.mp4,x,human\n")).rows
    assert (row.file, row.written) == (tmp_path / "clips" / "a.mp4", "clips\\a.mp4")
    (tmp_path / "clips\\a.mp4").write_bytes(b"another")
    (row,) = read_manifest(write("file,name,source\nclips\\a.mp4,x,human\n")).rows
    assert row.file == tmp_path / "clips\\a.mp4", "the name of a file here"
    assert refusals(write("file,name,source\nclips\\b.mp4,x,human\n")) == [
        ", row 2, column file, value 'clips\\b.mp4': is not there; files are named relative to the manifest"
    ]


def test_positions_are_files_too(write: Write, tmp_path: Path) -> None:
    path = write("file,name,source,positions\na.mp4,x,human,b.mp4\nb.mp4,y,human,\n")
    first, second = read_manifest(path).rows
    assert (first.positions, second.positions) == (tmp_path / "b.mp4", None)
    assert first.attributes == {"positions": "b.mp4"}
    (line,) = refusals(write("file,name,source,positions\na.mp4,x,human,a.csv\n"))
    assert line == (
        ", row 2, column positions, value 'a.csv': is not there; files are named relative to the manifest"
    )


def test_all_that_is_wrong_is_told_at_once_in_the_order_of_rows(write: Write) -> None:
    path = write(
        "file,name,source,note\n"
        "none.mp4,x,human,\n"
        "a.mp4,,human,\n"
        "a.mp4,x,,\n"
        "a.mp4,<b>,hum an,\n"
        "a.mp4,y,human\n"
        "c.mp4,z,human,a,b\n"
        "c.mp4,z,human,\x07\n"
        ",w,human,\n"
    )
    allowed = "allowed are up to 100 of A-Z a-z 0-9 . _ - and a letter or digit first"
    empty = "is empty; each row has a file, a name and a source"
    assert refusals(path) == [
        ", row 2, column file, value 'none.mp4': is not there; files are named relative to the manifest",
        f", row 3, column name, value '': {empty}",
        f", row 4, column source, value '': {empty}",
        ", row 4, column name, value 'x': is the name of row 2 already; every stimulus has its own",
        f", row 5, column name, value '<b>': {allowed}",
        f", row 5, column source, value 'hum an': {allowed}",
        ", row 6: has 3 cells, the header 4 (give each row a cell for each column, empty or not)",
        ", row 7: has 5 cells, the header 4 (quote cells that hold the separator)",
        ", row 8, column note, value '\\x07': holds characters that cannot be printed",
        ", row 8, column file, value 'c.mp4': is a folder; files are named relative to the manifest",
        f", row 9, column file, value '': {empty}",
    ]


@pytest.mark.parametrize("name", ["x" * 101, "é", "a/b", "a b", "=1+1", "x\ny", "..\\x", "..", "-1"])
def test_odd_names_are_refused_in_one_line(write: Write, name: str) -> None:
    (line,) = refusals(write(f'file,name,source\na.mp4,"{name}",human\n'))
    assert "column name" in line
    assert line.endswith("a letter or digit first")
    assert len(line) < 250


@pytest.mark.parametrize("name", ["x" * 100, "A.b_c-9", "0"])
def test_plain_names_are_allowed(write: Write, name: str) -> None:
    assert read_manifest(write(f"file,name,source\na.mp4,{name},human\n")).rows[0].name == name


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "is empty; its first row is file,name,source"),
        (b" \r\n\r\n", "is empty; its first row is"),
        (b",,\n,,\n", "is empty; its first row is"),
        ("file,name,source\n", "has a header and no rows"),
        (
            "file,name,source\na.mp4,x,human\n".encode("utf-16-le"),
            "holds zero bytes, so it is not UTF-8 text",
        ),
        (
            b"file,name,source\na.mp4,caf\xe9,human\n",
            ", row 2, column name: 'café' is not UTF-8 but, it seems",
        ),
        (b"\0\0\0\x20ftypisom\0\0", "is not UTF-8 text (save it as CSV"),
        (
            'file,name,source\na.mp4,"x,human\n',
            ", row 2, column name: the quotation mark before 'x' is never closed (quotation marks around",
        ),
        ("file,name\na.mp4,x\n", "row 1: the column 'source' is missing (needed are file, name, source)"),
        ("File,name,source\na.mp4,x,human\n", "row 1: the column 'file' is missing (write file for File)"),
        ("file,name,source,name\na.mp4,x,human,y\n", "row 1: the column 'name' comes twice"),
        ("file,name,source,,goal\na.mp4,x,human,,tree\n", "row 1: column 4 has no name"),
        (f"file,name,source,{'x' * 101}\na.mp4,x,human,1\n", "at most 100 characters"),
    ],
)
def test_a_file_that_is_no_manifest_is_one_clear_line(
    write: Write, content: str | bytes, expected: str
) -> None:
    (line,) = refusals(write(content))
    assert expected in line


def test_a_header_that_lacks_all_is_told_all(write: Write) -> None:
    assert len(refusals(write("clip,title\na.mp4,x\n"))) == 3


def test_a_video_given_as_the_manifest_is_not_read_to_its_end(write: Write, tmp_path: Path) -> None:
    path = tmp_path / "large.csv"
    with path.open("wb") as file:
        file.truncate(2**33)
    (line,) = refusals(path)
    assert "larger than 16 MB" in line


def test_a_missing_manifest_is_reported(tmp_path: Path) -> None:
    assert refusals(tmp_path / "none.csv") == [": cannot be read (No such file or directory)"]
    assert refusals(tmp_path) == [": cannot be read (Is a directory)"]
