"""Conditions of a study compared two by two: against SciPy, pingouin, statsmodels and cases worked by hand."""

import random
from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd
import pingouin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from analysis import analyze, render, render_brief
from analysis.choice.conditions import (
    MOST_CONDITIONS,
    ConditionComparison,
    ConditionsCompared,
    compare_conditions,
)
from analysis.data.preference import preference_per_participant
from analysis.signs import signed
from tests.analysis.tables import answer, checked, table

pytestmark = pytest.mark.slow

EASY, HARD, THIRD = "human-bot", "human-hybrid", "human-symbolic"
Row = dict[str, str]


def trials(person: str, condition: str, right: int, n: int = 4, **cells: str) -> list[Row]:
    """`n` answers of a person in a condition, of which the first `right` are right."""
    return [
        answer(
            participant=person,
            condition=condition,
            pair=f"{condition}-{place}",
            choice="a" if place < right else "b",
            **cells,
        )
        for place in range(n)
    ]


def study(shares: dict[str, dict[str, int]], n: int = 4, **cells: str) -> list[Row]:
    """By condition, the right answers of each person."""
    return [
        row
        for condition, people in shares.items()
        for person, right in people.items()
        for row in trials(person, condition, right, n, **cells)
    ]


def drawn(conditions: tuple[str, ...], people: int, seed: int, *, apart: bool = False) -> list[Row]:
    """Simulated people, each later condition harder; `apart`: each person in one condition only."""
    rng = np.random.default_rng(seed)
    return [
        row
        for person in range(people)
        for place, condition in enumerate(conditions)
        if not apart or person % len(conditions) == place
        for row in trials(
            f"p{person}",
            condition,
            int(rng.binomial(6, 0.9 - 0.15 * place)),
            6,
            uncertainty=str(rng.integers(1, 6)),
        )
    ]


def compared(rows: list[Row], **asked: Any) -> ConditionsCompared:
    frame = checked(*rows)
    return compare_conditions(frame, preference_per_participant(frame), **{"resamples": 100, **asked})


def accuracies(found: ConditionsCompared) -> list[ConditionComparison]:
    return [one for one in found.comparisons if one.measure == "accuracy"]


def shares_of(rows: list[Row]) -> pd.DataFrame:
    """A row for each participant, a column for each condition, by pandas alone."""
    frame = pd.DataFrame(rows).assign(right=lambda t: (t["choice"] == t["truth"]).astype(float))
    return frame.pivot_table(index="participant", columns="condition", values="right", aggfunc="mean")


def test_a_case_worked_by_hand() -> None:
    """Differences of 2, 3, 1, -1 and 0 quarters. Without the 0 their sizes rank 3, 4, 1.5, 1.5, so V = 3 + 4 + 1.5 =
    8.5; of the 16 ways to give signs 3 reach 8.5 or more (10, 8.5 and 8.5): p = 2 x 3 / 16. The Walsh averages in
    quarters are -1, -.5, 0, 0, .5, .5, 1, 1, 1, 1.5, 1.5, 2, 2, 2.5 and 3, of which 1 is in the middle."""
    rows = study({EASY: dict(zip("vwxyz", (4, 4, 3, 1, 2), strict=True)),
                  HARD: dict(zip("vwxyz", (2, 1, 2, 2, 2), strict=True))})  # fmt: skip
    [one] = accuracies(compared(rows))
    test = one.paired
    assert test is not None
    assert (one.conditions, one.compared_as, one.independent, one.n_shared) == (
        (EASY, HARD),
        "paired",
        None,
        5,
    )
    assert (test.n, test.n_higher, test.n_lower, test.n_equal, test.v) == (5, 3, 1, 1, 8.5)
    assert test.p == test.p_two_sided == 2 * 3 / 16
    assert test.shift.value == 0.25
    assert test.difference.mean == pytest.approx(5 / 4 / 5)
    # All 16 ways to swap: |sum| of 5 quarters or more in both directions.
    sums = [
        abs(sum(s * d for s, d in zip(signs, (2, 3, 1, 1), strict=True)))
        for signs in product((1, -1), repeat=4)
    ]
    assert test.permutation.p == sum(total >= 5 for total in sums) / 16
    assert (one.p_holm, one.n_family) == (test.p, 1)


