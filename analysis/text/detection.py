"""An analysis of judgements of single stimuli as text for a terminal, 100 columns wide."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType

from analysis.choice.chance import ChanceTest
from analysis.detection.measures import Detection, DetectionAnalysis, described_as, rows_without_sensitivity
from analysis.detection.studies import BlockJudgements
from analysis.results import table_rows
from analysis.stats.description import Description
from analysis.stats.p_values import p_words
from analysis.text.conditions import condition_sentence, conditions
from analysis.text.terminal import (
    WIDTH,
    as_text,
    heading,
    interval_of,
    left_out_words,
    name_of,
    number,
    range_of,
    share_of,
    table_of,
)

LONGEST = 60
MOST_GROUPS, MOST_COMPARED, MOST_BLOCKS = 9, 3, 3
FITTED = "the group's by a multilevel probit"
PLAIN_MEANS = "means over participants, which few trials pull towards 0"
EVERYTHING = "Everything: --full; as data: --json."


def render_detection(analysis: DetectionAnalysis, width: int = WIDTH, *, full: bool = True) -> str:
    """Return the analysis as plain text: the group, each participant, each stimulus, and what is not defined.

    Without `full`, what fits a screen. Lists of more than 60 participants or stimuli are cut, and the text says so; the
    JSON has them all.
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
    yield from _parts(one.analysis) if full else _brief(one.analysis)


def measures_of(group: Detection, signal: str, noise: str) -> list[tuple[str, Description]]:
    """What is described over participants, in words."""
    return [
        ("accuracy", group.accuracy),
        ("sensitivity d'", group.d_prime),
        ("criterion c", group.criterion),
        (f"{signal} called {signal} (hits)", group.hit_rate),
        (f"{noise} called {signal} (false alarms)", group.false_alarm_rate),
        ("d' of the group, multilevel", described_as(group.multilevel.d_prime, group.d_prime)),
        ("c of the group, multilevel", described_as(group.multilevel.criterion, group.criterion)),
    ]


def _brief(analysis: DetectionAnalysis) -> Iterator[RenderableType]:
    """What fits a screen: a row for everything and for each condition, tests, and what to beware of."""
    all_of, *conditions_ = analysis.groups
    yield _counted(analysis)
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
    yield from _model_and_agreement(analysis)
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
        if said := condition_sentence(one):
            yield f"Conditions {said}"
    if len(asked) > MOST_COMPARED:
        yield f"... and {len(asked) - MOST_COMPARED} more comparisons of conditions: --full has them all."
    warnings = dict.fromkeys(one.warning for one in asked[:MOST_COMPARED] if one.warning)
    yield from (f"Note, conditions: {warning}." for warning in warnings)


def _parts(analysis: DetectionAnalysis) -> Iterator[RenderableType]:
    signal, noise = name_of(analysis.signal), name_of(analysis.noise)
    yield f"{signal} or {noise}; seed {analysis.seed}; {analysis.resamples:,} bootstrap resamples"
    yield _counted(analysis)
    for group in analysis.groups:
        yield from _group(group, signal, noise)
    yield (
        f"Correction of d' and c: {analysis.correction}. A positive c is a tendency to answer {noise}. "
        f"With nothing but chance d' is 0."
    )
    yield from conditions(analysis.conditions, "stimuli")
    yield heading("Other participants and other stimuli")
    yield from _model_and_agreement(analysis)
    yield from _participants(analysis)
    yield from _stimuli(analysis)


def _counted(analysis: DetectionAnalysis) -> str:
    """How many answers of whom count, and why others do not."""
    left_out = [
        f"{n} {words}"
        for n, words in (
            (analysis.n_blank, "blank"),
            (analysis.n_without_truth, "about a stimulus without a truth"),
        )
        if n
    ]
    all_of = analysis.groups[0]
    ending = f"; left out: {', '.join(left_out)}" if left_out else ""
    return (
        f"{analysis.n_answers} of {analysis.n_rows} answers of {all_of.n_participants} participants about "
        f"{all_of.n_stimuli} stimuli count{ending}."
    )


