"""The map as a Gymnasium environment, for agents that learn. Needs the extra `train`; walking as an agent does not.

Reward, as published: metres that the straight line to the goal got shorter, as parts of the map's width; -0.01 for each
step; +1 for arriving, which ends an episode. 210 steps cut it off. Nobody falls off this map, so nothing is taken off
for that.
"""

import math
from typing import Any

import gymnasium
import numpy as np

from stimuli.agents import (
    DEPTH_PIXELS,
    FARTHEST_M,
    MOST_STEPS,
    N_ACTIONS,
    OBSERVATIONS,
    STEP_FRAMES,
    Observes,
    Walk,
    observed,
    seen,
)
from stimuli.arena import GOALS, PLATFORM_M, SIZE_M
from stimuli.arrays import Bytes, Floats32
from stimuli.body import FRAMES_PER_S
from stimuli.errors import StimuliError
from stimuli.planning import centre, route_to
from stimuli.raycaster import HEIGHT, WIDTH, Pose, raycaster
from stimuli.rays import Surfaces
from stimuli.world import build_world

NEAREST_START_M = 12.0
PER_STEP, ARRIVED = -0.01, 1.0
ID = "LikelyHuman/Walk-v0"

Seen = Floats32 | Bytes


class WalkEnv(gymnasium.Env[Seen, np.int64]):  # type: ignore[misc]  # the extra may not be there
    """One goal an episode, drawn or that of `reset(options={"goal": 1 to 6})`, at least 12 m away on foot."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": round(FRAMES_PER_S / STEP_FRAMES)}  # noqa: RUF012

    def __init__(self, observes: Observes = "symbolic", render_mode: str | None = None) -> None:
        if observes not in OBSERVATIONS:
            raise StimuliError(f"there is no observation {observes!r}; there is {', '.join(OBSERVATIONS)}")
        self.observes, self.render_mode = observes, render_mode
        self.action_space = gymnasium.spaces.Discrete(N_ACTIONS)
        self.observation_space: Any = _space(observes)
        self._world = build_world()
        self._surfaces = Surfaces(self._world)
        self._walk: Walk | None = None
        self._steps = 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Seen, dict[str, Any]]:
        """Begin an episode; the same seed begins, and goes on drawing, the same ones."""
        super().reset(seed=seed)
        number = int((options or {}).get("goal", self.np_random.integers(len(GOALS)) + 1))
        if not 1 <= number <= len(GOALS):
            raise StimuliError(f"there is no goal {number}; there are 1 to {len(GOALS)}")
        goal = GOALS[number - 1]
        starts = route_to(goal).starts_from(NEAREST_START_M)
        start = centre(int(self.np_random.choice(starts)))
        heading_rad = float(self.np_random.uniform(-math.pi, math.pi))
        self._walk, self._steps = Walk(self._world, self._surfaces, goal, start, heading_rad), 0
        return self._seen(), {"goal": goal.name}

    def step(self, action: np.int64) -> tuple[Seen, float, bool, bool, dict[str, Any]]:
        """One of the eight actions, for 7 frames or until it arrives."""
        walk = self._here()
        before_m = walk.distance_m
        walk.step(int(action))
        self._steps += 1
        reward = (before_m - walk.distance_m) / SIZE_M + PER_STEP + ARRIVED * walk.has_arrived
        # A time limit truncates and does not terminate: learners go on counting what would have come after it.
        cut_off = self._steps >= MOST_STEPS and not walk.has_arrived
        return self._seen(), reward, walk.has_arrived, cut_off, {"goal": walk.goal.name}

    def render(self) -> Any:
        """The frame that a clip would show now."""
        return self._frame() if self.render_mode == "rgb_array" else None

    def _seen(self) -> Seen:
        return observed(self._here(), self.observes, self._draw)

    def _frame(self) -> Bytes:
        return seen(self._here(), self._draw)

    def _draw(self, pose: Pose, t_s: float) -> Bytes:
        # The map is painted when it is first drawn, which symbolic observations never do.
        return raycaster(self._here().goal).frame(pose, t_s)

    def _here(self) -> Walk:
        if self._walk is None:
            raise StimuliError("an episode begins with reset()")
        return self._walk


def _space(observes: Observes) -> Any:
    if observes == "pixels":
        return gymnasium.spaces.Box(0, 255, (HEIGHT, WIDTH, 3), np.uint8)
    n_depths = DEPTH_PIXELS**2 if observes == "hybrid" else 0
    least, most = [-math.pi, 0, 0, 0, 0, 0], [math.pi, FARTHEST_M, SIZE_M, SIZE_M, PLATFORM_M, FARTHEST_M]
    return gymnasium.spaces.Box(
        np.array(least + [0] * n_depths, dtype=np.float32),
        np.array(most + [FARTHEST_M] * n_depths, dtype=np.float32),
    )


gymnasium.register(ID, WalkEnv)
