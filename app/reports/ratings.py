"""The report of a table of ratings: who scored what how, and how far raters agree."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pandas as pd

from analysis.data.rating_table import Ratings
from analysis.detection.studies import BlockJudgements
from analysis.figures import AnyFigure
from analysis.figures.distribution import distribution_figure
from analysis.figures.scores import scores_figure
from analysis.judging.items import BlockValidation
from analysis.judging.items.figure import item_judges_figure
from analysis.judging.items.validation import ItemValidation, validate_items
from analysis.ratings.between import BlocksCompared
from analysis.ratings.groups import GroupScores
from analysis.ratings.paired import PairedScores
from analysis.ratings.scores import CriterionResult, RatingAnalysis, analyze_ratings
from analysis.ratings.studies import BlockRatings, SelfAssessment
from analysis.results import Result, table_rows
from app.reports.detection import write_judgements_report
from app.reports.page.item_judges import (
    ITEM_HEAD,
    ITEM_JUDGES,
    item_judge_rows,
    item_judges_section,
    judges_of,
)
from app.reports.page.methods import methods_of_file
from app.reports.page.paired_ratings import PAIRED, paired_rows, paired_sections
from app.reports.page.rating_agreement import (
    RATER_PAIRS,
    agreement_section,
    rater_pair_rows,
    rater_pairs_sections,
)
from app.reports.page.views import (
    NONE,
    SectionView,
    TableView,
    figure_view,
    number,
    shortened,
)
from app.reports.page.writing import FileReport, OnProgress, csv_of, csv_text, silent, write_file_report

MOST_ROWS = 60

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
        return _report(f"Ratings in {name}", analysis, analysis, _about_file(analysis, name), judges)

    return write_file_report(made, folder, made_at, on_progress)


def write_block_report(
    block: BlockRatings,
    title: str,
    folder: Path,
    *,
    made_at: datetime | None,
    judges: ItemValidation | None = None,
    compared: Sequence[BlocksCompared] = (),
    on_progress: OnProgress = silent,
) -> int:
    """Write the report of one block of ratings of a study, as `write_ratings_report`; returns how many scores count."""

    def made() -> FileReport:
        about = _about_block(block)
        return _report(
            f"{title}: {block.kind}",
            block,
            block.analysis,
            about,
            judges,
            block.self_assessment,
            [
                one
                for one in compared
                if (block.study, block.block) in zip(one.studies, one.blocks, strict=True)
            ],
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
    on_progress: OnProgress = silent,
) -> tuple[str, ...]:
    """Write the report of every block that has answers; returns the pages, relative to `folder`.

    A single block `alone`, without a report of pairs, uses the folder itself: its numbers, with a subfolder for
    anything else. Others have one each, named by kind, study and block. `titles` are by study. Validations of item
    judges go with the ratings, classes or judgements that they are `judged` by, studies `compared` with the ratings of
    each.
    """
    answered = [one for one in blocks if not one.selection.reason]
    is_whole = alone and len({(one.study, one.block) for one in answered}) == 1
    pages = []
    for at, one in enumerate(answered):
        place = "" if is_whole and not at else f"{one.name}/"
        title, there = titles.get(one.study, one.study), folder / place
        judges = judges_of(one, answered, judged)
        if isinstance(one, BlockJudgements):
            write_judgements_report(
                one, title, there, made_at=made_at, judges=judges, on_progress=on_progress
            )
        else:
            found = compared if one.kind == "ratings" else ()
            write_block_report(
                one, title, there, made_at=made_at, judges=judges, compared=found, on_progress=on_progress
            )
        pages.append(f"{place}report.html")
    return tuple(pages)


def _report(
    title: str,
    result: Result,
    analysis: RatingAnalysis,
    about: str,
    judges: ItemValidation | None,
    own: SelfAssessment | None = None,
    compared: Sequence[BlocksCompared] = (),
) -> FileReport:
    labels, shown = analysis.labels, analysis.labelled()
    paired = _paired(analysis, own, compared)
    figures = tuple(_figures(shown))
    drawn = None if judges is None else item_judges_figure(judges)
    views = tuple(figure_view(figure, "tables/criteria.csv") for figure in figures)
    methods = f"{about} {_statistics(analysis)}"
    return FileReport(
        title,
        sum(one.n for one in analysis.criteria),
        result,
        methods_of_file("Ratings", methods, analysis.seed, ITEM_JUDGES if judges else ""),
        (
            SectionView(
                "scores",
                "Scores",
                figures=views,
                tables=tuple(_questions(analysis)),
                notes=tuple(_counted(shown)),
            ),
            *_groups(shown),
            *paired_sections(shown, own and own.labelled(labels), [one.labelled(labels) for one in compared]),
            agreement_section(shown),
            *rater_pairs_sections(shown),
            *_classes(shown),
            *_raters(shown),
            *_odd(shown),
            *(() if judges is None or drawn is None else [item_judges_section(judges, drawn)]),
        ),
        {
            "criteria": csv_text(_CRITERIA, map(_criterion_row, analysis.criteria)),
            "classes": csv_text(("criterion", "class", "n", "share"), _class_rows(analysis)),
            "rater_pairs": csv_text(RATER_PAIRS, rater_pair_rows(analysis)),
            "items": csv_of(analysis.items),
            "raters": csv_of(analysis.raters),
            "odd": csv_of(analysis.odd),
            **({"groups": csv_text(_GROUPS, _group_rows(analysis))} if _has_groups(analysis) else {}),
            **({"paired": csv_text(PAIRED, paired_rows(paired))} if paired else {}),
            **({} if judges is None else {"judges": csv_text(ITEM_HEAD, item_judge_rows(judges))}),
        },
        figures if drawn is None else (*figures, drawn),
        judges,
    )


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


def _questions(analysis: RatingAnalysis) -> Iterator[TableView]:
    """The question of each criterion, if its id does not tell."""
    rows = [
        (one.criterion, one.asked, "" if one.scale is None else "{:g} to {:g}".format(*one.scale))
        for one in analysis.criteria
        if one.asked
    ]
    if rows:
        head = "id in the data", "question", "scale"
        yield shortened("Criteria", head, rows, n_names=3, file="results.json", most=MOST_ROWS)


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


def _groups(analysis: RatingAnalysis) -> Iterator[SectionView]:
    """Each group of items by each criterion."""
    if not _has_groups(analysis):
        return
    rows = [
        (
            *(one.criterion, group.group, str(group.n), f"{group.n_items}"),
            f"{number(group.mean, 2)} {_interval(group)}",
            number(group.sd_ddof1, 2),
            f"{group.quartiles.lower:g} {group.quartiles.median:g} {group.quartiles.upper:g}",
        )
        for one in analysis.criteria
        for group in one.groups
    ]
    head = "criterion", "group", "scores", "items", "mean", "SD (n-1)", "quartiles"
    caption = "Scores by group of items, with 95% intervals of the mean"
    table = shortened(caption, head, rows, n_names=2, file="tables/groups.csv", most=MOST_ROWS)
    missing: dict[str, list[str]] = {}
    for one in analysis.criteria:
        for group in one.groups:
            if group.interval.reason:
                missing.setdefault(group.interval.reason, []).append(f"{one.criterion}, {group.group}")
    notes = tuple(f"No interval in {'; '.join(names)}: {reason}." for reason, names in missing.items())
    yield SectionView("groups", "Groups of items", tables=(table,), notes=notes)


def _interval(group: GroupScores) -> str:
    low, high = group.interval.low, group.interval.high
    return "" if low is None or high is None else f"[{number(low, 2)}, {number(high, 2)}]"


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


def _counted(analysis: RatingAnalysis) -> Iterator[str]:
    outside = "out of range" if analysis.out_of_range == "drop" else "out of range but counted"
    for one in analysis.criteria:
        counts = (
            (one.n_missing, "empty"),
            (one.n_not_numbers, "not a number"),
            (one.n_out_of_range, outside),
        )
        if odd := [f"{n} {words}" for n, words in counts if n]:
            yield f"{one.criterion}: {one.n} of {one.n_ratings} scores count; {', '.join(odd)}."
        if one.reason:
            yield f"{one.criterion}: {one.reason}."


def _classes(analysis: RatingAnalysis) -> Iterator[SectionView]:
    """Scores that are names: how often each was given, and what each item is."""
    rows = [
        (criterion, name, str(n), number(share, 3)) for criterion, name, n, share in _class_rows(analysis)
    ]
    if not rows:
        return
    items = []
    for row in table_rows(analysis.items):
        votes = f"{row['n_plurality'] or 0} of {row['n']}"
        items.append((row["criterion"], row["item"], str(row["plurality"] or NONE), votes))
    given, of_item = "How often each class was given", "The class of each item"
    head, about = ("criterion", "class", "scores", "share"), ("criterion", "item", "class", "scores for it")
    tables = (
        shortened(given, head, rows, n_names=2, file="tables/classes.csv", most=MOST_ROWS),
        shortened(of_item, about, items, n_names=3, file="tables/items.csv", most=MOST_ROWS),
    )
    yield SectionView("classes", "Classes", tables=tables)


def _raters(analysis: RatingAnalysis) -> Iterator[SectionView]:
    if analysis.agreement_level == "nominal":
        return
    rows = [
        (row["criterion"], row["rater"], str(row["n"]), number(row["mean"], 2), number(row["sd_ddof1"], 2))
        for row in table_rows(analysis.raters)
    ]
    head = "criterion", "rater", "scores", "mean", "SD (n-1)"
    table = shortened("Each rater's scores", head, rows, n_names=2, file="tables/raters.csv", most=MOST_ROWS)
    yield SectionView("raters", "Raters", tables=(table,))


def _odd(analysis: RatingAnalysis) -> Iterator[SectionView]:
    rows = [tuple(map(str, row.values())) for row in table_rows(analysis.odd)]
    if not rows:
        return
    head, caption = tuple(map(str, analysis.odd)), "Scores that are no numbers, or out of range"
    table = shortened(caption, head, rows, n_names=len(head), file="tables/odd.csv", most=MOST_ROWS)
    yield SectionView("odd", "Odd scores", tables=(table,))


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


def _statistics(analysis: RatingAnalysis) -> str:
    return (
        "Means and standard deviations are over scores; the intervals are for other items and raters: Student's t with "
        "both variances added [CGM11], of 50 or more of each a bootstrap of both "
        f"({analysis.resamples:,} resamples) [Owe07]. Agreement takes scores as {analysis.agreement_level}: "
        "Krippendorff's alpha [Kri04], Fleiss' kappa [Fle71], Gwet's AC1 [Gwe08], intraclass correlations [MW96], of "
        "items with different numbers of ratings [SF79], and Cohen's kappa of two raters at a time [Coh60], weighted "
        "where scores have an order [Coh68]. What belongs together (criteria of one item, items of a matched set, a "
        "rater's own score and those given to items, a stimulus in two studies) is compared as pairs: mean difference, "
        "Hodges-Lehmann shift [HL63], Wilcoxon's signed-rank test [Wil45] and a permutation test [PS10], two-sided."
    )
