"""Even and informative allocation of pairs: the answers that the same interval takes, bias, coverage, time of a plan.

`python -m bench.allocation [--simulations 400]` prints the tables and keeps them in bench/allocation.md.
"""

import argparse
import math
import random
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import combinations, pairwise
from pathlib import Path
from statistics import median

import numpy as np
import pandas as pd
from rich.console import Console
from rich.progress import Progress
from scipy.special import expit, logit, ndtri

from analysis.planning.world import Booleans
from analysis.stats.bradley_terry import Ranking, bradley_terry_of_wins, ranking_of_wins
from analysis.stats.estimates import Estimate
from analysis.stats.intervals import Floats
from app.tasks.pair.assignment import choose_pairs, plan_session
from app.tasks.pair.design import Member, PairToPlan
from app.tasks.pair.informative import FLOOR, OF_STRENGTHS, Sources, choose_informative
from app.trials.design import Kind

KEPT = Path(__file__).parent / "allocation.md"
PER_PARTICIPANT = 10
# Up to 48 people intervals are Student's over the jackknife, from 50 on the bootstrap's: each is compared with its own.
GOALS = (48, 80)
SIZES: Mapping[str, Sequence[int]] = {
    "even": (20, *GOALS),
    "informative": (20, 28, 33, 38, 43, 48, 50, 57, 65, 73, 80),
}
SHOWN = (20, *GOALS)
RESAMPLES = 400
OWN_SD, LEFT = 0.4, 0.2
NO_RANKING = Ranking(None, (), (), None)
ALLOCATIONS = ("even", "informative")


@dataclass(frozen=True, slots=True)
class World:
    """Sources of these strengths, compared in `per_sources` pairs of each two."""

    what: str
    strengths: tuple[float, ...]
    per_sources: int = 3

    @property
    def names(self) -> list[str]:
        return [f"s{at:02}" for at in range(len(self.strengths))]

    def pairs(self) -> tuple[list[PairToPlan], dict[int, Sources]]:
        two = [each for each in combinations(self.names, 2) for _ in range(self.per_sources)]
        pairs = [PairToPlan(at, "-".join(each), Kind.MAIN, Member.A) for at, each in enumerate(two)]
        return pairs, dict(enumerate(two))


def _spaced(gap: float, k: int = 8) -> tuple[float, ...]:
    return tuple(gap * (at - (k - 1) / 2) for at in range(k))


def _normal(sd: float, k: int = 8) -> tuple[float, ...]:
    """The means of ordered normal values (Blom), so that every simulation has the same sources."""
    return tuple(sd * float(ndtri((at + 0.625) / (k + 0.25))) for at in range(k))


WORLDS = (
    World("8, all alike", (0.0,) * 8),
    World("8, normal with SD 1", _normal(1)),
    World("8, neighbours 0.5 apart (62 in 100)", _spaced(0.5)),
    World("8, normal with SD 2", _normal(2)),
    World("8, neighbours 1 apart (73 in 100)", _spaced(1)),
    World("8, neighbours 1 apart, one pair of each two", _spaced(1), per_sources=1),
    World("8, seven alike and one far ahead (4)", (*(-0.5,) * 7, 3.5)),
    World("8, neighbours 1.25 apart (78 in 100)", _spaced(1.25)),
    World("4, neighbours 1 apart", _spaced(1, 4)),
)


