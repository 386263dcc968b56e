"""Stopping by precision: how many people it takes, and whether the interval at the stop holds the truth.

`python -m bench.stopping [--simulations 4000]` prints the table and keeps it in bench/stopping.md.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
from scipy.special import expit

from analysis.data.codes import Counts
from analysis.precision import LEVEL, PARTICIPANT_SD, looks_at, student_quantile
from analysis.stats.intervals import Floats
from analysis.stats.student import mean_interval

KEPT = Path(__file__).parent / "stopping.md"
# Numbers of answers: each participant has so many, or from the first to the second alike often, as where ties and
# blanks are none, or a source is in a part of the pairs.
SHARES, ANSWERS = (0.5, 0.65, 0.8, 0.9, 0.95), ((5, 5), (6, 6), (10, 10), (20, 20), (3, 11))
WIDTHS = (0.2, 0.15, 0.1, 0.06)
LEASTS = (10, 20, 30)
MOST = 500
# Of the interval that Results shows: from 50 people on it is a bootstrap's, which takes time.
SHOWN_OF, RESAMPLES = 400, 1_000
Answers = tuple[int, int]


def participants(share: float, answers: Answers, simulations: int, rng: np.random.Generator) -> Floats:
    """Shares of participants in simulated studies, log odds normal over people, with this mean."""
    own = rng.normal(0, PARTICIPANT_SD, (simulations, MOST))
    nodes = np.random.default_rng(0).normal(0, PARTICIPANT_SD, 200_000)
    low, high = -10.0, 10.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if expit(middle + nodes).mean() < share else (low, middle)
    least, most = answers
    # One number is not drawn: the same seed gives the same studies as ever.
    n = np.full(own.shape, least) if least == most else rng.integers(least, most, own.shape, endpoint=True)
    found: Floats = rng.binomial(n, expit(low + own)) / n
    return found


def shown(values: Floats, at: Counts, share: float) -> tuple[float, float]:
    """Coverage and mean width of the interval that Results has of a mean where a study has stopped."""
    held, widths = list[bool](), list[float]()
    for study, last in zip(values[:SHOWN_OF], at[:SHOWN_OF], strict=True):
        found = mean_interval(study[: last + 1], scale="share", seed=1, resamples=RESAMPLES)
        if found.low is not None and found.high is not None:
            held.append(found.low <= share <= found.high)
            widths.append(found.high - found.low)
    return float(np.mean(held)), float(np.mean(widths))


@dataclass(frozen=True, slots=True)
class Stopped:
    """Mean number of people at the stop; how often the interval and that by which it is decided hold the truth; the
    mean error of the share; of each study the place of its last participant, from 0.
    """

    people: float
    held: float
    decided: float
    error: float
    at: Counts


def stopped(values: Floats, answers: float, width: float, at_least: int, share: float) -> Stopped:
    n = np.arange(1, MOST + 1)
    mean = values.cumsum(axis=1) / n
    of_people = np.maximum((values**2).cumsum(axis=1) - n * mean**2, 0) / np.maximum(n - 1, 1)
    quantile = np.array([student_quantile(max(each - 1, 1)) for each in range(1, MOST + 1)])
    reserve = 1 / (answers * n)
    decisive = 2 * quantile * np.sqrt((of_people + reserve) / n)
    stops = (decisive <= width) & (n >= at_least) & np.array([looks_at(each) for each in range(1, MOST + 1)])
    at = np.where(stops.any(axis=1), stops.argmax(axis=1), MOST - 1)
    row = np.arange(len(values))
    off = np.abs(mean[row, at] - share)
    plain = quantile[at] * np.sqrt(of_people[row, at] / n[at])
    held, decided = float((off <= plain).mean()), float((off <= decisive[row, at] / 2).mean())
    return Stopped(float((at + 1).mean()), held, decided, float((mean[row, at] - share).mean()), at)


def _fixed(values: Floats, share: float) -> float:
    """Coverage of Student's interval over all these people."""
    n = values.shape[1]
    half = student_quantile(n - 1) * values.std(axis=1, ddof=1) / np.sqrt(n)
    return float((np.abs(values.mean(axis=1) - share) <= half).mean())


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.stopping", description="Stopping by precision.")
    parser.add_argument("--simulations", type=int, default=4_000, metavar="N", help="of each row (4,000)")
    simulations = parser.parse_args(arguments).simulations
    text = "\n".join(_lines(simulations)) + "\n"
    print(text)
    KEPT.write_text(text)
    return 0


