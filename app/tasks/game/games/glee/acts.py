"""Players' observations and actions in GLEE's games, by signature of play."""

from collections.abc import Callable, Iterator
from typing import Any

from analysis.signatures import Act
from app.tasks.game.base import Event, Seat
from app.tasks.game.games.glee.persuasion_agents import recommended
from app.tasks.game.reporting import NOTHING

_ANSWERS = {"accept": 0.0, "reject": 1.0, "outside": 2.0}


def _offers(
    prefix: str, answered: str, gain: Callable[[Any, Seat, int], float], state: Any, seat: Seat, event: Event
) -> Iterator[Act]:
    """Acts of the two games of alternating offers: how a demand changes, and how an offer is answered."""
    place = float(seat - 1)
    if state.standing:
        answer = str(event.move["answer"])
        did = float(answer == "accept") if prefix == "bargaining" else _ANSWERS[answer]
        yield Act(answered, (place, gain(state, seat, state.standing.amount)), did)
        return
    own = [one.amount for one in state.answered if one.proposer == seat]
    other = [one.amount for one in state.answered if one.proposer != seat]
    if own:
        amount = int(event.move["alice_gain" if prefix == "bargaining" else "price"])
        change = gain(state, seat, amount) - gain(state, seat, own[-1])
        yield Act(f"{prefix}-change-given-offer", (place, gain(state, seat, other[-1])), change)


def bargaining(state: Any, seat: Seat, event: Event) -> Iterator[Act]:
    def gain(of: Any, seat: Seat, amount: int) -> float:
        return float(amount if seat == 1 else of.config.money - amount) / float(of.config.money)

    yield from _offers("bargaining", "bargaining-answer-given-offer", gain, state, seat, event)


def negotiation(state: Any, seat: Seat, event: Event) -> Iterator[Act]:
    def gain(of: Any, seat: Seat, price: int) -> float:
        value = of.config.values[seat - 1]
        return float(price - value if seat == 1 else value - price) / float(of.config.money)

    yield from _offers("negotiation", "negotiation-answer-given-price", gain, state, seat, event)


def persuasion(state: Any, seat: Seat, event: Event) -> Iterator[Act]:
    current = state.current
    if seat == 1:
        said = {"recommended": event.move.get("buy"), "message": event.message}
        yield Act("persuasion-recommends-given-quality", (float(current.good),), float(recommended(said)))
        return
    speaks = float(_spoken_for(current))
    yield Act("persuasion-buys-given-message", (speaks, _honesty(state)), float(event.move["buy"]))


def _honesty(state: Any) -> float:
    """The share of good products among those that the seller recommended. A myopic buyer sees only how many of those
    bought were good.
    """
    if state.config.buyer == "myopic":
        seen = [product for product in state.past if product.bought]
    else:
        seen = [product for product in state.past if _spoken_for(product)]
    return sum(product.good for product in seen) / len(seen) if seen else NOTHING


def _spoken_for(product: Any) -> bool:
    return recommended({"recommended": product.recommended, "message": product.message})
