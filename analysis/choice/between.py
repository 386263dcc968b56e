"""Studies held against each other: more than two at once, and under the mixed model."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Literal

import pandas as pd

from analysis.choice.same_people import ComparedAs, SamePeople
from analysis.choice.studies import StudyResult
from analysis.data.selection import Selected
from analysis.options import Alternative, Blank
from analysis.results import FLAT, Result
from analysis.stats.groups import GroupComparison, kruskal_wallis
from analysis.stats.mixed import MOST_ANSWERS, MixedModel, mixed_difference
from analysis.stats.paired import Friedman, friedman

Shared = Mapping[tuple[str, str], SamePeople]
Measure = Literal["accuracy", "uncertainty", "preference"]
About = tuple[str | None, str | None, str | None]

NOTHING: About = (None, None, None)

_MOST_STUDIES = 6


@dataclass(frozen=True, slots=True)
class Several(Result):
    """One measure in more than two studies: a Kruskal-Wallis test, and all pairs of studies with Holm's correction.

    `trials` names the trials an uncertainty is over; the next three what a preference is for. `friedman` compares
    participants who took part in all of the studies within themselves; if each two of the studies are compared so,
    `compared_as` is ``paired`` and the test of independent groups does not apply. `warning` says where different
    identities were assumed for people who may be the same.
    """

    measure: Measure
    trials: str | None
    condition: str | None
    source: str | None
    against: str | None
    test: GroupComparison = field(metadata=FLAT)
    compared_as: ComparedAs
    friedman: Friedman | None
    warning: str | None


@dataclass(frozen=True, slots=True)
class MixedDifference(Result):
    """Two studies in one mixed model: `model.difference` is the second's log odds less the first's.

    The study is a fixed effect. `n_crossed` participants took part in both, each with one random intercept."""

    studies: tuple[str, str]
    model: MixedModel = field(metadata=FLAT)
    n_crossed: int


def measures(results: Sequence[StudyResult]) -> Iterator[tuple[Measure, str | None, About, list[pd.Series]]]:
    """The measures comparable between these studies, each with its values by study, indexed by participant.

    Preferences are compared only if the pairs have no truth: otherwise the accuracy is compared already.
    """
    yield "accuracy", None, NOTHING, [_by_participant(one.participants, "accuracy") for one in results]
    trials = {one.uncertainty_trials for one in results}
    column = "uncertainty" if len(trials) == 1 else "uncertainty_all"
    which = trials.pop() if len(trials) == 1 else "all"
    yield "uncertainty", which, NOTHING, [_by_participant(one.participants, column) for one in results]
    for about in sorted(set.intersection(*map(_preferred, results))):
        yield "preference", None, about, [_preference(one, about) for one in results]


def several_studies(
    results: Sequence[StudyResult], shared: Shared, alternative: Alternative, *, seed: int, resamples: int
) -> tuple[Several, ...]:
    """Compare more than two studies at once; nothing for one or two."""
    if len(results) < 3:
        return ()
    crossed = all(one.crossed for one in shared.values())
    paired = all(one.compared_as == "paired" for one in shared.values())
    return tuple(
        Several(
            measure,
            trials,
            *about,
            kruskal_wallis(
                dict(zip((one.study for one in results), values, strict=True)),
                alternative,
                seed=seed,
                resamples=resamples,
            ),
            "paired" if paired else "independent",
            friedman([one.study for one in results], values) if crossed else None,
            None if paired else _shared_warning(shared),
        )
        for measure, trials, about, values in measures(results)
    )


def _shared_warning(shared: Shared) -> str | None:
    named = [f"{one} and {two} ({found.n})" for (one, two), found in shared.items() if found.n]
    if not named:
        return None
    return (
        f"some participants have the same identifier in {', '.join(named)}: the test of independent groups takes them "
        "for different people"
    )


def can_be_modelled(selected: Selected) -> bool:
    """True if the mixed model can take so many answers; otherwise the rows need not be kept for it."""
    return len(selected.main) <= MOST_ANSWERS


def mixed_differences(
    selected: Sequence[Selected], shared: Shared, blank: Blank
) -> tuple[MixedDifference, ...]:
    """Fit one mixed model to each two studies; to none where there are more than six, which would take minutes."""
    if len(selected) > _MOST_STUDIES:
        return ()
    return tuple(
        MixedDifference(
            (one.study, two.study),
            mixed_difference(one.main, two.main, blank, same_people=found.crossed),
            found.n if found.crossed else 0,
        )
        for one, two in combinations(selected, 2)
        for found in [shared[one.study, two.study]]
    )


def _preferred(result: StudyResult) -> set[tuple[str, str, str]]:
    return {(p.condition, p.source, p.against) for p in result.preferences if not p.has_truth}


def _preference(result: StudyResult, about: tuple[str, str, str]) -> pd.Series:
    table = result.participant_preferences
    chosen = pd.Series(True, index=table.index)
    for key, value in zip(("condition", "source", "against"), about, strict=True):
        chosen &= table[key] == value
    return _by_participant(table[chosen], "preference")


def _by_participant(table: pd.DataFrame, column: str) -> pd.Series:
    return table[column].set_axis(table["participant"])
