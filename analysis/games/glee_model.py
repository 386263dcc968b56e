"""Measures of GLEE's games over all configurations, estimated from games of some: the regression of its appendix D
[SMR24].

One ordinary least-squares model for each measure. All factors are categories, with both players and the interactions of
factor and player, factor and factor, and two factors and player. Its predictions for every configuration, clipped to
the measure's range, are averaged. An effect is the difference of predictions, before clipping, between two levels of
one factor.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import stdtrit

from analysis.errors import AnalysisError
from analysis.options import LEVEL
from analysis.results import Result
from analysis.stats.intervals import Floats
from analysis.stats.threads import one_thread

ALICE, BOB = "alice", "bob"
MOST_COLUMNS = 3_000
ROUNDING = 1e-9
"""Smaller effects and errors are rounding, of measures that are about 1."""


@dataclass(frozen=True, slots=True)
class PlayerMean(Result):
    """A player's result in one role: the mean over its `n` games, and the mean prediction over configurations.

    `fitted` is clipped to the measure's range, configuration by configuration, as in the paper.
    """

    role: str
    player: str
    n: int
    mean: float
    fitted: float


@dataclass(frozen=True, slots=True)
class Effect(Result):
    """The change of a player's measure from a factor's first level to another, partners weighted equally.

    `at` is `all` for the mean over all levels of the other factors; if the games do not determine that, `baseline` for
    these at the most frequent configuration, as in the paper's figures. `low` and `high` are the 95% limits of ordinary
    least squares; None if neither is determined, no degree of freedom is left, or there is no residual variance.
    """

    role: str
    player: str
    factor: str
    base: str
    level: str
    at: Literal["all", "baseline"]
    difference: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class GleeModel(Result):
    """The model of one measure: games, configurations predicted, columns, their rank, and R-squared adjusted.

    `baseline` is the configuration that was played most.
    """

    measure: str
    games: int
    configurations: int
    columns: int
    rank: int
    baseline: Mapping[str, Any]
    r_squared_adjusted: float | None
    means: Sequence[PlayerMean]
    effects: Sequence[Effect]


@one_thread
def glee_model(
    games: pd.DataFrame,
    measure: str,
    factors: Mapping[str, Sequence[Any]],
    limits: tuple[float | None, float | None] = (None, None),
) -> GleeModel:
    """Fit the model of appendix D.

    Parameters
    ----------
    games
        One row per game: a column for each factor, `alice` and `bob` (names of the players), and the measure; games
        in which it is undefined are left out.
    measure
        The column to explain.
    factors
        The levels of each factor, in order; predictions are for every combination of the levels that were played.
    limits
        The measure's range, either end None where it has none.

    Returns
    -------
    GleeModel
        Columns of the design that equal a simpler one are dropped, as in the paper; what is still not determined is
        settled by the smallest coefficients, as a pseudoinverse does.
    """
    from statsmodels.regression.linear_model import OLS

    rows = games.dropna(subset=[measure]).reset_index(drop=True)
    if len(rows) < 2:
        raise AnalysisError(f"{measure}: there are {len(rows)} games that have it; a regression takes more")
    levels: dict[str, list[Any]] = {
        name: [level for level in given if (rows[name] == level).any()] for name, given in factors.items()
    }
    for name, known in levels.items():
        if unknown := set(rows[name]) - set(known):
            raise AnalysisError(f"{name} has {min(map(str, unknown))}, which is not among its levels")
    levels |= {player: sorted(set(rows[player])) for player in (ALICE, BOB)}
    grid = pd.DataFrame(list(product(*levels.values())), columns=list(levels))
    design, terms = _design(rows, levels)
    kept = _distinct(design)
    if len(kept) > MOST_COLUMNS:
        raise AnalysisError(
            f"the model has {len(kept)} columns; at most {MOST_COLUMNS} are fitted: compare fewer players"
        )
    basis = _basis(design[:, kept])
    fit = OLS(rows[measure].to_numpy(dtype=float), design[:, kept] @ basis.T).fit()
    predicted = _design(grid, levels, terms)[0]
    means = _means(rows, grid, measure, np.clip(predicted[:, kept] @ basis.T @ fit.params, *limits))
    played = rows.value_counts(list(factors), sort=True)
    baseline = dict(zip(factors, played.index[0], strict=True))
    effects = _effects(grid, levels, baseline, predicted, _Fitted(kept, basis, _basis(design), fit))
    adjusted = float(fit.rsquared_adj) if fit.df_resid > 0 and rows[measure].nunique() > 1 else None
    n_configurations = int(np.prod([len(levels[name]) for name in factors]))
    return GleeModel(
        measure, len(rows), n_configurations, len(kept), len(basis), baseline, adjusted, means, effects
    )


Term = tuple[str, ...]


def _design(
    table: pd.DataFrame, levels: Mapping[str, Sequence[Any]], terms: Sequence[Term] | None = None
) -> tuple[Floats, Sequence[Term]]:
    """Indicators of levels but the first, and their products, simpler terms first."""
    if terms is None:
        factors = [name for name in levels if name not in (ALICE, BOB)]
        pairs = list(combinations(factors, 2))
        terms = [
            *((name,) for name in factors),
            (ALICE,),
            (BOB,),
            (ALICE, BOB),
            *((name, player) for player in (ALICE, BOB) for name in factors),
            *pairs,
            *((*pair, player) for player in (ALICE, BOB) for pair in pairs),
        ]
    single = {
        name: np.column_stack(
            [np.empty((len(table), 0)), *((table[name] == one).to_numpy(float) for one in known[1:])]
        )
        for name, known in levels.items()
    }
    columns = [np.ones((len(table), 1))]
    for term in terms:
        block = single[term[0]]
        for name in term[1:]:
            block = (block[:, :, None] * single[name][:, None, :]).reshape(len(table), -1)
        columns.append(block)
    return np.concatenate(columns, axis=1), terms


def _distinct(design: Floats) -> list[int]:
    """The first of equal columns, and none of zeros alone."""
    seen: dict[bytes, int] = {}
    for i, column in enumerate(np.ascontiguousarray(design.T)):
        # Equal columns cannot be told apart by any data: one of them stands for all.
        if column.any():
            seen.setdefault(column.tobytes(), i)
    return sorted(seen.values())


def _basis(design: Floats) -> Floats:
    """Orthonormal directions in which the games differ, one in each row: the space of the design's rows."""
    _, singular, directions = np.linalg.svd(design, full_matrices=False)
    # The tolerance of numpy.linalg.matrix_rank: smaller singular values are rounding.
    kept: Floats = directions[singular > singular[0] * max(design.shape) * np.finfo(float).eps]
    return kept


