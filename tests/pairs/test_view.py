"""Summaries of pairs: use, balance, capacity, advice. The planner and the sampler are the independent checks."""

import random
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from app.admin.design.choices import known_of
from app.admin.studies.pairs.drawing import proposed_draw
from app.pairs.capacity import capacities
from app.pairs.draft import PairsHere
from app.pairs.summary import summary_of
from app.pairs.view import (
    advice_on,
    balance_of,
    find_pairs,
    usage_of,
)
from app.studies.drafts import DraftView
from app.tasks.pair.assignment import plan_session
from app.tasks.pair.design import Member, PairToPlan, Sides
from app.tasks.pair.pairs import PairSpec
from app.tasks.pair.sampling import sample_pairs
from app.tasks.pair.settings import PairBlock
from app.tasks.pair.terms import Sample
from app.trials.design import Kind
from app.trials.stimuli import StimulusFacts
from tests.studies.clips import CLIPS, facts

STIMULI = facts()
SAMPLE: dict[str, Any] = {
    "match": "goal",
    "seed": 7,
    "conditions": {"human-hybrid": 5, "hybrid-symbolic": 4},
    "practice": {"human-symbolic": 1},
}
LIST = """pair,a,b,condition,truth,kind
q1,human-g1,hybrid-g1,,,
q2,hybrid-g2,human-g2,,,
q3,hybrid-g1,symbolic-g3,odd,,practice
"""


def drawn(**changes: Any) -> tuple[PairSpec, ...]:
    return find_pairs({"sample": {**SAMPLE, **changes}}, STIMULI).pairs


def test_listed_pairs_are_found_with_condition_and_truth_filled_in() -> None:
    found = find_pairs({"pairs": LIST}, STIMULI)
    assert (found.way, found.faults) == ("listed", ())
    assert [(p.id, p.condition, p.truth, p.kind) for p in found.pairs] == [
        ("q1", "human-hybrid", "a", "main"),
        ("q2", "human-hybrid", "b", "main"),
        ("q3", "odd", None, "practice"),
    ]


def test_what_can_be_made_out_is_found_beside_what_is_wrong_and_where() -> None:
    text = f"{LIST}q4,human-g9,hybrid-g1,,,\nq5,human-g4,human-g4,,,\n"
    text += "q6,human-g5,hybrid-g5,,x,\nq7,human-g6,symbolic-g6,,,\n"
    found = find_pairs({"pairs": text, "title": ""}, STIMULI)
    assert found.bad_lines == {5, 6, 7}
    assert [fault.message[:6] for fault in found.faults] == ["row 5:", "row 6:", "row 7:"]
    assert all("stimuli import" not in fault.remedy for fault in found.faults), "pages know no commands"
    assert dict(zip(found.lines, (p.id for p in found.pairs), strict=True))[8] == "q7"


def test_a_draw_is_found_or_its_faults_at_their_places() -> None:
    found = find_pairs({"sample": SAMPLE}, STIMULI)
    assert (found.way, len(found.pairs), found.faults) == ("drawn", 10, ())
    assert found.pairs == sample_pairs(Sample.model_validate(SAMPLE), STIMULI).pairs
    broken = find_pairs({"sample": {"conditions": {"human-hybrid": 7, "x": 1}, "match": "goal"}}, STIMULI)
    assert {fault.place for fault in broken.faults} >= {("sample", "seed")}
    few = find_pairs({"sample": {**SAMPLE, "conditions": {"human-hybrid": 7}}}, STIMULI)
    assert [fault.place for fault in few.faults] == [("sample", "conditions", "human-hybrid")]


@pytest.mark.parametrize("keys", [{}, {"pairs": None}, {"pairs": ["x"]}, {"sample": "x"}, {"sample": []}])
def test_anything_may_stand_where_pairs_should(keys: dict[str, Any]) -> None:
    found = find_pairs(keys, STIMULI)
    assert found.pairs == ()
    assert bool(found.faults) == (found.way != "none")
    assert summary_of(found, keys, STIMULI).n == 0
    assert PairBlock.n_units(keys) == 0


def test_both_a_list_and_a_draw_is_named_as_such() -> None:
    found = find_pairs({"pairs": LIST, "sample": SAMPLE}, STIMULI)
    assert found.way == "both"
    assert ("sample",) in {fault.place for fault in found.faults}


