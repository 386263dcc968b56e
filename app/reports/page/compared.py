"""Studies, and the conditions of one, compared two by two: tests, effects, and what stands in the way of them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from analysis import Analysis, Comparison
from analysis.choice.between import MixedDifference, Several
from analysis.choice.conditions import ConditionComparison, ConditionsCompared, taken_as_they_are
from analysis.choice.studies import StudyResult
from analysis.options import Alternative
from analysis.stats.comparisons import MannWhitney
from analysis.stats.mixed_conditions import ConditionsModel
from analysis.stats.paired import PairedTest
from app.reports.page.views import (
    NONE,
    SectionView,
    TableView,
    as_sentence,
    interval,
    limits,
    number,
    p_cell,
    shortened,
)

Test = TypeVar("Test", PairedTest, MannWhitney)


@dataclass(frozen=True, slots=True)
class Of:
    """What is compared two by two, and the file that has all numbers."""

    one: str
    several: str
    file: str


@dataclass(frozen=True, slots=True)
class Line(Generic[Test]):
    """One comparison in a table: of which two, of what, its test, and p after Holm's correction where it is read."""

    names: str
    about: str
    test: Test
    p_holm: float | None


_NAMES = {"d_prime": "sensitivity d'", "criterion": "criterion c"}
_STUDIES = Of("study", "studies", "tables/comparisons.csv")
_CONDITIONS = Of("condition", "conditions", "tables/conditions.csv")


def comparisons_section(analysis: Analysis) -> Iterator[SectionView]:
    """Nothing where there is one study."""
    comparisons, differences, several = analysis.comparisons, analysis.mixed_differences, analysis.several
    if comparisons:
        within, apart = _lines(comparisons)
        two = *_paired(within, _STUDIES), *_independent(apart, _STUDIES)
        at_once = *_same_in_all(several), *_several(several, analysis.settings.alternative)
        tables = (*two, *_modelled(differences), *at_once)
        warnings = dict.fromkeys(one.warning for one in several if one.warning)
        notes = (*_notes(comparisons), *_model_notes(differences), *map(as_sentence, warnings))
        yield SectionView("comparisons", "Studies compared", tables=tables, notes=notes)


def _lines(comparisons: Sequence[Comparison]) -> tuple[list[Line[PairedTest]], list[Line[MannWhitney]]]:
    within, apart = [], []
    for one in comparisons:
        about = " and ".join(one.studies), about_comparison(one)
        if one.paired is not None:
            holm = one.p_holm_as_compared if one.compared_as == "paired" else None
            within.append(Line(*about, one.paired, holm))
        if one.compared_as == "independent":
            apart.append(Line(*about, one.test, one.p_holm_as_compared))
    return within, apart


def about_comparison(one: Comparison | Several) -> str:
    """What is compared, as `accuracy` or `preference, hybrid over symbolic`."""
    trials = one.trials and f"{one.trials} main pairs"
    which = "pairs with a right member" if one.trials == "with-truth" else trials
    return ", ".join(filter(None, (one.measure, which, one.source and f"{one.source} over {one.against}")))


def _paired(lines: Sequence[Line[PairedTest]], of: Of) -> Iterator[TableView]:
    """The same people in two studies or conditions, each compared with themselves."""
    tests, sizes = [], []
    one_sided = bool(lines) and lines[0].test.alternative != "two-sided"
    for one in lines:
        test, shift, mean = one.test, one.test.shift, one.test.difference
        p_values = test.p, *((test.p_two_sided,) if one_sided else ()), one.p_holm
        counts = str(test.n), f"{test.n_higher}, {test.n_lower}, {test.n_equal}"
        tests.append((one.names, one.about, *counts, number(test.v, 1), *(p_cell(p) for p in p_values)))
        apart = f"{number(shift.value, 2)} ({limits(shift.low, shift.high, 2)})"
        difference = f"{number(mean.mean, 2)} ({interval(mean.interval, 2)})"
        correlation, permuted = number(test.rank_biserial, 2), p_cell(test.permutation.p)
        sizes.append((one.names, one.about, apart, difference, correlation, permuted))
    if not tests:
        return
    yield TableView(
        caption=f"The same people in both {of.several}: Wilcoxon's signed-rank test",
        head=(
            *(of.several, "measure", "people", "higher, lower, equal in the first", "V"),
            *(f"p {lines[0].test.alternative}", *(("p two-sided",) if one_sided else ()), "p Holm"),
        ),
        rows=tuple(tests),
        n_names=2,
        file=of.file,
    )
    yield TableView(
        caption=(
            f"How far apart the {of.several} are for the same people, first less second, with 95% intervals: the "
            "Hodges-Lehmann shift, the mean difference, and the matched-pairs rank-biserial correlation"
        ),
        head=(of.several, "measure", "shift", "mean difference", "correlation", "p of permutations"),
        rows=tuple(sizes),
        n_names=2,
        file=of.file,
    )


