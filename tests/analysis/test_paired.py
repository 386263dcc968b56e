"""The same people in two studies: against R's own numbers, all ways written out, and simulations."""

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from analysis import analyze, hntt_responses, read_hntt, render
from analysis.stats import paired, pseudomedian
from analysis.stats.intervals import Floats
from analysis.stats.mixed import fit_mixed
from analysis.stats.paired import friedman, paired_test
from analysis.stats.permutation import EXACT_WITHIN, NORMAL, RANDOM_WITHIN, sign_flip_test
from analysis.stats.pseudomedian import signed_rank_distribution
from tests.analysis.tables import HNTT, person, published, table

pytestmark = pytest.mark.slow

# The calls that made them are in paired.R beside it.
R: dict[str, Any] = json.loads((Path(__file__).parents[1] / "gold" / "r" / "paired.json").read_text())

SIXTHS = st.lists(st.integers(-6, 6), min_size=1, max_size=9)


def within(differences: Any, **asked: Any) -> paired.PairedTest:
    values = np.asarray(differences, dtype=float)
    people = [f"p{place}" for place in range(len(values))]
    return paired_test(pd.Series(values, people), pd.Series(0.0, people), **asked)


@pytest.mark.parametrize("name", ["depression", "smooth"])
def test_test_shift_and_interval_are_those_of_r(name: str) -> None:
    """Source: wilcox.test(d, conf.int = TRUE) of R 4.2.2, exact; the first is the example of ?wilcox.test."""
    gold = R[name]
    found = within(gold["d"], resamples=0)
    assert (found.v, found.method) == (gold["v"], "exact")
    assert found.p == pytest.approx(gold["p"], rel=1e-9)
    for alternative in ("greater", "less"):
        assert within(gold["d"], alternative=alternative, resamples=0).p == pytest.approx(gold[alternative])
    assert found.shift.value == pytest.approx(gold["estimate"])
    assert [found.shift.low, found.shift.high] == pytest.approx(gold["interval"])
    assert found.shift.method == pseudomedian.EXACT


def test_with_ties_and_equal_values_the_test_is_that_of_r() -> None:
    """Source: wilcox.test of sixths, where R leaves out zeros and takes the corrected normal approximation."""
    gold = R["zeros"]
    found = within(gold["d"], resamples=0)
    assert (found.n, found.n_equal) == (40, sum(d == 0 for d in gold["d"]))
    assert found.n_equal > 0
    assert found.v == gold["v"]
    for alternative, name in (("two-sided", "p"), ("greater", "greater"), ("less", "less")):
        one = within(gold["d"], alternative=alternative, resamples=0)
        assert one.p == pytest.approx(gold[name], rel=1e-9)
        assert one.p_two_sided == pytest.approx(gold["p"], rel=1e-9)


def test_few_tied_differences_are_tested_by_all_their_signs() -> None:
    """Source: coin::wilcoxsign_test(distribution = "exact", zero.method = "Wilcoxon") of R."""
    found = within(R["few"]["d"], resamples=0)
    assert found.p == pytest.approx(R["few"]["p"], rel=1e-9)
    assert found.method == "exact, all signs enumerated"


def test_friedman_is_that_of_r() -> None:
    """Source: the example of ?friedman.test, rounding times, Hollander & Wolfe (1973), p. 140ff."""
    gold = R["rounding"]
    times = pd.DataFrame(gold["times"])
    found = friedman(["a", "b", "c"], [times[column] for column in times])
    assert (found.n, found.df) == (22, gold["df"])
    assert found.q == pytest.approx(gold["q"], rel=1e-9)
    assert found.p == pytest.approx(gold["p"], rel=1e-9)
    assert found.w == pytest.approx(gold["q"] / 44)


def test_friedman_has_only_people_with_a_value_in_all_and_says_what_is_missing() -> None:
    one, two = pd.Series([1.0, 2.0, 3.0], list("xyz")), pd.Series([2.0, np.nan, 5.0], list("zyx"))
    found = friedman(["a", "b", "c"], [one, two, pd.Series([9.0, 9.0, 9.0], list("xyw"))])
    assert (found.n, found.q, found.reason) == (1, None, "fewer than two participants have a value in all")
    same = friedman(["a", "b", "c"], [one, one, one])
    assert same.reason == "every participant has the same value in all: there is nothing to rank"


