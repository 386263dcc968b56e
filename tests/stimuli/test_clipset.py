import csv
import hashlib
import math
from pathlib import Path
from typing import Any

import av
import numpy as np
import numpy.typing as npt
import pytest

from stimuli.__main__ import main
from stimuli.clipset import generate, make_clip
from stimuli.errors import StimuliError
from stimuli.raycaster import HEIGHT, WIDTH
from stimuli.scenes import Clip, plan_clips
from stimuli.world import build_world
from tests.stimuli.conftest import SEED, Made
from tests.stimuli.pixels import goal_blue, outside_map

pytestmark = pytest.mark.videos

SOURCES = ["human", "hybrid", "symbolic"]


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def frames_of(path: Path) -> list[npt.NDArray[np.uint8]]:
    with av.open(str(path)) as container:
        pictures = (frame.to_ndarray(format="rgb24") for frame in container.decode(video=0))
        return [picture.astype(np.uint8, copy=False) for picture in pictures]


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_the_manifest_has_the_promised_columns_in_order(made: Made) -> None:
    header = made.manifest.read_text(encoding="utf-8").splitlines()[0]
    assert header == "file,name,source,goal,player,simulated,positions,seed,scene"


def test_the_manifest_lists_one_clip_of_each_source_for_the_first_goal(made: Made) -> None:
    rows = rows_of(made.manifest)
    assert [row["source"] for row in rows] == SOURCES
    assert [row["name"] for row in rows] == ["human-g1-1", "hybrid-g1-1", "symbolic-g1-1"]
    assert {row["goal"] for row in rows} == {"1"}
    assert {row["seed"] for row in rows} == {str(SEED)}


def test_every_clip_says_that_it_is_simulated(made: Made) -> None:
    rows = rows_of(made.manifest)
    assert {row["simulated"] for row in rows} == {"yes"}
    assert [row["player"] for row in rows] == ["simulated human", "hybrid walker", "symbolic walker"]


def test_the_manifest_names_every_file_there_is_and_no_other(made: Made) -> None:
    listed = {row[column] for row in rows_of(made.manifest) for column in ("file", "positions")}
    there = {path.relative_to(made.folder).as_posix() for path in made.folder.rglob("*") if path.is_file()}
    assert there == listed | {"manifest.csv", "attempts.csv"}