def _independent(lines: Sequence[Line[MannWhitney]], of: Of) -> Iterator[TableView]:
    """Different people in each; nothing without such."""
    if not lines:
        return
    alternative = lines[0].test.alternative
    one_sided = alternative != "two-sided"
    tests, effects = [], []
    for one in lines:
        test, shift = one.test, one.test.shift
        p_values = test.p, *((test.p_two_sided,) if one_sided else ()), one.p_holm, test.permutation.p
        counts = number(test.u1, 1), number(test.u2, 1)
        tests.append((one.names, one.about, *counts, *(p_cell(p) for p in p_values)))
        effect = f"{number(test.effect, 2)} ({interval(test.effect_interval, 2)})"
        apart = f"{number(shift.value, 2)} ({limits(shift.low, shift.high, 2)})"
        effects.append((one.names, one.about, effect, apart))
    beside = ("p two-sided",) if one_sided else ()
    yield TableView(
        caption="Mann-Whitney tests, and a permutation test of the means (two-sided)",
        head=(
            *(of.several, "measure", "U first", "U second", f"p {alternative}", *beside, "p Holm"),
            "p of permutations",
        ),
        rows=tuple(tests),
        n_names=2,
        file=of.file,
    )
    yield TableView(
        caption=(
            f"Effects with 95% intervals: the probability that a participant of the first {of.one} is higher, ties "
            "half, and the Hodges-Lehmann shift in the measure's unit"
        ),
        head=(of.several, "measure", "probability of higher", "shift"),
        rows=tuple(effects),
        n_names=2,
        file=of.file,
    )


def conditions_part(study: StudyResult) -> Iterator[SectionView]:
    """From `conditions`; nothing where there is one, or none."""
    yield from conditions_compared(study.conditions)


def conditions_compared(found: ConditionsCompared, what: str = "pairs") -> Iterator[SectionView]:
    """Every two conditions, which have `what` of their own; nothing where there is one, or none."""
    of = _CONDITIONS
    if len(found.conditions) < 2:
        return
    if found.reason:
        yield SectionView("", "Conditions compared", notes=(f"Not compared: {found.reason}.",))
        return
    within, apart = [], []
    notes: list[str] = []
    for one in found.comparisons:
        about = " and ".join(one.conditions), about_condition(one)
        if one.paired is not None:
            within.append(Line(*about, one.paired, one.p_holm if one.compared_as == "paired" else None))
        if one.independent is not None:
            apart.append(Line(*about, one.independent, one.p_holm))
        notes += _missing(*about, one.paired, one.independent)
    family = max(one.n_family for one in found.comparisons)
    holm = f"Holm's correction is over the {family} comparisons of conditions, each measure by itself."
    yield SectionView(
        "",
        "Conditions compared",
        tables=(*_paired(within, of), *_independent(apart, of), *_conditions_modelled(found.mixed)),
        notes=(
            *_conditions_model_notes(found.mixed),
            *((holm,) if family > 1 else ()),
            *((f"{found.no_accuracy}.",) if found.no_accuracy else ()),
            *notes,
            *_warned((one.conditions, one.warning) for one in found.comparisons),
            f"{taken_as_they_are(what)}.",
        ),
    )


def _conditions_modelled(model: ConditionsModel | None) -> Iterator[TableView]:
    """Each condition less the first in one model."""
    if model is None or model.intercept is None:
        return
    first = model.conditions[0].condition
    rows = []
    for one in model.conditions:
        found = one.log_odds or model.intercept
        name = one.condition if one.log_odds is None else f"{one.condition} less {first}"
        counts = str(one.n), str(one.n_participants), str(one.n_pairs)
        apart = f"{number(found.value, 2)} ({limits(found.low, found.high, 2)})"
        rows.append((name, *counts, apart, number(found.sd, 2), p_cell(found.p)))
    head = "condition", "answers", "people", "pairs", "log odds (95% interval)", "SE", "p, two-sided"
    caption = "Conditions in one mixed model, people and pairs crossed: right answers, for other people and other pairs"
    yield shortened(caption, head, rows, file="results.json")


def _conditions_model_notes(model: ConditionsModel | None) -> Iterator[str]:
    if model is None:
        return
    if model.sd_participants is None or model.sd_pairs is None:
        yield f"Conditions are in no mixed model: {model.reason}."
        return
    yield (
        f"In the mixed model {model.n_crossed} of {model.n_participants} people answered in several conditions and "
        f"have one random intercept; SD of people {number(model.sd_participants.value, 2)}, of pairs "
        f"{number(model.sd_pairs.value, 2)}, in log odds."
    )


