"""A measure in the arms of a study: each arm described, and every two arms compared as groups of different people."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import pandas as pd

from analysis.natural import natural
from analysis.options import RESAMPLES, Alternative
from analysis.results import FLAT, Result
from analysis.stats.comparisons import MannWhitney, mann_whitney
from analysis.stats.description import Description, describe
from analysis.stats.multiplicity import holm
from analysis.stats.student import Scale

# Two at a time: ten arms are 45 comparisons of each measure.
MOST_ARMS = 10


@dataclass(frozen=True, slots=True)
class ArmMean(Result):
    """A measure in one arm: one value per participant, or in games per match."""

    arm: str
    """The arm."""
    described: Description = field(metadata=FLAT)


@dataclass(frozen=True, slots=True)
class ArmPair(Result):
    """Two arms compared by the Mann-Whitney test [MW47]_, as the published studies were [NTT21]_.

    `p_holm` corrects p by Holm's method over the `n_family` pairs of arms that have a p: of the measure, and of
    ratings, classes and games of all measures together. `n_shared` participants have a value in both arms, and
    `warning` says what the test then takes for granted, or why values of two arms are no fair comparison."""

    arms: tuple[str, str]
    """The two arms."""
    test: MannWhitney = field(metadata=FLAT)
    p_holm: float | None
    n_family: int
    n_shared: int
    warning: str | None


@dataclass(frozen=True, slots=True)
class MeasureByArm(Result):
    """One measure in every arm that has a value of it, and every two of these arms.

    `of` completes the name of the measure: a preference's source and what it was chosen over, a class of a criterion,
    or a role in a game."""

    measure: str
    of: str | None
    arms: tuple[ArmMean, ...]
    pairs: tuple[ArmPair, ...]


@dataclass(frozen=True, slots=True)
class ArmsCompared(Result):
    """The `arms` in natural order with each measure in them; `reason` says why nothing is compared."""

    arms: tuple[str, ...]
    """The arms with an answer, or match, that counts."""
    measures: tuple[MeasureByArm, ...]
    reason: str | None

    def labelled(self, labels: Mapping[str, str]) -> "ArmsCompared":
        """The same with measures under other names, to be shown."""
        return replace(
            self,
            measures=tuple(
                replace(one, measure=labels.get(one.measure, one.measure)) for one in self.measures
            ),
        )


def arms_in(arms: pd.Series) -> tuple[str, ...]:
    """The arms that occur, in natural order."""
    return tuple(sorted((str(arm) for arm in arms.dropna().unique()), key=natural))


def why_none(n: int) -> str | None:
    """The reason for comparing no arms, where there are `n`."""
    if n > MOST_ARMS:
        return f"there are {n} arms, and no more than {MOST_ARMS} are compared two by two"
    return None if n > 1 else "there is one arm" if n else "there is no arm"


def compare_arms(
    measure: str,
    values: Mapping[str, pd.Series],
    alternative: Alternative = "two-sided",
    *,
    of: str | None = None,
    scale: Scale = "any",
    seed: int = 1,
    resamples: int = RESAMPLES,
) -> MeasureByArm:
    """Describe a measure in each arm and compare every two arms.

    Parameters
    ----------
    values
        By arm, in order, one value per participant (or match), indexed by it. Missing values are left out, and so are
        arms without any.
    alternative
        ``greater``: the first of the two arms is higher.
    scale
        What a value can be, see `describe`.
    seed, resamples
        Of bootstraps and permutation tests.

    Examples
    --------
    >>> slow, fast = pd.Series([0.9, 0.8, 0.7], list("abc")), pd.Series([0.5, 0.6, 0.4], list("def"))
    >>> [pair] = compare_arms("accuracy", {"slow": slow, "fast": fast}).pairs
    >>> pair.test.u1, pair.test.u2, round(pair.test.p, 3)
    (9.0, 0.0, 0.1)
    """
    present = {arm: one.dropna() for arm, one in values.items()}
    present = {arm: one for arm, one in present.items() if len(one)}
    pairs = [
        _pair(
            (one, two),
            len(present[one].index.intersection(present[two].index)),
            mann_whitney(present[one], present[two], alternative, seed=seed, resamples=resamples),
        )
        for one, two in combinations(present, 2)
    ]
    return MeasureByArm(
        measure=measure,
        of=of,
        arms=tuple(
            ArmMean(arm, describe(one, scale=scale, seed=seed, resamples=resamples))
            for arm, one in present.items()
        ),
        pairs=tuple(_corrected(pairs)),
    )


def as_one_family(found: Sequence[MeasureByArm]) -> tuple[MeasureByArm, ...]:
    """The same with Holm's correction over all measures and pairs of arms together."""
    every = iter(_corrected([pair for one in found for pair in one.pairs]))
    return tuple(replace(one, pairs=tuple(next(every) for _ in one.pairs)) for one in found)


def _pair(arms: tuple[str, str], n_shared: int, test: MannWhitney) -> ArmPair:
    have = "1 participant has a value" if n_shared == 1 else f"{n_shared} participants have a value"
    warning = f"{have} in both arms, and the test takes them for different people" if n_shared else None
    return ArmPair(arms, test, None, 0, n_shared, warning)


def _corrected(pairs: Sequence[ArmPair]) -> Iterable[ArmPair]:
    corrected = holm([one.test.p for one in pairs])
    n = sum(p is not None for p in corrected)
    return [replace(one, p_holm=p, n_family=n) for one, p in zip(pairs, corrected, strict=True)]
