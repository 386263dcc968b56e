"""The duration of commands from start to end, and of imports: processes of their own, several times each."""

import os
import resource
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench.crowd_table import write_crowd
from bench.servers import BIN, environment

_COMMANDS: dict[str, Sequence[str]] = {
    "likely-human --help": ("likely-human", "--help"),
    "likely-human study list": ("likely-human", "study", "list"),
    "likely-human study check --help": ("likely-human", "study", "check", "--help"),
    "likely-human analyze --help": ("likely-human", "analyze", "--help"),
    "likely-human analyze, 600 answers": ("likely-human", "analyze", "600.parquet"),
    "likely-human analyze, 1,010 answers": ("likely-human", "analyze", "1010.parquet"),
    "likely-human report, 600 answers": ("likely-human", "report", "600.parquet", "--out", "report"),
    "python, nothing": ("python", "-c", "pass"),
    "the analysis (import)": ("python", "-c", "from analysis import analyze"),
    "the report's figures (import)": (
        "python",
        "-c",
        "import analysis.figures; from app.reports import report",
    ),
    "the study package (import)": ("python", "-c", "from app.reports import package"),
}


@dataclass(frozen=True, slots=True)
class Start:
    """Medians of its repeats."""

    what: str
    seconds: float
    cpu_s: float


def measure_starts(repeats: int) -> list[Start]:
    """Measure each once unrecorded, so that its files are in the page cache; then all in turn, `repeats` times."""
    with tempfile.TemporaryDirectory() as folder:
        env = environment(LIKELY_HUMAN_DATA=folder)
        for n in (600, 1010):
            write_crowd(Path(folder, f"{n}.parquet"), n)
        runs: dict[str, list[tuple[float, float]]] = {what: [] for what in _COMMANDS}
        for _ in range(repeats + 1):
            for what, (program, *words) in _COMMANDS.items():
                runs[what].append(_run([str(BIN / program), *words], env, folder))
    return [
        Start(what, *(median(numbers) for numbers in zip(*measured[1:], strict=True)))
        for what, measured in runs.items()
    ]


def _run(command: Sequence[str], env: dict[str, str], folder: str) -> tuple[float, float]:
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, env=env, cwd=folder, check=True, capture_output=True)
    seconds, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def starts_text(found: Sequence[Start]) -> str:
    """The load is of the minute before the text is made."""
    lines = ["| start | seconds | processor s |", "| --- | --- | --- |"]
    lines += [f"| {one.what} | {one.seconds:.2f} | {one.cpu_s:.2f} |" for one in found]
    goals = "Goals: commands that need no statistics under 0.5 s; 600 answers in 3 s, 1,010 in 5 s. "
    return "\n".join([*lines, "", f"{goals}Load of the machine: {os.getloadavg()[0]:.1f}."])
