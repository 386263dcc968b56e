import math

import numpy as np
import pytest

from stimuli.arena import GOALS, SIZE_M, Goal
from stimuli.lens import Lens
from stimuli.minimap import BORDER, PIXELS_PER_M
from stimuli.minimap import SIZE as MAP_SIZE
from stimuli.raycaster import EYE_M, HEIGHT, LENS, WIDTH, Pose, Raycaster, Scenery
from stimuli.rays import Rays, Runs
from stimuli.world import World, build_world
from tests.stimuli.pixels import arrow_yellow, goal_blue, on_map, outside_map

pytestmark = pytest.mark.slow

CENTRE = Goal("6", 21.5, 20.5)


def pose(x_m: float, y_m: float, heading_deg: float) -> Pose:
    return Pose(x_m, y_m, float(build_world().height_m(x_m, y_m)), math.radians(heading_deg))


def random_poses(n_poses: int) -> list[Pose]:
    """Give places where a walker can be, some with the eye level with the top of a block or a ramp."""
    rng, world, poses = np.random.default_rng(8), build_world(), list[Pose]()
    while len(poses) < n_poses:
        x_m, y_m = rng.uniform(1, SIZE_M - 1, 2)
        if world.clear(x_m, y_m, 0.3):
            z_m = rng.choice([float(world.height_m(x_m, y_m)), 0.4, 0.6, 0.8])
            turn_rad = rng.choice([rng.uniform(-math.pi, math.pi), rng.integers(-4, 4) * math.pi / 4])
            poses.append(Pose(x_m, y_m, z_m, turn_rad))
    return poses


def rays_of(at: Pose, lens: Lens = LENS) -> Rays:
    across = lens.across()
    cos, sin = np.float32(math.cos(at.heading_rad)), np.float32(math.sin(at.heading_rad))
    return Rays(at.x_m, at.y_m, at.z_m + EYE_M, cos + across * sin, sin - across * cos)


def runs_of(scenery: Scenery, at: Pose) -> tuple[Rays, Runs]:
    rays = rays_of(at)
    return rays, scenery.surfaces.runs(rays, LENS)


def marched_depth_m(world: World, rays: Rays, column: int, slope: float) -> float:
    """Walk along one pixel's ray in small steps until it is under the surface."""
    depth = np.arange(0.02, 90.0, 0.004)
    x_m = rays.x_m + rays.east[column] * depth
    y_m = rays.y_m + rays.north[column] * depth
    under = world.height_m(x_m, y_m) > rays.eye_m + slope * depth
    return float(depth[under.argmax()]) if under.any() else math.inf


def test_what_a_pixel_sees_is_what_a_slow_walk_along_its_ray_meets(scenery: Scenery) -> None:
    rng, world = np.random.default_rng(4), build_world()
    for at in random_poses(40):
        rays, runs = runs_of(scenery, at)
        for column in rng.integers(0, WIDTH, 4):
            of_column = runs.only(runs.column == column)
            row = int(rng.integers(0, HEIGHT))
            slope = float(LENS.slope_of(np.array([row]))[0])
            expected = marched_depth_m(world, rays, int(column), slope)
            hit = np.flatnonzero((of_column.first <= row) & (row < of_column.first + of_column.n_pixels))
            if len(hit) == 0:
                assert expected == math.inf, (at, column, row)
                continue
            run = hit[0]
            seen = float(of_column.depth_m[run])
            if not of_column.is_wall[run]:
                seen = float(of_column.rise[run] / (slope - of_column.slope[run]))
            assert seen == pytest.approx(expected, abs=0.05, rel=0.01), (at, column, row)


def test_runs_fill_each_column_from_the_bottom_without_gap_or_overlap(scenery: Scenery) -> None:
    for at in random_poses(20):
        _, runs = runs_of(scenery, at)
        for column in range(0, WIDTH, 37):
            of_column = runs.only(runs.column == column)
            ends = np.cumsum(of_column.n_pixels)
            assert np.array_equal(of_column.first, ends - of_column.n_pixels)
            assert ends[-1] <= HEIGHT
            assert np.all(np.diff(of_column.depth_m) >= 0)


