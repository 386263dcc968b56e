"""Study files as they are uploaded: alone, with their files, zipped, or not study files at all."""

import io
import random
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.studies.file.bundle import read_bundle
from app.studies.file.drafts import check_draft
from app.studies.file.packed_study import read_package
from app.studies.file.problems import StudyFileProblems
from app.studies.file.yamlwriter import draft_to_yaml
from tests.studies.file.study_folder import EXAMPLE, PAIRS, SAMPLE, TEXTS, loaded, make_facts, make_folder

FACTS = make_facts()
STUDY = EXAMPLE.replace("PAIRS", PAIRS)
FILES = {"study.yaml": STUDY.encode(), **{name: text.encode() for name, text in TEXTS.items()}}


def zipped(files: Mapping[str, bytes], how: int = zipfile.ZIP_DEFLATED) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", how) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return packed.getvalue()


def problems_with(files: Mapping[str, bytes], main: str | None = None) -> list[tuple[str, int, str]]:
    with pytest.raises(StudyFileProblems) as refused:
        read_bundle(files, main)
    assert all(problem.remedy for problem in refused.value.problems)
    assert len(str(refused.value).splitlines()) == len(refused.value.problems)
    return [(problem.file, problem.line, problem.message) for problem in refused.value.problems]


@pytest.mark.parametrize(
    "files",
    [
        FILES,
        {"upload.zip": zipped(FILES)},
        {"upload.zip": zipped({f"my study/{name}": data for name, data in FILES.items()})},
        {
            "x": zipped(
                {**FILES, "__MACOSX/._study.yaml": b"\0", ".DS_Store": b"\0", "clips/": b""},
                zipfile.ZIP_STORED,
            )
        },
        {f"C:\\fakepath\\{name}": data for name, data in FILES.items()},
        {name: data.replace(b"\n", b"\r\n") for name, data in FILES.items()},
        {"study.yaml": draft_to_yaml(read_bundle(FILES)).encode()},
    ],
)
def test_an_upload_is_the_study_of_the_same_folder(tmp_path: Path, files: dict[str, bytes]) -> None:
    by_folder = loaded(make_folder(tmp_path, pairs=PAIRS))
    design = check_draft(read_bundle(files), FACTS).design
    assert design == by_folder
    assert design.sha256() == by_folder.sha256()


def test_files_in_folders_are_found_with_and_without_their_folders() -> None:
    study = {"study.yaml": STUDY.replace("consent.md", "texts/consent.md").encode()}
    others = {name: data for name, data in FILES.items() if name not in ("study.yaml", "consent.md")}
    for name in ("texts/consent.md", "consent.md", "elsewhere/consent.md"):
        assert read_bundle({**study, **others, name: b"Agreed?"})["consent"]["text"] == "Agreed?"
    two = {"texts/consent.md": b"right", "old/consent.md": b"wrong"}
    assert read_bundle({**study, **others, **two})["consent"]["text"] == "right"


def test_the_study_file_is_the_named_one_or_the_one_that_stands_out() -> None:
    other = STUDY.replace("hntt-1", "other").encode()
    assert read_bundle({**FILES, "rules.yml": other})["study"] == "hntt-1"
    assert read_bundle({**FILES, "old/draft.yaml": other})["study"] == "hntt-1"
    assert read_bundle({**FILES, "rules.yml": other}, "rules.yml")["study"] == "other"
    assert read_bundle({"anything.txt": draft_to_yaml(read_bundle(FILES)).encode()})["study"] == "hntt-1"
    assert problems_with({"a.yaml": other, "b.yaml": other}) == [
        ("the upload", 1, "which one is the study file: 'a.yaml' or 'b.yaml'?")
    ]
    assert problems_with({"a.md": b"", "b.md": b""}) == [("the upload", 1, "there is no YAML file in it")]
    assert problems_with(FILES, "x.yaml") == [("x.yaml", 1, "there is no such file in the upload")]
    assert problems_with({}) == [("the upload", 1, "there is no file in it")]


