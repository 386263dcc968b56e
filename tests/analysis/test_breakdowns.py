"""Numbers per condition, pair, arm and source against counts by hand, plain pandas, statsmodels and SciPy."""

import json
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import expit, logit
from statsmodels.stats.proportion import proportion_confint

from analysis import accuracy_per_participant, describe, hntt_responses, preference_per_participant, read_hntt
from analysis.choice.breakdowns import Breakdown, breakdowns
from analysis.choice.cell_tables import BOOTSTRAP
from analysis.results import table_rows
from tests.analysis.tables import HNTT, answer, checked, hntt_rows, person

pytestmark = pytest.mark.slow

AGENTS = {"condition": "hybrid-symbolic", "source_a": "hybrid", "source_b": "symbolic", "truth": ""}
SMALL = [
    answer(participant="p1", pair="q1", choice="a", uncertainty="1"),
    answer(participant="p1", pair="q2", choice="b", uncertainty="3"),
    answer(participant="p1", pair="q3", choice="a", uncertainty="5", **AGENTS),
    answer(participant="p2", pair="q1", choice="a", uncertainty="2"),
    answer(participant="p2", pair="q2", choice="", uncertainty=""),
    answer(participant="p2", pair="q3", choice="b", uncertainty="4", **AGENTS),
    answer(participant="p3", pair="q1", choice="b", uncertainty="", arm="other"),
]


def of(rows: list[dict[str, str]] | pd.DataFrame, by: str, measure: str, **options: Any) -> Breakdown:
    table = rows if isinstance(rows, pd.DataFrame) else checked(*rows)
    options = {"resamples": 0} | options
    [found] = [one for one in breakdowns(table, **options) if (one.by, one.measure) == (by, measure)]
    return found


def means(breakdown: Breakdown) -> dict[Any, tuple[int, int, float]]:
    return {row["value"]: (row["n_trials"], row["n"], row["mean"]) for row in table_rows(breakdown.table)}


def test_every_cell_is_what_counting_by_hand_gives() -> None:
    """p1 is right on q1 and wrong on q2, p2 right on q1 with q2 blank, p3 wrong on q1; q3 has no truth."""
    assert means(of(SMALL, "condition", "accuracy")) == {"human-hybrid": (4, 3, (0.5 + 1 + 0) / 3)}
    assert means(of(SMALL, "pair", "accuracy")) == {"q1": (3, 3, 2 / 3), "q2": (1, 1, 0.0)}
    assert means(of(SMALL, "arm", "accuracy")) == {"main": (3, 2, 0.75), "other": (1, 1, 0.0)}
    assert means(of(SMALL, "condition", "uncertainty")) == {
        "human-hybrid": (3, 2, 2.0),
        "hybrid-symbolic": (2, 2, 4.5),
    }
    assert means(of(SMALL, "source", "uncertainty")) == {
        "human": (3, 2, 2.0),
        "hybrid": (5, 2, 3.0),
        "symbolic": (2, 2, 4.5),
    }
    assert means(of(SMALL, "source", "accuracy")) == {"hybrid": (4, 3, 0.5)}


def test_blanks_count_as_wrong_when_asked_to() -> None:
    assert means(of(SMALL, "pair", "accuracy", blank="wrong"))["q2"] == (2, 2, 0.0)
    assert means(of(SMALL, "source", "preference", blank="wrong"))["human"] == (5, 3, (0.5 + 0.5 + 0) / 3)


def test_a_source_is_preferred_over_whatever_it_stood_against() -> None:
    """p1 took human, hybrid, hybrid; p2 human, symbolic; p3 hybrid."""
    assert means(of(SMALL, "source", "preference")) == {
        "human": (4, 3, (0.5 + 1 + 0) / 3),
        "hybrid": (6, 3, (2 / 3 + 0 + 1) / 3),
        "symbolic": (2, 2, 0.5),
    }


def test_the_named_source_is_the_same_as_in_the_preference_per_participant() -> None:
    table = checked(*SMALL)
    found = of(table, "condition", "preference").table
    for (_, condition, source, against), people in preference_per_participant(table).groupby(
        ["study", "condition", "source", "against"], observed=True
    ):
        [row] = table_rows(found[found["value"] == condition])
        assert (row["source"], row["against"]) == (source, against)
        assert row["mean"] == describe(people["preference"]).mean


@pytest.mark.parametrize("n", [12, 60])
def test_few_cells_have_the_interval_of_their_participants(n: int) -> None:
    """`describe`, whose intervals are held against SciPy and statsmodels elsewhere."""
    rows = [row for who in range(n) for row in person(f"p{who}", "abbaab"[who % 3 :])]
    table = checked(*rows)
    [row] = table_rows(of(table, "condition", "accuracy", seed=3, resamples=500).table)
    described = describe(accuracy_per_participant(table)["accuracy"], scale="share", seed=3, resamples=500)
    assert (row["mean"], row["sd_ddof0"], row["sd_ddof1"]) == (
        described.mean,
        described.sd_ddof0,
        described.sd_ddof1,
    )
    assert (row["ci_low"], row["ci_high"]) == (described.interval.low, described.interval.high)


