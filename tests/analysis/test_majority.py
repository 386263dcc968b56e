"""Labels: counted by hand, with ties kept."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis import LABEL_COLUMNS, majority_vote
from analysis.data.columns import names
from analysis.options import Ties
from analysis.results import table_rows
from tests.analysis.tables import answer, checked

pytestmark = pytest.mark.slow


def votes(choices: str, **cells: str) -> list[dict[str, str]]:
    """One vote of one participant per letter; `-` is a blank, `=` no difference."""
    return [
        answer(participant=f"p{number}", choice={"-": "", "=": "tie"}.get(choice, choice), **cells)
        for number, choice in enumerate(choices)
    ]


def test_a_label_has_the_columns_of_the_design_and_what_the_votes_say() -> None:
    """Wilson's interval of 3 / 4: 0.3006 to 0.9544 (R: prop.test(3, 4, correct = FALSE)$conf.int)."""
    labels = majority_vote(checked(*votes("aaba-")))
    assert tuple(labels.columns) == names(LABEL_COLUMNS)
    [row] = table_rows(labels)
    low, high = row.pop("ci_low"), row.pop("ci_high")
    assert (round(low, 4), round(high, 4)) == (0.3006, 0.9544)
    assert row == {
        "study": "s",
        "pair": "q1",
        "condition": "human-hybrid",
        "kind": "main",
        "stimulus_a": "q1-a",
        "stimulus_b": "q1-b",
        "source_a": "human",
        "source_b": "hybrid",
        "truth": "a",
        "votes_a": 3,
        "votes_b": 1,
        "n": 4,
        "share_a": 0.75,
        "majority": "a",
        "chosen_stimulus": "q1-a",
        "agrees_with_truth": True,
        "mean_uncertainty": 2.0,
        "votes_tie": 0,
        "blank": 1,
        "mean_certainty": None,
    }


@pytest.mark.parametrize(
    ("choices", "truth", "majority", "chosen", "agrees"),
    [
        ("abb", "a", "b", "q1-b", False),
        ("abb", "", "b", "q1-b", None),
        ("abab", "a", "tie", None, None),
        ("--", "a", None, None, None),
    ],
)
def test_ties_and_pairs_without_votes_stay_what_they_are(
    choices: str, truth: str, majority: str | None, chosen: str | None, agrees: bool | None
) -> None:
    [row] = table_rows(majority_vote(checked(*votes(choices, truth=truth))))
    assert (row["majority"], row["chosen_stimulus"], row["agrees_with_truth"]) == (majority, chosen, agrees)


def test_a_pair_without_votes_has_no_share_and_no_interval() -> None:
    [row] = table_rows(majority_vote(checked(*votes("--", uncertainty=""))))
    assert row["n"] == 0
    assert [row[name] for name in ("share_a", "ci_low", "ci_high", "mean_uncertainty")] == [None] * 4


def test_uncertainty_is_averaged_over_those_who_gave_one() -> None:
    rows = checked(*votes("a", uncertainty="1"), answer(participant="x", choice="", uncertainty="4"))
    assert majority_vote(rows)["mean_uncertainty"].tolist() == [2.5]


def test_certainty_is_averaged_over_those_who_gave_one_in_any_order_of_rows() -> None:
    """By hand: (0.1 + 0.2 + 99.7) / 3, and a blank choice counts as well."""
    said = {"x": "99.7", "y": "", "z": "0.2", "v": "0.1"}
    rows = [answer(participant=who, choice="" if who == "v" else "a", certainty=c) for who, c in said.items()]
    other = answer(participant="x", pair="q2", trial="q2", certainty="7")
    found = majority_vote(checked(*rows, other))["mean_certainty"].tolist()
    assert found == [(0.1 + 0.2 + 99.7) / 3, 7]
    assert majority_vote(checked(other, *rows[::-1]))["mean_certainty"].tolist() == found


def test_practice_pairs_get_no_label_and_attention_pairs_do() -> None:
    rows = checked(*(answer(pair=kind, kind=kind) for kind in ("main", "practice", "attention")))
    labels = majority_vote(rows)
    assert dict(zip(labels["pair"], labels["kind"], strict=True)) == {
        "main": "main",
        "attention": "attention",
    }


def test_a_pair_that_changed_between_versions_is_not_one_pair() -> None:
    rows = checked(*votes("aa"), *votes("b", version="2", stimulus_b="other", session="again"))
    labels = majority_vote(rows)
    assert dict(zip(labels["stimulus_b"], labels["n"], strict=True)) == {"q1-b": 2, "other": 1}


