"""Calibration of judges' statistics: the unit is the pair."""

from functools import cache, lru_cache

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import stats
from scipy.special import expit

from analysis.judging.alternative import EPSILON, alternative_test
from analysis.judging.ceiling import one_against_others
from analysis.judging.matching import JUDGED, Judged, Run, RunCounts
from analysis.judging.measures import OVER_PAIRS, SCALES, Spread, interval_of
from analysis.judging.pairs import Pairs
from analysis.judging.prediction_powered import mean_interval, prediction_powered_mean
from analysis.judging.sample import (
    ACCURACIES,
    BRIER,
    IDENTITY,
    KAPPA,
    LABELS,
    RANK,
    Sample,
    quantities,
)
from analysis.judging.scores import Quantity, evaluate
from analysis.judging.versus import compare_judges
from analysis.stats.intervals import Floats
from bench.calibration_case import RESAMPLES, Case, Hit, holds, interval, null_test, rejected, within

_VOTERS, _TRUTH_PAIRS = 20, 200_000
_NAMES = (IDENTITY, LABELS, RANK, KAPPA, BRIER)
_CEILINGS = (IDENTITY, LABELS, KAPPA, BRIER)


def _sample(rng: np.random.Generator, pairs: int) -> Sample:
    """20 votes on each pair, for the truth with log odds normal(0.5, 1); a judge that sees these odds through noise."""
    odds = 0.5 + rng.standard_normal(pairs)
    first = rng.binomial(_VOTERS, expit(odds))
    score = expit(0.8 * odds + rng.standard_normal(pairs))
    return Sample(
        votes=np.column_stack([first, _VOTERS - first, np.zeros_like(first)]),
        with_ties=np.zeros(pairs, dtype=bool),
        has_truth=np.ones(pairs, dtype=bool),
        both_ways=False,
        support=(score > 0.5).astype(float),
        score=score,
        probability=True,
        mirrored=lambda turned: 1 - turned,
    )


def _of_people(sample: Sample) -> dict[str, Quantity]:
    found = one_against_others(sample, seed=1)
    return {name: found[name] for name in _CEILINGS}


@cache
def _true_numbers() -> tuple[dict[str, float], dict[str, float]]:
    sample = _sample(np.random.default_rng(0), _TRUTH_PAIRS)
    judge, people = (
        {name: one.point for name, one in evaluate(of, _TRUTH_PAIRS, seed=1, resamples=0).items()}
        for of in (quantities(sample), _of_people(sample))
    )
    return judge, people


def _held(
    of: dict[str, Quantity], truth: dict[str, float], names: tuple[str, ...], pairs: int, seed: int
) -> tuple[Hit, ...]:
    found = evaluate(of, pairs, seed=seed, resamples=RESAMPLES)
    hits: list[Hit] = []
    for name in names:
        one, spread = found[name], Spread(found[name].draws, found[name].without)
        if of[name].reason or np.isnan(one.point) or (name == BRIER and pairs < 15):
            hits.append(None)
            continue
        ends = interval_of(
            one.point,
            of[name].n,
            spread,
            OVER_PAIRS,
            SCALES.get(name, "share"),
            seed,
            RESAMPLES,
            is_accuracy=name in ACCURACIES,
        )
        hits.append(holds(ends, truth[name]))
    return tuple(hits)


def _judge_case(pairs: int) -> Case:
    known = "an interval needs 10 pairs, of accuracies 3" if pairs < 10 else ""
    return Case(
        f"judge-{pairs}",
        _design(pairs),
        (
            interval("judge: accuracy against the truth"),
            interval("judge: accuracy against majority labels"),
            interval("judge: Spearman's correlation", known),
            interval("judge: kappa", known),
            interval("judge: Brier score", _brier(pairs)),
        ),
        lambda rng, seed: _held(quantities(_sample(rng, pairs)), _true_numbers()[0], _NAMES, pairs, seed),
        1_500,
    )


def _ceiling_case(pairs: int) -> Case:
    known = "an interval needs 10 pairs, of accuracies 3" if pairs < 10 else ""
    return Case(
        f"ceiling-{pairs}",
        _design(pairs),
        (
            interval("one participant: accuracy against the truth"),
            interval("one participant: accuracy against the others' majority"),
            interval("one participant: kappa", known),
            interval("one participant: Brier score", _brier(pairs)),
        ),
        lambda rng, seed: _held(_of_people(_sample(rng, pairs)), _true_numbers()[1], _CEILINGS, pairs, seed),
        1_500,
    )


def _brier(pairs: int) -> str:
    return "an interval needs 15 pairs" if pairs < 15 else ""


def _design(pairs: int) -> str:
    return f"{pairs} pairs, {_VOTERS} votes each; truth from {_TRUTH_PAIRS:,} pairs"


