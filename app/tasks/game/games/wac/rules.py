"""The Water Allocation Challenge: five residents bid for water through a drought, and one who goes without too long
dies.

From Alympics [MCX24], section 4. Details that the paper leaves open follow its released records: supply is uniform with
both ends included, and the first day without water costs 1. Bids are whole dollars.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from typing import Any

from app.tasks.game.base import (
    Event,
    Outcome,
    Phase,
    Role,
    Seat,
    View,
    Viewer,
    require_legal,
)
from app.tasks.game.games.wac.parameters import Resident, WaterConfig
from app.tasks.game.moves import ChanceSpec, IllegalMove, Move, MoveKind, MoveSchema, Number


@dataclass(frozen=True, slots=True)
class Status:
    """A resident's dollars, health, and the health that the next day without water costs."""

    balance: int
    health: int
    next_loss: int

    @property
    def alive(self) -> bool:
        """True if any health is left."""
        return self.health > 0


@dataclass(frozen=True, slots=True)
class Day:
    """A day that is over: its supply, and by seat the bids (None of the dead) and how everybody stood at its end."""

    supply: int
    bids: tuple[int | None, ...]
    winners: tuple[Seat, ...]
    statuses: tuple[Status, ...]


@dataclass(frozen=True, slots=True)
class WaterState:
    """`statuses` and `bids` are by seat; `supply` is None until it is drawn. Bids wait here until all are in."""

    config: WaterConfig
    statuses: tuple[Status, ...]
    bids: tuple[int | None, ...]
    supply: int | None = None
    past: tuple[Day, ...] = ()


def allocate(
    needs: Sequence[int], balances: Sequence[int], bids: Sequence[int | None], supply: int
) -> tuple[int, ...]:
    """The winners of water, as indexes in the order of allocation; None bids nothing.

    Repeatedly, the highest bid among those whose need fits in the rest and whose balance covers the bid; among equal
    bids the smaller need, then the earlier index. A bid that no longer fits is skipped for a lower one.
    """
    # This order gives the recorded winners on 1,192 of the 1,200 days that the authors released (docs/games.md).
    able = [
        (-bid, needs[index], index)
        for index, bid in enumerate(bids)
        if bid is not None and bid <= balances[index]
    ]
    winners = []
    for _, need, index in sorted(able):
        if need <= supply:
            supply -= need
            winners.append(index)
    return tuple(winners)


class WaterAuction:
    """Each day everyone alive is paid, sees the supply and bids once, sealed; the highest bids that fit win and pay.

    Water adds health; a day without costs as much as the days without so far, counted from the last water.
    """

    name = "wac"
    version = "1"
    shares = frozenset({"survived"})
    Config = WaterConfig

    def seats(self, c: WaterConfig) -> Sequence[Role]:
        """The residents."""
        return [Role(seat, resident.name) for seat, resident in enumerate(c.residents, 1)]

    def initial(self, c: WaterConfig) -> WaterState:
        """The evening before day 1."""
        n = len(c.residents)
        return WaterState(c, (Status(c.start_balance, c.start_health, 1),) * n, (None,) * n)

    def nature(self, s: WaterState) -> ChanceSpec | None:
        """The day's `supply`, uniform, both ends included."""
        if s.supply is not None or self._reason(s):
            return None
        supplies = tuple(range(s.config.supply_low, s.config.supply_high + 1))
        return ChanceSpec("supply", supplies, (1,) * len(supplies))

    def to_move(self, s: WaterState) -> Phase:
        """`nature`, then `bid` for everyone alive at once."""
        day = len(s.past) + 1
        if self._reason(s):
            return Phase("done", len(s.past), "done", ())
        if s.supply is None:
            return Phase(f"{day}-nature", day, "nature", ())
        return Phase(f"{day}-bid", day, "bid", _to_bid(s), simultaneous=True)

    def legal(self, s: WaterState, seat: Seat) -> MoveSchema:
        """A bid of whole dollars up to the balance; 0 offers no payment, and can win leftover water."""
        if seat not in self.to_move(s).seats:
            raise IllegalMove(f"seat {seat} may not act now")
        return MoveSchema((MoveKind("bid", (Number("amount", 0, s.statuses[seat - 1].balance),)),))

    def apply(self, s: WaterState, event: Event) -> WaterState:
        """The state after a supply, which pays the salaries, or a bid, of which the last ends the day."""
        if event.kind not in ("nature", "move"):
            return s
        require_legal(self, s, event)
        if event.kind == "nature":
            return replace(s, supply=event.move["value"], statuses=_paid(s))
        seat = event.seat or 0
        bids = (*s.bids[: seat - 1], event.move["amount"], *s.bids[seat:])
        bid = replace(s, bids=bids)
        return bid if _to_bid(bid) else day_over(bid)

    def default_move(self, s: WaterState, seat: Seat) -> Move:
        """A bid of 0."""
        return {"kind": "bid", "amount": 0}

    def payoffs(self, s: WaterState) -> tuple[Fraction, ...]:
        """`day_payoff` for each day alive at its end; the paper has no other goal than survival."""
        return tuple(Fraction(days * s.config.day_payoff) for days in _days_alive(s))

    def done(self, s: WaterState) -> Outcome | None:
        """`last-day`, or `all-dead`."""
        reason = self._reason(s)
        return Outcome(reason, self.payoffs(s)) if reason else None

    def out(self, s: WaterState, seat: Seat) -> bool:
        """True for a player without health, who bids no more and is paid no more."""
        return not s.statuses[seat - 1].alive

    def _reason(self, s: WaterState) -> str | None:
        if not any(status.alive for status in s.statuses):
            return "all-dead"
        return "last-day" if len(s.past) == s.config.days else None

    def view(self, s: WaterState, viewer: Viewer) -> View:
        """Facts: `supply` of today (None until drawn), `supply_range`, `most_health`, `water_health`, `residents`
        (name, need, salary, balance, health, next_loss, alive), `bid` (the viewer's own, once made), `bids` (observer),
        `persona` (the viewer's own), `day_payoff`, `payoffs`. Everything but personas and the bids of today is public.
        History: for each day supply, bids, winners and statuses.
        """
        c, phase = s.config, self.to_move(s)
        own = viewer - 1 if isinstance(viewer, int) else None
        facts = {
            "supply": s.supply,
            "supply_range": [c.supply_low, c.supply_high],
            "most_health": c.most_health,
            "water_health": c.water_health,
            "residents": [
                {"name": resident.name, "need": resident.need, "salary": resident.salary, **_shown(status)}
                for resident, status in zip(c.residents, s.statuses, strict=True)
            ],
            "bid": s.bids[own] if own is not None else None,
            "bids": list(s.bids) if viewer == "observer" else None,
            "persona": c.residents[own].persona if c.personas and own is not None else None,
            "day_payoff": c.day_payoff,
            "payoffs": [str(payoff) for payoff in self.payoffs(s)],
        }
        history = tuple(_entry(number, day) for number, day in enumerate(s.past, 1))
        return View(
            viewer, phase.round, phase.name, phase.phase_id, c.days, viewer in phase.seats, facts, history
        )

    def metrics(
        self, c: WaterConfig, events: Sequence[Event]
    ) -> Mapping[Seat, Mapping[str, Fraction | float | None]]:
        """`survived` (0 or 1), `days_alive`, `days_won`, `paid` in dollars, final `health` and `balance`; of the match
        `survivors`, `rsr_start` and `rsr_end` (expected supply over the need of those alive; None when nobody is).
        """
        s = reduce(self.apply, events, self.initial(c))
        alive = [resident for resident, status in zip(c.residents, s.statuses, strict=True) if status.alive]
        shared = {
            "survivors": Fraction(len(alive)),
            "rsr_start": _satisfaction(c, c.residents),
            "rsr_end": _satisfaction(c, alive),
        }
        return {seat: {**_measures(s, seat), **shared} for seat in range(1, len(c.residents) + 1)}


