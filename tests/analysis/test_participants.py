"""Accuracy, uncertainty and preference of each participant, against cases worked by hand."""

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis import accuracy_per_participant, preference_per_participant, uncertainty_per_participant
from analysis.options import Blank
from analysis.results import table_rows
from tests.analysis.tables import answer, checked, person

pytestmark = pytest.mark.slow

NO_TRUTH = {"truth": "", "condition": "hybrid-symbolic", "source_a": "symbolic", "source_b": "hybrid"}


def test_blanks_are_missing_and_trials_without_a_truth_do_not_count() -> None:
    rows = checked(*person("p1", "aab-"), answer(participant="p1", pair="q9", **NO_TRUTH))
    assert table_rows(accuracy_per_participant(rows)) == [
        {
            "study": "s",
            "participant": "p1",
            "n_correct": 2,
            "n_accuracy": 3,
            "n_blank": 1,
            "n_tie": 0,
            "accuracy": 2 / 3,
        }
    ]


def test_blanks_count_as_wrong_when_asked() -> None:
    rows = checked(*person("p1", "aab-"))
    assert accuracy_per_participant(rows, blank="wrong")["accuracy"].tolist() == [2 / 4]


@pytest.mark.parametrize(("blank", "expected"), [("missing", None), ("wrong", 0.0)])
def test_a_participant_with_only_blanks_has_no_accuracy(blank: Blank, expected: float | None) -> None:
    row = table_rows(accuracy_per_participant(checked(*person("p1", "--")), blank))[0]
    assert row["accuracy"] == expected
    assert row["n_blank"] == 2


def test_the_same_person_in_two_sessions_is_one_participant_and_in_two_studies_two() -> None:
    rows = checked(answer(choice="a"), answer(session="again", choice="b"), answer(study="t"))
    table = accuracy_per_participant(rows)
    assert dict(zip(table["study"], table["accuracy"], strict=True)) == {"s": 0.5, "t": 1.0}


def test_equal_shares_are_equal_floats_however_they_come_about() -> None:
    """1/3 and 2/6 must tie: ranks would tell unequal floats apart."""
    rows = checked(*person("p1", "abb"), *person("p2", "aabbbb"))
    assert accuracy_per_participant(rows)["accuracy"].nunique() == 1


def test_uncertainty_is_over_the_trials_asked_for_and_blanks_of_it_are_missing() -> None:
    rows = checked(
        answer(pair="q1", uncertainty="1"),
        answer(pair="q2", uncertainty="2", choice=""),
        answer(pair="q3", uncertainty=""),
        answer(pair="q4", uncertainty="5", **NO_TRUTH),
    )
    with_truth = table_rows(uncertainty_per_participant(rows, "with-truth"))
    assert with_truth == [{"study": "s", "participant": "p1", "n_uncertainty": 2, "uncertainty": 1.5}]
    assert table_rows(uncertainty_per_participant(rows))[0]["uncertainty"] == 8 / 3


def test_preference_is_the_share_of_the_first_named_source_whichever_member_it_is() -> None:
    turned = NO_TRUTH | {"source_a": "hybrid", "source_b": "symbolic"}
    rows = checked(
        answer(pair="q1", choice="b", **NO_TRUTH),
        answer(pair="q2", choice="a", **turned),
        answer(pair="q3", choice="b", **turned),
        answer(pair="q4", choice="", **turned),
    )
    expected = {
        "study": "s",
        "condition": "hybrid-symbolic",
        "source": "hybrid",
        "against": "symbolic",
        "participant": "p1",
        "n_chosen": 2,
        "n_preference": 3,
        "has_truth": False,
        "preference": 2 / 3,
    }
    assert table_rows(preference_per_participant(rows)) == [expected]
    wrong = table_rows(preference_per_participant(rows, blank="wrong"))[0]
    assert (wrong["n_chosen"], wrong["n_preference"], wrong["preference"]) == (2, 4, 0.5)


