"""Choices recorded as thresholds: the least that a player accepts, applied to the standing offer."""

from typing import Any

from app.tasks.game.base import Seat
from app.tasks.game.moves import IllegalMove


def accepts_a_part(state: Any, config: Any, seat: Seat, least: int) -> bool:
    """True where the standing offer leaves the seat `least` or more. Raises IllegalMove for no part of the money."""
    money = config.money
    if not 0 <= least <= money:
        raise IllegalMove(f"{least} is no part of {money}")
    return bool((state.standing.amount if seat == 1 else money - state.standing.amount) >= least)


def accepts_a_price(state: Any, _: Any, seat: Seat, least: int) -> bool:
    """True if the standing price is at least the seller's threshold, or at most the buyer's."""
    price = state.standing.amount
    return bool(price >= least if seat == 1 else price <= least)
