"""Studies compared, two by two: tests, effects, and what stands in the way of them."""

from collections.abc import Iterator, Sequence

from analysis import Analysis, Comparison
from analysis.choice.between import MixedDifference, Several
from analysis.options import Alternative
from app.reports.page.views import (
    NONE,
    SectionView,
    TableView,
    as_sentence,
    interval,
    limits,
    number,
    p_cell,
    p_value,
    shortened,
)


def comparisons_section(analysis: Analysis) -> Iterator[SectionView]:
    """Nothing where there is one study."""
    comparisons, differences, several = analysis.comparisons, analysis.mixed_differences, analysis.several
    if comparisons:
        apart = [one for one in comparisons if one.compared_as == "independent"]
        independent = (_tests(apart), _effects(apart)) if apart else ()
        at_once = *_same_in_all(several), *_several(several, analysis.settings.alternative)
        tables = (*_paired(comparisons), *independent, *_modelled(differences), *at_once)
        warnings = dict.fromkeys(one.warning for one in several if one.warning)
        notes = (*_notes(comparisons), *_model_notes(differences), *map(as_sentence, warnings))
        yield SectionView("comparisons", "Studies compared", tables=tables, notes=notes)


def compared_in_short(comparison: Comparison) -> str:
    """One comparison in a line."""
    first, second = comparison.studies
    paired = comparison.paired if comparison.compared_as == "paired" else None
    test = paired or comparison.test
    within = f" ({paired.n} people in both)" if paired else ""
    beside = "" if test.alternative == "two-sided" else f", two-sided {p_value(test.p_two_sided)}"
    return (
        f"{first} and {second}{within}, {_about(comparison)}: {p_value(test.p)}, {test.alternative}{beside}; after "
        f"Holm's correction over {comparison.n_family_as_compared} tests {p_value(comparison.p_holm_as_compared)}."
    )


def _about(one: Comparison | Several) -> str:
    """What is compared, as `accuracy` or `preference, hybrid over symbolic`."""
    trials = one.trials and f"{one.trials} main pairs"
    which = "pairs with a right member" if one.trials == "with-truth" else trials
    return ", ".join(filter(None, (one.measure, which, one.source and f"{one.source} over {one.against}")))


def _paired(comparisons: Sequence[Comparison]) -> Iterator[TableView]:
    """The same people in two studies, each compared with themselves."""
    tests, sizes = [], []
    for one in comparisons:
        if one.paired is None:
            continue
        test, shift, mean = one.paired, one.paired.shift, one.paired.difference
        about = " and ".join(one.studies), _about(one)
        p_values = test.p, test.p_two_sided, one.p_holm_as_compared if one.compared_as == "paired" else None
        counts = str(test.n), f"{test.n_higher}, {test.n_lower}, {test.n_equal}"
        tests.append((*about, *counts, number(test.v, 1), *(p_cell(p) for p in p_values)))
        apart = f"{number(shift.value, 2)} ({limits(shift.low, shift.high, 2)})"
        difference = f"{number(mean.mean, 2)} ({interval(mean.interval, 2)})"
        sizes.append((*about, apart, difference, number(test.rank_biserial, 2), p_cell(test.permutation.p)))
    if not tests:
        return
    alternative = next(one.paired.alternative for one in comparisons if one.paired)
    yield TableView(
        caption="The same people in both studies: Wilcoxon's signed-rank test",
        head=(
            *("studies", "measure", "people", "higher, lower, equal in the first", "V", f"p {alternative}"),
            *("p two-sided", "p Holm"),
        ),
        rows=tuple(tests),
        n_names=2,
        file="tables/comparisons.csv",
    )
    yield TableView(
        caption=(
            "How far apart the studies are for the same people, first less second, with 95 % intervals: the "
            "Hodges-Lehmann shift, the mean difference, and the matched-pairs rank-biserial correlation"
        ),
        head=("studies", "measure", "shift", "mean difference", "correlation", "p of permutations"),
        rows=tuple(sizes),
        n_names=2,
        file="tables/comparisons.csv",
    )