def test_every_pixel_of_every_frame_is_painted_and_opaque(scenery: Scenery) -> None:
    raycaster = Raycaster(scenery, CENTRE)
    for at in random_poses(30):
        frame = raycaster.frame(at, 0.0)
        assert frame.shape == (HEIGHT, WIDTH, 4)
        assert (frame[..., 3] == 255).all()
        assert (frame[outside_map()][:, :3].max(axis=-1) > 0).all()


def test_the_goal_is_blue_when_faced_and_nothing_is_blue_when_it_is_behind(scenery: Scenery) -> None:
    raycaster = Raycaster(scenery, CENTRE)
    east_of_it, facing, away = (30.0, 20.5), 180.0, 0.0
    ahead = goal_blue(raycaster.frame(pose(*east_of_it, facing), 0.0)) & outside_map()
    assert ahead.sum() > 1000
    assert abs(np.nonzero(ahead)[1].mean() - WIDTH / 2) < 2
    assert not (goal_blue(raycaster.frame(pose(*east_of_it, away), 0.0)) & outside_map()).any()


def test_walls_hide_the_foot_of_the_goal_but_not_its_light_above_them(scenery: Scenery) -> None:
    raycaster = Raycaster(scenery, GOALS[3])
    behind_the_wall = raycaster.frame(pose(31.0, 18.0, -70.0), 0.0)
    rows = np.nonzero(goal_blue(behind_the_wall) & outside_map())[0]
    assert rows.size > 0
    assert rows.max() < LENS.horizon


@pytest.mark.parametrize("goal", GOALS)
def test_no_place_shows_goal_blue_while_looking_away(scenery: Scenery, goal: Goal) -> None:
    raycaster = Raycaster(scenery, goal)
    for at in random_poses(6):
        towards = math.atan2(goal.y_m - at.y_m, goal.x_m - at.x_m)
        frame = raycaster.frame(at._replace(heading_rad=towards + math.pi), 0.0)
        assert not (goal_blue(frame) & outside_map()).any(), at


@pytest.mark.parametrize(("x_m", "y_m"), [(5.0, 20.0), (30.0, 11.5), (37.5, 37.5)])
def test_the_mini_map_shows_the_walker_where_it_is(scenery: Scenery, x_m: float, y_m: float) -> None:
    arrow = arrow_yellow(on_map(Raycaster(scenery, GOALS[4]).frame(pose(x_m, y_m, 30.0), 0.0)))
    rows, columns = np.nonzero(arrow)
    assert columns.mean() == pytest.approx(BORDER + x_m * PIXELS_PER_M, abs=2.0)
    assert rows.mean() == pytest.approx(MAP_SIZE - BORDER - y_m * PIXELS_PER_M, abs=2.0)


@pytest.mark.parametrize("heading_deg", [0, 50, 90, 135, 180, -90, -20])
def test_the_arrow_points_where_the_walker_looks(scenery: Scenery, heading_deg: int) -> None:
    arrow = arrow_yellow(on_map(Raycaster(scenery, GOALS[4]).frame(pose(8.5, 20.0, heading_deg), 0.0)))
    rows, columns = np.nonzero(arrow)
    east = columns + 0.5 - (BORDER + 8.5 * PIXELS_PER_M)
    north = MAP_SIZE - BORDER - 20.0 * PIXELS_PER_M - rows - 0.5
    cos, sin = math.cos(math.radians(heading_deg)), math.sin(math.radians(heading_deg))
    ahead, aside = east * cos + north * sin, np.abs(north * cos - east * sin)
    assert ahead.max() > -ahead.min()
    assert aside[ahead.argmax()] < 1.5 < aside[ahead.argmin()]


@pytest.mark.parametrize("goal", GOALS)
def test_the_mini_map_shows_the_goal_in_blue(scenery: Scenery, goal: Goal) -> None:
    spot = goal_blue(on_map(Raycaster(scenery, goal).frame(pose(30.0, 16.0, 0.0), 0.0)))
    rows, columns = np.nonzero(spot)
    assert columns.mean() == pytest.approx(BORDER + goal.x_m * PIXELS_PER_M, abs=1.5)
    assert rows.mean() == pytest.approx(MAP_SIZE - BORDER - goal.y_m * PIXELS_PER_M, abs=1.5)