@settings(deadline=None, max_examples=60)
@given(SIXTHS)
def test_shift_and_swapped_values_are_what_all_ways_written_out_give(sixths: list[int]) -> None:
    found = within(np.array(sixths) / 6, resamples=200)
    averages = [(a + b) / 12 for place, a in enumerate(sixths) for b in sixths[place:]]
    assert found.shift.value == pytest.approx(float(np.median(averages)))
    turned = within(-np.array(sixths[::-1]) / 6, resamples=200)
    assert turned.shift.value == -(found.shift.value or 0.0) + 0.0
    assert turned.p_two_sided == pytest.approx(found.p_two_sided)
    if found.shift.low is not None and found.shift.high is not None:
        assert (turned.shift.low, turned.shift.high) == (-found.shift.high, -found.shift.low)
    sums = [
        abs(sum(sign * d for sign, d in zip(signs, sixths, strict=True)))
        for signs in product((1, -1), repeat=len(sixths))
    ]
    if any(sixths):
        assert found.permutation.p == pytest.approx(np.mean(np.array(sums) >= abs(sum(sixths))))
        assert found.permutation.method == EXACT_WITHIN
    else:
        assert found.permutation.reason == "no participant's two values differ: there is nothing to swap"


def test_the_distribution_of_the_signed_ranks_is_that_of_all_signs() -> None:
    counted = np.zeros(11)
    for signs in product((0, 1), repeat=4):
        counted[int(np.dot(signs, [1, 2, 3, 4]))] += 1
    assert signed_rank_distribution(4) == pytest.approx(counted / 16)


def test_with_ties_the_interval_holds_the_shifts_that_the_test_does_not_reject() -> None:
    """Source: SciPy's tie- and continuity-corrected p, for shifts that make no difference 0 and tie no two sizes."""
    differences = np.random.default_rng(12).integers(-3, 6, size=40) / 6
    found = pseudomedian.pseudomedian(differences)
    assert found.low is not None
    assert found.high is not None
    assert found.method == pseudomedian.NORMAL
    for moved in np.arange(-6, 10) / 12 + 0.01:
        p = stats.wilcoxon(differences - moved, correction=True, method="asymptotic").pvalue
        assert (p > 0.05) == (found.low < moved < found.high)


def test_many_differences_are_searched_and_not_written_out(monkeypatch: pytest.MonkeyPatch) -> None:
    differences = np.random.default_rng(13).normal(0.3, 1, size=90)
    written = pseudomedian.pseudomedian(differences)
    monkeypatch.setattr(pseudomedian, "_CELLS", 0)
    searched = pseudomedian.pseudomedian(differences)
    for name in ("value", "low", "high"):
        assert getattr(searched, name) == pytest.approx(getattr(written, name), abs=1e-11)


@pytest.mark.parametrize(("draw", "n"), [("smooth", 8), ("smooth", 60), ("tied", 20)])
def test_a_known_shift_is_held_in_95_percent_of_simulated_cases(draw: str, n: int) -> None:
    """Source: simulation; with ties the interval is to hold it at least as often."""
    rng = np.random.default_rng(14)
    held = 0
    for _ in range(400):
        sample: Floats = rng.logistic(size=n) if draw == "smooth" else rng.integers(-3, 4, size=n) / 6
        found = pseudomedian.pseudomedian(sample + 0.5)
        assert found.low is not None
        assert found.high is not None
        held += found.low - 1e-9 <= 0.5 <= found.high + 1e-9
    assert held / 400 > 0.925
    assert draw == "tied" or held / 400 < 0.985


def test_random_swaps_and_the_normal_limit_give_the_exact_p() -> None:
    """Source: the exact p of 14 differences; and the normal p of very many against random swaps."""
    rng = np.random.default_rng(15)
    few = rng.normal(0.4, 1, size=14)
    exact = sign_flip_test(few, seed=1, resamples=100)
    assert exact.method == EXACT_WITHIN
    doubled = np.append(few, [1e-9] * 5)
    drawn = sign_flip_test(doubled, seed=1, resamples=20_000)
    assert drawn.method == RANDOM_WITHIN
    assert exact.p is not None
    assert drawn.p == pytest.approx(exact.p, abs=4 * (exact.p * (1 - exact.p) / 20_000) ** 0.5 + 1e-3)
    many = rng.normal(0.05, 1, size=900)
    assert sign_flip_test(many, seed=1, resamples=10_000).method == NORMAL
    normal, random = (sign_flip_test(many, seed=1, resamples=m).p for m in (10_000, 4_000))
    assert normal == pytest.approx(random, abs=0.03)


