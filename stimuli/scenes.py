"""The plan of each clip of a set: which walker or agent, which goal, from where and for how long."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

import numpy as np

from stimuli.agents import AgentPlace, Walk, walk_by
from stimuli.arena import GOALS
from stimuli.arrays import Floats, Indices
from stimuli.body import FRAMES_PER_S
from stimuli.planning import Point, Route, centre, route_to
from stimuli.raycaster import raycaster
from stimuli.rays import Surfaces
from stimuli.walkers import REACHED_M, SOURCES, LostWalkerError, Source, Track, walk
from stimuli.world import build_world

SHORTEST_S, LONGEST_S = 6.4, 9.6
# No walker needs less than one second for so many metres on the planning grid.
METRES_PER_S = 3.6
# How long the fastest has walked before its clip begins, and walks on after it ends, up to `REACHED_M`: starting and
# arriving would tell walkers apart.
AFTER_START_S = 1.0
BEFORE_END_S = (1.0, 4.0)
FEWEST_STARTS = 20
MOST_ATTEMPTS = 20


@dataclass(frozen=True, slots=True)
class Scene:
    """The start of walks to one goal, and the part of such a walk that is shown: the same for every walker."""

    seed: int
    goal: int
    number: int

    def start(self, attempt: int = 0) -> Point:
        """The start of a walk: the same for every walker, another at each attempt."""
        rng = np.random.default_rng([self.seed, self.goal, self.number, 2, attempt + 1])
        return centre(int(rng.choice(self._stretch()[2])))

    def part(self, track: Track) -> Track | None:
        """The shown part of a walk: some seconds, halfway through which the goal is equally far for all walkers. None
        if the walk is too short for it.
        """
        n_frames, halfway_m = self._shown()
        near = self._from_m(track) <= halfway_m
        first = int(np.argmax(near)) - n_frames // 2
        fits = bool(near.any()) and first >= 0 and first + n_frames <= len(track)
        return track.part(first, n_frames) if fits else None

    def part_of_lost(self, track: Track) -> Track:
        """The shown part of a walk that did not arrive: as many frames, about the moment when it was as near to the
        goal as others are halfway through theirs, or at its nearest.
        """
        n_frames, halfway_m = self._shown()
        away_m = self._from_m(track)
        middle = int(np.argmax(away_m <= max(halfway_m, float(away_m.min()))))
        return track.part(max(0, min(middle - n_frames // 2, len(track) - n_frames)), n_frames)

    def nearest_m(self, track: Track) -> float:
        """The shortest walking distance to the goal, to the planning grid's half metre."""
        return float(self._from_m(track).min())

    def _from_m(self, track: Track) -> Floats:
        return route_to(GOALS[self.goal]).from_m(track.x_m, track.y_m)

    def _shown(self) -> tuple[int, float]:
        """The number of frames of a clip, and the walking distance to the goal halfway through them."""
        n_frames, left_s, _ = self._stretch()
        return n_frames, REACHED_M + METRES_PER_S * (n_frames / FRAMES_PER_S / 2 + left_s)

    def _stretch(self) -> tuple[int, float, Indices]:
        # The last number names what is drawn: each draw has a stream of its own, however much the others take.
        rng = np.random.default_rng([self.seed, self.goal, self.number, 1])
        return _stretch(route_to(GOALS[self.goal]), rng)


@dataclass(frozen=True, slots=True)
class Clip:
    """One clip to make. Clips of one goal and number differ in source alone: same start, same length.

    `keeps_lost`: a walk that does not arrive is shown as well, in place of being walked again.
    """

    source: str
    goal: int
    number: int
    seed: int
    agent: str = ""
    keeps_lost: bool = False

    @property
    def name(self) -> str:
        return f"{self.source}-g{GOALS[self.goal].name}-{self.number}"

    @property
    def scene(self) -> Scene:
        return Scene(self.seed, self.goal, self.number)


@dataclass(frozen=True, slots=True)
class ShownWalk:
    """The walk a clip shows, and the number of failed walks before it: lost on the way, or too short for the scene.

    `has_arrived`: the walk shown reached its goal, after the part shown.
    """

    part: Track
    n_lost: int
    n_short: int
    has_arrived: bool = True


def plan_clips(n_clips: int, seed: int) -> list[Clip]:
    """List the clips: every source for one goal, then the next goal, then another round."""
    clips = []
    for index in range(n_clips):
        scene, source = divmod(index, len(SOURCES))
        earlier, goal = divmod(scene, len(GOALS))
        clips.append(Clip(SOURCES[source], goal, earlier + 1, seed))
    return clips


