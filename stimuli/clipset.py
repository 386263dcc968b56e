"""A whole set of clips, made in parallel and listed in one manifest."""

import csv
import io
import multiprocessing
import os
import re
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from stimuli.agents import AgentPlace
from stimuli.arena import GOALS, Goal
from stimuli.body import FRAMES_PER_S
from stimuli.encode import CRF, write_mp4
from stimuli.errors import StimuliError
from stimuli.raycaster import HEIGHT, WIDTH, Pose, raycaster
from stimuli.scenes import Clip, Scene, ShownWalk, plan_clips, plan_walks, walk_clip
from stimuli.sight import goal_in_view
from stimuli.walkers import LostWalkerError, Track
from stimuli.world import build_world

MANIFEST_COLUMNS = ("file", "name", "source", "goal", "player", "simulated", "positions", "seed", "scene")
PEOPLE_COLUMNS = (*MANIFEST_COLUMNS, "session")
# What sets that keep lost walks have besides, in the manifest and in each positions file.
ARRIVED = "arrived"
ATTEMPT_COLUMNS = ("name", "walks_lost", "walks_too_short")
POSITION_COLUMNS = (
    "t_s",
    "x_m",
    "y_m",
    "z_m",
    "heading_rad",
    "goal_x_m",
    "goal_y_m",
    "wall_m",
    "goal_in_view",
)
PLAYERS = {
    "human": "simulated human",
    "hybrid": "hybrid walker",
    "symbolic": "symbolic walker",
}
ATTEMPTS = "attempts.csv"
AGAIN, KEEP = "again", "keep"
N_CLIPS = 24
T = TypeVar("T")
R = TypeVar("R")
MOST_CLIPS = 5000
MOST_SEED = 2**32 - 1
SOURCE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Walked:
    """A walk from the start of a scene to its goal: `part` is the part shown.

    `player` and `session` are names that do not reveal the walker. `simulated`: no person took it.
    """

    name: str
    scene: Scene
    part: Track
    player: str
    session: str
    simulated: bool


def generate(
    out: Path,
    *,
    seed: int = 1,
    clips: int = N_CLIPS,
    workers: int | None = None,
    on_progress: Progress | None = None,
) -> Path:
    """Write clips, their positions and a manifest into a folder, and give the manifest's path.

    The same seed gives the same bytes; files of the same names are replaced, others are left alone. The
    manifest is written last, so one that is there lists whole clips.

    Parameters
    ----------
    out
        The folder; made if it is not there.
    seed
        0 to 4294967295.
    clips
        How many clips, 1 to 5000. Every 18 hold each source once for each goal.
    workers
        How many processes; as many as there are processors unless told otherwise. They import the calling
        script again, so one that asks for more than one needs `if __name__ == "__main__":`.
    on_progress
        Called in this process with the number of clips made and the number asked for.

    Raises
    ------
    StimuliError
        If a value is out of range or the folder cannot be written.
    """
    _check("seed", seed, 0, MOST_SEED)
    _check("clips", clips, 1, MOST_CLIPS)
    return make_set(plan_clips(clips, seed), out, workers, on_progress or _ignore)


def generate_by_agent(
    out: Path,
    agent: str,
    *,
    source: str = "agent",
    lost: str = AGAIN,
    goals: Sequence[int] = tuple(range(1, len(GOALS) + 1)),
    seed: int = 1,
    clips: int = N_CLIPS,
    workers: int | None = None,
    on_progress: Progress | None = None,
) -> Path:
    """Write clips of an agent's walks as `generate` writes the demo's, in the same scenes for the same seed.

    A walk that gets lost, or is too short for its scene, is tried again from another start, up to 20 times.
    `attempts.csv`, beside the manifest, has how many there were before each clip.

    Parameters
    ----------
    agent
        `MODULE:NAME`, a class or function without arguments that makes an agent.
    source
        What the manifest calls it; not `human`.
    lost
        `again`: only walks that arrive are shown. `keep`: one that gets lost is shown, too; manifest and positions
        have a column `arrived`, and what is shown is about the moment when the walk was nearest to its goal, or as near
        as others are halfway through theirs.
    goals
        Which goals it walks to, in turn.

    Raises
    ------
    StimuliError
        If a value cannot be taken, or the agent cannot be made, fails, or does not get to a goal.
    """
    _check("seed", seed, 0, MOST_SEED)
    _check("clips", clips, 1, MOST_CLIPS)
    if not SOURCE.fullmatch(source) or source == "human":
        raise StimuliError(
            f"source is {source[:80]!r}; it is up to 60 letters, digits, . _ or -, and not human: an agent is none"
        )
    if lost not in (AGAIN, KEEP):
        raise StimuliError(f"lost is {lost[:80]!r}; allowed are {AGAIN} and {KEEP}")
    for goal in goals:
        _check("goal", goal, 1, len(GOALS))
    if not goals:
        raise StimuliError("goals are empty; name at least one")
    AgentPlace(agent).make()
    at = [goal - 1 for goal in goals]
    planned = plan_walks(clips, seed, source, agent, at, keeps_lost=lost == KEEP)
    return make_set(planned, out, workers, on_progress or _ignore)


