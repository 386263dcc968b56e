"""An even draw uses each clip as seldom as can be, and is the same wherever it is made."""

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.tasks.pair.pairs import PairSpec
from app.tasks.pair.sampling import sample_pairs
from app.tasks.pair.terms import Sample
from app.trials.design import Kind
from app.trials.stimuli import StimulusFacts
from tests.studies.file.study_folder import make_facts


def clips_of(goals: dict[str, list[str]]) -> dict[str, StimulusFacts]:
    """Clips of each source, each with its goal."""
    return {
        f"{source}-{i}": StimulusFacts(f"{source}-{i}", source, {"goal": goal}, f"sha-{source}-{i}")
        for source, of in goals.items()
        for i, goal in enumerate(of)
    }


def drawn(stimuli: dict[str, StimulusFacts], **keys: object) -> tuple[PairSpec, ...]:
    found = sample_pairs(Sample.model_validate({"seed": 7, "use": "even", **keys}), stimuli)
    assert found.faults == ()
    return found.pairs


def uses(pairs: tuple[PairSpec, ...], stimuli: dict[str, StimulusFacts]) -> dict[str, Counter[str]]:
    """The number of uses of each clip, by source."""
    counts: dict[str, Counter[str]] = {clip.source: Counter() for clip in stimuli.values()}
    for clip in stimuli.values():
        counts[clip.source][clip.name] = sum(clip.name in (pair.a, pair.b) for pair in pairs)
    return counts


def spread(counts: Counter[str]) -> int:
    return max(counts.values()) - min(counts.values())


def test_no_clip_comes_twice_before_all_have_come_once() -> None:
    """The case that was found: of 16 fakes one came twice, and five never."""
    stimuli = {**make_facts(("real",), 17), **make_facts(("fake",), 16)}
    for seed in range(40):
        pairs = drawn(stimuli, seed=seed, conditions={"real-fake": 11})
        assert all(max(count.values()) == 1 for count in uses(pairs, stimuli).values())


@given(
    sizes=st.tuples(*[st.integers(1, 7)] * 3),
    wanted=st.dictionaries(
        st.sampled_from(["a-b", "b-c", "a-c"]), st.integers(1, 12), min_size=1, max_size=3
    ),
    practice=st.integers(0, 2),
    seed=st.integers(0, 2**53 - 1),
)
@settings(max_examples=60, deadline=None)
def test_uses_of_a_sources_clips_differ_by_one_at_most(
    sizes: tuple[int, ...], wanted: dict[str, int], practice: int, seed: int
) -> None:
    stimuli = {
        k: v for source, n in zip("abc", sizes, strict=True) for k, v in make_facts((source,), n).items()
    }
    room = {"a-b": sizes[0] * sizes[1], "b-c": sizes[1] * sizes[2], "a-c": sizes[0] * sizes[2]}
    wanted = {name: min(n, room[name]) for name, n in wanted.items()}
    first = min(wanted)
    practice = min(practice, room[first] - wanted[first])
    keys = {"seed": seed, "conditions": wanted, **({"practice": {first: practice}} if practice else {})}
    pairs = drawn(stimuli, **keys)
    assert Counter(p.condition for p in pairs if p.kind is Kind.MAIN) == wanted
    assert len(pairs) == sum(wanted.values()) + practice
    assert len({frozenset((p.a, p.b)) for p in pairs}) == len(pairs)
    main = tuple(pair for pair in pairs if pair.kind is Kind.MAIN)
    assert all(spread(count) <= 1 for count in uses(main, stimuli).values())
    assert all(spread(count) <= 2 for count in uses(pairs, stimuli).values()), "main pairs are fixed by then"
    turned = dict(reversed(stimuli.items()))
    assert drawn(turned, **keys) == pairs


@given(
    goals=st.tuples(*[st.lists(st.sampled_from("xyz"), min_size=1, max_size=4)] * 2),
    n=st.integers(1, 6),
    seed=st.integers(0, 1000),
)
@settings(max_examples=60, deadline=None)
def test_with_matching_no_other_draw_is_more_even(goals: tuple[list[str], ...], n: int, seed: int) -> None:
    """Compared with every set of pairs that could have been drawn, by the sum of squared uses."""
    stimuli = clips_of({"a": goals[0], "b": goals[1]})
    firsts, seconds = ([c for c in stimuli.values() if c.source == source] for source in "ab")
    possible = [(x, y) for x in firsts for y in seconds if x.attributes == y.attributes]
    if not possible:
        return
    n = min(n, len(possible))

    def cost(pairs: list[tuple[str, str]]) -> int:
        return sum(k * k for k in Counter(name for pair in pairs for name in pair).values())

    best = min(cost([(x.name, y.name) for x, y in chosen]) for chosen in combinations(possible, n))
    pairs = drawn(stimuli, seed=seed, match="goal", conditions={"a-b": n})
    assert cost([(pair.a, pair.b) for pair in pairs]) == best


def test_pairs_of_one_source_and_twins_are_drawn_evenly_too() -> None:
    stimuli = make_facts(("a",), 6)
    for seed in range(30):
        assert spread(uses(drawn(stimuli, seed=seed, conditions={"a-a": 6}), stimuli)["a"]) == 0
    twin = {**make_facts(("a", "b"), 3), "a-9": StimulusFacts("a-9", "a", {"goal": "g9"}, "sha-a-1")}
    pairs = drawn(twin, conditions={"a-b": 9})
    assert len({(twin[p.a].clip_sha256, twin[p.b].clip_sha256) for p in pairs}) == 9


def test_every_clip_is_as_likely_as_any_other() -> None:
    stimuli = make_facts(("a", "b"), 4)
    first = Counter(drawn(stimuli, seed=seed, conditions={"a-b": 1})[0].a for seed in range(800))
    assert all(140 < n < 260 for n in first.values()), "four clips, 200 each; 60 is five standard deviations"


def test_a_large_library_is_drawn_from_without_writing_out_its_pairs() -> None:
    stimuli = make_facts(("a", "b"), 2000)
    pairs = drawn(stimuli, conditions={"a-b": 60})
    assert all(max(count.values()) == 1 for count in uses(pairs, stimuli).values())


@pytest.mark.parametrize(
    ("drawn_text", "words"),
    [
        ("pair,a,b,condition\np1,a-1,b-1,a-b\n", "1 main pair kept, but 2 asked for"),
        ("pair,a,b,condition\np1,a-1,b-1,a-b\np2,a-2,gone,a-b\n", "there is no clip 'gone'"),
        ("pair,a,b,condition\np1,a-1,b-1,a-b\np2,a-1,a-2,a-b\n", "is of a and a, not of a-b"),
    ],
)
def test_kept_pairs_that_do_not_fit_are_named(drawn_text: str, words: str) -> None:
    sample = Sample.model_validate({"seed": 1, "conditions": {"a-b": 2}, "drawn": drawn_text})
    found = sample_pairs(sample, make_facts(("a", "b")))
    assert found.pairs == ()
    assert any(words in fault.message and "draw again" in fault.remedy for fault in found.faults)
