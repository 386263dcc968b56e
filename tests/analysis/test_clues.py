"""The clue report: what warns, what is said of it, and what there is too little of to say anything."""

import json
import re
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from analysis.clues.classifier import REPEATS
from analysis.clues.plot import clue_svg
from analysis.clues.report import clue_report
from analysis.clues.words import remedy, shown_value, words_for
from analysis.errors import AnalysisError, SchemaError
from app.library.clips.clues import CLUES
from app.library.clips.rules import Rules

from .clue_tables import Values, clips, drawn

pytestmark = pytest.mark.slow

ANYTHING = "Make the recordings alike in it"


# What warns


@pytest.mark.parametrize("seed", range(3))
def test_a_large_difference_warns_alone_and_together(seed: int) -> None:
    report = clue_report(drawn(seed, 12, 20, shift=3.0), seed=seed)
    assert report.clue("x").finding == "telling"
    assert report.classifier.warns
    assert report.warns
    assert "X gives the source away: it is higher in human clips than in all others" in " ".join(
        report.summary
    )


def test_clues_that_tell_only_together_are_found_together() -> None:
    """Each of two clues is mostly what they share; the source shows in their difference."""
    rng = np.random.default_rng(2)
    shared, human = rng.normal(0, 3, 80), np.repeat([1.0, 0.0], 40)
    table = clips(
        a=by_source(shared + human + rng.normal(0, 0.3, 80)), b=by_source(shared + rng.normal(0, 0.3, 80))
    )
    report = clue_report(table, seed=1)
    assert not any(result.warns for result in report.clues)
    assert report.classifier.warns
    assert report.warns


def by_source(values: Any) -> Values:
    """The first half human, the second hybrid."""
    half = len(values) // 2
    return {"human": list(values[:half]), "hybrid": list(values[half:])}


def test_fewer_than_four_clips_of_a_kind_make_no_classifier_and_no_warning() -> None:
    report = clue_report(clips(x={"human": [9.0, 8.0, 7.0], "hybrid": [1.0, 2.0, 3.0, 4.0, 5.0]}), seed=1)
    assert report.classifier.auc is None
    assert report.classifier.reason == "too few: at least 4 of each kind are needed, there are 3 and 5"
    assert report.classifier.interval.low is None
    assert report.clue("x").against_others.auc == 1.0
    assert report.clue("x").finding == "unclear"
    assert not report.warns
    assert "3 and 5 clips are too few to tell" in report.clue("x").advice.remedy


def test_four_clips_of_a_kind_can_warn() -> None:
    report = clue_report(clips(x={"human": [9.0, 8.0, 7.0, 6.0], "hybrid": [1.0, 2.0, 3.0, 4.0]}), seed=1)
    assert report.clue("x").warns
    assert report.classifier.interval.low is not None
    assert 0.5 < report.classifier.interval.low < 0.7


# The one verdict


def test_five_clips_against_five_are_too_few_to_tell_among_many_clues() -> None:
    """One of 17 clues separates the sources fully: p = 0.008 by itself, 0.13 after Holm, and no classifier says so."""
    table = drawn(1, 5, 5, names=[f"clue{number}" for number in range(17)])
    table["clue0"] = [9.0, 8.0, 7.0, 6.0, 5.0, 0.0, 1.0, 2.0, 3.0, 4.0]
    report = clue_report(table, seed=1)
    first = report.clue("clue0")
    assert first.against_others.auc == 1.0
    assert first.p_holm is not None
    assert first.p_holm > 0.1
    assert not first.warns
    assert not report.warns
    assert report.verdict == "too-few"
    assert report.says == "Too few clips to tell whether anything gives the source away (5 human, 5 hybrid)."
    assert report.summary[1] == report.says
    assert "gives the source away:" not in " ".join(report.summary)


def test_what_tells_is_named_a_clue_or_all_together() -> None:
    report = clue_report(drawn(1, 30, 30, shift=3.0), seed=1)
    assert (report.verdict, report.says) == ("telling", "X gives the source away.")
    rng = np.random.default_rng(2)
    shared, human = rng.normal(0, 3, 80), np.repeat([1.0, 0.0], 40)
    together = clips(
        a=by_source(shared + human + rng.normal(0, 0.3, 80)), b=by_source(shared + rng.normal(0, 0.3, 80))
    )
    assert clue_report(together, seed=1).says == "All clues together give the source away."


def test_many_clips_that_differ_in_nothing_are_said_to_differ_in_nothing() -> None:
    report = clue_report(drawn(4, 60, 60), seed=1)
    assert report.verdict == "nothing"
    assert report.says == "Nothing was found that gives the source away with a strength of 0.75 or more."


