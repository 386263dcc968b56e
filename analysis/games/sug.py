"""Distributions of play in the Social Ultimatum Game, and the distance of two collections of play.

The distances of the paper that proposed the game: symmetrised Kullback-Leibler divergences of offers (dO), of
recipients by rank (dR), of rejections by amount (dB), and of reciprocation, immediate (dY) and by the length of the
chain (dY8). The paper prints neither its smoothing nor the base of its logarithm, so its digits cannot be reproduced;
both are stated with every result here. Distances compare within one measure only.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

from analysis.errors import AnalysisError
from analysis.results import Result

CHAIN = 8

Rounds = Sequence[Sequence[tuple[int, int, bool]]]
"""The rounds of one match: for each seat in order its recipient (from 1), the amount, whether it was accepted."""


@dataclass(frozen=True, slots=True)
class Cases(Result):
    """The frequency of an event: `k` of `n` cases."""

    n: int
    k: int


@dataclass(frozen=True, slots=True)
class Play(Result):
    """The four distributions of a collection of play, as counts.

    `offers`: how often each amount was offered, from nothing to the endowment. `rejected`: for each amount, the offers
    of it and how many were rejected. `ranks`: shares of recipients from the most to the least chosen, averaged over
    matches and players. `reciprocated`: for chains of 1, 2, ... rounds, how many there were and how many went on, by
    the paper's formula, in which an offer counts whether it was accepted or not; `reciprocated_accepted`: by its
    sentence, which speaks of acceptable offers, the same of chains in which every offer was accepted. `seats`: players
    whose offers these are, one in each match counted by itself.
    """

    players: int
    offers: tuple[int, ...]
    rejected: tuple[Cases, ...]
    ranks: tuple[float, ...]
    reciprocated: tuple[Cases, ...]
    reciprocated_accepted: tuple[Cases, ...]
    seats: int


@dataclass(frozen=True, slots=True)
class Distances(Result):
    """Distances of two collections of play, 0 if they are the same; `smoothing` was added to every count.

    `d_y` and `d_y8` are the paper's formulas, `d_y_accepted` and `d_y8_accepted` for chains of accepted offers. The
    paper averages shares of ranks and does not say what its smoothing is added to: in `d_r` to shares of as many offers
    as all made, in `d_r_by_seat` to those of as many as a player made in a match, which smooths more.
    """

    d_o: float
    d_r: float
    d_b: float
    d_y: float
    d_y8: float
    d_y_accepted: float
    d_y8_accepted: float
    smoothing: float
    log_base: float
    d_r_by_seat: float


def play_of(seats: Sequence[tuple[Rounds, int]], endowment: int, step: int = 1) -> Play:
    """The distributions of these seats' offers, of the answers to them, and of their reciprocation.

    Raises AnalysisError for no seat, or for matches of different numbers of players.
    """
    sizes = {len(rounds[0]) for rounds, _ in seats}
    if len(sizes) != 1:
        raise AnalysisError(f"play is described for one number of players; there are {len(sizes)}")
    players = sizes.pop()
    made = [round_[seat - 1] for rounds, seat in seats for round_ in rounds]
    offered = Counter(amount for _, amount, _ in made)
    refused = Counter(amount for _, amount, accepted in made if not accepted)
    amounts = range(0, endowment + 1, step)
    ranks = [_ranks(rounds, seat, players) for rounds, seat in seats]
    return Play(
        players,
        tuple(offered[q] for q in amounts),
        tuple(Cases(offered[q], refused[q]) for q in amounts),
        tuple(fmean(shares) for shares in zip(*ranks, strict=True)),
        _chains(seats, accepted=False),
        _chains(seats, accepted=True),
        len(seats),
    )


def distances(one: Play, two: Play, smoothing: float = 0.5, log_base: float = math.e) -> Distances:
    """The distance of two collections, by each measure; in nats unless `log_base` says otherwise.

    Ranks are smoothed as shares of as many offers as were made. Raises AnalysisError if the two have other amounts or
    numbers of players, or the smoothing is not above 0: without it, an event that never occurs in one is infinitely
    far.
    """
    if (one.players, len(one.offers)) != (two.players, len(two.offers)):
        raise AnalysisError("the two collections are of games with other amounts or numbers of players")
    if smoothing <= 0 or log_base <= 1:
        raise AnalysisError(f"smoothing {smoothing} must be above 0 and log_base {log_base} above 1")

    def far(p: Sequence[float], q: Sequence[float]) -> float:
        return _symmetrised(_smoothed(p, smoothing), _smoothed(q, smoothing)) / math.log(log_base)

    def two_point(p: Cases, q: Cases) -> float:
        return far((p.k, p.n - p.k), (q.k, q.n - q.k))

    chains = [two_point(p, q) for p, q in zip(one.reciprocated, two.reciprocated, strict=True)]
    accepted = zip(one.reciprocated_accepted, two.reciprocated_accepted, strict=True)
    of_accepted = [two_point(p, q) for p, q in accepted]

    def ranked(share_of_seats: bool) -> float:
        both = ((play, sum(play.offers) / (play.seats if share_of_seats else 1)) for play in (one, two))
        return far(*([share * offers for share in play.ranks] for play, offers in both))

    return Distances(
        d_o=far(one.offers, two.offers),
        d_r=ranked(share_of_seats=False),
        d_b=sum(two_point(p, q) for p, q in zip(one.rejected, two.rejected, strict=True)),
        d_y=chains[0],
        d_y8=sum(chains),
        d_y_accepted=of_accepted[0],
        d_y8_accepted=sum(of_accepted),
        smoothing=smoothing,
        log_base=log_base,
        d_r_by_seat=ranked(share_of_seats=True),
    )


def _ranks(rounds: Rounds, seat: int, players: int) -> list[float]:
    chosen = Counter(round_[seat - 1][0] for round_ in rounds).most_common()
    shares = [n / len(rounds) for _, n in chosen]
    # Partners who were never chosen take the last ranks.
    return shares + [0.0] * (players - 1 - len(shares))


def _chains(seats: Sequence[tuple[Rounds, int]], accepted: bool) -> tuple[Cases, ...]:
    """For each length: chains in which a seat and a partner took turns, the partner last, and the number that
    continued.

    A chain of c rounds contains one of every shorter length, so it is counted for each.
    """
    ended = Counter(chain for rounds, seat in seats for chain in _ended(rounds, seat, accepted))
    cases = []
    for length in range(1, CHAIN + 1):
        went_on, stopped = (
            sum(n for (long, on), n in ended.items() if long >= length and on == wanted)
            for wanted in (True, False)
        )
        cases.append(Cases(went_on + stopped, went_on))
    return tuple(cases)


def _ended(rounds: Rounds, seat: int, accepted: bool) -> Iterator[tuple[int, bool]]:
    """For each offer to a seat before the last round: the number of rounds that the two had taken turns for, and
    whether the seat continued. If `accepted`, only accepted offers make a chain.
    """
    turns: dict[tuple[int, int], int] = {}
    for now, after in pairwise(rounds):
        turns = {
            (sender, to): 1 + turns.get((to, sender), 0)
            for sender, (to, _, taken) in enumerate(now, start=1)
            if taken or not accepted
        }
        for (sender, to), length in turns.items():
            if to == seat:
                yield length, after[seat - 1][0] == sender


def _smoothed(counts: Sequence[float], smoothing: float) -> list[float]:
    total = sum(counts) + smoothing * len(counts)
    return [(count + smoothing) / total for count in counts]


def _symmetrised(p: Sequence[float], q: Sequence[float]) -> float:
    return sum((a - b) * math.log(a / b) for a, b in zip(p, q, strict=True))