@dataclass
class Study:
    """A study being run: everybody's answers so far."""

    world: World
    allocation: str
    rng: random.Random

    def __post_init__(self) -> None:
        self.pairs, self.sources = self.world.pairs()
        self.strength = dict(zip(self.world.names, self.world.strengths, strict=True))
        self.exposure: dict[int, int] = {}
        self.wins: dict[Sources, int] = {}
        self.rows: list[tuple[str, str, str, int]] = []
        self._mirror: dict[int, Member] | None = None
        self.plan_ms: list[float] = []

    def run(self, people: int) -> None:
        """Go on until so many people have answered, two to a session pair as the service plans them."""
        done = self.rows[-1][3] + 1 if self.rows else 0
        for person in range(done, people):
            self._answer(person)

    def _answer(self, person: int) -> None:
        if self._mirror is None:
            began = time.perf_counter()
            if self.allocation == "even":
                chosen = choose_pairs(self.pairs, self.exposure, PER_PARTICIPANT, self.rng)
            else:
                chosen = choose_informative(
                    self.pairs, self.sources, self.wins, self.exposure, PER_PARTICIPANT, self.rng
                )
            self.plan_ms.append(1000 * (time.perf_counter() - began))
        else:
            chosen = tuple(pair for pair in self.pairs if pair.id in self._mirror)
        trials = plan_session(chosen, order="random", sides="balanced", rng=self.rng, mirror_of=self._mirror)
        own = {name: value + self.rng.gauss(0, OWN_SD) for name, value in self.strength.items()}
        for trial in trials:
            a, b = self.sources[trial.pair_id]
            left, right = (a, b) if trial.left is Member.A else (b, a)
            took_left = self.rng.random() < 1 / (1 + math.exp(own[right] - own[left] - LEFT))
            winner, loser = (left, right) if took_left else (right, left)
            self.rows.append((winner, loser, left, person))
            self.wins[winner, loser] = self.wins.get((winner, loser), 0) + 1
            self.exposure[trial.pair_id] = self.exposure.get(trial.pair_id, 0) + 1
        self._mirror = {trial.pair_id: trial.left for trial in trials} if self._mirror is None else None

    def table(self) -> pd.DataFrame:
        return pd.DataFrame(self.rows, columns=["winner", "loser", "left", "judge"])


@dataclass(frozen=True, slots=True)
class Measured:
    """One simulated study at one number of people: widths of intervals, errors of strengths, intervals that held the
    truth, neighbours that the ranking tells apart; whether all its differences held the truth at once, and whether any
    two were told apart that are alike or the other way round; the share of trials with the first source on the left;
    how often the best source was chosen over all its answers (`best`), and as the mean of its shares against each other
    source (`best_alike`).
    """

    strengths: Floats
    widest: Floats
    neighbours: Floats
    chances: Floats
    errors: Floats
    held: Booleans
    held_chances: Booleans
    apart: Booleans
    held_at_once: bool
    wrong: bool
    shown_left: float
    best: float
    best_alike: float


@dataclass(frozen=True, slots=True)
class Reached:
    """Over simulations, at one number of people: geometric mean widths in log odds (of chances: in probability).

    `bias` is the largest mean error of any source and `bias_se` its standard error, `outward` the mean error away from
    the middle; `left` the share of trials with the first source on the left.
    """

    n: int
    strengths: float
    widest: float
    neighbours: float
    chances: float
    rmse: float
    bias: float
    bias_se: float
    outward: float
    outward_se: float
    held: float
    held_chances: float
    apart: float
    held_at_once: float
    wrong: float
    left: float
    best: float
    best_alike: float


@cache
def _truths(world: World) -> tuple[Floats, dict[Sources, float]]:
    """The strengths that a 40,000 people of even allocation would give: people's own tastes flatten them."""
    rng = np.random.default_rng(0)
    k, people = len(world.strengths), 40_000
    one, other = np.triu_indices(k, 1)
    own = np.array(world.strengths) + rng.normal(0, OWN_SD, (people, k))
    left = np.where(rng.random((people, len(one))) < 0.5, 1, -1)
    won = rng.random(left.shape) < expit(own[:, one] - own[:, other] + LEFT * left)
    names = np.array(world.names)
    frames = [
        pd.DataFrame(
            {
                "winner": np.where(beat, names[one], names[other]),
                "loser": np.where(beat, names[other], names[one]),
                "left": np.where(side == 1, names[one], names[other]),
                "n": ((won == beat) & (left == side)).sum(axis=0),
            }
        )
        for beat in (True, False)
        for side in (1, -1)
    ]
    found = bradley_terry_of_wins(pd.concat(frames), resamples=0)
    strengths = np.array([one.strength.value for one in found.strengths], dtype=float)
    return strengths, {
        (one.source, one.against): float(one.probability.value or 0) for one in found.probabilities
    }


