"""Pairs of records: within one match, of one configuration, in one situation."""

from collections import Counter
from dataclasses import replace

from app.core.spreadsheet import csv_text
from app.library.kinds import StimulusKind
from app.pairs.capacity import capacities
from app.tasks.pair.design import Member
from app.tasks.pair.pairings.registry import PAIRINGS
from app.tasks.pair.pairs import PairSpec
from app.tasks.pair.sampling import sample_pairs
from app.tasks.pair.terms import Sample
from app.trials.design import Kind
from app.trials.stimuli import StimulusFacts

SEATS = (("human", "1", "player"), ("gt", "2", "player"), ("hybrid", "3", "player"))


def records(n_matches: int = 4, rounds: str = "8", **attributes: str) -> dict[str, StimulusFacts]:
    """Matches of three seats in two configurations, and a clip of each source that no pair may show."""
    found = {
        f"{source}-{match}": StimulusFacts(
            f"{source}-{match}",
            source,
            {
                "game": "sug", "config": f"c{match % 2}", "match": f"m{match}", "seat": seat, "role": role,
                "rounds": rounds, "text": "numbers", "situation": f"s{match % 2}", **attributes,
            },
            f"{source}{match}",
            StimulusKind.RECORD,
        )
        for match in range(n_matches)
        for source, seat, role in SEATS
    }  # fmt: skip
    clips = {s: StimulusFacts(f"{s}-clip", s, {"match": "m0"}, s) for s, _, _ in SEATS}
    return found | {clip.name: clip for clip in clips.values()}


def drawn(pairing: str, n: int, stimuli: dict[str, StimulusFacts], **keys: object) -> tuple[PairSpec, ...]:
    sample = Sample.model_validate({"pairing": pairing, "seed": 3, "conditions": {"human-gt": n}, **keys})
    found = sample_pairs(sample, stimuli)
    assert found.faults == ()
    return found.pairs


def test_each_pairing_agrees_and_differs_as_it_says_and_never_shows_a_clip() -> None:
    stimuli = records()
    # Two matches share each configuration: a person of one may meet the agent of the other, twice.
    for pairing, n in (("within-match", 4), ("same-config", 4), ("same-situation", 4)):
        pairs = drawn(pairing, n, stimuli)
        assert len({(pair.a, pair.b) for pair in pairs}) == n
        for pair in pairs:
            one, other = stimuli[pair.a].attributes, stimuli[pair.b].attributes
            assert all(one[name] == other[name] for name in PAIRINGS[pairing].agree), pairing
            assert all(one[name] != other[name] for name in PAIRINGS[pairing].differ), pairing
            assert (pair.condition, pair.truth, pair.kind) == ("human-gt", Member.A, Kind.MAIN)
        too_many = Sample.model_validate({"pairing": pairing, "seed": 3, "conditions": {"human-gt": n + 1}})
        (fault,) = sample_pairs(too_many, stimuli).faults
        assert f"records make only {n} that agree on game" in fault.message
    assert {use: len(drawn("same-config", 4, stimuli, use=use)) for use in ("even", "free")} == {
        "even": 4,
        "free": 4,
    }


def test_records_of_single_decisions_are_no_seats() -> None:
    decisions = {
        f"{name}-of-one": replace(
            each,
            name=f"{name}-of-one",
            attributes={**each.attributes, "decision": "offer"},
            clip_sha256=f"d{name}",
        )
        for name, each in records().items()
        if each.kind is StimulusKind.RECORD
    }
    both = records() | decisions
    for pairing in ("within-match", "same-config"):
        assert not any(pair.a in decisions or pair.b in decisions for pair in drawn(pairing, 4, both))
        most = {each.condition: each.possible for each in capacities(both, {"pairing": pairing})}
        assert most == {each.condition: each.possible for each in capacities(records(), {"pairing": pairing})}
        asked = Sample.model_validate({"pairing": pairing, "seed": 1, "conditions": {"human-gt": 1}})
        assert sample_pairs(asked, decisions).faults


