"""Collections at the command line: made by an import, with a frame of their own, listed."""

from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import URL

from app.catalog.rules import set_rules
from app.core.database import Database
from app.library.clips.rules import Rules
from app.library.collections import make_collection
from tests.cli.test_import import run  # noqa: F401
from tests.factories import NOW
from tests.library.clips.videos import make_video
from tests.program import Done

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
    assert "lab  shared  1 stimulus  90 x 160" in listed
    assert "library  shared  1 stimulus  160 x 90" in listed
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
