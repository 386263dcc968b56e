"""Judges held against people: responses and verdicts in, everything that is reported out."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from analysis.data.checking import check_columns
from analysis.data.columns import ANALYZED_COLUMNS, MODES, TIE
from analysis.data.schema import check_responses
from analysis.data.selection import Selection, choose_mode, select
from analysis.errors import AnalysisError
from analysis.judging.alternative import EPSILON, FEWEST, AlternativeTest, Q, alternative_test
from analysis.judging.columns import PAIR_COLUMNS
from analysis.judging.matching import About, Judged, RunCounts, Scores, match
from analysis.judging.measures import Group, Judging
from analysis.judging.pairs import EVEN, Pairs, collect_pairs
from analysis.judging.prediction_powered import PredictionPowered, prediction_powered
from analysis.judging.verdicts import check_verdicts
from analysis.judging.versus import Versus, compare_judges
from analysis.options import LEVEL, RESAMPLES, chosen
from analysis.results import Result
from analysis.stats.threads import one_thread

FORMAT = "likely-human judges 1"

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True)
class JudgingSettings(Result):
    """The requested settings; `seed` starts every bootstrap, draw and split and breaks the ties of `as_published`."""

    mode: str
    seed: int
    resamples: int
    level: float
    epsilon: float
    q: float
    min_instances: int


@dataclass(frozen=True, slots=True)
class JudgeResult(Result):
    """One judge. `about` is what it judged, `scores` the kind of its scores: ``probabilities`` that a is chosen,
    ``support`` for a, of single ``clips``, or ``none``. `alternative_annotator` has one test for each of the `runs`.
    """

    judge: str
    about: About
    scores: Scores
    runs: tuple[RunCounts, ...]
    groups: tuple[Group, ...]
    alternative_annotator: tuple[AlternativeTest, ...]
    prediction_powered: tuple[PredictionPowered, ...]


@dataclass(frozen=True, slots=True)
class JudgeValidation(Result):
    """All judges of a file of verdicts against the people of one or more studies; `to_dict()` is the
    documented JSON.

    Of `n_pairs` pairs, `n_with_truth` have a truth, `n_with_votes` votes, `n_tied` of these a tied
    majority. Of the `n_votes` votes `n_tie_votes` say that there is no difference; `n_blank` answers are no votes."""

    settings: JudgingSettings
    selection: Mapping[str, Selection]
    n_pairs: int
    n_with_truth: int
    n_with_votes: int
    n_tied: int
    n_votes: int
    n_participants: int
    judges: tuple[JudgeResult, ...]
    comparisons: tuple[Versus, ...]
    n_tie_votes: int
    n_blank: int

    def to_dict(self) -> dict[str, Any]:
        """A dict of plain values with stable keys: never NaN, but null with a reason."""
        return {"format": FORMAT, **Result.to_dict(self)}


@one_thread
def validate_judges(
    responses: pd.DataFrame,
    verdicts: pd.DataFrame,
    *,
    pairs: pd.DataFrame | None = None,
    mode: str | None = None,
    seed: int = 1,
    resamples: int = RESAMPLES,
    epsilon: float = EPSILON,
    q: float = Q,
    min_instances: int = FEWEST,
    on_progress: Progress | None = None,
) -> JudgeValidation:
    """Hold judges against people.

    One row of `responses` is one answer to one trial, one of `verdicts` what one run of one judge says of one pair or
    clip. The unit of every number is the pair; statements on people hold for these participants.

    Parameters
    ----------
    responses
        Of one or more studies; main trials of one mode that no rule excludes count.
    verdicts
        See `check_verdicts`. A verdict that names nothing known is counted, not used.
    pairs
        Further pairs (`PAIR_COLUMNS`) with verdicts and without votes, for the prediction-powered preference.
    mode
        As in `analyze`.
    seed, resamples
        Of every bootstrap; 0 resamples gives no intervals.
    epsilon, q, min_instances
        Of the alternative annotator test.
    on_progress
        Called with judges done, judges and the judge's name.

    Raises
    ------
    SchemaError
        If a table breaks its contract.
    AnalysisError
        If there is no answer, no verdict, or a pair's name is in two studies and the verdicts do not say
        which.

    Examples
    --------
    >>> validation = validate_judges(responses, verdicts)  # doctest: +SKIP
    >>> validation.judges[0].groups[0].measures["label_accuracy"].corrected.value  # doctest: +SKIP
    0.8
    """
    responses, verdicts = check_responses(responses, columns=ANALYZED_COLUMNS), check_verdicts(verdicts)
    _refuse_empty(responses, verdicts)
    mode = choose_mode([responses], None if mode is None else chosen("mode", mode, MODES))
    more = None if pairs is None else check_columns(pairs, PAIR_COLUMNS, "pairs", 2)
    selection, collected = _selected(responses, more, mode)
    judged = match(verdicts, collected, responses)
    shared = Judging(collected, seed=seed, resamples=resamples)
    settings = JudgingSettings(mode, seed, resamples, LEVEL, epsilon, q, min_instances)
    results = []
    for number, one in enumerate(judged):
        if on_progress:
            on_progress(number, len(judged), one.judge)
        results.append(_result(one, collected, shared, settings))
    if on_progress:
        on_progress(len(judged), len(judged), "done")
    votes = collected.votes
    return JudgeValidation(
        settings=settings,
        selection=selection,
        n_pairs=len(collected),
        n_with_truth=int(collected.has_truth.sum()),
        n_with_votes=int((collected.n > 0).sum()),
        n_tied=int((collected.label == EVEN).sum()),
        n_votes=int(votes.sum()),
        n_participants=collected.n_participants,
        judges=tuple(results),
        comparisons=compare_judges(judged, collected, seed=seed, resamples=resamples),
        n_tie_votes=int(votes[:, TIE].sum()),
        n_blank=sum(one.n_used for one in selection.values()) - int(votes.sum()),
    )


def _refuse_empty(responses: pd.DataFrame, verdicts: pd.DataFrame) -> None:
    if responses.empty:
        raise AnalysisError("responses: there are no answers to hold a judge against")
    if verdicts.empty:
        raise AnalysisError("verdicts: there are no verdicts")


def _selected(
    responses: pd.DataFrame, more: pd.DataFrame | None, mode: str
) -> tuple[dict[str, Selection], Pairs]:
    studies = sorted(map(str, responses["study"].unique()))
    if len(studies) == 1:
        one = select(studies[0], responses, mode)
        return {studies[0]: one.selection}, collect_pairs(one.main, more)
    selection = {
        study: select(study, responses[responses["study"] == study], mode).selection for study in studies
    }
    return selection, collect_pairs(select("", responses, mode).main, more)


def _result(judged: Judged, pairs: Pairs, shared: Judging, settings: JudgingSettings) -> JudgeResult:
    tests = tuple(
        alternative_test(
            pairs,
            run.support,
            run=run.counts.run,
            epsilon=settings.epsilon,
            q=settings.q,
            min_instances=settings.min_instances,
            seed=settings.seed,
            resamples=settings.resamples,
        )
        for run in judged.runs
    )
    return JudgeResult(
        judge=judged.judge,
        about=judged.about,
        scores=judged.scores,
        runs=tuple(run.counts for run in judged.runs),
        groups=shared.groups(judged),
        alternative_annotator=tests,
        prediction_powered=prediction_powered(judged, pairs),
    )
