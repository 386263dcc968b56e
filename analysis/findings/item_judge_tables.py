"""Judges of classes and of ratings against the people who rated the same items, as a section of the report."""

from collections.abc import Iterator, Sequence
from typing import Literal

from analysis.detection.studies import BlockJudgements
from analysis.findings.judge_tables import annotator_cells
from analysis.findings.model import Numbers, Section
from analysis.findings.tables import words_table
from analysis.findings.texts import with_interval
from analysis.judging.items import BlockValidation
from analysis.judging.items.figure import judge_name
from analysis.judging.items.text import ITEM_MEASURES
from analysis.judging.items.validation import ItemGroup, ItemJudge, ItemMeasure, ItemValidation
from analysis.ratings.studies import BlockRatings

FILE = "tables/judges.csv"
ITEM_HEAD = (
    "criterion", "judge", "run", "measure", "n_items", "n_judged", "n", "value", "low", "high", "ceiling",
    "ceiling_low", "ceiling_high", "reason",
)  # fmt: skip
ITEM_JUDGES = (
    "Judges were held against people on the same items, of classes by accuracy against the class that most raters "
    "named and Cohen's kappa [Coh60], of ratings by Spearman's [Spe04], Pearson's and Kendall's [Ken45] correlation "
    "with the mean rating and the intraclass correlation [MW96]. Intervals are over items, by the bootstrap and of few "
    "items by the jackknife [ET93]. The human ceiling is one rater against the others, by the same measure. Whether a "
    "judge may stand in for a rater is asked by the alternative annotator test [CRD25], corrected as in [BY01]."
)


def _each(validation: ItemValidation) -> Iterator[tuple[ItemGroup, ItemJudge, str, ItemMeasure]]:
    for group in validation.criteria:
        for judge in group.judges:
            for name, measure in judge.measures.items():
                yield group, judge, name, measure


def item_judge_rows(validation: ItemValidation) -> Iterator[tuple[object, ...]]:
    """One row for each criterion, judge and measure, in the columns of `ITEM_HEAD`."""
    for group, judge, name, of in _each(validation):
        own, ceiling = of.value, of.ceiling
        yield (
            *(group.criterion, judge.judge, judge.run, name, judge.counts.n_items, judge.counts.n_judged),
            *(own.n, own.value, own.interval.low, own.interval.high),
            *(ceiling.value, ceiling.interval.low, ceiling.interval.high, own.reason or own.interval.reason),
        )


def item_judges_section(validation: ItemValidation) -> Section:
    """Each judge's numbers next to one rater's on the same items, and the alternative annotator test."""
    what = validation.settings.judges_of
    measures = [
        (
            *(group.criterion, judge_name(judge), ITEM_MEASURES[name], str(of.value.n)),
            *(with_interval(of.value), with_interval(of.ceiling)),
        )
        for group, judge, name, of in _each(validation)
        if of.value.value is not None
    ]
    head = "criterion", "judge", "measure", "items", "judge (95% interval)", "one rater (95% interval)"
    tables = (
        words_table(f"Judges of {what}, and one rater against the others", head, measures, n_names=3),
        _annotators(validation),
    )
    missing = dict.fromkeys(
        f"{judge_name(judge)} has no {ITEM_MEASURES[name]}: {of.value.reason}."
        for _, judge, name, of in _each(validation)
        if of.value.reason
    )
    return Section(
        "judges",
        "Judges against people",
        tables=tables,
        notes=tuple(missing),
    )


def _annotators(validation: ItemValidation) -> Numbers:
    rows = [
        (group.criterion, judge_name(judge), *annotator_cells(judge.alternative_annotator))
        for group in validation.criteria
        for judge in group.judges
    ]
    settings = validation.settings
    caption = (
        f"The alternative annotator test (epsilon {settings.epsilon:g}, at least {settings.min_instances} items of a "
        "rater): may the judge stand in for one of them?"
    )
    head = (
        *("criterion", "judge", "raters won against", "winning rate", "average advantage"),
        *("rater better minus judge better (95% interval)", "outcome"),
    )
    return words_table(caption, head, rows, n_names=2)


def judges_of(
    one: BlockRatings | BlockJudgements,
    every: Sequence[BlockRatings | BlockJudgements],
    judged: Sequence[BlockValidation],
) -> ItemValidation | None:
    """The judges held against a block: those of judgements are where its classes are, if it has any."""

    def kind_of(block: BlockRatings | BlockJudgements) -> tuple[str, str, str]:
        return block.study, block.block, "classes" if isinstance(block, BlockJudgements) else block.kind

    first = next(block for block in every if kind_of(block) == kind_of(one))
    found: dict[tuple[str, str, str], ItemValidation] = {
        (each.study, each.block, each.kind): each.validation for each in judged
    }
    return found.get(kind_of(one)) if first is one else None


def validation_of(
    block: BlockRatings | BlockJudgements, kind: Literal["ratings", "classes"], judges: ItemValidation
) -> BlockValidation:
    """Judges held against the raters of one block."""
    chosen = block.selection
    return BlockValidation(
        block.study, block.block, kind, chosen.mode, chosen.n_participants_used, chosen.n_used, judges
    )
