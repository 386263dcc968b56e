"""`likely-human signatures`: a folder of clips with positions, from the file to the text and the JSON."""

import json
import math
from pathlib import Path

import pytest

from analysis.errors import AnalysisError
from app.cli.moving import signatures
from app.core.errors import StudyError
from app.tasks.game.run import asked_for
from app.tasks.game.writing import write
from tests.judges.files import circling, later, straight, wavy, write_positions

WALKS = {"human": wavy, "hybrid": circling, "symbolic": straight}


@pytest.fixture
def clips(tmp_path: Path) -> Path:
    """Twenty-four clips with positions, of two people and two agents; nobody looks into the files of videos."""
    lines = ["file,name,source,player,positions"]
    for source, walk in WALKS.items():
        for number in range(8):
            name, player = f"{source}-{number}", f"p{number % 2}"
            positions = write_positions(tmp_path / f"{name}.csv", later(walk, 0.37 * number), seconds=6)
            (tmp_path / f"{name}.mp4").write_bytes(b"not looked at")
            lines.append(f"{name}.mp4,{name},{source},{player},{positions.name}")
    (tmp_path / "manifest.csv").write_text("\n".join(lines) + "\n")
    return tmp_path


@pytest.mark.slow
def test_a_folder_of_clips_is_compared_in_one_command(
    clips: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    signatures([str(clips)], resamples=100)
    text = capsys.readouterr().out
    for said in (
        "Velocity change angle (velocity-change, published)",
        "People among themselves",
        "Nearest to people: hybrid",
        "Refused: positions have no goal_x_m and goal_y_m",
        "Not settled",
        "Nobody has voted",
    ):
        assert said in text
    signatures([str(clips)], as_json=True, resamples=100)
    found = json.loads(capsys.readouterr().out)
    assert [one["source"] for one in found["sources"]] == ["human", "hybrid", "symbolic"]
    assert [one["n_players"] for one in found["sources"]] == [2, 2, 2]
    change = found["signatures"][0]
    assert [(one["source"], one["n"]) for one in change["distances"]] == [("hybrid", 8), ("symbolic", 8)]
    assert all(math.isclose(sum(shares), 1) for shares in change["shares"].values())
    signatures([str(clips)], as_json=True, resamples=0, human="symbolic", player="none")
    found = json.loads(capsys.readouterr().out)
    assert {one["source"] for one in found["signatures"][0]["distances"]} == {"human", "hybrid"}
    assert found["signatures"][0]["band"]["reason"] == "a single person cannot be compared with others"


@pytest.mark.slow
def test_clips_are_compared_where_matches_cannot_be_and_that_is_said(
    clips: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(asked_for("sug", [], ["simulated"], 1, 1), clips / "played", lambda done, total, item: None)
    moves = str(clips / "played" / "moves.csv")
    signatures([str(clips), moves], as_json=True, resamples=0)
    said = capsys.readouterr()
    assert json.loads(said.out)["format"] == "likely-human signatures 1"
    assert (
        said.err
        == "no other source played what 'simulated' played: there is nothing to compare with people\n"
    )
    with pytest.raises(
        AnalysisError, match=r"no clip .* the source 'nobody'.*; no seat was played by 'nobody'"
    ):
        signatures([str(clips), moves], human="nobody")


def test_what_cannot_be_read_is_refused_by_name(clips: Path) -> None:
    (clips / "hybrid-3.csv").write_text("t_s,x_m\n0,1\n1,2\n")
    with pytest.raises(StudyError, match=r"the positions of 'hybrid-3': .* the column 'y_m' is missing"):
        signatures([str(clips)])
    with pytest.raises(StudyError, match="is no folder of clips"):
        signatures([str(clips / "manifest.csv")])
    (clips / "empty").mkdir()
    with pytest.raises(StudyError, match=r"empty: there is no manifest\.csv in it"):
        signatures([str(clips / "empty")])
    manifest = clips / "manifest.csv"
    manifest.write_text("file,name,source\nhuman-0.mp4,h,human\n")
    with pytest.raises(StudyError, match="no clip has positions"):
        signatures([str(clips)])
