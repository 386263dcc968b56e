"""Agreement of ratings: published examples and the packages that others use."""

import warnings
from collections.abc import Sequence
from typing import Any

import krippendorff
import numpy as np
import pandas as pd
import pingouin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.inter_rater import fleiss_kappa

from analysis.errors import AnalysisError
from analysis.stats.agreement import RatingAgreement, agreement_of_ratings
from analysis.stats.agreement.icc import mean_square_parts
from analysis.stats.agreement.resampling import Sample
from tests.analysis.by_pingouin import pingouin_icc

pytestmark = pytest.mark.slow

Grid = Sequence[Sequence[float | None]]

# Krippendorff (2011), Computing Krippendorff's Alpha-Reliability: four observers, twelve units, five values. The same
# ratings are Gwet's (2014, page 120) and irrCAC's `cac.raw4raters`.
FOUR_OBSERVERS: Grid = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]

# Fleiss (1971), Table 1: how many of six psychiatrists gave each of 30 patients each of five diagnoses.
PSYCHIATRISTS = """
00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 10050 11040 03300 10050 02031
00501 30012 51000 02040 10203 00006 01050 02013 20040 10041 05010 40002 02040 10500 00006
"""

# Shrout and Fleiss (1979), Table 2: four judges rate six targets.
JUDGES = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]


def long(grid: Grid) -> pd.DataFrame:
    """Raters in rows, items in columns."""
    cells = [(item, rater, value) for rater, row in enumerate(grid) for item, value in enumerate(row)]
    return pd.DataFrame(cells, columns=["item", "rater", "value"])


def measured(grid: Grid, level: str = "nominal", **options: object) -> RatingAgreement:
    return agreement_of_ratings(long(grid), level=level, resamples=0, **options)  # type: ignore[arg-type]


def psychiatrists() -> pd.DataFrame:
    rows = [
        (patient, value)
        for patient, counts in enumerate(PSYCHIATRISTS.split())
        for value, times in enumerate(counts)
        for _ in range(int(times))
    ]
    table = pd.DataFrame(rows, columns=["item", "value"])
    return table.assign(rater=table.groupby("item").cumcount())


