"""The duration of commands from start to end, and of imports: processes of their own, several times each.

`python -m bench.starts FOLDER` measures another checkout, too, in turn with this one and in this environment, and
prints the ratio of each turn's two numbers: of processor seconds, user and system, as other work stretches the clock's.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench.crowd_table import write_crowd
from bench.servers import HERE, environment

_CLI = "from app.cli import main; main()"


@dataclass(frozen=True, slots=True)
class Started:
    """A process to measure: Python code, its arguments, and the goal in processor seconds where there is one."""

    code: str
    words: Sequence[str] = ()
    goal_s: float | None = None


_COMMANDS: Mapping[str, Started] = {
    "likely-human --help": Started(_CLI, ("--help",), 0.5),
    "likely-human study list": Started(_CLI, ("study", "list"), 0.5),
    "likely-human study check --help": Started(_CLI, ("study", "check", "--help"), 0.5),
    "likely-human analyze --help": Started(_CLI, ("analyze", "--help"), 0.5),
    "likely-human analyze, 600 answers": Started(_CLI, ("analyze", "600.parquet"), 3),
    "likely-human analyze, 1,010 answers": Started(_CLI, ("analyze", "1010.parquet"), 5),
    "likely-human report, 600 answers": Started(_CLI, ("report", "600.parquet", "--out", "report"), 6),
    "python, nothing": Started("pass"),
    "the analysis (import)": Started("from analysis import analyze", goal_s=1),
    "the report's figures (import)": Started("import analysis.figures; from app.reports import report"),
    "the study package (import)": Started("from app.reports import package"),
}


@dataclass(frozen=True, slots=True)
class Start:
    """The cost of one process in each turn: seconds by the clock, and of the processor."""

    what: str
    turns: Sequence[tuple[float, float]]

    @property
    def seconds(self) -> float:
        return median(seconds for seconds, _ in self.turns)

    @property
    def cpu_s(self) -> float:
        return median(cpu_s for _, cpu_s in self.turns)


def measure_starts(repeats: int, roots: Sequence[Path] = (HERE.parent,)) -> list[list[Start]]:
    """Starts of the code in each folder, as many as there are folders for each process.

    Each is run once unrecorded, so that its bytecode is written and its files are in the page cache; then all in turn,
    `repeats` times.
    """
    runs: dict[tuple[str, Path], list[tuple[float, float]]] = {
        (what, root): [] for what in _COMMANDS for root in roots
    }
    with tempfile.TemporaryDirectory() as folder:
        for n in (600, 1010):
            write_crowd(Path(folder, f"{n}.parquet"), n)
        for _ in range(repeats + 1):
            for (what, root), turns in runs.items():
                turns.append(_run(_COMMANDS[what], root, folder))
    return [[Start(what, runs[what, root][1:]) for root in roots] for what in _COMMANDS]


def _run(started: Started, root: Path, folder: str) -> tuple[float, float]:
    # Data of its own for each checkout: the older code could not read a database that the newer one migrated.
    data = Path(folder, f"data-{root.name}")
    env = environment(
        LIKELY_HUMAN_DATA=str(data),
        PYTHONPATH=str(root),
        # Else, where Python may write none beside the source (as in this project's containers), each start compiles it.
        PYTHONDONTWRITEBYTECODE="",
        PYTHONPYCACHEPREFIX=str(Path(folder, "bytecode")),
    )
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command = [sys.executable, "-c", started.code, *started.words]
    subprocess.run(command, env=env, cwd=folder, check=True, capture_output=True)
    seconds, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def starts_text(found: Sequence[Sequence[Start]]) -> str:
    """A row for each start, with its goal. The load is of the minute before the text is made."""
    lines = ["| start | seconds | processor s | goal |", "| --- | --- | --- | --- |"]
    for (one,) in found:
        lines.append(f"| {one.what} | {one.seconds:.2f} | {one.cpu_s:.2f} | {_goal(one.what)} |")
    return "\n".join([*lines, "", _load()])


def beside_text(found: Sequence[Sequence[Start]]) -> str:
    """Processor seconds there and here, and the median, least and largest ratio of a turn."""
    lines = [
        "| start | processor s there | here | here of there | goal |",
        "| --- | --- | --- | --- | --- |",
    ]
    for there, here in found:
        ratios = sorted(mine[1] / other[1] for mine, other in zip(here.turns, there.turns, strict=True))
        ratio = f"{median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})"
        lines.append(f"| {here.what} | {there.cpu_s:.2f} | {here.cpu_s:.2f} | {ratio} | {_goal(here.what)} |")
    return "\n".join([*lines, "", _load()])


def _goal(what: str) -> str:
    goal_s = _COMMANDS[what].goal_s
    return "" if goal_s is None else f"under {goal_s:g}"


def _load() -> str:
    return f"Load of the machine: {os.getloadavg()[0]:.1f}."


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.starts", description=__doc__)
    parser.add_argument("folder", type=Path, help="the other checkout, whose code runs in this environment")
    parser.add_argument("--repeats", type=int, default=5, help="runs of each (5)")
    options = parser.parse_args()
    roots = (options.folder.resolve(), HERE.parent)
    print(beside_text(measure_starts(options.repeats, roots)))


if __name__ == "__main__":
    main()
