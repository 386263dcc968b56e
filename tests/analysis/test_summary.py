"""The whole analysis: what is compared, and what is said of degenerate data."""

import json
import random
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from analysis import AnalysisError, SchemaError, analyze
from analysis.stats.intervals import NOT_ASKED
from tests.analysis.tables import answer, checked, person, table

pytestmark = pytest.mark.slow

NO_TRUTH = {"truth": "", "condition": "hybrid-symbolic", "source_a": "hybrid", "source_b": "symbolic"}
Row = dict[str, str]


def study(name: str, *choices: str, **cells: str) -> list[Row]:
    """One participant per text of `choices`."""
    return [
        row for number, text in enumerate(choices) for row in person(f"p{number}", text, study=name, **cells)
    ]


def numbers(rows: list[Row], **asked: Any) -> dict[str, Any]:
    """The analysis as its JSON, which must hold no NaN and survive a round trip."""
    result = analyze(table(*rows), resamples=asked.pop("resamples", 100), **asked).to_dict()
    assert json.loads(json.dumps(result, allow_nan=False)) == result
    return result


TWO = study("one", "aab", "abb", "aaa") + study("two", "bbb", "abb", "aab")


@cache
def numbers_of_two() -> dict[str, Any]:
    return numbers(TWO)


def test_studies_keep_the_order_of_the_frames_and_of_people_within_one() -> None:
    rows = study("s10", "a") + study("s2", "a")
    assert [study["study"] for study in numbers(rows)["studies"]] == ["s2", "s10"]
    frames = [table(*study("z", "a")), table(*study("a", "a"))]
    assert [one.study for one in analyze(frames, resamples=0).studies] == ["z", "a"]


def test_a_study_in_two_frames_is_refused() -> None:
    frame = table(*study("one", "a"))
    with pytest.raises(AnalysisError, match=r"study 'one' is in x.csv and again in y.csv: give it once"):
        analyze([frame, frame], origins=["x.csv", "y.csv"])


def test_a_bad_frame_is_named() -> None:
    with pytest.raises(SchemaError, match=r"^y.csv: row 2, column choice: 'C'"):
        analyze([table(*study("one", "a")), table(answer(choice="C"))], origins=["x.csv", "y.csv"])


def test_a_frame_without_answers_is_refused() -> None:
    with pytest.raises(AnalysisError, match="table 2: there are no answers to analyse"):
        analyze([table(*study("one", "a")), table()])
    with pytest.raises(AnalysisError, match="there is nothing to analyse"):
        analyze([])


@pytest.mark.parametrize(
    ("option", "allowed"),
    [
        ("mode", "live, simulated, pilot, preview"),
        ("blank", "missing, wrong"),
        ("alternative", "two-sided, greater, less"),
        ("ties", "keep, random"),
    ],
)
def test_an_unknown_option_is_refused(option: str, allowed: str) -> None:
    with pytest.raises(AnalysisError, match=f"{option} 'odd' is not allowed; allowed: {allowed}"):
        numbers(TWO, **{option: "odd"})


def test_accuracy_uncertainty_and_each_preference_are_compared_and_corrected_together() -> None:
    rows = TWO + [
        answer(study=name, participant=f"p{number}", pair="q9", choice=choice, **NO_TRUTH)
        for name, choices in (("one", "aab"), ("two", "bbb"))
        for number, choice in enumerate(choices)
    ]
    comparisons = numbers(rows)["comparisons"]
    assert [one["measure"] for one in comparisons] == ["accuracy", "uncertainty", "preference"]
    accuracy, uncertainty, preference = comparisons
    assert uncertainty["reason"].startswith("all participants of both groups have the same value")
    assert uncertainty["p_holm"] is None
    assert (preference["condition"], preference["source"]) == ("hybrid-symbolic", "hybrid")
    smaller, larger = sorted([accuracy["p"], preference["p"]])
    assert accuracy["n_family"] == preference["n_family"] == 2
    expected = sorted([min(1.0, 2 * smaller), max(min(1.0, 2 * smaller), larger)])
    assert sorted([accuracy["p_holm"], preference["p_holm"]]) == pytest.approx(expected)


def test_a_preference_for_the_truth_is_compared_as_accuracy_only() -> None:
    result = numbers_of_two()
    assert [one["has_truth"] for one in result["studies"][0]["preferences"]] == [True]
    assert [one["measure"] for one in result["comparisons"]] == ["accuracy", "uncertainty"]


def test_three_studies_are_compared_in_pairs() -> None:
    comparisons = numbers(TWO + study("z", "aab", "b"))["comparisons"]
    assert [one["studies"] for one in comparisons[::2]] == [["one", "two"], ["one", "z"], ["two", "z"]]


def test_one_sided_p_values_come_with_the_two_sided_one() -> None:
    greater, less = (numbers(TWO, alternative=side)["comparisons"][0] for side in ("greater", "less"))
    two_sided = numbers_of_two()["comparisons"][0]
    assert greater["p"] < two_sided["p"] < less["p"]
    assert greater["p_two_sided"] == less["p_two_sided"] == two_sided["p"]
    assert greater["alternative"] == "greater"


def test_the_same_identifiers_in_two_studies_are_counted() -> None:
    assert numbers_of_two()["comparisons"][0]["n_shared_ids"] == 3


def test_uncertainties_over_different_trials_are_compared_over_all() -> None:
    rows = study("one", "aab", "aaa") + study("two", "ab", "bb", **NO_TRUTH)
    result = numbers(rows)
    assert [study["uncertainty"]["trials"] for study in result["studies"]] == ["with-truth", "all"]
    assert result["comparisons"][1]["trials"] == "all"


