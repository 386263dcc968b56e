"""The flow of participants always adds up, whatever the mix of sessions."""

from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.data.flow import (
    REASONS,
    STEPS,
    Flow,
    FlowStep,
    SessionKnown,
    flow_of,
    flow_of_answers,
    flow_of_participants,
    reason_words,
)
from analysis.data.participants import read_flow
from analysis.errors import ReadError
from analysis.findings.flow import flow_numbers
from tests.analysis.tables import answer, checked

STATUSES = (
    "arrived", "active", "completed", "refused", "under-age", "unplayable", "full", "left", "withdrawn",
    "screened-out", "unsuited", "failed-checks",
)  # fmt: skip
sessions = st.lists(
    st.builds(
        SessionKnown,
        st.sampled_from(STATUSES),
        st.sampled_from(["main", "slow"]),
        st.integers(0, 2),
        released=st.booleans(),
        by_hand=st.booleans(),
        rules=st.sampled_from([(), ("unwatched",), ("attention-failed", "unwatched")]),
        counts=st.booleans(),
    ),
    max_size=40,
)


def adds_up(steps: tuple[FlowStep, ...]) -> None:
    for before, after in pairwise(steps):
        assert before.n - sum(loss.n for loss in before.lost) + after.joined == after.n
        assert all(loss.n > 0 for loss in before.lost)
    assert not steps[-1].lost


@given(sessions)
def test_each_step_is_the_one_before_less_the_lost_and_all_are_somewhere(mix: list[SessionKnown]) -> None:
    flow = flow_of("live", Counter(mix).items())
    adds_up(flow.steps)
    assert [one.step for one in flow.steps] == list(STEPS)
    assert flow.n("arrived") == len(mix)
    used = [one for one in mix if one.counts and not one.rules and not one.by_hand]
    can_be = [one for one in used if one.status == "completed" or (
        one.status in ("active", "failed-checks", "unplayable") and one.n_answered)]  # fmt: skip
    assert flow.n("analysed") == len(can_be)
    for steps in flow.arms.values():
        adds_up(steps)
    if flow.arms:
        for place, step in enumerate(flow.steps):
            assert sum(steps[place].n for steps in flow.arms.values()) == step.n


def named(flow: Flow) -> dict[str, dict[str, int]]:
    return {one.step: {loss.reason: loss.n for loss in one.lost} for one in flow.steps}


def test_each_session_is_lost_at_its_own_step() -> None:
    mix = [
        *[SessionKnown(status) for status in ("unsuited", "refused", "under-age", "full", "left", "arrived")],
        *[SessionKnown(status) for status in ("screened-out", "withdrawn")],
        SessionKnown("failed-checks"), SessionKnown("active"), SessionKnown("active", released=True),
        SessionKnown("failed-checks", n_answered=3), SessionKnown("active", n_answered=2),
        SessionKnown("active", n_answered=2, released=True), SessionKnown("unplayable", n_answered=1),
        SessionKnown("completed", n_answered=9, counts=True),
        SessionKnown("completed", n_answered=9, counts=True, rules=("unwatched",), by_hand=True),
        SessionKnown("completed", n_answered=9, counts=True, by_hand=True),
        SessionKnown("completed", n_answered=9),
        SessionKnown("active", n_answered=5, counts=True),
    ]  # fmt: skip
    flow = flow_of("live", [(one, 1) for one in mix])
    assert named(flow) == {
        "arrived": {"unsuited": 1, "refused": 1, "under-age": 1, "full": 1, "left-at-consent": 2},
        "consented": {"screened-out": 1, "withdrawn": 1},
        "screened": {"failed-checks": 1, "timed-out": 1, "not-begun": 1},
        "began": {"failed-checks": 1, "unplayable": 1, "timed-out": 1, "unfinished": 2},
        "finished": {"by-hand": 2, "nothing-counts": 1},
        "analysed": {},
    }
    assert [one.n for one in flow.steps] == [20, 14, 12, 9, 4, 2]
    assert flow.steps[-1].joined == 1, "who has not finished, but whose answers count"


def test_a_table_of_answers_begins_with_those_who_gave_any() -> None:
    rows = checked(
        answer(),
        answer(session="s2", participant="p2", excluded="by-hand"),
        answer(session="s3", participant="p3", excluded="unwatched"),
        answer(session="s4", participant="p4", kind="practice"),
        answer(session="s5", participant="p5", mode="pilot"),
    )
    flow = flow_of_answers(rows, "live")
    assert named(flow) == {"began": {"by-hand": 1, "nothing-counts": 2}, "analysed": {}}
    assert [one.n for one in flow.steps] == [4, 1]
    assert flow.n("arrived") is None


def test_a_table_of_participants_begins_with_those_who_passed_screening() -> None:
    def row(**more: str) -> dict[str, str]:
        return {
            "mode": "live",
            "arm": "main",
            "status": "completed",
            "trials_answered": "8",
            "excluded": "",
        } | more

    flow = flow_of_participants(
        [
            row(), row(use="false", rules="attention-failed;unwatched"), row(excluded="by-hand", use="true"),
            row(status="active", trials_answered="0"), row(mode="pilot"), row(arm="slow"),
        ],
        "live",
    )  # fmt: skip
    assert named(flow) == {
        "screened": {"not-begun": 1},
        "began": {},
        "finished": {"rule:attention-failed": 1, "by-hand": 1},
        "analysed": {},
    }
    assert {arm: steps[-1].n for arm, steps in flow.arms.items()} == {"main": 1, "slow": 1}


def test_who_left_before_consent_was_in_no_arm() -> None:
    mix = [
        *(SessionKnown("refused"), SessionKnown("arrived", "slow"), SessionKnown("screened-out", "fast")),
        *(SessionKnown("completed", arm, 8, counts=True) for arm in ("slow", "fast", "fast")),
    ]
    flow = flow_of("live", Counter(mix).items())
    assert {arm: [step.n for step in steps] for arm, steps in flow.arms.items()} == {
        "fast": [3, 3, 2, 2, 2, 2],
        "slow": [1, 1, 1, 1, 1, 1],
        "": [2, 0, 0, 0, 0, 0],
    }
    assert [column.title for column in flow_numbers(flow).columns[4:]] == [
        "Arm fast",
        "Arm slow",
        "No arm yet",
    ]
    # A study of one arm has no columns of arms, however many decline.
    assert not flow_of("live", Counter([SessionKnown("refused"), mix[-1]]).items()).arms


def test_each_reason_has_words() -> None:
    assert reason_words("rule:unwatched") == "excluded by the rule unwatched"
    assert all(reason_words(reason) == words for reason, words in REASONS.items())


def test_the_command_reads_an_exported_table(tmp_path: Path) -> None:
    path = tmp_path / "participants.csv"
    head = "study,mode,arm,session,status,trials_answered,excluded"
    path.write_text(
        f"{head}\ns,live,main,1,completed,8,\ns,live,main,2,active,0,\ns,live,main,3,completed,8,by-hand\n"
    )
    flow = read_flow(path, "live")
    assert [one.n for one in flow.steps] == [3, 2, 2, 1]
    path.write_text("study,mode\ns,live\n")
    with pytest.raises(ReadError, match="a table of participants is expected"):
        read_flow(path, "live")
