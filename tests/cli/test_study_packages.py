"""A study package at the command line: read as the browser reads it, and refused in one line."""

from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import URL

from app.catalog.packed import PackedClip, PackedCollection, PackedCollections
from app.core.database import Database
from app.library.clips.rules import Rules
from app.studies.collections import own_collection
from app.studies.drafts import draft_for
from app.studies.launch import study_here
from tests.cli.test_import import run  # noqa: F401
from tests.library.test_packed import YAML, packed_zip
from tests.program import Done

pytestmark = pytest.mark.slow

CLIPS = [PackedClip(name=f"walk-{n}", source="human") for n in range(7)]
OWN = PackedCollection(
    name="nav", title="Our walks", is_own=True, rules=Rules(width=320, height=200), clips=CLIPS
)


def test_a_package_becomes_a_draft_with_its_collection_and_says_which_clips_are_missing(
    run: Callable[..., Done],  # noqa: F811
    tmp_path: Path,
) -> None:
    collections = PackedCollections(collections=[OWN]).model_dump_json().encode()
    files = {"version-1/study.yaml": YAML, "collections.json": collections}
    (tmp_path / "nav.zip").write_bytes(packed_zip(**files))
    refused = run("study", "load", "nav.zip")
    assert (refused.returncode, "there is no owner yet" in refused.stderr) == (1, True)
    for email, role in (
        ("ann@example.org", "owner"),
        ("bo@example.org", "editor"),
        ("cy@example.org", "viewer"),
    ):
        assert run("user", "add", email, "--role", role, "--generate").returncode == 0
    done = run("study", "load", "nav.zip")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "nav: a draft of ann@example.org; finish it at /admin/studies/nav\n"
    assert "7 of 7 clips are not here" in done.stderr
    assert "upload walk-0, walk-1, walk-2, walk-3, walk-4 and 2 more" in done.stderr
    again = run("study", "load", "nav.zip", "--as", "bo@example.org")
    assert again.stdout == "nav-2: a draft of bo@example.org; finish it at /admin/studies/nav-2\n"
    for email in ("cy@example.org", "nobody@example.org"):
        assert run("study", "load", "nav.zip", "--as", email).returncode == 1
    database = Database(URL.create("sqlite", database=str(tmp_path / "data" / "likely-human.sqlite3")))
    with database.reading() as session:
        study = study_here(session, "nav")
        assert draft_for(session, study).keys["title"]
        own = own_collection(session, study.id)
        assert own is not None
        assert own.title == "Our walks"
    database.close()


def test_what_is_no_package_is_refused_with_what_to_do(
    run: Callable[..., Done],  # noqa: F811
    tmp_path: Path,
) -> None:
    run("user", "add", "ann@example.org", "--generate")
    (tmp_path / "cut.zip").write_bytes(packed_zip(**{"version-1/study.yaml": YAML})[:-30])
    (tmp_path / "study.yaml").write_bytes(YAML)
    for words, said in (
        (
            ("cut.zip",),
            "cut.zip: not readable as a zip file: it may have been cut off (download the package again",
        ),
        (("none.zip",), "none.zip cannot be read: No such file or directory"),
        (("study.yaml", "--as", "ann@example.org"), "--as is for a study package"),
    ):
        refused = run("study", "load", *words)
        assert (refused.returncode, refused.stdout) == (1, "")
        assert refused.stderr.startswith(said), refused.stderr
        assert len(refused.stderr.splitlines()) == 1
