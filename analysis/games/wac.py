"""Measures of the Water Allocation Challenge: survival, resource satisfaction rate, and the day's lowest winning bid.

From Alympics [MCX24], section 5.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from analysis.errors import AnalysisError
from analysis.results import Result


@dataclass(frozen=True, slots=True)
class Survival(Result):
    """Survival in `games`: the share in which each resident was alive at the end, 0..1, and the mean of survivors."""

    games: int
    rates: Mapping[str, float]
    survivors: float


def survival(residents: Sequence[str], survivors: Sequence[Collection[str]]) -> Survival:
    """The survival rate of each resident; `survivors` has those alive at the end of each game.

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
    """The median over games of each day's lowest winning bid; a game counts on the days with a winner."""
    days = max(map(len, games), default=0)
    found = [[game[day] for game in games if day < len(game)] for day in range(days)]
    priced = [[bid for bid in bids if bid is not None] for bids in found]
    return [median(bids) if bids else None for bids in priced]


@dataclass(frozen=True, slots=True)
class WaterGame:
    """One finished game: by day the bids of those alive, the winners, and everybody's balance and health at its end.

    `name` tells it from the others of its setting, such as its number."""

    supply: tuple[int, int]
    needs: Mapping[str, int]
    bids: Sequence[Mapping[str, float]]
    winners: Sequence[Collection[str]]
    balances: Sequence[Mapping[str, float]]
    healths: Sequence[Mapping[str, float]]
    name: str = ""

    @property
    def survivors(self) -> list[str]:
        """The residents alive at the end."""
        return [name for name, health in self.healths[-1].items() if health > 0]


@dataclass(frozen=True, slots=True)
class Curve(Result):
    """A resident's mean over the games in which it began that day alive, and how many these were; by day."""

    means: Sequence[float | None]
    n: Sequence[int]


@dataclass(frozen=True, slots=True)
class WaterRun(Result):
    """One game day by day: for each resident the bid, and balance and health at the day's end, None from the first day
    that it did not begin alive.

    `alive` tells for each resident whether it was alive at the end, the tick of table 2; `rsr` is the resource
    satisfaction rate of those who began the day alive, `rsr_end` that of those alive at the end, None if nobody is
    left.
    """

    name: str
    alive: Mapping[str, bool]
    rsr_end: float | None
    rsr: Sequence[float | None]
    bids: Mapping[str, Sequence[float | None]]
    balances: Mapping[str, Sequence[float | None]]
    healths: Mapping[str, Sequence[float | None]]


@dataclass(frozen=True, slots=True)
class WaterSetting(Result):
    """Several games of one setting.

    `rsr_end` is the mean over the `n_rsr_end` games with survivors. `prices` are the lowest winning bids of each day
    over games, `medians` their medians, and `mean_median` the mean of these; `first_death` counts games by the day on
    which the first resident died. `runs` are the games themselves, `rsr` the mean satisfaction rate of those who began
    each day alive, over the games in which anybody did.
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
    runs: Sequence[WaterRun]
    rsr: Curve


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
    runs = [_run(game, number, days) for number, game in enumerate(games, 1)]
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
        {name: _curve([run.bids[name] for run in runs]) for name in first.needs},
        {name: _curve([run.balances[name] for run in runs]) for name in first.needs},
        {name: _curve([run.healths[name] for run in runs]) for name in first.needs},
        runs,
        _curve([run.rsr for run in runs]),
    )


def _first_death(game: WaterGame) -> int | None:
    return next((day for day, at in enumerate(game.healths, 1) if min(at.values()) <= 0), None)


def _run(game: WaterGame, number: int, days: int) -> WaterRun:
    def by_day(of: Sequence[Mapping[str, float]], resident: str) -> list[float | None]:
        alive = [day < len(game.bids) and resident in game.bids[day] for day in range(days)]
        return [of[day][resident] if alive[day] else None for day in range(days)]

    def rate(alive: Collection[str]) -> float | None:
        return satisfaction_rate(game.supply, [game.needs[name] for name in alive])

    rates = [rate(game.bids[day]) if day < len(game.bids) else None for day in range(days)]
    left = game.survivors
    return WaterRun(
        game.name or str(number),
        {name: name in left for name in game.needs},
        rate(left),
        rates,
        {name: by_day(game.bids, name) for name in game.needs},
        {name: by_day(game.balances, name) for name in game.needs},
        {name: by_day(game.healths, name) for name in game.needs},
    )


def _curve(lines: Sequence[Sequence[float | None]]) -> Curve:
    """The mean of each day over the games that have one."""
    days = [[one for one in day if one is not None] for day in zip(*lines, strict=True)]
    return Curve([fmean(one) if one else None for one in days], [len(one) for one in days])
