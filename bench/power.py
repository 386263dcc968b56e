"""Checks of the power analysis: its tests under the null hypothesis, and at published sample sizes.

`python -m bench.power [--simulations 10000]` prints the tables and keeps them in bench/power.md.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import Progress

from analysis.planning import plan
from analysis.stats.estimates import Estimate

KEPT = Path(__file__).parent / "power.md"

# What is simulated with no difference: words and settings. Accuracy is 0.8 unless said otherwise.
NOTHING_THERE: dict[str, dict[str, Any]] = {
    "30 a group, 6 trials": {},
    "30 a group, 6 trials, accuracy 0.5": {"share_from": 0.5},
    "30 a group, 6 trials, accuracy 0.95": {"share_from": 0.95},
    "10 a group, 6 trials": {"participants": 10},
    "100 a group, 20 trials": {"participants": 100, "trials": 20},
    "30 a group, 6 of 20 pairs": {"pairs": 20},
    "30 a group, 6 trials, no effects": {"participant_sd": 0.0, "pair_sd": 0.0},
    "30 a group, 6 trials, SDs 1 and 1": {"participant_sd": 1.0, "pair_sd": 1.0},
    "30 a group, 6 pairs of their own": {"own_pairs": True},
    "30 a group, 20 pairs of their own": {"own_pairs": True, "trials": 20},
    "30 a group, 6 pairs of their own, SDs 1 and 1": {
        "own_pairs": True,
        "participant_sd": 1.0,
        "pair_sd": 1.0,
    },
    "30 within, 6 trials, the same pairs": {"design": "within", "own_pairs": False},
    "30 within, 6 pairs of each condition": {"design": "within"},
    "10 within, 20 pairs of each condition": {"design": "within", "participants": 10, "trials": 20},
}

# Cohen (1992), table 2, row 5: alpha, effect size h, n of each group for power .80 of two proportions.
COHEN = (
    *((0.01, 0.2, 584), (0.01, 0.5, 93), (0.01, 0.8, 36)),
    *((0.05, 0.2, 392), (0.05, 0.5, 63), (0.05, 0.8, 25)),
    *((0.10, 0.2, 309), (0.10, 0.5, 49), (0.10, 0.8, 19)),
)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.power", description="What plans find.")
    parser.add_argument("--simulations", type=int, default=10_000, metavar="N", help="of each row (10,000)")
    simulations = parser.parse_args(arguments).simulations
    lines = ["# Plans: what they find", ""]
    with Progress(console=Console(stderr=True)) as bar:
        task = bar.add_task("Simulating", total=len(NOTHING_THERE) + len(COHEN))
        for line in _lines(simulations):
            lines.append(line)
            bar.advance(task, line.startswith("| ") and not line.startswith("| design"))
    text = "\n".join(lines) + "\n"
    print(text)
    KEPT.write_text(text, encoding="utf-8")
    return 0


def _lines(simulations: int) -> Iterator[str]:
    yield f"{simulations:,} simulated studies a row (`python -m bench.power`); 95% Wilson intervals."
    yield ""
    yield "No difference, tests two-sided at 0.05; SD of participants 0.5 and of pairs 0.3 log odds unless said."
    yield ""
    yield "| design | rank test | mixed model |"
    yield "|---|---|---|"
    for words, settings in NOTHING_THERE.items():
        share = settings.get("share_from", 0.8)
        asked: dict[str, Any] = {"participants": 30, "trials": 6, "share_from": share, "share_to": share}
        tests = plan(**(asked | settings), simulations=simulations).tests
        yield f"| {words} | {' | '.join(_words(test.power) for test in tests)} |"
    yield ""
    yield "Power at the n of each group that Cohen (1992, table 2, row 5) gives for 0.80; one trial, no effects."
    yield ""
    yield "| design: alpha, h, n | from 0.5 up | evenly about 0.5 |"
    yield "|---|---|---|"
    for alpha, h, n in COHEN:
        places = [(np.pi / 2, np.pi / 2 + h), ((np.pi - h) / 2, (np.pi + h) / 2)]
        found = [_proportions(*place, alpha, n, simulations) for place in places]
        yield f"| {alpha:g}, {h:g}, {n} | {' | '.join(map(_words, found))} |"


def _proportions(low: float, high: float, alpha: float, n: int, simulations: int) -> Estimate | None:
    planned = plan(
        share_from=float(np.sin(low / 2) ** 2),
        share_to=float(np.sin(high / 2) ** 2),
        participants=n,
        trials=1,
        alpha=alpha,
        participant_sd=0.0,
        pair_sd=0.0,
        test="mann-whitney",
        simulations=simulations,
    )
    return planned.tests[0].power


def _words(found: Estimate | None) -> str:
    if found is None or found.value is None:
        return "-"
    return f"{found.value:.3f} [{found.interval.low:.3f}, {found.interval.high:.3f}]"


if __name__ == "__main__":
    sys.exit(main())
