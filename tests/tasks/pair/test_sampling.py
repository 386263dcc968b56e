"""Pairs by sampling: uniform, matched, seeded, and never twice."""

import hashlib
import random
from collections import Counter
from dataclasses import replace
from itertools import combinations, product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from app.core.problems import Place
from app.library.kinds import StimulusKind
from app.tasks.pair.design import Member
from app.tasks.pair.pairs import PairSpec
from app.tasks.pair.sampling import sample_pairs
from app.tasks.pair.terms import Sample
from app.trials.design import Kind
from app.trials.stimuli import StimulusFacts
from tests.studies.file.study_folder import make_facts

pytestmark = pytest.mark.slow


def make_clips(*clips: tuple[str, str, str]) -> dict[str, StimulusFacts]:
    """Clips of (name, source, goal)."""
    return {name: StimulusFacts(name, source, {"goal": goal}, f"sha-{name}") for name, source, goal in clips}


def draw(stimuli: dict[str, StimulusFacts], **keys: object) -> tuple[PairSpec, ...]:
    drawn = sample_pairs(Sample.model_validate({"seed": 7, **keys}), stimuli)
    assert drawn.faults == ()
    return drawn.pairs


def faults(stimuli: dict[str, StimulusFacts], **keys: object) -> list[tuple[Place, str, str]]:
    drawn = sample_pairs(Sample.model_validate({"seed": 7, **keys}), stimuli)
    assert drawn.pairs == ()
    return [(fault.place, fault.message, fault.remedy) for fault in drawn.faults]


SQUARE = make_clips(*((f"{s}{i}", s, "g1") for s in ("human", "hybrid") for i in (1, 2)))


def test_members_follow_the_condition_and_truth_follows_the_human() -> None:
    conditions = {"human-hybrid": 1, "symbolic-human": 1, "hybrid-symbolic": 1}
    pairs = {pair.condition: pair for pair in draw(make_facts(), match="goal", conditions=conditions)}
    assert [(p.source_a, p.source_b, p.truth) for p in pairs.values()] == [
        ("human", "hybrid", Member.A),
        ("hybrid", "symbolic", None),
        ("symbolic", "human", Member.B),
    ]


def test_pairs_are_numbered_within_their_condition_practice_first() -> None:
    pairs = draw(
        make_facts(),
        match="goal",
        conditions={"human-hybrid": 2, "hybrid-symbolic": 1},
        practice={"human-hybrid": 1, "human-symbolic": 1},
    )
    assert [(p.position, p.id, p.kind) for p in pairs] == [
        (1, "human-hybrid-p01", Kind.PRACTICE),
        (2, "human-symbolic-p01", Kind.PRACTICE),
        (3, "human-hybrid-01", Kind.MAIN),
        (4, "human-hybrid-02", Kind.MAIN),
        (5, "hybrid-symbolic-01", Kind.MAIN),
    ]


_CLIPS = st.lists(
    st.tuples(st.sampled_from(["human", "hybrid", "symbolic"]), st.sampled_from(["g1", "g2", ""])),
    min_size=2,
    max_size=14,
).map(lambda clips: make_clips(*((f"clip{i}", source, goal) for i, (source, goal) in enumerate(clips))))


@given(
    stimuli=_CLIPS,
    seed=st.integers(0, 2**53 - 1),
    wanted=st.dictionaries(
        st.sampled_from(["human-hybrid", "hybrid-symbolic", "symbolic-human", "human-human"]),
        st.integers(1, 4),
        min_size=1,
    ),
    practice=st.integers(0, 2),
    match=st.sampled_from([[], ["goal"]]),
    shuffle=st.randoms(use_true_random=False),
)
@settings(max_examples=80, deadline=None)
def test_a_draw_is_matched_complete_repeatable_and_without_repeats(
    stimuli: dict[str, StimulusFacts],
    seed: int,
    wanted: dict[str, int],
    practice: int,
    match: list[str],
    shuffle: random.Random,
) -> None:
    keys: dict[str, object] = {"seed": seed, "conditions": wanted, "match": match}
    if practice:
        keys["practice"] = {min(wanted): practice}
    sample = Sample.model_validate(keys)
    drawn = sample_pairs(sample, stimuli)
    shuffled = dict(shuffle.sample(list(stimuli.items()), len(stimuli)))
    assert sample_pairs(sample, shuffled) == drawn
    if drawn.faults:
        return
    main = [pair for pair in drawn.pairs if pair.kind is Kind.MAIN]
    assert Counter(pair.condition for pair in main) == wanted
    assert len(drawn.pairs) == len(main) + practice
    assert len({frozenset((pair.a, pair.b)) for pair in drawn.pairs}) == len(drawn.pairs)
    assert len({pair.id for pair in drawn.pairs}) == len(drawn.pairs)
    for pair in drawn.pairs:
        a, b = stimuli[pair.a], stimuli[pair.b]
        assert f"{a.source}-{b.source}" == pair.condition
        if match:
            assert a.attributes["goal"] == b.attributes["goal"] != ""