@pytest.mark.parametrize(
    ("condition", "source"),
    [("symbolic-hybrid", "symbolic"), ("hybrid-symbolic", "hybrid"), ("agents", "hybrid"), ("", "hybrid")],
)
def test_the_source_is_the_one_named_first_else_the_first_in_the_alphabet(
    condition: str, source: str
) -> None:
    rows = checked(answer(**NO_TRUTH | {"condition": condition}))
    assert preference_per_participant(rows)["source"].tolist() == [source]


def test_pairs_of_one_source_or_without_a_source_show_no_preference() -> None:
    rows = checked(answer(pair="q1", source_b="human"), answer(pair="q2", source_b=""))
    assert preference_per_participant(rows).empty


def test_source_pairs_of_one_condition_are_kept_apart() -> None:
    rows = checked(
        answer(pair="q1", condition="human-agent"),
        answer(pair="q2", condition="human-agent", source_b="symbolic", choice="b"),
    )
    table = preference_per_participant(rows)
    against = dict(zip(table["against"], table["preference"], strict=True))
    assert against == {"hybrid": 1.0, "symbolic": 0.0}


def test_one_source_pair_of_two_conditions_is_kept_apart() -> None:
    rows = checked(answer(pair="q1"), answer(pair="q2", condition="hybrid-human"))
    table = preference_per_participant(rows)
    assert dict(zip(table["condition"], table["source"], strict=True)) == {
        "human-hybrid": "human",
        "hybrid-human": "hybrid",
    }


CELLS = st.fixed_dictionaries(
    {
        "participant": st.sampled_from(["1", "2", "10", "é"]),
        "pair": st.sampled_from(["q1", "q2", "q3", "q4"]),
        "choice": st.sampled_from(["a", "b", ""]),
        "truth": st.sampled_from(["a", "b", ""]),
        "uncertainty": st.sampled_from(["", "1", "3", "5"]),
    }
)
ANSWERS = st.lists(
    CELLS, min_size=1, max_size=16, unique_by=lambda cells: (cells["participant"], cells["pair"])
)


def everything(rows: list[dict[str, str]]) -> list[list[dict[str, Any]]]:
    df = checked(*rows)
    tables = [
        accuracy_per_participant(df),
        accuracy_per_participant(df, "wrong"),
        uncertainty_per_participant(df, "with-truth"),
        uncertainty_per_participant(df, "all"),
        preference_per_participant(df),
    ]
    return [table_rows(table) for table in tables]


def relabelled(row: dict[str, str]) -> dict[str, str]:
    other = {"a": "b", "b": "a", "": ""}
    swapped = {
        f"{name}_{one}": row[f"{name}_{other[one]}"] for name in ("stimulus", "source") for one in "ab"
    }
    return row | swapped | {name: other[row[name]] for name in ("truth", "left", "choice")}


@settings(deadline=None, max_examples=4)
@given(ANSWERS, st.randoms(use_true_random=False))
def test_row_order_and_the_names_of_the_members_change_nothing(
    cells: list[dict[str, str]], random: Any
) -> None:
    rows = [answer(**one) for one in cells]
    shuffled = random.sample(rows, len(rows))
    assert everything(shuffled) == everything(rows)
    assert everything([relabelled(row) for row in rows]) == everything(rows)


@settings(deadline=None, max_examples=15)
@given(ANSWERS)
def test_accuracy_is_what_counting_by_hand_gives(cells: list[dict[str, str]]) -> None:
    counted: dict[str, list[bool]] = {}
    for one in cells:
        verdicts = counted.setdefault(one["participant"], [])
        if one["truth"] and one["choice"]:
            verdicts.append(one["truth"] == one["choice"])
    table = accuracy_per_participant(checked(*(answer(**one) for one in cells)))
    for person_, accuracy in zip(table["participant"], table["accuracy"], strict=True):
        verdicts = counted[person_]
        assert accuracy == sum(verdicts) / len(verdicts) if verdicts else math.isnan(accuracy)
    assert len(table) == len(counted)
