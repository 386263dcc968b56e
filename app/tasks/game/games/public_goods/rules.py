"""The public-goods game: each round all contribute to a project at once, and may then take points from each other.

Rules and payoffs of Fehr and Gächter (2000, 2002): [FG00], [FG02] in docs/references.md. A round pays the part not
contributed, and a share (`mpcr`) of all contributions to each. Deduction points cost the giver 1 each and take `effect`
each from the other (`fixed`, 2002), or cost by a rising table and take a tenth of the round's income each, at most all
of it (`tenths`, 2000).

Move kinds: `contribute` with `amount`; then `deduct` with one field `points_N` for each other seat N.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from app.core.widgets import Widget
from app.tasks.game.base import (
    Event,
    GameConfig,
    Outcome,
    Phase,
    Role,
    Seat,
    Start,
    View,
    Viewer,
    require_turn,
)
from app.tasks.game.moves import ChanceSpec, IllegalMove, Move, MoveKind, MoveSchema, Number
from app.tasks.game.ratio import Ratio

MOST_POINTS = 10
COSTS = (0, 1, 2, 4, 6, 9, 12, 16, 20, 25, 30)
"""The cost of so many points to one member, as published in 2000."""


class PublicGoodsConfig(GameConfig):
    """The parameters; amounts are whole units. The defaults are those of 2002."""

    together: ClassVar[Sequence[tuple[str, ...]]] = (("rounds", "punishment"),)
    starts: ClassVar[Sequence[Start]] = (
        Start("With deduction points", "Groups of 4, 6 rounds, as published in 2002", {}),
        Start(
            "Without deduction points", "Groups of 4, 6 rounds, as published in 2002", {"punishment": "none"}
        ),
        Start(
            "Ten rounds, rising cost",
            "Groups of 4, 10 rounds, as published in 2000",
            {"rounds": 10, "punishment": "tenths"},
        ),
    )
    titles: ClassVar[Mapping[str, str]] = {
        "fehr-gaechter-2000": "Both conditions of 2000",
        "fehr-gaechter-2002": "Both conditions of 2002",
    }

    players: Annotated[int, Widget(unit="people")] = Field(
        default=4, ge=2, le=8, title="Members of a group", description="Members of a group."
    )
    rounds: Annotated[int, Widget(unit="rounds")] = Field(
        default=6, ge=1, le=100, title="Length of a match", description="Rounds of a match."
    )
    endowment: Annotated[int, Widget(unit="points a round")] = Field(
        default=20, ge=1, le=1_000_000, title="Endowment", description="What each has in a round."
    )
    mpcr: Annotated[Ratio, Widget(unit="of each point", is_short=True)] = Field(
        default=Fraction(2, 5),
        ge=0,
        le=1,
        title="Each member gets of the project",
        description="What each member gets of a unit in the project: the marginal per capita return.",
    )
    punishment: Annotated[
        Literal["none", "fixed", "tenths"],
        Widget(
            words={
                "none": "There are no deduction points",
                "fixed": "A point costs 1 and takes a fixed number",
                "tenths": "A point takes a tenth of the round’s income, at a rising cost",
            },
            settles=True,
        ),
    ] = Field(
        default="fixed",
        title="Deduction points",
        description="`fixed`: a point costs 1 and takes `effect`; `tenths`: it takes a tenth of the round's income, "
        "and costs by a rising table; `none`: there are no points.",
    )
    effect: Annotated[int, Widget(unit="points")] = Field(
        default=3,
        ge=1,
        le=100,
        title="A deduction point takes",
        description="What a point takes, where `fixed`.",
    )
    show_rounds: bool = Field(
        default=True,
        title="Tell members how many rounds there are",
        description="Players know how many rounds there are.",
    )

    @classmethod
    def idle(cls, keys: Mapping[str, Any]) -> Collection[str]:
        return ("effect",) if keys.get("punishment", "fixed") != "fixed" else ()

    @classmethod
    def untimed(cls, keys: Mapping[str, Any]) -> Collection[str]:
        return ("deduct",) if keys.get("punishment") == "none" else ()

    @classmethod
    def grid(cls) -> Sequence["PublicGoodsConfig"]:
        """The conditions of both papers, that of 2002 with points first."""
        return [config for configs in reversed(list(cls.named().values())) for config in configs]

    @classmethod
    def named(cls) -> Mapping[str, list["PublicGoodsConfig"]]:
        """Both conditions of each paper."""
        return {
            "fehr-gaechter-2000": [cls(rounds=10, punishment="tenths"), cls(rounds=10, punishment="none")],
            "fehr-gaechter-2002": [cls(), cls(punishment="none")],
        }


@dataclass(frozen=True, slots=True)
class Round:
    """A round that is over: what each contributed, and the points of each to each (none to oneself), by seat."""

    contributions: tuple[int, ...]
    points: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class State:
    """The state of a match. `contributions` and `points` are of this round, by seat; `past` has finished rounds."""

    config: PublicGoodsConfig
    round: int
    phase: Literal["contribute", "deduct", "end"]
    contributions: tuple[int | None, ...]
    points: tuple[tuple[int, ...] | None, ...]
    past: tuple[Round, ...] = ()


class PublicGoods:
    """The game."""

    name = "public-goods"
    version = "1"
    shares = frozenset({"contributes", "free_rides", "antisocial"})
    Config = PublicGoodsConfig

    def seats(self, c: PublicGoodsConfig) -> Sequence[Role]:
        return [Role(seat, "player") for seat in range(1, c.players + 1)]

    def initial(self, c: PublicGoodsConfig) -> State:
        return State(c, 1, "contribute", (None,) * c.players, (None,) * c.players)

    def nature(self, s: State) -> ChanceSpec | None:
        return None

    def to_move(self, s: State) -> Phase:
        made = s.contributions if s.phase == "contribute" else s.points
        waited = () if s.phase == "end" else tuple(i for i, one in enumerate(made, 1) if one is None)
        return Phase(f"{s.round}-{s.phase}", s.round, s.phase, waited, simultaneous=True)

    def legal(self, s: State, seat: Seat) -> MoveSchema:
        if seat not in self.to_move(s).seats:
            raise IllegalMove(f"seat {seat} may not act in phase {s.round}-{s.phase}")
        if s.phase == "contribute":
            return MoveSchema((MoveKind("contribute", (Number("amount", 0, s.config.endowment),)),))
        fields = tuple(Number(f"points_{other}", 0, MOST_POINTS) for other in others(s.config, seat))
        return MoveSchema((MoveKind("deduct", fields),))

    def apply(self, s: State, event: Event) -> State:
        if event.kind == "nature":
            raise IllegalMove("there is no chance in this game")
        if event.kind != "move" or event.seat is None:
            return s
        require_turn(self.to_move(s), event)
        self.legal(s, event.seat).check(event.move, event.message)
        at = event.seat - 1
        if s.phase == "contribute":
            return _contributed(
                replace(s, contributions=_with(s.contributions, at, int(event.move["amount"])))
            )
        own = tuple(int(event.move.get(f"points_{seat}", 0)) for seat in range(1, s.config.players + 1))
        return _deducted(replace(s, points=_with(s.points, at, own)))

    def default_move(self, s: State, seat: Seat) -> Move:
        """Contribute nothing, and give no points."""
        if s.phase == "contribute":
            return {"kind": "contribute", "amount": 0}
        return {"kind": "deduct", **{f"points_{other}": 0 for other in others(s.config, seat)}}

    def payoffs(self, s: State) -> tuple[Fraction, ...]:
        paid = [profits(s.config, one) for one in s.past]
        return tuple(sum((each[at] for each in paid), Fraction(0)) for at in range(s.config.players))

    def done(self, s: State) -> Outcome | None:
        return Outcome("rounds", self.payoffs(s)) if s.phase == "end" else None

    def view(self, s: State, viewer: Viewer) -> View:
        """Facts for all viewers: players, endowment, mpcr, punishment, effect. A seat's add earned, own_contribution,
        and once all have contributed, contributions of all; the observer's add current contributions and points.

        History: for each round contributions of all, and a seat's own `profit`; with punishment, its `given` to each,
        the sum `received`, never from whom, and its `income` before them. Other viewers see `points` of each to each,
        and `profits`.
        """
        c, phase = s.config, self.to_move(s)
        facts: dict[str, Any] = {
            **{"players": c.players, "endowment": c.endowment, "mpcr": str(c.mpcr)},
            **{"punishment": c.punishment, "effect": c.effect if c.punishment == "fixed" else None},
        }
        if isinstance(viewer, int):
            facts["earned"] = str(self.payoffs(s)[viewer - 1])
            facts["own_contribution"] = s.contributions[viewer - 1]
            facts["contributions"] = list(s.contributions) if s.phase == "deduct" else None
            history = tuple(_seen(c, one, at, viewer) for at, one in enumerate(s.past, 1))
        else:
            history = tuple(_public(c, one, at) for at, one in enumerate(s.past, 1))
        if viewer == "observer":
            facts |= {"contributions": list(s.contributions), "points": list(s.points)}
        rounds = c.rounds if c.show_rounds or viewer == "observer" else None
        return View(viewer, s.round, s.phase, phase.phase_id, rounds, viewer in phase.seats, facts, history)

    def metrics(
        self, c: PublicGoodsConfig, events: Sequence[Event]
    ) -> Mapping[Seat, Mapping[str, Fraction | float | None]]:
        """By seat, means over rounds: contributes (share of the endowment), free_rides (share of rounds without a
        contribution), income (before points), profit, points_given, points_received; and antisocial, the share of its
        points that went to members who had contributed as much or more.
        """
        s = self.initial(c)
        for event in events:
            s = self.apply(s, event)
        return {seat: _measures(s, seat) for seat in range(1, c.players + 1)}


def others(c: PublicGoodsConfig, seat: Seat) -> list[Seat]:
    """The other seats in order."""
    return [other for other in range(1, c.players + 1) if other != seat]


def incomes(c: PublicGoodsConfig, contributions: Sequence[int]) -> list[Fraction]:
    """The pay of a round for each seat, before points."""
    project = c.mpcr * sum(contributions)
    return [c.endowment - own + project for own in contributions]


def profits(c: PublicGoodsConfig, one: Round) -> list[Fraction]:
    """The pay of a round for each seat in the end; points can make it less than nothing."""
    return [
        _after(c, income, one.points[at], sum(given[at] for given in one.points))
        for at, income in enumerate(incomes(c, one.contributions))
    ]


def _after(c: PublicGoodsConfig, income: Fraction, given: Sequence[int], received: int) -> Fraction:
    if c.punishment == "tenths":
        # Points take all of the income at most; what one's own points cost can still make it less than nothing.
        return income * Fraction(10 - min(received, 10), 10) - sum(COSTS[points] for points in given)
    return income - sum(given) - c.effect * received


def _with(made: tuple[Any, ...], at: int, own: Any) -> tuple[Any, ...]:
    return (*made[:at], own, *made[at + 1 :])


def _contributed(s: State) -> State:
    if None in s.contributions:
        return s
    if s.config.punishment != "none":
        return replace(s, phase="deduct")
    nobody = (0,) * s.config.players
    return _resolved(s, (nobody,) * s.config.players)


def _deducted(s: State) -> State:
    points = tuple(one for one in s.points if one is not None)
    return _resolved(s, points) if len(points) == s.config.players else s


def _resolved(s: State, points: tuple[tuple[int, ...], ...]) -> State:
    c, is_last = s.config, s.round == s.config.rounds
    one = Round(tuple(own for own in s.contributions if own is not None), points)
    nobody = (None,) * c.players
    at, phase = (s.round, "end") if is_last else (s.round + 1, "contribute")
    return State(c, at, phase, nobody, nobody, (*s.past, one))  # type: ignore[arg-type]


def _seen(c: PublicGoodsConfig, one: Round, number: int, seat: Seat) -> dict[str, Any]:
    at = seat - 1
    profit = str(profits(c, one)[at])
    seen = {"round": number, "contributions": list(one.contributions), "profit": profit}
    if c.punishment == "none":
        return seen
    got = sum(given[at] for given in one.points)
    income = str(incomes(c, one.contributions)[at])
    return {**seen, "given": list(one.points[at]), "received": got, "income": income}


def _public(c: PublicGoodsConfig, one: Round, number: int) -> dict[str, Any]:
    return {
        "round": number,
        "contributions": list(one.contributions),
        "points": [list(given) for given in one.points],
        "profits": [str(each) for each in profits(c, one)],
    }


def _measures(s: State, seat: Seat) -> dict[str, Fraction | float | None]:
    c, at = s.config, seat - 1
    own = [one.contributions[at] for one in s.past]
    given = [points for one in s.past for points in enumerate(one.points[at])]
    up = [
        points
        for one in s.past
        for other, points in enumerate(one.points[at])
        if one.contributions[other] >= one.contributions[at]
    ]
    n_given = sum(points for _, points in given)
    n = len(s.past)
    return {
        "contributes": Fraction(sum(own), n * c.endowment),
        "free_rides": Fraction(own.count(0), n),
        "income": sum((incomes(c, one.contributions)[at] for one in s.past), Fraction(0)) / n,
        "profit": sum((profits(c, one)[at] for one in s.past), Fraction(0)) / n,
        "points_given": Fraction(n_given, n),
        "points_received": Fraction(sum(points[at] for one in s.past for points in one.points), n),
        "antisocial": Fraction(sum(up), n_given) if n_given else None,
    }