@given(stimuli=_CLIPS, n=st.integers(1, 12))
@settings(max_examples=60, deadline=None)
def test_a_draw_succeeds_exactly_when_enough_pairs_match(stimuli: dict[str, StimulusFacts], n: int) -> None:
    possible = sum(
        {a.source, b.source} == {"human", "hybrid"} and a.attributes["goal"] == b.attributes["goal"] != ""
        for a, b in combinations(stimuli.values(), 2)
    )
    sample = Sample.model_validate({"seed": 1, "match": "goal", "conditions": {"human-hybrid": n}})
    assert bool(sample_pairs(sample, stimuli).pairs) == (n <= possible)


def test_every_set_of_pairs_is_equally_likely() -> None:
    """Four possible pairs, two drawn: six sets, over 3000 seeds (chi-square, p above 0.001)."""
    counts = Counter(
        frozenset((pair.a, pair.b) for pair in draw(SQUARE, seed=seed, conditions={"human-hybrid": 2}))
        for seed in range(3000)
    )
    assert len(counts) == 6
    assert chisquare(list(counts.values())).pvalue > 0.001


def test_every_pair_is_equally_likely_to_come_first() -> None:
    """Which pair is first matters where the order of trials is fixed."""
    counts = Counter(
        (first.a, first.b)
        for first, *_ in (draw(SQUARE, seed=seed, conditions={"human-hybrid": 4}) for seed in range(2000))
    )
    assert len(counts) == 4
    assert chisquare(list(counts.values())).pvalue > 0.001


def test_matched_pairs_are_equally_likely_when_goals_have_different_numbers_of_clips() -> None:
    """Uniform over pairs, not over goals: g1 has four pairs, g2 one."""
    stimuli = {**SQUARE, **make_clips(("human3", "human", "g2"), ("hybrid3", "hybrid", "g2"))}
    counts = Counter(
        (pair.a, pair.b)
        for seed in range(3000)
        for pair in draw(stimuli, seed=seed, match="goal", conditions={"human-hybrid": 1})
    )
    assert len(counts) == 5
    assert chisquare(list(counts.values())).pvalue > 0.001


def test_conditions_are_drawn_independently() -> None:
    """The first pairs of two conditions over the same goals: all 36 combinations equally likely."""
    counts: Counter[tuple[str, str]] = Counter()
    for seed in range(1800):
        one, other = draw(
            make_facts(), seed=seed, match="goal", conditions={"human-hybrid": 1, "human-symbolic": 1}
        )
        counts[one.a, other.a] += 1
    assert len(counts) == 36
    assert chisquare(list(counts.values())).pvalue > 0.001


def test_asking_for_more_keeps_what_was_drawn() -> None:
    def clips(**keys: object) -> list[tuple[str, str]]:
        return [(p.a, p.b) for p in draw(make_facts(n=8), **keys) if p.condition == "human-hybrid"]

    few = clips(conditions={"human-hybrid": 3})
    assert clips(conditions={"human-hybrid": 10})[:3] == few
    assert clips(conditions={"human-hybrid": 3, "hybrid-symbolic": 5}) == few
    assert clips(conditions={"human-hybrid": 3}, practice={"human-hybrid": 2})[2:] == few


def test_the_draw_is_the_documented_one() -> None:
    """The recipe of docs/study-file.md, followed by hand."""
    candidates = [(f"human-{i}", f"hybrid-{j}") for i in range(1, 7) for j in range(1, 7)]
    rng = random.Random("7/human-hybrid")
    ranked = sorted((rng.random(), pair) for pair in candidates)
    pairs = draw(make_facts(), conditions={"human-hybrid": 30}, practice={"human-hybrid": 6})
    assert [(pair.a, pair.b) for pair in (*pairs[6:], *pairs[:6])] == [pair for _, pair in ranked]


def test_the_draw_is_the_same_on_every_machine() -> None:
    """Another result here would be another draw for the studies that people have already written."""
    pairs = draw(make_facts(), match="goal", conditions={"human-hybrid": 3}, practice={"human-symbolic": 1})
    assert [(pair.a, pair.b) for pair in pairs] == [
        ("human-4", "symbolic-4"),
        ("human-2", "hybrid-2"),
        ("human-4", "hybrid-4"),
        ("human-5", "hybrid-5"),
    ]


