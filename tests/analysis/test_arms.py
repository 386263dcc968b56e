"""Arms against each other: the published studies as two arms of one, and constructed arms with U and Holm by hand."""

import json

import pandas as pd
import pytest

from analysis import Analysis, analyze, hntt_responses, read_hntt
from analysis.findings.measures import arms_sections
from analysis.findings.registry import sections_of
from analysis.games.arms import compare_seats_by_arm
from analysis.games.compare import GameMeasures
from analysis.ratings.arms import compare_ratings_by_arm
from analysis.stats.arms import ArmsCompared, MeasureByArm, as_one_family, compare_arms
from analysis.text.brief import render_brief
from tests.analysis.tables import GOLD, HNTT, checked, person, published

pytestmark = pytest.mark.slow

PUBLISHED = json.loads((GOLD / "published.json").read_text())["corrected"]
NAMES = {"accuracy": "accuracy", "uncertainty": "uncertainty", "preference": "prefers_hybrid"}


def arms_of(analysis: Analysis) -> ArmsCompared:
    found = analysis.studies[0].further["arms"]
    assert isinstance(found, ArmsCompared)
    return found


def as_two_arms() -> pd.DataFrame:
    """The two published studies as two arms of one: each has people of its own, numbered from 1 again."""
    rows = hntt_responses(read_hntt(HNTT))
    own = rows["study"].astype(str) + "-" + rows["participant"].astype(str)
    return rows.assign(arm=rows["study"].astype(str), study="hntt", participant=own, session=own)


@pytest.fixture(scope="module")
def hntt() -> Analysis:
    return analyze(as_two_arms(), resamples=0)


def test_the_published_studies_as_two_arms_have_the_published_comparison(hntt: Analysis) -> None:
    """Source: gold/published.json, Devlin et al. 2021, section 5.1, without the paper's empty participant."""
    found = arms_of(hntt)
    assert found.arms == ("hntt-1", "hntt-2")
    assert [one.measure for one in found.measures] == list(NAMES)
    for one in found.measures:
        gold, [pair] = PUBLISHED[NAMES[one.measure]], one.pairs
        assert [round(arm.described.mean or 0, 5) for arm in one.arms] == gold["mean"]
        assert [arm.described.n for arm in one.arms] == gold["n"]
        assert (pair.test.u1, pair.test.u2) == (gold["u1"], gold["u2"])
        assert round(pair.test.p_two_sided or 0, 5) == gold["p_two_sided"]


def test_two_arms_are_compared_as_two_studies_are(hntt: Analysis) -> None:
    comparisons = published(0).comparisons
    found = arms_of(hntt).measures
    assert [one.pairs[0].test.to_dict() for one in found] == [one.test.to_dict() for one in comparisons]


def test_the_terminal_says_each_comparison_with_its_effect_and_interval(hntt: Analysis) -> None:
    said = " ".join(render_brief(hntt).split())
    assert (
        "Arms hntt-1 against hntt-2 (30 and 30 people), accuracy: higher in hntt-1 with probability 0.62 (0.47 to 0.75)"
        ", p = .091, two-sided." in said
    )


def test_a_study_of_one_arm_has_no_section_and_a_reason() -> None:
    analysis = analyze(checked(*person("p1", "ab"), *person("p2", "ba")), resamples=0)
    assert arms_of(analysis).reason == "there is one arm"
    assert not [one for one in sections_of(analysis.studies[0], analysis.settings) if one.name == "arms"]


def three_arms() -> Analysis:
    """Accuracies of 4 questions: slow 1, .75, .75; fast .5, .5, .25; none .25, 0, 0."""
    people = {
        "slow": ("aaaa", "aaab", "aaab"),
        "fast": ("aabb", "aabb", "abbb"),
        "none": ("abbb", "bbbb", "bbbb"),
    }
    rows = [
        row
        for arm, choices in people.items()
        for number, chosen in enumerate(choices)
        for row in person(f"{arm}{number}", chosen, arm=arm)
    ]
    return analyze(checked(*rows), resamples=0)


def test_more_than_two_arms_are_compared_two_by_two_with_u_by_counting() -> None:
    found = next(one for one in arms_of(three_arms()).measures if one.measure == "accuracy")
    assert [(arm.arm, arm.described.n) for arm in found.arms] == [("fast", 3), ("none", 3), ("slow", 3)]
    means = {arm.arm: arm.described.mean for arm in found.arms}
    assert means == pytest.approx({"fast": 1.25 / 3, "none": 0.25 / 3, "slow": 2.5 / 3})
    pairs = {pair.arms: pair for pair in found.pairs}
    # fast above none in 8 of 9 pairs of people and level in one; below slow in all.
    assert [(one, pairs[one].test.u1, pairs[one].test.u2) for one in pairs] == [
        (("fast", "none"), 8.5, 0.5),
        (("fast", "slow"), 0.0, 9.0),
        (("none", "slow"), 0.0, 9.0),
    ]
    assert pairs["fast", "slow"].test.effect == 0.0
    assert pairs["fast", "none"].test.effect == pytest.approx(8.5 / 9)


def test_holms_correction_is_over_the_pairs_of_arms_of_a_measure() -> None:
    found = next(one for one in arms_of(three_arms()).measures if one.measure == "accuracy")
    raw = [pair.test.p or 0 for pair in found.pairs]
    so_far, expected = 0.0, {}
    for rank, at in enumerate(sorted(range(3), key=lambda at: raw[at])):
        so_far = expected[at] = max(so_far, min(1.0, (3 - rank) * raw[at]))
    assert [pair.p_holm for pair in found.pairs] == pytest.approx([expected[at] for at in range(3)])
    assert {pair.n_family for pair in found.pairs} == {3}


