"""The items of a new judge, and their order. Pure and seeded.

Assigning the items with the fewest judges keeps the design balanced without a plan made beforehand, which dropouts
would break: a judge gets the items with the lowest load, and the load of a judge who dropped out no longer counts.
Without dropouts, loads differ by at most one after every start. Greatest need first is also optimal: no other way of
giving each judge different items reaches `per_item` everywhere with fewer judges (`planned_sessions`).

`per_item` times the number of items need not be a multiple of `per_participant`: the last judge then gets the rest, and
no item gets a judge too many. A judge also gets fewer than `per_participant` items if dropouts left fewer than that
open. A judge who counted as dropped out and returns keeps the items, so that an item may end up with more than
`per_item` judges; no answers are refused for that.
"""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from app.trials.design import Kind


@dataclass(frozen=True, slots=True)
class ItemToAssign:
    """The facts about an item that assignment needs.

    `load` is the number of judges who have rated it or are about to: of sessions that are completed or active, without
    dropouts and excluded ones. Items of one `group` are kept apart; an item without a group may be next to any other.
    """

    id: int
    group: str | None = None
    kind: Kind = Kind.MAIN
    load: int = 0


def assign_items(
    items: Sequence[ItemToAssign],
    *,
    per_participant: int | None,
    per_item: int | None,
    rng: random.Random,
    mirror_of: Sequence[int] | None = None,
) -> tuple[ItemToAssign, ...] | None:
    """The items of a new judge, in order; None if no main item needs another judge: the study is full.

    `items` are those of the block in the study file's order. All practice items come first, in that order, then
    `per_participant` main items (None: all) with every attention check among them at equal distances. A main item that
    has `per_item` judges (None: unlimited) is assigned to no one else; a full study may reopen when someone drops out.

    The main items are those with the lowest load; among ties each group has its share of a judge's items, and within a
    group they are random. Two main items of one group are adjacent only if the chosen items cannot be ordered
    otherwise, and then as few as possible; a check between them does not count as separation.

    `mirror_of` has the ids of the items of the odd session of a counterbalanced session pair, in its order; given for
    the even one. If both have the same items, the even one reverses the order (of all but practice), so that the mean
    position of each item over the two is the same. Otherwise it has a random order of its own.

    Raises ValueError for a `per_participant` below one.
    """
    kinds = {kind: [item for item in items if item.kind is kind] for kind in Kind}
    needy = [item for item in kinds[Kind.MAIN] if per_item is None or item.load < per_item]
    if not needy:
        return None
    chosen = _least_loaded(needy, _number(per_participant, len(needy)), rng)
    checks = kinds[Kind.ATTENTION]
    by_id = {item.id: item for item in (*chosen, *checks)}
    practice = {item.id for item in kinds[Kind.PRACTICE]}
    before = [item_id for item_id in mirror_of or () if item_id not in practice]
    if before and set(before) == by_id.keys():
        ordered = [by_id[item_id] for item_id in reversed(before)]
    else:
        ordered = _with_checks(_groups_apart(chosen, rng), rng.sample(checks, len(checks)))
    return (*kinds[Kind.PRACTICE], *ordered)


def planned_sessions(items: Sequence[ItemToAssign], per_item: int, per_participant: int | None) -> int:
    """The number of further judges until every main item has `per_item`: the study's total if loads are 0.

    No judge rates an item twice, so the item with the greatest deficit is a bound as well as the sum of deficits.
    Raises ValueError for a `per_participant` below one.
    """
    lacking = [max(0, per_item - item.load) for item in items if item.kind is Kind.MAIN]
    if not lacking:
        return 0
    return max(max(lacking), -(-sum(lacking) // _number(per_participant, len(lacking))))


def _number(per_participant: int | None, n_items: int) -> int:
    if per_participant is not None and per_participant < 1:
        raise ValueError(f"per_participant is {per_participant}; a judge rates at least one item")
    return n_items if per_participant is None else min(per_participant, n_items)


def _least_loaded(items: Sequence[ItemToAssign], n: int, rng: random.Random) -> list[ItemToAssign]:
    """The `n` of lowest load. Among equals the group that is furthest below its share gives the next."""
    # sorted() is stable, so the shuffle decides among equal loads.
    by_load = sorted(rng.sample(items, len(items)), key=lambda item: item.load)
    limit = by_load[n - 1].load
    chosen = [item for item in by_load if item.load < limit]
    equal: dict[str | None, list[ItemToAssign]] = {}
    for item in by_load:
        if item.load == limit:
            equal.setdefault(item.group, []).append(item)
    sizes, had = Counter(item.group for item in items), Counter(item.group for item in chosen)
    for _ in range(n - len(chosen)):
        # `equal` is in random order, and of equals max() takes the first.
        group = max(equal, key=lambda group: n * sizes[group] - len(items) * had[group])
        chosen.append(equal[group].pop())
        had[group] += 1
        if not equal[group]:
            del equal[group]
    return chosen


def _groups_apart(items: Sequence[ItemToAssign], rng: random.Random) -> list[ItemToAssign]:
    """A random order with the fewest adjacent items of one group.

    Of n items, g in the largest group, an order without adjacent ones exists if and only if 2g <= n + 1. It is found by
    taking any item of another group than the last one's, unless some group has more than half of the rest, which then
    must give the next. If there is none, 2g - n - 1 adjacent ones is the minimum: that many blanks are added, which
    makes an order exist, and taken out again.
    """
    sizes = Counter(item.group for item in items if item.group is not None)
    largest = max(sizes.values(), default=0)
    blanks = max(0, 2 * largest - len(items) - 1)
    left: list[ItemToAssign | None] = [*items, *[None] * blanks]
    ordered: list[ItemToAssign | None] = []
    last: str | None = None
    while left:
        due = next((group for group, n in sizes.items() if group != last and 2 * n > len(left)), None)
        groups = [item.group if item else None for item in left]
        fitting = [at for at, group in enumerate(groups) if group is None or group != last]
        if due is not None:
            fitting = [at for at, group in enumerate(groups) if group == due]
        at = rng.choice(fitting)
        last = groups[at]
        ordered.append(left.pop(at))
        if last is not None:
            sizes[last] -= 1
    return [item for item in ordered if item]


def _with_checks(items: Sequence[ItemToAssign], checks: Sequence[ItemToAssign]) -> list[ItemToAssign]:
    """The checks at equal distances: apart, and neither first nor last, where there are fewer of them than of items."""
    n, result = len(checks), list(items)
    for number in reversed(range(n)):
        result.insert(((2 * number + 1) * len(items) + n) // (2 * n), checks[number])
    return result
