"""Assignment of items to raters: loads, numbers of items, order. Held against every order there is, where that can be
counted."""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.tasks.rating.assignment import ItemToAssign, assign_items, planned_sessions
from app.trials.design import Kind

GROUPS = (None, "a", "b", "c")

seeds = st.integers(0, 10_000)
groups_of = st.lists(st.sampled_from(GROUPS), min_size=1, max_size=14)
KINDS = st.sampled_from([Kind.MAIN, Kind.MAIN, Kind.MAIN, Kind.PRACTICE, Kind.ATTENTION])


def mains(groups: Sequence[str | None], loads: Sequence[int] = ()) -> list[ItemToAssign]:
    padded = [*loads, *[0] * len(groups)]
    return [ItemToAssign(n, group, load=padded[n - 1]) for n, group in enumerate(groups, start=1)]


@st.composite
def item_lists(draw: st.DrawFn, most_load: int = 0) -> list[ItemToAssign]:
    """With one main item at least."""
    rows = draw(st.lists(st.tuples(st.sampled_from(GROUPS), KINDS, st.integers(0, most_load)), max_size=18))
    numbered = enumerate([*rows, (None, Kind.MAIN, 0)], start=1)
    return [ItemToAssign(number, *row) for number, row in numbered]


def main_of(items: Sequence[ItemToAssign]) -> list[ItemToAssign]:
    return [item for item in items if item.kind is Kind.MAIN]


def with_loads(items: Sequence[ItemToAssign], had: Counter[int]) -> list[ItemToAssign]:
    return [replace(item, load=item.load + had[item.id]) for item in items]


def judges(
    items: Sequence[ItemToAssign], seed: int, *, per_participant: int, per_item: int
) -> list[list[ItemToAssign]]:
    """The items of one judge after the other, without dropouts, until the study is full."""
    found: list[list[ItemToAssign]] = []
    had: Counter[int] = Counter()
    rng = random.Random(seed)
    while given_ := assign_items(
        with_loads(items, had), per_participant=per_participant, per_item=per_item, rng=rng
    ):
        found.append(list(given_))
        had.update(item.id for item in main_of(given_))
    return found


def n_adjacent(items: Sequence[ItemToAssign]) -> int:
    return sum(a.group == b.group is not None for a, b in pairwise(items))


@given(item_lists(most_load=4), st.integers(1, 20), seeds)
def test_the_items_with_the_fewest_judges_come_first(items: list[ItemToAssign], n: int, seed: int) -> None:
    chosen = assign_items(items, per_participant=n, per_item=None, rng=random.Random(seed))
    assert chosen is not None
    taken = {item.id for item in main_of(chosen)}
    assert len(main_of(chosen)) == len(taken) == min(n, len(main_of(items)))
    left_out = [item.load for item in main_of(items) if item.id not in taken]
    assert not left_out or max(item.load for item in main_of(chosen)) <= min(left_out)


@given(item_lists(), st.integers(1, 20), st.integers(1, 4), seeds)
def test_every_item_gets_its_judges_and_every_judge_the_same_number(
    items: list[ItemToAssign], n: int, per_item: int, seed: int
) -> None:
    found = judges(items, seed, per_participant=n, per_item=per_item)
    had: Counter[int] = Counter()
    for judge in found:
        had.update(item.id for item in main_of(judge))
        loads = [had[item.id] for item in main_of(items)]
        assert max(loads) - min(loads) <= 1
    assert set(loads) == {per_item}
    n_mains = len(main_of(items))
    sizes = [len(main_of(judge)) for judge in found]
    assert sizes[:-1] == [min(n, n_mains)] * (len(found) - 1)
    assert sum(sizes) == per_item * n_mains
    assert len(found) == planned_sessions(items, per_item, n)


@given(item_lists(most_load=4), st.integers(1, 20), st.integers(1, 4), seeds)
def test_after_dropouts_the_holes_are_filled_by_as_few_judges_as_can_be(
    items: list[ItemToAssign], n: int, per_item: int, seed: int
) -> None:
    found = judges(items, seed, per_participant=n, per_item=per_item)
    had = Counter(item.id for judge in found for item in main_of(judge))
    assert all(item.load + had[item.id] == max(per_item, item.load) for item in main_of(items))
    assert len(found) == planned_sessions(items, per_item, n)