@pytest.mark.parametrize(
    ("differences", "reason", "no_interval"),
    [
        ([], "no participant has a value in both", "no participant has a value in both"),
        ([np.nan], "no participant has a value in both", "no participant has a value in both"),
        (
            [0.0, 0.0],
            "every participant has the same value in both: there is nothing to rank",
            "all differences are the same: there is no spread",
        ),
        ([0.5, 0.5], None, "all differences are the same: there is no spread"),
        (
            [0.1, 0.2, 0.4],
            None,
            "too few participants: even the smallest and the largest difference do not make a 95 % interval",
        ),
    ],
)
def test_what_is_not_defined_says_why(differences: list[float], reason: str | None, no_interval: str) -> None:
    found = within(differences, resamples=100)
    assert (found.reason, found.shift.reason) == (reason, no_interval)
    assert (found.p is None) == (reason is not None)
    assert (found.shift.low, found.shift.high) == (None, None)


# ---- whole analyses ----


def studies(
    n: int, seed: int, by: float, *, ids: str = "p", names: tuple[str, str] = ("one", "two")
) -> list[dict[str, str]]:
    """Two studies of eight pairs with the same people, who differ much from each other; the second is harder."""
    rng = np.random.default_rng(seed)
    skill = rng.uniform(0.45, 0.95, size=n)
    rows = []
    for place, name in enumerate(names):
        for who in range(n):
            right = rng.random(8) < np.clip(skill[who] - by * place, 0.05, 1)
            letters = "".join("a" if one else "b" for one in right)
            rows += person(f"{ids}{who}", letters, study=name, session=f"{name}{who}")
    return rows


def test_people_with_one_id_are_compared_with_themselves_and_read_first() -> None:
    rows = studies(20, 1, 0.15)
    result = analyze(table(*rows), resamples=20)
    one = result.comparisons[0]
    assert (one.n_shared_ids, one.compared_as) == (20, "paired")
    assert one.paired is not None
    shares = (
        pd.DataFrame(rows)
        .assign(right=lambda t: t["choice"] == "a")
        .groupby(["study", "participant"])["right"]
        .mean()
    )
    differences = (shares["one"] - shares["two"]).to_numpy()
    expected = stats.wilcoxon(np.round(differences, 9), correction=True, method="asymptotic").pvalue
    assert one.paired.p == pytest.approx(expected)
    # Between people there is far more noise than within them.
    assert one.test.p is not None
    assert one.paired.p is not None
    assert one.paired.p < one.test.p
    text = render(result)
    assert "The same people in both studies: Wilcoxon's signed-rank test" in text
    assert "Mann-Whitney" not in text
    assert "(20 in both)" in " ".join(text.split())
    assert max(map(len, text.splitlines())) <= 100


def test_the_independent_test_is_shown_when_asked_with_its_warning() -> None:
    result = analyze(table(*studies(10, 2, 0.1)), resamples=0, independent=True)
    one = result.comparisons[0]
    assert (one.compared_as, one.paired, one.n_shared_ids) == ("independent", None, 10)
    assert one.p_holm_as_compared == one.p_holm
    assert result.mixed_differences[0].model.n_participants == 20
    text = " ".join(render(result).split())
    assert "Mann-Whitney tests, and a permutation test of the means" in text
    assert "The same people in both studies" not in text
    assert (
        "one and two: 10 participants have the same identifier in both studies and, as asked, are taken for"
        in text
    )


def test_holm_corrects_the_tests_that_are_to_be_read() -> None:
    """Source: Holm's rule by hand over the two p values of the paired tests."""
    result = analyze(table(*studies(12, 3, 0.1)), resamples=0)
    p = [one.paired.p for one in result.comparisons if one.paired and one.paired.p is not None]
    low, high = sorted(p) if len(p) == 2 else (p[0], p[0])
    assert [one.n_family_as_compared for one in result.comparisons] == [len(p)] * len(result.comparisons)
    by_hand = {low: min(1, len(p) * low), high: max(min(1, len(p) * low), high)}
    for one in result.comparisons:
        if one.paired and one.paired.p is not None:
            assert one.p_holm_as_compared == pytest.approx(by_hand[one.paired.p])


def test_where_few_took_part_in_both_neither_test_is_hidden() -> None:
    rows = studies(20, 4, 0.1)
    rows = [
        row | {"participant": f"other{row['participant']}"}
        if row["study"] == "two" and int(row["participant"][1:]) > 4
        else row
        for row in rows
    ]
    result = analyze(table(*rows), resamples=0)
    one = result.comparisons[0]
    assert one.paired is not None
    assert (one.n_shared_ids, one.compared_as, one.paired.n, one.paired.n_only_first) == (
        5,
        "independent",
        5,
        15,
    )
    text = " ".join(render(result).split())
    assert "The same people in both studies" in text
    assert "Mann-Whitney tests, and a permutation test of the means" in text
    assert "5 of the 20 participants of the smaller study took part in both" in text
    assert (result.mixed_differences[0].n_crossed, result.mixed_differences[0].model.n_participants) == (
        5,
        35,
    )


