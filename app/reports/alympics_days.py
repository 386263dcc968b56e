"""The released games of Alympics day by day through our rules, and its table 2 as printed and as recorded."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from analysis.games.wac import WaterGame, WaterSetting, satisfaction_rate, water_setting
from app.core.problems import counted
from app.library.alympics.chat import chats_in, recorded
from app.library.alympics.games import BadRelease, Day, Evening, RecordedGame
from app.library.alympics.table import ROUNDS, games_in
from app.tasks.game.base import Event
from app.tasks.game.games.wac.parameters import WaterConfig
from app.tasks.game.games.wac.rules import Status, WaterAuction, WaterState, day_over
from app.tasks.game.moves import IllegalMove

# Table 2 of the paper, averages over ten games: survival of Alex, Bob, Cindy, David and Eric, and RSR at the end.
PRINTED: Mapping[int, tuple[tuple[float, ...], float]] = {
    1: ((0.10, 0.10, 0.50, 0.70, 0.40), 0.83),
    2: ((0.80, 0.50, 0.80, 0.80, 0.90), 0.51),
    3: ((1.00, 1.00, 1.00, 1.00, 0.90), 0.53),
    4: ((0.30, 0.10, 0.40, 0.60, 0.70), 0.72),
    5: ((0.60, 0.60, 0.60, 0.50, 0.90), 0.65),
    6: ((1.00, 0.80, 1.00, 1.00, 1.00), 0.52),
}
# Its 60 games: who of Alex, Bob, Cindy, David and Eric is ticked as alive at the end, and the RSR at the end.
PRINTED_ALIVE: Mapping[int, str] = {
    1: "CE CD DE D BE CD CD CD E ABD",
    2: "CDE ABCDE ACDE ABCDE ACD ACE ABCE CDE ABDE ABDE",
    3: "ABCDE ABCDE ABCDE ABCDE ABCDE ABCDE ABCD ABCDE ABCDE ABCDE",
    4: "AE ACE DE CD DE DE ABC DE CE D",
    5: "CD ABCDE ABE ABCE ABCE BDE ACE ADE DE BCE",
    6: "ACDE ABCDE ABCDE ACDE ABCDE ABCDE ABCDE ABCDE ABCDE ABCDE",
}
PRINTED_RSR: Mapping[int, str] = {
    1: "0.68 0.71 0.65 1.36 0.71 0.71 0.71 0.71 1.25 0.79",
    2: "0.61 0.40 0.49 0.40 0.49 0.48 0.67 0.61 0.50 0.50",
    3: "0.50 0.50 0.50 0.50 0.50 0.50 0.66 0.53 0.54 0.55",
    4: "0.75 0.50 0.65 0.71 0.65 0.65 0.56 0.65 0.68 1.36",
    5: "0.95 0.40 0.69 0.51 0.51 0.63 0.67 0.65 0.87 0.65",
    6: "0.61 0.50 0.50 0.61 0.50 0.50 0.50 0.50 0.50 0.50",
}
# With a margin, as 0.655 - 0.65 is more than 0.005 in binary.
HALF_A_DIGIT = 0.005 + 1e-9
HALF_A_CENT = 0.005


@dataclass(frozen=True, slots=True)
class Deviation:
    """A day whose record differs from the rules; `why` lists each difference."""

    setting: int
    run: int
    day: int
    why: Sequence[str]

    def __str__(self) -> str:
        return f"setting {self.setting}, game {self.run}, day {self.day}: {'; '.join(self.why)}"


@dataclass(frozen=True, slots=True)
class Misprint:
    """One game for which table 2 differs from its record: the players `alive` at the end, or the rate there."""

    setting: int
    run: int
    what: Literal["alive", "RSR at the end"]
    printed: str
    recorded: str

    def __str__(self) -> str:
        return f"setting {self.setting}, game {self.run}: {self.what} {self.recorded}; table 2 prints {self.printed}"


@dataclass(frozen=True, slots=True)
class ReplayedRelease:
    """All games of a release: how many, on how many days, which days differ, each setting as recorded, and the games
    that table 2 prints otherwise."""

    games: int
    days: int
    deviations: Sequence[Deviation]
    settings: Mapping[int, WaterSetting]
    misprints: Sequence[Misprint]

    def lines(self) -> list[str]:
        """The findings, one line each."""
        said = [
            f"{counted(self.games, 'game')}, {self.days:,} days replayed: "
            f"{self.days - len(self.deviations):,} follow the rules, {len(self.deviations)} do not",
            *map(str, self.deviations),
        ]
        table = [_table_line(number, one) for number, one in sorted(self.settings.items())]
        return [*said, *table, *map(str, self.misprints)]


def replay_release(folder: Path) -> ReplayedRelease | None:
    """Every day of the released messages, or of `wac_rounds.csv`, replayed from the record of the evening before; None
    if neither reports the days.

    The rules are those of the game `wac`: salaries, winners by bid, need and balance, health and the cost of the next
    day without water. A bid above the balance, which the game forbids, wins nothing. An empty record of an evening is
    replaced by the rules' result. Raises BadRelease for other games.
    """
    games = _games(folder)
    if not games:
        return None
    deviations, found = [], dict[int, list[WaterGame]]()
    misprints: list[Misprint] = []
    for (setting, run), recorded_game in sorted(games.items()):
        game, differing = _replayed(recorded_game, setting, run)
        deviations += differing
        found.setdefault(setting, []).append(game)
        misprints += _misprints(setting, run, game)
    n_days = sum(len(each.days) for each in games.values())
    settings = {setting: water_setting(each) for setting, each in found.items()}
    return ReplayedRelease(len(games), n_days, deviations, settings, misprints)


def _misprints(setting: int, run: int, game: WaterGame) -> list[Misprint]:
    alive, rates = PRINTED_ALIVE[setting].split(), PRINTED_RSR[setting].split()
    if not 1 <= run <= len(alive):
        return []
    found = []
    ticked = {name for name in game.needs if name[0] in alive[run - 1]}
    if ticked != set(game.survivors):
        found.append(Misprint(setting, run, "alive", _listed(ticked), _listed(set(game.survivors))))
    rate = satisfaction_rate(game.supply, [game.needs[name] for name in game.survivors])
    recorded = "none" if rate is None else f"{rate:.2f}"
    if rate is None or abs(rate - float(rates[run - 1])) > HALF_A_DIGIT:
        found.append(Misprint(setting, run, "RSR at the end", rates[run - 1], recorded))
    return found


def _games(folder: Path) -> Mapping[tuple[int, int], RecordedGame]:
    """The games with recorded days, by setting and run."""
    records = [each for chat in chats_in(folder) if (each := recorded(chat)).days]
    if not records and (folder / ROUNDS).is_file():
        records = games_in(folder / ROUNDS)
    if not any(_tells_health(each) for each in records):
        return {}
    settings = {
        (config.personas, config.supply_low, config.supply_high): number
        for number, config in enumerate(WaterConfig.grid(), 1)
    }
    found: dict[tuple[int, int], RecordedGame] = {}
    for each in records:
        game = each.game
        setting = settings.get((game.persona, game.low, game.high))
        if setting is None:
            raise BadRelease(f"{each.path}: a supply from {game.low} to {game.high} is none of the settings")
        if [day.number for day in each.days] != list(range(1, len(each.days) + 1)):
            raise BadRelease(f"{each.path}: setting {setting}, game {game.run}: days are missing")
        found[setting, game.run] = each
    return found


def _tells_health(released: RecordedGame) -> bool:
    return any(one.next_loss is not None for day in released.days for one in day.residents.values())


def _replayed(released: RecordedGame, setting: int, run: int) -> tuple[WaterGame, list[Deviation]]:
    rules, config = WaterAuction(), WaterConfig.grid()[setting - 1]
    names = [resident.name for resident in config.residents]
    statuses = rules.initial(config).statuses
    deviations: list[Deviation] = []
    balances, healths = list[Mapping[str, float]](), list[Mapping[str, float]]()
    for day in released.days:
        if unknown := set(day.residents) - set(names):
            raise BadRelease(
                f"{released.path}: setting {setting}, game {run}, day {day.number}: {min(unknown)} is no resident"
            )
        evening = _evening(rules, WaterState(config, statuses, (None,) * len(names)), day, names)
        if isinstance(evening, str):
            why, statuses = [evening], _stood(day, statuses, names)
        else:
            stood = _stood(day, evening.statuses, names)
            won = {names[seat - 1] for seat in evening.past[-1].winners}
            why, statuses = _differences(day, won, evening.statuses, stood, names), stood
        if why:
            deviations.append(Deviation(setting, run, day.number, why))
        balances.append({name: one.balance for name, one in zip(names, statuses, strict=True)})
        healths.append({name: one.health for name, one in zip(names, statuses, strict=True)})
    bids = [{name: _bid(one) for name, one in day.residents.items()} for day in released.days]
    winners = [[name for name, one in day.residents.items() if one.won] for day in released.days]
    needs = {resident.name: resident.need for resident in config.residents}
    supplies = (config.supply_low, config.supply_high)
    return WaterGame(supplies, needs, bids, winners, balances, healths, str(run)), deviations


def _evening(rules: WaterAuction, morning: WaterState, day: Day, names: Sequence[str]) -> WaterState | str:
    """The state after the day by the rules, or why they do not allow the day."""
    alive = {name for name, status in zip(names, morning.statuses, strict=True) if status.alive}
    if alive != set(day.residents):
        return f"{', '.join(sorted(alive))} were alive, {', '.join(sorted(day.residents))} bid"
    try:
        phase = rules.to_move(morning).phase_id
        drawn = rules.apply(morning, Event("nature", phase, None, {"kind": "supply", "value": day.supply}))
    except IllegalMove as error:
        return str(error)
    bids = tuple(_bid(day.residents[name]) if name in day.residents else None for name in names)
    return day_over(replace(drawn, bids=bids))


def _differences(
    day: Day, won: set[str], expected: Sequence[Status], stood: Sequence[Status], names: Sequence[str]
) -> list[str]:
    got = {name for name, one in day.residents.items() if one.won}
    why = []
    if got != won:
        why.append(f"water went to {_listed(got)}, by the rules to {_listed(won)}")
    for name, rule, record in zip(names, expected, stood, strict=True):
        # The authors' program adds up balances in binary fractions, which is not their cents.
        if (
            abs(rule.balance - record.balance) > HALF_A_CENT
            or replace(rule, balance=record.balance) != record
        ):
            why.append(
                f"{name} has ${_dollars(record)}, health {record.health}, next loss {record.next_loss}, by the "
                f"rules ${_dollars(rule)}, {rule.health}, {rule.next_loss}"
            )
    return why


def _stood(day: Day, otherwise: Sequence[Status], names: Sequence[str]) -> tuple[Status, ...]:
    """The players' status at the end of the day by the record, and `otherwise` where that is empty."""
    return tuple(_recorded(day.residents.get(name), one) for name, one in zip(names, otherwise, strict=True))