def test_every_comparison_of_every_clue_is_corrected_for() -> None:
    values = {"human": [4.0, 5.0, 6.0, 5.5], "hybrid": [1.0, 1.2, 1.4, 1.1], "symbolic": [9.0, 9.2, 9.4, 9.1]}
    report = clue_report(clips(motion=values, still=values), seed=1)
    pair = report.clue("motion").pairs[0]
    assert pair.p is not None
    assert pair.p_holm == pytest.approx(min(1.0, 8 * pair.p))  # 2 clues of 4 comparisons each
    assert report.clue("motion").p_holm == pair.p_holm
    assert report.verdict == "too-few"


def test_numbers_have_four_digits_at_most() -> None:
    table = clips(bytes={"human": [123456.0, 123999.0, 123500.0], "hybrid": [98765.0, 98766.0, 98001.0]})
    assert clue_report(table, seed=1).clue("bytes").advice.difference == (
        "Human clips take up 124 kB, the others 99 kB (medians)."
    )
    assert shown_value("duration_s", 8.123456, apart=0.0001) == "8.123 s"
    assert shown_value("bytes", 123_456_789.0, apart=10) == "123500 kB"


# One clue at a time


def test_a_clue_that_is_the_same_for_all_clips_tells_nothing() -> None:
    table = clips(
        width={"human": [320.0] * 5, "hybrid": [320.0] * 6}, x={"human": [1, 2, 3, 4, 5], "hybrid": [2] * 6}
    )
    report = clue_report(table, seed=1)
    width = report.clue("width")
    assert (width.against_others.auc, width.finding, width.p) == (0.5, "same", None)
    assert width.advice.difference == "The same for all clips: 320 px."
    assert report.classifier.left_out == ("width",)
    assert "The same for all clips: frame width." in report.summary


def test_strength_counts_both_directions_alike() -> None:
    up = clue_report(drawn(7, 15, 15, shift=1.5), seed=1).clue("x").against_others
    table = drawn(7, 15, 15, shift=1.5)
    table["x"] *= -1
    down = clue_report(table, seed=1).clue("x").against_others
    assert up.auc is not None
    assert down.auc == pytest.approx(1 - up.auc)
    assert down.strength == up.strength
    assert down.strength_low == pytest.approx(up.strength_low)
    assert down.strength_high == pytest.approx(up.strength_high)
    assert (up.strength_low, up.strength_high) == (up.interval.low, up.interval.high)


def test_an_interval_around_a_half_leaves_a_strength_from_a_half_on() -> None:
    told = clue_report(drawn(11, 10, 10), seed=1).clue("y").against_others
    assert told.interval.low is not None
    assert told.interval.high is not None
    assert told.interval.low < 0.5 < told.interval.high
    assert told.strength_low == 0.5
    assert told.strength_high == max(told.interval.high, 1 - told.interval.low)


def test_two_sources_around_the_human_one_are_told_from_each_other() -> None:
    """Human values lie in the middle: against all others they look harmless."""
    table = clips(
        motion={
            "human": [4.0, 5.0, 6.0, 5.5, 4.5, 5.2],
            "hybrid": [1.0, 1.2, 1.4, 1.1, 1.3, 0.9],
            "symbolic": [9.0, 9.2, 9.4, 9.1, 9.3, 8.9],
        }
    )
    result = clue_report(table, seed=1).clue("motion")
    assert result.against_others.auc == 0.5
    assert [(pair.first, pair.second, pair.strength) for pair in result.pairs] == [
        ("human", "hybrid", 1.0),
        ("human", "symbolic", 1.0),
        ("hybrid", "symbolic", 1.0),
    ]
    assert {pair.interval.level for pair in result.pairs} == {1 - 0.05 / 3}
    assert result.finding == "telling"
    assert result.advice.difference.startswith(
        "Human clips change from picture to picture by 5.1 grey levels, hybrid"
    )


def test_the_strongest_pair_comes_first() -> None:
    table = clips(
        x={"human": [1.0, 2, 3, 4, 5], "hybrid": [2.0, 3, 4, 5, 6], "symbolic": [7.0, 8, 9, 10, 11]}
    )
    pairs = clue_report(table, seed=1).clue("x").pairs
    strengths = [pair.strength or 0.0 for pair in pairs]
    assert strengths == sorted(strengths, reverse=True)
    assert {pairs[0].second, pairs[1].second} == {"symbolic"}


def test_every_source_has_its_numbers_and_missing_values_are_counted() -> None:
    table = clips(x={"human": [1.0, None, 3.0, 8.0], "hybrid": [2.0, 4.0, None, None]})
    human, hybrid = clue_report(table, seed=1).clue("x").sources
    assert (human.source, human.n, human.missing) == ("human", 3, 1)
    assert (human.median, human.mean, human.low, human.high) == (3, 4, 1, 8)
    assert (hybrid.source, hybrid.n, hybrid.missing, hybrid.median) == ("hybrid", 2, 2, 3)


