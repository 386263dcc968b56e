"""The uncertainty of fitted strengths: the model refitted to resampled people, or its covariance."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.special import ndtri

from analysis.options import LEVEL
from analysis.stats.agreement.resampling import (
    JACKKNIFE,
    NO_SPREAD,
    NORMAL,
    Sample,
    kinds,
    normal_sums,
    spread_interval,
)
from analysis.stats.agreement.units import Codes
from analysis.stats.bradley_terry.fit import Cells, covariance, fit
from analysis.stats.estimates import Estimate
from analysis.stats.intervals import NOT_ASKED, Floats, Interval, no_interval
from analysis.stats.student import FEW, FEWEST, jackknife_error, student, too_few

WALD = "Wald's, for independent comparisons"
_MOST_CELLS = 50_000_000


@dataclass(frozen=True, slots=True)
class People:
    """The person of each comparison (None: unknown), its place among the sums, and the number of times it was made."""

    person: Codes | None
    column: Codes
    weight: Floats
    units: str

    @property
    def n(self) -> int | None:
        """The number of people who made any comparison."""
        if self.person is None:
            return None
        return int((np.bincount(self.person, weights=self.weight, minlength=1) > 0).sum())

    @property
    def method(self) -> str:
        """The method of the interval."""
        if self.n is None:
            return WALD
        return f"{JACKKNIFE if self.n < FEW else 'percentile bootstrap'} over {self.units}"

    def sums(self, width: int) -> Floats:
        """The number of times each comparison was made with each outcome."""
        return np.bincount(self.column, weights=self.weight, minlength=width).astype(np.float64)

    def sample(self, person: Codes, width: int) -> Sample | None:
        """The people by their answers; None if that makes too large a table."""
        n = int(person.max(initial=-1)) + 1
        # Such a table would not fit the memory: sums are drawn from their normal limit instead.
        if n * width > _MOST_CELLS:
            return None
        table = np.bincount(person * width + self.column, weights=self.weight, minlength=n * width)
        table = table.reshape(n, width).astype(np.int64)
        distinct, counts = kinds(table[table.any(axis=1)])
        return Sample(distinct.astype(np.float64), counts)

    def normal_sums(self, person: Codes, width: int, seed: int, resamples: int) -> Iterator[Floats]:
        """Resampled sums without that table: in the normal limit all they need is the sums and their products."""
        cells = (self.weight, (person, self.column))
        table = sparse.csr_array(sparse.coo_array(cells, shape=(int(person.max()) + 1, width)))
        second = (table.T @ table).toarray()
        return normal_sums(table.shape[0], np.asarray(table.sum(axis=0)), second, seed, resamples)


@dataclass(frozen=True, slots=True)
class Model:
    """Fitted parameters with their uncertainty: resamples, a covariance, the parameters without each kind of people
    (`counts` is the number of each), or the reason for none of these.
    """

    point: Floats
    drawn: Floats | None
    covariance: Floats | None
    method: str
    seed: int
    resamples: int
    reason: str | None
    without: Floats | None = None
    counts: Codes | None = None

    def estimate(self, contrast: Floats, n: int, value: float | None = None) -> Estimate:
        """A sum of parameters, over `n` comparisons; `value` where it was computed in another way."""
        point = float(self.point @ contrast)
        return Estimate(point if value is None else value, n, self._interval(point, contrast), None)

    def error(self, contrast: Floats) -> float | None:
        """The standard error of a sum of parameters; None where there are no intervals."""
        if self.drawn is not None:
            return float(np.nanstd(self.drawn @ contrast, ddof=1))
        if self.without is not None and self.counts is not None:
            return float(jackknife_error(float(self.point @ contrast), self.without @ contrast, self.counts))
        return None if self.covariance is None else float(np.sqrt(contrast @ self.covariance @ contrast))

    def _interval(self, point: float, contrast: Floats) -> Interval:
        if self.drawn is not None:
            return spread_interval(self.drawn @ contrast, self.seed, self.method)
        if self.without is not None and self.counts is not None:
            error = jackknife_error(point, self.without @ contrast, self.counts)
            df = int(self.counts.sum()) - 1
            return student(
                point, error, df, scale="any", method=self.method, seed=self.seed, reason=NO_SPREAD
            )
        if self.covariance is None:
            return no_interval(self.reason or "", self.seed, self.resamples, self.method)
        half = float(ndtri((1 + LEVEL) / 2) * np.sqrt(contrast @ self.covariance @ contrast))
        return Interval(point - half, point + half, LEVEL, self.method, 0, self.seed, None)


def fitted_models(
    cells: Cells, people: People, sums: Floats, sides: Sequence[bool], seed: int, resamples: int
) -> list[Model]:
    """The model with the side effect (True) or without (False), as asked, all on the same resamples."""
    points = [fit(cells, sums[np.newaxis], side)[0] for side in sides]
    if people.person is None:
        spreads = [covariance(cells, sums, point, side) for point, side in zip(points, sides, strict=True)]
        return [
            Model(point, None, spread, WALD, seed, 0, None)
            for point, spread in zip(points, spreads, strict=True)
        ]
    if people.n is not None and people.n < FEW:
        return [_jackknifed(cells, people, people.n, sums, side, seed) for side in sides]
    sample = people.sample(people.person, len(sums)) if resamples else None
    reason = (
        sample.nothing_to_resample(people.units, resamples) if sample else None if resamples else NOT_ASKED
    )
    if reason:
        return [Model(point, None, None, people.method, seed, resamples, reason) for point in points]
    if sample:
        draws, method = sample.resampled(seed, resamples), people.method + sample.limit
    else:
        draws, method = people.normal_sums(people.person, len(sums), seed, resamples), people.method + NORMAL
    refits = [[fit(cells, part, side) for side in sides] for part in draws]
    return [
        Model(point, np.concatenate(drawn), None, method, seed, resamples, None)
        for point, drawn in zip(points, zip(*refits, strict=True), strict=True)
    ]


def _jackknifed(cells: Cells, people: People, n: int, sums: Floats, side: bool, seed: int) -> Model:
    """The model with each of few people left out in turn: a bootstrap would often draw people whom no model fits."""
    assert people.person is not None
    point = fit(cells, sums[np.newaxis], side)[0]
    sample = people.sample(people.person, len(sums))
    reason = too_few(n, people.units) if n < FEWEST else None
    without = None
    if sample and reason is None:
        without = fit(cells, sums - sample.parts, side)
        if np.isnan(without).any():
            reason = f"{too_few(n, people.units)}, for without one of them no finite strengths fit"
    if reason or sample is None:
        return Model(point, None, None, people.method, seed, 0, reason or "the table is too large")
    return Model(point, None, None, people.method, seed, 0, None, without, sample.counts)