def test_use_counts_every_showing_of_every_clip_once() -> None:
    pairs = drawn()
    usage = usage_of(pairs, STIMULI)
    shown = Counter(name for pair in pairs for name in (pair.a, pair.b))
    assert {use.name: use.n for use in usage.clips} == shown
    assert [use.n for use in usage.clips] == sorted(shown.values(), reverse=True)
    assert [source.source for source in usage.sources] == ["human", "hybrid", "symbolic"]
    for source in usage.sources:
        names = [name for name in shown if name.startswith(source.source)]
        assert (source.n_clips, source.n_used) == (6, len(names))
        assert source.n == sum(shown[name] for name in names)
    practice = list(Kind).index(Kind.PRACTICE)
    assert sum(use.by_kind[practice] for use in usage.clips) == 2


def test_stimuli_of_collections_that_the_study_does_not_use_are_not_counted_and_not_offered() -> None:
    stimuli = {
        name: replace(each, is_own=each.source in ("human", "hybrid")) for name, each in STIMULI.items()
    }
    assert [use.source for use in usage_of((), stimuli).sources] == ["human", "hybrid"]
    assert known_of((), stimuli).sources == ["human", "hybrid"]
    named = usage_of(find_pairs({"pairs": LIST}, stimuli).pairs, stimuli)
    assert {use.source: (use.n_used, use.n_clips) for use in named.sources} == {
        "human": (2, 6), "hybrid": (2, 6), "symbolic": (1, 1),
    }  # fmt: skip
    # A template asks for sources that another collection has: what is proposed is of the study's own.
    keys = {"sample": {"conditions": {"human-symbolic": 4}, "seed": 1}}
    here = PairsHere(DraftView(keys, 1), stimuli, find_pairs(keys, stimuli), stimuli)
    proposed = proposed_draw(here, "7")
    assert proposed is not None
    assert [line[0] for line in proposed.lines] == ["human-hybrid"]


@pytest.mark.parametrize("sides", ["balanced", "fixed", "random"])
def test_balance_says_what_the_planner_then_does(sides: Sides) -> None:
    """Independent source: the sides of 60 planned sessions over the same pairs."""
    listed = "".join(f"t{i},hybrid-g{i},human-g{i},,,\n" for i in range(1, 4))
    listed += "".join(f"s{i},human-g{i},symbolic-g{i},,,\n" for i in range(1, 7))
    listed += "n1,hybrid-g1,symbolic-g2,,,\n"
    pairs = find_pairs({"pairs": "pair,a,b,condition,truth,kind\n" + listed}, STIMULI).pairs
    plan = [PairToPlan(i, p.condition, p.kind, p.truth or Member.A) for i, p in enumerate(pairs)]
    seen: dict[str, set[int]] = {}
    for seed in range(60):
        trials = plan_session(plan, order="random", sides=sides, rng=random.Random(seed))
        left = Counter(plan[t.pair_id].condition for t in trials if t.left is plan[t.pair_id].anchor)
        for condition in {pair.condition for pair in plan}:
            seen.setdefault(condition, set()).add(left[condition])
    for line in balance_of(pairs, sides):
        assert line.left_low <= min(seen[line.condition])
        assert max(seen[line.condition]) <= line.left_high
        if sides != "random":
            assert seen[line.condition] == set(range(line.left_low, line.left_high + 1))
    truths = {
        line.condition: (line.truth_a, line.truth_b, line.without_truth) for line in balance_of(pairs, sides)
    }
    assert truths == {"human-hybrid": (0, 3, 0), "human-symbolic": (6, 0, 0), "hybrid-symbolic": (0, 0, 1)}


def test_fixed_sides_with_truth_on_one_side_are_warned_of_and_nothing_else_is() -> None:
    one_sided = [pair for pair in drawn() if pair.kind is Kind.MAIN and pair.truth]
    [advice] = advice_on(one_sided, "fixed")
    assert "always on the left" in advice.message
    assert advice_on(one_sided, "balanced") == ()
    text = "pair,a,b\n" + "".join(
        f"q{i},{a},{b}\n"
        for i in range(1, 5)
        for a, b in [(f"human-g{i}", f"hybrid-g{i}") if i % 2 else (f"hybrid-g{i}", f"human-g{i}")]
    )
    assert advice_on(find_pairs({"pairs": text}, STIMULI).pairs, "fixed") == ()


