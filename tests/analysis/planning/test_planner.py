"""Plans as they are asked for: answers, refusals, JSON and text."""

import json
import re
from typing import Any

import pytest

from analysis.errors import AnalysisError
from analysis.planning import Plan, plan, render_plan

pytestmark = pytest.mark.slow

QUICK: dict[str, Any] = {"share_from": 0.6, "share_to": 0.8, "simulations": 200}


def quick(**asked: Any) -> Plan:
    return plan(**(QUICK | asked))


def test_the_published_study_had_little_power() -> None:
    """The Human Navigation Turing Test: 30 people a group, 6 trials, accuracies 0.84 and 0.77, other pairs in each."""
    published = plan(
        share_from=0.77, share_to=0.84, participants=30, trials=6, own_pairs=True, simulations=400
    )
    ranks, mixed = published.tests
    assert ranks.power
    assert mixed.power
    assert ranks.power.value == pytest.approx(0.35, abs=0.06)
    assert mixed.power.value == pytest.approx(0.21, abs=0.06)
    assert "less than the 80% of --power" in published.sentences[0]
    assert "happens to be harder" in published.sentences[2]


def test_participants_needed_reach_the_power_and_one_fewer_does_not() -> None:
    (test,) = quick(trials=6, test="mann-whitney", simulations=1000).tests
    assert test.needed == "participants"
    assert test.participants
    powers = {point.participants: point.power.value for point in test.curve}
    assert (powers[test.participants] or 0) >= 0.8 > (powers[test.participants - 1] or 1)
    assert test.power
    assert test.power.value == powers[test.participants]
    assert test.needed_low
    assert test.needed_high
    assert test.needed_low <= test.participants <= test.needed_high


def test_trials_needed_are_found_for_either_design_and_test(exhaustive: bool) -> None:
    for design in ("between", "within") if exhaustive else ("within",):
        for test in quick(share_to=0.85, participants=20, pairs=12, design=design, simulations=100).tests:
            assert test.needed == "trials"
            assert test.participants == 20
            assert test.trials
            assert 1 < test.trials <= 12
            assert test.power
            assert (test.power.value or 0) >= 0.8


def test_within_uses_signed_ranks_and_needs_fewer_people() -> None:
    within, between = (
        quick(share_to=0.9, trials=6, design=design, participant_sd=1.0, simulations=100)
        for design in ("within", "between")
    )
    assert [test.test for test in within.tests] == ["wilcoxon", "mixed"]
    assert "Mann-Whitney is for independent groups" in within.tests[0].method
    for paired, apart in zip(within.tests, between.tests, strict=True):
        assert paired.participants
        assert apart.participants
        assert paired.participants < apart.participants


def test_own_pairs_are_for_within_unless_said_otherwise() -> None:
    asked: dict[str, Any] = {"participants": 10, "trials": 4, "test": "mann-whitney"}
    assert not quick(**asked).settings.own_pairs
    assert quick(**asked, design="within").settings.own_pairs
    assert not quick(**asked, design="within", own_pairs=False).settings.own_pairs
    assert quick(**asked, own_pairs=True).settings.own_pairs


def test_the_same_seed_gives_the_same_plan() -> None:
    asked: dict[str, Any] = {"participants": 12, "trials": 5, "pairs": 8, "simulations": 100}
    planned = quick(**asked)
    assert planned == quick(**asked)
    assert planned != quick(**asked, seed=2)


def test_no_difference_is_found_as_often_as_false_alarms_are() -> None:
    planned = quick(share_to=0.6, participants=20, trials=6)
    for test in planned.tests:
        assert test.power == test.false_alarms
    assert "that is not there" in planned.sentences[0]
    assert "less than" not in planned.sentences[0]


def test_progress_counts_simulations() -> None:
    told: list[tuple[int, int, str]] = []
    quick(participants=10, trials=4, simulations=250, on_progress=lambda *one: told.append(one))
    assert told[:3] == [(n, 250, "mann-whitney, 10 participants, 4 trials") for n in (100, 200, 250)]
    assert told[-1] == (250, 250, "mixed, 10 participants, 4 trials")


def test_where_everybody_answers_alike_it_is_counted() -> None:
    planned = quick(share_to=0.98, participants=4, trials=2, measure="preference")
    mixed = planned.tests[1]
    assert mixed.n_untestable > 50
    assert any("everybody answers alike" in sentence for sentence in planned.sentences)
    assert "preference" in planned.sentences[0]