def test_the_alympics_design_needs_ten_judges_of_fifteen_records_in_two_groups() -> None:
    items = mains(["persona", "none"] * 15)
    assert planned_sessions(items, 5, 15) == 10
    found = judges(items, 1, per_participant=15, per_item=5)
    assert [len(judge) for judge in found] == [15] * 10
    for judge in found:
        assert {7, 8} == set(Counter(item.group for item in judge).values())
        assert n_adjacent(judge) == 0


def test_a_number_that_does_not_divide_leaves_the_last_judge_the_rest() -> None:
    found = judges(mains([None] * 7), 3, per_participant=3, per_item=2)
    assert [len(judge) for judge in found] == [3, 3, 3, 3, 2]
    assert planned_sessions(mains([None] * 7), 2, 3) == 5


def test_one_item_that_lacks_all_its_judges_needs_as_many_judges() -> None:
    assert planned_sessions(mains([None] * 4, [0, 5, 5, 5]), 5, 4) == 5
    assert planned_sessions(mains([None] * 4, [7, 5, 5, 5]), 5, 4) == 0
    assert planned_sessions([ItemToAssign(1, kind=Kind.PRACTICE)], 5, 4) == 0


def test_a_full_study_gives_nothing_not_even_practice() -> None:
    items = [ItemToAssign(9, kind=Kind.PRACTICE), *mains([None, None], [2, 3])]
    assert assign_items(items, per_participant=2, per_item=2, rng=random.Random(1)) is None
    chosen = assign_items(items, per_participant=2, per_item=3, rng=random.Random(1))
    assert [item.id for item in chosen or ()] == [9, 1]


def test_without_numbers_everybody_rates_everything() -> None:
    items = mains([None] * 5, [3, 1, 4, 1, 5])
    chosen = assign_items(items, per_participant=None, per_item=None, rng=random.Random(1))
    assert sorted(item.id for item in chosen or ()) == [1, 2, 3, 4, 5]
    assert planned_sessions(items, 6, None) == 5


def test_a_judge_of_no_item_is_refused() -> None:
    with pytest.raises(ValueError, match="per_participant is 0"):
        assign_items(mains([None]), per_participant=0, per_item=None, rng=random.Random(1))
    with pytest.raises(ValueError, match="per_participant is -1"):
        planned_sessions(mains([None]), 2, -1)


@given(item_lists(), st.integers(1, 20), seeds)
def test_practice_comes_first_and_every_check_with_it(items: list[ItemToAssign], n: int, seed: int) -> None:
    chosen = assign_items(items, per_participant=n, per_item=None, rng=random.Random(seed)) or ()
    practice = [item for item in items if item.kind is Kind.PRACTICE]
    assert list(chosen[: len(practice)]) == practice
    rest = chosen[len(practice) :]
    checks = {item.id for item in items if item.kind is Kind.ATTENTION}
    assert {item.id for item in rest if item.kind is not Kind.MAIN} == checks
    assert len(rest) == len(checks) + min(n, len(main_of(items)))


@given(st.integers(1, 40), st.integers(1, 12), seeds)
def test_checks_are_at_equal_distances(n_mains: int, n_checks: int, seed: int) -> None:
    checks = [ItemToAssign(100 + n, kind=Kind.ATTENTION) for n in range(n_checks)]
    chosen = assign_items(
        [*checks, *mains([None] * n_mains)], per_participant=None, per_item=None, rng=random.Random(seed)
    )
    kinds = "".join("c" if item.kind is Kind.ATTENTION else "m" for item in chosen or ())
    between = [len(run) for run in kinds.split("c")]
    assert max(between[1:-1], default=0) - min(between[1:-1], default=0) <= 1
    if n_checks < n_mains:
        assert min(between) > 0  # apart, and neither first nor last
    if n_checks > n_mains:
        assert max(between) <= 1  # as few together as can be: one wherever there is room


