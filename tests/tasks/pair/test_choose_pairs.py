"""A session that gets some of the pairs: even exposure, the share of each condition, exact sides."""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.tasks.pair.assignment import choose_pairs, plan_session
from app.tasks.pair.design import Member, PairToPlan, PlannedTrial
from app.trials.design import Kind

CONDITIONS = ("human-hybrid", "human-symbolic", "hybrid-symbolic", "human-model")

seeds = st.integers(0, 10_000)
numbers = st.integers(1, 16)
pair_lists = st.lists(
    st.tuples(
        st.sampled_from(CONDITIONS),
        st.sampled_from([Kind.MAIN] * 4 + [Kind.PRACTICE, Kind.ATTENTION]),
        st.sampled_from(list(Member)),
    ),
    min_size=1,
    max_size=25,
).map(lambda rows: [PairToPlan(number, *row) for number, row in enumerate(rows, start=1)])


def main_of(pairs: Sequence[PairToPlan]) -> list[PairToPlan]:
    return [pair for pair in pairs if pair.kind is Kind.MAIN]


@dataclass
class Sessions:
    """Sessions one after the other, of whom the two of a counterbalanced session pair get the same pairs."""

    pairs: Sequence[PairToPlan]
    n: int
    rng: random.Random
    planned: list[list[PlannedTrial]] = field(default_factory=list)
    shown: Counter[tuple[int, Member]] = field(default_factory=Counter)

    @property
    def exposure(self) -> Counter[int]:
        return Counter(
            {pair.id: sum(self.shown[pair.id, member] for member in Member) for pair in self.pairs}
        )

    def start(self) -> None:
        if len(self.planned) % 2:
            mirror_of = {trial.pair_id: trial.left for trial in self.planned[-1]}
            pairs: Sequence[PairToPlan] = [pair for pair in self.pairs if pair.id in mirror_of]
        else:
            mirror_of, pairs = None, choose_pairs(self.pairs, self.exposure, self.n, self.rng)
        trials = plan_session(pairs, order="random", sides="balanced", rng=self.rng, mirror_of=mirror_of)
        self.planned.append(trials)
        self.shown.update((trial.pair_id, trial.left) for trial in trials)


@given(pair_lists, numbers, st.dictionaries(st.integers(1, 25), st.integers(0, 5)), seeds)
def test_a_session_has_n_main_pairs_and_all_others_in_the_files_order(
    pairs: list[PairToPlan], n: int, exposure: dict[int, int], seed: int
) -> None:
    chosen = choose_pairs(pairs, exposure, n, random.Random(seed))
    assert len(main_of(chosen)) == min(n, len(main_of(pairs)))
    assert [pair for pair in pairs if pair.kind is not Kind.MAIN] == [
        pair for pair in chosen if pair.kind is not Kind.MAIN
    ]
    assert [pair.id for pair in chosen] == sorted({pair.id for pair in chosen})


@given(pair_lists, numbers, st.dictionaries(st.integers(1, 25), st.integers(0, 5)), seeds)
def test_each_condition_has_its_share_off_by_less_than_one_and_its_least_exposed_pairs(
    pairs: list[PairToPlan], n: int, exposure: dict[int, int], seed: int
) -> None:
    chosen = choose_pairs(pairs, exposure, n, random.Random(seed))
    counts = Counter(pair.condition for pair in main_of(chosen))
    sizes = Counter(pair.condition for pair in main_of(pairs))
    for condition, size in sizes.items():
        assert abs(counts[condition] - min(n, sizes.total()) * size / sizes.total()) < 1
        here = [pair for pair in main_of(pairs) if pair.condition == condition]
        seen = [exposure.get(pair.id, 0) for pair in here if pair in chosen]
        unseen = [exposure.get(pair.id, 0) for pair in here if pair not in chosen]
        assert not seen or not unseen or max(seen) <= min(unseen)


