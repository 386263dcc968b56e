"""The order of sources: which of them are told apart, all pairs of sources taken together."""

from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np
import pandas as pd
import scipy

from analysis.errors import AnalysisError
from analysis.options import LEVEL, RESAMPLES
from analysis.results import Result
from analysis.stats.agreement.units import people_of
from analysis.stats.bradley_terry.data import Coded, coded_rows, coded_wins
from analysis.stats.bradley_terry.fit import not_finite
from analysis.stats.bradley_terry.model import no_side
from analysis.stats.bradley_terry.spread import People, fitted_models
from analysis.stats.estimates import Estimate
from analysis.stats.intervals import Interval, no_interval

SIMULTANEOUS = "Tukey and Kramer's studentized range over participants, all pairs of sources together"
FEWEST_SOURCES = 3


@dataclass(frozen=True, slots=True)
class Ranked(Result):
    """A source at its `place`, by `strength` in log odds (strengths sum to zero).

    `ahead_of` and `behind` are the sources that it is told apart from, `open_with` those that it is not."""

    place: int
    source: str
    n_comparisons: int
    """Answers that compare it with another."""
    n_wins: int
    """How many of them it won."""
    strength: Estimate
    ahead_of: tuple[str, ...]
    behind: tuple[str, ...]
    open_with: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Difference(Result):
    """How far `source` is ahead of `against` in log odds: 95% of studies hold the truth for all pairs at once.

    `is_settled` where the interval excludes zero; `n_comparisons` are answers to these two."""

    source: str
    against: str
    n_comparisons: int
    difference: Estimate
    is_settled: bool


@dataclass(frozen=True, slots=True)
class Ranking(Result):
    """Sources in their order, the strongest first, and all their differences; `reason` why there is no order."""

    n_participants: int | None
    """People who compared any two sources."""
    sources: tuple[Ranked, ...]
    differences: tuple[Difference, ...]
    reason: str | None

    @property
    def n_settled(self) -> int:
        return sum(one.is_settled for one in self.differences)


def ranking(rows: pd.DataFrame, *, seed: int = 1, resamples: int = RESAMPLES) -> Ranking:
    """Order sources by Bradley and Terry's model [BT52]_, and say which are told apart.

    Strengths are those of `bradley_terry`. A difference's standard error is over people (bootstrap, or the jackknife of
    fewer than 50); its interval is widened by the studentized range for all pairs of sources together [Kra56]_, so that
    among all that are called settled any is wrong in at most 5% of studies.

    Parameters
    ----------
    rows
        Checked responses, already selected.
    seed, resamples
        Of the bootstrap; 0 resamples gives no intervals, and nothing is told apart.

    Returns
    -------
    Ranking
        Without sources where fewer than three are compared; with a reason where no finite strengths exist.
    """
    coded = coded_rows(rows)
    compared = coded.column >= 0
    column, person = coded.column[compared], people_of(rows).code[compared]
    return _ranked(coded, People(person, column, np.ones(len(column)), "participants"), seed, resamples)


def ranking_of_wins(wins: pd.DataFrame, *, seed: int = 1, resamples: int = RESAMPLES) -> Ranking:
    """Order the items of a table of wins with judges, as for `bradley_terry_of_wins`.

    Raises
    ------
    AnalysisError
        As for that; and without a column `judge`.
    """
    if "judge" not in wins:
        raise AnalysisError("wins: the column judge is missing; needed: winner, loser, judge")
    coded, weight = coded_wins(wins)
    judge = pd.factorize(wins["judge"].map(str), sort=True)[0].astype(np.int64)
    return _ranked(coded, People(judge, coded.column, weight, "judges"), seed, resamples)


def _ranked(coded: Coded, people: People, seed: int, resamples: int) -> Ranking:
    names, cells = coded.names, coded.cells
    if len(names) < FEWEST_SOURCES:
        return Ranking(people.n, (), (), "fewer than three sources are compared")
    sums = people.sums(2 * len(cells.one))
    wins = cells.wins(sums)
    if reason := not_finite(wins, names):
        return Ranking(people.n, (), (), reason)
    side = no_side(cells, sums, int(np.tile(cells.left != 0, 2) @ sums)) is None
    (model,) = fitted_models(cells, people, sums, (side,), seed, resamples)
    order = sorted(range(len(names)), key=lambda at: (-model.point[at], names[at]))
    unit = np.eye(len(names) + 1)
    differences = {}
    for i, j in combinations(order, 2):
        value, error = float(model.point[i] - model.point[j]), model.error(unit[i] - unit[j])
        interval = _widened(value, error, len(names), people.n or 0, seed, model.reason)
        n = int(wins[i, j] + wins[j, i])
        is_settled = interval.low is not None and interval.low > 0
        differences[i, j] = Difference(names[i], names[j], n, Estimate(value, n, interval, None), is_settled)
    settled_by = {key: one.is_settled for key, one in differences.items()}

    def those(at: int, *, before: bool, settled: bool) -> tuple[str, ...]:
        keys = ((other, at) if before else (at, other) for other in order)
        return tuple(names[key[0 if before else 1]] for key in keys if settled_by.get(key) is settled)

    ranked = tuple(
        Ranked(
            place,
            names[at],
            n := int(wins[at].sum() + wins[:, at].sum()),
            int(wins[at].sum()),
            model.estimate(unit[at], n),
            ahead_of=those(at, before=False, settled=True),
            behind=those(at, before=True, settled=True),
            open_with=(*those(at, before=True, settled=False), *those(at, before=False, settled=False)),
        )
        for place, at in enumerate(order, start=1)
    )
    return Ranking(people.n, ranked, tuple(differences.values()), None)


def _widened(
    value: float, error: float | None, sources: int, people: int, seed: int, reason: str | None
) -> Interval:
    if error is None or error <= 0:
        return no_interval(reason or "no spread over participants", seed, 0, SIMULTANEOUS)
    # Of two differences of one source the errors are not independent; coverage is held in bench/allocation.md.
    reach = _quantile(sources, people - 1) / 2**0.5 * error
    return Interval(value - reach, value + reach, LEVEL, SIMULTANEOUS, 0, seed, None)


@cache
def _quantile(sources: int, df: int) -> float:
    """A quantile of the studentized range; SciPy integrates it anew each time, for a tenth of a second."""
    return float(scipy.stats.studentized_range.ppf(LEVEL, sources, df))
