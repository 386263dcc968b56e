"""Calibration of what is said of judges: the unit is the pair."""

from functools import cache, lru_cache

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import stats
from scipy.special import expit

from analysis.intervals import Floats
from analysis.judging.alternative import EPSILON, alternative_test
from analysis.judging.ceiling import one_against_others
from analysis.judging.matching import JUDGED, Judged, Run, RunCounts
from analysis.judging.measures import OVER_PAIRS, interval_of
from analysis.judging.pairs import Pairs
from analysis.judging.prediction_powered import prediction_powered_mean
from analysis.judging.sample import (
    ACCURACIES,
    BRIER,
    CALIBRATION,
    IDENTITY,
    KAPPA,
    LABELS,
    RANK,
    Sample,
    quantities,
)
from analysis.judging.scores import Quantity, evaluate
from analysis.judging.versus import compare_judges
from bench.calibration_case import RESAMPLES, Case, Hit, holds, interval, null_test, rejected, within, z95

_PAIRS, _VOTERS, _TRUTH_PAIRS = 40, 20, 200_000
_NAMES = (IDENTITY, LABELS, RANK, KAPPA, BRIER, CALIBRATION)
_CEILINGS = (IDENTITY, LABELS, KAPPA, BRIER, CALIBRATION)
_BIASED = "the estimate is biased upwards in a finite sample, and so is its interval"


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
        {name: value for name, (value, _) in evaluate(of, _TRUTH_PAIRS, seed=1, resamples=0).items()}
        for of in (quantities(sample), _of_people(sample))
    )
    return judge, people


def _held(
    of: dict[str, Quantity], truth: dict[str, float], names: tuple[str, ...], seed: int
) -> tuple[Hit, ...]:
    found = evaluate(of, _PAIRS, seed=seed, resamples=RESAMPLES)
    hits = []
    for name in names:
        value, draws = found[name]
        ends = interval_of(value, of[name].n, draws, OVER_PAIRS, name in ACCURACIES, seed, RESAMPLES)
        hits.append(holds(ends, truth[name]))
    return tuple(hits)


def _judge(rng: np.random.Generator, seed: int) -> tuple[Hit, ...]:
    return _held(quantities(_sample(rng, _PAIRS)), _true_numbers()[0], _NAMES, seed)


def _ceiling(rng: np.random.Generator, seed: int) -> tuple[Hit, ...]:
    return _held(_of_people(_sample(rng, _PAIRS)), _true_numbers()[1], _CEILINGS, seed)


def _pairs(choices: npt.NDArray[np.int64]) -> Pairs:
    """Pairs with a truth, from who (a row) chose which member (0 the truth) of which pair; no row, no votes."""
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
    return Judged(name, "pairs", "none", (Run(counts, np.full(n, JUDGED), support, support, nothing),))


def _two_judges(rng: np.random.Generator, seed: int) -> tuple[Hit, ...]:
    """Two judges, equally good, that find the same pairs hard."""
    chance = expit(0.9 + rng.standard_normal(60))
    one, two = (rng.random((2, 60)) < chance).astype(float)
    pairs = _pairs(np.zeros((0, 60), dtype=np.int64))
    found = compare_judges([_judged("one", one), _judged("two", two)], pairs, seed=seed, resamples=RESAMPLES)[
        0
    ]
    return rejected(found.p), holds(found.difference.interval, 0.0)


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
    found = alternative_test(_pairs(wrong), support)
    return found.passes, found.n_won > 0


def _powered(labelled: int) -> Case:
    def simulate(rng: np.random.Generator, _seed: int) -> tuple[Hit, ...]:
        chance = rng.beta(3, 2, labelled + 500)
        labels = rng.binomial(_VOTERS, chance[:labelled]) / _VOTERS
        verdicts = (rng.random(len(chance)) < 0.2 + 0.7 * chance).astype(float)
        hits: list[Hit] = []
        for power in (None, 1.0):
            value, error, _ = prediction_powered_mean(labels, verdicts[:labelled], verdicts[labelled:], power)
            hits.append(within(value - z95() * error, 0.6, value + z95() * error))
        alone = z95() * float(np.std(labels)) / labelled**0.5
        hits.append(within(float(labels.mean()) - alone, 0.6, float(labels.mean()) + alone))
        return tuple(hits)

    known = "variances divide by n, and the normal quantile: a little narrow, as in the authors' program"
    return Case(
        f"prediction-powered-{labelled}",
        f"{labelled} pairs with {_VOTERS} votes, 500 more with verdicts only; true mean 0.6",
        (
            interval("prediction-powered mean, tuned", known),
            interval("prediction-powered mean, power 1", known),
            interval("mean of the votes alone, normal", known),
        ),
        simulate,
    )


_DESIGN = f"{_PAIRS} pairs, {_VOTERS} votes each; truth from {_TRUTH_PAIRS:,} pairs"

CASES = (
    Case(
        "judge",
        _DESIGN,
        (
            interval("judge: accuracy against the truth"),
            interval("judge: accuracy against majority labels"),
            interval("judge: Spearman's correlation"),
            interval("judge: kappa"),
            interval("judge: Brier score"),
            interval("judge: calibration error", _BIASED),
        ),
        _judge,
        3_000,
    ),
    Case(
        "ceiling",
        _DESIGN,
        (
            interval("one participant: accuracy against the truth"),
            interval("one participant: accuracy against the others' majority"),
            interval("one participant: kappa"),
            interval("one participant: Brier score"),
            interval("one participant: calibration error (so it is not given)", _BIASED),
        ),
        _ceiling,
        1_000,
    ),
    Case(
        "two-judges",
        "60 pairs, two judges equally good on pairs of the same difficulty",
        (
            null_test("McNemar's test, exact", "exact: never above, by steps below"),
            interval("paired bootstrap of the difference"),
        ),
        _two_judges,
        3_000,
    ),
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
    _powered(50),
    _powered(30),
)
