from pathlib import Path

import pytest

from app.core.errors import NotFound
from app.library.clips.manifest import NAME
from app.library.media import part_path, poster_path
from app.library.names import (
    BadStimulus,
    checked_attributes,
    checked_source,
    label_of,
    name_from,
    suffix_of,
)

HOSTILE = [
    "../../x",
    "..\\..\\x.mp4",
    "/etc/passwd",
    "<script>alert(1)</script>.mp4",
    "\x00\x01\x1b[31m.mp4",
    "a" * 10_000 + ".mp4",
    "Größe – 1.mp4",
    "....mp4",
    "",
    ".mp4",
    "\ud800.mp4",
    "con.mp4",
    "🎥🎥",
]


@pytest.mark.parametrize("file_name", HOSTILE, ids=range(len(HOSTILE)))
def test_any_file_name_makes_an_allowed_name_and_a_printable_label(file_name: str) -> None:
    name = name_from(file_name, ())
    assert NAME.fullmatch(name)
    assert not {"/", "\\", ".."} & {name}
    label = label_of(file_name)
    assert label.isprintable()
    assert 0 < len(label) <= 160
    label.encode()


def test_names_are_made_of_the_file_and_numbered_where_taken() -> None:
    assert name_from("Human walk (3).MOV", ()) == "Human-walk-3"
    assert name_from("Müller – Läufer 🎮 2.mp4", ()) == "Muller-Laufer-2"
    assert name_from("e\u0301te\u0301.mp4", ()) == name_from("été.mp4", ()) == "ete", (
        "as macOS spells it, too"
    )
    assert name_from("walk.mp4", {"walk"}) == "walk-2"
    assert name_from("walk.webm", {"walk", "walk-2", "walk-3"}) == "walk-4"
    long = name_from("w" * 300 + ".mp4", {"w" * 90})
    assert long.endswith("-2")
    assert NAME.fullmatch(long)


def test_a_long_label_keeps_its_ending() -> None:
    assert label_of("a" * 10_000 + ".mp4").endswith("a.mp4")
    assert suffix_of(label_of("a" * 10_000 + ".MP4")) == ".mp4"
    assert suffix_of("no ending") == ""


def test_clip_attributes_are_bounded_and_faults_named() -> None:
    assert checked_source(" human ") == "human"
    for bad in ("", "a b", "<b>", "x" * 101, "-human"):
        with pytest.raises(BadStimulus):
            checked_source(bad)
    assert checked_attributes({"goal": " g1 ", "empty": "", " ": ""}) == {"goal": "g1"}
    for attributes in (
        {"name": "x"},
        {"Source": "x"},
        {"": "x"},
        {"k" * 101: "x"},
        {"k": "v" * 2001},
        {"k": "\x1b[0m"},
        {f"k{n}": "v" for n in range(51)},
    ):
        with pytest.raises(BadStimulus):
            checked_attributes(attributes)


def test_what_stood_there_before_may_stay_whatever_it_is() -> None:
    before = {"file": "odd", "long": "v" * 5000, "kept": ""}
    assert checked_attributes(before, before) == before
    assert checked_attributes({**before, "long": ""}, before) == {"file": "odd", "kept": ""}


@pytest.mark.parametrize(
    "token", ["../secret", "", "x" * 300, "a" * 30 + "/b", "a" * 30 + "\n", "0" * 64 + "/../x"]
)
def test_only_our_own_tokens_and_hashes_name_a_file(tmp_path: Path, token: str) -> None:
    for path_of in (part_path, poster_path):
        with pytest.raises(NotFound):
            path_of(tmp_path, token)
