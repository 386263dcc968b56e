"""Certainty against accuracy: hand-worked cases, Fleming and Lau's formula, scikit-learn, SciPy, simulations."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import roc_auc_score  # type: ignore[import-untyped]

from analysis.choice.certainty import ALL_RIGHT, ALL_WRONG, CONSTANT, Certainty, certainty
from analysis.results import table_rows
from analysis.stats.type2 import auroc2, gamma, pooled_interval
from tests.analysis.tables import answer, checked

pytestmark = pytest.mark.slow


def judged(participant: str, *answers: str, **cells: str) -> list[dict[str, str]]:
    """One answer per text: `1+` is uncertainty 1 and right, `5-` is 5 and wrong."""
    return [
        answer(
            participant=participant,
            pair=f"q{number}",
            uncertainty=text[:-1],
            choice="a" if text[-1] == "+" else "b",
            **cells,
        )
        for number, text in enumerate(answers)
    ]


def simulated(n_people: int, n_answers: int, seed: int, tells: float = 1.0) -> list[dict[str, str]]:
    """People whose uncertainty is lower by `tells` scale points, on average, where they are right."""
    rng = np.random.default_rng(seed)
    rows = []
    for who in range(n_people):
        right = rng.random(n_answers) < rng.uniform(0.5, 0.9)
        points = np.clip(np.round(rng.normal(3, 1, n_answers) - tells * right), 1, 5).astype(int)
        rows += judged(f"p{who:03}", *(f"{p}{'+' if r else '-'}" for p, r in zip(points, right, strict=True)))
    return rows


def by_person(rows: list[dict[str, str]]) -> dict[str, tuple[list[bool], list[int]]]:
    found: dict[str, tuple[list[bool], list[int]]] = {}
    for row in rows:
        right, points = found.setdefault(row["participant"], ([], []))
        right.append(row["choice"] == row["truth"])
        points.append(int(row["uncertainty"]))
    return found


def people(result: Certainty) -> dict[str, dict[str, Any]]:
    return {row["participant"]: row for row in table_rows(result.participants)}


def test_the_area_and_gamma_are_the_pairs_counted_by_hand() -> None:
    """Right at 1, 1, 3; wrong at 3, 5: of six pairs five have the right one more certain, one is tied, none is not."""
    result = certainty(checked(*judged("p", "1+", "1+", "3+", "3-", "5-")), resamples=0)
    one = people(result)["p"]
    assert (one["auroc"], one["gamma"]) == (5.5 / 6, 1.0)
    assert (one["n_answers"], one["n_correct"], one["n_levels"]) == (5, 3, 3)


def test_each_area_is_the_one_of_scikit_learn() -> None:
    """Source: sklearn.metrics.roc_auc_score of right against wrong, scored by minus the uncertainty."""
    rows = simulated(25, 30, seed=3)
    found = people(certainty(checked(*rows), resamples=0))
    for person, (right, points) in by_person(rows).items():
        assert found[person]["auroc"] == pytest.approx(roc_auc_score(right, [-point for point in points]))


def test_each_area_is_that_of_fleming_and_laus_formula() -> None:
    """Source: Fleming & Lau (2014), type2roc.m: 0.5 + sum((H_{c+1} - F_c)^2 - (H_c - F_{c+1})^2) / 4 over levels,
    written out, without the half answer that it adds to every count."""
    rng = np.random.default_rng(8)
    right, wrong = rng.integers(0, 9, (40, 5)), rng.integers(1, 7, (40, 5))
    right[:, 2] += 1
    hits, alarms = (
        np.column_stack([np.zeros(40), np.cumsum(n, axis=1) / n.sum(axis=1, keepdims=True)])
        for n in (right, wrong)
    )
    steps = (hits[:, 1:] - alarms[:, :-1]) ** 2 - (hits[:, :-1] - alarms[:, 1:]) ** 2
    np.testing.assert_allclose(auroc2(right, wrong), 0.5 + steps.sum(axis=1) / 4)


def test_gamma_agrees_with_scipys_somers_d_where_nothing_ties_on_certainty() -> None:
    """Source: scipy.stats.somersd. Its denominator counts all pairs untied on the first variable; with all certainties
    different no pair of a right and a wrong answer is tied, and D is gamma."""
    rng = np.random.default_rng(9)
    for _ in range(10):
        kinds = rng.permutation([True] * 6 + [False] * 5)
        right, wrong = kinds.astype(np.int64)[None], (~kinds).astype(np.int64)[None]
        expected = stats.somersd(kinds.astype(int), -np.arange(11)).statistic
        assert gamma(right, wrong)[0] == pytest.approx(expected)


def test_the_average_is_over_the_participants_who_have_an_area() -> None:
    rows = [
        *judged("p1", "1+", "1+", "3+", "3-", "5-"),
        *judged("p2", "1-", "5+"),
        *judged("right", "1+", "2+"),
        *judged("wrong", "1-", "2-"),
        *judged("flat", "3+", "3-"),
    ]
    result = certainty(checked(*rows), resamples=200)
    assert result.auroc.mean == pytest.approx((5.5 / 6 + 0) / 2)
    assert (result.auroc.n, result.auroc.n_missing) == (2, 3)
    assert (result.n_all_right, result.n_all_wrong, result.n_constant) == (1, 1, 1)
    reasons = {name: row["reason"] for name, row in people(result).items()}
    assert reasons == {"p1": None, "p2": None, "right": ALL_RIGHT, "wrong": ALL_WRONG, "flat": CONSTANT}


def test_the_curve_is_what_counting_by_hand_gives() -> None:
    """At 1, p1 is right twice of two and p2 once of two; at 4 only p2 answers."""
    rows = [*judged("p1", "1+", "1+", "2-"), *judged("p2", "1+", "1-", "2+", "4-")]
    levels = certainty(checked(*rows), resamples=300).levels
    assert [(one.uncertainty, one.n_answers, one.n_participants, one.n_correct) for one in levels] == [
        (1, 4, 2, 3),
        (2, 2, 2, 1),
        (4, 1, 1, 0),
    ]
    assert [one.accuracy.mean for one in levels] == [0.75, 0.5, 0.0]
    assert [one.pooled.value for one in levels] == [0.75, 0.5, 0.0]
    assert levels[2].accuracy.interval.reason == "too few participants for an interval: 1"


def test_the_interval_of_a_pooled_share_is_nearly_scipys_bootstrap_of_people() -> None:
    """Source: scipy.stats.bootstrap over pairs of counts, paired."""
    rows = simulated(80, 12, seed=4)
    [level] = [one for one in certainty(checked(*rows), resamples=10_000).levels if one.uncertainty == 2]
    counts = [
        (sum(r and p == 2 for r, p in zip(*one, strict=True)), one[1].count(2))
        for one in by_person(rows).values()
        if 2 in one[1]
    ]
    right, n = np.array(counts).T
    theirs = stats.bootstrap(
        (right, n),
        lambda x, y, axis: x.sum(axis) / y.sum(axis),
        paired=True,
        method="percentile",
        n_resamples=10_000,
        rng=2,
    ).confidence_interval
    assert level.pooled.value == right.sum() / n.sum()
    ours = level.pooled.interval
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.01)


def counts(n_people: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Right and wrong answers at five levels; people differ in skill and in how certain they are."""
    skill, shift = rng.beta(6, 3, (n_people, 1)), rng.normal(0, 0.7, (n_people, 1))
    correct = rng.random((n_people, 12)) < skill
    noise = rng.normal(size=(n_people, 12))
    level = np.clip(np.round(3 + shift + noise - correct), 1, 5).astype(int)
    right, wrong = (
        np.stack([((level == point) & kind).sum(axis=1) for point in range(1, 6)], axis=1)
        for kind in (correct, ~correct)
    )
    return right, wrong


