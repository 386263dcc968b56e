"""Stopping by the precision of mean scores: people at the stop, and whether the interval there holds the truth.

`python -m bench.stopping_scores [--simulations 4000]` prints the table and keeps it in bench/stopping_scores.md.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

import numpy as np
from scipy.stats import norm

from analysis.precision import LEVEL, student_quantile
from analysis.stats.intervals import Floats
from bench.stopping import ANSWERS, LEASTS, MOST, WIDTHS, Answers, stopped

KEPT = Path(__file__).parent / "stopping_scores.md"
POINTS = 5
# Where scores lie before they are rounded and cut to the scale: in its middle, skewed, and nearly all at its end.
CENTRES, PERSON_SD, ANSWER_SD = (3.0, 4.2, 5.0), 0.5, 1.0
PEOPLE = (10, 11, 20, 21, 30, 31)


def true_mean(centre: float) -> float:
    """The mean score from 0, the lowest, to 1, the highest."""
    steps = np.arange(1.5, POINTS)
    above = norm.sf((steps - centre) / np.hypot(PERSON_SD, ANSWER_SD))
    return float(above.sum()) / (POINTS - 1)


def mean_scores(centre: float, answers: Answers, simulations: int, rng: np.random.Generator) -> Floats:
    """Participants' mean scores in simulated studies, from 0, the lowest, to 1, the highest."""
    own = rng.normal(centre, PERSON_SD, (simulations, MOST)).astype(np.float32)
    least, most = answers
    n = rng.integers(least, most, own.shape, endpoint=True)
    total = np.zeros(own.shape)
    for at in range(most):
        drawn = own + ANSWER_SD * rng.standard_normal(own.shape, dtype=np.float32)
        total += np.where(at < n, np.clip(np.rint(drawn), 1, POINTS) - 1, 0)
    found: Floats = total / (n * (POINTS - 1))
    return found


def fixed(values: Floats, truth: float, n: int) -> float:
    """Coverage of Student's interval over the first n people; where all are alike it has no width."""
    each = values[:, :n]
    half = student_quantile(n - 1) * each.std(axis=1, ddof=1) / np.sqrt(n)
    return float((np.abs(each.mean(axis=1) - truth) <= half).mean())


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.stopping_scores", description="Stopping by scores."
    )
    parser.add_argument("--simulations", type=int, default=4_000, metavar="N", help="of each row (4,000)")
    simulations = parser.parse_args(arguments).simulations
    text = "\n".join(_lines(simulations)) + "\n"
    print(text)
    KEPT.write_text(text)
    return 0


def _lines(simulations: int) -> Iterator[str]:
    rates: dict[int, list[float]] = {least: [] for least in LEASTS}
    of_fixed: dict[int, list[float]] = {n: [] for n in PEOPLE}
    rows = list[str]()
    for centre, answers in product(CENTRES, ANSWERS):
        values = mean_scores(centre, answers, simulations, np.random.default_rng(1))
        truth = true_mean(centre)
        for n in PEOPLE:
            of_fixed[n].append(fixed(values, truth, n))
        for width in WIDTHS:
            cells = []
            for least in LEASTS:
                found = stopped(values, sum(answers) / 2, width, least, truth)
                rates[least].append(found.held)
                error = (POINTS - 1) * found.error
                cells += [
                    f"{found.people:.0f}",
                    f"{100 * found.held:.1f}",
                    f"{100 * found.decided:.1f}",
                    f"{error:+.3f}",
                ]
            n_answers = f"{answers[0]}" if answers[0] == answers[1] else f"{answers[0]} to {answers[1]}"
            mean = 1 + (POINTS - 1) * truth
            rows.append(f"| {mean:.2f} | {n_answers} | {(POINTS - 1) * width:g} | {' | '.join(cells)} |")
    yield "# Stopping by the precision of mean scores"
    yield ""
    yield (
        f"`python -m bench.stopping_scores --simulations {simulations}`. Participants' mean scores on a scale of "
        f"{POINTS} points: a person's own level (SD {PERSON_SD:g}) and an answer's (SD {ANSWER_SD:g}) about a centre "
        f"of {', '.join(f'{each:g}' for each in CENTRES)}, rounded and cut to the scale, so that the second is skewed "
        "and the third nearly all at its end. The items are those of the study: nothing is said of others. The study "
        "stops by the rule of `analysis/precision.py`, looking at each participant; *least* is the number before which "
        "it is not looked, below it the mean number of people at the stop. *Held* is how often Student's "
        f"{100 * LEVEL:g} % interval at the stop holds the mean score, *decided* the same of the interval by which it "
        "is decided (a little wider), *error* the mean error in points of the scale, as are *mean* and *width*. By "
        f"chance alone a rate of 95 % varies by {200 * (0.95 * 0.05 / simulations) ** 0.5:.1f} points."
    )
    yield ""
    for least, each in rates.items():
        yield (
            f"- At least {least} participants: the interval holds the mean score in {100 * min(each):.1f} to "
            f"{100 * max(each):.1f} % of studies, {100 * float(np.mean(each)):.1f} % on average."
        )
    held = (f"{n} {100 * min(of_fixed[n]):.1f} to {100 * max(of_fixed[n]):.1f}" for n in PEOPLE)
    yield f"- Where nothing stops, Student's interval over so many people holds it in, %: {'; '.join(held)}."
    yield ""
    yield (
        "| mean | answers | width |"
        + "".join(f" least {least} | held | decided | error |" for least in LEASTS)
    )
    yield "|---|---|---|" + "---|---|---|---|" * len(LEASTS)
    yield from rows


if __name__ == "__main__":
    sys.exit(main())
