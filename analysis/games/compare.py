"""Two groups of seats compared on every measure of a game: over matches or people, never over moves.

Moves of one match answer one another, so a match (or a person, in all of its matches) is one value: the mean over its
seats. Where both groups sat in the same matches, the two values of a match are compared with each other.
"""

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from analysis.errors import AnalysisError
from analysis.options import RESAMPLES
from analysis.results import Result
from analysis.stats.arms import ArmsCompared
from analysis.stats.intervals import Floats, Interval, no_interval, percentile_interval
from analysis.stats.multiplicity import holm
from analysis.stats.permutation import PermutationTest, permutation_test, sign_flip_test
from analysis.stats.student import FEW, FEWEST, Scale, mean_interval, student, too_few

OVER_UNITS = "percentile bootstrap over {units}"
WELCH = "Welch's t over {units}"


@dataclass(frozen=True, slots=True)
class GroupMean(Result):
    """`mean` over `n` units (matches or people), of `n_seats` seats that have a value."""

    n: int
    n_seats: int
    mean: float | None


@dataclass(frozen=True, slots=True)
class MeasureComparison(Result):
    """One measure of one role: two means and their difference, the first less the second.

    Where `paired`, the difference and its test rest on `n_paired` units that have both. `p_holm` is corrected for all
    measures and roles of the comparison.
    """

    measure: str
    role: str
    first: GroupMean
    second: GroupMean
    paired: bool
    n_paired: int
    difference: float | None
    interval: Interval
    test: PermutationTest
    p_holm: float | None


@dataclass(frozen=True, slots=True)
class Comparison(Result):
    """Every measure by role; `over` is `matches` or `people`."""

    over: str
    measures: Sequence[MeasureComparison]
    notes: Sequence[str]


@dataclass(frozen=True, slots=True)
class PlayerMeasure(Result):
    """One measure of one player in one role: the mean over `n` matches, of `n_seats` seats that have a value."""

    player: str
    role: str
    measure: str
    n: int
    n_seats: int
    mean: float | None
    interval: Interval


@dataclass(frozen=True, slots=True)
class GameMeasures:
    """The finished matches of one game: `people` are the players that are persons, or simulated ones where no person
    played; `n_people` counts them. `arms` compares the study's arms by what people did, where it has several."""

    game: str
    title: str
    n_matches: int
    n_people: int
    people: str
    measures: Sequence[PlayerMeasure]
    arms: ArmsCompared | None = None


def described(
    seats: pd.DataFrame,
    measures: Sequence[str],
    *,
    shares: Container[str] = (),
    seed: int = 1,
    resamples: int = RESAMPLES,
) -> list[PlayerMeasure]:
    """Every measure of each player and role, with its interval over matches: `mean_interval`.

    `seats` has one row per seat with `match`, `player`, `role` and the measures; empty cells count for nothing.
    Intervals of `shares`, measures that lie between 0 and 1, do so too.
    """
    found = []
    for (player, role), own in seats.assign(unit=seats["match"]).groupby(["player", "role"], sort=False):
        for measure in measures:
            units = _units(own, measure)
            scale: Scale = "share" if measure in shares else "any"
            interval = _of_mean(units.to_numpy(dtype=float), "matches", scale, seed, resamples)
            n_seats = int(own[measure].notna().sum())
            found.append(
                PlayerMeasure(str(player), str(role), measure, len(units), n_seats, _mean(units), interval)
            )
    return found


def compare(
    first: pd.DataFrame,
    second: pd.DataFrame,
    measures: Sequence[str],
    *,
    shares: Container[str] = (),
    over: str = "matches",
    seed: int = 1,
    resamples: int = RESAMPLES,
) -> Comparison:
    """Compare two tables of seats.

    Parameters
    ----------
    first, second
        One row per seat, with `unit` (equal text is the same match or person), `role`, `config` and the measures.
    measures
        Columns to compare; missing cells count for nothing.
    shares
        Those of them that lie between 0 and 1: intervals of their differences lie between -1 and 1.
    over
        What a unit is, for words: `matches` or `people`.

    Returns
    -------
    Comparison
        For each measure and role the means, their difference with an interval over units (Student's t, Welch's of two
        samples, and of 50 or more a bootstrap [ET93]_) and a permutation test [PS10]_: units are permuted, or the two
        values of a unit are swapped.
    """
    if first.empty or second.empty:
        raise AnalysisError("a comparison takes two groups, and one of them has no seat")
    roles = list(dict.fromkeys([*first["role"], *second["role"]]))
    # Differences of shares lie from -1 to 1: on Fisher's z scale no interval goes beyond.
    found = [
        _compared(
            measure, role, first, second, over, "correlation" if measure in shares else "any", seed, resamples
        )
        for measure in measures
        for role in roles
        if role in set(first["role"]) and role in set(second["role"])
    ]
    if not found:
        raise AnalysisError("the two groups have no role in common, so no measure of one is one of the other")
    corrected = holm([one.test.p for one in found])
    named = [replace(one, p_holm=p) for one, p in zip(found, corrected, strict=True)]
    return Comparison(over, named, _notes(first, second, roles))