def voted_pairs(choices: npt.NDArray[np.int64]) -> Pairs:
    """Pairs with a truth, from the matrix of choices: row = person, column = pair, value = chosen member (0 the truth);
    without rows, no votes.
    """
    people, n = choices.shape
    person, pair = np.indices(choices.shape).reshape(2, -1)
    second = choices.sum(axis=0)
    return Pairs(
        table=pd.DataFrame({"study": ["s"] * n}),
        named=np.ones(n, dtype=bool),
        has_truth=np.ones(n, dtype=bool),
        changed=np.zeros(n, dtype=bool),
        votes=np.column_stack([people - second, second, np.zeros_like(second)]),
        voted_pair=pair,
        voted_person=person,
        voted_member=choices.ravel().astype(np.int8),
    )


def _judged(name: str, support: Floats) -> Judged:
    n = len(support)
    counts = RunCounts("", n, n, n, 0, 0, 0, 0, 0, 0, ())
    nothing = np.full(n, np.nan)
    return Judged(
        name, "pairs", "none", (Run(counts, np.full(n, JUDGED), support, support, nothing, nothing),)
    )


def _two_judges(rng: np.random.Generator, n: int, seed: int) -> tuple[Hit, ...]:
    """Two judges, equally good, that find the same pairs hard."""
    chance = expit(0.9 + rng.standard_normal(n))
    one, two = (rng.random((2, n)) < chance).astype(float)
    pairs = voted_pairs(np.zeros((0, n), dtype=np.int64))
    judged = [_judged("one", one), _judged("two", two)]
    found = compare_judges(judged, pairs, seed=seed, resamples=RESAMPLES)[0]
    return rejected(found.p), holds(found.difference.interval, 0.0)


def _two_judges_case(pairs: int) -> Case:
    return Case(
        f"two-judges-{pairs}",
        f"{pairs} pairs, two judges equally good on pairs of the same difficulty",
        (
            null_test("McNemar's test, exact", "exact: never above, by steps below"),
            interval("difference of their accuracies"),
        ),
        lambda rng, seed: _two_judges(rng, pairs, seed),
        2_000,
    )


_RIGHT, _PEOPLE, _ASKED = 0.75, 11, 60


@lru_cache
def _at_the_boundary() -> float:
    """The judge's accuracy at which the mean of d is epsilon for everybody.

    d differs from 0 where participant and judge differ, and is then the sign of the others' majority: its mean is
    (P(others right) - P(others wrong)) (accuracy of the participant - accuracy of the judge)."""
    others = stats.binom(_PEOPLE - 1, _RIGHT)
    half = (_PEOPLE - 1) // 2
    return _RIGHT - EPSILON / float(others.sf(half) - others.cdf(half - 1))


def _alternative(rng: np.random.Generator, _seed: int) -> tuple[Hit, ...]:
    wrong = (rng.random((_PEOPLE, _ASKED)) >= _RIGHT).astype(np.int64)
    support = (rng.random(_ASKED) < _at_the_boundary()).astype(float)
    found = alternative_test(voted_pairs(wrong), support)
    return found.passes, found.n_won > 0


def _powered(labelled: int) -> Case:
    def simulate(rng: np.random.Generator, _seed: int) -> tuple[Hit, ...]:
        chance = rng.beta(3, 2, labelled + 500)
        labels = rng.binomial(_VOTERS, chance[:labelled]) / _VOTERS
        verdicts = (rng.random(len(chance)) < 0.2 + 0.7 * chance).astype(float)
        hits: list[Hit] = []
        for power in (None, 1.0):
            value, error, _ = prediction_powered_mean(labels, verdicts[:labelled], verdicts[labelled:], power)
            hits.append(_holds(mean_interval(value, error, labelled)))
        alone = mean_interval(float(labels.mean()), float(np.std(labels)) / labelled**0.5, labelled)
        return *hits, _holds(alone)

    known = (
        "the normal quantile, and variances that divide by n, as in the authors' program"
        if labelled >= 50
        else ""
    )
    return Case(
        f"prediction-powered-{labelled}",
        f"{labelled} pairs with {_VOTERS} votes, 500 more with verdicts only; true mean 0.6",
        (
            interval("prediction-powered mean, tuned", known),
            interval("prediction-powered mean, power 1", known),
            interval("mean of the votes alone", known),
        ),
        simulate,
        3_000,
    )


def _holds(ends: tuple[float | None, float | None, float | None]) -> Hit:
    _, low, high = ends
    return None if low is None or high is None else within(low, 0.6, high)


CASES = (
    *(_judge_case(pairs) for pairs in (3, 5, 8, 10, 40, 60)),
    *(_ceiling_case(pairs) for pairs in (3, 5, 8, 10, 40, 60)),
    *(_two_judges_case(pairs) for pairs in (3, 5, 8, 10, 30, 60)),
    Case(
        "alternative",
        f"{_PEOPLE} participants with accuracy {_RIGHT:g} on {_ASKED} pairs, the judge worse by just epsilon",
        (
            null_test("alternative annotator test: the judge passes", "corrected for many tests: cautious"),
            null_test(
                "alternative annotator test: it wins against anybody", "corrected for many tests: cautious"
            ),
        ),
        _alternative,
    ),
    *(_powered(labelled) for labelled in (10, 30, 50)),
)