@pytest.mark.parametrize(("level", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_is_as_in_krippendorffs_own_example(level: str, alpha: float) -> None:
    """Krippendorff (2011), pages 8 and 9."""
    found = measured(FOUR_OBSERVERS, level)
    assert found.alpha.value == pytest.approx(alpha, abs=5e-4)
    assert (found.n_items, found.n_items_one_rating, found.alpha.n) == (12, 1, 11)


def test_kappa_and_ac1_are_gwets_where_raters_missed_some_items() -> None:
    """irrCAC's vignette, `cac.raw4raters`: pa 0.8181818, Fleiss' kappa 0.76117, AC1 0.77544, alpha 0.74342."""
    found = measured(FOUR_OBSERVERS)
    values = [estimate.value for estimate in (found.agreement, found.kappa, found.ac1, found.alpha)]
    assert values == pytest.approx([0.8181818, 0.76117, 0.77544, 0.74342], abs=5e-6)


def test_kappa_is_that_of_fleiss_psychiatrists() -> None:
    """Fleiss (1971): 0.430; R's irr: kappam.fleiss(diagnoses) gives 0.4302445."""
    found = agreement_of_ratings(psychiatrists(), resamples=0)
    assert found.kappa.value == pytest.approx(0.4302445, abs=5e-8)
    assert found.agreement.value == pytest.approx(0.5556, abs=5e-5)


def test_ac1_is_that_of_the_first_half_of_the_psychiatrists() -> None:
    """irrCAC's vignette, `distrib.6raters`: AC1 0.4448007, kappa 0.4139265, alpha 0.4204384."""
    table = psychiatrists()
    found = agreement_of_ratings(table[table["item"] < 15], resamples=0)
    values = [estimate.value for estimate in (found.ac1, found.kappa, found.alpha)]
    assert values == pytest.approx([0.4448007, 0.4139265, 0.4204384], abs=5e-8)


def test_the_intraclass_correlations_are_those_of_shrout_and_fleiss() -> None:
    """Their Table 4: ICC(2,1) 0.29 and ICC(2,4) 0.62."""
    found = measured(np.array(JUDGES).T.tolist(), "interval")
    assert [found.icc_single.value, found.icc_average.value] == pytest.approx([0.29, 0.62], abs=5e-3)
    assert (found.icc_single.n, found.n_icc_items, found.n_icc_raters) == (6, 6, 4)


@pytest.mark.parametrize(("items", "raters"), [(6, 4), (40, 6), (10, 3)])
def test_the_icc_and_its_interval_are_mcgraw_and_wong_s_for_other_raters(items: int, raters: int) -> None:
    """Source: pingouin, which rounds the interval to two decimals."""
    rng = np.random.default_rng(items)
    table = rng.normal(size=(items, 1)) + 0.5 * rng.normal(size=raters) + rng.normal(size=(items, raters))
    found = measured(table.T.tolist(), "interval")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = pingouin.intraclass_corr(long(table.T.tolist()), "item", "rater", "value").set_index(
            "Type"
        )
    for one, name in ((found.icc_single, "ICC(A,1)"), (found.icc_average, "ICC(A,k)")):
        assert one.value == pytest.approx(expected.loc[name, "ICC"], rel=1e-9)
        assert [one.interval.low, one.interval.high] == pytest.approx(expected.loc[name, "CI95"], abs=0.0051)
        assert "McGraw and Wong" in one.interval.method


def test_the_icc_has_no_interval_without_noise_and_none_of_two_items() -> None:
    exact = measured([[1, 2, 3, 5], [2, 3, 4, 6]], "interval")
    assert exact.icc_single.value is not None
    assert exact.icc_single.interval.reason == "the ratings of every rater differ alike: there is no noise"
    two = measured([[1, 5], [2, 4], [1, 4]], "interval")
    assert two.icc_single.interval.reason == "too few items for an interval: 2"


VALUES = st.one_of(st.none(), st.integers(1, 5))
GRIDS = st.integers(2, 5).flatmap(
    lambda raters: st.lists(st.lists(VALUES, min_size=raters, max_size=raters), min_size=2, max_size=7)
)


@settings(deadline=None, max_examples=40)
@given(GRIDS, st.sampled_from(["nominal", "ordinal", "interval"]))
def test_alpha_is_that_of_the_krippendorff_package(columns: list[list[int | None]], level: str) -> None:
    grid = [list(row) for row in zip(*columns, strict=True)]
    cells = np.array([[np.nan if value is None else value for value in row] for row in grid], dtype=float)
    pairable = cells[:, (~np.isnan(cells)).sum(axis=0) >= 2]
    found = measured(grid, level)
    given_values = np.unique(pairable[~np.isnan(pairable)])
    if len(given_values) < 2:
        assert found.alpha.value is None
        assert found.alpha.reason is not None
    else:
        expected = krippendorff.alpha(reliability_data=cells, level_of_measurement=level)  # type: ignore[arg-type]
        assert found.alpha.value == pytest.approx(expected, abs=1e-9)


@settings(deadline=None, max_examples=30)
@given(st.lists(st.lists(st.integers(1, 3), min_size=4, max_size=4), min_size=2, max_size=8))
def test_kappa_is_that_of_statsmodels(columns: list[list[int]]) -> None:
    found = measured([list(row) for row in zip(*columns, strict=True)])
    counts = np.array([[column.count(value) for value in (1, 2, 3)] for column in columns])
    if (counts.sum(axis=0) > 0).sum() == 1:
        assert found.kappa.reason == "all ratings are the same: agreement beyond chance is not defined"
    else:
        assert found.kappa.value == pytest.approx(fleiss_kappa(counts), abs=1e-12)


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 10_000), st.integers(3, 9), st.integers(2, 5))
def test_resampled_icc_are_pingouins_of_the_resampled_items(seed: int, n: int, k: int) -> None:
    """The bootstrap from sums against pingouin on the same items written out for each resample."""
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(n, 1)) + rng.normal(size=(n, k))
    drawn = rng.integers(0, n, n)
    if len(set(drawn)) == 1:
        drawn = np.arange(n)
    parts, coefficients = mean_square_parts(table)
    sample = Sample(parts, np.bincount(drawn, minlength=n))
    by_pingouin = pingouin_icc(table[drawn])
    for name, coefficient in coefficients.items():
        value = sample.value(coefficient)
        assert np.isnan(value) or value == pytest.approx(by_pingouin[name], rel=1e-6)


def test_the_icc_is_of_the_raters_who_rated_everything_or_of_the_items_that_all_rated() -> None:
    by_raters = measured([[1, 2, 3, 5], [1, 3, 3, 4], [None, 2, 3, 4]], "interval")
    assert (by_raters.n_icc_items, by_raters.n_icc_raters) == (4, 2)
    assert by_raters.icc_single.value == measured([[1, 2, 3, 5], [1, 3, 3, 4]], "interval").icc_single.value
    by_items = measured([[1, 2, 3, None], [1, 3, None, 4], [None, 2, 3, 4], [2, 2, 3, 5]], "interval")
    assert by_items.icc_single.reason is not None
    by_items = measured([[1, 2, 3, None], [1, 3, 4, 4], [None, 2, 3, 4]], "interval")
    assert (by_items.n_icc_items, by_items.n_icc_raters) == (2, 3)