def _lines(simulations: int) -> Iterator[str]:
    yield "# Stopping by precision"
    yield ""
    yield (
        f"`python -m bench.stopping --simulations {simulations}`. Participants' shares over so many answers, log odds "
        f"normal over people with SD {PARTICIPANT_SD:g}; the study stops by the rule of `analysis/precision.py`, "
        f"looking at each participant; *least* is the number before which it is not looked, below it the mean number "
        f"of people at the stop. *Held* is how often Student's {100 * LEVEL:g} % interval at the stop holds the "
        "share, *decided* the same of the interval by which it is decided (a little wider), *error* the mean error of "
        "the share in points; *fixed* is how often Student's interval of 30 people holds it where nothing "
        "stops. *Results* is how often the interval that "
        f"Results has at the stop of the last holds it, over {SHOWN_OF} studies (Student's on the logit scale up to 49 "
        "people, then the bootstrap's), with its mean width in points. By "
        f"chance alone a rate of 95 % varies by {200 * (0.95 * 0.05 / simulations) ** 0.5:.1f} points, that of "
        f"*results* by {200 * (0.95 * 0.05 / SHOWN_OF) ** 0.5:.1f}."
    )
    rates: dict[int, list[float]] = {least: [] for least in LEASTS}
    rows, of_results = list[str](), list[float]()
    for share, answers in product(SHARES, ANSWERS):
        values = participants(share, answers, simulations, np.random.default_rng(1))
        for width in WIDTHS:
            cells = []
            for least in LEASTS:
                found = stopped(values, sum(answers) / 2, width, least, share)
                rates[least].append(found.held)
                cells += [
                    f"{found.people:.0f}",
                    f"{100 * found.held:.1f}",
                    f"{100 * found.decided:.1f}",
                    f"{100 * found.error:+.2f}",
                ]
                if least == LEASTS[-1]:
                    held, wide = shown(values, found.at, share)
                    of_results.append(held)
                    cells += [f"{100 * held:.1f}", f"{100 * wide:.1f}"]
            fixed = f"{100 * _fixed(values[:, :30], share):.1f}"
            least_n, most_n = answers
            n_answers = f"{least_n}" if least_n == most_n else f"{least_n} to {most_n}"
            rows.append(f"| {share:g} | {n_answers} | {100 * width:g} | {fixed} | {' | '.join(cells)} |")
    yield ""
    for least, each in rates.items():
        yield (
            f"- At least {least} participants: the interval holds the share in {100 * min(each):.1f} to "
            f"{100 * max(each):.1f} % of studies, {100 * float(np.mean(each)):.1f} % on average."
        )
    yield (
        f"- The interval of Results at the stop, at least {LEASTS[-1]} participants: it holds the share in "
        f"{100 * min(of_results):.1f} to {100 * max(of_results):.1f} % of studies, "
        f"{100 * float(np.mean(of_results)):.1f} % on average."
    )
    yield ""
    yield (
        "| share | answers | width, points | fixed |"
        + "".join(f" least {least} | held | decided | error |" for least in LEASTS)
        + " results | its width |"
    )
    yield "|---|---|---|---|" + "---|---|---|---|" * len(LEASTS) + "---|---|"
    yield from rows


if __name__ == "__main__":
    sys.exit(main())