def test_rows_of_other_modes_are_left_out_and_counted() -> None:
    rows = TWO + person("x", "bbbb", study="one", mode="pilot")
    result = numbers(rows)
    assert result["settings"]["mode"] == "live"
    assert result["studies"][0]["selection"]["left_out"]["mode"] == {"pilot": 4}
    assert result["studies"][0]["accuracy"] == numbers_of_two()["studies"][0]["accuracy"]


def test_a_study_without_answers_of_the_mode_says_so() -> None:
    result = numbers(study("one", "aab") + study("two", "aab", mode="simulated"))
    second = result["studies"][1]
    assert second["selection"]["reason"] == "no answer of mode live to a main trial counts"
    assert second["accuracy"]["reason"] == "no participant has a value"
    assert second["participants"] == []
    assert result["comparisons"][0]["reason"] == "a group has no participant with a value"


DEGENERATE = {
    "one answer": study("s", "a"),
    "one pair": study("s", "a", "b", "a", "b", "a"),
    "all correct": study("s", "aaa", "aaa"),
    "all blank and no uncertainty": study("s", "---", "---", uncertainty=""),
    "one participant with only blanks": study("s", "aab", "---"),
    "no truth": study("s", "aab", "bbb", **NO_TRUTH),
    "no sources, no condition and no sides": study(
        "s", "aab", source_a="", source_b="", condition="", left=""
    ),
    "all tied": study("s", "ab", "ba"),
    "nothing counts": study("s", "aab", excluded="too-fast") + person("q", "aab", kind="practice"),
    "two raters who share no pair": [
        answer(participant="p1", pair="q1"),
        answer(participant="p2", pair="q2"),
    ],
    "letters of everywhere, line breaks and quotes": [
        row
        for name in ("Zoë", "参加者 一", "a\n'b\"", "\u202e\x00")
        for row in person(
            name, "aab", study="навигация", condition="人間-混合", source_a="人間", source_b="混合"
        )
    ],
}
# Figures and reports are made of the same.
ELSEWHERE = (
    "one answer",
    "all correct",
    "no sources, no condition and no sides",
    "all tied",
    "nothing counts",
)


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param(rows, id=name, marks=pytest.mark.exhaustive if name in ELSEWHERE else [])
        for name, rows in DEGENERATE.items()
    ],
)
def test_degenerate_data_give_a_number_or_a_plain_reason_and_can_be_compared(rows: list[Row]) -> None:
    for blank in ("missing", "wrong") if any(row["choice"] == "" for row in rows) else ("missing",):
        result = numbers(rows + study("z", "aab", "abb", "bbb"), blank=blank)
        [one] = [study for study in result["studies"] if study["study"] != "z"]
        for measure in ("accuracy", "uncertainty", "uncertainty_all"):
            described = one[measure]
            assert described["mean"] is not None or described["reason"]
            assert described["sd_ddof1"] is not None or described["reason"]
            assert described["interval"]["low"] is not None or described["interval"]["reason"]
        against_chance = one["accuracy"]["against_chance"]
        assert against_chance["p"] is not None or against_chance["reason"]
        for comparison in result["comparisons"]:
            assert comparison["p"] is not None or comparison["reason"]
            assert comparison["effect_interval"]["low"] is not None or comparison["effect_interval"]["reason"]


def test_a_checked_frame_and_its_text_give_the_same_numbers() -> None:
    assert analyze(checked(*TWO), resamples=100).to_dict() == numbers_of_two()


@pytest.mark.exhaustive
def test_participants_of_known_accuracy_are_recovered() -> None:
    """Simulation with known truth: 60 participants x 8 trials at 0.84, a quarter of the pairs with b as truth."""
    rng = random.Random(5)
    members = [("a", "b"), ("a", "b"), ("a", "b"), ("b", "a")] * 2
    rows = [
        answer(
            participant=f"p{who}",
            pair=f"q{trial}",
            truth=truth,
            choice=truth if rng.random() < 0.84 else other,
        )
        for who in range(60)
        for trial, (truth, other) in enumerate(members)
    ]
    accuracy = numbers(rows, resamples=10_000)["studies"][0]["accuracy"]
    assert accuracy["interval"]["low"] < 0.84 < accuracy["interval"]["high"]
    assert accuracy["against_chance"]["p"] < 1e-6


def every_interval(found: Any) -> Iterator[dict[str, Any]]:
    """Every value in a JSON with a lower limit and a method."""
    if isinstance(found, dict):
        if "low" in found and found.get("method"):
            yield found
        for one in found.values():
            yield from every_interval(one)
    elif isinstance(found, list):
        for one in found:
            yield from every_interval(one)


def test_without_resamples_nothing_is_resampled_and_what_needs_none_stays() -> None:
    """60 people and 10 pairs in two studies: the first has bootstraps, the second, of 20 people, has none."""
    tables = [
        checked(
            *(row for n in range(people) for row in person(f"{study}{n}", "abbaabaaab"[n % 4 :], study=study))
        )
        for study, people in (("many", 60), ("few", 20))
    ]
    found = analyze(tables, resamples=0).to_dict()
    intervals = list(every_interval(found))
    resampled = [one for one in intervals if "bootstrap" in one["method"]]
    assert len(resampled) > 20
    assert {one["low"] for one in resampled} == {None}
    assert {one["reason"] for one in resampled} >= {NOT_ASKED}
    assert found["comparisons"][0]["permutation"]["reason"] == NOT_ASKED
    few = next(study for study in found["studies"] if study["study"] == "few")
    assert few["accuracy"]["interval"]["method"] == "Student's t over participants, on the logit scale"
    assert few["accuracy"]["interval"]["low"] is not None