def generate_of_people(
    walks: Sequence[Walked],
    out: Path,
    *,
    workers: int | None = None,
    on_progress: Progress | None = None,
) -> Path:
    """Write clips of walks that people took as `generate` writes the demo's: drawn, cut and encoded by the same code.
    The manifest has their session besides; their source is `human`.

    Raises
    ------
    StimuliError
        If there is no walk, or the folder cannot be written.
    """
    _check("walks", len(walks), 1, MOST_CLIPS)
    manifest, n_workers = _prepared(out, workers)
    _make_all(make_walked, list(walks), out, min(n_workers, len(walks)), on_progress or _ignore)
    rows = (
        [*_row(one.name, "human", one.scene, one.player, simulated=one.simulated), one.session]
        for one in walks
    )
    _write_csv(manifest, PEOPLE_COLUMNS, rows)
    return manifest


def make_set(
    planned: list[Clip], out: Path, workers: int | None, on_progress: Progress, *, crf: int = CRF
) -> Path:
    """Like `generate`, for clips that are planned."""
    manifest, n_workers = _prepared(out, workers)
    make = partial(make_clip, crf=crf)
    shown = _make_all(make, planned, out, min(n_workers, len(planned)), on_progress)
    attempts = (
        [clip.name, str(one.n_lost), str(one.n_short)] for clip, one in zip(planned, shown, strict=True)
    )
    _write_csv(out / ATTEMPTS, ATTEMPT_COLUMNS, attempts)
    rows = (
        _row(clip.name, clip.source, clip.scene, clip.agent or PLAYERS[clip.source], simulated=True)
        + ([_yes(one.has_arrived)] if clip.keeps_lost else [])
        for clip, one in zip(planned, shown, strict=True)
    )
    keeps_lost = any(clip.keeps_lost for clip in planned)
    _write_csv(manifest, (*MANIFEST_COLUMNS, ARRIVED) if keeps_lost else MANIFEST_COLUMNS, rows)
    return manifest


def n_lost_shown(manifest: Path) -> int:
    """The number of clips in a manifest that show walks that got lost."""
    with manifest.open(encoding="utf-8", newline="") as file:
        return sum(row.get(ARRIVED) == _yes(False) for row in csv.DictReader(file))


def n_lost_walks(manifest: Path) -> int:
    """The number of walks that got lost before the clips of a manifest."""
    with (manifest.parent / ATTEMPTS).open(encoding="utf-8", newline="") as file:
        return sum(int(row["walks_lost"]) for row in csv.DictReader(file))


def _prepared(out: Path, workers: int | None) -> tuple[Path, int]:
    """The path of the future manifest, and the number of processes; creates the folders."""
    n_workers = _processors() if workers is None else workers
    _check("workers", n_workers, 1, MOST_CLIPS)
    manifest = out / "manifest.csv"
    try:
        for folder in ("clips", "positions"):
            (out / folder).mkdir(parents=True, exist_ok=True)
        # The manifest is written last: an old one must not vouch for a set that is half made.
        manifest.unlink(missing_ok=True)
    except OSError as error:
        raise _unwritable(out, error) from error
    return manifest, n_workers


