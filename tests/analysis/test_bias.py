"""Side, order and learning against counts by hand, statsmodels, NumPy, and simulations with known truth."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from analysis import against_chance, describe
from analysis.choice.bias import Bias, bias
from analysis.choice.cell_tables import BOOTSTRAP
from analysis.results import table_rows
from tests.analysis.tables import answer, checked, person

pytestmark = pytest.mark.slow

OTHER = {"a": "b", "b": "a", "": ""}


def seen(participant: str, *trials: str, **cells: str) -> list[dict[str, str]]:
    """One answer per text: where the truth was, then what was chosen (`l` or `r`; `-` is none), in this order."""
    rows = []
    for number, trial in enumerate(trials, start=1):
        truth, choice = trial[0], trial[1]
        left = "ab"[number % 2]
        member = {"l": left, "r": OTHER[left], "-": ""}
        rows.append(
            answer(
                participant=participant,
                pair=f"q{number}",
                position=str(number),
                left=left,
                truth=member[truth],
                choice=member[choice],
                **cells,
            )
        )
    return rows


def people(result: Bias) -> dict[str, dict[str, Any]]:
    return {row["participant"]: row for row in table_rows(result.participants)}


def test_side_bias_is_what_counting_by_hand_gives() -> None:
    """p1 goes left 3 times of 4, is right on 2 of 2 left truths and 1 of 2 right ones; p2: 1 of 3, 1 of 2, 1 of 1."""
    rows = [*seen("p1", "ll", "ll", "rl", "rr", "--"), *seen("p2", "ll", "lr", "rr")]
    result = bias(checked(*rows), resamples=100)
    side = result.side
    assert (side.n_answers, side.n_without_side, side.n_truth, side.n_truth_left) == (7, 0, 7, 4)
    assert side.left.mean == pytest.approx((3 / 4 + 1 / 3) / 2)
    assert side.left_pooled.value == 4 / 7
    assert side.accuracy_left.mean == pytest.approx((1 + 0.5) / 2)
    assert side.accuracy_right.mean == pytest.approx((0.5 + 1) / 2)
    assert side.effect.mean == pytest.approx((0.5 - 0.5) / 2)
    assert people(result)["p1"] == {
        "study": "s",
        "participant": "p1",
        "n_sides": 4,
        "n_left": 3,
        "left": 0.75,
        "n_truth_left": 2,
        "accuracy_left": 1.0,
        "n_truth_right": 2,
        "accuracy_right": 0.5,
        "effect": 0.5,
        "slope": people(result)["p1"]["slope"],
    }


def test_sides_are_tested_by_wilcoxon_over_participants() -> None:
    """`against_chance`, held against R's published examples elsewhere: not a binomial over dependent trials."""
    rng = np.random.default_rng(3)
    shares = rng.integers(2, 9, 15)
    rows = [
        row
        for who, n in enumerate(shares)
        for row in seen(f"p{who:02}", *("rl" if number < n else "lr" for number in range(10)))
    ]
    side = bias(checked(*rows), seed=4, resamples=500).side
    assert side.left_against_half == against_chance(shares / 10)
    assert side.left == describe(shares / 10, scale="share", seed=4, resamples=500)


def test_always_going_left_is_a_bias_whatever_the_truths() -> None:
    """With truths on the left in 9 of 10 trials good answers go left too: the effect tells the two apart."""
    balanced = ["ll", "rl"] * 5
    skewed_and_right = ["ll"] * 9 + ["rr"]
    lefty = bias(checked(*seen("p1", *balanced), *seen("p2", *balanced)), resamples=0).side
    assert (lefty.left.mean, lefty.effect.mean) == (1.0, 1.0)
    perfect = bias(checked(*seen("p1", *skewed_and_right), *seen("p2", *skewed_and_right)), resamples=0).side
    assert (perfect.left.mean, perfect.effect.mean, perfect.n_truth_left) == (0.9, 0.0, 18)


