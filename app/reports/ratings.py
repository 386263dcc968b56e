"""The report of a table of ratings: who scored what how, and how far raters agree."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pandas as pd

from analysis.detection.studies import BlockJudgements
from analysis.figures import AnyFigure
from analysis.figures.distribution import distribution_figure
from analysis.figures.scores import scores_figure
from analysis.judging.items import BlockValidation
from analysis.judging.items.figure import item_judges_figure
from analysis.judging.items.validation import ItemValidation, validate_items
from analysis.ratings.groups import GroupScores
from analysis.ratings.scores import CriterionResult, RatingAnalysis, analyze_ratings
from analysis.ratings.studies import BlockRatings
from analysis.ratings.table import Ratings
from analysis.results import Result, table_rows
from analysis.stats.estimates import Estimate
from app.reports.detection import write_judgements_report
from app.reports.page.item_judges import (
    ITEM_HEAD,
    ITEM_JUDGES,
    item_judge_rows,
    item_judges_section,
    judges_of,
)
from app.reports.page.methods import methods_of_file
from app.reports.page.views import (
    NONE,
    SectionView,
    TableView,
    figure_view,
    number,
    reasons,
    shortened,
    with_interval,
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
_RATER_PAIRS = (
    "criterion", "first", "second", "n_items", "agreement", "kappa", "kappa_low", "kappa_high", "kappa_linear",
    "kappa_linear_low", "kappa_linear_high", "kappa_quadratic", "kappa_quadratic_low", "kappa_quadratic_high",
    "reason",
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
    """Write the report of checked ratings into `folder`, as `write_report` does for answers; returns how many count.

    `verdicts` (`read_item_verdicts`) of judges of items are held against the raters. Raises StudyError for a folder
    that cannot be written, AnalysisError for verdicts of other items.
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
    on_progress: OnProgress = silent,
) -> int:
    """Write the report of one block of ratings of a study, as `write_ratings_report`; returns how many scores count."""

    def made() -> FileReport:
        return _report(f"{title}: {block.kind}", block, block.analysis, _about_block(block), judges)

    return write_file_report(made, folder, made_at, on_progress)