@pytest.mark.parametrize(
    ("grid", "reason"),
    [
        ([[1, 2, 3]], "none of the items has two ratings"),
        ([[1, None, 2], [None, 1, None]], "none of the items has two ratings"),
        ([[None, None]], "none of the items has two ratings"),
        ([[2, 2, 2], [2, 2, 2]], "all ratings are the same: agreement beyond chance is not defined"),
    ],
)
@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_items_of_one_rater_and_constant_items_are_undefined_for_a_reason(
    grid: Grid, reason: str, level: str
) -> None:
    found = agreement_of_ratings(long(grid), level=level, resamples=50)
    assert (found.alpha.value, found.alpha.reason) == (None, reason)
    assert found.alpha.interval.reason == reason
    if level != "interval":
        assert (found.kappa.value, found.kappa.reason) == (None, reason)
    found.to_dict()


def test_ac1_of_constant_ratings_is_defined_once_the_possible_values_are_known() -> None:
    """By hand: pa = 1 and pe = 1 x 0 / 1 = 0, so AC1 = 1; kappa has pe = 1."""
    found = measured([[2, 2, 2], [2, 2, 2]], values=[1, 2])
    assert (found.ac1.value, found.kappa.value, found.n_values) == (1.0, None, 2)


def items_twice() -> np.ndarray:
    """60 items with the psychiatrists' counts, each of theirs twice."""
    counts = np.array([[int(digit) for digit in row] for row in PSYCHIATRISTS.split()])
    return np.tile(counts, (2, 1))


def as_ratings(counts: np.ndarray) -> pd.DataFrame:
    item, value = (np.repeat(index.ravel(), counts.ravel()) for index in np.indices(counts.shape))
    return pd.DataFrame({"item": item, "rater": np.tile(np.arange(6), len(counts)), "value": value})


def alpha_of(counts: np.ndarray) -> float:
    alpha: float = krippendorff.alpha(value_counts=counts, level_of_measurement="nominal")
    return alpha


def test_the_interval_of_many_items_is_scipys_bca_bootstrap() -> None:
    """scipy.stats.bootstrap of the krippendorff package's alpha; other random numbers, so nearly the same."""
    counts = items_twice()
    found = agreement_of_ratings(as_ratings(counts), seed=3, resamples=4_000)
    expected = stats.bootstrap(
        (np.arange(60),),
        lambda items: alpha_of(counts[items]),
        vectorized=False,
        n_resamples=2_000,
        method="BCa",
        rng=np.random.default_rng(8),
    ).confidence_interval
    interval = found.alpha.interval
    assert [interval.low, interval.high] == pytest.approx(list(expected), abs=0.012)
    assert (interval.method, interval.resamples, interval.seed) == (
        "bias-corrected and accelerated bootstrap over items",
        4_000,
        3,
    )
    assert agreement_of_ratings(as_ratings(counts), seed=3, resamples=4_000) == found


def test_the_interval_of_few_items_is_the_jackknife_on_fishers_scale() -> None:
    """The 30 psychiatric patients: the krippendorff package's alpha without each of them, and the formula by hand."""
    counts = items_twice()[:30]
    found = agreement_of_ratings(as_ratings(counts), seed=3, resamples=0).alpha
    alpha = alpha_of(counts)
    without = np.array([alpha_of(np.delete(counts, item, axis=0)) for item in range(30)])
    error = np.sqrt(29 / 30 * np.sum((without - alpha) ** 2))
    reach = stats.t.ppf(0.975, 29) * error / (1 - alpha**2)
    assert (found.interval.low, found.interval.high) == pytest.approx(
        tuple(np.tanh(np.arctanh(alpha) + way * reach) for way in (-1, 1))
    )
    assert found.interval.method == "jackknife and Student's t over items, on Fisher's z scale"


@pytest.mark.parametrize(
    ("n", "given"),
    [
        (9, ()),
        (10, ("agreement", "ac1")),
        (19, ("agreement", "ac1")),
        (20, ("agreement", "ac1", "alpha", "kappa")),
    ],
)
def test_of_too_few_items_there_is_no_interval(n: int, given: tuple[str, ...]) -> None:
    """alpha and kappa of names take the chance of each name from the same items, and need more of them."""
    found = agreement_of_ratings(as_ratings(items_twice()[:n]), resamples=0)
    for name in ("agreement", "ac1", "alpha", "kappa"):
        interval = getattr(found, name).interval
        assert (interval.low is not None) == (name in given)
        assert interval.reason == (None if name in given else f"too few items for an interval: {n}")


