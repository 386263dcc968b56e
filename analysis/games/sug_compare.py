"""Distances of two collections of play in the Social Ultimatum Game, with intervals and tests over matches.

Each match is one unit: its counts are resampled, or permuted, together. A distance is never below 0 and is larger the
less play there is, in resamples even more, so the percentiles of a bootstrap miss it, and so do they corrected for that
bias (docs/games.md); with the bootstrap's standard error intervals hold (bench/calibration.md). `chance` with a
distance is the distance of two collections that differ only by the random split.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from analysis.errors import AnalysisError
from analysis.games.sug import CHAIN, Distances, Play, Rounds, distances, play_of
from analysis.options import LEVEL, RESAMPLES
from analysis.results import Result
from analysis.stats.intervals import Floats, Interval, no_interval, portions
from analysis.stats.student import FEWEST as FEWEST_OF_INTERVALS
from analysis.stats.student import too_few

METHOD = "standard error of a bootstrap over matches, Student's t, up on the scale of the root"
RANDOM = "random deals of the matches, (b + 1) / (m + 1)"
SWAPPED = "random swaps within matches, (b + 1) / (m + 1)"
FEWEST = 2

Seats = Mapping[str, Sequence[tuple[Rounds, int]]]
"""The seats of one collection by match: the match's rounds and the seat's number."""


@dataclass(frozen=True, slots=True)
class DistanceTest(Result):
    """One distance with its interval, and how often chance alone gives as much.

    `chance` is the 95th percentile of the distances of the same matches permuted between the groups; `p` is one-sided.
    Both are None where there is one match to deal.
    """

    name: str
    value: float
    interval: Interval
    chance: float | None
    p: float | None
    method: str
    permutations: int


@dataclass(frozen=True, slots=True)
class PlayComparison(Result):
    """Two collections, their distances with intervals and tests, and how many matches each has."""

    first: Play
    second: Play
    n_first: int
    n_second: int
    n_shared: int
    distances: Distances
    tests: Sequence[DistanceTest]


NAMES = ("d_o", "d_r", "d_b", "d_y", "d_y8", "d_y_accepted", "d_y8_accepted")

# A sum over amounts or lengths of which most hold few cases moves with the smoothing as more play comes in, which no
# interval that was tried follows (bench/calibration.md).
_SUMS = {
    "d_b": "a sum over amounts, of which some are hardly ever offered",
    "d_y8": "a sum over lengths of chains, of which the long ones are few",
    "d_y8_accepted": "a sum over lengths of chains, of which the long ones are few",
}
# So does the distance of offers where it comes from amounts that one collection offers once at most.
_RARE, _MOST_RARE = 1, 0.5


def compare_play(
    first: Seats,
    second: Seats,
    endowment: int,
    step: int = 1,
    *,
    smoothing: float = 0.5,
    log_base: float = math.e,
    seed: int = 1,
    resamples: int = RESAMPLES,
) -> PlayComparison:
    """Distances of two collections of play, as `distances` has them, each with interval and test.

    Where a match has seats of both collections, its two parts are swapped in the test and resampled together; the test
    is of such matches alone where there are any. Without `resamples` there is neither interval nor test. Raises
    AnalysisError as `distances` does, and for an empty collection.
    """
    if not first or not second:
        raise AnalysisError("a comparison takes two collections of play, and one has no match")
    plays = [
        play_of([seat for seats in one.values() for seat in seats], endowment, step)
        for one in (first, second)
    ]
    found = distances(plays[0], plays[1], smoothing, log_base)
    x, y = (_counts(one, endowment, step) for one in (first, second))
    shared = [(list(first).index(name), list(second).index(name)) for name in first if name in second]
    layout = _Layout(len(plays[0].offers), plays[0].players - 1, smoothing, log_base)
    dealt = _dealt(x, y, shared, layout, seed, resamples)
    observed = layout.distances(x.sum(axis=0)[None], y.sum(axis=0)[None])[0]
    errors = _errors(x, y, shared, layout, seed, resamples)
    tested = (
        observed
        if not shared
        else layout.distances(
            x[[i for i, _ in shared]].sum(axis=0)[None], y[[j for _, j in shared]].sum(axis=0)[None]
        )[0]
    )
    rare = layout.rare(*(np.array(play.offers, dtype=float) for play in plays))
    enough = (len(shared) or min(len(first), len(second))) >= FEWEST
    tests = [
        DistanceTest(
            name,
            float(observed[k]),
            _interval(
                name,
                float(observed[k]),
                float(errors[k]),
                min(len(first), len(second)),
                seed,
                resamples,
                rare if name == "d_o" else 0.0,
            ),
            float(np.quantile(dealt[:, k], LEVEL)) if resamples and enough else None,
            _p(float(tested[k]), dealt[:, k]) if resamples and enough else None,
            SWAPPED if shared else RANDOM,
            resamples if enough else 0,
        )
        for k, name in enumerate(NAMES)
    ]
    return PlayComparison(plays[0], plays[1], len(first), len(second), len(shared), found, tests)


def _counts(collection: Seats, endowment: int, step: int) -> Floats:
    """The counts of each match in one row: what `_Layout` says stands where."""
    rows = []
    for seats in collection.values():
        play = play_of(seats, endowment, step)
        rows.append(
            [
                *play.offers,
                *(cases.k for cases in play.rejected),
                *(share * len(seats) for share in play.ranks),
                len(seats),
                *(
                    number
                    for chains in (play.reciprocated, play.reciprocated_accepted)
                    for c in chains
                    for number in (c.n, c.k)
                ),
            ]
        )
    return np.array(rows, dtype=float)


@dataclass(frozen=True, slots=True)
class _Layout:
    """The positions of a match's counts, and the distances of sums of them, row by row."""

    amounts: int
    ranks: int
    smoothing: float
    log_base: float

    def distances(self, x: Floats, y: Floats) -> Floats:
        """One row of distances, in the order of NAMES, for each row of summed counts."""
        a, r = self.amounts, self.ranks
        parts = np.cumsum([a, a, r, 1, 2 * CHAIN, 2 * CHAIN])[:-1]
        of = [np.split(each, parts, axis=1) for each in (x, y)]
        offers = self._far(*(one[0] for one in of))
        # Shares of recipients are smoothed as shares of as many offers as were made.
        ranks = self._far(*(one[2] / one[3] * one[0].sum(axis=1, keepdims=True) for one in of))
        refused = self._two_point(*((one[0], one[1]) for one in of)).sum(axis=1)
        chains = [
            self._two_point(*((one[part][:, ::2], one[part][:, 1::2]) for one in of)) for part in (4, 5)
        ]
        columns = [offers, ranks, refused]
        for chain in chains:
            columns += [chain[:, 0], chain.sum(axis=1)]
        return np.column_stack(columns)

    def rare(self, x: Floats, y: Floats) -> float:
        """The share of the distance of two rows of counts that comes from cases that one has at most once."""
        p, q = ((one + self.smoothing) / (one + self.smoothing).sum() for one in (x, y))
        parts = (p - q) * np.log(p / q)
        fewer, more = np.minimum(x, y), np.maximum(x, y)
        total = float(parts.sum())
        return float(parts[(fewer <= _RARE) & (more > _RARE)].sum()) / total if total > 0 else 0.0

    def _far(self, x: Floats, y: Floats) -> Floats:
        p, q = ((one + self.smoothing) / (one + self.smoothing).sum(axis=-1, keepdims=True) for one in (x, y))
        far: Floats = ((p - q) * np.log(p / q)).sum(axis=-1) / math.log(self.log_base)
        return far

    def _two_point(self, x: tuple[Floats, Floats], y: tuple[Floats, Floats]) -> Floats:
        return self._far(*(np.stack([k, n - k], axis=-1) for n, k in (x, y)))


