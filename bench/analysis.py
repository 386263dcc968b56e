"""Benchmark the whole analysis of a table of responses against the same work in a notebook, DuckDB and Polars.

Each measurement is a process of its own: it does its work on a small table first, so that every library is loaded when
the clock starts, then on the table in question. The work of pandas, DuckDB and Polars is four things: accuracy per
participant and condition, two Mann-Whitney tests, and the majority of each pair. Their numbers must equal ours.
"""

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from statistics import median
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.compute as pc
from scipy import stats

from analysis import accuracy_per_participant, analyze, describe, read_responses
from analysis.data.columns import ANALYZED_COLUMNS
from app.core.database import Database
from app.reports.frames import responses_frame
from bench import crowd, crowd_sql, crowd_table
from bench.client import Broken
from bench.servers import HERE, WORK, environment
from bench.usage import Usage

SIZES = (100_000, 1_000_000, 10_000_000)
SQL_SIZES = (100_000, 1_000_000)
WARM_UP = 1_000
GOAL_S, GOAL_MB, GOAL_RATIO, GOAL_BOOTSTRAP_S = 30, 2_000, 10, 1
OURS, NOTEBOOK, FLOOR, POLARS, SQL = "Likely Human", "pandas", "DuckDB", "Polars", "SQLite read"
RESAMPLES = 10_000

_COUNTS = "mode = 'live' AND kind = 'main' AND excluded IS NULL"
_NEEDED = (
    "study", "participant", "condition", "pair", "mode", "kind", "excluded", "truth", "choice", "correct",
    "uncertainty",
)  # fmt: skip

Numbers = dict[str, float]


@dataclass(frozen=True, slots=True)
class Run:
    """`parts` are the seconds of its steps; `peak_mb` is of the whole process, libraries and all."""

    seconds: float
    cpu_s: float
    peak_mb: float
    other_cores: float
    parts: dict[str, float]


@dataclass(frozen=True, slots=True)
class Work:
    """The repeated runs of one kind of work on so many responses."""

    what: str
    responses: int
    runs: Sequence[Run]

    @property
    def seconds(self) -> float:
        return median(run.seconds for run in self.runs)

    @property
    def peak_mb(self) -> float:
        return median(run.peak_mb for run in self.runs)

    def part(self, name: str) -> float:
        return median(run.parts[name] for run in self.runs)


def measure_analysis(repeats: int, sizes: Sequence[int] = SIZES) -> list[Work]:
    """Measure each size, the four kinds of work in turn; then the read from SQL, and the bootstrap."""
    small = _table(WARM_UP)
    found: list[Work] = []
    for n in sizes:
        path = _table(n)
        kinds = (OURS, NOTEBOOK, FLOOR, POLARS)
        runs: dict[str, list[Run]] = {kind: [] for kind in kinds}
        for repeat in range(1, repeats + 1):
            said = {kind: _in_a_process(kind, str(small), str(path)) for kind in kinds}
            for kind, (run, numbers) in said.items():
                runs[kind].append(run)
                if numbers != said[OURS][1]:
                    raise Broken(f"{kind} and Likely Human do not agree: {numbers}, {said[OURS][1]}")
            times = ", ".join(f"{kind} {run.seconds:.2f} s" for kind, (run, _) in said.items())
            print(f"{n:,} responses, {repeat} of {repeats}: {times}", file=sys.stderr)
        found += [Work(kind, n, runs[kind]) for kind in kinds]
    for n in SQL_SIZES:
        if n in sizes:
            found.append(_from_sql(n, repeats))
    return [*found, _bootstrap(repeats)]


def analysis_text(found: Sequence[Work]) -> str:
    lines = [
        "| responses | work | seconds | of which reading | processor s | peak MB | times DuckDB |",
        f"|{' --- |' * 7}",
    ]
    floors = {work.responses: work.seconds for work in found if work.what == FLOOR}
    tables = [work for work in found if work.what != "bootstrap"]
    for work in tables:
        floor = floors[work.responses] if work.what in (OURS, NOTEBOOK, POLARS) else None
        cells = (
            f"{work.responses:,}",
            work.what,
            f"{work.seconds:.2f}",
            f"{work.part('read'):.2f}" if work.what in (OURS, SQL) else "",
            f"{median(run.cpu_s for run in work.runs):.2f}",
            f"{work.peak_mb:,.0f}",
            f"{work.seconds / floor:.1f}" if floor else "",
        )
        lines.append(f"| {' | '.join(cells)} |")
    ours = sorted((work for work in tables if work.what == OURS), key=lambda work: work.responses)
    return "\n".join([*lines, "", *_goals(ours, floors), *_bootstrap_lines(found), *_noise(found)])


