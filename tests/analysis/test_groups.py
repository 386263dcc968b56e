"""Several groups compared, against R, pingouin and simulation."""

import json

import numpy as np
import pandas as pd
import pingouin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from analysis.options import ALTERNATIVES
from analysis.stats.groups import kruskal_wallis
from tests.analysis.rank_data import MUCOCILIARY, OZONE


def test_h_and_p_are_those_r_gives_without_ties() -> None:
    """Source: R's ?kruskal.test, Hollander & Wolfe (1973), p. 116: chi-squared = 0.77143, df = 2, p-value = 0.68.

    Epsilon squared by hand: 0.77143 / 13."""
    test = kruskal_wallis(MUCOCILIARY, resamples=0)
    assert test.h == pytest.approx(0.77143, abs=5e-6)
    assert test.p == pytest.approx(0.68, abs=5e-5)
    assert (test.df, test.ties, test.n) == (2, False, {"normal": 5, "obstructive": 4, "asbestosis": 5})
    assert test.epsilon_squared == pytest.approx(0.0593, abs=5e-5)


def test_h_p_and_the_corrected_pairs_are_those_r_gives_with_ties() -> None:
    """Source: R's ?kruskal.test, kruskal.test(Ozone ~ Month, airquality): 29.267, df = 4, p-value = 6.901e-06, and
    ?pairwise.wilcox.test, pairwise.wilcox.test(Ozone, Month), whose p values are corrected by Holm's method."""
    test = kruskal_wallis(OZONE, resamples=0)
    assert test.h == pytest.approx(29.267, abs=5e-4)
    assert test.p == pytest.approx(6.901e-06, abs=5e-10)
    assert (test.df, test.ties) == (4, True)
    printed = {
        ("5", "6"): 0.5775,
        ("5", "7"): 0.0003,
        ("5", "8"): 0.0011,
        ("5", "9"): 0.4744,
        ("6", "7"): 0.0848,
        ("6", "8"): 0.1295,
        ("6", "9"): 1.0,
        ("7", "8"): 1.0,
        ("7", "9"): 0.0060,
        ("8", "9"): 0.0227,
    }
    assert {pair.groups: pair.p_holm for pair in test.pairs} == {
        groups: pytest.approx(p, abs=5.1e-5) for groups, p in printed.items()
    }
    assert {pair.n_family for pair in test.pairs} == {10}


def test_h_agrees_with_pingouin() -> None:
    """Source: pingouin.kruskal."""
    rng = np.random.default_rng(3)
    groups = {
        name: rng.binomial(6, p, size=20) / 6 for name, p in (("ä", 0.8), ("b", 0.7), ("c", 0.75), ("d", 0.5))
    }
    table = pd.concat([pd.DataFrame({"group": name, "value": values}) for name, values in groups.items()])
    theirs = pingouin.kruskal(table, dv="value", between="group").iloc[0]
    ours = kruskal_wallis(groups, resamples=0)
    assert ours.h == pytest.approx(theirs["H"])
    assert ours.df == theirs["ddof1"]
    assert ours.p == pytest.approx(theirs["p_unc"])


def test_with_two_groups_it_is_the_squared_z_of_their_ranks() -> None:
    """Source: the definition of both tests, by SciPy without continuity correction."""
    rng = np.random.default_rng(4)
    x, y = rng.binomial(6, 0.8, size=30) / 6, rng.binomial(6, 0.6, size=25) / 6
    plain = stats.mannwhitneyu(x, y, method="asymptotic", use_continuity=False).pvalue
    assert kruskal_wallis({"x": x, "y": y}, resamples=0).p == pytest.approx(plain)


@settings(deadline=None, max_examples=25)
@given(st.lists(st.lists(st.integers(0, 4), max_size=8), max_size=4))
def test_neither_the_order_of_groups_nor_of_people_matters(values: list[list[int]]) -> None:
    groups = {f"g{number}": np.array(cells) / 4 for number, cells in enumerate(values)}
    test = kruskal_wallis(groups, resamples=0)
    turned = kruskal_wallis({name: groups[name][::-1] for name in reversed(groups)}, resamples=0)
    assert (test.h is None) == (test.reason is not None)
    assert test.h == (None if turned.h is None else pytest.approx(turned.h))
    assert test.left_out == tuple(reversed(turned.left_out))
    assert {frozenset(pair.groups): pair.test.p for pair in test.pairs} == {
        frozenset(pair.groups): None if pair.test.p is None else pytest.approx(pair.test.p)
        for pair in turned.pairs
    }
    json.dumps(test.to_dict(), allow_nan=False)


def test_a_one_sided_p_never_stands_alone() -> None:
    for alternative in ALTERNATIVES:
        for pair in kruskal_wallis(OZONE, alternative, resamples=0).to_dict()["pairs"]:
            assert pair["alternative"] == alternative
            assert pair["p"] is not None
            assert pair["p_two_sided"] is not None


def test_the_ends_of_the_interval_make_h_as_rare_as_they_should() -> None:
    """Source: sums of squared normal values whose means add up to each end, drawn 200,000 times."""
    test = kruskal_wallis(OZONE, resamples=0)
    ends = test.epsilon_squared_interval
    assert ends.low is not None
    assert ends.high is not None
    assert test.h is not None
    rng = np.random.default_rng(5)
    for end, share in ((ends.low, 0.975), (ends.high, 0.025)):
        normal = rng.normal(size=(200_000, 4))
        normal[:, 0] += (end * 115) ** 0.5
        assert ((normal**2).sum(axis=1) <= test.h).mean() == pytest.approx(share, abs=0.002)


@pytest.mark.exhaustive
@pytest.mark.slow
def test_where_groups_are_alike_p_and_interval_are_right_in_95_percent_of_cases() -> None:
    """Source: simulation; 0 is the true effect."""
    rng = np.random.default_rng(6)
    tests = [
        kruskal_wallis({str(group): rng.binomial(8, 0.7, size=25) / 8 for group in range(2)}, resamples=0)
        for _ in range(300)
    ]
    assert 0.02 < np.mean([test.p is not None and test.p < 0.05 for test in tests]) < 0.09
    assert np.mean([test.epsilon_squared_interval.low == 0 for test in tests]) > 0.94


@pytest.mark.parametrize(
    ("groups", "left_out", "reason"),
    [
        ({}, (), "fewer than two groups have a participant with a value"),
        ({"a": [0.5], "b": [np.nan]}, ("b",), "fewer than two groups have a participant with a value"),
        (
            {"a": [0.5, 0.5], "b": [0.5], "c": []},
            ("c",),
            "all participants of all groups have the same value: there is nothing to rank",
        ),
    ],
)
def test_what_cannot_be_compared_says_why(
    groups: dict[str, list[float]], left_out: tuple[str, ...], reason: str
) -> None:
    test = kruskal_wallis({name: np.array(values) for name, values in groups.items()})
    assert (test.h, test.p, test.epsilon_squared, test.left_out, test.reason) == (
        None,
        None,
        None,
        left_out,
        reason,
    )
    assert test.epsilon_squared_interval.reason == "there is no H"


def test_groups_more_alike_than_chance_have_no_interval() -> None:
    same = np.array([0.1, 0.2, 0.3])
    interval = kruskal_wallis({"a": same, "b": same}, resamples=0).epsilon_squared_interval
    assert (interval.low, interval.high) == (None, None)
    assert "more similar than expected by chance" in str(interval.reason)