def test_pairs_are_in_the_order_people_count_in() -> None:
    rows = checked(*(answer(study=study, pair=pair) for study in ("b", "a") for pair in ("q10", "q2", "q1")))
    labels = majority_vote(rows)
    assert labels["pair"].tolist() == ["q1", "q2", "q10"] * 2
    assert labels["study"].tolist() == ["a"] * 3 + ["b"] * 3


MANY_TIES = [row for number in range(40) for row in votes("ab", pair=f"q{number}")]


def test_random_ties_are_broken_by_the_seed_both_ways_and_only_ties() -> None:
    rows = checked(*MANY_TIES, *votes("aab", pair="clear"))
    first, again, other = (majority_vote(rows, "random", seed) for seed in (1, 1, 2))
    assert first["majority"].tolist() == again["majority"].tolist() != other["majority"].tolist()
    assert Counter(first["majority"])["b"] in range(10, 31)
    assert "tie" not in set(first["majority"])
    assert first.loc[first["pair"] == "clear", "majority"].tolist() == ["a"]


def test_random_ties_need_a_seed() -> None:
    with pytest.raises(ValueError, match="needs a seed"):
        majority_vote(checked(*MANY_TIES), "random")


def relabelled(row: dict[str, str]) -> dict[str, str]:
    other = {"a": "b", "b": "a", "": ""}
    swapped = {
        f"{name}_{one}": row[f"{name}_{other[one]}"] for name in ("stimulus", "source") for one in "ab"
    }
    return row | swapped | {name: other[row[name]] for name in ("truth", "left", "choice")}


@settings(deadline=None, max_examples=5)
@given(
    st.lists(
        st.tuples(st.sampled_from(["q1", "q2", "q10"]), st.sampled_from("ab-")), min_size=1, max_size=20
    ),
    st.sampled_from(["keep", "random"]),
    st.randoms(use_true_random=False),
)
def test_votes_are_counted_whatever_the_order_and_the_names_of_the_members(
    cast: list[tuple[str, str]], ties: Ties, random: object
) -> None:
    rows = [
        answer(participant=f"p{number}", pair=pair, choice=choice.replace("-", ""))
        for number, (pair, choice) in enumerate(cast)
    ]
    labels = table_rows(majority_vote(checked(*rows), ties, 1))
    counted = Counter(cast)
    for label in labels:
        assert (label["votes_a"], label["votes_b"]) == (
            counted[label["pair"], "a"],
            counted[label["pair"], "b"],
        )
    shuffled = random.sample(rows, len(rows))  # type: ignore[attr-defined]
    assert table_rows(majority_vote(checked(*shuffled), ties, 1)) == labels
    turned = table_rows(majority_vote(checked(*map(relabelled, rows)), ties, 1))
    kept = ("pair", "n", "chosen_stimulus", "agrees_with_truth", "mean_uncertainty")
    assert [[label[name] for name in kept] for label in turned] == [
        [label[name] for name in kept] for label in labels
    ]
    assert [label["votes_b"] for label in turned] == [label["votes_a"] for label in labels]


@pytest.mark.parametrize(
    ("choices", "majority"),
    [
        ("==a", "tie"),
        ("aa=", "a"),
        ("aab==", "tie"),
        ("aaab==", "a"),
        ("aabb=", "tie"),
        ("ab", "tie"),
        ("=", "tie"),
        ("bbb==a", "b"),
        ("--", None),
    ],
)
def test_a_tie_is_a_vote_and_a_member_wins_that_has_more_than_the_other_and_the_tie(
    choices: str, majority: str | None
) -> None:
    [row] = table_rows(majority_vote(checked(*votes(choices))))
    assert row["majority"] == majority
    assert (row["votes_tie"], row["blank"]) == (choices.count("="), choices.count("-"))
    assert row["n"] == len(choices.replace("-", ""))
    assert row["share_a"] == (choices.count("a") / row["n"] if row["n"] else None)
    assert row["agrees_with_truth"] is (None if majority in ("tie", None) else majority == "a")


def test_a_coin_breaks_labels_on_which_people_disagree_and_not_those_they_call_a_tie() -> None:
    said = {"even": "aabb", "tied": "==a", "level-with-tie": "ab="}
    rows = [row for pair, choices in said.items() for row in votes(choices, pair=pair)]
    drawn = [
        majority_vote(checked(*rows), "random", seed).set_index("pair")["majority"] for seed in range(20)
    ]
    assert {labels["tied"] for labels in drawn} == {"tie"}
    assert (
        {labels["even"] for labels in drawn} == {labels["level-with-tie"] for labels in drawn} == {"a", "b"}
    )
