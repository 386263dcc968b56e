"""The report of a table of ratings: who scored what how, and how far raters agree."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import pandas as pd

from analysis.data.rating_table import Ratings
from analysis.data.selection import Selection
from analysis.detection.studies import BlockJudgements
from analysis.figures import AnyFigure
from analysis.figures.distribution import distribution_figure
from analysis.figures.scores import scores_figure
from analysis.findings.arms import rating_arms_section
from analysis.findings.hypotheses import with_hypotheses
from analysis.findings.item_judge_tables import (
    ITEM_HEAD,
    ITEM_JUDGES,
    item_judge_rows,
    judges_of,
    validation_of,
)
from analysis.findings.items import RatedItems
from analysis.findings.making import table_view
from analysis.findings.paired_rating_tables import PAIRED, paired_rows
from analysis.findings.rating_agreement import RATER_PAIRS, rater_pair_rows
from analysis.findings.rating_sections import rating_methods
from analysis.findings.registry import methods_in
from analysis.findings.what_if import what_if_sections
from analysis.hypotheses import HypothesesDecided
from analysis.judging.items import BlockValidation
from analysis.judging.items.figure import item_judges_figure
from analysis.judging.items.validation import ItemValidation, validate_items
from analysis.ratings.between import BlocksCompared
from analysis.ratings.paired import PairedScores
from analysis.ratings.scores import CriterionResult, RatingAnalysis, analyze_ratings
from analysis.ratings.studies import BlockRatings, SelfAssessment
from analysis.results import Result
from app.reports.detection import write_judgements_report
from app.reports.page.methods import methods_of_file
from app.reports.page.writing import FileReport, OnProgress, csv_of_table, csv_text, silent, write_file_report

if TYPE_CHECKING:
    from app.reports.study_facts import StudyFacts

_CRITERIA = (
    "criterion", "n_ratings", "n", "n_missing", "n_not_numbers", "n_out_of_range", "n_items", "n_raters", "mean",
    "low", "high", "sd_ddof0", "sd_ddof1", "minimum", "maximum", "reason",
)  # fmt: skip
_GROUPS = (
    "criterion", "group", "n", "n_items", "n_raters", "mean", "low", "high", "sd_ddof1", "lower_quartile", "median",
    "upper_quartile",
)  # fmt: skip


def write_ratings_report(
    ratings: Ratings,
    folder: Path,
    *,
    seed: int,
    resamples: int,
    made_at: datetime | None,
    verdicts: pd.DataFrame | None = None,
    on_progress: OnProgress = silent,
) -> int:
    """Write the report of checked ratings into `folder`, as `write_report` does for answers; returns the number
    counted.

    `verdicts` (`read_item_verdicts`) of judges of items are compared with the raters. Raises StudyError for a folder
    that cannot be written, AnalysisError for verdicts on other items.
    """

    def made() -> FileReport:
        analysis = analyze_ratings(ratings, seed=seed, resamples=resamples)
        name = Path(ratings.origin).name
        judges = (
            None if verdicts is None else validate_items(ratings, verdicts, seed=seed, resamples=resamples)
        )
        block = _block_of(analysis, name)
        return _report(f"Ratings in {name}", analysis, block, _about_file(analysis, name), made_at, judges)

    return write_file_report(made, folder, made_at, on_progress)


def write_block_report(
    block: BlockRatings,
    title: str,
    folder: Path,
    *,
    made_at: datetime | None,
    judges: ItemValidation | None = None,
    compared: Sequence[BlocksCompared] = (),
    hypotheses: HypothesesDecided | None = None,
    study: "StudyFacts | None" = None,
    on_progress: OnProgress = silent,
) -> int:
    """Write the report of one block of ratings of a study, as `write_ratings_report`; returns how many scores count."""

    def made() -> FileReport:
        about = _about_block(block)
        return _report(
            f"{title}: {block.kind}",
            block,
            block,
            about,
            made_at,
            judges,
            [
                one
                for one in compared
                if (block.study, block.block) in zip(one.studies, one.blocks, strict=True)
            ],
            hypotheses,
            study,
        )

    return write_file_report(made, folder, made_at, on_progress)


def write_block_reports(
    blocks: Sequence[BlockRatings | BlockJudgements],
    titles: Mapping[str, str],
    folder: Path,
    *,
    alone: bool,
    made_at: datetime | None,
    judged: Sequence[BlockValidation] = (),
    compared: Sequence[BlocksCompared] = (),
    hypotheses: Mapping[str, HypothesesDecided] = MappingProxyType({}),
    studies: "Mapping[str, StudyFacts]" = MappingProxyType({}),
    on_progress: OnProgress = silent,
) -> tuple[str, ...]:
    """Write the report of every block that has answers; returns the pages, relative to `folder`.

    A single block `alone`, without a report of pairs, uses the folder itself: its numbers, with a subfolder for
    anything else. Others have one each, named by kind, study and block. `titles` are by study. Validations of item
    judges go with the ratings, classes or judgements that they are `judged` by, studies `compared` with the ratings of
    each. The `hypotheses` of a study open the page of its first block of ratings. `studies` are those of which no page
    tells but these.
    """
    left = dict(hypotheses)
    answered = [one for one in blocks if not one.selection.reason]
    is_whole = alone and len({(one.study, one.block) for one in answered}) == 1
    pages = []
    for at, one in enumerate(answered):
        place = "" if is_whole and not at else f"{one.name}/"
        title, there = titles.get(one.study, one.study), folder / place
        judges = judges_of(one, answered, judged)
        if isinstance(one, BlockJudgements):
            write_judgements_report(
                one,
                title,
                there,
                made_at=made_at,
                judges=judges,
                study=studies.get(one.study),
                on_progress=on_progress,
            )
        else:
            found = compared if one.kind == "ratings" else ()
            write_block_report(
                one,
                title,
                there,
                made_at=made_at,
                judges=judges,
                compared=found,
                hypotheses=left.pop(one.study, None),
                study=studies.get(one.study),
                on_progress=on_progress,
            )
        pages.append(f"{place}report.html")
    return tuple(pages)


def _report(
    title: str,
    result: Result,
    block: BlockRatings,
    about: str,
    made_at: datetime | None,
    judges: ItemValidation | None,
    compared: Sequence[BlocksCompared] = (),
    hypotheses: HypothesesDecided | None = None,
    study: "StudyFacts | None" = None,
) -> FileReport:
    mode = block.selection.mode
    flow = None if study is None else study.flows.get(mode)
    analysis = block.analysis
    paired = _paired(analysis, block.self_assessment, compared)
    found = chain(rating_arms_section(block.arms, block.kind), what_if_sections(block.labelled().what_if))
    kind, drawn = block.kind, () if judges is None else (item_judges_figure(judges),)
    validations = () if judges is None else (validation_of(block, kind, judges),)
    return FileReport(
        title,
        sum(one.n for one in analysis.criteria),
        result,
        methods_of_file(
            "Ratings",
            " ".join((about, rating_methods(analysis), *methods_in(found))),
            analysis.seed,
            ITEM_JUDGES if judges else "",
            study,
            mode,
        ),
        with_hypotheses(
            table_view(RatedItems((block,), (), validations, compared), made_at, flow), hypotheses
        ),
        {
            "criteria": csv_text(_CRITERIA, map(_criterion_row, analysis.criteria)),
            "classes": csv_text(("criterion", "class", "n", "share"), _class_rows(analysis)),
            "rater_pairs": csv_text(RATER_PAIRS, rater_pair_rows(analysis)),
            "items": csv_of_table(analysis.items),
            "raters": csv_of_table(analysis.raters),
            "odd": csv_of_table(analysis.odd),
            **({"groups": csv_text(_GROUPS, _group_rows(analysis))} if _has_groups(analysis) else {}),
            **({"paired": csv_text(PAIRED, paired_rows(paired))} if paired else {}),
            **({} if judges is None else {"judges": csv_text(ITEM_HEAD, item_judge_rows(judges))}),
        },
        (*_figures(analysis.labelled()), *drawn),
        judges,
    )


def _block_of(analysis: RatingAnalysis, name: str) -> BlockRatings:
    """The ratings of a file as a block of no study."""
    n = sum(one.n for one in analysis.criteria)
    raters = analysis.raters["rater"].nunique()
    selection = Selection("", n, n, raters, raters, {}, None)
    return BlockRatings(name, name, selection, 0, 0, None, analysis.items[:0], analysis, None, None)


def _paired(
    analysis: RatingAnalysis, own: SelfAssessment | None, compared: Sequence[BlocksCompared]
) -> Sequence[PairedScores]:
    of_studies = (each for one in compared for each in one.criteria)
    return (
        *analysis.matched_groups,
        *analysis.criteria_compared,
        *(own.criteria if own else ()),
        *of_studies,
    )


def _figures(analysis: RatingAnalysis) -> Iterator[AnyFigure]:
    """Figures of scores and of how often each was given, for each scale: points and percent have no axis in common."""
    scales = list(dict.fromkeys(one.scale for one in analysis.criteria))
    if len(scales) < 2:
        yield scores_figure(analysis)
        yield distribution_figure(analysis)
        return
    for place, scale in enumerate(scales, 1):
        of_scale = tuple(one for one in analysis.criteria if one.scale == scale)
        part = replace(analysis, criteria=of_scale, scale=scale)
        for figure in (scores_figure(part), distribution_figure(part)):
            yield replace(figure, name=figure.name if place == 1 else f"{figure.name}-{place}")


def _has_groups(analysis: RatingAnalysis) -> bool:
    return any(one.groups for one in analysis.criteria)


def _group_rows(analysis: RatingAnalysis) -> Iterator[tuple[object, ...]]:
    for one in analysis.criteria:
        for group in one.groups:
            ends = group.interval.low, group.interval.high
            quartiles = group.quartiles.lower, group.quartiles.median, group.quartiles.upper
            counts = group.n, group.n_items, group.n_raters
            yield one.criterion, group.group, *counts, group.mean, *ends, group.sd_ddof1, *quartiles


def _criterion_row(one: CriterionResult) -> tuple[object, ...]:
    return (
        *(one.criterion, one.n_ratings, one.n, one.n_missing, one.n_not_numbers, one.n_out_of_range),
        *(one.n_items, one.n_raters, one.mean, one.interval.low, one.interval.high),
        *(one.sd_ddof0, one.sd_ddof1, one.minimum, one.maximum, one.reason or one.interval.reason),
    )


def _class_rows(analysis: RatingAnalysis) -> Iterator[tuple[str, str, int, float]]:
    for one in analysis.criteria:
        for each in one.classes:
            yield one.criterion, each.name, each.n, each.share


def _about_file(analysis: RatingAnalysis, name: str) -> str:
    scale = "not given" if analysis.scale is None else "{:g} to {:g}".format(*analysis.scale)
    outside = "counted" if analysis.out_of_range == "keep" else "left out"
    return f"The scores were read from the file {name}. The scale is {scale}; scores outside of it are {outside}."


def _about_block(block: BlockRatings) -> str:
    """The raters and items of a block, and what was left out."""
    selection = block.selection
    excluded = sum(selection.left_out["excluded"].values())
    scales = "; ".join(
        f"{one.criterion} from {one.scale[0]:g} to {one.scale[1]:g}"
        for one in block.analysis.criteria
        if one.scale
    )
    return (
        f"In the study {block.study}, block {block.block}, {selection.n_participants_used} participants "
        f"(mode {selection.mode}) rated one item at a time; {selection.n_used} pages count, each one item "
        f"rated by one participant, {excluded} more were excluded, of {block.n_sessions_excluded} sessions, and "
        f"practice and attention checks are in no number. {f'Scales: {scales}.' if scales else ''}"
    ).rstrip()
