"""The Social Ultimatum Game: each round, every player offers part of an endowment to one other, who accepts or rejects.

Rules of the game in which human play was compared with agents by distance metrics (docs/references.md). The published
games had five players and twenty rounds or more. Several may offer to the same player, and a player may get no offer.

Move kinds: `offer` with `to` (a seat) and `amount`; then `answer` with one field `offer_N` for each offer received,
N being the seat that made it, `accept` or `reject`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

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
from app.tasks.game.moves import ChanceSpec, Choice, IllegalMove, Move, MoveKind, MoveSchema, Number

ACCEPT, REJECT = "accept", "reject"

Offer = tuple[Seat, int]
"""Recipient and amount."""
Answered = tuple[Seat, int, bool]
"""Recipient, amount, whether it was accepted."""


class SugConfig(GameConfig):
    """The parameters; amounts are in units of `endowment`, offers are 0, `step`, ..., `endowment`."""

    starts: ClassVar[Sequence[Start]] = (
        Start("Published", "5 players, 20 rounds; the number of rounds is told", {}),
        Start("Short", "5 players, 8 rounds", {"rounds": 8}),
        Start("Small group", "3 players, 10 rounds", {"players": 3, "rounds": 10}),
    )

    players: Annotated[int, Widget(unit="people")] = Field(
        default=5, ge=3, le=20, title="Players in a match", description="Players of a match."
    )
    rounds: Annotated[int, Widget(unit="rounds")] = Field(
        default=20, ge=2, le=200, title="Length of a match", description="Rounds of a match."
    )
    endowment: Annotated[int, Widget(unit="points")] = Field(
        default=10, ge=1, le=1_000_000, title="To share in each offer", description="What each offer divides."
    )
    step: Annotated[int, Widget(unit="points")] = Field(
        default=1,
        ge=1,
        title="Step between two offers",
        description="Between two offers that are allowed; divides the endowment.",
    )
    show_rounds: bool = Field(
        default=True,
        title="Tell players how many rounds there are",
        description="Players know how many rounds there are.",
    )
    public_history: bool = Field(
        default=False,
        title="Show everybody’s offers and answers of past rounds",
        description="Players see all offers and answers of past rounds.",
    )

    @model_validator(mode="after")
    def _step_divides(self) -> Self:
        if self.endowment % self.step:
            raise ValueError(f"step {self.step} does not divide the endowment {self.endowment}")
        return self


@dataclass(frozen=True, slots=True)
class State:
    """`offers` and `answers` are of the round under way, by sender; `history` has a tuple for each past round."""

    config: SugConfig
    round: int
    phase: Literal["offer", "answer", "end"]
    offers: tuple[Offer | None, ...]
    answers: tuple[bool | None, ...]
    history: tuple[tuple[Answered, ...], ...]
    totals: tuple[int, ...]


class Sug:
    """The game."""

    name = "sug"
    version = "1"
    shares = frozenset({"offers_accepted", "accepts"})
    Config = SugConfig

    def seats(self, c: SugConfig) -> Sequence[Role]:
        return [Role(seat, "player") for seat in range(1, c.players + 1)]

    def initial(self, c: SugConfig) -> State:
        nobody = (None,) * c.players
        return State(c, 1, "offer", nobody, nobody, (), (0,) * c.players)

    def nature(self, s: State) -> ChanceSpec | None:
        return None

    def to_move(self, s: State) -> Phase:
        seats = tuple(seat for seat in range(1, s.config.players + 1) if _may_act(s, seat))
        return Phase(f"{s.round}-{s.phase}", s.round, s.phase, seats, simultaneous=True)

    def legal(self, s: State, seat: Seat) -> MoveSchema:
        if not _may_act(s, seat):
            raise IllegalMove(f"seat {seat} may not act in phase {s.round}-{s.phase}")
        if s.phase == "answer":
            fields = tuple(Choice(f"offer_{sender}", (ACCEPT, REJECT)) for sender, _ in _received(s, seat))
            return MoveSchema((MoveKind("answer", fields),))
        others = tuple(other for other in range(1, s.config.players + 1) if other != seat)
        amount = Number("amount", 0, s.config.endowment, s.config.step)
        return MoveSchema((MoveKind("offer", (Choice("to", others), amount)),))

    def apply(self, s: State, event: Event) -> State:
        if event.kind == "nature":
            raise IllegalMove("there is no chance in this game")
        if event.kind != "move" or event.seat is None:
            return s
        require_turn(self.to_move(s), event)
        self.legal(s, event.seat).check(event.move, event.message)
        if s.phase == "offer":
            return _with_offer(s, event.seat, event.move)
        return _with_answers(s, event.seat, event.move)

    def default_move(self, s: State, seat: Seat) -> Move:
        """Offer nothing to the next seat, so that a player who left pays nobody; reject every offer."""
        if s.phase == "answer":
            return {"kind": "answer", **{f"offer_{sender}": REJECT for sender, _ in _received(s, seat)}}
        return {"kind": "offer", "to": seat % s.config.players + 1, "amount": 0}

    def payoffs(self, s: State) -> tuple[Fraction, ...]:
        return tuple(Fraction(total) for total in s.totals)

    def done(self, s: State) -> Outcome | None:
        return Outcome("rounds", self.payoffs(s)) if s.phase == "end" else None

    def view(self, s: State, viewer: Viewer) -> View:
        """A seat's facts: players, endowment, step, public_history, total, own_offer, received (sender and amount).

        A seat's history: for each round its own `offer` (to, amount, accepted), the offers `received` (from, amount,
        accepted) and its `payoff`; with a public history, `offers` of all, as others see it. The observer's facts add
        pending offers; a record has the offers of all finished rounds.
        """
        c = s.config
        facts: dict[str, Any] = {
            "players": c.players,
            "endowment": c.endowment,
            "step": c.step,
            "public_history": c.public_history,
        }
        acting = False
        if isinstance(viewer, int):
            acting = _may_act(s, viewer)
            facts |= _own(s, viewer)
            history = tuple(_seen(s, k, viewer) for k in range(len(s.history)))
        else:
            history = tuple(_public(s, k) for k in range(len(s.history)))
        if viewer == "observer":
            facts |= {"totals": s.totals, "offers": s.offers, "answers": s.answers}
        rounds = c.rounds if c.show_rounds or viewer == "observer" else None
        return View(viewer, s.round, s.phase, f"{s.round}-{s.phase}", rounds, acting, facts, history)

    def metrics(
        self, c: SugConfig, events: Sequence[Event]
    ) -> Mapping[Seat, Mapping[str, Fraction | float | None]]:
        """By seat: mean offer, share of own offers accepted, share of received offers accepted, offers received."""
        s = self.initial(c)
        for event in events:
            s = self.apply(s, event)
        return {seat: _measures(s, seat) for seat in range(1, c.players + 1)}


def _may_act(s: State, seat: Seat) -> bool:
    if s.phase == "offer":
        return 1 <= seat <= s.config.players and s.offers[seat - 1] is None
    return s.phase == "answer" and any(s.answers[sender - 1] is None for sender, _ in _received(s, seat))


def _received(s: State, seat: Seat) -> list[tuple[Seat, int]]:
    """The offers of this round to a seat, by sender; known once all have been made."""
    if s.phase != "answer":
        return []
    return [(i + 1, offer[1]) for i, offer in enumerate(s.offers) if offer and offer[0] == seat]


def _with_offer(s: State, seat: Seat, move: Move) -> State:
    offers = (*s.offers[: seat - 1], (move["to"], move["amount"]), *s.offers[seat:])
    return replace(s, offers=offers, phase="offer" if None in offers else "answer")


def _with_answers(s: State, seat: Seat, move: Move) -> State:
    answers = list(s.answers)
    for sender, _ in _received(s, seat):
        answers[sender - 1] = move[f"offer_{sender}"] == ACCEPT
    s = replace(s, answers=tuple(answers))
    return s if None in answers else _resolved(s)


def _resolved(s: State) -> State:
    """The round is over: it is paid and becomes history."""
    made = tuple(
        (offer[0], offer[1], bool(answer)) for offer, answer in zip(s.offers, s.answers, strict=True) if offer
    )
    paid = _paid(s.config, made)
    nobody = (None,) * s.config.players
    last = s.round == s.config.rounds
    return State(
        s.config,
        s.round if last else s.round + 1,
        "end" if last else "offer",
        nobody,
        nobody,
        (*s.history, made),
        tuple(total + pay for total, pay in zip(s.totals, paid, strict=True)),
    )


def _paid(c: SugConfig, made: Sequence[Answered]) -> list[int]:
    """A round's payoff of each seat: an accepted offer is divided, a rejected one pays nobody."""
    paid = [0] * c.players
    for i, (to, amount, accepted) in enumerate(made):
        if accepted:
            paid[i] += c.endowment - amount
            paid[to - 1] += amount
    return paid