def _means(rows: pd.DataFrame, grid: pd.DataFrame, measure: str, predicted: Floats) -> list[PlayerMean]:
    found = []
    for role in (ALICE, BOB):
        for player, own in rows.groupby(role, sort=True):
            at = (grid[role] == player).to_numpy()
            found.append(
                PlayerMean(
                    role, str(player), len(own), float(own[measure].mean()), float(predicted[at].mean())
                )
            )
    return found


@dataclass(frozen=True, slots=True)
class _Fitted:
    """A fit on the columns `kept` of a design, in the directions of `basis`; `whole` are those of all columns."""

    kept: Sequence[int]
    basis: Floats
    whole: Floats
    fit: Any

    def determines(self, contrast: Floats) -> bool:
        """True if the games determine the contrast: it is in the row space of the design."""
        return bool(np.abs(contrast - self.whole.T @ (self.whole @ contrast)).max() < 1e-8)

    def contrast(self, contrast: Floats) -> tuple[float, float | None]:
        """The contrast's value, and half of its 95% interval; None without degrees of freedom, or without spread."""
        inside = self.basis @ contrast[self.kept]
        value = float(inside @ self.fit.params)
        # Of a factor that changes nothing rounding alone is left, which is no effect.
        value = 0.0 if abs(value) < ROUNDING else value
        if self.fit.df_resid <= 0:
            return value, None
        error = float(np.sqrt(max(inside @ self.fit.cov_params() @ inside, 0.0)))
        # A fit without residuals leaves rounding alone, on which no interval can rest.
        if error < ROUNDING:
            return value, None
        return value, float(stdtrit(self.fit.df_resid, (1 + LEVEL) / 2)) * error


_Way = Literal["all", "baseline"]
Rows = npt.NDArray[np.bool_]


def _effects(
    grid: pd.DataFrame,
    levels: Mapping[str, Sequence[Any]],
    baseline: Mapping[str, Any],
    predicted: Floats,
    fitted: "_Fitted",
) -> list[Effect]:
    # Each column of the grid is compared with each of its levels once: of effects there are hundreds.
    at = {
        name: {level: (grid[name] == level).to_numpy() for level in known} for name, known in levels.items()
    }
    found = []
    for role, factor in product((ALICE, BOB), baseline):
        base, *others = levels[factor]
        elsewhere = _elsewhere(at, baseline, factor)
        for player in levels[role]:
            ways: dict[_Way, Rows] = {"all": at[role][player], "baseline": at[role][player] & elsewhere}
            first = {name: _mean_of(predicted, rows & at[factor][base]) for name, rows in ways.items()}
            for level in others:
                contrasts = {
                    name: _mean_of(predicted, rows & at[factor][level]) - first[name]
                    for name, rows in ways.items()
                }
                found.append(_effect(role, player, factor, (base, level), contrasts, fitted))
    return found


def _effect(
    role: str,
    player: object,
    factor: str,
    levels: tuple[object, object],
    contrasts: Mapping[_Way, Floats],
    fitted: "_Fitted",
) -> Effect:
    determined = [name for name, one in contrasts.items() if fitted.determines(one)]
    way: _Way = determined[0] if determined else "all"
    difference, half = fitted.contrast(contrasts[way])
    low, high = (difference - half, difference + half) if determined and half is not None else (None, None)
    base, level = map(str, levels)
    return Effect(role, str(player), factor, base, level, way, difference, low, high)


def _elsewhere(at: Mapping[str, Mapping[Any, Rows]], baseline: Mapping[str, Any], factor: str) -> Rows:
    """Configurations that are the baseline but for one factor."""
    same: Rows = np.logical_and.reduce(
        [at[name][level] for name, level in baseline.items() if name != factor]
    )
    return same


def _mean_of(predicted: Floats, rows: Rows) -> Floats:
    mean: Floats = predicted[rows].mean(axis=0)
    return mean