def _measured(
    study: Study, seed: int, truth: Floats, chances: Mapping[Sources, float], *, ranks: bool
) -> Measured | None:
    table = study.table()
    fitted = bradley_terry_of_wins(table, seed=seed, resamples=RESAMPLES)
    # It fits the same resamples again: at numbers that the tables do not show, without.
    ranked = ranking_of_wins(table, seed=seed, resamples=RESAMPLES) if ranks else NO_RANKING
    ends = _ends([one.strength for one in fitted.strengths])
    pairs = {(one.source, one.against): one.probability for one in fitted.probabilities}
    of_pairs = _ends(list(pairs.values()))
    at_once = _ends([one.difference for one in ranked.differences])
    if fitted.reason or ends is None or of_pairs is None or at_once is None:
        return None
    at_once = at_once.reshape(-1, 2)
    names = study.world.names
    beside = [at for at, two in enumerate(pairs) if two in set(pairwise(names))]
    wanted = np.array([chances[two] for two in pairs])
    place, strengths = {name: at for at, name in enumerate(names)}, np.array(study.world.strengths)
    true = np.array([truth[place[one.source]] - truth[place[one.against]] for one in ranked.differences])
    sure = [
        strengths[place[one.source]] - strengths[place[one.against]]
        for one in ranked.differences
        if one.is_settled
    ]
    settled = {frozenset((one.source, one.against)) for one in ranked.differences if one.is_settled}
    left = [left == min(winner, loser) for winner, loser, left, _ in study.rows]
    return Measured(
        strengths=ends[:, 1] - ends[:, 0],
        widest=(ends[:, 1] - ends[:, 0]).max(keepdims=True),
        neighbours=np.diff(logit(np.clip(of_pairs[beside], 1e-9, 1 - 1e-9)))[:, 0],
        chances=of_pairs[:, 1] - of_pairs[:, 0],
        errors=np.array([one.strength.value for one in fitted.strengths], dtype=float) - truth,
        held=(ends[:, 0] <= truth) & (truth <= ends[:, 1]),
        held_chances=(of_pairs[:, 0] <= wanted) & (wanted <= of_pairs[:, 1]),
        apart=np.array([frozenset(two) in settled for two in pairwise(names)]),
        held_at_once=bool(((at_once[:, 0] <= true) & (true <= at_once[:, 1])).all()),
        wrong=any(difference <= 0 for difference in sure),
        shown_left=float(np.mean(left)),
        best=_share(study, names[-1], alike=False),
        best_alike=_share(study, names[-1], alike=True),
    )


def _share(study: Study, source: str, *, alike: bool) -> float:
    """Share of answers in which a source was chosen: over all of them, or the mean over the others it met."""
    won = np.array([study.wins.get((source, other), 0) for other in study.world.names if other != source])
    lost = np.array([study.wins.get((other, source), 0) for other in study.world.names if other != source])
    return float(np.mean(won / (won + lost)) if alike else won.sum() / (won + lost).sum())


def _ends(estimates: Sequence[Estimate]) -> Floats | None:
    ends = np.array([(one.interval.low, one.interval.high) for one in estimates], dtype=float)
    return None if np.isnan(ends).any() else ends


def _one(work: tuple[World, str, int]) -> tuple[dict[int, Measured | None], float]:
    world, allocation, simulation = work
    truth, chances = _truths(world)
    study = Study(world, allocation, random.Random(f"{world.what} {allocation} {simulation}"))
    found = {}
    for size in SIZES[allocation]:
        study.run(size)
        found[size] = _measured(study, simulation, truth, chances, ranks=size in SHOWN)
    return found, median(study.plan_ms)