def _own(s: State, seat: Seat) -> dict[str, Any]:
    offer = s.offers[seat - 1]
    return {
        "total": s.totals[seat - 1],
        "own_offer": None if offer is None else {"to": offer[0], "amount": offer[1]},
        "received": [{"from": sender, "amount": amount} for sender, amount in _received(s, seat)],
    }


def _public(s: State, k: int) -> dict[str, Any]:
    return {"round": k + 1, "offers": [_line(i + 1, answered) for i, answered in enumerate(s.history[k])]}


def _line(sender: Seat, answered: Answered) -> dict[str, Any]:
    to, amount, accepted = answered
    return {"from": sender, "to": to, "amount": amount, "accepted": accepted}


def _seen(s: State, k: int, seat: Seat) -> dict[str, Any]:
    made = s.history[k]
    seen = {
        "round": k + 1,
        "offer": _line(seat, made[seat - 1]),
        "received": [_line(i + 1, answered) for i, answered in enumerate(made) if answered[0] == seat],
        "payoff": _paid(s.config, made)[seat - 1],
    }
    return {**seen, "offers": _public(s, k)["offers"]} if s.config.public_history else seen


def _measures(s: State, seat: Seat) -> dict[str, Fraction | float | None]:
    own = [made[seat - 1] for made in s.history]
    received = [answered for made in s.history for answered in made if answered[0] == seat]
    return {
        "mean_offer": _mean([amount for _, amount, _ in own]),
        "offers_accepted": _mean([accepted for _, _, accepted in own]),
        "offers_received": Fraction(len(received)),
        "accepts": _mean([accepted for _, _, accepted in received]),
    }


def _mean(values: Sequence[int]) -> Fraction | None:
    return Fraction(sum(values), len(values)) if values else None
