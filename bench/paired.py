"""`python -m bench.paired FOLDER`: an answer's processor time here and in another checkout, by turns in one run.

Both servers run the whole time, so that both meet the same machine; the ratio is of each turn's two numbers.
"""

import argparse
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median

import uvloop

from bench.library import RATED, SLUG, make_library
from bench.likely_human import ANSWERS, RATINGS, LikelyHuman
from bench.servers import HERE, WORK, environment, free_address, serving
from bench.usage import Usage
from bench.walks import walk_at_once

N_PAIRS = 10
TASKS: Mapping[str, tuple[str, Mapping[str, str]]] = {"pairs": (SLUG, ANSWERS), "ratings": (RATED, RATINGS)}


@contextmanager
def served(root: Path, name: str) -> Iterator[Mapping[str, LikelyHuman]]:
    """The studies of both tasks, served by the code in a folder."""
    data, address = WORK / f"paired-{name}", free_address()
    make_library(data, N_PAIRS, width=64, height=64, frames=15)
    words = ["serve", "--host", address.host, "--port", str(address.port)]
    command = [sys.executable, "-c", "from app.cli import main; main()", *words]
    env = environment(LIKELY_HUMAN_DATA=str(data), LIKELY_HUMAN_MAX_STARTS="0")
    with serving(command, address, env, root) as pid:
        file = data / "likely-human.sqlite3"
        yield {task: LikelyHuman(name, address, pid, file, *of) for task, of in TASKS.items()}


def ms_per_answer(site: LikelyHuman, at_once: int, seconds: float) -> float:
    """Processor milliseconds of the server's process for each answer."""
    began = Usage.of(site.pid)
    walks = uvloop.run(walk_at_once(site, at_once, 1, seconds))
    return 1000 * (Usage.of(site.pid).server - began.server) / len(walks.acknowledged)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.paired", description=__doc__)
    parser.add_argument("folder", type=Path, help="the other checkout, whose code runs in this environment")
    parser.add_argument("--at-once", type=int, default=20, help="participants at once (20)")
    parser.add_argument("--seconds", type=float, default=4, help="length of a run (4)")
    parser.add_argument("--repeats", type=int, default=5, help="runs of each (5)")
    options = parser.parse_args()
    roots = {"there": options.folder.resolve(), "here": HERE.parent}
    with ExitStack() as stack:
        sites = {name: stack.enter_context(served(root, name)) for name, root in roots.items()}
        for task in TASKS:
            for name in roots:
                ms_per_answer(sites[name][task], options.at_once, 6)  # the first pages are made
            turns = [
                [ms_per_answer(sites[name][task], options.at_once, options.seconds) for name in roots]
                for _ in range(options.repeats)
            ]
            there, here = (median(turn[at] for turn in turns) for at in (0, 1))
            ratios = sorted(turn[1] / turn[0] for turn in turns)
            print(
                f"{task}, {options.at_once} at once: {there:.2f} ms an answer there, {here:.2f} here; "
                f"ratio {median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f}, {len(turns)} turns)",
                flush=True,
            )


if __name__ == "__main__":
    main()
