"""The whole validation: what must never change a number, degenerate tables, and the shape of the JSON."""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import expit, logit

from analysis import check_responses
from analysis.errors import AnalysisError, SchemaError
from analysis.judging import validate_judges
from analysis.judging.sample import MEASURES
from tests.analysis.judging.cases import (
    choices,
    hntt,
    mirrored_responses,
    mirrored_verdicts,
    probabilities,
    random_responses,
    verdicts,
    votes,
)
from tests.analysis.tables import answer, table

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("few_splits")]

SLOW = settings(
    max_examples=2,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)


def numbers(value: Any) -> Any:
    """The JSON with its floats rounded: 1 - 0.9 and 0.1 differ in the last digit."""
    if isinstance(value, float):
        return round(value, 9)
    if isinstance(value, Mapping):
        return {key: numbers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [numbers(item) for item in value]
    return value


def validated(responses: pd.DataFrame, rows: list[dict[str, object]], **options: Any) -> dict[str, Any]:
    found: dict[str, Any] = validate_judges(
        responses, verdicts(rows), **{"resamples": 30, **options}
    ).to_dict()
    json.dumps(found, allow_nan=False)
    return found


PAIRS = [f"q{number}" for number in range(6)]
SIDES = st.lists(st.sampled_from(["a", "b", ".", "-", "="]), min_size=4, max_size=4).map("".join)


@st.composite
def studies(draw: st.DrawFn) -> tuple[pd.DataFrame, list[dict[str, object]]]:
    """Six pairs with and without truth or sources, four people, a judge with probabilities and one with choices."""
    kinds = {
        "truth": {"truth": "b", "source_a": "hybrid", "source_b": "human"},
        "sources": {
            "truth": "",
            "condition": "symbolic-hybrid",
            "source_a": "hybrid",
            "source_b": "symbolic",
        },
        "same": {"truth": "", "condition": "", "source_a": "human", "source_b": "human"},
        "nothing": {
            "truth": "",
            "condition": "",
            "source_a": "",
            "source_b": "",
            "stimulus_a": "",
            "stimulus_b": "",
        },
    }
    frames = [
        votes({pair: letters}, **kinds[draw(st.sampled_from(sorted(kinds)))])
        for pair in PAIRS
        if (letters := draw(SIDES)).strip("-")
    ]
    frames.append(votes({"q9": "ab"}))
    percent = draw(st.lists(st.one_of(st.none(), st.integers(0, 10)), min_size=6, max_size=6))
    sides = draw(st.lists(st.sampled_from(["a", "b", "tie", ""]), min_size=6, max_size=6))
    scored: list[dict[str, object]] = [
        {"judge": "p", "pair": pair, "score": p and p / 10} for pair, p in zip(PAIRS, percent, strict=True)
    ]
    rows = [
        *scored,
        *probabilities({"q9": 0.8}, "p"),
        *choices(dict(zip(PAIRS, sides, strict=True)), "c", run="1"),
        *choices(dict(zip(PAIRS, sides[::-1], strict=True)), "c", run="2"),
    ]
    return check_responses(pd.concat(frames).astype(object)), rows


@SLOW
@given(studies(), st.sets(st.sampled_from(PAIRS)))
def test_which_clip_is_called_a_never_changes_a_number(
    study: tuple[pd.DataFrame, list[dict[str, object]]], flip: set[str]
) -> None:
    responses, rows = study
    mirrored = validated(mirrored_responses(responses, flip), mirrored_verdicts(rows, flip))
    assert numbers(mirrored) == numbers(validated(responses, rows))


@SLOW
@given(studies(), st.randoms(use_true_random=False))
def test_the_order_of_rows_never_changes_a_number(
    study: tuple[pd.DataFrame, list[dict[str, object]]], random: Any
) -> None:
    responses, rows = study
    order = list(range(len(responses)))
    random.shuffle(order)
    mixed = random.sample(rows, len(rows))
    assert validated(responses.iloc[order], mixed) == validated(responses, rows)


def test_scores_of_clips_do_not_depend_on_which_is_called_a() -> None:
    rng = np.random.default_rng(2)
    responses = random_responses(rng, 8, 5)
    rows: list[dict[str, object]] = [
        {"judge": "j", "stimulus": f"q{n}-{member}", "score": float(rng.normal())}
        for n in range(8)
        for member in "ab"
    ]
    flip = {"q1", "q4", "q5"}
    assert numbers(validated(mirrored_responses(responses, flip), rows)) == numbers(
        validated(responses, rows)
    )


DEGENERATE: dict[str, tuple[pd.DataFrame, list[dict[str, object]]]] = {
    "one pair": (votes({"q1": "aab"}), choices({"q1": "a"})),
    "one pair and one participant": (votes({"q1": "a"}), choices({"q1": "b"})),
    "two participants": (
        votes({"q1": "ab", "q2": "aa", "q3": "bb"}),
        choices({"q1": "a", "q2": "b", "q3": "b"}),
    ),
    "a judge that always abstains": (votes({"q1": "aab", "q2": "abb"}), choices({"q1": "", "q2": ""})),
    "a judge of unknown pairs": (votes({"q1": "aab"}), choices({"x": "a"})),
    "only tied verdicts": (votes({"q1": "aab", "q2": "abb"}), choices({"q1": "tie", "q2": "tie"})),
    "only tied labels": (votes({"q1": "ab", "q2": "ab"}), choices({"q1": "a", "q2": "b"})),
    "only blanks": (votes({"q1": "..", "q2": ".."}), choices({"q1": "a", "q2": "b"})),
    "no truth": (votes({"q1": "aab", "q2": "abb"}, truth=""), choices({"q1": "a", "q2": "a"})),
    "all right": (votes({f"q{n}": "aaa" for n in range(5)}), choices({f"q{n}": "a" for n in range(5)})),
    "probabilities of a half": (votes({"q1": "aab", "q2": "abb"}), probabilities({"q1": 0.5, "q2": 0.5})),
    "probabilities of 0 and 1": (votes({"q1": "aab", "q2": "abb"}), probabilities({"q1": 1.0, "q2": 0.0})),
    "an empty score beside probabilities": (
        votes({"q1": "aab", "q2": "abb"}),
        [*probabilities({"q1": 0.3}), {"judge": "j", "pair": "q2", "score": None}],
    ),
    "no sources and no clips": (
        votes({"q1": "aab", "q2": "abb"}, source_a="", source_b="", stimulus_a="", stimulus_b="", truth=""),
        choices({"q1": "a", "q2": "a"}),
    ),
    "letters of everywhere": (
        votes({"q\u0661\u202e": "aab", "käse": "abb"}, condition="日本\n"),
        choices({"käse": "a", "q\u0661\u202e": "b"}, judge="Ω\x1b[31m"),
    ),
    "a run that judges nothing": (
        votes({"q1": "aab", "q2": "abb"}),
        [*choices({"q1": "a", "q2": "b"}, run="1"), *choices({"q1": ""}, run="2")],
    ),
}


def every_estimate(found: Any) -> list[dict[str, Any]]:
    """Everything with a value and a reason."""
    if isinstance(found, Mapping):
        inner = [one for item in found.values() for one in every_estimate(item)]
        return [dict(found), *inner] if {"value", "reason"} <= set(found) else inner
    return [one for item in found for one in every_estimate(item)] if isinstance(found, list) else []


@pytest.mark.parametrize("case", DEGENERATE)
def test_degenerate_tables_give_numbers_or_reasons(case: str) -> None:
    responses, rows = DEGENERATE[case]
    found = validated(responses, rows, resamples=20)
    estimates = every_estimate(found)
    assert len(estimates) > 20
    for one in estimates:
        assert (one["value"] is None) == (one["reason"] is not None), one
        if "interval" in one and one["value"] is not None:
            assert (one["interval"]["low"] is None) == (one["interval"]["reason"] is not None), one


def test_ten_thousand_participants_on_one_pair() -> None:
    responses = votes({"q1": "a" * 6000 + "b" * 4000})
    found = validated(responses, probabilities({"q1": 0.7}), resamples=10)
    brier = found["judges"][0]["groups"][0]["measures"]["brier"]
    assert brier["corrected"]["value"] == pytest.approx(0.6 * 0.3**2 + 0.4 * 0.7**2)
    assert brier["ceiling"]["value"] == pytest.approx(6000 * 4000 / 9999**2)


def test_a_judge_that_answers_as_people_do_reaches_the_ceiling() -> None:
    """Simulation with known truth: a judge that is one more participant agrees with the majority as often as one."""
    rng = np.random.default_rng(6)
    lean = rng.random(400)
    people = {f"q{n}": "".join(rng.choice(["a", "b"], 15, p=[p, 1 - p])) for n, p in enumerate(lean)}
    judge = {f"q{n}": str(rng.choice(["a", "b"], p=[p, 1 - p])) for n, p in enumerate(lean)}
    found = validated(votes(people, truth=""), choices(judge), resamples=300)
    measures = found["judges"][0]["groups"][0]["measures"]
    for name in ("label_accuracy", "kappa", "spearman"):
        interval = measures[name]["corrected"]["interval"]
        assert interval["low"] <= measures[name]["ceiling"]["value"] <= interval["high"], name


@pytest.mark.parametrize("n", [10, 60])
def test_intervals_over_runs_are_wider_than_those_of_their_mean_over_pairs(n: int) -> None:
    """Runs that differ only from each other: over pairs alone there would be nothing to see."""
    responses = votes({f"q{k}": "aaa" for k in range(n)})
    rows = [
        row
        for run in range(5)
        for row in choices({f"q{k}": "a" if run < 3 else "b" for k in range(n)}, run=str(run))
    ]
    measure = validated(responses, rows, resamples=2000)["judges"][0]["groups"][0]["measures"][
        "identity_accuracy"
    ]
    assert (measure["corrected"]["value"], measure["runs"]) == (0.6, [1.0, 1.0, 1.0, 0.0, 0.0])
    assert (measure["sd_ddof0"], measure["sd_ddof1"]) == pytest.approx((0.24**0.5, 0.3**0.5))
    interval = measure["corrected"]["interval"]
    if n < 50:
        # Student's t over the five runs, on the logit scale: by hand.
        reach = stats.t.ppf(0.975, 4) * (0.3 / 5) ** 0.5 / (0.6 * 0.4)
        expected = tuple(expit(logit(0.6) + way * reach) for way in (-1, 1))
        assert (interval["low"], interval["high"]) == pytest.approx(expected)
        return
    assert interval["method"] == "percentile bootstrap over pairs and runs"
    # Of five runs drawn again, the number of good ones is binomial(5, 0.6): its 2.5% and 97.5% points are 1 and 5.
    assert (interval["low"], interval["high"]) == (0.2, 1.0)


@pytest.mark.parametrize(("n", "measures"), [(2, ()), (9, ("identity_accuracy", "label_accuracy"))])
def test_of_too_few_pairs_there_is_no_interval(n: int, measures: tuple[str, ...]) -> None:
    responses = votes({f"q{k}": "aab" if k % 3 else "abb" for k in range(n)})
    found = validated(responses, choices({f"q{k}": "ab"[k % 2] for k in range(n)}))
    for name, measure in found["judges"][0]["groups"][0]["measures"].items():
        interval = measure["corrected"]["interval"]
        if measure["corrected"]["value"] is not None:
            assert (interval["low"] is not None) == (name in measures)
            assert name in measures or interval["reason"] == f"too few pairs for an interval: {n}"


def test_the_interval_of_few_pairs_is_the_jackknifes() -> None:
    """Brier scores of 16 pairs: the jackknife of a mean is its standard error; on the logit scale by hand."""
    responses = votes({f"q{k}": "a" * (k % 4) + "b" * (4 - k % 4) for k in range(16)})
    rows = [{"judge": "x", "pair": f"q{k}", "score": 0.1 + k / 20} for k in range(16)]
    brier = validate_judges(responses, verdicts(rows)).judges[0].groups[0].measures["brier"].corrected
    share, score = np.array([(k % 4) / 4 for k in range(16)]), 0.1 + np.arange(16) / 20
    values = share * (1 - score) ** 2 + (1 - share) * score**2
    mean = values.mean()
    reach = stats.t.ppf(0.975, 15) * stats.sem(values) / (mean * (1 - mean))
    assert brier.value == pytest.approx(mean)
    assert (brier.interval.low, brier.interval.high) == pytest.approx(
        tuple(expit(logit(mean) + way * reach) for way in (-1, 1))
    )


def test_a_share_of_one_has_wilson_s_interval() -> None:
    """12 of 12: Wilson's lower end is 1 / (1 + z^2 / 12), by hand 0.7575."""
    responses = votes({f"q{n}": "aab" for n in range(12)})
    found = validated(responses, choices({f"q{n}": "a" for n in range(12)}))
    interval = found["judges"][0]["groups"][0]["measures"]["identity_accuracy"]["corrected"]["interval"]
    assert (interval["low"], interval["high"]) == (pytest.approx(0.75751, abs=1e-5), 1.0)
    assert interval["method"].startswith("Wilson's")


def test_groups_are_all_pairs_both_classes_and_every_condition() -> None:
    names = hntt().drop_duplicates(["study", "pair"])[["study", "pair"]].astype(str)
    rows = [{"judge": "j", "study": s, "pair": p, "choice": "a"} for s, p in names.itertuples(index=False)]
    validation = validate_judges(hntt(), verdicts(rows), resamples=0)
    groups = validation.judges[0].groups
    assert [(group.scope, group.name, group.n_pairs) for group in groups] == [
        ("all", "all", 20),
        ("class", "human-agent", 12),
        ("class", "agent-agent", 8),
        ("condition", "human-hybrid", 6),
        ("condition", "human-symbolic", 6),
        ("condition", "hybrid-symbolic", 8),
    ]
    assert all(tuple(group.measures) == MEASURES for group in groups)


def test_the_keys_of_the_json_are_the_documented_ones() -> None:
    found = validated(
        votes({"q1": "aab", "q2": "abb", "q3": "aab"}), probabilities({"q1": 0.9, "q2": 0.4, "q3": 0.7})
    )
    assert list(found) == [
        *("format", "settings", "selection", "n_pairs", "n_with_truth", "n_with_votes", "n_tied", "n_votes"),
        *("n_participants", "judges", "comparisons", "n_tie_votes", "n_blank"),
    ]
    judge = found["judges"][0]
    assert list(judge) == [
        *("judge", "about", "scores", "runs", "groups", "alternative_annotator", "prediction_powered")
    ]
    assert list(judge["groups"][0]["measures"]["brier"]) == [
        *("as_published", "corrected", "runs", "sd_ddof0", "sd_ddof1", "ceiling", "split_half"),
        "over_person",
    ]
    assert [one["n"] for one in (bin["agreement"] for bin in judge["groups"][0]["calibration"])] == [
        0,
        1,
        1,
        0,
        1,
    ]
    assert found["format"] == "likely-human judges 1"


def test_the_same_seed_gives_the_same_numbers_and_another_another() -> None:
    responses = random_responses(np.random.default_rng(1), 12, 6)
    rows = probabilities({f"q{n}": n / 11 for n in range(12)})
    assert validated(responses, rows, seed=3) == validated(responses, rows, seed=3)
    assert validated(responses, rows, seed=3) != validated(responses, rows, seed=4)


def test_progress_is_told_per_judge() -> None:
    told: list[tuple[int, int, str]] = []
    rows = [*choices({"q1": "a"}, "x"), *choices({"q1": "a"}, "y")]
    validate_judges(
        votes({"q1": "aab"}), verdicts(rows), resamples=0, on_progress=lambda *step: told.append(step)
    )
    assert told == [(0, 2, "x"), (1, 2, "y"), (2, 2, "done")]


def test_empty_tables_and_modes_without_answers_are_refused() -> None:
    responses, rows = votes({"q1": "aab"}), verdicts(choices({"q1": "a"}))
    with pytest.raises(AnalysisError, match="there are no answers"):
        validate_judges(responses.iloc[:0], rows)
    with pytest.raises(AnalysisError, match="there are no verdicts"):
        validate_judges(responses, rows.iloc[:0])
    with pytest.raises(AnalysisError, match="mode 'pilot' has no answers"):
        validate_judges(responses, rows, mode="pilot")
    with pytest.raises(SchemaError, match="column condition: the column is missing"):
        validate_judges(responses, rows, pairs=pd.DataFrame({"study": ["s"], "pair": ["x"]}))


def test_a_table_without_main_trials_has_no_pair() -> None:
    responses = check_responses(table(answer(pair="check", kind="attention")))
    found = validated(responses, choices({"check": "a"}))
    assert found["n_pairs"] == 0
    assert found["selection"]["s"]["reason"] is not None


def test_the_calibration_error_has_no_interval_and_says_why() -> None:
    """Around people's it would hold the truth in 28% of simulated cases."""
    rows = [{"judge": "x", "pair": f"q{n}", "score": 0.1 + n / 20} for n in range(12)]
    found = validate_judges(
        votes({f"q{n}": "a" * (n % 5 + 1) + "b" * 3 for n in range(12)}), verdicts(rows), resamples=200
    )
    measure = found.judges[0].groups[0].measures["calibration_error"]
    for people in (measure.corrected, measure.ceiling, measure.split_half):
        assert people.value is not None
        assert people.interval.low is None
        assert "biased upwards" in str(people.interval.reason)
