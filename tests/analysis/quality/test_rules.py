"""Each rule: a session that meets it, one just short of it, and what was not recorded, which is held against nobody."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from analysis.data.exported import read_sessions
from analysis.quality.records import SessionRecord
from analysis.quality.registry import DEFAULT, RULES
from analysis.quality.rules import ChosenRule, Cohort, Values
from analysis.quality.times import robust_z
from analysis.quality.verdicts import bounds_of, cohort_of, verdict, verdicts
from tests.analysis.quality.records import pair, pairs, person, rating, session


def values(name: str, record: SessionRecord, cohort: Cohort | None = None, **bounds: float) -> Values | None:
    rule = RULES[name]
    return rule.find(record, bounds_of(rule, ChosenRule(name, bounds)), cohort or Cohort())


@pytest.mark.parametrize(
    ("name", "flag"),
    [
        ("attention-failed", "attention-failed"),
        ("not-fetched", "not-fetched"),
        ("not-fetched", "not-served"),
        ("sped-up", "sped-up"),
        ("no-telemetry", "no-telemetry"),
        ("not-read", "not-read"),
        ("out-of-step", "out-of-step"),
        ("dropped-frames", "dropped-frames"),
        ("slow-frames", "slow-frames"),
        ("pasted", "pasted"),
        *(
            ("forged", flag)
            for flag in ("not-served", "short-interval", "rt-long", "rt-odd", "odd-telemetry")
        ),
    ],
)
def test_a_rule_counts_trials_with_its_flags_and_both_bounds_have_to_be_reached(name: str, flag: str) -> None:
    flagged = [*pairs(3, flags=f"hidden;{flag}"), *(pair(trial=n) for n in range(4, 11))]
    assert values(name, session(flagged), at_least=3, share=0.3) == {"trials": 3, "of": 10}
    assert values(name, session(flagged), at_least=4, share=0) is None
    if any(each.name == "share" for each in RULES[name].parameters):
        assert values(name, session(flagged), at_least=1, share=0.31) is None
    assert values(name, session(pairs(10, flags="hidden")), at_least=1) is None


def test_numbers_of_exported_files_are_numbers(tmp_path: Path) -> None:
    """CSV has text alone: what a rule adds up or holds against a bound is read as a number."""
    (tmp_path / "participants.csv").write_text(
        "session,version,arm,mode,status,trials_planned,visit,duration_s,attention_questions,attention_questions_failed\n"
        "7,1,main,live,completed,3,1,300.5,2,2\n"
    )
    (tmp_path / "responses.csv").write_text(
        "session,trial,kind,flags,pair,choice,left,rt_ms,hidden_ms,opened_ms,stalls,rationale\n"
        + "".join(f"7,7-{at},main,,p{at},a,a,21000,500,20000,0,{'x' * 50}{at}\n" for at in (1, 2, 3))
    )
    (found,), _ = read_sessions([tmp_path])
    assert (found.n_attention, found.n_failed_attention, found.duration_s) == (2, 2, 300.5)
    assert values("attention-failed", found, at_least=2) == {"trials": 2, "of": 5}
    assert values("program-written", found) == {"not_typed": 3, "of": 3}, "51 characters in a second"
    assert values("hidden", found, seconds=1, share=0) == {"hidden_s": 1.5, "of_s": 63.0}


def test_practice_does_not_count_and_an_attention_trial_does() -> None:
    practice = pairs(5, flags="attention-failed", kind="practice")
    check = pair(trial=6, flags="attention-failed", kind="attention")
    assert values("attention-failed", session([*practice, check]), at_least=1) == {"trials": 1, "of": 1}


def test_unwatched_is_a_share_of_the_trials_whose_clips_would_play() -> None:
    rows = [*pairs(2, flags="not-watched"), *pairs(6), *pairs(4, flags="unplayable")]
    assert values("unwatched", session(rows), watched_share=0.8) == {"watched": 6, "of": 8}
    assert values("unwatched", session(rows), watched_share=0.75) is None
    assert values("unwatched", session()) is None


def test_stalls_are_a_mean_over_the_trials_that_tell() -> None:
    rows = [pair(trial=1, stalls=5), pair(trial=2, stalls=2), pair(trial=3, stalls=None)]
    assert values("stalls", session(rows), per_trial=3.5) == {"stalls_per_trial": 3.5}
    assert values("stalls", session(rows), per_trial=3.6) is None
    assert values("stalls", session([pair(stalls=None)]), per_trial=0) is None


def test_hidden_needs_seconds_and_a_share_of_the_time() -> None:
    rows = pairs(2, rt_ms=60_000, hidden_ms=20_000)
    assert values("hidden", session(rows), seconds=40, share=0.33) == {"hidden_s": 40.0, "of_s": 120.0}
    assert values("hidden", session(rows), seconds=41, share=0) is None
    assert values("hidden", session(rows), seconds=0, share=0.34) is None
    assert values("hidden", session(pairs(2, hidden_ms=None))) is None


def test_fixed_bounds_of_time_look_at_both_ends() -> None:
    quick = session(pairs(3, rt_ms=900), participant={"duration_s": 30})
    assert values("reaction-time", quick) == {"median_s": 0.9}
    assert values("total-time", quick) == {"minutes": 0.5}
    slow = session(pairs(3, rt_ms=60_000), participant={"duration_s": 7200})
    assert values("reaction-time", slow) is None
    assert values("reaction-time", slow, most=59) == {"median_s": 60}
    assert values("total-time", slow, most=60) == {"minutes": 120}
    unknown = session(pairs(3, rt_ms=None), participant={"duration_s": None})
    assert values("reaction-time", unknown) is values("total-time", unknown) is None


def test_outliers_are_held_against_median_and_deviation_of_their_arm() -> None:
    """The logarithms of 1.0 to 2.9 s have median m and median absolute deviation d, computed here by hand."""
    logs = [math.log(1 + n / 10) for n in range(20)]
    middle = (logs[9] + logs[10]) / 2
    away = sorted(abs(log - middle) for log in logs)
    spread = 1.4826 * (away[9] + away[10]) / 2
    cohort = Cohort(rt_log={"main": logs}, duration_log={"main": logs})
    far = math.exp(middle - 3.1 * spread)
    found = values("reaction-time-outlier", session([pair(rt_ms=far * 1000)]), cohort)
    assert found is not None
    assert found["deviations"] == pytest.approx(-3.1, abs=0.006)
    near = math.exp(middle + 2.9 * spread)
    assert values("reaction-time-outlier", session([pair(rt_ms=near * 1000)]), cohort) is None
    late = session(participant={"duration_s": math.exp(middle + 3.1 * spread)})
    assert values("total-time-outlier", late, cohort) is not None
    assert (
        values("total-time-outlier", session(participant={"duration_s": 9e9, "arm": "slow"}), cohort) is None
    )


@given(st.lists(st.floats(0.5, 5_000), min_size=20, max_size=60))
def test_a_robust_deviation_is_that_of_scipy(times: list[float]) -> None:
    """Source: SciPy's median absolute deviation, scaled to the normal's standard deviation."""
    logs = np.log(times)
    spread = stats.median_abs_deviation(logs, scale="normal")
    if spread < 1e-9:
        return
    found = [robust_z(each, logs.tolist()) for each in logs]
    assert found == pytest.approx(list((logs - np.median(logs)) / spread), rel=1e-4, abs=1e-9)


def test_fewer_than_twenty_sessions_or_no_spread_name_no_outlier() -> None:
    lone = session([pair(rt_ms=900_000)])
    assert values("reaction-time-outlier", lone, Cohort(rt_log={"main": [0.0, 0.1] * 9 + [0.2]})) is None
    assert values("reaction-time-outlier", lone, Cohort(rt_log={"main": [0.0] * 30})) is None


def test_always_the_same_side_or_certainty() -> None:
    rows = pairs(8, choice="a", left="a", uncertainty=2)
    assert values("same-side", session(rows)) == {"side": "left", "trials": 8, "of": 8}
    assert values("same-certainty", session(rows)) == {"point": "2", "trials": 8, "of": 8}
    mirrored = [*pairs(4, choice="a", left="a"), *(pair(trial=n, choice="a", left="b") for n in range(5, 9))]
    assert values("same-side", session(mirrored)) is None, "the member is the same, the side is not"
    assert values("same-side", session(rows[:7])) is None
    assert values("same-side", session([*rows, *pairs(2, choice="tie")])) is not None, "a tie is no side"
    assert values("same-side", session(pairs(9, left=None))) is None


def test_a_rubric_is_straight_lined_where_all_questions_of_an_item_have_one_point() -> None:
    straight = [rating(item, question, 3) for item in range(4) for question in ("a", "b", "c")]
    varied = [rating(9, question, value) for value, question in enumerate(("a", "b", "c"), 1)]
    assert values("straight-lined", session(ratings=[*straight, *varied])) == {"trials": 4, "of": 5}
    assert values("straight-lined", session(ratings=[*straight, *varied]), share=0.81) is None
    two = [rating(item, question, 3) for item in range(4) for question in ("a", "b")]
    assert values("straight-lined", session(ratings=two)) is None, "two questions are no rubric"
    other = [{**row, "scale_high": 7} if row["question"] == "c" else row for row in straight]
    assert values("straight-lined", session(ratings=other)) is None, "3 of 5 and 3 of 7 are not the same"


def test_a_repeated_text_is_compared_without_punctuation_and_short_ones_do_not_count() -> None:
    text = "The left one moves like a person, mostly."
    rows = [pair(trial=n, rationale=text if n % 2 else text.upper() + "!!") for n in range(1, 5)]
    assert values("repeated-text", session(rows)) == {"repeats": 3, "of": 4}
    assert values("repeated-text", session(pairs(4, rationale="more natural"))) is None
    assert values("repeated-text", session(pairs(4))) is None


def test_a_text_that_another_session_has() -> None:
    text = "The agent on the right turns more like a person would."
    first, second = (session(pairs(2, who, rationale=text), participant={"session": who}) for who in "12")
    cohort = cohort_of([first, second])
    assert values("shared-text", second, cohort) == {"shared": 2, "of": 2}
    assert values("shared-text", first, cohort_of([first])) is None, "one's own repeats are another rule"


def test_rules_on_who_took_part() -> None:
    assert values("duplicate", session(participant={"visit": 2})) == {"visit": 2}
    assert values("duplicate", session(participant={"visit": None})) is None
    asked = {"attention_questions": 2, "attention_questions_failed": 2}
    assert values("attention-failed", session(pairs(4), participant=asked)) == {"trials": 2, "of": 6}
    assert values("attention-failed", session(pairs(4), participant={"attention_questions": 2})) is None
    failed = {"comprehension_tries": 2, "comprehension_failed": 2}
    assert values("comprehension-failed", session(participant=failed)) == {"failed": 2, "of": 2}
    right = {**failed, "comprehension_failed": 1}
    assert values("comprehension-failed", session(participant=right)) is None
    assert values("comprehension-failed", session()) is None
    assert values("small-screen", session(participant={"device": {"width": 599}})) == {"width_px": 599}
    assert values("small-screen", session(participant={"device": '{"width": 600}'})) is None
    assert values("small-screen", session()) is None


def test_automatic_moves_are_a_share_of_the_moves_due() -> None:
    def move(seat: str, auto: str | None) -> dict[str, Any]:
        return {"session": seat, "kind": "move", "auto": auto}

    moves = [move("1", "timeout"), move("1", "dropout"), *[move("1", None)] * 6, move("2", "timeout")]
    nature: dict[str, Any] = {"session": None, "kind": "nature", "auto": None}
    assert values("automatic-moves", session(moves=[*moves, nature])) == {"moves": 2, "of": 8}
    assert values("automatic-moves", session(moves=moves), share=0.26) is None
    assert values("automatic-moves", session()) is None


def chosen(**uses: Any) -> list[ChosenRule]:
    return [ChosenRule(name.replace("_", "-"), **verdicts) for name, verdicts in uses.items()]


def test_use_and_pay_are_two_verdicts_and_the_rules_that_decide_use_come_first() -> None:
    bad = session(pairs(9, flags="sped-up", choice="a", rt_ms=100))
    rules = chosen(
        sped_up={"use": True, "pay": False},
        same_side={"use": False, "pay": True},
        reaction_time={"use": True},
    )
    found = verdict(rules, bad, Cohort())
    assert (found.use, found.pay, found.names) == (False, False, "same-side;sped-up;reaction-time")
    remarked = verdict(rules[2:], bad, Cohort())
    assert (remarked.use, remarked.pay, remarked.names) == (True, True, "reaction-time")


def test_a_session_under_way_is_not_judged_yet_and_is_in_no_cohort() -> None:
    rows = pairs(9, flags="sped-up", rationale="The same words are written here every time.")
    active = session(rows, participant={"status": "active"})
    assert verdict(chosen(sped_up={}), active, Cohort()).rules == {}
    assert cohort_of([active]) == Cohort()


def test_simulated_participants_watch_and_type_nothing() -> None:
    rows = pairs(9, flags="sped-up", choice="a", left="a", rt_ms=1)
    simulated = session(rows, participant={"mode": "simulated", "duration_s": 1})
    assert verdict(DEFAULT, simulated, Cohort()).names == "same-side"


def test_each_session_is_judged_by_its_own_version_and_beside_its_own_mode() -> None:
    text = "A text that two people hand in, word for word."
    people = [person("1"), person("2", version=2), person("3", mode="pilot")]
    rows = [row for who in "123" for row in pairs(2, who, rationale=text)]
    from analysis.quality.records import session_records

    rules = {1: chosen(shared_text={}), 2: []}
    found = verdicts(lambda version: rules[version], session_records(people, rows))
    assert [found[who].names for who in "123"] == ["shared-text", "", ""]


def test_the_default_rules_are_known_and_leave_nobody_unpaid() -> None:
    assert all(rule.rule in RULES and rule.pay for rule in DEFAULT)
    for rule in DEFAULT:
        assert rule.bounds.keys() <= {each.name for each in RULES[rule.rule].parameters}
        assert rule.use or not RULES[rule.rule].flag_only
