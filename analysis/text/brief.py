"""An analysis on one screen: what was analysed, the numbers that answer the study's question, and cautions."""

from collections.abc import Iterator, Sequence

import pandas as pd
from rich.console import RenderableType

from analysis.choice.conditions import ConditionComparison, ConditionsCompared
from analysis.choice.majority import level
from analysis.choice.studies import StudyResult
from analysis.findings.in_short import arms_line, compared_line, condition_line, mixed_line, over_other_pairs
from analysis.reported import Analysis, Comparison
from analysis.stats.arms import ArmsCompared
from analysis.stats.description import Description
from analysis.stats.p_values import p_words
from analysis.terminal import WIDTH, as_text, interval_of, name_of, number, table_of
from analysis.text.full import counted

MOST_STUDIES, MOST_PREFERENCES, MOST_COMPARISONS, MOST_CONDITION_PAIRS = 6, 3, 6, 3
MOST_ARM_PAIRS = 3


def render_brief(analysis: Analysis, width: int = WIDTH) -> str:
    """The analysis as plain text of at most some 40 lines, for any number of participants and pairs.

    Of more than 6 studies or comparisons the first are shown, and the text says so; `render` has them all.
    """
    return as_text(list(_parts(analysis)), width)


def _parts(analysis: Analysis) -> Iterator[RenderableType]:
    shown = analysis.studies[:MOST_STUDIES]
    for study in shown:
        yield f"{name_of(study.study)} ({analysis.settings.mode}): {counted(study)}."
    yield from _more(len(analysis.studies) - len(shown), "studies")
    yield from _numbers(shown, analysis.labels)
    for study in shown:
        yield from _arms(study, many=len(shown) > 1)
        yield from _conditions(study, many=len(shown) > 1)
    compared = [one for one in analysis.comparisons if compared_line(one)]
    comparisons = compared[:MOST_COMPARISONS]
    yield from (name_of(said) for one in comparisons if (said := compared_line(one)))
    yield from _more(len(compared) - len(comparisons), "comparisons")
    yield from (name_of(mixed_line(one)) for one in analysis.mixed_differences[:MOST_COMPARISONS])
    yield from _beware(shown, comparisons)
    if analysis.published:
        yield "These are the published HNTT answers: --full sets the printed numbers beside the corrected ones."
    yield "Everything: --full; as data: --json."


def _numbers(studies: Sequence[StudyResult], labels: pd.DataFrame) -> Iterator[RenderableType]:
    table = table_of("study", "measure", "n", "mean", "95% interval", "", left=2)
    table.columns[-1].justify = "left"
    for study in studies:
        if study.selection.reason:
            continue
        for label, described, remark in _described(study):
            interval = interval_of(described.interval)
            table.add_row(
                name_of(study.study), label, str(described.n), number(described.mean), interval, remark
            )
        alpha = study.agreement.choice.alpha
        table.add_row(
            name_of(study.study),
            "agreement (alpha)",
            str(alpha.n),
            number(alpha.value),
            interval_of(alpha.interval),
            "of pairs",
        )
        table.add_row(name_of(study.study), "majority is right", *_majority(labels, study.study))
    if table.row_count:
        yield table


def _described(study: StudyResult) -> Iterator[tuple[str, Description, str]]:
    if study.accuracy.mean is not None:
        test = study.against_chance
        against = f"{p_words(test.p)} against {test.chance}" if test.p is not None else "not tested"
        yield "accuracy", study.accuracy, against
    preferences = [one for one in study.preferences if not one.has_truth] or (
        study.preferences if study.accuracy.mean is None else ()
    )
    for one in preferences[:MOST_PREFERENCES]:
        yield f"{name_of(one.source)} over {name_of(one.against)}", one.description, "share of choices"
    if study.certainty.mean is not None:
        yield "certainty", study.certainty.mean, "more is more certain"
    if study.uncertainty.mean is not None:
        yield "uncertainty", study.uncertainty, ""


def _majority(every: pd.DataFrame, study: str) -> tuple[str, str, str, str]:
    """The row of the majority, over the pairs with a truth, a vote and a majority."""
    labels = every[every["study"] == study]
    judged = labels["agrees_with_truth"].dropna().astype(float)
    ties = int((level(labels) | (labels["majority"] == "tie").to_numpy()).sum())
    mean = number(float(judged.mean()) if len(judged) else None)
    return str(len(judged)), mean, "-", f"of pairs; {ties} of {len(labels)} tied"


def _asked(found: ConditionsCompared) -> list[ConditionComparison]:
    """The comparisons on the study's question: accuracy and preferences."""
    return [one for one in found.comparisons if one.measure != "uncertainty"]


def _arms(study: StudyResult, *, many: bool) -> Iterator[str]:
    """The comparisons of arms on the study's question."""
    found = study.further.get("arms")
    if not isinstance(found, ArmsCompared) or len(found.arms) < 2:
        return
    of = f"{name_of(study.study)}, arms " if many else "Arms "
    if found.reason:
        yield f"{of.strip()}: not compared, {found.reason}."
    asked = [(one, pair) for one in found.measures if one.measure != "uncertainty" for pair in one.pairs]
    yield from (name_of(f"{of}{arms_line(*each)}") for each in asked[:MOST_ARM_PAIRS])
    yield from _more(len(asked) - MOST_ARM_PAIRS, "comparisons of arms")


def _conditions(study: StudyResult, *, many: bool) -> Iterator[str]:
    """The comparisons of conditions on the study's question."""
    found = study.conditions
    of = f"{name_of(study.study)}, conditions " if many else "Conditions "
    if len(found.conditions) > 1 and found.reason:
        yield f"{of.strip()}: not compared, {found.reason}."
    asked = _asked(found)
    for one in asked[:MOST_CONDITION_PAIRS]:
        if said := condition_line(one):
            yield name_of(f"{of}{said}")
    yield from _more(len(asked) - MOST_CONDITION_PAIRS, "comparisons of conditions")
    further = list(over_other_pairs(found))
    yield from (name_of(f"{of}{said}") for said in further[:MOST_CONDITION_PAIRS])
    yield from _more(len(further) - MOST_CONDITION_PAIRS, "conditions in the mixed model")


def _beware(studies: Sequence[StudyResult], comparisons: Sequence[Comparison]) -> Iterator[str]:
    for study in studies:
        reasons = [study.selection.reason] if study.selection.reason else _reasons(study)
        for reason in dict.fromkeys(filter(None, reasons)):
            yield f"Note, {name_of(study.study)}: {reason}."
        for warning in dict.fromkeys(_condition_warnings(study)):
            yield f"Note, conditions of {name_of(study.study)}: {warning}."
    for studies_, said in dict.fromkeys((one.studies, one.warning) for one in comparisons):
        if said:
            yield f"Note, {' - '.join(map(name_of, studies_))}: {said}."


def _reasons(study: StudyResult) -> Iterator[str | None]:
    yield study.accuracy.reason
    if study.accuracy.mean is not None:
        yield study.accuracy.interval.reason
        yield study.against_chance.reason


def _condition_warnings(study: StudyResult) -> Iterator[str]:
    for one in _asked(study.conditions)[:MOST_CONDITION_PAIRS]:
        if one.warning:
            yield one.warning


def _more(n: int, what: str) -> Iterator[str]:
    if n > 0:
        yield f"... and {n} more {what}: --full has them all."
