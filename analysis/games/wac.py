"""Measures of the Water Allocation Challenge: survival, resource satisfaction rate, and the day's lowest winning bid.

From Alympics [MCX24], section 5.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
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
    bids: Sequence[Mapping[str, float]], winners: Sequence[Collection[str]]
) -> list[float | None]:
    """The lowest bid that won, for each day, in dollars; None on a day without a winner."""
    return [min((day[name] for name in won), default=None) for day, won in zip(bids, winners, strict=True)]


def daily_medians(games: Sequence[Sequence[float | None]]) -> list[float | None]:
    """The median over games of each day's lowest winning bid; a game counts on the days on which somebody won in it."""
    days = max(map(len, games), default=0)
    found = [[game[day] for game in games if day < len(game)] for day in range(days)]
    priced = [[bid for bid in bids if bid is not None] for bids in found]
    return [median(bids) if bids else None for bids in priced]


@dataclass(frozen=True, slots=True)
class WaterGame:
    """One finished game: by day the bids of those alive, the winners, and everybody's balance and health at its end."""

    supply: tuple[int, int]
    needs: Mapping[str, int]
    bids: Sequence[Mapping[str, float]]
    winners: Sequence[Collection[str]]
    balances: Sequence[Mapping[str, float]]
    healths: Sequence[Mapping[str, float]]

    @property
    def survivors(self) -> list[str]:
        """Who is alive at the end."""
        return [name for name, health in self.healths[-1].items() if health > 0]


@dataclass(frozen=True, slots=True)
class Curve(Result):
    """A resident's mean over the games in which it began that day alive, and how many these were; by day."""

    means: Sequence[float | None]
    n: Sequence[int]


@dataclass(frozen=True, slots=True)
class WaterSetting(Result):
    """Several games of one setting.

    `rsr_end` is the mean over the `n_rsr_end` games in which somebody was left. `prices` are the lowest winning bids
    of each day over games, `medians` their medians, and `mean_median` the mean of these; `first_death` counts games by
    the day on which the first resident died.
    """

    survival: Survival
    rsr_start: float | None
    rsr_end: float | None
    n_rsr_end: int
    prices: Sequence[Sequence[float]]
    medians: Sequence[float | None]
    mean_median: float | None
    first_death: Mapping[int, int]
    bids: Mapping[str, Curve]
    balances: Mapping[str, Curve]
    healths: Mapping[str, Curve]


def water_setting(games: Sequence[WaterGame]) -> WaterSetting:
    """All measures of the games of one setting. Raises AnalysisError for none, or for other residents or supplies."""
    if len({(game.supply, tuple(game.needs.items())) for game in games}) != 1:
        raise AnalysisError("a setting has games, all with the same residents and supply")
    first = games[0]
    ends = [
        rate
        for game in games
        if (rate := satisfaction_rate(first.supply, [first.needs[name] for name in game.survivors]))
        is not None
    ]
    prices = [lowest_winning_bids(game.bids, game.winners) for game in games]
    days = max(map(len, prices))
    medians = daily_medians(prices)
    known = [one for one in medians if one is not None]
    deaths = Counter(day for game in games if (day := _first_death(game)) is not None)
    return WaterSetting(
        survival(list(first.needs), [game.survivors for game in games]),
        satisfaction_rate(first.supply, list(first.needs.values())),
        fmean(ends) if ends else None,
        len(ends),
        [
            [bid for game in prices if day < len(game) and (bid := game[day]) is not None]
            for day in range(days)
        ],
        medians,
        fmean(known) if known else None,
        dict(sorted(deaths.items())),
        {name: _curve(name, games, lambda game: game.bids, days) for name in first.needs},
        {name: _curve(name, games, lambda game: game.balances, days) for name in first.needs},
        {name: _curve(name, games, lambda game: game.healths, days) for name in first.needs},
    )


def _first_death(game: WaterGame) -> int | None:
    return next((day for day, at in enumerate(game.healths, 1) if min(at.values()) <= 0), None)


def _curve(
    name: str,
    games: Sequence[WaterGame],
    of: Callable[[WaterGame], Sequence[Mapping[str, float]]],
    days: int,
) -> Curve:
    values = [
        [of(game)[day][name] for game in games if day < len(game.bids) and name in game.bids[day]]
        for day in range(days)
    ]
    return Curve([fmean(one) if one else None for one in values], [len(one) for one in values])
