"""Every number of one judge in one group of pairs, each with people's level."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from analysis.judging.as_published import AsPublished, as_published, published_labels
from analysis.judging.ceiling import (
    Counts,
    half_against_half,
    halves,
    one_against_others,
    over_person,
    votes_as_outcomes,
)
from analysis.judging.matching import Judged, Run
from analysis.judging.pairs import EVEN, Bools, Pairs, Scope, label_of, share_of
from analysis.judging.sample import (
    ACCURACIES,
    BRIER,
    CALIBRATION,
    KAPPA,
    LABELS,
    MEASURES,
    RANK,
    Sample,
    binned,
    forecasts,
    quantities,
)
from analysis.judging.scores import BINS, Evaluated, Quantity, divided, evaluate, nan_mean, ratio_of
from analysis.options import LEVEL
from analysis.results import Result
from analysis.stats.agreement.resampling import JACKKNIFE
from analysis.stats.estimates import Estimate
from analysis.stats.intervals import NOT_ASKED, Floats, Interval, no_interval, percentile_interval, wilson
from analysis.stats.student import FEWEST, Scale, jackknife_error, student, too_few

OVER_PAIRS = "percentile bootstrap over pairs"
OVER_RUNS = "percentile bootstrap over pairs and runs"
OVER_PERSON = "over_person"
WILSON = "Wilson's, for every pair has the same value"

_SMALLEST = 1e-12
# Of fewer pairs some intervals hold the truth in less than 90% of cases; those of accuracies do not.
_FEWEST_PAIRS, _FEWEST_FOR_BRIER = 10, 15
SCALES: Mapping[str, Scale] = {RANK: "correlation", KAPPA: "correlation", OVER_PERSON: "any"}
# Simulated: around people's it would hold the truth in 28% of cases, around a judge's in 92% with 20 votes a pair.
_BIASED = (
    "the error is biased upwards where bins hold few votes, and an interval around it would miss the truth"
)
_SAME = "the pairs show no spread"
_ALONE = "without one of the pairs the number is not defined"


@dataclass(frozen=True, slots=True)
class Measure(Result):
    """One number: `as_published` (for three of them), `corrected`, and people's level.

    `corrected` is the mean over runs, `runs` its value in each (in the order of the judge's runs), with their SDs.
    `ceiling` is one participant against the others, `split_half` one half of the participants against the other, both
    over the pairs that the judge judged. `over_person`, for label accuracy only, is the judge's minus one
    participant's, both against the same others: above 0 if the judge agrees with people more often.
    """

    as_published: AsPublished | None
    corrected: Estimate
    runs: tuple[float | None, ...]
    sd_ddof0: float | None
    sd_ddof1: float | None
    ceiling: Estimate
    split_half: Estimate
    over_person: Estimate | None = None


@dataclass(frozen=True, slots=True)
class Bin(Result):
    """Pairs on which the judge is as sure as `low` to `high` of its choice: the mean of that, and the share
    of votes that agree with it. `ceiling` is the share of votes that agree with the others where those are
    that sure."""

    low: float
    high: float
    confidence: float | None
    agreement: Estimate
    ceiling: Estimate


@dataclass(frozen=True, slots=True)
class Group(Result):
    """One judge's numbers in one group of pairs: ``all``, a ``class`` (human-agent: with a truth;
    agent-agent: without) or a ``condition``.

    Of `n_pairs`, `n_with_votes` have votes, `n_tied_labels` of these a tied majority; `n_judged` have a
    verdict in some run. `both_ways`: some pairs have neither truth nor sources that tell the members apart,
    and the correlation takes every pair both ways round. `calibration` is empty where the judge gives no
    probabilities. `least_majority` and `greatest_majority` are the smallest and largest share of a pair's votes that
    went to the member with more of them, a vote for no difference being half a vote for each, 0.5 to 1; None without
    votes. Where both are near 1 there is little rank to find."""

    scope: Scope
    name: str
    n_pairs: int
    n_with_votes: int
    n_tied_labels: int
    n_judged: int
    both_ways: bool
    measures: Mapping[str, Measure]
    calibration: tuple[Bin, ...]
    least_majority: float | None
    greatest_majority: float | None


@dataclass(frozen=True, slots=True)
class _Across:
    """One measure over the runs of a judge."""

    estimate: Estimate
    runs: tuple[float | None, ...]
    sd_ddof0: float | None
    sd_ddof1: float | None


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """The spread of a number: its value in each resample of many pairs, or without each of few pairs and, for a mean
    over runs, the variance of that mean between runs, with its degrees of freedom.
    """

    draws: Floats
    without: Floats | None = None
    of_runs: float = 0.0
    df_of_runs: float = 1.0


class Judging:
    """Data shared by all judges of a validation: the pairs, their labels, splits and ceilings, each computed once."""

    def __init__(self, pairs: Pairs, *, seed: int, resamples: int) -> None:
        self.pairs = pairs
        self.seed = seed
        self.resamples = resamples
        self._labels = published_labels(pairs, seed)
        self._with_ties = pairs.with_ties
        self._halves = halves(pairs, seed=seed)
        self._ceilings: dict[bytes, tuple[dict[str, Estimate], dict[str, Estimate], list[Estimate]]] = {}

    def groups(self, judged: Judged) -> tuple[Group, ...]:
        """The judge's numbers in every group of pairs."""
        return tuple(self._group(judged, scope, name, group) for scope, name, group in self.pairs.groups())

    def _group(self, judged: Judged, scope: Scope, name: str, group: Bools) -> Group:
        used = group & judged.judged
        both_ways = not self.pairs.named[group].all()
        published = as_published(judged, self.pairs, self._labels, group, self.seed)
        corrected = self._corrected(judged, used, both_ways)
        ceiling, split_half, bins = self._people(used, both_ways)
        votes = self.pairs.votes[group]
        majority = np.abs(share_of(votes[votes.sum(axis=1) > 0]) - 0.5) + 0.5
        return Group(
            scope=scope,
            name=name,
            n_pairs=int(group.sum()),
            n_with_votes=int((votes.sum(axis=1) > 0).sum()),
            n_tied_labels=int((label_of(votes) == EVEN).sum()),
            n_judged=int(used.sum()),
            both_ways=both_ways,
            measures={
                key: Measure(
                    as_published=published.get(key),
                    corrected=corrected[key].estimate,
                    runs=corrected[key].runs,
                    sd_ddof0=corrected[key].sd_ddof0,
                    sd_ddof1=corrected[key].sd_ddof1,
                    ceiling=ceiling[key],
                    split_half=split_half[key],
                    over_person=_over(corrected) if key == LABELS else None,
                )
                for key in MEASURES
            },
            calibration=self._bins(judged, used, both_ways, bins),
            least_majority=float(majority.min()) if len(majority) else None,
            greatest_majority=float(majority.max()) if len(majority) else None,
        )

    def _sample(self, used: Bools, both_ways: bool, run: Run | None, judged: Judged | None) -> Sample:
        nothing = np.full(int(used.sum()), np.nan)
        return Sample(
            votes=self.pairs.votes[used],
            with_ties=self._with_ties[used],
            has_truth=self.pairs.has_truth[used],
            both_ways=both_ways,
            support=nothing if run is None else run.support[used],
            score=nothing if run is None else run.score[used],
            probability=judged is not None and judged.scores == "probabilities",
            mirrored=np.negative if judged is None else judged.mirrored,
        )

    def _corrected(self, judged: Judged, used: Bools, both_ways: bool) -> dict[str, _Across]:
        samples = [self._sample(used, both_ways, run, judged) for run in judged.runs]
        per_run = [{**quantities(sample), OVER_PERSON: over_person(sample)} for sample in samples]
        all_of = {(key, number): one for number, run in enumerate(per_run) for key, one in run.items()}
        found = evaluate(all_of, int(used.sum()), seed=self.seed, resamples=self.resamples)
        shares = self._run_shares(len(per_run))
        return {
            key: self._across(
                key,
                [run[key] for run in per_run],
                [found[key, number] for number in range(len(per_run))],
                shares,
            )
            for key in (*MEASURES, OVER_PERSON)
        }

    def _across(
        self, key: str, runs: Sequence[Quantity], found: Sequence[Evaluated], shares: Floats
    ) -> _Across:
        """One measure over the runs: their mean, each of them, and their SDs."""
        points = np.array([one.point for one in found])
        defined = [number for number, one in enumerate(runs) if one.reason is None]
        spread = _over_runs([found[number] for number in defined], shares[defined])
        reason = None if defined else runs[0].reason
        method = OVER_PAIRS if len(runs) == 1 else OVER_RUNS
        mean = float(nan_mean(points))
        value = estimate(mean, max(one.n for one in runs), spread, reason, self, method, key)
        known = points[~np.isnan(points)]
        sd0, sd1 = (float(np.std(known, ddof=ddof)) if len(known) > 1 else None for ddof in (0, 1))
        return _Across(value, tuple(None if np.isnan(point) else float(point) for point in points), sd0, sd1)

    def _run_shares(self, runs: int) -> Floats:
        """The weight of each run in each resample, shape (runs, resamples): runs are crossed with pairs, and both are
        drawn independently [Owe07]_.
        """
        if runs == 1:
            return np.ones((1, self.resamples))
        rng = np.random.default_rng([self.seed, runs])
        return rng.multinomial(runs, np.full(runs, 1 / runs), size=self.resamples).T.astype(float)

    def _people(
        self, used: Bools, both_ways: bool
    ) -> tuple[dict[str, Estimate], dict[str, Estimate], list[Estimate]]:
        """The ceilings over the pairs that count; judges of the same pairs share them."""
        key = used.tobytes() + bytes([both_ways])
        if key not in self._ceilings:
            sample = self._sample(used, both_ways, None, None)
            split = [half[used] for half in self._halves]
            self._ceilings[key] = (
                self._estimates(one_against_others(sample, seed=self.seed), len(sample.votes)),
                self._estimates(half_against_half(sample, split), len(sample.votes)),
                self._ceiling_bins(sample.votes),
            )
        return self._ceilings[key]

    def _estimates(self, of: Mapping[str, Quantity], pairs: int) -> dict[str, Estimate]:
        found = evaluate(of, pairs, seed=self.seed, resamples=self.resamples)
        ceilings = {
            key: estimate(
                found[key].point,
                one.n,
                Spread(found[key].draws, found[key].without),
                one.reason,
                self,
                OVER_PAIRS,
                key,
            )
            for key, one in of.items()
        }
        return ceilings

    def _ceiling_bins(self, votes: Counts) -> list[Estimate]:
        return [one for one, _ in self._binned(votes_as_outcomes(votes), len(votes))]

    def _bins(self, judged: Judged, used: Bools, both_ways: bool, people: list[Estimate]) -> tuple[Bin, ...]:
        if judged.scores != "probabilities":
            return ()
        parts = [forecasts(self._sample(used, both_ways, run, judged)) for run in judged.runs]
        edges = np.linspace(0.5, 1.0, BINS + 1)
        return tuple(
            Bin(float(round(low, 6)), float(round(high, 6)), confidence, agreement, ceiling)
            for low, high, (agreement, confidence), ceiling in zip(
                edges[:-1], edges[1:], self._binned(parts, int(used.sum())), people, strict=True
            )
        )

    def _binned(
        self, parts: Sequence[tuple[Floats, Floats, Floats]], pairs: int
    ) -> list[tuple[Estimate, float | None]]:
        """Per bin the agreement, with its interval over pairs, and the mean confidence."""
        agreed = sum(binned(agreement, weight, sure)[0] for sure, agreement, weight in parts)
        sure_of = sum(binned(sure, weight, sure)[0] for sure, _, weight in parts)
        size = sum(binned(sure, weight, sure)[1] for sure, _, weight in parts)
        reason = "no pair falls into this bin"
        of = {str(k): ratio_of(agreed[:, k], size[:, k], reason) for k in range(BINS)}  # type: ignore[index]
        estimates = self._estimates(of, pairs)
        mean = divided(np.sum(sure_of, axis=0), np.sum(size, axis=0))
        return [(estimates[str(k)], None if np.isnan(mean[k]) else float(mean[k])) for k in range(BINS)]


