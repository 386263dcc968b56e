"""Distances of play in the Social Ultimatum Game: by hand, against scipy's entropy, and on simulated play."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from scipy.stats import entropy

from analysis.errors import AnalysisError
from analysis.games.sug import Cases, Rounds, distances, play_of
from app.tasks.game.agents.registry import agents_for
from app.tasks.game.agents.sug_habits import Habits, learned
from app.tasks.game.base import Agent
from app.tasks.game.match import match_seed, play
from app.tasks.game.sug import State, Sug

A, B, C = 1, 2, 3
# A and B take turns with each other throughout; C offers to A, who once turns to C.
ROUNDS: Rounds = [
    [(B, 5, True), (A, 5, True), (A, 2, False)],
    [(B, 5, True), (A, 4, True), (A, 2, True)],
    [(C, 0, False), (A, 5, True), (A, 3, True)],
]


def test_the_distributions_are_counted_as_by_hand() -> None:
    found = play_of([(ROUNDS, A)], 5)
    assert found.offers == (1, 0, 0, 0, 0, 2)
    assert found.rejected == (Cases(1, 1), *[Cases(0, 0)] * 4, Cases(2, 0))
    assert found.ranks == pytest.approx((2 / 3, 1 / 3))
    # B and C offer to A in rounds 1 and 2; A answers B, then C. B's second offer had followed one of A's.
    assert found.reciprocated[:3] == (Cases(4, 2), Cases(1, 0), Cases(0, 0))
    assert play_of([(ROUNDS, B)], 5).reciprocated[:2] == (Cases(2, 2), Cases(1, 1))


def test_distances_are_scipys_entropies_both_ways() -> None:
    one, two = play_of([(ROUNDS, A)], 5), play_of([(ROUNDS, C)], 5)
    far = distances(one, two, smoothing=0.5)
    p, q = np.array(one.offers) + 0.5, np.array(two.offers) + 0.5
    assert far.d_o == pytest.approx(entropy(p, q) + entropy(q, p))
    pairs = [
        ((a.k + 0.5, a.n - a.k + 0.5), (b.k + 0.5, b.n - b.k + 0.5))
        for a, b in zip(one.rejected, two.rejected, strict=True)
    ]
    assert far.d_b == pytest.approx(sum(entropy(a, b) + entropy(b, a) for a, b in pairs))
    bits = distances(one, two, log_base=2)
    assert bits.d_o == pytest.approx(far.d_o / math.log(2))
    same = distances(one, one)
    assert (same.d_o, same.d_r, same.d_b, same.d_y, same.d_y8) == (0, 0, 0, 0, 0)


def test_collections_that_cannot_be_compared_are_refused() -> None:
    one = play_of([(ROUNDS, A)], 5)
    for wrong in (
        lambda: distances(one, play_of([(ROUNDS, A)], 10)),
        lambda: distances(one, one, smoothing=0),
        lambda: play_of([], 5),
    ):
        with pytest.raises(AnalysisError):
            wrong()


def seats_of(agents: Sequence[Agent], matches: int, seed: int) -> list[tuple[State, int]]:
    game = Sug()
    config = game.Config()
    states: list[State] = [
        play(game, config, [agent.player() for agent in agents], match_seed(seed, config, i)).state
        for i in range(matches)
    ]
    return [(state, seat) for state in states for seat in range(1, 6)]


@pytest.fixture(scope="module")
def people() -> list[tuple[State, int]]:
    """Seven matches of five simulated people, as many as the paper analyses."""
    return seats_of([agents_for("sug")["simulated"]()] * 5, 7, 1)


@pytest.mark.slow
def test_agents_fitted_to_simulated_people_are_ordered_as_in_the_paper_without_time(
    people: list[tuple[State, int]],
) -> None:
    """Offers and rejections: DBA and DBRA are near, the adaptive model farther, GT farthest; of recipients the last two
    are both far. The digits are not the paper's, whose people are not published."""
    habits: Habits = learned(people, "simulated")
    reference = play_of([(state.history, seat) for state, seat in people], 10)
    far = {}
    for name in ("adaptive", "dba", "dbra", "gt"):
        agent = agents_for("sug")[name].model_validate({} if name == "gt" else {"habits": habits})
        seats = seats_of([agent] * 5, 70, 11)
        far[name] = distances(reference, play_of([(state.history, seat) for state, seat in seats], 10))
    for near in ("dba", "dbra"):
        assert far[near].d_o < far["adaptive"].d_o / 10 < far["gt"].d_o / 10
        assert far[near].d_b < far["adaptive"].d_b < far["gt"].d_b
        assert far[near].d_r < min(far["adaptive"].d_r, far["gt"].d_r)
        assert far[near].d_y8 < far["gt"].d_y8
    assert far["adaptive"].d_y8 < far["gt"].d_y8


def test_simulated_people_go_on_the_more_the_longer_a_chain_is(people: list[tuple[State, int]]) -> None:
    chains = play_of([(state.history, seat) for state, seat in people], 10).reciprocated[:4]
    shares = [cases.k / cases.n for cases in chains]
    assert shares == sorted(shares)


def test_fitted_habits_are_counts_of_the_people(people: list[tuple[State, int]]) -> None:
    habits = learned(people, "simulated")
    counted = play_of([(state.history, seat) for state, seat in people], 10)
    assert habits.offers == counted.offers
    assert habits.ranks == pytest.approx(counted.ranks)
    for rate, cases in zip(habits.rejections, counted.rejected, strict=True):
        assert not cases.n or rate == cases.k / cases.n
    assert len(habits.people) == 35
    first = people[0][0].history[0][0][1]
    assert habits.people[0].alpha == first / 10
