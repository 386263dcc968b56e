"""`python -m bench.hot_path`: where the milliseconds of an answer go, for both tasks, as a table in Markdown."""

import argparse
import json
import os
import signal
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import uvloop

from bench.library import RATED, SLUG, make_library
from bench.likely_human import ANSWERS, RATINGS, LikelyHuman
from bench.servers import WORK, environment, free_address, serving
from bench.usage import Usage
from bench.walks import walk_at_once

N_PAIRS = 10
WARM_UP_S = 4
TASKS: Mapping[str, tuple[str, Mapping[str, str]]] = {"pairs": (SLUG, ANSWERS), "ratings": (RATED, RATINGS)}


def measure(task: str, at_once: int, seconds: float) -> tuple[float, dict[str, dict[str, float]]]:
    """Server milliseconds an answer, and those of each part by method; entering and leaving are "other"."""
    data, out = WORK / "hot-path", WORK / "samples.json"
    make_library(data, N_PAIRS, width=64, height=64, frames=15)
    address = free_address()
    words = ["serve", "--host", address.host, "--port", str(address.port)]
    command = [sys.executable, "-m", "bench.sampled", str(out), *words]
    env = environment(LIKELY_HUMAN_DATA=str(data), LIKELY_HUMAN_MAX_STARTS="0")
    slug, answers = TASKS[task]
    with serving(command, address, env) as pid:
        site = LikelyHuman("Likely Human", address, pid, data / "likely-human.sqlite3", slug, answers)
        # The first pages are made and the statements compiled before the samples begin.
        uvloop.run(walk_at_once(site, at_once, 1, WARM_UP_S))
        os.kill(pid, signal.SIGUSR1)
        began = Usage.of(pid)
        walks = uvloop.run(walk_at_once(site, at_once, 1, seconds))
        ended = Usage.of(pid)
    whole = 1000 * (ended.server - began.server) / len(walks.acknowledged)
    samples: Mapping[str, int] = json.loads(Path(out).read_text())
    total = sum(samples.values())
    found: dict[str, dict[str, float]] = {}
    for key, n in samples.items():
        method, _, part = key.partition("|")
        by = found.setdefault(part, {})
        by[method] = by.get(method, 0.0) + n / total * whole
    return whole, found


def table(whole: float, parts: Mapping[str, Mapping[str, float]], least: float = 0.01) -> str:
    """A row for each part, the largest first; parts below `least` ms are in the last row."""
    columns = ("POST", "GET", "other", "")
    lines = [
        "| ms an answer | POST | GET | entering, leaving | no request | all |",
        "|---|---|---|---|---|---|",
    ]
    rest = Counter[str]()
    for part, by in sorted(parts.items(), key=lambda one: -sum(one[1].values())):
        if sum(by.values()) < least:
            rest.update(by)
            continue
        cells = [f"{by.get(column, 0):.2f}" for column in columns]
        lines.append(f"| {part} | {' | '.join(cells)} | {sum(by.values()):.2f} |")
    cells = [f"{sum(by.get(column, 0) for by in parts.values()):.2f}" for column in columns]
    lines.append(f"| less than {least} each | | | | | {sum(rest.values()):.2f} |")
    lines.append(f"| all | {' | '.join(cells)} | {whole:.2f} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.hot_path", description=__doc__)
    parser.add_argument("--at-once", type=int, default=20, help="participants at once (20)")
    parser.add_argument("--seconds", type=float, default=10, help="length of a run (10)")
    options = parser.parse_args()
    for task in TASKS:
        print(
            f"\n{task}, {options.at_once} at once\n\n{table(*measure(task, options.at_once, options.seconds))}",
            flush=True,
        )


if __name__ == "__main__":
    main()