def test_every_file_that_was_not_uploaded_is_named_with_its_line() -> None:
    with pytest.raises(StudyFileProblems) as refused:
        read_bundle({"study.yaml": STUDY.encode(), "thanks.md": b"\xff"})
    assert [(problem.line, problem.message) for problem in refused.value.problems] == [
        (3, "consent.text: 'consent.md' was not uploaded"),
        (6, "instructions: 'instructions.md' was not uploaded"),
        (7, "pairs: 'pairs.csv' was not uploaded"),
        (17, "completion.message: 'thanks.md': byte 0xff is not UTF-8"),
    ]
    assert all(
        p.remedy.startswith("upload it together with the study file") for p in refused.value.problems[:3]
    )


def test_a_file_that_breaks_rules_becomes_a_draft_that_shows_them() -> None:
    study = STUDY.replace("order: random", "order: sideways").replace("title:", "titel:")
    keys = read_bundle({**FILES, "study.yaml": study.encode(), "pairs.csv": b"pair,a,b\n", "thanks.md": b""})
    places = [fault.place for fault in check_draft(keys, FACTS).faults]
    assert places == [("titel",), ("title",), ("pairs",), ("trials", "order"), ("completion", "message")]


@pytest.mark.parametrize(
    ("data", "line", "message"),
    [
        (b"study: a\n\ttitle: b\n", 2, "not readable as YAML: "),
        (b"study: a\nstudy: b\n", 2, "the key 'study' comes twice"),
        (b"- a\n", 1, "this is no study file"),
        (b"", 1, "the file is empty"),
        (b"\x89PNG\0", 1, "this is not a text file"),
        (b"title: caf\xe9", 1, "byte 0xe9 is not UTF-8"),
        (b"a: [" + b"x," * 30_000 + b"]", 1, "more than 20000 keys and values"),
        (b"#" * 1_000_001, 1, "a study file has at most 1 MB"),
        (b"a: &a [x,x,x,x,x,x,x,x,x,x]\n" + b"".join(
            b"%c: &%c [%s]\n" % (n + 1, n + 1, b"*%c," % n * 10) for n in range(97, 106)
        ), 1, "the study holds more than 10000 values"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused_with_its_line(data: bytes, line: int, message: str) -> None:
    [(file, found_line, found)] = problems_with({"study.yaml": data})
    assert (file, found_line) == ("study.yaml", line)
    assert found.startswith(message)


def lying(data: bytes) -> bytes:
    """The same zip, with every entry's unpacked size said to be 10 bytes."""
    changed = bytearray(data)
    for mark, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        at = changed.find(mark)
        while at >= 0:
            changed[at + offset : at + offset + 4] = (10).to_bytes(4, "little")
            at = changed.find(mark, at + 4)
    return bytes(changed)


def of_method(data: bytes, method: int) -> bytes:
    """The same zip, with every entry said to be packed by that method, such as 9: Deflate64, as of Windows."""
    changed = bytearray(data)
    for mark, offset in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        at = changed.find(mark)
        while at >= 0:
            changed[at + offset : at + offset + 2] = method.to_bytes(2, "little")
            at = changed.find(mark, at + 4)
    return bytes(changed)


BOMB = zipped({f"{n}.md": b"\0" * 1_000_000 for n in range(50)} | FILES)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"a.zip": BOMB}, "this is more than 100 files or 5 MB"),
        ({"a.zip": lying(BOMB)}, "not readable as a zip file"),
        ({"a.zip": zipped({f"{n}.md": b"" for n in range(101)})}, "this is more than 100 files or 5 MB"),
        ({f"{n}.md": b"" for n in range(101)}, "this is more than 100 files or 5 MB"),
        ({"a.yaml": STUDY.encode(), "b.md": b" " * 5_000_001}, "this is more than 100 files or 5 MB"),
        ({"a.zip": zipped(FILES)[:-30]}, "not readable as a zip file"),
        (
            {"a.zip": zipped(FILES, zipfile.ZIP_LZMA)},
            "this file is packed in a way that is not read here, such as Deflate64 or LZMA",
        ),
        ({"a.zip": zipped({})}, "there is no YAML file in it"),
        (
            {"a.zip": zipped({"XXudy.yaml": b"study: x\n"}).replace(b"XX", b"\0t")},
            "a file in it has no name, or a name with a zero byte in it",
        ),
        (
            {"a.zip": zipped({"stXX.yaml": b"study: x\n"}).replace(b"XX", b"\0d")},
            "a file in it has no name, or a name with a zero byte in it",
        ),
        ({"a.zip": zipped({"inner.zip": zipped(FILES)})}, "this is not a text file"),
    ],
)
def test_what_is_too_much_or_no_zip_is_refused(files: dict[str, bytes], message: str) -> None:
    [(_, _, found)] = problems_with(files)
    assert found == message