def test_people_in_all_conditions_are_compared_with_themselves_and_corrected() -> None:
    """Source: scipy.stats.wilcoxon and the median of all Walsh averages over pandas' shares; statsmodels' Holm."""
    rows = drawn((EASY, HARD, THIRD), 40, 3)
    shares = shares_of(rows)
    found = accuracies(compared(rows))
    assert [one.conditions for one in found] == list(combinations((EASY, HARD, THIRD), 2))
    for one in found:
        difference = (shares[one.conditions[0]] - shares[one.conditions[1]]).round(9).to_numpy()
        wanted = stats.wilcoxon(difference, correction=True, method="asymptotic").pvalue
        walsh = [(a + b) / 2 for place, a in enumerate(difference) for b in difference[place:]]
        assert one.paired is not None
        assert one.paired.p == pytest.approx(wanted)
        assert one.paired.shift.value == pytest.approx(np.median(walsh))
        assert one.paired.difference.mean == pytest.approx(difference.mean())
        low, high = stats.t.interval(0.95, 39, difference.mean(), stats.sem(difference))
        assert one.paired.difference.interval.low == pytest.approx(low)
        assert one.paired.difference.interval.high == pytest.approx(high)
        assert (one.warning, one.n_family) == (None, 3)
    ps = [one.paired.p for one in found if one.paired]
    assert [one.p_holm for one in found] == pytest.approx(multipletests(ps, method="holm")[1])


def test_different_people_in_each_condition_are_compared_as_groups() -> None:
    """Source: pingouin.mwu over pandas' shares."""
    rows = drawn((EASY, HARD), 40, 4, apart=True)
    shares = shares_of(rows)
    [one] = accuracies(compared(rows))
    wanted = pingouin.mwu(shares[EASY].dropna(), shares[HARD].dropna())
    assert (one.compared_as, one.paired, one.n_shared, one.warning) == ("independent", None, 0, None)
    assert one.independent is not None
    assert (one.independent.n1, one.independent.n2) == (20, 20)
    assert one.independent.p == pytest.approx(float(wanted["p_val"].iloc[0]))
    assert one.independent.effect == pytest.approx(float(wanted["CLES"].iloc[0]))


def test_where_few_answered_in_both_it_says_how_many() -> None:
    rows = drawn((EASY, HARD), 20, 5, apart=True)
    rows += [row for person in ("p1", "p3") for row in trials(person, EASY, 3, 6)]
    [one] = accuracies(compared(rows))
    assert (one.compared_as, one.n_shared) == ("independent", 2)
    assert one.paired is not None
    assert (one.paired.n, one.paired.n_only_first, one.paired.n_only_second) == (2, 10, 8)
    assert one.warning is not None
    assert one.warning.startswith(
        "2 of the 10 participants of the smaller condition have an accuracy in both"
    )
    [alone] = accuracies(compared(rows[:-6]))
    assert (alone.paired, alone.n_shared) == (None, 1)
    assert alone.warning is not None
    assert alone.warning.endswith("one is too few for a paired test")


def test_who_answered_in_one_condition_alone_is_counted() -> None:
    rows = drawn((EASY, HARD), 10, 6) + trials("late", EASY, 6, 6) + trials("early", HARD, 1, 6)
    [one] = accuracies(compared(rows))
    assert one.paired is not None
    assert (one.compared_as, one.paired.n) == ("paired", 10)
    assert (
        one.warning
        == "2 participants have an accuracy in one of the conditions alone and are not in the paired test"
    )
    blanks = trials("blank", EASY, 4) + [row | {"choice": ""} for row in trials("blank", HARD, 4)]
    [one] = accuracies(compared(drawn((EASY, HARD), 10, 6) + blanks))
    assert one.n_shared == 10, "who left every answer of a condition blank has no accuracy there"
    assert (
        one.warning
        == "1 participant has an accuracy in one of the conditions alone and is not in the paired test"
    )


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (
            study({EASY: {"v": 4}, HARD: {"v": 1}}),
            "one participant alone has a value in both: a test needs more",
        ),
        (
            study({EASY: dict.fromkeys("vwx", 3), HARD: dict.fromkeys("vwx", 3)}),
            "every participant has the same value in both: there is nothing to rank",
        ),
        (
            study({EASY: dict.fromkeys("vwx", 3), HARD: dict.fromkeys("abc", 3)}),
            "all participants of both groups have the same value: there is nothing to rank",
        ),
    ],
)
def test_what_cannot_be_tested_says_why(rows: list[Row], reason: str) -> None:
    [one] = accuracies(compared(rows))
    assert one.to_read is not None
    assert (one.to_read.p, one.p_holm, one.n_family, one.reason) == (None, None, 0, reason)
    result = analyze(table(*rows), resamples=0)
    assert reason in " ".join(render(result).split())
    assert reason in " ".join(render_brief(result).split())


def test_one_condition_none_and_too_many_are_not_compared() -> None:
    assert compared(study({EASY: {"v": 4}})).reason == "there is one condition"
    assert compared(study({"": {"v": 4, "w": 2}})).reason == "there is no condition"
    many = {f"c{place}": {"v": 4} for place in range(MOST_CONDITIONS + 1)}
    found = compared(study(many))
    assert found.reason == "there are 11 conditions, and no more than 10 are compared two by two"
    assert found.comparisons == ()
    assert found.conditions[-1] == "c10", "in natural order"
    result = analyze(table(*study(many)), resamples=0)
    for text in (render(result), render_brief(result)):
        assert "there are 11 conditions" in text