@given(st.lists(st.sampled_from(GROUPS), min_size=1, max_size=7), seeds)
def test_no_order_has_fewer_adjacent_items_of_one_group(groups: list[str | None], seed: int) -> None:
    items = mains(groups)
    chosen = assign_items(items, per_participant=None, per_item=None, rng=random.Random(seed))
    assert n_adjacent(chosen or ()) == min(map(n_adjacent, permutations(items)))


@given(groups_of, seeds)
def test_adjacent_items_are_as_many_as_the_largest_group_forces(groups: list[str | None], seed: int) -> None:
    chosen = assign_items(mains(groups), per_participant=None, per_item=None, rng=random.Random(seed))
    largest = max(Counter(group for group in groups if group).values(), default=0)
    assert n_adjacent(chosen or ()) == max(0, 2 * largest - len(groups) - 1)


@pytest.mark.parametrize(
    "groups", [[None] * 3, ["a", "a", "b"], ["a", "a", "b", "b"], ["a", "a", None, "b"], ["a"] * 3]
)
def test_every_order_with_the_least_adjacent_ones_comes_up(groups: list[str | None]) -> None:
    items = mains(groups)
    least = min(map(n_adjacent, permutations(items)))
    possible = {order for order in permutations(items) if n_adjacent(order) == least}
    seen = {
        assign_items(items, per_participant=None, per_item=None, rng=random.Random(seed))
        for seed in range(600)
    }
    assert seen == possible


@given(st.lists(st.integers(1, 6), min_size=2, max_size=5), st.data(), seeds)
def test_each_judge_can_have_groups_apart_where_all_items_can(
    sizes: list[int], data: st.DataObject, seed: int
) -> None:
    """Without dropouts; every group's share of a judge's items is off by less than one."""
    groups = [str(group) for group, size in enumerate(sizes) for _ in range(size)]
    n = data.draw(st.integers(1, len(groups)))
    chosen = assign_items(mains(groups), per_participant=n, per_item=None, rng=random.Random(seed)) or ()
    counts = Counter(item.group for item in chosen)
    for group, size in enumerate(sizes):
        assert abs(counts[str(group)] - n * size / len(groups)) < 1
    if 2 * max(sizes) <= len(groups):
        assert n_adjacent(chosen) == 0


@given(item_lists(), st.integers(1, 20), seeds)
def test_the_even_session_reverses_the_odd_one_where_both_hold_the_same_items(
    items: list[ItemToAssign], n: int, seed: int
) -> None:
    rng = random.Random(seed)
    odd = assign_items(items, per_participant=n, per_item=None, rng=rng) or ()
    had = Counter(item.id for item in main_of(odd))
    even = assign_items(
        with_loads(items, had),
        per_participant=n,
        per_item=None,
        rng=rng,
        mirror_of=[item.id for item in odd],
    )
    orders = [[item.id for item in order if item.kind is not Kind.PRACTICE] for order in (odd, even or ())]
    if set(orders[0]) == set(orders[1]):
        assert orders[1] == orders[0][::-1]
    else:
        assert len(set(orders[1])) == len(orders[0])
    if n >= len(main_of(items)):
        assert set(orders[0]) == set(orders[1])


@given(item_lists(most_load=3), st.integers(1, 20), seeds)
def test_the_same_seed_gives_the_same_items(items: list[ItemToAssign], n: int, seed: int) -> None:
    first, again = (
        assign_items(items, per_participant=n, per_item=3, rng=random.Random(seed)) for _ in range(2)
    )
    assert first == again


def test_equals_are_drawn_alike_often() -> None:
    """Of ten items five, a thousand times: each 500 times with a standard deviation of 15.8."""
    drawn = Counter(
        item.id
        for seed in range(1000)
        for item in assign_items(
            mains([None] * 10), per_participant=5, per_item=None, rng=random.Random(seed)
        )
        or ()
    )
    assert all(abs(drawn[n] - 500) < 5 * 15.8 for n in range(1, 11))