def plan_walks(
    n_clips: int, seed: int, source: str, agent: str, goals: Sequence[int], *, keeps_lost: bool = False
) -> list[Clip]:
    """List the clips of an agent: each goal once, then another round, in the scenes of `plan_clips`."""
    rounds = (divmod(index, len(goals)) for index in range(n_clips))
    return [Clip(source, goals[at], earlier + 1, seed, agent, keeps_lost) for earlier, at in rounds]


def walk_clip(clip: Clip) -> ShownWalk:
    """Simulate the walk that a clip shows: some seconds of it, neither its start nor its end.

    Halfway through their clips all walkers of a scene are equally far from the goal.

    Raises
    ------
    LostWalkerError
        If no attempt can be shown, with what happened to each.
    """
    scene = clip.scene
    walked = _by_agent(clip) if clip.agent else _by_walker(clip, route_to(GOALS[clip.goal]))
    n_lost, happened = 0, list[str]()
    for attempt in range(MOST_ATTEMPTS):
        try:
            track = walked(scene.start(attempt), attempt)
        except LostWalkerError as lost:
            track = lost.track
            if clip.keeps_lost:
                return ShownWalk(scene.part_of_lost(track), n_lost, attempt - n_lost, has_arrived=False)
            n_lost += 1
            happened.append(f"lost, {scene.nearest_m(track):.1f} m from the goal at the nearest")
            continue
        part = scene.part(track)
        if part is not None:
            return ShownWalk(part, n_lost, attempt - n_lost)
        happened.append(f"arrived after {len(track) / FRAMES_PER_S:.1f} s, too short for the scene")
    raise LostWalkerError(_refusal(clip, n_lost, happened), track)


def _refusal(clip: Clip, n_lost: int, happened: Sequence[str]) -> str:
    """The result of each attempt, and what to do."""
    each = "; ".join(f"{number}: {what}" for number, what in enumerate(happened, start=1))
    remedies = ["keep walks that get lost (--lost keep)"] if n_lost and clip.agent else []
    remedies.append("choose other goals or another seed")
    return (
        f"{clip.name} (seed {clip.seed}): none of {len(happened)} walks can be shown, {n_lost} got lost and "
        f"{len(happened) - n_lost} were too short for the scene; {', or '.join(remedies)}. Attempt {each}"
    )


def _by_walker(clip: Clip, route: Route) -> Callable[[Point, int], Track]:
    source = cast(Source, clip.source)

    def walked(start: Point, attempt: int) -> Track:
        seed = [clip.seed, clip.goal, clip.number, 3, attempt + 1, SOURCES.index(source) + 1]
        return walk(source, build_world(), route, start, np.random.default_rng(seed))

    return walked


def _by_agent(clip: Clip) -> Callable[[Point, int], Track]:
    """A function that walks one attempt; each attempt has an agent of its own, given its seed if it has a
    `reset(seed)`.
    """

    def walked(start: Point, attempt: int) -> Track:
        rng = np.random.default_rng([clip.seed, clip.goal, clip.number, 3, attempt + 1, 0])
        agent, goal = AgentPlace(clip.agent).make(), GOALS[clip.goal]
        if callable(reset := getattr(agent, "reset", None)):
            reset(int(rng.integers(2**32)))
        began = Walk(build_world(), _surfaces(), goal, start, float(rng.uniform(-math.pi, math.pi)))
        return walk_by(agent, clip.agent, began, lambda pose, t_s: raycaster(goal).frame(pose, t_s))

    return walked


@lru_cache(maxsize=1)
def _surfaces() -> Surfaces:
    return Surfaces(build_world())


def _stretch(route: Route, rng: np.random.Generator) -> tuple[int, float, Indices]:
    """Draw how many frames a clip lasts and how many seconds before the goal it ends, less where no start is far
    enough, and list where its walk can start."""
    n_frames = round(rng.uniform(SHORTEST_S, LONGEST_S) * FRAMES_PER_S)
    left_s = float(rng.uniform(*BEFORE_END_S))
    while True:
        starts = route.starts_from(
            REACHED_M + METRES_PER_S * (AFTER_START_S + n_frames / FRAMES_PER_S + left_s)
        )
        if len(starts) >= FEWEST_STARTS:
            return n_frames, left_s, starts
        if n_frames > SHORTEST_S * FRAMES_PER_S:
            n_frames -= 3
        elif left_s > BEFORE_END_S[0]:
            left_s = max(BEFORE_END_S[0], left_s - 0.1)
        else:
            n_frames -= 3