def test_one_test_may_be_out_of_reach() -> None:
    """Two pairs of its own in each condition: no number of people makes the mixed model sure."""
    planned = quick(trials=2, own_pairs=True, pair_sd=1.0)
    ranks, mixed = planned.tests
    assert ranks.participants
    assert mixed.participants is None
    assert mixed.power is None
    assert mixed.reason
    assert "however many participants" in mixed.reason
    assert "however many participants" in render_plan(planned).replace("\n", " ")
    assert any("its power is overstated" in sentence for sentence in planned.sentences)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"share_from": 0.0}, "--from 0 is not allowed; allowed: between 0 and 1"),
        ({"share_to": 1.0}, "--to 1 is not allowed"),
        ({"trials": 8, "pairs": 6}, "--trials 8 is not allowed; allowed: at most --pairs (6)"),
        ({"trials": None, "participants": None}, "--participants or --trials is missing"),
        ({"share_to": 0.6, "participants": None}, "--to 0.6 is the same as --from"),
        ({"participants": 1}, "--participants 1 is not allowed; allowed: from 2 to 5,000"),
        ({"trials": 0}, "--trials 0 is not allowed"),
        ({"pairs": 0}, "--pairs 0 is not allowed"),
        ({"power": 1.0}, "--power 1 is not allowed"),
        ({"power": 0.04}, "--power 0.04 is not allowed; allowed: above --alpha (0.05)"),
        ({"alpha": 0.0}, "--alpha 0 is not allowed"),
        ({"participant_sd": -1}, "--participant-sd -1 is not allowed"),
        ({"pair_sd": 9}, "--pair-sd 9 is not allowed"),
        ({"simulations": 10}, "--simulations 10 is not allowed; allowed: from 100"),
        ({"seed": -1}, "--seed -1 is not allowed"),
        ({"measure": "speed"}, "--measure 'speed' is not allowed; allowed: accuracy, preference"),
        ({"design": "crossed"}, "--design 'crossed' is not allowed; allowed: between, within"),
        ({"test": "t"}, "--test 't' is not allowed; allowed: mann-whitney, mixed, both"),
        ({"share_from": float("nan")}, "--from nan is not allowed"),
        ({"pair_sd": float("nan")}, "--pair-sd nan is not allowed"),
        (
            {"participants": None, "share_to": 0.605},
            "--power 0.8 is not reached: it takes more than 5,000 participants",
        ),
        (
            {"participants": 4, "trials": None, "pairs": 6},
            "--power 0.8 is not reached: with all --pairs each, 4 participants give",
        ),
    ],
)
def test_what_cannot_be_planned_is_one_line_that_names_the_option(asked: dict[str, Any], said: str) -> None:
    settings = QUICK | {"participants": 10, "trials": 6, "test": "mann-whitney"} | asked
    with pytest.raises(AnalysisError, match=re.escape(said)) as caught:
        plan(**settings)
    assert "\n" not in str(caught.value)


def test_json_is_plain_and_complete() -> None:
    told = quick(trials=6, participants=12, own_pairs=True).to_dict()
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    assert told["format"] == "likely-human plan 1"
    assert told["settings"]["share_from"] == 0.6
    assert told["settings"]["seed"] == 1
    first = told["tests"][0]
    assert first["power"]["n"] == first["simulations"] == 200
    assert first["power"]["interval"]["method"] == "Wilson interval of the share of simulated studies"
    assert first["curve"] == []
    assert set(first) == {
        *("test", "method", "simulations", "needed", "participants", "trials", "needed_low", "needed_high"),
        *("power", "false_alarms", "n_untestable", "curve", "reason"),
    }


def test_the_text_says_all_that_was_assumed() -> None:
    text = render_plan(quick(trials=6, pairs=20, test="mann-whitney"))
    words = " ".join(text.split())
    assert re.search(r"Mann-Whitney: \d+ participants a group and 6 trials each find a difference", words)
    assert "participant (SD 0.5) + pair (SD 0.3); 20 pairs; the same pairs in each group" in words
    assert "200 simulated studies for each number" in words
    assert "seed 1" in words
    assert max(map(len, text.splitlines())) <= 100
