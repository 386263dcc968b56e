"""The conditions of a study, or of a table of judgements, tested against each other: all numbers."""

from collections.abc import Iterator

from analysis.choice.conditions import ConditionComparison, ConditionsCompared, taken_as_they_are
from analysis.choice.studies import StudyResult
from analysis.findings.in_short import condition_line, over_other_pairs
from analysis.findings.methods import conditions_in_words
from analysis.findings.model import Measured, Numbers, Section
from analysis.findings.tables import column, counts, names, p_values
from analysis.findings.two_by_two import Line, about, how, tables, warned
from analysis.reported import Settings
from analysis.stats.mixed_conditions import ConditionsModel

MOST_SAID = 12  # the table has all


def conditions(study: StudyResult, settings: Settings) -> Iterator[Section]:
    """From `conditions`; no section with fewer than two."""
    yield from conditions_compared(study.conditions, settings.alternative)


def conditions_compared(
    found: ConditionsCompared, alternative: str, what: str = "pairs"
) -> Iterator[Section]:
    """Every two conditions, which have `what` of their own; nothing where there is one, or none."""
    if len(found.conditions) < 2:
        return
    title = "Conditions compared"
    if found.reason:
        yield Section("conditions", title, (f"Not compared: {found.reason}.",))
        return
    within, apart = [], []
    for one in found.comparisons:
        of = " and ".join(one.conditions), about_condition(one)
        if one.paired is not None:
            within.append(Line(*of, one.paired, one.p_holm if one.compared_as == "paired" else None))
        if one.independent is not None:
            apart.append(Line(*of, one.independent, one.p_holm))
    family = max(one.n_family for one in found.comparisons)
    holm = f"Holm's correction is over the {family} comparisons of conditions, each measure by itself."
    yield Section(
        "conditions",
        title,
        (
            *(said for one in found.comparisons[:MOST_SAID] if (said := condition_line(one))),
            *over_other_pairs(found),
        ),
        tables=(*tables(within, apart, "condition", "conditions"), *_modelled(found.mixed)),
        notes=(
            *how(within, apart, "condition"),
            *_model_notes(found.mixed),
            *((holm,) if family > 1 else ()),
            *((f"{found.no_accuracy}.",) if found.no_accuracy else ()),
            *warned((one.conditions, one.warning) for one in found.comparisons),
            f"{taken_as_they_are(what)}.",
        ),
        methods=tuple(conditions_in_words(found.comparisons, alternative)),
    )


def about_condition(one: ConditionComparison) -> str:
    """The label of a comparison, such as `accuracy` or `preference, hybrid over symbolic`."""
    return about(one.measure, None, one.source, one.against)


def _modelled(model: ConditionsModel | None) -> Iterator[Numbers]:
    """Each condition less the first in one model."""
    if model is None or model.intercept is None:
        return
    first, intercept = model.conditions[0].condition, model.intercept
    yield Numbers(
        "Conditions in one mixed model, people and pairs crossed: right answers, for other people and other pairs",
        (
            *(*names("condition"), *counts("answers", "people", "pairs"), column("log odds", digits=2)),
            *(column("SE", digits=2), *p_values("p, two-sided")),
        ),
        tuple(
            (
                one.condition if one.log_odds is None else f"{one.condition} less {first}",
                *(one.n, one.n_participants, one.n_pairs),
                *(Measured(found.value, found.low, found.high), found.sd, found.p),
            )
            for one in model.conditions
            for found in [one.log_odds or intercept]
        ),
    )


def _model_notes(model: ConditionsModel | None) -> Iterator[str]:
    if model is None:
        return
    if model.sd_participants is None or model.sd_pairs is None:
        yield f"Conditions are in no mixed model: {model.reason}."
        return
    yield (
        f"In the mixed model {model.n_crossed} of {model.n_participants} people answered in several conditions and "
        f"have one random intercept; SD of people {model.sd_participants.value:.2f}, of pairs "
        f"{model.sd_pairs.value:.2f}, in log odds."
    )
