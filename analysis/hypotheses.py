"""Hypotheses of a study file, each decided by the test that it names, and by no other."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import pandas as pd

from analysis.choice.accuracy import accuracy_per_participant
from analysis.choice.uncertainty import uncertainty_per_participant
from analysis.data.codes import rows_where
from analysis.data.preference import preference_per_participant
from analysis.data.selection import select
from analysis.options import RESAMPLES, Alternative, Blank
from analysis.ratings.counted import that_count
from analysis.results import FLAT, Result
from analysis.stats.comparisons import mann_whitney
from analysis.stats.description import describe
from analysis.stats.evidence import SHARE
from analysis.stats.multiplicity import holm
from analysis.stats.paired import paired_test

ALL = "all"
CHANCE = "chance"
SHARES = ("accuracy", "preference")
By = Literal["condition", "group", "arm", "all"]
Test = Literal["wilcoxon", "mann-whitney"]
Correction = Literal["none", "holm"]
Verdict = Literal["supported", "not supported", "cannot be told"]
Status = Literal["pre-registered", "changed since it was registered", "not registered"]
_LEVEL_OF_CHANCE = 0.5


@dataclass(frozen=True, slots=True)
class Hypothesis(Result):
    """A hypothesis as the study file has it; `by` says what the compared names are.

    `compare` are two conditions, groups of items or arms, or one of them (or `all`) and `chance`. `measure` is of pairs
    (accuracy, uncertainty, or preference for `source`), or the id of a question about items.
    """

    id: str
    """Its name in the study file."""
    says: str | None
    """The hypothesis in words."""
    compare: tuple[str, str]
    by: By
    measure: str
    source: str | None
    direction: Alternative
    """What is expected of the first, compared with the second."""
    test: Test
    alpha: float
    """The hypothesis is supported where p is below it."""
    correction: Correction
    smallest: float | None
    """The smallest difference of interest, in the measure's unit."""

    @property
    def margin(self) -> float | None:
        """`smallest`, or ten points of a share; None where neither is known."""
        return SHARE if self.smallest is None and self.measure in SHARES else self.smallest


@dataclass(frozen=True, slots=True)
class Registered(Result):
    """The registration of a study: when, where, the hash of its text, what it covers, and what is different since."""

    version: int
    """The version of the study that was registered."""
    at: str
    """When it was registered, ISO 8601 in UTC."""
    address: str | None
    """Where it was registered."""
    sha256: str
    """SHA-256 of the registered text."""
    hypotheses: tuple[str, ...]
    """The hypotheses that are as they were registered."""
    changed: tuple[str, ...]
    """The hypotheses that are not as they were registered."""
    deviations: tuple[str, ...]
    """Changes of the design since, and of rules since launch, one sentence each."""


@dataclass(frozen=True, slots=True)
class Expected:
    """The hypotheses of one study, and its registration; None if it is not registered."""

    hypotheses: tuple[Hypothesis, ...] = ()
    registered: Registered | None = None

    def status_of(self, id_: str) -> Status:
        if self.registered is None:
            return "not registered"
        if id_ in self.registered.hypotheses:
            return "pre-registered"
        return "changed since it was registered" if id_ in self.registered.changed else "not registered"


@dataclass(frozen=True, slots=True)
class DecidedHypothesis(Result):
    """A hypothesis with its test. `difference` is the first's value less the second's, in the measure's unit: the mean
    difference within participants, or between groups the Hodges-Lehmann shift, each with a 95% interval.

    `n` are the participants of each side (the same ones twice where they are compared with themselves, or with chance).
    `p_corrected` is Holm's where asked for, over `n_family` hypotheses. `reason` says why there is no p, if so, and
    `warning` what the test takes for granted.
    """

    hypothesis: Hypothesis = field(metadata=FLAT)
    status: Status
    """Whether it was registered as it is."""
    verdict: Verdict
    n: tuple[int, int]
    means: tuple[float | None, float | None]
    """The mean over participants on each side; of chance one half."""
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    """Of the named test in the named direction."""
    p_corrected: float | None
    n_family: int
    method: str | None
    reason: str | None
    warning: str | None

    @property
    def p_to_read(self) -> float | None:
        return self.p_corrected if self.hypothesis.correction == "holm" else self.p


