"""A judge that learns from votes: what it finds where it is known what people look at."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]

from analysis.errors import AnalysisError
from analysis.figures.figure import Figure, NoFigure
from analysis.learning import cross_fitting
from analysis.learning.cross_fitting import learn
from analysis.learning.figure import learning_figure
from analysis.learning.votes import Learnt, Votes, fit_preference

pytestmark = pytest.mark.slow

TRUE = np.array([1.5, -1.0, 0.0, 0.0])
NAMES = ("one", "two", "three", "four")


def drawn(n_pairs: int, n_people: int = 20, seed: int = 1, weights: np.ndarray = TRUE) -> Votes:
    """Two clips a scene; every second pair has a truth; everybody votes on every pair."""
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(2 * n_pairs, len(weights)))
    first, second = np.arange(0, 2 * n_pairs, 2), np.arange(1, 2 * n_pairs, 2)
    pair, person = (each.ravel() for each in np.meshgrid(np.arange(n_pairs), np.arange(n_people)))
    chance = 1 / (1 + np.exp(-(table[first] - table[second]) @ weights))
    value = (rng.random(len(pair)) < chance[pair]).astype(float)
    return Votes(table, first.repeat(2), first, second, np.arange(n_pairs) % 2 == 0, pair, person, value)


def test_weights_are_those_of_scikit_learn() -> None:
    votes = drawn(50)
    difference = votes.table[votes.first] - votes.table[votes.second]
    won, n = votes.counts(np.ones(len(votes.pair), dtype=np.bool_))
    found = fit_preference(difference, won, n, np.ones(4), 3.0)
    theirs = LogisticRegression(C=1 / 3.0, fit_intercept=False, tol=1e-10, max_iter=1000)
    theirs.fit(difference[votes.pair], votes.value)
    assert found.weights == pytest.approx(theirs.coef_[0], abs=1e-5)
    assert found.chance(-difference) == pytest.approx(1 - found.chance(difference))


def test_more_numbers_than_pairs_are_fitted_as_scikit_learn_fits_them() -> None:
    votes = drawn(40, weights=np.linspace(-1, 1, 90))
    won, n = votes.counts(np.ones(len(votes.pair), dtype=np.bool_))
    rows, groups = np.arange(40), np.arange(40)
    found = cross_fitting._chosen(votes, rows, won, n, groups, np.random.default_rng(1))
    design = (votes.table[votes.first] - votes.table[votes.second]) / found.scale
    assert found.scale == pytest.approx(votes.table.std(axis=0) * 3)  # ten numbers are the measure of ridges
    theirs = LogisticRegression(C=1 / found.ridge, fit_intercept=False, tol=1e-10, max_iter=5000)
    theirs.fit(design[votes.pair], votes.value)
    assert found.weights == pytest.approx(theirs.coef_[0], abs=1e-4)
    assert learn(votes, repeats=1).numbers.weights == ()


@pytest.fixture(scope="module")
def learnt() -> Learnt:
    """A judge that has learnt from sixty pairs, beside judges that learn nothing."""
    votes = drawn(60)
    beside = {"first number": votes.table[:, 0], "second": votes.table[:, 1], "none": np.full(120, np.nan)}
    return learn(votes, NAMES, repeats=2, beside=beside)


def test_it_finds_what_people_look_at(learnt: Learnt) -> None:
    found, numbers = learnt, learnt.numbers
    assert (numbers.n_pairs, numbers.n_people, numbers.n_votes) == (60, 20, 1200)
    assert (numbers.reached.label_accuracy or 0) > 0.85
    assert "60 pairs: below 80" in numbers.warning
    weights = {weight.name: weight for weight in numbers.weights}
    assert weights["one"].low > 0 > weights["two"].high
    assert weights["three"].low < 0 < weights["three"].high
    assert numbers.ceilings.one_person is not None
    assert (numbers.ceilings.half or 0) > numbers.ceilings.one_person
    assert 0.8 < (numbers.ceilings.reliability or 0) < 1
    first, last = numbers.by_pairs[0].reached, numbers.by_pairs[-1].reached
    assert (first.log_loss or 0) > (last.log_loss or 1)
    assert numbers.agent_agent_alone.label_accuracy is None  # 30 of them: too few to learn from alone
    assert found.chances.shape == (2, 60)
    assert [point.n for point in numbers.by_votes] == [1, 2, 5, 10]


@pytest.mark.exhaustive
def test_of_few_people_the_curve_is_short_and_of_coins_nothing_is_learnt() -> None:
    nine = learn(drawn(60, n_people=9), NAMES, repeats=1).numbers
    assert [point.n for point in nine.by_votes] == [1, 2]  # the smaller half has four people
    coins = learn(drawn(60, weights=0 * TRUE), NAMES, repeats=2).numbers
    assert 0.5 - 2.6 * 0.5 / 60**0.5 < (coins.reached.label_accuracy or 0) < 0.5 + 2.6 * 0.5 / 60**0.5
    assert all(weight.low < 0.15 and weight.high > -0.15 for weight in coins.weights)


def test_the_learning_curve_is_drawn_with_one_person_half_of_them_and_the_best_untrained_judge(
    learnt: Learnt,
) -> None:
    votes, numbers = drawn(60), learnt.numbers
    # The majorities of each half, as the trained judge is held against.
    right = []
    for number in range(2):
        repeat = cross_fitting._Round(votes, votes.group, np.random.default_rng([1, number]))
        shares = [(p, share) for half in repeat.shares() for p, share in enumerate(half) if share != 0.5]
        said = [(votes.table[2 * p, 0] > votes.table[2 * p + 1, 0]) == (share > 0.5) for p, share in shares]
        right.append(np.mean(said))
    first, second, none = numbers.untrained
    assert first.n_pairs == numbers.reached.n_pairs == 60
    assert first.label_accuracy == pytest.approx(np.mean(right))
    assert (second.label_accuracy or 1) < 0.5 < (first.label_accuracy or 0)
    assert none.label_accuracy is None
    figure = learning_figure(numbers)
    assert isinstance(figure, Figure)
    assert f"best untrained judge (first number): {first.label_accuracy:.2f}" in figure.alt
    assert f"one person: {numbers.ceilings.one_person:.2f}" in figure.alt
    assert f"half of the people: {numbers.ceilings.half:.2f}" in figure.alt
    assert f"10 {numbers.by_pairs[0].reached.label_accuracy:.2f}" in figure.alt
    assert figure.png.startswith(b"\x89PNG")
    none_left = replace(numbers, by_pairs=(), by_votes=())
    assert isinstance(learning_figure(none_left), NoFigure)


@pytest.mark.exhaustive
def test_a_scene_and_a_voter_are_never_on_both_sides() -> None:
    """Votes that can only be known by memory of the scene or of the person: held out, they are coins."""
    rng = np.random.default_rng(2)
    votes = drawn(60, n_people=8)
    taste = rng.integers(0, 2, (8, 60))
    of_scene = rng.integers(0, 2, 60)
    for value in (taste[votes.person, votes.pair], of_scene[votes.pair]):
        found = learn(replace(votes, value=value.astype(float)), NAMES, repeats=2).numbers
        assert 0.5 - 2.6 * 0.5 / 60**0.5 < (found.reached.label_accuracy or 0) < 0.5 + 2.6 * 0.5 / 60**0.5


def test_pairs_across_scenes_are_tested_once_a_repeat_by_a_judge_that_learnt_from_neither_scene(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Six scenes in a ring, each pair of one and the next; a judge's probabilities are here its own number."""
    votes = drawn(60)
    group = np.arange(120) // 2 % 6
    group[1::2] = (group[1::2] + 1) % 6
    ring = replace(votes, group=group)
    learnt_from: list[set[int]] = []

    class Numbered:
        def __init__(self) -> None:
            self.number = len(learnt_from) - 1

        def chance(self, difference: np.ndarray) -> np.ndarray:
            return np.full(len(difference), float(self.number))

    def chosen(votes: Votes, rows: np.ndarray, *_: object) -> Numbered:
        learnt_from.append(
            {int(group[clip]) for row in rows for clip in (votes.first[row], votes.second[row])}
        )
        return Numbered()

    monkeypatch.setattr(cross_fitting, "_chosen", chosen)
    found = cross_fitting._Round(ring, group, np.random.default_rng(1)).chances()
    assert not np.isnan(found).any()
    for half in found:
        for pair, number in enumerate(half):
            both = {int(group[2 * pair]), int(group[2 * pair + 1])}
            assert not learnt_from[int(number)] & both
            assert learnt_from[int(number)]


def test_a_pair_with_too_few_others_to_learn_from_has_no_verdict() -> None:
    """Every pair is of one scene and another of five: leaving out both of a pair's leaves nothing without the one."""
    votes = drawn(60)
    group = np.zeros(120, dtype=np.intp)
    group[1::2] = np.arange(60) % 5 + 1
    found = learn(replace(votes, group=group), NAMES, repeats=1)
    assert np.isnan(found.chances).all()
    assert found.numbers.reached.label_accuracy is None


def test_too_little_to_learn_from_is_refused() -> None:
    with pytest.raises(AnalysisError, match="39 pairs with votes of 20 people: at least 40 pairs"):
        learn(drawn(39), NAMES)
    with pytest.raises(AnalysisError, match="60 pairs with votes of 3 people"):
        learn(drawn(60, n_people=3), NAMES)
    one_scene = drawn(60)
    with pytest.raises(AnalysisError, match="1 group of clips"):
        learn(replace(one_scene, group=np.zeros(120, dtype=np.intp)), NAMES)
