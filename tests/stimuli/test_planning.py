import itertools
import math

import numpy as np
import pytest

from stimuli.arena import GOALS, PLATFORM_M
from stimuli.planning import centre, passable, plan, resample, smooth, straighten
from stimuli.world import build_world


def test_every_goal_can_be_reached_from_wherever_one_can_stand() -> None:
    for goal in GOALS:
        route = plan((goal.x_m, goal.y_m))
        assert np.array_equal(np.isfinite(route.distance_m), passable()), goal


def test_ramps_join_ground_and_platform_without_a_step() -> None:
    world = build_world()
    x_m = np.linspace(10.0, 18.0, 400)
    z_m = world.height_m(x_m, np.full_like(x_m, 20.0))
    assert z_m[0] == 0.0
    assert z_m[-1] == PLATFORM_M
    assert np.diff(z_m).min() >= 0.0
    assert np.diff(z_m).max() < 0.01


@pytest.mark.parametrize(
    ("place", "fits"),
    [
        ((20.5, 9.5), True),
        ((5.5, 12.5), False),  # in a wall
        ((6.2, 12.5), False),  # beside it
        ((15.1, 20.0), True),  # top of a ramp
        ((20.0, 23.9), False),  # edge of the platform
        ((20.0, 24.1), False),  # under that edge
    ],
)
def test_a_body_fits_on_open_ground_and_ramps_but_not_at_walls_or_edges(
    place: tuple[float, float], fits: bool
) -> None:
    assert bool(build_world().clear(*place, 0.3)) is fits


def test_paths_lead_to_the_goal_and_can_be_walked_straight_from_point_to_point() -> None:
    world, goal = build_world(), (GOALS[5].x_m, GOALS[5].y_m)
    route = plan(goal)
    for node in route.starts_from(24.0)[::60]:
        path = straighten(world, route.path_from(centre(int(node))))
        assert path[0] == centre(int(node))
        assert path[-1] == goal
        assert all(world.clear_line(a, b, 0.45) for a, b in itertools.pairwise(path))


def test_a_costly_region_is_walked_round() -> None:
    cost = np.ones((80, 80))
    cost[38:42, 20:22] = 30.0
    goal = (20.25, 8.25)
    direct, dear = plan(goal).path_from((20.25, 11.25)), plan(goal, cost).path_from((20.25, 11.25))
    assert any(x == 20.25 and 10.0 < y < 11.0 for x, y in direct)
    assert not any(19.0 < x < 21.0 and 10.0 < y < 11.0 for x, y in dear)


def test_resampled_points_are_evenly_spaced_and_smoothing_keeps_the_ends() -> None:
    corner = resample([(0.0, 0.0), (3.0, 0.0), (3.0, 3.0)], 0.1)
    steps = np.hypot(*np.diff(corner, axis=0).T)
    assert steps.max() == pytest.approx(0.1)
    rounded = smooth(corner, 5)
    assert np.array_equal(rounded[[0, -1]], corner[[0, -1]])
    assert math.dist(rounded[30], (3.0, 0.0)) > 0.1
