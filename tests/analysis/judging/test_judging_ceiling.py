"""The human ceiling against loops over single votes, written from its definition."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy.stats import binom, spearmanr
from sklearn.metrics import cohen_kappa_score  # type: ignore[import-untyped]

from analysis.judging.ceiling import half_against_half, halves, one_against_others, over_person
from analysis.judging.items.classes import person_quantities
from analysis.judging.items.table import Items
from analysis.judging.measures import Judging
from analysis.judging.pairs import collect_pairs
from analysis.judging.sample import BRIER, CALIBRATION, IDENTITY, KAPPA, LABELS, RANK, Sample, quantities
from analysis.judging.scores import Quantity
from analysis.learning.cross_fitting import _ceilings
from analysis.learning.votes import Votes
from tests.analysis.judging.cases import choices, counted, hntt, matched, random_responses, votes
from tests.analysis.tables import published

pytestmark = pytest.mark.slow


def sample(counts: list[tuple[int, int]], truth: bool = True) -> Sample:
    nothing = np.full(len(counts), np.nan)
    return Sample(
        votes=counted(counts),
        with_ties=counted(counts)[:, 2:].any() & np.ones(len(counts), dtype=bool),
        has_truth=np.full(len(counts), truth),
        both_ways=False,
        support=nothing,
        score=nothing,
        probability=False,
        mirrored=np.negative,
    )


def number(quantity: Quantity, n: int) -> float:
    return float((quantity.point or quantity.statistic)(np.ones((1, n)))[0])


COUNTS = [(5, 2), (3, 3), (1, 6), (2, 1), (1, 1), (4, 0), (1, 0), (0, 0), (3, 2)]


def single_votes(counts: tuple[int, int]) -> list[tuple[int, list[int]]]:
    """Every vote (1 for the first) with those of the others."""
    everyone = [1] * counts[0] + [0] * counts[1]
    return [(vote, everyone[:i] + everyone[i + 1 :]) for i, vote in enumerate(everyone)]


def credit(vote: int, others: list[int]) -> float:
    return 0.5 if sum(others) * 2 == len(others) else float(vote == (sum(others) * 2 > len(others)))


def test_one_vote_against_the_others_majority_is_counted_one_by_one() -> None:
    per_pair = [
        np.mean([credit(vote, others) for vote, others in single_votes(counts)])
        for counts in COUNTS
        if sum(counts) > 1
    ]
    found = one_against_others(sample(COUNTS), seed=1)[LABELS]
    assert number(found, len(COUNTS)) == pytest.approx(np.mean(per_pair))
    assert found.n == len(per_pair)


def test_the_brier_ceiling_is_the_others_share_as_the_forecast_of_a_vote() -> None:
    per_pair = [
        np.mean([(vote - np.mean(others)) ** 2 for vote, others in single_votes(counts)])
        for counts in COUNTS
        if sum(counts) > 1
    ]
    found = one_against_others(sample(COUNTS), seed=1)[BRIER]
    assert number(found, len(COUNTS)) == pytest.approx(np.mean(per_pair))


def test_the_calibration_ceiling_is_counted_one_by_one() -> None:
    bins: dict[int, list[tuple[float, float, float]]] = {}
    pairs = [counts for counts in COUNTS if sum(counts) > 1]
    for counts in pairs:
        for vote, others in single_votes(counts):
            share = float(np.mean(others))
            sure = max(share, 1 - share)
            agrees = 0.5 if share == 0.5 else float(vote == (share > 0.5))
            bins.setdefault(min(int(round((sure - 0.5) * 10, 9)), 4), []).append(
                (sure, agrees, 1 / sum(counts))
            )
    error = sum(abs(sum(w * (c - a) for c, a, w in entries)) for entries in bins.values()) / len(pairs)
    found = one_against_others(sample(COUNTS), seed=1)[CALIBRATION]
    assert number(found, len(COUNTS)) == pytest.approx(error)


def test_the_kappa_ceiling_is_scikit_learn_s_where_all_pairs_have_as_many_votes() -> None:
    counts = [(4, 1), (2, 3), (5, 0), (1, 4)]
    # A level majority is half of each.
    entries = [
        (vote, label, 0.5 if sum(others) == 2 else float(label == (sum(others) > 2)))
        for c in counts
        for vote, others in single_votes(c)
        for label in (0, 1)
    ]
    mine = number(one_against_others(sample(counts), seed=1)[KAPPA], 4)
    one, other, weights = (np.array(column) for column in zip(*entries, strict=True))
    expected = cohen_kappa_score(
        np.r_[one, 1 - one], np.r_[other, 1 - other], sample_weight=np.r_[weights, weights]
    )
    assert mine == pytest.approx(expected)


SHARES = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)


def all_counts(n: int) -> Sample:
    """A pair for each number of votes for the first that n votes may hold."""
    return sample([(first, n - first) for first in range(n + 1)])


@cache
def ceilings_of(n: int) -> Mapping[str, Quantity]:
    """The same for every share: only its counts weigh otherwise."""
    return one_against_others(all_counts(n), seed=1)


def expected(quantity: Quantity, weights: np.ndarray) -> float:
    return float(quantity.statistic(weights[None])[0])


@pytest.mark.parametrize("share", SHARES)
def test_the_ceiling_is_what_one_more_person_would_reach_however_many_votes_there_are(share: float) -> None:
    """Exactly: every count of votes with its binomial probability, against the probability that one more vote is the
    majority of n - 1, ties by a coin. 9 votes by chance gave .363, 9 of share .7 gave .582, and 11 less than 10."""
    reached = []
    for n in range(3, 32):
        majority = binom.sf((n - 1) / 2, n - 1, share) + (
            0.5 * binom.pmf((n - 1) / 2, n - 1, share) if n % 2 else 0.0
        )
        right = share * majority + (1 - share) * (1 - majority)
        found = ceilings_of(n)
        weights = binom.pmf(np.arange(n + 1), n, share)
        assert expected(found[LABELS], weights) == pytest.approx(right, abs=1e-12)
        assert expected(found[KAPPA], weights) == pytest.approx(2 * right - 1, abs=1e-12)
        reached.append(right)
    assert np.diff(reached).min() > -1e-12
    assert reached[11 - 3] == pytest.approx(reached[10 - 3])


@pytest.mark.parametrize("share", SHARES)
def test_a_judge_that_votes_as_people_do_is_at_one_person_with_an_odd_and_with_an_even_number_of_votes(
    share: float,
) -> None:
    """Exactly, as above: its own label accuracy, over pairs that are not tied, lies above the ceiling by up to .04."""
    above = []
    for n in range(3, 32):
        judged = replace(all_counts(n), support=np.full(n + 1, share))
        weights = binom.pmf(np.arange(n + 1), n, share)
        assert expected(over_person(judged), weights) == pytest.approx(0.0, abs=1e-12)
        own = quantities(judged)[LABELS]
        above.append(expected(own, weights) - expected(ceilings_of(n)[LABELS], weights))
    assert (max(above) > 1e-9) == (share > 0.5)


def test_judge_minus_person_is_counted_vote_by_vote() -> None:
    support = np.array([1.0, 0.0, 0.0, 0.5, 1.0, np.nan, 1.0, 1.0, 0.0])
    per_pair = []
    for counts, said in zip(COUNTS, support, strict=True):
        if sum(counts) > 1 and not np.isnan(said):
            each = [
                said * credit(1, others) + (1 - said) * credit(0, others) - credit(vote, others)
                for vote, others in single_votes(counts)
            ]
            per_pair.append(np.mean(each))
    found = over_person(replace(sample(COUNTS), support=support))
    assert number(found, len(COUNTS)) == pytest.approx(np.mean(per_pair))
    assert found.n == len(per_pair)


def votes_of(pair: np.ndarray, value: np.ndarray, n: int) -> Votes:
    nothing = np.zeros(n, dtype=np.int64)
    person = np.arange(len(pair))
    return Votes(
        np.zeros((1, 1)), nothing[:1], nothing, nothing, nothing > 0, pair, person, value.astype(float)
    )


def test_the_ceiling_of_a_judge_of_votes_and_that_of_two_classes_are_the_same() -> None:
    rng = np.random.default_rng(8)
    counts = [(int(first), int(second)) for first, second in rng.integers(0, 6, (40, 2))]
    expected = number(one_against_others(sample(counts), seed=1)[LABELS], 40)
    cast = [(pair, vote) for pair, c in enumerate(counts) for vote, _ in single_votes(c)]
    pair, vote = (np.array(column) for column in zip(*cast, strict=True))
    assert _ceilings(votes_of(pair, vote, 40), []).one_person == pytest.approx(expected)
    names = tuple(f"i{number}" for number in range(40))
    items = Items("", names, pair, np.arange(len(pair)), vote.astype(float), ("0", "1"), None, 0)
    assert number(person_quantities(items)["accuracy"], 40) == pytest.approx(expected)


def test_a_level_half_counts_a_half_as_a_judge_of_the_other() -> None:
    halves = [(np.array([0.5, 1.0, 1.0]), np.array([1.0, 1.0, 0.2]))]
    # First half against the second's labels: half, right, wrong; second against the first's: right, wrong.
    assert _ceilings(votes_of(np.zeros(1, dtype=np.int64), np.ones(1), 3), halves).half == pytest.approx(
        (0.5 + 1 + 0 + 1 + 0) / 5
    )


def test_the_spearman_ceiling_is_the_mean_over_drawn_votes() -> None:
    """Against scipy's coefficient averaged over 1,500 draws of one vote per pair."""
    rng = np.random.default_rng(5)
    counts = [(9, 1), (7, 3), (5, 5), (2, 8), (6, 4), (8, 2)]
    drawn = []
    for _ in range(1_500):
        vote = np.array([rng.random() < a / 10 for a, _ in counts], dtype=float)
        if 0 < vote.sum() < len(counts):
            drawn.append(
                spearmanr(vote, [(a - v) / 9 for (a, _), v in zip(counts, vote, strict=True)]).statistic
            )
    found = number(one_against_others(sample(counts), seed=1)[RANK], len(counts))
    assert found == pytest.approx(np.mean(drawn), abs=4 * np.std(drawn) / 50**0.5)