def test_three_studies_of_the_same_people_are_compared_by_friedman() -> None:
    rows = studies(6, 5, 0.1) + [
        row for row in studies(6, 6, 0.1, names=("x", "three")) if row["study"] == "three"
    ]
    result = analyze(table(*rows), resamples=0)
    shares = (
        pd.DataFrame(rows)
        .assign(right=lambda t: t["choice"] == "a")
        .groupby(["study", "participant"])["right"]
        .mean()
    )
    expected = stats.friedmanchisquare(
        *(shares[name].to_numpy().round(9) for name in ("one", "three", "two"))
    )
    found = result.several[0].friedman
    assert found is not None
    assert found.p == pytest.approx(expected.pvalue)
    text = render(result)
    assert "All studies at once, the same people in each (Friedman)" in text
    assert "Kruskal-Wallis" not in text


def test_where_only_some_studies_share_people_kruskal_wallis_says_so() -> None:
    rows = studies(6, 7, 0.1) + [
        row for row in studies(6, 8, 0.1, ids="q", names=("x", "three")) if row["study"] == "three"
    ]
    result = analyze(table(*rows), resamples=0)
    assert {one.compared_as for one in result.several} == {"independent"}
    assert all(one.friedman is None for one in result.several)
    text = " ".join(render(result).split())
    assert (
        "Some participants have the same identifier in one and two (6): the test of independent groups"
        in text
    )
    assert [one.compared_as for one in result.comparisons if one.studies == ("one", "two")] == ["paired"] * 2
    assert all(one.n_crossed == 0 for one in result.mixed_differences if "three" in one.studies)


def test_the_published_studies_number_their_people_anew() -> None:
    result = published(0)
    assert {one.compared_as for one in result.comparisons} == {"independent"}
    assert all(one.paired is None and one.n_shared_ids == 30 for one in result.comparisons)
    assert "because the published studies had different people" in " ".join(render(result).split())


def test_the_published_studies_are_known_by_their_clips_and_not_by_a_studys_name() -> None:
    published = hntt_responses(read_hntt(HNTT))
    renamed = published.assign(
        study=published["study"].astype("str").str.replace("hntt", "nav").astype("category")
    )
    assert {one.compared_as for one in analyze(renamed, resamples=0).comparisons} == {"independent"}
    clips = {
        f"stimulus_{m}": ("x" + published[f"stimulus_{m}"].astype("str")).astype("category") for m in "ab"
    }
    others = analyze(published.assign(**clips), resamples=0)
    assert {one.compared_as for one in others.comparisons} == {"paired"}
    assert others.published is None


# ---- the mixed model against lme4 ----


def fitted(gold: dict[str, Any], *, crossed: bool) -> Any:
    n, m = gold["n"], gold["m"]
    study, people, pairs = (
        np.repeat([0, 1], n * m),
        np.tile(np.repeat(np.arange(n), m), 2),
        np.tile(np.arange(m), 2 * n),
    )
    return fit_mixed(people if crossed else people + n * study, pairs, np.array(gold["right"]), study)


def test_people_crossed_with_studies_are_what_lme4_fits() -> None:
    """Source: glmer(right ~ study + (1 | person) + (1 | pair)); the prior moves the numbers a little."""
    gold = R["crossed"]
    model, apart = fitted(gold, crossed=True), fitted(gold, crossed=False)
    for number, estimate, se in zip(
        (model.intercept, model.difference), gold["estimate"], gold["se"], strict=True
    ):
        assert number.value == pytest.approx(estimate, abs=0.1 * se)
        assert number.sd == pytest.approx(se, rel=0.16)
    assert [model.sd_participants.value, model.sd_pairs.value] == pytest.approx(gold["sds"], rel=0.2)
    assert (model.n_participants, apart.n_participants) == (40, 80)
    assert apart.difference.sd == pytest.approx(gold["se_apart"], rel=0.12)
    assert apart.difference.sd > 1.2 * model.difference.sd
    assert model.boundary is None


def test_where_lme4_puts_both_spreads_at_zero_a_sentence_says_so() -> None:
    """Source: glmer's singular fit of people and pairs that do not differ; its numbers are those of glm."""
    gold = R["boundary"]
    assert gold["singular"]
    assert gold["sds"] == pytest.approx([0, 0], abs=1e-6)
    model = fitted(gold, crossed=True)
    assert str(model.boundary).startswith(
        "Whether answers differ between participants or pairs by more than chance"
    )
    assert model.intercept.sd > gold["se"][0]
    assert model.difference.value == pytest.approx(gold["estimate"][1], abs=0.25 * gold["se"][1])
