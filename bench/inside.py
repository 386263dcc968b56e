"""Information on its source in a served file that is not watched: frame sizes of 60 simulated walks of each source."""

import csv
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import av
import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.clues.report import ClueReport, clue_report
from analysis.clues.words import INSIDE
from analysis.stats.intervals import Floats
from analysis.stats.logistic import Classes, fit_logistic
from app.library.clips.clues import measure_clues
from app.library.clips.process import process
from app.library.clips.rules import Rules
from bench.servers import WORK
from stimuli.clipset import generate
from stimuli.raycaster import HEIGHT, WIDTH

N_CLIPS = 180  # every 18 hold each source once for each of six goals


REPEATS, FOLDS = 10, 6
Sizes = list[tuple[int, bool]]
Names = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Inside:
    """`report`: one number a clip at a time. `told`: for each two sources the AUC, cross-validated with all clips of a
    scene in one fold, of all numbers of the frames' sizes: mean, least and greatest over repeats. `price`: how many
    times the bytes, were each frame given the room of the largest of its kind."""

    report: ClueReport
    told: Mapping[tuple[str, str], tuple[float, float, float]]
    price: float


def measure_inside() -> Inside:
    """Draw clips, process them by the default rules, and compare the sources by what is inside the files alone."""
    folder = WORK / "inside"
    shutil.rmtree(folder, ignore_errors=True)
    print(f"drawing and processing {N_CLIPS} clips", file=sys.stderr)
    manifest = generate(folder, clips=N_CLIPS)
    with manifest.open(newline="") as file:
        clips = [(row["name"], row["source"], row["file"], row["scene"]) for row in csv.DictReader(file)]
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        measured = list(pool.map(partial(_measured, folder), [file for _, _, file, _ in clips]))
    rows = [
        {"stimulus": name, "source": source, **{clue: clues[clue] for clue in INSIDE}}
        for (name, source, *_), (clues, _) in zip(clips, measured, strict=True)
    ]
    shutil.rmtree(folder)
    sizes = [each for _, each in measured]
    sources, scenes = (np.array([clip[at] for clip in clips]) for at in (1, 3))
    told = _told(np.array([_numbers(each) for each in sizes]), sources, scenes)
    return Inside(clue_report(pd.DataFrame(rows), seed=1), told, _price(sizes))


def _measured(folder: Path, file: str) -> tuple[dict[str, float], Sizes]:
    target = folder / f"processed-{Path(file).name}"
    process(folder / file, target, Rules(), size=(WIDTH, HEIGHT))
    with av.open(str(target)) as container:
        sizes = [(packet.size, packet.is_keyframe) for packet in container.demux(video=0) if packet.size]
    return measure_clues(target), sizes


def _numbers(sizes: Sizes) -> list[float]:
    """Features of a table of frame sizes: medians, spread, tails, roughness and sums, of key frames and of others."""
    keys, others = (np.log([size for size, is_key in sizes if is_key == kind]) for kind in (True, False))
    steps = np.abs(np.diff(others))
    whole = np.array([size for size, _ in sizes], float)
    seconds = whole[: len(whole) // 30 * 30].reshape(-1, 30).sum(axis=1)
    shape = ((others - others.mean()) ** 3).mean() / others.std() ** 3
    return [
        *(float(np.median(keys)), float(keys.std()), float(np.median(others)), float(others.std())),
        *map(float, np.quantile(others, [0.05, 0.25, 0.75, 0.95])),
        *(float(steps.mean()), float(steps.std()), float(np.log(seconds).std())),
        *(float(np.corrcoef(others[:-1], others[1:])[0, 1]), float(np.log(whole.sum()))),
        *(float(shape), float(others.max() - np.median(others))),
    ]


def _told(
    numbers: Floats, sources: Names, scenes: Names
) -> Mapping[tuple[str, str], tuple[float, float, float]]:
    told = {}
    for first, second in combinations(sorted(set(sources)), 2):
        which = (sources == first) | (sources == second)
        aucs = [
            _auc(numbers[which], sources[which] == first, scenes[which], np.random.default_rng(seed))
            for seed in range(REPEATS)
        ]
        told[first, second] = float(np.mean(aucs)), min(aucs), max(aucs)
    return told


def _auc(values: Floats, positive: Classes, scenes: Names, rng: np.random.Generator) -> float:
    """The AUC on clips of scenes that the classifier had not seen, averaged over folds."""
    drawn = {scene: at % FOLDS for at, scene in enumerate(rng.permutation(np.unique(scenes)))}
    fold = np.array([drawn[scene] for scene in scenes])
    aucs = []
    for tested in (fold == n for n in range(FOLDS)):
        scores = fit_logistic(values[~tested], positive[~tested]).scores(values[tested])
        ours, others = scores[positive[tested]], scores[~positive[tested]]
        wins = (ours[:, None] > others).mean() + (ours[:, None] == others).mean() / 2
        aucs.append(float(wins))
    return float(np.mean(aucs))


def _price(clips: Sequence[Sizes]) -> float:
    largest = {
        kind: max(size for each in clips for size, is_key in each if is_key == kind) for kind in (True, False)
    }
    room = sum(largest[is_key] for each in clips for _, is_key in each)
    return room / sum(size for each in clips for size, _ in each)


def inside_text(found: Inside) -> str:
    """A line for each two sources and clue, the sentence of the clue report, what all numbers tell, and the price."""
    report = found.report
    counts = ", ".join(f"{n} {source}" for source, n in report.sources.items())
    lines = [f"Inside the files of {report.n_clips} clips ({counts}): AUC of one number a clip"]
    for clue in report.inside.clues:
        for pair in clue.pairs:
            lines.append(f"  {clue.label}: {pair.first} against {pair.second} {pair.auc:.2f}")
    lines += [
        report.inside.says,
        f"All numbers of the frames' sizes, {REPEATS} times {FOLDS} folds of scenes: AUC",
    ]
    lines += [
        f"  {first} against {second} {auc:.2f} ({least:.2f} to {most:.2f})"
        for (first, second), (auc, least, most) in found.told.items()
    ]
    return "\n".join(
        [*lines, f"Frames that all take the room of the largest: {found.price:.1f} times the bytes"]
    )