def _errors(
    x: Floats, y: Floats, shared: Sequence[tuple[int, int]], layout: _Layout, seed: int, resamples: int
) -> Floats:
    """The standard error of each distance over resamples of the matches [ET93]_; 0 below two resamples.

    Matches of both collections, of the first alone and of the second alone are resampled each among themselves.
    """
    rng = np.random.default_rng(seed)
    both = [i for i, _ in shared], [j for _, j in shared]
    rest = [np.delete(one, drawn, axis=0) for one, drawn in zip((x, y), both, strict=True)]
    out = []
    for size in portions(resamples, len(x) + len(y)):
        together = _redrawn(len(shared), size, rng)
        first, second = (
            together @ one[drawn] + _redrawn(len(alone), size, rng) @ alone
            for one, drawn, alone in zip((x, y), both, rest, strict=True)
        )
        out.append(layout.distances(first, second))
    errors: Floats = np.concatenate(out).std(axis=0, ddof=1) if resamples > 1 else np.zeros(len(NAMES))
    return errors


def _redrawn(n: int, size: int, rng: np.random.Generator) -> Floats:
    """The frequency of each of n matches in each of `size` resamples of n."""
    return rng.multinomial(n, np.full(n, 1 / n), size).astype(float) if n else np.zeros((size, 0))


