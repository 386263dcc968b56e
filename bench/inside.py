"""What a served file tells of its source without being watched: frame sizes of 60 simulated walks of each source."""

import csv
import os
import shutil
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import pandas as pd

from analysis.clues.report import ClueReport, clue_report
from analysis.clues.words import INSIDE
from app.library.clips.clues import measure_clues
from app.library.clips.process import process
from app.library.clips.rules import Rules
from bench.servers import WORK
from stimuli.clipset import generate
from stimuli.raycaster import HEIGHT, WIDTH

N_CLIPS = 180  # every 18 hold each source once for each of six goals


def measure_inside() -> ClueReport:
    """Clips drawn, processed by the default rules, measured, and compared by what is inside the files alone."""
    folder = WORK / "inside"
    shutil.rmtree(folder, ignore_errors=True)
    print(f"drawing and processing {N_CLIPS} clips", file=sys.stderr)
    manifest = generate(folder, clips=N_CLIPS)
    with manifest.open(newline="") as file:
        clips = [(row["name"], row["source"], row["file"]) for row in csv.DictReader(file)]
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        measured = list(pool.map(partial(_measured, folder), [file for _, _, file in clips]))
    rows = [
        {"stimulus": name, "source": source, **{clue: clues[clue] for clue in INSIDE}}
        for (name, source, _), clues in zip(clips, measured, strict=True)
    ]
    shutil.rmtree(folder)
    return clue_report(pd.DataFrame(rows), seed=1)


def _measured(folder: Path, file: str) -> dict[str, float]:
    target = folder / f"processed-{Path(file).name}"
    process(folder / file, target, Rules(), size=(WIDTH, HEIGHT))
    return measure_clues(target)


def inside_text(report: ClueReport) -> str:
    """A line for each two sources and clue, and the sentence of the clue report."""
    counts = ", ".join(f"{n} {source}" for source, n in report.sources.items())
    lines = [f"Inside the files of {report.n_clips} clips ({counts}): AUC of one number a clip"]
    for clue in report.inside.clues:
        for pair in clue.pairs:
            lines.append(f"  {clue.label}: {pair.first} against {pair.second} {pair.auc:.2f}")
    return "\n".join([*lines, report.inside.says])