def _tests(comparisons: Sequence[Comparison]) -> TableView:
    alternative = comparisons[0].test.alternative
    one_sided = alternative != "two-sided"
    rows = []
    for one in comparisons:
        test = one.test
        p_values = (
            test.p,
            *((test.p_two_sided,) if one_sided else ()),
            one.p_holm_as_compared,
            test.permutation.p,
        )
        cells = number(test.u1, 1), number(test.u2, 1), *(p_cell(p) for p in p_values)
        rows.append((" and ".join(one.studies), _about(one), *cells))
    beside = ("p two-sided",) if one_sided else ()
    return TableView(
        caption="Mann-Whitney tests, and a permutation test of the means (two-sided)",
        head=(
            *("studies", "measure", "U first", "U second", f"p {alternative}", *beside, "p Holm"),
            "p of permutations",
        ),
        rows=tuple(rows),
        n_names=2,
        file="tables/comparisons.csv",
    )


def _effects(comparisons: Sequence[Comparison]) -> TableView:
    rows = []
    for one in comparisons:
        test, shift = one.test, one.test.shift
        effect = f"{number(test.effect, 2)} ({interval(test.effect_interval, 2)})"
        apart = f"{number(shift.value, 2)} ({limits(shift.low, shift.high, 2)})"
        rows.append((" and ".join(one.studies), _about(one), effect, apart))
    return TableView(
        caption=(
            "Effects with 95 % intervals: the probability that a participant of the first study is higher, ties half, "
            "and the Hodges-Lehmann shift in the measure's unit"
        ),
        head=("studies", "measure", "probability of higher", "shift"),
        rows=tuple(rows),
        n_names=2,
        file="tables/comparisons.csv",
    )


def _notes(comparisons: Sequence[Comparison]) -> Iterator[str]:
    for one in comparisons:
        test, paired = one.test, one.paired
        found: tuple[str | None, ...] = ()
        if paired:
            found += (
                paired.reason,
                paired.shift.reason,
                paired.permutation.reason,
                paired.difference.interval.reason,
            )
        if one.compared_as == "independent":
            found += (test.reason, test.effect_interval.reason, test.permutation.reason, test.shift.reason)
        for reason in dict.fromkeys(filter(None, found)):
            yield f"Missing for {' and '.join(one.studies)}, {_about(one)}: {reason}."
    for studies, warning in dict.fromkeys((one.studies, one.warning) for one in comparisons):
        if warning:
            yield f"{' and '.join(studies)}: {warning}."


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
            head=("studies", "of", "over", "difference (95 % interval)", "p"),
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
        tests.append((_about(one), counts, number(test.h, 2), str(test.df or NONE), p_cell(test.p), size))
        for pair in test.pairs:
            p_values = map(p_cell, (pair.test.p, pair.test.p_two_sided, pair.p_holm))
            pairs.append((" and ".join(pair.groups), _about(one), *p_values))
    if not tests:
        return
    yield shortened(
        "All studies at once (Kruskal-Wallis), with the share of the ranks' variance between studies",
        ("measure", "participants", "H", "df", "p", "epsilon squared (95 % interval)"),
        tests,
        n_names=2,
        file="results.json",
    )
    yield shortened(
        "Each two of them, corrected by Holm within the measure",
        ("studies", "measure", f"p {alternative}", "p two-sided", "p Holm"),
        pairs,
        n_names=2,
        file="results.json",
    )


def _same_in_all(several: Sequence[Several]) -> Iterator[TableView]:
    rows = []
    for one in several:
        if test := one.friedman:
            numbers = number(test.q, 2), str(test.df or NONE), p_cell(test.p), number(test.w)
            rows.append((_about(one), str(test.n), *numbers))
    if rows:
        caption = "All studies at once, the same people in each (Friedman), with Kendall's W"
        yield shortened(caption, ("measure", "people", "Q", "df", "p", "W"), rows, file="results.json")