def test_the_pooled_interval_agrees_with_a_bootstrap_of_people() -> None:
    """Source: a plain bootstrap that draws whole people."""
    rng = np.random.default_rng(12)
    right, wrong = counts(80, rng)
    interval = pooled_interval(right, wrong, seed=1)
    drawn = rng.integers(0, 80, (4_000, 80))
    areas = auroc2(right[drawn].sum(axis=1), wrong[drawn].sum(axis=1))
    expected = np.quantile(areas, [0.025, 0.975])
    assert (interval.low, interval.high) == pytest.approx(tuple(expected), abs=0.012)


@pytest.mark.exhaustive
def test_the_pooled_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    """Simulation with known truth: the area over 400,000 people is the truth for 40."""
    rng = np.random.default_rng(13)
    right, wrong = counts(400_000, rng)
    truth = float(auroc2(right.sum(axis=0)[None], wrong.sum(axis=0)[None])[0])
    covered = 0
    for _ in range(400):
        interval = pooled_interval(*counts(40, rng), seed=1)
        assert interval.low is not None
        assert interval.high is not None
        covered += interval.low <= truth <= interval.high
    assert 0.91 <= covered / 400 <= 0.98


def test_certainty_that_tells_nothing_has_an_area_of_a_half() -> None:
    """Simulation with known truth: uncertainties drawn without regard to the answers."""
    result = certainty(checked(*simulated(60, 20, seed=6, tells=0.0)), resamples=1_000)
    assert result.auroc.interval.low is not None
    assert result.auroc.interval.high is not None
    assert result.auroc.interval.low < 0.5 < result.auroc.interval.high
    assert result.auroc_against_half.p is not None
    assert result.auroc_against_half.p > 0.05
    telling = certainty(checked(*simulated(60, 20, seed=6)), resamples=0).auroc_against_half
    assert telling.p is not None
    assert telling.p < 1e-6