def test_the_effect_is_twice_the_left_choices_above_a_half_where_truths_are_balanced() -> None:
    """Algebra: (P(left | truth left) + P(left | truth right)) / 2 = 1/2 + (accuracy left - accuracy right) / 2."""
    rng = np.random.default_rng(5)
    rows = [
        row
        for who in range(8)
        for row in seen(f"p{who}", *(t + str(rng.choice(["l", "l", "r"])) for t in "lr" * 6))
    ]
    found = people(bias(checked(*rows), resamples=0)).values()
    assert [one["effect"] / 2 + 0.5 for one in found] == pytest.approx([one["left"] for one in found])


def test_a_simulated_side_bias_is_found_and_none_is_not() -> None:
    """Simulation with known truth: 60 people who go left unseen in 20% of trials, or never."""
    for lapse, at_least in ((0.2, 0.15), (0.0, -0.06)):
        rng = np.random.default_rng(11)
        rows = []
        for who in range(60):
            truths = rng.permutation(list("lr" * 8))
            choices = [
                "l" if rng.random() < lapse else t if rng.random() < 0.75 else {"l": "r", "r": "l"}[t]
                for t in truths
            ]
            rows += seen(f"p{who:02}", *(t + c for t, c in zip(truths, choices, strict=True)))
        side = bias(checked(*rows), resamples=2_000).side
        assert side.effect.interval.low is not None
        assert side.effect.interval.high is not None
        assert side.effect.interval.low <= lapse <= side.effect.interval.high
        assert side.effect.interval.low > at_least - 0.1
        assert side.effect_against_zero.p is not None
        assert (side.effect_against_zero.p < 0.001) == (lapse > 0)


def test_each_slope_is_the_one_of_numpy() -> None:
    """Source: numpy.polyfit of correct on position."""
    rng = np.random.default_rng(6)
    rows, expected = [], {}
    for who in range(10):
        positions = rng.choice(np.arange(1, 40), size=8, replace=False)
        right = rng.integers(0, 2, 8)
        expected[f"p{who}"] = np.polyfit(positions, right, 1)[0]
        rows += [
            answer(participant=f"p{who}", pair=f"q{at}", position=str(at), choice="a" if correct else "b")
            for at, correct in zip(positions, right, strict=True)
        ]
    result = bias(checked(*rows), resamples=0)
    assert {name: one["slope"] for name, one in people(result).items()} == pytest.approx(expected)
    assert result.learning.slope.mean == pytest.approx(np.mean(list(expected.values())))


def test_two_sessions_of_a_participant_have_separate_levels() -> None:
    """By hand: right, right in one session and wrong, wrong in the next is no change within either; pooled it is."""
    rows = [
        answer(participant="p", session=session, pair=f"q{at}", position=str(at), choice=choice)
        for session, choice, start in (("s1", "a", 1), ("s2", "b", 5))
        for at in (start, start + 1)
    ]
    assert people(bias(checked(*rows), resamples=0))["p"]["slope"] == 0.0
    pooled = [row | {"session": "s1"} for row in rows]
    assert people(bias(checked(*pooled), resamples=0))["p"]["slope"] == pytest.approx(
        np.polyfit([1, 2, 5, 6], [1, 1, 0, 0], 1)[0]
    )


def test_learning_that_was_simulated_is_found() -> None:
    """Simulation with known truth: the probability of a right answer rises by 0.03 with each of 12 trials."""
    rng = np.random.default_rng(7)
    rows = []
    for who in range(80):
        right = rng.random(12) < 0.5 + 0.03 * np.arange(12)
        rows += seen(f"p{who:02}", *("ll" if correct else "lr" for correct in right))
    learning = bias(checked(*rows), resamples=2_000).learning
    assert learning.slope.interval.low is not None
    assert learning.slope.interval.high is not None
    assert 0.0 < learning.slope.interval.low < 0.03 < learning.slope.interval.high
    assert learning.slope_against_zero.p is not None
    assert learning.slope_against_zero.p < 0.001


def test_positions_have_the_shares_of_participants_with_wilson_intervals() -> None:
    """Source: statsmodels' proportion_confint(method="wilson")."""
    rows = [row for who in range(20) for row in seen(f"p{who:02}", "ll" if who < 15 else "lr", "rl", "--")]
    order = bias(checked(*rows)).order
    first, second, third = table_rows(order.positions)
    assert (first["position"], first["n_accuracy"], first["accuracy"], first["left"]) == (1, 20, 0.75, 0.75)
    expected = proportion_confint(15, 20, 0.05, method="wilson")
    assert (first["accuracy_low"], first["accuracy_high"]) == pytest.approx(expected)
    assert (first["left_low"], first["left_high"]) == pytest.approx(expected)
    assert (second["accuracy"], second["left"]) == (0.0, 1.0)
    assert (third["n_accuracy"], third["accuracy"], third["left_low"]) == (0, None, None)


