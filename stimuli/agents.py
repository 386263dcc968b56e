"""Agents on the map: the eight actions and the observations of the Human Navigation Turing Test, step by step.

An agent is anything with `act(observation) -> action`. Its attribute `observes` names its observation: `symbolic` by
default.
"""

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Literal, Protocol, get_args

import numpy as np

from stimuli import steps
from stimuli.arena import SIZE_M, Goal
from stimuli.arrays import Bytes, Floats32
from stimuli.body import FRAME_S, FRAMES_PER_S, wrap
from stimuli.errors import StimuliError
from stimuli.lens import Lens
from stimuli.planning import Point
from stimuli.raycaster import EYE_M, LENS, Pose
from stimuli.rays import Rays, Surfaces
from stimuli.walkers import LostWalkerError, Track
from stimuli.world import World

Observes = Literal["symbolic", "pixels", "hybrid"]
OBSERVATIONS: tuple[Observes, ...] = get_args(Observes)

# None (stand still), forward, then left by 30, 45 and 90 degrees, then right: turned at once, and walked on.
TURNS_DEG: tuple[int, ...] = (0, 0, 30, 45, 90, -30, -45, -90)
STAND = 0
N_ACTIONS = len(TURNS_DEG)
# The paper's 210 steps are 3,000 ticks or 50 s.
STEP_FRAMES = 7
MOST_STEPS = 210
SYMBOLIC = ("goal_angle_rad", "goal_distance_m", "x_m", "y_m", "z_m", "mean_depth_m")
# No ray is as long as the map's diagonal.
FARTHEST_M = SIZE_M * math.sqrt(2)
# The depth buffer of the paper, through the lens of the clips.
DEPTH_PIXELS = 32
_DEPTH = Lens(
    DEPTH_PIXELS,
    DEPTH_PIXELS,
    focal=DEPTH_PIXELS / LENS.width * LENS.focal,
    horizon=LENS.horizon / LENS.height * DEPTH_PIXELS,
)

Drawn = Callable[[Pose, float], Bytes]


class Agent(Protocol):
    """An agent; it may keep state from one step to the next, and each walk has an agent of its own."""

    def act(self, observation: Floats32 | Bytes) -> int:
        """Choose one of the eight actions."""


class Walk:
    """One walk to a goal, a step of `STEP_FRAMES` frames at a time, with people's body (`stimuli.steps`)."""

    def __init__(
        self, world: World, surfaces: Surfaces, goal: Goal, start: Point, heading_rad: float
    ) -> None:
        self._world, self._surfaces, self.goal = world, surfaces, goal
        self._walker = steps.start(*start, heading_rad)
        self.poses: list[Pose] = []

    @property
    def pose(self) -> Pose:
        """The walker's position and heading."""
        return Pose(*steps.pose(self._walker))

    @property
    def t_s(self) -> float:
        return len(self.poses) * FRAME_S

    @property
    def distance_m(self) -> float:
        """The straight-line distance to the goal."""
        return math.dist(self.pose[:2], (self.goal.x_m, self.goal.y_m))

    @property
    def has_arrived(self) -> bool:
        return steps.has_arrived(self._walker, self.goal)

    def step(self, action: int) -> None:
        """Take one of the eight actions; the walk ends in the frame that arrives."""
        keys = 0 if action == STAND else steps.FORWARD
        for frame in range(STEP_FRAMES):
            if self.has_arrived:
                return
            turn = TURNS_DEG[action] * steps.TURN // 360 if frame == 0 else 0
            self._walker = steps.step(self._walker, keys, turn)
            self.poses.append(self.pose)

    def symbolic(self) -> Floats32:
        """The values named in `SYMBOLIC`; the angle is from where one looks to the goal, left positive."""
        return self._symbolic(self.depth_m())

    def hybrid(self) -> Floats32:
        """The observation `symbolic` followed by `depth_m`, row by row from the top: shape (6 + 32 * 32,)."""
        depth_m = self.depth_m()
        return np.concatenate([self._symbolic(depth_m), depth_m.ravel()])

    def depth_m(self) -> Floats32:
        """Along the ground to what each pixel shows, shape (32, 32), the top row first; to the sky `FARTHEST_M`."""
        pose = self.pose
        cos, sin = np.float32(math.cos(pose.heading_rad)), np.float32(math.sin(pose.heading_rad))
        across = _DEPTH.across()
        rays = Rays(pose.x_m, pose.y_m, pose.z_m + EYE_M, cos + across * sin, sin - across * cos)
        runs = self._surfaces.runs(rays, _DEPTH)
        before = np.cumsum(runs.n_pixels) - runs.n_pixels
        row = np.arange(runs.n_pixels.sum()) + np.repeat(runs.first - before, runs.n_pixels)
        slope = _DEPTH.slope_of(row) - np.repeat(runs.slope, runs.n_pixels)
        # A level ray never meets the floor: a tiny slope puts the meeting far off, and the clip below cuts it.
        on_floor = np.repeat(runs.rise, runs.n_pixels) / np.where(slope == 0, np.float32(1e-6), slope)
        found_m = np.where(
            np.repeat(runs.is_wall, runs.n_pixels), np.repeat(runs.depth_m, runs.n_pixels), on_floor
        )
        depth_m = np.full((DEPTH_PIXELS, DEPTH_PIXELS), FARTHEST_M, dtype=np.float32)
        depth_m[DEPTH_PIXELS - 1 - row, np.repeat(runs.column, runs.n_pixels)] = np.clip(
            found_m, 0, FARTHEST_M
        )
        return depth_m

    def _symbolic(self, depth_m: Floats32) -> Floats32:
        pose = self.pose
        bearing_rad = math.atan2(self.goal.y_m - pose.y_m, self.goal.x_m - pose.x_m)
        angle_rad = wrap(bearing_rad - pose.heading_rad)
        values = (angle_rad, self.distance_m, pose.x_m, pose.y_m, pose.z_m, float(depth_m.mean()))
        return np.array(values, dtype=np.float32)

    def track(self) -> Track:
        """The walked track, one value for each frame."""
        return Track(*np.array(self.poses).T)


