"""Distances of play with intervals and tests over matches: against `distances`, scipy, and on known cases."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from scipy import stats

from analysis.errors import AnalysisError
from analysis.games.sug import distances, play_of
from analysis.games.sug_compare import NAMES, Seats, compare_play
from app.tasks.game.agents.registry import agents_for
from app.tasks.game.games.sug.rules import Sug
from app.tasks.game.match import match_seed, play

SUMS = ("d_b", "d_y8", "d_y8_accepted")


def collection(agent: str, matches: int, seed: int, prefix: str = "") -> Seats:
    game = Sug()
    config = game.Config(rounds=8, players=3)
    states = [
        play(
            game, config, [agents_for("sug")[agent]().player() for _ in range(3)], match_seed(seed, config, i)
        ).state
        for i in range(matches)
    ]
    return {f"{prefix}{i}": [(state.history, seat) for seat in (1, 2, 3)] for i, state in enumerate(states)}


def together(seats: Seats, names: Sequence[str]) -> Any:
    return play_of([one for name in names for one in seats[name]], 10)


def test_the_values_are_those_of_distances_and_the_test_is_scipys() -> None:
    people, agents = collection("simulated", 3, 1, "a"), collection("dba", 4, 2, "b")
    found = compare_play(people, agents, 10, smoothing=0.3, log_base=2, resamples=4000)
    expected = distances(together(people, list(people)), together(agents, list(agents)), 0.3, 2)
    assert found.distances == expected
    assert (found.n_first, found.n_second, found.n_shared) == (3, 4, 0)
    everybody = {**people, **agents}
    names = np.array(list(everybody))
    for one in found.tests:
        assert one.value == pytest.approx(getattr(expected, one.name))
        assert (one.interval.low is None) == (one.name in SUMS), one.name

        def statistic(x: Any, y: Any, name: str = one.name) -> float:
            far = distances(together(everybody, names[x]), together(everybody, names[y]), 0.3, 2)
            return float(getattr(far, name))

        if one.name in ("d_o", "d_b", "d_y"):
            exact = stats.permutation_test(
                (np.arange(3), np.arange(3, 7)), statistic, alternative="greater", n_resamples=np.inf
            )
            assert one.p == pytest.approx(exact.pvalue, abs=0.03), one.name


def test_equal_play_is_chance_and_another_kind_of_play_is_not() -> None:
    people = collection("simulated", 6, 1, "a")
    same = compare_play(people, collection("simulated", 6, 3, "b"), 10, resamples=400)
    other = compare_play(people, collection("gt", 6, 3, "b"), 10, resamples=400)
    assert next(one.p for one in same.tests if one.name == "d_o") > 0.05  # type: ignore[operator]
    for name in ("d_o", "d_b"):
        (test,) = (one for one in other.tests if one.name == name)
        assert test.p is not None
        assert test.chance is not None
        assert test.p < 0.01
        assert test.value > test.chance
    (offers,) = (one for one in other.tests if one.name == "d_o")
    assert "hardly ever offers" in str(offers.interval.reason)


def test_two_parts_of_the_same_matches_are_swapped_within_them() -> None:
    everybody = collection("simulated", 5, 1)
    first = {name: seats[:1] for name, seats in everybody.items()}
    second = {name: seats[1:2] for name, seats in everybody.items()}
    found = compare_play(first, second, 10, resamples=300)
    assert found.n_shared == 5
    assert all("swaps within matches" in one.method for one in found.tests)
    # With both parts the same play nothing can be farther apart than what is seen, which is 0.
    equal = compare_play(first, first, 10, resamples=300)
    assert all(one.value == 0 and one.p == 1 for one in equal.tests)
    assert all(one.interval.low is None and one.interval.reason for one in equal.tests)


@pytest.mark.slow
def test_intervals_are_of_scipys_bootstrap_error_and_sums_over_rare_cases_have_none() -> None:
    """Source of the error: `scipy.stats.bootstrap`. The ends are t intervals, the upper one of the root, squared."""
    people, agents = collection("simulated", 4, 1, "a"), collection("dba", 5, 2, "b")
    (offers,) = (one for one in compare_play(people, agents, 10, resamples=4000).tests if one.name == "d_o")

    def far(first: Any, second: Any) -> float:
        return distances(
            together(people, np.array(list(people))[first]), together(agents, np.array(list(agents))[second])
        ).d_o

    found = stats.bootstrap(
        (np.arange(4), np.arange(5)), far, vectorized=False, n_resamples=500, method="percentile", rng=1
    )
    reach = float(stats.t.ppf(0.975, 3)) * float(found.standard_error)
    root = offers.value**0.5
    assert offers.interval.low == pytest.approx(max(0.0, offers.value - reach), abs=0.08 * reach)
    assert offers.interval.high == pytest.approx((root + reach / (2 * root)) ** 2, rel=0.1)
    assert offers.interval.resamples == 4000
    for resamples in (0, 1):
        for one in compare_play(people, agents, 10, resamples=resamples).tests:
            assert one.interval.low is None
            assert one.name in SUMS or "two resamples or more" in str(one.interval.reason)
    sums = [one for one in compare_play(people, agents, 10, resamples=50).tests if one.name in SUMS]
    assert len(sums) == 3
    for one in sums:
        assert (one.interval.low, one.interval.high) == (None, None)
        assert "no interval holds it often enough" in str(one.interval.reason)
        assert one.p is not None


@pytest.mark.slow
def test_a_match_of_both_collections_is_resampled_in_both() -> None:
    everybody = collection("simulated", 5, 1)
    first = {name: seats[:1] for name, seats in everybody.items()}
    second = {name: seats[1:] for name, seats in everybody.items()}
    (offers,) = (one for one in compare_play(first, second, 10, resamples=4000).tests if one.name == "d_o")
    names = np.array(list(everybody))

    def far(drawn: Any, same: Any) -> float:
        return distances(together(first, names[drawn]), together(second, names[same])).d_o

    each = np.arange(5)
    found = stats.bootstrap(
        (each, each), far, vectorized=False, paired=True, n_resamples=500, method="percentile", rng=1
    )
    reach = float(stats.t.ppf(0.975, 4)) * float(found.standard_error)
    assert offers.interval.high == pytest.approx(
        offers.value + reach + reach**2 / (4 * offers.value), rel=0.08
    )


def test_one_match_gives_a_value_and_no_interval_and_none_is_refused() -> None:
    one, many = collection("simulated", 1, 1, "a"), collection("dba", 3, 1, "b")
    for test in compare_play(one, many, 10, resamples=100).tests:
        assert (test.p, test.chance, test.interval.low) == (None, None, None)
        expected = "sum over" if test.name in SUMS else "too few matches for an interval: 1"
        assert expected in str(test.interval.reason)
    assert [one.name for one in compare_play(one, many, 10, resamples=0).tests] == list(NAMES)
    with pytest.raises(AnalysisError, match="one has no match"):
        compare_play({}, many, 10)


def test_one_match_of_both_collections_is_no_test() -> None:
    """Swapped or not, its two parts are as far apart, and the other matches are in no swap."""
    matches = collection("simulated", 4, 1)
    first = {name: matches[name][:1] for name in "012"}
    second = {name: matches[name][1:] for name in "23"}
    found = compare_play(first, second, 10, resamples=100)
    assert found.n_shared == 1
    assert {(one.p, one.chance, one.permutations) for one in found.tests} == {(None, None, 0)}
