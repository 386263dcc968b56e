"""The human ceiling against loops over single votes, written from its definition."""

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.metrics import cohen_kappa_score  # type: ignore[import-untyped]

from analysis.judging.ceiling import half_against_half, halves, one_against_others
from analysis.judging.measures import Judging
from analysis.judging.pairs import collect_pairs
from analysis.judging.sample import BRIER, CALIBRATION, IDENTITY, KAPPA, LABELS, RANK, Sample
from analysis.judging.scores import Quantity
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


def test_one_vote_against_the_others_majority_is_counted_one_by_one() -> None:
    per_pair = []
    for counts in COUNTS:
        right = [
            vote == (sum(others) * 2 > len(others))
            for vote, others in single_votes(counts)
            if others and sum(others) * 2 != len(others)
        ]
        if right:
            per_pair.append(np.mean(right))
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
    entries = [
        (vote, int(sum(others) > 2)) for c in counts for vote, others in single_votes(c) if sum(others) != 2
    ]
    mine = number(one_against_others(sample(counts), seed=1)[KAPPA], 4)
    # Pairs count the same however many of their votes have a majority to be held against, so weigh accordingly.
    weights = [
        1 / sum(1 for _, others in single_votes(c) if sum(others) != 2)
        for c in counts
        for _, others in single_votes(c)
        if sum(others) != 2
    ]
    one, other = (np.array(column) for column in zip(*entries, strict=True))
    expected = cohen_kappa_score(
        np.r_[one, 1 - one], np.r_[other, 1 - other], sample_weight=np.r_[weights, weights]
    )
    assert mine == pytest.approx(expected)


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
