"""Two raters at a time, items with unequal numbers of ratings, and classes: against R, by hand, and degenerate."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score  # type: ignore[import-untyped]

from analysis.data.rating_table import check_ratings
from analysis.ratings.scores import CLASSES, CriterionResult, RatingAnalysis, analyze_ratings
from analysis.text.ratings import render_ratings

pytestmark = pytest.mark.slow

# The calls that made them are in ratings.R beside it.
R: dict[str, Any] = json.loads((Path(__file__).parents[1] / "gold" / "r" / "ratings.json").read_text())


def long(raters: dict[str, list[Any]]) -> pd.DataFrame:
    """A column per rater as one row per rating; what is None or NA is not there."""
    rows = [
        (f"i{place}", rater, score)
        for rater, scores in raters.items()
        for place, score in enumerate(scores)
        if score not in (None, "NA")
    ]
    return pd.DataFrame(rows, columns=["item", "rater", "score"])


def rated(raters: dict[str, list[Any]], level: str = "ordinal", resamples: int = 0) -> CriterionResult:
    [one] = analyze_ratings(check_ratings(long(raters), level=level), resamples=resamples).criteria
    return one


@pytest.mark.parametrize("level", ["ordinal", "interval"])
def test_kappas_of_two_raters_are_those_of_r(level: str) -> None:
    """Source: psych::cohen.kappa of R, items that both of three raters scored; unequal numbers per item."""
    found = rated(R["raters"], level).rater_pairs
    assert [pair.raters for pair in found.pairs] == [("a", "b"), ("a", "c"), ("b", "c")]
    for pair, gold in zip(found.pairs, (R["ab"], R["ac"], R["bc"]), strict=True):
        assert pair.n_items == gold["n"]
        assert pair.kappa_linear.value == pytest.approx(gold["linear"], rel=1e-9)
        assert pair.kappa_quadratic.value == pytest.approx(gold["quadratic"], rel=1e-9)
        assert pair.kappa.value == (pytest.approx(gold["kappa"], rel=1e-9) if level == "ordinal" else None)
    assert found.mean_kappa_linear == pytest.approx(
        np.mean([R[name]["linear"] for name in ("ab", "ac", "bc")])
    )


def test_the_one_way_icc_of_unequal_numbers_is_that_of_r() -> None:
    """Source: mean squares of aov(score ~ item) of R."""
    assert rated(R["raters"]).icc_oneway.value == pytest.approx(R["oneway"]["icc"], rel=1e-9)


def test_the_one_way_icc_is_that_of_shrout_and_fleiss() -> None:
    """Source: their Table 4, ICC(1,1) = 0.17; psych::ICC of R has more digits."""
    table = np.array(R["shrout_fleiss"]["table"])
    found = rated({f"r{place}": column.tolist() for place, column in enumerate(table.T)}).icc_oneway
    assert found.value == pytest.approx(R["shrout_fleiss"]["icc"], rel=1e-9)
    assert found.n == 6


@settings(deadline=None, max_examples=10)
@given(st.lists(st.tuples(st.integers(1, 4), st.integers(1, 4)), min_size=2, max_size=12))
def test_kappas_are_those_of_scikit_learn(pairs: list[tuple[int, int]]) -> None:
    """Source: sklearn.metrics.cohen_kappa_score, of the steps from 1 to 4."""
    one, two = ([pair[at] for pair in pairs] for at in (0, 1))
    [found] = rated({"x": one, "y": two}).rater_pairs.pairs
    if len({*one, *two}) == 1:
        assert found.kappa.value is None
        assert found.kappa.reason == "all ratings are the same: agreement beyond chance is not defined"
        return
    for weights, estimate in (
        (None, found.kappa),
        ("linear", found.kappa_linear),
        ("quadratic", found.kappa_quadratic),
    ):
        expected = cohen_kappa_score(one, two, labels=[1, 2, 3, 4], weights=weights)
        assert estimate.value == pytest.approx(expected)
    assert found.agreement.value == pytest.approx(np.mean(np.array(one) == two))


def test_a_second_kappa_by_hand() -> None:
    """Source: Cohen's definition by hand: of 50 grants both say yes to 20, no to 15; 25 and 30 yes in all."""
    one = ["yes"] * 25 + ["no"] * 25
    two = ["yes"] * 20 + ["no"] * 5 + ["yes"] * 10 + ["no"] * 15
    [found] = rated({"A": one, "B": two}, "nominal").rater_pairs.pairs
    assert found.agreement.value == pytest.approx(0.7)
    assert found.kappa.value == pytest.approx((0.7 - 0.5) / 0.5)
    assert found.kappa_linear.reason == "names have no distance"


