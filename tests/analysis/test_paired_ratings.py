"""Ratings compared as pairs, over items, matched sets, stimuli and raters: against SciPy and cases worked by hand."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from analysis import SchemaError, analyze_rating_rows, analyze_ratings, compare_blocks, read_ratings
from analysis import render_rating_blocks as blocks_text
from analysis.data.columns import RATING_COLUMNS
from analysis.data.rating_table import check_ratings
from analysis.data.schema import check_rating_rows
from analysis.stats.multiplicity import holm
from analysis.text.ratings import render_ratings
from tests.analysis.tables import GOLD

pytestmark = pytest.mark.slow

Given = Mapping[str, Mapping[str, float]]
CSV, MAP = GOLD / "alympics_ratings.csv", GOLD / "alympics_ratings.yaml"


def test_criteria_are_compared_over_the_means_of_the_same_items() -> None:
    """Source: scipy.stats.wilcoxon of pandas' item means of the released Alympics scores; Holm over the 15 pairs."""
    analysis = analyze_ratings(read_ratings(CSV, MAP), resamples=0)
    raw = pd.read_csv(CSV, dtype=str)
    raw["score"] = pd.to_numeric(raw["score"], errors="coerce")
    means = raw.dropna().pivot_table(index="record", columns="criterion", values="score", aggfunc="mean")
    assert len(analysis.criteria_compared) == 15
    for one in analysis.criteria_compared:
        both = means[[one.first, one.second]].dropna()
        # Rounded as 0.1 + 0.2 is not 0.3: equal differences are ties.
        apart = (both[one.first] - both[one.second]).round(12)
        assert (one.criterion, one.paired_by, one.test.n, one.n_family) == (None, "item", len(both), 15)
        assert one.test.difference.mean == pytest.approx(apart.mean())
        assert (one.mean_first, one.mean_second) == pytest.approx(tuple(both.mean()))
        if one.test.method == "normal approximation, tie- and continuity-corrected":
            apart = apart[apart != 0]
            expected = stats.wilcoxon(apart, correction=True, method="asymptotic").pvalue
            assert one.test.p == pytest.approx(expected)
            assert one.test.alternative == "two-sided"
    assert {one.test.n for one in analysis.criteria_compared} == {15, 30}, (
        "IA is asked of half of the records"
    )
    ps = [one.test.p for one in analysis.criteria_compared]
    assert [one.p_holm for one in analysis.criteria_compared] == holm(ps)
    text = render_ratings(analysis)
    assert "Criteria compared as pairs, over items that have both" in text
    assert "IU less IA: left out without a partner, 15 of the first and 0" in text
    assert max(map(len, text.splitlines())) <= 100


def matched() -> pd.DataFrame:
    """Four games, each with a persona's record and a plain one, and a fifth whose plain record nobody rated."""
    scores = {"g1": (5, 1), "g2": (4, 2), "g3": (4, 3), "g4": (2, 3), "g5": (5, None)}
    rows = [
        (f"{group}-{game}", rater, score, group, game)
        for game, both in scores.items()
        for group, score in zip(("persona", "plain"), both, strict=True)
        for rater in "xy"
        if score is not None
    ]
    return pd.DataFrame(rows, columns=["item", "rater", "score", "group", "match"])


def test_groups_are_compared_within_matched_sets() -> None:
    """By hand: differences 4, 2, 1, -1; ranks of the sizes 4, 3, 1.5, 1.5; V = 8.5 of 10. Of 16 ways to give signs
    8.5 is reached by 8.5 (two: either 1.5 is minus) and 10 (one), so p = 2 x 3/16. By swaps the sum is 6 of at most 8:
    8 and -8 once, 6 and -6 twice each, so 6/16. The Walsh averages are -1, 0, .5, 1, 1.5, 1.5, 2,
    2.5, 3, 4."""
    [one] = analyze_ratings(matched(), resamples=100).matched_groups
    assert (one.criterion, one.first, one.second, one.paired_by) == ("score", "persona", "plain", "match")
    assert (one.test.n, one.test.n_only_first, one.test.n_only_second) == (4, 1, 0)
    assert (one.test.v, one.test.p, one.test.permutation.p) == (8.5, 0.375, 0.375)
    assert (one.test.shift.value, one.test.difference.mean) == (1.5, 1.5)
    assert (one.mean_first, one.mean_second) == (3.75, 2.25), "of the four sets that have both"
    # Student's t of the four differences, by SciPy.
    interval = stats.ttest_1samp([4, 2, 1, -1], 0).confidence_interval()
    assert (one.test.difference.interval.low, one.test.difference.interval.high) == pytest.approx(
        tuple(interval)
    )
    assert "participant" not in json.dumps(one.to_dict()["test"]["permutation"])
    assert one.test.permutation.method == "exact: all ways to swap the two values of a matched set"
    for full in (True, False):
        text = " ".join(render_ratings(analyze_ratings(matched(), resamples=0), full=full).split())
        assert "persona less plain" in text
        assert ("Hodges-Lehmann" in text) == full


