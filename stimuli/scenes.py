"""What each clip of a set shows: which walker, which goal, from where and for how long."""

from dataclasses import dataclass

import numpy as np

from stimuli.arena import GOALS
from stimuli.arrays import Indices
from stimuli.body import FRAMES_PER_S
from stimuli.planning import Route, centre, plan
from stimuli.walkers import SOURCES, LostWalkerError, Source, Track, walk
from stimuli.world import build_world

SHORTEST_S, LONGEST_S = 6.4, 9.6
# No walker needs less than one second for so many metres on the planning grid, nor starts nearer.
METRES_PER_S, METRES_TO_SPARE = 3.6, 1.0
FEWEST_STARTS = 40
MOST_ATTEMPTS = 20


@dataclass(frozen=True, slots=True)
class Clip:
    """One clip to make. Clips of one goal and number differ in source alone: same start, same length."""

    source: Source
    goal: int
    number: int
    seed: int

    @property
    def name(self) -> str:
        return f"{self.source}-g{GOALS[self.goal].name}-{self.number}"


def plan_clips(n_clips: int, seed: int) -> list[Clip]:
    """List the clips: every source for one goal, then the next goal, then another round."""
    clips = []
    for index in range(n_clips):
        scene, source = divmod(index, len(SOURCES))
        earlier, goal = divmod(scene, len(GOALS))
        clips.append(Clip(SOURCES[source], goal, earlier + 1, seed))
    return clips


def walk_clip(clip: Clip) -> Track:
    """Simulate the walk that a clip shows: its last seconds, up to the goal."""
    world, goal = build_world(), GOALS[clip.goal]
    route = plan((goal.x_m, goal.y_m))
    scene = [clip.seed, clip.goal, clip.number]
    n_frames, starts = _length_and_starts(route, np.random.default_rng([*scene, 1]))
    for attempt in range(MOST_ATTEMPTS):
        start = centre(int(np.random.default_rng([*scene, 2, attempt + 1]).choice(starts)))
        rng = np.random.default_rng([*scene, 3, attempt + 1, SOURCES.index(clip.source) + 1])
        try:
            track = walk(clip.source, world, route, start, rng)
        except LostWalkerError:
            continue
        if len(track) >= n_frames:
            return track.last(n_frames)
    raise LostWalkerError(f"{clip.name} (seed {clip.seed}): no walk long enough in {MOST_ATTEMPTS} attempts")


def _length_and_starts(route: Route, rng: np.random.Generator) -> tuple[int, Indices]:
    """Draw how many frames a clip lasts, fewer where no start is far enough, and list where it can start."""
    n_frames = round(rng.uniform(SHORTEST_S, LONGEST_S) * FRAMES_PER_S)
    while True:
        starts = route.starts_from(METRES_PER_S * n_frames / FRAMES_PER_S + METRES_TO_SPARE)
        if len(starts) >= FEWEST_STARTS:
            return n_frames, starts
        n_frames -= 3