def test_a_condition_without_a_truth_has_uncertainty_and_preferences_alone() -> None:
    open_ = {"truth": "", "source_a": "hybrid", "source_b": "symbolic"}
    people = {"v": 4, "w": 1, "x": 3}
    rows = study({EASY: people}) + study({"day": people, "night": {"v": 1, "w": 0, "x": 3}}, 4, **open_)
    found = compared(rows)
    assert [(one.measure, one.conditions) for one in found.comparisons] == [
        *(("uncertainty", pair) for pair in (("day", EASY), ("day", "night"), (EASY, "night"))),
        ("preference", ("day", "night")),
    ]
    assert (
        found.no_accuracy == "Accuracy is not compared: fewer than two conditions have answers with a truth"
    )
    preference = found.comparisons[-1]
    assert (preference.source, preference.against) == ("hybrid", "symbolic")
    assert preference.paired is not None
    # 3/4, 1/4 and 0 more often chose the hybrid one.
    assert preference.paired.difference.mean == pytest.approx(1 / 3)
    assert "Accuracy is not compared" in render(analyze(table(*rows), resamples=0))


def test_the_alternative_is_that_the_first_condition_is_higher() -> None:
    rows = drawn((EASY, HARD), 30, 8)
    greater, less = (accuracies(compared(rows, alternative=side))[0].paired for side in ("greater", "less"))
    assert greater is not None
    assert less is not None
    assert greater.p is not None
    assert less.p is not None
    assert greater.p < 0.05 < less.p
    assert greater.p_two_sided == less.p_two_sided
    one = analyze(table(*rows), resamples=0, alternative="greater").studies[0].conditions
    assert accuracies(one)[0].p_holm == greater.p


@settings(deadline=None, max_examples=3)
@given(
    st.lists(st.tuples(st.integers(-1, 3), st.integers(-1, 3)), min_size=1, max_size=7),
    st.integers(0, 2**32),
)
def test_order_never_matters_and_names_only_turn_the_sign(people: list[tuple[int, int]], seed: int) -> None:
    """A person with -1 right answers did not see the condition."""
    given_ = {
        name: {f"p{who}": right[place] for who, right in enumerate(people) if right[place] >= 0}
        for place, name in enumerate((EASY, HARD))
    }
    rows = study(given_, 3)
    if not rows:
        return
    found = compared(rows)
    assert compared(random.Random(seed).sample(rows, len(rows))).to_dict() == found.to_dict()
    turned = compared(study({EASY: given_[HARD], HARD: given_[EASY]}, 3))
    for one, other in zip(accuracies(found), accuracies(turned), strict=True):
        assert (one.compared_as, one.n_shared, one.reason) == (
            other.compared_as,
            other.n_shared,
            other.reason,
        )
        if one.paired and other.paired and one.paired.shift.value is not None:
            assert one.paired.p_two_sided == pytest.approx(other.paired.p_two_sided)
            assert one.paired.shift.value == pytest.approx(-(other.paired.shift.value or 0.0))
            assert (one.paired.n_only_first, one.paired.n_higher) == (
                other.paired.n_only_second,
                other.paired.n_lower,
            )
        if one.independent and other.independent and one.independent.effect is not None:
            assert one.independent.effect == pytest.approx(1 - (other.independent.effect or 0.0))


def test_the_screen_and_the_whole_text_say_the_same_and_fit() -> None:
    result = analyze(table(*drawn((EASY, HARD, THIRD), 30, 9)), resamples=50)
    one = accuracies(result.studies[0].conditions)[0]
    assert one.paired is not None
    brief, full = render_brief(result), render(result)
    said = " ".join(brief.split())
    assert f"Conditions {EASY} less {HARD} (30 people in both), accuracy: " in said
    assert "after Holm's correction over 3 tests p" in said
    assert f"accuracy: {signed(one.paired.difference.mean or 0.0)} (" in said
    for text in (
        "The same people in both conditions: Wilcoxon's signed-rank test",
        "Holm's correction is over the 3 comparisons of conditions, each measure by itself.",
        "another choice of pairs may give another difference",
    ):
        assert text in " ".join(full.split())
    assert max(map(len, [*brief.splitlines(), *full.splitlines()])) <= 100
    apart = render(analyze(table(*drawn((EASY, HARD), 30, 9, apart=True)), resamples=0))
    assert "Mann-Whitney tests, and a permutation test of the means" in apart
    assert "The same people in both conditions" not in apart