def test_somebody_twice_at_a_position_is_averaged_before_the_position_is() -> None:
    """By hand: p1 is right once of two at position 1, p2 once of one: (0.5 + 1) / 2."""
    order = bias(checked(*person("p1", "ab"), *person("p2", "a")), resamples=50).order
    [row] = table_rows(order.positions)
    assert (row["n_accuracy"], row["accuracy"]) == (3, 0.75)
    assert order.interval_method == BOOTSTRAP


def test_answers_whose_sides_are_unknown_count_in_no_number_about_sides() -> None:
    rows = [*seen("p1", "ll", "rr"), *seen("p2", "ll", "rl")]
    rows[3]["left"] = ""
    result = bias(checked(*rows), resamples=0)
    assert (result.side.n_answers, result.side.n_without_side) == (3, 1)
    assert people(result)["p2"]["n_sides"] == 1
    assert result.learning.slope.n == 2
    unknown = bias(checked(*(row | {"left": ""} for row in rows)), resamples=0)
    assert unknown.side.reason == "no answer says which member was on the left"
    assert unknown.side.left.reason == "no participant has a value"
    assert unknown.side.left_pooled.reason == unknown.side.reason
    assert unknown.learning.slope.n == 2


@pytest.mark.parametrize(
    ("rows", "side", "order", "learning"),
    [
        ([], "no trial was answered", "no trial was answered", "no answer has a truth"),
        (person("p", "--"), "no trial was answered", "no trial was answered", "no answer has a truth"),
        (person("p", "ab", truth=""), None, None, "no answer has a truth"),
        (
            person("p", "ab"),
            None,
            None,
            "no participant has answers with a truth at two positions, up to 1,000,000 apart",
        ),
        (
            [answer(position="1"), answer(pair="q2", position="999999999999999", choice="b")],
            None,
            None,
            "no participant has answers with a truth at two positions, up to 1,000,000 apart",
        ),
    ],
    ids=["nothing", "blanks", "no truth", "one position", "far apart"],
)
def test_what_is_not_defined_says_why(
    rows: list[dict[str, str]], side: str | None, order: str | None, learning: str | None
) -> None:
    result = bias(checked(*rows))
    assert (result.side.reason, result.order.reason, result.learning.reason) == (side, order, learning)
    json.dumps(result.to_dict(), allow_nan=False)


CELLS = st.fixed_dictionaries(
    {
        "participant": st.sampled_from(["1", "2", "é"]),
        "pair": st.sampled_from(["q1", "q2", "q3", "q4"]),
        "position": st.sampled_from(["1", "2", "5"]),
        "choice": st.sampled_from(["a", "b", ""]),
        "truth": st.sampled_from(["a", "b", ""]),
        "left": st.sampled_from(["a", "b", ""]),
    }
)
ANSWERS = st.lists(
    CELLS, min_size=1, max_size=12, unique_by=lambda cells: (cells["participant"], cells["pair"])
)


@settings(deadline=None, max_examples=6)
@given(ANSWERS, st.booleans(), st.randoms(use_true_random=False))
def test_row_order_and_the_names_of_the_members_change_nothing(
    cells: list[dict[str, str]], two_sessions: bool, random: Any
) -> None:
    rows = [answer(**one) for one in cells]
    if two_sessions:
        rows = [row | {"session": f"{row['participant']}-{row['pair'] > 'q2'}"} for row in rows]
    mirrored = [row | {name: OTHER[row[name]] for name in ("truth", "left", "choice")} for row in rows]
    expected = bias(checked(*rows), resamples=20).to_dict()
    json.dumps(expected, allow_nan=False)
    assert bias(checked(*random.sample(rows, len(rows))), resamples=20).to_dict() == expected
    assert bias(checked(*mirrored), resamples=20).to_dict() == expected