PACKAGE = {
    "datapackage.json": b"{}",
    "data/responses.csv": b"study\n",
    "materials/version-1/study.yaml": b"study: older\n",
    "materials/version-2/study.yaml": draft_to_yaml(read_bundle(FILES)).encode(),
    "materials/collections.json": b"[]",
}
MACS = {
    "__MACOSX/._nav": b"\0",
    "__MACOSX/nav/materials/version-2/._study.yaml": b"\0",
    "nav/.DS_Store": b"\0",
}


@pytest.mark.parametrize(
    "files",
    [
        PACKAGE,
        {f"nav/{name}": data for name, data in PACKAGE.items()},
        {"nav/": b"", "nav/data/": b"", **{f"nav/{name}": data for name, data in PACKAGE.items()}, **MACS},
        {
            "nav\\data\\": b"",
            **{f"nav\\{name}".replace("/", "\\"): data for name, data in PACKAGE.items()},
        },
    ],
    ids=["as built", "folder around it", "macOS", "Windows"],
)
def test_a_package_that_was_unpacked_and_packed_again_is_the_same_study(
    tmp_path: Path, files: dict[str, bytes]
) -> None:
    path = tmp_path / "nav.zip"
    path.write_bytes(zipped(files))
    found = read_package(path, "nav.zip")
    assert read_bundle(found.files) == read_bundle(FILES)
    assert found.collections == b"[]"
    assert read_bundle({"nav.zip": path.read_bytes()}) == read_bundle(FILES), "a small one, sent in a form"


def test_a_package_packed_by_another_method_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "nav.zip"
    path.write_bytes(of_method(zipped(PACKAGE), 9))
    with pytest.raises(StudyFileProblems) as refused:
        read_package(path, "nav.zip")
    assert str(refused.value) == (
        "nav.zip: datapackage.json: this file is packed in a way that is not read here, such as Deflate64 or LZMA "
        "(pack everything again as a plain zip, whose method is Deflate)"
    )


def test_names_are_only_looked_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "secret.md").write_text("secret")
    monkeypatch.chdir(tmp_path)
    for name in (
        "secret.md",
        "./secret.md",
        str(tmp_path / "secret.md"),
        "../secret.md",
        "/etc/hostname",
        "a\\b",
    ):
        study = EXAMPLE.replace("PAIRS", SAMPLE).replace("instructions.md", name)
        [(_, line, message)] = problems_with({**FILES, "study.yaml": study.encode()})
        assert line == 6
        assert message.endswith("was not uploaded")
    keys = read_bundle({"x.zip": zipped({**FILES, "../../evil.md": b"evil", "/etc/passwd": b"x"})})
    assert "evil" not in str(keys)
    assert [path.name for path in tmp_path.iterdir()] == ["secret.md"]


@given(seed=st.integers(0, 2**32), n=st.integers(1, 8))
def test_a_damaged_zip_is_read_or_refused(seed: int, n: int) -> None:
    rng = random.Random(seed)
    data = bytearray(zipped(FILES))
    for _ in range(n):
        data[rng.randrange(4, len(data))] = rng.randrange(256)
    try:
        keys = read_bundle({"a.zip": bytes(data)})
    except StudyFileProblems as error:
        refused = error.problems
    else:
        refused = ()
        check_draft(keys, FACTS)
    assert all(len(str(problem).splitlines()) == 1 for problem in refused)