@dataclass(frozen=True, slots=True)
class HypothesesDecided(Result):
    """The hypotheses of one study, decided by answers of one mode."""

    study: str
    """The study."""
    mode: str
    """The mode of the answers."""
    hypotheses: tuple[DecidedHypothesis, ...]
    registered: Registered | None
    """The study's registration; None if it is not registered."""


def decide_hypotheses(
    study: str,
    expected: Expected,
    *,
    mode: str,
    responses: pd.DataFrame | None = None,
    ratings: pd.DataFrame | None = None,
    blank: Blank = "missing",
    seed: int = 1,
    resamples: int = RESAMPLES,
) -> HypothesesDecided:
    """Decide each hypothesis of one study by the test that it names, over participants.

    One value of each participant on each side comes first: the share of right answers or of choices, or the mean.
    Supported is what has a p below its alpha. Else it is not supported where the 95% interval excludes the smallest
    difference of interest in the expected direction, and cannot be told where it does not.

    Parameters
    ----------
    expected
        The hypotheses, and the registration.
    mode
        The answers that count are of this mode, to main trials, and excluded by no rule.
    responses, ratings
        Checked tables of the study; None, or without a row, where it has none.
    blank
        See `accuracy_per_participant`.
    """
    rows = None if responses is None or not len(responses) else select(study, responses, mode).main
    rated = None if ratings is None or not len(ratings) else _counted(ratings, mode)
    found = [
        _decided(one, expected, _sides(one, rows, rated, blank), seed, resamples)
        for one in expected.hypotheses
    ]
    return HypothesesDecided(study, mode, tuple(_corrected(found)), expected.registered)


def _counted(ratings: pd.DataFrame, mode: str) -> pd.DataFrame:
    """The first score that each participant gave an item by each question."""
    rows = ratings[that_count(ratings, mode) & ratings["value"].notna()]
    return rows[~rows.duplicated(["participant", "item", "question"])]


Sides = tuple[pd.Series, pd.Series]


def _sides(one: Hypothesis, rows: pd.DataFrame | None, rated: pd.DataFrame | None, blank: Blank) -> Sides:
    """A value of each participant on either side, indexed by participant."""
    first, second = (_values(one, name, rows, rated, blank) for name in one.compare)
    if one.compare[1] == CHANCE:
        second = pd.Series(_LEVEL_OF_CHANCE, index=first.index)
    return first, second


def _values(
    one: Hypothesis, name: str, rows: pd.DataFrame | None, rated: pd.DataFrame | None, blank: Blank
) -> pd.Series:
    if name == CHANCE:
        return pd.Series(dtype=float)
    if one.measure in ("accuracy", "uncertainty", "preference"):
        return _of_pairs(one, _of(one.by, name, rows), blank)
    table = _of(one.by, name, rated)
    if table is None:
        return pd.Series(dtype=float)
    asked = table[table["question"] == one.measure]
    means: pd.Series = asked["value"].astype(float).groupby(asked["participant"].astype(str)).mean()
    return means


def _of(by: By, name: str, rows: pd.DataFrame | None) -> pd.DataFrame | None:
    """The rows of one condition, group or arm."""
    if rows is None or by == "all":
        return rows
    return rows_where(rows, (rows[by] == name).fillna(value=False).to_numpy(dtype=bool))


def _of_pairs(one: Hypothesis, rows: pd.DataFrame | None, blank: Blank) -> pd.Series:
    if rows is None or not len(rows):
        return pd.Series(dtype=float)
    if one.measure == "accuracy":
        table, column = accuracy_per_participant(rows, blank), "accuracy"
    elif one.measure == "uncertainty":
        table, column = uncertainty_per_participant(rows), "uncertainty"
    else:
        return _preference(one.source or "", preference_per_participant(rows))
    found = table.set_index(table["participant"].astype(str))[column].astype(float)
    return found.dropna()