def _check(name: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise StimuliError(f"{name} is {value}; allowed are {least} to {most}")


def _processors() -> int:
    """Count the processors this process may use."""
    # Those that this process may use, which can be fewer than the machine has; macOS cannot tell.
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _unwritable(path: Path, error: OSError) -> StimuliError:
    return StimuliError(f"cannot write {path}: {error.strerror or error}")


def _ignore(done: int, total: int) -> None:
    """Take no notice of progress."""


def _make_all(
    make: Callable[[T, Path], R], clips: Sequence[T], out: Path, n_workers: int, on_progress: Progress
) -> list[R]:
    """The results of `make` for each clip."""
    on_progress(0, len(clips))
    if n_workers == 1:
        made = []
        for done, clip in enumerate(clips, start=1):
            made.append(make(clip, out))
            on_progress(done, len(clips))
        return made
    # Started afresh, not forked: the caller may be a server with threads.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(n_workers, mp_context=context)
    try:
        jobs = [pool.submit(make, clip, out) for clip in clips]
        for done, job in enumerate(as_completed(jobs), start=1):
            job.result()
            on_progress(done, len(clips))
        return [job.result() for job in jobs]
    finally:
        # After a failure or an interrupt clips not yet begun are dropped.
        pool.shutdown(cancel_futures=True)


def make_clip(clip: Clip, out: Path, *, crf: int = CRF) -> ShownWalk:
    """Simulate, draw and write one clip and its positions; returns what it shows, and of which attempt."""
    try:
        shown = walk_clip(clip)
    except LostWalkerError as error:
        raise StimuliError(str(error)) from error
    arrived = shown.has_arrived if clip.keeps_lost else None
    _draw(clip.name, shown.part, GOALS[clip.goal], out, crf, arrived)
    return shown


def make_walked(walked: Walked, out: Path) -> None:
    """Draw and write the clip of a walk and its positions."""
    _draw(walked.name, walked.part, GOALS[walked.scene.goal], out)


def _draw(
    name: str, track: Track, goal: Goal, out: Path, crf: int = CRF, arrived: bool | None = None
) -> None:
    """Draw one clip; `arrived` is written in each row of the positions, 1 or 0; None: not at all."""
    draw = raycaster(goal).frame
    frames = (draw(pose, index / FRAMES_PER_S) for index, pose in enumerate(_poses(track)))
    path = out / "clips" / f"{name}.mp4"
    columns = POSITION_COLUMNS if arrived is None else (*POSITION_COLUMNS, ARRIVED)
    mark = [] if arrived is None else [str(int(arrived))]
    rows = ([*row, *mark] for row in _position_rows(track, goal))
    _write_csv(out / "positions" / f"{name}.csv", columns, rows)
    try:
        write_mp4(path, frames, width=WIDTH, height=HEIGHT, frames_per_s=FRAMES_PER_S, crf=crf)
    except OSError as error:
        raise _unwritable(path, error) from error


def _poses(track: Track) -> Iterable[Pose]:
    columns = (track.x_m, track.y_m, track.z_m, track.heading_rad)
    return (Pose(*values) for values in zip(*(column.tolist() for column in columns), strict=True))


def _position_rows(track: Track, goal: Goal) -> Iterable[list[str]]:
    world = build_world()
    wall_m = world.wall_m(track.x_m, track.y_m)
    seen = goal_in_view(world, goal, track.x_m, track.y_m, track.z_m, track.heading_rad)
    for index, pose in enumerate(_poses(track)):
        yield [
            # One precision for all: clips rounded otherwise were told apart in 100% of pairs (bench/calibration.md).
            f"{index / FRAMES_PER_S:.6f}",
            *(f"{metres:.4f}" for metres in pose[:3]),
            f"{pose.heading_rad:.6f}",
            *(f"{metres:.4f}" for metres in (goal.x_m, goal.y_m, wall_m[index])),
            str(int(seen[index])),
        ]


def _row(name: str, source: str, scene: Scene, player: str, *, simulated: bool) -> list[str]:
    goal = GOALS[scene.goal].name
    return [
        f"clips/{name}.mp4",
        name,
        source,
        goal,
        player,
        _yes(simulated),
        f"positions/{name}.csv",
        str(scene.seed),
        f"{scene.seed}-{goal}-{scene.number}",
    ]


def _yes(is_so: bool) -> str:
    return "yes" if is_so else "no"


def _write_csv(path: Path, columns: tuple[str, ...], rows: Iterable[list[str]]) -> None:
    """Write a table in one go, replacing any existing one."""
    table = io.StringIO()
    # csv ends lines with CRLF by default; the same seed has to give the same bytes as other tools write.
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    # Renamed when whole: a reader never sees half a table.
    unfinished = path.with_name(f".{path.name}.part")
    try:
        unfinished.write_text(table.getvalue(), encoding="utf-8", newline="")
        unfinished.replace(path)
    except OSError as error:
        raise _unwritable(path, error) from error
