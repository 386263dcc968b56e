"""The arms of a study compared by the measures of a game: over matches, never over moves."""

from collections.abc import Container, Sequence
from dataclasses import replace

import pandas as pd

from analysis.options import RESAMPLES
from analysis.stats.arms import ArmMean, ArmPair, ArmsCompared, arms_in, as_one_family, compare_arms, why_none


def compare_seats_by_arm(
    seats: pd.DataFrame,
    measures: Sequence[str],
    *,
    shares: Container[str] = (),
    seed: int = 1,
    resamples: int = RESAMPLES,
) -> ArmsCompared:
    """Compare every two arms by each measure of each role, two-sided.

    Everybody in a match is in one arm, and moves of one match answer one another: a match is one value, the mean over
    its seats of the role.

    Parameters
    ----------
    seats
        One row per seat, with `match`, `arm`, `role` and the measures; empty cells count for nothing.
    measures
        Columns to compare.
    shares
        Those of them that lie between 0 and 1: intervals of their means do so too.

    Returns
    -------
    ArmsCompared
        Mann-Whitney's test [MW47]_ over matches; Holm's correction [Hol79]_ is over all measures, roles and pairs of
        arms.
    """
    arms = arms_in(seats["arm"])
    if reason := why_none(len(arms)):
        return ArmsCompared(arms, (), reason)
    roles = list(dict.fromkeys(seats["role"]))
    found = [
        compare_arms(
            measure,
            {arm: _matches(seats, arm, role, measure) for arm in arms},
            of=str(role) if len(roles) > 1 else None,
            scale="share" if measure in shares else "any",
            seed=seed,
            resamples=resamples,
        )
        for measure in measures
        for role in roles
    ]
    kept = as_one_family([one for one in found if one.pairs])
    of_matches = tuple(
        replace(one, arms=tuple(map(_mean, one.arms)), pairs=tuple(map(_pair, one.pairs))) for one in kept
    )
    return ArmsCompared(arms, of_matches, None if of_matches else "no measure has values in two arms")


def _matches(seats: pd.DataFrame, arm: str, role: str, measure: str) -> pd.Series:
    chosen = seats[(seats["arm"] == arm) & (seats["role"] == role)].dropna(subset=[measure])
    means: pd.Series = chosen.groupby("match")[measure].mean()
    return means


def _mean(one: ArmMean) -> ArmMean:
    """Words for people stand for matches here."""
    found = one.described
    interval = replace(
        found.interval,
        method=_words(found.interval.method),
        reason=found.interval.reason and _words(found.interval.reason),
    )
    return replace(
        one, described=replace(found, interval=interval, reason=found.reason and _words(found.reason))
    )


def _pair(one: ArmPair) -> ArmPair:
    return replace(one, test=replace(one.test, reason=one.test.reason and _words(one.test.reason)))


def _words(text: str) -> str:
    return text.replace("participants", "matches").replace("participant", "match")