def write_block_reports(
    blocks: Sequence[BlockRatings | BlockJudgements],
    titles: Mapping[str, str],
    folder: Path,
    *,
    alone: bool,
    made_at: datetime | None,
    judged: Sequence[BlockValidation] = (),
    on_progress: OnProgress = silent,
) -> tuple[str, ...]:
    """Write the report of every block that has answers; returns the pages, below `folder`.

    A single block that stands `alone`, beside no report of pairs, has the folder for itself: its numbers, with a folder
    for what else it has. Others have one each, named by what they are, study and block. `titles` are by study. Judges
    of items are where the ratings, classes or judgements are that they are `judged` by.
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
            write_block_report(one, title, there, made_at=made_at, judges=judges, on_progress=on_progress)
        pages.append(f"{place}report.html")
    return tuple(pages)


def _report(
    title: str, result: Result, analysis: RatingAnalysis, about: str, judges: ItemValidation | None
) -> FileReport:
    figures = tuple(_figures(analysis))
    drawn = None if judges is None else item_judges_figure(judges)
    views = tuple(figure_view(figure, "tables/criteria.csv") for figure in figures)
    methods = f"{about} {_statistics(analysis)}"
    return FileReport(
        title,
        sum(one.n for one in analysis.criteria),
        result,
        methods_of_file("Ratings", methods, analysis.seed, ITEM_JUDGES if judges else ""),
        (
            SectionView("scores", "Scores", figures=views, notes=tuple(_counted(analysis))),
            *_groups(analysis),
            _agreement(analysis),
            *_pairs(analysis),
            *_classes(analysis),
            *_raters(analysis),
            *_odd(analysis),
            *(() if judges is None or drawn is None else [item_judges_section(judges, drawn)]),
        ),
        {
            "criteria": csv_text(_CRITERIA, map(_criterion_row, analysis.criteria)),
            "classes": csv_text(("criterion", "class", "n", "share"), _class_rows(analysis)),
            "rater_pairs": csv_text(_RATER_PAIRS, _pair_rows(analysis)),
            "items": csv_of(analysis.items),
            "raters": csv_of(analysis.raters),
            "odd": csv_of(analysis.odd),
            **({"groups": csv_text(_GROUPS, _group_rows(analysis))} if _has_groups(analysis) else {}),
            **({} if judges is None else {"judges": csv_text(ITEM_HEAD, item_judge_rows(judges))}),
        },
        figures if drawn is None else (*figures, drawn),
        judges,
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
    caption = "Scores by group of items, with 95 % intervals of the mean"
    table = shortened(caption, head, rows, n_names=2, file="tables/groups.csv", most=MOST_ROWS)
    yield SectionView("groups", "Groups of items", tables=(table,))


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


def _pair_rows(analysis: RatingAnalysis) -> Iterator[tuple[object, ...]]:
    for one in analysis.criteria:
        for pair in one.rater_pairs.pairs:
            kappas = (
                (kappa.value, kappa.interval.low, kappa.interval.high)
                for kappa in (pair.kappa, pair.kappa_linear, pair.kappa_quadratic)
            )
            about = one.criterion, *pair.raters, pair.n_items, pair.agreement.value
            yield *about, *(cell for cells in kappas for cell in cells), pair.kappa.reason


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


def _agreement(analysis: RatingAnalysis) -> SectionView:
    named = [(one.criterion, _coefficients(one)) for one in analysis.criteria]
    names = list(named[0][1]) if named else []
    # The intraclass correlation needs a complete table, which ratings seldom are.
    shown = [
        name for name in names if "ICC" not in name or any(of[name].value is not None for _, of in named)
    ]
    table = TableView(
        caption="Agreement of raters on each criterion, with 95 % intervals over items",
        head=("criterion", "items", *shown),
        rows=tuple(
            (name, str(one.agreement.alpha.n), *(with_interval(of[key], 2) for key in shown))
            for one, (name, of) in zip(analysis.criteria, named, strict=True)
        ),
        file="results.json",
    )
    found = reasons(
        (f"{key} ({name})" if key in shown else key, of[key]) for key in names for name, of in named
    )
    return SectionView("agreement", "Agreement", tables=(table,), notes=tuple(found))


def _coefficients(one: CriterionResult) -> dict[str, Estimate]:
    found = one.agreement
    return {
        "observed": found.agreement,
        "Krippendorff's alpha": found.alpha,
        "Fleiss' kappa": found.kappa,
        "Gwet's AC1": found.ac1,
        "ICC of one rater": found.icc_single,
        "ICC of the raters' mean": found.icc_average,
        "ICC, one-way": one.icc_oneway,
    }


def _pairs(analysis: RatingAnalysis) -> Iterator[SectionView]:
    """Two raters at a time."""
    rows, notes = [], []
    for one in analysis.criteria:
        found = one.rater_pairs
        for pair in found.pairs:
            each = pair.kappa, pair.kappa_linear, pair.kappa_quadratic
            kappas = (with_interval(kappa, 2) for kappa in each)
            about = one.criterion, " and ".join(pair.raters), str(pair.n_items)
            rows.append((*about, number(pair.agreement.value, 2), *kappas))
        if found.reason:
            notes.append(f"{one.criterion}: no pairs of raters, {found.reason}.")
        elif found.mean_kappa is not None:
            notes.append(
                f"{one.criterion}: mean kappa over pairs of raters {number(found.mean_kappa, 2)}, linear "
                f"{number(found.mean_kappa_linear, 2)}, quadratic {number(found.mean_kappa_quadratic, 2)}."
            )
    head = "criterion", "raters", "items", "agree", "kappa", "linear weights", "quadratic weights"
    tables: tuple[TableView, ...] = ()
    if rows:
        caption = "Cohen's kappa of two raters on the items that both rated, with 95 % intervals over items"
        tables = (shortened(caption, head, rows, n_names=2, file="tables/rater_pairs.csv", most=MOST_ROWS),)
    if rows or notes:
        yield SectionView("pairs", "Two raters at a time", tables=tables, notes=tuple(notes))


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
    """Who rated what, and what was left out."""
    selection = block.selection
    excluded = sum(selection.left_out["excluded"].values())
    scales = "; ".join(
        f"{one.criterion} from {one.scale[0]:g} to {one.scale[1]:g}"
        for one in block.analysis.criteria
        if one.scale
    )
    return (
        f"In the study {block.study}, block {block.block}, {selection.n_participants_used} participants "
        f"(mode {selection.mode}) rated one item at a time; {selection.n_used} items rated count, "
        f"{excluded} more were excluded, of {block.n_sessions_excluded} sessions, and practice and attention checks "
        f"are in no number. {f'Scales: {scales}.' if scales else ''}"
    ).rstrip()


def _statistics(analysis: RatingAnalysis) -> str:
    return (
        "Means and standard deviations are over scores; the intervals are for other items and raters: Student's t with "
        "both variances added [CGM11], of 50 or more of each a bootstrap of both "
        f"({analysis.resamples:,} resamples) [Owe07]. Agreement takes scores as {analysis.agreement_level}: "
        "Krippendorff's alpha [Kri04], Fleiss' kappa [Fle71], Gwet's AC1 [Gwe08], intraclass correlations [MW96], of "
        "items with different numbers of ratings [SF79], and Cohen's kappa of two raters at a time [Coh60], weighted "
        "where scores have an order [Coh68]."
    )
