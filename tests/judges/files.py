"""Files to judge: real clips, and positions of walks whose shape is known."""

import hashlib
import math
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from app.judges.base import PairFiles, StimulusFiles
from tests.factories import make_small_video

HZ = 30
SECONDS = 8.0
QUESTION = "Which video is more likely to be human?"

Walk = Callable[[float], tuple[float, float, float]]


def straight(t_s: float) -> tuple[float, float, float]:
    return 3.0 * t_s, 0.0, 0.0


def wavy(t_s: float) -> tuple[float, float, float]:
    """Weaves about 0.9 times a second, at a speed that goes up and down."""
    return 2.5 * t_s + 0.1 * math.sin(8 * t_s), 0.5 * math.sin(5.7 * t_s), 0.6 * math.cos(5.7 * t_s)


def later(walk: Walk, by_s: float) -> Walk:
    """The same walk from another moment on."""
    return lambda t_s: walk(t_s + by_s)


def write_positions(path: Path, walk: Walk, *, hz: float = HZ, seconds: float = SECONDS) -> Path:
    """A file as `stimuli.clipset` writes it."""
    lines = ["t_s,x_m,y_m,z_m,heading_rad"]
    for number in range(round(hz * seconds) + 1):
        x_m, y_m, heading_rad = walk(number / hz)
        lines.append(f"{number / hz:.6f},{x_m:.4f},{y_m:.4f},0.0000,{heading_rad:.6f}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def by_content(path: Path) -> Path:
    """The file under the hash of its content, as the store names it."""
    named = path.with_name(hashlib.sha256(path.read_bytes()).hexdigest() + path.suffix)
    shutil.move(path, named)
    return named


def make_stimuli(folder: Path) -> Sequence[StimulusFiles]:
    """Three clips that differ in path and in picture."""
    stimuli = []
    for number, (walk, seconds) in enumerate(((straight, 2.0), (wavy, 2.0), (circling, 1.0)), start=1):
        clip = folder / f"clip-{number}.mp4"
        make_small_video(clip, seed=number, seconds=seconds)
        positions = write_positions(folder / f"positions-{number}.csv", walk)
        stimuli.append(StimulusFiles(by_content(clip), by_content(positions)))
    return stimuli


def circling(t_s: float) -> tuple[float, float, float]:
    """Half a circle in eight seconds."""
    angle = math.pi * t_s / SECONDS
    return 10 * math.cos(angle), 10 * math.sin(angle), angle + math.pi / 2


def pair_of(a: StimulusFiles, b: StimulusFiles) -> PairFiles:
    return PairFiles("f00d", QUESTION, a, b)
