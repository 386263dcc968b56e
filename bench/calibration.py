"""Do tests reject a true null hypothesis in 5% of cases, and do intervals hold the truth in 95%? By simulation.

`python -m bench.calibration [--seeds 10000] [--cases a,b]` prints the table and keeps it in bench/calibration.md.
"""

import argparse
import shlex
import sys
import time
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from analysis.stats.intervals import wilson
from bench import (
    calibration_answers,
    calibration_ceiling,
    calibration_choices,
    calibration_clues,
    calibration_detection,
    calibration_games,
    calibration_item_judges,
    calibration_judges,
    calibration_logging,
    calibration_paired,
    calibration_pairs,
    calibration_people,
    calibration_raters,
    calibration_ratings,
    calibration_signatures,
    calibration_trained,
)
from bench.calibration_case import RESAMPLES, SEEDS, Case, Goal, Hit
from bench.calibration_labels import DESIGN, reliability, reliability_text

KEPT = Path(__file__).parent / "calibration.md"

CASES: tuple[Case, ...] = (
    *calibration_people.CASES,
    *calibration_answers.CASES,
    *calibration_pairs.CASES,
    *calibration_judges.CASES,
    *calibration_ceiling.CASES,
    *calibration_detection.CASES,
    *calibration_paired.CASES,
    *calibration_games.CASES,
    *calibration_ratings.CASES,
    *calibration_signatures.CASES,
    *calibration_clues.CASES,
    *calibration_raters.CASES,
    *calibration_item_judges.CASES,
    *calibration_trained.CASES,
    *calibration_choices.CASES,
)

# How far a rate may be off before it is called off: a test's above 0.06, an interval's below 0.90.
_MOST_ERROR, _LEAST_COVERAGE = 0.06, 0.90
_CAUTIOUS_ERROR, _CAUTIOUS_COVERAGE = 0.04, 0.97
# Studies of each kind from which labels are taken.
_LABELLED = 3

OnProgress = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True)
class Row:
    """A test or an interval in one design: over `n` of `seeds` data sets (the others gave no p value or interval) the
    rate of rejections or of intervals that held the truth, and its own 95% interval (Wilson's)."""

    case: str
    goal: Goal
    design: str
    seeds: int
    n: int
    rate: float | None
    low: float | None
    high: float | None

    @property
    def is_off(self) -> bool:
        """True if the rate is worse than the goal allows, beyond the uncertainty of the seeds, unless the row is there
        to show it.
        """
        return self._fails and not self.goal.shows

    @property
    def _fails(self) -> bool:
        if self.rate is None or self.low is None or self.high is None:
            return False
        if self.goal.is_test:
            return self.rate > _MOST_ERROR and self.low > self.goal.nominal
        return self.rate < _LEAST_COVERAGE and self.high < self.goal.nominal

    @property
    def verdict(self) -> str:
        """The rate in words."""
        if self.rate is None:
            return "none is given: too few" if not self.goal.known else f"none is given: {self.goal.known}"
        words = self._words(self.rate)
        if self.n < self.seeds:
            words += f"; none in {self.seeds - self.n:,} of {self.seeds:,}"
        return f"{words} ({self.goal.known})" if self.goal.known else words

    def _words(self, rate: float) -> str:
        if self._fails:
            what = "rejects too often" if self.goal.is_test else "too narrow"
            return f"{what}, as the row is there to show" if self.goal.shows else f"OFF: {what}"
        assert self.low is not None
        assert self.high is not None
        if self.goal.is_test:
            if rate < _CAUTIOUS_ERROR and self.high < self.goal.nominal:
                return "holds, cautious"
            return "holds" if self.low <= self.goal.nominal else "a little too often"
        if rate > _CAUTIOUS_COVERAGE and self.low > self.goal.nominal:
            return "holds, wide"
        return "holds" if self.high >= self.goal.nominal else "a little narrow"


def measure_calibration(
    seeds: int, on_progress: OnProgress | None = None, cases: Iterable[Case] = CASES
) -> list[Row]:
    """Draw every case with seeds 1, 2, ..., at most `seeds` and at most what the case allows.

    Each data set depends on the case's name and its seed alone. `on_progress` is called with seeds done, all seeds and
    the case's name."""
    cases = list(cases)
    total, done = sum(min(seeds, case.most) for case in cases), 0
    rows = []
    for case in cases:
        number = min(seeds, case.most)
        hits = []
        for seed in range(1, number + 1):
            if on_progress and seed % 10 == 1:
                on_progress(done + seed - 1, total, case.key)
            rng = np.random.default_rng([zlib.crc32(case.key.encode()), seed])
            hits.append(case.simulate(rng, seed))
        done += number
        rows += [_row(case, goal, [each[place] for each in hits]) for place, goal in enumerate(case.goals)]
    if on_progress:
        on_progress(total, total, "")
    return rows