def test_hybrid_seats_are_a_source_of_their_own() -> None:
    pairs = drawn("within-match", 4, records())
    assert {pair.source_b for pair in pairs} == {"gt"}
    marked = sample_pairs(
        Sample.model_validate({"pairing": "within-match", "seed": 1, "conditions": {"human-hybrid": 4}}),
        records(),
    )
    assert {pair.source_b for pair in marked.pairs} == {"hybrid"}


def test_how_messages_are_shown_may_be_a_condition() -> None:
    shown = records() | {
        f"full-{name}": replace(
            one,
            name=f"full-{name}",
            clip_sha256=f"full-{one.clip_sha256}",
            attributes={**one.attributes, "text": "full"},
        )
        for name, one in records().items()
    }
    asked = {"human-gt.numbers": 4, "gt-human.full": 3}
    keys = {"pairing": "within-match", "seed": 3, "conditions": asked, "practice": {"human-gt.full": 1}}
    for use in ("even", "free"):
        sample = Sample.model_validate({**keys, "use": use, "practice": {}})
        found = sample_pairs(sample, shown)
        assert found.faults == ()
        assert Counter(pair.condition for pair in found.pairs) == asked
        for pair in found.pairs:
            one, other = shown[pair.a], shown[pair.b]
            assert {one.attributes["text"], other.attributes["text"]} == {pair.condition.partition(".")[2]}
            assert (one.source, other.source) == (pair.source_a, pair.source_b)
            assert pair.truth == (Member.A if pair.source_a == "human" else Member.B)
    kept = sample.model_copy(
        update={
            "drawn": csv_text(
                ("pair", "a", "b", "condition", "kind"),
                [(p.id, p.a, p.b, p.condition, p.kind) for p in found.pairs],
            )
        }
    )
    assert Counter(pair.condition for pair in sample_pairs(kept, shown).pairs) == asked
    by_condition = {one.condition: one.possible for one in capacities(shown, keys, list(asked))}
    assert (by_condition["human-gt.numbers"], by_condition["gt-human.full"]) == (4, 4)
    (same,) = sample_pairs(Sample.model_validate(keys), shown).faults
    assert "'human-gt.full' asks for the same records as 'gt-human.full'" in same.message
    (fault,) = sample_pairs(
        Sample.model_validate({**keys, "conditions": {"human-gt.length": 1}, "practice": {}}), shown
    ).faults
    assert fault.message == "'human-gt.length': no record of human and gt shows messages as 'length'"
    assert fault.remedy == "import records that show messages as 'length'"


def test_records_without_what_is_paired_by_are_refused_in_words() -> None:
    plain = {
        name: StimulusFacts(name, one.source, {"game": "sug"}, one.clip_sha256, one.kind)
        for name, one in records().items()
    }
    sample = Sample.model_validate({"pairing": "same-situation", "seed": 1, "conditions": {"human-gt": 1}})
    (fault,) = sample_pairs(sample, plain).faults
    assert fault.place == ("sample", "pairing")
    assert fault.message.startswith("pairing same-situation: no record has 'config', 'role', 'situation'")
    unequal = records() | {
        name: StimulusFacts(name, "human", {**one.attributes, "rounds": "5"}, one.clip_sha256, one.kind)
        for name, one in records().items()
        if one.source == "human"
    }
    (fault,) = sample_pairs(sample.model_copy(update={"pairing": "same-config"}), unequal).faults
    assert "make only 0 that agree on" in fault.message


def test_the_page_of_draws_counts_records_where_these_are_paired() -> None:
    by_condition = {one.condition: one for one in capacities(records(), {"pairing": "within-match"})}
    assert by_condition["human-gt"].possible == 4
    assert {one.condition: one.possible for one in capacities(records(), {})}["human-gt"] == 1
