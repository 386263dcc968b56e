"""The one composition root: tables of responses in, everything analysis reports out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from types import MappingProxyType

import pandas as pd

from analysis.choice.between import (
    Shared,
    can_be_modelled,
    measures,
    mixed_differences,
    several_studies,
)
from analysis.choice.majority import majority_vote
from analysis.choice.published import Published, is_hntt, is_published_layout, published_numbers
from analysis.choice.same_people import same_people
from analysis.choice.studies import StudyResult, study_result
from analysis.choice.what_if import pairs_what_if
from analysis.data.codes import rows_where
from analysis.data.columns import ANALYZED_COLUMNS, LABEL_COLUMNS, MODES, names
from analysis.data.flow import Flow
from analysis.data.schema import check_responses
from analysis.data.selection import Selected, choose_mode, select
from analysis.errors import AnalysisError
from analysis.findings.registry import computed
from analysis.natural import natural
from analysis.options import (
    ALTERNATIVES,
    BLANKS,
    LEVEL,
    RESAMPLES,
    TIES,
    chosen,
)
from analysis.reported import Analysis, Comparison, Settings
from analysis.stats.comparisons import mann_whitney
from analysis.stats.multiplicity import holm
from analysis.stats.paired import paired_test
from analysis.stats.threads import one_thread


@one_thread
def analyze(
    frames: pd.DataFrame | Sequence[pd.DataFrame],
    *,
    mode: str | None = None,
    blank: str = "missing",
    seed: int = 1,
    alternative: str = "two-sided",
    ties: str = "keep",
    resamples: int = RESAMPLES,
    origins: Sequence[str] | None = None,
    independent: bool = False,
    flows: Mapping[str, Mapping[str, Flow]] = MappingProxyType({}),
) -> Analysis:
    """Compute everything that is reported for one or more studies.

    One row of a frame is one answer to one trial; people are independent, trials of one person are not.

    Parameters
    ----------
    frames
        Tables of `responses`. Studies keep the order of the frames, and within a frame that of their names;
        the first of two is the one whose U is `u1`.
    mode
        The mode to analyse; by default the first of live, simulated, pilot, preview that has answers. The
        rows of other modes are counted in each study's selection.
    blank
        ``missing`` or ``wrong``, see `accuracy_per_participant` and `preference_per_participant`.
    seed, resamples
        Of every bootstrap; 0 resamples gives no intervals.
    alternative
        Of the comparisons: ``greater`` means that the first study, or condition, is higher.
    ties
        ``keep``, or ``random`` to break tied labels by `seed`.
    origins
        What an error calls each frame.
    independent
        Take participants with the same identifier in two studies for different people. By default they are the same
        people, and are compared with themselves.
    flows
        By study and mode, the flow of its participants, where more is known than the answers tell.

    Raises
    ------
    SchemaError
        If a frame breaks the contract of `check_responses`.
    AnalysisError
        If there is no answer at all, none of the mode asked for, or a study stands in two frames.

    Examples
    --------
    >>> analysis = analyze(read_responses("responses.csv"))  # doctest: +SKIP
    >>> analysis.studies[0].accuracy.mean  # doctest: +SKIP
    0.838...
    """
    settings = Settings(
        mode="live" if mode is None else chosen("mode", mode, MODES),
        blank=chosen("blank", blank, BLANKS),
        alternative=chosen("alternative", alternative, ALTERNATIVES),
        ties=chosen("ties", ties, TIES),
        seed=seed,
        resamples=resamples,
        level=LEVEL,
        independent=independent,
    )
    tables = _checked([frames] if isinstance(frames, pd.DataFrame) else frames, origins)
    settings = replace(settings, mode=choose_mode(tables, mode))
    results, labels, hntt, small = [], [], [], []
    for study, rows in _by_study(tables, origins):
        # One study at a time: its rows are a copy, and those of the study before are gone by now.
        one = select(study, rows, settings.mode)
        result = study_result(one, settings.blank, settings.alternative, seed=seed, resamples=resamples)
        flow = flows.get(study, {}).get(settings.mode, one.flow)
        further = dict(computed(one.main, settings))
        curve = pairs_what_if(
            rows, settings.mode, settings.blank, result.led_by, seed=seed, resamples=resamples
        )
        if curve is not None:
            further["what_if"] = curve
        results.append(replace(result, flow=flow, further=further))
        labels.append(majority_vote(one.voted, settings.ties, seed))
        if is_published_layout(one.main):
            hntt.append(one)
        if can_be_modelled(one):
            small.append(one)
        del one
    renumbered = {one.study for one in hntt}
    shared = {
        (one.study, two.study): same_people(
            one.participants["participant"],
            two.participants["participant"],
            independent=independent,
            renumbered={one.study, two.study} <= renumbered,
        )
        for one, two in combinations(results, 2)
    }
    return Analysis(
        settings=settings,
        studies=tuple(results),
        comparisons=_compared(results, shared, settings),
        labels=_joined(labels),
        published=_published(hntt) if len(hntt) == len(results) else None,
        several=several_studies(results, shared, settings.alternative, seed=seed, resamples=resamples),
        mixed_differences=mixed_differences(small, shared, settings.blank),
    )


def _checked(frames: Sequence[pd.DataFrame], origins: Sequence[str] | None) -> list[pd.DataFrame]:
    tables = [
        check_responses(frame, origin, columns=ANALYZED_COLUMNS)
        for frame, origin in zip(frames, _origins(frames, origins), strict=True)
    ]
    for table, origin in zip(tables, _origins(frames, origins), strict=True):
        if table.empty:
            raise AnalysisError(f"{origin}: there are no answers to analyse")
    if not tables:
        raise AnalysisError("there is nothing to analyse")
    return tables


def _origins(frames: Sequence[pd.DataFrame], origins: Sequence[str] | None) -> Sequence[str]:
    return origins or [f"table {number}" for number in range(1, len(frames) + 1)]


def _by_study(
    tables: Sequence[pd.DataFrame], origins: Sequence[str] | None
) -> Iterator[tuple[str, pd.DataFrame]]:
    seen: dict[str, str] = {}
    for table, origin in zip(tables, _origins(tables, origins), strict=True):
        for study in sorted(map(str, table["study"].unique()), key=natural):
            if study in seen:
                raise AnalysisError(
                    f"study {study!r} is in {seen[study]} and again in {origin}: give it once"
                )
            seen[study] = origin
            yield study, rows_where(table, (table["study"] == study).to_numpy())


def _joined(labels: Sequence[pd.DataFrame]) -> pd.DataFrame:
    full = [table for table in labels if len(table)]
    return pd.concat(full, ignore_index=True) if full else pd.DataFrame(columns=list(names(LABEL_COLUMNS)))


def _published(selected: Sequence[Selected]) -> Published | None:
    if not is_hntt([one.main for one in selected]):
        return None
    first, second = (one.main for one in selected)
    return published_numbers(first, second, _joined([majority_vote(first), majority_vote(second)]))


def _compared(results: Sequence[StudyResult], shared: Shared, settings: Settings) -> tuple[Comparison, ...]:
    alternative, seed, resamples = settings.alternative, settings.seed, settings.resamples
    comparisons = [
        Comparison(
            (one.study, two.study),
            measure,
            trials,
            *about,
            found.n,
            mann_whitney(x, y, alternative, seed=seed, resamples=resamples),
            None,
            0,
            found.compared_as,
            paired_test(x, y, alternative, seed=seed, resamples=resamples) if found.crossed else None,
            None,
            0,
            found.warning,
        )
        for one, two in combinations(results, 2)
        for found in [shared[one.study, two.study]]
        for measure, trials, about, (x, y) in measures([one, two])
    ]
    corrected = holm([comparison.test.p for comparison in comparisons])
    to_read = holm([comparison.p_to_read for comparison in comparisons])
    sizes = [sum(p is not None for p in family) for family in (corrected, to_read)]
    return tuple(
        replace(
            comparison, p_holm=p, n_family=sizes[0], p_holm_as_compared=read, n_family_as_compared=sizes[1]
        )
        for comparison, p, read in zip(comparisons, corrected, to_read, strict=True)
    )
