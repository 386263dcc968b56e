"""The flags raised by an answer's evidence, and the one rule that excludes answers by it."""

from collections.abc import Sequence
from typing import Any

import pytest

from app.trials.examining import Observed, examine
from app.trials.flags import Flag, StudyRule, joined, split

# An attentive person, two clips of 8 s and 7 s.
GOOD = Observed(
    reported=(),
    to_end=True,
    unplayable=False,
    least_ms=7_520,
    longest_ms=8_000,
    waited_ms=12_000,
    served=True,
    fetched=(True, True),
    rt_ms=10_000,
    hidden_ms=0,
)
NO_SCRIPTS: dict[str, Any] = {"reported": ("playback-missing", "rt-missing"), "rt_ms": None}


@pytest.mark.parametrize(
    ("changes", "flags", "unwatched"),
    [
        ({}, set(), False),
        ({"reported": ("not-watched-left", "rt-odd")}, {Flag.NOT_WATCHED, Flag.RT_ODD}, True),
        ({"reported": ("not-watched-left",), "to_end": False}, set(), False),
        ({"reported": ("not-watched-right",), "unplayable": True}, {Flag.UNPLAYABLE}, False),
        # That a clip failed is what a browser says: it excuses nothing.
        ({"reported": ("not-watched-left", "failed-left")}, {Flag.NOT_WATCHED, Flag.UNPLAYABLE}, True),
        # What was played faster than it is was not watched, whatever was played.
        ({"reported": ("fast-right",)}, {Flag.SPED_UP}, True),
        ({"reported": ("fast-right",), "to_end": False}, {Flag.SPED_UP}, False),
        ({"reported": ("fast-right",), "unplayable": True}, {Flag.UNPLAYABLE}, False),
        ({"reported": ("out-of-step",)}, {Flag.OUT_OF_STEP}, False),
        ({"reported": ("dropped-left", "dropped-right")}, {Flag.DROPPED}, False),
        ({"reported": ("out-of-step", "dropped-left"), "unplayable": True}, {Flag.UNPLAYABLE}, False),
        ({"reported": ("fast-item", "not-watched-item")}, {Flag.SPED_UP, Flag.NOT_WATCHED}, True),
        ({"reported": ("failed-item",)}, {Flag.UNPLAYABLE}, False),
        ({"rt_ms": 7_999}, {Flag.TOO_FAST}, False),
        ({"rt_ms": 7_999, "to_end": False}, set(), False),
        ({"waited_ms": 7_519, "rt_ms": 8_000}, {Flag.SHORT_INTERVAL}, True),
        ({"waited_ms": 7_520, "rt_ms": 8_000}, set(), False),
        ({"waited_ms": 10, "rt_ms": 10, "to_end": False}, set(), False),
        ({"waited_ms": 8_999}, {Flag.RT_LONG}, False),
        ({"waited_ms": 9_000}, set(), False),
        ({"served": False}, {Flag.NOT_SERVED}, False),
        ({"fetched": (True, False)}, {Flag.NOT_FETCHED}, True),
        ({"fetched": (False, True), "to_end": False}, {Flag.NOT_FETCHED}, False),
        ({"fetched": (False, True), "unplayable": True}, {Flag.UNPLAYABLE}, False),
        ({"hidden_ms": 10_001}, {Flag.HIDDEN}, False),
        ({"hidden_ms": 10_000}, set(), False),
        # With scripts off nothing is told; the server has seen that both clips went out, and how long it took.
        (NO_SCRIPTS, {Flag.NO_TELEMETRY}, False),
        ({**NO_SCRIPTS, "fetched": (False, False)}, {Flag.NO_TELEMETRY, Flag.NOT_FETCHED}, True),
        ({"reported": ("playback-odd",)}, {Flag.ODD}, False),
        ({"reported": ("rt-missing",), "rt_ms": None}, {Flag.ODD}, False),
        ({"reported": ("a-flag-of-tomorrow",)}, set(), False),
        ({"attentive": False}, {Flag.ATTENTION}, False),
        ({"attentive": True}, set(), False),
        ({"attentive": False, "unplayable": True}, {Flag.UNPLAYABLE}, False),
        # What is not known is held against nobody.
        ({"least_ms": None, "longest_ms": None, "waited_ms": 5, "rt_ms": 5}, set(), False),
        ({"waited_ms": None}, set(), False),
        ({"fetched": (None, None)}, set(), False),
    ],
)
def test_flags_of_a_trial(changes: dict[str, Any], flags: set[Flag], unwatched: bool) -> None:
    found = examine(GOOD._replace(**changes))
    assert (set(found.raised), found.unwatched) == (flags, unwatched)
    assert split(joined(found.raised)) == flags
    assert list(found.raised) == [flag for flag in Flag if flag in flags]


def test_the_study_says_which_of_its_rules_leave_an_answer_out() -> None:
    both = GOOD._replace(reported=("out-of-step", "dropped-left"))
    cases: tuple[tuple[Sequence[StudyRule], str | None], ...] = (
        ((), None),
        (("out-of-step",), "out-of-step"),
        (("dropped-frames", "out-of-step"), "dropped-frames"),
    )
    for rules, first in cases:
        assert examine(both._replace(rules=rules)).study_rule == first
    assert examine(GOOD._replace(rules=("out-of-step", "dropped-frames"))).study_rule is None
    assert examine(both._replace(rules=("out-of-step",), unplayable=True)).study_rule is None
    assert examine(both._replace(rules=("out-of-step",)), simulated=True).study_rule is None


def test_simulated_participants_are_not_judged() -> None:
    worst = GOOD._replace(
        reported=("not-watched-left", "fast-left"),
        waited_ms=1,
        served=False,
        fetched=(False, False),
        attentive=False,
    )
    assert examine(worst).unwatched
    assert examine(worst, simulated=True).raised == ()
    assert not examine(worst, simulated=True).unwatched
    assert examine(worst._replace(unplayable=True), simulated=True).raised == (Flag.UNPLAYABLE,)
