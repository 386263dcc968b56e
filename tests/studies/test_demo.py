"""The demo's clips, which are files, and its study over them."""

import csv
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import av
import numpy as np
import pytest
from av.video.reformatter import Colorspace
from sqlalchemy import URL
from sqlmodel import select

from app.accounts.tables import Role
from app.admin.studies.steps import steps_of
from app.catalog.collections import collections_of
from app.catalog.rules import rules_in_force
from app.core.database import Database
from app.core.errors import StudyError
from app.core.settings import Settings
from app.demo.build import FILES, SLUG, build_demo, is_there
from app.demo.walks import FOLDER, LIST, clip_file, keep_walks, listed, positions_file
from app.library.clips.facts import differences
from app.library.clips.imported import ImportedClip
from app.library.clips.probe import probe
from app.library.clips.store import ClipStore, file_sha256
from app.library.tables import Stimulus
from app.pairs.capacity import capacities, pairable
from app.pairs.draft import pairs_here
from app.studies.access import study_for
from app.studies.collections import own_collection
from app.studies.drafts import create_study, draft_here
from app.studies.file.load import load_study
from app.studies.listing import study_line
from app.studies.seeing import facts_for
from app.tasks.pair.settings import pairs_of
from app.trials.design import Kind
from app.trials.stimuli import StimulusFacts, own_of
from stimuli.arena import GOALS
from stimuli.arrays import Bytes
from stimuli.body import FRAMES_PER_S
from stimuli.clipset import POSITION_COLUMNS
from stimuli.raycaster import Pose, raycaster
from stimuli.scenes import walk_clip
from tests.admin.persons import make_user
from tests.factories import NOW
from tools.demo_clips import make, planned

pytestmark = pytest.mark.slow

CLIPS = {clip.name: clip for clip in listed()}
MOST_BYTES = 8_000_000
LEAST_PSNR_DB = 33.0
"""Of a frame as shown against the same frame as drawn: all have 34 and more, half a second later most are below 22."""


def positions_of(name: str) -> list[dict[str, str]]:
    with (FOLDER / positions_file(name)).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def luma_of(path: Path) -> list[Bytes]:
    with av.open(str(path)) as container:
        return [luma(frame) for frame in container.decode(video=0)]


def luma(frame: av.VideoFrame) -> Bytes:
    return frame.to_ndarray()[: frame.height].astype(np.uint8, copy=False)


def drawn(name: str, number: int) -> Bytes:
    """The luma of one frame as the generator draws it from the positions."""
    row = positions_of(name)[number]
    pose = Pose(*(float(row[column]) for column in POSITION_COLUMNS[1:5]))
    goal = next(goal for goal in GOALS if goal.name == CLIPS[name].attributes["goal"])
    pixels = raycaster(goal).frame(pose, number / FRAMES_PER_S)
    frame = av.VideoFrame.from_ndarray(pixels, format="rgba")
    return luma(frame.reformat(format="yuv420p", dst_colorspace=Colorspace.ITU709))


def psnr_db(one: Bytes, other: Bytes) -> float:
    error = float(np.mean((one.astype(float) - other.astype(float)) ** 2))
    return 10 * float(np.log10(255**2 / max(error, 1e-9)))