def _goals(ours: Sequence[Work], floors: dict[int, float]) -> list[str]:
    largest = ours[-1]
    ratio = largest.seconds / floors[largest.responses]
    lines = [
        f"{largest.responses:,} responses: {largest.seconds:.1f} s and {largest.peak_mb:,.0f} MB, {ratio:.1f} times "
        f"DuckDB (goals at 10 million: under {GOAL_S} s and {GOAL_MB:,} MB, at most {GOAL_RATIO} times)."
    ]
    lines += [
        f"From {one.responses:,} to {two.responses:,}: {two.seconds / one.seconds:.1f} times as long "
        f"(goal: at most {two.responses / one.responses:.0f})."
        for one, two in pairwise(ours)
    ]
    return lines


def _bootstrap_lines(found: Sequence[Work]) -> list[str]:
    [work] = [work for work in found if work.what == "bootstrap"]
    return [
        f"Bootstrap of {RESAMPLES:,} resamples over 60 participants x 10 trials: {work.part('bootstrap'):.3f} s "
        f"(goal: under {GOAL_BOOTSTRAP_S}); the whole analysis of them with every interval: {work.part('all'):.1f} s."
    ]


def _noise(found: Sequence[Work]) -> list[str]:
    cores = max(run.other_cores for work in found for run in work.runs)
    return [f"NOT QUIET: something else had up to {cores:.1f} cores meanwhile."] if cores > 0.1 else []


def _table(n_rows: int) -> Path:
    """The table of a size; made once for each state of the module that makes it."""
    path = WORK / f"crowd-{n_rows}-{_state_of(crowd_table)}.parquet"
    if not path.exists():
        WORK.mkdir(exist_ok=True)
        print(f"Writing {n_rows:,} responses ...", file=sys.stderr)
        crowd_table.write_crowd(path, n_rows)
    return path


def _state_of(*modules: ModuleType) -> str:
    return sha256(b"".join(Path(str(module.__file__)).read_bytes() for module in modules)).hexdigest()[:8]


def _from_sql(n: int, repeats: int) -> Work:
    small, path = str(_database(WARM_UP)), str(_database(n))
    runs = [_in_a_process(SQL, small, path) for _ in range(repeats)]
    return Work(SQL, round(runs[0][1]["responses"]), [run for run, _ in runs])


def _database(n_responses: int) -> Path:
    path = WORK / f"crowd-{n_responses}-{_state_of(crowd_sql, crowd)}.sqlite3"
    if not path.exists():
        print(f"Filling SQLite with {n_responses:,} responses ...", file=sys.stderr)
        crowd_sql.fill_database(path, n_responses)
    return path


def _bootstrap(repeats: int) -> Work:
    path = str(_table(600))
    return Work("bootstrap", 600, [_in_a_process("bootstrap", path, path)[0] for _ in range(repeats)])


def _in_a_process(kind: str, small: str, path: str) -> tuple[Run, Numbers]:
    before, mine = Usage.of(os.getpid()), resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "bench.analysis", kind, small, path]
    done = subprocess.run(command, capture_output=True, text=True, cwd=HERE.parent, env=environment())
    if done.returncode:
        raise Broken(f"{kind}: {(done.stderr.strip().splitlines() or [''])[-1]}")
    after, theirs = Usage.of(os.getpid()), resource.getrusage(resource.RUSAGE_CHILDREN)
    child_s = theirs.ru_utime + theirs.ru_stime - mine.ru_utime - mine.ru_stime
    others_s = after.machine - before.machine - child_s - (after.client - before.client)
    said = json.loads(done.stdout)
    other_cores = round(max(others_s, 0.0) / (after.now - before.now), 2)
    return Run(**said["run"], other_cores=other_cores), said["numbers"]


def one_work(kind: str, small: str, path: str) -> dict[str, Any]:
    """Runs in the process: warm up, then work with the clock running."""
    work = _WORKS[kind]
    work(small)
    began, worked = time.perf_counter(), time.process_time()
    numbers, parts = work(path)
    seconds, cpu_s = time.perf_counter() - began, time.process_time() - worked
    run = {"seconds": seconds, "cpu_s": cpu_s, "peak_mb": _peak_mb(), "parts": parts}
    return {"run": run, "numbers": numbers}


