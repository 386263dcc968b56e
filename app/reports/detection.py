"""The report of judgements of single stimuli: how well people tell two classes apart, and which way they lean."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pandas as pd

from analysis.choice.chance import ChanceTest
from analysis.data.judgements import Judgements, as_classes
from analysis.detection.measures import (
    Detection,
    DetectionAnalysis,
    analyze_judgements,
    described_as,
    rows_without_sensitivity,
)
from analysis.detection.studies import BlockJudgements
from analysis.judging.items.figure import item_judges_figure
from analysis.judging.items.validation import ItemValidation, validate_items
from analysis.results import Result, table_rows
from analysis.text.detection import measures_of
from app.reports.page.compared import conditions_compared
from app.reports.page.item_judges import ITEM_HEAD, ITEM_JUDGES, item_judge_rows, item_judges_section
from app.reports.page.methods import methods_of_file
from app.reports.page.statistics import conditions_in_words
from app.reports.page.tables import CONDITIONS, condition_rows
from app.reports.page.views import (
    SectionView,
    TableView,
    as_sentence,
    interval,
    limits,
    number,
    p_value,
    reasons,
    shortened,
)
from app.reports.page.writing import FileReport, OnProgress, csv_of, csv_text, silent, write_file_report

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
        return _report(f"Judgements in {name}", analysis, analysis, about, judges)

    return write_file_report(made, folder, made_at, on_progress)


def write_judgements_report(
    block: BlockJudgements,
    title: str,
    folder: Path,
    *,
    made_at: datetime | None,
    judges: ItemValidation | None = None,
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
        return _report(f"{title}: {block.question}", block, block.analysis, about, judges)

    return write_file_report(made, folder, made_at, on_progress)


def _report(
    title: str, result: Result, analysis: DetectionAnalysis, about: str, judges: ItemValidation | None
) -> FileReport:
    drawn = None if judges is None else item_judges_figure(judges)
    return FileReport(
        title,
        analysis.n_answers,
        result,
        methods_of_file(
            "Judgements", f"{about} {_statistics(analysis)}", analysis.seed, ITEM_JUDGES if judges else ""
        ),
        (
            *_sections(analysis),
            *(() if judges is None or drawn is None else [item_judges_section(judges, drawn)]),
        ),
        {
            "groups": csv_text(_GROUPS, _group_rows(analysis)),
            "participants": csv_of(analysis.participants),
            "stimuli": csv_of(analysis.stimuli),
            "conditions": csv_text(CONDITIONS, condition_rows(analysis.conditions)),
            **({} if judges is None else {"judges": csv_text(ITEM_HEAD, item_judge_rows(judges))}),
        },
        () if drawn is None else (drawn,),
        judges,
    )


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


def _sections(analysis: DetectionAnalysis) -> Iterator[SectionView]:
    all_of, *conditions = analysis.groups
    counted = (
        f"{analysis.n_answers} of {analysis.n_rows} answers of {all_of.n_participants} participants about "
        f"{all_of.n_stimuli} stimuli count: {analysis.n_blank} are blank, {analysis.n_without_truth} are about a "
        "stimulus without a truth."
    )
    yield SectionView(
        "group",
        f"{analysis.signal} or {analysis.noise}",
        paragraphs=(counted,),
        tables=(_measures(analysis, all_of),),
        notes=(*_notes(analysis, all_of), *_model(analysis)),
    )
    parts = tuple(
        SectionView(
            "",
            str(group.condition),
            tables=(_measures(analysis, group),),
            notes=tuple(_notes(analysis, group)),
        )
        for group in conditions
    )
    if parts:
        parts += tuple(conditions_compared(analysis.conditions, "stimuli"))
        yield SectionView("conditions", "Conditions", parts=parts)
    yield _participants(analysis)
    yield _stimuli(analysis)


def _measures(analysis: DetectionAnalysis, group: Detection) -> TableView:
    return TableView(
        caption="Means over participants; each participant's answers are counted first",
        head=("measure", "participants", "mean", "95% interval", "SD (n-1)"),
        rows=tuple(
            (name, str(one.n), number(one.mean), interval(one.interval), number(one.sd_ddof1))
            for name, one in measures_of(group, analysis.signal, analysis.noise)
        ),
        file="tables/groups.csv",
    )


def _notes(analysis: DetectionAnalysis, group: Detection) -> Iterator[str]:
    yield f"Sensitivity against 0: {_tested(group.d_prime_against_zero)}."
    yield f"Criterion against 0: {_tested(group.criterion_against_zero)}."
    yield (
        f"All answers together: {group.hits} of {group.n_signal} {analysis.signal} and {group.false_alarms} of "
        f"{group.n_noise} {analysis.noise} were called {analysis.signal}; d' {number(group.d_prime_pooled, 2)}, "
        f"c {number(group.criterion_pooled, 2)}."
    )
    yield from reasons(measures_of(group, analysis.signal, analysis.noise))


def _tested(test: ChanceTest) -> str:
    if test.reason:
        return f"not tested, {test.reason}"
    return (
        f"Wilcoxon's signed-rank test, W = {number(test.w, 1)}, {p_value(test.p)}, {test.alternative} ({test.method}); "
        f"rank-biserial correlation {number(test.rank_biserial, 2)}; n = {test.n}"
    )


def _model(analysis: DetectionAnalysis) -> Iterator[str]:
    model = analysis.mixed
    if model.difference is None:
        yield f"There is no mixed model: {model.reason}."
    else:
        low, high = model.difference.low, model.difference.high
        yield (
            "Mixed model, for other participants and other stimuli: sensitivity "
            f"{number(model.difference.value, 2)} log odds ({limits(low, high, 2)}), {p_value(model.difference.p)}, "
            "two-sided."
        )
        yield from (as_sentence(text) for text in (model.warning, model.boundary) if text)
    kappa = analysis.agreement.kappa
    if kappa.value is None:
        yield f"Agreement of participants on stimuli is not defined: {kappa.reason}."
    else:
        yield (
            f"Agreement of participants on stimuli: Fleiss' kappa {number(kappa.value, 2)} "
            f"({interval(kappa.interval, 2)})."
        )


def _participants(analysis: DetectionAnalysis) -> SectionView:
    rows = [
        (
            row["participant"],
            f"{row['hits']} of {row['n_signal']}",
            f"{row['false_alarms']} of {row['n_noise']}",
            *(number(row[name], 2) for name in ("accuracy", "d_prime", "criterion")),
        )
        for row in table_rows(analysis.participants)
    ]
    head = "participant", "hits", "false alarms", "accuracy", "d'", "c"
    caption = "Each participant; d' and c with the log-linear correction"
    table = shortened(caption, head, rows, file="tables/participants.csv", most=MOST_ROWS)
    notes = [
        f"{len(names)} participants have no d' and c: {reason}."
        for reason, names in rows_without_sensitivity(analysis.participants)
    ]
    return SectionView("participants", "Participants", tables=(table,), notes=tuple(notes))


def _stimuli(analysis: DetectionAnalysis) -> SectionView:
    rows = [
        (
            row["stimulus"],
            row["condition"] or "",
            row["truth"],
            f"{row['n_signal']} of {row['n']}",
            f"{number(row['share_signal'], 2)} ({limits(row['ci_low'], row['ci_high'], 2)})",
        )
        for row in table_rows(analysis.stimuli)
    ]
    head = "stimulus", "condition", "truth", f"called {analysis.signal}", "share (95% interval)"
    caption = f"How often each stimulus was called {analysis.signal}, with Wilson's interval"
    table = shortened(caption, head, rows, n_names=3, file="tables/stimuli.csv", most=MOST_ROWS)
    return SectionView("stimuli", "Stimuli", tables=(table,))


def _statistics(analysis: DetectionAnalysis) -> str:
    compared = "".join(f"{one} " for one in conditions_in_words(analysis.conditions.comparisons, "two-sided"))
    return (
        f"Each answer names a stimulus {analysis.signal} or {analysis.noise}; a hit is a stimulus that is "
        f"{analysis.signal} and was called so, a false alarm one that is {analysis.noise} and was called "
        f"{analysis.signal}. Sensitivity d' = z(H) - z(F) and criterion "
        "c = -(z(H) + z(F)) / 2 of each participant [MC05] have the log-linear correction of all counts [Hau95]; "
        "those of the group, with intervals, are a multilevel probit's [DeC98], [RL05]. Shares were described over "
        "participants, with intervals that resample participants or are Student's t "
        f"({analysis.resamples:,} resamples) [ET93]; d' and c were tested against 0 by Wilcoxon's signed-rank test, "
        "two-sided "
        "[Wil45]. The mixed model is logistic, with participants and stimuli as crossed random intercepts and the "
        "truth as a fixed effect, fitted by nested Laplace approximation [RMC09]. "
        f"{compared}Agreement is Fleiss' kappa [Fle71]; "
        "shares of answers have Wilson's interval [Wil27]."
    )
