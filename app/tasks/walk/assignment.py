"""The order of goals for each participant's walks, exactly balanced over participants. Pure."""

from collections.abc import Sequence


def balanced_orders(n: int) -> Sequence[Sequence[int]]:
    """Orders of `n` things such that each stands in each place equally often, and right after each other equally often
    (Williams 1949): `n` orders where that is even, twice as many where it is odd."""
    first = [(place + 1) // 2 if place % 2 else -(place // 2) for place in range(n)]
    orders = [[(at + row) % n for at in first] for row in range(n)]
    return orders if n % 2 == 0 else [*orders, *(order[::-1] for order in orders)]


def walks_of(ordinal: int, *, goals: int, starts: int, walks: int) -> Sequence[tuple[int, int]]:
    """The goal (from 0) and the start (from 1) of each walk of the participant who is the `ordinal`th, from 1.

    Over as many participants in a row as there are orders, each goal is equally often at each place; over `starts`
    times as many, so is each start.
    """
    orders = balanced_orders(goals)
    turn, row = divmod(ordinal - 1, len(orders))
    return [(orders[row][place % goals], (turn + place // goals) % starts + 1) for place in range(walks)]