def test_every_file_is_listed_with_its_hash_and_length_and_all_stay_below_8_mb() -> None:
    files = {path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*") if path.is_file()}
    named = {file(name) for name in CLIPS for file in (clip_file, positions_file)}
    assert files == named | {LIST, "README.md"}
    assert sum((FOLDER / file).stat().st_size for file in files) < MOST_BYTES
    for clip in CLIPS.values():
        shown = file_sha256(FOLDER / clip_file(clip.name))
        assert (shown.sha256, shown.bytes) == (clip.clip_sha256, clip.clip_bytes)
        assert file_sha256(FOLDER / positions_file(clip.name)).sha256 == clip.positions_sha256


def test_the_clips_are_what_the_list_says_and_as_the_library_processes_them() -> None:
    for clip in CLIPS.values():
        path = FOLDER / clip_file(clip.name)
        info = probe(path)
        said = (clip.duration_s, clip.width, clip.height, clip.fps, clip.frames)
        assert (info.duration_s, info.width, info.height, info.fps, info.frames) == said
        assert info == clip.original_video
        assert not differences(info, clip.rules)
        assert len(positions_of(clip.name)) == clip.frames
        with av.open(str(path)) as container:
            assert set(container.metadata) <= {"major_brand", "minor_version", "compatible_brands"}
            assert [stream.type for stream in container.streams] == ["video"]


def test_clips_of_a_scene_are_equally_long_and_all_were_processed_by_one_set_of_rules() -> None:
    scenes: dict[str, set[tuple[str, int]]] = {}
    for clip in CLIPS.values():
        scenes.setdefault(clip.attributes["scene"], set()).add((clip.source, clip.frames))
    for of_scene in scenes.values():
        assert sorted(source for source, _ in of_scene) == ["human", "hybrid", "learned", "symbolic"]
        assert len({frames for _, frames in of_scene}) == 1
    assert len({clip.rules for clip in CLIPS.values()}) == 1


def walks(exhaustive: bool) -> Iterator[str]:
    """Three clips, one of them of the agent that learned; all, where time does not matter."""
    yield from CLIPS if exhaustive else ("human-g6-1", "symbolic-g5-1", "learned-g4-1")


def test_the_generator_still_walks_these_walks_to_the_last_digit(exhaustive: bool) -> None:
    plans = {clip.name: clip for clip in planned()}
    assert list(plans) == list(CLIPS)
    for name in walks(exhaustive):
        track = walk_clip(plans[name]).part
        columns = (track.x_m, track.y_m, track.z_m, track.heading_rad)
        digits = (4, 4, 4, 6)
        walked = [
            [f"{value:.{places}f}" for value, places in zip(values, digits, strict=True)]
            for values in zip(*(column.tolist() for column in columns), strict=True)
        ]
        assert walked == [[row[column] for column in POSITION_COLUMNS[1:5]] for row in positions_of(name)]


def test_the_generator_still_draws_these_frames(exhaustive: bool) -> None:
    for name in walks(exhaustive):
        shown = luma_of(FOLDER / clip_file(name))
        for number in range(7, len(shown) - 15, 7 if exhaustive else 61):
            picture = drawn(name, number)
            later = psnr_db(shown[number + 15], picture)  # near only where the walker stands
            assert psnr_db(shown[number], picture) > max(LEAST_PSNR_DB, later), (name, number)


@pytest.mark.exhaustive
def test_the_folder_made_anew_has_the_same_list_and_the_same_pictures(tmp_path: Path) -> None:
    anew = {clip.name: clip for clip in make(tmp_path, planned())}
    assert {name: facts(clip) for name, clip in anew.items()} == {
        name: facts(clip) for name, clip in CLIPS.items()
    }
    for name in CLIPS:
        there, made = luma_of(FOLDER / clip_file(name)), luma_of(tmp_path / clip_file(name))
        assert min(psnr_db(one, other) for one, other in zip(there, made, strict=True)) > 50


def facts(clip: ImportedClip) -> ImportedClip:
    """The parts that are the same on every processor; the encoder's bytes may not be. Positions may have further
    columns today: to what there is they are held above."""
    video = replace(clip.original_video, bytes=0)
    nothing = {"original_sha256": "", "clip_sha256": "", "positions_sha256": ""}
    return replace(clip, **nothing, original_bytes=0, clip_bytes=0, original_video=video)  # type: ignore[arg-type]


@pytest.mark.any_database
def test_the_demo_puts_clips_positions_and_rows_into_the_library_as_listed(
    tmp_path: Path, database_url: URL, database: Database
) -> None:
    url = database_url.render_as_string(hide_password=False)
    settings = Settings(LIKELY_HUMAN_DATA=tmp_path, DATABASE_URL=url)  # type: ignore[call-arg]
    build_demo(settings, database)
    assert is_there(database)
    store = ClipStore(settings.data_dir)
    with database.reading() as session:
        rows = session.exec(select(Stimulus).order_by(Stimulus.id)).all()  # type: ignore[arg-type]
    assert [row.name for row in rows] == list(CLIPS)
    for row in rows:
        clip = CLIPS[row.name]
        assert (row.source, row.attributes, row.rules) == (
            clip.source,
            clip.attributes,
            clip.rules.canonical(),
        )
        assert store.clip_path(clip.clip_sha256).read_bytes() == (FOLDER / clip_file(row.name)).read_bytes()
        assert store.original_path(row.original_sha256 or "").stat().st_size == row.original_bytes
        assert (
            store.positions_path(row.positions_sha256 or "").read_bytes()
            == (FOLDER / positions_file(row.name)).read_bytes()
        )


@pytest.mark.any_database
def test_a_study_of_ones_own_neither_counts_the_demos_clips_nor_is_offered_their_sources_or_frame(
    tmp_path: Path, database_url: URL, database: Database
) -> None:
    url = database_url.render_as_string(hide_password=False)
    build_demo(Settings(LIKELY_HUMAN_DATA=tmp_path, DATABASE_URL=url), database)  # type: ignore[call-arg]
    with database.transaction() as session:
        who = make_user(session, Role.OWNER, "owner@example.org")
        study = create_study(
            session, who, "mine", {"sample": {"conditions": {"human-hybrid": 1}}}, NOW, None, ()
        )
        steps = {
            step.name: step
            for step in steps_of(session, who, study, study_line(session, study), draft_here(session, study))
        }
        own = own_collection(session, study.id)
        assert (steps["Clips"].is_done, steps["Clips"].says) == (False, "No clip yet")
        assert own is not None
        assert rules_in_force(session, own.id or 0)[0].size is None
        here = pairs_here(session, who, study)
        assert (capacities(here.stimuli, {}), here.found.pairs, pairable(here.stimuli)) == ((), (), {})
        demo = study_for(session, who, SLUG)
        assert [each.slug for each in collections_of(session, who, demo)] == ["demo", "demo-clips"]
        assert len(own_of(facts_for(session, demo, who))) == len(CLIPS)


@pytest.mark.parametrize("file", [clip_file("human-g2-1"), positions_file("learned-g6-1")])
def test_a_file_that_is_not_as_listed_is_refused_by_its_name(tmp_path: Path, file: str) -> None:
    folder = shutil.copytree(FOLDER, tmp_path / "walks")
    (folder / file).write_bytes((folder / file).read_bytes() + b"\r\n")
    with pytest.raises(StudyError, match=f"{file} is not the file that .*{LIST} lists; get the project anew"):
        keep_walks(ClipStore(tmp_path / "store"), folder)


def test_its_pairs_hold_every_agent_against_people_and_against_each_other() -> None:
    study = {
        name: StimulusFacts(name, clip.source, clip.attributes, clip.clip_sha256)
        for name, clip in CLIPS.items()
    }
    design = load_study(FILES[SLUG], study)
    assert [pair.kind for pair in pairs_of(design.blocks)] == [Kind.PRACTICE] + [Kind.MAIN] * 10
    conditions = Counter(
        "-".join(sorted(study[name].source for name in (pair.a, pair.b))) for pair in pairs_of(design.blocks)
    )
    practice = {"human-symbolic": 1}
    assert conditions == {"human-hybrid": 4, "human-learned": 3, "hybrid-symbolic": 3, **practice}
    for pair in pairs_of(design.blocks):  # of one scene: neither the way nor the length tells
        assert CLIPS[pair.a].attributes["scene"] == CLIPS[pair.b].attributes["scene"]