def written_out(keys: dict[str, Any], stimuli: dict[str, StimulusFacts]) -> list[tuple[str, str, str]]:
    """The draw as it was first written: every candidate listed and ranked. (kind, a, b), as far as there are enough."""
    drawn: list[tuple[str, str, str]] = []
    seen: set[frozenset[str]] = set()
    for condition in sorted({*keys["conditions"], *keys["practice"]}):
        first, second = condition.split("-")
        candidates = []
        for a, b in product(sorted(stimuli), repeat=2):
            one, other = stimuli[a], stimuli[b]
            agree = all(one.attributes[key] == other.attributes[key] != "" for key in keys["match"])
            contents = frozenset((one.clip_sha256, other.clip_sha256))
            are_sources = (one.source, other.source) == (first, second)
            if are_sources and agree and len(contents) == 2 and contents not in seen:
                seen.add(contents)
                candidates.append((a, b))
        rng = random.Random(f"{keys['seed']}/{condition}")
        ranked = [pair for _, pair in sorted((rng.random(), pair) for pair in candidates)]
        n_main, n_practice = keys["conditions"].get(condition, 0), keys["practice"].get(condition, 0)
        drawn += [("main", *pair) for pair in ranked[:n_main]]
        drawn += [("practice", *pair) for pair in ranked[n_main : n_main + n_practice]]
    return sorted(drawn, key=lambda pair: pair[0] == "main")


@pytest.mark.slow
@given(rng=st.randoms(use_true_random=False), twins=st.booleans())
@settings(max_examples=80, deadline=None)
def test_the_draw_is_that_of_all_candidates_written_out(rng: random.Random, twins: bool) -> None:
    """With clips that are copies of others and without, within a source and between two."""
    n = rng.randint(6, 30)
    stimuli = {
        f"c{i:02d}": StimulusFacts(
            f"c{i:02d}",
            rng.choice(["human", "hybrid", "symbolic"]),
            {"goal": rng.choice(["g1", "g2", ""]), "light": rng.choice(["day", "night"])},
            f"sha-{rng.randrange(n) if twins else i}",
        )
        for i in range(n)
    }
    names = ["human-hybrid", "hybrid-symbolic", "symbolic-human", "human-human", "symbolic-symbolic"]
    keys = {
        "seed": rng.randrange(100),
        "match": rng.choice([[], ["goal"], ["goal", "light"]]),
        "conditions": {name: rng.randint(1, 4) for name in rng.sample(names, rng.randint(1, 3))},
        "practice": {name: rng.randint(1, 2) for name in rng.sample(names, rng.randint(0, 2))},
    }
    drawn = sample_pairs(Sample.model_validate(keys), stimuli)
    if not drawn.faults:
        assert [(pair.kind.value, pair.a, pair.b) for pair in drawn.pairs] == written_out(keys, stimuli)


def test_draws_of_a_large_library_stay_what_they_were() -> None:
    """Taken from the first version, which listed all 250,000 candidates."""
    clips = make_facts(("human", "hybrid"), n=500)
    pairs = draw(clips, conditions={"human-hybrid": 500, "human-human": 500}, practice={"human-hybrid": 20})
    listed = "\n".join(f"{pair.id},{pair.a},{pair.b}" for pair in pairs)
    assert (pairs[20].a, pairs[20].b) == ("human-157", "human-344")
    assert (
        hashlib.sha256(listed.encode()).hexdigest()
        == "726ad3a9526573d4318ff621c097c2d8df24746038e9a56aa1376eecf5b6fe91"
    )


def test_sources_may_hold_a_dash_as_long_as_one_reading_fits() -> None:
    stimuli = make_facts(("human", "rl-agent", "rl"))
    [pair] = draw(stimuli, conditions={"human-rl-agent": 1})
    assert (pair.source_a, pair.source_b) == ("human", "rl-agent")
    ambiguous = make_facts(("a", "a-b", "b-c", "c"))
    assert faults(ambiguous, conditions={"a-b-c": 1}) == [
        (
            ("sample", "conditions", "a-b-c"),
            "'a-b-c' can be read as a and b-c or a-b and c",
            "rename one of the sources",
        )
    ]


def test_two_clips_of_one_source_make_a_pair_without_truth() -> None:
    pairs = draw(make_facts(n=3), conditions={"human-human": 3})
    assert {frozenset((pair.a, pair.b)) for pair in pairs} == {
        frozenset(two) for two in combinations(("human-1", "human-2", "human-3"), 2)
    }
    assert {pair.truth for pair in pairs} == {None}