def _preference(source: str, table: pd.DataFrame) -> pd.Series:
    """Each participant's share of choices of a source, over all pairs in which it stands against another."""
    chosen = table["n_chosen"].where(table["source"] == source, table["n_preference"] - table["n_chosen"])
    there = (table["source"] == source) | (table["against"] == source)
    people = table["participant"].astype(str)
    n = table["n_preference"].where(there, 0).groupby(people).sum()
    share = chosen.where(there, 0).groupby(people).sum() / n.where(n > 0)
    found: pd.Series = share.dropna()
    return found


def _decided(
    one: Hypothesis, expected: Expected, sides: Sides, seed: int, resamples: int
) -> DecidedHypothesis:
    """A hypothesis with its test, before verdict and correction."""
    first, second = sides
    base = DecidedHypothesis(
        hypothesis=one,
        status=expected.status_of(one.id),
        verdict="cannot be told",
        n=(len(first), len(second)),
        means=(_mean(first), _mean(second)),
        difference=None,
        low=None,
        high=None,
        p=None,
        p_corrected=None,
        n_family=0,
        method=None,
        reason=None,
        warning=None,
    )
    if one.test == "mann-whitney":
        return _between(base, first, second, seed, resamples)
    paired = paired_test(first, second, one.direction, seed=seed, resamples=resamples)
    alone = paired.n_only_first + paired.n_only_second
    have = "1 participant has" if alone == 1 else f"{alone} participants have"
    both = first.index.intersection(second.index)
    return replace(
        base,
        n=(paired.n, paired.n),
        means=(_mean(first.loc[both]), _mean(second.loc[both])),
        difference=paired.difference.mean,
        low=paired.difference.interval.low,
        high=paired.difference.interval.high,
        p=paired.p,
        method=paired.method,
        reason=paired.reason,
        warning=f"{have} a value on one side alone and are not in the test" if alone else None,
    )


def _between(
    base: DecidedHypothesis, first: pd.Series, second: pd.Series, seed: int, resamples: int
) -> DecidedHypothesis:
    test = mann_whitney(first, second, base.hypothesis.direction, seed=seed, resamples=resamples)
    shared = len(first.index.intersection(second.index))
    have = "1 participant has" if shared == 1 else f"{shared} participants have"
    return replace(
        base,
        difference=test.shift.value,
        low=test.shift.low,
        high=test.shift.high,
        p=test.p,
        method=test.method,
        reason=test.reason,
        warning=f"{have} a value on both sides, and the test takes them for different people"
        if shared
        else None,
    )


def _mean(values: pd.Series) -> float | None:
    return describe(values, resamples=0).mean


def _corrected(found: Sequence[DecidedHypothesis]) -> Iterator[DecidedHypothesis]:
    """Add Holm's correction where asked for, and the verdict."""
    family = [one.p if one.hypothesis.correction == "holm" else None for one in found]
    n = sum(p is not None for p in family)
    for one, p in zip(found, holm(family), strict=True):
        corrected = replace(one, p_corrected=p, n_family=n if p is not None else 0)
        yield replace(corrected, verdict=_verdict(corrected))


def _verdict(one: DecidedHypothesis) -> Verdict:
    p, asked = one.p_to_read, one.hypothesis
    if p is None:
        return "cannot be told"
    if p < asked.alpha:
        return "supported"
    return "not supported" if _is_excluded(one) else "cannot be told"


def _is_excluded(one: DecidedHypothesis) -> bool:
    """True if the interval leaves no room for a difference of interest as expected."""
    if one.low is None or one.high is None:
        return False
    margin, direction = one.hypothesis.margin, one.hypothesis.direction
    if margin is None:
        # Of no known size: only a difference the other way excludes it, and of either way nothing can.
        return {"greater": one.high <= 0, "less": one.low >= 0, "two-sided": False}[direction]
    up, down = one.high >= margin, one.low <= -margin
    return not {"greater": up, "less": down, "two-sided": up or down}[direction]