@given(pair_lists, numbers, st.integers(1, 30), seeds)
def test_exposure_of_the_pairs_of_a_condition_differs_by_one_session_pair_at_most(
    pairs: list[PairToPlan], n: int, n_sessions: int, seed: int
) -> None:
    sessions = Sessions(pairs, n, random.Random(seed))
    for _ in range(n_sessions):
        sessions.start()
        exposure = sessions.exposure
        for condition in {pair.condition for pair in main_of(pairs)}:
            here = [exposure[pair.id] for pair in main_of(pairs) if pair.condition == condition]
            session_pairs = [(each + 1) // 2 for each in here]
            assert max(session_pairs) - min(session_pairs) <= 1


@given(pair_lists, numbers, st.integers(1, 30), seeds)
def test_conditions_keep_their_shares_over_sessions(
    pairs: list[PairToPlan], n: int, n_sessions: int, seed: int
) -> None:
    """Rounding remainders of one session are carried over to the next, so that no condition falls behind more and
    more."""
    sessions = Sessions(pairs, n, random.Random(seed))
    for _ in range(2 * n_sessions):
        sessions.start()
    sizes = Counter(pair.condition for pair in main_of(pairs))
    exposure = sessions.exposure
    total = sum(exposure[pair.id] for pair in main_of(pairs))
    for condition, size in sizes.items():
        had = sum(exposure[pair.id] for pair in main_of(pairs) if pair.condition == condition)
        assert abs(had - total * size / sizes.total()) < 2 * 2


@given(pair_lists, numbers, st.integers(1, 30), seeds)
def test_every_pair_is_shown_both_ways_equally_often(
    pairs: list[PairToPlan], n: int, n_sessions: int, seed: int
) -> None:
    sessions = Sessions(pairs, n, random.Random(seed))
    for _ in range(n_sessions):
        sessions.start()
        open_one = {trial.pair_id for trial in sessions.planned[-1]} if len(sessions.planned) % 2 else set()
        for pair in pairs:
            shown = sessions.shown
            assert abs(shown[pair.id, Member.A] - shown[pair.id, Member.B]) == (pair.id in open_one)


@given(pair_lists, numbers, st.integers(1, 8), seeds)
def test_each_condition_of_a_session_has_its_anchor_left_and_right_equally_often(
    pairs: list[PairToPlan], n: int, n_sessions: int, seed: int
) -> None:
    by_id = {pair.id: pair for pair in pairs}
    sessions = Sessions(pairs, n, random.Random(seed))
    for _ in range(n_sessions):
        sessions.start()
        on_left: dict[tuple[str, str], list[bool]] = {}
        for trial in sessions.planned[-1]:
            pair = by_id[trial.pair_id]
            on_left.setdefault((pair.kind, pair.condition), []).append(trial.left is pair.anchor)
        for lefts in on_left.values():
            assert abs(2 * sum(lefts) - len(lefts)) <= len(lefts) % 2


def test_what_dropouts_left_comes_first() -> None:
    pairs = [PairToPlan(number, "human-hybrid", Kind.MAIN, Member.A) for number in range(1, 7)]
    exposure = {1: 4, 2: 3, 3: 4, 4: 4, 5: 2, 6: 4}
    for seed in range(20):
        chosen = {pair.id for pair in choose_pairs(pairs, exposure, 3, random.Random(seed))}
        assert {2, 5} < chosen


def test_six_and_four_pairs_give_a_session_of_five_three_and_two() -> None:
    pairs = [PairToPlan(n, CONDITIONS[n > 6], Kind.MAIN, Member.A) for n in range(1, 11)]
    chosen = choose_pairs(pairs, {}, 5, random.Random(1))
    assert Counter(pair.condition for pair in chosen) == {CONDITIONS[0]: 3, CONDITIONS[1]: 2}


def test_a_remainder_is_carried_over() -> None:
    """Of 6 and 4 pairs, sessions of 4 have 2.4 and 1.6 of each: over five of them 12 and 8."""
    pairs = [PairToPlan(n, CONDITIONS[n > 6], Kind.MAIN, Member.A) for n in range(1, 11)]
    exposure: Counter[int] = Counter()
    found = []
    for seed in range(5):
        chosen = choose_pairs(pairs, exposure, 4, random.Random(seed))
        exposure.update(pair.id for pair in chosen)
        found.append(sum(pair.condition == CONDITIONS[0] for pair in chosen))
    assert found == [2, 3, 2, 3, 2]
    assert set(exposure.values()) == {2}


def test_a_condition_whose_share_is_whole_has_just_that_however_far_it_is_behind() -> None:
    """Of 4, 3 and 1 pairs, sessions of 2 have 1, 0.75 and 0.25 of each."""
    pairs = [PairToPlan(n, CONDITIONS[(n > 4) + (n > 7)], Kind.MAIN, Member.A) for n in range(1, 9)]
    chosen = choose_pairs(pairs, dict.fromkeys(range(5, 9), 10), 2, random.Random(1))
    assert sum(pair.condition == CONDITIONS[0] for pair in chosen) == 1


def test_the_same_seed_chooses_the_same_pairs() -> None:
    pairs = [PairToPlan(n, CONDITIONS[n % 4], Kind.MAIN, Member.A) for n in range(1, 20)]
    first, again, other = (choose_pairs(pairs, {}, 6, random.Random(seed)) for seed in (1, 1, 2))
    assert first == again != other


def test_a_session_of_no_pair_is_refused() -> None:
    with pytest.raises(ValueError, match="per_participant is 0"):
        choose_pairs([PairToPlan(1, "x", Kind.MAIN, Member.A)], {}, 0, random.Random(1))
