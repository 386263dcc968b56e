"""Studies tested against each other: two by two, all at once, and in one mixed model."""

from collections.abc import Iterator, Sequence

from analysis.choice.between import MixedDifference, Several
from analysis.findings.in_short import compared_line, mixed_line
from analysis.findings.model import Measured, Numbers, Section
from analysis.findings.tables import column, counts, names, p_values, sentences
from analysis.findings.two_by_two import Line, about, how, tables, warned
from analysis.reported import Analysis, Comparison
from analysis.stats.comparisons import MannWhitney
from analysis.stats.paired import PairedTest

MOST_SAID = 12  # the table has all


def studies_compared(analysis: Analysis) -> Iterator[Section]:
    """Comparisons of studies; none with one study."""
    if not analysis.comparisons:
        return
    within, apart = _lines(analysis.comparisons)
    first = analysis.comparisons[0]
    side = "" if first.test.alternative == "two-sided" else ", of the one-sided p"
    yield Section(
        "studies",
        "Studies compared",
        (
            *(said for one in analysis.comparisons[:MOST_SAID] if (said := compared_line(one))),
            *(mixed_line(one) for one in analysis.mixed_differences[:MOST_SAID] if one.model.difference),
        ),
        tables=(
            *tables(within, apart, "study", "studies"),
            *_modelled(analysis.mixed_differences),
            *_same_in_all(analysis.several),
            *_several(analysis),
        ),
        notes=(
            *how(within, apart, "study"),
            f"Holm's correction is over {first.n_family_as_compared} comparisons{side}.",
            *warned((one.studies, one.warning) for one in analysis.comparisons),
            *_model_notes(analysis.mixed_differences),
            *sentences(*(one.warning for one in analysis.several)),
            *sentences(*(_reason(one) for one in analysis.several)),
        ),
        methods=tuple(_methods(analysis)),
    )


def _lines(comparisons: Sequence[Comparison]) -> tuple[list[Line[PairedTest]], list[Line[MannWhitney]]]:
    within, apart = [], []
    for one in comparisons:
        of = " and ".join(one.studies), about_comparison(one)
        if one.paired is not None:
            holm = one.p_holm_as_compared if one.compared_as == "paired" else None
            within.append(Line(*of, one.paired, holm))
        if one.compared_as == "independent":
            apart.append(Line(*of, one.test, one.p_holm_as_compared))
    return within, apart


def about_comparison(one: Comparison | Several) -> str:
    """The label of a comparison, such as `accuracy` or `preference, hybrid over symbolic`."""
    return about(one.measure, one.trials, one.source, one.against)


def _reason(one: Several) -> str | None:
    reason = one.friedman.reason if one.friedman is not None else one.test.reason
    return reason and f"{about_comparison(one)}: {reason}"


def _modelled(differences: Sequence[MixedDifference]) -> Iterator[Numbers]:
    rows = []
    for one in differences:
        model = one.model
        if found := model.difference:
            crossed = f" ({one.n_crossed} in both)" if one.n_crossed else ""
            over = f"{model.n} answers, {model.n_participants} participants{crossed}, {model.n_pairs} pairs"
            what = "accuracy" if model.outcome == "correct" else f"share of {model.outcome}"
            apart = Measured(found.value, found.low, found.high)
            rows.append((" and ".join(one.studies), what, over, apart, found.p))
    if rows:
        yield Numbers(
            "The second study less the first under the mixed model, in log odds; p is two-sided",
            (*names("studies", "of", "over"), column("difference", digits=2), *p_values("p")),
            tuple(rows),
        )


def _model_notes(differences: Sequence[MixedDifference]) -> Iterator[str]:
    for one in differences:
        studies, model = " and ".join(one.studies), one.model
        if model.reason:
            yield f"There is no mixed model of {studies}: {model.reason}."
        for text in filter(None, (model.warning, model.boundary)):
            yield f"Mixed model of {studies}: {text}"


def _same_in_all(several: Sequence[Several]) -> Iterator[Numbers]:
    rows = tuple(
        (about_comparison(one), test.n, test.q, test.df, test.p, test.w)
        for one in several
        if (test := one.friedman)
    )
    if rows:
        yield Numbers(
            "All studies at once, the same people in each (Friedman), with Kendall's W",
            (
                *(*names("measure"), *counts("people"), column("Q", digits=2), *counts("df")),
                *(*p_values("p"), column("W")),
            ),
            rows,
        )


def _several(analysis: Analysis) -> Iterator[Numbers]:
    several = [one for one in analysis.several if one.compared_as == "independent"]
    if not several:
        return
    yield Numbers(
        "All studies at once (Kruskal-Wallis), with the share of the ranks' variance between studies",
        (
            *(*names("measure", "participants"), column("H", digits=2), *counts("df"), *p_values("p")),
            column("epsilon squared"),
        ),
        tuple(
            (
                about_comparison(one),
                ", ".join(f"{study} {n}" for study, n in test.n.items()),
                *(test.h, test.df, test.p),
                Measured(
                    test.epsilon_squared,
                    test.epsilon_squared_interval.low,
                    test.epsilon_squared_interval.high,
                ),
            )
            for one in several
            for test in [one.test]
        ),
    )
    alternative = analysis.settings.alternative
    is_one_sided = alternative != "two-sided"
    yield Numbers(
        "Each two of them, corrected by Holm within the measure",
        (
            *names("studies", "measure"),
            *p_values(f"p {alternative}", *(("p two-sided",) if is_one_sided else ()), "p Holm"),
        ),
        tuple(
            (
                *(" and ".join(pair.groups), about_comparison(one), pair.test.p),
                *((pair.test.p_two_sided,) if is_one_sided else ()),
                pair.p_holm,
            )
            for one in several
            for pair in one.test.pairs
        ),
    )


def _methods(analysis: Analysis) -> Iterator[str]:
    alternative = analysis.settings.alternative
    if any(one.paired and one.paired.p is not None for one in analysis.comparisons):
        yield (
            "Studies with participants in common were compared within these participants, by Wilcoxon's signed-rank "
            f"test, {alternative} [Wil45], with the Hodges-Lehmann estimate and its "
            "distribution-free interval [HL63], [HWC14], the matched-pairs rank-biserial correlation [Ker14], and a "
            "permutation test that swaps the two values of a participant [PS10]; the study was a fixed effect of the "
            "mixed model, in which each participant has one random intercept."
        )
    if any(one.compared_as == "independent" and one.test.p is not None for one in analysis.comparisons):
        family = analysis.comparisons[0].n_family_as_compared
        yield (
            "Studies were compared by the Mann-Whitney test of their participants' means, "
            f"{alternative} [MW47], with the common-language effect size [MW92], and p values "
            f"corrected by Holm's method over {family} comparisons [Hol79]; beside it stand "
            "the Hodges-Lehmann shift [HL63] with its distribution-free interval [Bau72] and a permutation test of the "
            "difference in means [PS10]."
        )
    if any(one.friedman for one in analysis.several):
        yield (
            "More than two studies at once, with the same participants, were compared by Friedman's test [Fri37], with "
            "Kendall's coefficient of concordance."
        )
    if any(one.compared_as == "independent" for one in analysis.several):
        yield (
            "More than two studies at once were compared by the Kruskal-Wallis test [KW52], with the interval of "
            "epsilon squared from the noncentral chi-squared distribution [SF97]."
        )