def test_a_mapping_names_the_column_of_matches_and_a_set_with_two_items_of_a_group_is_refused(
    tmp_path: Path,
) -> None:
    table = matched().rename(columns={"match": "game"})
    mapping = {
        "kind": "ratings",
        "columns": {"item": "item", "rater": "rater", "score": "score", "group": "group", "match": "game"},
    }
    assert len(analyze_ratings(read_ratings(table, mapping), resamples=0).matched_groups) == 1
    twice = table.assign(game=table["game"].replace("g2", "g1"))
    with pytest.raises(
        SchemaError, match="'g1' has two items of group 'persona', 'persona-g1' and 'persona-g2'"
    ):
        read_ratings(twice, mapping)


def test_criteria_without_a_common_scale_are_not_compared() -> None:
    rows = [(f"i{n}", "x", criterion, n % 3 + 1) for n in range(6) for criterion in "abc"]
    table = pd.DataFrame(rows, columns=["item", "rater", "criterion", "score"])
    assert analyze_ratings(table, resamples=0).criteria_compared == ()
    scaled = check_ratings(table, scales={"a": (1, 5), "b": (1, 5), "c": (0, 100)})
    [one] = analyze_ratings(scaled, resamples=0).criteria_compared
    assert (one.first, one.second) == ("a", "b")
    assert one.test.reason == "every item has the same value in both: there is nothing to rank"
    classes = check_ratings(table.assign(score="yes"), level="nominal")
    assert analyze_ratings(classes, resamples=0).criteria_compared == ()


def rows_of(study: str, scores: Given, own: Mapping[str, float] | None = None) -> pd.DataFrame:
    """A table of `ratings` by rater and stimulus, and what raters give themselves."""
    common = {
        "study": study,
        "version": 1,
        "mode": "live",
        "block": "rate",
        "question": "logic",
        "level": "ordinal",
    }
    scale = {"scale_low": 1, "scale_high": 5, "ask": "How logical is it?"}
    rows = [
        {"participant": who, "session": who, "position": place, "trial": f"{who}-{what}", "item": f"{study}-{what}",
         "kind": "main", "stimulus": what, "value": value}
        for who, given in scores.items() for place, (what, value) in enumerate(given.items(), 1)
    ] + [
        {"participant": who, "session": who, "trial": f"self-{who}-rate", "kind": "self", "value": value}
        for who, value in (own or {}).items()
    ]  # fmt: skip
    table = pd.DataFrame([{**common, **scale, **row} for row in rows])
    return check_rating_rows(table.reindex(columns=[column.name for column in RATING_COLUMNS]))


GIVEN = {
    "ann": {"s1": 3, "s2": 5},
    "bob": {"s1": 2, "s2": 2},
    "cyd": {"s1": 4, "s2": 3},
    "dan": {"s1": 1, "s2": 2},
}