def test_the_identity_ceiling_is_the_participants_accuracy() -> None:
    """Where everybody answered every pair: the accuracy that `analyze` reports, which the paper prints."""
    responses = hntt()
    first = responses[responses["study"] == "hntt-1"]
    pairs = collect_pairs(first)
    judged, _ = matched(first, choices({f"q{number}": "a" for number in range(1, 11)}))
    group = Judging(pairs, seed=1, resamples=0).groups(judged)[0]
    accuracy = published(0).studies[0].accuracy.mean
    assert group.measures[IDENTITY].ceiling.value == pytest.approx(accuracy)
    assert accuracy == pytest.approx(0.83889, abs=1e-5)


def test_two_halves_hold_everybody_once() -> None:
    pairs = collect_pairs(random_responses(np.random.default_rng(1), 12, 9, seen=0.7))
    for half in halves(pairs, seed=4):
        assert (half <= pairs.votes).all()
    one = halves(pairs, seed=4)[0]
    people = np.unique(pairs.voted_person)
    assert 0 < one.sum() < pairs.votes.sum()
    assert len(people) == 9


def test_people_who_all_agree_reach_the_top_of_every_ceiling() -> None:
    responses = votes({"q1": "aaaaaa", "q2": "bbbbbb", "q3": "aaaaaa"})
    pairs = collect_pairs(responses)
    some = sample([(6, 0), (0, 6), (6, 0)], truth=False)
    for found in (one_against_others(some, seed=1), half_against_half(some, halves(pairs, seed=1))):
        assert {
            name: number(found[name], 3) for name in (LABELS, KAPPA, BRIER, CALIBRATION, RANK)
        } == pytest.approx({LABELS: 1.0, KAPPA: 1.0, BRIER: 0.0, CALIBRATION: 0.0, RANK: 1.0})


def test_split_halves_of_votes_at_random_do_not_correlate() -> None:
    """Simulation with known truth: coins have no reliability, leaning pairs have much."""
    rng = np.random.default_rng(2)
    coins = votes({f"q{pair}": "".join(rng.choice(["a", "b"], 40)) for pair in range(150)}, truth="")
    leaning = random_responses(rng, 150, 40, truth=False)
    found = []
    for responses in (coins, leaning):
        pairs = collect_pairs(responses)
        some = Sample(
            pairs.votes,
            pairs.with_ties,
            pairs.has_truth,
            False,
            np.full(150, np.nan),
            np.full(150, np.nan),
            False,
            np.negative,
        )
        found.append(number(half_against_half(some, halves(pairs, seed=1))[RANK], 150))
    assert abs(found[0]) < 0.1
    assert found[1] > 0.85