def test_each_clue_says_how_many_were_looked_at_beside_it() -> None:
    report = clue_report(drawn(2, 12, 12, shift=3.0), seed=1)
    x = report.clue("x")
    assert x.p is not None
    assert x.p_holm == pytest.approx(3 * x.p)
    assert report.summary[0] == "3 clues of 24 clips were looked at: 12 human, 12 hybrid."
    assert report.summary[-1].startswith("3 clues were compared")
    assert report.summary[-1].endswith("p is below 0.05 for x.")


def test_the_order_of_the_rows_changes_nothing() -> None:
    table = drawn(5, 10, 14, shift=1.0)
    shuffled = table.sample(frac=1, random_state=3)
    assert clue_report(shuffled, seed=2) == clue_report(table, seed=2)
    assert clue_svg(shuffled, "x", clue_report(table, seed=2)) == clue_svg(
        table, "x", clue_report(table, seed=2)
    )


def test_equal_clips_are_clips_of_their_own() -> None:
    table = pd.concat([drawn(5, 10, 10)] * 2, ignore_index=True)
    table["stimulus"] = [f"c{number:03}" for number in range(40)]
    assert clue_report(table, seed=2).clue("x").against_others.n_first == 20


def test_progress_is_told_to_its_end() -> None:
    told: list[tuple[int, int, str]] = []
    clue_report(drawn(1, 6, 6), seed=1, on_progress=lambda *now: told.append(now))
    total = 3 + REPEATS
    assert [done for done, _, _ in told[:4]] == [1, 2, 3, 4]
    assert told[-1] == (total, total, "all clues together")


# What there may be too little of


@pytest.mark.parametrize(
    ("table", "auc_of_x", "finding"),
    [
        (clips(x={"human": [], "hybrid": []}), None, "undefined"),
        (clips(x={"hybrid": [1.0, 2.0, 3.0]}), None, "undefined"),
        (clips(x={"human": [1.0, 2.0, 3.0]}), None, "undefined"),
        (clips(x={"human": [None, None], "hybrid": [1.0, 2.0]}), None, "undefined"),
        (clips(x={"human": [1.0], "hybrid": [2.0]}), 0.0, "unclear"),
        (clips(x={"human": [5.0], "hybrid": [2.0, 3.0, 4.0, 1.0, 0.0]}), 1.0, "unclear"),
        (clips(x={"human": [1.0], "hybrid": [1.0]}), 0.5, "same"),
        (clips(x={"human": [1.0] * 5, "hybrid": [1.0] * 5}), 0.5, "same"),
        (clips(x={"human": [1.0] * 5, "hybrid": [None] * 5}), None, "undefined"),
    ],
    ids=[
        "no clips",
        "no human",
        "all human",
        "no human value",
        "one each",
        "one human",
        "one same",
        "same",
        "empty",
    ],
)
def test_too_little_gives_a_reason_and_never_nan(
    table: pd.DataFrame, auc_of_x: float | None, finding: str
) -> None:
    report = clue_report(table, seed=1)
    told = report.clue("x")
    assert (told.against_others.auc, told.finding) == (auc_of_x, finding)
    assert told.against_others.interval.reason
    assert (told.against_others.reason is None) == (auc_of_x is not None)
    assert report.classifier.reason
    assert not report.warns
    json.dumps(report.to_dict(), allow_nan=False)
    ElementTree.fromstring(clue_svg(table, "x", report))


def test_a_table_without_clues_says_so() -> None:
    report = clue_report(drawn(1, 5, 5)[["stimulus", "source"]], seed=1)
    assert report.classifier.reason == "no clue differs between clips"
    assert report.summary[0].startswith("0 clues of 10 clips")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"source": None}, "row 2, column source: '' is not allowed"),
        ({"stimulus": "c000"}, "row 2, column stimulus: 'c000' is not allowed; allowed: each stimulus once"),
        ({"x": float("inf")}, "row 2, column x: 'inf' is not allowed; allowed: a finite number, or nothing"),
    ],
)
def test_a_table_that_breaks_its_contract_is_refused(change: dict[str, Any], message: str) -> None:
    table = drawn(1, 5, 5).astype(object)
    for name, value in change.items():
        table.loc[1, name] = value
    with pytest.raises(SchemaError, match=re.escape(message)):
        clue_report(table, seed=1)


def test_a_clue_of_words_and_a_missing_column_are_refused() -> None:
    with pytest.raises(SchemaError, match="row 1, column goal: 'tree' is not allowed"):
        clue_report(drawn(1, 5, 5).assign(goal="tree"), seed=1)
    with pytest.raises(SchemaError, match="column source: the column is missing"):
        clue_report(drawn(1, 5, 5).drop(columns="source"), seed=1)


