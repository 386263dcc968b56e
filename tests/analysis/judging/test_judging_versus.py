"""Two judges on the same pairs: McNemar's test and the paired difference."""

import numpy as np
import pytest
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests

from analysis.judging import validate_judges
from analysis.judging.versus import mcnemar_exact
from tests.analysis.judging.cases import choices, random_responses, verdicts, votes

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("few_splits")]


@pytest.mark.parametrize(("first", "second"), [(3, 9), (0, 5), (7, 7), (1, 0), (30, 12)])
def test_mcnemar_is_statsmodels_exact_test(first: int, second: int) -> None:
    expected = mcnemar([[10, first], [second, 4]], exact=True).pvalue
    assert mcnemar_exact(first, second) == pytest.approx(expected)


def test_discordant_pairs_are_counted_and_p_values_corrected_over_the_file() -> None:
    """Holm's correction against statsmodels' own."""
    rng = np.random.default_rng(4)
    responses = random_responses(rng, 40, 7)
    rows = [
        row
        for judge, skill in (("x", 0.9), ("y", 0.6), ("z", 0.3))
        for row in choices({f"q{n}": "a" if rng.random() < skill else "b" for n in range(40)}, judge=judge)
    ]
    validation = validate_judges(responses, verdicts(rows), resamples=200)
    assert len(validation.comparisons) == 6
    identity = [one for one in validation.comparisons if one.measure == "identity_accuracy"]
    by_judge: dict[str, list[bool]] = {}
    for row in rows:
        by_judge.setdefault(str(row["judge"]), []).append(row["choice"] == "a")
    for one in identity:
        first, second = (np.array(by_judge[name]) for name in one.judges)
        assert (one.n_first_only, one.n_second_only) == ((first & ~second).sum(), (~first & second).sum())
        assert one.difference.value == pytest.approx(first.mean() - second.mean())
    p = [one.p for one in validation.comparisons]
    corrected = [one.p_holm for one in validation.comparisons]
    assert corrected == pytest.approx(multipletests(p, method="holm")[1])
    assert {one.n_family for one in validation.comparisons} == {6}


def test_the_paired_interval_is_that_of_the_differences() -> None:
    """The bootstrap over pairs of a mean difference, against the normal interval of the paired differences."""
    rng = np.random.default_rng(9)
    responses = random_responses(rng, 300, 3)
    one = {f"q{n}": "a" if rng.random() < 0.8 else "b" for n in range(300)}
    two = {pair: choice if rng.random() < 0.7 else "b" for pair, choice in one.items()}
    table = verdicts([*choices(one, "one"), *choices(two, "two")])
    found = validate_judges(responses, table, resamples=4000).comparisons[0].difference
    d = np.array([(one[pair] == "a") - (two[pair] == "a") for pair in one], dtype=float)
    half = 1.96 * d.std() / 300**0.5
    assert found.interval.low == pytest.approx(d.mean() - half, abs=0.006)
    assert found.interval.high == pytest.approx(d.mean() + half, abs=0.006)


def test_judges_are_compared_on_the_pairs_that_both_judged() -> None:
    responses = votes({"q1": "aab", "q2": "aab", "q3": "aab"})
    table = verdicts([*choices({"q1": "a", "q2": "a"}, "one"), *choices({"q2": "b", "q3": "a"}, "two")])
    assert [one.difference.n for one in validate_judges(responses, table, resamples=0).comparisons] == [1, 1]


def test_judges_without_a_pair_in_common_have_a_reason() -> None:
    responses = votes({"q1": "aab", "q2": "aab"})
    table = verdicts([*choices({"q1": "a"}, "one"), *choices({"q2": "b"}, "two")])
    (first, _) = validate_judges(responses, table, resamples=10).comparisons
    assert (first.p, first.difference.value) == (None, None)
    assert first.reason == first.difference.reason
    assert first.reason is not None


@pytest.mark.parametrize(
    ("size", "method"), [(12, "jackknife and Student's t"), (60, "percentile bootstrap")]
)
def test_several_runs_have_an_interval_and_no_mcnemar(size: int, method: str) -> None:
    responses = votes({f"q{n}": "aab" for n in range(size)})
    rows = [
        *choices({f"q{n}": "a" for n in range(size)}, "one", run="1"),
        *choices({f"q{n}": "ab"[n % 2] for n in range(size)}, "one", run="2"),
        *choices({f"q{n}": "b" for n in range(size)}, "two"),
    ]
    found = validate_judges(responses, verdicts(rows), resamples=500).comparisons[0]
    assert found.difference.value == pytest.approx(0.75)
    assert found.difference.interval.method == f"{method} over pairs and runs"
    assert found.difference.interval.low is not None
    assert (found.p, found.n_family) == (None, 0)
    assert "several runs" in str(found.reason)


def test_equal_judges_have_no_discordant_pair() -> None:
    responses = votes({"q1": "aab", "q2": "abb"})
    table = verdicts([*choices({"q1": "a", "q2": "b"}, "one"), *choices({"q1": "a", "q2": "b"}, "two")])
    found = validate_judges(responses, table, resamples=10).comparisons[0]
    assert (found.p, found.reason) == (None, "no pair on which one judge is right and the other wrong")
