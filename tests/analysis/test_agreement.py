"""Agreement of participants: worked by hand, against plain Python, and whatever the members are called."""

import itertools
from fractions import Fraction
from typing import Any

import krippendorff
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import fleiss_kappa

from analysis.stats.agreement import Agreement, agreement
from analysis.stats.agreement.split_half import split_half
from tests.analysis.tables import answer, checked, hntt_rows, person, table

pytestmark = pytest.mark.slow

Row = dict[str, str]
OTHER = {"a": "b", "b": "a", "": "", "tie": "tie"}


def relabelled(row: Row) -> Row:
    """The same answer with the names of the pair's members exchanged."""
    swapped = {
        f"{name}_{one}": row[f"{name}_{OTHER[one]}"] for name in ("stimulus", "source") for one in "ab"
    }
    return row | swapped | {name: OTHER[row[name]] for name in ("truth", "left", "choice")}


def measured(*rows: Row, resamples: int = 0, seed: int = 1) -> Agreement:
    return agreement(checked(*rows), seed=seed, resamples=resamples)


def three_people() -> list[Row]:
    return [*person("p1", "aab"), *person("p2", "aba"), *person("p3", "ab-")]


def _votes_on(pair: str, choices: str) -> list[Row]:
    return [answer(participant=f"p{n}", pair=pair, choice=choice) for n, choice in enumerate(choices)]


def test_agreement_on_the_choice_is_as_worked_by_hand() -> None:
    """Votes aaa, abb and ba: 1, 1/3 and 0 of the pairs of votes agree. kappa = 2 x 4/9 - 1.

    alpha: disagreements 0, 2/3 and 1 by 3, 3 and 2 votes are 4/8 of them; 1 - 2 x 1/2 = 0."""
    found = measured(*three_people())
    assert found.choice.agreement.value == pytest.approx(4 / 9)
    assert found.choice.kappa.value == found.choice.ac1.value == pytest.approx(-1 / 9)
    assert found.choice.alpha.value == pytest.approx(0, abs=1e-12)
    assert (found.n_pairs, found.n_participants, found.n_votes, found.n_blank) == (3, 3, 8, 1)


def _both_ways(votes: list[tuple[int, int, int]]) -> npt.NDArray[np.int64]:
    """Every pair under either name of its members: what the coin does on average."""
    return np.array([*votes, *((b, a, tie) for a, b, tie in votes)])


def _said(votes: list[tuple[int, int, int]]) -> list[Row]:
    choices = [["a"] * a + ["b"] * b + ["tie"] * tie for a, b, tie in votes]
    return [
        answer(participant=f"p{person}", pair=f"q{pair}", choice=choice)
        for pair, all_ in enumerate(choices)
        for person, choice in enumerate(all_)
    ]


def test_with_ties_kappa_is_statsmodels_fleiss_of_every_pair_under_either_name() -> None:
    votes = [(3, 1, 0), (0, 1, 3), (2, 2, 0), (1, 1, 2), (4, 0, 0), (0, 0, 4)]
    found = measured(*_said(votes))
    assert found.choice.kappa.value == pytest.approx(fleiss_kappa(_both_ways(votes)))
    shares = _both_ways(votes).sum(axis=0) / _both_ways(votes).sum()
    assert found.choice.chance == pytest.approx(float((shares**2).sum()))
    # Gwet (2008), equation for three categories, from the same shares.
    by_chance = float((shares * (1 - shares)).sum() / 2)
    agree = found.choice.agreement.value
    assert agree is not None
    assert found.choice.ac1.value == pytest.approx((agree - by_chance) / (1 - by_chance))
    assert (found.n_votes, found.n_tie, found.n_blank) == (24, 9, 0)


def test_with_ties_alpha_is_krippendorff_s_of_very_many_such_pairs_under_either_name() -> None:
    """Many, because ours takes the names from a coin and not from these pairs: no small-sample term."""
    votes = [(3, 1, 0), (0, 1, 1), (2, 2, 0), (1, 1, 2), (4, 0, 1), (0, 0, 3)]
    many = krippendorff.alpha(
        value_counts=np.tile(_both_ways(votes), (3_000, 1)), level_of_measurement="nominal"
    )
    assert measured(*_said(votes)).choice.alpha.value == pytest.approx(many, abs=1e-4)


