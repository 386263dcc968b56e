"""Collections at the command line: made by an import, with a frame of their own, listed."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.test_import import run  # noqa: F401
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