def test_the_order_of_rows_and_the_names_of_raters_change_nothing() -> None:
    table = long(R["raters"])
    shuffled = table.sample(frac=1, random_state=1)
    renamed = shuffled.assign(rater=shuffled["rater"].map({"a": "r10", "b": "r9", "c": "r2"}))
    first, second = (analyze_ratings(one, resamples=200).criteria[0] for one in (table, renamed))
    assert [pair.raters for pair in second.rater_pairs.pairs] == [("r2", "r9"), ("r2", "r10"), ("r9", "r10")]
    kappas = [[pair.kappa.value for pair in one.rater_pairs.pairs] for one in (first, second)]
    assert kappas[0] == pytest.approx(kappas[1][::-1])
    assert first.icc_oneway.value == pytest.approx(second.icc_oneway.value)


# ---- classes ----

VOTES = {
    "r1": ["human", "human", "bot", "bot", None],
    "r2": ["human", "bot", "bot", "unsure", None],
    "r3": ["human", "bot", None, "human", "bot"],
}


def classes() -> RatingAnalysis:
    return analyze_ratings(check_ratings(long(VOTES), level="nominal"), resamples=0)


def test_classes_have_counts_and_a_plurality_and_no_mean() -> None:
    analysis = classes()
    [one] = analysis.criteria
    assert (one.n, one.n_not_numbers, one.mean, one.sd_ddof1, one.minimum) == (12, 0, None, None, None)
    assert one.reason == one.interval.reason == CLASSES
    assert [(each.name, each.n) for each in one.classes] == [("bot", 6), ("human", 5), ("unsure", 1)]
    assert [each.share for each in one.classes] == pytest.approx([6 / 12, 5 / 12, 1 / 12])
    items = analysis.items[["item", "n", "plurality", "n_plurality"]].to_numpy().tolist()
    assert items == [
        ["i0", 3, "human", 3],
        ["i1", 3, "bot", 2],
        ["i2", 2, "bot", 2],
        ["i3", 3, "tie", 1],
        ["i4", 1, "bot", 1],
    ]
    json.dumps(analysis.to_dict(), allow_nan=False)


def test_fleiss_kappa_of_classes_is_shown_and_what_has_no_sense_is_not() -> None:
    analysis = classes()
    [one] = analysis.criteria
    text = render_ratings(analysis)
    assert one.agreement.kappa.value is not None
    assert "Fleiss' kappa" in text
    assert f"{one.agreement.kappa.value:.2f}" in text
    assert "SD (n-1)" not in text
    assert "mean score" not in text
    assert "linear" not in text
    assert max(map(len, text.splitlines())) <= 100


def test_numbers_that_are_names_of_classes_have_no_mean_either() -> None:
    one = rated({"x": [1, 2, 2], "y": [1, 2, 3]}, "nominal")
    assert (one.mean, [each.name for each in one.classes]) == (None, ["1", "2", "3"])


# ---- degenerate ----


def test_one_rater_has_nobody_to_agree_with() -> None:
    one = rated({"x": [1, 2, 3]})
    assert (one.rater_pairs.pairs, one.rater_pairs.reason) == ((), "fewer than two raters")
    assert one.icc_oneway.reason == "none of the items has two ratings"


def test_raters_without_items_in_common_say_so() -> None:
    one = rated({"x": [1, 2, None, None], "y": [None, None, 3, 4], "z": [1, None, None, 4]})
    assert (one.rater_pairs.n_pairs, one.rater_pairs.n_apart) == (0, 3)
    assert one.rater_pairs.reason == "no two raters rated the same two items"
    assert "no pairs of raters, no two raters rated the same two items" in render_ratings(
        analyze_ratings(long({"x": [1, 2, None], "y": [None, None, 3]}), resamples=0)
    )


def test_a_rater_who_always_gives_one_value_has_a_kappa_of_zero() -> None:
    """By hand: agreement is what chance gives, whatever the other says."""
    [pair] = rated({"x": [3, 3, 3, 3], "y": [3, 3, 4, 5]}).rater_pairs.pairs
    assert [pair.kappa.value, pair.kappa_linear.value, pair.kappa_quadratic.value] == pytest.approx([0, 0, 0])


def test_all_scores_alike_have_reasons_and_no_numbers() -> None:
    one = rated({"x": [3, 3], "y": [3, 3]})
    assert one.icc_oneway.reason == "all ratings are the same: agreement beyond chance is not defined"
    assert one.rater_pairs.mean_kappa is None


def test_very_many_raters_are_not_compared_two_by_two() -> None:
    one = rated({f"r{n}": [1, 2, n % 5] for n in range(41)})
    assert one.rater_pairs.reason == "41 raters: pairs are compared up to 40 raters"
    many = rated({f"r{n}": [1, 2, n % 3, 5] * 15 for n in range(11)}, resamples=50)
    assert many.rater_pairs.n_pairs == 55
    assert many.rater_pairs.pairs[0].kappa.interval.reason == (
        "more than 45 pairs of raters: their intervals are not resampled"
    )