def reached(
    worlds: Sequence[World], simulations: int, workers: int | None, on_each: Callable[[], None] = lambda: None
) -> dict[tuple[str, str], tuple[dict[int, Reached], float]]:
    """By world and allocation: what is reached at each size, and the median time of a plan in ms."""
    work = [(world, how, at) for world in worlds for how in ALLOCATIONS for at in range(simulations)]
    parts: dict[tuple[str, str], list[tuple[dict[int, Measured | None], float]]] = {}
    with ProcessPoolExecutor(workers) as pool:
        for (world, how, _), part in zip(work, pool.map(_one, work, chunksize=4), strict=True):
            parts.setdefault((world.what, how), []).append(part)
            on_each()
    outward = {world.what: np.sign(world.strengths) for world in worlds}
    return {
        key: (
            {
                size: _summed([one for found, _ in of if (one := found[size])], outward[key[0]])
                for size in SIZES[key[1]]
            },
            median(ms for _, ms in of),
        )
        for key, of in parts.items()
    }


def _summed(of: Sequence[Measured], outward: Floats) -> Reached:
    if len(of) < 2:
        return Reached(len(of), *(math.nan,) * 17)
    errors = np.array([one.errors for one in of])
    mean, spread = errors.mean(axis=0), errors.std(axis=0, ddof=1) / math.sqrt(len(of))
    worst = int(np.abs(mean).argmax())
    return Reached(
        n=len(of),
        strengths=_geometric([one.strengths for one in of]),
        widest=_geometric([one.widest for one in of]),
        neighbours=_geometric([one.neighbours for one in of]),
        chances=_geometric([one.chances for one in of]),
        rmse=float(np.sqrt((errors**2).mean())),
        bias=float(mean[worst]),
        bias_se=float(spread[worst]),
        outward=float((errors * outward).mean()),
        outward_se=float((errors * outward).mean(axis=1).std(ddof=1) / math.sqrt(len(of))),
        held=float(np.mean([one.held for one in of])),
        held_chances=float(np.mean([one.held_chances for one in of])),
        apart=float(np.mean([one.apart for one in of])),
        held_at_once=float(np.mean([one.held_at_once for one in of])),
        wrong=float(np.mean([one.wrong for one in of])),
        left=float(np.mean([one.shown_left for one in of])),
        best=float(np.mean([one.best for one in of])),
        best_alike=float(np.mean([one.best_alike for one in of])),
    )


def _geometric(widths: Sequence[Floats]) -> float:
    # Few intervals are huge where a source nearly always won, and would be the whole of a mean.
    return float(np.exp(np.mean(np.log(np.maximum(widths, 1e-9)))))


def answers_taken(
    even: Mapping[int, Reached], informative: Mapping[int, Reached], what: str, goal: int
) -> float:
    """The share of the answers of even allocation with `goal` people by which the other has the same interval.

    Infinite where that takes more answers, minus infinity where it takes less than the fewest that are simulated.
    """
    sizes = [size for size in SIZES["informative"] if (size < 50) == (goal < 50) and size <= goal]
    wanted = math.log(getattr(even[goal], what))
    widths = np.log([getattr(informative[size], what) for size in sizes])
    if not widths[-1] <= wanted <= widths[0]:
        return math.inf if wanted < widths[-1] else -math.inf
    # Widths fall with people: interpolated on logarithms, on which they fall in a line.
    log_people = float(np.interp(-wanted, -widths, np.log(sizes)))
    return math.exp(log_people) / goal


