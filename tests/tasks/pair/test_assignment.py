"""Balance is exact: in each session within each condition, and over sessions for each pair."""

import random
from collections import Counter
from collections.abc import Mapping
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from app.tasks.pair.assignment import plan_session
from app.tasks.pair.design import Member, PairToPlan, PlannedTrial
from app.trials.design import Kind

pair_lists = st.lists(
    st.tuples(
        st.sampled_from(["human-hybrid", "human-symbolic", "hybrid-symbolic"]),
        st.sampled_from([Kind.MAIN, Kind.MAIN, Kind.MAIN, Kind.PRACTICE, Kind.ATTENTION]),
        st.sampled_from(list(Member)),
    ),
    min_size=1,
    max_size=25,
).map(lambda rows: [PairToPlan(number, *row) for number, row in enumerate(rows, start=1)])


def left_of(trials: list[PlannedTrial]) -> Mapping[int, Member]:
    return {trial.pair_id: trial.left for trial in trials}


def plans(pairs: list[PairToPlan], n: int, seed: int) -> list[list[PlannedTrial]]:
    """`n` sessions one after the other, as the state machine plans them."""
    result: list[list[PlannedTrial]] = []
    for ordinal in range(1, n + 1):
        mirror = left_of(result[-1]) if ordinal % 2 == 0 else None
        rng = random.Random(seed * 1000 + ordinal)
        result.append(plan_session(pairs, order="random", sides="balanced", rng=rng, mirror_of=mirror))
    return result


@given(pair_lists, st.integers(1, 9), st.integers(0, 10_000))
def test_each_condition_of_a_session_has_its_anchor_left_and_right_equally_often(
    pairs: list[PairToPlan], n: int, seed: int
) -> None:
    for trials in plans(pairs, n, seed):
        left = left_of(trials)
        for group in {(pair.kind, pair.condition) for pair in pairs}:
            members = [pair for pair in pairs if (pair.kind, pair.condition) == group]
            n_left = sum(left[pair.id] is pair.anchor for pair in members)
            assert abs(n_left - (len(members) - n_left)) <= len(members) % 2


@given(pair_lists, st.integers(1, 9), st.integers(0, 10_000))
def test_a_whole_session_has_its_anchors_left_and_right_equally_often(
    pairs: list[PairToPlan], n: int, seed: int
) -> None:
    for trials in plans(pairs, n, seed):
        left = left_of(trials)
        n_left = sum(left[pair.id] is pair.anchor for pair in pairs)
        assert abs(n_left - (len(pairs) - n_left)) <= 1


@given(pair_lists, st.integers(1, 9), st.integers(0, 10_000))
def test_over_any_number_of_sessions_every_pair_is_shown_both_ways_equally_often(
    pairs: list[PairToPlan], n: int, seed: int
) -> None:
    shown = Counter((trial.pair_id, trial.left) for trials in plans(pairs, n, seed) for trial in trials)
    for pair in pairs:
        assert abs(shown[pair.id, Member.A] - shown[pair.id, Member.B]) == n % 2


@given(pair_lists, st.sampled_from(["random", "fixed", "blocked"]), st.integers(0, 10_000))
def test_every_pair_comes_once_and_practice_first(pairs: list[PairToPlan], order: str, seed: int) -> None:
    trials = plan_session(pairs, order=order, sides="balanced", rng=random.Random(seed))  # type: ignore[arg-type]
    kinds = {pair.id: pair.kind for pair in pairs}
    assert [trial.position for trial in trials] == list(range(1, len(pairs) + 1))
    assert sorted(trial.pair_id for trial in trials) == [pair.id for pair in pairs]
    practice = [kinds[trial.pair_id] is Kind.PRACTICE for trial in trials]
    assert practice == sorted(practice, reverse=True)


@given(pair_lists, st.integers(0, 10_000))
def test_blocked_order_finishes_a_condition_before_the_next(pairs: list[PairToPlan], seed: int) -> None:
    main = [pair for pair in pairs if pair.kind is not Kind.PRACTICE]
    trials = plan_session(main, order="blocked", sides="random", rng=random.Random(seed))
    conditions = [next(pair.condition for pair in main if pair.id == trial.pair_id) for trial in trials]
    changes = sum(before != after for before, after in pairwise(conditions))
    assert changes == max(0, len(set(conditions)) - 1)


@given(pair_lists, st.integers(0, 10_000))
def test_fixed_sides_and_order_show_the_file_as_it_is(pairs: list[PairToPlan], seed: int) -> None:
    main = [pair for pair in pairs if pair.kind is not Kind.PRACTICE]
    trials = plan_session(main, order="fixed", sides="fixed", rng=random.Random(seed))
    assert [(trial.pair_id, trial.left) for trial in trials] == [(pair.id, Member.A) for pair in main]


@given(pair_lists, st.integers(0, 10_000))
def test_the_same_seed_gives_the_same_plan(pairs: list[PairToPlan], seed: int) -> None:
    first = plan_session(pairs, order="random", sides="balanced", rng=random.Random(seed))
    assert first == plan_session(pairs, order="random", sides="balanced", rng=random.Random(seed))


def test_all_orders_and_sides_come_up() -> None:
    pairs = [PairToPlan(n, "human-hybrid", Kind.MAIN, Member.A) for n in (1, 2)]
    seen = {
        tuple(
            (t.pair_id, t.left)
            for t in plan_session(pairs, order="random", sides="balanced", rng=random.Random(seed))
        )
        for seed in range(100)
    }
    assert len(seen) == 4  # two orders, and either of the two pairs has its anchor on the left