def _recorded(one: Evening | None, otherwise: Status) -> Status:
    if one is None or one.balance is None or one.health is None or one.next_loss is None:
        return otherwise
    return Status(*map(_number, (one.balance, one.health, one.next_loss)))


def _bid(one: Evening) -> int:
    """A bid as typed, whole or not; an empty one is 0."""
    return _number(one.bid or 0)


def _number(value: float) -> int:
    """Whole numbers as such; the rules do the same sums with the others."""
    return int(value) if float(value).is_integer() else value  # type: ignore[return-value]


def _dollars(status: Status) -> str:
    return f"{status.balance:.2f}".removesuffix(".00")


def _listed(names: set[str]) -> str:
    return ", ".join(sorted(names)) or "nobody"


def _table_line(number: int, one: WaterSetting) -> str:
    rates = [f"{name} {rate:.2f}" for name, rate in one.survival.rates.items()]
    printed, rsr = PRINTED[number]
    end = "none" if one.rsr_end is None else f"{one.rsr_end:.2f}"
    said = f"setting {number}: {counted(one.survival.games, 'game')}, survival {', '.join(rates)}"
    if tuple(round(rate, 2) for rate in one.survival.rates.values()) != printed:
        said += f" (printed {', '.join(f'{rate:.2f}' for rate in printed)})"
    said += f"; N {one.survival.survivors:.1f}; RSR at the end {end}"
    return said if end == f"{rsr:.2f}" else f"{said} (printed {rsr:.2f})"