def _peak_mb() -> float:
    """Peak memory in MB; not by getrusage, which includes that of the process that started this one."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) * 1024 / 1e6
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


def _ours(path: str) -> tuple[Numbers, dict[str, float]]:
    began = time.perf_counter()
    responses = read_responses(path, ANALYZED_COLUMNS)
    read = time.perf_counter()
    result = analyze(responses, resamples=0)
    accuracy, uncertainty = (comparison.test.u1 for comparison in result.comparisons[:2])
    majority_a = int((result.labels["majority"] == "a").sum())
    numbers = {"accuracy": accuracy or 0.0, "uncertainty": uncertainty or 0.0, "majority_a": majority_a}
    return numbers, {"read": read - began, "analyze": time.perf_counter() - read}


def _notebook(path: str) -> tuple[Numbers, dict[str, float]]:
    table = pd.read_parquet(path, columns=list(_NEEDED))
    table = table[(table["mode"] == "live") & (table["kind"] == "main") & table["excluded"].isna()]
    table["correct"] = table["correct"].astype(float)
    table.groupby(["study", "participant", "condition"])["correct"].mean()
    accuracy = table.groupby(["study", "participant"])["correct"].mean().reset_index()
    judged = table[table["truth"].notna()]
    uncertainty = judged.groupby(["study", "participant"])["uncertainty"].mean().reset_index()
    votes = table.groupby(["study", "pair"])["choice"].value_counts().unstack(fill_value=0)
    return {
        "accuracy": _u(_is_first(accuracy), accuracy["correct"].to_numpy(dtype=float)),
        "uncertainty": _u(_is_first(uncertainty), uncertainty["uncertainty"].to_numpy(dtype=float)),
        "majority_a": int((votes["a"] > votes["b"]).sum()),
    }, {}


def _is_first(people: pd.DataFrame) -> np.ndarray:
    return (people["study"] == "crowd-1").to_numpy()


def _floor(path: str) -> tuple[Numbers, dict[str, float]]:
    # Imported here: it is there for measuring and for tests alone.
    import duckdb

    table = duckdb.connect().from_parquet(path).filter(_COUNTS)
    # As Arrow, not as Python's texts: making those would take longer than the counting.
    table.aggregate("study, participant, condition, avg(correct::INT)").to_arrow_table()
    people = table.aggregate(
        "study, participant, avg(correct::INT) AS accuracy, "
        "avg(uncertainty) FILTER (truth IS NOT NULL) AS uncertainty"
    ).to_arrow_table()
    votes = table.aggregate(
        "study, pair, count(*) FILTER (choice = 'a') AS a, count(*) FILTER (choice = 'b') AS b"
    ).to_arrow_table()
    is_first = pc.equal(people["study"], "crowd-1").to_numpy()
    return {
        "accuracy": _u(is_first, people["accuracy"].to_numpy()),
        "uncertainty": _u(is_first, people["uncertainty"].to_numpy()),
        "majority_a": pc.sum(pc.greater(votes["a"], votes["b"])).as_py(),
    }, {}


def _polars(path: str) -> tuple[Numbers, dict[str, float]]:
    # Imported here, as above.
    import polars as pl

    counts = (pl.col("mode") == "live") & (pl.col("kind") == "main") & pl.col("excluded").is_null()
    table = pl.scan_parquet(path).select(_NEEDED).filter(counts)
    judged = pl.col("uncertainty").filter(pl.col("truth").is_not_null())
    _, people, votes = pl.collect_all(
        [
            table.group_by("study", "participant", "condition").agg(pl.col("correct").mean()),
            table.group_by("study", "participant").agg(pl.col("correct").mean(), judged.mean()),
            table.group_by("study", "pair").agg(
                a=(pl.col("choice") == "a").sum(), b=(pl.col("choice") == "b").sum()
            ),
        ]
    )
    is_first = (people["study"] == "crowd-1").to_numpy()
    return {
        "accuracy": _u(is_first, people["correct"].cast(pl.Float64).to_numpy()),
        "uncertainty": _u(is_first, people["uncertainty"].cast(pl.Float64).to_numpy()),
        "majority_a": int((votes["a"] > votes["b"]).sum()),
    }, {}


def _u(is_first: np.ndarray, values: np.ndarray) -> float:
    """The first study's U statistic, of a test that also computes its p value; NaN is a missing value."""
    present = ~np.isnan(values)
    return float(stats.mannwhitneyu(values[is_first & present], values[~is_first & present]).statistic)


def _read_sql(path: str) -> tuple[Numbers, dict[str, float]]:
    began = time.perf_counter()
    database = Database(crowd_sql.database_url(Path(path)))
    with database.reading() as session:
        responses = responses_frame(session, crowd.SLUG, ANALYZED_COLUMNS)
    database.close()
    return {"responses": len(responses)}, {"read": time.perf_counter() - began}


def _bootstrapped(path: str) -> tuple[Numbers, dict[str, float]]:
    responses = read_responses(path)
    began = time.perf_counter()
    describe(accuracy_per_participant(responses)["accuracy"], resamples=RESAMPLES)
    done = time.perf_counter()
    analyze(responses, resamples=RESAMPLES)
    return {}, {"bootstrap": done - began, "all": time.perf_counter() - done}


_WORKS: dict[str, Callable[[str], tuple[Numbers, dict[str, float]]]] = {
    OURS: _ours,
    NOTEBOOK: _notebook,
    FLOOR: _floor,
    POLARS: _polars,
    SQL: _read_sql,
    "bootstrap": _bootstrapped,
}


def as_json(found: Sequence[Work]) -> list[dict[str, Any]]:
    return [{**asdict(work), "seconds": work.seconds, "peak_mb": work.peak_mb} for work in found]


if __name__ == "__main__":
    print(json.dumps(one_work(*sys.argv[1:])))