def optimal(strengths: Sequence[float], criterion: str) -> dict[str, float]:
    """Shares of answers that the best fixed design takes, were the strengths known, by the theory of large samples.

    Multiplicative algorithm of Silvey, Titterington and Torsney (1978, Communications in Statistics A7); `variance` is
    A-optimality of the strengths, `prediction` the loss of predicting choices, `information` D-optimality, `both` what
    `choose_informative` lowers.
    """
    s, k = np.array(strengths), len(strengths)
    two = list(combinations(range(k), 2))
    contrasts = np.array([np.eye(k)[i] - np.eye(k)[j] for i, j in two])
    chance = expit(contrasts @ s)
    slope = chance * (1 - chance)
    order, strengths_ = (contrasts.T * slope) @ contrasts, np.eye(k) - 1 / k
    both = (1 - OF_STRENGTHS) * order / np.trace(order) + OF_STRENGTHS * strengths_ / np.trace(strengths_)
    goal = {"variance": strengths_, "prediction": order, "both": both}.get(criterion)
    share = np.full(len(two), 1 / len(two))
    for _ in range(2_000):
        covariance = np.linalg.pinv((contrasts.T * (share * slope)) @ contrasts)
        seen = contrasts @ covariance
        inner = seen @ contrasts.T if goal is None else seen @ goal @ seen.T
        share = share * np.sqrt(slope * np.diag(inner))
        share /= share.sum()
    share = FLOOR / len(two) + (1 - FLOOR) * share
    designs = (share, np.full(len(two), 1 / len(two)))
    widths = [
        _widths(np.linalg.pinv((contrasts.T * (each * slope)) @ contrasts), contrasts, slope)
        for each in designs
    ]
    return {what: (widths[0][what] / widths[1][what]) ** 2 for what in widths[0]}


def _widths(covariance: Floats, contrasts: Floats, slope: Floats) -> dict[str, float]:
    of_pairs = np.sqrt(np.einsum("pi,ij,pj->p", contrasts, covariance, contrasts))
    beside = [at for at, row in enumerate(contrasts) if np.diff(np.flatnonzero(row))[0] == 1]
    return {
        "strengths": float(np.sqrt(np.diag(covariance)).mean()),
        "widest": float(np.sqrt(np.diag(covariance)).max()),
        "neighbours": float(of_pairs[beside].mean()),
        "chances": float((slope * of_pairs).mean()),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.allocation", description="Even and informative pairs."
    )
    parser.add_argument("--simulations", type=int, default=400, metavar="N", help="of each row (400)")
    parser.add_argument("--workers", type=int, metavar="N", help="processes (one for each processor)")
    given = parser.parse_args(arguments)
    simulations = given.simulations
    with Progress(console=Console(stderr=True)) as bar:
        task = bar.add_task("Simulating", total=len(WORLDS) * len(ALLOCATIONS) * simulations)
        found = reached(WORLDS, simulations, given.workers, lambda: bar.advance(task))
    text = "\n".join(_lines(found, simulations)) + "\n"
    print(text)
    KEPT.write_text(text)
    return 0


def _share_of_answers(share: float, goal: int) -> str:
    fewest = min(size for size in SIZES["informative"] if (size < 50) == (goal < 50)) / goal
    return ">1" if share == math.inf else f"<{fewest:.2f}" if share == -math.inf else f"{share:.2f}"


def _or_dash(value: float, form: str) -> str:
    return "-" if math.isnan(value) else form.format(value)


