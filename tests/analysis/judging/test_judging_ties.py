"""Votes for no difference: labels, accuracies, ceilings, the alternative annotator test and prediction-powered means
against loops over single votes, scikit-learn and cases worked by hand."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score  # type: ignore[import-untyped]

from analysis import check_responses
from analysis.judging import render_validation, validate_judges
from analysis.judging.alternative import alternative_test
from analysis.judging.ceiling import one_against_others
from analysis.judging.matching import match
from analysis.judging.pairs import collect_pairs, label_of, share_of
from analysis.judging.prediction_powered import prediction_powered
from analysis.judging.sample import (
    BRIER,
    CALIBRATION,
    IDENTITY,
    LABELS,
    THREE,
    TWO_CLASSES,
    Sample,
)
from analysis.judging.scores import Quantity
from tests.analysis.judging.cases import choices, matched, probabilities, random_responses, verdicts, votes
from tests.analysis.judging.test_judging_prediction_powered import further_pairs

pytestmark = pytest.mark.slow

COUNTS = [(5, 2, 1), (3, 3, 1), (1, 2, 4), (2, 1, 1), (1, 1, 0), (0, 0, 3), (1, 0, 0), (0, 0, 0), (0, 1, 1)]


def sample(counts: Sequence[tuple[int, int, int]]) -> Sample:
    n = len(counts)
    return Sample(
        votes=np.array(counts),
        with_ties=np.ones(n, dtype=bool),
        has_truth=np.ones(n, dtype=bool),
        both_ways=False,
        support=np.full(n, np.nan),
        score=np.full(n, np.nan),
        probability=False,
        mirrored=np.negative,
    )


def number(quantity: Quantity, n: int) -> float:
    return float((quantity.point or quantity.statistic)(np.ones((1, n)))[0])


def single_votes(counts: tuple[int, int, int]) -> list[tuple[float, list[float]]]:
    """Every vote, by what it is worth for the first, with those of the others."""
    everyone = [1.0] * counts[0] + [0.0] * counts[1] + [0.5] * counts[2]
    return [(vote, everyone[:i] + everyone[i + 1 :]) for i, vote in enumerate(everyone)]


def most(values: Sequence[float]) -> float:
    """The plurality answer; else a tie."""
    (first, n), *rest = [*Counter(values).most_common(), (0.5, 0)]
    return 0.5 if rest[0][1] == n else first


def test_the_label_is_what_more_say_than_each_of_the_other_answers() -> None:
    voted = [counts for counts in COUNTS if sum(counts)]
    nobody = np.zeros((1, 3), dtype=np.int64)
    everyone = [[1.0] * a + [0.0] * b + [0.5] * tie for a, b, tie in voted]
    assert label_of(np.array(voted)).tolist() == [most(values) for values in everyone]
    assert share_of(np.array(voted)).tolist() == pytest.approx([np.mean(values) for values in everyone])
    assert np.isnan([label_of(nobody)[0], share_of(nobody)[0]]).all()


def per_pair(credit: Any) -> float:
    """The mean over votes of a credit, each weighted by 1 / votes of its pair; votes without one are left out."""
    weighed = [
        (credit(vote, others), 1 / sum(counts))
        for counts in COUNTS
        for vote, others in single_votes(counts)
        if others
    ]
    known = [(one, weight) for one, weight in weighed if one is not None]
    return float(np.average([one for one, _ in known], weights=[weight for _, weight in known]))


def is_level(others: Sequence[float]) -> bool:
    return others.count(1.0) == others.count(0.0) >= others.count(0.5)


def test_the_ceilings_are_counted_one_vote_by_one() -> None:
    found = one_against_others(sample(COUNTS), seed=1)

    def label(vote: float, others: list[float]) -> float | None:
        majority = most(others)
        if is_level(others):
            return 0.5
        return None if majority == 0.5 else vote * majority + (1 - vote) * (1 - majority)

    def three(vote: float, others: list[float]) -> float:
        return float(vote != 0.5) / 2 if is_level(others) else float(vote == most(others))

    def brier(vote: float, others: list[float]) -> float:
        forecast = np.mean(others)
        return float(vote * (1 - forecast) ** 2 + (1 - vote) * forecast**2)

    n = len(COUNTS)
    assert number(found[LABELS], n) == pytest.approx(per_pair(label))
    assert number(found[BRIER], n) == pytest.approx(per_pair(brier))
    assert number(found[THREE], n) == pytest.approx(per_pair(three))
    shares = [np.mean([vote for vote, _ in single_votes(counts)]) for counts in COUNTS if sum(counts)]
    assert number(found[IDENTITY], n) == pytest.approx(np.mean(shares))


def test_the_calibration_ceiling_with_ties_is_counted_one_vote_by_one() -> None:
    bins: dict[int, list[tuple[float, float, float]]] = {}
    pairs = [counts for counts in COUNTS if sum(counts) > 1]
    for counts in pairs:
        for vote, others in single_votes(counts):
            share = float(np.mean(others))
            agrees = 0.5 if share == 0.5 else vote if share > 0.5 else 1 - vote
            sure = max(share, 1 - share)
            place = min(int(round((sure - 0.5) * 10, 9)), 4)
            bins.setdefault(place, []).append((sure, agrees, 1 / sum(counts)))
    error = sum(abs(sum(w * (c - a) for c, a, w in entries)) for entries in bins.values()) / len(pairs)
    found = one_against_others(sample(COUNTS), seed=1)[CALIBRATION]
    assert number(found, len(COUNTS)) == pytest.approx(error)


def test_three_class_accuracy_is_scikit_learn_s_against_the_labels() -> None:
    rng = np.random.default_rng(5)
    responses = random_responses(rng, 40, 6, ties=0.3)
    said = {f"q{pair}": str(rng.choice(["a", "b", "tie"])) for pair in range(40)}
    validation = validate_judges(responses, verdicts(choices(said)), resamples=0)
    people: dict[str, list[float]] = {}
    for row in responses.itertuples():
        people.setdefault(str(row.pair), []).append({"a": 1.0, "b": 0.0, "tie": 0.5}[str(row.choice)])
    labels = [{1.0: "a", 0.0: "b", 0.5: "tie"}[most(people[pair])] for pair in said]
    measures = validation.judges[0].groups[0].measures
    assert measures[THREE].corrected.value == accuracy_score(labels, list(said.values()))
    assert measures[THREE].corrected.n == 40
    decided = [
        (label, verdict) for label, verdict in zip(labels, said.values(), strict=True) if label != "tie"
    ]
    half = [0.5 if verdict == "tie" else float(verdict == label) for label, verdict in decided]
    assert measures[LABELS].corrected.value == pytest.approx(np.mean(half))
    assert validation.n_tied == labels.count("tie")


def test_three_ties_and_one_other_are_a_tie_and_the_judge_that_names_the_other_fails() -> None:
    """What flipped a conclusion: each pair got a one-vote label, and the judge that gave it passed the test."""
    responses = votes({f"q{n}": "===a" for n in range(40)})
    lone, agreeing = (choices({f"q{n}": said for n in range(40)}, said) for said in ("a", "tie"))
    validation = validate_judges(responses, verdicts([*lone, *agreeing]), resamples=0)
    by_name = {judge.judge: judge for judge in validation.judges}
    assert (validation.n_tied, validation.n_tie_votes, validation.n_votes) == (40, 120, 160)
    for name, right, passes in (("a", 0.0, False), ("tie", 1.0, True)):
        judge = by_name[name]
        assert judge.groups[0].measures[THREE].corrected.value == right
        assert judge.groups[0].measures[LABELS].corrected.reason
        assert judge.alternative_annotator[0].passes is passes
    blanks = votes({f"q{n}": "...a" for n in range(40)})
    found = validate_judges(blanks, verdicts(lone), resamples=0)
    assert (found.n_votes, found.n_blank, found.n_tied) == (40, 120, 0)


def test_where_nobody_says_no_difference_there_are_two_classes_and_a_reason() -> None:
    responses = votes({"q1": "aab", "q2": "abb", "q3": "a.b"})
    validation = validate_judges(
        responses, verdicts(choices({"q1": "tie", "q2": "b", "q3": "a"})), resamples=0
    )
    measure = validation.judges[0].groups[0].measures[THREE]
    assert (measure.corrected.value, measure.corrected.reason) == (None, TWO_CLASSES)
    assert measure.ceiling.reason == measure.split_half.reason == TWO_CLASSES
    assert "1 blank answers are no votes" in " ".join(render_validation(validation).split())


def test_a_study_without_ties_keeps_its_two_classes_beside_one_with_them() -> None:
    """A tied verdict scores the share of ties where people may answer so, and a half where they may not."""
    here, there = votes({"q1": "aab="}, study="s"), votes({"q1": "aab"}, study="t")
    rows = [{"judge": "j", "study": study, "pair": "q1", "choice": "tie"} for study in ("s", "t")]
    both = check_responses(pd.concat([here, there]).astype(object))
    judged, pairs = matched(both, rows)
    assert pairs.with_ties.tolist() == [True, False]
    found = alternative_test(pairs, judged.runs[0].support, min_instances=1)
    # In s the tie has the shares 1/3, 1/3, 1/3 and 0 of the others' votes, people 1/3, 1/3, 0 and 0;
    # in t it has a half each time, people 1/2, 1/2 and 0.
    assert found.advantage_all == pytest.approx(np.mean([1, 1, 1, 1, 1, 1, 1]))
    assert found.difference.value == pytest.approx((-1 / 4 + -1 / 3) / 2)


def test_a_tie_vote_is_a_half_in_the_prediction_powered_mean() -> None:
    responses = votes({f"q{n}": "a=" if n % 2 else "bb" for n in range(60)})
    pairs = collect_pairs(responses, further_pairs(10))
    rows = probabilities({f"q{n}": 0.6 for n in range(60)} | {f"new{n}": 0.6 for n in range(10)})
    [found] = prediction_powered(match(verdicts(rows), pairs, responses)[0], pairs)
    assert found.people == pytest.approx((0.75 + 0.0) / 2)
