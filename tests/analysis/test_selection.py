import pytest

from analysis import AnalysisError, select_rows
from analysis.data.schema import leave_out_by_rules
from analysis.data.selection import choose_mode, select, with_unwatched
from tests.analysis.tables import answer, checked, person

MIXED = [
    *person("p1", "aab"),
    answer(participant="p1", pair="q8", kind="practice"),
    answer(participant="p1", pair="q9", kind="attention"),
    answer(participant="p2", pair="q1", excluded="too-fast"),
    answer(participant="p2", pair="q9", kind="attention", excluded="too-fast"),
    answer(participant="p3", pair="q1", mode="pilot", excluded="too-fast"),
    answer(participant="p4", pair="q1", mode="simulated"),
]


def test_only_live_main_answers_that_no_rule_excludes_count() -> None:
    selected = select("s", checked(*MIXED), "live")
    assert selected.main["participant"].tolist() == ["p1"] * 3
    assert set(selected.main["kind"]) == {"main"}


def test_every_row_left_out_is_counted_once_at_its_first_reason() -> None:
    selection = select("s", checked(*MIXED), "live").selection
    assert selection.left_out == {
        "mode": {"pilot": 1, "simulated": 1},
        "kind": {"attention": 2, "practice": 1},
        "excluded": {"too-fast": 1},
    }
    assert (
        selection.n_used + sum(sum(part.values()) for part in selection.left_out.values()) == selection.n_rows
    )
    assert (selection.n_participants, selection.n_participants_used) == (4, 1)


def test_attention_pairs_are_voted_on_and_practice_pairs_are_not() -> None:
    assert select_rows(checked(*MIXED))["kind"].tolist() == ["main"] * 3 + ["attention"]


@pytest.mark.parametrize(
    ("modes", "first"),
    [
        (["preview", "pilot", "simulated", "live"], "live"),
        (["preview", "pilot", "simulated"], "simulated"),
        (["preview", "pilot"], "pilot"),
        (["preview"], "preview"),
    ],
)
def test_the_first_mode_with_answers_is_analysed(modes: list[str], first: str) -> None:
    rows = checked(*(answer(pair=mode, mode=mode) for mode in modes))
    assert choose_mode([rows], None) == first
    assert choose_mode([rows], modes[0]) == modes[0]


def test_a_mode_without_answers_is_refused_with_the_modes_there_are() -> None:
    rows = checked(answer(pair="q1", mode="pilot"), answer(pair="q2", mode="simulated"))
    with pytest.raises(AnalysisError, match=r"mode 'live' has no answers; allowed here: simulated, pilot"):
        choose_mode([rows], "live")


def test_a_study_of_which_nothing_counts_says_why() -> None:
    selected = select("s", checked(answer(excluded="too-fast")), "live")
    assert selected.selection.reason == "no answer of mode live to a main trial counts"


def test_a_table_without_rows_selects_none() -> None:
    assert len(select_rows(checked())) == 0


def test_all_counts_what_the_rule_unwatched_leaves_out_and_nothing_else() -> None:
    rows = checked(
        answer(participant="p1", pair="q1", excluded="unwatched"),
        answer(participant="p2", pair="q1", excluded="by-hand"),
        answer(participant="p3", pair="q1", excluded="unplayable"),
        answer(participant="p4", pair="q1"),
        answer(participant="p5", pair="q1", excluded="out-of-step"),
        answer(participant="p6", pair="q1", excluded="dropped-frames"),
    )
    assert select("s", rows, "live").selection.left_out["excluded"] == {
        "by-hand": 1, "dropped-frames": 1, "out-of-step": 1, "unplayable": 1, "unwatched": 1
    }  # fmt: skip
    everything = select("s", with_unwatched(rows), "live").selection
    assert everything.left_out["excluded"] == {"by-hand": 1, "unplayable": 1}
    assert everything.n_used == 4


def test_unwatched_answers_of_sessions_that_rules_leave_out_count_again_too() -> None:
    out = {"use": "false", "rules": "attention-failed"}
    rows = checked(
        *person("p1", "aab"),
        answer(participant="p2", pair="q1", excluded="unwatched", **out),
        answer(participant="p2", pair="q2", **out),
        answer(participant="p3", pair="q1", excluded="by-hand", use="false"),
    )
    again = with_unwatched(rows)
    leave_out_by_rules(again)  # as a table that is checked once more
    selection = select("s", again, "live").selection
    assert (selection.n_participants_used, selection.left_out["excluded"]) == (2, {"by-hand": 1})
    alone = with_unwatched(
        checked(*person("p1", "aab"), answer(participant="p2", excluded="unwatched", **out))
    )
    leave_out_by_rules(alone)
    assert select("s", alone, "live").selection.n_participants_used == 2