def test_a_tie_is_half_a_vote_for_each_in_the_split_halves() -> None:
    """Two people alone: each half is one vote, from 1/2: products 1/4, 0 and 1/4; squares 1/4, 1/8 and 1/4."""
    rows = [*person("p1", "a=b"), *person("p2", "aab")]
    found = measured(*rows).split_half
    assert found.correlation.value == pytest.approx((0.25 + 0 + 0.25) / (0.25 + 0.125 + 0.25))


def test_agreement_on_the_choice_is_what_random_names_of_the_members_give_on_average() -> None:
    """The chance that votes on two pairs agree, exactly, over all 2^5 ways to name the members of five pairs."""
    votes = [(3, 1), (2, 2), (4, 0), (1, 3), (3, 0)]
    found = measured(
        *(row for n, (a, b) in enumerate(votes) for row in _votes_on(f"q{n}", "a" * a + "b" * b))
    ).choice
    agree = []
    for turns in itertools.product((False, True), repeat=len(votes)):
        named = [vote[::-1] if turn else vote for vote, turn in zip(votes, turns, strict=True)]
        for (i, one), (j, other) in itertools.permutations(enumerate(named), 2):
            assert i != j
            same = one[0] * other[0] + one[1] * other[1]
            agree.append(Fraction(same, sum(one) * sum(other)))
    chance = float(sum(agree) / len(agree))
    assert found.agreement.value is not None
    assert found.kappa.value == pytest.approx((found.agreement.value - chance) / (1 - chance))


def test_agreement_on_sources_is_krippendorffs_and_fleiss_on_the_chosen_source() -> None:
    """alpha against the krippendorff package; kappa and AC1 by hand for 4 pairs of 3 votes for the human: 3, 2, 2, 0.

    Agreement (1 + 1/3 + 1/3 + 1) / 4 = 2/3, share of human 7/12, chance 74/144 and 70/144."""
    rows = [*person("p1", "aaab"), *person("p2", "aaab"), *person("p3", "abbb")]
    rows = [relabelled(row) if row["pair"] == "q2" else row for row in rows]
    rows = [row | {"choice": OTHER[row["choice"]]} if row["pair"] == "q2" else row for row in rows]
    found = measured(*rows)
    [sources] = found.sources
    assert (sources.condition, sources.sources, sources.n_pairs, sources.n_votes) == (
        "human-hybrid",
        ("human", "hybrid"),
        4,
        12,
    )
    human = {"q1": 3, "q2": 1, "q3": 2, "q4": 0}
    counts = [[n, 3 - n] for n in human.values()]
    expected = krippendorff.alpha(value_counts=counts, level_of_measurement="nominal")
    assert sources.alpha.value == pytest.approx(expected)
    assert sources.agreement.value == pytest.approx(2 / 3)
    assert sources.kappa.value == pytest.approx((2 / 3 - 0.5) / 0.5)


def test_a_preference_for_one_source_everywhere_is_agreement_on_clips_and_not_on_pairs() -> None:
    """Everybody finds the human everywhere: they agree on all clips, and single out no pair."""
    found = measured(*person("p1", "aaa"), *person("p2", "aaa"), resamples=20)
    assert found.choice.kappa.value == 1
    [sources] = found.sources
    assert sources.agreement.value == 1
    assert sources.kappa.reason == "all votes are the same: agreement beyond chance is not defined"
    assert sources.kappa.interval.reason == sources.kappa.reason


def test_a_contrast_is_a_condition_and_two_different_sources() -> None:
    rows = [
        answer(participant=name, pair=pair, condition=condition, source_a=one, source_b=other)
        for name in ("p1", "p2")
        for pair, condition, one, other in [
            ("q1", "human-hybrid", "human", "hybrid"),
            ("q2", "human-hybrid", "hybrid", "human"),
            ("q3", "human-hybrid", "human", "symbolic"),
            ("q4", "other", "human", "hybrid"),
            ("q5", "other", "human", "human"),
            ("q6", "other", "", "human"),
        ]
    ]
    found = measured(*rows)
    assert [(one.condition, *one.sources, one.n_pairs) for one in found.sources] == [
        ("human-hybrid", "human", "hybrid", 2),
        ("human-hybrid", "human", "symbolic", 1),
        ("other", "human", "hybrid", 1),
    ]
    assert found.n_pairs == found.choice.kappa.n == 6


