"""The report of judgements of single stimuli: how well people tell two classes apart, and which way they lean."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from analysis.data.judgements import Judgements, as_classes
from analysis.data.selection import Selection
from analysis.detection.measures import (
    DetectionAnalysis,
    analyze_judgements,
    described_as,
)
from analysis.detection.studies import BlockJudgements
from analysis.findings.arms import rating_arms_section
from analysis.findings.detection import detection_methods
from analysis.findings.item_judge_tables import ITEM_HEAD, ITEM_JUDGES, item_judge_rows, validation_of
from analysis.findings.items import RatedItems
from analysis.findings.making import table_view
from analysis.findings.registry import methods_in
from analysis.findings.what_if import what_if_sections
from analysis.judging.items.figure import item_judges_figure
from analysis.judging.items.validation import ItemValidation, validate_items
from analysis.results import Result
from app.reports.page.methods import methods_of_file
from app.reports.page.tables import CONDITIONS, condition_rows
from app.reports.page.writing import FileReport, OnProgress, csv_of_table, csv_text, silent, write_file_report

if TYPE_CHECKING:
    from app.reports.study_facts import StudyFacts

MOST_ROWS = 60

_GROUPS = (
    "condition", "measure", "n", "n_missing", "mean", "low", "high", "sd_ddof0", "sd_ddof1", "reason"
)  # fmt: skip


def write_detection_report(
    judgements: Judgements,
    folder: Path,
    *,
    seed: int,
    resamples: int,
    made_at: datetime | None,
    verdicts: pd.DataFrame | None = None,
    on_progress: OnProgress = silent,
) -> int:
    """Write the report of checked judgements into `folder`, as `write_report` does; returns the number of counted
    answers.

    `verdicts` (`read_item_verdicts`) of judges of stimuli are compared with the participants. Raises StudyError for a
    folder that cannot be written, AnalysisError for verdicts on other stimuli.
    """

    def made() -> FileReport:
        analysis = analyze_judgements(judgements, seed=seed, resamples=resamples)
        name = Path(analysis.origin).name
        about = f"The answers were read from the file {name}."
        classes = None if verdicts is None else as_classes(judgements)
        judges = (
            None
            if classes is None or verdicts is None
            else validate_items(classes, verdicts, seed=seed, resamples=resamples)
        )
        block = _block_of(analysis, name)
        return _report(f"Judgements in {name}", analysis, block, about, made_at, judges)

    return write_file_report(made, folder, made_at, on_progress)


def write_judgements_report(
    block: BlockJudgements,
    title: str,
    folder: Path,
    *,
    made_at: datetime | None,
    judges: ItemValidation | None = None,
    study: "StudyFacts | None" = None,
    on_progress: OnProgress = silent,
) -> int:
    """Write the report of one yes / no question of a study, as `write_detection_report`."""

    def made() -> FileReport:
        selection = block.selection
        about = (
            f"In the study {block.study}, block {block.block}, {selection.n_participants_used} participants (mode "
            f"{selection.mode}) judged one item at a time; {selection.n_used} items judged count, "
            f"{sum(selection.left_out['excluded'].values())} more were excluded, of {block.n_sessions_excluded} "
            "sessions, and practice and attention checks are in no number."
        )
        return _report(f"{title}: {block.question}", block, block, about, made_at, judges, study)

    return write_file_report(made, folder, made_at, on_progress)


def _report(
    title: str,
    result: Result,
    block: BlockJudgements,
    about: str,
    made_at: datetime | None,
    judges: ItemValidation | None,
    study: "StudyFacts | None" = None,
) -> FileReport:
    mode = block.selection.mode
    flow = None if study is None else study.flows.get(mode)
    analysis = block.analysis
    of_arms = methods_in(rating_arms_section(block.arms, "yes-no"))
    under_rules = methods_in(what_if_sections(block.what_if))
    methods = " ".join((about, detection_methods(analysis), *of_arms, *under_rules))
    validations = () if judges is None else (validation_of(block, "classes", judges),)
    return FileReport(
        title,
        analysis.n_answers,
        result,
        methods_of_file("Judgements", methods, analysis.seed, ITEM_JUDGES if judges else "", study, mode),
        table_view(RatedItems((), (block,), validations), made_at, flow),
        {
            "groups": csv_text(_GROUPS, _group_rows(analysis)),
            "participants": csv_of_table(analysis.participants),
            "stimuli": csv_of_table(analysis.stimuli),
            "conditions": csv_text(CONDITIONS, condition_rows(analysis.conditions)),
            **({} if judges is None else {"judges": csv_text(ITEM_HEAD, item_judge_rows(judges))}),
        },
        () if judges is None else (item_judges_figure(judges),),
        judges,
    )


def _block_of(analysis: DetectionAnalysis, name: str) -> BlockJudgements:
    """The judgements of a file as a block of no study."""
    people = analysis.groups[0].n_participants
    selection = Selection("", analysis.n_rows, analysis.n_answers, people, people, {}, None)
    return BlockJudgements(name, name, name, selection, 0, analysis)


def _group_rows(analysis: DetectionAnalysis) -> Iterator[tuple[object, ...]]:
    for group in analysis.groups:
        for name, one in (
            ("accuracy", group.accuracy),
            ("d_prime", group.d_prime),
            ("criterion", group.criterion),
            ("hit_rate", group.hit_rate),
            ("false_alarm_rate", group.false_alarm_rate),
            ("d_prime_multilevel", described_as(group.multilevel.d_prime, group.d_prime)),
            ("criterion_multilevel", described_as(group.multilevel.criterion, group.criterion)),
        ):
            ends, reason = one.interval, one.reason or one.interval.reason
            spread = one.sd_ddof0, one.sd_ddof1
            yield group.condition, name, one.n, one.n_missing, one.mean, ends.low, ends.high, *spread, reason
