"""Agents on the map: what they see, what they may do, and clips of what they did."""

import csv
import math
import re
from pathlib import Path

import numpy as np
import pytest

from app.library.clips.manifest import read_manifest
from stimuli import steps
from stimuli.agents import FARTHEST_M, STEP_FRAMES, Walk
from stimuli.arena import GOALS
from stimuli.planning import route_to
from stimuli.rays import Surfaces
from stimuli.scenes import Clip, plan_clips, plan_walks, walk_clip
from stimuli.walkers import Track, walk
from stimuli.world import build_world
from tests.program import Program

AGENTS = '''
import math

ANGLES = {2: 30, 3: 45, 4: 90, 5: -30, 6: -45, 7: -90}


class Straight:
    """Turns to the goal; where it gets no nearer, it turns away for some steps."""

    def __init__(self):
        self.last, self.away = math.inf, 0

    def act(self, seen):
        angle, distance = math.degrees(seen[0]), seen[1]
        stuck, self.last = self.last - distance < 0.1, distance
        if self.away:
            self.away -= 1
            return 1
        if stuck and math.isfinite(self.last) and abs(angle) < 40:
            self.away = 6
            return 4
        turn = min(ANGLES, key=lambda action: abs(angle - ANGLES[action]))
        return turn if abs(angle) > 20 else 1


class LostOnce(Straight):
    """The first that is made stands still."""

    made = 0

    def __init__(self):
        super().__init__()
        LostOnce.made += 1
        self.stands = LostOnce.made == 2  # the command makes one to see that it can

    def act(self, seen):
        return 0 if self.stands else super().act(seen)


class Stands:
    def act(self, seen):
        return 0


class Ninth:
    def act(self, seen):
        return 8


class Breaks:
    def act(self, seen):
        return 1 / 0


class Idle:
    pass


def ends():
    raise SystemExit(3)
'''


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "my_agents.py").write_text(AGENTS)
    return tmp_path


def begun(x_m: float, y_m: float, heading_deg: float, goal: int = 6) -> Walk:
    world = build_world()
    return Walk(world, Surfaces(world), GOALS[goal - 1], (x_m, y_m), math.radians(heading_deg))


def test_each_of_the_eight_actions_turns_at_once_and_walks_on_but_the_first() -> None:
    for action, turn in enumerate((0, 0, 30, 45, 90, -30, -45, -90)):
        walk = begun(20, 26, 0)
        walk.step(action)
        assert len(walk.poses) == STEP_FRAMES
        assert math.degrees(walk.pose.heading_rad) == pytest.approx(turn)
        walked_m = math.dist((20, 26), walk.pose[:2])
        # From standing, 0.3 m/s faster in each of seven frames.
        assert walked_m == pytest.approx(0 if action == 0 else 28 * 0.3 / 30, abs=1e-4)


def test_an_agent_has_the_body_of_people_who_walk() -> None:
    walk, person = begun(20, 26, 10), steps.start(20, 26, math.radians(10))
    for action, turn in ((1, 0), (2, 30_000), (1, 0), (7, -90_000)):
        walk.step(action)
        for frame in range(STEP_FRAMES):
            person = steps.step(person, steps.FORWARD, 0 if frame else turn)
    assert tuple(walk.pose) == steps.pose(person)


def test_the_symbolic_observation_is_where_the_goal_is_from_here_and_how_far_one_sees() -> None:
    goal = GOALS[0]
    angle, distance, x_m, y_m, z_m, depth_m = begun(goal.x_m, goal.y_m - 5, 0, goal=1).symbolic().tolist()
    assert angle == pytest.approx(math.pi / 2)
    assert (distance, x_m, y_m, z_m) == pytest.approx((5, goal.x_m, goal.y_m - 5, 0))
    assert 0 < depth_m < FARTHEST_M
    near_wall, far = begun(20, 37.8, 90), begun(20, 26, 0)
    assert near_wall.symbolic()[5] < far.symbolic()[5]


