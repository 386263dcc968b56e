"""People's play in the Social Ultimatum Game, as distributions: a synthetic prior, or estimated from moves."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import mean, median
from typing import Literal

from app.core.errors import StudyError
from app.tasks.game.base import Seat, Strict
from app.tasks.game.games.sug.rules import Answered, State

KnownTo = Literal["seat", "anybody"]

Rounds = Sequence[Sequence[Answered]]
"""The rounds of one match: for each seat in order its recipient, amount, and whether it was accepted."""


class Adaptation(Strict):
    """The adaptive model's parameters of one person.

    `alpha`: the amount first considered fair, as a share of the endowment. `beta`: how fast that changes, from 0
    (never) to 1 (only the last value counts). `gamma`: how often the person tries a lower offer.
    """

    alpha: float
    beta: float
    gamma: float


class Habits(Strict):
    """Distributions over people.

    `offers`: weights of the offers at equal intervals from nothing to the whole endowment. `rejections`: chance of
    rejecting each of these. `ranks`: weights of the recipients, from the most to the least chosen. `reciprocation`: the
    chance that an offer is returned in the next round, which is the metric's immediate reciprocity. `people`: adaptive
    parameters, one of which a player draws.
    """

    source: str
    offers: tuple[float, ...]
    rejections: tuple[float, ...]
    ranks: tuple[float, ...]
    reciprocation: float
    people: tuple[Adaptation, ...]

    def ranks_for(self, others: int) -> tuple[float, ...]:
        """Weights of so many recipients; where another number was observed, each rank has half the weight before it."""
        return self.ranks if len(self.ranks) == others else tuple(0.5**rank for rank in range(others))

    def rejection(self, share: float) -> float:
        """The chance of rejecting an offer of this share of the endowment."""
        return self.rejections[round(share * (len(self.rejections) - 1))]


# No published distribution exists for this game. Offers have a mean of 0.4 of the endowment and 16 in 100 are rejected,
# which is what a meta-analysis of the two-player game found; everything else is set by hand.
SYNTHETIC = Habits(
    source="synthetic",
    offers=(2, 5, 10, 17, 23, 37, 3, 1, 1, 0, 1),
    rejections=(0.9, 0.65, 0.4, 0.22, 0.1, 0.02, 0.02, 0.02, 0.01, 0.01, 0.01),
    ranks=(55, 25, 13, 7),
    reciprocation=0.5,
    people=tuple(
        Adaptation(alpha=alpha, beta=beta, gamma=gamma)
        for alpha in (0.3, 0.4, 0.5)
        for beta in (0.129, 0.206, 0.293)
        for gamma in (0.05, 0.15)
    ),
)


def learned(people: Sequence[tuple[State, Seat]], source: str, known_to: KnownTo = "seat") -> Habits:
    """The distributions of seats of finished matches, which may differ only in the number of rounds.

    `known_to`: whose accepted offers count for `fitted_gamma`.

    Counts over all players, rounds and matches. A recipient's rank is taken per player and match, then averaged. An
    amount never offered has the rejection rate of the nearest one that was (the smaller of two). Raises StudyError
    without people, and for matches of different configurations.
    """
    configs = {state.config.model_copy(update={"rounds": 2}) for state, _ in people}
    if len(configs) != 1:
        raise StudyError(f"habits are learned from matches of one configuration; there are {len(configs)}")
    config = configs.pop()
    traces = [(state.history, seat) for state, seat in people]
    made = [answered for rounds, seat in traces for answered in offers_of(rounds, seat)]
    offered = Counter(amount for _, amount, _ in made)
    rejected = Counter(amount for _, amount, accepted in made if not accepted)
    amounts = range(0, config.endowment + 1, config.step)
    ranks = [recipient_shares(rounds, seat, config.players) for rounds, seat in traces]
    return Habits(
        source=source,
        offers=tuple(offered[amount] for amount in amounts),
        rejections=tuple(rejected[q] / offered[q] for q in (_nearest(offered, a) for a in amounts)),
        ranks=tuple(mean(shares) for shares in zip(*ranks, strict=True)),
        reciprocation=_share([now for trace in traces for now in _returned(*trace)]),
        people=_people(traces, config.endowment, known_to),
    )


def offers_of(rounds: Rounds, seat: Seat) -> list[Answered]:
    """One seat's offers, round by round."""
    return [made[seat - 1] for made in rounds]


def recipient_shares(rounds: Rounds, seat: Seat, players: int) -> list[float]:
    """The shares of a seat's offers to each other player, from the most to the least chosen."""
    chosen = Counter(to for to, _, _ in offers_of(rounds, seat)).most_common()
    shares = [n / len(rounds) for _, n in chosen]
    return shares + [0.0] * (players - 1 - len(shares))


def fitted_beta(rounds: Rounds, seat: Seat) -> float | None:
    """The rate at which a seat's offers to the same partner fall: the median over its decreases; None without any.

    For a decrease after s offers of the same amount to that partner it is the smallest value with which s updates pass
    the middle of both amounts: 1 - 2^(-1/s). Rounds between, with offers to others, update nothing about this partner.
    """
    last: dict[Seat, tuple[int, int]] = {}
    betas = []
    for to, amount, _ in offers_of(rounds, seat):
        before, times = last.get(to, (amount, 0))
        if amount < before:
            # The paper's estimator does not return what was played: a mean of 0.21 comes out as 0.36 (docs/games.md).
            betas.append(1 - 2 ** (-1 / times))
        last[to] = (amount, times + 1 if amount == before else 1)
    return median(betas) if betas else None


def fitted_gamma(rounds: Rounds, seat: Seat, known_to: KnownTo = "seat") -> float:
    """The share of a seat's offers below the smallest one accepted before, among rounds in which one is known; 0
    without.

    The paper's "known to be accepted by any player" is read as: among offers that the seat made or got, the only ones
    that a player of the game sees. With ``anybody``, offers between others are known, too.
    """
    lower = rounds_known = 0
    known: list[int] = []
    for made in rounds:
        rounds_known += bool(known)
        # Offers that fall by learning count, too: a mean of 0.10 comes out as 0.19 (docs/games.md).
        lower += bool(known) and made[seat - 1][1] < min(known)
        known += [
            q
            for i, (to, q, accepted) in enumerate(made)
            if accepted and (known_to == "anybody" or seat in (to, i + 1))
        ]
    return lower / rounds_known if rounds_known else 0.0


def _people(
    traces: Sequence[tuple[Rounds, Seat]], endowment: int, known_to: KnownTo
) -> tuple[Adaptation, ...]:
    """Each person's parameters; those who never lowered an offer get the median of those who did, 0 if none did."""
    betas = [fitted_beta(*trace) for trace in traces]
    usual = median([beta for beta in betas if beta is not None] or [0.0])
    return tuple(
        Adaptation(
            alpha=rounds[0][seat - 1][1] / endowment,
            beta=usual if beta is None else beta,
            gamma=fitted_gamma(rounds, seat, known_to),
        )
        for (rounds, seat), beta in zip(traces, betas, strict=True)
    )


def _returned(rounds: Rounds, seat: Seat) -> Iterator[bool]:
    """For each offer that a seat got before the last round: whether it made its next one to the sender."""
    for before, now in pairwise(rounds):
        for sender, (to, _, _) in enumerate(before, start=1):
            if to == seat:
                yield now[seat - 1][0] == sender


def _nearest(offered: Counter[int], amount: int) -> int:
    return min(offered, key=lambda q: (abs(q - amount), q))


def _share(cases: Sequence[bool]) -> float:
    return sum(cases) / len(cases) if cases else 0.0