def test_only_answers_with_choice_truth_and_uncertainty_count() -> None:
    rows = [
        *judged("p1", "1+", "2-"),
        answer(participant="p1", pair="x1", choice=""),
        answer(participant="p1", pair="x2", truth=""),
        answer(participant="p1", pair="x3", uncertainty=""),
        answer(participant="p2", pair="x1", uncertainty=""),
    ]
    result = certainty(checked(*rows), resamples=0)
    assert (result.n_answers, result.n_participants, result.n_without_uncertainty) == (2, 1, 2)


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([], "no answer has a choice, a truth and an uncertainty"),
        ([answer(choice="")], "no answer has a choice, a truth and an uncertainty"),
        (judged("é", "1+", "5+"), ALL_RIGHT),
        (judged("é", "1-"), ALL_WRONG),
    ],
)
def test_what_is_not_defined_says_why(rows: list[dict[str, str]], reason: str) -> None:
    result = certainty(checked(*rows))
    assert result.auroc_pooled.value is None
    assert result.auroc_pooled.reason == reason
    assert result.auroc_against_half.reason == "no participant has a value"
    json.dumps(result.to_dict(), allow_nan=False)


CELLS = st.fixed_dictionaries(
    {
        "participant": st.sampled_from(["1", "2", "é"]),
        "pair": st.sampled_from(["q1", "q2", "q3", "q4"]),
        "choice": st.sampled_from(["a", "b", ""]),
        "truth": st.sampled_from(["a", "b", ""]),
        "uncertainty": st.sampled_from(["", "1", "3", "11"]),
    }
)
ANSWERS = st.lists(
    CELLS, min_size=1, max_size=12, unique_by=lambda cells: (cells["participant"], cells["pair"])
)


@settings(deadline=None, max_examples=5)
@given(ANSWERS, st.randoms(use_true_random=False))
def test_row_order_and_the_names_of_the_members_change_nothing(
    cells: list[dict[str, str]], random: Any
) -> None:
    other = {"a": "b", "b": "a", "": ""}
    rows = [answer(**one) for one in cells]
    mirrored = [row | {name: other[row[name]] for name in ("truth", "left", "choice")} for row in rows]
    expected = certainty(checked(*rows), resamples=20).to_dict()
    json.dumps(expected, allow_nan=False)
    assert certainty(checked(*random.sample(rows, len(rows))), resamples=20).to_dict() == expected
    assert certainty(checked(*mirrored), resamples=20).to_dict() == expected