def test_with_very_many_kinds_of_items_the_sums_are_drawn_from_their_normal_limit() -> None:
    """3,000 items of 12 ratings on 7 points; against resampling the items themselves."""
    rng = np.random.default_rng(5)
    quality = rng.normal(size=(3_000, 1))
    points = np.clip(np.round(4 + quality + rng.normal(size=(3_000, 12))), 1, 7)
    found = agreement_of_ratings(long(points.T.tolist()), level="ordinal", resamples=4_000)
    assert (
        found.alpha.interval.method
        == "bias-corrected and accelerated bootstrap over items, sums drawn from their normal limit"
    )
    counts = np.array([np.bincount(row.astype(int), minlength=8)[1:] for row in points])
    drawn = [
        krippendorff.alpha(value_counts=counts[rng.integers(0, 3_000, 3_000)], level_of_measurement="ordinal")
        for _ in range(300)
    ]
    low, high = np.quantile(drawn, [0.025, 0.975])
    assert [found.alpha.interval.low, found.alpha.interval.high] == pytest.approx([low, high], abs=0.003)


def test_ordered_categories_are_ordered_as_they_say_and_words_are_names() -> None:
    words = {1: "very low", 2: "low", 3: "mid", 4: "high", 5: "very high"}
    table = long(FOUR_OBSERVERS)
    table["value"] = pd.Categorical(table["value"].map(words), list(words.values()), ordered=True)
    assert agreement_of_ratings(table, level="ordinal", resamples=0).alpha.value == pytest.approx(
        0.815, abs=5e-4
    )
    assert agreement_of_ratings(table, level="nominal", resamples=0).alpha.value == pytest.approx(
        0.743, abs=5e-4
    )


@settings(deadline=None, max_examples=8)
@given(st.randoms(use_true_random=False), st.sampled_from(["nominal", "ordinal", "interval"]))
def test_neither_row_order_nor_names_of_raters_change_anything(random: object, level: str) -> None:
    table = long(FOUR_OBSERVERS)
    order = random.sample(range(len(table)), len(table))  # type: ignore[attr-defined]
    shuffled = table.iloc[order].assign(rater=lambda rows: "ünï-" + rows["rater"].astype(str))
    first, second = (agreement_of_ratings(rows, level=level, resamples=30) for rows in (table, shuffled))
    assert first.to_dict() == second.to_dict()


@pytest.mark.parametrize(
    ("change", "level", "message"),
    [
        ({"value": ["much", "little"]}, "ordinal", "ratings: value 'much' is not a finite number"),
        ({"value": [1.0, np.inf]}, "interval", "ratings: value 'inf' is not a finite number"),
        ({"item": ["x", None]}, "nominal", "ratings: row 2, column item: the cell is empty"),
    ],
)
def test_bad_ratings_are_refused_in_one_line(change: dict[str, Any], level: str, message: str) -> None:
    table = pd.DataFrame({"item": ["x", "x"], "rater": ["p", "q"], "value": [1, 2]}).assign(**change)
    with pytest.raises(AnalysisError, match=message):
        agreement_of_ratings(table, level=level)


def test_a_missing_column_a_wrong_level_and_a_value_that_could_not_be_given_are_refused() -> None:
    table = long([[1, 2], [1, 3]])
    with pytest.raises(AnalysisError, match="the column rater is missing; needed: item, rater, value"):
        agreement_of_ratings(table.drop(columns="rater"))
    with pytest.raises(AnalysisError, match="level 'ratio' is not allowed"):
        agreement_of_ratings(table, level="ratio")
    with pytest.raises(AnalysisError, match="value '3' is not among those that could be given"):
        agreement_of_ratings(table, values=[1, 2])


def test_ten_thousand_raters_of_one_item_have_an_agreement_and_no_interval() -> None:
    table = pd.DataFrame({"item": "x", "rater": np.arange(10_000), "value": np.arange(10_000) % 4})
    found = agreement_of_ratings(table, level="ordinal")
    assert found.agreement.value == pytest.approx(0.25, abs=1e-3)
    assert found.alpha.value == pytest.approx(0, abs=1e-9)
    assert found.alpha.interval.reason == "too few items for an interval: 1"