def _row(case: Case, goal: Goal, hits: Sequence[Hit]) -> Row:
    known = [hit for hit in hits if hit is not None]
    n = len(known)
    if not n:
        return Row(case.key, goal, case.design, len(hits), 0, None, None, None)
    low, high = wilson(np.array([sum(known)]), np.array([n]))
    return Row(case.key, goal, case.design, len(hits), n, sum(known) / n, float(low[0]), float(high[0]))


def calibration_text(rows: Sequence[Row]) -> str:
    """The rows as two Markdown tables, tests and intervals, under a line that counts them."""
    off = sum(row.is_off for row in rows)
    tests, intervals = ([row for row in rows if row.goal.is_test is kind] for kind in (True, False))
    parts = [
        f"{len(rows)} rows, {off} of them OFF (a test above {_MOST_ERROR:g}, an interval below {_LEAST_COVERAGE:g})."
    ]
    for title, some in (
        ("Tests where nothing is there to find: how often p is at most 0.05", tests),
        ("95% intervals: how often they hold the truth", intervals),
    ):
        if some:
            parts += [f"### {title}", _table(some)]
    return "\n\n".join(parts)


def _table(rows: Sequence[Row]) -> str:
    lines = [
        "| what | simulated design | nominal | seeds | rate | 95% of the rate | verdict | case |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        rate, spread = "", ""
        if row.rate is not None:
            rate, spread = f"{row.rate:.4f}", f"{row.low:.4f} to {row.high:.4f}"
        cells = (
            row.goal.what,
            row.design,
            f"{row.goal.nominal:.2f}",
            f"{row.seeds:,}",
            rate,
            spread,
            row.verdict,
            f"`{row.case}`",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def labels_text(studies: int) -> str:
    """The reliability of labels from few votes, under a heading."""
    found = reliability(studies)
    return (
        "### Labels from five votes a pair: how often they are right\n\n"
        f"{DESIGN}; {studies} studies of each. EM takes votes on a pair as independent (Dawid and Skene, one coin).\n\n"
        f"{reliability_text(found)}"
    )


def ceilings_text() -> str:
    """The human ceiling by number of votes, under a heading."""
    return (
        "### The human ceiling by number of votes\n\n"
        f"{calibration_ceiling.DESIGN}.\n\n{calibration_ceiling.ceilings_text()}"
    )


def logged_text() -> str:
    """The accuracy of a judge that learns only how positions were logged, as Markdown under a heading."""
    return (
        "### How positions were logged: the same walker under both labels\n\n"
        f"{calibration_logging.DESIGN}.\n\n{calibration_logging.logging_text()}"
    )


def kept_text(
    rows: Sequence[Row], command: str, seeds: int, seconds: float, now: datetime, labels: str = ""
) -> str:
    """The whole of bench/calibration.md."""
    return (
        "# Calibration\n\n"
        f"`{command}`, {now:%Y-%m-%d %H:%M} UTC, {seconds:,.0f} s on one core shared with other work. "
        f"{seeds:,} seeds, fewer where one takes long (the column says how many); bootstraps inside have "
        f"{RESAMPLES:,} resamples. The same seeds give the same table.\n\n"
        f"{calibration_text(rows)}\n" + (f"\n{labels}\n" if labels else "")
    )


def main(arguments: Sequence[str]) -> int:
    options = _parser().parse_args(arguments)
    cases = [case for case in CASES if options.cases is None or case.key in options.cases]
    command = f"python -m bench.calibration {shlex.join(arguments)}".strip()
    started_s = time.perf_counter()
    columns = (
        TextColumn("calibration"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[case]}"),
    )
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("", total=None, case="")
        rows = measure_calibration(
            options.seeds,
            lambda done, total, case: bar.update(task, completed=done, total=total, case=case),
            cases,
        )
    labels = ""
    if options.cases is None:
        tables = labels_text(min(options.seeds, _LABELLED)), ceilings_text(), logged_text()
        labels = "\n\n".join(tables)
    text = kept_text(rows, command, options.seeds, time.perf_counter() - started_s, datetime.now(UTC), labels)
    print(text, end="")
    options.out.write_text(text, encoding="utf-8")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.calibration", description="Type I error and coverage."
    )
    parser.add_argument(
        "--seeds", type=_positive, default=SEEDS, metavar="N", help="data sets of a case (10000)"
    )
    parser.add_argument("--cases", type=_cases, metavar="A,B", help="only these cases")
    parser.add_argument(
        "--out", type=Path, default=KEPT, metavar="FILE", help="where to keep it (bench/calibration.md)"
    )
    return parser


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1")
    return int(text)


def _cases(text: str) -> list[str]:
    known = {case.key for case in CASES}
    asked = text.split(",")
    for key in asked:
        if key not in known:
            raise argparse.ArgumentTypeError(f"{key!r} is not a case; cases: {', '.join(sorted(known))}")
    return asked


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