def test_pairs_have_wilson_intervals_of_the_share_of_participants() -> None:
    """Source: statsmodels' proportion_confint(method="wilson") and NumPy's standard deviations."""
    rows = [row for who in range(30) for row in person(f"p{who:02}", ("a" if who % 3 else "b") + "aa")]
    breakdown = of(rows, "pair", "accuracy")
    first, second, _ = table_rows(breakdown.table)
    assert (breakdown.interval_method, breakdown.resamples) == (
        "Wilson's score interval over participants, who answer once each",
        0,
    )
    assert (first["ci_low"], first["ci_high"]) == pytest.approx(
        proportion_confint(20, 30, 0.05, method="wilson")
    )
    sample = [1] * 20 + [0] * 10
    assert (first["sd_ddof0"], first["sd_ddof1"]) == pytest.approx((np.std(sample), np.std(sample, ddof=1)))
    assert (second["mean"], second["sd_ddof1"], second["ci_high"]) == (1.0, 0.0, 1.0)


def test_the_uncertainty_of_a_pair_has_students_interval() -> None:
    """Source: scipy.stats.t.interval."""
    points = [1, 2, 2, 5, 4, 3, 3, 1]
    rows = [answer(participant=f"p{who}", uncertainty=str(point)) for who, point in enumerate(points)]
    [row] = table_rows(of(rows, "pair", "uncertainty").table)
    low, high = stats.t.interval(0.95, 7, loc=np.mean(points), scale=stats.sem(points))
    assert (row["mean"], row["sd_ddof1"]) == pytest.approx((np.mean(points), np.std(points, ddof=1)))
    assert (row["ci_low"], row["ci_high"]) == pytest.approx((low, high))


def test_somebody_with_two_sessions_is_averaged_before_a_pair_is() -> None:
    """By hand: p1 answered q1 right once and wrong once, p2 right: (0.5 + 1) / 2."""
    rows = [
        answer(participant="p1", session="s1", choice="a"),
        answer(participant="p1", session="s2", choice="b"),
        answer(participant="p2", session="s3", choice="a"),
    ]
    breakdown = of(rows, "pair", "accuracy")
    assert means(breakdown) == {"q1": (3, 2, 0.75)}
    assert breakdown.interval_method == BOOTSTRAP


@pytest.mark.parametrize("n_people", [40, 1_100])
def test_hundreds_of_conditions_are_described_at_once(n_people: int) -> None:
    """Source: pandas' own group-by over texts, and the delta method of the logit by hand. 1,100 people are too many
    for a full table of people and conditions."""
    rng = np.random.default_rng(5)
    rows = [
        answer(
            participant=f"p{who}",
            pair=f"q{number}",
            choice=str(rng.choice(["a", "b"])),
            condition=f"c{(who + number * 7) % 1_000 if n_people > 1_000 else rng.integers(250)}",
        )
        for who in range(n_people)
        for number in range(2 if n_people > 1_000 else 40)
    ]
    breakdown = of(rows, "condition", "accuracy")
    frame = pd.DataFrame(rows)
    right = (frame["choice"] == "a").groupby([frame["condition"], frame["participant"]]).mean()
    expected = right.groupby("condition").agg(["mean", "std", "count"])
    found = breakdown.table.set_index("value").loc[expected.index]
    assert breakdown.interval_method == "Student's t over participants, on the logit scale"
    np.testing.assert_allclose(found["mean"], expected["mean"])
    np.testing.assert_allclose(found["sd_ddof1"], expected["std"])
    assert found["n"].tolist() == expected["count"].tolist()
    spread = expected[(expected["std"] > 0) & (expected["count"] > 2)]
    error = spread["std"] / np.sqrt(spread["count"]) / (spread["mean"] * (1 - spread["mean"]))
    reach = stats.t.ppf(0.975, spread["count"] - 1) * error
    limits = found.loc[spread.index]
    np.testing.assert_allclose(limits["ci_low"], expit(logit(spread["mean"]) - reach), atol=1e-12)
    np.testing.assert_allclose(limits["ci_high"], expit(logit(spread["mean"]) + reach), atol=1e-12)
    assert found.drop(index=spread.index)["ci_low"].isna().all()
    assert "too few participants for an interval: 2" in set(found["reason"])


def test_the_published_answers_come_apart_as_the_paper_counts_them() -> None:
    """Source: a count of the rows of the released layout in plain Python."""
    rows = hntt_responses(read_hntt(HNTT))
    found = means(of(rows[rows["study"] == "hntt-1"], "pair", "accuracy"))
    for question in range(1, 7):
        asked = [r for r in hntt_rows() if (r["studyno"], r["question_id"]) == ("1", str(question))]
        right = sum(row["ground"] == row["subj_resp"] for row in asked)
        assert found[f"q{question}"] == (30, 30, right / 30)


