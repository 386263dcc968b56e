"""Steps in whole numbers: the same in Python and in the browser's script, and on the same map as the walkers'."""

import json
import math
import random
import subprocess
from pathlib import Path

import numpy as np
import pytest

from stimuli.arena import GOALS
from stimuli.body import BODY_M, FRAMES_PER_S, SLIDES_RAD
from stimuli.planning import centre, plan
from stimuli.steering import SPEED_M_PER_S, HumanSteering
from stimuli.steps import (
    ALL_KEYS,
    BODY,
    FORWARD,
    GAIN,
    LEFT,
    REACHED,
    SPEED,
    TICKS_PER_S,
    TURN,
    M,
    Walker,
    fits,
    ground,
    has_arrived,
    pose,
    start,
    step,
)
from stimuli.walkers import REACHED_M
from stimuli.world import RING, STEP_M, build_world
from tests.scripts.test_scripts import find_node

SCRIPT = Path(__file__).parents[2] / "app/tasks/walk/static/steps.js"
REPLAY = """
import {{ readFileSync }} from "node:fs";
const {{ Steps }} = await import({script});
const {{ ground, walks }} = JSON.parse(readFileSync(0, "utf8"));
const steps = new Steps(ground);
const all = walks.map(({{ start, inputs }}) => {{
  let [x, y, heading, ahead, aside] = start;
  let walker = {{ x, y, heading, ahead, aside }};
  return inputs.map(([keys, turn]) => {{
    walker = steps.step(walker, keys, turn);
    return [walker.x, walker.y, walker.heading, walker.ahead, walker.aside];
  }});
}});
process.stdout.write(JSON.stringify(all));
"""


def inputs_of(rng: random.Random, n: int) -> list[tuple[int, int]]:
    """Keys that are held for a while, now and then any, with a mouse that turns by little and by much."""
    given, keys = [], FORWARD
    for _ in range(n):
        if rng.random() < 0.05:
            keys = rng.choice((FORWARD, FORWARD, FORWARD | LEFT, rng.randint(0, ALL_KEYS)))
        turn = rng.choice((0, 0, round(rng.gauss(0, 3000)), rng.randint(-TURN // 2, TURN // 2)))
        given.append((keys, turn))
    return given


def test_browser_and_server_agree_to_the_last_digit() -> None:
    rng = random.Random(12)
    walks = []
    for goal in GOALS:
        begin = start(goal.x_m, goal.y_m, rng.uniform(-math.pi, math.pi))
        walks.append((begin, inputs_of(rng, 900)))
    mine = []
    for begin, inputs in walks:
        walker, ticks = begin, []
        for keys, turn in inputs:
            walker = step(walker, keys, turn)
            ticks.append(list(walker))
        mine.append(ticks)
    given = {
        "ground": ground().settings(),
        "walks": [{"start": begin, "inputs": inputs} for begin, inputs in walks],
    }
    done = subprocess.run(
        [find_node(), "--input-type=module", "-e", REPLAY.format(script=json.dumps(SCRIPT.as_uri()))],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == mine
    assert {tuple(at[:2]) for at in mine[0]} != {tuple(walks[0][0][:2])}


def test_nobody_gets_into_a_wall() -> None:
    rng, heights = random.Random(3), set()
    for _ in range(3):
        walker = start(21.5, 20.5, rng.uniform(-math.pi, math.pi))
        for keys, turn in inputs_of(rng, 900):
            walker = step(walker, keys, turn // 4)
            assert fits(walker.x, walker.y)
            heights.add(round(pose(walker)[2], 1))
    assert len(heights) > 2  # ramps were walked


def test_whole_numbers_are_those_of_the_clips_walkers() -> None:
    world, here = build_world(), ground()
    for plane, whole, unit in (
        (world.base, here.base, 1e9),
        (world.slope_x, here.slope_x, 1e3),
        (world.slope_y, here.slope_y, 1e3),
    ):
        assert np.allclose(plane.ravel(), np.array(whole) / unit, atol=1e-9)
    assert world.obstacle.ravel().tolist() == [bool(cell) for cell in here.obstacle]
    assert SPEED / M * TICKS_PER_S == SPEED_M_PER_S
    assert GAIN / M * TICKS_PER_S**2 == HumanSteering.ACCELERATION_M_PER_S2
    assert (TICKS_PER_S, BODY / M, REACHED / M) == (FRAMES_PER_S, BODY_M, REACHED_M)
    assert np.allclose(np.array(here.ring) / BODY, RING, atol=1e-5)
    assert np.allclose([math.atan2(sin, cos) for cos, sin in here.slides], SLIDES_RAD, atol=1e-4)
    assert here.settings()["drop"] / 1e9 == STEP_M


def test_a_body_fits_where_the_walkers_of_the_clips_do() -> None:
    rng, world = random.Random(5), build_world()
    places = [(rng.uniform(0.5, 39.5), rng.uniform(0.5, 39.5)) for _ in range(2000)]
    clear = [bool(world.clear(x, y, BODY_M)) for x, y in places]
    mine = [fits(round(x * M), round(y * M)) for x, y in places]
    assert sum(a != b for a, b in zip(clear, mine, strict=True)) <= 1  # within a micrometre of an edge
    assert 0.3 < sum(clear) / len(clear) < 0.95


def test_straight_ahead_takes_a_third_of_a_second_to_reach_full_speed() -> None:
    walker, speeds = start(10.0, 2.5, 0.0), []
    for _ in range(15):
        after = step(walker, FORWARD, 0)
        speeds.append(after.x - walker.x)
        walker = after
    assert speeds[0] == 10_000
    assert speeds[9] < SPEED == speeds[10] == 110_000
    assert walker.y == 2_500_000
    slower = step(walker, 0, 0)
    assert slower.ahead == SPEED - 10_000
    askew = Walker(*walker[:3])
    for _ in range(15):
        before, askew = askew, step(askew, FORWARD | LEFT, 0)
    assert math.dist(before[:2], askew[:2]) == pytest.approx(SPEED, rel=1e-3)


def test_going_askew_into_a_wall_slides_along_it() -> None:
    walker = start(10.0, 1.4, math.radians(-30))
    for _ in range(30):
        walker = step(walker, FORWARD, 0)
    assert walker.y >= 1_300_000
    assert walker.x > 12_000_000


def test_arriving_is_being_within_two_metres() -> None:
    goal = GOALS[5]
    assert has_arrived(start(goal.x_m - 2.0, goal.y_m, 0.0), goal)
    assert not has_arrived(start(goal.x_m - 2.001, goal.y_m, 0.0), goal)


def test_starts_of_the_planner_fit() -> None:
    route = plan((GOALS[0].x_m, GOALS[0].y_m))
    for cell in route.starts_from(20.0)[::50]:
        x_m, y_m = centre(int(cell))
        assert fits(round(x_m * M), round(y_m * M))