def test_clips_match_on_several_attributes_at_once() -> None:
    stimuli = make_facts()
    for name, clip in stimuli.items():
        stimuli[name] = replace(clip, attributes={**clip.attributes, "light": "day" if "1" in name else name})
    [pair] = draw(stimuli, match=["goal", "light"], conditions={"human-hybrid": 1})
    assert (pair.a, pair.b) == ("human-1", "hybrid-1")


def test_clips_of_the_same_content_are_one_clip() -> None:
    copy = replace(SQUARE["human1"], name="human9")
    [fault] = faults({**SQUARE, "human9": copy}, conditions={"human-hybrid": 5})
    assert "make only 4" in fault[1]
    twin = replace(SQUARE["human1"], name="hybrid9", source="hybrid")
    [fault] = faults({"human1": SQUARE["human1"], "hybrid9": twin}, conditions={"human-hybrid": 1})
    assert "make only 0" in fault[1]


def test_too_few_matching_clips_are_an_error_that_says_how_many_there_are() -> None:
    stimuli = make_clips(
        ("h1", "human", "g1"),
        ("h2", "human", "g2"),
        ("h3", "human", ""),
        ("y1", "hybrid", "g1"),
        ("y2", "hybrid", "g1"),
    )
    assert faults(stimuli, match="goal", conditions={"human-hybrid": 6}) == [
        (
            ("sample", "conditions", "human-hybrid"),
            "human-hybrid: 6 pairs asked for, but 3 human and 2 hybrid clips make only 2 that agree on goal; "
            "1 clip without it left out",
            "ask for fewer, or import more clips",
        )
    ]
    [(place, message, _)] = faults(
        stimuli, match="goal", conditions={"human-hybrid": 2}, practice={"human-hybrid": 1}
    )
    assert place == ("sample", "practice", "human-hybrid")
    assert message.startswith(
        "human-hybrid: 3 pairs (1 for practice) asked for, but 3 human and 2 hybrid clips"
    )


def test_every_impossible_condition_is_named_with_a_remedy() -> None:
    found = faults(
        make_facts(n=2),
        match="goal",
        conditions={"human-hybrid": 3, "human-hybird": 1, "hybrid-human": 1, "people": 1},
        practice={"human-robot": 1},
    )
    assert sorted(found) == [
        (
            ("sample", "conditions", "human-hybird"),
            "'human-hybird' does not name two sources of the clips",
            "did you mean 'human-hybrid'?",
        ),
        (
            ("sample", "conditions", "human-hybrid"),
            "human-hybrid: 3 pairs asked for, but 2 human and 2 hybrid clips make only 2 that agree on goal",
            "ask for fewer, or import more clips",
        ),
        (
            ("sample", "conditions", "hybrid-human"),
            "'hybrid-human' asks for the same clips as 'human-hybrid'",
            "keep one of the two",
        ),
        (
            ("sample", "conditions", "people"),
            "'people' does not name two sources of the clips",
            "write two of the sources human, hybrid and symbolic joined by `-`",
        ),
        (
            ("sample", "practice", "human-robot"),
            "'human-robot' does not name two sources of the clips",
            "did you mean 'human-symbolic'?",
        ),
    ]


def test_an_attribute_that_no_clip_has_is_an_error_with_the_known_ones() -> None:
    assert faults(make_facts(), match=["gaol", "weather"], conditions={"human-hybrid": 1}) == [
        (("sample", "match"), "match: no clip has the attribute 'gaol'", "did you mean 'goal'?"),
        (("sample", "match"), "match: no clip has the attribute 'weather'", "the clips have goal"),
    ]


def test_without_any_stimuli_the_remedy_is_to_import_them() -> None:
    [(_, message, remedy)] = faults({}, conditions={"human-hybrid": 1})
    assert message == "'human-hybrid': there are no clips yet"
    assert remedy == "upload them first"


@pytest.mark.parametrize("match", ["goal", ["goal"]])
def test_match_is_one_attribute_or_a_list(match: object) -> None:
    assert Sample.model_validate({"seed": 1, "conditions": {"a-b": 1}, "match": match}).match == ("goal",)


def test_where_there_are_only_texts_the_fault_says_that_they_are_listed() -> None:
    texts = {"t1": StimulusFacts("t1", "human", {"goal": "1"}, "", kind=StimulusKind.TEXT)}
    [(_, message, remedy)] = faults(texts, match=["goal"], conditions={"human-hybrid": 1})
    assert message == "'human-hybrid': there are no clips yet"
    assert remedy == "upload them first; `sample` draws clips alone, pairs of texts are listed in `pairs`"
    records = {"r1": StimulusFacts("r1", "human", {}, "", kind=StimulusKind.RECORD)}
    [(_, _, remedy)] = faults(records, conditions={"human-hybrid": 1})
    assert remedy == "upload them first; records are drawn with `pairing`"