def _lines(
    found: Mapping[tuple[str, str], tuple[Mapping[int, Reached], float]], simulations: int
) -> Iterator[str]:
    yield "# Even and informative allocation of pairs"
    yield ""
    yield (
        f"`python -m bench.allocation --simulations {simulations}`. People see {PER_PARTICIPANT} pairs each, every "
        "second those of the one before with the sides exchanged. Their own strengths vary about those of all with SD "
        f"{OWN_SD:g} in log odds, and standing left adds {LEFT:g}. Intervals are those of `analyze` (over people): "
        f"Student's with {GOALS[0]} people, the bootstrap's with {GOALS[1]}. The truth is that of 40,000 people who "
        "saw all pairs."
    )
    yield ""
    yield "## Answers for the same interval"
    yield ""
    yield (
        "Answers of informative allocation by which intervals are as narrow as with so many people of even allocation, "
        "as a share of these. *Strengths*: the interval of a source's strength, mean over sources; *widest*: that of "
        "the source with the widest. *Order*: the differences of sources next to each other. *Chance*: the "
        "probabilities that one is chosen over another. Widths are geometric means over studies that have intervals. "
        "*Told apart*: neighbours that the ranking tells apart, with as many answers. `>1`: with as many answers it is "
        "wider. A plan's time is of choosing alone, on the machine as it was."
    )
    yield ""
    yield (
        "| sources | people, even | strengths | widest | order | chance | told apart, even | informative | plan, ms |"
    )
    yield "|---|---|---|---|---|---|---|---|---|"
    for world in WORLDS:
        even, informative = (found[world.what, how][0] for how in ALLOCATIONS)
        for goal in GOALS:
            shares = [
                _share_of_answers(answers_taken(even, informative, what, goal), goal)
                for what in ("strengths", "widest", "neighbours", "chances")
            ]
            apart = [
                _or_dash(100 * each[goal].apart if any(world.strengths) else math.nan, "{:.0f} %")
                for each in (even, informative)
            ]
            time_taken = f"{found[world.what, ALLOCATIONS[1]][1]:.1f}"
            yield f"| {' | '.join([world.what, str(goal), *shares, *apart, time_taken])} |"
    yield ""
    yield "## Bias and coverage"
    yield ""
    yield (
        "*Bias* is the largest mean error of a source's strength, with its standard error; *outward* the mean error "
        "away from the middle, which maximum likelihood has in small samples whatever the allocation, with its "
        "standard error; *held* the share of 95 % intervals with the truth within, of strengths and of chances, and of "
        "studies in which those of the ranking hold all differences at once; *wrong* the share of studies in which the "
        "ranking tells any two apart that are alike or the other way round; *left* the share of trials with a pair's "
        "first source on the left. *Best* is how often the best source was chosen over all answers to its pairs, "
        "*alike* the mean of its shares against each other source: the first depends on whom it met."
    )
    yield ""
    yield (
        "| sources | allocation | people | studies | RMSE | bias | outward | held | chance | at once | wrong | left | "
        "best | alike |"
    )
    yield "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"
    for world in WORLDS:
        for size in SHOWN:
            for how in ALLOCATIONS:
                one = found[world.what, how][0][size]
                numbers = (
                    f"{one.n} of {simulations}",
                    _or_dash(one.rmse, "{:.3f}"),
                    f"{_or_dash(one.bias, '{:+.3f}')} ({_or_dash(one.bias_se, '{:.3f}')})",
                    f"{_or_dash(one.outward, '{:+.3f}')} ({_or_dash(one.outward_se, '{:.3f}')})",
                    _or_dash(100 * one.held, "{:.1f} %"),
                    _or_dash(100 * one.held_chances, "{:.1f} %"),
                    _or_dash(100 * one.held_at_once, "{:.1f} %"),
                    _or_dash(100 * one.wrong, "{:.1f} %"),
                    _or_dash(one.left, "{:.3f}"),
                    _or_dash(one.best, "{:.3f}"),
                    _or_dash(one.best_alike, "{:.3f}"),
                )
                yield f"| {' | '.join([world.what, how, str(size), *numbers])} |"
    yield ""
    yield "## The criteria, by theory"
    yield ""
    yield (
        "Share of answers that the best fixed design takes for the same mean standard error as even allocation, were "
        f"the strengths known, with the floor of {FLOOR:g}: `variance` lowers the mean variance of strengths "
        "(A-optimality), `prediction` the mean loss of predicting choices, `information` is D-optimal, `both` is ours: "
        f"the second with {OF_STRENGTHS:g} of the first. No allocation can do better on what its criterion is of."
    )
    yield ""
    yield "| sources | criterion | strengths | widest strength | order | chance |"
    yield "|---|---|---|---|---|---|"
    for world in WORLDS:
        if world.per_sources == 3 and any(world.strengths):
            for criterion in ("variance", "prediction", "both", "information"):
                shares = [f"{value:.2f}" for value in optimal(world.strengths, criterion).values()]
                yield f"| {' | '.join([world.what, criterion, *shares])} |"


if __name__ == "__main__":
    sys.exit(main())
