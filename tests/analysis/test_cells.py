"""People as numbers, and intervals where a bootstrap would take minutes: against SciPy and the bootstrap itself."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.special import expit, logit

from analysis import check_responses, describe
from analysis.choice.breakdowns import breakdowns
from analysis.data.ordering import natural_ranks
from analysis.stats.cells import describe_people, one_run_each, people_of
from analysis.stats.student import STUDENT
from tests.analysis.tables import answer, checked, person, table


def test_a_name_in_two_studies_is_two_people() -> None:
    rows = checked(
        *person("p", "ab", study="two"), *person("p", "a", study="one"), *person("o", "a", study="two")
    )
    people = people_of(rows)
    assert people.groups.codes.tolist() == [2, 2, 0, 1]
    assert people.table().to_dict("list") == {"study": ["one", "two", "two"], "participant": ["p", "o", "p"]}
    assert one_run_each(rows, people)
    assert people_of(checked()).n == 0


def test_two_sessions_of_one_participant_are_seen() -> None:
    rows = checked(answer(session="s1"), answer(session="s2"), answer(participant="p2", session="s3"))
    assert not one_run_each(rows, people_of(rows))


def test_names_are_ranked_as_people_count() -> None:
    assert natural_ranks(pd.Series(["q10", None, "q2", "q10", "p"])).tolist() == [2, 3, 1, 2, 0]


def test_many_distinct_values_have_students_interval_and_it_is_the_bootstraps() -> None:
    """Source: scipy.stats.t.interval; and the percentile bootstrap of `describe`."""
    values = np.random.default_rng(3).exponential(size=5_200)
    ours = describe_people(np.append(values, np.nan), seed=1, resamples=500)
    expected = stats.t.interval(0.95, len(values) - 1, loc=values.mean(), scale=stats.sem(values))
    assert (ours.interval.low, ours.interval.high) == pytest.approx(expected)
    assert (ours.interval.method, ours.interval.resamples, ours.n_missing) == (STUDENT, 0, 1)
    theirs = describe(values, resamples=500).interval
    assert (ours.interval.low, ours.interval.high) == pytest.approx((theirs.low, theirs.high), abs=0.01)


def test_many_people_have_students_interval_and_it_is_the_bootstraps() -> None:
    """Source: scipy.stats.t.interval; and the percentile bootstrap of `describe`."""
    rng = np.random.default_rng(4)
    n = 20_001
    rows = table(answer()).loc[[0] * (2 * n)].reset_index(drop=True)
    rows["participant"] = rows["session"] = np.repeat(np.arange(n), 2).astype(str)
    rows["pair"] = rows["trial"] = np.tile(["q1", "q2"], n)
    right = rng.random((n, 2)) < 0.7
    rows["choice"] = np.where(right.ravel(), "a", "b")
    [found] = [
        one
        for one in breakdowns(check_responses(rows), resamples=300)
        if (one.by, one.measure) == ("arm", "accuracy")
    ]
    means = right.mean(axis=1)
    [row] = found.table.to_dict("records")
    # The delta method of the logit.
    mean = means.mean()
    reach = stats.t.ppf(0.975, n - 1) * stats.sem(means) / (mean * (1 - mean))
    expected = tuple(expit(logit(mean) + way * reach) for way in (-1, 1))
    assert found.interval_method == f"{STUDENT}, on the logit scale"
    assert (row["n"], row["mean"], row["sd_ddof1"]) == (
        n,
        pytest.approx(means.mean()),
        pytest.approx(means.std(ddof=1)),
    )
    assert (row["ci_low"], row["ci_high"]) == pytest.approx(expected)
    theirs = describe(means, resamples=500).interval
    assert (row["ci_low"], row["ci_high"]) == pytest.approx((theirs.low, theirs.high), abs=0.001)