def _dealt(
    x: Floats, y: Floats, shared: Sequence[tuple[int, int]], layout: _Layout, seed: int, resamples: int
) -> Floats:
    # A stream of its own: deals must not repeat the draws that the errors rest on.
    rng = np.random.default_rng(seed + 1)
    out = []
    both = np.concatenate([x, y])
    for size in portions(resamples, len(both)):
        if shared:
            one, other = x[[i for i, _ in shared]], y[[j for _, j in shared]]
            swap = rng.random((size, len(shared))) < 0.5
            first, second = ~swap @ one + swap @ other, swap @ one + ~swap @ other
        else:
            order = rng.permuted(np.tile(np.arange(len(both)), (size, 1)), axis=1)
            chosen = np.zeros((size, len(both)), dtype=bool)
            np.put_along_axis(chosen, order[:, : len(x)], True, axis=1)
            first = chosen @ both
            second = both.sum(axis=0) - first
        out.append(layout.distances(first, second))
    return np.concatenate(out) if out else np.empty((0, len(NAMES)))


def _interval(
    name: str, value: float, error: float, n: int, seed: int, resamples: int, rare: float
) -> Interval:
    """From value - t x error, at least 0, to (root(value) + t x error / (2 root(value)))^2; t of the smaller n."""
    if name in _SUMS:
        return no_interval(f"it is {_SUMS[name]}: no interval holds it often enough", seed, resamples, METHOD)
    if resamples < 2:
        return no_interval("a standard error takes two resamples or more", seed, resamples, METHOD)
    if n < FEWEST_OF_INTERVALS:
        return no_interval(too_few(n, "matches"), seed, resamples, METHOD)
    if rare > _MOST_RARE:
        reason = (
            "most of it comes from amounts that one of the two hardly ever offers, and grows with the play"
        )
        return no_interval(reason, seed, resamples, METHOD)
    if not error > 0:
        return no_interval("no match changes the distance: there is no spread", seed, resamples, METHOD)
    reach = float(stdtrit(n - 1, (1 + LEVEL) / 2)) * error
    # (root + reach / (2 root)) squared: a distance cannot fall below 0 and is skewed upwards.
    high = value + reach + (reach**2 / (4 * value) if value > 0 else 0.0)
    return Interval(max(0.0, value - reach), high, LEVEL, METHOD, resamples, seed, None)


def _p(value: float, dealt: Floats) -> float:
    # 1e-9, because sums of the same play in another order differ in the last digits and must still tie.
    return (1 + int((dealt >= value - 1e-9).sum())) / (1 + len(dealt))