def test_clips_that_people_see_again_are_warned_of() -> None:
    text = "pair,a,b,kind\nq1,human-g1,hybrid-g1,main\nq2,human-g1,symbolic-g1,main\nq3,human-g1,hybrid-g2,practice\n"
    practice, again = advice_on(find_pairs({"pairs": text}, STIMULI).pairs, "balanced")
    assert "1 clip comes in practice" in practice.message
    assert "1 clip is shown to every participant more than once (up to 2 times)" in again.message


def could_be_drawn(condition: str, match: str | None, n: int, stimuli: dict[str, StimulusFacts]) -> bool:
    sample = Sample.model_validate(
        {"conditions": {condition: n}, "seed": 1, **({"match": match} if match else {})}
    )
    return not sample_pairs(sample, stimuli).faults


@pytest.mark.parametrize("match", [None, "goal", "player"])
def test_capacity_is_just_what_the_sampler_can_draw(match: str | None) -> None:
    """Independent source: the sampler draws that many pairs and refuses one more."""
    clips = [*CLIPS, ("human-x", "human", {"player": "p1"}), ("odd-1", "odd", {"goal": "g1", "player": "p1"})]
    stimuli = facts(
        [(n, s, {**a, "player": f"p{i % 2}"} if i % 3 else a) for i, (n, s, a) in enumerate(clips)]
    )
    lines = capacities(stimuli, {"match": match} if match else {})
    assert len(lines) == 10
    for line in lines:
        if line.possible:
            assert could_be_drawn(line.condition, match, line.possible, stimuli), line
        assert not could_be_drawn(line.condition, match, line.possible + 1, stimuli), line


def test_one_clip_under_two_names_makes_no_more_pairs() -> None:
    stimuli = facts([("h1", "human", {}), ("h2", "human", {}), ("b1", "hybrid", {}), ("b2", "hybrid", {})])
    twin = StimulusFacts("b3", "hybrid", {}, stimuli["b1"].clip_sha256)
    stimuli["b3"] = twin
    by_condition = {line.condition: line.possible for line in capacities(stimuli, {})}
    for condition, possible in by_condition.items():
        assert could_be_drawn(condition, None, possible, stimuli)
        assert not could_be_drawn(condition, None, possible + 1, stimuli)
    assert by_condition == {"human-human": 1, "human-hybrid": 4, "hybrid-hybrid": 1}


def test_the_summary_names_conditions_that_lack_clips_in_their_own_order() -> None:
    keys = {"sample": {**SAMPLE, "conditions": {"symbolic-human": 9, "human-hybrid": 2}, "practice": {}}}
    summary = summary_of(find_pairs(keys, STIMULI), keys, STIMULI)
    lines = {line.condition: line for line in summary.conditions}
    assert list(lines)[:2] == ["symbolic-human", "human-hybrid"]
    assert (lines["symbolic-human"].possible, lines["symbolic-human"].lacks) == (6, 3)
    assert (lines["human-hybrid"].possible, lines["human-hybrid"].lacks) == (6, 0)
    assert "human-symbolic" not in lines, "it is asked for, the other way round"
    assert (lines["hybrid-symbolic"].n, lines["hybrid-symbolic"].possible) == (0, 6)


def test_the_summary_says_in_words_where_truth_will_be() -> None:
    keys = {"sample": {**SAMPLE, "conditions": {"human-hybrid": 5, "hybrid-symbolic": 4}, "practice": {}}}
    found = find_pairs(keys, STIMULI)
    words = {line.condition: (line.truth, line.left) for line in summary_of(found, keys, STIMULI).conditions}
    assert words["human-hybrid"] == ("a", "true member left in 2 or 3 of 5, in turn")
    assert words["hybrid-symbolic"] == ("none", "member a left in 2 of 4, in every session")
    keys["trials"] = {"sides": "fixed"}
    summary = summary_of(found, keys, STIMULI)
    assert "true member left in 5 of 5, in every session" in {line.left for line in summary.conditions}
    assert len(summary.advice) == 1 or "always on the left" in summary.advice[0].message
