"""The trials of a session, their order and the member on the left. Pure and seeded.

Exact balance over sessions needs no counters. Sessions of one study version form counterbalanced session pairs by their
ordinal: the first splits the sides of each condition at random, the second shows every pair with sides swapped. After
any number of sessions each pair has then been shown both ways equally often, up to one; and as a mirrored split is a
split, every session is balanced within each condition as well. The database's unique ordinal makes this hold for
sessions that start at the same instant.

If a session gets only some of the pairs (`choose_pairs`), the second of the two gets those of the first.
"""

import random
from collections.abc import Mapping, Sequence
from itertools import groupby

from app.tasks.pair.design import Member, Order, PairToPlan, PlannedTrial, Sides
from app.trials.design import Kind


def plan_session(
    pairs: Sequence[PairToPlan],
    *,
    order: Order,
    sides: Sides,
    rng: random.Random,
    mirror_of: Mapping[int, Member] | None = None,
) -> list[PlannedTrial]:
    """Plan one session over all `pairs` (in the study file's order).

    `mirror_of` is the first session of the two, as pair id to member on the left: given for every second session.
    Practice pairs come first in any order.
    """
    left = _left_members(pairs, sides, rng, mirror_of)
    ordered = [
        *_in_order([p for p in pairs if p.kind is Kind.PRACTICE], order, rng),
        *_in_order([p for p in pairs if p.kind is not Kind.PRACTICE], order, rng),
    ]
    return [PlannedTrial(position, pair.id, left[pair.id]) for position, pair in enumerate(ordered, start=1)]


def _left_members(
    pairs: Sequence[PairToPlan], sides: Sides, rng: random.Random, mirror_of: Mapping[int, Member] | None
) -> dict[int, Member]:
    if sides == "fixed":
        return {pair.id: Member.A for pair in pairs}
    if sides == "random":
        return {pair.id: rng.choice((Member.A, Member.B)) for pair in pairs}
    if mirror_of is not None:
        return {pair.id: mirror_of[pair.id].other for pair in pairs}
    return _split(pairs, rng)


def _split(pairs: Sequence[PairToPlan], rng: random.Random) -> dict[int, Member]:
    """Half of each condition with its anchor on the left; odd ones out take turns, so the whole is even too."""

    def group(pair: PairToPlan) -> tuple[str, str]:
        return pair.kind, pair.condition

    left: dict[int, Member] = {}
    extra_left = rng.random() < 0.5
    groups = [list(members) for _, members in groupby(sorted(pairs, key=group), key=group)]
    rng.shuffle(groups)
    for members in groups:
        n_left = len(members) // 2
        if len(members) % 2:
            n_left += extra_left
            extra_left = not extra_left
        anchored_left = {pair.id for pair in rng.sample(members, n_left)}
        for pair in members:
            left[pair.id] = pair.anchor if pair.id in anchored_left else pair.anchor.other
    return left


def _in_order(pairs: list[PairToPlan], order: Order, rng: random.Random) -> list[PairToPlan]:
    if order == "fixed":
        return pairs
    shuffled = rng.sample(pairs, len(pairs))
    if order == "random":
        return shuffled
    conditions = sorted({pair.condition for pair in pairs})
    rng.shuffle(conditions)
    return sorted(shuffled, key=lambda pair: conditions.index(pair.condition))


def choose_pairs(
    pairs: Sequence[PairToPlan], exposure: Mapping[int, int], n: int, rng: random.Random
) -> tuple[PairToPlan, ...]:
    """The pairs of a session that is to get `n` of the main ones, in the study file's order, for `plan_session`.

    All practice and attention pairs, and of each condition its share of the `n`: rounded down or up, by the largest
    remainder, which is carried over from session to session as far as `exposure` shows. Within a condition the pairs
    with the least exposure come first, random among equals. `exposure` is how many sessions have or had each pair, by
    its id (dropouts left out; without an entry: none). All main pairs where there are no more than `n`.

    This is for the first of two counterbalanced sessions. The second gets the same pairs (those in its `mirror_of`),
    so that each is shown both ways; without dropouts the numbers of session pairs that two pairs of a condition are in
    differ by one at most, and their exposure so by two at most. Raises ValueError for an `n` below one.
    """
    if n < 1:
        raise ValueError(f"per_participant is {n}; a participant sees at least one pair")
    chosen = {pair.id for pair in pairs if pair.kind is not Kind.MAIN}
    by_condition: dict[str, list[PairToPlan]] = {}
    for pair in pairs:
        if pair.kind is Kind.MAIN:
            by_condition.setdefault(pair.condition, []).append(pair)
    sizes = {condition: len(members) for condition, members in by_condition.items()}
    had = {
        condition: sum(exposure.get(pair.id, 0) for pair in members)
        for condition, members in by_condition.items()
    }
    for condition, share in _shares(sizes, had, n, rng).items():
        members = by_condition[condition]
        # sorted() is stable, so the shuffle decides among equals.
        members = sorted(rng.sample(members, len(members)), key=lambda pair: exposure.get(pair.id, 0))
        chosen |= {pair.id for pair in members[:share]}
    return tuple(pair for pair in pairs if pair.id in chosen)


def _shares(
    sizes: Mapping[str, int], had: Mapping[str, int], n: int, rng: random.Random
) -> Mapping[str, int]:
    """The number of `n` trials for each condition, by its number of pairs and the trials that it has had."""
    n_pairs, n_had = sum(sizes.values()), sum(had.values())
    n = min(n, n_pairs)
    shares = {condition: n * size // n_pairs for condition, size in sizes.items()}

    def is_behind(condition: str) -> int:
        """The deficit, times the number of pairs, if the share were rounded down."""
        # Whole numbers, as the rounding of floats would decide between equals.
        return (n_had + n) * sizes[condition] - n_pairs * (had[condition] + shares[condition])

    rounded = [condition for condition, size in sizes.items() if n * size % n_pairs]
    most_behind = sorted(rng.sample(rounded, len(rounded)), key=is_behind, reverse=True)
    for condition in most_behind[: n - sum(shares.values())]:
        shares[condition] += 1
    return shares
