"""Information available before an answer in GLEE's games: the features for predicting people's answers."""

from collections.abc import Callable
from typing import Any

from app.tasks.game.base import Seat
from app.tasks.game.reporting import Features


def _offers(state: Any, seat: Seat, gain: Callable[[int], float]) -> Features:
    """The standing offer's gain, and both players' earlier offers."""
    earlier = state.answered
    offered = [gain(offer.amount) for offer in earlier if offer.proposer != seat]
    asked = [gain(offer.amount) for offer in earlier if offer.proposer == seat]
    now = gain(state.standing.amount)
    shown = state.config.shown_rounds
    return {
        "round": float(len(earlier) + 1),
        "rounds_left": None if shown is None else float(shown - len(earlier) - 1),
        "gain": now,
        "best_before": max(offered) if offered else None,
        "change": now - offered[-1] if offered else None,
        "own_last": asked[-1] if asked else None,
        "message_length": float(len(state.standing.message)),
    }


def bargaining(state: Any, seat: Seat) -> Features:
    money = state.config.money
    return _offers(state, seat, lambda amount: (amount if seat == 1 else money - amount) / money)


def negotiation(state: Any, seat: Seat) -> Features:
    value = state.config.values[seat - 1]
    return _offers(
        state, seat, lambda price: (price - value if seat == 1 else value - price) / state.config.money
    )


def persuasion(state: Any, seat: Seat) -> Features:
    past, current = state.past, state.current
    advised = [product for product in past if _advises(product)]
    bought = [product for product in past if product.bought]
    return {
        "round": float(len(past) + 1),
        "recommended": None if current.recommended is None else float(current.recommended),
        "message_length": float(len(current.message)),
        "honest": sum(product.good for product in advised) / len(advised) if advised else None,
        "bought": len(bought) / len(past) if past else None,
        "good_bought": sum(product.good for product in bought) / len(bought) if bought else None,
        "last_good": float(past[-1].good) if past else None,
        "last_bought": float(past[-1].bought) if past else None,
        "worth": float(state.config.chance_high * state.config.value),
    }


def _advises(product: Any) -> bool:
    return bool(product.message) if product.recommended is None else product.recommended