def _over(corrected: Mapping[str, _Across]) -> Estimate:
    return with_spread_of(corrected[LABELS].estimate, corrected[OVER_PERSON].estimate)


def with_spread_of(own: Estimate, over: Estimate) -> Estimate:
    """`over`, or where it differs in no pair and the judge's own number has Wilson's interval, this about `over`."""
    low, high = own.interval.low, own.interval.high
    if over.interval.low is not None or own.interval.method != WILSON or low is None or high is None:
        return over
    if own.value is None or over.value is None:
        return over
    person = own.value - over.value
    return replace(over, interval=replace(own.interval, low=low - person, high=high - person))


def _over_runs(found: Sequence[Evaluated], shares: Floats) -> Spread:
    """The mean over the runs: over those that a resample drew, or without each pair and between runs."""
    if not found:
        return Spread(np.empty(0))
    points, without = np.array([one.point for one in found]), [one.without for one in found]
    if all(one is not None for one in without):
        n = len(points)
        between = float(points.var(ddof=1)) / n if n > 1 else 0.0
        return Spread(
            np.empty(0), np.mean([one for one in without if one is not None], axis=0), between, n - 1
        )
    draws = [one.draws for one in found]
    if min(map(len, draws)) < len(max(draws, key=len)) or not len(draws[0]):
        return Spread(np.empty(0))
    values = np.stack(draws)
    weight = np.where(np.isnan(values), 0.0, shares)
    return Spread(divided((np.nan_to_num(values) * weight).sum(axis=0), weight.sum(axis=0)))


