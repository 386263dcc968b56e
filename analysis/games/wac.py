"""Measures of the Water Allocation Challenge: survival, resource satisfaction rate, and the day's lowest winning bid.

From Alympics [MCX24], section 5.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from analysis.errors import AnalysisError
from analysis.results import Result


@dataclass(frozen=True, slots=True)
class Survival(Result):
    """Of `games`: the share in which each resident was alive at the end, 0..1, and how many were on average."""

    games: int
    rates: Mapping[str, float]
    survivors: float


def survival(residents: Sequence[str], survivors: Sequence[Collection[str]]) -> Survival:
    """How often each resident lived; `survivors` has those alive at the end of each game.

    Raises AnalysisError without games, and for a survivor who is no resident.
    """
    if not survivors:
        raise AnalysisError("no game of the water auction: survival needs at least one")
    if unknown := {name for alive in survivors for name in alive} - set(residents):
        raise AnalysisError(f"{', '.join(sorted(unknown))} survived, who is not among the residents")
    rates = {name: fmean(name in alive for alive in survivors) for name in residents}
    return Survival(len(survivors), rates, fmean(map(len, survivors)))


def satisfaction_rate(supply: tuple[int, int], needs: Collection[int]) -> float | None:
    """The resource satisfaction rate (RSR): expected daily supply over the daily need of those alive.

    `supply` is uniform between its two ends, both included. RSR_S takes the needs of all, RSR_E of those alive at the
    end. None where nobody is left.
    """
    return sum(supply) / 2 / sum(needs) if needs else None


def lowest_winning_bids(
    bids: Sequence[Mapping[str, int]], winners: Sequence[Collection[str]]
) -> list[int | None]:
    """The lowest bid that won, for each day, in dollars; None on a day without a winner."""
    return [min((day[name] for name in won), default=None) for day, won in zip(bids, winners, strict=True)]


def daily_medians(games: Sequence[Sequence[int | None]]) -> list[float | None]:
    """The median over games of each day's lowest winning bid; a game counts on the days on which somebody won in it."""
    days = max(map(len, games), default=0)
    found = [[game[day] for game in games if day < len(game)] for day in range(days)]
    priced = [[bid for bid in bids if bid is not None] for bids in found]
    return [median(bids) if bids else None for bids in priced]
