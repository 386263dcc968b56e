"""The conditions of a study, or of a table of judgements, beside each other for a terminal."""

from collections.abc import Iterator

from rich.console import RenderableType

from analysis.choice.conditions import ConditionComparison, ConditionsCompared, taken_as_they_are
from analysis.signs import signed
from analysis.stats.comparisons import MannWhitney
from analysis.stats.mixed_conditions import ConditionsModel
from analysis.stats.p_values import p_cell, p_words
from analysis.stats.paired import PairedTest
from analysis.text.between import Line, independent, paired
from analysis.text.terminal import heading, interval_of, name_of, number, range_of, table_of

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
    if found.mixed is not None:
        yield from _mixed(found.mixed)


def _mixed(model: ConditionsModel) -> Iterator[RenderableType]:
    """Each condition less the first, for other people and other pairs."""
    yield heading("Conditions in one mixed model (other people, other pairs)")
    if model.intercept is None:
        yield f"Not fitted: {model.reason}."
        return
    table = table_of(
        "condition", "answers", "people", "pairs", "log odds", "SE", "95% interval", "p two-sided"
    )
    first = model.conditions[0]
    for one in model.conditions:
        found = one.log_odds or model.intercept
        label = name_of(one.condition) + ("" if one.log_odds is None else f" - {name_of(first.condition)}")
        counts = (str(n) for n in (one.n, one.n_participants, one.n_pairs))
        table.add_row(
            label, *counts, number(found.value, 2), number(found.sd, 2), range_of(found.low, found.high, 2),
            p_cell(found.p),
        )  # fmt: skip
    yield table
    sds = [
        f"{number(one.value, 2)} {range_of(one.low, one.high, 2)}"
        for one in (model.sd_participants, model.sd_pairs)
        if one
    ]
    yield (
        f"Right answers; {model.n_crossed} of {model.n_participants} people answered in several conditions, and "
        f"have one random intercept, as each pair has. SD of people {sds[0]}, of pairs {sds[1]}, in log odds."
    )


def over_other_pairs(found: ConditionsCompared) -> Iterator[str]:
    """Each condition less the first in one mixed model, the test that reaches furthest: to other people and pairs."""
    model = found.mixed
    if model is None or model.intercept is None:
        return
    first = name_of(model.conditions[0].condition)
    for one in model.conditions:
        if one.log_odds is not None:
            apart = (
                f"{signed(one.log_odds.value)} log odds {range_of(one.log_odds.low, one.log_odds.high, 2)}"
            )
            yield (
                f"{name_of(one.condition)} less {first}, right answers over other people and pairs: {apart}, "
                f"{p_words(one.log_odds.p)} (mixed model)"
            )


def what_of(one: ConditionComparison) -> str:
    """What is compared in two conditions."""
    if one.measure == "preference":
        return f"{name_of(one.source or '')} over {name_of(one.against or '')}"
    return _NAMES.get(one.measure, one.measure)


def tested(test: PairedTest | MannWhitney) -> tuple[str, str]:
    """Which test with its p, and the effect with its interval."""
    side = "" if test.alternative == "two-sided" else f" (one-sided, {test.alternative})"
    if isinstance(test, PairedTest):
        how = f"the same {test.n} people, signed-rank {_p(test.p, test.reason)}"
        effect = f"difference {number(test.difference.mean)} {interval_of(test.difference.interval)}"
    else:
        how = f"Mann-Whitney {_p(test.p, test.reason)}"
        effect = f"effect {number(test.effect, 2)} {interval_of(test.effect_interval, 2)}"
    return f"{how}{side}", effect


def condition_sentence(one: ConditionComparison) -> str | None:
    """Two conditions in one line: what is compared, the test to read, Holm's p and the effect."""
    if (test := one.to_read) is None:
        return None
    how, effect = tested(test)
    who = "" if isinstance(test, PairedTest) else f"{test.n1} and {test.n2} people, "
    is_corrected = one.n_family > 1 and one.p_holm is not None
    corrected = f", after Holm over {one.n_family} {p_words(one.p_holm)}" if is_corrected else ""
    first, second = map(name_of, one.conditions)
    return f"{first} against {second}, {what_of(one)}: {who}{how}{corrected}; {effect}"


def _p(p: float | None, reason: str | None) -> str:
    return f"not tested, {reason}" if p is None else p_words(p)