def test_progress_is_told_from_none_to_all(made: Made) -> None:
    assert made.progress == [(0, 3), (1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize("source", SOURCES)
def test_positions_have_one_row_per_frame_a_thirtieth_of_a_second_apart(made: Made, source: str) -> None:
    positions = rows_of(made.folder / "positions" / f"{source}-g1-1.csv")
    header = ["t_s", "x_m", "y_m", "z_m", "heading_rad", "goal_x_m", "goal_y_m", "wall_m", "goal_in_view"]
    assert list(positions[0]) == header
    assert len(positions) == len(frames_of(made.folder / "clips" / f"{source}-g1-1.mp4"))
    times = [float(row["t_s"]) for row in positions]
    assert times == pytest.approx([index / 30 for index in range(len(times))], abs=1e-6)


@pytest.mark.parametrize("source", SOURCES)
def test_positions_stand_on_the_ground_and_look_within_a_full_turn(made: Made, source: str) -> None:
    world = build_world()
    for row in rows_of(made.folder / "positions" / f"{source}-g1-1.csv"):
        x_m, y_m, z_m, heading_rad = (float(row[key]) for key in ("x_m", "y_m", "z_m", "heading_rad"))
        assert z_m == pytest.approx(float(world.height_m(x_m, y_m)), abs=2e-4)
        assert -math.pi <= heading_rad <= math.pi + 1e-6


@pytest.mark.parametrize("source", SOURCES)
def test_positions_say_how_far_the_nearest_wall_is(made: Made, source: str) -> None:
    """No point of a circle that is so wide lies in a wall, and one of a circle that is a little wider does."""
    world, angle = build_world(), np.linspace(0, math.tau, 720)
    for row in rows_of(made.folder / "positions" / f"{source}-g1-1.csv")[::20]:
        x_m, y_m, wall_m = (float(row[key]) for key in ("x_m", "y_m", "wall_m"))
        meets = [
            bool(world.in_obstacle(x_m + radius_m * np.cos(angle), y_m + radius_m * np.sin(angle)).any())
            for radius_m in (max(wall_m - 0.01, 0.0), wall_m + 0.05)
        ]
        assert meets == [False, True]


@pytest.mark.parametrize("source", SOURCES)
def test_clips_are_h264_at_thirty_frames_per_second_without_sound(made: Made, source: str) -> None:
    with av.open(str(made.folder / "clips" / f"{source}-g1-1.mp4")) as container:
        (stream,) = container.streams
        assert isinstance(stream, av.VideoStream)
        assert stream.codec_context.name == "h264"
        assert stream.codec_context.pix_fmt == "yuv420p"
        assert (stream.width, stream.height) == (WIDTH, HEIGHT)
        assert stream.average_rate == 30


def test_clips_that_share_goal_and_number_last_equally_long(made: Made) -> None:
    lengths = {len(rows_of(made.folder / row["positions"])) for row in rows_of(made.manifest)}
    assert len(lengths) == 1
    assert 6 * 30 <= lengths.pop() <= 10 * 30


@pytest.mark.parametrize("source", ["hybrid", "symbolic"])
def test_a_clip_shows_the_blue_goal(made: Made, source: str) -> None:
    frames = frames_of(made.folder / "clips" / f"{source}-g1-1.mp4")
    seen = [(goal_blue(frame) & outside_map()).mean() for frame in frames[:: len(frames) // 8]]
    assert max(seen) > 0.002


def test_the_same_seed_gives_the_same_bytes_however_many_processes(made: Made, tmp_path: Path) -> None:
    clip = plan_clips(1, SEED)[0]
    for name in ("clips", "positions"):
        (tmp_path / name).mkdir()
    make_clip(clip, tmp_path)
    for path in (f"clips/{clip.name}.mp4", f"positions/{clip.name}.csv"):
        assert sha256(tmp_path / path) == sha256(made.folder / path)


def test_a_set_that_fails_half_way_leaves_no_manifest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(clip: Clip, out: Path, *, crf: int) -> None:
        raise StimuliError(f"no room for {clip.name}")

    (tmp_path / "manifest.csv").write_text("of an earlier set\n")
    monkeypatch.setattr("stimuli.clipset.make_clip", fail)
    with pytest.raises(StimuliError, match="no room for human-g1-1"):
        generate(tmp_path, clips=1, workers=1)
    assert not (tmp_path / "manifest.csv").exists()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"clips": 0}, "clips is 0; allowed are 1 to 5000"),
        ({"clips": 5001}, "clips is 5001"),
        ({"seed": -1}, "seed is -1; allowed are 0 to 4294967295"),
        ({"workers": 0}, "workers is 0"),
    ],
)
def test_values_out_of_range_are_refused_before_anything_is_written(
    tmp_path: Path, values: dict[str, Any], message: str
) -> None:
    out = tmp_path / "set"
    with pytest.raises(StimuliError, match=message):
        generate(out, **values)
    assert not out.exists()


def test_a_folder_that_cannot_be_written_is_one_line_and_exit_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "taken").write_text("a file")
    assert main(["--out", str(tmp_path / "taken" / "set")]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.splitlines() == [
        f"stimuli: cannot write {tmp_path / 'taken' / 'set'}: Not a directory"
    ]


def test_a_clip_that_cannot_be_written_is_one_line_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "positions" / "human-g1-1.csv").mkdir(parents=True)
    with pytest.raises(StimuliError, match=r"cannot write .*human-g1-1\.csv: Is a directory"):
        generate(tmp_path, clips=1, workers=1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "required: --out"),
        (["--out", "set", "--clips", "many"], "--clips: invalid int value: 'many'"),
        (["--out", "set", "--colour", "red"], "unrecognized arguments: --colour red"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_2(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line
