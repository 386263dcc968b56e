"""What a start costs before anything is done: processes of their own, several times each."""

import resource
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from bench.servers import BIN, environment

_COMMANDS: dict[str, Sequence[str]] = {
    "likely-human --help": ("likely-human", "--help"),
    "likely-human study list": ("likely-human", "study", "list"),
    "likely-human study check --help": ("likely-human", "study", "check", "--help"),
    "likely-human analyze --help": ("likely-human", "analyze", "--help"),
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
    """Each once unmeasured, so that what it reads is in memory; then all in turn, `repeats` times."""
    with tempfile.TemporaryDirectory() as folder:
        env = environment(LIKELY_HUMAN_DATA=folder)
        runs: dict[str, list[tuple[float, float]]] = {what: [] for what in _COMMANDS}
        for _ in range(repeats + 1):
            for what, (program, *words) in _COMMANDS.items():
                runs[what].append(_run([str(BIN / program), *words], env))
    return [
        Start(what, *(median(numbers) for numbers in zip(*measured[1:], strict=True)))
        for what, measured in runs.items()
    ]


def _run(command: Sequence[str], env: dict[str, str]) -> tuple[float, float]:
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, env=env, check=True, stdout=subprocess.DEVNULL)
    seconds, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def starts_text(found: Sequence[Start]) -> str:
    """The goal is for what needs no statistics."""
    lines = ["| start | seconds | processor s |", "| --- | --- | --- |"]
    lines += [f"| {one.what} | {one.seconds:.2f} | {one.cpu_s:.2f} |" for one in found]
    return "\n".join([*lines, "", "Goal: commands that need no statistics under 0.5 s."])
