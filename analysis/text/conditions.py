"""The conditions of a study, or of a table of judgements, beside each other for a terminal."""

from collections.abc import Iterator

from rich.console import RenderableType

from analysis.choice.conditions import ConditionComparison, ConditionsCompared, taken_as_they_are
from analysis.text.between import Line, independent, paired
from analysis.text.terminal import heading, name_of

_NAMES = {"d_prime": "sensitivity d'", "criterion": "criterion c"}


def conditions(found: ConditionsCompared, what: str = "pairs") -> Iterator[RenderableType]:
    """Every two conditions, which have `what` of their own; nothing where there is one condition, or none."""
    if len(found.conditions) < 2:
        return
    if found.reason:
        yield heading("Conditions")
        yield f"Not compared: {found.reason}."
        return
    within, apart = [], []
    for one in found.comparisons:
        about = " - ".join(map(name_of, one.conditions)), what_of(one)
        if one.paired is not None:
            within.append(Line(*about, one.paired, one.p_holm if one.compared_as == "paired" else None))
        if one.independent is not None:
            apart.append(Line(*about, one.independent, one.p_holm))
    if within:
        yield heading("Conditions, the same people in both (Wilcoxon signed-rank)")
        yield from paired(within, "condition")
    if apart:
        yield heading("Conditions, different people in each (Mann-Whitney)")
        yield from independent(apart, "condition")
    family = max(one.n_family for one in found.comparisons)
    if family > 1:
        yield f"Holm over the {family} comparisons of conditions, each measure by itself."
    if found.no_accuracy:
        yield f"{found.no_accuracy}."
    for names, warning in dict.fromkeys((one.conditions, one.warning) for one in found.comparisons):
        if warning:
            yield f"{' - '.join(map(name_of, names))}: {warning}."
    yield f"{taken_as_they_are(what)}."


def what_of(one: ConditionComparison) -> str:
    """What is compared in two conditions."""
    if one.measure == "preference":
        return f"{name_of(one.source or '')} over {name_of(one.against or '')}"
    return _NAMES.get(one.measure, one.measure)