def about_condition(one: ConditionComparison) -> str:
    """What is compared, as `accuracy` or `preference, hybrid over symbolic`."""
    measure = _NAMES.get(one.measure, one.measure)
    return ", ".join(filter(None, (measure, one.source and f"{one.source} over {one.against}")))


def _missing(
    names: str, about: str, paired: PairedTest | None, independent: MannWhitney | None
) -> Iterator[str]:
    """Why numbers are missing in the tests that are shown."""
    found: tuple[str | None, ...] = ()
    if paired:
        found += (
            paired.reason,
            paired.shift.reason,
            paired.permutation.reason,
            paired.difference.interval.reason,
        )
    if independent:
        found += (
            independent.reason,
            independent.effect_interval.reason,
            independent.permutation.reason,
            independent.shift.reason,
        )
    for reason in dict.fromkeys(filter(None, found)):
        yield f"Missing for {names}, {about}: {reason}."


def _warned(warnings: Iterable[tuple[tuple[str, str], str | None]]) -> Iterator[str]:
    """Each warning once for each two."""
    for names, warning in dict.fromkeys(warnings):
        if warning:
            yield f"{' and '.join(names)}: {warning}."


def _notes(comparisons: Sequence[Comparison]) -> Iterator[str]:
    for one in comparisons:
        independent = one.test if one.compared_as == "independent" else None
        yield from _missing(" and ".join(one.studies), about_comparison(one), one.paired, independent)
    yield from _warned((one.studies, one.warning) for one in comparisons)


def _modelled(differences: Sequence[MixedDifference]) -> Iterator[TableView]:
    rows = []
    for one in differences:
        model = one.model
        if found := model.difference:
            crossed = f" ({one.n_crossed} in both)" if one.n_crossed else ""
            over = f"{model.n} answers, {model.n_participants} participants{crossed}, {model.n_pairs} pairs"
            what = "accuracy" if model.outcome == "correct" else f"share of {model.outcome}"
            apart = f"{number(found.value, 2)} ({limits(found.low, found.high, 2)})"
            rows.append((" and ".join(one.studies), what, over, apart, p_cell(found.p)))
    if rows:
        yield TableView(
            caption="The second study less the first under the mixed model, in log odds; p is two-sided",
            head=("studies", "of", "over", "difference (95% interval)", "p"),
            rows=tuple(rows),
            n_names=3,
            file="results.json",
        )


def _model_notes(differences: Sequence[MixedDifference]) -> Iterator[str]:
    for one in differences:
        studies, model = " and ".join(one.studies), one.model
        if model.reason:
            yield f"There is no mixed model of {studies}: {model.reason}."
        for sentence in filter(None, (model.warning, model.boundary)):
            yield f"Mixed model of {studies}: {sentence}"


def _several(several: Sequence[Several], alternative: Alternative) -> Iterator[TableView]:
    tests, pairs = [], []
    for one in several:
        if one.compared_as != "independent":
            continue
        test, ends = one.test, one.test.epsilon_squared_interval
        counts = ", ".join(f"{study} {n}" for study, n in test.n.items())
        size = f"{number(test.epsilon_squared)} ({limits(ends.low, ends.high)})"
        tests.append(
            (about_comparison(one), counts, number(test.h, 2), str(test.df or NONE), p_cell(test.p), size)
        )
        for pair in test.pairs:
            beside = (pair.test.p_two_sided,) if alternative != "two-sided" else ()
            p_values = map(p_cell, (pair.test.p, *beside, pair.p_holm))
            pairs.append((" and ".join(pair.groups), about_comparison(one), *p_values))
    if not tests:
        return
    yield shortened(
        "All studies at once (Kruskal-Wallis), with the share of the ranks' variance between studies",
        ("measure", "participants", "H", "df", "p", "epsilon squared (95% interval)"),
        tests,
        n_names=2,
        file="results.json",
    )
    yield shortened(
        "Each two of them, corrected by Holm within the measure",
        (
            *("studies", "measure", f"p {alternative}"),
            *(("p two-sided",) if alternative != "two-sided" else ()),
            "p Holm",
        ),
        pairs,
        n_names=2,
        file="results.json",
    )


def _same_in_all(several: Sequence[Several]) -> Iterator[TableView]:
    rows = []
    for one in several:
        if test := one.friedman:
            numbers = number(test.q, 2), str(test.df or NONE), p_cell(test.p), number(test.w)
            rows.append((about_comparison(one), str(test.n), *numbers))
    if rows:
        caption = "All studies at once, the same people in each (Friedman), with Kendall's W"
        yield shortened(caption, ("measure", "people", "Q", "df", "p", "W"), rows, file="results.json")