def test_raters_own_scores_are_held_against_what_they_gave_to_items() -> None:
    """By hand: own 5, 4, 4 less the means 4, 2, 3.5 are 1, 2, .5; all three above, so p = 2/8; dan was not asked, eve
    gave nothing to items. The Walsh averages are .5, .75, 1, 1.25, 1.5, 2."""
    own = {"ann": 5, "bob": 4, "cyd": 4, "eve": 1}
    [block] = analyze_rating_rows([rows_of("a", GIVEN, own)], resamples=0)
    assert block.self_assessment is not None
    [one] = block.self_assessment.criteria
    assert (block.self_assessment.n_raters, block.self_assessment.not_asked) == (4, ())
    assert (one.first, one.second, one.paired_by, one.criterion) == ("self", "items", "rater", "logic")
    assert (one.test.n, one.test.n_only_first, one.test.n_only_second) == (3, 1, 1)
    assert (one.test.p, one.test.shift.value) == (0.25, 1.125)
    assert one.test.difference.mean == pytest.approx(3.5 / 3)
    interval = stats.ttest_1samp([1, 2, 0.5], 0).confidence_interval()
    assert (one.test.difference.interval.low, one.test.difference.interval.high) == pytest.approx(
        tuple(interval)
    )
    assert "oneself less items, logic, 3 raters: difference +1.17" in blocks_text([block])
    # Own 1, 4, 4, 5: mean 3.5, squares 6.25 + 2 * .25 + 2.25 = 9 over 3; quartiles 1 + .75 * 3, 4, 4 + .25.
    [scores] = block.self_assessment.scores
    assert (scores.criterion, scores.n, scores.mean) == ("logic", 4, 3.5)
    assert scores.sd_ddof1 == pytest.approx(3**0.5)
    assert scores.quartiles.to_dict() == {"lower": 3.25, "median": 4, "upper": 4.25}
    table = blocks_text([block], full=True)
    beside = table[table.index("Scores of items and of oneself") :]
    assert re.search(r"logic\s+2 2.5 3.25\s+2.75\s+1.28\s+8\s+3.25 4 4.25\s+3.50\s+1.73\s+4", beside)
    assert "as pairs, over raters that have both" in blocks_text([block], full=True)


def test_what_raters_say_of_themselves_changes_no_number_about_items() -> None:
    plain, with_own = (
        analyze_rating_rows([rows_of("a", GIVEN, own)], resamples=50)[0]
        for own in (None, {"ann": 1, "eve": 5})
    )
    assert plain.self_assessment is None
    assert with_own.analysis.to_dict() == plain.analysis.to_dict()
    assert with_own.selection == plain.selection


def test_two_studies_are_compared_over_the_stimuli_that_both_have() -> None:
    """By hand: means of a are s1 2.5, s2 3; of b s1 4, s2 4, s3 1; differences -1.5 and -1, p = 2/4."""
    blocks = analyze_rating_rows(
        [rows_of("a", GIVEN), rows_of("b", {"eve": {"s1": 4, "s2": 5, "s3": 1}, "fay": {"s1": 4, "s2": 3}})],
        resamples=0,
    )
    [found] = compare_blocks(blocks, resamples=0)
    assert (found.studies, found.n_stimuli, found.n_shared) == (("a", "b"), (2, 3), 2)
    [one] = found.criteria
    assert (one.test.n, one.test.n_only_second, one.test.p) == (2, 1, 0.5)
    assert (one.mean_first, one.mean_second, one.test.difference.mean) == (2.75, 4.0, -1.25)
    for full in (False, True):
        text = blocks_text(blocks, full=full, compared=[found])
        assert "2 stimuli were rated in both studies, of 2 in a and 3 in b." in " ".join(text.split())
        assert "a less b" in text
    [apart] = compare_blocks(
        [blocks[0], *analyze_rating_rows([rows_of("c", {"eve": {"s9": 4}})], resamples=0)]
    )
    assert (apart.criteria, apart.reason) == ((), "no stimulus was rated in both studies")


def test_a_row_about_no_item_is_refused_unless_it_is_about_the_raters() -> None:
    table = rows_of("a", GIVEN, {"ann": 5})
    for name in ("item", "position"):
        broken = table.assign(**{name: table[name].astype(object).where(np.arange(len(table)) != 1, None)})
        with pytest.raises(SchemaError, match=f"row 3, column {name}: the cell is empty"):
            check_rating_rows(broken)


def test_criteria_are_shown_by_their_questions_where_these_are_short_and_differ() -> None:
    rows = [
        (f"i{n}", rater, criterion, n % 3 + 1) for n in range(4) for rater in "xy" for criterion in "abcd"
    ]
    table = pd.DataFrame(rows, columns=["item", "rater", "criterion", "score"])
    asked = {"a": "Is it logical?", "b": "Twice?", "c": "Twice?", "d": "A long question. " * 9}
    analysis = analyze_ratings(check_ratings(table, scale=(1, 5), asked=asked), resamples=0)
    assert analysis.labels == {"a": "“Is it logical?”", "b": "b", "c": "c", "d": "d"}
    shown = analysis.labelled()
    assert [one.criterion for one in shown.criteria] == ["“Is it logical?”", "b", "c", "d"]
    assert shown.criteria_compared[0].first == "“Is it logical?”"
    assert set(shown.raters["criterion"]) == {"“Is it logical?”", "b", "c", "d"}