def test_pairs_with_one_vote_are_counted_and_left_out() -> None:
    found = measured(*person("p1", "a--"), *person("p2", "-b-"))
    assert (found.n_pairs, found.n_pairs_one_vote, found.n_blank) == (2, 2, 4)
    assert found.choice.alpha.reason == "none of the pairs has two votes"
    found = measured(*three_people(), answer(participant="p1", pair="q9"))
    assert (found.n_pairs, found.n_pairs_one_vote, found.choice.alpha.n) == (4, 1, 3)


def test_agreement_on_uncertainty_is_for_ordered_points_and_needs_no_choice() -> None:
    points = [[1, 2, 5, 3], [1, 3, 4, 3], [2, 2, 5, 1]]
    rows = [
        answer(participant=f"p{number}", pair=f"q{pair}", choice="", uncertainty=str(point))
        for number, given_points in enumerate(points)
        for pair, point in enumerate(given_points)
    ]
    found = measured(*rows).uncertainty
    expected = krippendorff.alpha(reliability_data=points, level_of_measurement="ordinal")
    assert found.alpha.value == pytest.approx(expected)
    assert (found.level, found.n_items, found.n_raters, found.n_values) == ("ordinal", 4, 3, 5)
    assert found.icc_single.value is not None


def test_split_halves_are_those_of_numpys_correlation_of_mirrored_pairs() -> None:
    """One halving of ten people: both shares of each pair and their mirror images through numpy.corrcoef, whose mean
    square of both halves replaces the product of their roots."""
    rng = np.random.default_rng(4)
    n_pairs, n_people = 12, 10
    pair, person_of = (grid.ravel() for grid in np.indices((n_pairs, n_people)))
    choice = (rng.random(n_pairs)[pair] < rng.random(len(pair))).astype(np.int64)
    found = split_half(pair, person_of, choice, n_pairs, seed=7, resamples=0)
    splits = np.random.default_rng(7)
    products, squares = 0.0, 0.0
    for _ in range(found.splits):
        half = np.isin(np.arange(n_people), splits.permutation(n_people)[: n_people // 2])
        shares = [choice.reshape(n_pairs, n_people)[:, which].mean(axis=1) for which in (~half, half)]
        one, other = (np.concatenate([share, 1 - share]) for share in shares)
        covariance = np.cov(one, other, ddof=0)
        correlation = np.corrcoef(one, other)[0, 1]
        assert covariance[0, 1] == pytest.approx(correlation * np.sqrt(covariance[0, 0] * covariance[1, 1]))
        products += covariance[0, 1]
        squares += (covariance[0, 0] + covariance[1, 1]) / 2
    assert found.splits == 100
    assert found.correlation.value == pytest.approx(products / squares)
    assert found.reliability.value == pytest.approx(2 * products / (squares + abs(products)))


def test_split_halves_find_the_reliability_of_simulated_people() -> None:
    """Truth: pair shares with variance v about 1/2 and n votes each have the reliability v / (v + E[p (1 - p)] / n)."""
    rng = np.random.default_rng(2)
    share = rng.beta(2, 2, 4_000)
    n = 20
    choice = (rng.random((len(share), n)) < share[:, np.newaxis]).astype(np.int64)
    pair, person_of = (grid.ravel() for grid in np.indices(choice.shape))
    found = split_half(pair, person_of, choice.ravel(), len(share), seed=1, resamples=200)
    variance = 1 / 20
    truth = variance / (variance + 1 / 5 / n)
    interval = found.reliability.interval
    assert interval.low is not None
    assert interval.high is not None
    assert interval.low < truth < interval.high
    assert found.reliability.value == pytest.approx(truth, abs=0.01)


def test_simulated_agreement_is_recovered_inside_its_interval() -> None:
    """Two votes on a pair whose first clip is chosen with p agree with p^2 + (1 - p)^2: 3/5 on average for p from
    Beta(2, 2), so that kappa is 1/5."""
    rng = np.random.default_rng(11)
    share = rng.beta(2, 2, 150)
    rows = [
        answer(participant=f"p{number}", pair=f"q{pair}", choice="a" if rng.random() < p else "b")
        for pair, p in enumerate(share)
        for number in range(12)
    ]
    found = measured(*rows, resamples=500).choice.kappa
    assert found.interval.low is not None
    assert found.interval.high is not None
    assert found.interval.low < 0.2 < found.interval.high
    assert found.interval.high - found.interval.low < 0.2
    assert found.interval.method == "bias-corrected and accelerated bootstrap over pairs"


def test_the_published_answers_agree_more_on_clips_than_by_chance() -> None:
    """The HNTT gold answers by plain Python over all pairs of votes."""
    from analysis import hntt_responses, read_hntt
    from tests.analysis.tables import HNTT

    responses = hntt_responses(read_hntt(HNTT))
    rows = responses[responses["study"] == "hntt-1"]
    found = agreement(rows, resamples=0)
    votes: dict[str, list[str]] = {}
    for row in hntt_rows():
        if row["studyno"] == "1":
            votes.setdefault(row["question_id"], []).append(row["subj_resp"])
    shares = [
        np.mean([one == other for one, other in itertools.combinations(cast, 2)]) for cast in votes.values()
    ]
    assert found.choice.agreement.value == pytest.approx(np.mean(shares))
    assert found.choice.kappa.value == pytest.approx(2 * np.mean(shares) - 1)


CAST = st.lists(
    st.tuples(
        st.sampled_from(["p1", "p2", "π3", "p 4"]),
        st.sampled_from(["q1", "q2", "q3", "q10"]),
        st.sampled_from("ab-"),
        st.sampled_from(["", "1", "3", "5"]),
    ),
    max_size=16,
    unique_by=lambda cast: cast[:2],
)


@settings(deadline=None, max_examples=12)
@given(CAST, st.sets(st.sampled_from(["q1", "q2", "q3", "q10"])), st.randoms(use_true_random=False))
def test_neither_row_order_nor_the_names_of_members_change_anything(
    cast: list[tuple[str, str, str, str]], turned: set[str], random: Any
) -> None:
    rows = [
        answer(participant=name, pair=pair, choice=choice.replace("-", ""), uncertainty=point)
        for name, pair, choice, point in cast
    ]
    shuffled = random.sample(rows, len(rows))
    other = [relabelled(row) if row["pair"] in turned else row for row in shuffled]
    assert measured(*rows, resamples=20).to_dict() == measured(*other, resamples=20).to_dict()


def undefined(value: Any) -> list[dict[str, Any]]:
    """Every estimate without a value."""
    if isinstance(value, dict):
        mine = [value] if "interval" in value and value["value"] is None else []
        return mine + [found for item in value.values() for found in undefined(item)]
    return [found for item in value for found in undefined(item)] if isinstance(value, list) else []


@pytest.mark.parametrize(
    "rows",
    [
        [],
        person("p1", "ab"),
        [*person("p1", "--"), *person("p2", "--")],
        [*person("p1", "a"), *person("p2", "a")],
        [*person("p1", "ab"), *person("p2", "ba")],
        [*person("p1", "ab", uncertainty=""), *person("p2", "ab", uncertainty="")],
        [*person("p1", "ab", source_a="", source_b=""), *person("p2", "ab", source_a="", source_b="")],
    ],
    ids=["empty", "one person", "blanks", "one pair", "all tied", "no uncertainty", "no source"],
)
def test_degenerate_answers_give_numbers_or_reasons(rows: list[Row]) -> None:
    found = agreement(checked(*rows) if rows else checked(answer()).iloc[:0], resamples=30).to_dict()
    assert all(estimate["reason"] for estimate in undefined(found))


def test_ten_thousand_people_on_two_pairs_are_one_table_of_counts() -> None:
    rows = table(
        *(answer(participant=f"p{n}", pair=f"q{n % 2}", choice="ab"[n % 3 > 0]) for n in range(10_000))
    )
    from analysis import check_responses

    found = agreement(check_responses(rows), resamples=100)
    assert found.n_participants == 10_000
    assert found.choice.kappa.value == pytest.approx(1 / 9, abs=1e-3)
