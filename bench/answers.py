"""Answers per second: whole sessions, several numbers of them at once, acknowledged answers against stored ones."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from bench import likely_human, otree
from bench.client import Broken
from bench.figures import median_of, percentile
from bench.library import make_library
from bench.servers import WORK
from bench.usage import Usage
from bench.walks import Site, Walks, walk

AT_ONCE = (1, 20, 100)
N_PAIRS = 10
WARM_UP_S = 5.0  # oTree needs some 4 s to let 100 participants in


@dataclass(frozen=True, slots=True)
class Run:
    """One run, or the medians of its repeats. A page turn is an answer's POST and the GET of the next page.

    Cores are as in `bench.usage.Cores`. `server_ms_per_answer` is the server's processor time over the answers,
    entering and leaving included: other work on the machine moves it less than the rates.
    """

    answers_per_s: float
    turns_per_s: float
    answer_ms_p50: float
    answer_ms_p99: float
    turn_ms_p50: float
    turn_ms_p99: float
    server_cores: float
    client_cores: float
    other_cores: float
    server_ms_per_answer: float


@dataclass(slots=True)
class Level:
    """One site with so many participants at once; answers are counted over all repeats, warm-up included."""

    site: str
    at_once: int
    runs: list[Run] = field(default_factory=list)
    n_acknowledged: int = 0
    n_stored: int = 0
    n_lost: int = 0
    n_finished_sessions: int = 0

    @property
    def median(self) -> Run:
        return median_of(self.runs)

    @property
    def is_sound(self) -> bool:
        """Every answer that was acknowledged is stored, and no other."""
        return self.n_acknowledged == self.n_stored and not self.n_lost


def measure_answers(seconds: float, repeats: int, *, with_otree: bool) -> list[Level]:
    """Measure each level `repeats` times, the sites in turn so that both meet the same machine."""
    levels: dict[tuple[str, int], Level] = {}
    with _sites(with_otree) as sites:
        for repeat in range(1, repeats + 1):
            for at_once in AT_ONCE:
                for site in sites:
                    level = levels.setdefault((site.name, at_once), Level(site.name, at_once))
                    run = _measure(site, level, seconds)
                    level.runs.append(run)
                    print(
                        f"{site.name}, {at_once} at once, {repeat} of {repeats}: {run.answers_per_s:.0f} answers/s",
                        file=sys.stderr,
                    )
    return list(levels.values())


@contextmanager
def _sites(with_otree: bool) -> Iterator[Sequence[Site]]:
    with ExitStack() as stack:
        print("Making the study ...", file=sys.stderr)
        data = WORK / "answers"
        make_library(data, N_PAIRS, width=64, height=64, frames=15)
        sites: list[Site] = [*stack.enter_context(likely_human.served(data))]
        if with_otree:
            sites.append(stack.enter_context(otree.served(WORK / "otree-project")))
        yield sites


def _measure(site: Site, level: Level, seconds: float) -> Run:
    site.prepare(level.at_once, WARM_UP_S + seconds)
    before, began = site.stored(), Usage.of(site.pid)
    walks = walk(site, level.at_once, WARM_UP_S, seconds)
    ended = Usage.of(site.pid)
    stored = site.stored() - before
    level.n_acknowledged += len(walks.acknowledged)
    level.n_stored += len(stored)
    level.n_lost += len(set(walks.acknowledged) - stored)
    level.n_finished_sessions += walks.n_finished
    return _figures(walks, seconds, began, ended)


def _figures(walks: Walks, seconds: float, began: Usage, ended: Usage) -> Run:
    """The run's numbers: of what ended within its `seconds`, the processor's of all of it."""
    since_s = walks.until_s - seconds
    answer_ms = [
        1000 * (t.answered_s - t.sent_s) for t in walks.turns if since_s <= t.answered_s < walks.until_s
    ]
    turn_ms = [1000 * (t.turned_s - t.sent_s) for t in walks.turns if since_s <= t.turned_s < walks.until_s]
    if not answer_ms or not turn_ms:
        raise Broken(f"no answer within {seconds:g} s; give it longer with --seconds")
    cores = began.until(ended)
    return Run(
        answers_per_s=len(answer_ms) / seconds,
        turns_per_s=len(turn_ms) / seconds,
        answer_ms_p50=percentile(answer_ms, 0.50),
        answer_ms_p99=percentile(answer_ms, 0.99),
        turn_ms_p50=percentile(turn_ms, 0.50),
        turn_ms_p99=percentile(turn_ms, 0.99),
        server_cores=cores.server,
        client_cores=cores.client,
        other_cores=cores.others,
        server_ms_per_answer=1000 * (ended.server - began.server) / len(walks.acknowledged),
    )