def _group(group: Detection, signal: str, noise: str) -> Iterator[RenderableType]:
    where = "All answers" if group.condition is None else f"Condition {name_of(group.condition)}"
    yield heading(where)
    table = table_of("per participant, then averaged", "n", "mean", "95% interval", "SD (n-1)")
    for label, one in measures_of(group, signal, noise):
        n = f"{one.n}{f' ({one.n_missing} without)' if one.n_missing else ''}"
        table.add_row(label, n, number(one.mean), interval_of(one.interval), number(one.sd_ddof1))
    yield table
    for label, one in measures_of(group, signal, noise):
        for reason in dict.fromkeys(filter(None, (one.reason, one.interval.reason))):
            yield f"  {label}: {reason}."
    yield f"d' against 0: {_tested(group.d_prime_against_zero)}"
    yield f"c against 0: {_tested(group.criterion_against_zero)}"
    yield (
        f"All answers together: {group.hits} of {group.n_signal} {signal} and {group.false_alarms} of {group.n_noise} "
        f"{noise} called {signal}; d' {number(group.d_prime_pooled, 2)}, c {number(group.criterion_pooled, 2)}."
    )


def _tested(test: ChanceTest) -> str:
    if test.reason:
        return f"not tested, {test.reason}."
    return (
        f"Wilcoxon signed-rank W = {number(test.w, 1)}, {p_words(test.p)} ({test.alternative}), rank-biserial "
        f"{number(test.rank_biserial, 2)}, n = {test.n}."
    )


def _model_and_agreement(analysis: DetectionAnalysis) -> Iterator[RenderableType]:
    model = analysis.mixed
    if model.difference is None:
        yield f"Mixed model: not fitted, {model.reason}."
    else:
        yield (
            f"Mixed model, participants and stimuli crossed: sensitivity {number(model.difference.value)} log odds "
            f"{range_of(model.difference.low, model.difference.high)}, {p_words(model.difference.p)} (two-sided)."
        )
        yield from filter(None, (model.warning, model.boundary))
    yield from _agreement(analysis)


def _agreement(analysis: DetectionAnalysis) -> Iterator[RenderableType]:
    found = analysis.agreement
    named = (
        ("two participants agree", found.agreement),
        ("Fleiss' kappa", found.kappa),
        ("alpha", found.alpha),
    )
    said = [
        f"{label} {number(one.value)}{'' if one.interval.low is None else f' {interval_of(one.interval)}'}"
        for label, one in named
        if one.value is not None
    ]
    reasons = dict.fromkeys(str(one.reason) for _, one in named if one.value is None)
    yield f"Agreement on stimuli: {'; '.join([*said, *reasons])}."


def _participants(analysis: DetectionAnalysis) -> Iterator[RenderableType]:
    yield heading("Participants")
    table = table_of("participant", "hits", "false alarms", "accuracy", "d'", "c", "blank")
    people = analysis.participants
    for row in table_rows(people.head(LONGEST)):
        table.add_row(
            name_of(row["participant"]),
            share_of(row["hit_rate"], row["hits"], row["n_signal"]),
            share_of(row["false_alarm_rate"], row["false_alarms"], row["n_noise"]),
            number(row["accuracy"], 2),
            number(row["d_prime"], 2),
            number(row["criterion"], 2),
            str(row["n_blank"]),
        )
    yield table
    if len(people) > LONGEST:
        yield f"The first {LONGEST} of {len(people)} participants; --json has them all."
    for reason, names in rows_without_sensitivity(people):
        some = ", ".join(map(name_of, names[:5])) + (", ..." if len(names) > 5 else "")
        yield f"  No d' and c for {len(names)} of them ({some}): {reason}."


def _stimuli(analysis: DetectionAnalysis) -> Iterator[RenderableType]:
    signal = name_of(analysis.signal)
    yield heading("Stimuli")
    table = table_of("stimulus", "condition", "truth", f"called {signal}", "95% Wilson interval", left=3)
    for row in table_rows(analysis.stimuli.head(LONGEST)):
        table.add_row(
            name_of(row["stimulus"]),
            name_of(row["condition"] or ""),
            name_of(row["truth"]),
            share_of(row["share_signal"], row["n_signal"], row["n"]),
            range_of(row["ci_low"], row["ci_high"], 2),
        )
    yield table
    if len(analysis.stimuli) > LONGEST:
        yield f"The first {LONGEST} of {len(analysis.stimuli)} stimuli; --json has them all."