def test_the_hybrid_observation_has_the_depth_of_each_pixel_beside_the_symbolic_one() -> None:
    """Two metres and a half from the north wall (4.2 m high, the eye at 1.6)."""
    here = begun(24, 36.5, 90)
    seen = here.hybrid()
    assert seen.shape == (6 + 32 * 32,)
    assert seen[:6].tolist() == here.symbolic().tolist()
    depth_m = seen[6:].reshape(32, 32)
    assert depth_m.mean() == pytest.approx(float(seen[5]))
    assert depth_m[8] == pytest.approx(2.5, abs=1e-4)
    # The floor comes nearer towards the lowest row, alike on the left and on the right.
    assert (np.diff(depth_m[20:, 16]) <= 0).all()
    assert depth_m[31, 16] < 2
    assert depth_m == pytest.approx(depth_m[:, ::-1], abs=1e-4)
    # Away from walls the sky is farther than anything.
    far = begun(20, 26, 0).depth_m()
    assert far[0].max() == pytest.approx(FARTHEST_M)
    assert far[31].max() < 5


@pytest.mark.slow
def test_an_agent_walks_in_the_scenes_of_the_demo_and_its_clips_last_as_long(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    planned = plan_walks(2, 1, "rules", "my_agents:Straight", [2, 3])
    assert [clip.name for clip in planned] == ["rules-g3-1", "rules-g4-1"]
    of_demo = {clip.goal: clip for clip in plan_clips(18, 1)}
    for clip in planned[1:]:
        track, again = walk_clip(clip).part, walk_clip(clip).part
        assert len(track) == len(walk_clip(of_demo[clip.goal]).part)
        assert np.array_equal(track.x_m, again.x_m)
        goal = GOALS[clip.goal]
        assert math.dist((track.x_m[-1], track.y_m[-1]), (goal.x_m, goal.y_m)) > 2


@pytest.mark.slow
def test_the_command_writes_clips_positions_and_a_manifest_and_counts_walks_that_got_lost(
    folder: Path, program: Program
) -> None:
    done = program.run(
        "stimuli", "walk", "--agent", "my_agents:LostOnce", "--out", "walked", "--source", "rules",
        "--n", "1", "--goals", "4", "--workers", "1", cwd=folder, environment={},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    with (folder / "walked" / "manifest.csv").open() as file:
        [row] = csv.DictReader(file)
    assert (row["source"], row["player"], row["goal"]) == ("rules", "my_agents:LostOnce", "4")
    assert (folder / "walked" / row["file"]).stat().st_size > 10_000
    assert (folder / "walked" / row["positions"]).read_text().startswith("t_s,x_m,y_m")
    with (folder / "walked" / "attempts.csv").open() as file:
        [row] = csv.DictReader(file)
    lost = int(row["walks_lost"])
    assert (row["name"], lost >= 1) == ("rules-g4-1", True)
    assert f"{lost} of its {lost + 1} walks got lost" in " ".join(done.stdout.split())


@pytest.mark.slow
def test_what_cannot_walk_is_refused_in_one_line(folder: Path, program: Program) -> None:
    for arguments, message in {
        ("no_such:x",): "no_such:x: there is no module 'no_such'",
        ("my_agents",): "give MODULE:NAME",
        ("my_agents:Missing",): "has no attribute 'Missing'",
        ("my_agents:Idle",): "has no act(observation)",
        ("my_agents:ends",): "cannot be made (SystemExit: 3)",
        ("my_agents:Ninth",): "gave '8' in step 1 of a walk; an action is a whole number, 0 to 7",
        ("my_agents:Breaks",): "failed in step 1 of a walk (ZeroDivisionError",
        ("my_agents:Stands",): "none of 20 walks can be shown, 20 got lost and 0 were too short",
        ("my_agents:Straight", "--lost", "never"): "lost is 'never'; allowed are again and keep",
        ("my_agents:Straight", "--source", "human"): "not human",
        ("my_agents:Straight", "--goals", "7"): "goal is 7; allowed are 1 to 6",
        ("my_agents:Straight", "--goals", "x"): "give numbers with commas",
    }.items():
        done = program.run(
            "stimuli", "walk", "--out", "walked", "--n", "1", "--workers", "1", "--agent", *arguments,
            cwd=folder, environment={},
        )  # fmt: skip
        assert done.returncode == 1, arguments
        assert message in done.stderr
        assert len(done.stderr.strip().splitlines()) == 1, done.stderr
        assert not (folder / "walked" / "manifest.csv").exists()


@pytest.mark.slow
def test_a_plain_agent_that_gets_lost_is_shown_and_marked_where_lost_walks_are_kept(
    folder: Path, program: Program
) -> None:
    """Refused otherwise, with what became of each attempt: of three, as twenty are the same again."""
    few = "from stimuli import scenes\nscenes.MOST_ATTEMPTS = 3\nfrom my_agents import Straight\n"
    (folder / "few.py").write_text(few)
    plain = ("stimuli", "walk", "--agent", "few:Straight", "--source", "plain", "--workers", "1")
    refused = program.run(*plain, "--n", "1", "--goals", "6", "--out", "no", cwd=folder, environment={})
    said = refused.stderr
    assert refused.returncode == 1
    assert "plain-g6-1 (seed 1): none of 3 walks can be shown, 3 got lost and 0 were too short" in said
    assert "--lost keep" in said
    attempts = re.findall(r"(\d+): lost, \d+\.\d m from the goal at the nearest", said)
    assert attempts == [str(number) for number in range(1, 4)]
    assert len(said.strip().splitlines()) == 1

    kept = (*plain, "--n", "2", "--goals", "4,6", "--out", "kept", "--lost", "keep")
    done = program.run(*kept, cwd=folder, environment={})
    assert done.returncode == 0, done.stderr
    assert "1 of 2 clips show walks that got lost" in " ".join(done.stdout.split())
    clips = read_manifest(folder / "kept" / "manifest.csv").rows
    assert {clip.name: clip.attributes["arrived"] for clip in clips} == {
        "plain-g4-1": "yes",
        "plain-g6-1": "no",
    }
    for clip, mark in zip(clips, ("1", "0"), strict=True):
        assert clip.positions
        with clip.positions.open() as file:
            positions = [*csv.DictReader(file)]
        assert {row["arrived"] for row in positions} == {mark}
        goal = int(clip.attributes["goal"]) - 1
        assert len(positions) == len(walk_clip(Clip("human", goal, 1, 1)).part)


@pytest.mark.parametrize("stuck_at", [0, 150, None])
def test_a_clip_of_a_lost_walk_has_in_its_middle_the_moment_when_it_was_nearest_to_its_goal(
    stuck_at: int | None,
) -> None:
    """When it got stuck on the way, or was as near as others are halfway; whole clips, also at the start of a walk."""
    clip = Clip("symbolic", 5, 1, 1)
    scene, shown, route = clip.scene, walk_clip(clip).part, route_to(GOALS[5])
    way = walk("symbolic", build_world(), route, scene.start(), np.random.default_rng(1))
    at = np.minimum(np.arange(1470), len(way) - 1 if stuck_at is None else stuck_at)
    frames = np.arange(1470) / 1470  # as headings, so that a part tells where it was cut
    part = scene.part_of_lost(Track(way.x_m[at], way.y_m[at], way.z_m[at], frames))
    first, middle = round(part.heading_rad[0] * 1470), len(shown) // 2
    assert len(part) == len(shown)
    if stuck_at is None:
        halfway_m = route.from_m(*(np.array([values[middle]]) for values in (shown.x_m, shown.y_m)))
        assert route.from_m(part.x_m, part.y_m)[middle] == pytest.approx(halfway_m[0], abs=0.5)
    else:
        assert max(0, stuck_at - 30 - middle) <= first <= max(0, stuck_at - middle)
