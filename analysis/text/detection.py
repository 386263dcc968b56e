"""An analysis of judgements of single stimuli as text for a terminal, 100 columns wide."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType

from analysis.detection.measures import DetectionAnalysis, rows_without_sensitivity
from analysis.detection.studies import BlockJudgements
from analysis.findings.arms import judged_arms
from analysis.findings.detection import PLAIN_MEANS, counted, detection_sections, model_and_agreement
from analysis.findings.in_short import condition_line
from analysis.findings.what_if import what_if_sections
from analysis.stats.arms import ArmsCompared
from analysis.stats.p_values import p_words
from analysis.terminal import (
    WIDTH,
    as_text,
    heading,
    interval_of,
    left_out_words,
    name_of,
    number,
    table_of,
)
from analysis.text.sections import brief_arms, render_sections

MOST_GROUPS, MOST_COMPARED, MOST_BLOCKS = 9, 3, 3
FITTED = "the group's by a multilevel probit"
EVERYTHING = "Everything: --full; as data: --json."


def render_detection(analysis: DetectionAnalysis, width: int = WIDTH, *, full: bool = True) -> str:
    """The analysis as plain text: the group, each participant, each stimulus, and undefined values.

    Without `full`, as much as fits a screen. Lists of more than 60 participants or stimuli are cut, and the text says
    so; the JSON has them all.
    """
    return as_text([*_parts(analysis)] if full else [*_brief(analysis), EVERYTHING], width)


def render_judgement_blocks(
    blocks: Sequence[BlockJudgements], width: int = WIDTH, *, full: bool = False
) -> str:
    """The yes / no questions of studies as plain text, each as `render_detection` has it."""
    shown = blocks if full else blocks[:MOST_BLOCKS]
    parts = [part for one in shown for part in _block_parts(one, full=full)]
    if len(blocks) > len(shown):
        parts.append(f"... and {len(blocks) - len(shown)} more questions: --full has them all.")
    return as_text([*parts, *([] if full else [EVERYTHING])], width)


def _block_parts(one: BlockJudgements, *, full: bool) -> Iterator[RenderableType]:
    selection = one.selection
    where = f"{name_of(one.study)}, block {name_of(one.block)}, question {name_of(one.question)}"
    yield heading(f"Yes / no judgements of {where} ({selection.mode})")
    people = f"{selection.n_participants_used} of {selection.n_participants} participants"
    left_out = left_out_words(selection.left_out)
    yield f"{people} and {selection.n_used} of {selection.n_rows} items judged count{left_out}."
    if one.n_sessions_excluded:
        yield f"Sessions of which answers are excluded: {one.n_sessions_excluded}."
    if selection.reason:
        yield f"There are no numbers: {selection.reason}."
        return
    if full:
        yield from _parts(one.analysis, judged_arms(one))
        yield from render_sections(what_if_sections(one.what_if))
        return
    yield from _brief(one.analysis)
    yield from brief_arms(judged_arms(one), "yes-no")


def _brief(analysis: DetectionAnalysis) -> Iterator[RenderableType]:
    """One screen: a row for everything and for each condition, tests, and cautions."""
    all_of, *conditions_ = analysis.groups
    yield name_of(counted(analysis))
    table = table_of("", "people", "accuracy", "95% interval", "d'", "95% interval", "c", "95% interval")
    shown = analysis.groups[:MOST_GROUPS]
    for group in shown:
        cells = [
            cell
            for one in (group.accuracy, group.d_prime_of_group, group.criterion_of_group)
            for cell in (number(one.mean, 2), interval_of(one.interval, 2))
        ]
        named = "all answers" if group.condition is None else name_of(group.condition)
        table.add_row(named, str(group.n_participants), *cells)
    yield table
    if len(analysis.groups) > len(shown):
        yield f"... and {len(analysis.groups) - len(shown)} more conditions: --full has them all."
    named_tests = (("d'", all_of.d_prime_against_zero), ("c", all_of.criterion_against_zero))
    for name, test in named_tests:
        yield f"{name} against 0: {f'not tested, {test.reason}' if test.reason else p_words(test.p)}."
    fitted = all_of.multilevel.d_prime.value is not None
    yield f"Sensitivity d' and criterion c are {FITTED if fitted else PLAIN_MEANS}."
    yield f"A positive c is a tendency to answer {name_of(analysis.noise)}."
    if conditions_:
        yield from _compared(analysis)
    yield from map(name_of, model_and_agreement(analysis))
    said = dict.fromkeys(
        f"{label}: {reason}"
        for label, one in (
            ("accuracy", all_of.accuracy),
            ("d'", all_of.d_prime_of_group),
            ("c", all_of.criterion_of_group),
        )
        for reason in (one.reason, one.interval.reason)
        if reason
    )
    yield from (f"Note, {one}." for one in said)
    without = {reason: len(names) for reason, names in rows_without_sensitivity(analysis.participants)}
    yield from (f"Note, no d' and c of {n} participants: {reason}." for reason, n in without.items())


def _compared(analysis: DetectionAnalysis) -> Iterator[str]:
    """The conditions compared in d', two by two, and what to beware of."""
    found = analysis.conditions
    if found.reason:
        yield f"Conditions: not compared, {found.reason}."
        return
    asked = [one for one in found.comparisons if one.measure == "d_prime"]
    asked = asked or [one for one in found.comparisons if one.measure == "accuracy"]
    for one in asked[:MOST_COMPARED]:
        if said := condition_line(one):
            yield name_of(f"Conditions {said}")
    if len(asked) > MOST_COMPARED:
        yield f"... and {len(asked) - MOST_COMPARED} more comparisons of conditions: --full has them all."
    warnings = dict.fromkeys(one.warning for one in asked[:MOST_COMPARED] if one.warning)
    yield from (f"Note, conditions: {warning}." for warning in warnings)


def _parts(analysis: DetectionAnalysis, arms: ArmsCompared | None = None) -> Iterator[RenderableType]:
    yield (
        f"{name_of(analysis.signal)} or {name_of(analysis.noise)}; seed {analysis.seed}; "
        f"{analysis.resamples:,} bootstrap resamples"
    )
    yield from render_sections(detection_sections(analysis, arms))
