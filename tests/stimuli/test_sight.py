"""Visibility of the goal, compared with the ray caster's frames."""

import math

import numpy as np
import pytest

from stimuli.arena import GOALS, Goal
from stimuli.raycaster import Pose, raycaster
from stimuli.sight import goal_in_view
from stimuli.world import build_world

BRIGHT = 40
"""Of 255: a change of a pixel that is the pillar's own, not its glow's."""


def says(goal: Goal, poses: list[Pose]) -> list[bool]:
    x_m, y_m, z_m, heading_rad = np.array(poses).T
    return [bool(one) for one in goal_in_view(build_world(), goal, x_m, y_m, z_m, heading_rad)]


def draws(goal: Goal, pose: Pose, monkeypatch: pytest.MonkeyPatch) -> bool:
    """True if the pillar changes any pixel of the frame."""
    frame = raycaster(goal).frame
    with monkeypatch.context() as patched:
        whole = frame(pose, 0.0).astype(int)
        patched.setattr("stimuli.raycaster.draw_beacon", lambda *_: None)
        without = frame(pose, 0.0).astype(int)
    return int((np.abs(whole - without)[..., :3].max(axis=2) >= BRIGHT).sum()) >= 4


@pytest.mark.slow
def test_the_goal_is_in_view_where_its_pillar_is_drawn(
    monkeypatch: pytest.MonkeyPatch, exhaustive: bool
) -> None:
    """At random places, looking about towards it; at the very edges of walls and frames the two may differ."""
    world, rng = build_world(), np.random.default_rng(1)
    said: list[bool] = []
    drawn: list[bool] = []
    for goal in GOALS if exhaustive else GOALS[:2]:
        poses: list[Pose] = []
        while len(poses) < 40:
            x_m, y_m = rng.uniform(1, 39, 2)
            if bool(world.clear(x_m, y_m, 0.3)):
                towards = math.atan2(goal.y_m - y_m, goal.x_m - x_m) + rng.uniform(-1, 1)
                poses.append(Pose(x_m, y_m, float(world.height_m(x_m, y_m)), towards))
        said += says(goal, poses)
        drawn += [draws(goal, pose, monkeypatch) for pose in poses]
    assert 0.3 < np.mean(drawn) < 0.7
    assert np.mean(np.equal(said, drawn)) >= 0.95


def test_behind_one_or_behind_a_wall_nothing_is_in_view() -> None:
    """West of the brick wall of 3 m at x 5, the goal to the east of it is hidden close up, and seen from in front."""
    goal = Goal("1", 9.5, 14.0)
    east, west = 0.0, math.pi
    assert says(goal, [Pose(7.5, 14.0, 0.0, east), Pose(7.5, 14.0, 0.0, west)]) == [True, False]
    assert says(goal, [Pose(4.0, 14.0, 0.0, east)]) == [False]
    assert says(goal, [Pose(7.5, 14.0, 0.0, east)] * 2_500) == [True] * 2_500, "also of many places at once"