def estimate(
    value: float, n: int, spread: Spread, reason: str | None, judging: Judging, method: str, key: str
) -> Estimate:
    """The number with its interval over pairs, or the reason why there is none."""
    seed, resamples = judging.seed, judging.resamples
    if reason is not None or np.isnan(value):
        why = reason or "the number is not defined"
        return Estimate(None, n, no_interval(why, seed, resamples, method), why)
    if key == CALIBRATION:
        return Estimate(value, n, no_interval(_BIASED, seed, resamples, method), None)
    if key == BRIER and n < _FEWEST_FOR_BRIER:
        return Estimate(value, n, no_interval(too_few(n, "pairs"), seed, 0, _jackknife(method)), None)
    scale = SCALES.get(key, "share")
    interval = interval_of(value, n, spread, method, scale, seed, resamples, is_accuracy=key in ACCURACIES)
    return Estimate(value, n, interval, None)


def interval_of(
    value: float,
    n: int,
    spread: Spread,
    method: str,
    scale: Scale,
    seed: int,
    resamples: int,
    *,
    is_accuracy: bool = False,
) -> Interval:
    """The jackknife interval of fewer than 50 pairs, the percentile interval of more.

    Wilson's [Wil27]_ for an accuracy of 0 or 1, where neither shows a spread; none of fewer than 10 pairs (of
    accuracies, 3)."""
    if n < (FEWEST if is_accuracy else _FEWEST_PAIRS):
        units = "items" if "items" in method else "pairs"
        return no_interval(too_few(n, units), seed, 0, _jackknife(method))
    if is_accuracy and value in (0.0, 1.0):
        low, high = wilson(np.array([round(value * n)]), np.array([n]))
        return Interval(float(low[0]), float(high[0]), LEVEL, WILSON, resamples, seed, None)
    if spread.without is not None:
        return _jackknifed(value, n, spread, _jackknife(method), scale, seed)
    if resamples == 0:
        return no_interval(NOT_ASKED, seed, resamples, method)
    known = spread.draws[~np.isnan(spread.draws)]
    if len(known) and np.ptp(known) < _SMALLEST:
        return no_interval(_SAME, seed, resamples, method)
    return percentile_interval(spread.draws, seed, method)


def _jackknife(method: str) -> str:
    return method.replace("percentile bootstrap", JACKKNIFE)


def _jackknifed(value: float, n: int, spread: Spread, method: str, scale: Scale, seed: int) -> Interval:
    """The interval with the runs' variance added to the pairs', and Satterthwaite's degrees of freedom."""
    assert spread.without is not None
    # Pairs that do not count change nothing: only those that do are units.
    of_pairs = jackknife_error(value, spread.without) ** 2
    of_pairs *= (n - 1) / n / max((len(spread.without) - 1) / len(spread.without), _SMALLEST)
    both = of_pairs + spread.of_runs
    if np.isnan(both) or both < _SMALLEST**2:
        return no_interval(_ALONE if np.isnan(both) else _SAME, seed, 0, method)
    df = both**2 / (of_pairs**2 / (n - 1) + spread.of_runs**2 / max(spread.df_of_runs, 1))
    return student(value, both**0.5, df, scale=scale, method=method, seed=seed, reason=_SAME)
