"""Which trials a session gets, in which order and with which member on the left. Pure and seeded.

Exact balance over sessions needs no counters. Sessions of one study version form counterbalanced session pairs
by their ordinal: the first splits the sides of each condition at random, the second shows every pair the other way
round. After any number of sessions each pair has then been shown both ways equally often, off by at most one;
and as a split mirrored is a split, every session is balanced within each condition as well. The database's
unique ordinal makes this hold for sessions that start at the same instant.
"""

import random
from collections.abc import Mapping, Sequence
from itertools import groupby

from app.sessions.design import Kind, Member, Order, PairToPlan, PlannedTrial, Sides


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
    Practice pairs come first whatever the order.
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