def _to_bid(s: WaterState) -> tuple[Seat, ...]:
    statuses = zip(s.statuses, s.bids, strict=True)
    return tuple(seat for seat, (status, bid) in enumerate(statuses, 1) if status.alive and bid is None)


def _paid(s: WaterState) -> tuple[Status, ...]:
    return tuple(
        replace(status, balance=status.balance + resident.salary) if status.alive else status
        for status, resident in zip(s.statuses, s.config.residents, strict=True)
    )


def day_over(s: WaterState) -> WaterState:
    """The evening of a day whose supply and bids are known: who won, and how everybody stands."""
    balances = [status.balance for status in s.statuses]
    won = allocate([resident.need for resident in s.config.residents], balances, s.bids, s.supply or 0)
    statuses = tuple(
        _evening(s.config, status, s.bids[index], index in won) for index, status in enumerate(s.statuses)
    )
    day = Day(s.supply or 0, s.bids, tuple(index + 1 for index in won), statuses)
    return WaterState(s.config, statuses, (None,) * len(statuses), None, (*s.past, day))


def _evening(c: WaterConfig, status: Status, bid: int | None, won: bool) -> Status:
    if bid is None:
        return status
    if won:
        return Status(status.balance - bid, min(c.most_health, status.health + c.water_health), 1)
    return Status(status.balance, status.health - status.next_loss, status.next_loss + 1)


def _days_alive(s: WaterState) -> list[int]:
    return [sum(day.statuses[index].alive for day in s.past) for index in range(len(s.statuses))]


def _shown(status: Status) -> Mapping[str, Any]:
    return {
        "balance": status.balance,
        "health": status.health,
        "next_loss": status.next_loss,
        "alive": status.alive,
    }


def _entry(number: int, day: Day) -> Mapping[str, Any]:
    statuses = [_shown(status) for status in day.statuses]
    return {
        "day": number,
        "supply": day.supply,
        "bids": list(day.bids),
        "winners": list(day.winners),
        "statuses": statuses,
    }


def _satisfaction(c: WaterConfig, alive: Sequence[Resident]) -> Fraction | None:
    expected = Fraction(c.supply_low + c.supply_high, 2)
    return expected / sum(resident.need for resident in alive) if alive else None


def _measures(s: WaterState, seat: Seat) -> Mapping[str, Fraction]:
    status = s.statuses[seat - 1]
    prices = [day.bids[seat - 1] or 0 for day in s.past if seat in day.winners]
    return {
        "survived": Fraction(status.alive),
        "days_alive": Fraction(_days_alive(s)[seat - 1]),
        "days_won": Fraction(len(prices)),
        "paid": Fraction(sum(prices)),
        "health": Fraction(status.health),
        "balance": Fraction(status.balance),
    }