def _compared(
    measure: str,
    role: str,
    first: pd.DataFrame,
    second: pd.DataFrame,
    over: str,
    scale: Scale,
    seed: int,
    resamples: int,
) -> MeasureComparison:
    x, y = (_units(table[table["role"] == role], measure) for table in (first, second))
    both = x.index.intersection(y.index)
    counts = [
        GroupMean(len(values), int(table.loc[table["role"] == role, measure].notna().sum()), _mean(values))
        for values, table in ((x, first), (y, second))
    ]
    difference: float | None
    if len(both):
        apart = (x[both] - y[both]).to_numpy(dtype=float)
        test = sign_flip_test(apart, seed=seed, resamples=resamples)
        interval = _of_mean(apart, over, scale, seed, resamples)
        difference = float(apart.mean())
    else:
        a, b = x.to_numpy(dtype=float), y.to_numpy(dtype=float)
        test = permutation_test(a, b, seed=seed, resamples=resamples)
        interval = _two_samples(a, b, over, scale, seed, resamples)
        difference = float(a.mean() - b.mean()) if len(a) and len(b) else None
    return MeasureComparison(
        measure, role, counts[0], counts[1], bool(len(both)), len(both), difference, interval, test, None
    )


def _units(table: pd.DataFrame, measure: str) -> pd.Series:
    return table.dropna(subset=[measure]).groupby("unit", sort=True)[measure].mean()


def _mean(values: pd.Series) -> float | None:
    return float(values.mean()) if len(values) else None


def _of_mean(values: Floats, over: str, scale: Scale, seed: int, resamples: int) -> Interval:
    found = mean_interval(values, scale=scale, seed=seed, resamples=resamples)
    said = found.reason and found.reason.replace("participants", over)
    return replace(found, method=found.method.replace("participants", over), reason=said)


def _two_samples(x: Floats, y: Floats, over: str, scale: Scale, seed: int, resamples: int) -> Interval:
    fewer = min(len(x), len(y))
    if fewer < FEWEST:
        return no_interval(too_few(fewer, f"{over} in a group"), seed, 0, WELCH.format(units=over))
    if fewer < FEW or resamples == 0:
        # Not pooled: the groups may differ in spread.
        shares = [float(values.var(ddof=1)) / len(values) for values in (x, y)]
        error = sum(shares)
        below = sum(share**2 / (len(values) - 1) for share, values in zip(shares, (x, y), strict=True))
        return student(
            float(x.mean() - y.mean()),
            error**0.5,
            error**2 / below if below else 0.0,
            scale=scale,
            method=WELCH.format(units=over),
            seed=seed,
            reason=f"all {over} of a group have the same value: there is no spread",
        )
    rng = np.random.default_rng(seed)
    drawn = [
        rng.multinomial(len(values), np.full(len(values), 1 / len(values)), resamples) @ values / len(values)
        for values in (x, y)
    ]
    return percentile_interval(drawn[0] - drawn[1], seed, OVER_UNITS.format(units=over))


def _notes(first: pd.DataFrame, second: pd.DataFrame, roles: Sequence[str]) -> list[str]:
    notes = []
    shares = [table["config"].value_counts(normalize=True) for table in (first, second)]
    # Rounded: shares that are equal as fractions have to be equal as floats.
    if not shares[0].sort_index().round(9).equals(shares[1].sort_index().round(9)):
        notes.append(
            f"The two groups played other mixtures of configurations ({len(shares[0])} and {len(shares[1])}, "
            f"{len(shares[0].index.intersection(shares[1].index))} in common), so a difference may be that of the "
            "configurations."
        )
    one_sided = [role for role in roles if (role in set(first["role"])) != (role in set(second["role"]))]
    if one_sided:
        notes.append(f"Only one of the groups played as {', '.join(one_sided)}: nothing is compared there.")
    return notes
