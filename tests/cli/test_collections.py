"""Collections at the command line: made by an import, with a frame of their own, listed."""

from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import URL
from sqlmodel import col, select

from app.accounts.tables import AuditEntry
from app.catalog.rules import set_rules
from app.core.database import Database
from app.library.clips.rules import Rules
from app.library.collections import collection_ids, make_collection
from app.studies.collections import have_own_collection, use_collections
from app.trials.tables import Study
from tests.cli.test_import import run  # noqa: F401
from tests.factories import NOW
from tests.library.clips.videos import make_video
from tests.program import Done
from tests.studies.clips import add_clips

pytestmark = pytest.mark.slow


def test_an_import_goes_into_a_collection_with_a_frame_of_its_own(
    run: Callable[..., Done],  # noqa: F811
    tmp_path: Path,
) -> None:
    for name, width, height in (("wide", 160, 90), ("tall", 90, 160)):
        make_video(tmp_path / f"{name}.mp4", width=width, height=height, seconds=0.3)
        (tmp_path / f"{name}.csv").write_text(f"file,name,source\n{name}.mp4,{name},human\n")
    done = run("stimuli", "import", "wide.csv")
    assert done.returncode == 0, done.stderr
    done = run("stimuli", "import", "tall.csv", "--collection", "lab")
    assert "90 x 160" in done.stdout, done.stderr
    listed = run("stimuli", "collections").stdout
    assert "lab  shared  1 stimulus  90 x 160  seen by its editors  lab\n" in listed
    assert "library  shared  1 stimulus  160 x 90  seen by its editors  Library\n" in listed
    assert run("stimuli", "list", "--collection", "lab").stdout.split()[0] == "tall"
    refused = run("stimuli", "list", "--collection", "no-such")
    assert (refused.returncode, "There is no collection 'no-such'" in refused.stderr) == (1, True)


def test_an_import_keeps_to_the_settled_frame_of_an_empty_collection_and_checks_its_name_first(
    run: Callable[..., Done],  # noqa: F811
    tmp_path: Path,
) -> None:
    make_video(tmp_path / "wide.mp4", width=160, height=90, seconds=0.3)
    (tmp_path / "wide.csv").write_text("file,name,source\nwide.mp4,wide,human\n")
    refused = run("stimuli", "import", "wide.csv", "--collection", "No Name")
    assert (refused.returncode, "cannot be the name of a collection" in refused.stderr) == (1, True)
    assert "Processing" not in refused.stdout + refused.stderr
    database = Database(URL.create("sqlite", database=str(tmp_path / "data" / "likely-human.sqlite3")))
    with database.transaction() as session:
        lab = make_collection(session, "lab", NOW).id or 0
        set_rules(session, None, Rules(width=96, height=64), NOW, lab)
    database.close()
    done = run("stimuli", "import", "wide.csv", "--collection", "lab")
    assert "96 x 64" in done.stdout, done.stderr


def test_collections_are_renamed_opened_closed_and_removed_and_refusals_change_nothing(
    run: Callable[..., Done],  # noqa: F811
    tmp_path: Path,
) -> None:
    assert run("stimuli", "collections").returncode == 0
    database = Database(URL.create("sqlite", database=str(tmp_path / "data" / "likely-human.sqlite3")))
    with database.transaction() as session:
        for name in ("lab", "full", "used"):
            make_collection(session, name, NOW)
        ids = collection_ids(session)
        add_clips(session, [("one", "human", {})], ids["full"])
        session.add(nav := Study(slug="nav", created_at=NOW))
        session.flush()
        have_own_collection(session, nav.id or 0, "Which?", NOW)
        use_collections(session, nav.id or 0, [ids["used"]])
    here = ("stimuli", "collections")
    assert run(*here, "rename", "lab", "  Walks  of May ").stdout == "lab: Walks of May\n"
    assert run(*here, "open", "lab").stdout == "lab: seen by every user\n"
    assert "lab  shared  0 stimuli  frame open  seen by every user  Walks of May\n" in run(*here).stdout
    assert run(*here, "close", "lab").stdout == "lab: seen by its editors\n"
    before = run(*here).stdout
    for words, reason in (
        (("remove", "used"), "used stays: the study nav uses it."),
        (("remove", "nav"), "Which? stays: it belongs to the study nav, and goes with it."),
        (("remove", "full"), "full stays: there are clips in it. Move or delete them first."),
        (("remove", "library"), "clips that are added without naming a collection go there."),
        (("remove", "no-such"), "There is no collection 'no-such'."),
        (("open", ""), "Name a collection: `stimuli collections` lists them."),
        (("rename", "no-such", "Title"), "There is no collection 'no-such'."),
        (("rename", "lab", " "), "A collection has a title of 1 to 100 printable characters."),
    ):
        refused = run(*here, *words)
        assert (refused.returncode, refused.stdout) == (1, ""), words
        assert reason in refused.stderr
        assert len(refused.stderr.splitlines()) == 1
    assert run(*here).stdout == before
    assert run(*here, "remove", "lab").stdout == "lab: removed\n"
    with database.reading() as session:
        assert "lab" not in collection_ids(session)
        noted = session.exec(select(AuditEntry).order_by(col(AuditEntry.id))).all()
    database.close()
    assert [(each.actor, each.action.removeprefix("collection.")) for each in noted[-4:]] == [
        ("command line", action) for action in ("rename", "open", "close", "remove")
    ]