@pytest.mark.parametrize("wrong", [{"threshold": 0.5}, {"threshold": 1.1}, {"seed": -1}])
def test_settings_out_of_range_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(AnalysisError, match="is not allowed; allowed"):
        clue_report(drawn(1, 5, 5), **{"seed": 1, **wrong})


# What is said


def test_advice_on_standing_still_names_the_seconds_to_trim() -> None:
    table = clips(
        duration_s={"human": [8.0] * 6, "hybrid": [8.0] * 6},
        still_end_s={"human": [1.2, 1.3, 1.3, 1.4, 1.6, 1.1], "hybrid": [0.0, 0.0, 0.1, 0.0, 0.0, 0.0]},
    )
    advice = clue_report(table, seed=1).clue("still_end_s").advice
    assert advice.difference == "Human clips end with 1.3 s standing still, the others with 0.0 s (medians)."
    assert (
        advice.remedy
        == "Trim the end of all clips by 2 s (rule trim_end_s: 2), which takes it off every clip."
    )


def test_trimming_is_not_advised_where_it_would_leave_too_little() -> None:
    long_one = clips(
        duration_s={"human": [4.0] * 10, "hybrid": [4.0] * 10},
        still_end_s={"human": [1.0] * 9 + [3.9], "hybrid": [0.0] * 10},
    )
    assert "by 1.5 s (rule trim_end_s: 1.5), which takes it off nine" in remedy("still_end_s", long_one)
    all_long = long_one.assign(still_end_s=[3.0] * 10 + [0.0] * 10)
    assert remedy("still_end_s", all_long).startswith("Trimming alone cannot remove it")


def test_advice_on_length_names_the_shortest_clip() -> None:
    table = clips(duration_s={"human": [9.1, 9.0, 9.3, 9.2, 9.4], "hybrid": [7.58, 8.0, 8.1, 8.2, 8.0]})
    advice = clue_report(table, seed=1).clue("duration_s").advice
    assert advice.difference == "Human clips last 9.2 s, the others 8.0 s (medians)."
    assert "one length of at most 7.5 s" in advice.remedy


def test_where_the_medians_agree_the_means_are_told() -> None:
    table = clips(still_start_s={"human": [0.0] * 6 + [1.0] * 4, "hybrid": [0.0] * 10})
    advice = clue_report(table, seed=1).clue("still_start_s").advice
    assert advice.difference == (
        "On average human clips begin with 0.40 s standing still, the others with 0.00 s; the medians are the same."
    )


def test_every_measured_clue_has_words_and_a_remedy_of_its_own() -> None:
    table = pd.DataFrame({"stimulus": ["a"], "source": ["human"], **{clue: [1.0] for clue in CLUES}})
    for clue in CLUES:
        assert words_for(clue).verb != words_for("anything").verb, clue
        assert not remedy(clue, table).startswith(ANYTHING), clue
    assert remedy("anything", table).startswith(ANYTHING)
    assert words_for("original_width").label == "frame width of the original"


def test_advice_names_only_rules_that_exist() -> None:
    table = pd.DataFrame({"stimulus": ["a"], "source": ["human"], **{clue: [1.0] for clue in CLUES}})
    table["original_fps"] = 25.0
    table["duration_s"] = 9.0
    texts = [remedy(clue, table) for clue in (*CLUES, "original_fps", "original_width")]
    named = {rule for text in texts for rule in re.findall(r"\brule (\w+):", text)}
    assert named == {"trim_start_s", "trim_end_s", "fps"}
    assert named | {"width", "height", "crf"} <= set(Rules.model_fields)


# Inside the files


def test_what_only_the_file_tells_is_told_apart_from_the_verdict() -> None:
    table = drawn(1, 60, 60)
    rng = np.random.default_rng(1)
    table["frame_bytes"] = np.where(table["source"] == "human", 5_000, 3_000) + rng.normal(0, 10, 120)
    report = clue_report(table, seed=1)
    without = clue_report(table.drop(columns="frame_bytes"), seed=1)
    assert report.verdict == without.verdict == "nothing"
    assert (report.clues, report.classifier) == (without.clues, without.classifier)
    assert [result.clue for result in report.inside.clues] == ["frame_bytes"]
    assert report.clue("frame_bytes").against_others.auc == 1
    assert report.inside.classifier.auc == 1
    assert "tell human clips from the others with AUC 1.00" in report.inside.says
    assert report.inside.says in report.summary
    assert without.inside.says == "What is inside the files was not measured."
    assert without.inside.says not in without.summary


def test_clips_too_few_say_so_of_their_files_too() -> None:
    report = clue_report(clips(frame_bytes={"human": [1.0, 2.0], "hybrid": [3.0, 4.0]}), seed=1)
    assert report.inside.says.startswith("Inside the files: not tried, ")
    assert report.verdict != "telling"