def test_more_than_ten_arms_are_not_compared_and_a_reason_says_so() -> None:
    rows = [row for arm in range(11) for row in person(f"p{arm}", "ab", arm=f"arm{arm}")]
    analysis = analyze(checked(*rows), resamples=0)
    assert "no more than 10 are compared" in (arms_of(analysis).reason or "")
    [section] = [one for one in sections_of(analysis.studies[0], analysis.settings) if one.name == "arms"]
    assert section.sentences == (
        "Not compared: there are 11 arms, and no more than 10 are compared two by two.",
    )


def test_a_person_in_two_arms_is_warned_of() -> None:
    one, two = pd.Series([0.5, 1.0], ["ann", "bob"]), pd.Series([0.25, 0.75], ["bob", "cyd"])
    [pair] = compare_arms("accuracy", {"x": one, "y": two}, resamples=0).pairs
    assert pair.n_shared == 1
    assert (
        pair.warning == "1 participant has a value in both arms, and the test takes them for different people"
    )


def test_arms_far_apart_are_a_claim_and_arms_close_together_are_none() -> None:
    rows = [
        row
        for arm, chosen in (("high", "aaaab"), ("low", "abbbb"))
        for number in range(12)
        for row in person(
            f"{arm}{number}", chosen[number % 2 :] + chosen[: number % 2] + "ab"[number % 2], arm=arm
        )
    ]
    analysis = analyze(checked(*rows), resamples=0)
    [section] = [one for one in sections_of(analysis.studies[0], analysis.settings) if one.name == "arms"]
    assert section.can_say[0].startswith("People in arm high are right more often than in arm low: ")
    assert [figure.name for figure in section.figures] == ["arms"]
    assert {table.caption for table in section.tables} >= {"Mean of each arm, with 95% intervals"}
    level = [row for arm in "xy" for number in range(6) for row in person(f"{arm}{number}", "ab", arm=arm)]
    analysis = analyze(checked(*level), resamples=0)
    [section] = [one for one in sections_of(analysis.studies[0], analysis.settings) if one.name == "arms"]
    assert section.can_say == ()
    assert section.not_yet[0].startswith("That people in arm x are right more or less often than in arm y")


def scores(*rows: tuple[str, str, str, float]) -> pd.DataFrame:
    return pd.DataFrame(list(rows), columns=["arm", "rater", "criterion", "score"])


def test_ratings_are_compared_over_raters_and_not_over_scores() -> None:
    """ann's scores are one value, 2: over scores U would be another."""
    found = compare_ratings_by_arm(
        scores(
            ("x", "ann", "logic", 1), ("x", "ann", "logic", 3), ("x", "bob", "logic", 5),
            ("y", "cyd", "logic", 3), ("y", "dan", "logic", 4), ("y", "dan", "fit", 2), ("x", "bob", "fit", 2.5),
        ),
        ["logic", "fit"],
        resamples=0,
    )  # fmt: skip
    logic, fit = found.measures
    assert [(arm.arm, arm.described.n, arm.described.mean) for arm in logic.arms] == [
        ("x", 2, 3.5),
        ("y", 2, 3.5),
    ]
    assert (logic.pairs[0].test.u1, logic.pairs[0].test.u2) == (2.0, 2.0)  # bob above both, ann below both
    assert (fit.pairs[0].test.u1, fit.pairs[0].n_family) == (1.0, 2)


def test_a_criterion_of_one_arm_alone_is_not_compared() -> None:
    found = compare_ratings_by_arm(scores(("x", "ann", "logic", 1), ("y", "bob", "fit", 2)), ["logic", "fit"])
    assert (found.measures, found.reason) == ((), "no criterion has scores in two arms")


def seats(**by_arm: list[tuple[str, list[float]]]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"match": match, "arm": arm, "role": "player", "offer": value}
            for arm, matches in by_arm.items()
            for match, values in matches
            for value in values
        ]
    )


def test_games_are_compared_over_matches_and_not_over_seats() -> None:
    """Means of matches: x 2 and 6; y 3, 4 and 5. Of the six pairs of matches x is above y in three."""
    table = seats(x=[("m1", [1, 3]), ("m2", [6, 6])], y=[("m3", [3, 3]), ("m4", [4, 4]), ("m5", [0, 10])])
    found = compare_seats_by_arm(table, ["offer"], resamples=0)
    [one] = found.measures
    assert [(arm.arm, arm.described.n, arm.described.mean) for arm in one.arms] == [
        ("x", 2, 4.0),
        ("y", 3, 4.0),
    ]
    assert (one.pairs[0].test.u1, one.pairs[0].test.u2) == (3.0, 3.0)
    assert one.arms[0].described.interval.reason == "too few matches for an interval: 2"
    [section] = arms_sections([GameMeasures("g", "The game", 5, 10, "human", (), found)])
    assert section.title == "Arms compared: The game"
    assert "(2 and 3 matches), offer: higher in x with probability 0.50" in section.sentences[0]
    assert not any("participant" in note for note in section.notes)


def test_one_family_corrects_all_measures_together() -> None:
    def measure(name: str, first: list[float], second: list[float]) -> MeasureByArm:
        values = {"x": pd.Series(first, [f"a{n}" for n in range(len(first))]), "y": pd.Series(second)}
        return compare_arms(name, values, resamples=0)

    far, near = measure("far", [7, 8, 9, 10], [1, 2, 3, 4]), measure("near", [1, 4], [2, 3])
    p_far, p_near = far.pairs[0].test.p or 0, near.pairs[0].test.p or 0
    both = as_one_family([far, near])
    assert [one.pairs[0].p_holm for one in both] == pytest.approx([2 * p_far, max(2 * p_far, p_near)])