def test_cells_stand_in_natural_order_and_what_has_no_name_is_last() -> None:
    rows = [answer(pair=f"q{number}", arm="" if number == 2 else "main") for number in (10, 2, 1)]
    assert of(rows, "pair", "accuracy").table["value"].tolist() == ["q1", "q2", "q10"]
    assert list(means(of(rows, "arm", "accuracy")).items()) == [("main", (2, 1, 1.0)), (None, (1, 1, 1.0))]


@pytest.mark.parametrize(
    ("rows", "by", "measure", "left_out", "reason"),
    [
        ([], "condition", "accuracy", 0, "no answer with a truth counts"),
        ([], "pair", "uncertainty", 0, "no uncertainty was given"),
        (person("p", "--"), "pair", "accuracy", 0, "no answer with a truth counts"),
        (person("p", "ab", truth=""), "source", "accuracy", 0, "no answer with a truth counts"),
        (person("p", "ab", arm=""), "arm", "accuracy", 2, "no answer names its arm"),
        (person("p", "ab", source_b=""), "source", "accuracy", 2, "no answer names its source"),
        (
            person("p", "ab", source_b="human"),
            "condition",
            "preference",
            2,
            "no answer to a pair of two different sources counts",
        ),
    ],
)
def test_what_cannot_be_taken_apart_says_why(
    rows: list[dict[str, str]], by: str, measure: str, left_out: int, reason: str
) -> None:
    breakdown = of(rows, by, measure)
    assert (breakdown.reason, breakdown.n_left_out, len(breakdown.table)) == (reason, left_out, 0)


@pytest.mark.parametrize("choices", ["a", "b", "aa", "a-"])
def test_one_participant_gives_numbers_and_reasons_never_nan(choices: str) -> None:
    for breakdown in breakdowns(checked(*person("Zoë 🎮", choices))):
        text = json.dumps(breakdown.to_dict(), allow_nan=False)
        assert "one participant: no SD with ddof 1" in text


def test_no_resamples_means_no_bootstrap_interval() -> None:
    rows = [row for who in range(60) for row in person(f"p{who}", "abbaab"[who % 3 :])]
    [row] = table_rows(of(rows, "condition", "accuracy", resamples=0).table)
    assert (row["ci_low"], row["reason"]) == (None, "no resamples asked for")


CELLS = st.fixed_dictionaries(
    {
        "participant": st.sampled_from(["1", "2", "10", "é"]),
        "pair": st.sampled_from(["q1", "q2", "q3", "q4"]),
        "choice": st.sampled_from(["a", "b", ""]),
        "truth": st.sampled_from(["a", "b", ""]),
        "condition": st.sampled_from(["", "human-hybrid", "other"]),
        "source_b": st.sampled_from(["hybrid", "symbolic", "human", ""]),
        "uncertainty": st.sampled_from(["", "1", "3", "5"]),
    }
)
ANSWERS = st.lists(
    CELLS, min_size=1, max_size=16, unique_by=lambda cells: (cells["participant"], cells["pair"])
)


def relabelled(row: dict[str, str]) -> dict[str, str]:
    other = {"a": "b", "b": "a", "": ""}
    swapped = {
        f"{name}_{one}": row[f"{name}_{other[one]}"] for name in ("stimulus", "source") for one in "ab"
    }
    return row | swapped | {name: other[row[name]] for name in ("truth", "left", "choice")}


@settings(deadline=None, max_examples=4)
@given(ANSWERS, st.randoms(use_true_random=False))
def test_row_order_and_the_names_of_the_members_change_nothing(
    cells: list[dict[str, str]], random: Any
) -> None:
    rows = [answer(**one) for one in cells]
    expected = [one.to_dict() for one in breakdowns(checked(*rows), resamples=20)]
    json.dumps(expected, allow_nan=False)
    for other in (random.sample(rows, len(rows)), [relabelled(row) for row in rows]):
        assert [one.to_dict() for one in breakdowns(checked(*other), resamples=20)] == expected


@settings(deadline=None, max_examples=12)
@given(ANSWERS)
def test_every_mean_is_one_of_plain_python(cells: list[dict[str, str]]) -> None:
    rows = [answer(**one) for one in cells]
    found = means(of(rows, "condition", "accuracy"))
    right: dict[str, dict[str, list[bool]]] = {}
    for row in rows:
        if row["truth"] and row["choice"]:
            people = right.setdefault(row["condition"], {})
            people.setdefault(row["participant"], []).append(row["truth"] == row["choice"])
    if not set(right) - {""}:
        assert found == {}
        return
    assert {value or "" for value in found} == set(right)
    for value, (_, n, mean) in found.items():
        people = right[value or ""]
        assert n == len(people)
        assert math.isclose(mean, sum(sum(one) / len(one) for one in people.values()) / n, abs_tol=1e-12)