@dataclass(frozen=True, slots=True)
class AgentPlace:
    """The import path of an agent, `MODULE:NAME`: a class or function without arguments that makes one."""

    name: str

    def make(self) -> Agent:
        """A fresh agent. Raises StimuliError, naming what is missing."""
        module, _, attribute = self.name.partition(":")
        if not module or not attribute:
            raise StimuliError(f"{self.name!r} names no agent; give MODULE:NAME, such as my_agents:Straight")
        # As `python -m` does: modules in the working folder are found, too.
        here = str(Path.cwd())
        if here not in sys.path:
            sys.path.insert(0, here)
        try:
            made = getattr(import_module(module), attribute)()
        except ModuleNotFoundError as error:
            raise StimuliError(f"{self.name}: there is no module {error.name!r} here or installed") from error
        except AttributeError as error:
            raise StimuliError(f"{self.name}: {_short(error)}") from error
        # A module may call sys.exit when it is imported; that is an error of the agent, not the end of the command.
        except (Exception, SystemExit) as error:
            raise StimuliError(f"{self.name} cannot be made ({_short(error)})") from error
        if not callable(getattr(made, "act", None)):
            raise StimuliError(f"{self.name} makes no agent: what it gives has no act(observation)")
        if observes_of(made) not in OBSERVATIONS:
            raise StimuliError(
                f"{self.name} observes {observes_of(made)!r}; there is {', '.join(OBSERVATIONS)}"
            )
        return made  # type: ignore[no-any-return]


def observes_of(agent: Agent) -> str:
    """The name of the observation that an agent asks for."""
    return str(getattr(agent, "observes", "symbolic"))


def walk_by(agent: Agent, name: str, walk: Walk, draw: Drawn) -> Track:
    """Let an agent walk until it arrives.

    Raises
    ------
    LostWalkerError
        If it does not arrive in `MOST_STEPS` steps.
    StimuliError
        If it fails, or returns an invalid action.
    """
    for number in range(1, MOST_STEPS + 1):
        observation = observed(walk, observes_of(agent), draw)
        try:
            action = agent.act(observation)
        except Exception as error:
            raise StimuliError(f"{name} failed in step {number} of a walk ({_short(error)})") from error
        walk.step(_checked(action, name, number))
        if walk.has_arrived:
            return walk.track()
    lasted_s = MOST_STEPS * STEP_FRAMES / FRAMES_PER_S
    message = f"{name} did not reach goal {walk.goal.name} in {MOST_STEPS} steps, {lasted_s:g} s"
    raise LostWalkerError(message, walk.track())


def observed(walk: Walk, observes: str, draw: Drawn) -> Floats32 | Bytes:
    """The observation of an agent that asks for one of `OBSERVATIONS`."""
    if observes == "pixels":
        return seen(walk, draw)
    return walk.hybrid() if observes == "hybrid" else walk.symbolic()


def seen(walk: Walk, draw: Drawn) -> Bytes:
    """The frame that a clip would show now: rows, columns, RGB."""
    return np.ascontiguousarray(draw(walk.pose, walk.t_s)[..., :3])


def _checked(action: object, name: str, number: int) -> int:
    # Networks give NumPy numbers, or arrays with one number in them.
    given = action.item() if isinstance(action, (np.integer, np.ndarray)) and np.size(action) == 1 else action
    # bool, because True is an int in Python.
    if not isinstance(given, int) or isinstance(given, bool) or not 0 <= given < N_ACTIONS:
        raise StimuliError(
            f"{name} gave {str(action)[:80]!r} in step {number} of a walk; "
            f"an action is a whole number, 0 to {N_ACTIONS - 1}"
        )
    return given


def _short(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]
